/* eigen.h - all eigenvalues of a dense symmetric matrix.
 */
#ifndef GI_EIGEN_H
#define GI_EIGEN_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* The eigenvalues of the symmetric n x n matrix in the upper triangle of a,
 * row-major, ascending, in `values`; with `vectors`, row j of a becomes the
 * unit eigenvector of values[j].  a is overwritten either way.  The values are
 * exact for a matrix within a small multiple of n u max|value| of a.
 *
 * Cost:   4/3 n^3 flops without vectors, about 9 n^3 with, on one thread.
 * Errors: SHAPE (n that BLAS cannot count), NUMERIC (an entry that is not
 *         finite, no convergence), MEMORY. */
gram_status gi_eigen_symmetric(gi_run *run, size_t n, double *a, size_t lda,
                               int vectors, double *values);

#endif
