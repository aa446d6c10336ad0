/* columns.h - matrix products and triangular systems in which the bits of a
 * column of the result depend on that column alone.
 *
 * With BLAS they also depend on the number of columns, on whether the column is
 * at the edge of a block or inside one, and with some of its kernels on its lane
 * of a vector.  These are taken where the columns are rows to be predicted,
 * whose results must not depend on each other.  They are about as fast.
 */
#ifndef GI_COLUMNS_H
#define GI_COLUMNS_H

#include "base/mem.h"
#include "linalg/dense/blas.h"

/* Numbers of scratch that a thread needs for m columns. */
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
