/* markov.c - the chain of a Markov kernel: its points in order, and the steps
 * between them.
 *
 * A half-integer Matern process solves (d/dt + rate)^p f = white noise
 * (Hartikainen and Sarkka, Kalman filtering and smoothing solutions to temporal
 * Gaussian process regression models, 2010).  Its state (f, f'/rate,
 * f''/rate^2), with covariance P at rest, makes over d = rate (t - s) the step
 *
 *     F = exp(-d) sum_{j<p} (d N)^j/j!,   N^p = 0,   Q = P - F P F'.
 *
 * Brownian motion, min(s,t), has F = 1 and Q = t - s.  The trap: as d tends to
 * 0, P - F P F' cancels down to entries of sizes d^5 ... d.  For small d they
 * are computed as moments, summed from positive terms,
 *
 *     q int_0^d g g' exp(-2 s) ds,   g(s) the last column of F without exp.
 *
 * What is kept is C of Q = C C'.
 */
#include "solvers/linear/markov.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"

enum { MOST = GI_CHAIN_STATES };

/* Fewer points are not worth threads. */
enum { PARALLEL = GI_MARKOV_SERIAL_ROWS };

/* exp(-d) is 0 from here on. */
static const double far = 800;

/* Points nearer than this share their time: d^5 must not underflow. */
static const double near = 1e-50;

/* Below, Q by moments: above, no entry of P - F P F' cancels. */
static const double small = 2;

/* ------------------------------------------------------------------- steps */

/* A kernel at rest: states, and the covariance P of amplitude 1. */
typedef struct family {
    int states;
    double P[MOST][MOST];
    double q; /* intensity of the white noise */
} family;

static const family families[] = {
    [GRAM_MARKOV_MIN] = {1, {{0}}, 0},
    [GRAM_MARKOV_EXPONENTIAL] = {1, {{1}}, 2},
    [GRAM_MARKOV_MATERN32] = {2, {{1, 0}, {0, 1}}, 4},
    [GRAM_MARKOV_MATERN52] =
        {3, {{1, 0, -1.0 / 3}, {0, 1.0 / 3, 0}, {-1.0 / 3, 0, 1}}, 16.0 / 3},
};

int gi_markov_states(const gi_markov *kernel)
{
    return families[kernel->family].states;
}

/* I[j] = int_0^1 s^j exp(-x s) ds, j = 0 .. top, by the series of the last and
 * a recurrence downwards; all terms are positive. */
static void moments(int top, double x, double *I)
{
    double e = exp(-x), term = e / (top + 1), sum = term;

    for (int k = top + 2; term > sum * 1e-17; k++) {
        term *= x / k;
        sum += term;
    }
    I[top] = sum;
    for (int j = top; j > 0; j--)
        I[j - 1] = (x * I[j] + e) / j;
}

/* Q = q d int_0^1 g(d s) g(d s)' exp(-2 d s) ds, lower triangle. */
static void noise_near(const family *k, double d, double Q[MOST][MOST])
{
    static const double g[MOST + 1][MOST][MOST] = {
        [1] = {{1}},
        [2] = {{0, 1}, {1, -1}},
        [3] = {{0, 0, 0.5}, {0, 1, -0.5}, {1, -2, 0.5}},
    }; /* g_i(s) = sum_a g[i][a] s^a */
    int p = k->states;
    double I[2 * MOST - 1], power = k->q * d;

    moments(2 * p - 2, 2 * d, I);
    for (int j = 0; j < 2 * p - 1; j++) {
        I[j] *= power;
        power *= d;
    }
    for (int i = 0; i < p; i++)
        for (int j = 0; j <= i; j++) {
            Q[i][j] = 0;
            for (int a = 0; a < p; a++)
                for (int b = 0; b < p; b++)
                    Q[i][j] += g[p][i][a] * g[p][j][b] * I[a + b];
        }
}

/* Q = P - F P F', lower triangle. */
static void noise_far(const family *k, const double *step, double Q[MOST][MOST])
{
    int p = k->states;
    double F[MOST][MOST];

    gi_chain_matrix(p, step, F);
    for (int i = 0; i < p; i++)
        for (int j = 0; j <= i; j++) {
            Q[i][j] = k->P[i][j];
            for (int a = 0; a < p; a++)
                for (int b = 0; b < p; b++)
                    Q[i][j] -= F[i][a] * k->P[a][b] * F[j][b];
        }
}

/* Q = C C', lower triangles; C packed by rows. */
static void root(int p, double amplitude, double Q[MOST][MOST], double *C)
{
    for (int i = 0; i < p; i++)
        for (int j = 0; j <= i; j++) {
            for (int a = 0; a < j; a++)
                Q[i][j] -= Q[i][a] * Q[j][a];
            Q[i][j] = i == j ? sqrt(Q[i][i]) : Q[i][j] / Q[j][j];
        }
    for (int i = 0; i < p; i++)
        for (int j = 0; j <= i; j++)
            *C++ = sqrt(amplitude) * Q[i][j];
}

void gi_chain_step(const gi_markov *kernel, double gap, double *step)
{
    const family *k = &families[kernel->family];
    double *C = step + 2;
    double d = fmin(kernel->rate * gap, far), Q[MOST][MOST] = {{0}};

    if (kernel->family == GRAM_MARKOV_MIN) {
        step[0] = 1;
        step[1] = 0;
        C[0] = sqrt(kernel->amplitude * gap);
        return;
    }
    if (d < near)
        d = 0;
    step[0] = exp(-d);
    step[1] = d;
    if (d == 0) {
        for (int i = 0; i < k->states * (k->states + 1) / 2; i++)
            C[i] = 0;
        return;
    }
    if (d < small)
        noise_near(k, d, Q);
    else
        noise_far(k, step, Q);
    root(k->states, kernel->amplitude, Q, C);
}

/* ------------------------------------------------------------------- chain */

typedef struct arrival {
    double time;
    size_t point;
} arrival;

static int by_time(const void *a, const void *b)
{
    const arrival *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->point < y->point ? -1 : 1;
}

gram_status gi_chain_check(const gi_markov *kernel, const double *time,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(time[i]))
            return gi_fail(GRAM_ERR_RANGE, "row %zu: %g, must be finite", i,
                           time[i]);
        if (kernel->family == GRAM_MARKOV_MIN && time[i] < 0)
            return gi_fail(GRAM_ERR_RANGE,
                           "min: row %zu: %g, must be at least 0", i, time[i]);
    }
    return GRAM_OK;
}

gram_status gi_chain_new(gi_run *run, const gi_markov *kernel,
                         const double *time, size_t n, gi_chain *out)
{
    size_t stride;
    double start = kernel->family == GRAM_MARKOV_MIN ? 0 : -INFINITY;
    arrival *a = NULL;
    gram_status status;

    *out = (gi_chain){.n = n, .states = gi_markov_states(kernel)};
    stride = gi_chain_stride(out->states);
    GI_TRY(gi_chain_check(kernel, time, n));
    GI_TRY(GI_NEW(run, a, n));
    GI_TRY(GI_NEW(run, out->point, n));
    GI_TRY(GI_NEW(run, out->step, n * stride));
    for (size_t i = 0; i < n; i++)
        a[i] = (arrival){time[i], i};
    qsort(a, n, sizeof *a, by_time);
    GI_PARALLEL_FOR(n > PARALLEL ? run->threads : 1)
    for (size_t i = 0; i < n; i++) {
        out->point[i] = a[i].point;
        gi_chain_step(kernel, a[i].time - (i ? a[i - 1].time : start),
                      out->step + i * stride);
    }
done:
    gi_free(a);
    return status;
}

void gi_chain_free(gi_chain *c)
{
    gi_free(c->step);
    gi_free(c->point);
    *c = (gi_chain){0};
}

int gi_chain_tied(const gi_chain *c, size_t place)
{
    return place > 0 && c->step[place * gi_chain_stride(c->states) + 2] == 0;
}

/* ----------------------------------------------------------------- product */

/* K = B diag(C C') B', B the product of all steps from one place to another:
 * s = B'v backward, then B (C C's) forward. */
void gi_chain_product(const gi_chain *c, const double *v, double *room,
                      double *out)
{
    int p = c->states;
    size_t stride = gi_chain_stride(p);
    double s[MOST] = {0}, x[MOST] = {0};

    for (size_t i = c->n; i-- > 0;) {
        s[0] += v[i];
        for (int j = 0; j < p; j++)
            room[i * (size_t)p + (size_t)j] = s[j];
        gi_chain_move_back(p, c->step + i * stride, s);
    }
    for (size_t i = 0; i < c->n; i++) {
        const double *step = c->step + i * stride, *C = step + 2;
        const double *at = room + i * (size_t)p;

        gi_chain_move(p, step, x);
        for (int k = 0; k < p; k++) {
            double sum = 0;

            for (int j = k; j < p; j++)
                sum += C[j * (j + 1) / 2 + k] * at[j];
            for (int j = k; j < p; j++)
                x[j] += C[j * (j + 1) / 2 + k] * sum;
        }
        out[i] = x[0];
    }
}
