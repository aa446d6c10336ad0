/* interpolate.c - the minimum-norm interpolant by pivoted Cholesky.
 *
 * With E, L and the pivots p of singular.h, f = E g on the rows, g its values
 * at the pivots, and |f|^2 = |L^-1 g|^2; alpha_p = A_pp^-1 g.  An intercept b
 * leaves for g, in the norm of the weights,
 *
 *     y - b = E g + error,   g = c - b q,   c = E^+ y,  q = E^+ 1
 *
 * If 1 is not in the range of E, its part v outside of it decides on b; if it
 * is, every b fits as well, and the smallest norm decides:
 *
 *     b = v'y/v'v   or   b = o'h/o'o,   h = L^-1 c,   o = L^-1 q
 *
 * Range means up to sqrt(n u), since K is known up to n u.
 */
#include "solvers/linear/interpolate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "solvers/linear/singular.h"

/* The intercept's part. */
typedef struct constant {
    double *outside; /* v, times the root of the weights */
    double size;     /* v'v; 0: 1 is in the range */
    double *o;       /* L^-1 q */
} constant;

static gram_status pivot_rows(gi_run *run, const gi_problem *p,
                              const double *diagonal, gi_singular **out)
{
    return gi_singular_new(run, p->n, diagonal, gi_system_rows, (void *)p->K,
                           p->noise, out);
}

static double dot(size_t n, const double *a, size_t step_a, const double *b,
                  size_t step_b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i * step_a] * b[i * step_b];
    return sum;
}

static void constant_free(constant *c)
{
    gi_free(c->outside);
    gi_free(c->o);
}

static gram_status constant_new(gi_run *run, const gi_problem *p,
                                const gi_singular *s, constant *c)
{
    const size_t n = p->n;
    double all = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, c->outside, n));
    GI_TRY(GI_NEW(run, c->o, s->rank));
    for (size_t i = 0; i < n; i++) {
        c->outside[i] = 1 / sqrt(gi_system_noise(p, i));
        all += c->outside[i] * c->outside[i];
    }
    GI_TRY(gi_singular_fit(s, 1, c->outside, c->o));
    GI_TRY(gi_singular_expand(s, 1, -1, c->o, 1, c->outside));
    GI_TRY(gi_singular_forward(s, 1, c->o));
    c->size = dot(n, c->outside, 1, c->outside, 1);
    if (c->size <= (double)n * DBL_EPSILON * all)
        c->size = 0;
done:
    return status;
}

/* b of target j: y are weighted rows, h = L^-1 c. */
static double intercept_of(const constant *c, size_t n, size_t rank, size_t t,
                           const double *y, const double *h)
{
    if (c->size > 0)
        return dot(n, c->outside, 1, y, t) / c->size;
    return dot(rank, c->o, 1, h, t) / dot(rank, c->o, 1, c->o, 1);
}

gram_status gi_interpolate_solve(gi_run *run, const gi_system *s,
                                 gi_solution *out)
{
    const gi_problem *p = s->p;
    const size_t n = p->n, t = p->targets;
    gi_singular *k = NULL;
    constant one = {0};
    double *y = NULL, *h = NULL;
    gram_status status;

    GI_TRY(pivot_rows(run, p, s->diagonal, &k));
    out->rank = k->rank;
    GI_TRY(GI_NEW(run, y, n * t));
    GI_TRY(GI_NEW(run, h, k->rank * t));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t; j++)
            y[i * t + j] =
                (p->y[i * t + j] - s->mean[j]) / sqrt(gi_system_noise(p, i));
    GI_TRY(gi_singular_fit(k, t, y, h));
    GI_TRY(gi_singular_forward(k, t, h));
    GI_TRY(GI_NEW_ZERO(run, out->intercept, t));
    if (p->intercept) {
        GI_TRY(constant_new(run, p, k, &one));
        for (size_t j = 0; j < t; j++) {
            double b = intercept_of(&one, n, k->rank, t, y + j, h + j);

            out->intercept[j] = s->mean[j] + b;
            for (size_t i = 0; i < k->rank; i++)
                h[i * t + j] -= b * one.o[i];
        }
    }
    GI_TRY(gi_singular_backward(k, t, h));
    GI_TRY(GI_NEW_ZERO(run, out->alpha, n * t));
    for (size_t i = 0; i < k->rank; i++)
        memcpy(out->alpha + k->pivot[i] * t, h + i * t, t * sizeof *h);
done:
    constant_free(&one);
    gi_free(h);
    gi_free(y);
    gi_singular_free(k);
    return status;
}

/* ----------------------------------------------------------------- variance */

/* Take from the prior variances of m rows what their columns, n x m, explain;
 * h is room for rank x m. */
static gram_status explain(const gi_singular *k, const constant *one, size_t m,
                           const double *columns, double *h, double *out)
{
    gram_status status = GRAM_OK;
    double size = one->o ? dot(k->rank, one->o, 1, one->o, 1) : 0;

    for (size_t i = 0; i < k->rank; i++)
        for (size_t j = 0; j < m; j++)
            h[i * m + j] = columns[k->pivot[i] * m + j];
    GI_TRY(gi_singular_forward(k, m, h));
    for (size_t j = 0; j < m; j++) {
        double off = one->o ? 1 - dot(k->rank, one->o, 1, h + j, m) : 0;

        out[j] = fmax(0, out[j] - dot(k->rank, h + j, m, h + j, m));
        if (one->o && one->size == 0)
            out[j] += off * off / size;
    }
done:
    return status;
}

gram_status gi_interpolate_variance(gi_run *run, const gi_problem *p,
                                    const gi_operator *T, double *out)
{
    enum { ROWS = GI_SYSTEM_ROWS };
    const size_t n = p->n;
    gi_singular *k = NULL;
    constant one = {0};
    double *diagonal = NULL, *columns = NULL, *room = NULL, *h = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, diagonal, n));
    GI_TRY(gi_operator_diagonal(p->K, run, diagonal));
    GI_TRY(pivot_rows(run, p, diagonal, &k));
    if (p->intercept)
        GI_TRY(constant_new(run, p, k, &one));
    GI_TRY(GI_NEW(run, columns, n * ROWS));
    GI_TRY(GI_NEW(run, room, n * ROWS));
    GI_TRY(GI_NEW(run, h, k->rank * ROWS));
    GI_TRY(gi_operator_prepare(T, run, &gi_blas_double));
    GI_TRY(gi_operator_diagonal(T, run, out));
    for (size_t row = 0; row < T->rows; row += ROWS) {
        size_t m = T->rows - row < ROWS ? T->rows - row : ROWS;

        GI_TRY(
            gi_system_columns(run, T, &gi_blas_double, row, m, room, columns));
        GI_TRY(explain(k, &one, m, columns, h, out + row));
        GI_TRY(gi_run_tick(run, (double)(row + m) / (double)T->rows));
    }
done:
    gi_free(h);
    gi_free(room);
    gi_free(columns);
    gi_free(diagonal);
    constant_free(&one);
    gi_singular_free(k);
    return status;
}
