/* band.c - reduces a full symmetric matrix to a band, panel by panel.
 *
 * Panel k is factored, P' = H R, and H is applied from both sides to what is
 * behind it (Dongarra, Sorensen, Hammarling 1989; Bischof, Lang, Sun 2000):
 *
 *     X = A V,   W = X T - V S,   S = T'(V'X) T/2,   A = A - V W' - W V'
 *
 * with H = I - V T V': half of the 4/3 n^3 flops are products of A with b
 * columns, half are updates of rank 2b.  Columns are cut into stripes at
 * multiples of an edge.  A task of the product is a stripe of X with its part
 * of V'X.  A task of the update is a tile of the triangle, wider than high since
 * BLAS packs both factors anew for each tile; the rows of the next panel come
 * first, and one thread factors it while the others update the rest.
 *
 * A smooth kernel's matrix is all but 0 behind some panel, since the first
 * ones, as block Lanczos steps, have found what is large in it.  When what is
 * left is within the rounding of the whole, |A|_F <= eps |B|_F, it counts as 0.
 *
 * Of A the upper triangle is kept, and all of the tiles on the diagonal, so
 * that a stripe of X is two products.  The shape of a task depends on n only.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/band_inside.h"
#include "linalg/dense/band_panel.h"

typedef struct reduction {
    gi_band *q;
    size_t k, c; /* the current panel, and the first row that it acts on */
    size_t ld;
    char *v, *w;   /* V', W', V' again: b rows of ld each */
    char *x;       /* X' */
    char *s;       /* S, b x b */
    char *part;    /* V'X of each stripe, b x b */
    double *sum;   /* of these, b x b, and as much again */
    char *scratch; /* 2 b x b of the panel */
} reduction;

/* Measured.  With a wider band the reduction is faster, but each of the many
 * shifts after it is slower. */
size_t gi_band_width(size_t n)
{
    static const struct {
        size_t n, b;
    } best[] = {{GI_BAND_ROWS_4, 4},
                {GI_BAND_ROWS_8, 8},
                {GI_BAND_ROWS_16, 16},
                {GI_BAND_ROWS_32, 32}};

    for (size_t i = 0; i < sizeof best / sizeof *best; i++)
        if (n < best[i].n)
            return best[i].b;
    return 48;
}

/* ----------------------------------------------------------------- stripes */

/* Small matrices have small stripes: BLAS has kernels of its own for products
 * of that size. */
static size_t edge(const gi_band *q)
{
    return q->n < GI_BAND_SMALL_ROWS ? GI_BAND_STRIPE_SMALL
                                     : GI_BAND_STRIPE_LARGE;
}

static size_t stripes(const gi_band *q)
{
    return (q->n + edge(q) - 1) / edge(q);
}

/* Columns of a tile of the update, at most. */
static size_t width_of_tile(const gi_band *q)
{
    return 4 * edge(q);
}

/* Columns of stripe i from c on: how many, and the first. */
static size_t stripe(const gi_band *q, size_t i, size_t c, size_t *first)
{
    const size_t start = i * edge(q), end = gi_min_size(q->n, start + edge(q));

    *first = start > c ? start : c;
    return end > *first ? end - *first : 0;
}

static char *move(const reduction *d, char *p, size_t j)
{
    return p + j * d->q->blas->size;
}

/* -------------------------------------------------------------- the phases */

/* Keep diagonal block k and factor the panel beside it. */
static void finish_panel(const reduction *d, size_t k)
{
    const gi_band *q = d->q;
    const size_t h = gi_band_height(q, k), bb = q->b * q->b;

    for (size_t r = 0; r < h; r++)
        q->blas->read(h - r, gi_band_at(q, k * q->b + r, k * q->b + r), 1,
                      q->diagonal + k * bb + r * q->b + r);
    if (k + 1 < q->blocks)
        gi_band_panel(q->blas, q->b, q->n - (k + 1) * q->b,
                      gi_band_at(q, k * q->b, (k + 1) * q->b), q->lda,
                      gi_band_t(q, k), q->beside + k * bb, d->scratch);
}

static char *part(const reduction *d, size_t i)
{
    return move(d, d->part, i * d->q->b * d->q->b);
}

/* Stripe i of X' = V'A, its part of V'X, and a copy of V' beside W'. */
static void multiply(const reduction *d, size_t i)
{
    const gi_band *q = d->q;
    const gi_blas *blas = q->blas;
    const size_t row = d->k * q->b, size = blas->size;
    size_t j, width = stripe(q, i, d->c, &j);

    if (width == 0)
        return;
    blas->gemm(0, 0, q->b, width, j - d->c, 1, gi_band_at(q, row, d->c), q->lda,
               gi_band_at(q, d->c, j), q->lda, 0, move(d, d->x, j), d->ld);
    blas->gemm(0, 1, q->b, width, q->n - j, 1, gi_band_at(q, row, j), q->lda,
               gi_band_at(q, j, j), q->lda, 1, move(d, d->x, j), d->ld);
    blas->gemm(0, 1, q->b, q->b, width, 1, gi_band_at(q, row, j), q->lda,
               move(d, d->x, j), d->ld, 0, part(d, i), q->b);
    for (size_t r = 0; r < q->b; r++) {
        const char *from = gi_band_at(q, row + r, j);

        memcpy(move(d, d->v, r * d->ld + j), from, width * size);
        memcpy(move(d, d->v, (2 * q->b + r) * d->ld + j), from, width * size);
    }
}

/* S = T'(V'X) T/2 */
static void couple(const reduction *d)
{
    const gi_band *q = d->q;
    const gi_blas *blas = q->blas;
    const size_t b = q->b, bb = b * b;
    const char *t = gi_band_t(q, d->k);
    char *vxt = part(d, stripes(q) - 1); /* in the place of a part */
    double *some = d->sum + bb;

    memset(d->sum, 0, bb * sizeof *d->sum);
    for (size_t i = d->c / edge(q); i < stripes(q); i++) {
        blas->read(bb, part(d, i), 1, some);
        for (size_t e = 0; e < bb; e++)
            d->sum[e] += some[e];
    }
    blas->write(bb, d->sum, d->s, 1);
    blas->gemm(0, 0, b, b, b, 1, d->s, b, t, b, 0, vxt, b);
    blas->gemm(1, 0, b, b, b, 0.5, t, b, vxt, b, 0, d->s, b);
}

/* Stripe i of W' = T'X' - S'V' */
static void combine(const reduction *d, size_t i)
{
    const gi_band *q = d->q;
    const gi_blas *blas = q->blas;
    const size_t b = q->b;
    size_t j, width = stripe(q, i, d->c, &j);

    if (width == 0)
        return;
    blas->gemm(1, 0, b, width, b, 1, gi_band_t(q, d->k), b, move(d, d->x, j),
               d->ld, 0, move(d, d->w, j), d->ld);
    blas->gemm(1, 0, b, width, b, -1, d->s, b, move(d, d->v, j), d->ld, 1,
               move(d, d->w, j), d->ld);
}

/* Rows i .. i+m-1, columns j .. j+n-1 of A - V W' - W V'. */
static void update(const reduction *d, size_t i, size_t m, size_t j, size_t n)
{
    const gi_band *q = d->q;

    q->blas->gemm(1, 0, m, n, 2 * q->b, -1, move(d, d->v, i), d->ld,
                  move(d, d->w, j), d->ld, 1, gi_band_at(q, i, j), q->lda);
}

/* Tasks of the update: a panel, and `across` tiles for each stripe of rows. */
static size_t update_tasks(const gi_band *q, size_t *across)
{
    *across = (q->n + width_of_tile(q) - 1) / width_of_tile(q);
    return 1 + stripes(q) * *across;
}

/* Task 0 is the next panel, the others are tiles in the order of rows, from
 * the diagonal on; those that would be behind the last column, or are done,
 * have nothing to do. */
static void update_task(const reduction *d, size_t task)
{
    const gi_band *q = d->q;
    const size_t h = gi_band_height(q, d->k + 1), behind = d->c + h;
    size_t i, j, rows, across;

    if (task == 0) {
        update(d, d->c, h, d->c, q->n - d->c);
        finish_panel(d, d->k + 1);
        return;
    }
    update_tasks(q, &across);
    rows = stripe(q, (task - 1) / across, behind, &i);
    j = i + (task - 1) % across * width_of_tile(q);
    if (rows && j < q->n)
        update(d, i, rows, j, gi_min_size(width_of_tile(q), q->n - j));
}

/* The lower triangle of a diagonal tile. */
static void mirror(const gi_band *q, size_t i)
{
    size_t first, width = stripe(q, i, 0, &first);

    for (size_t r = first; r < first + width; r++)
        for (size_t s = first; s < r; s++)
            memcpy(gi_band_at(q, r, s), gi_band_at(q, s, r), q->blas->size);
}

/* Panels from one check of what is left to the next: a check reads all of it. */
enum { PANELS_A_CHECK = 4 };

/* Is what is behind panel k within the rounding of what is kept?  The diagonal
 * alone answers most of the time. */
static int is_negligible(const reduction *d)
{
    const gi_band *q = d->q;
    const gi_blas *blas = q->blas;
    const size_t kept = (d->k + 1) * q->b * q->b;
    const double least =
        (blas->size == sizeof(float) ? FLT_EPSILON : DBL_EPSILON) *
        hypot(gi_blas_double.norm(kept, q->diagonal),
              gi_blas_double.norm(kept, q->beside));
    double left = 0;

    if (d->k % PANELS_A_CHECK > 0)
        return 0;
    for (size_t i = d->c; i < q->n; i++)
        left = hypot(left, blas->get(gi_band_at(q, i, i), 0));
    for (size_t i = d->c; left <= least && i + 1 < q->n; i++)
        left = hypot(
            left, sqrt(2) * blas->norm(q->n - i - 1, gi_band_at(q, i, i + 1)));
    return left <= least;
}

/* ----------------------------------------------------------- the reduction */

static gram_status work(gi_run *run, const reduction *start)
{
    gi_band *q = start->q;
    const size_t n = q->n, count = stripes(q);
    size_t across;
    const size_t updates = update_tasks(q, &across);
    gram_status status = GRAM_OK;
    int done = 0;

    GI_PARALLEL(gi_band_threads(run, count))
    {
        reduction d = *start; /* k and c are every thread's own */

        GI_TEAM_FOR
        for (size_t i = 0; i < count; i++)
            mirror(q, i);
        GI_TEAM_ONE
        finish_panel(&d, 0);
        for (d.k = 0; d.k + 1 < q->blocks; d.k++) {
            const double left = (double)(n - d.k * q->b) / (double)n;

            d.c = (d.k + 1) * q->b;
            /* the others read these behind the next barrier only */
            if (gi_thread_number() == 0) {
                status = gi_run_tick(run, 1 - left * left * left);
                done = is_negligible(&d);
                q->panels = d.k + 1;
            }
            GI_TEAM_TASKS
            for (size_t i = 0; i < count; i++)
                multiply(&d, i);
            if (status != GRAM_OK || done)
                break;
            GI_TEAM_ONE
            couple(&d);
            GI_TEAM_TASKS
            for (size_t i = 0; i < count; i++)
                combine(&d, i);
            GI_TEAM_TASKS
            for (size_t task = 0; task < updates; task++)
                update_task(&d, task);
        }
    }
    return status;
}

static gram_status check_finite(const gi_band *q)
{
    for (size_t i = 0; i < q->blocks * q->b * q->b; i++)
        if (!isfinite(q->diagonal[i]) || !isfinite(q->beside[i]))
            return gi_fail(GRAM_ERR_NUMERIC,
                           "band reduction: the matrix has entries that are "
                           "not numbers or too large");
    return GRAM_OK;
}

gram_status gi_band_reduce(gi_run *run, const gi_blas *blas, size_t n, void *a,
                           size_t lda, size_t b, gi_band **out)
{
    reduction d = {.ld = n};
    gi_band *q = NULL;
    gram_status status;
    size_t bb;

    *out = NULL;
    b = b ? b : gi_band_width(n);
    bb = b * b;
    GI_TRY(GI_NEW_ZERO(run, q, 1));
    *q = (gi_band){.blas = blas,
                   .n = n,
                   .b = b,
                   .blocks = (n + b - 1) / b,
                   .a = a,
                   .lda = lda};
    d.q = q;
    if (lda > GI_BLAS_MAX)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "band reduction: a row of %zu elements, must be at "
                       "most %zu",
                       lda, GI_BLAS_MAX));
    GI_TRY(gi_alloc_zero(run, &q->t, q->blocks * bb, blas->size));
    GI_TRY(GI_NEW_ZERO(run, q->diagonal, q->blocks * bb));
    GI_TRY(GI_NEW_ZERO(run, q->beside, q->blocks * bb));
    GI_TRY(gi_alloc(run, &d.v, 3 * b * n, blas->size));
    GI_TRY(gi_alloc(run, &d.x, b * n, blas->size));
    GI_TRY(gi_alloc(run, &d.s, bb, blas->size));
    GI_TRY(gi_alloc(run, &d.part, stripes(q) * bb, blas->size));
    GI_TRY(GI_NEW(run, d.sum, 2 * bb));
    GI_TRY(gi_alloc(run, &d.scratch, 2 * bb, blas->size));
    d.w = d.v + b * n * blas->size;
    gi_blas_start();
    if (n > 0)
        GI_TRY(work(run, &d));
    GI_TRY(check_finite(q));
    *out = q;
    q = NULL;
done:
    gi_free(d.v);
    gi_free(d.x);
    gi_free(d.s);
    gi_free(d.part);
    gi_free(d.sum);
    gi_free(d.scratch);
    gi_band_free(q);
    return status;
}

void gi_band_free(gi_band *q)
{
    if (q) {
        gi_free(q->t);
        gi_free(q->diagonal);
        gi_free(q->beside);
    }
    gi_free(q);
}
