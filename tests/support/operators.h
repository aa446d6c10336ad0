/* operators.h - kernel matrices for tests of solvers: plain arrays, and those
 * of kernels on random rows.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "check.h"
#include "grams.h"

#include "base/mem.h"
#include "kernels/engine/block.h"
#include "operators/operator.h"

/* ------------------------------------------------------------------- arrays */

/* An operator over arrays that someone else owns; op.user is the struct, so it
 * must not move. */
typedef struct dense_operator {
    gi_operator op;
    const double *K;        /* rows x cols */
    const double *diagonal; /* k(x,x) of the rows; NULL: that of K */
    const double *phi;      /* rows x op.features, or NULL */
} dense_operator;

static inline gram_status dense_tile(const gi_operator *K, const gi_blas *blas,
                                     size_t row, size_t rows, size_t col,
                                     size_t cols, void *out, size_t ld)
{
    const dense_operator *d = K->user;

    for (size_t i = 0; i < rows; i++)
        blas->write(cols, d->K + (row + i) * K->cols + col,
                    (char *)out + i * ld * blas->size, 1);
    return GRAM_OK;
}

static inline gram_status dense_product(const gi_operator *K, gi_run *run,
                                        int single, const double *V, size_t r,
                                        double *out)
{
    const dense_operator *d = K->user;

    (void)run;
    for (size_t i = 0; i < K->rows; i++)
        for (size_t c = 0; c < r; c++) {
            double sum = 0;

            for (size_t j = 0; j < K->cols; j++) {
                double k = d->K[i * K->cols + j];

                sum += (single ? (double)(float)k : k) * V[j * r + c];
            }
            out[i * r + c] = sum;
        }
    return GRAM_OK;
}

static inline gram_status dense_rows(const gi_operator *K, gi_run *run,
                                     const gi_blas *blas, const size_t *row,
                                     size_t m, void *const *out)
{
    const dense_operator *d = K->user;

    (void)run;
    for (size_t i = 0; i < m; i++)
        blas->write(K->cols, d->K + row[i] * K->cols, out[i], 1);
    return GRAM_OK;
}

static inline gram_status dense_diagonal(const gi_operator *K, gi_run *run,
                                         double *out)
{
    const dense_operator *d = K->user;

    (void)run;
    for (size_t i = 0; i < K->rows; i++)
        out[i] = d->diagonal ? d->diagonal[i] : d->K[i * K->cols + i];
    return GRAM_OK;
}

static inline gram_status dense_features(const gi_operator *K, gi_run *run,
                                         size_t row, size_t rows, double *F,
                                         size_t ld)
{
    const dense_operator *d = K->user;

    (void)run;
    for (size_t i = 0; i < rows; i++)
        memcpy(F + i * ld, d->phi + (row + i) * K->features,
               K->features * sizeof *F);
    return GRAM_OK;
}

static const gi_operator_class dense_class = {
    .name = "dense",
    .help = "an array, for tests",
    .tile = dense_tile,
    .product = dense_product,
    .rows = dense_rows,
    .diagonal = dense_diagonal,
    .features = dense_features,
};

/* Symmetric if there is no diagonal. */
static inline void dense_operator_init(dense_operator *d, size_t rows,
                                       size_t cols, const double *K,
                                       const double *diagonal)
{
    *d = (dense_operator){.op = {.class_ = &dense_class,
                                 .rows = rows,
                                 .cols = cols,
                                 .symmetric = !diagonal,
                                 .user = d,
                                 .cost = 2},
                          .K = K,
                          .diagonal = diagonal};
}

static inline void dense_operator_features(dense_operator *d, size_t features,
                                           const double *phi)
{
    d->op.features = features;
    d->op.flags |= GI_OPERATOR_HAS_FEATURES;
    d->phi = phi;
}

/* ------------------------------------------------------------------ kernels */

/* A kernel on the rows of a table, compiled, with its matrix: K of the first
 * n rows with themselves, T of the others with the first n. */
typedef struct kernel_world {
    gi_run run;
    gram_kernel *kernel;
    gram_table *all;
    gram_program *program;
    gi_points *x, *t;
    gi_operator *K, *T;
    size_t n, m;
} kernel_world;

/* rows of d numbers: n for K, m for T (0: no T). */
static inline void kernel_world_new(kernel_world *w, const char *text, size_t n,
                                    size_t m, size_t d, const double *rows,
                                    const gram_exec *exec)
{
    size_t *index = malloc((n + m + 1) * sizeof *index);
    gi_points *both = NULL;

    *w = (kernel_world){.run = gi_run_begin(exec), .n = n, .m = m};
    w->kernel = grams_kernel(text);
    w->all = grams_table(n + m, d, rows, NULL);
    CHECK_OK(gi_program_new(&w->run, w->kernel, w->all, 0, &w->program));
    CHECK_OK(gi_points_new(&w->run, w->program, w->all, GI_DOUBLE, &both));
    for (size_t i = 0; i < n + m; i++)
        index[i] = i;
    CHECK_OK(gi_points_select(&w->run, w->program, both, index, n, &w->x));
    CHECK_OK(gi_operator_new(&w->run, w->program, NULL, w->x, NULL, &w->K));
    if (m) {
        CHECK_OK(
            gi_points_select(&w->run, w->program, both, index + n, m, &w->t));
        CHECK_OK(gi_operator_new(&w->run, w->program, NULL, w->t, w->x, &w->T));
    }
    gi_points_free(both);
    free(index);
}

static inline void kernel_world_free(kernel_world *w)
{
    gi_operator_free(w->K);
    gi_operator_free(w->T);
    gi_points_free(w->x);
    gi_points_free(w->t);
    gi_program_free(w->program);
    gram_table_free(w->all);
    gram_kernel_free(w->kernel);
    gi_run_end(&w->run);
}

/* All of an operator in double, to be freed. */
static inline double *operator_matrix(const gi_operator *K, gi_run *run)
{
    double *out = grams_doubles(K->rows * K->cols);

    CHECK_OK(gi_operator_store(K, run, &gi_blas_double, out, K->cols));
    return out;
}

#endif
