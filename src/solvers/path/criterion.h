/* criterion.h - evidence and leave-one-out error as functions of the kernel's
 * numbers and lambda, with gradients, and their optimum.
 *
 * With P = (K + lambda D)^-1, projected past the intercept, and alpha = P y,
 * the criterion L changes by dL = sum_ij G_ij dA_ij, where
 *
 *     evidence   G = (alpha alpha'/s - P)/2               (per target)
 *     loo        G = -(u alpha' + alpha u')/2 + P C P,
 *                u = P (g/diag P), C = diag(g alpha/diag(P)^2), g = dL/dr
 *
 * and dA goes to the kernel's numbers by the reverse pass of the engine
 * (operator.h).
 */
#ifndef GI_CRITERION_H
#define GI_CRITERION_H

#include "solvers/path.h"
#include "kernels/program/unknowns.h"

/* At p->lambda and the numbers that p->K was made with: value (evidences of
 * all targets added; loo relative to the variances of the targets, added),
 * d value/d log lambda, and grad[m] = d value/d theta_m for K->thetas numbers
 * (both NULL: not wanted).  *value is -inf (loo: +inf), and that is no error,
 * if K + lambda D cannot be factored.  `want` is GI_WANT_EVIDENCE or
 * GI_WANT_LOO.
 *
 * Cost:   n^3/3 flops, n^3 with the gradient; loo n^3 and 2 n^3.  Memory: half
 *         an n x n matrix of doubles, for the gradient of loo a whole one more.
 * Errors: those of the operator, MEMORY, CANCELLED. */
gram_status gi_criterion_value(gi_run *run, const gi_problem *p, unsigned want,
                               double *value, double *dlog_lambda,
                               double *grad);

/* The weighted variance of a target, about 0 without an intercept, and one
 * criterion for all targets from that of each: evidences added, errors
 * relative to variances added.  Targets of variance 0 say nothing. */
double gi_target_variance(const gi_problem *p, size_t target);
double gi_criteria_total(const gi_problem *p, unsigned want,
                         const gi_criteria *c);

/* The search for the best numbers of a kernel. */
typedef struct gi_search {
    const gram_program *program;
    gi_operator *K;      /* of the program, on all rows; it is moved about */
    gi_problem problem;  /* without K and lambda; its loss is squared, or
                            logistic: evidence by Laplace (laplace.h), where an
                            amplitude of all of K is to be held */
    unsigned criterion;  /* GI_WANT_EVIDENCE, GI_WANT_LOO or GI_WANT_GCV */
    gi_unknown *unknown; /* from gi_unknowns_new */
    size_t unknowns;
    int hold;              /* slot held at 1 (overall amplitude), or -1 */
    double lambda;         /* NaN: to be found as well */
    const double *lambdas; /* the only ones allowed, or NULL */
    size_t lambda_count;
    size_t subset;      /* rows for the first searches; 0: 500 */
    size_t most;        /* rows for the final one; 0: all */
    size_t evaluations; /* at most, of the final one; 0: 300 */
} gi_search;

typedef struct gi_found {
    double lambda, value;
    size_t evaluations, rows; /* rows: of the final search */
    int converged;
    int lambda_edge; /* -1, 1: lambda is at its lower, upper bound */
    int edge;        /* an unknown that has come to a bound, or -1; amplitudes
                        and lengths of single columns, which may be of no use,
                        are not meant */
    double seconds;
} gi_found;

/* Find the numbers: theta (program->thetas, those that are not open as the
 * program has them) and lambda.  Numbers with candidates take only those; the
 * rest is searched within bounds by BFGS, from several starts and from the
 * optima of the kernels that this one contains (ladder.h) on a sample of the
 * rows, then from the best of them on all: a kernel is not worse than those it
 * contains.  The amplitude of a term that is of no use may be 0.  Where a path
 * is cheaper (Markov, few features) or needed (GCV) it finds lambda, and the
 * search has no gradients.
 *
 * Errors: NUMERIC (no value anywhere), RANGE (more than a million combinations
 *         of candidates), those of the criteria, MEMORY, CANCELLED. */
gram_status gi_search_run(gi_run *run, const gi_search *s, double *theta,
                          gi_found *found);

#endif
