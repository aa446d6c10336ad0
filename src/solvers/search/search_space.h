/* search_space.h - the numbers of a kernel as variables of a function to be
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
#ifndef GI_SEARCH_SPACE_H
#define GI_SEARCH_SPACE_H

#include "solvers/path/criterion.h"
#include "solvers/row_subset.h"

/* A face of the space: variables may be one there, as the lengths of all
 * columns are in an isotropic kernel, or be switched off, as amplitudes of
 * terms that are left out.  A kernel that is contained in another is a face of
 * the other's space (ladder.h). */
typedef struct gi_face {
    size_t *at; /* per variable of the space: its place in the face, or */
    size_t variables;
    double *lower, *upper;
    double scale; /* of lambda */
} gi_face;

#define GI_OFF SIZE_MAX          /* its number is 0 */
#define GI_UNSEEN (SIZE_MAX - 1) /* it does not matter there */

static inline int gi_face_has(const gi_face *f, size_t variable)
{
    return f->at[variable] < f->variables;
}

/* A point, or where a search from there has come to. */
typedef struct gi_spot {
    double *x;           /* variables of the space */
    const gi_face *face; /* where it is */
    double *curvature; /* on the face (minimise.h); NULL: too many variables */
    size_t choice;     /* of candidates, counted through all of them */
    double value;      /* what is minimised; inf: nothing can be said here */
    double criterion, lambda;
    int converged;
} gi_spot;

typedef struct gi_search_space {
    const gi_search *s;
    gi_row_subset rows; /* where the criterion is taken */
    gi_operator *K;     /* of those */
    int by_path;
    size_t *open; /* unknowns that are searched: the first variables */
    size_t opens;
    size_t variables;      /* opens, and log lambda if it is one */
    size_t choices;        /* combinations of candidates */
    double *lower, *upper; /* of the variables */
    double scale;          /* of lambda */
    double *theta, *grad;  /* of the program */
    double *full;          /* the gradient by the variables */
    double lambda;
    size_t evaluations;

    /* of the search that runs */
    gi_run *run;
    const gi_face *face;
    size_t steps;
    double best, best_criterion, best_lambda;
} gi_search_space;

/* Sort the unknowns; the rest of the space must be all zero. */
gram_status gi_search_space_new(gi_run *run, const gi_search *s,
                                gi_search_space *v);
void gi_search_space_free(gi_search_space *v); /* what is inside */

/* With v->rows set: how lambda is found, the variables, their bounds; `most`
 * is the number of rows in the end.
 * Errors: RANGE (too many candidates), those of the operator. */
gram_status gi_search_space_measure(gi_run *run, gi_search_space *v,
                                    size_t most);

/* Search from a spot, which moves on its face, with at most so many
 * evaluations, until steps gain less than the tolerance, in units of evidence
 * for all rows; or until it is clear that `bar` (NULL: none) is out of reach.
 * Where the matrix cannot be factored, as may happen when rows are added,
 * lambda is raised until it can. */
gram_status gi_search_space_climb(gi_run *run, gi_search_space *v, size_t steps,
                                  double tolerance, const double *bar,
                                  gi_spot *spot);

/* What lambda is measured by at theta: that at which noise is as large as
 * signal, as far as that is known before the search. */
gram_status gi_search_space_scale(gi_run *run, const gi_search_space *v,
                                  const double *theta, double *scale);

/* Is a variable of a spot at a bound: -1 the lower, 1 the upper, 0 none. */
int gi_spot_edge(const gi_search_space *v, const gi_spot *spot,
                 size_t variable);

/* What is minimised changes by this where evidence changes by 1. */
double gi_search_space_unit(const gi_search_space *v);

/* A spot at no place yet; one whose x is set put on a face, with no curvature
 * known; and one put where another is.  Curvature goes with it only if the face
 * is the same. */
gram_status gi_spot_new(gi_run *run, const gi_search_space *v, gi_spot *spot);
void gi_spot_free(gi_spot *spot); /* what is inside */
void gi_spot_put(gi_spot *spot, const gi_face *face);
void gi_spot_copy(const gi_search_space *v, const gi_spot *from,
                  const gi_face *face, gi_spot *to);

/* theta of a spot. */
void gi_search_space_theta(gi_search_space *v, const gi_spot *spot,
                           double *theta);

#endif
