/* smo_many.h - many small support vector machines over one stored K: pairs of
 * classes, folds, values of lambda.
 *
 * Each problem is one task of one thread, whose own lambdas are solved one
 * after the other, from the largest (the smallest C) on: the solution at one
 * lambda, or what it is scaled to the next box, starts the next, and the rows
 * of K that it gathered stay.  Results do not depend on the number of threads.
 */
#ifndef GI_SMO_MANY_H
#define GI_SMO_MANY_H

#include "solvers/solver.h"

/* Rows index[0] .. index[n-1] of K. */
typedef struct gi_smo_part {
    const size_t *index;
    size_t n;
    const double *y; /* per row of the part */
    /* The same, or NULL.  A row of infinite noise has no weight: f is known
     * there and does not depend on it.  A part that is most of K costs less as
     * the whole of it with such rows, since nothing is gathered then. */
    const double *noise;
} gi_smo_part;

typedef struct gi_smo_many {
    const float *K; /* symmetric */
    size_t ld;
    const gi_loss *loss;
    int intercept;
    double tolerance; /* 0: GI_SVM_TOLERANCE */
    const gi_smo_part *part;
    size_t parts;
    const double *lambda; /* positive, descending */
    size_t lambdas;

    /* Takes the solution of a part at a lambda, which is freed afterwards, and
     * f without b at its rows; from many threads, for one part in the order of
     * the lambdas. */
    gram_status (*take)(void *user, size_t part, size_t lambda,
                        const gi_solution *s, const double *f);
    void *user;
} gi_smo_many;

/* Memory: for each thread the rows of a part that are support vectors, at most
 * n^2 floats, within run->memory divided by threads.
 * Errors: RANGE (a lambda), those of gi_svm_solve and of `take`. */
gram_status gi_smo_many_solve(gi_run *run, const gi_smo_many *m);

#endif
