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

struct gi_vectors {
    size_t r;
    size_t room;   /* rows, rounded up to full tiles */
    double *scale; /* per vector */
    char *packed;  /* by groups */
};

typedef struct product {
    const gi_vectors *V;
    int diagonal; /* pairs (i,i) of a symmetric run count */
    double *out;
    char *sums; /* per thread, by groups: a block's rows, then its columns */
} product;

/* Vectors of the group that begins with vector q, and their room. */
static size_t group_size(const gi_vectors *v, size_t q)
{
    return gi_min_size(GI_TIMES, v->r - q);
}

static size_t group_room(const gi_vectors *v, size_t q)
{
    return group_size(v, q) == 1 ? 1 : GI_TIMES;
}

/* Vector `row` in the group of q; those before it are of GI_TIMES. */
static void *packed_at(const gi_engine *e, const gi_vectors *v, size_t q,
                       size_t row)
{
    return v->packed + (v->room * q + row * group_room(v, q)) * e->lanes->size;
}

/* Rows of a block that are added up. */
static size_t sums_rows(const gi_engine *e)
{
    return e->symmetric
               ? e->edge
               : gi_min_size(e->edge, gi_round_up(e->x->rows, e->tile_rows));
}

/* Numbers that a block's sums of one group take. */
static size_t sums_room(const gi_engine *e)
{
    return sums_rows(e) * GI_TIMES_SUMS +
           (e->symmetric ? e->edge * GI_TIMES : 0);
}

static size_t groups_of(const gi_vectors *v)
{
    return (v->r + GI_TIMES - 1) / GI_TIMES;
}

/* This thread's sums of row `i` of the block, and of column `j`. */
static void *row_sums(const product *p, const gi_worker *w, size_t q, size_t i)
{
    const gi_engine *e = w->e;
    size_t groups = (size_t)(w - e->work) * groups_of(p->V) + q / GI_TIMES;

    return p->sums +
           (groups * sums_room(e) + i * GI_TIMES_SUMS) * e->lanes->size;
}

static void *col_sums(const product *p, const gi_worker *w, size_t q, size_t j)
{
    const gi_engine *e = w->e;

    return (char *)row_sums(p, w, q, e->edge) +
           j * group_room(p->V, q) * e->lanes->size;
}

/* Of a tile that the diagonal cuts, the part above it counts for rows and
 * columns, the diagonal itself, if it counts at all, for rows.  Else rows
 * behind the last one are multiplied as they are: nobody reads their sums. */
static gram_status take_product(void *user, gi_worker *w)
{
    const product *p = user;
    const gi_engine *e = w->e;
    const gi_tile *t = &w->tile;
    const size_t rows =
        e->symmetric ? GI_TILE_ROWS : gi_round_up(t->rows, GI_TIMES_ROWS);
    const void *value = t->value;

    if (is_cut(w) || t->cols < GI_TILE_COLS ||
        (e->symmetric && t->rows < GI_TILE_ROWS)) {
        e->lanes->trim(t, is_cut(w), rows, w->spare);
        value = w->spare;
    }
    for (size_t q = 0; q < p->V->r; q += GI_TIMES) {
        const size_t r = group_size(p->V, q);
        const void *v = packed_at(e, p->V, q, t->col);
        void *y = row_sums(p, w, q, t->row - w->block_row);

        if (e->symmetric)
            e->lanes->times_both(value, v, packed_at(e, p->V, q, t->row), r, y,
                                 col_sums(p, w, q, t->col - w->block_col));
        else
            e->lanes->times(value, rows, v, r, y);
        if (is_cut(w) && p->diagonal)
            e->lanes->add_diagonal(t, packed_at(e, p->V, q, t->row), r, y);
    }
    return GRAM_OK;
}

static void end_product(void *user, gi_worker *w)
{
    const product *p = user;
    const gi_engine *e = w->e;
    const size_t rows = gi_min_size(e->edge, e->x->rows - w->block_row);
    const size_t cols = gi_min_size(e->edge, e->t->rows - w->block_col);
    const size_t r = p->V->r;

    for (size_t q = 0; q < r; q += GI_TIMES) {
        void *sums = row_sums(p, w, q, 0);
        double *out = p->out + q;

        e->lanes->row_sums(rows, sums, group_size(p->V, q),
                           out + w->block_row * r, r);
        if (e->symmetric)
            e->lanes->col_sums(cols, col_sums(p, w, q, 0), group_size(p->V, q),
                               out + w->block_col * r, r);
        memset(sums, 0, sums_room(e) * e->lanes->size);
    }
}

/* The power of 2 that brings vector q near 1 if it needs that. */
static double scale_of(const gi_engine *e, const double *V, size_t r, size_t q)
{
    double most = 0;
    int exponent;

    for (size_t j = 0; j < e->t->rows; j++)
        most = fmax(most, fabs(V[j * r + q]));
    frexp(most, &exponent);
    return most > 0 && isfinite(most) && abs(exponent) > e->lanes->exponent
               ? ldexp(1, -exponent)
               : 1;
}

gram_status gi_engine_pack(gi_run *run, const gi_engine *e, const double *V,
                           size_t r, gi_vectors **out)
{
    gi_vectors *v = NULL;
    gram_status status;
    size_t wide;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, v, 1));
    v->r = r;
    v->room = gi_round_up(e->t->rows, GI_TILE_COMMON);
    wide = r % GI_TIMES == 1 ? r : groups_of(v) * GI_TIMES;
    GI_TRY(GI_NEW(run, v->scale, r));
    GI_TRY(gi_alloc_zero(run, &v->packed, v->room, wide * e->lanes->size));
    for (size_t q = 0; q < r; q++)
        v->scale[q] = scale_of(e, V, r, q);
    for (size_t q = 0; q < r; q += GI_TIMES)
        e->lanes->pack_vectors(e->t->rows, V + q, r, group_size(v, q),
                               v->scale + q, packed_at(e, v, q, 0));
    *out = v;
    v = NULL;
done:
    gi_vectors_free(v);
    return status;
}

void gi_vectors_free(gi_vectors *v)
{
    if (!v)
        return;
    gi_free(v->scale);
    gi_free(v->packed);
    gi_free(v);
}

static gram_status multiply(gi_run *run, gi_engine *e, product *p)
{
    const gi_sweep sweep = {take_product, end_product, p};
    const gi_vectors *v = p->V;
    gram_status status;

    GI_TRY(gi_alloc_zero(run, &p->sums, e->threads * groups_of(v),
                         sums_room(e) * e->lanes->size));
    memset(p->out, 0, e->x->rows * v->r * sizeof *p->out);
    GI_TRY(gi_engine_sweep(run, e, &sweep));
    for (size_t i = 0; i < e->x->rows; i++)
        for (size_t q = 0; q < v->r; q++)
            p->out[i * v->r + q] /= v->scale[q];
done:
    gi_free(p->sums);
    return status;
}

gram_status gi_engine_multiply(gi_run *run, gi_engine *e, const gi_vectors *V,
                               double *out)
{
    return multiply(run, e, &(product){.V = V, .diagonal = 1, .out = out});
}

gram_status gi_engine_product(gi_run *run, const gram_program *p,
                              const gi_points *x, const gi_points *t,
                              const double *V, size_t r, double *out)
{
    gi_vectors *packed = NULL;
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, gi_lanes_of(x), 0));
    GI_TRY(gi_engine_pack(run, &e, V, r, &packed));
    GI_TRY(gi_engine_multiply(run, &e, packed, out));
done:
    gi_vectors_free(packed);
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
    product work = {.diagonal = diagonal};
    gi_vectors *packed = NULL;
    double *member = NULL;
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, t, gi_lanes_of(x), 0));
    GI_TRY(GI_NEW_ZERO(run, member, n * groups));
    GI_TRY(GI_NEW(run, work.out, x->rows * groups));
    for (size_t j = 0; j < n; j++)
        member[j * groups + (group ? (size_t)group[j] : 0)] = 1;
    GI_TRY(gi_engine_pack(run, &e, member, groups, &packed));
    work.V = packed;
    GI_TRY(multiply(run, &e, &work));
    memset(sums, 0, groups * groups * sizeof *sums);
    for (size_t i = 0; i < x->rows; i++)
        for (size_t h = 0; h < groups; h++)
            sums[(group_x ? (size_t)group_x[i] : 0) * groups + h] +=
                work.out[i * groups + h];
done:
    gi_vectors_free(packed);
    gi_free(member);
    gi_free(work.out);
    gi_engine_end(&e);
    return status;
}
