/* table.c - makes, grows, finds and frees columns.
 *
 * A table keeps one array per column (or codes and levels, or a compressed
 * sparse block), so that a reader writes a cell to its final place and a column
 * that is not needed costs nothing.  Capacity grows by half; blocks of 4 MiB and
 * more grow without being copied (base/mem.c).
 */
#include "data/table/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"

static const char *const type_names[] = {"number", "category", "text", "date",
                                         "sparse"};
static const char *const role_names[] = {"feature", "target", "weight", "noise",
                                         "group"};

const char *gram_type_name(gram_type type)
{
    return type_names[type];
}

const char *gram_role_name(gram_role role)
{
    return role_names[role];
}

static int has_values(const gi_column *c)
{
    return c->type == GRAM_TYPE_NUMBER || c->type == GRAM_TYPE_DATE;
}

gram_status gram_table_new(size_t rows, gram_table **out)
{
    static atomic_ulong tables;
    gram_table *t = NULL;
    gram_status status = GI_NEW_ZERO(NULL, t, 1);

    if (status == GRAM_OK) {
        t->serial = atomic_fetch_add(&tables, 1) + 1;
        t->rows = t->capacity = rows;
        *out = t;
    }
    return status;
}

static void free_column(gi_column *c)
{
    gi_free(c->name);
    gi_free(c->values);
    gi_free(c->codes);
    gi_free(c->levels);
    gi_free(c->sparse.start);
    gi_free(c->sparse.index);
    gi_free(c->sparse.entries);
    gi_free(c->sparse.names);
    gi_dict_free(&c->dict);
    gi_texts_free(&c->texts);
}

void gi_table_clear(gram_table *t)
{
    for (size_t j = 0; j < t->cols; j++)
        free_column(&t->column[j]);
    gi_free(t->column);
    gi_dict_free(&t->names);
    gi_free(t->file);
    *t = (gram_table){.serial = t->serial};
}

void gram_table_free(gram_table *t)
{
    if (t)
        gi_table_clear(t);
    gi_free(t);
}

static gram_status reserve_column(gi_run *run, gi_column *c, size_t rows)
{
    if (has_values(c))
        return GI_GROW(run, c->values, rows);
    if (c->type == GRAM_TYPE_SPARSE) {
        gram_status status = GI_GROW(run, c->sparse.start, rows + 1);

        if (status == GRAM_OK)
            c->sparse.start[0] = 0;
        return status;
    }
    return GI_GROW(run, c->codes, rows);
}

gram_status gi_table_add(gi_run *run, gram_table *t, const char *name,
                         gram_type type, gi_column **out)
{
    gram_status status = GRAM_OK;
    gi_column c = {.type = type};

    if (gi_dict_find(&t->names, name, strlen(name)) >= 0)
        return gi_fail(GRAM_ERR_NAME, "two columns are called \"%s\"", name);
    GI_TRY(GI_RESERVE(run, t->column, t->cols_capacity, t->cols + 1));
    GI_TRY(gi_strndup(run, name, strlen(name), &c.name));
    GI_TRY(reserve_column(run, &c, t->capacity));
    GI_TRY(gi_dict_add_text(run, &t->names, name, NULL));
    t->column[t->cols] = c;
    *out = &t->column[t->cols++];
done:
    if (status != GRAM_OK)
        free_column(&c);
    return status;
}

gram_status gi_table_reserve(gi_run *run, gram_table *t, size_t rows)
{
    gram_status status = GRAM_OK;

    if (rows <= t->capacity)
        return status;
    for (size_t j = 0; j < t->cols; j++)
        GI_TRY(reserve_column(run, &t->column[j], rows));
    t->capacity = rows;
done:
    return status;
}

/* If shrinking fails, the larger block stays, which does no harm. */
void gi_table_trim(gram_table *t)
{
    for (size_t j = 0; j < t->cols; j++) {
        gi_column *c = &t->column[j];
        size_t used;

        reserve_column(NULL, c, t->rows);
        gi_texts_trim(&c->texts);
        if (c->type != GRAM_TYPE_SPARSE || !c->sparse.capacity)
            continue;
        used = c->sparse.start[t->rows];
        if (GI_GROW(NULL, c->sparse.index, used) == GRAM_OK &&
            GI_GROW(NULL, c->sparse.entries, used) == GRAM_OK)
            c->sparse.capacity = used;
    }
    t->capacity = t->rows;
}

gram_status gi_sparse_reserve(gi_run *run, gi_sparse *s, size_t entries)
{
    gram_status status = GRAM_OK;
    size_t capacity = s->capacity + s->capacity / 2;

    if (entries <= s->capacity && s->capacity)
        return status;
    capacity = entries > capacity ? entries : capacity;
    GI_TRY(GI_GROW(run, s->index, capacity));
    GI_TRY(GI_GROW(run, s->entries, capacity));
    s->capacity = capacity;
done:
    return status;
}

static int by_name(const void *a, const void *b)
{
    return gi_name_compare(*(const char *const *)a, *(const char *const *)b);
}

/* new_code[old] for the sorted levels. */
static gram_status renumber(gi_run *run, gi_column *c, size_t rows)
{
    gram_status status = GRAM_OK;
    int *new_code = NULL;

    GI_TRY(GI_NEW(run, new_code, c->level_count));
    qsort(c->levels, c->level_count, sizeof *c->levels, by_name);
    for (size_t k = 0; k < c->level_count; k++)
        new_code[gi_dict_find(&c->dict, c->levels[k], strlen(c->levels[k]))] =
            (int)k;
    for (size_t i = 0; i < rows; i++)
        if (c->codes[i] >= 0)
            c->codes[i] = new_code[c->codes[i]];
done:
    gi_free(new_code);
    return status;
}

gram_status gi_column_finish(gi_run *run, gi_column *c, size_t rows)
{
    gram_status status = GRAM_OK;
    const char **strings = NULL;
    size_t n = c->dict.count;

    if (has_values(c) || (c->type == GRAM_TYPE_SPARSE && n == 0))
        return status;
    GI_TRY(GI_NEW(run, strings, n));
    for (size_t k = 0; k < n; k++)
        strings[k] = gi_dict_at(&c->dict, k);
    if (c->type == GRAM_TYPE_SPARSE) {
        gi_free(c->sparse.names);
        c->sparse.names = strings;
        strings = NULL;
    } else {
        gi_free(c->levels);
        c->levels = strings;
        c->level_count = n;
        strings = NULL;
        if (c->type == GRAM_TYPE_CATEGORY)
            GI_TRY(renumber(run, c, rows));
    }
    gi_dict_seal(&c->dict);
done:
    gi_free(strings);
    return status;
}

void gi_column_count_missing(gi_column *c, size_t rows)
{
    size_t missing = 0;

    if (has_values(c))
        for (size_t i = 0; i < rows; i++)
            missing += isnan(c->values[i]) ? 1 : 0;
    else if (c->type != GRAM_TYPE_SPARSE)
        for (size_t i = 0; i < rows; i++)
            missing += c->codes[i] < 0;
    c->missing = missing;
}

/* ---------------------------------------------------------- made by users */

static gram_status check_values(const gram_table *t, const char *name,
                                const double *values, size_t stride)
{
    for (size_t i = 0; i < t->rows; i++)
        if (isinf(values[i * stride]))
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": %g is not finite", i + 1,
                           name, values[i * stride]);
    return GRAM_OK;
}

static void put_values(const gram_table *t, gi_column *c, const double *values,
                       size_t stride)
{
    for (size_t i = 0; i < t->rows; i++)
        c->values[i] = values[i * stride];
    gi_column_count_missing(c, t->rows);
}

static gram_status add_values(gram_table *t, const char *name, gram_type type,
                              const double *values, size_t stride)
{
    gram_status status = GRAM_OK;
    gi_column *c = NULL;

    GI_TRY(check_values(t, name, values, stride));
    GI_TRY(gi_table_add(NULL, t, name, type, &c));
    put_values(t, c, values, stride);
done:
    return status;
}

gram_status gram_table_set_values(gram_table *t, size_t j, const double *values,
                                  size_t stride)
{
    gram_status status = GRAM_OK;
    gi_column *c;

    if (j >= t->cols)
        return gi_fail(GRAM_ERR_RANGE,
                       "column %zu, the table has %zu, counted from 0", j,
                       t->cols);
    c = &t->column[j];
    if (!c->values)
        return gi_fail(GRAM_ERR_SHAPE,
                       "column \"%s\" is of type %s, must be of numbers or "
                       "dates",
                       c->name, gram_type_name(c->type));
    GI_TRY(check_values(t, c->name, values, stride));
    put_values(t, c, values, stride);
done:
    return status;
}

gram_status gram_table_add_numbers(gram_table *t, const char *name,
                                   const double *values, size_t stride)
{
    return add_values(t, name, GRAM_TYPE_NUMBER, values, stride);
}

gram_status gram_table_add_dates(gram_table *t, const char *name,
                                 const double *values, size_t stride)
{
    return add_values(t, name, GRAM_TYPE_DATE, values, stride);
}

void gi_table_drop_last(gram_table *t)
{
    free_column(&t->column[--t->cols]);
    gi_dict_pop(&t->names);
}

/* Where numbers come from: one of the two arrays. */
typedef struct source {
    const double *doubles;
    const float *floats;
    size_t down, across;
} source;

/* Rows from..to of all columns: few enough that what is read for one column
 * is still in the cache for the next. */
static void copy_rows(const source *s, gi_column *column, size_t cols,
                      size_t from, size_t to)
{
    for (size_t j = 0; j < cols; j++) {
        double *values = column[j].values;
        size_t at = j * s->across;

        if (s->doubles)
            for (size_t i = from; i < to; i++)
                values[i] = s->doubles[i * s->down + at];
        else
            for (size_t i = from; i < to; i++)
                values[i] = (double)s->floats[i * s->down + at];
    }
}

static gram_status check_finite(const gi_column *c, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (isinf(c->values[i]))
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": %g is not finite", i + 1,
                           c->name, c->values[i]);
    return GRAM_OK;
}

static gram_status add_matrix(gi_run *run, gram_table *t, const source *s,
                              size_t cols)
{
    enum { ROWS = GI_TABLE_CHUNK_ROWS, PARALLEL = GI_TABLE_SERIAL_CELLS };
    gram_status status = GRAM_OK;
    size_t first = t->cols, rows = t->rows;
    size_t step =
        s->down < s->across ? rows + 1 : ROWS; /* by columns, by rows */
    gi_column *c = NULL;
    char name[32];

    for (size_t j = 0; j < cols; j++) {
        snprintf(name, sizeof name, "c%zu", first + j);
        GI_TRY(gi_table_add(run, t, name, GRAM_TYPE_NUMBER, &c));
    }
    c = cols ? t->column + first : NULL;
    GI_PARALLEL_FOR(rows * cols > PARALLEL ? run->threads : 1)
    for (size_t i = 0; i < rows; i += step)
        copy_rows(s, c, cols, i, rows - i < step ? rows : i + step);
    for (size_t j = 0; j < cols; j++) {
        GI_TRY(check_finite(&c[j], rows));
        gi_column_count_missing(&c[j], rows);
    }
done:
    while (status != GRAM_OK && t->cols > first)
        gi_table_drop_last(t);
    return status;
}

gram_status gram_table_add_matrix(gram_table *t, const double *values,
                                  size_t cols, size_t down, size_t across)
{
    GI_RUN(run, NULL);

    return add_matrix(&run, t, &(source){values, NULL, down, across}, cols);
}

gram_status gram_table_add_matrix_single(gram_table *t, const float *values,
                                         size_t cols, size_t down,
                                         size_t across)
{
    GI_RUN(run, NULL);

    return add_matrix(&run, t, &(source){NULL, values, down, across}, cols);
}

gram_status gram_table_add_strings(gram_table *t, const char *name,
                                   gram_type type, const char *const *strings)
{
    gram_status status = GRAM_OK;
    gi_column *c = NULL;
    int added = 0;

    if (type != GRAM_TYPE_CATEGORY && type != GRAM_TYPE_TEXT)
        return gi_fail(GRAM_ERR_RANGE,
                       "column \"%s\": strings make a category or text, not "
                       "type %d",
                       name, (int)type);
    GI_TRY(gi_table_add(NULL, t, name, type, &c));
    added = 1;
    for (size_t i = 0; i < t->rows; i++) {
        c->codes[i] = -1;
        if (strings[i])
            GI_TRY(gi_dict_add_text(NULL, &c->dict, strings[i], &c->codes[i]));
    }
    GI_TRY(gi_column_finish(NULL, c, t->rows));
    gi_column_count_missing(c, t->rows);
done:
    if (status != GRAM_OK && added)
        gi_table_drop_last(t);
    return status;
}

static gram_status check_sparse(const char *name, size_t rows, size_t width,
                                const size_t *start, const unsigned *index,
                                const double *entries)
{
    for (size_t i = 0; i < rows; i++) {
        if (start[i + 1] < start[i])
            return gi_fail(GRAM_ERR_SHAPE,
                           "column \"%s\": start[%zu] = %zu after %zu, must "
                           "not decrease",
                           name, i + 1, start[i + 1], start[i]);
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            if (index[k] >= width || (k > start[i] && index[k] <= index[k - 1]))
                return gi_fail(GRAM_ERR_RANGE,
                               "row %zu, column \"%s\": index %u, must ascend "
                               "and be below %zu",
                               i + 1, name, index[k], width);
            if (!isfinite(entries[k]))
                return gi_fail(GRAM_ERR_RANGE,
                               "row %zu, column \"%s\": %g is not finite",
                               i + 1, name, entries[k]);
        }
    }
    return GRAM_OK;
}

gram_status gram_table_add_sparse(gram_table *t, const char *name, size_t width,
                                  const size_t *start, const unsigned *index,
                                  const double *entries)
{
    gram_status status = GRAM_OK;
    gi_column *c = NULL;
    size_t n = start[t->rows] - start[0];
    int added = 0;

    GI_TRY(check_sparse(name, t->rows, width, start, index, entries));
    GI_TRY(gi_table_add(NULL, t, name, GRAM_TYPE_SPARSE, &c));
    added = 1;
    GI_TRY(gi_sparse_reserve(NULL, &c->sparse, n));
    c->sparse.width = width;
    for (size_t i = 0; i <= t->rows; i++)
        c->sparse.start[i] = start[i] - start[0];
    if (n) { /* without entries the arrays may be NULL */
        memcpy(c->sparse.index, index + start[0], n * sizeof *index);
        memcpy(c->sparse.entries, entries + start[0], n * sizeof *entries);
    }
done:
    if (status != GRAM_OK && added)
        gi_table_drop_last(t);
    return status;
}

/* -------------------------------------------------------------- looked at */

size_t gram_table_rows(const gram_table *t)
{
    return t->rows;
}

size_t gram_table_cols(const gram_table *t)
{
    return t->cols;
}

gram_column gram_table_column(const gram_table *t, size_t j)
{
    const gi_column *c = &t->column[j];

    return (gram_column){
        .name = c->name,
        .type = c->type,
        .role = c->role,
        .missing = c->missing,
        .values = c->values,
        .codes = c->codes,
        .levels = c->levels,
        .level_count = c->level_count,
        .start = c->sparse.start,
        .index = c->sparse.index,
        .entries = c->sparse.entries,
        .width = c->sparse.width,
        .feature_names = c->sparse.names,
    };
}

const char *gi_column_text(const gi_column *c, size_t i)
{
    const char *text = c->texts.end ? gi_texts_at(&c->texts, i) : NULL;
    int there;

    if (!text || *text)
        return text;
    there = c->codes ? c->codes[i] >= 0 : !isnan(c->values[i]);
    return there ? NULL : text;
}

const char *gram_table_text(const gram_table *t, size_t j, size_t i)
{
    const gi_column *c = &t->column[j];
    const char *text = gi_column_text(c, i);

    if (!text && c->texts.end && c->codes)
        text = c->levels[c->codes[i]];
    return text;
}

gram_status gram_table_find(const gram_table *t, const char *name, size_t *j)
{
    int at = gi_dict_find(&t->names, name, strlen(name));
    const char **names = NULL;
    char hint[256] = "";

    if (at >= 0) {
        *j = (size_t)at;
        return GRAM_OK;
    }
    if (GI_NEW(NULL, names, t->cols) == GRAM_OK) {
        for (size_t k = 0; k < t->cols; k++)
            names[k] = t->column[k].name;
        gi_did_you_mean(name, names, t->cols, hint, sizeof hint);
    }
    gi_free(names);
    return gi_table_context(
        gi_fail(GRAM_ERR_NAME, "no column \"%s\"%s", name, hint), t);
}

gram_status gi_table_context(gram_status status, const gram_table *t)
{
    size_t n = t->file ? strlen(t->file) : 0;

    if (n == 0 || (status != GRAM_ERR_NAME && status != GRAM_ERR_SHAPE &&
                   status != GRAM_ERR_RANGE))
        return status;
    if (strncmp(gram_error_message(), t->file, n) == 0 &&
        gram_error_message()[n] == ':')
        return status;
    return gi_context(status, "%s", t->file);
}
