/* smooth.h - sums of a smooth loss over rows, for newton and gd.
 */
#ifndef GI_SMOOTH_H
#define GI_SMOOTH_H

#include "solvers/solver.h"

/* Is there one target and a loss with derivatives that fits it?  Else a
 * reason, for gi_cost. */
const char *gi_smooth_refuses(const gi_problem *p);

/* The b that makes sum_i w_i V(y_i, f_i + b) least, near `start`; with weights
 * w.  Where there is none, as with one class only, a b at which the sum hardly
 * changes any more. */
double gi_smooth_intercept(const gi_loss *loss, size_t n, const double *y,
                           const double *w, const double *f, double start);

/* |(K g, 1'g + more)| of column j of g and K g, n x width; without intercept
 * |K g|. */
double gi_smooth_norm(const gi_problem *p, const double *g, const double *Kg,
                      size_t j, size_t width, double more);

#endif
