/* refute.h - a search for points on which a would-be kernel fails.
 */
#ifndef GI_REFUTE_H
#define GI_REFUTE_H

#include "kernels/expression/kernel.h"

/* `count` rows of d numbers, and the smallest eigenvalue of their matrix. */
typedef struct gi_refutation {
    double *points; /* to be freed; NULL: none were found */
    size_t count, d;
    double eigenvalue;
} gi_refutation;

/* Look for points whose matrix of `node`, a part of k, has a negative
 * eigenvalue, with open numbers at their start, or 1.  The columns of the
 * points are those that k names, in order, or are called x1, x2, ... if it
 * names none.  `first`, if it has points, is tried before all others, with 0
 * in the columns that it does not have; it stays as it is.
 *
 * Cost:   milliseconds; the same points every time.
 * Errors: MEMORY. */
gram_status gi_refute(gi_run *run, const gram_kernel *k,
                      const gi_kernel_node *node, const gi_refutation *first,
                      gi_refutation *out);

#endif
