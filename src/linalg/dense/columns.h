/* columns.h - matrix products and triangular systems whose columns do not know
 * each other.
 *
 * BLAS gives a column other bits at the edge of a block than inside one, and
 * for other numbers of columns; some of its kernels even in other lanes of a
 * vector.  Where the columns are rows that somebody asks for, each for itself,
 * these are taken instead: what comes of a column depends on that column alone.
 * They are about as fast.
 */
#ifndef GI_COLUMNS_H
#define GI_COLUMNS_H

#include "base/mem.h"
#include "linalg/dense/blas.h"

/* Numbers that a thread needs as room for m columns. */
size_t gi_columns_scratch(size_t m);

/* C += alpha op(A) B with op(A) n x k, B k x m and C n x m, all row-major. */
void gi_columns_add(const gi_blas *blas, int ta, size_t n, size_t m, size_t k,
                    double alpha, const void *a, size_t lda, const void *b,
                    size_t ldb, void *c, size_t ldc, void *scratch);

/* B = op(U)^-1 B, U upper n x n, B n x m; op transposes if tu. */
void gi_columns_divide(const gi_blas *blas, int tu, size_t n, size_t m,
                       const void *u, size_t ldu, void *b, size_t ldb,
                       void *scratch);

/* C = alpha op(A) B + beta C in double, on all threads. */
gram_status gi_columns_gemm(gi_run *run, int ta, size_t n, size_t m, size_t k,
                            double alpha, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c,
                            size_t ldc);

#endif
