/* interpolate.h - lambda = 0 and a singular K.
 *
 * f minimises sum_i w_i (y_i - f(x_i) - b)^2, and among all that do it has the
 * smallest norm: the limit of lambda -> 0.
 */
#ifndef GI_INTERPOLATE_H
#define GI_INTERPOLATE_H

#include "solvers/system.h"

/* alpha (zero but for the pivots), intercepts, rank. */
gram_status gi_interpolate_solve(gi_run *run, const gi_system *s,
                                 gi_solution *out);

/* As gi_solver.variance.  Works from K again, since a factor of lower rank is
 * not what a solution keeps. */
gram_status gi_interpolate_variance(gi_run *run, const gi_problem *p,
                                    const gi_operator *T, double *out);

#endif
