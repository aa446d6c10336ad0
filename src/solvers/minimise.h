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
} gi_objective;

/* From x, which must be within bounds, to a minimum nearby: x and value become
 * those of the best point seen, which is the first one if nothing was better.
 * With gradients by L-BFGS (Nocedal 1980; Luksan and Vlcek's code in NLopt),
 * else by subplex (Rowan 1990).  *converged is 0 if the evaluations were the
 * limit, or a line search failed.
 * Errors: those of `at`, MEMORY. */
gram_status gi_minimise(const gi_objective *f, double *x, double *value,
                        int *converged);

#endif
