/* normal.h - the normal equations of a kernel with explicit features.
 *
 *     C = Phi_c'W Phi_c,   c = Phi_c'W (y - mean),   W = D^-1
 *
 * Phi_c is Phi with its means, weighted by W, taken off; without an intercept
 * it is Phi, and the means are 0.
 */
#ifndef GI_NORMAL_H
#define GI_NORMAL_H

#include "base/limits.h"
#include "solvers/solver.h"

typedef struct gi_normal {
    size_t N;       /* features */
    double weight;  /* sum of W */
    double *mean_y; /* targets */
    double *mean;   /* of phi */
    double *C;      /* N x N, upper triangle */
    double *c;      /* N x targets */
} gi_normal;

/* Cost: n N^2 flops, or half the sum of the squares of the rows' numbers of
 * entries if Phi is sparse.  Memory: N^2 numbers, and GI_NORMAL_ROWS rows of
 * Phi.  Ticks. */
gram_status gi_normal_new(gi_run *run, const gi_problem *p, gi_normal *out);
void gi_normal_free(gi_normal *q); /* what is inside */

/* Seconds for so many of the rows, by the fixed rates. */
double gi_normal_seconds(const gi_run *run, const gi_problem *p, size_t rows);

#endif
