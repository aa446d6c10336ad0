/* csr.h - sparse matrices by rows, and their products with dense blocks.
 */
#ifndef GI_CSR_H
#define GI_CSR_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* Row i has entries start[i] .. start[i+1]-1, ascending by index. */
typedef struct gi_csr {
    size_t rows, cols;
    size_t *start;
    unsigned *index;
    double *entries;
} gi_csr;

void gi_csr_free(gi_csr *a); /* what is inside */

/* Y = A X and Y = A'X, X and Y row-major with r columns and no gaps.  Rows
 * are cut into a fixed number of stripes, added in order, so that the bits do
 * not depend on threads.
 * Cost: 2 r entries flops.  Errors: MEMORY. */
gram_status gi_csr_times(gi_run *run, const gi_csr *a, const double *x,
                         size_t r, double *y);
gram_status gi_csr_times_transposed(gi_run *run, const gi_csr *a,
                                    const double *x, size_t r, double *y);

#endif
