/* convex.h - problems with hinge, absolute, epsilon_insensitive and quantile
 * losses by interior point, for tests of solvers.
 *
 * The dual of loss.h divided by 2 lambda is a quadratic program:
 *
 *     minimise  1/2 alpha'K alpha - y'alpha + epsilon |alpha|_1
 *     over alpha_i in w_i/(2 lambda) [low_i, high_i],  1'alpha = 0
 *
 * (the last with an intercept, which is its multiplier).  With epsilon > 0,
 * alpha = p - q, p and q >= 0.  Predictor and corrector after Mehrotra (SIAM
 * J. Optim. 2, 1992), elimination in long double.  The losses are written here
 * once more, so that nothing of src/losses is believed.  Cost: about 15
 * eliminations of order n, or 2 n with epsilon.
 */
#ifndef CONVEX_H
#define CONVEX_H

#include "check.h"
#include "losses.h"
#include "ridges.h"

#include "solvers/solver.h"

enum { CONVEX_MOST = 120 };

/* The answer, with its own certificate. */
typedef struct convex {
    double *alpha, *f; /* n; f = K alpha + b */
    double b;
    double primal, dual; /* primal >= dual */
} convex;

static inline void convex_free(convex *c)
{
    free(c->alpha);
    free(c->f);
}

/* The program: edge variables x, alpha = sum of sign_k x_k over row[k]. */
typedef struct convex_program {
    size_t n, edge;
    int bordered;
    const double *K;
    size_t row[CONVEX_MOST];
    long double sign[CONVEX_MOST], cost[CONVEX_MOST];
    long double low[CONVEX_MOST], high[CONVEX_MOST];
    /* the point: x, its distance from the bounds, their multipliers */
    long double x[CONVEX_MOST], below[CONVEX_MOST], above[CONVEX_MOST];
    long double pull[CONVEX_MOST], push[CONVEX_MOST], b;
} convex_program;

static inline double convex_weight(const gi_problem *p, size_t i)
{
    return p->noise ? 1 / p->noise[i] : 1;
}

static inline double convex_value(const gi_loss *l, double y, double f)
{
    double r = y - f, a = l->arg[0];

    if (loss_is(l, "hinge"))
        return fmax(0, 1 - y * f);
    if (loss_is(l, "absolute"))
        return fabs(r);
    if (loss_is(l, "quantile"))
        return fmax(a * r, (a - 1) * r);
    assert_true(loss_is(l, "epsilon_insensitive"));
    return fmax(0, fabs(r) - a);
}

/* The interval of alpha_i 2 lambda/w_i. */
static inline void convex_interval(const gi_loss *l, double y, double *low,
                                   double *high)
{
    *low = -1;
    *high = 1;
    if (loss_is(l, "quantile")) {
        *low = l->arg[0] - 1;
        *high = l->arg[0];
    }
    if (loss_is(l, "hinge")) {
        *low = fmin(y, 0);
        *high = fmax(y, 0);
    }
}

static inline void convex_begin(const gi_problem *p, const double *K,
                                convex_program *q)
{
    const int split = loss_is(p->loss, "epsilon_insensitive");

    *q = (convex_program){.n = p->n, .bordered = p->intercept, .K = K};
    for (size_t i = 0; i < p->n; i++) {
        double low, high, box = convex_weight(p, i) / (2 * p->lambda);

        convex_interval(p->loss, p->y[i], &low, &high);
        for (int half = 0; half <= split; half++) {
            size_t k = q->edge++;

            assert_true(k < CONVEX_MOST);
            q->row[k] = i;
            q->sign[k] = half ? -1 : 1;
            q->low[k] = split ? 0 : low * box;
            q->high[k] = high * box;
            q->cost[k] = -q->sign[k] * p->y[i] + (split ? p->loss->arg[0] : 0);
            q->x[k] = (q->low[k] + q->high[k]) / 2;
            q->below[k] = q->above[k] = (q->high[k] - q->low[k]) / 2;
            q->pull[k] = q->push[k] = 1;
        }
    }
}

static inline long double convex_entry(const convex_program *q, size_t i,
                                       size_t j)
{
    return q->sign[i] * q->sign[j] * q->K[q->row[i] * q->n + q->row[j]];
}

/* Newton's step to below pull = aim_k, above push = aim_k' (both less what
 * `more` says): dx, and db behind it. */
static inline void convex_step(const convex_program *q, const long double *aim,
                               long double *step)
{
    const size_t m = q->edge, e = m + (q->bordered != 0);
    long double *A = calloc(e * e, sizeof *A);

    for (size_t i = 0; i < m; i++) {
        long double slope = q->cost[i] + q->sign[i] * q->b;

        for (size_t j = 0; j < m; j++) {
            A[i * e + j] = convex_entry(q, i, j);
            slope += A[i * e + j] * q->x[j];
        }
        A[i * e + i] += q->pull[i] / q->below[i] + q->push[i] / q->above[i];
        step[i] =
            -slope + aim[2 * i] / q->below[i] - aim[2 * i + 1] / q->above[i];
        if (q->bordered)
            A[i * e + m] = A[m * e + i] = q->sign[i];
    }
    if (q->bordered)
        step[m] = 0;
    for (size_t i = 0; q->bordered && i < m; i++)
        step[m] -= q->sign[i] * q->x[i];
    ridges_eliminate(e, 1, A, step);
    free(A);
}

/* The steps of the multipliers that go with dx. */
static inline long double convex_pull(const convex_program *q, size_t i,
                                      const long double *aim, long double dx)
{
    return (aim[2 * i] - q->pull[i] * dx) / q->below[i] - q->pull[i];
}

static inline long double convex_push(const convex_program *q, size_t i,
                                      const long double *aim, long double dx)
{
    return (aim[2 * i + 1] + q->push[i] * dx) / q->above[i] - q->push[i];
}

/* The longest step, at most 1, that leaves all that must be positive so. */
static inline long double convex_length(const convex_program *q,
                                        const long double *aim,
                                        const long double *step)
{
    long double most = 1;

    for (size_t i = 0; i < q->edge; i++) {
        long double dx = step[i], moves[4] = {dx, -dx};
        const long double from[4] = {q->below[i], q->above[i], q->pull[i],
                                     q->push[i]};

        moves[2] = convex_pull(q, i, aim, dx);
        moves[3] = convex_push(q, i, aim, dx);
        for (int k = 0; k < 4; k++)
            if (moves[k] < 0)
                most = fminl(most, -from[k] / moves[k]);
    }
    return most;
}

/* The mean of the products that are to become 0, after a step. */
static inline long double convex_mean(const convex_program *q,
                                      const long double *aim,
                                      const long double *step, long double s)
{
    long double sum = 0;

    for (size_t i = 0; i < q->edge; i++) {
        long double dx = step[i];

        sum += (q->below[i] + s * dx) *
                   (q->pull[i] + s * convex_pull(q, i, aim, dx)) +
               (q->above[i] - s * dx) *
                   (q->push[i] + s * convex_push(q, i, aim, dx));
    }
    return sum / (2 * (long double)q->edge);
}

/* One iteration; returns the mean of the products before it. */
static inline long double convex_iterate(convex_program *q)
{
    long double aim[2 * CONVEX_MOST] = {0}, step[CONVEX_MOST + 1] = {0};
    long double now = convex_mean(q, aim, step, 0), s, then;

    convex_step(q, aim, step);
    then = convex_mean(q, aim, step, convex_length(q, aim, step)) / now;
    for (size_t i = 0; i < q->edge; i++) {
        long double dx = step[i], centre = then * then * then * now;
        long double pull = (-q->pull[i] * dx) / q->below[i] - q->pull[i];
        long double push = (q->push[i] * dx) / q->above[i] - q->push[i];

        aim[2 * i] = centre - dx * pull;
        aim[2 * i + 1] = centre + dx * push;
    }
    convex_step(q, aim, step);
    s = 0.995L * convex_length(q, aim, step);
    for (size_t i = 0; i < q->edge; i++) {
        long double pull = convex_pull(q, i, aim, step[i]);
        long double push = convex_push(q, i, aim, step[i]);

        q->x[i] += s * step[i];
        q->below[i] += s * step[i];
        q->above[i] -= s * step[i];
        q->pull[i] += s * pull;
        q->push[i] += s * push;
    }
    q->b += q->bordered ? s * step[q->edge] : 0;
    return now;
}

/* P of any alpha and b, by the definition; f, n numbers, may be NULL. */
static inline double convex_primal(const gi_problem *p, const double *K,
                                   const double *alpha, double b, double *out)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        double f = 0;

        for (size_t j = 0; j < p->n; j++)
            f += K[i * p->n + j] * alpha[j];
        sum += p->lambda * alpha[i] * f +
               convex_weight(p, i) * convex_value(p->loss, p->y[i], f + b);
        if (out)
            out[i] = f + b;
    }
    return sum;
}

/* D of an alpha that is in its intervals. */
static inline double convex_dual(const gi_problem *p, const double *K,
                                 const double *alpha)
{
    double sum = 0, width = loss_is(p->loss, "epsilon_insensitive")
                                ? p->loss->arg[0]
                                : 0;

    for (size_t i = 0; i < p->n; i++) {
        sum += 2 * p->lambda * (alpha[i] * p->y[i] - width * fabs(alpha[i]));
        for (size_t j = 0; j < p->n; j++)
            sum -= p->lambda * alpha[i] * K[i * p->n + j] * alpha[j];
    }
    return sum;
}

/* Solve, and check the answer: P = D to 1e-10. */
static inline convex convex_solve(const gi_problem *p, const double *K)
{
    convex c = {.alpha = grams_doubles(p->n), .f = grams_doubles(p->n)};
    convex_program *q = malloc(sizeof *q);
    int steps = 0;

    assert_non_null(q);
    convex_begin(p, K, q);
    while (convex_iterate(q) > 1e-17L && ++steps < 100)
        ;
    memset(c.alpha, 0, p->n * sizeof *c.alpha);
    for (size_t k = 0; k < q->edge; k++)
        c.alpha[q->row[k]] += (double)(q->sign[k] * q->x[k]);
    c.b = (double)q->b;
    c.primal = convex_primal(p, K, c.alpha, c.b, c.f);
    c.dual = convex_dual(p, K, c.alpha);
    CHECK_NEAR(c.primal, c.dual, 1e-10);
    free(q);
    return c;
}

#endif
