/* solver_markov.c - the exact solution for Markov kernels of one column, and
 * predictions, in O(n).
 *
 * The filter whitens y and, with an intercept, the vector of ones; b is then
 * the least-squares coefficient of one on the other, and what is left of y runs
 * backward to alpha.  New points stand between places of the chain, each for
 * itself.
 *
 * Without any noise (lambda = 0) points at the same time are one: their y are
 * averaged with weights 1/D, the least-squares fit, and alpha is divided among
 * them by weight.  A point where k(x,x) = 0, time 0 of min, can be fitted by
 * the intercept only, which then has no other choice.
 */
#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/linear/markov.h"
#include "solvers/path.h"
#include "solvers/system.h"

/* A chain of the problem's rows. */
typedef struct smoother {
    const gi_problem *p;
    gi_chain chain;
    gi_pass pass;
    double *noise; /* D by place */
    double *y, *v; /* of a target */
    double *one;   /* with an intercept: ones, run forward */
    double pinned; /* weight of the points that the intercept alone can fit */
    int is_exact;  /* no noise */
} smoother;

/* Of the rows at one time the first gets the weights 1/D of all, and D of the
 * others becomes infinite. */
static void merge(smoother *s)
{
    double *first = NULL;

    for (size_t i = 0; i < s->chain.n; i++) {
        if (!gi_chain_tied(&s->chain, i))
            first = NULL;
        if (first) {
            *first = 1 / (1 / *first + 1 / s->noise[i]);
            s->noise[i] = INFINITY;
        } else {
            first = s->noise + i;
        }
    }
}

static void whiten_ones(smoother *s)
{
    for (size_t i = 0; i < s->chain.n; i++)
        s->y[i] = 1;
    gi_pass_forward(&s->pass, s->y, s->one);
}

static void stop(smoother *s)
{
    gi_free(s->one);
    gi_free(s->v);
    gi_free(s->y);
    gi_free(s->noise);
    gi_pass_free(&s->pass);
    gi_chain_free(&s->chain);
}

/* Stop it in any case; `trail`: for points between. */
static gram_status start(gi_run *run, const gi_problem *p, double jitter,
                         int trail, smoother *s)
{
    const gi_operator *K = p->K;
    size_t n = p->n;
    gram_status status;

    *s = (smoother){.p = p, .is_exact = p->lambda == 0 && jitter == 0};
    GI_TRY(gi_chain_new(run, K->markov, K->time, n, &s->chain));
    GI_TRY(gi_pass_new(run, &s->chain, &s->pass));
    if (trail)
        GI_TRY(gi_pass_keep_trail(run, &s->pass));
    GI_TRY(GI_NEW(run, s->noise, n));
    GI_TRY(GI_NEW(run, s->y, n));
    GI_TRY(GI_NEW(run, s->v, n));
    GI_TRY(GI_NEW(run, s->one, p->intercept ? n : 0));
    for (size_t i = 0; i < n; i++)
        s->noise[i] = gi_system_noise(p, s->chain.point[i]);
    if (s->is_exact)
        merge(s);
    gi_pass_filter(&s->pass, s->noise, p->lambda, jitter);
    for (size_t i = 0; s->is_exact && i < n; i++)
        if (gi_pass_redundant(&s->pass, i))
            s->pinned += 1 / s->noise[i];
    if (p->intercept)
        whiten_ones(s);
done:
    return status;
}

double gi_markov_centre(const gi_problem *p, size_t target)
{
    const double *y = p->y + target;
    double sum = 0;

    if (!p->intercept)
        return 0;
    for (size_t i = 0; i < p->n; i++)
        sum += y[i * p->targets] - y[0];
    return y[0] + sum / (double)p->n;
}

/* y of a target less `shift`, by place, forward into v; rows that were merged
 * with one before add to its mean. */
static void whiten(smoother *s, size_t target, double shift)
{
    const gi_problem *p = s->p;
    double *first = s->y, weight = 0;

    for (size_t i = 0; i < s->chain.n; i++) {
        size_t row = s->chain.point[i];
        double y, w;

        y = p->y[row * p->targets + target] - shift;
        w = 1 / gi_system_noise(p, row);
        if (s->noise[i] < INFINITY) {
            first = s->y + i;
            *first = y;
            weight = w;
        } else {
            weight += w;
            *first += w / weight * (y - *first);
        }
    }
    gi_pass_forward(&s->pass, s->y, s->v);
}

/* ------------------------------------------------------------------- solve */

/* b of what has been whitened. */
static double intercept(const smoother *s)
{
    double sum = 0;

    if (!s->p->intercept)
        return 0;
    if (s->pinned == 0)
        return gi_pass_dot(&s->pass, s->one, s->v) /
               gi_pass_dot(&s->pass, s->one, s->one);
    for (size_t i = 0; i < s->chain.n; i++)
        if (gi_pass_redundant(&s->pass, i))
            sum += s->y[i] / s->noise[i];
    return sum / s->pinned;
}

/* alpha of the first at a time for all at that time; where k = 0 whatever
 * makes 1'alpha = 0. */
static void share(smoother *s)
{
    double sum = 0, whole = 0, first = 0;

    for (size_t i = 0; i < s->chain.n; i++)
        sum += s->noise[i] < INFINITY ? s->v[i] : 0;
    for (size_t i = 0; i < s->chain.n; i++) {
        if (s->noise[i] < INFINITY) {
            whole = s->v[i];
            if (s->p->intercept && gi_pass_redundant(&s->pass, i))
                whole = -sum / (s->noise[i] * s->pinned);
            first = s->noise[i];
        }
        s->v[i] = whole * first / gi_system_noise(s->p, s->chain.point[i]);
    }
}

/* |(K + lambda D) alpha + b - y| / |y - b|, alpha in v. */
static double residual(const smoother *s, size_t target, double b, double *room,
                       double *product)
{
    const gi_problem *p = s->p;
    double off = 0, size = 0;

    gi_chain_product(&s->chain, s->v, room, product);
    for (size_t i = 0; i < p->n; i++) {
        size_t row = s->chain.point[i];
        double right = p->y[row * p->targets + target] - b;
        double left =
            product[i] + p->lambda * gi_system_noise(p, row) * s->v[i];

        off += (left - right) * (left - right);
        size += right * right;
    }
    return off == 0 ? 0 : sqrt(off / size); /* a NaN stays */
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    double *room = NULL;
    smoother s;
    gram_status status;

    out->jitter = fmax(p->jitter, 0);
    out->residual = 0;
    GI_TRY(start(run, p, out->jitter, 0, &s));
    GI_TRY(GI_NEW(run, out->alpha, p->n * p->targets));
    GI_TRY(GI_NEW(run, out->intercept, p->targets));
    GI_TRY(GI_NEW(run, room, p->n * (size_t)s.chain.states));
    for (size_t t = 0; t < p->targets; t++) {
        double centre = gi_markov_centre(p, t), b, error;

        GI_TRY(gi_run_tick(run, (double)t / (double)p->targets));
        whiten(&s, t, centre);
        b = intercept(&s);
        for (size_t i = 0; p->intercept && i < p->n; i++)
            s.v[i] -= b * s.one[i];
        gi_pass_backward(&s.pass, s.v);
        if (s.is_exact)
            share(&s);
        out->intercept[t] = centre + b;
        error = residual(&s, t, centre + b, room, s.y);
        if (!isfinite(error))
            GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                           "solver markov: lambda = %g is too small for rows "
                           "this close, alpha overflows",
                           p->lambda));
        out->residual = fmax(out->residual, error);
        for (size_t i = 0; i < p->n; i++)
            out->alpha[s.chain.point[i] * p->targets + t] = s.v[i];
    }
    if (s.is_exact)
        out->rank = s.pass.rank;
    GI_TRY(gi_run_tick(run, 1));
done:
    gi_free(room);
    stop(&s);
    return status;
}

/* ----------------------------------------------------------------- predict */

/* New points, with the steps around each. */
typedef struct visitors {
    size_t count;
    gi_between *at;
    double *step;
} visitors;

static void visitors_free(visitors *v)
{
    gi_free(v->at);
    gi_free(v->step);
}

/* Places of the chain at or before that time. */
static size_t places_before(const smoother *s, double time)
{
    const double *t = s->p->K->time;
    size_t from = 0, to = s->chain.n;

    while (from < to) {
        size_t half = from + (to - from) / 2;

        if (t[s->chain.point[half]] <= time)
            from = half + 1;
        else
            to = half;
    }
    return from;
}

static gram_status visitors_new(gi_run *run, const smoother *s,
                                const double *time, size_t m, visitors *v)
{
    const gi_markov *k = s->p->K->markov;
    const double start = k->family == GRAM_MARKOV_MIN ? 0 : -INFINITY;
    const double *t = s->p->K->time;
    const size_t stride = gi_chain_stride(s->chain.states);
    gram_status status;

    *v = (visitors){.count = m};
    GI_TRY(gi_chain_check(k, time, m));
    GI_TRY(GI_NEW(run, v->at, m));
    GI_TRY(GI_NEW(run, v->step, 2 * m * stride));
    GI_PARALLEL_FOR(run->threads)
    for (size_t i = 0; i < m; i++) {
        double *in = v->step + 2 * i * stride, *out = in + stride;
        size_t place = places_before(s, time[i]);
        double before = place ? t[s->chain.point[place - 1]] : start;

        gi_chain_step(k, time[i] - before, in);
        gi_chain_step(
            k, place < s->chain.n ? t[s->chain.point[place]] - time[i] : 0,
            out);
        v->at[i] = (gi_between){place, in, out};
    }
done:
    return status;
}

gram_status gi_markov_predict(gi_run *run, const gi_problem *p,
                              const gi_solution *solution, const gi_operator *T,
                              double *mean, double *variance)
{
    double one = 0;
    visitors v = {0};
    smoother s;
    gram_status status;

    GI_TRY(start(run, p, solution->jitter, 1, &s));
    GI_TRY(visitors_new(run, &s, T->time, T->rows, &v));
    for (size_t t = 0; mean && t < p->targets; t++) {
        double b = solution->intercept[t];

        whiten(&s, t, b);
        gi_pass_backward(&s.pass, s.v);
        for (size_t i = 0; i < v.count; i++)
            mean[i * p->targets + t] = b + gi_pass_mean(&s.pass, &v.at[i]);
    }
    if (!variance)
        goto done;
    gi_pass_spread(&s.pass, s.v);
    if (p->intercept && s.pinned == 0) {
        whiten_ones(&s);
        one = gi_pass_dot(&s.pass, s.one, s.one);
        gi_pass_backward(&s.pass, s.one);
    }
    for (size_t i = 0; i < v.count; i++) {
        double off = one > 0 ? 1 - gi_pass_mean(&s.pass, &v.at[i]) : 0;

        variance[i] = gi_pass_variance(&s.pass, &v.at[i]);
        if (one > 0) /* what is not known of b */
            variance[i] += off * off / one;
    }
done:
    visitors_free(&v);
    stop(&s);
    return status;
}

static gram_status variance(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const gi_operator *T,
                            double *out)
{
    return gi_markov_predict(run, p, s, T, NULL, out);
}

static gram_status mean(gi_run *run, const gi_problem *p, const gi_solution *s,
                        const gi_operator *T, double *out)
{
    return gi_markov_predict(run, p, s, T, out, NULL);
}

static gram_status evidence(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const double *amplitude,
                            double *out)
{
    (void)s, (void)amplitude; /* the path has its own */
    return gi_path_evidence(run, p, gi_path_markov, out);
}

/* -------------------------------------------------------------------- cost */

int gi_markov_applies(const gi_problem *p)
{
    const gi_markov *k = p->K->markov;

    return k && p->K->time && k->amplitude >= 0 && isfinite(k->amplitude) &&
           (k->family == GRAM_MARKOV_MIN || (k->rate > 0 && isfinite(k->rate)));
}

/* Bytes: the chain (while it is sorted, times and points twice), the pass, a
 * product, five columns, and the solution.  Seconds: sort and steps, then the
 * runs of every column. */
static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    double n = (double)rows, columns = (double)p->targets + 1, states;

    (void)run;
    if (!gi_problem_is_squared(p))
        return gi_cost_squared_only;
    if (!gi_markov_applies(p))
        return (gi_cost){.why = "needs a Markov kernel of one number column"};
    states = gi_markov_states(p->K->markov);
    return (gi_cost){
        .possible = 1,
        .bytes = 8 * n *
                 ((double)gi_chain_stride((int)states) + 5 + 2 * states + 4 +
                  columns),
        .seconds = 1e-9 * n * (300 + 50 * states + 60 * states * columns),
    };
}

const gi_solver gi_solver_markov = {
    .name = "markov",
    .brief = "O(n), one column with min, exponential, laplace or matern",
    .flags = GI_SOLVER_EXACT,
    .cost = cost,
    .solve = solve,
    .variance = variance,
    .mean = mean,
    .evidence = evidence,
};
