/* newton.h - a problem with a smooth loss by Newton's method, at one lambda or
 * at several: each starts from the solution before, and factors serve as
 * preconditioners as long as that is cheaper than new ones.
 */
#ifndef GI_NEWTON_H
#define GI_NEWTON_H

#include "solvers/solver.h"

/* As gi_solver_solve does it: with keep_factor the solution has the factor of B
 * and r (irls.h). */
gram_status gi_newton_solve(gi_run *run, const gi_problem *p, gi_solution *out);

/* gi_solver.path.  With p->tolerance 0, f is exact to some 1e-3 of its norm,
 * enough for selection. */
gram_status gi_newton_path(gi_run *run, const gi_problem *p,
                           const double *lambda, size_t lambdas,
                           gi_solution_take take, void *user);

#endif
