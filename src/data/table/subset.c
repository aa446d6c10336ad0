/* subset.c - some columns and rows of a table, as a table of their own.
 *
 * Levels keep their numbers, also those that no row has any more, so that a
 * code means the same in all subsets of a table.
 */
#include "data/table/subset.h"

#include <string.h>

#include "base/mem.h"

/* Levels in the order of their codes, or the names of features. */
static gram_status copy_strings(gi_run *run, const gi_column *from,
                                gi_column *to)
{
    gram_status status = GRAM_OK;

    for (size_t k = 0; k < from->dict.count; k++)
        GI_TRY(gi_dict_add_text(
            run, &to->dict,
            from->levels ? from->levels[k] : gi_dict_at(&from->dict, k), NULL));
done:
    return status;
}

static gram_status copy_sparse(gi_run *run, const gi_sparse *from,
                               const unsigned char *keep, size_t rows,
                               gi_sparse *to)
{
    gram_status status = GRAM_OK;
    size_t entries = 0, row = 0;

    for (size_t i = 0; i < rows; i++)
        if (!keep || keep[i])
            entries += from->start[i + 1] - from->start[i];
    GI_TRY(gi_sparse_reserve(run, to, entries));
    to->width = from->width;
    to->start[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t at = from->start[i], n = from->start[i + 1] - at;

        if (keep && !keep[i])
            continue;
        if (n) {
            memcpy(to->index + to->start[row], from->index + at,
                   n * sizeof *to->index);
            memcpy(to->entries + to->start[row], from->entries + at,
                   n * sizeof *to->entries);
        }
        to->start[row + 1] = to->start[row] + n;
        row++;
    }
done:
    return status;
}

static gram_status copy_column(gi_run *run, const gi_column *from,
                               const unsigned char *keep, size_t rows,
                               gram_table *t)
{
    gram_status status = GRAM_OK;
    gi_column *to = NULL;

    GI_TRY(gi_table_add(run, t, from->name, from->type, &to));
    to->role = from->role;
    to->typed = from->typed;
    if (from->type == GRAM_TYPE_SPARSE)
        GI_TRY(copy_sparse(run, &from->sparse, keep, rows, &to->sparse));
    for (size_t i = 0, row = 0; from->values && i < rows; i++)
        if (!keep || keep[i])
            to->values[row++] = from->values[i];
    for (size_t i = 0, row = 0; from->codes && i < rows; i++)
        if (!keep || keep[i])
            to->codes[row++] = from->codes[i];
    GI_TRY(copy_strings(run, from, to));
    GI_TRY(gi_column_finish(run, to, t->rows));
    gi_column_count_missing(to, t->rows);
done:
    return status;
}

gram_status gi_table_subset(gi_run *run, const gram_table *t,
                            const unsigned char *columns,
                            const unsigned char *keep, gram_table **out)
{
    gram_status status = GRAM_OK;
    gram_table *part = NULL;
    size_t rows = 0;

    *out = NULL;
    for (size_t i = 0; i < t->rows; i++)
        rows += !keep || keep[i];
    GI_TRY(gram_table_new(rows, &part));
    for (size_t j = 0; j < t->cols; j++)
        if (!columns || columns[j])
            GI_TRY(copy_column(run, &t->column[j], keep, t->rows, part));
    *out = part;
    part = NULL;
done:
    gram_table_free(part);
    return status;
}
