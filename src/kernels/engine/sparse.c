/* sparse.c - pairs of sparse rows.
 *
 * Inner products of all pairs of a block: the block's rows of t are turned
 * into an inverted index, for each feature the rows that have it; each entry
 * of a row of x then meets its partners at once.  A block costs its entries
 * and one multiplication for every feature that two rows share, never the
 * number of columns (which are looked up in a table of the features, kept
 * clean between blocks).  The order of the terms is that of the features, so
 * the product of two rows has the same bits either way round.
 *
 * A thread keeps the index while its blocks have the same columns.
 */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/engine/tiles.h"

struct gi_strip {
    size_t first, count; /* rows of t that are in it; count 0: none */
    size_t features;
    unsigned *start;     /* per feature, its first partner; features + 1 */
    unsigned short *row; /* partners: row - first, */
    double *value;       /* and entry */
};

/* The largest number of entries in `edge` rows that begin a block. */
static size_t most_entries(const gi_engine *e, const gi_operand *o)
{
    const size_t *start = o->t.rows->start;
    size_t most = 0;

    for (size_t j = 0; j < e->t->rows; j += e->edge) {
        size_t n = start[gi_min_size(j + e->edge, e->t->rows)] - start[j];

        most = n > most ? n : most;
    }
    return most;
}

gram_status gi_strip_new(gi_run *run, const gi_engine *e, const gi_operand *o,
                         gi_strip **out)
{
    gram_status status;
    gi_strip *s = NULL;
    size_t most = most_entries(e, o);

    if (most > UINT32_MAX)
        return gi_fail(GRAM_ERR_SHAPE,
                       "sparse rows: %zu entries in %zu rows, "
                       "must be fewer than 2^32",
                       most, e->edge);
    GI_TRY(GI_NEW_ZERO(run, s, 1));
    s->features = o->columns - o->width;
    GI_TRY(GI_NEW_ZERO(run, s->start, s->features + 1));
    GI_TRY(GI_NEW(run, s->row, most));
    GI_TRY(GI_NEW(run, s->value, most));
    *out = s;
    s = NULL;
done:
    gi_strip_free(s);
    return status;
}

void gi_strip_free(gi_strip *s)
{
    if (!s)
        return;
    gi_free(s->start);
    gi_free(s->row);
    gi_free(s->value);
    gi_free(s);
}

void gi_strip_forget(gi_strip *s)
{
    s->count = 0;
}

/* Counting sort of the entries by feature. */
static void build(gi_strip *s, const gi_side *t, size_t first, size_t count)
{
    const size_t *start = t->rows->start;
    const unsigned *index = t->rows->index;

    memset(s->start, 0, (s->features + 1) * sizeof *s->start);
    for (size_t k = start[first]; k < start[first + count]; k++)
        s->start[index[k] + 1]++;
    for (size_t f = 0; f < s->features; f++)
        s->start[f + 1] += s->start[f];
    for (size_t j = 0; j < count; j++)
        for (size_t k = start[first + j]; k < start[first + j + 1]; k++) {
            unsigned at = s->start[index[k]]++;

            s->row[at] = (unsigned short)j;
            s->value[at] = t->entries[k];
        }
    /* each start has moved to its end, which is the next one's start */
    memmove(s->start + 1, s->start, s->features * sizeof *s->start);
    s->start[0] = 0;
    s->first = first;
    s->count = count;
}

void gi_strip_product(gi_strip *s, const gi_operand *o, size_t row, size_t rows,
                      size_t col, size_t cols, double *out, size_t ld)
{
    const size_t *start = o->x.rows->start;
    const unsigned *index = o->x.rows->index;

    if (s->first != col || s->count != cols)
        build(s, &o->t, col, cols);
    for (size_t i = 0; i < rows; i++, out += ld) {
        memset(out, 0, cols * sizeof *out);
        for (size_t k = start[row + i]; k < start[row + i + 1]; k++) {
            const double v = o->x.entries[k];
            const unsigned end = s->start[index[k] + 1];

            for (unsigned at = s->start[index[k]]; at < end; at++)
                out[s->row[at]] += v * s->value[at];
        }
    }
}

void gi_merge_begin(gi_merge *m, const gi_operand *o, size_t i, size_t j)
{
    const gi_rows *x = o->x.rows, *t = o->t.rows;

    m->i = x->index + x->start[i];
    m->i_end = x->index + x->start[i + 1];
    m->x = o->x.entries + x->start[i];
    m->j = t->index + t->start[j];
    m->j_end = t->index + t->start[j + 1];
    m->t = o->t.entries + t->start[j];
}

int gi_merge_next(gi_merge *m, unsigned *k, double *x, double *t)
{
    int more_x = m->i < m->i_end, more_t = m->j < m->j_end, in_x, in_t;

    if (!more_x && !more_t)
        return 0;
    in_x = more_x && (!more_t || *m->i <= *m->j);
    in_t = more_t && (!more_x || *m->j <= *m->i);
    *k = in_x ? *m->i : *m->j;
    *x = in_x ? *m->x : 0;
    *t = in_t ? *m->t : 0;
    m->i += in_x;
    m->x += in_x;
    m->j += in_t;
    m->t += in_t;
    return 1;
}
