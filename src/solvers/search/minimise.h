/* minimise.h - the least value of a smooth function of a few variables within
 * bounds; the only door to NLopt.
 */
#ifndef GI_MINIMISE_H
#define GI_MINIMISE_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

typedef struct gi_objective {
    size_t variables;
    const double *lower, *upper;
    /* The value at x, and with `gradient` its derivatives, unless that is
     * NULL.  A value that is not finite means: not here.  Of the order of 1,
     * and so are steps in x: the first step of a search is the gradient. */
    gram_status (*at)(void *user, const double *x, double *value,
                      double *gradient);
    void *user;
    int smooth;         /* `at` has gradients */
    double tolerance;   /* stop when a step gains less */
    size_t evaluations; /* at most */
    const double *bar;  /* smooth: stop when this is out of reach; or NULL */
    /* smooth: variables^2 numbers, the inverse of the second derivatives as
     * far as they are known; the first is 0: not at all.  NULL: not kept. */
    double *curvature;
} gi_objective;

/* From x, which must be within bounds, to a minimum nearby: x and value become
 * those of the best point seen, which is the first one if nothing was better.
 * With gradients by BFGS (bfgs.c); for very many variables by L-BFGS (Nocedal
 * 1980; Luksan and Vlcek's code in NLopt); without, by subplex (Rowan 1990).
 * *converged is 0 if the evaluations were the limit.
 * Errors: those of `at`, MEMORY. */
gram_status gi_minimise(const gi_objective *f, double *x, double *value,
                        int *converged);

/* Curvature is kept of that many variables at most. */
enum { GI_DENSE_VARIABLES = 500 };

#endif
