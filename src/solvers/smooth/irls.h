/* irls.h - the linear equations of a Newton step for a smooth loss.
 *
 * With f = K alpha + b, g = w V' + 2 lambda alpha and
 * R = diag(w V''/(2 lambda)) the step (d, e) of (alpha, b) obeys
 *
 *     (I + R K) d + e R 1 = -g/(2 lambda),     1'(alpha + d) = 0
 *
 * (without intercept e = 0 and no second equation).  With r = R^1/2 and
 *
 *     B = I + r K r,   (I + R K)^-1 c = c - r B^-1 r K c
 *
 * B is positive definite with eigenvalues of at least 1, however small V'' is
 * (Rasmussen and Williams, Gaussian Processes, 3.4.3).  Rows with V'' = 0 have
 * a row of the identity in B and take no part in its factor.
 */
#ifndef GI_IRLS_H
#define GI_IRLS_H

#include "linalg/iterative/pivot.h"
#include "solvers/solver.h"

typedef struct gi_irls {
    const gi_problem *p;
    double *root; /* r, to be set by the caller before gi_irls_solve */

    /* what preconditions: a factor of some rows of B as it was, or B with K of
     * low rank */
    const gi_blas *blas; /* of the factor; NULL: low rank */
    gi_chol *factor;
    double *old;    /* r of the factor or core */
    size_t *row;    /* rows in it, ascending */
    size_t rows;    /* 0: there is none yet */
    gi_pivot *low;  /* K ~ F F' */
    double *V;      /* r F of the core */
    gi_chol *core;  /* of I + V'V */
    double *room;   /* n x 2 */
    size_t factors; /* made so far */

    /* Set for systems that follow each other closely and need few digits:
     * conjugate gradients begin without a factor, and go on with an old one
     * until they would cost more than a new one. */
    int frugal;
} gi_irls;

/* What p will be solved with, on so many of its rows: NULL if the factor does
 * not fit in memory. */
const gi_blas *gi_irls_choose(const gi_run *run, const gi_problem *p,
                              size_t rows, double mean_diagonal);
double gi_irls_bytes(const gi_run *run, const gi_problem *p, size_t rows,
                     const gi_blas *blas);
double gi_irls_factor_seconds(size_t rows, const gi_blas *blas);

gram_status gi_irls_new(gi_run *run, const gi_problem *p, const gi_blas *blas,
                        gi_irls *out);
void gi_irls_free(gi_irls *s); /* what is inside */

/* B X = C for m <= 2 columns, n x m, to a relative residual.  The factor of an
 * earlier call serves as long as that is cheaper than a new one. */
gram_status gi_irls_solve(gi_run *run, gi_irls *s, double tolerance, size_t m,
                          const double *c, double *x);

/* A factor of all of B in double, n x n, to keep. */
gram_status gi_irls_factor(gi_run *run, const gi_problem *p, const double *root,
                           gi_chol **out);

#endif
