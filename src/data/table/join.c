/* join.c - appends the rows of one table to those of another.
 *
 * The columns are the first one's; in the second they are found by name.  A
 * level or feature that only the second one has becomes one of the result.
 */
#include <string.h>

#include "base/mem.h"
#include "data/table/subset.h"

/* The column of t that goes behind `c`. */
static gram_status find_column(const gram_table *t, const gi_column *c,
                               const gi_column **out)
{
    gram_status status = GRAM_OK;
    size_t j = 0;

    GI_TRY(gram_table_find(t, c->name, &j));
    *out = &t->column[j];
    if ((*out)->type != c->type)
        status = gi_fail(GRAM_ERR_SHAPE,
                         "column \"%s\": is a %s column, must be a %s column",
                         c->name, gram_type_name((*out)->type),
                         gram_type_name(c->type));
done:
    return gi_table_context(status, t);
}

/* Codes of a column in the numbering of `to`, whose strings grow. */
static gram_status add_codes(gi_run *run, const gi_column *from, size_t rows,
                             size_t at, gi_column *to)
{
    gram_status status = GRAM_OK;
    int *code = NULL;

    GI_TRY(GI_NEW(run, code, from->level_count));
    for (size_t k = 0; k < from->level_count; k++)
        GI_TRY(gi_dict_add_text(run, &to->dict, from->levels[k], &code[k]));
    for (size_t i = 0; i < rows; i++)
        to->codes[at + i] = from->codes[i] < 0 ? -1 : code[from->codes[i]];
done:
    gi_free(code);
    return status;
}

static gram_status add_sparse(gi_run *run, const gi_column *from, size_t rows,
                              size_t at, gi_column *to)
{
    gram_status status = GRAM_OK;
    const gi_sparse *s = &from->sparse;
    gi_sparse *r = &to->sparse;
    size_t before = at ? r->start[at] : 0;
    int code;

    if (at && !to->dict.count != !s->names)
        return gi_fail(GRAM_ERR_NAME,
                       "column \"%s\": features with names beside features "
                       "without",
                       from->name);
    for (size_t k = 0; s->names && k < s->width; k++) {
        GI_TRY(gi_dict_add_text(run, &to->dict, s->names[k], &code));
        if ((size_t)code != k)
            GI_TRY(gi_fail(GRAM_ERR_NAME,
                           "column \"%s\": feature %zu is called \"%s\", must "
                           "be called as in the model",
                           from->name, k + 1, s->names[k]));
    }
    GI_TRY(gi_sparse_reserve(run, r, before + s->start[rows]));
    r->width = s->width > r->width ? s->width : r->width;
    if (s->start[rows]) {
        memcpy(r->index + before, s->index, s->start[rows] * sizeof *r->index);
        memcpy(r->entries + before, s->entries,
               s->start[rows] * sizeof *r->entries);
    }
    for (size_t i = 0; i <= rows; i++)
        r->start[at + i] = before + s->start[i];
done:
    return status;
}

static gram_status add_rows(gi_run *run, const gi_column *from, size_t rows,
                            size_t at, gi_column *to)
{
    if (from->type == GRAM_TYPE_SPARSE)
        return add_sparse(run, from, rows, at, to);
    if (from->codes)
        return add_codes(run, from, rows, at, to);
    if (rows)
        memcpy(to->values + at, from->values, rows * sizeof *to->values);
    return GRAM_OK;
}

gram_status gi_table_join(gi_run *run, const gram_table *a, const gram_table *b,
                          gram_table **out)
{
    gram_status status = GRAM_OK;
    gram_table *t = NULL;

    *out = NULL;
    GI_TRY(gram_table_new(a->rows + (b ? b->rows : 0), &t));
    for (size_t j = 0; j < a->cols; j++) {
        const gi_column *first = &a->column[j], *second = NULL;
        gi_column *to = NULL;

        if (b)
            GI_TRY(find_column(b, first, &second));
        GI_TRY(gi_table_add(run, t, first->name, first->type, &to));
        to->role = first->role;
        GI_TRY(add_rows(run, first, a->rows, 0, to));
        if (second)
            GI_TRY(gi_table_context(add_rows(run, second, b->rows, a->rows, to),
                                    b));
        GI_TRY(gi_column_finish(run, to, t->rows));
        gi_column_count_missing(to, t->rows);
    }
    *out = t;
    t = NULL;
done:
    gram_table_free(t);
    return status;
}
