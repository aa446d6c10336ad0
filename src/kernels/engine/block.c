/* block.c - any part of a kernel matrix, from an engine that stays set up.
 *
 * The part is covered with tiles, which begin where panels do, and what of
 * them was asked for is copied.  A value depends on its pair of rows alone,
 * not on the tile it was computed in; and since all instructions are symmetric
 * to the bit (tiles.c sees to those that need not be), values below the
 * diagonal are computed like any others.
 */
#include "kernels/engine/block.h"

#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/engine/gradient.h"
#include "kernels/engine/tiles.h"

struct gi_block {
    gi_engine e;
    double *theta;     /* of the engine, unless it is another block's */
    gi_gradient *back; /* made when it is first asked for */
};

gram_status gi_block_new(gi_run *run, const gram_program *p,
                         const double *theta, const gi_points *x,
                         const gi_points *t, gi_block **out)
{
    gram_status status;
    gi_block *b = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, b, 1));
    GI_TRY(GI_NEW(run, b->theta, p->thetas));
    if (p->thetas > 0)
        memcpy(b->theta, theta ? theta : p->theta, p->thetas * sizeof *theta);
    GI_TRY(gi_engine_begin(&b->e, run, p, b->theta, x, t, gi_lanes_of(x),
                           GI_ANYWHERE));
    *out = b;
    b = NULL;
done:
    gi_block_free(b);
    return status;
}

/* What is set up for one gradient stays for the next where it is little beside
 * the memory that is left when whoever asks has a whole matrix more. */
enum { LITTLE = 16 };

static int stays(const gi_run *run, const gi_engine *e)
{
    const double word = sizeof(double), tiles = 2 * (double)e->p->ops + 1;
    const double own = (double)e->threads * tiles * GI_TILE_SIZE * word;
    const double matrix = (double)e->x->rows * (double)e->t->rows * word;

    return LITTLE * own + matrix < (double)gi_run_budget_left(run);
}

/* All of it, where it is. */
static gram_status make_again(gi_run *run, gi_block *b)
{
    const gi_engine old = b->e;

    gi_gradient_free(b->back);
    b->back = NULL;
    gi_engine_end(&b->e);
    return gi_engine_begin(&b->e, run, old.p, old.theta, old.x,
                           old.symmetric ? NULL : old.t, old.lanes, old.mode);
}

gram_status gi_block_set(gi_run *run, gi_block *b, const double *theta)
{
    const size_t thetas = b->e.p->thetas;
    unsigned char *moved = NULL;
    gram_status status;
    int fits = 1;

    GI_TRY(GI_NEW(run, moved, thetas));
    for (size_t k = 0; k < thetas; k++) {
        moved[k] = b->theta[k] != theta[k];
        b->theta[k] = theta[k];
    }
    GI_TRY(gi_engine_set(&b->e, run, moved, &fits));
    if (fits && b->back)
        GI_TRY(gi_gradient_set(run, b->back, moved, &fits));
    if (!fits)
        GI_TRY(make_again(run, b));
done:
    gi_free(moved);
    return status;
}

gram_status gi_block_gradient(gi_run *run, gi_block *b, gi_seed *seed,
                              void *user, double *grad)
{
    gram_status status = GRAM_OK;

    if (!b->back)
        GI_TRY(gi_gradient_new(run, &b->e, &b->back));
    GI_TRY(gi_gradient_add(run, b->back, seed, user, grad));
done:
    if (!stays(run, &b->e)) {
        gi_gradient_free(b->back);
        b->back = NULL;
    }
    return status;
}

int gi_block_lends(const gi_block *b, const gi_points *x)
{
    return gi_engine_lends(&b->e, x);
}

gram_status gi_block_rows(gi_run *run, const gi_block *b, const gi_points *x,
                          gi_block **out)
{
    gram_status status;
    gi_block *part = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, part, 1));
    GI_TRY(gi_engine_rows(&part->e, run, &b->e, x));
    *out = part;
    part = NULL;
done:
    gi_block_free(part);
    return status;
}

void gi_block_free(gi_block *b)
{
    if (!b)
        return;
    gi_gradient_free(b->back);
    if (b->e.p)
        gi_engine_end(&b->e);
    gi_free(b->theta);
    gi_free(b);
}

/* -------------------------------------------------------------------- fill */

/* What is asked for. */
typedef struct part {
    size_t row, row_end, col, col_end;
    char *out;
    size_t ld;
} part;

/* The tile as far as it lies in the part; it may begin before it does. */
static void put(const gi_worker *w, const part *p)
{
    const gi_lanes *lanes = w->e->lanes;
    gi_tile t = w->tile;
    size_t above = p->row > t.row ? p->row - t.row : 0;
    size_t before = p->col > t.col ? p->col - t.col : 0;
    size_t at;

    t.value =
        (const char *)t.value + (above * GI_TILE_COLS + before) * lanes->size;
    t.row += above;
    t.rows -= above;
    t.col += before;
    t.cols -= before;
    at = (t.row - p->row) * p->ld + (t.col - p->col);
    lanes->put(&t, 0, p->out + at * lanes->size, p->ld);
}

/* The tiles in rows row .. row_end-1 and columns col .. col_end-1. */
static void put_tiles(gi_worker *w, const part *p, size_t row, size_t row_end,
                      size_t col, size_t col_end)
{
    gi_tile *t = &w->tile;

    gi_worker_block(w, row, row_end, col);
    for (t->col = col; t->col < col_end; t->col += GI_TILE_COLS)
        for (t->row = row; t->row < row_end; t->row += GI_TILE_ROWS) {
            t->rows = gi_min_size(GI_TILE_ROWS, row_end - t->row);
            t->cols = gi_min_size(GI_TILE_COLS, col_end - t->col);
            gi_worker_tile(w);
            put(w, p);
        }
}

gram_status gi_block_fill(gi_block *b, size_t row, size_t rows, size_t col,
                          size_t cols, void *out, size_t ld)
{
    const gi_engine *e = &b->e;
    const size_t unit = e->lanes->row_unit();
    const part p = {row, row + rows, col, col + cols, out, ld};
    gi_worker *w = &e->work[gi_thread_number()];
    size_t j, j_end, i_end;

    if (rows == 0 || cols == 0)
        return GRAM_OK;
    for (j = col / GI_TILE_COLS * GI_TILE_COLS; j < p.col_end; j = j_end) {
        j_end = gi_min_size((j / e->edge + 1) * e->edge, p.col_end);
        for (size_t i = row / unit * unit; i < p.row_end; i = i_end) {
            i_end = gi_min_size(i + e->edge, p.row_end);
            put_tiles(w, &p, i, i_end, j, j_end);
        }
    }
    return GRAM_OK;
}

gram_status gi_block_pack(gi_run *run, const gi_block *b, const double *V,
                          size_t r, gi_vectors **out)
{
    return gi_engine_pack(run, &b->e, V, r, out);
}

gram_status gi_block_times(gi_run *run, gi_block *b, const gi_vectors *V,
                           double *out)
{
    return gi_engine_multiply(run, &b->e, V, out);
}

gram_status gi_block_product(gi_run *run, gi_block *b, const double *V,
                             size_t r, double *out)
{
    gi_vectors *packed = NULL;
    gram_status status;

    GI_TRY(gi_block_pack(run, b, V, r, &packed));
    GI_TRY(gi_block_times(run, b, packed, out));
done:
    gi_vectors_free(packed);
    return status;
}

/* ------------------------------------------------------------------- bytes */

/* Bytes of what a leaf keeps of a row, of x or of t. */
static size_t row_bytes(const gram_program *p, const gi_op *op, size_t size)
{
    switch (op->code) {
    case GI_OP_DOT:
    case GI_OP_L1:
    case GI_OP_COLUMNS:
    case GI_OP_ELEMENTARY:
        return p->view[op->view].width * size;
    case GI_OP_SQDIST:
        return (p->view[op->view].width + 1) * size;
    case GI_OP_SELF:
        return 2 * size;
    default:
        return 0;
    }
}

/* Bytes that a sparse product needs on each thread. */
static size_t product_bytes(const gram_program *p, const gi_op *op, size_t edge)
{
    if (op->code != GI_OP_DOT && op->code != GI_OP_SQDIST)
        return 0;
    if (p->view[op->view].sparse < 0)
        return 0;
    return edge * edge * sizeof(double) +
           p->view[op->view].sparse_width * sizeof(unsigned);
}

size_t gi_block_bytes(const gi_run *run, const gram_program *p, size_t rows,
                      size_t cols, gi_precision precision)
{
    size_t size = (precision == GI_SINGLE ? &gi_lanes_s : &gi_lanes_d)->size;
    size_t threads = (size_t)run->threads;
    size_t bytes = threads * GI_TILE_SIZE * size; /* spare tiles */

    for (size_t i = 0; i < p->ops; i++) {
        const gi_op *op = &p->op[i];

        bytes += (rows + cols) * row_bytes(p, op, size);
        bytes += threads * GI_TILE_SIZE * size; /* a register, or less */
        bytes += threads * product_bytes(p, op, gi_engine_edge(cols));
    }
    return bytes;
}
