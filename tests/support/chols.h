/* chols.h - dense matrices and their Cholesky factors, for tests.
 */
#ifndef CHOLS_H
#define CHOLS_H

#include "check.h"

#include <float.h>

#include "base/rng.h"
#include "base/run.h"
#include "linalg/dense/chol.h"

/* A dense symmetric matrix that fill copies tiles of. */
typedef struct matrix {
    const gi_blas *blas;
    size_t n;
    double *a;
} matrix;

/* Random with eigenvalues of about 1/3 .. 3: entries of size 1/sqrt(n)
 * around twice the identity. */
static inline matrix random_matrix(const gi_blas *blas, size_t n)
{
    gi_rng rng = gi_rng_new(11, n);
    matrix m = {blas, n, malloc((n * n + 1) * sizeof *m.a)};

    assert_non_null(m.a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double x = (gi_rng_uniform(&rng) - 0.5) / sqrt((double)n);

            m.a[i * n + j] = m.a[j * n + i] = (i == j) * 2.0 + x;
        }
    return m;
}

static inline gram_status fill(void *user, size_t row, size_t rows, size_t col,
                               size_t cols, void *tile, size_t ld)
{
    const matrix *m = user;

    if (row > col || row + rows > m->n || col + cols > m->n)
        return gi_fail(GRAM_ERR_SHAPE, "a tile outside the upper triangle");
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < cols; s++) {
            double x = m->a[(row + r) * m->n + col + s];

            if (row == col && s < r)
                x = NAN; /* must not be read */
            if (m->blas == &gi_blas_double)
                ((double *)tile)[r * ld + s] = x;
            else
                ((float *)tile)[r * ld + s] = (float)x;
        }
    return GRAM_OK;
}

static inline gi_chol *factored(matrix *m, size_t edge, int threads)
{
    GI_RUN(run, NULL);
    gi_chol *c = NULL;

    run.threads = threads;
    CHECK_OK(gi_chol_new(&run, m->blas, m->n, edge, &c));
    CHECK_OK(gi_chol_factor(&run, c, fill, m));
    return c;
}

static inline double epsilon(const matrix *m)
{
    double unit = m->blas == &gi_blas_double ? DBL_EPSILON : FLT_EPSILON;

    return unit * (double)(m->n + 4);
}

/* All that is stored, in double; to be freed. */
static inline double *contents(const gi_chol *c)
{
    size_t n = gi_chol_size(c);
    double *out = malloc((n * n + 1) * sizeof *out);

    assert_non_null(out);
    gi_chol_copy(c, 0, n, 0, n, out, n);
    return out;
}

static inline int same_bits(const gi_chol *a, const gi_chol *b)
{
    size_t n = gi_chol_size(a);
    double *x = contents(a), *y = contents(b);
    int same = gi_chol_size(b) == n && memcmp(x, y, n * n * sizeof *x) == 0;

    free(x);
    free(y);
    return same;
}

#endif
