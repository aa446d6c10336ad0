/* space.h - the numbers of a kernel as variables of a function to be
 * minimised; between search.c and the criteria.
 *
 * There are two ways to know how good numbers are.  A path (path.h) finds the
 * best lambda by itself but has no gradient: it serves grids, GCV, and kernels
 * with O(n) or primal structure.  Otherwise there is the criterion with its
 * gradient, and lambda is one more variable.  What is minimised is
 *
 *     -evidence/(n targets)   or   log(loo)/2, log(gcv)/2,
 *
 * per row and without units, so that one tolerance, and first steps as long as
 * the gradient, suit all.  (Not divided by n, evidence throws its searches out
 * of the valley they begin in.)
 */
#ifndef GI_SPACE_H
#define GI_SPACE_H

#include "solvers/criterion.h"
#include "solvers/sample.h"

/* A point, or where a search from there has come to. */
typedef struct gi_spot {
    double *x;     /* variables */
    size_t choice; /* of candidates, counted through all of them */
    double value;  /* what is minimised; inf: nothing can be said here */
    double criterion, lambda;
    int converged;
} gi_spot;

typedef struct gi_space {
    const gi_search *s;
    gi_sample rows; /* where the criterion is taken */
    int by_path;
    size_t *open; /* unknowns that are searched: the first variables */
    size_t opens;
    size_t variables;      /* opens, and log lambda if it is one */
    size_t choices;        /* combinations of candidates */
    double *lower, *upper; /* of the variables */
    double scale;          /* of lambda */
    double *theta, *grad;  /* of the program */
    double lambda;
    size_t evaluations;

    /* of the search that runs */
    gi_run *run;
    size_t steps;
    double best, best_criterion, best_lambda;
} gi_space;

/* Sort the unknowns; the rest of the space must be all zero. */
gram_status gi_space_new(gi_run *run, const gi_search *s, gi_space *v);
void gi_space_free(gi_space *v); /* what is inside */

/* With v->rows set: how lambda is found, the variables, their bounds; `most`
 * is the number of rows in the end.
 * Errors: RANGE (too many candidates), those of the operator. */
gram_status gi_space_measure(gi_run *run, gi_space *v, size_t most);

/* Search from a spot, which moves, with at most so many evaluations, until a
 * step gains less than the tolerance.  Where the matrix cannot be factored, as
 * may happen when rows are added, lambda is raised until it can. */
gram_status gi_space_climb(gi_run *run, gi_space *v, size_t steps,
                           double tolerance, gi_spot *spot);

/* theta of a spot. */
void gi_space_theta(gi_space *v, const gi_spot *spot, double *theta);

#endif
