/* bin_rows.c - the rows of both samples in a seeded order, cut into bins.
 *
 * Permuting whole bins of b rows is as valid as permuting rows: if all orders
 * of the rows are equally likely, so are all orders of bins of equal size, and
 * the level of the test is exact (Domingo-Enrich, Dwivedi, Mackey: Cheap
 * permutation testing, 2025).  Rows left over stay where they are.  The smaller
 * sample gets at least MIN_BINS bins, where it has the rows, since few bins
 * have few orders; of a much larger one only the first MOST move.
 *
 * Rows are put in a random order first, since the bins of a sorted file would
 * be unlike each other.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "kernels/engine/block.h"
#include "samples/mmd.h"

enum {
    MIN_BINS = GI_TEST_MIN_BINS,
    MOST = GI_TEST_MOVING_BINS,
    STREAM = 0x6d6d6463
};

/* Up to this many rows tiles are in double, where time does not matter. */
enum { DOUBLE_ROWS = GI_TEST_DOUBLE_ROWS };

static void order_rows(const gi_run *run, const gi_joined *p, gi_bin_rows *c)
{
    gi_rng rng = gi_rng_new(run->seed, STREAM);

    for (size_t i = 0; i < c->m + c->n; i++)
        c->row[i] = i;
    if (gi_joined_is_fixed(p))
        return;
    gi_rng_shuffle(&rng, c->row, c->m);
    gi_rng_shuffle(&rng, c->row + c->m, c->n);
}

/* Bins of `size` rows and a rest, from row `first`; `most` move. */
static void add_bins(gi_bin_rows *c, size_t first, size_t rows, size_t size,
                     size_t most)
{
    size_t whole = size ? gi_min_size(rows / size, most) : 0;

    for (size_t g = 0; g < whole; g++) {
        c->moves[c->moving++] = c->bins.count;
        c->start[c->bins.count++] = first + g * size;
    }
    if (whole * size < rows)
        c->start[c->bins.count++] = first + whole * size;
}

static void make_bins(gi_bin_rows *c, size_t bins)
{
    const size_t rows = c->m + c->n, fewer = gi_min_size(c->m, c->n);
    size_t size = rows / bins;
    size_t most = bins > MOST ? bins : MOST;

    size = gi_min_size(size, fewer / MIN_BINS);
    size = size < 1 ? 1 : size;
    if (bins == 1)
        size = 0;
    add_bins(c, 0, c->m, size, most);
    c->moving_a = c->moving;
    add_bins(c, c->m, c->n, size, most);
    c->start[c->bins.count] = rows;
    c->bins.start = c->start;
    c->bins.split = c->m;
}

gram_status gi_bin_rows_new(gi_run *run, const gi_joined *p, size_t bins,
                            int precision, gi_bin_rows *out)
{
    gram_status status = GRAM_OK;
    const size_t rows = p->m + p->n;
    gi_bin_rows c = {.m = p->m, .n = p->n};
    gi_precision tiles =
        precision == 2 || (precision == 0 && rows > DOUBLE_ROWS) ? GI_SINGLE
                                                                 : GI_DOUBLE;

    GI_TRY(GI_NEW(run, c.row, rows));
    GI_TRY(GI_NEW(run, c.start, rows + 1));
    GI_TRY(GI_NEW(run, c.moves, rows));
    GI_TRY(GI_NEW(run, c.diagonal, rows));
    order_rows(run, p, &c);
    make_bins(&c, bins);
    if (gi_joined_is_fixed(p))
        GI_TRY(gi_points_view(run, p->x, GI_DOUBLE, &c.x));
    else
        GI_TRY(gi_points_select(run, p->program, p->x, c.row, rows, &c.x));
    GI_TRY(gi_points_view(run, c.x, tiles, &c.at));
    GI_TRY(gi_engine_diagonal(run, p->program, NULL, c.x, c.diagonal));
done:
    *out = c;
    return status;
}

void gi_bin_rows_clear(gi_bin_rows *c)
{
    gi_points_free(c->at);
    gi_points_free(c->x);
    gi_free(c->row);
    gi_free(c->start);
    gi_free(c->moves);
    gi_free(c->diagonal);
    *c = (gi_bin_rows){0};
}
