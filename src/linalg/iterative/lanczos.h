/* lanczos.h - the extreme eigenvalues of a large symmetric operator that is
 * known only by its products with vectors.
 */
#ifndef GI_LANCZOS_H
#define GI_LANCZOS_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* out = A v, with the same bits for any number of threads. */
typedef gram_status (*gi_lanczos_apply)(void *user, const double *v,
                                        double *out);

/* Extreme Ritz values: min is never below the smallest eigenvalue and max
 * never above the largest, up to rounding.  Each has an eigenvalue within its
 * error, |A y - theta y| of the unit Ritz vector y. */
typedef struct gi_lanczos {
    double min, max;
    double min_error, max_error;
    size_t steps;
} gi_lanczos;

/* At most `steps` products with A, n x n, from a random vector of run->seed;
 * ends before when both errors are at most
 *     max(n u max|theta|, tolerance |theta|).
 * Ticks from 0 to 1.
 *
 * Cost:   a product, 8 n j flops and a j x j eigenproblem in step j; memory:
 *         n steps numbers.
 * Errors: what apply returns, RANGE (n = 0), NUMERIC (a product that is not
 *         finite), MEMORY, CANCELLED. */
gram_status gi_lanczos_extremes(gi_run *run, size_t n, gi_lanczos_apply apply,
                                void *user, size_t steps, double tolerance,
                                gi_lanczos *out);

#endif
