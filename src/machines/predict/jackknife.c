/* jackknife.c - intervals that believe in no noise model: jackknife+.
 *
 * With r_i the leave-one-out residual of row i and f_{-i} the machine fitted
 * without it, the interval at x with miscoverage a goes from the
 * floor(a (n+1))-th smallest of f_{-i}(x) - |r_i| to the
 * ceil((1-a)(n+1))-th smallest of f_{-i}(x) + |r_i|.  For exchangeable rows it
 * covers with probability at least 1 - 2a, and nearly 1 - a in practice
 * (Barber, Candes, Ramdas, Tibshirani, Ann. Statist. 49, 2021, theorem 1).
 *
 * To leave out row i is to replace y_i by what the others say of it, y_i - r_i,
 * so f_{-i}(x) = f(x) - c_i(x) r_i with c the weights of posterior.c, and
 * r_i = alpha_i/P_ii.  No machine is fitted anew; all numbers stay as chosen.
 *
 * Cost: n^3 once, then n^2 a row.
 */
#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "machines/predict/predict.h"
#include "solvers/system.h"

enum { ROWS = GI_SYSTEM_ROWS };

typedef struct jackknife {
    const gi_query *a;
    gi_posterior p;
    size_t n;
    size_t low, high; /* order statistics, from 1; 0 and n + 1: infinite */
    double *r;        /* n x targets of the solution */
    double *c, *room; /* n x ROWS */
    double left[ROWS];
} jackknife;

static void swap(double *a, double *b)
{
    double t = *a;

    *a = *b;
    *b = t;
}

/* The k-th smallest of n numbers, from 0; they are moved (Hoare's find). */
static double select_at(double *x, size_t n, size_t k)
{
    size_t from = 0, to = n - 1;

    while (from < to) {
        double pivot = x[from + (to - from) / 2];
        size_t i = from - 1, j = to + 1;

        for (;;) {
            do
                i++;
            while (x[i] < pivot);
            do
                j--;
            while (x[j] > pivot);
            if (i >= j)
                break;
            swap(&x[i], &x[j]);
        }
        if (k <= j)
            to = j;
        else
            from = j + 1;
    }
    return x[k];
}

/* --------------------------------------------------------------- residuals */

/* The diagonal of A^-1: the squares of L^-1 by columns, ROWS of them at a
 * time. */
static gram_status inverse_diagonal(jackknife *k, double *out)
{
    gram_status status = GRAM_OK;
    size_t n = k->n;

    for (size_t from = 0; from < n; from += ROWS) {
        size_t m = n - from < ROWS ? n - from : ROWS;

        for (size_t i = 0; i < n * m; i++)
            k->c[i] = 0;
        for (size_t j = 0; j < m; j++) {
            k->c[(from + j) * m + j] = 1;
            out[from + j] = 0;
        }
        GI_TRY(gi_chol_forward(k->a->run, k->p.s->factor, m, k->c, m));
        for (size_t i = from; i < n; i++)
            for (size_t j = 0; j < m; j++)
                out[from + j] += k->c[i * m + j] * k->c[i * m + j];
    }
done:
    return status;
}

/* r_i = alpha_i/P_ii; infinite where the others say nothing of row i. */
static gram_status residuals(jackknife *k)
{
    gram_status status = GRAM_OK;
    const double *inverse = k->p.s->inverse_one;
    size_t T = k->p.p.targets;
    double *P = NULL, one = 0;

    GI_TRY(GI_NEW(k->a->run, P, k->n));
    GI_TRY(inverse_diagonal(k, P));
    for (size_t i = 0; inverse && i < k->n; i++)
        one += inverse[i];
    for (size_t i = 0; i < k->n; i++) {
        double whole = P[i];

        if (inverse)
            P[i] -= inverse[i] * inverse[i] / one;
        for (size_t t = 0; t < T; t++)
            k->r[i * T + t] = P[i] > 1e-12 * whole
                                  ? k->p.s->alpha[i * T + t] / P[i]
                                  : INFINITY;
    }
done:
    gi_free(P);
    return status;
}

/* --------------------------------------------------------------- intervals */

/* The k-th smallest of f_{-i}(x) + sign |r_i| for column j of c. */
static double bound(const jackknife *k, size_t m, size_t j, size_t target,
                    double mean, double sign, double *room)
{
    size_t T = k->p.p.targets, at = sign < 0 ? k->low : k->high;

    if (at == 0 || at > k->n)
        return sign * INFINITY;
    for (size_t i = 0; i < k->n; i++) {
        double r = k->r[i * T + target];

        room[i] = isinf(r) ? sign * INFINITY
                           : mean - k->c[i * m + j] * r + sign * fabs(r);
    }
    return select_at(room, k->n, at - 1);
}

static gram_status intervals(jackknife *k, size_t q, const double *mean,
                             double *lower, double *upper)
{
    gram_status status = GRAM_OK;
    const gi_query *a = k->a;
    size_t T = a->m->outputs.count, each = k->p.p.targets;

    GI_TRY(gi_operator_prepare(a->T, a->run, &gi_blas_double));
    for (size_t from = 0; from < a->rows; from += ROWS) {
        size_t m = a->rows - from < ROWS ? a->rows - from : ROWS;

        GI_TRY(gi_posterior_columns(a->run, &k->p, a->T, from, m, k->room, k->c,
                                    k->left));
        GI_PARALLEL_TASKS(a->run->threads)
        for (size_t j = 0; j < m; j++)
            for (size_t t = 0; t < each; t++) {
                size_t at = (from + j) * T + q + t;
                double *room = k->room + j * k->n;

                if (lower)
                    lower[at] = bound(k, m, j, t, mean[at], -1, room);
                if (upper)
                    upper[at] = bound(k, m, j, t, mean[at], 1, room);
            }
        GI_TRY(gi_run_tick(a->run, (double)(from + m) / (double)a->rows));
    }
done:
    return status;
}

gram_status gi_predict_jackknife(const gi_query *a, double interval,
                                 const double *mean, double *lower,
                                 double *upper)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    double more = (double)m->expansion.n + 1, a_more = (1 - interval) * more;
    /* (1 - 0.9) (n + 1) is not to be just below a whole number */
    const double slack = 1e-9;
    jackknife k = {.a = a,
                   .n = m->expansion.n,
                   .low = (size_t)floor(a_more + slack),
                   .high = (size_t)ceil(more - a_more - slack)};

    if (k.low < 1 || k.high > m->expansion.n)
        return gi_fail(GRAM_ERR_RANGE,
                       "interval %g by jackknife+: %zu training rows, it takes "
                       "at least %.0f",
                       interval, m->expansion.n,
                       ceil(1 / (1 - interval) - slack) - 1);
    GI_TRY(GI_NEW(a->run, k.r, m->expansion.n * m->outputs.count));
    GI_TRY(GI_NEW(a->run, k.c, m->expansion.n * ROWS));
    GI_TRY(GI_NEW(a->run, k.room, m->expansion.n * ROWS));
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        GI_TRY(gi_posterior_new(a->run, m, q, 1, &k.p));
        GI_TRY(residuals(&k));
        GI_TRY(intervals(&k, q, mean, lower, upper));
        gi_posterior_free(&k.p);
        k.p = (gi_posterior){0};
    }
done:
    gi_posterior_free(&k.p);
    gi_free(k.r);
    gi_free(k.c);
    gi_free(k.room);
    return status;
}
