/* gemm.h - matrix products on many threads, with bits that do not depend on
 * how many.
 */
#ifndef GI_GEMM_H
#define GI_GEMM_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"
#include "linalg/dense/blas.h"

/* C = alpha op(A) op(B) + beta C, all row-major; op(A) is m x k, op(B) k x n,
 * and op transposes if ta, tb.  With beta = 0, C may hold anything.
 *
 * Cost:   2 m n k flops.
 * Errors: SHAPE (a leading dimension that BLAS cannot count). */
gram_status gi_gemm_double(const gi_run *run, int ta, int tb, size_t m,
                           size_t n, size_t k, double alpha, const double *a,
                           size_t lda, const double *b, size_t ldb, double beta,
                           double *c, size_t ldc);
gram_status gi_gemm_single(const gi_run *run, int ta, int tb, size_t m,
                           size_t n, size_t k, float alpha, const float *a,
                           size_t lda, const float *b, size_t ldb, float beta,
                           float *c, size_t ldc);

#endif
