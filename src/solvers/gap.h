/* gap.h - how good a solution is, for any loss: objective, duality gap,
 * gradient, in double, from alpha and the intercepts alone.
 *
 * With a_i = -2 lambda alpha_i/w_i and f the values with intercept, P - D of
 * losses/loss.h is a sum of terms that are not negative (Fenchel and Young),
 *
 *     P - D = sum_i w_i (V(y_i, f_i) + V*(y_i, a_i) - a_i f_i)
 *
 * if 1'alpha = 0; else it bounds what a better f can gain at this b.
 */
#ifndef GI_GAP_H
#define GI_GAP_H

#include "solvers/solver.h"

/* The loss of a problem; squared if it names none. */
gi_loss gi_problem_loss(const gi_problem *p);

/* Set objective, gap (NaN where the loss has no conjugate) and, for SMOOTH
 * losses, gradient: that of P by alpha and b, relative to its size at f = 0.
 * An alpha_i outside the domain of V* is moved to its edge for D, and that is
 * accounted for.  Losses that are JOINT have no gap here: all NaN.
 *
 * Cost: two products with K, one more for losses with kinks. */
gram_status gi_gap_measure(gi_run *run, const gi_problem *p, gi_solution *out);

#endif
