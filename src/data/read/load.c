/* load.c - blocks of records into a table, see load.h.
 *
 * For each window the table is enlarged for all its rows; threads parse the
 * blocks, each writing numbers to their final place and numbering strings for
 * itself; then, block after block in order, gaps left by blank lines are
 * closed, strings get the table's numbers and sparse rows are appended.
 */
#include "data/read/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"

/* A column of strings is a category if it has at most this many levels, and
 * at most half as many as rows (ten are always fine), and they are short. */
enum { LEVELS_MOST = 1000, LEVELS_FEW = 10, LEVEL_LENGTH = 64 };

static gi_run *run_of(gi_load *l)
{
    return &l->reader->run;
}

/* -------------------------------------------------------- the types found */

static void type_from_evidence(gi_field *f)
{
    unsigned e = f->evidence & ~(unsigned)GI_CELL_MISSING;

    f->string = 0;
    if (e == GI_CELL_DATE)
        f->type = GRAM_TYPE_DATE;
    else if (e == 0 || e == GI_CELL_NUMBER ||
             e == (GI_CELL_NUMBER | GI_CELL_ODD))
        f->type = GRAM_TYPE_NUMBER;
    else
        f->string = 1;
}

static gram_type type_from_levels(const gi_dict *d, size_t rows)
{
    size_t most = rows / 2 > LEVELS_FEW ? rows / 2 : LEVELS_FEW;

    most = most < LEVELS_MOST ? most : LEVELS_MOST;
    return d->count <= most && d->pool_n <= d->count * LEVEL_LENGTH
               ? GRAM_TYPE_CATEGORY
               : GRAM_TYPE_TEXT;
}

static int is_string_type(gram_type type)
{
    return type == GRAM_TYPE_CATEGORY || type == GRAM_TYPE_TEXT;
}

/* -------------------------------------------------------------- one block */

static void free_work(gi_work *w, size_t fields)
{
    for (size_t f = 0; w->strings && f < fields; f++)
        gi_dict_free(&w->strings[f]);
    for (size_t f = 0; w->texts && f < fields; f++)
        gi_texts_free(&w->texts[f]);
    gi_free(w->strings);
    gi_free(w->texts);
    gi_free(w->values);
    gi_free(w->evidence);
    gi_free(w->missing);
    gi_free(w->entries.end);
    gi_free(w->entries.index);
    gi_free(w->entries.value);
    gi_buf_free(&w->scratch);
}

static gram_status prepare_work(gi_load *l, gi_work *w)
{
    gram_status status = GRAM_OK;

    if (!w->strings) {
        GI_TRY(GI_NEW_ZERO(run_of(l), w->strings, l->fields));
        GI_TRY(GI_NEW_ZERO(run_of(l), w->values, l->fields));
        GI_TRY(GI_NEW_ZERO(run_of(l), w->evidence, l->fields));
        GI_TRY(GI_NEW_ZERO(run_of(l), w->missing, l->fields));
        GI_TRY(GI_NEW_ZERO(run_of(l), w->texts, l->fields));
    }
    w->load = l;
    w->line = w->block.line;
    w->rows = w->entries.n = w->entries.width = 0;
    w->status = GRAM_OK;
    w->wrong_guess = 0;
    for (size_t f = 0; f < l->fields; f++) {
        const gi_field *field = &l->field[f];

        gi_dict_free(&w->strings[f]);
        gi_texts_clear(&w->texts[f]);
        w->evidence[f] = 0;
        w->missing[f] = 0;
        w->values[f] = NULL;
        if (l->mode == GI_LOAD_CELLS && !field->string && !field->dropped)
            w->values[f] = l->table->column[field->column].values + w->first;
    }
done:
    return status;
}

static void parse_block(gi_work *w)
{
    w->status = w->load->parse(w);
    if (w->status != GRAM_OK)
        snprintf(w->message, sizeof w->message, "%s", gram_error_message());
}

/* Parse all blocks of a window, each into its own work. */
static gram_status parse_window(gi_load *l, const gi_text_block *blocks,
                                size_t count)
{
    gram_status status = GRAM_OK;
    size_t first = l->table ? l->table->rows : 0;

    for (size_t b = 0; b < count; b++) {
        l->work[b].block = blocks[b];
        l->work[b].first = first;
        first += blocks[b].lines;
        GI_TRY(prepare_work(l, &l->work[b]));
    }
    GI_PARALLEL_TASKS(count > 1 ? run_of(l)->threads : 1)
    for (size_t b = 0; b < count; b++)
        parse_block(&l->work[b]);
    GI_TRY(gi_run_tick(run_of(l), gi_input_done(l->lines.in)));
done:
    return status;
}

/* ----------------------------------------------------------------- survey */

/* Go back to the first record. */
static gram_status restart(gi_load *l)
{
    gram_status status = GRAM_OK;
    char bytes[4096];
    size_t got = 1;

    GI_TRY(gi_input_rewind(l->lines.in));
    for (uint64_t left = l->body; left > 0 && got > 0; left -= got)
        GI_TRY(gi_input_read(l->lines.in, bytes,
                             left < sizeof bytes ? (size_t)left : sizeof bytes,
                             &got));
    gi_lines_begin(&l->lines, l->body_line);
done:
    return status;
}

static gram_status merge_survey(gi_load *l, const gi_work *w)
{
    gram_status status = GRAM_OK;

    if (w->status != GRAM_OK)
        return gi_fail(w->status, "%s", w->message);
    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];

        field->evidence |= w->evidence[f];
        /* a text column needs no list of its strings */
        if (field->string && !field->closed && !field->dropped &&
            (field->fixed || field->levels.count <= LEVELS_MOST))
            GI_TRY(gi_dict_add_all(run_of(l), &field->levels, &w->strings[f],
                                   NULL));
    }
    if (w->entries.width > l->sparse_width)
        l->sparse_width = w->entries.width;
    l->rows_hint += w->rows;
done:
    return status;
}

/* Survey the first window, or all of them, and go back to the first record. */
static gram_status survey(gi_load *l, int mode, int all)
{
    gram_status status = GRAM_OK;
    gi_text_block blocks[GI_BLOCKS_MOST];
    size_t count = 0;

    l->mode = mode == GI_SURVEY_KINDS ? GI_SURVEY_KINDS : GI_SURVEY_LEVELS;
    l->table = NULL;
    l->rows_hint = 0;
    do {
        GI_TRY(gi_lines_next(&l->lines, SIZE_MAX, blocks, &count));
        GI_TRY(parse_window(l, blocks, count));
        for (size_t b = 0; b < count; b++)
            GI_TRY(merge_survey(l, &l->work[b]));
    } while (all && count);
    if (!all) { /* scale up to the whole file */
        double done = gi_input_done(l->lines.in);

        if (gi_input_size(l->lines.in) && done > 0)
            l->rows_hint = (size_t)((double)l->rows_hint / done * 1.02) + 16;
    }
    GI_TRY(restart(l));
done:
    l->mode = GI_LOAD_CELLS;
    return status;
}

/* The types of all fields, final if `all` of the file was looked at. */
static gram_status find_types(gi_load *l, int all)
{
    gram_status status = GRAM_OK;

    GI_TRY(survey(l, GI_SURVEY_KINDS, all));
    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];

        if (field->optional)
            field->dropped = field->evidence == 0;
        if (field->fixed)
            continue;
        type_from_evidence(field);
        field->fixed = all && !field->string;
    }
done:
    return status;
}

/* Find the levels that a stream must know: those of the whole file. */
static gram_status find_levels(gi_load *l)
{
    gram_status status = GRAM_OK;
    int strings = 0;

    for (size_t f = 0; f < l->fields; f++)
        strings |= l->field[f].string && !l->field[f].closed;
    if (strings)
        GI_TRY(survey(l, GI_SURVEY_LEVELS, 1));
    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];

        if (field->string && !field->fixed)
            field->type = type_from_levels(&field->levels, l->rows_hint);
    }
done:
    return status;
}

gram_status gi_load_begin(gi_load *l)
{
    gram_status status = GRAM_OK;

    l->lines.run = run_of(l);
    GI_TRY(restart(l));
    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];

        field->string = field->fixed && is_string_type(field->type);
        field->verbatim = gi_reader_keeps_text(l->reader, field->name);
    }
    GI_TRY(GI_NEW_ZERO(run_of(l), l->work, GI_BLOCKS_MOST));
    GI_TRY(find_types(l, !l->reader->whole));
    if (!l->reader->whole)
        GI_TRY(find_levels(l));
done:
    return status;
}

/* ------------------------------------------------------------------- load */

static gram_status add_columns(gi_load *l, gram_table *t)
{
    gram_status status = GRAM_OK;
    gi_column *c = NULL;

    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];

        if (field->dropped)
            continue;
        if (field->string && !is_string_type(field->type))
            field->type = GRAM_TYPE_TEXT; /* until all strings are known */
        field->column = t->cols;
        GI_TRY(gi_table_add(run_of(l), t, field->name, field->type, &c));
        c->role = field->role;
        if (field->closed ||
            (!l->reader->whole && field->type == GRAM_TYPE_CATEGORY))
            GI_TRY(gi_dict_add_all(run_of(l), &c->dict, &field->levels, NULL));
    }
    if (l->sparse) {
        GI_TRY(
            gi_table_add(run_of(l), t, l->sparse_name, GRAM_TYPE_SPARSE, &c));
        c->sparse.width = l->sparse_width;
        for (size_t k = 0; l->sparse_names && k < l->sparse_width; k++)
            GI_TRY(gi_dict_add_text(run_of(l), &c->dict, l->sparse_names[k],
                                    NULL));
    }
done:
    return status;
}

/* Find the table's number for each of the block's strings, and renumber the
 * codes. */
static gram_status renumber(gi_load *l, gi_work *w, size_t f, gi_column *c)
{
    gram_status status = GRAM_OK;
    const gi_dict *strings = &w->strings[f];
    int *code = NULL;

    GI_TRY(GI_NEW(run_of(l), code, strings->count));
    GI_TRY(gi_dict_add_all(run_of(l), &c->dict, strings, code));
    for (size_t i = w->first; i < w->first + w->rows; i++)
        if (c->codes[i] >= 0)
            c->codes[i] = code[c->codes[i]];
done:
    gi_free(code);
    return status;
}

/* Copy the block's sparse rows to their final place, from entry `at` on. */
static void copy_entries(gi_sparse *s, const gi_work *w, size_t at)
{
    const gi_entries *e = &w->entries;

    if (e->n) {
        memcpy(s->index + at, e->index, e->n * sizeof *e->index);
        memcpy(s->entries + at, e->value, e->n * sizeof *e->value);
    }
    for (size_t i = 0; i < w->rows; i++)
        s->start[w->first + i + 1] = at + e->end[i];
}

/* Append the sparse rows of a window, from `row` on, in parallel: the first
 * touch of the memory costs more than the copy. */
static gram_status append_entries(gi_load *l, size_t count, size_t row)
{
    gram_status status = GRAM_OK;
    gi_sparse *s = &l->table->column[l->table->cols - 1].sparse;
    size_t at[GI_BLOCKS_MOST], n = s->start[row];

    for (size_t b = 0; b < count; b++) {
        const gi_entries *e = &l->work[b].entries;

        at[b] = n;
        n += e->n;
        s->width = e->width > s->width ? e->width : s->width;
    }
    GI_TRY(gi_sparse_reserve(run_of(l), s, n));
    GI_PARALLEL_TASKS(count > 1 ? run_of(l)->threads : 1)
    for (size_t b = 0; b < count; b++)
        copy_entries(s, &l->work[b], at[b]);
done:
    return status;
}

/* Move the block's rows to their final place, after the rows so far. */
static gram_status merge_block(gi_load *l, gi_work *w)
{
    gram_status status = GRAM_OK;
    gram_table *t = l->table;

    if (w->status != GRAM_OK)
        return gi_fail(w->status, "%s", w->message);
    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];
        gi_column *c = &t->column[field->column];

        if (field->dropped)
            continue;
        if (field->string)
            GI_TRY(renumber(l, w, f, c));
        c->missing += w->missing[f];
        if (w->first == t->rows)
            continue;
        if (field->string)
            memmove(c->codes + t->rows, c->codes + w->first,
                    w->rows * sizeof *c->codes);
        else
            memmove(c->values + t->rows, c->values + w->first,
                    w->rows * sizeof *c->values);
    }
    w->first = t->rows;
    t->rows += w->rows;
done:
    return status;
}

/* Append the texts of a window, in parallel for the same reason. */
static gram_status append_texts(gi_load *l, size_t count)
{
    gram_status status = GRAM_OK;

    for (size_t f = 0; f < l->fields; f++) {
        const gi_field *field = &l->field[f];
        size_t texts = 0, bytes = 0;

        if (!field->verbatim || field->dropped)
            continue;
        for (size_t b = 0; b < count; b++) {
            texts += l->work[b].texts[f].count;
            bytes += l->work[b].texts[f].n;
        }
        GI_TRY(gi_texts_reserve(
            run_of(l), &l->table->column[field->column].texts, texts, bytes));
    }
    GI_PARALLEL_TASKS(count > 1 ? run_of(l)->threads : 1)
    for (size_t f = 0; f < l->fields; f++)
        for (size_t b = 0; l->field[f].verbatim && b < count; b++)
            if (!l->field[f].dropped)
                gi_texts_append(&l->table->column[l->field[f].column].texts,
                                &l->work[b].texts[f]);
done:
    return status;
}

/* One window; *count is 0 at the end and *wrong_guess set if a guess failed. */
static gram_status load_window(gi_load *l, size_t rows, size_t *count,
                               int *wrong_guess)
{
    gram_status status = GRAM_OK;
    gi_text_block blocks[GI_BLOCKS_MOST];
    size_t first = l->table->rows, need = first;

    GI_TRY(gi_lines_next(&l->lines, rows, blocks, count));
    for (size_t b = 0; b < *count; b++)
        need += blocks[b].lines;
    if (need > l->table->capacity) {
        size_t capacity = l->table->capacity + l->table->capacity / 2;

        capacity = capacity > need ? capacity : need;
        if (l->reader->whole && l->rows_hint > need && l->table->capacity == 0)
            capacity = l->rows_hint;
        GI_TRY(gi_table_reserve(run_of(l), l->table, capacity));
    }
    GI_TRY(parse_window(l, blocks, *count));
    for (size_t b = 0; b < *count; b++) {
        *wrong_guess = l->work[b].status != GRAM_OK && l->work[b].wrong_guess;
        GI_TRY(merge_block(l, &l->work[b]));
    }
    if (l->sparse)
        GI_TRY(append_entries(l, *count, first));
    GI_TRY(append_texts(l, *count));
done:
    return status;
}

/* A guess was wrong: survey the whole file, and begin again. */
static gram_status start_over(gi_load *l, gram_table *t)
{
    gram_status status = GRAM_OK;

    gi_table_clear(t);
    GI_TRY(restart(l));
    GI_TRY(find_types(l, 1));
    l->table = t;
    GI_TRY(add_columns(l, t));
done:
    return status;
}

static gram_status finish_columns(gi_load *l, gram_table *t)
{
    gram_status status = GRAM_OK;

    gi_table_trim(t);
    for (size_t f = 0; f < l->fields; f++) {
        gi_field *field = &l->field[f];
        gi_column *c = &t->column[field->column];

        if (field->dropped)
            continue;
        if (field->string && !field->fixed && l->reader->whole)
            c->type = type_from_levels(&c->dict, t->rows);
        GI_TRY(gi_column_finish(run_of(l), c, t->rows));
    }
    if (l->sparse)
        GI_TRY(gi_column_finish(run_of(l), &t->column[t->cols - 1], t->rows));
done:
    return status;
}

gram_status gi_load_next(gi_load *l, size_t rows, gram_table *t)
{
    gram_status status = GRAM_OK;
    size_t count = 1;

    l->table = t;
    GI_TRY(add_columns(l, t));
    while (count && t->rows < rows) {
        size_t left = rows == SIZE_MAX ? SIZE_MAX : rows - t->rows;
        int wrong_guess = 0;

        status = load_window(l, left, &count, &wrong_guess);
        if (wrong_guess)
            status = start_over(l, t);
        GI_TRY(status);
    }
    GI_TRY(finish_columns(l, t));
done:
    return status;
}

void gi_load_free(gi_load *l)
{
    if (!l)
        return;
    for (size_t b = 0; l->work && b < GI_BLOCKS_MOST; b++)
        free_work(&l->work[b], l->fields);
    for (size_t f = 0; l->field && f < l->fields; f++)
        gi_dict_free(&l->field[f].levels);
    gi_free(l->work);
    gi_free(l->field);
    gi_lines_free(&l->lines);
}
