/* grid.h - the kernels and lambdas that cross-validation tries.
 *
 * A number without candidates is tried at five values around its start, a
 * factor of sqrt(10) apart; lambda at ten.
 */
#ifndef GI_GRID_H
#define GI_GRID_H

#include "machines/fit.h"

/* Kernels that are tried, and lambdas of each. */
size_t gi_grid_tries(const gi_fit *f);
size_t gi_grid_lambda_count(const gi_fit *f);

/* Errors: RANGE (lambda = 0, a grid that is too large). */
gram_status gi_grid_check(const gi_fit *f);

/* f->theta of try k. */
void gi_grid_theta(const gi_fit *f, size_t k);

/* The lambdas of a kernel, `scale` being the mean of its diagonal: given,
 * candidates, or from 1e-5 to 1e2 times scale (losses other than squared: from
 * 1e-4). */
void gi_grid_lambdas(const gi_fit *f, double scale, double *out);

void gi_grid_descending(double *lambda, size_t count);

#endif
