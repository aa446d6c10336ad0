/* smooth_losses.h - problems with smooth losses, for tests of their solvers.
 */
#ifndef SMOOTH_H
#define SMOOTH_H

#include "check.h"
#include "losses.h"
#include "operators.h"

#include "losses/loss.h"
#include "solvers/solver.h"

/* A loss of a user: scale log cosh(f - y), without conjugate and prox. */
static inline double cosh_value(const double *arg, double y, double f)
{
    double r = fabs(f - y);

    return arg[0] * (r + log1p(exp(-2 * r)) - log(2));
}

static inline double cosh_slope(const double *arg, double y, double f)
{
    return arg[0] * tanh(f - y);
}

static inline double cosh_curvature(const double *arg, double y, double f)
{
    double t = tanh(f - y);

    return arg[0] * (1 - t * t);
}

static const gram_param cosh_params[] = {
    {.name = "scale",
     .range = GRAM_POSITIVE,
     .fixed = 1,
     .value = 1,
     .help = "a factor"},
    {.name = NULL},
};

static const gram_loss_class cosh_class = {
    .name = "cosh_loss",
    .formula = "scale log cosh(y - f)",
    .help = "between squared and absolute",
    .flags = GRAM_LOSS_SMOOTH,
    .params = cosh_params,
    .value = cosh_value,
    .slope = cosh_slope,
    .curvature = cosh_curvature,
};

/* Also registers the loss above, once. */
static inline gi_loss loss_of(const char *text)
{
    gi_loss *l = NULL, out;
    size_t count;

    if (!gi_loss_find(cosh_class.name))
        CHECK_OK(gram_loss_register(&cosh_class));
    CHECK_OK(gi_losses_new(NULL, text, &l, &count));
    CHECK(count == 1);
    out = *l;
    gi_free(l);
    return out;
}

static const char *const smooth_losses[] = {
    "squared",          "squared_hinge", "logistic",  "huber",
    "huber(delta=0.2)", "poisson",       "cosh_loss",
};
enum { SMOOTH_LOSSES = sizeof smooth_losses / sizeof *smooth_losses };

/* A problem with all it needs; target i is what the loss can take of
 * sin(2 x) + noise. */
typedef struct smooth {
    kernel_world k;
    gi_loss loss;
    double *x, *y, *noise;
    gi_problem p;
} smooth;

static inline void smooth_begin(smooth *w, const char *loss, size_t n,
                                int intercept, int weights)
{
    const gram_exec exec = {.threads = 1};
    double *e = grams_random(2 * n, 0, 77);

    w->loss = loss_of(loss);
    w->x = grams_random(2 * n, 1, n);
    w->y = grams_doubles(n);
    w->noise = grams_doubles(n);
    kernel_world_new(&w->k, "rbf(gamma=0.8)", n, 0, 2, w->x, &exec);
    for (size_t i = 0; i < n; i++) {
        double z = 1.5 * sin(2 * w->x[2 * i]) + 0.4 + e[i];

        w->y[i] = w->loss.class_->flags & GRAM_LOSS_CLASSES ? (z > 0 ? 1 : -1)
                  : loss_is(&w->loss, "poisson") ? floor(exp(fmin(z, 3)))
                                                 : z;
        w->noise[i] = 0.5 + fabs(e[n + i]);
    }
    free(e);
    w->p = (gi_problem){.K = w->k.K,
                        .n = n,
                        .targets = 1,
                        .y = w->y,
                        .noise = weights ? w->noise : NULL,
                        .intercept = intercept,
                        .lambda = 0.1,
                        .loss = &w->loss};
}

static inline void smooth_end(smooth *w)
{
    kernel_world_free(&w->k);
    free(w->x);
    free(w->y);
    free(w->noise);
}

static inline gi_solution smooth_solve(smooth *w, const char *solver)
{
    const gi_solver *by = NULL;
    gi_solution s;

    CHECK_OK(gi_solver_find(solver, &by));
    CHECK_OK(gi_solver_solve(&w->k.run, by, &w->p, &s));
    return s;
}

/* K alpha + b, to be freed. */
static inline double *smooth_values(const smooth *w, const gi_solution *s)
{
    double *f = grams_doubles(w->p.n);
    gi_run run = w->k.run;

    CHECK_OK(gi_operator_product(w->p.K, &run, 0, s->alpha, 1, f));
    for (size_t i = 0; i < w->p.n; i++)
        f[i] += s->intercept[0];
    return f;
}

/* alpha_i = -w_i V'(y_i, f_i)/(2 lambda), and 1'alpha = 0 with an intercept:
 * necessary and sufficient. */
static inline void smooth_check(const smooth *w, const gi_solution *s,
                                double tolerance)
{
    const gi_problem *p = &w->p;
    double *f = smooth_values(w, s), sum = 0, size = 1;

    for (size_t i = 0; i < p->n; i++)
        size = fmax(size, fabs(s->alpha[i]));
    for (size_t i = 0; i < p->n; i++) {
        double weight = p->noise ? 1 / p->noise[i] : 1;
        double slope = gi_loss_slope(&w->loss, p->y[i], f[i]);

        CHECK_NEAR(s->alpha[i] / size, -weight * slope / (2 * p->lambda * size),
                   tolerance);
        sum += s->alpha[i] / size;
    }
    if (p->intercept)
        CHECK_NEAR(sum, 0, tolerance);
    free(f);
}

#endif
