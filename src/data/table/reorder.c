/* reorder.c - puts the cells of one column in another order of the rows, which
 * shows how much the column matters.
 */
#include <string.h>

#include "base/mem.h"
#include "data/table/subset.h"

/* Row i becomes the old row order[i], of one sparse column. */
static gram_status reorder_sparse(gi_run *run, gi_sparse *s,
                                  const size_t *order, size_t rows)
{
    gram_status status = GRAM_OK;
    gi_sparse to = {.width = s->width, .names = s->names};

    GI_TRY(GI_NEW(run, to.start, rows + 1));
    GI_TRY(gi_sparse_reserve(run, &to, s->start[rows]));
    to.start[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t at = s->start[order[i]], n = s->start[order[i] + 1] - at;

        if (n) {
            memcpy(to.index + to.start[i], s->index + at, n * sizeof *to.index);
            memcpy(to.entries + to.start[i], s->entries + at,
                   n * sizeof *to.entries);
        }
        to.start[i + 1] = to.start[i] + n;
    }
    gi_sparse old = *s;
    *s = to;
    to = old;
done:
    gi_free(to.start);
    gi_free(to.index);
    gi_free(to.entries);
    return status;
}

gram_status gi_column_reorder(gi_run *run, gi_column *c, const size_t *order,
                              size_t rows)
{
    gram_status status = GRAM_OK;
    double *values = NULL;
    int *codes = NULL;

    if (c->type == GRAM_TYPE_SPARSE)
        return reorder_sparse(run, &c->sparse, order, rows);
    GI_TRY(GI_NEW(run, values, c->values ? rows : 0));
    GI_TRY(GI_NEW(run, codes, c->codes ? rows : 0));
    for (size_t i = 0; c->values && i < rows; i++)
        values[i] = c->values[order[i]];
    for (size_t i = 0; c->codes && i < rows; i++)
        codes[i] = c->codes[order[i]];
    if (c->values && rows)
        memcpy(c->values, values, rows * sizeof *values);
    if (c->codes && rows)
        memcpy(c->codes, codes, rows * sizeof *codes);
done:
    gi_free(values);
    gi_free(codes);
    return status;
}
