/* markov_pass.c - Kalman filter and disturbance smoother over a chain.
 *
 * Forward, the covariance of the state given the places before is L diag(d) L',
 * L unit lower triangular.  f is first in the state, so an observation with
 * noise R changes d_0 alone, to d_0 R/S, S = d_0 + R, and nothing cancels; a
 * step is a weighted Gram-Schmidt of the rows of [F L, C] (Thornton and
 * Bierman, UDU' covariance factorization for Kalman filtering, 1980).  With v
 * the innovations log|A| = sum log S and y'A^-1 z = sum v_y v_z/S.  Backward
 * (de Jong, A cross-validation filter for time series models, 1988), l the
 * first column of L, e the first unit vector, g = F'r and G = F'N F from the
 * place after:
 *
 *     u = (v - d_0 l'g)/S,   diag = 1/S + (d_0/S)^2 l'G l,   u = A^-1 y
 *     r = g + u e,           N = e e'/S + W'G W,   W = I - (d_0/S) l e'
 *
 * Where nothing is observed r = g, N = G, and f has the mean m_0 + d_0 l'g and
 * the variance d_0 - d_0^2 l'G l.  A point between two places is such a place,
 * with the state of the one before and r and N of the one after: it needs
 * nothing but these, and nobody notices it.
 */
#include "solvers/linear/markov.h"

#include <math.h>

#include "base/mem.h"

enum { MOST = GI_CHAIN_STATES };

/* Loops over p states vanish where p is a constant. */
#define INLINE static inline __attribute__((always_inline))

gram_status gi_pass_new(gi_run *run, const gi_chain *chain, gi_pass *out)
{
    gram_status status;

    *out = (gi_pass){.chain = chain};
    GI_TRY(GI_NEW(run, out->level, chain->n));
    GI_TRY(GI_NEW(run, out->slope, chain->n * (size_t)(chain->states - 1)));
done:
    return status;
}

gram_status gi_pass_keep_trail(gi_run *run, gi_pass *s)
{
    const size_t n = s->chain->n, p = (size_t)s->chain->states;
    gi_trail *t = &s->trail;
    gram_status status;

    GI_TRY(GI_NEW(run, t->factor, n * (p * (p + 1) / 2)));
    GI_TRY(GI_NEW(run, t->mean, n * p));
    GI_TRY(GI_NEW(run, t->pull, n * p));
    GI_TRY(GI_NEW(run, t->grip, n * (p * p)));
done:
    return status;
}

void gi_pass_free(gi_pass *s)
{
    gi_free(s->trail.factor);
    gi_free(s->trail.mean);
    gi_free(s->trail.pull);
    gi_free(s->trail.grip);
    gi_free(s->slope);
    gi_free(s->level);
    *s = (gi_pass){0};
}

/* R of a place: infinite, or 0 times infinity, if nothing is observed. */
INLINE double noise_at(const gi_pass *s, size_t place)
{
    return s->lambda * s->noise[place] + s->jitter;
}

INLINE int is_observed(double R)
{
    return R < INFINITY;
}

int gi_pass_redundant(const gi_pass *s, size_t place)
{
    double R = noise_at(s, place);

    return is_observed(R) && s->level[place] + R == 0;
}

/* ----------------------------------------------------------------- forward */

/* L, d of the state at a place to those at the next. */
INLINE void advance(const int p, const double *step, double L[MOST][MOST],
                    double *d)
{
    const double *C = step + 2;
    double F[MOST][MOST], a[MOST][2 * MOST], w[2 * MOST];

    gi_chain_matrix(p, step, F);
    for (int i = 0; i < p; i++) {
        for (int k = 0; k < p; k++) {
            a[i][k] = F[i][k];
            for (int j = k + 1; j < p; j++)
                a[i][k] += F[i][j] * L[j][k];
        }
        for (int k = 0; k <= i; k++)
            a[i][p + k] = C[i * (i + 1) / 2 + k];
        w[i] = d[i];
        w[p + i] = 1;
    }
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < i; j++) {
            double dot = 0;

            for (int k = 0; k <= p + j; k++)
                dot += a[i][k] * w[k] * a[j][k];
            L[i][j] = d[j] > 0 ? dot / d[j] : 0;
            for (int k = 0; k <= p + j; k++)
                a[i][k] -= L[i][j] * a[j][k];
        }
        d[i] = 0;
        for (int k = 0; k <= p + i; k++)
            d[i] += a[i][k] * w[k] * a[i][k];
    }
}

/* d and L, into a place of the trail and from it. */
INLINE void put_factor(const int p, double L[MOST][MOST], const double *d,
                       double *out)
{
    for (int i = 0; i < p; i++) {
        *out++ = d[i];
        for (int j = 0; j < i; j++)
            *out++ = L[i][j];
    }
}

INLINE void get_factor(const int p, const double *from, double L[MOST][MOST],
                       double *d)
{
    for (int i = 0; i < p; i++) {
        d[i] = *from++;
        for (int j = 0; j < i; j++)
            L[i][j] = *from++;
    }
}

INLINE void put_vector(const int p, const double *x, size_t place, double *out)
{
    for (int j = 0; out && j < p; j++)
        out[place * (size_t)p + (size_t)j] = x[j];
}

INLINE void filter(const int p, gi_pass *s)
{
    const gi_chain *c = s->chain;
    double L[MOST][MOST] = {{0}}, d[MOST] = {0};

    s->logdet = 0;
    s->rank = 0;
    for (size_t i = 0; i < c->n; i++) {
        double R = noise_at(s, i), S;

        advance(p, c->step + i * gi_chain_stride(p), L, d);
        s->level[i] = d[0];
        for (int j = 1; j < p; j++)
            s->slope[i * (size_t)(p - 1) + (size_t)(j - 1)] = L[j][0];
        S = d[0] + R;
        if (is_observed(R) && S > 0) {
            d[0] *= R / S;
            s->logdet += log(S);
            s->rank++;
        }
        if (s->trail.factor)
            put_factor(p, L, d,
                       s->trail.factor + i * (size_t)(p * (p + 1) / 2));
    }
}

INLINE void forward(const int p, const gi_pass *s, const double *y, double *v)
{
    const gi_chain *c = s->chain;
    double m[MOST] = {0};

    for (size_t i = 0; i < c->n; i++) {
        const double *slope = s->slope + i * (size_t)(p - 1);
        double R = noise_at(s, i), S = s->level[i] + R;
        double gain;

        gi_chain_move(p, c->step + i * gi_chain_stride(p), m);
        if (is_observed(R)) {
            v[i] = S > 0 ? y[i] - m[0] : 0;
            gain = S > 0 ? s->level[i] / S * v[i] : 0;
            m[0] += gain;
            for (int j = 1; j < p; j++)
                m[j] += slope[j - 1] * gain;
        } else {
            v[i] = m[0];
        }
        put_vector(p, m, i, s->trail.mean);
    }
}

double gi_pass_dot(const gi_pass *s, const double *v, const double *w)
{
    double sum = 0;

    for (size_t i = 0; i < s->chain->n; i++) {
        double R = noise_at(s, i), S = s->level[i] + R;

        if (is_observed(R) && S > 0)
            sum += v[i] * w[i] / S;
    }
    return sum;
}

/* ---------------------------------------------------------------- backward */

INLINE void backward(const int p, const gi_pass *s, double *v)
{
    const gi_chain *c = s->chain;
    double r[MOST] = {0}; /* of the place after, moved here: g */

    for (size_t i = c->n; i-- > 0;) {
        const double *slope = s->slope + i * (size_t)(p - 1);
        double R = noise_at(s, i), level = s->level[i], S = level + R;
        double tail = 0, whole;

        for (int j = 1; j < p; j++)
            tail += slope[j - 1] * r[j];
        whole = r[0] + tail;
        if (!is_observed(R)) {
            v[i] += level * whole;
        } else if (S > 0) {
            double inverse = 1 / S; /* ready before r is */

            /* g_0 + u, without the loss of digits where R is small */
            r[0] = (v[i] + R * r[0] - level * tail) * inverse;
            v[i] = (v[i] - level * whole) * inverse;
        }
        put_vector(p, r, i, s->trail.pull);
        gi_chain_move_back(p, c->step + i * gi_chain_stride(p), r);
    }
}

/* a'G a, not below 0 by rounding; a NaN stays. */
INLINE double quadratic(const int p, double G[MOST][MOST], const double *a)
{
    double sum = 0;

    for (int j = 0; j < p; j++) {
        double row = 0;

        for (int k = 0; k < p; k++)
            row += G[j][k] * a[k];
        sum += a[j] * row;
    }
    return sum < 0 ? 0 : sum;
}

/* G = F'G F. */
INLINE void congruence(const int p, const double *step, double G[MOST][MOST])
{
    double F[MOST][MOST], T[MOST][MOST];

    gi_chain_matrix(p, step, F);
    for (int j = 0; j < p; j++)
        for (int k = 0; k < p; k++) {
            T[j][k] = 0;
            for (int a = 0; a < p; a++)
                T[j][k] += G[j][a] * F[a][k];
        }
    for (int j = 0; j < p; j++)
        for (int k = 0; k <= j; k++) {
            G[j][k] = 0;
            for (int a = 0; a < p; a++)
                G[j][k] += F[a][j] * T[a][k];
            G[k][j] = G[j][k];
        }
}

/* G = W'G W + e e'/S, W the identity but for its first column a. */
INLINE void observe(const int p, double S, const double *a,
                    double G[MOST][MOST])
{
    double first = 1 / S + quadratic(p, G, a);

    for (int j = 1; j < p; j++) {
        double row = 0;

        for (int k = 0; k < p; k++)
            row += G[j][k] * a[k];
        G[0][j] = row;
    }
    G[0][0] = first;
    for (int j = 1; j < p; j++)
        G[j][0] = G[0][j];
}

INLINE void spread(const int p, const gi_pass *s, double *out)
{
    const gi_chain *c = s->chain;
    double G[MOST][MOST] = {{0}};

    for (size_t i = c->n; i-- > 0;) {
        const double *slope = s->slope + i * (size_t)(p - 1);
        double R = noise_at(s, i), level = s->level[i], S = level + R;
        double a[MOST] = {1}, k = level / S;

        for (int j = 1; j < p; j++)
            a[j] = slope[j - 1];
        if (!is_observed(R)) {
            out[i] = fmax(0, level * (1 - level * quadratic(p, G, a)));
        } else if (S > 0) {
            out[i] = 1 / S + k * k * quadratic(p, G, a);
            a[0] = R / S;
            for (int j = 1; j < p; j++)
                a[j] *= -k;
            observe(p, S, a, G);
        } else {
            out[i] = 0;
        }
        for (int j = 0; s->trail.grip && j < p; j++)
            put_vector(p, G[j], i * (size_t)p + (size_t)j, s->trail.grip);
        congruence(p, c->step + i * gi_chain_stride(p), G);
    }
}

/* ----------------------------------------------------------------- between */

/* L and d at a point, given what is observed before it. */
INLINE void arrive(const int p, const gi_pass *s, const gi_between *at,
                   double L[MOST][MOST], double *d)
{
    if (at->place > 0)
        get_factor(
            p, s->trail.factor + (at->place - 1) * (size_t)(p * (p + 1) / 2), L,
            d);
    advance(p, at->in, L, d);
}

INLINE double mean_at(const int p, const gi_pass *s, const gi_between *at)
{
    double L[MOST][MOST] = {{0}}, d[MOST] = {0}, m[MOST] = {0}, r[MOST] = {0};
    double whole;

    arrive(p, s, at, L, d);
    for (int j = 0; at->place > 0 && j < p; j++)
        m[j] = s->trail.mean[(at->place - 1) * (size_t)p + (size_t)j];
    for (int j = 0; at->place < s->chain->n && j < p; j++)
        r[j] = s->trail.pull[at->place * (size_t)p + (size_t)j];
    gi_chain_move(p, at->in, m);
    gi_chain_move_back(p, at->out, r);
    whole = r[0];
    for (int j = 1; j < p; j++)
        whole += L[j][0] * r[j];
    return m[0] + d[0] * whole;
}

INLINE double variance_at(const int p, const gi_pass *s, const gi_between *at)
{
    double L[MOST][MOST] = {{0}}, d[MOST] = {0}, G[MOST][MOST] = {{0}};
    double a[MOST] = {1};

    arrive(p, s, at, L, d);
    for (int j = 0; at->place < s->chain->n && j < p; j++)
        for (int k = 0; k < p; k++)
            G[j][k] =
                s->trail.grip[(at->place * (size_t)p + (size_t)j) * (size_t)p +
                              (size_t)k];
    congruence(p, at->out, G);
    for (int j = 1; j < p; j++)
        a[j] = L[j][0];
    return fmax(0, d[0] * (1 - d[0] * quadratic(p, G, a)));
}

/* ------------------------------------------------------- by number of states
 */

#define WITH(p)                                                                \
    static void filter_##p(gi_pass *s)                                         \
    {                                                                          \
        filter(p, s);                                                          \
    }                                                                          \
    static void forward_##p(const gi_pass *s, const double *y, double *v)      \
    {                                                                          \
        forward(p, s, y, v);                                                   \
    }                                                                          \
    static void backward_##p(const gi_pass *s, double *v)                      \
    {                                                                          \
        backward(p, s, v);                                                     \
    }                                                                          \
    static void spread_##p(const gi_pass *s, double *out)                      \
    {                                                                          \
        spread(p, s, out);                                                     \
    }                                                                          \
    static double mean_##p(const gi_pass *s, const gi_between *at)             \
    {                                                                          \
        return mean_at(p, s, at);                                              \
    }                                                                          \
    static double variance_##p(const gi_pass *s, const gi_between *at)         \
    {                                                                          \
        return variance_at(p, s, at);                                          \
    }

WITH(1)
WITH(2)
WITH(3)

static const struct {
    void (*filter)(gi_pass *s);
    void (*forward)(const gi_pass *s, const double *y, double *v);
    void (*backward)(const gi_pass *s, double *v);
    void (*spread)(const gi_pass *s, double *out);
    double (*mean)(const gi_pass *s, const gi_between *at);
    double (*variance)(const gi_pass *s, const gi_between *at);
} with[] = {
    [1] = {filter_1, forward_1, backward_1, spread_1, mean_1, variance_1},
    [2] = {filter_2, forward_2, backward_2, spread_2, mean_2, variance_2},
    [3] = {filter_3, forward_3, backward_3, spread_3, mean_3, variance_3},
};

void gi_pass_filter(gi_pass *s, const double *noise, double lambda,
                    double jitter)
{
    s->noise = noise;
    s->lambda = lambda;
    s->jitter = jitter;
    with[s->chain->states].filter(s);
}

void gi_pass_forward(const gi_pass *s, const double *y, double *v)
{
    with[s->chain->states].forward(s, y, v);
}

void gi_pass_backward(const gi_pass *s, double *v)
{
    with[s->chain->states].backward(s, v);
}

void gi_pass_spread(const gi_pass *s, double *out)
{
    with[s->chain->states].spread(s, out);
}

double gi_pass_mean(const gi_pass *s, const gi_between *at)
{
    return with[s->chain->states].mean(s, at);
}

double gi_pass_variance(const gi_pass *s, const gi_between *at)
{
    return with[s->chain->states].variance(s, at);
}
