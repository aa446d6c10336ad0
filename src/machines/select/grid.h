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

/* The lambdas of a kernel, descending, `scale` being the mean of its diagonal:
 * given, candidates, or from 1e-5 to 1e2 times scale (losses other than
 * squared: from 1e-4). */
void gi_grid_lambdas(const gi_fit *f, double scale, double *out);

/* Errors of the kernel at f->theta and its lambdas, as options->known has them:
 * 1 if it has all.  And tell options->found. */
int gi_grid_known(const gi_fit *f, const char *kernel, const double *lambda,
                  size_t count, double *error);
void gi_grid_found(const gi_fit *f, const char *kernel, const double *lambda,
                   size_t count, const double *error);

/* The text of the kernel at f->theta, if anyone wants to know of cells, else
 * nothing. */
gram_status gi_grid_kernel(const gi_fit *f, gi_buf *text);

#endif
