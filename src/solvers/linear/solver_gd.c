/* solver_gd.c - gradient descent on the representer coefficients.
 *
 *     alpha <- alpha - s g,   g = W V'(y, K alpha + b) + 2 lambda alpha
 *
 * W = D^-1; b is the best one for K alpha, so that 1'alpha stays 0.  This is
 * the gradient of the objective, K g, without that K: steepest descent in the
 * function space.  With s = 1/(c m + 2 lambda), m the largest eigenvalue of
 * W^1/2 K W^1/2 and c that of V'', every step descends.  With the squared loss,
 * c = 2, every error shrinks by 1 - (e + lambda)/(m + lambda) along the
 * eigenvalue e: small eigenvalues come late, which is why stopping early
 * smooths.  Other losses have the c of the start, and steps that do not descend
 * are halved, as those after them.
 *
 * Rows that are held out are not fitted; the error on them is watched, and the
 * alpha at which it was least is the answer.
 *
 * Cost: a product with K a step.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "linalg/iterative/lanczos.h"
#include "solvers/gap.h"
#include "solvers/smooth.h"
#include "solvers/system.h"

/* Steps, at most; products spent on the largest eigenvalue; steps that the
 * held-out error may rise before it is believed, and beyond them this share of
 * those done. */
enum { STEPS = 10000, PRODUCTS = 30, PATIENCE = 10, SHARE = 10 };

/* Halvings of a step, at most. */
enum { HALVINGS = 60 };

static const double TOLERANCE = 1e-8;

typedef struct descent {
    gi_run *run;
    const gi_problem *p;
    gi_loss of;
    int squared;
    double *alpha; /* n x targets, as the next four */
    double *f;     /* K alpha */
    double *g;     /* W V' + 2 lambda alpha of the last alpha */
    double *last;
    double *best; /* alpha where the held-out error was least */
    double *b;    /* targets, and at best */
    double *best_b;
    double *weight;  /* W, 0 where held */
    int watching;    /* some rows are held */
    double residual; /* relative, the largest of the targets */
    double loss, held;
} descent;

/* --------------------------------------------------------------------- cost */

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    double n = (double)rows, t = (double)p->targets;
    double steps = (double)(p->steps ? p->steps : STEPS);

    if (!gi_problem_is_squared(p) && gi_smooth_refuses(p))
        return (gi_cost){.why = gi_smooth_refuses(p)};
    return (gi_cost){.possible = 1,
                     .seconds = steps *
                                gi_system_product_seconds(p, rows, p->targets) /
                                run->threads,
                     .bytes = 8 * n * (5 * t + PRODUCTS + 4) +
                              (double)gi_operator_bytes(run, p->K)};
}

/* --------------------------------------------------------------------- step */

/* out = W^1/2 K W^1/2 v */
typedef struct weighted {
    descent *d;
    double *v;
} weighted;

static gram_status apply(void *user, const double *v, double *out)
{
    const weighted *w = user;
    const gi_problem *p = w->d->p;
    gi_run quiet = *w->d->run;
    gram_status status;

    quiet.progress = NULL;
    for (size_t i = 0; i < p->n; i++)
        w->v[i] = sqrt(w->d->weight[i]) * v[i];
    GI_TRY(gi_operator_product(p->K, &quiet, 0, w->v, 1, out));
    for (size_t i = 0; i < p->n; i++)
        out[i] *= sqrt(w->d->weight[i]);
done:
    return status;
}

/* The b of target j that fits what is fitted best. */
static double intercept(const descent *d, size_t j)
{
    const gi_problem *p = d->p;
    const size_t t = p->targets;
    double sum = 0, all = 0;

    if (!p->intercept)
        return 0;
    if (!d->squared)
        return gi_smooth_intercept(&d->of, p->n, p->y, d->weight, d->f,
                                   d->b[0]);
    for (size_t i = 0; i < p->n; i++) {
        sum += d->weight[i] * (p->y[i * t + j] - d->f[i * t + j]);
        all += d->weight[i];
    }
    return sum / all;
}

/* Target and value of element k of n x targets.  The squared loss has b on the
 * other side, where a large one does no harm. */
static void pair_at(const descent *d, size_t k, double *y, double *f)
{
    const double b = d->b[k % d->p->targets];

    *y = d->p->y[k] - (d->squared ? b : 0);
    *f = d->f[k] + (d->squared ? 0 : b);
}

/* f, b, loss, residual and held-out error at alpha. */
static gram_status look(descent *d)
{
    const gi_problem *p = d->p;
    const size_t n = p->n, t = p->targets;
    double held = 0, held_weight = 0;
    gi_run quiet = gi_run_quiet(d->run);
    gram_status status;

    GI_TRY(gi_operator_product(p->K, &quiet, 0, d->alpha, t, d->f));
    d->residual = 0;
    for (size_t j = 0; j < t; j++) {
        double loss = 0, off = 0, size = 0;

        d->b[j] = intercept(d, j);
        for (size_t i = 0; i < n; i++) {
            double D = gi_system_noise(p, i), a = d->alpha[i * t + j];
            double y, f, value, slope, zero;

            pair_at(d, i * t + j, &y, &f);
            value = gi_loss_value(&d->of, y, f) / D;
            if (p->held && p->held[i]) {
                held += value;
                held_weight += 1 / D;
                continue;
            }
            slope = gi_loss_slope(&d->of, y, f) + 2 * p->lambda * D * a;
            zero = gi_loss_slope(&d->of, y, f - d->f[i * t + j]);
            loss += value + p->lambda * a * d->f[i * t + j];
            off += slope * slope;
            size += zero * zero;
        }
        d->residual = gi_system_worse(d->residual, off, size);
        d->loss = j == 0 ? loss : d->loss;
    }
    d->held = d->watching ? held / held_weight : NAN;
done:
    return status;
}

/* The largest V'' at the start. */
static double curvature(const descent *d)
{
    const gi_problem *p = d->p;
    const size_t t = p->targets;
    double most = 0;

    for (size_t k = 0; k < p->n * t; k++)
        if (d->weight[k / t] > 0) {
            double y, f;

            pair_at(d, k, &y, &f);
            most = fmax(most, gi_loss_curvature(&d->of, y, f));
        }
    return most;
}

/* The largest eigenvalue from above, up to the chance that the start missed
 * it, which a step half as long as stability allows forgives. */
static gram_status find_step(descent *d, double *s)
{
    gi_run part = gi_run_share(d->run, 0, 0.05);
    weighted w = {.d = d};
    gi_lanczos extremes;
    gram_status status = GRAM_OK;

    *s = d->p->step;
    if (*s > 0)
        goto done;
    GI_TRY(GI_NEW(d->run, w.v, d->p->n));
    GI_TRY(gi_lanczos_extremes(&part, d->p->n, apply, &w, PRODUCTS, 1e-6,
                               &extremes));
    *s = 1 / (curvature(d) * (extremes.max + extremes.max_error) +
              2 * d->p->lambda);
done:
    gi_free(w.v);
    return status;
}

/* g at alpha, which becomes the last one. */
static void turn(descent *d)
{
    const gi_problem *p = d->p;
    const size_t t = p->targets;

    memcpy(d->last, d->alpha, p->n * t * sizeof *d->last);
    for (size_t k = 0; k < p->n * t; k++) {
        double w = d->weight[k / t], y, f;

        pair_at(d, k, &y, &f);
        d->g[k] = w > 0 ? w * gi_loss_slope(&d->of, y, f) +
                              2 * p->lambda * d->alpha[k]
                        : 0;
    }
}

/* A step from alpha, and a look.  One that is given, or that is known to
 * descend, is taken as it is. */
static gram_status move(descent *d, double *s)
{
    const double rounding = 1e-12, before = d->loss;
    const int check = !d->squared && !(d->p->step > 0);
    gram_status status;

    turn(d);
    for (int k = 0; k <= HALVINGS; k++) {
        for (size_t i = 0; i < d->p->n * d->p->targets; i++)
            d->alpha[i] = d->last[i] - *s * d->g[i];
        GI_TRY(look(d));
        if (!check || d->loss <= before + rounding * fabs(before))
            break;
        *s /= 2;
    }
done:
    return status;
}

/* -------------------------------------------------------------------- solve */

static gram_status begin(descent *d)
{
    const gi_problem *p = d->p;
    const size_t n = p->n, t = p->targets;
    double fitted = 0;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(d->run, d->alpha, n * t));
    GI_TRY(GI_NEW_ZERO(d->run, d->f, n * t));
    GI_TRY(GI_NEW(d->run, d->g, n * t));
    GI_TRY(GI_NEW(d->run, d->last, n * t));
    GI_TRY(GI_NEW_ZERO(d->run, d->best, n * t));
    GI_TRY(GI_NEW_ZERO(d->run, d->b, t));
    GI_TRY(GI_NEW_ZERO(d->run, d->best_b, t));
    GI_TRY(GI_NEW(d->run, d->weight, n));
    for (size_t i = 0; i < n; i++) {
        d->watching |= p->held && p->held[i];
        d->weight[i] = p->held && p->held[i] ? 0 : 1 / gi_system_noise(p, i);
        fitted += d->weight[i];
    }
    if (!(fitted > 0))
        GI_TRY(gi_fail(GRAM_ERR_RANGE, "solver gd: all rows are held out"));
    if (p->start)
        memcpy(d->alpha, p->start, n * t * sizeof *d->alpha);
done:
    return status;
}

static void end(descent *d)
{
    gi_free(d->alpha);
    gi_free(d->f);
    gi_free(d->g);
    gi_free(d->last);
    gi_free(d->best);
    gi_free(d->b);
    gi_free(d->best_b);
    gi_free(d->weight);
}

/* This alpha is better on held rows than all before: keep it. */
static void keep(descent *d, gi_solution *out)
{
    const gi_problem *p = d->p;

    memcpy(d->best, d->alpha, p->n * p->targets * sizeof *d->best);
    memcpy(d->best_b, d->b, p->targets * sizeof *d->best_b);
    out->residual = d->residual;
    out->objective = d->squared ? NAN : d->loss;
}

/* Until the residual is small, or the held-out error has risen for long. */
static gram_status descend(descent *d, gi_solution *out)
{
    const gi_problem *p = d->p;
    const size_t limit = p->steps ? p->steps : STEPS;
    const double tolerance = p->tolerance > 0 ? p->tolerance : TOLERANCE;
    double least = INFINITY, s;
    size_t best = 0;
    gram_status status;

    GI_TRY(look(d));
    GI_TRY(find_step(d, &s));
    for (size_t step = 0;; step++) {
        if (!isfinite(d->residual))
            GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                           "solver gd: step size %g is too large, f is not "
                           "finite after %zu steps",
                           s, step));
        if (!d->watching || d->held < least) {
            least = d->held;
            best = step;
            keep(d, out);
        }
        out->steps = step;
        out->converged =
            d->residual <= tolerance || step - best > PATIENCE + step / SHARE;
        if (out->converged || step == limit)
            break;
        GI_TRY(move(d, &s));
        if (p->trace)
            GI_TRY(p->trace(p->trace_user, step + 1, d->loss, d->held));
        GI_TRY(gi_run_tick(d->run, 0.05 + 0.95 * (double)step / (double)limit));
    }
done:
    return status;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    descent d = {.run = run,
                 .p = p,
                 .of = gi_problem_loss(p),
                 .squared = gi_problem_is_squared(p)};
    gram_status status;

    GI_TRY(begin(&d));
    GI_TRY(descend(&d, out));
    out->alpha = d.best;
    out->intercept = d.best_b;
    d.best = d.best_b = NULL;
    if (!d.squared && !d.watching)
        GI_TRY(gi_gap_measure(run, p, out));
    GI_TRY(gi_run_tick(run, 1));
done:
    end(&d);
    return status;
}

const gi_solver gi_solver_gd = {
    .name = "gd",
    .brief = "gradient descent from 0, with early stopping",
    .flags = GI_SOLVER_HOLDS_OUT, /* to a tolerance that is felt */
    .cost = cost,
    .solve = solve,
};
