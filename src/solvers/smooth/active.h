/* active.h - equations on some rows A of a kernel matrix.
 */
#ifndef GI_ACTIVE_H
#define GI_ACTIVE_H

#include "operators/operator.h"

/* The rows, and room that is kept from call to call; all zero at the start,
 * but for what the caller sets. */
typedef struct gi_active {
    size_t *row; /* count of them, the caller's */
    size_t count;
    double *shift; /* count, > 0, the caller's */
    double *block; /* K_AA, upper triangle by rows */
    size_t room;   /* of the block */
    double *lines; /* whole rows of K, on their way */
} gi_active;

/* Z = (K_AA + diag(shift))^-1 Z, Z count x m.
 * Cost:   count^3/3 flops, count rows of K, count^2 numbers.
 * Errors: NUMERIC (not positive definite), MEMORY, CANCELLED, those of K. */
gram_status gi_active_solve(gi_run *run, const gi_operator *K, gi_active *a,
                            size_t m, double *z);

/* Bytes it takes for `count` of n rows. */
double gi_active_bytes(size_t n, size_t count);

void gi_active_free(gi_active *a); /* what is inside and not the caller's */

#endif
