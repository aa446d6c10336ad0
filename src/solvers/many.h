/* many.h - many problems over one stored K, as a solver takes them all at once
 * (gi_solver.many): pairs of classes, folds, values of lambda.
 */
#ifndef GI_MANY_H
#define GI_MANY_H

#include "solvers/solver.h"

/* Rows index[0] .. index[n-1] of K. */
typedef struct gi_many_part {
    const size_t *index;
    size_t n;
    const double *y; /* per row of the part */
    /* The same, or NULL.  A row of infinite noise has no weight: f is known
     * there and does not depend on it.  A part that is most of K costs less as
     * the whole of it with such rows, since nothing is gathered then. */
    const double *noise;
} gi_many_part;

typedef struct gi_many {
    const gi_operator *K; /* stored in single precision */
    const gi_loss *loss;
    int intercept;
    double tolerance; /* 0: its own */
    const gi_many_part *part;
    size_t parts;
    const double *lambda; /* positive, descending */
    size_t lambdas;

    /* Takes the solution of a part at a lambda, which is freed afterwards, and
     * f without b at its rows; from many threads, for one part in the order of
     * the lambdas. */
    gram_status (*take)(void *user, size_t part, size_t lambda,
                        const gi_solution *s, const double *f);
    void *user;
} gi_many;

#endif
