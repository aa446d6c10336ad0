/* consume.c - what becomes of the tiles: a matrix in memory, a product with
 * vectors, sums over groups.
 *
 * Of a symmetric run the values above the diagonal are used for both
 * triangles, and those below it in tiles that the diagonal cuts are not used,
 * so a matrix is symmetric to the bit.  Products and sums are in double.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/tiles.h"

/* Does the diagonal of a symmetric run go through the tile? */
static int is_cut(const gi_worker *w)
{
    return w->e->symmetric && w->tile.col < w->tile.row + w->tile.rows;
}

/* ------------------------------------------------------------------- store */

typedef struct store {
    char *K;
    size_t ld;
    int stream; /* too large for the caches */
} store;

static gram_status take_store(void *user, gi_worker *w)
{
    const store *s = user;
    const gi_lanes *lanes = w->e->lanes;
    const gi_tile *t = &w->tile;
    char *upper = s->K + (t->row * s->ld + t->col) * lanes->size;
    char *lower = s->K + (t->col * s->ld + t->row) * lanes->size;

    if (is_cut(w)) {
        lanes->put_cut(t, s->K, s->ld);
    } else {
        lanes->put(t, s->stream, upper, s->ld);
        if (w->e->symmetric)
            lanes->put_mirrored(t, s->stream, w->spare, lower, s->ld);
    }
    return GRAM_OK;
}

gram_status gi_engine_store(gi_run *run, const gram_program *p,
                            const gi_points *x, const gi_points *t, void *K,
                            size_t ld)
{
    const size_t in_cache = (size_t)32 << 20;
    const gi_lanes *lanes = gi_lanes_of(x);
    store s = {K, ld, x->rows * ld > in_cache / lanes->size};
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, lanes, 0));
    GI_TRY(gi_engine_sweep(&e, &(gi_sweep){.tile = take_store, .user = &s}));
done:
    gi_engine_end(&e);
    return status;
}

/* ----------------------------------------------------------------- product */

enum { VECTORS_AT_ONCE = 8 };

typedef struct product {
    const double *V;
    size_t r;
    int diagonal; /* pairs (i,i) of a symmetric run count */
    double *out;
    double *sum; /* per thread: a block's rows, then its columns */
} product;

/* This thread's sums for the rows of the block; behind them, the columns. */
static double *own_sums(const product *p, const gi_worker *w)
{
    return p->sum + (size_t)(w - w->e->work) * 2 * w->e->edge * p->r;
}

/* A tile that the diagonal cuts: the part above it counts for rows and
 * columns, the diagonal itself, if it counts at all, for rows. */
static void add_cut(const product *p, gi_worker *w, double *row, double *col)
{
    const gi_lanes *lanes = w->e->lanes;
    const gi_tile *t = &w->tile;
    const size_t r = p->r;

    lanes->upper(t, w->spare);
    for (size_t q = 0; q < r; q += VECTORS_AT_ONCE)
        lanes->times_both(t->rows, t->cols, w->spare, p->V + t->col * r + q,
                          p->V + t->row * r + q, r,
                          gi_min_size(VECTORS_AT_ONCE, r - q), row + q,
                          col + q);
    for (size_t i = 0; p->diagonal && i < t->rows; i++) {
        size_t at = t->row + i;

        if (at < t->col || at >= t->col + t->cols)
            continue;
        for (size_t q = 0; q < r; q++)
            row[i * r + q] +=
                p->V[at * r + q] *
                lanes->get(t->value, i * GI_TILE_COLS + at - t->col);
    }
}

static gram_status take_product(void *user, gi_worker *w)
{
    const product *p = user;
    const gi_lanes *lanes = w->e->lanes;
    const gi_tile *t = &w->tile;
    const size_t r = p->r;
    double *row = own_sums(p, w) + (t->row - w->block_row) * r;
    double *col = own_sums(p, w) + (w->e->edge + t->col - w->block_col) * r;

    if (is_cut(w)) {
        add_cut(p, w, row, col);
        return GRAM_OK;
    }
    for (size_t q = 0; q < r; q += VECTORS_AT_ONCE) {
        const double *v = p->V + t->col * r + q;
        size_t some = gi_min_size(VECTORS_AT_ONCE, r - q);

        if (w->e->symmetric)
            lanes->times_both(t->rows, t->cols, t->value, v,
                              p->V + t->row * r + q, r, some, row + q, col + q);
        else
            lanes->times(t->rows, t->cols, t->value, v, r, some, row + q);
    }
    return GRAM_OK;
}

/* out += sums for the rows of a block that begins at `first`. */
static void add_sums(double *out, double *sums, size_t first, size_t rows,
                     size_t edge, size_t r)
{
    size_t n = gi_min_size(edge, rows - first) * r;

    for (size_t i = 0; i < n; i++)
        out[first * r + i] += sums[i];
    memset(sums, 0, edge * r * sizeof *sums);
}

static void end_product(void *user, gi_worker *w)
{
    const product *p = user;
    const gi_engine *e = w->e;
    double *sums = own_sums(p, w);

    add_sums(p->out, sums, w->block_row, e->x->rows, e->edge, p->r);
    if (e->symmetric)
        add_sums(p->out, sums + e->edge * p->r, w->block_col, e->x->rows,
                 e->edge, p->r);
}

static gram_status multiply(gi_run *run, const gram_program *p,
                            const gi_points *x, const gi_points *t,
                            product *work)
{
    const gi_sweep sweep = {take_product, end_product, work};
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, gi_lanes_of(x), 0));
    GI_TRY(GI_NEW_ZERO(run, work->sum, e.threads * 2 * e.edge * work->r));
    memset(work->out, 0, x->rows * work->r * sizeof *work->out);
    GI_TRY(gi_engine_sweep(&e, &sweep));
done:
    gi_free(work->sum);
    gi_engine_end(&e);
    return status;
}

gram_status gi_engine_product(gi_run *run, const gram_program *p,
                              const gi_points *x, const gi_points *t,
                              const double *V, size_t r, double *out)
{
    product work = {.V = V, .r = r, .diagonal = 1, .out = out};

    return multiply(run, p, x, t, &work);
}

/* -------------------------------------------------------------- block sums */

/* K times the groups' indicator vectors, then rows added up by group. */
gram_status gi_engine_block_sums(gi_run *run, const gram_program *p,
                                 const gi_points *x, const int *group_x,
                                 const gi_points *t, const int *group_t,
                                 size_t groups, int diagonal, double *sums)
{
    const size_t n = t ? t->rows : x->rows;
    const int *group = t ? group_t : group_x;
    product work = {.r = groups, .diagonal = diagonal};
    double *member = NULL;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, member, n * groups));
    GI_TRY(GI_NEW(run, work.out, x->rows * groups));
    for (size_t j = 0; j < n; j++)
        member[j * groups + (group ? (size_t)group[j] : 0)] = 1;
    work.V = member;
    GI_TRY(multiply(run, p, x, t, &work));
    memset(sums, 0, groups * groups * sizeof *sums);
    for (size_t i = 0; i < x->rows; i++)
        for (size_t h = 0; h < groups; h++)
            sums[(group_x ? (size_t)group_x[i] : 0) * groups + h] +=
                work.out[i * groups + h];
done:
    gi_free(member);
    gi_free(work.out);
    return status;
}
