/* bench_path.c - fifty lambdas in units of one Cholesky factorisation of the
 * same size, on the same threads: criteria without leave-one-out errors, and
 * with them.  The best of RUNS; what the path says is compared with a solution
 * from scratch at one of the lambdas.  The status is 1 if a target is missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/points.h"
#include "solvers/path.h"

enum { RUNS = 3, N = 5000, D = 10, COUNT = 50 };

typedef struct setting {
    gram_table *table;
    gram_kernel *kernel;
    gram_program *program;
    gi_points *x;
    gi_operator *K;
    double *y;
    gi_problem p;
    double lambda[COUNT];
} setting;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gram_status set_up(gi_run *run, setting *s)
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
    for (size_t i = 0; i < COUNT; i++)
        s->lambda[i] = 1e-6 * pow(1e9, (double)i / (COUNT - 1));
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

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const gi_operator *K = user;
    gram_status status =
        K->tile(K, &gi_blas_double, row, rows, col, cols, tile, ld);

    for (size_t i = 0; row == col && i < rows; i++)
        ((double *)tile)[i * ld + i] += 0.1;
    return status;
}

static gram_status time_factor(gi_run *run, setting *s, double *best)
{
    gi_chol *c = NULL;
    gram_status status;

    GI_TRY(gi_operator_prepare(s->K, run, &gi_blas_double));
    GI_TRY(gi_chol_new(run, &gi_blas_double, N, 0, &c));
    for (int k = 0; k < RUNS; k++) {
        double start = now();

        GI_TRY(gi_chol_factor(run, c, fill, s->K));
        *best = fmin(*best, now() - start);
    }
done:
    gi_chol_free(c);
    return status;
}

static gram_status time_path(gi_run *run, setting *s, unsigned want,
                             gi_criteria *out, double *best)
{
    gram_status status = GRAM_OK;

    for (int k = 0; k < RUNS; k++) {
        gi_path *path = NULL;
        double start = now();

        GI_TRY(gi_path_new(run, &s->p, NULL, want, &path));
        GI_TRY(path->at(path, run, s->lambda, COUNT, want, out));
        *best = fmin(*best, now() - start);
        gi_path_free(path);
    }
done:
    return status;
}

/* y'alpha of a solution from scratch gives the amplitude of the path. */
static gram_status compare(gi_run *run, setting *s, const gi_criteria *at,
                           double *error)
{
    gi_solution solution = {0};
    double amplitude;
    gram_status status;

    s->p.lambda = at->lambda;
    s->p.precision = GI_FACTOR_DOUBLE;
    GI_TRY(gi_solver_solve(run, NULL, &s->p, &solution));
    gi_problem_amplitudes(&s->p, &solution, &amplitude);
    *error = fabs(at->amplitude / amplitude - 1);
done:
    gi_solution_free(&solution);
    return status;
}

static gram_status bench(gi_run *run, setting *s, int *good)
{
    const struct {
        const char *name;
        unsigned want;
        double target;
    } work[] = {{"without LOO", GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF, 6},
                {"with LOO",
                 GI_WANT_LOO | GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF,
                 16}};
    gi_criteria out[COUNT];
    double one = INFINITY, error = NAN;
    gram_status status;

    GI_TRY(set_up(run, s));
    GI_TRY(time_factor(run, s, &one));
    printf("%d lambdas, n = %d; one Cholesky factorisation %.3f s\n", COUNT, N,
           one);
    for (size_t k = 0; k < sizeof work / sizeof *work; k++) {
        double best = INFINITY;

        GI_TRY(time_path(run, s, work[k].want, out, &best));
        GI_TRY(compare(run, s, &out[COUNT / 2], &error));
        int fine = best / one <= work[k].target && error < 1e-8;
        printf("  %-12s %6.3f s   %.1f factorisations (<= %g)   error %.1e: "
               "%s\n",
               work[k].name, best, best / one, work[k].target, error,
               fine ? "good" : "MISSED");
        *good &= fine;
    }
done:
    return status;
}

int main(void)
{
    gi_run run = gi_run_begin(NULL);
    setting s = {0};
    int good = 1;

    gi_blas_start();
    if (bench(&run, &s, &good) != GRAM_OK) {
        fprintf(stderr, "bench_path: %s\n", gram_error_message());
        good = 0;
    }
    gi_operator_free(s.K);
    gi_points_free(s.x);
    gi_program_free(s.program);
    gram_kernel_free(s.kernel);
    gram_table_free(s.table);
    gi_free(s.y);
    return !good;
}
