/* eigen.c - symmetric eigenvalues by LAPACK's divide and conquer.
 *
 * dsyevd reduces to tridiagonal form and finishes with the root-free QR
 * method, or with divide and conquer (Cuppen 1981; Gu and Eisenstat 1995) if
 * vectors are wanted.  It may never end on a NaN, so entries are checked first.
 */
#include "linalg/dense/eigen.h"

#include <math.h>

#include "base/mem.h"
#include "linalg/dense/blas.h"

static gram_status check_entries(size_t n, const double *a, size_t lda)
{
    if (lda > GI_BLAS_MAX)
        return gi_fail(GRAM_ERR_SHAPE,
                       "eigenvalues: a row of %zu elements, must be at most "
                       "%zu",
                       lda, GI_BLAS_MAX);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            if (!isfinite(a[i * lda + j]))
                return gi_fail(GRAM_ERR_NUMERIC,
                               "eigenvalues: entry (%zu,%zu) is %g, must be "
                               "finite",
                               i, j, a[i * lda + j]);
    return GRAM_OK;
}

gram_status gi_eigen_symmetric(gi_run *run, size_t n, double *a, size_t lda,
                               int vectors, double *values)
{
    gram_status status = GRAM_OK;
    double best = 0, *work = NULL;
    int ibest = 0, *iwork = NULL;

    if (n == 0)
        return GRAM_OK;
    GI_TRY(check_entries(n, a, lda));
    gi_blas_start();
    (void)gi_blas_syevd(vectors, n, a, lda, values, &best, -1, &ibest, -1);
    if (best > (double)GI_BLAS_MAX || ibest < 1) {
        status = gi_fail(GRAM_ERR_SHAPE,
                         "eigenvalues: a matrix of %zu rows is too large", n);
        goto done;
    }
    GI_TRY(GI_NEW(run, work, (size_t)best));
    GI_TRY(GI_NEW(run, iwork, (size_t)ibest));
    if (gi_blas_syevd(vectors, n, a, lda, values, work, (int)best, iwork,
                      ibest) != 0)
        status =
            gi_fail(GRAM_ERR_NUMERIC,
                    "eigenvalues: no convergence for a matrix of %zu rows", n);
done:
    gi_free(iwork);
    gi_free(work);
    return status;
}
