/* quadratic.c - from a loss to its quadratic program and back; see svm.h.
 *
 * Sources: Schoelkopf, Smola, Williamson and Bartlett, Neural Computation 12
 * (2000) for nu; Chang and Lin, ACM TIST 2 (2011) for what LIBSVM makes of it.
 */
#include "solvers/svm/quadratic.h"

#include <math.h>

#include "base/mem.h"
#include "solvers/svm/smo.h"

typedef struct svm {
    const gi_problem *p;
    const struct mode *mode;
    double nu, C;
    size_t n, variables;
    double *low, *high, *linear, *a, *f;
    unsigned char *group;
    gi_smo q;
    gi_smo_result r;
    double b, scale; /* alpha = a / scale */
    gi_loss loss;    /* with epsilon as it was found */
    double lambda;
} svm;

/* One of the five machines. */
typedef struct mode {
    unsigned kind; /* CLASSES or NOVELTY of its loss; 0: neither */
    int with_nu;
    int twice;  /* variables for errors to both sides */
    int groups; /* -1: as the problem has an intercept */
    gram_status (*fill)(svm *s);
    gram_status (*finish)(svm *s);
} mode;

static double weight(const gi_problem *p, size_t i)
{
    return p->noise ? 1 / p->noise[i] : 1;
}

/* ------------------------------------------------------------------- starts */

/* Fill variables of a group in order until their sum is `sum` (of either
 * sign); what could not be placed. */
static double pour(svm *s, size_t first, size_t end, size_t group, double sum)
{
    for (size_t v = first; v < end; v++) {
        const double most = sum > 0 ? s->high[v] : -s->low[v];
        const double by = fmin(fabs(sum), most);

        if (s->group && s->group[v] != group)
            continue;
        s->a[v] = sum > 0 ? by : -by;
        sum -= s->a[v];
    }
    return sum;
}

/* Take `sum` from variables in order, those at no bound or all; what is left of
 * it. */
static double take_off(svm *s, int all, double sum)
{
    for (size_t v = 0; v < s->variables && sum != 0; v++) {
        const double room =
            sum > 0 ? s->a[v] - s->low[v] : s->a[v] - s->high[v];
        const double by = fabs(room) < fabs(sum) ? room : sum;

        if (!all && (s->a[v] == s->low[v] || s->a[v] == s->high[v]))
            continue;
        s->a[v] =
            by == room ? (sum > 0 ? s->low[v] : s->high[v]) : s->a[v] - by;
        sum -= by;
    }
    return sum;
}

/* From p->start into the box; then the sum back to 0.  What is mere rounding
 * must not move a variable off its bound, which would be a violation. */
static void warm_up(svm *s)
{
    const double *start = s->p->start;
    double sum = 0;

    for (size_t v = 0; start && v < s->variables; v++) {
        const double x = start[v < s->n ? v : v - s->n];

        s->a[v] = fmin(fmax(x, s->low[v]), s->high[v]);
        sum += s->a[v];
    }
    if (s->q.groups)
        take_off(s, 1, take_off(s, 0, sum));
}

/* ----------------------------------------------------------------- programs */

/* Class labels: a_i has the sign of y_i. */
static void fill_box(svm *s, double C)
{
    for (size_t i = 0; i < s->n; i++) {
        const double most = weight(s->p, i) * C;

        s->low[i] = s->p->y[i] > 0 ? 0 : -most;
        s->high[i] = s->p->y[i] > 0 ? most : 0;
    }
}

static gram_status fill_hinge(svm *s)
{
    fill_box(s, s->C);
    for (size_t i = 0; i < s->n; i++)
        s->linear[i] = -s->p->y[i];
    warm_up(s);
    return GRAM_OK;
}

static gram_status fill_nu_hinge(svm *s)
{
    double all = 0, of[2] = {0, 0}, half, rest;

    fill_box(s, 1);
    for (size_t i = 0; i < s->n; i++) {
        const double w = weight(s->p, i);

        s->group[i] = s->p->y[i] > 0 ? 0 : 1;
        of[s->group[i]] += w;
        all += w;
    }
    half = s->nu * all / 2;
    if (half > fmin(of[0], of[1]) * (1 + 1e-12))
        return gi_fail(GRAM_ERR_RANGE,
                       "hinge: nu = %g, must be at most %g with these classes",
                       s->nu, 2 * fmin(of[0], of[1]) / all);
    rest = pour(s, 0, s->n, 0, half);
    rest += pour(s, 0, s->n, 1, -half);
    (void)rest; /* rounding */
    return GRAM_OK;
}

/* Errors to either side: a_i >= 0 where y_i is above f, a_(i+n) <= 0 where it
 * is below. */
static void fill_sides(svm *s, double epsilon)
{
    for (size_t i = 0; i < s->n; i++) {
        const double most = weight(s->p, i) * s->C;

        s->high[i] = most;
        s->low[i + s->n] = -most;
        s->linear[i] = epsilon - s->p->y[i];
        s->linear[i + s->n] = -epsilon - s->p->y[i];
    }
}

static gram_status fill_tube(svm *s)
{
    fill_sides(s, s->p->loss->arg[0]);
    warm_up(s);
    return GRAM_OK;
}

static gram_status fill_nu_tube(svm *s)
{
    double half = 0;

    fill_sides(s, 0);
    for (size_t i = 0; i < s->n; i++) {
        half += s->nu * s->C * weight(s->p, i) / 2;
        s->group[i + s->n] = 1;
    }
    pour(s, 0, s->n, 0, half);
    pour(s, s->n, s->variables, 1, -half);
    return GRAM_OK;
}

static gram_status fill_one_class(svm *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        s->high[i] = weight(s->p, i);
        sum += s->nu * s->high[i];
    }
    pour(s, 0, s->n, 0, sum);
    return GRAM_OK;
}

/* ------------------------------------------------------------------ answers */

/* Where the -gradient of a group lies at the minimum: that of its variables at
 * no bound, or between those that may rise and those that may fall. */
static double level(const svm *s, size_t g)
{
    const double most = s->r.most[g], least = s->r.least[g];

    if (!isnan(s->r.free[g]))
        return s->r.free[g];
    if (isfinite(most) && isfinite(least))
        return (most + least) / 2;
    return isfinite(most) ? most : isfinite(least) ? least : 0;
}

static gram_status finish_one(svm *s)
{
    s->b = s->q.groups ? level(s, 0) : 0;
    return GRAM_OK;
}

static gram_status finish_nu_hinge(svm *s)
{
    const double up = level(s, 0), down = level(s, 1), r = (down - up) / 2;

    if (!(r > 0))
        return gi_fail(GRAM_ERR_NUMERIC,
                       "hinge: with nu = %g the margin is %g, must be positive",
                       s->nu, r);
    s->scale = r;
    s->lambda = r / 2;
    s->b = (up + down) / 2 / r;
    return GRAM_OK;
}

static gram_status finish_nu_tube(svm *s)
{
    const double up = level(s, 0), down = level(s, 1);

    s->b = (up + down) / 2;
    s->loss.arg[0] = fmax((up - down) / 2, 0);
    return GRAM_OK;
}

static gram_status finish_one_class(svm *s)
{
    s->b = level(s, 0);
    s->lambda = 0.5;
    return GRAM_OK;
}

static const mode modes[] = {
    {GRAM_LOSS_CLASSES, 0, 0, -1, fill_hinge, finish_one},
    {GRAM_LOSS_CLASSES, 1, 0, 2, fill_nu_hinge, finish_nu_hinge},
    {0, 0, 1, -1, fill_tube, finish_one},
    {0, 1, 1, 2, fill_nu_tube, finish_nu_tube},
    {GRAM_LOSS_NOVELTY, 1, 0, 1, fill_one_class, finish_one_class},
};

enum { MODES = sizeof modes / sizeof *modes };

static const mode *mode_of(const gi_problem *p)
{
    const unsigned flags = p->loss ? p->loss->class_->flags : 0;
    const unsigned kind = flags & (GRAM_LOSS_CLASSES | GRAM_LOSS_NOVELTY);

    for (size_t i = 0; (flags & GRAM_LOSS_SVM) && i < MODES; i++)
        if (modes[i].kind == kind &&
            modes[i].with_nu == (gi_loss_nu(p->loss) > 0))
            return &modes[i];
    return NULL;
}

const char *gi_svm_refuses(const gi_problem *p)
{
    const mode *m = mode_of(p);

    if (!m)
        return "only for the losses hinge, epsilon_insensitive and one_class";
    if (p->targets != 1)
        return "for one target";
    if (m->groups == 2 && !p->intercept)
        return "nu needs an intercept";
    if (!(p->lambda > 0) && !(m->with_nu && !m->twice))
        return "lambda must be positive";
    return NULL;
}

/* -------------------------------------------------------------------- solve */

/* P and P - D; every row whose a is 0 and whose f is beyond the margin adds
 * nothing, so f may be inexact there. */
static void measure(const svm *s, gi_solution *out)
{
    const gi_problem *p = s->p;
    const int novelty = s->mode->kind == GRAM_LOSS_NOVELTY;
    double losses = 0, norm = 0, linear = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double w = weight(p, i), a = out->alpha[i];
        const double f = s->f[i] / s->scale;

        losses += w * gi_loss_value(&s->loss, novelty ? 0 : p->y[i], f + s->b);
        norm += a * f;
        if (novelty)
            linear += s->nu * w * s->b;
        else
            linear +=
                p->y[i] * a - (s->mode->twice ? s->loss.arg[0] : 0) * fabs(a);
    }
    if (novelty) {
        out->objective = norm / 2 + linear + losses;
        out->gap = out->objective + norm / 2;
    } else {
        out->objective = losses + s->lambda * norm;
        out->gap = out->objective - 2 * s->lambda * linear + s->lambda * norm;
    }
}

static gram_status begin(gi_run *run, svm *s)
{
    const gi_problem *p = s->p;
    gram_status status;

    s->mode = mode_of(p);
    s->n = p->n;
    s->nu = gi_loss_nu(p->loss);
    s->loss = *p->loss;
    s->scale = 1;
    s->lambda = p->lambda;
    s->C = 1 / (2 * p->lambda);
    s->variables = s->mode->twice ? 2 * s->n : s->n;
    GI_TRY(GI_NEW_ZERO(run, s->low, s->variables));
    GI_TRY(GI_NEW_ZERO(run, s->high, s->variables));
    GI_TRY(GI_NEW_ZERO(run, s->linear, s->variables));
    GI_TRY(GI_NEW_ZERO(run, s->a, s->variables));
    GI_TRY(GI_NEW_ZERO(run, s->f, s->n));
    if (s->mode->groups == 2)
        GI_TRY(GI_NEW_ZERO(run, s->group, s->variables));
    s->q = (gi_smo){.rows = s->n,
                    .variables = s->variables,
                    .low = s->low,
                    .high = s->high,
                    .linear = s->linear,
                    .groups = s->mode->groups < 0 ? p->intercept != 0
                                                  : (size_t)s->mode->groups,
                    .group = s->group,
                    .tolerance =
                        p->tolerance > 0 ? p->tolerance : GI_SVM_TOLERANCE,
                    .steps = p->steps};
    GI_TRY(s->mode->fill(s));
done:
    return status;
}

static gram_status finish(gi_run *run, svm *s, gi_solution *out)
{
    gram_status status;

    GI_TRY(s->mode->finish(s));
    GI_TRY(GI_NEW(run, out->alpha, s->n));
    GI_TRY(GI_NEW(run, out->intercept, 1));
    for (size_t i = 0; i < s->n; i++)
        out->alpha[i] =
            (s->a[i] + (s->mode->twice ? s->a[i + s->n] : 0)) / s->scale;
    *out->intercept = s->b;
    out->lambda = s->lambda;
    out->epsilon = s->mode->twice ? s->loss.arg[0] : NAN;
    out->steps = s->r.steps;
    out->converged = s->r.converged;
    out->precision = "single + refinement";
    measure(s, out);
done:
    return status;
}

/* Is f of the start known: 0, or what was given, if the start is feasible but
 * for rounding? */
static int knows_f(const svm *s, const double *f)
{
    int zero = 1, same = f && s->p->start && !s->mode->with_nu;

    for (size_t i = 0; i < s->n; i++) {
        const double b = s->a[i] + (s->mode->twice ? s->a[i + s->n] : 0);

        zero = zero && b == 0;
        same = same && fabs(b - s->p->start[i]) <= 1e-12 * s->C;
    }
    for (size_t i = 0; !zero && same && i < s->n; i++)
        s->f[i] = f[i];
    return zero || same;
}

gram_status gi_svm_solve(gi_run *run, gi_smo_cache *cache, const gi_problem *p,
                         gi_solution *out, double *f)
{
    svm s = {.p = p};
    gram_status status;

    GI_TRY(begin(run, &s));
    GI_TRY(
        gi_smo_solve(run, p->K, cache, &s.q, knows_f(&s, f), s.a, s.f, &s.r));
    GI_TRY(finish(run, &s, out));
    for (size_t i = 0; f && i < s.n; i++)
        f[i] = s.f[i] / s.scale;
done:
    gi_free(s.low);
    gi_free(s.high);
    gi_free(s.linear);
    gi_free(s.a);
    gi_free(s.f);
    gi_free(s.group);
    return status;
}

size_t gi_svm_bytes(const gi_problem *p, size_t rows)
{
    const mode *m = mode_of(p);
    const size_t variables = m && m->twice ? 2 * rows : rows;

    return gi_smo_bytes(rows, variables) +
           variables * (4 * sizeof(double) + 1) + 2 * rows * sizeof(double);
}
