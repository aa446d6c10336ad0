/* quadratic.h - support vector machines as quadratic programs (smo.h).
 *
 * Losses hinge, epsilon_insensitive and one_class, C_i = w_i/(2 lambda):
 *
 *     hinge                minimise  1/2 a'K a - y'a
 *                          with      0 <= y_i a_i <= C_i
 *     epsilon_insensitive  minimise  1/2 a'K a - y'a + epsilon |a|
 *                          with      |a_i| <= C_i
 *     one_class            minimise  1/2 a'K a
 *                          with      0 <= a_i <= w_i,  1'a = nu sum w
 *
 * where |a| is the 1-norm, and 1'a = 0 with an intercept.  With nu (LIBSVM's nu-SVC and nu-SVR), hinge
 * has no linear term, C = 1 and y'a = nu sum w; r = half the distance of the
 * margins then gives a/r, which is the solution above at lambda = r/2.
 * epsilon_insensitive has |a| = nu C sum w instead of epsilon, which follows.
 *
 * one_class minimises 1/2 |f|^2 - nu rho sum w + sum w max(0, rho - f), which
 * fixes the scale of f as LIBSVM does: lambda is 1/2, b = -rho.
 */
#ifndef GI_QUADRATIC_H
#define GI_QUADRATIC_H

#include "solvers/svm/smo_cache.h"
#include "solvers/solver.h"

/* The violation that is let stand where p->tolerance is 0. */
#define GI_SVM_TOLERANCE 1e-3

/* Why p cannot be solved here; NULL: it can. */
const char *gi_svm_refuses(const gi_problem *p);

/* alpha, intercept, objective and gap (in double, from K b of the answer),
 * lambda, epsilon, steps, converged.  p->start is moved into the box; with nu
 * and one_class it is not used.  f, if not NULL: the values of f without b at
 * the rows, n of them; with p->start those of the start when it is called.
 *
 * Errors: RANGE (nu that cannot be reached), NUMERIC (margin 0), those of
 * gi_smo_solve. */
gram_status gi_svm_solve(gi_run *run, gi_smo_cache *cache, const gi_problem *p,
                         gi_solution *out, double *f);

/* Bytes that this takes beside the cache, for so many rows. */
size_t gi_svm_bytes(const gi_problem *p, size_t rows);

#endif
