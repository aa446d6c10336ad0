/* laplace.h - classification by a Gaussian process, in Laplace's approximation.
 *
 * exp(-P) of the logistic loss is, up to a constant, the posterior of f under
 * the prior covariance C = K/(2 lambda) and a flat prior on b.  Replaced by a
 * Gaussian at its mode, with W = diag(w V'') and B = I + W^1/2 C W^1/2, it has
 * the evidence
 *
 *     L = -P - 1/2 log det B,   with b  - 1/2 log(q/2 pi),
 *     q = 1'(C + W^-1)^-1 1
 *
 * (Rasmussen and Williams, Gaussian Processes, algorithms 3.1, 3.2 and 5.1).
 */
#ifndef GI_LAPLACE_H
#define GI_LAPLACE_H

#include "solvers/solver.h"

/* L at p->lambda and the numbers that p->K was made with, dL/dlog lambda, and
 * grad[m] = dL/dtheta_m for K->thetas numbers (both NULL: not wanted).
 * *value is -inf, and that is no error, where the matrix cannot be factored,
 * and with an intercept where all rows are of one class.
 *
 * Cost:   a fit by newton, n^3/3 flops, and n^3 with the gradient.
 * Errors: RANGE (another loss than logistic), those of newton and of the
 *         operator, MEMORY, CANCELLED. */
gram_status gi_laplace_value(gi_run *run, const gi_problem *p, double *value,
                             double *dlog_lambda, double *grad);

/* The mean of 1/(1 + exp(-f)) for a Gaussian f: the probability of class 1
 * where f is only known so well.  On the same side of 1/2 as `mean` of 0. */
double gi_laplace_probability(double mean, double variance);

#endif
