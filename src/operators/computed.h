/* computed.h - the inside of a matrix that is computed, for those that share
 * parts of it (basis.c).
 */
#ifndef GI_COMPUTED_H
#define GI_COMPUTED_H

#include "kernels/engine/block.h"
#include "kernels/features/features.h"
#include "operators/operator.h"

/* A block source, and the threads it was made for. */
typedef struct gi_block_source {
    gi_block *block;
    gi_points *x, *t; /* views of the points in single precision, or NULL */
    int threads;
    int moved; /* theta is another one since */
} gi_block_source;

typedef struct gi_computed {
    gi_operator op;
    const struct gi_computed *lender; /* with the same t, of which it has set
                                         up what is needed; or NULL */
    const gram_program *p;
    const double *theta;
    double *own_theta; /* the same, unless it is the lender's */
    const gi_points *x, *t;
    gi_points *own;            /* x, where it is this operator's to free */
    gi_block_source source[2]; /* by gi_precision */
    gi_features *map;
    gi_csr csr;   /* Phi(x) */
    gi_csr right; /* Phi(t), made by the first product */
    gi_markov markov;
    size_t expanded; /* bytes of sparse columns that are written out */

    /* of a lender: V, whose products are asked for again and again */
    const double *V;
    gi_vectors *vectors; /* the same, packed */
    double *sums;        /* Phi(t)'V, where Phi is sparse */
} gi_computed;

/* The operator of x and t; with a lender t is its, and what the lender has
 * ready is not made again. */
gram_status gi_computed_new(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, const gi_computed *lender,
                            gi_computed **out);

/* Make ready for products of that precision. */
gram_status gi_computed_prepare(gi_run *run, gi_computed *m,
                                gi_precision precision);

/* Flops of one entry, where rows are like those of x. */
double gi_computed_cost(const gram_program *p, const gi_points *x);

#endif
