/* setting.h - what benchmarks of solvers share: random rows, a dense kernel,
 * and the time of a Cholesky factorisation of that size to compare with.
 */
#ifndef SETTING_H
#define SETTING_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/program/points.h"
#include "solvers/solver.h"

enum { RUNS = 3, N = 5000, D = 10 };

typedef struct setting {
    gram_table *table;
    gram_kernel *kernel;
    gram_program *program;
    gi_points *x;
    gi_operator *K;
    double *y;
    gi_problem p;
} setting;

static inline double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline gram_status set_up(gi_run *run, setting *s)
{
    gi_rng rng = gi_rng_new(1, 0);
    double *cells = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, cells, N * D));
    GI_TRY(GI_NEW(run, s->y, N));
    for (size_t i = 0; i < N * D; i++)
        cells[i] = gi_rng_normal(&rng);
    for (size_t i = 0; i < N; i++)
        s->y[i] = sin(cells[i * D]) + 0.1 * gi_rng_normal(&rng);
    GI_TRY(gram_table_new(N, &s->table));
    GI_TRY(gram_table_add_matrix(s->table, cells, D, D, 1));
    GI_TRY(gram_kernel_new("rbf(gamma=0.1)", &s->kernel));
    GI_TRY(gi_program_new(run, s->kernel, s->table, 0, &s->program));
    GI_TRY(gi_points_new(run, s->program, s->table, GI_DOUBLE, &s->x));
    GI_TRY(gi_operator_new(run, s->program, NULL, s->x, NULL, &s->K));
    s->p = (gi_problem){
        .K = s->K, .n = N, .targets = 1, .y = s->y, .intercept = 1};
done:
    gi_free(cells);
    return status;
}

static inline gram_status fill_shifted(void *user, size_t row, size_t rows,
                                       size_t col, size_t cols, void *tile,
                                       size_t ld)
{
    const gi_operator *K = user;
    gram_status status =
        gi_operator_tile(K, &gi_blas_double, row, rows, col, cols, tile, ld);

    for (size_t i = 0; row == col && i < rows; i++)
        ((double *)tile)[i * ld + i] += 0.1;
    return status;
}

/* Seconds of a Cholesky factorisation in double, tiles of K included; the best
 * of RUNS. */
static inline gram_status time_factor(gi_run *run, setting *s, double *best)
{
    gi_chol *c = NULL;
    gram_status status;

    GI_TRY(gi_operator_prepare(s->K, run, &gi_blas_double));
    GI_TRY(gi_chol_new(run, &gi_blas_double, N, 0, &c));
    for (int k = 0; k < RUNS; k++) {
        double start = now();

        GI_TRY(gi_chol_factor(run, c, fill_shifted, s->K));
        *best = fmin(*best, now() - start);
    }
done:
    gi_chol_free(c);
    return status;
}

static inline void tear_down(setting *s)
{
    gi_operator_free(s->K);
    gi_points_free(s->x);
    gi_program_free(s->program);
    gram_kernel_free(s->kernel);
    gram_table_free(s->table);
    gi_free(s->y);
}

/* What main does: 0 if all is good. */
static inline int run_bench(const char *name,
                            gram_status (*bench)(gi_run *run, setting *s,
                                                 int *good))
{
    GI_RUN(run, NULL);
    setting s = {0};
    int good = 1;

    gi_blas_start();
    if (bench(&run, &s, &good) != GRAM_OK) {
        fprintf(stderr, "%s: %s\n", name, gram_error_message());
        good = 0;
    }
    tear_down(&s);
    return !good;
}

#endif
