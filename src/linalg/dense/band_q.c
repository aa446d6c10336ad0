/* band_q.c - the orthogonal matrix of a band reduction, Q = H_0 H_1 ..., as a
 * product with a few vectors or in full.
 *
 * In full it is built from behind, where H_k meets a matrix that is still the
 * identity outside the square it acts on: 4/3 n^3 flops instead of 2 n^3.
 * Reflectors of several panels go together as one wide I - V T V', which
 * makes the products longer.  The square grows over the rows whose reflectors
 * have been used, so that Q takes their place.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/band_inside.h"
#include "linalg/dense/gemm.h"

/* Rows of X, and columns of Q, that are one task. */
enum { ROWS = GI_BAND_Q_ROWS, COLS = GI_BAND_Q_COLUMNS };

/* Reflectors that are applied together, at least. */
enum { WIDTH = GI_BAND_Q_REFLECTORS };

/* ------------------------------------------------------------------- apply */

typedef struct application {
    const gi_band *q;
    int transposed;
    size_t m;
    char *x;
    size_t ldx;
    char *part; /* V'X of each stripe of rows, b x m */
    char *s;    /* their sum, and op(T) times it */
} application;

static char *part(const application *p, size_t i)
{
    return p->part + i * p->q->b * p->m * p->q->blas->size;
}

static size_t rows_from(const application *p, size_t i, size_t c, size_t *first)
{
    const size_t start = i * ROWS, end = gi_min_size(p->q->n, start + ROWS);

    *first = start > c ? start : c;
    return end > *first ? end - *first : 0;
}

static void project(const application *p, size_t k, size_t i)
{
    const gi_band *q = p->q;
    size_t j, rows = rows_from(p, i, (k + 1) * q->b, &j);

    q->blas->gemm(0, 0, q->b, p->m, rows, 1, gi_band_at(q, k * q->b, j), q->lda,
                  p->x + j * p->ldx * q->blas->size, p->ldx, 0, part(p, i),
                  p->m);
}

/* s = op(T) (sum of the parts), as b x m */
static void collect(const application *p, size_t k, size_t parts)
{
    const gi_band *q = p->q;

    for (size_t i = 0; i < parts; i++)
        q->blas->gemm(p->transposed, 0, q->b, p->m, q->b, 1, gi_band_t(q, k),
                      q->b, part(p, i), p->m, i > 0, p->s, p->m);
}

static void subtract(const application *p, size_t k, size_t i)
{
    const gi_band *q = p->q;
    size_t j, rows = rows_from(p, i, (k + 1) * q->b, &j);

    if (rows)
        q->blas->gemm(1, 0, rows, p->m, q->b, -1, gi_band_at(q, k * q->b, j),
                      q->lda, p->s, p->m, 1, p->x + j * p->ldx * q->blas->size,
                      p->ldx);
}

static void apply_panels(gi_run *run, const application *p)
{
    const gi_band *q = p->q;
    const size_t panels = q->panels, parts = (q->n + ROWS - 1) / ROWS;

    GI_PARALLEL(gi_band_threads(run, parts))
    for (size_t step = 0; step < panels; step++) {
        const size_t k = p->transposed ? step : panels - 1 - step;

        GI_TEAM_FOR
        for (size_t i = 0; i < parts; i++)
            project(p, k, i);
        GI_TEAM_ONE
        collect(p, k, parts);
        GI_TEAM_FOR
        for (size_t i = 0; i < parts; i++)
            subtract(p, k, i);
    }
}

/* X = op(Q) X with Q in full. */
static gram_status apply_formed(gi_run *run, const application *p)
{
    const gi_band *q = p->q;
    const size_t row = p->m * q->blas->size, step = p->ldx * q->blas->size;
    gram_status status;
    char *copy = NULL;

    GI_TRY(gi_alloc(run, &copy, q->n * p->m, q->blas->size));
    for (size_t i = 0; i < q->n; i++)
        memcpy(copy + i * row, p->x + i * step, row);
    if (q->blas == &gi_blas_double)
        GI_TRY(gi_gemm_double(run, p->transposed, 0, q->n, p->m, q->n, 1,
                              (double *)q->a, q->lda, (double *)copy, p->m, 0,
                              (double *)p->x, p->ldx));
    else
        GI_TRY(gi_gemm_single(run, p->transposed, 0, q->n, p->m, q->n, 1,
                              (float *)q->a, q->lda, (float *)copy, p->m, 0,
                              (float *)p->x, p->ldx));
done:
    gi_free(copy);
    return status;
}

gram_status gi_band_apply(gi_run *run, const gi_band *q, int transposed,
                          size_t m, void *x, size_t ldx)
{
    application p = {q, transposed, m, x, ldx, NULL, NULL};
    const size_t parts = (q->n + ROWS - 1) / ROWS;
    gram_status status = GRAM_OK;

    if (m == 0 || q->n == 0)
        return GRAM_OK;
    if (q->formed)
        return apply_formed(run, &p);
    GI_TRY(gi_alloc(run, &p.part, parts * q->b * m, q->blas->size));
    GI_TRY(gi_alloc(run, &p.s, q->b * m, q->blas->size));
    apply_panels(run, &p);
done:
    gi_free(p.part);
    gi_free(p.s);
    return status;
}

/* -------------------------------------------------------------------- form */

/* Panels first .. end-1 as one I - V T V'. */
typedef struct group {
    gi_band *q;
    size_t c;        /* V begins at this row */
    size_t width;    /* reflectors */
    size_t most, ld; /* reflectors that fit; leading dimension of V' */
    char *v;         /* V', width x (n - c) from column c on */
    char *t;
    char *scratch; /* 2 most^2 */
    char *s; /* V'Q and T V'Q of the columns of each task, most x n each */
} group;

static char *reflectors(const group *g, size_t i, size_t j)
{
    return g->v + (i * g->ld + j) * g->q->blas->size;
}

/* Copy the reflectors of panel k and couple them with those before. */
static void join(group *g, size_t k)
{
    const gi_band *q = g->q;
    const gi_blas *blas = q->blas;
    const size_t b = q->b, done = g->width, c = (k + 1) * b, ldt = g->most;
    char *more = g->scratch + ldt * ldt * blas->size;
    char *corner = g->t + (done * ldt + done) * blas->size;

    for (size_t r = 0; r < b; r++) {
        memset(reflectors(g, done + r, g->c), 0, (c - g->c) * blas->size);
        memcpy(reflectors(g, done + r, c), gi_band_at(q, k * b + r, c),
               (q->n - c) * blas->size);
        memset(g->t + (done + r) * ldt * blas->size, 0, done * blas->size);
        memcpy(corner + r * ldt * blas->size,
               gi_band_t(q, k) + r * b * blas->size, b * blas->size);
    }
    blas->gemm(0, 1, done, b, q->n - c, 1, reflectors(g, 0, c), g->ld,
               reflectors(g, done, c), g->ld, 0, g->scratch, ldt);
    blas->gemm(0, 0, done, b, done, 1, g->t, ldt, g->scratch, ldt, 0, more,
               ldt);
    blas->gemm(0, 0, done, b, b, -1, more, ldt, corner, ldt, 0,
               g->t + done * blas->size, ldt);
    g->width += b;
}

/* Rows first .. end-1 of the columns at j become those of the identity. */
static void set_identity(const gi_band *q, size_t first, size_t end, size_t j,
                         size_t cols)
{
    const double one = 1;

    for (size_t i = first; i < end; i++) {
        memset(gi_band_at(q, i, j), 0, cols * q->blas->size);
        if (j <= i && i < j + cols)
            q->blas->write(1, &one, gi_band_at(q, i, i), 1);
    }
}

/* The columns at j: those that the square did not have before are still the
 * identity's, and so are its new rows. */
static void apply_group(const group *g, size_t j, size_t cols)
{
    const gi_band *q = g->q;
    const gi_blas *blas = q->blas;
    const size_t n = q->n, inside = gi_min_size(n, g->c + g->width);
    char *s = g->s + 2 * g->most * j * blas->size;
    char *ts = s + g->most * cols * blas->size;
    const size_t fresh = j < inside ? gi_min_size(cols, inside - j) : 0;

    set_identity(q, g->c, n, j, fresh);
    set_identity(q, g->c, inside, j + fresh, cols - fresh);
    blas->gemm(0, 0, g->width, cols, n - g->c, 1, reflectors(g, 0, g->c), g->ld,
               gi_band_at(q, g->c, j), q->lda, 0, s, cols);
    blas->gemm(0, 0, g->width, cols, g->width, 1, g->t, g->most, s, cols, 0, ts,
               cols);
    blas->gemm(1, 0, n - g->c, cols, g->width, -1, reflectors(g, 0, g->c),
               g->ld, ts, cols, 1, gi_band_at(q, g->c, j), q->lda);
}

static gram_status form(gi_run *run, group *g)
{
    gi_band *q = g->q;
    const size_t panels = q->panels, several = g->most / q->b;
    const size_t behind = gi_min_size(q->n, (panels + 1) * q->b);
    gram_status status = GRAM_OK;

    set_identity(q, behind, q->n, behind, q->n - behind);
    for (size_t end = panels; end > 0 && status == GRAM_OK;) {
        const size_t first = end > several ? end - several : 0;
        const double left = (double)end / (double)panels;
        size_t tasks;

        g->c = (first + 1) * q->b;
        g->width = 0;
        for (size_t k = first; k < end; k++)
            join(g, k);
        tasks = (q->n - g->c + COLS - 1) / COLS;
        GI_PARALLEL_TASKS(gi_band_threads(run, tasks))
        for (size_t i = 0; i < tasks; i++) {
            const size_t j = g->c + i * COLS;

            apply_group(g, j, gi_min_size(COLS, q->n - j));
        }
        end = first;
        status = gi_run_tick(run, (1 - left) * (1 - left) * (1 - left));
    }
    set_identity(q, 0, gi_min_size(q->b, q->n), 0, q->n);
    for (size_t i = q->b; i < q->n; i++)
        memset(gi_band_at(q, i, 0), 0, q->b * q->blas->size);
    return status;
}

gram_status gi_band_form(gi_run *run, gi_band *q)
{
    const size_t most = (WIDTH + q->b - 1) / q->b * q->b, size = q->blas->size;
    group g = {.q = q, .most = most, .ld = q->n};
    gram_status status = GRAM_OK;

    if (q->formed || q->n == 0)
        return GRAM_OK;
    GI_TRY(gi_alloc(run, &g.v, most * q->n, size));
    GI_TRY(gi_alloc(run, &g.t, most * most, size));
    GI_TRY(gi_alloc(run, &g.scratch, 2 * most * most, size));
    GI_TRY(gi_alloc(run, &g.s, 2 * most * q->n, size));
    q->formed = 1;
    GI_TRY(form(run, &g));
done:
    gi_free(g.v);
    gi_free(g.t);
    gi_free(g.scratch);
    gi_free(g.s);
    return status;
}
