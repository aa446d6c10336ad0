/* write_csv.c - comma- or tab-separated text with a header, RFC 4180.
 *
 * What is written reads back as the same table: numbers in their shortest
 * exact form, dates in ISO 8601, text in quotes where it would be cut
 * differently, lose blanks or be taken for a missing cell.  A missing cell is
 * empty, or NA where a row of empty cells would be a blank line.  Where the
 * text of a cell was kept, it is written instead.  A sparse block is written
 * densely; its features are columns called by their names, or by the block's
 * name and their number.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/types/date.h"
#include "data/read/load.h"
#include "data/write/writer.h"

typedef struct csv {
    const gram_table *table;
    char separator;
    const char *special; /* characters that need quotes */
    const char *missing;
} csv;

static gram_status add(gi_run *run, gi_buf *b, const char *s)
{
    return gi_buf_add(run, b, s, strlen(s));
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static gram_status add_quoted(gi_run *run, const char *s, gi_buf *b)
{
    gram_status status = GRAM_OK;

    GI_TRY(add(run, b, "\""));
    for (const char *p = s; *p;) {
        size_t m = strcspn(p, "\"");

        m += p[m] == '"';
        GI_TRY(gi_buf_add(run, b, p, m));
        p += m;
        if (p[-1] == '"')
            GI_TRY(add(run, b, "\""));
    }
    GI_TRY(add(run, b, "\""));
done:
    return status;
}

static int is_special(const csv *v, const char *s)
{
    return s[strcspn(s, v->special)] != '\0';
}

static gram_status add_text(gi_run *run, const csv *v, const char *s, gi_buf *b)
{
    size_t n = strlen(s);

    if (gi_cell_kind(s, n, 0) != GI_CELL_MISSING && !is_blank(s[0]) &&
        !is_blank(s[n - 1]) && !is_special(v, s))
        return gi_buf_add(run, b, s, n);
    return add_quoted(run, s, b);
}

/* ------------------------------------------------------------------ cells */

/* Write the kept text of a number, a date or a missing cell as it is. */
static gram_status kept_cell(gi_run *run, const csv *v, const char *s,
                             gi_buf *b)
{
    return is_special(v, s) ? add_quoted(run, s, b) : add(run, b, s);
}

static gram_status number_cell(gi_run *run, const csv *v, const gi_column *c,
                               size_t i, gi_buf *b)
{
    char text[GI_NUMBER_ROOM];

    if (isnan(c->values[i]))
        return add(run, b, v->missing);
    return gi_buf_add(run, b, text, gi_number_print(c->values[i], text));
}

static gram_status text_cell(gi_run *run, const csv *v, const gi_column *c,
                             size_t i, gi_buf *b)
{
    if (c->codes[i] < 0)
        return add(run, b, v->missing);
    return add_text(run, v, c->levels[c->codes[i]], b);
}

static gram_status date_cell(gi_run *run, const csv *v, const gi_column *c,
                             size_t i, gi_buf *b)
{
    char text[GI_DATE_ROOM];

    if (isnan(c->values[i]))
        return add(run, b, v->missing);
    gi_date_print(c->values[i], text);
    return add(run, b, text);
}

static gram_status sparse_cells(gi_run *run, const csv *v, const gi_column *c,
                                size_t i, gi_buf *b)
{
    gram_status status = GRAM_OK;
    const gi_sparse *s = &c->sparse;
    size_t k = s->start[i], end = s->start[i + 1];
    char text[GI_NUMBER_ROOM];

    for (size_t j = 0; j < s->width; j++) {
        size_t n = 1;

        text[0] = '0';
        if (k < end && s->index[k] == j)
            n = gi_number_print(s->entries[k++], text);
        if (j > 0)
            GI_TRY(gi_buf_add(run, b, &v->separator, 1));
        GI_TRY(gi_buf_add(run, b, text, n));
    }
done:
    return status;
}

static gram_status (*const cells[])(gi_run *run, const csv *v,
                                    const gi_column *c, size_t i, gi_buf *b) = {
    [GRAM_TYPE_NUMBER] = number_cell,  [GRAM_TYPE_CATEGORY] = text_cell,
    [GRAM_TYPE_TEXT] = text_cell,      [GRAM_TYPE_DATE] = date_cell,
    [GRAM_TYPE_SPARSE] = sparse_cells,
};

/* Does the column have cells?  A sparse block may have no features. */
static int is_there(const gi_column *c)
{
    return c->type != GRAM_TYPE_SPARSE || c->sparse.width > 0;
}

/* All cells of the row from byte `from` on are empty: a reader would see a blank
 * line if there is no comma. */
static gram_status mark_blank(gi_run *run, const csv *v, size_t from, gi_buf *b)
{
    gram_status status = GRAM_OK;
    size_t n = b->n - from;

    if (n > 0 && !is_blank(v->separator))
        return status;
    GI_TRY(add(run, b, "NA"));
    memmove(b->s + b->n - n, b->s + from, n);
    memcpy(b->s + from, "NA", 2);
done:
    return status;
}

static gram_status row_text(gi_run *run, const void *context, size_t i,
                            gi_buf *b)
{
    gram_status status = GRAM_OK;
    const csv *v = context;
    size_t count = 0, from = b->n;

    for (size_t j = 0; j < v->table->cols; j++) {
        const gi_column *c = &v->table->column[j];
        const char *text = gi_column_text(c, i);

        if (!is_there(c))
            continue;
        if (count++ > 0)
            GI_TRY(gi_buf_add(run, b, &v->separator, 1));
        GI_TRY(text ? kept_cell(run, v, text, b)
                    : cells[c->type](run, v, c, i, b));
    }
    if (b->n - from < count) /* kept cells, all of them empty */
        GI_TRY(mark_blank(run, v, from, b));
    GI_TRY(add(run, b, "\n"));
done:
    return status;
}

/* ----------------------------------------------------------------- header */

/* A name, which no other column may have. */
static gram_status add_name(gi_run *run, const csv *v, const char *name,
                            gi_dict *names, gi_buf *b)
{
    gram_status status = GRAM_OK;
    size_t count = names->count;

    GI_TRY(gi_dict_add_text(run, names, name, NULL));
    if (names->count == count)
        return gi_fail(GRAM_ERR_NAME, "two columns would be called \"%s\"",
                       name);
    if (count > 0)
        GI_TRY(gi_buf_add(run, b, &v->separator, 1));
    GI_TRY(add_text(run, v, name, b));
done:
    return status;
}

static gram_status add_feature_names(gi_run *run, const csv *v,
                                     const gi_column *c, gi_dict *names,
                                     gi_buf *b)
{
    gram_status status = GRAM_OK;
    gi_buf name = {0};

    for (size_t k = 0; k < c->sparse.width; k++) {
        char number[32];

        name.n = 0;
        snprintf(number, sizeof number, "%zu", k + 1);
        if (c->sparse.names) {
            GI_TRY(add(run, &name, c->sparse.names[k]));
        } else {
            GI_TRY(add(run, &name, c->name));
            GI_TRY(add(run, &name, number));
        }
        GI_TRY(add_name(run, v, name.s, names, b));
    }
done:
    gi_buf_free(&name);
    return status;
}

static gram_status header_text(gi_run *run, const csv *v, gi_buf *b)
{
    gram_status status = GRAM_OK;
    gi_dict names = {0};

    for (size_t j = 0; j < v->table->cols; j++) {
        const gi_column *c = &v->table->column[j];

        if (c->type == GRAM_TYPE_SPARSE)
            GI_TRY(add_feature_names(run, v, c, &names, b));
        else
            GI_TRY(add_name(run, v, c->name, &names, b));
    }
    GI_TRY(add(run, b, "\n"));
done:
    gi_dict_free(&names);
    return status;
}

/* ------------------------------------------------------------------ class */

static gram_status write_separated(gi_run *run, const gram_table *t,
                                   const char *name, gi_output *out,
                                   char separator)
{
    gram_status status = GRAM_OK;
    csv v = {t, separator, ",\"\r\n", ""};
    gi_buf header = {0};
    size_t cols = 0;

    GI_TRY(gi_dense_cols(t, name, &cols));
    if (cols == 1 || separator != ',') {
        /* quote whatever a reader might take for a separator */
        v.special = cols == 1 ? ", \t;|\"\r\n" : ",\t;|\"\r\n";
        v.missing = "NA";
    }
    GI_TRY(gi_context(header_text(run, &v, &header), "%s", name));
    GI_TRY(gi_output_write(out, header.s, header.n));
    GI_TRY(gi_write_rows(run, out, t->rows, cols, row_text, &v));
done:
    gi_buf_free(&header);
    return status;
}

static gram_status write_csv(gi_run *run, const gram_table *t, const char *name,
                             gi_output *out)
{
    return write_separated(run, t, name, out, ',');
}

static gram_status write_tsv(gi_run *run, const gram_table *t, const char *name,
                             gi_output *out)
{
    return write_separated(run, t, name, out, '\t');
}

const gi_writer_class gi_writer_csv = {
    .name = "csv",
    .brief = "comma-separated values with a header",
    .extensions = "csv,txt",
    .keeps_texts = 1,
    .write = write_csv,
};

const gi_writer_class gi_writer_tsv = {
    .name = "tsv",
    .brief = "tab-separated values with a header",
    .extensions = "tsv",
    .keeps_texts = 1,
    .write = write_tsv,
};
