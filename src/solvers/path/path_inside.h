/* path_inside.h - what the kinds of paths share.
 */
#ifndef GI_PATH_INSIDE_H
#define GI_PATH_INSIDE_H

#include "solvers/path.h"

/* What the criteria of one target at one lambda are made of. */
typedef struct gi_path_sums {
    double lambda;
    double logdet;    /* log det(K + lambda D), with an intercept plus
                         log 1'(K + lambda D)^-1 1 */
    double quadratic; /* y'P y */
    double square;    /* sum_i alpha_i^2 D_i */
    double trace;     /* tr D P */
    double loo;       /* sum_i w_i (alpha_i/P_ii)^2 */
    double weight;    /* sum_i w_i */
} gi_path_sums;

gi_criteria gi_path_criteria(const gi_problem *p, unsigned want,
                             const gi_path_sums *s);

/* The criteria of a lambda at which there are none. */
gi_criteria gi_path_nothing(double lambda);

/* What each would take on so many of the rows; possible = 0 if the problem has
 * not the structure. */
gi_cost gi_path_band_cost(const gi_run *run, const gi_problem *p, size_t rows,
                          const gi_blas *blas, unsigned want, size_t count);
gi_cost gi_path_band_folds_cost(const gi_run *run, const gi_problem *p,
                                size_t rows, const gi_blas *blas, size_t folds,
                                size_t count);
gi_cost gi_path_refits_cost(const gi_run *run, const gi_problem *p, size_t rows,
                            const gi_blas *blas, size_t folds, size_t count);
gi_cost gi_path_primal_cost(const gi_run *run, const gi_problem *p, size_t rows,
                            unsigned want, size_t count);

#endif
