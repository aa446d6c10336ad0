/* criterion.c - evidence and leave-one-out error at one point, with gradient.
 *
 * With A = K + lambda D and q = A^-1 1/sqrt(1'A^-1 1) (0 without intercept),
 *
 *     P = A^-1 - q q',   alpha = P y,   dP = -P dA P,
 *
 * so an intercept is a term of rank one wherever P is read.  One factor in
 * tiles gives log det A and alpha, and turns into A^-1 in its own place; the
 * engine asks for the seed G of the header tile by tile, and G is
 *
 *     evidence   left right' - (T/2) A^-1,   T the number of targets
 *     loo        left right' + B B',         B = P C^1/2
 *
 * with thin left and right.  P and G are never there as a whole; B is.
 * Sources: Rasmussen and Williams, Gaussian Processes, 5.4; Harville 1974
 * (restricted likelihood); Allen 1974 (leave-one-out residual alpha_i/P_ii).
 *
 * A target that is constant, or whose profiled amplitude is not positive since
 * it nearly is, says nothing and is left out.
 */
#include "solvers/path/criterion.h"
#include "solvers/system.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"

typedef struct criterion {
    gi_run *run;
    const gi_problem *p;
    double m;        /* rows less the intercept */
    gi_chol *factor; /* of A; then A^-1 */
    double logdet;   /* of A, and with an intercept plus log 1'A^-1 1 */
    double *y;       /* n x targets; with an intercept, less their means */
    double *alpha;   /* n x targets */
    double *q;
    double *bulk; /* diagonal of P; then of the part of G that is not thin */
    double *left, *right; /* n x thin; evidence has them the same */
    size_t thin;
    double counted; /* evidence: T */
    double *B;      /* loo: n x n */
} criterion;

static double total_weight(const gi_problem *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += 1 / gi_system_noise(p, i);
    return sum;
}

/* The weighted mean of a target with an intercept, 0 without one.  Exact if it
 * is constant. */
static double mean_of(const gi_problem *p, size_t t)
{
    const double total = total_weight(p), first = p->n ? p->y[t] : 0;
    double rest = 0;

    if (!p->intercept)
        return 0;
    for (size_t i = 0; i < p->n; i++)
        rest += (p->y[i * p->targets + t] - first) /
                (gi_system_noise(p, i) * total);
    return first + rest;
}

double gi_target_variance(const gi_problem *p, size_t target)
{
    const double total = total_weight(p), mean = mean_of(p, target);
    double sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        double rest = p->y[i * p->targets + target] - mean;

        sum += rest * rest / (gi_system_noise(p, i) * total);
    }
    return sum;
}

double gi_criteria_total(const gi_problem *p, unsigned want,
                         const gi_criteria *c)
{
    double sum = 0;

    for (size_t t = 0; t < p->targets; t++) {
        double variance = gi_target_variance(p, t);

        if (variance > 0 && want == GI_WANT_EVIDENCE)
            sum += c[t].evidence;
        else if (variance > 0)
            sum += (want == GI_WANT_LOO ? c[t].loo : c[t].gcv) / variance;
    }
    return sum;
}

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const gi_problem *p = ((const criterion *)user)->p;

    return gi_system_tile(p, fmax(p->jitter, 0), &gi_blas_double, row, rows,
                          col, cols, tile, ld);
}

/* The factor, alpha, q and log det A. */
static gram_status solve(criterion *c, gi_run *run)
{
    const gi_problem *p = c->p;
    const size_t n = p->n, width = p->targets + (p->intercept != 0);
    double *x = NULL, one = 0;
    gram_status status;

    GI_TRY(gi_operator_prepare(p->K, run, &gi_blas_double));
    GI_TRY(gi_chol_new(run, &gi_blas_double, n, 0, &c->factor));
    GI_TRY(gi_chol_factor(run, c->factor, fill, c));
    c->logdet = gi_chol_logdet(c->factor);
    GI_TRY(GI_NEW(run, x, n * width));
    for (size_t t = 0; t < p->targets; t++) {
        double mean = mean_of(p, t);

        for (size_t i = 0; i < n; i++)
            c->y[i * p->targets + t] = p->y[i * p->targets + t] - mean;
    }
    for (size_t i = 0; i < n; i++) {
        x[i * width + width - 1] = 1; /* stays with an intercept */
        memcpy(x + i * width, c->y + i * p->targets, p->targets * sizeof *x);
    }
    GI_TRY(gi_chol_solve(run, c->factor, width, x, width));
    for (size_t i = 0; p->intercept && i < n; i++)
        one += x[i * width + width - 1];
    for (size_t i = 0; p->intercept && i < n; i++)
        c->q[i] = x[i * width + width - 1] / sqrt(one);
    c->logdet += p->intercept ? log(one) : 0;
    for (size_t t = 0; t < p->targets; t++) {
        double along = 0; /* q'y */

        for (size_t i = 0; i < n; i++)
            along += c->q[i] * c->y[i * p->targets + t];
        for (size_t i = 0; i < n; i++)
            c->alpha[i * p->targets + t] = x[i * width + t] - c->q[i] * along;
    }
done:
    gi_free(x);
    return status;
}

/* A^-1 in place of the factor, and the diagonal of P. */
static gram_status invert(criterion *c, gi_run *run)
{
    gram_status status = gi_chol_invert(run, c->factor);

    if (status != GRAM_OK)
        return status;
    gi_chol_diagonal(c->factor, c->bulk);
    for (size_t i = 0; i < c->p->n; i++)
        c->bulk[i] -= c->q[i] * c->q[i];
    return GRAM_OK;
}

static double fit_of(const criterion *c, size_t t)
{
    const gi_problem *p = c->p;
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += c->y[i * p->targets + t] * c->alpha[i * p->targets + t];
    return sum;
}

/* ---------------------------------------------------------------- evidence */

/* The amplitude of a target with y'alpha = fit. */
static double amplitude_of(const criterion *c, double fit)
{
    switch (c->p->amplitude) {
    case GI_AMPLITUDE_ONE:
        return 1;
    case GI_AMPLITUDE_INVERSE:
        return 1 / c->p->lambda;
    default:
        return fit / c->m;
    }
}

/* *direct is what log lambda does to the value through s alone. */
static double evidence(criterion *c, double *direct)
{
    const gi_problem *p = c->p;
    double value = 0;

    for (size_t t = 0; t < p->targets; t++) {
        double fit = fit_of(c, t), s = amplitude_of(c, fit);
        int counts = s > 0 && gi_target_variance(p, t) > 0;

        for (size_t i = 0; i < p->n; i++)
            c->left[i * c->thin + t] =
                counts ? c->alpha[i * p->targets + t] / sqrt(2 * s) : 0;
        if (!counts)
            continue;
        c->counted++;
        value -= (c->m * log(2 * M_PI * s) + c->logdet + fit / s) / 2;
        if (p->amplitude == GI_AMPLITUDE_INVERSE)
            *direct += (c->m - fit / s) / 2;
    }
    for (size_t i = 0; i < p->n; i++)
        c->left[i * c->thin + p->targets] = c->q[i] * sqrt(c->counted / 2);
    return value;
}

static void seed_evidence(void *user, const gi_tile *t, double *G)
{
    const criterion *c = user;

    gi_chol_copy(c->factor, t->row, t->rows, t->col, t->cols, G, t->ld);
    gi_blas_double.gemm(
        0, 1, t->rows, t->cols, c->thin, 1, c->left + t->row * c->thin, c->thin,
        c->right + t->col * c->thin, c->thin, -c->counted / 2, G, t->ld);
}

/* The diagonal of -(T/2) A^-1. */
static void bulk_of_evidence(criterion *c)
{
    for (size_t i = 0; i < c->p->n; i++)
        c->bulk[i] = -c->counted / 2 * (c->bulk[i] + c->q[i] * c->q[i]);
}

/* --------------------------------------------------------------------- loo */

/* The value, and what its derivative needs: the weights C^1/2 of B's columns
 * and g/diag P in `left`. */
static double loo(criterion *c, double *root)
{
    const gi_problem *p = c->p;
    const double total = total_weight(p);
    double value = 0;

    memset(root, 0, p->n * sizeof *root);
    for (size_t t = 0; t < p->targets; t++) {
        double variance = gi_target_variance(p, t);
        double share = variance > 0 ? 1 / (total * variance) : 0;

        for (size_t i = 0; i < p->n; i++) {
            double r = c->alpha[i * p->targets + t] / c->bulk[i];
            double g = share * r / gi_system_noise(p, i); /* half of dL/dr */

            if (!(c->bulk[i] > 0))
                return INFINITY;
            value += g * r;
            root[i] += 2 * g * r / c->bulk[i];
            c->left[i * p->targets + t] = 2 * g / c->bulk[i];
        }
    }
    for (size_t i = 0; i < p->n; i++)
        root[i] = sqrt(root[i]);
    return value;
}

/* Row i of B from that of P, on the way u = P (g/diag P), which goes beside
 * alpha into `right`, and bulk = diag B B'. */
static void do_row(criterion *c, const double *root, size_t i)
{
    const size_t n = c->p->n, targets = c->p->targets;
    double *row = c->B + i * n, *u = c->right + i * c->thin + targets;
    double sum = 0;

    gi_chol_copy(c->factor, i, 1, 0, n, row, n);
    memcpy(u - targets, c->alpha + i * targets, targets * sizeof *u);
    memset(u, 0, targets * sizeof *u);
    for (size_t j = 0; j < n; j++) {
        double v = row[j] - c->q[i] * c->q[j];

        for (size_t t = 0; t < targets; t++)
            u[t] += v * c->left[j * targets + t];
        row[j] = v * root[j];
        sum += row[j] * row[j];
    }
    c->bulk[i] = sum;
}

/* B, and right = [alpha u], left = -[u alpha]/2. */
static gram_status begin_loo(criterion *c, const double *root)
{
    const size_t n = c->p->n, targets = c->p->targets;
    gram_status status;

    GI_TRY(GI_NEW(c->run, c->B, n * n));
    c->thin = 2 * targets;
    GI_TRY(GI_NEW(c->run, c->right, n * c->thin));
    GI_PARALLEL_FOR(c->run->threads)
    for (size_t i = 0; i < n; i++)
        do_row(c, root, i);
    gi_chol_free(c->factor);
    c->factor = NULL;
    GI_TRY(GI_GROW(c->run, c->left, n * c->thin));
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < targets; t++) {
            double *to = c->left + i * c->thin;
            const double *from = c->right + i * c->thin;

            to[t] = -from[targets + t] / 2;
            to[targets + t] = -from[t] / 2;
        }
done:
    return status;
}

static void seed_loo(void *user, const gi_tile *t, double *G)
{
    const criterion *c = user;
    const size_t n = c->p->n;

    gi_blas_double.gemm(0, 1, t->rows, t->cols, n, 1, c->B + t->row * n, n,
                        c->B + t->col * n, n, 0, G, t->ld);
    gi_blas_double.gemm(0, 1, t->rows, t->cols, c->thin, 1,
                        c->left + t->row * c->thin, c->thin,
                        c->right + t->col * c->thin, c->thin, 1, G, t->ld);
}

/* ---------------------------------------------------------------- together */

typedef void seeder(void *user, const gi_tile *tile, double *G);

/* lambda sum_i G_ii D_i, and the reverse pass. */
static gram_status differentiate(criterion *c, gi_run *run, seeder *seed,
                                 double *dlog_lambda, double *grad)
{
    const gi_problem *p = c->p;
    double sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        double G = c->bulk[i];

        for (size_t k = 0; k < c->thin; k++)
            G += c->left[i * c->thin + k] * c->right[i * c->thin + k];
        sum += G * gi_system_noise(p, i);
    }
    if (dlog_lambda)
        *dlog_lambda += p->lambda * sum;
    if (!grad)
        return GRAM_OK;
    return gi_operator_gradient(p->K, run, seed, c, grad);
}

static gram_status take_evidence(criterion *c, gi_run *run, double *value,
                                 double *dlog_lambda, double *grad)
{
    gi_run inverse = gi_run_share(run, 0, 0.8);
    gi_run reverse = gi_run_share(run, 0.8, 1);
    double direct = 0;
    gram_status status = GRAM_OK;

    c->thin = c->p->targets + 1;
    GI_TRY(GI_NEW(run, c->left, c->p->n * c->thin));
    *value = evidence(c, &direct);
    if (!dlog_lambda && !grad)
        goto done;
    GI_TRY(invert(c, &inverse));
    bulk_of_evidence(c);
    c->right = c->left;
    if (dlog_lambda)
        *dlog_lambda = direct;
    status = differentiate(c, &reverse, seed_evidence, dlog_lambda, grad);
done:
    return status;
}

static gram_status take_loo(criterion *c, gi_run *run, double *value,
                            double *dlog_lambda, double *grad)
{
    gi_run inverse = gi_run_share(run, 0, 0.4);
    gi_run reverse = gi_run_share(run, 0.4, 1);
    double *root = NULL;
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, c->left, c->p->n * c->p->targets));
    GI_TRY(GI_NEW(run, root, c->p->n));
    GI_TRY(invert(c, &inverse));
    *value = loo(c, root);
    if (!isfinite(*value) || (!dlog_lambda && !grad))
        goto done;
    GI_TRY(begin_loo(c, root));
    status = differentiate(c, &reverse, seed_loo, dlog_lambda, grad);
done:
    gi_free(root);
    return status;
}

gram_status gi_criterion_value(gi_run *run, const gi_problem *p, unsigned want,
                               double *value, double *dlog_lambda, double *grad)
{
    const int is_loo = want == GI_WANT_LOO;
    gi_run first = gi_run_share(run, 0, 0.3), rest = gi_run_share(run, 0.3, 1);
    criterion c = {.run = run, .p = p, .m = (double)p->n - (p->intercept != 0)};
    gram_status status;

    *value = is_loo ? INFINITY : -INFINITY;
    GI_TRY(gi_problem_check(p));
    if (dlog_lambda)
        *dlog_lambda = 0;
    if (grad)
        memset(grad, 0, p->K->thetas * sizeof *grad);
    GI_TRY(GI_NEW(run, c.y, p->n * p->targets));
    GI_TRY(GI_NEW(run, c.alpha, p->n * p->targets));
    GI_TRY(GI_NEW_ZERO(run, c.q, p->n));
    GI_TRY(GI_NEW(run, c.bulk, p->n));
    status = solve(&c, &first);
    if (status == GRAM_ERR_NUMERIC) {
        status = GRAM_OK;
        goto done;
    }
    if (status == GRAM_OK)
        status = (is_loo ? take_loo : take_evidence)(&c, &rest, value,
                                                     dlog_lambda, grad);
done:
    gi_chol_free(c.factor);
    gi_free(c.y);
    gi_free(c.alpha);
    gi_free(c.q);
    gi_free(c.bulk);
    if (c.right != c.left)
        gi_free(c.right);
    gi_free(c.left);
    gi_free(c.B);
    return status;
}
