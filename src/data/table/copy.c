/* copy.c - a column of other tables as a new column of a table.
 *
 * A copy is made to be written: it has type, cells and the texts that cells have
 * in the file.  Levels are those of all tables; rows may be chosen, in any
 * order.
 */
#include <string.h>

#include "base/mem.h"
#include "data/table/table.h"

typedef struct sources {
    const gram_table *const *table;
    const gi_column **column; /* one of each table */
    size_t count, rows;       /* rows of all of them */
    int texts;                /* all of them have the texts of their cells */
} sources;

static gram_status find_columns(sources *s, const char *name)
{
    gram_status status = GRAM_OK;

    s->texts = 1;
    for (size_t k = 0; k < s->count; k++) {
        const gram_table *t = s->table[k];
        size_t j = 0;

        GI_TRY(gram_table_find(t, name, &j));
        s->column[k] = &t->column[j];
        s->rows += t->rows;
        s->texts &= t->column[j].texts.end != NULL;
        if (t->column[j].type == GRAM_TYPE_SPARSE)
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "column \"%s\": is sparse, cannot be copied", name));
        if (t->column[j].type != s->column[0]->type)
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "column \"%s\": is a %s column in one table and a "
                           "%s column in another",
                           name, gram_type_name(s->column[0]->type),
                           gram_type_name(t->column[j].type)));
    }
done:
    return status;
}

static gram_status check_rows(const sources *s, size_t n, const size_t *rows)
{
    if (!rows && n != s->rows)
        return gi_fail(GRAM_ERR_SHAPE, "a copy of %zu rows, must be %zu",
                       s->rows, n);
    for (size_t i = 0; rows && i < n; i++)
        if (rows[i] >= s->rows)
            return gi_fail(GRAM_ERR_RANGE, "no row %zu, there are %zu",
                           rows[i] + 1, s->rows);
    return GRAM_OK;
}

/* Row `to` of the column becomes row `i` of the sources. */
static gram_status copy_cell(const sources *s, size_t i, gi_column *c,
                             size_t to)
{
    gram_status status = GRAM_OK;
    const gi_column *from;
    const char *text;
    size_t k = 0;

    for (; i >= s->table[k]->rows; k++)
        i -= s->table[k]->rows;
    from = s->column[k];
    if (from->values) {
        c->values[to] = from->values[i];
    } else {
        const char *level =
            from->codes[i] < 0 ? NULL : from->levels[from->codes[i]];

        c->codes[to] = -1;
        if (level)
            GI_TRY(gi_dict_add_text(NULL, &c->dict, level, &c->codes[to]));
    }
    if (s->texts) {
        text = gi_column_text(from, i);
        text = text ? text : "";
        GI_TRY(gi_texts_add(NULL, &c->texts, text, strlen(text)));
    }
done:
    return status;
}

gram_status gram_table_add_copy(gram_table *t, const char *name,
                                const gram_table *const *from, size_t count,
                                const size_t *rows)
{
    gram_status status = GRAM_OK;
    sources s = {.table = from, .count = count};
    gi_column *c = NULL;

    if (count == 0)
        return gi_fail(GRAM_ERR_SHAPE, "column \"%s\": a copy of no table",
                       name);
    GI_TRY(GI_NEW(NULL, s.column, count));
    GI_TRY(find_columns(&s, name));
    GI_TRY(gi_context(check_rows(&s, t->rows, rows), "column \"%s\"", name));
    GI_TRY(gi_table_add(NULL, t, name, s.column[0]->type, &c));
    for (size_t i = 0; i < t->rows; i++)
        GI_TRY(copy_cell(&s, rows ? rows[i] : i, c, i));
    gi_texts_trim(&c->texts);
    GI_TRY(gi_column_finish(NULL, c, t->rows));
    gi_column_count_missing(c, t->rows);
done:
    if (status != GRAM_OK && c)
        gi_table_drop_last(t);
    gi_free(s.column);
    return status;
}
