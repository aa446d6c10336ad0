/* forms.c - quadratic forms of a kernel for many vectors at once.
 *
 *     out_c = sum over i != j of w_ci w_cj k(x_i, x_j) = 2 sum over i < j
 *
 * A block of tiles T is put together in memory; then P = W_J T' for all
 * vectors is one matrix product, and the block's part of form c is twice the
 * inner product of row c of P with w_c on the block's rows.  Products are in
 * the precision of the tiles, inner products in double.
 *
 * Cost: rows^2 * count flops, at the speed of a matrix product, since half the
 * blocks will do; memory per thread two blocks.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "kernels/engine/tiles.h"
#include "linalg/dense/blas.h"

/* Vectors of one product: then it stays in the cache. */
enum { CHUNK = GI_FORMS_CHUNK };

typedef struct desk {
    char *block, *product;
    double *sums; /* per vector */
} desk;

typedef struct forms {
    const gi_blas *blas;
    const char *W;
    size_t count, ld;
    double *out;
    desk *desk;
} forms;

/* The tile where it belongs in the block, which begins with zeros if parts of
 * it do not come. */
static void place(const gi_worker *w, char *block)
{
    const gi_engine *e = w->e;
    const gi_tile *t = &w->tile;
    const size_t size = e->lanes->size, edge = e->edge;
    const int is_cut = t->col < t->row + t->rows;
    const char *value = t->value;

    if (t->row == w->block_row && t->col == w->block_col && is_cut)
        memset(block, 0, edge * edge * size);
    if (is_cut) {
        e->lanes->trim(t, 1, GI_TILE_ROWS, w->spare);
        value = w->spare;
    }
    for (size_t i = 0; i < t->rows; i++)
        memcpy(block + ((t->row - w->block_row + i) * edge + t->col -
                        w->block_col) *
                           size,
               value + i * GI_TILE_COLS * size, t->cols * size);
}

static void multiply(const forms *f, const gi_worker *w, const desk *d)
{
    const gi_engine *e = w->e;
    const size_t size = e->lanes->size, edge = e->edge;
    const size_t rows = gi_min_size(edge, e->x->rows - w->block_row);
    const size_t cols = gi_min_size(edge, e->t->rows - w->block_col);

    for (size_t c = 0; c < f->count; c += CHUNK) {
        const size_t n = gi_min_size(CHUNK, f->count - c);
        const char *W = f->W + c * f->ld * size;

        f->blas->gemm(0, 1, n, rows, cols, 1, W + w->block_col * size, f->ld,
                      d->block, edge, 0, d->product, edge);
        for (size_t k = 0; k < n; k++)
            d->sums[c + k] =
                2 * e->lanes->dot(W + (k * f->ld + w->block_row) * size,
                                  d->product + k * edge * size, rows);
    }
}

static gram_status take_forms(void *user, gi_worker *w)
{
    const forms *f = user;
    const gi_engine *e = w->e;
    const gi_tile *t = &w->tile;
    const desk *d = &f->desk[w - e->work];
    const size_t last_row = gi_min_size(w->block_row + e->edge, e->x->rows);
    const size_t last_col = gi_min_size(w->block_col + e->edge, e->t->rows);

    place(w, d->block);
    if (t->row + t->rows == last_row && t->col + t->cols == last_col)
        multiply(f, w, d);
    return GRAM_OK;
}

static void end_forms(void *user, gi_worker *w)
{
    const forms *f = user;
    const desk *d = &f->desk[w - w->e->work];

    for (size_t c = 0; c < f->count; c++)
        f->out[c] += d->sums[c];
}

static gram_status begin(const gi_engine *e, forms *f)
{
    gram_status status;
    const size_t size = e->lanes->size;

    gi_blas_start();
    GI_TRY(GI_NEW_ZERO(e->run, f->desk, e->threads));
    for (size_t i = 0; i < e->threads; i++) {
        desk *d = &f->desk[i];

        GI_TRY(gi_alloc(e->run, &d->block, e->edge * e->edge, size));
        GI_TRY(gi_alloc(e->run, &d->product, CHUNK * e->edge, size));
        GI_TRY(GI_NEW(e->run, d->sums, f->count));
    }
done:
    return status;
}

static void end(const gi_engine *e, forms *f)
{
    for (size_t i = 0; f->desk && i < e->threads; i++) {
        gi_free(f->desk[i].block);
        gi_free(f->desk[i].product);
        gi_free(f->desk[i].sums);
    }
    gi_free(f->desk);
}

gram_status gi_engine_forms(gi_run *run, const gram_program *p,
                            const gi_points *x, const void *W, size_t count,
                            size_t ld, double *out)
{
    forms f = {.blas = x->precision == GI_SINGLE ? &gi_blas_single
                                                 : &gi_blas_double,
               .W = W,
               .count = count,
               .ld = ld,
               .out = out};
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, NULL, gi_lanes_of(x), 0));
    GI_TRY(begin(&e, &f));
    memset(out, 0, count * sizeof *out);
    GI_TRY(gi_engine_sweep(run, &e, &(gi_sweep){take_forms, end_forms, &f}));
done:
    end(&e, &f);
    gi_engine_end(&e);
    return status;
}
