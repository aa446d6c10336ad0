/* gemm.c - the product as a loop over tiles of C.
 *
 * Every tile of C is one call of single-threaded BLAS over the whole inner
 * dimension, made by whichever thread is free.  BLAS packs a tile's rows of A
 * and columns of B anew, so tiles want to be large; threads want many of
 * them.  The edge is a quarter of C's geometric mean edge within bounds: it
 * depends on the shape of C only, and so do the bits.
 */
#include "linalg/dense/gemm.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>

/* In multiples of what BLAS's inner kernels work on. */
enum {
    EDGE_UNIT = GI_GEMM_EDGE_UNIT,
    EDGE_MIN = GI_GEMM_EDGE_MIN,
    EDGE_MAX = GI_GEMM_EDGE_MAX,
    TILES_A_SIDE = 4
};

/* Inner steps of one call; longer sums are a chain of calls. */
enum { DEPTH = GI_GEMM_DEPTH };

typedef struct matrix {
    const char *data;
    int transposed;
    size_t ld;
} matrix;

/* Element (i,j) of op(M). */
static const void *at(const gi_blas *blas, const matrix *m, size_t i, size_t j)
{
    size_t place = m->transposed ? j * m->ld + i : i * m->ld + j;

    return m->data + place * blas->size;
}

static size_t tile_edge(size_t m, size_t n)
{
    double edge = sqrt((double)m * (double)n) / TILES_A_SIDE;
    size_t units = (size_t)fmin(edge, EDGE_MAX) / EDGE_UNIT;

    return units * EDGE_UNIT > EDGE_MIN ? units * EDGE_UNIT : EDGE_MIN;
}

static gram_status product(const gi_run *run, const gi_blas *blas, size_t m,
                           size_t n, size_t k, double alpha, matrix a, matrix b,
                           double beta, void *c, size_t ldc)
{
    size_t edge = tile_edge(m, n);
    size_t rows = (m + edge - 1) / edge, cols = (n + edge - 1) / edge;

    if (a.ld > GI_BLAS_MAX || b.ld > GI_BLAS_MAX || ldc > GI_BLAS_MAX)
        return gi_fail(GRAM_ERR_SHAPE,
                       "matrix product: a row of %zu elements, must be at "
                       "most %zu",
                       a.ld > b.ld ? a.ld : b.ld, GI_BLAS_MAX);
    gi_blas_start();
    GI_PARALLEL_TASKS(run->threads)
    for (size_t t = 0; t < rows * cols; t++) {
        size_t i = t / cols * edge, j = t % cols * edge;
        char *tile = (char *)c + (i * ldc + j) * blas->size;
        size_t p = 0;

        do {
            size_t depth = gi_min_size(k - p, DEPTH);

            blas->gemm(a.transposed, b.transposed, gi_min_size(edge, m - i),
                       gi_min_size(edge, n - j), depth, alpha,
                       at(blas, &a, i, p), a.ld, at(blas, &b, p, j), b.ld,
                       p == 0 ? beta : 1, tile, ldc);
            p += depth;
        } while (p < k);
    }
    return GRAM_OK;
}

gram_status gi_gemm_double(const gi_run *run, int ta, int tb, size_t m,
                           size_t n, size_t k, double alpha, const double *a,
                           size_t lda, const double *b, size_t ldb, double beta,
                           double *c, size_t ldc)
{
    return product(run, &gi_blas_double, m, n, k, alpha,
                   (matrix){(const char *)a, ta, lda},
                   (matrix){(const char *)b, tb, ldb}, beta, c, ldc);
}

gram_status gi_gemm_single(const gi_run *run, int ta, int tb, size_t m,
                           size_t n, size_t k, float alpha, const float *a,
                           size_t lda, const float *b, size_t ldb, float beta,
                           float *c, size_t ldc)
{
    return product(run, &gi_blas_single, m, n, k, alpha,
                   (matrix){(const char *)a, ta, lda},
                   (matrix){(const char *)b, tb, ldb}, beta, c, ldc);
}
