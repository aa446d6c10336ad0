/* cg.c - preconditioned conjugate gradients (Hestenes and Stiefel, 1952) for
 * several right-hand sides, each with its own recurrence; they share the
 * products, in which lies the cost.  A column that is done leaves the block.
 *
 * The trap: the recurrence's residual r goes on falling where the true one,
 * b - A x, has stopped.  So r only says when to check: a round of recurrences
 * ends when all columns claim to be done, then b - A x is computed, and those
 * that are not done start a new round from it.  A round that has not halved the
 * true residual is the last one of its column.
 *
 * Blocks are row-major, a column per right-hand side.  Sums run over stripes
 * of STRIPE rows, added in order: the same bits on any number of threads.
 * Cost: per step a product, a preconditioner and 10 n flops for each column.
 */
#include "linalg/iterative/cg.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/parallel.h"

enum { STRIPE = GI_CG_STRIPE_ROWS };

typedef struct state {
    gi_run *run;
    const gi_cg *cg;
    size_t n, m, step;
    const double *b;
    double *x;

    size_t *open; /* columns that are not done, and how many */
    size_t opens;
    size_t *active; /* those of them in the products of this round */
    size_t actives;

    double *r, *z, *p, *q; /* n x actives; z = r without preconditioner */
    double *length;        /* |b|, of all columns */
    double *residual;      /* |b - A x|, of all columns, by the last round */
    double *rz, *scale;    /* of active columns */
    double *sums;          /* of stripes */
    char *stay;            /* active columns that do not leave now */
} state;

static size_t stripes(const state *s)
{
    return s->n / STRIPE + (s->n % STRIPE > 0);
}

static size_t stripe_end(const state *s, size_t stripe)
{
    return stripe + 1 < stripes(s) ? (stripe + 1) * STRIPE : s->n;
}

/* out[c] = u_c'v_c for the columns of two n x m blocks. */
static void dots(const state *s, size_t m, const double *u, const double *v,
                 double *out)
{
    memset(s->sums, 0, stripes(s) * m * sizeof *s->sums);
    GI_PARALLEL_FOR(s->run->threads)
    for (size_t t = 0; t < stripes(s); t++)
        for (size_t i = t * STRIPE * m; i < stripe_end(s, t) * m; i += m)
            for (size_t c = 0; c < m; c++)
                s->sums[t * m + c] += u[i + c] * v[i + c];
    memset(out, 0, m * sizeof *out);
    for (size_t t = 0; t < stripes(s); t++)
        for (size_t c = 0; c < m; c++)
            out[c] += s->sums[t * m + c];
}

/* x += scale p, r -= scale q, column by column. */
static void advance(const state *s)
{
    size_t m = s->actives;

    GI_PARALLEL_FOR(s->run->threads)
    for (size_t i = 0; i < s->n; i++)
        for (size_t c = 0; c < m; c++) {
            s->x[i * s->m + s->active[c]] += s->scale[c] * s->p[i * m + c];
            s->r[i * m + c] -= s->scale[c] * s->q[i * m + c];
        }
}

/* p = z + scale p */
static void next_directions(const state *s)
{
    size_t m = s->actives;

    GI_PARALLEL_FOR(s->run->threads)
    for (size_t i = 0; i < s->n; i++)
        for (size_t c = 0; c < m; c++)
            s->p[i * m + c] = s->z[i * m + c] + s->scale[c] * s->p[i * m + c];
}

/* Drop the active columns with stay[c] = 0; r and p are closed up. */
static void leave(state *s)
{
    size_t m = s->actives, to = 0, left = 0;

    for (size_t c = 0; c < m; c++)
        if (s->stay[c]) {
            s->active[left] = s->active[c];
            s->rz[left++] = s->rz[c];
        }
    if (left == m)
        return;
    for (size_t i = 0; i < s->n * m; i++)
        if (s->stay[i % m]) {
            s->r[to] = s->r[i];
            s->p[to++] = s->p[i];
        }
    s->actives = left;
}

static gram_status not_positive(const state *s, const char *what, double value,
                                const char *whose)
{
    char text[GI_NUMBER_ROOM];

    gi_number_print(value, text);
    return gi_fail(GRAM_ERR_NUMERIC,
                   "conjugate gradients: %s is %s in step %zu, must be "
                   "positive: the %s is not positive definite",
                   what, text, s->step + 1, whose);
}

/* q = A p */
static gram_status multiply(const state *s)
{
    gi_run quiet = gi_run_share(s->run, 0, 0);

    return s->cg->multiply(s->cg->multiply_user, &quiet, s->p, s->actives,
                           s->q);
}

/* z = M^-1 r, out = r'z */
static gram_status precondition(const state *s, double *out)
{
    gi_run quiet = gi_run_share(s->run, 0, 0);
    gram_status status = GRAM_OK;

    if (s->cg->precondition)
        status = s->cg->precondition(s->cg->precondition_user, &quiet, s->r,
                                     s->actives, s->z);
    dots(s, s->actives, s->r, s->z, out);
    for (size_t c = 0; c < s->actives && status == GRAM_OK; c++)
        if (!(out[c] > 0))
            status = not_positive(s, "r'M^-1 r", out[c], "preconditioner");
    return status;
}

/* Drop the columns whose recurrence claims to be done.  *worst is the largest
 * relative residual of all that were active. */
static void drop_claims(state *s, double *worst)
{
    double enough = fmax(s->cg->tolerance, DBL_EPSILON);

    *worst = 0;
    dots(s, s->actives, s->r, s->r, s->scale);
    for (size_t c = 0; c < s->actives; c++) {
        double residual = sqrt(s->scale[c]) / s->length[s->active[c]];

        s->stay[c] = residual > enough;
        *worst = fmax(*worst, residual);
    }
    leave(s);
}

static gram_status report(const state *s, double worst)
{
    double share = (double)s->step / (double)s->cg->steps;
    double digits = log(fmin(worst, 1)) / log(fmax(s->cg->tolerance, DBL_MIN));
    gram_status status = GRAM_OK;

    if (s->cg->watch)
        status = s->cg->watch(s->cg->watch_user, s->step, worst);
    if (status == GRAM_OK)
        status = gi_run_tick(s->run, fmin(fmax(share, digits), 1));
    return status;
}

/* A round, from r = b - A x of the active columns. */
static gram_status iterate(state *s)
{
    gram_status status;
    double worst;

    GI_TRY(precondition(s, s->rz));
    memcpy(s->p, s->z, s->n * s->actives * sizeof *s->p);
    for (;;) {
        GI_TRY(multiply(s));
        dots(s, s->actives, s->p, s->q, s->scale);
        for (size_t c = 0; c < s->actives; c++) {
            if (!(s->scale[c] > 0))
                GI_TRY(not_positive(s, "p'Ap", s->scale[c], "matrix"));
            s->scale[c] = s->rz[c] / s->scale[c];
        }
        advance(s);
        s->step++;
        drop_claims(s, &worst);
        GI_TRY(report(s, worst));
        if (s->actives == 0 || s->step == s->cg->steps)
            break;
        GI_TRY(precondition(s, s->scale));
        for (size_t c = 0; c < s->actives; c++) {
            double rz = s->scale[c];

            s->scale[c] = rz / s->rz[c];
            s->rz[c] = rz;
        }
        next_directions(s);
    }
done:
    return status;
}

/* All open columns become active, with r = b - A x. */
static gram_status find_residuals(state *s)
{
    size_t m = s->opens;
    gram_status status = GRAM_OK;
    int zero = 1;

    memcpy(s->active, s->open, m * sizeof *s->active);
    s->actives = m;
    for (size_t i = 0; i < s->n * m; i++) {
        s->p[i] = s->x[i / m * s->m + s->active[i % m]];
        s->q[i] = 0;
        zero &= s->p[i] == 0;
    }
    if (!zero)
        status = multiply(s);
    for (size_t i = 0; i < s->n * m; i++)
        s->r[i] = s->b[i / m * s->m + s->active[i % m]] - s->q[i];
    dots(s, m, s->r, s->r, s->scale);
    return status;
}

/* Keep open the columns that are not done and whose last round helped. */
static gram_status close_columns(state *s)
{
    s->opens = 0;
    for (size_t c = 0; c < s->actives; c++) {
        size_t col = s->active[c];
        double now = sqrt(s->scale[c]), before = s->residual[col];

        if (!isfinite(now))
            return gi_fail(GRAM_ERR_NUMERIC,
                           "conjugate gradients: the residual of right-hand "
                           "side %zu is not finite after step %zu",
                           col, s->step);
        s->residual[col] = now;
        s->stay[c] = now > s->cg->tolerance * s->length[col] &&
                     now <= before / 2 && s->step < s->cg->steps;
        if (s->stay[c])
            s->open[s->opens++] = col;
    }
    leave(s);
    return GRAM_OK;
}

/* x = 0 where b = 0; the other columns are open. */
static void open_columns(state *s)
{
    dots(s, s->m, s->b, s->b, s->length);
    for (size_t c = 0; c < s->m; c++) {
        s->length[c] = sqrt(s->length[c]);
        s->residual[c] = s->length[c] > 0 ? INFINITY : 0;
        if (s->length[c] > 0)
            s->open[s->opens++] = c;
        for (size_t i = 0; i < s->n && s->length[c] == 0; i++)
            s->x[i * s->m + c] = 0;
    }
}

static void summarise(const state *s, gi_cg_result *out)
{
    *out = (gi_cg_result){.steps = s->step};
    for (size_t c = 0; c < s->m; c++)
        if (s->length[c] > 0)
            out->residual = fmax(out->residual, s->residual[c] / s->length[c]);
    out->converged = out->residual <= s->cg->tolerance;
}

static void release(state *s)
{
    gi_free(s->sums);
    gi_free(s->scale);
    gi_free(s->rz);
    gi_free(s->residual);
    gi_free(s->length);
    gi_free(s->stay);
    gi_free(s->active);
    gi_free(s->open);
    if (s->z != s->r)
        gi_free(s->z);
    gi_free(s->q);
    gi_free(s->p);
    gi_free(s->r);
}

gram_status gi_cg_solve(gi_run *run, const gi_cg *cg, size_t n, size_t m,
                        const double *b, double *x, gi_cg_result *out)
{
    state s = {.run = run, .cg = cg, .n = n, .m = m, .b = b, .x = x};
    gram_status status;
    size_t size;

    GI_TRY(gi_size_mul(n, m, &size));
    GI_TRY(GI_NEW(run, s.r, size));
    GI_TRY(GI_NEW(run, s.p, size));
    GI_TRY(GI_NEW(run, s.q, size));
    s.z = s.r;
    if (cg->precondition)
        GI_TRY(GI_NEW(run, s.z, size));
    GI_TRY(GI_NEW(run, s.open, m));
    GI_TRY(GI_NEW(run, s.active, m));
    GI_TRY(GI_NEW(run, s.stay, m));
    GI_TRY(GI_NEW(run, s.length, m));
    GI_TRY(GI_NEW(run, s.residual, m));
    GI_TRY(GI_NEW(run, s.rz, m));
    GI_TRY(GI_NEW(run, s.scale, m));
    GI_TRY(GI_NEW(run, s.sums, stripes(&s) * m));
    open_columns(&s);
    for (;;) {
        GI_TRY(find_residuals(&s));
        GI_TRY(close_columns(&s));
        if (s.opens == 0)
            break;
        GI_TRY(iterate(&s));
    }
    summarise(&s, out);
done:
    release(&s);
    return status;
}
