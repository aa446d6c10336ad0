/* markov_dense.h - Markov kernels as dense matrices, the answer that O(n) must
 * give; and operators that have nothing but a coordinate.
 *
 * The chain keeps digits where a dense matrix in double, and even in long
 * double, has lost them all, so this one has 113 bits where the compiler knows
 * them.
 */
#ifndef MARKOV_DENSE_H
#define MARKOV_DENSE_H

#include "base/rng.h"
#include "check.h"

#include "solvers/linear/markov.h"

enum { DENSE_MOST = 64, FAMILIES = 4 };

#ifdef __SIZEOF_FLOAT128__
typedef __float128 real;
#else
typedef long double real;
#endif

static inline real dense_abs(real x)
{
    return x < 0 ? -x : x;
}

static inline real dense_max(real a, real b)
{
    return a > b ? a : b;
}

/* exp(-r) = exp(-r/2^20)^(2^20); r >= 0 */
static inline real dense_exp(real r)
{
    real term = 1, sum = 1;

    if (r > 5000)
        return 0;
    for (int k = 1; k < 12; k++) {
        term *= -r / (1 << 20) / k;
        sum += term;
    }
    for (int k = 0; k < 20; k++)
        sum *= sum;
    return sum;
}

static inline real dense_kernel(const gi_markov *k, double s, double t)
{
    real r = k->rate * dense_abs((real)s - t);

    switch (k->family) {
    case GRAM_MARKOV_MIN:
        return k->amplitude * (real)fmin(s, t);
    case GRAM_MARKOV_EXPONENTIAL:
        return k->amplitude * dense_exp(r);
    case GRAM_MARKOV_MATERN32:
        return k->amplitude * (1 + r) * dense_exp(r);
    default:
        return k->amplitude * (1 + r + r * r / 3) * dense_exp(r);
    }
}

static inline gi_operator dense_operator(const gi_markov *k, const double *time,
                                         size_t rows, size_t cols)
{
    static const gi_operator_class structure = {.name = "structure alone"};

    return (gi_operator){.class_ = &structure,
                         .flags = GI_OPERATOR_HAS_MARKOV,
                         .rows = rows,
                         .cols = cols,
                         .markov = k,
                         .time = time};
}

/* The inverse of K + lambda D and what follows from it. */
typedef struct dense {
    const gi_problem *p;
    size_t n;
    real inverse[DENSE_MOST][DENSE_MOST]; /* of A */
    real P[DENSE_MOST][DENSE_MOST];       /* projected past the intercept */
    real logdet, one;                     /* one = 1'A^-1 1 */
} dense;

static inline real dense_noise(const gi_problem *p, size_t i)
{
    return p->noise ? p->noise[i] : 1;
}

static inline void dense_project(dense *d)
{
    real sum[DENSE_MOST] = {0};

    d->one = 0;
    for (size_t i = 0; i < d->n; i++) {
        for (size_t j = 0; j < d->n; j++)
            sum[i] += d->inverse[i][j];
        d->one += sum[i];
    }
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < d->n; j++)
            d->P[i][j] = d->inverse[i][j] -
                         (d->p->intercept ? sum[i] * sum[j] / d->one : 0);
}

/* A = L diag(pivot) L', and A^-1 from L^-1, which P holds for a while. */
static inline dense *dense_new(const gi_problem *p)
{
    dense *d = calloc(1, sizeof *d);
    real(*L)[DENSE_MOST] = d ? d->inverse : NULL, pivot[DENSE_MOST];
    size_t n = p->n;

    assert_non_null(d);
    assert_true(n <= DENSE_MOST);
    d->p = p;
    d->n = n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            real sum = dense_kernel(p->K->markov, p->K->time[i], p->K->time[j]);

            sum += i == j ? p->lambda * dense_noise(p, i) : 0;
            for (size_t k = 0; k < j; k++)
                sum -= L[i][k] * pivot[k] * L[j][k];
            L[i][j] = i == j ? 1 : sum / pivot[j];
            pivot[i] = sum; /* that of j = i stays */
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            d->P[i][j] = i == j;
            for (size_t k = j; k < i; k++)
                d->P[i][j] -= L[i][k] * d->P[k][j];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            d->inverse[i][j] = 0;
            for (size_t k = i > j ? i : j; k < n; k++)
                d->inverse[i][j] += d->P[k][i] * d->P[k][j] / pivot[k];
        }
    for (size_t i = 0; i < n; i++)
        d->logdet += logl((long double)pivot[i]);
    dense_project(d);
    return d;
}

static inline real dense_alpha(const dense *d, size_t i, size_t target)
{
    real sum = 0;

    for (size_t j = 0; j < d->n; j++)
        sum += d->P[i][j] * d->p->y[j * d->p->targets + target];
    return sum;
}

static inline real dense_intercept(const dense *d, size_t target)
{
    real sum = 0;

    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < d->n; j++)
            sum += d->inverse[i][j] * d->p->y[j * d->p->targets + target];
    return d->p->intercept ? sum / d->one : 0;
}

/* y'P y */
static inline real dense_fit(const dense *d, size_t target)
{
    real sum = 0;

    for (size_t i = 0; i < d->n; i++)
        sum += d->p->y[i * d->p->targets + target] * dense_alpha(d, i, target);
    return sum;
}

/* Mean and variance of f + b at time t. */
static inline real dense_mean(const dense *d, double t, size_t target)
{
    real sum = dense_intercept(d, target);

    for (size_t i = 0; i < d->n; i++)
        sum += dense_kernel(d->p->K->markov, d->p->K->time[i], t) *
               dense_alpha(d, i, target);
    return sum;
}

static inline real dense_variance(const dense *d, double t)
{
    const gi_markov *k = d->p->K->markov;
    real row[DENSE_MOST], sum = dense_kernel(k, t, t), left = 1;

    for (size_t i = 0; i < d->n; i++)
        row[i] = dense_kernel(k, d->p->K->time[i], t);
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < d->n; j++) {
            sum -= row[i] * d->inverse[i][j] * row[j];
            left -= row[i] * d->inverse[i][j];
        }
    return sum + (d->p->intercept ? left * left / d->one : 0);
}

/* ---------------------------------------------------------------- problems */

/* How the rows of a problem lie. */
typedef struct layout {
    const char *name;
    double offset, span, rate;
    double twin; /* every third row is that far behind the one before */
    double lambda;
} layout;

static const layout layouts[] = {
    {"plain", 0, 10, 1, NAN, 0.1},
    {"ties", 0, 10, 1, 0, 0.1},
    {"ties, little noise", 0, 10, 1, 0, 1e-6},
    {"close points", 0, 10, 1, 1e-8, 1e-4},
    {"long gaps", 0, 1e4, 3, 1e-3, 0.1},
    {"nearly constant kernel", 0, 10, 1e-4, NAN, 1e-3},
    {"large offset", 1e8, 100, 1, NAN, 0.1},
    {"large offset and ties", 1e8, 100, 0.1, 0, 0.01},
    {"much noise", 0, 10, 1, NAN, 1e4},
    {"no noise", 0, 100, 1, NAN, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* n rows of that layout, not sorted, with two targets and noise. */
typedef struct world {
    gi_markov kernel;
    double time[DENSE_MOST], y[2 * DENSE_MOST], noise[DENSE_MOST];
    gi_operator K;
    gi_problem p;
} world;

static inline void world_make(world *w, int family, const layout *l, size_t n,
                              int intercept)
{
    gi_rng rng = gi_rng_new(7, (uint64_t)n);

    w->kernel = (gi_markov){(gram_markov)family, 1.7, l->rate, 0};
    for (size_t i = 0; i < n; i++) {
        w->time[i] = l->offset + l->span * gi_rng_uniform(&rng);
        if (i % 3 == 1 && !isnan(l->twin))
            w->time[i] = w->time[i - 1] + l->twin;
        w->noise[i] = 0.5 + gi_rng_uniform(&rng);
        w->y[2 * i] = sin((w->time[i] - l->offset) / l->span * 6) +
                      0.1 * gi_rng_normal(&rng);
        w->y[2 * i + 1] = gi_rng_normal(&rng);
    }
    w->K = dense_operator(&w->kernel, w->time, n, n);
    w->p = (gi_problem){.K = &w->K,
                        .n = n,
                        .targets = 2,
                        .y = w->y,
                        .noise = w->noise,
                        .intercept = intercept,
                        .lambda = l->lambda};
}

/* |a - b| <= tolerance * scale, with names for whoever looks for the fault. */
#define CHECK_CLOSE(a, b, scale, tolerance, w, what)                           \
    do {                                                                       \
        double close_a = (double)(a), close_b = (double)(b);                   \
        if (!(fabs(close_a - close_b) <= (tolerance)*fabs((double)(scale))))   \
            fail_msg("family %d, %s: %s = %.17g, expected %.17g",              \
                     (int)(w)->kernel.family, what, #a, close_a, close_b);     \
    } while (0)

#endif
