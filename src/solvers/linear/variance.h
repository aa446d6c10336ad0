/* variance.h - variances from a factor that a solver left behind.
 */
#ifndef GI_VARIANCE_H
#define GI_VARIANCE_H

#include "solvers/solver.h"

/* gi_solver.variance with solution->factor of K + lambda D, or with root of
 * B = I + root K root: the same with root K root + I for K + lambda D. */
gram_status gi_variance_by_factor(gi_run *run, const gi_problem *p,
                                  const gi_solution *s, const gi_operator *T,
                                  double *out);

#endif
