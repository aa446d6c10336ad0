/* bfgs.h - a smooth function of a few variables within bounds, minimised with
 * curvature that is kept from one call to the next.
 */
#ifndef GI_BFGS_H
#define GI_BFGS_H

#include "solvers/search/minimise.h"

/* As gi_minimise, with f->curvature, which must be there. */
gram_status gi_bfgs(const gi_objective *f, double *x, double *value,
                    int *converged);

#endif
