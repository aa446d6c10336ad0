/* model_table.c - the table inside a model file: names, types, cells.
 *
 *     rows, columns, then for each column its name, type and role and
 *       number, date     a real per row
 *       category, text   levels, then a code per row, an index of levels
 *       sparse           width, entries, feature names, start, index, entries
 */
#include <string.h>

#include "data/table/table.h"
#include "base/codec.h"
#include "machines/files/model.h"

static gram_status bad_column(const gi_codec *c, const char *name,
                              const char *what)
{
    return gi_fail(GRAM_ERR_PARSE, "%s: not a valid model: column \"%s\": %s",
                   gi_input_name(c->in), name, what);
}

/* Strings one after the other; reading adds them to `dict`. */
static gram_status code_strings(gi_codec *c, const char *const *strings,
                                size_t count, gi_dict *dict)
{
    gram_status status = GRAM_OK;
    char *s = NULL;

    GI_TRY(gi_codec_size(c, &count));
    GI_TRY(gi_codec_expect(c, count, sizeof(uint64_t)));
    for (size_t i = 0; i < count; i++) {
        int code;

        if (!gi_codec_reads(c)) {
            s = (char *)strings[i];
            GI_TRY(gi_codec_text(c, &s));
            s = NULL;
            continue;
        }
        GI_TRY(gi_codec_text(c, &s));
        GI_TRY(gi_dict_add(c->run, dict, s, strlen(s), &code));
        gi_free(s);
        s = NULL;
    }
done:
    gi_free(s);
    return status;
}

static gram_status code_levels(gi_codec *c, gi_column *column, size_t rows)
{
    gram_status status = GRAM_OK;
    int *codes = gi_codec_reads(c) ? NULL : column->codes;

    GI_TRY(code_strings(c, column->levels, column->level_count, &column->dict));
    GI_TRY(gi_codec_wholes(c, &codes, rows));
    if (!gi_codec_reads(c))
        return status;
    for (size_t i = 0; i < rows; i++) {
        if (codes[i] < -1 || codes[i] >= (int)column->dict.count)
            GI_TRY(bad_column(c, column->name, "a code without a level"));
        column->codes[i] = codes[i];
    }
    GI_TRY(gi_column_finish(c->run, column, rows));
done:
    if (gi_codec_reads(c))
        gi_free(codes);
    return status;
}

static gram_status check_sparse(const gi_codec *c, const gi_column *column,
                                size_t rows, size_t entries)
{
    const gi_sparse *s = &column->sparse;

    if (s->start[0] != 0 || s->start[rows] != entries)
        return bad_column(c, column->name, "rows that do not fit");
    for (size_t i = 0; i < rows; i++)
        if (s->start[i + 1] < s->start[i] || s->start[i + 1] > entries)
            return bad_column(c, column->name, "rows that do not fit");
    for (size_t i = 0; i < rows; i++)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (s->index[k] >= s->width ||
                (k > s->start[i] && s->index[k] <= s->index[k - 1]))
                return bad_column(c, column->name, "indices out of order");
    return GRAM_OK;
}

static gram_status code_sparse(gi_codec *c, gi_column *column, size_t rows)
{
    gram_status status = GRAM_OK;
    gi_sparse *s = &column->sparse;
    size_t entries = gi_codec_reads(c) ? 0 : s->start[rows];

    GI_TRY(gi_codec_size(c, &s->width));
    GI_TRY(gi_codec_size(c, &entries));
    GI_TRY(code_strings(c, s->names, s->names ? s->width : 0, &column->dict));
    if (gi_codec_reads(c)) {
        gi_free(s->start);
        s->start = NULL;
    }
    GI_TRY(gi_codec_sizes(c, &s->start, rows + 1));
    GI_TRY(gi_codec_unsigned(c, &s->index, entries));
    GI_TRY(gi_codec_reals(c, &s->entries, entries));
    s->capacity = entries;
    if (!gi_codec_reads(c))
        return status;
    if (column->dict.count && column->dict.count != s->width)
        GI_TRY(bad_column(c, column->name, "names that do not fit"));
    GI_TRY(check_sparse(c, column, rows, entries));
    GI_TRY(gi_column_finish(c->run, column, rows));
done:
    return status;
}

static gram_status code_values(gi_codec *c, gi_column *column, size_t rows)
{
    gram_status status = GRAM_OK;

    if (gi_codec_reads(c)) {
        gi_free(column->values);
        column->values = NULL;
    }
    GI_TRY(gi_codec_reals(c, &column->values, rows));
done:
    return status;
}

static gram_status (*const coders[])(gi_codec *, gi_column *, size_t) = {
    [GRAM_TYPE_NUMBER] = code_values, [GRAM_TYPE_CATEGORY] = code_levels,
    [GRAM_TYPE_TEXT] = code_levels,   [GRAM_TYPE_DATE] = code_values,
    [GRAM_TYPE_SPARSE] = code_sparse,
};

static gram_status code_column(gi_codec *c, gram_table *t, size_t j)
{
    gram_status status = GRAM_OK;
    gi_column *column = gi_codec_reads(c) ? NULL : &t->column[j];
    char *name = column ? column->name : NULL;
    int type = column ? (int)column->type : 0;
    int role = column ? (int)column->role : 0;

    GI_TRY(gi_codec_text(c, &name));
    GI_TRY(gi_codec_whole(c, &type));
    GI_TRY(gi_codec_whole(c, &role));
    if (type < 0 || (size_t)type >= sizeof coders / sizeof *coders)
        GI_TRY(bad_column(c, name, "a type that is not there"));
    if (role < 0 || role > GRAM_ROLE_GROUP)
        GI_TRY(bad_column(c, name, "a role that is not there"));
    if (gi_codec_reads(c)) {
        GI_TRY(gi_table_add(c->run, t, name, (gram_type)type, &column));
        column->role = (gram_role)role;
    }
    GI_TRY(coders[type](c, column, t->rows));
    if (gi_codec_reads(c))
        gi_column_count_missing(column, t->rows);
done:
    if (gi_codec_reads(c))
        gi_free(name);
    return status;
}

gram_status gi_model_code_table(gi_codec *c, gram_table **table)
{
    gram_status status = GRAM_OK;
    gram_table *t = gi_codec_reads(c) ? NULL : *table;
    size_t rows = gi_codec_reads(c) ? 0 : (*table)->rows;
    size_t cols = gi_codec_reads(c) ? 0 : (*table)->cols;

    GI_TRY(gi_codec_size(c, &rows));
    GI_TRY(gi_codec_size(c, &cols));
    GI_TRY(gi_codec_expect(c, cols, sizeof(uint64_t)));
    GI_TRY(gi_codec_expect(c, cols ? rows : 0, sizeof(int32_t)));
    if (gi_codec_reads(c))
        GI_TRY(gram_table_new(rows, &t));
    for (size_t j = 0; t && j < cols; j++)
        GI_TRY(code_column(c, t, j));
    *table = t;
    t = NULL;
done:
    if (gi_codec_reads(c))
        gram_table_free(t);
    return status;
}
