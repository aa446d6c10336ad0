/* arrays.c - elements of arrays on their way into columns, see arrays.h.
 *
 * The table is the only large thing in memory: elements pass through a buffer
 * of a megabyte.  C order (rows one after the other) is read in sequence and
 * transposed in tiles of 64 rows, which stay in the first cache while every
 * column takes its part; the kernel's copy and first touch of the table take
 * twice as long as that, so threads would not help.  Fortran order is read
 * column by column.  Numbers wanted as names are decoded into a scratch buffer,
 * printed in their shortest form and numbered.
 *
 * Messages count rows from 1, as lines are counted in text files.
 */
#include "data/read/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"

enum {
    BUFFER = GI_ARRAY_BUFFER_BYTES, /* bytes */
    TILE = GI_ARRAY_TILE_ROWS,      /* rows */
    COLUMNS_MOST = 1 << 20
};

static gi_run *run_of(gi_arrays *a)
{
    return &a->reader->run;
}

static const char *column_name(const gi_arrays *a, size_t j)
{
    return gi_dict_at(&a->names, j);
}

static int is_string(const gi_arrays *a, size_t j)
{
    return !a->drop[j] &&
           (a->type[j] == GRAM_TYPE_CATEGORY || a->type[j] == GRAM_TYPE_TEXT);
}

/* ------------------------------------------------------------------ begin */

gram_status gi_arrays_add(gi_arrays *a, gi_bytes bytes, const char *stem,
                          int plain)
{
    gram_status status = GRAM_OK;
    gi_array *x = &a->array[a->count];
    char name[320];
    int code = 0;

    *x = (gi_array){.bytes = bytes, .first = a->names.count, .cols = 1};
    GI_TRY(gi_npy_open(run_of(a), &bytes, &x->npy));
    if (x->npy.rank == 2)
        x->cols = x->npy.shape[1];
    if (x->cols > COLUMNS_MOST - x->first)
        return gi_fail(GRAM_ERR_PARSE, "%s: %zu columns, at most %d",
                       bytes.name, x->first + x->cols, COLUMNS_MOST);
    for (size_t j = 0; j < x->cols; j++) {
        if (x->npy.rank != 2 && plain)
            snprintf(name, sizeof name, "%s", stem);
        else
            snprintf(name, sizeof name, "%s%zu", stem, j);
        GI_TRY(gi_dict_add_text(run_of(a), &a->names, name, &code));
        if ((size_t)code != x->first + j)
            return gi_fail(GRAM_ERR_NAME, "%s: two columns are called \"%s\"",
                           bytes.name, name);
    }
    a->count++;
done:
    return status;
}

static gram_status choose(gi_arrays *a)
{
    gram_status status = GRAM_OK;
    const char **names = NULL;
    size_t n = a->names.count;

    GI_TRY(GI_NEW(run_of(a), names, n));
    GI_TRY(GI_NEW_ZERO(run_of(a), a->drop, n));
    GI_TRY(GI_NEW_ZERO(run_of(a), a->type, n));
    GI_TRY(GI_NEW_ZERO(run_of(a), a->levels, n));
    GI_TRY(GI_NEW_ZERO(run_of(a), a->to, n));
    for (size_t j = 0; j < n; j++)
        names[j] = column_name(a, j);
    GI_TRY(gi_reader_choose(a->reader, names, n, a->drop, a->type));
    for (size_t j = 0; j < n; j++)
        if (a->type[j] < 0)
            a->type[j] = GRAM_TYPE_NUMBER;
done:
    gi_free(names);
    return status;
}

/* Arrays that are used hold numbers and have equally many rows. */
static gram_status check(gi_arrays *a)
{
    gram_status status = GRAM_OK;
    int before = 0;

    for (size_t i = 0; i < a->count; i++) {
        gi_array *x = &a->array[i];

        for (size_t j = 0; j < x->cols; j++)
            x->used |= !a->drop[x->first + j];
        if (!x->used)
            continue;
        GI_TRY(gi_npy_check(&x->bytes, &x->npy));
        if (before && x->npy.shape[0] != a->rows)
            return gi_fail(GRAM_ERR_SHAPE,
                           "%s: %zu rows, the arrays before it have %zu",
                           x->bytes.name, x->npy.shape[0], a->rows);
        before = 1;
        a->rows = x->npy.shape[0];
        a->work += (double)a->rows * (double)x->cols;
    }
done:
    return status;
}

/* ---------------------------------------------------------------- reading */

static gram_status not_finite(gi_arrays *a, size_t row, size_t j, double x)
{
    return gi_fail(GRAM_ERR_RANGE,
                   "%s: row %zu, column \"%s\": %s is not finite",
                   gi_input_name(a->reader->in), row + 1, column_name(a, j),
                   x > 0 ? "inf" : "-inf");
}

static gram_status advance(gi_arrays *a, size_t elements)
{
    a->worked += (double)elements;
    return gi_run_tick(run_of(a), a->worked / a->work);
}

/* Numbers become names: add them to the dict and write their codes (NULL: the
 * codes are not wanted). */
static gram_status number_names(gi_arrays *a, gi_dict *dict, const double *x,
                                size_t n, int *codes)
{
    gram_status status = GRAM_OK;
    char text[GI_NUMBER_ROOM];
    int code;

    for (size_t i = 0; i < n; i++) {
        code = -1;
        if (!isnan(x[i])) { /* 0 and -0 are one name */
            size_t m = gi_number_print(x[i] == 0 ? 0 : x[i], text);

            GI_TRY(gi_dict_add(run_of(a), dict, text, m, &code));
        }
        if (codes)
            codes[i] = code;
    }
done:
    return status;
}

/* Set a->to[j], where numbers of column j go for rows from `at` on: column c of
 * the table, or the scratch if they become names.  In a survey (c = NULL) only
 * categories are read. */
static void set_target(gi_arrays *a, size_t j, const gi_column *c, size_t at,
                       double *scratch)
{
    a->to[j] = NULL;
    if (c ? is_string(a, j) : a->type[j] == GRAM_TYPE_CATEGORY && !a->drop[j])
        a->to[j] = scratch;
    else if (c)
        a->to[j] = c->values + at;
}

/* If column j is of names: make names of the n numbers at a->to[j], which are
 * the rows from `at` on. */
static gram_status take_names(gi_arrays *a, size_t j, gi_column *c, size_t at,
                              size_t n)
{
    if (!a->to[j] || !is_string(a, j))
        return GRAM_OK;
    return number_names(a, c ? &c->dict : &a->levels[j], a->to[j], n,
                        c ? c->codes + at : NULL);
}

/* Transpose n rows; *row and *col are set if an element is infinite. */
static int decode_rows(gi_arrays *a, const gi_array *x, size_t n, size_t *row,
                       size_t *col)
{
    for (size_t tile = 0; tile < n; tile += TILE) {
        size_t m = n - tile < TILE ? n - tile : TILE;

        for (size_t j = 0; j < x->cols; j++) {
            const unsigned char *from =
                a->buffer + (tile * x->cols + j) * x->npy.size;
            double *to = a->to[x->first + j];
            size_t i = m;

            if (to)
                i = gi_npy_decode(&x->npy, from, x->cols, m, to + tile);
            if (i < m) {
                *row = tile + i;
                *col = x->first + j;
                return 0;
            }
        }
    }
    return 1;
}

/* Rows in a chunk of elements of that many columns. */
static size_t chunk_rows(size_t cols)
{
    size_t n = BUFFER / sizeof(double) / cols;

    return n ? n : 1;
}

/* `columns` are those of the table, by number; all NULL in a survey. */
static gram_status read_by_rows(gi_arrays *a, const gi_array *x, size_t row,
                                size_t rows, gi_column **columns)
{
    gram_status status = GRAM_OK;
    size_t most = chunk_rows(x->cols), n;

    for (size_t at = 0; at < rows; at += n) {
        double *scratch = a->scratch;
        size_t i, col;

        n = rows - at < most ? rows - at : most;
        GI_TRY(gi_npy_read(&x->bytes, &x->npy, (row + at) * x->cols,
                           n * x->cols, a->buffer));
        for (size_t j = x->first; j < x->first + x->cols; j++) {
            set_target(a, j, columns[j], at, scratch);
            scratch += is_string(a, j) ? most : 0;
        }
        if (!decode_rows(a, x, n, &i, &col))
            return not_finite(a, row + at + i, col, a->to[col][i]);
        for (size_t j = x->first; j < x->first + x->cols; j++)
            GI_TRY(take_names(a, j, columns[j], at, n));
        GI_TRY(advance(a, n * x->cols));
    }
done:
    return status;
}

static gram_status read_by_columns(gi_arrays *a, const gi_array *x, size_t row,
                                   size_t rows, gi_column **columns)
{
    gram_status status = GRAM_OK;
    size_t most = chunk_rows(1), n, bad;

    for (size_t j = x->first; j < x->first + x->cols; j++)
        for (size_t at = 0; at < rows; at += n) {
            n = rows - at < most ? rows - at : most;
            set_target(a, j, columns[j], at, a->scratch);
            GI_TRY(advance(a, n));
            if (!a->to[j])
                continue;
            GI_TRY(gi_npy_read(&x->bytes, &x->npy,
                               (j - x->first) * x->npy.shape[0] + row + at, n,
                               a->buffer));
            bad = gi_npy_decode(&x->npy, a->buffer, 1, n, a->to[j]);
            if (bad < n)
                return not_finite(a, row + at + bad, j, a->to[j][bad]);
            GI_TRY(take_names(a, j, columns[j], at, n));
        }
done:
    return status;
}

static gram_status read_array(gi_arrays *a, const gi_array *x, size_t row,
                              size_t rows, gi_column **columns)
{
    return (x->npy.fortran && x->cols > 1 ? read_by_columns : read_by_rows)(
        a, x, row, rows, columns);
}

/* Buffers for the widest array that is used. */
static gram_status make_buffers(gi_arrays *a)
{
    gram_status status = GRAM_OK;
    size_t most = 0, strings = 0;

    for (size_t i = 0; i < a->count; i++) {
        const gi_array *x = &a->array[i];
        size_t cols = x->npy.fortran ? 1 : x->cols, here = 0;

        for (size_t j = x->first; j < x->first + x->cols; j++)
            here += is_string(a, j) ? 1 : 0;
        if (!x->used || x->cols == 0 || a->rows == 0)
            continue;
        here = (x->npy.fortran ? here > 0 : here) * chunk_rows(cols);
        strings = here > strings ? here : strings;
        cols *= chunk_rows(cols) * x->npy.size;
        most = cols > most ? cols : most;
    }
    GI_TRY(GI_NEW(run_of(a), a->buffer, most));
    GI_TRY(GI_NEW(run_of(a), a->scratch, strings));
done:
    return status;
}

/* Find the levels that a stream must know before its first rows: those of the
 * whole file. */
static gram_status find_levels(gi_arrays *a)
{
    gram_status status = GRAM_OK;
    gi_column **none = NULL;

    GI_TRY(GI_NEW_ZERO(run_of(a), none, a->names.count));
    for (size_t i = 0; i < a->count; i++) {
        const gi_array *x = &a->array[i];
        int categories = 0;

        for (size_t j = x->first; j < x->first + x->cols; j++)
            categories |= !a->drop[j] && a->type[j] == GRAM_TYPE_CATEGORY;
        if (!categories)
            continue;
        a->work += (double)a->rows * (double)x->cols;
        GI_TRY(read_array(a, x, 0, a->rows, none));
    }
done:
    gi_free(none);
    return status;
}

gram_status gi_arrays_begin(gi_arrays *a)
{
    gram_status status = GRAM_OK;

    GI_TRY(choose(a));
    GI_TRY(check(a));
    GI_TRY(make_buffers(a));
    if (!a->reader->whole)
        GI_TRY(find_levels(a));
done:
    return status;
}

/* ------------------------------------------------------------------- next */

static gram_status add_columns(gi_arrays *a, gram_table *t)
{
    gram_status status = GRAM_OK;
    gi_column *c = NULL;

    for (size_t j = 0; j < a->names.count; j++) {
        if (a->drop[j])
            continue;
        GI_TRY(gi_table_add(run_of(a), t, column_name(a, j),
                            (gram_type)a->type[j], &c));
        GI_TRY(gi_dict_add_all(run_of(a), &c->dict, &a->levels[j], NULL));
    }
done:
    return status;
}

gram_status gi_arrays_next(gi_arrays *a, size_t rows, gram_table *t)
{
    gram_status status = GRAM_OK;
    size_t row = a->reader->seen, left = a->rows - row;
    gi_column **columns = NULL;

    rows = rows < left ? rows : left;
    GI_TRY(add_columns(a, t));
    GI_TRY(gi_table_reserve(run_of(a), t, rows));
    GI_TRY(GI_NEW_ZERO(run_of(a), columns, a->names.count));
    for (size_t j = 0, k = 0; j < a->names.count; j++)
        if (!a->drop[j])
            columns[j] = &t->column[k++];
    for (size_t i = 0; i < a->count; i++)
        if (a->array[i].used)
            GI_TRY(read_array(a, &a->array[i], row, rows, columns));
    t->rows = rows;
    for (size_t j = 0; j < t->cols; j++) {
        GI_TRY(gi_column_finish(run_of(a), &t->column[j], rows));
        gi_column_count_missing(&t->column[j], rows);
    }
done:
    gi_free(columns);
    return status;
}

void gi_arrays_free(gi_arrays *a)
{
    for (size_t j = 0; a->levels && j < a->names.count; j++)
        gi_dict_free(&a->levels[j]);
    gi_free(a->levels);
    gi_free(a->array);
    gi_free(a->drop);
    gi_free(a->type);
    gi_free(a->to);
    gi_free(a->buffer);
    gi_free(a->scratch);
    gi_dict_free(&a->names);
    *a = (gi_arrays){0};
}
