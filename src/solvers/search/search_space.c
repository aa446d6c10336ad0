/* search_space.c - criteria as functions of the variables that are searched.
 */
#include "solvers/search/search_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "solvers/smooth/laplace.h"
#include "solvers/search/minimise.h"

enum {
    /* with fewer, threads only wait for each other */
    THREADED_ROWS = GI_SEARCH_SERIAL_ROWS,
    MOST_CHOICES = 1000000,
    /* a primal path is better than gradients for few numbers or many rows */
    FEW_UNKNOWNS = 3,
    MANY_ROWS = GI_SEARCH_PRIMAL_ROWS
};

/* lambda relative to its scale. */
static const double lambda_lower = 1e-8, lambda_upper = 1e4;

/* This share of its range from a bound, a variable is at it. */
static const double edge = 1e-3;

static int is_fixed(double lambda)
{
    return !isnan(lambda);
}

/* -------------------------------------------------------------- evaluation */

static double value_of(const gi_search_space *v, double criterion)
{
    const gi_problem *p = &v->rows.problem;

    if (v->s->criterion == GI_WANT_EVIDENCE)
        return -criterion / (double)(p->n * p->targets);
    return criterion <= 0 ? log(DBL_MIN) / 2 : log(criterion) / 2;
}

/* Its derivative. */
static double slope_of(const gi_search_space *v, double criterion)
{
    const gi_problem *p = &v->rows.problem;

    if (v->s->criterion == GI_WANT_EVIDENCE)
        return -1 / (double)(p->n * p->targets);
    return criterion <= 0 ? 0 : 1 / (2 * criterion);
}

/* Write the candidates of a choice to theta, and to lambda if it has any that
 * a path does not look through by itself. */
static void choose(gi_search_space *v, size_t choice)
{
    const gi_search *s = v->s;

    for (size_t k = 0; k < s->unknowns; k++) {
        const gi_unknown *u = &s->unknown[k];

        if (u->candidates && (int)u->slot != s->hold) {
            v->theta[u->theta] = u->candidates[choice % u->candidate_count];
            choice /= u->candidate_count;
        }
    }
    if (!v->by_path && !is_fixed(s->lambda) && s->lambdas)
        v->lambda = s->lambdas[choice];
}

/* Variable k of the space at a point of the face. */
static double coordinate(const gi_search_space *v, const double *z, size_t k)
{
    return fmin(fmax(z[v->face->at[k]], v->lower[k]), v->upper[k]);
}

static void place(gi_search_space *v, const double *z)
{
    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &v->s->unknown[v->open[k]];
        double *theta = &v->theta[u->theta];

        if (gi_face_has(v->face, k))
            *theta = u->log ? exp(coordinate(v, z, k)) : coordinate(v, z, k);
    }
    if (v->variables > v->opens)
        v->lambda = exp(coordinate(v, z, v->opens));
}

/* The gradient on the face from that in the space.  What is at its bound does
 * not follow. */
static void gather(const gi_search_space *v, const double *z, double *gradient)
{
    memset(gradient, 0, v->face->variables * sizeof *gradient);
    for (size_t k = 0; k < v->variables; k++) {
        size_t at = v->face->at[k];

        if (gi_face_has(v->face, k) && z[at] >= v->lower[k] &&
            z[at] <= v->upper[k])
            gradient[at] += v->full[k];
    }
}

static gram_status by_gradient(gi_run *run, gi_search_space *v,
                               const gi_problem *p, const double *z,
                               double *criterion, double *gradient)
{
    double dlog_lambda = 0, slope;
    double *by_lambda = gradient ? &dlog_lambda : NULL;
    double *by_theta = gradient && v->opens > 0 ? v->grad : NULL;
    gram_status status =
        gi_problem_is_squared(p)
            ? gi_criterion_value(run, p, v->s->criterion, criterion, by_lambda,
                                 by_theta)
            : gi_laplace_value(run, p, criterion, by_lambda, by_theta);

    if (status != GRAM_OK || !gradient)
        return status;
    slope = slope_of(v, *criterion);
    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &v->s->unknown[v->open[k]];

        v->full[k] =
            slope * v->grad[u->theta] * (u->log ? v->theta[u->theta] : 1);
    }
    if (v->variables > v->opens)
        v->full[v->opens] = slope * dlog_lambda;
    gather(v, z, gradient);
    return GRAM_OK;
}

static gram_status by_path(gi_run *run, gi_search_space *v, const gi_problem *p,
                           double *criterion)
{
    const gi_search *s = v->s;
    const int fixed = is_fixed(s->lambda);
    gi_run making = gi_run_share(run, 0, 0.7),
           using = gi_run_share(run, 0.7, 1);
    gi_path *path = NULL;
    gi_criteria *best = NULL;
    gram_status status;

    *criterion = NAN;
    GI_TRY(GI_NEW(run, best, p->targets));
    GI_TRY(gi_path_new(&making, p, NULL, s->criterion, &path));
    GI_TRY(gi_path_best(&using, path, s->criterion,
                        fixed ? &s->lambda : s->lambdas,
                        fixed ? 1 : s->lambda_count, 0, best));
    v->lambda = best[0].lambda;
    *criterion = gi_criteria_total(p, s->criterion, best);
done:
    gi_path_free(path);
    gi_free(best);
    return status == GRAM_ERR_NUMERIC ? GRAM_OK : status;
}

/* gi_objective.at */
static gram_status evaluate(void *user, const double *z, double *value,
                            double *gradient)
{
    gi_search_space *v = user;
    gi_run run = gi_run_step(v->run, v->steps, 5);
    gi_problem p = v->rows.problem;
    double criterion;
    gram_status status;

    v->steps++;
    if (p.n < THREADED_ROWS)
        run.threads = 1;
    place(v, z);
    GI_TRY(gi_run_tick(&run, 0));
    GI_TRY(gi_operator_set(v->K, &run, v->theta));
    p.lambda = v->lambda;
    GI_TRY(v->by_path ? by_path(&run, v, &p, &criterion)
                      : by_gradient(&run, v, &p, z, &criterion, gradient));
    *value = value_of(v, criterion);
    if (*value < v->best) {
        v->best = *value;
        v->best_criterion = criterion;
        v->best_lambda = v->lambda;
    }
done:
    return status;
}

/* ---------------------------------------------------------------- searches */

/* One decade up, if there is room for it. */
static int raise_lambda(const gi_search_space *v, double *z)
{
    size_t at = v->variables > v->opens ? v->face->at[v->opens] : 0;

    if (v->variables == v->opens || z[at] + log(10) > v->upper[v->opens])
        return 0;
    z[at] += log(10);
    return 1;
}

double gi_search_space_unit(const gi_search_space *v)
{
    const gi_problem *p = &v->rows.problem;

    return 1 / (double)(p->n * p->targets);
}

/* The spot on its face; variables that are one there are at their mean. */
static void enter(const gi_search_space *v, const gi_spot *spot, double *z)
{
    const gi_face *face = spot->face;

    for (size_t i = 0; i < face->variables; i++) {
        double sum = 0, count = 0;

        for (size_t k = 0; k < v->variables; k++)
            if (face->at[k] == i) {
                sum += spot->x[k];
                count++;
            }
        z[i] = sum / count;
    }
}

static void leave(const gi_search_space *v, const double *z, gi_spot *spot)
{
    for (size_t k = 0; k < v->variables; k++)
        if (gi_face_has(spot->face, k))
            spot->x[k] = coordinate(v, z, k);
}

static void write_theta(gi_search_space *v, const gi_spot *spot)
{
    choose(v, spot->choice);
    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &v->s->unknown[v->open[k]];

        v->theta[u->theta] = spot->face->at[k] == GI_OFF ? 0
                             : u->log                    ? exp(spot->x[k])
                                                         : spot->x[k];
    }
}

gram_status gi_search_space_climb(gi_run *run, gi_search_space *v, size_t steps,
                                  double tolerance, const double *bar,
                                  gi_spot *spot)
{
    const gi_objective f = {.variables = spot->face->variables,
                            .lower = spot->face->lower,
                            .upper = spot->face->upper,
                            .at = evaluate,
                            .user = v,
                            .smooth = !v->by_path,
                            .tolerance = tolerance * gi_search_space_unit(v),
                            .evaluations = steps,
                            .bar = bar,
                            .curvature = spot->curvature};
    double *z = NULL;
    gram_status status;

    v->run = run;
    v->steps = 0;
    v->best = INFINITY;
    v->face = spot->face;
    write_theta(v, spot);
    GI_TRY(GI_NEW(run, z, v->variables));
    enter(v, spot, z);
    do
        GI_TRY(gi_minimise(&f, z, &spot->value, &spot->converged));
    while (!isfinite(spot->value) && raise_lambda(v, z));
    leave(v, z, spot);
    v->evaluations += v->steps;
    spot->criterion = v->best_criterion;
    spot->lambda = v->best_lambda;
done:
    gi_free(z);
    return status;
}

gram_status gi_spot_new(gi_run *run, const gi_search_space *v, gi_spot *spot)
{
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, spot->x, v->variables));
    if (v->variables <= GI_DENSE_VARIABLES && !v->by_path)
        GI_TRY(GI_NEW_ZERO(run, spot->curvature, v->variables * v->variables));
    spot->value = INFINITY;
done:
    return status;
}

void gi_spot_free(gi_spot *spot)
{
    gi_free(spot->x);
    gi_free(spot->curvature);
}

void gi_spot_put(gi_spot *spot, const gi_face *face)
{
    spot->face = face;
    if (spot->curvature)
        spot->curvature[0] = 0;
}

void gi_spot_copy(const gi_search_space *v, const gi_spot *from,
                  const gi_face *face, gi_spot *to)
{
    const gi_spot old = *to;
    const size_t square = face->variables * face->variables;

    *to = *from;
    to->x = old.x;
    to->curvature = old.curvature;
    memcpy(to->x, from->x, v->variables * sizeof *to->x);
    gi_spot_put(to, face);
    if (to->curvature && face == from->face)
        memcpy(to->curvature, from->curvature, square * sizeof(double));
}

int gi_spot_edge(const gi_search_space *v, const gi_spot *spot, size_t variable)
{
    const double room = v->upper[variable] - v->lower[variable];
    const double x = spot->x[variable];

    if (!gi_face_has(spot->face, variable))
        return 0;
    return (x >= v->upper[variable] - edge * room) -
           (x <= v->lower[variable] + edge * room);
}

void gi_search_space_theta(gi_search_space *v, const gi_spot *spot,
                           double *theta)
{
    write_theta(v, spot);
    memcpy(theta, v->theta, v->s->program->thetas * sizeof *theta);
}

/* ------------------------------------------------------------------ set up */

gram_status gi_search_space_new(gi_run *run, const gi_search *s,
                                gi_search_space *v)
{
    const gram_program *p = s->program;
    gram_status status;

    v->s = s;
    v->choices = 1;
    GI_TRY(GI_NEW(run, v->theta, p->thetas));
    GI_TRY(GI_NEW(run, v->grad, p->thetas));
    GI_TRY(GI_NEW(run, v->open, s->unknowns));
    memcpy(v->theta, p->theta, p->thetas * sizeof *v->theta);
    for (size_t k = 0; k < s->unknowns; k++) {
        const gi_unknown *u = &s->unknown[k];

        v->theta[u->theta] = (int)u->slot == s->hold ? 1 : u->start;
        if ((int)u->slot == s->hold)
            continue;
        if (!u->candidates)
            v->open[v->opens++] = k;
        else if (v->choices <= MOST_CHOICES)
            v->choices *= u->candidate_count;
    }
done:
    return status;
}

void gi_search_space_free(gi_search_space *v)
{
    gi_row_subset_free(&v->rows);
    gi_free(v->open);
    gi_free(v->lower);
    gi_free(v->upper);
    gi_free(v->theta);
    gi_free(v->grad);
    gi_free(v->full);
}

gram_status gi_search_space_scale(gi_run *run, const gi_search_space *v,
                                  const double *theta, double *scale)
{
    const gi_problem *p = &v->rows.problem;
    double *diagonal = NULL, signal = 0, variance = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, diagonal, p->n));
    GI_TRY(gi_operator_set(v->K, run, theta));
    GI_TRY(gi_operator_diagonal(v->K, run, diagonal));
    for (size_t i = 0; i < p->n; i++)
        signal += diagonal[i] / (p->noise ? p->noise[i] : 1) / (double)p->n;
    for (size_t t = 0; t < p->targets; t++)
        variance += gi_target_variance(p, t) / (double)p->targets;
    *scale = signal;
    if (v->s->criterion == GI_WANT_EVIDENCE && gi_problem_is_squared(p)) {
        if (p->amplitude == GI_AMPLITUDE_ONE)
            *scale = variance;
        else if (p->amplitude == GI_AMPLITUDE_INVERSE)
            *scale = signal / variance;
    }
    if (!(*scale > 0) || !isfinite(*scale))
        *scale = 1;
done:
    gi_free(diagonal);
    return status;
}

/* Is a path better than the criterion with its gradient? */
static int wants_path(const gi_search_space *v, size_t rows)
{
    const gi_search *s = v->s;
    const gi_operator *K = v->K;

    if (!gi_problem_is_squared(&s->problem))
        return 0;
    if (s->criterion == GI_WANT_GCV)
        return 1;
    if (is_fixed(s->lambda) && (v->opens == 0 || s->lambda == 0))
        return 0;
    if (v->opens == 0 || K->markov || !(K->flags & GI_OPERATOR_HAS_GRADIENT))
        return 1;
    return K->features > 0 && K->features < rows / 4 &&
           (v->opens <= FEW_UNKNOWNS || rows > MANY_ROWS);
}

gram_status gi_search_space_measure(gi_run *run, gi_search_space *v,
                                    size_t most)
{
    const gi_search *s = v->s;
    gram_status status;

    if (!gi_problem_is_squared(&s->problem) && s->criterion != GI_WANT_EVIDENCE)
        return gi_fail(GRAM_ERR_RANGE,
                       "search: with the loss %s the criterion must be "
                       "evidence",
                       s->problem.loss->class_->name);
    choose(v, 0);
    GI_TRY(gi_search_space_scale(run, v, v->theta, &v->scale));
    v->by_path = wants_path(v, most);
    v->lambda = s->lambda;
    v->variables = v->opens;
    if (!v->by_path && !is_fixed(s->lambda) && s->lambdas)
        v->choices *= s->lambda_count;
    else if (!v->by_path && !is_fixed(s->lambda))
        v->variables++;
    if (v->choices > MOST_CHOICES)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "search: the candidates have more than %d combinations",
                       MOST_CHOICES));
    GI_TRY(GI_NEW(run, v->lower, v->variables));
    GI_TRY(GI_NEW(run, v->upper, v->variables));
    GI_TRY(GI_NEW(run, v->full, v->variables));
    for (size_t k = 0; k < v->opens; k++) {
        const gi_unknown *u = &s->unknown[v->open[k]];

        v->lower[k] = u->log ? log(u->lower) : u->lower;
        v->upper[k] = u->log ? log(u->upper) : u->upper;
    }
    if (v->variables > v->opens) {
        v->lower[v->opens] = log(lambda_lower * v->scale);
        v->upper[v->opens] = log(lambda_upper * v->scale);
    }
done:
    return status;
}
