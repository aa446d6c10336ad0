/* solver.h - the problem, its solution, and who solves it.
 *
 *     minimise  sum_i w_i V(y_i, f(x_i) + b) + lambda |f|^2
 *
 * f = sum_i alpha_i k(x_i, .); losses/loss.h has the dual.  With the squared
 * loss, V = (y - f)^2,
 *
 *     (K + lambda D) alpha + b 1 = y,   1'alpha = 0,   D = diag(1/w_i)
 *
 * (without an intercept b = 0 and no second equation).  As a Gaussian process:
 * covariance s K, noise variance s lambda D, a flat prior on b; s is the
 * amplitude.  Several targets share K, D and lambda.
 *
 * A solver is a row of solvers.def: it says what it can solve and at what
 * cost, solves, and has in its table all that others need to know of it: they
 * ask for a capability, never for a name.  `auto` takes the cheapest that fits
 * in memory; costs depend on the problem alone, never on a measurement.
 */
#ifndef GI_SOLVER_H
#define GI_SOLVER_H

#include "linalg/dense/chol.h"
#include "losses/loss.h"
#include "operators/operator.h"

typedef enum gi_amplitude {
    GI_AMPLITUDE_PROFILED, /* s = y'alpha/(n - intercept) */
    GI_AMPLITUDE_ONE,      /* s = 1 */
    GI_AMPLITUDE_INVERSE   /* s = 1/lambda: D are known noise variances */
} gi_amplitude;

typedef enum gi_factor_precision {
    GI_FACTOR_AUTO, /* single with refinement in double where it pays */
    GI_FACTOR_DOUBLE,
    GI_FACTOR_SINGLE
} gi_factor_precision;

typedef struct gi_problem {
    const gi_operator *K; /* symmetric, n x n; NULL: not made yet */
    size_t n, targets;
    const double *y;     /* n x targets, row-major */
    const double *noise; /* D, n positive numbers; NULL: ones */
    int intercept;
    double lambda; /* >= 0 */
    gi_amplitude amplitude;

    /* NULL: squared.  Else there is one target, but with a JOINT loss, where
     * targets are the classes and y has 1 for the class of a row, else 0. */
    const gi_loss *loss;
    const double *start; /* alpha to start from, n x targets; NULL: 0 */

    /* wishes; zero means the default */
    gi_factor_precision precision;
    double jitter;    /* added to the diagonal at once; < 0: never add any; 0:
                         only if the factorisation fails, and then reported */
    double tolerance; /* cg, gd, refinement: relative residual; 0: 1e-10 (gd
                         1e-8); newton: relative gradient; 0: 1e-6 */
    size_t steps;     /* cg, gd, newton: at most; 0: the solver's own limit */
    double step;      /* gd: s; 0: 1/(2 (lambda_max + lambda)) */
    const unsigned char *held; /* gd: rows that are not fitted but watched, to
                                  stop when their error grows; NULL: none */
    int keep_factor;           /* leave what variances need in the solution */
    gram_status (*trace)(void *user, size_t step, double loss, double held);
    void *trace_user; /* gd, cg, newton: after each step; loss is the objective
                         of the first target (cg: the relative residual) */
} gi_problem;

/* Whether p can be worked on: its operator is there and covers its n rows.
 * Errors: SHAPE. */
gram_status gi_problem_check(const gi_problem *p);

/* Is its loss (y - f)^2? */
int gi_problem_is_squared(const gi_problem *p);

typedef struct gi_solver gi_solver;

typedef struct gi_solution {
    const gi_solver *solver;
    double *alpha;     /* n x targets; NULL if only weights were found */
    double *intercept; /* targets, 0 without one */
    double *weights;  /* primal: features x targets, f(x) = phi(x).w; or NULL */
    double residual;  /* |(K + lambda D) alpha + b - y| / |y - b|, in double,
                         the largest of the targets; primal: of its normal
                         equations, relative to |Phi'D^-1 y| */
    double condition; /* estimate of that of the matrix factored, or NaN */
    double jitter;    /* added to the diagonal of K + lambda D, 0: none */
    size_t rank;      /* of K where it was found (lambda = 0; primal: of Phi
                         without its means), else n */
    size_t steps;     /* of cg, gd, newton or refinement */
    int converged;

    /* losses other than squared; NaN: unknown */
    double objective; /* P, in double */
    double gap;       /* P - D, recomputed in double from alpha */
    double gradient;  /* SMOOTH: |K (w V' + 2 lambda alpha)|, relative */
    double lambda;    /* found from nu, else that of the problem */
    double epsilon;   /* of epsilon_insensitive, found from nu, else given */
    const char *precision; /* "double", "single + refinement" */

    /* what variances need: a factor of K + lambda D + jitter (dual), of
     * Phi'D^-1 Phi + lambda (primal), or of B (newton, irls.h); or of nothing
     * (markov, and where keep_factor was not set) */
    gi_chol *factor;
    double *inverse_one; /* dual with intercept: (K + lambda D)^-1 1 */
    double *root;        /* newton: r of B = I + r K r, whose factor it is;
                            inverse_one is then r B^-1 r 1 */
    double *primal_mean; /* primal with intercept: weighted means of Phi that
                            were taken off before the factor was made */
} gi_solution;

void gi_solution_free(gi_solution *s); /* what is inside */

/* All that `precision` may be, NULL at the end. */
extern const char *const gi_solution_precisions[];

/* What solving will take. */
typedef struct gi_cost {
    int possible;
    double bytes;    /* at the peak, the operator's included */
    double seconds;  /* by fixed rates of a core times threads */
    const char *why; /* if not possible: what it needs, "lambda is 0" */
} gi_cost;

/* What a solver does, beside solving. */
enum {
    GI_SOLVER_EXACT = 1, /* answers to rounding, so that `auto` may take it */
    GI_SOLVER_HOLDS_OUT = 2, /* watches the rows of gi_problem.held */
    GI_SOLVER_FACTOR = 4,    /* with keep_factor it leaves a factor, and its
                                variances need it; without this flag variances
                                come from problem and solution alone */
    GI_SOLVER_SYSTEM = 8,    /* that factor is one of K + lambda D + jitter, in
                                either precision, with inverse_one */
    GI_SOLVER_SINGLE = 16,   /* reads a stored K in single precision */
    GI_SOLVER_TOLERANT = 32  /* the same, where lambda hides what K loses */
};

/* Takes the solution at lambda number l: alpha, intercept, steps, converged.
 * It is gone afterwards. */
typedef gram_status (*gi_solution_take)(void *user, size_t l,
                                        const gi_solution *s);

struct gi_many; /* many.h */

struct gi_solver {
    const char *name, *brief;
    unsigned flags;

    /* Of solving p on so many of its rows, p->n or fewer: a random subset, of
     * which p tells the rest. */
    gi_cost (*cost)(const gi_run *run, const gi_problem *p, size_t rows);

    /* Errors: NUMERIC, MEMORY, CANCELLED, those of the operator.  Ticks. */
    gram_status (*solve)(gi_run *run, const gi_problem *p, gi_solution *out);

    /* out[i] = variance of f + b at row i of T (rows: new points, columns: the
     * problem's), in units of s, without noise, never below 0; with
     * solution->factor where the solver has one.  NULL: another solver must
     * be asked, one with GI_SOLVER_SYSTEM if it fits. */
    gram_status (*variance)(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const gi_operator *T,
                            double *out);

    /* out[i*targets + t] = f + b at row i of T, better than from alpha or
     * weights, for all rows in one pass.  NULL: it is T alpha + b, or with
     * weights phi(x).w + b. */
    gram_status (*mean)(gi_run *run, const gi_problem *p, const gi_solution *s,
                        const gi_operator *T, double *out);

    /* The log evidence of every target (squared loss), NaN where it is not
     * known, given s of each.  NULL: it is never known. */
    gram_status (*evidence)(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const double *amplitude,
                            double *out);

    /* gi_solver_path, to the precision that selection needs.  NULL: one after
     * the other. */
    gram_status (*path)(gi_run *run, const gi_problem *p, const double *lambda,
                        size_t lambdas, gi_solution_take take, void *user);

    /* Many problems over one K stored in single precision, such as folds and
     * pairs of classes, all of them at once.  NULL: each is a problem of its
     * own. */
    gram_status (*many)(gi_run *run, const struct gi_many *m);
};

/* What the cost of a solver says that takes the squared loss only. */
extern const gi_cost gi_cost_squared_only;

/* The solvers in the order of solvers.def; NULL at the end. */
const gi_solver *gi_solver_at(size_t i);
/* By name.  Errors: NAME, with a suggestion. */
gram_status gi_solver_find(const char *name, const gi_solver **out);
/* The first that has all these flags, or NULL. */
const gi_solver *gi_solver_with(unsigned flags);

/* The cheapest in seconds among those that are possible within run->memory
 * and answer to rounding.  Errors: MEMORY, with what each would need. */
gram_status gi_solver_choose(const gi_run *run, const gi_problem *p,
                             const gi_solver **out);

/* Solve with `solver`, or with the one gi_solver_choose takes if NULL. */
gram_status gi_solver_solve(gi_run *run, const gi_solver *solver,
                            const gi_problem *p, gi_solution *out);

/* p at all of lambda, positive and best descending, instead of p->lambda, by
 * solver->path, or one after the other, each from the solution before.
 * Errors: those of gi_solver_solve, and of `take`. */
gram_status gi_solver_path(gi_run *run, const gi_solver *solver,
                           const gi_problem *p, const double *lambda,
                           size_t lambdas, gi_solution_take take, void *user);

/* s of each target: as p->amplitude says, from alpha; NaN where n is too
 * small.  With a loss other than squared it is 1/(2 lambda), the prior of which
 * exp(-P) is the posterior. */
void gi_problem_amplitudes(const gi_problem *p, const gi_solution *s,
                           double *out);

/* Fixed rates for the plan, of one core: flops in matrix products of each
 * precision, entries of a kernel matrix of `cost` flops each. */
double gi_rate_gemm(const gi_blas *blas);
double gi_rate_kernel(double cost);

#endif
