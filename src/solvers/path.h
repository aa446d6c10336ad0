/* path.h - criteria as functions of lambda, for a problem whose lambda is
 * still open: leave-one-out error, generalised cross-validation, evidence,
 * degrees of freedom.
 *
 * There are three ways to have them for all lambda at about the price of one:
 * reduce K to a band (path_band.c), or Phi'Phi to its eigenvalues
 * (path_primal.c), or O(n) each time (path_markov.c).  With P the inverse of
 * K + lambda D, projected past the intercept:
 *
 *     loo       sum_i w_i (alpha_i/P_ii)^2 / sum_i w_i
 *     gcv       n^2 sum_i alpha_i^2/w_i / (sum_i w_i (tr D P)^2), in the units
 *               of loo; without weights n |alpha|^2/(tr P)^2
 *     evidence  log of the (restricted, with intercept) marginal likelihood of
 *               y as given, its amplitude as p->amplitude says
 *     df        tr K P, plus 1 with an intercept: n - lambda tr D P, the trace
 *               of the matrix that takes y to the fitted values
 */
#ifndef GI_PATH_H
#define GI_PATH_H

#include "solvers/solver.h"

/* At one lambda, for one target. */
typedef struct gi_criteria {
    double lambda;
    double loo, gcv, evidence, df, amplitude; /* NaN if not asked for */
    double edge; /* -1, 1: gi_path_best found the lower, upper end of its
                    range; else 0 */
} gi_criteria;

enum { GI_WANT_LOO = 1, GI_WANT_GCV = 2, GI_WANT_EVIDENCE = 4, GI_WANT_DF = 8 };

typedef struct gi_path gi_path;
struct gi_path {
    const gi_problem *p;
    size_t n, targets;
    void *user;
    double scale; /* mean of the diagonal of D^-1/2 K D^-1/2: lambdas are
                     sought around it */
    /* out[i*targets + t] at lambda[i] > 0.  A lambda at which the matrix is
     * not positive definite has NaN in all fields; that is no error. */
    gram_status (*at)(gi_path *path, gi_run *run, const double *lambda,
                      size_t count, unsigned want, gi_criteria *out);
    /* loo[i*targets + t] = y_i - f_without_i(x_i) at lambda; NaN where it is
     * not defined, and that is no error */
    gram_status (*residuals)(gi_path *path, gi_run *run, double lambda,
                             double *loo);
    /* residuals of leaving out whole folds, fold[i] in 0 .. folds-1; NULL if
     * the structure has no such thing */
    gram_status (*folds)(gi_path *path, gi_run *run, double lambda,
                         const int *fold, size_t folds, double *out);
    void (*free)(gi_path *path); /* all of it, `path` included */
};

/* The path of a problem (its lambda is ignored), by the structure it has:
 * Markov, primal where features are fewer than rows, else band in that
 * precision (NULL: double).  `want`: what will be asked for (LOO needs Q).
 * Keeps p and what it points to. */
gram_status gi_path_new(gi_run *run, const gi_problem *p, const gi_blas *blas,
                        unsigned want, gi_path **out);
void gi_path_free(gi_path *path);

/* Cost of gi_path_new and of `count` lambdas on so many of the rows. */
gi_cost gi_path_cost(const gi_run *run, const gi_problem *p, size_t rows,
                     const gi_blas *blas, unsigned want, size_t count);

/* Residuals of leaving out whole folds, fold[i] in 0 .. folds-1, at many
 * lambdas: out[(j*n + i)*targets + t] at lambda[j] > 0; NaN where they are not
 * defined, and that is no error.  By the path of all rows, or by one of each
 * fold's other rows, whichever costs less.  Ticks.
 * Errors: those of gi_path_new. */
gram_status gi_path_folds(gi_run *run, const gi_problem *p, const gi_blas *blas,
                          const int *fold, size_t folds, const double *lambda,
                          size_t count, double *out);

/* Its cost on so many of the rows, with folds of about equal size. */
gi_cost gi_path_folds_cost(const gi_run *run, const gi_problem *p, size_t rows,
                           const gi_blas *blas, size_t folds, size_t count);

/* The three ways; NULL in *out if the problem has not the structure. */
gram_status gi_path_band(gi_run *run, const gi_problem *p, const gi_blas *blas,
                         unsigned want, gi_path **out);
gram_status gi_path_primal(gi_run *run, const gi_problem *p, gi_path **out);
gram_status gi_path_markov(gi_run *run, const gi_problem *p, gi_path **out);

/* The evidences of the targets at p->lambda by one of these ways; NaN where
 * lambda is 0 or the problem has not the structure. */
gram_status gi_path_evidence(gi_run *run, const gi_problem *p,
                             gram_status (*way)(gi_run *run,
                                                const gi_problem *p,
                                                gi_path **out),
                             double *out);

/* gi_path_folds by a band for each fold; K must have parts. */
gram_status gi_path_refits(gi_run *run, const gi_problem *p,
                           const gi_blas *blas, const int *fold, size_t folds,
                           const double *lambda, size_t count, double *out);

/* The lambda that is best for a criterion (one of GI_WANT_...): among
 * `candidates`, or, if NULL, over 13 decades around path->scale, then refined
 * to 3 digits.  Shared by all targets (each counted relative to the variance
 * of its y; evidences are added: gi_criteria_total), or for each target its own
 * if `each`.  best has `targets` entries, with that criterion at it.  Ticks.
 * Errors: NUMERIC (it is defined at none of the lambdas). */
gram_status gi_path_best(gi_run *run, gi_path *path, unsigned criterion,
                         const double *candidates, size_t count, int each,
                         gi_criteria *best);

#endif
