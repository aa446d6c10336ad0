/* smo_newton.c - a step of all free variables of the working set at once.
 *
 * Steps of two variables crawl where K is nearly singular and the box is wide.
 * With the variables F that are at no bound, the step d to the minimum where
 * all others stay has
 *
 *     K_FF d + A mu = -gradient_F,   A'd = c
 *
 * where a column of A adds up a group of variables, whose sum stays, or picks
 * one that the step would take out of the box and that goes to its bound
 * instead.  With V = K_FF^-1 A and u = -K_FF^-1 gradient_F from one Cholesky
 * factor, d = u - V mu and A'V mu = A'u - c.  Variables are picked, half of
 * those that leave the box at a time, until none does.
 *
 * The factor is in single precision, but the part of the step that is taken is
 * the best by sums in double, so the objective falls whatever its errors.
 * Steps of two then find what should leave or enter F.
 *
 * Cost: |F|^3/3 flops, and 2 |F|^2 for each one that is picked.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "linalg/dense/chol.h"
#include "solvers/svm/smo_inside.h"

/* Fewer variables are left to steps of two; more picked ones are too many, and
 * so are more rounds. */
enum {
    MIN_VARIABLES = GI_SMO_NEWTON_MIN,
    PICKED = GI_SMO_NEWTON_PICKED,
    ROUNDS = 24
};
enum { CONSTRAINTS = PICKED + GI_SMO_GROUPS };
/* Added to the diagonal, relative to it and for each variable: what rounding
 * in single precision could take from it. */
#define RIDGE 1.2e-7f

typedef struct newton {
    gi_smo_state *s;
    size_t n;          /* variables */
    size_t *at;        /* elements of the set */
    const float **row; /* of K */
    gi_chol *factor;
    float *u, *b;             /* n; room for solving, n x PICKED + GROUPS */
    float *v;                 /* a row of n for each constraint */
    size_t sums, constraints; /* of groups, all */
    size_t group[GI_SMO_GROUPS];
    size_t pick[PICKED];
    double goal[CONSTRAINTS], mu[CONSTRAINTS];
    double *system, *factored; /* A'V, CONSTRAINTS^2 */
    double *by, *ratio;        /* how far each goes; part that is in the box */
    double *sorted;
    double *change; /* of the gradient, all elements */
} newton;

static gram_status begin(gi_run *run, newton *w)
{
    const size_t edge = w->s->edge;
    gram_status status;

    GI_TRY(GI_NEW(run, w->at, edge));
    GI_TRY(GI_NEW(run, w->row, edge));
    for (size_t i = 0; i < edge; i++)
        if (w->s->up[i] == 0 && w->s->down[i] == 0) {
            w->row[w->n] = w->s->k + i * edge;
            w->at[w->n++] = i;
        }
    GI_TRY(GI_NEW(run, w->u, w->n));
    GI_TRY(GI_NEW(run, w->b, w->n * CONSTRAINTS));
    GI_TRY(GI_NEW(run, w->v, w->n * CONSTRAINTS));
    GI_TRY(GI_NEW(run, w->system, CONSTRAINTS * CONSTRAINTS));
    GI_TRY(GI_NEW(run, w->factored, CONSTRAINTS * CONSTRAINTS));
    GI_TRY(GI_NEW(run, w->by, w->n));
    GI_TRY(GI_NEW(run, w->ratio, w->n));
    GI_TRY(GI_NEW(run, w->sorted, w->n));
    GI_TRY(GI_NEW_ZERO(run, w->change, edge));
done:
    return status;
}

static void end(newton *w)
{
    gi_chol_free(w->factor);
    gi_free(w->at);
    gi_free(w->row);
    gi_free(w->u);
    gi_free(w->b);
    gi_free(w->v);
    gi_free(w->system);
    gi_free(w->factored);
    gi_free(w->by);
    gi_free(w->ratio);
    gi_free(w->sorted);
    gi_free(w->change);
}

static size_t group_of(const newton *w, size_t i)
{
    return w->at[i] >= w->s->border;
}

/* How far variable i may go down and up. */
static void room(const newton *w, size_t i, double *below, double *above)
{
    const gi_smo_state *s = w->s;
    const size_t v = s->set[s->local[w->at[i]]];

    *below = s->q->low[v] - s->a[v];
    *above = s->q->high[v] - s->a[v];
}

/* ---------------------------------------------------------------- direction */

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const newton *w = user;
    const float more = 1 + RIDGE * (float)w->n;
    float *out = tile;

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            const float k = w->row[row + r][w->at[col + c]];

            out[r * ld + c] = row + r == col + c ? more * k : k;
        }
    return GRAM_OK;
}

/* a'x of constraint p. */
static double along(const newton *w, size_t p, const float *x)
{
    double sum = 0;

    if (p >= w->sums)
        return (double)x[w->pick[p - w->sums]];
    for (size_t i = 0; i < w->n; i++)
        if (group_of(w, i) == w->group[p])
            sum += (double)x[i];
    return sum;
}

/* V and A'V of constraints from `first` on. */
static gram_status add_constraints(gi_run *run, newton *w, size_t first)
{
    const size_t m = w->constraints - first;
    gram_status status;

    memset(w->b, 0, w->n * m * sizeof *w->b);
    for (size_t p = first; p < w->constraints; p++)
        if (p >= w->sums)
            w->b[w->pick[p - w->sums] * m + p - first] = 1;
    for (size_t p = first; p < w->sums; p++)
        for (size_t i = 0; i < w->n; i++)
            w->b[i * m + p - first] = group_of(w, i) == w->group[p];
    GI_TRY(gi_chol_solve(run, w->factor, m, w->b, m));
    for (size_t p = first; p < w->constraints; p++) {
        float *v = w->v + p * w->n;

        for (size_t i = 0; i < w->n; i++)
            v[i] = w->b[i * m + p - first];
        for (size_t q = 0; q <= p; q++)
            w->system[q * CONSTRAINTS + p] = along(w, q, v);
    }
done:
    return status;
}

/* The factor, u, and the sums that stay; no positive pivots: *good = 0. */
static gram_status factor(gi_run *run, newton *w, int *good)
{
    size_t count[GI_SMO_GROUPS] = {0};
    gram_status status;

    GI_TRY(gi_chol_new(run, &gi_blas_single, w->n, 0, &w->factor));
    status = gi_chol_factor(run, w->factor, fill, w);
    *good = status == GRAM_OK;
    if (status == GRAM_ERR_NUMERIC)
        status = GRAM_OK; /* K is not positive semidefinite */
    if (!*good)
        goto done;
    for (size_t i = 0; i < w->n; i++) {
        w->u[i] = -w->s->g[w->at[i]];
        count[group_of(w, i)]++;
    }
    GI_TRY(gi_chol_solve(run, w->factor, 1, w->u, 1));
    for (size_t g = 0; g < w->s->q->groups; g++)
        if (count[g])
            w->group[w->sums++] = g;
    w->constraints = w->sums;
    GI_TRY(add_constraints(run, w, 0));
done:
    return status;
}

/* d with all constraints; 0: they contradict each other. */
static int aim(newton *w)
{
    const size_t m = w->constraints;
    const gi_blas *blas = &gi_blas_double;

    for (size_t p = 0; p < m; p++)
        w->mu[p] = along(w, p, w->u) - (p < w->sums ? 0 : w->goal[p - w->sums]);
    memcpy(w->factored, w->system, sizeof(double) * CONSTRAINTS * CONSTRAINTS);
    if (m && blas->potrf(m, w->factored, CONSTRAINTS) != m)
        return 0;
    if (m) {
        blas->trsm(1, m, 1, w->factored, CONSTRAINTS, w->mu, 1);
        blas->trsm(0, m, 1, w->factored, CONSTRAINTS, w->mu, 1);
    }
    for (size_t i = 0; i < w->n; i++)
        w->by[i] = (double)w->u[i];
    for (size_t p = 0; p < m; p++)
        for (size_t i = 0; i < w->n; i++)
            w->by[i] -= w->mu[p] * (double)w->v[p * w->n + i];
    for (size_t p = w->sums; p < m; p++)
        w->by[w->pick[p - w->sums]] = w->goal[p - w->sums];
    return 1;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Pick variables that leave the box, the half that does so first.  Whether
 * there was room for all of those; *left = 0: none leaves. */
static int pick(newton *w, size_t *left)
{
    double below, above, least;

    *left = 0;
    for (size_t i = 0; i < w->n; i++) {
        room(w, i, &below, &above);
        w->ratio[i] = w->by[i] > above   ? above / w->by[i]
                      : w->by[i] < below ? below / w->by[i]
                                         : INFINITY;
        if (w->ratio[i] < INFINITY)
            w->sorted[(*left)++] = w->ratio[i];
    }
    if (*left == 0)
        return 1;
    qsort(w->sorted, *left, sizeof *w->sorted, by_size);
    least = w->sorted[(*left - 1) / 2];
    for (size_t i = 0; i < w->n; i++) {
        if (!(w->ratio[i] <= least))
            continue;
        if (w->constraints == w->sums + PICKED)
            return 0;
        room(w, i, &below, &above);
        w->goal[w->constraints - w->sums] = w->by[i] > 0 ? above : below;
        w->pick[w->constraints++ - w->sums] = i;
    }
    return 1;
}

/* The step; *good = 0: none was found. */
static gram_status find_step(gi_run *run, newton *w, int *good)
{
    gram_status status;

    GI_TRY(factor(run, w, good));
    for (int round = 0; *good; round++) {
        const size_t before = w->constraints;
        size_t left;

        *good = aim(w) && pick(w, &left) && round < ROUNDS;
        if (!*good || left == 0)
            break;
        GI_TRY(add_constraints(run, w, before));
    }
done:
    return status;
}

/* ---------------------------------------------------------------------- step
 */

/* What rounding left of the sum of a group goes to its variable with most
 * room. */
static void balance(newton *w, size_t g)
{
    double sum = 0, most = 0, below, above;
    size_t best = w->n;

    for (size_t i = 0; i < w->n; i++) {
        if (group_of(w, i) != g)
            continue;
        sum += w->by[i];
        room(w, i, &below, &above);
        below = fmin(w->by[i] - below, above - w->by[i]);
        if (below > most) {
            most = below;
            best = i;
        }
    }
    if (best < w->n)
        w->by[best] -= sum;
}

/* The part of the step that is best, at most all of it. */
static double best_part(newton *w)
{
    double slope = 0, bend = 0;

    gi_cpu_table()->add_rows(w->s->edge, w->change, w->row, 0, w->by, w->n);
    for (size_t i = 0; i < w->n; i++) {
        slope += (double)w->s->g[w->at[i]] * w->by[i];
        bend += w->change[w->at[i]] * w->by[i];
    }
    if (!(slope < 0))
        return 0;
    return bend > -slope ? -slope / bend : 1;
}

static void go(newton *w, double part)
{
    gi_smo_state *s = w->s;
    double below, above;

    for (size_t i = 0; i < w->n; i++) {
        const size_t v = s->set[s->local[w->at[i]]];

        room(w, i, &below, &above);
        if (part * w->by[i] >= above)
            s->a[v] = s->q->high[v];
        else if (part * w->by[i] <= below)
            s->a[v] = s->q->low[v];
        else
            s->a[v] += part * w->by[i];
        gi_smo_mark(s, w->at[i]);
    }
    for (size_t i = 0; i < s->edge; i++)
        s->g[i] = (float)((double)s->g[i] + part * w->change[i]);
}

gram_status gi_smo_newton(gi_run *run, gi_smo_state *s, int *good)
{
    newton w = {.s = s};
    double part = 0;
    gram_status status;

    *good = 0;
    GI_TRY(begin(run, &w));
    if (w.n >= MIN_VARIABLES)
        GI_TRY(find_step(run, &w, good));
    for (size_t g = 0; *good && g < w.sums; g++)
        balance(&w, w.group[g]);
    if (*good)
        part = best_part(&w);
    if (part > 0)
        go(&w, part);
    *good = part > 0;
done:
    end(&w);
    return status;
}

size_t gi_smo_newton_bytes(size_t edge)
{
    return gi_chol_bytes(edge, &gi_blas_single) +
           2 * CONSTRAINTS * CONSTRAINTS * sizeof(double) +
           edge * (sizeof(size_t) + sizeof(float *) +
                   (1 + 2 * CONSTRAINTS) * sizeof(float) + 4 * sizeof(double));
}
