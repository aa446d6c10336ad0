/* consume.c - what becomes of the tiles: a matrix in memory, a product with
 * vectors, sums over groups.
 *
 * Of a symmetric run the values above the diagonal are used for both
 * triangles, and those below it in tiles that the diagonal cuts are not used,
 * so a matrix is symmetric to the bit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "kernels/engine/tiles.h"

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
    const size_t in_cache = GI_STREAM_BYTES;
    const gi_lanes *lanes = gi_lanes_of(x);
    store s = {K, ld, x->rows * ld > in_cache / lanes->size};
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, lanes, 0));
    GI_TRY(
        gi_engine_sweep(run, &e, &(gi_sweep){.tile = take_store, .user = &s}));
done:
    gi_engine_end(&e);
    return status;
}

/* ----------------------------------------------------------------- product
 *
 * GI_TIMES vectors at a time, a group, rounded to the precision of the tiles.
 * A task adds up in that precision, at most as many terms as a block is wide;
 * tasks are added in double.  Vectors too large or small for that are scaled
 * by a power of 2. */

typedef struct product {
    const double *V;
    size_t r;
    int diagonal; /* pairs (i,i) of a symmetric run count */
    double *out;
    size_t room;   /* rows of V, rounded up to full tiles */
    double *scale; /* per vector */
    char *packed;  /* V by groups */
    char *sums;    /* per thread, by groups: a block's rows, then its columns */
} product;

/* Vectors of the group that begins with vector q, and their room. */
static size_t group_size(const product *p, size_t q)
{
    return gi_min_size(GI_TIMES, p->r - q);
}

static size_t group_room(const product *p, size_t q)
{
    return group_size(p, q) == 1 ? 1 : GI_TIMES;
}

/* Vector `row` in the group of q; those before it are of GI_TIMES. */
static void *packed_at(const gi_engine *e, const product *p, size_t q,
                       size_t row)
{
    return p->packed + (p->room * q + row * group_room(p, q)) * e->lanes->size;
}

/* Numbers that a block's sums of one group take. */
static size_t sums_room(const gi_engine *e)
{
    return e->edge * (GI_TIMES_SUMS + GI_TIMES);
}

static size_t groups_of(const product *p)
{
    return (p->r + GI_TIMES - 1) / GI_TIMES;
}

/* This thread's sums of row `i` of the block, and of column `j`. */
static void *row_sums(const product *p, const gi_worker *w, size_t q, size_t i)
{
    const gi_engine *e = w->e;
    size_t groups = (size_t)(w - e->work) * groups_of(p) + q / GI_TIMES;

    return p->sums +
           (groups * sums_room(e) + i * GI_TIMES_SUMS) * e->lanes->size;
}

static void *col_sums(const product *p, const gi_worker *w, size_t q, size_t j)
{
    const gi_engine *e = w->e;

    return (char *)row_sums(p, w, q, e->edge) +
           j * group_room(p, q) * e->lanes->size;
}

/* Of a tile that the diagonal cuts, the part above it counts for rows and
 * columns, the diagonal itself, if it counts at all, for rows. */
static gram_status take_product(void *user, gi_worker *w)
{
    const product *p = user;
    const gi_engine *e = w->e;
    const gi_tile *t = &w->tile;
    const void *value = t->value;

    if (is_cut(w) || t->rows < GI_TILE_ROWS || t->cols < GI_TILE_COLS) {
        e->lanes->trim(t, is_cut(w), w->spare);
        value = w->spare;
    }
    for (size_t q = 0; q < p->r; q += GI_TIMES) {
        const size_t r = group_size(p, q);
        const void *v = packed_at(e, p, q, t->col);
        void *y = row_sums(p, w, q, t->row - w->block_row);

        if (e->symmetric)
            e->lanes->times_both(value, v, packed_at(e, p, q, t->row), r, y,
                                 col_sums(p, w, q, t->col - w->block_col));
        else
            e->lanes->times(value, v, r, y);
        if (is_cut(w) && p->diagonal)
            e->lanes->add_diagonal(t, packed_at(e, p, q, t->row), r, y);
    }
    return GRAM_OK;
}

static void end_product(void *user, gi_worker *w)
{
    const product *p = user;
    const gi_engine *e = w->e;
    const size_t rows = gi_min_size(e->edge, e->x->rows - w->block_row);
    const size_t cols = gi_min_size(e->edge, e->t->rows - w->block_col);

    for (size_t q = 0; q < p->r; q += GI_TIMES) {
        void *sums = row_sums(p, w, q, 0);
        double *out = p->out + q;

        e->lanes->row_sums(rows, sums, group_size(p, q),
                           out + w->block_row * p->r, p->r);
        if (e->symmetric)
            e->lanes->col_sums(cols, col_sums(p, w, q, 0), group_size(p, q),
                               out + w->block_col * p->r, p->r);
        memset(sums, 0, sums_room(e) * e->lanes->size);
    }
}

/* Powers of 2 that bring vectors which need it near 1. */
static void choose_scales(const gi_engine *e, product *p)
{
    for (size_t q = 0; q < p->r; q++) {
        double most = 0;
        int exponent;

        for (size_t j = 0; j < e->t->rows; j++)
            most = fmax(most, fabs(p->V[j * p->r + q]));
        frexp(most, &exponent);
        p->scale[q] =
            most > 0 && isfinite(most) && abs(exponent) > e->lanes->exponent
                ? ldexp(1, -exponent)
                : 1;
    }
}

static gram_status multiply(gi_run *run, gi_engine *e, product *p)
{
    const gi_sweep sweep = {take_product, end_product, p};
    const size_t size = e->lanes->size, groups = groups_of(p);
    const size_t wide = p->r % GI_TIMES == 1 ? p->r : groups * GI_TIMES;
    gram_status status;

    p->room = gi_round_up(e->t->rows, GI_TILE_COMMON);
    GI_TRY(GI_NEW(run, p->scale, p->r));
    GI_TRY(gi_alloc_zero(run, &p->packed, p->room, wide * size));
    GI_TRY(
        gi_alloc_zero(run, &p->sums, e->threads * groups, sums_room(e) * size));
    choose_scales(e, p);
    for (size_t q = 0; q < p->r; q += GI_TIMES)
        e->lanes->pack_vectors(e->t->rows, p->V + q, p->r, group_size(p, q),
                               p->scale + q, packed_at(e, p, q, 0));
    memset(p->out, 0, e->x->rows * p->r * sizeof *p->out);
    GI_TRY(gi_engine_sweep(run, e, &sweep));
    for (size_t i = 0; i < e->x->rows; i++)
        for (size_t q = 0; q < p->r; q++)
            p->out[i * p->r + q] /= p->scale[q];
done:
    gi_free(p->scale);
    gi_free(p->packed);
    gi_free(p->sums);
    return status;
}

gram_status gi_engine_multiply(gi_run *run, gi_engine *e, const double *V,
                               size_t r, double *out)
{
    return multiply(run, e,
                    &(product){.V = V, .r = r, .diagonal = 1, .out = out});
}

gram_status gi_engine_product(gi_run *run, const gram_program *p,
                              const gi_points *x, const gi_points *t,
                              const double *V, size_t r, double *out)
{
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, gi_lanes_of(x), 0));
    GI_TRY(gi_engine_multiply(run, &e, V, r, out));
done:
    gi_engine_end(&e);
    return status;
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
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, gi_lanes_of(x), 0));
    GI_TRY(GI_NEW_ZERO(run, member, n * groups));
    GI_TRY(GI_NEW(run, work.out, x->rows * groups));
    for (size_t j = 0; j < n; j++)
        member[j * groups + (group ? (size_t)group[j] : 0)] = 1;
    work.V = member;
    GI_TRY(multiply(run, &e, &work));
    memset(sums, 0, groups * groups * sizeof *sums);
    for (size_t i = 0; i < x->rows; i++)
        for (size_t h = 0; h < groups; h++)
            sums[(group_x ? (size_t)group_x[i] : 0) * groups + h] +=
                work.out[i * groups + h];
done:
    gi_free(member);
    gi_free(work.out);
    gi_engine_end(&e);
    return status;
}
