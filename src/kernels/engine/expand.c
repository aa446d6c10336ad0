/* expand.c - sparse rows that are nearly dense, written out.
 *
 * Pairs of sparse rows cost a few cycles for each feature that both have,
 * packed rows a cycle for sixteen columns or more; so where a twentieth of all
 * cells is stored, and more so where rows have the same features, written out
 * they are faster.  They take at most sixteen times the bytes of the entries.
 *
 * It is the t of a run that decides, as it does on the centre: what a pair is
 * does not depend on what other rows of x are asked for.  Where rows meet
 * themselves it is the t of the run that wants to know.  Columns that t has
 * not are not written out: they add to distances, always the same for a row.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "kernels/engine/block.h"
#include "kernels/engine/tiles.h"

/* Cells for each entry, and columns, at most. */
enum { CELLS = 20, COLUMNS = GI_EXPAND_WIDTH };

static int is_dense(const gi_op *op, const gi_points *t)
{
    const gi_rows *r;

    if (op->code != GI_OP_DOT && op->code != GI_OP_SQDIST)
        return 0;
    r = &t->view[op->view];
    return r->start && t->rows > 0 && r->sparse_width <= COLUMNS &&
           r->start[t->rows] >= t->rows * r->sparse_width / CELLS;
}

int gi_expands(const gi_engine *e, const gi_op *op)
{
    return is_dense(op, e->judge) && !(e->mode & GI_KEEP);
}

double gi_expand_rest(const gi_operand *o, const gi_side *s, size_t i)
{
    const gi_rows *r = s->wide;
    double sum = 0;

    for (size_t k = r ? r->start[i] : 0; r && k < r->start[i + 1]; k++) {
        size_t at = o->dense + r->index[k];
        double v = at < o->known ? 0 : r->entries[k] * o->weight[at];

        sum += v * v;
    }
    return sum;
}

gram_status gi_expand(const gi_engine *e, const gi_operand *o,
                      const gi_points *p, gi_side *s)
{
    const gi_rows *from = s->rows;
    const size_t dense = o->dense;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(e->run, s->expanded, p->rows * o->width));
    for (size_t i = 0; i < p->rows; i++) {
        double *row = s->expanded + i * o->width;
        const size_t end = from->start ? from->start[i + 1] : 0;

        for (size_t k = 0; k < dense; k++)
            row[k] = from->dense[i * dense + k];
        for (size_t k = from->start ? from->start[i] : 0; k < end; k++)
            if (dense + from->index[k] < o->width)
                row[dense + from->index[k]] = from->entries[k];
    }
    if (o->columns > o->known && from->start)
        s->wide = from;
    s->completed = (gi_rows){.dense = s->expanded,
                             .sparse_width = from->sparse_width,
                             .known_width = from->known_width};
    s->rows = &s->completed;
done:
    return status;
}

size_t gi_expanded_bytes(const gram_program *p, const gi_points *x,
                         const gi_points *t, gi_precision precision)
{
    size_t panels = (precision == GI_SINGLE ? &gi_lanes_s : &gi_lanes_d)->size;
    size_t cells = 0, rows = x->rows + (t ? t->rows : 0);

    for (size_t i = 0; i < p->ops; i++)
        if (is_dense(&p->op[i], t ? t : x))
            cells += (t ? t : x)->view[p->op[i].view].sparse_width;
    return rows * cells * (sizeof(double) + (t ? 1 : 2) * panels);
}
