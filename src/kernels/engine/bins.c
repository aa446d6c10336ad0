/* bins.c - sums of a kernel over pairs of bins.
 *
 * The rows of a bin follow each other, so that a tile is cut into rectangles by
 * the bins of its rows and of its columns, and the sum over a rectangle needs
 * no multiplication: columns are added over the rows of a bin, then the columns
 * of a bin.  Powers of the kernel, k^2, k^4, ..., cost a multiplication each
 * while the tile is at hand; of a Gaussian they are Gaussians of other widths.
 *
 * Each pair i < j is met once; mirroring makes the rest.
 *
 * Cost: one pass over half the pairs; memory bins^2 numbers per power and, per
 * thread, those that a block of tiles can meet.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/engine/tiles.h"

/* What one thread adds up over a task. */
typedef struct desk {
    double *sums; /* power, bin of a row, bin of a column; from the first bins
                     of the block on */
    char *rows;   /* per sample of columns: sums of the block's rows */
    double *cols; /* per sample of rows: sums of the block's columns */
    size_t *cut;  /* columns of the tile where a bin begins or ends */
} desk;

typedef struct binning {
    const gi_bins *bins;
    size_t powers, most; /* most: bins that a block may meet */
    double *sums, *rows;
    size_t *bin_of;  /* per row */
    char *member[2]; /* per sample: 1 for its rows, else 0 */
    desk *desk;
} binning;

/* ------------------------------------------------------------------- tiles */

static void add_rows(const binning *b, const gi_worker *w, const desk *d,
                     const void *value)
{
    const gi_engine *e = w->e;
    const gi_tile *t = &w->tile;
    const size_t size = e->lanes->size;

    for (size_t s = 0; s < 2; s++) {
        size_t from = s ? b->bins->split : 0;
        size_t to = s ? e->t->rows : b->bins->split;

        if (t->col < to && t->col + t->cols > from)
            e->lanes->times(value, GI_TILE_ROWS, b->member[s] + t->col * size,
                            1,
                            d->rows + (s * e->edge + t->row - w->block_row) *
                                          GI_TIMES_SUMS * size);
    }
}

/* Where the bins of the tile's columns end in it; how many there are. */
static size_t cut_columns(const binning *b, const gi_tile *t, size_t *cut)
{
    const size_t *start = b->bins->start;
    size_t g = b->bin_of[t->col], cuts = 0;

    cut[0] = 0;
    for (; start[g] < t->col + t->cols; g++)
        cut[++cuts] = gi_min_size(start[g + 1] - t->col, t->cols);
    return cuts;
}

static gram_status take_bins(void *user, gi_worker *w)
{
    const binning *b = user;
    const gi_engine *e = w->e;
    const gi_tile *t = &w->tile;
    const desk *d = &b->desk[w - e->work];
    const size_t *start = b->bins->start;
    const int is_cut = t->col < t->row + t->rows;
    const size_t g0 = b->bin_of[w->block_row], h0 = b->bin_of[w->block_col];
    const size_t cuts = cut_columns(b, t, d->cut), end = t->row + t->rows;
    const void *value = t->value;

    if (is_cut || t->rows < GI_TILE_ROWS || t->cols < GI_TILE_COLS) {
        e->lanes->trim(t, is_cut, GI_TILE_ROWS, w->spare);
        value = w->spare;
    }
    if (b->rows)
        add_rows(b, w, d, value);
    for (size_t g = b->bin_of[t->row], row = t->row; row < end; g++) {
        size_t next = gi_min_size(start[g + 1], end);
        size_t s = row >= b->bins->split;
        double *cols = d->cols + s * e->edge + t->col - w->block_col;

        e->lanes->bins(value, row - t->row, next - row, b->powers, d->cut, cuts,
                       d->sums + (g - g0) * b->most + b->bin_of[t->col] - h0,
                       b->most * b->most, b->rows ? cols : NULL);
        row = next;
    }
    return GRAM_OK;
}

static void end_rows(const binning *b, const gi_worker *w, const desk *d)
{
    const gi_engine *e = w->e;
    const size_t size = e->lanes->size;
    const size_t m = gi_min_size(e->edge, e->x->rows - w->block_row);
    const size_t n = gi_min_size(e->edge, e->t->rows - w->block_col);

    for (size_t s = 0; s < 2; s++) {
        e->lanes->row_sums(m, d->rows + s * e->edge * GI_TIMES_SUMS * size, 1,
                           b->rows + 2 * w->block_row + s, 2);
        for (size_t j = 0; j < n; j++)
            b->rows[2 * (w->block_col + j) + s] += d->cols[s * e->edge + j];
    }
    memset(d->rows, 0, 2 * e->edge * GI_TIMES_SUMS * size);
    memset(d->cols, 0, 2 * e->edge * sizeof *d->cols);
}

static void end_bins(void *user, gi_worker *w)
{
    const binning *b = user;
    const gi_engine *e = w->e;
    const desk *d = &b->desk[w - e->work];
    const size_t s = b->bins->count, most = b->most;
    const size_t g0 = b->bin_of[w->block_row], h0 = b->bin_of[w->block_col];
    const size_t g1 = gi_min_size(w->block_row + e->edge, e->x->rows) - 1;
    const size_t h1 = gi_min_size(w->block_col + e->edge, e->t->rows) - 1;
    const size_t rows = b->bin_of[g1] - g0 + 1, cols = b->bin_of[h1] - h0 + 1;

    for (size_t q = 0; q < b->powers; q++)
        for (size_t g = 0; g < rows; g++) {
            double *from = d->sums + (q * most + g) * most;
            double *to = b->sums + (q * s + g0 + g) * s + h0;

            for (size_t h = 0; h < cols; h++)
                to[h] += from[h];
            memset(from, 0, cols * sizeof *from);
        }
    if (b->rows)
        end_rows(b, w, d);
}

/* ------------------------------------------------------------------ set up */

static gram_status begin_desk(const gi_engine *e, const binning *b, desk *d)
{
    gram_status status;
    size_t rows = 2 * e->edge;

    GI_TRY(GI_NEW_ZERO(e->run, d->sums, b->powers * b->most * b->most));
    GI_TRY(
        gi_alloc_zero(e->run, &d->rows, rows * GI_TIMES_SUMS, e->lanes->size));
    GI_TRY(GI_NEW_ZERO(e->run, d->cols, rows));
    GI_TRY(GI_NEW(e->run, d->cut, GI_TILE_COLS + 1));
done:
    return status;
}

static gram_status begin(const gi_engine *e, binning *b)
{
    gram_status status;
    const size_t n = e->x->rows, room = gi_round_up(n, GI_TILE_COMMON);

    GI_TRY(GI_NEW(e->run, b->bin_of, n));
    for (size_t g = 0; g < b->bins->count; g++)
        for (size_t i = b->bins->start[g]; i < b->bins->start[g + 1]; i++)
            b->bin_of[i] = g;
    for (size_t i = 0; i < n; i += e->edge) {
        size_t last = b->bin_of[gi_min_size(i + e->edge, n) - 1];

        b->most = b->most > last - b->bin_of[i] + 1 ? b->most
                                                    : last - b->bin_of[i] + 1;
    }
    for (size_t s = 0; s < 2; s++)
        GI_TRY(gi_alloc_zero(e->run, &b->member[s], room, e->lanes->size));
    for (size_t i = 0; i < n; i++)
        e->lanes->set(b->member[i >= b->bins->split], i, 1);
    GI_TRY(GI_NEW_ZERO(e->run, b->desk, e->threads));
    for (size_t i = 0; i < e->threads; i++)
        GI_TRY(begin_desk(e, b, &b->desk[i]));
done:
    return status;
}

static void end(const gi_engine *e, binning *b)
{
    for (size_t i = 0; b->desk && i < e->threads; i++) {
        gi_free(b->desk[i].sums);
        gi_free(b->desk[i].rows);
        gi_free(b->desk[i].cols);
        gi_free(b->desk[i].cut);
    }
    gi_free(b->desk);
    gi_free(b->bin_of);
    gi_free(b->member[0]);
    gi_free(b->member[1]);
}

/* S = U + U'. */
static void mirror(size_t n, double *S)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            S[i * n + j] = S[j * n + i] = S[i * n + j] + S[j * n + i];
}

gram_status gi_engine_bins(gi_run *run, const gram_program *p,
                           const gi_points *x, const gi_bins *bins,
                           size_t powers, double *sums, double *rows)
{
    const size_t s = bins->count;
    binning b = {.bins = bins, .powers = powers, .sums = sums, .rows = rows};
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, NULL, x, NULL, gi_lanes_of(x), 0));
    GI_TRY(begin(&e, &b));
    memset(sums, 0, powers * s * s * sizeof *sums);
    if (rows)
        memset(rows, 0, 2 * x->rows * sizeof *rows);
    GI_TRY(gi_engine_sweep(run, &e, &(gi_sweep){take_bins, end_bins, &b}));
    for (size_t q = 0; q < powers; q++)
        mirror(s, sums + q * s * s);
done:
    end(&e, &b);
    gi_engine_end(&e);
    return status;
}
