/* laplace.c - evidence of the logistic loss, with gradient.
 *
 * All is in the terms of newton: r = (W/(2 lambda))^1/2, B = I + r K r,
 * z = r B^-1 r 1.  The mode moves with C, so that dL = sum_ij G_ij dK_ij has an
 * explicit part and one through W (third derivatives of V),
 *
 *     G = lambda alpha alpha' - (r B^-1 r - z z'/1'z - u alpha' - alpha u')/2
 *     u = h - z 1'h/1'z - P K h,   P = r B^-1 r - z z'/1'z
 *     h_i = 1/2 tanh(f_i/2) (1 - (B^-1)_ii + r_i^2 (1 - (K z)_i)^2/1'z)
 *
 * where the bracket is W_i times the posterior variance of f_i; without
 * intercept z is 0.  L depends on lambda through K/(2 lambda) alone, hence
 * dL/dlog lambda = -tr(G K).
 */
#include "solvers/smooth/laplace.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/gap.h"
#include "solvers/smooth/newton.h"
#include "solvers/system.h"

enum { THIN = 3 };

typedef struct laplace {
    gi_run *run;
    const gi_problem *p;
    gi_solution mode; /* its factor becomes B^-1 */
    double *pair;     /* n x 2: alpha, z; and their products with K */
    double *Kpair;
    double *h, *Kh;
    double *u;
    double *left, *right; /* n x THIN */
    double *diagonal;     /* of B^-1 */
    double total;         /* 1'z, without intercept 1 */
} laplace;

static int has_both_classes(const gi_problem *p)
{
    for (size_t i = 1; i < p->n; i++)
        if (p->y[i] != p->y[0])
            return 1;
    return 0;
}

/* --------------------------------------------------------------------- mode */

static gram_status find_mode(laplace *t, gi_run *run)
{
    gi_problem p = *t->p;
    const size_t n = p.n;
    gram_status status;

    p.keep_factor = 1;
    p.precision = GI_FACTOR_DOUBLE;
    p.tolerance = 1e-10;
    p.trace = NULL;
    GI_TRY(gi_newton_solve(run, &p, &t->mode));
    GI_TRY(GI_NEW(run, t->pair, 2 * n));
    GI_TRY(GI_NEW(run, t->Kpair, 2 * n));
    t->total = p.intercept ? 0 : 1;
    for (size_t i = 0; i < n; i++) {
        double z = p.intercept ? t->mode.inverse_one[i] : 0;

        t->pair[2 * i] = t->mode.alpha[i];
        t->pair[2 * i + 1] = z;
        t->total += z;
    }
    GI_TRY(gi_operator_product(p.K, run, 0, t->pair, 2, t->Kpair));
done:
    return status;
}

static double evidence(const laplace *t)
{
    const gi_problem *p = t->p;
    double q = 2 * p->lambda * t->total; /* 1'(C + W^-1)^-1 1 */

    return -t->mode.objective - gi_chol_logdet(t->mode.factor) / 2 -
           (p->intercept ? log(q / (2 * M_PI)) / 2 : 0);
}

/* ----------------------------------------------------------------- gradient */

/* out = B^-1 x, a row at a time. */
static gram_status apply_inverse(const laplace *t, const double *x, double *out)
{
    enum { ROWS = GI_LAPLACE_ROWS };
    const size_t n = t->p->n, blocks = (n + ROWS - 1) / ROWS;
    double *room = NULL;
    gram_status status;

    GI_TRY(GI_NEW(t->run, room, n * (size_t)t->run->threads));
    GI_PARALLEL_FOR(t->run->threads)
    for (size_t block = 0; block < blocks; block++)
        for (size_t i = block * ROWS; i < n && i < (block + 1) * ROWS; i++) {
            double *row = room + n * (size_t)gi_thread_number(), sum = 0;

            gi_chol_copy(t->mode.factor, i, 1, 0, n, row, n);
            for (size_t j = 0; j < n; j++)
                sum += row[j] * x[j];
            out[i] = sum;
        }
done:
    gi_free(room);
    return status;
}

/* B^-1 in place of the factor, h, and u. */
static gram_status find_moves(laplace *t, gi_run *run)
{
    const gi_problem *p = t->p;
    const size_t n = p->n;
    const double *r = t->mode.root;
    double sum = 0, along = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, t->diagonal, n));
    GI_TRY(GI_NEW(run, t->h, n));
    GI_TRY(GI_NEW(run, t->Kh, n));
    GI_TRY(GI_NEW(run, t->u, n));
    GI_TRY(gi_chol_invert(run, t->mode.factor));
    gi_chol_diagonal(t->mode.factor, t->diagonal);
    for (size_t i = 0; i < n; i++) {
        double f = t->Kpair[2 * i] + t->mode.intercept[0];
        double rest = p->intercept ? r[i] * (1 - t->Kpair[2 * i + 1]) : 0;

        t->h[i] =
            tanh(f / 2) / 2 * (1 - t->diagonal[i] + rest * rest / t->total);
        sum += t->h[i];
    }
    GI_TRY(gi_operator_product(p->K, run, 0, t->h, 1, t->Kh));
    for (size_t i = 0; i < n; i++)
        along += t->pair[2 * i + 1] * t->Kh[i]; /* z'K h */
    for (size_t i = 0; i < n; i++)
        t->Kh[i] *= r[i];
    GI_TRY(apply_inverse(t, t->Kh, t->u));
    for (size_t i = 0; i < n; i++)
        t->u[i] = t->h[i] - r[i] * t->u[i] +
                  t->pair[2 * i + 1] * (along - sum) / t->total;
done:
    return status;
}

static void seed(void *user, const gi_tile *tile, double *G)
{
    const laplace *t = user;
    const double *r = t->mode.root;

    gi_chol_copy(t->mode.factor, tile->row, tile->rows, tile->col, tile->cols,
                 G, tile->ld);
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->cols; j++)
            G[i * tile->ld + j] *= -r[tile->row + i] * r[tile->col + j] / 2;
    gi_blas_double.gemm(0, 1, tile->rows, tile->cols, THIN, 1,
                        t->left + tile->row * THIN, THIN,
                        t->right + tile->col * THIN, THIN, 1, G, tile->ld);
}

/* The part of G that is not r B^-1 r is left right'. */
static gram_status find_sides(laplace *t)
{
    const size_t n = t->p->n;
    gram_status status;

    GI_TRY(GI_NEW(t->run, t->left, n * THIN));
    GI_TRY(GI_NEW(t->run, t->right, n * THIN));
    for (size_t i = 0; i < n; i++) {
        double alpha = t->pair[2 * i], z = t->pair[2 * i + 1], u = t->u[i];
        double *left = t->left + i * THIN, *right = t->right + i * THIN;

        left[0] = t->p->lambda * alpha + u / 2;
        left[1] = alpha / 2;
        left[2] = z / (2 * t->total);
        right[0] = alpha;
        right[1] = u;
        right[2] = z;
    }
done:
    return status;
}

/* tr(G K); r B^-1 r K has the trace of I - B^-1. */
static double trace(const laplace *t)
{
    double sum = 0;

    for (size_t i = 0; i < t->p->n; i++)
        sum += (t->p->lambda * t->pair[2 * i] + t->u[i]) * t->Kpair[2 * i] +
               t->pair[2 * i + 1] * t->Kpair[2 * i + 1] / (2 * t->total) -
               (1 - t->diagonal[i]) / 2;
    return sum;
}

/* ------------------------------------------------------------------- public */

static gram_status take(laplace *t, gi_run *run, double *value,
                        double *dlog_lambda, double *grad)
{
    const gi_problem *p = t->p;
    gi_run fit = gi_run_share(run, 0, 0.5),
           inverse = gi_run_share(run, 0.5, 0.9);
    gi_run reverse = gi_run_share(run, 0.9, 1);
    gram_status status;

    GI_TRY(find_mode(t, &fit));
    *value = evidence(t);
    if (!dlog_lambda && !grad)
        goto done;
    GI_TRY(find_moves(t, &inverse));
    if (dlog_lambda)
        *dlog_lambda = -trace(t);
    if (!grad || p->K->thetas == 0)
        goto done;
    if (!(p->K->flags & GI_OPERATOR_HAS_GRADIENT))
        GI_TRY(gi_fail(GRAM_ERR_RANGE, "evidence: the kernel has no gradient"));
    GI_TRY(find_sides(t));
    GI_TRY(gi_operator_gradient(p->K, &reverse, seed, t, grad));
done:
    return status;
}

gram_status gi_laplace_value(gi_run *run, const gi_problem *p, double *value,
                             double *dlog_lambda, double *grad)
{
    laplace t = {.run = run, .p = p};
    gram_status status = GRAM_OK;

    *value = -INFINITY;
    GI_TRY(gi_problem_check(p));
    if (dlog_lambda)
        *dlog_lambda = 0;
    if (grad)
        memset(grad, 0, p->K->thetas * sizeof *grad);
    if (!p->loss || !gi_loss_has(p->loss, GRAM_LOSS_LOG_ODDS))
        return gi_fail(GRAM_ERR_RANGE,
                       "evidence: loss %s, must be squared or logistic",
                       gi_problem_loss(p).class_->name);
    if (p->intercept && !has_both_classes(p))
        goto done;
    status = take(&t, run, value, dlog_lambda, grad);
    if (status == GRAM_ERR_NUMERIC) {
        *value = -INFINITY;
        status = GRAM_OK;
    }
    if (isnan(*value))
        *value = -INFINITY;
done:
    gi_solution_free(&t.mode);
    gi_free(t.pair);
    gi_free(t.Kpair);
    gi_free(t.h);
    gi_free(t.Kh);
    gi_free(t.u);
    gi_free(t.left);
    gi_free(t.right);
    gi_free(t.diagonal);
    return status;
}

/* The trapezoidal rule, whose error for this integrand falls as
 * exp(-2 pi^2/(h s)) with the step h and s^2 the variance: the nearest pole of
 * the logistic function is pi away from the real line. */
double gi_laplace_probability(double mean, double variance)
{
    const double wide = 9, finest = 1e-2;
    double s = sqrt(fmax(variance, 0));
    double h = fmax(finest, fmin(0.25, 0.5 / s)), sum = 0, all = 0;
    int count = (int)(wide / h);

    for (int k = -count; k <= count; k++) {
        double z = k * h, f = mean + s * z, e = exp(-fabs(f));
        double weight = exp(-z * z / 2);

        sum += weight * (f > 0 ? 1 / (1 + e) : e / (1 + e));
        all += weight;
    }
    return sum / all;
}
