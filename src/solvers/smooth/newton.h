/* newton.h - one problem with a smooth loss at several lambdas, by Newton's
 * method: each starts from the solution before, and factors serve as
 * preconditioners as long as that is cheaper than new ones.
 */
#ifndef GI_NEWTON_H
#define GI_NEWTON_H

#include "solvers/solver.h"

/* Takes the solution at lambda number l: alpha, intercept, steps, converged. It
 * is gone afterwards. */
typedef gram_status (*gi_newton_take)(void *user, size_t l,
                                      const gi_solution *s);

/* p at all of lambda, positive and best descending, instead of p->lambda.  With
 * p->tolerance 0, f is exact to some 1e-3 of its norm, enough for selection.
 * Errors: those of the solver newton, and of `take`. */
gram_status gi_newton_path(gi_run *run, const gi_problem *p,
                           const double *lambda, size_t lambdas,
                           gi_newton_take take, void *user);

#endif
