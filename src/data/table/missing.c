/* missing.c - missing cells: refused, kept, dropped or filled in.
 *
 * Policies are a table of functions.  The mean of a category is its most
 * frequent level (the first of equals); text has no mean and is refused.
 * Only features can be filled in: policies that fill refuse missing cells of
 * a target, weight, noise or group.
 *
 * What is filled in is learned from one table (gi_fills) before it is used, so
 * that rows of later tables are filled with the same.
 */
#include "data/table/missing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/table/moments.h"

static const char missing_level[] = "(missing)", suffix[] = "_missing";

typedef struct job {
    gi_run *run;
    gram_table *t;
    const char *name; /* before a sentence; may be NULL */
    size_t before;
} job;

static int is_missing(const gi_column *c, size_t i)
{
    if (c->type == GRAM_TYPE_SPARSE)
        return 0;
    return c->values ? isnan(c->values[i]) : c->codes[i] < 0;
}

gram_status gi_table_refuse_missing(const gram_table *t, int all,
                                    const char *name, size_t before)
{
    const char *colon = name ? ": " : "";

    name = name ? name : "";
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            const gi_column *c = &t->column[j];

            if (!is_missing(c, i) || (!all && c->role == GRAM_ROLE_FEATURE))
                continue;
            if (c->role == GRAM_ROLE_FEATURE)
                return gi_fail(GRAM_ERR_RANGE,
                               "%s%srow %zu, column \"%s\": " GI_MISSING_CELL,
                               name, colon, before + i + 1, c->name);
            return gi_fail(GRAM_ERR_RANGE,
                           "%s%srow %zu, column \"%s\": the cell is missing, "
                           "a %s cannot be filled in (--missing drop "
                           "leaves out its row)",
                           name, colon, before + i + 1, c->name,
                           gram_role_name(c->role));
        }
    return GRAM_OK;
}

size_t gi_table_whole_rows(const gram_table *t, const unsigned char *columns,
                           unsigned char *whole)
{
    size_t count = 0;

    memset(whole, 1, t->rows);
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];

        if (c->missing == 0 || (columns && !columns[j]))
            continue;
        for (size_t i = 0; i < t->rows; i++)
            whole[i] &= !is_missing(c, i);
    }
    for (size_t i = 0; i < t->rows; i++)
        count += whole[i];
    return count;
}

static void keep_sparse_rows(gi_sparse *s, const unsigned char *keep_row,
                             size_t rows)
{
    size_t n = 0, row = 0;

    for (size_t i = 0; i < rows; i++) {
        size_t from = s->start[i], count = s->start[i + 1] - from;

        if (!keep_row[i])
            continue;
        memmove(s->index + n, s->index + from, count * sizeof *s->index);
        memmove(s->entries + n, s->entries + from, count * sizeof *s->entries);
        s->start[row++] = n; /* row <= i: what is still needed is further on */
        n += count;
    }
    s->start[row] = n;
}

void gi_table_keep_rows(gram_table *t, const unsigned char *keep_row)
{
    size_t rows = 0;

    for (size_t j = 0; j < t->cols; j++) {
        gi_column *c = &t->column[j];

        gi_texts_keep(&c->texts, keep_row, 0);
        if (c->type == GRAM_TYPE_SPARSE) {
            keep_sparse_rows(&c->sparse, keep_row, t->rows);
            continue;
        }
        for (size_t i = 0, to = 0; i < t->rows; i++) {
            if (!keep_row[i])
                continue;
            if (c->values)
                c->values[to++] = c->values[i];
            else
                c->codes[to++] = c->codes[i];
        }
    }
    for (size_t i = 0; i < t->rows; i++)
        rows += keep_row[i] != 0;
    t->rows = rows;
    for (size_t j = 0; j < t->cols; j++)
        gi_column_count_missing(&t->column[j], rows);
}

/* ------------------------------------------------------------------ learned */

void gi_fills_free(gi_fills *f)
{
    for (size_t k = 0; k < f->count; k++) {
        gi_free(f->fill[k].column);
        gi_free(f->fill[k].level);
    }
    gi_free(f->fill);
    *f = (gi_fills){0};
}

static gram_status copy_text(gi_run *run, const char *from, char **to)
{
    return from ? gi_strndup(run, from, strlen(from), to) : GRAM_OK;
}

gram_status gi_fills_copy(gi_run *run, const gi_fills *from, gi_fills *to)
{
    gram_status status = GRAM_OK;

    to->policy = from->policy;
    GI_TRY(GI_NEW_ZERO(run, to->fill, from->count));
    for (; to->count < from->count; to->count++) {
        const gi_fill *f = &from->fill[to->count];
        gi_fill *copy = &to->fill[to->count];

        copy->value = f->value;
        copy->indicated = f->indicated;
        GI_TRY(copy_text(run, f->level, &copy->level));
        GI_TRY(copy_text(run, f->column, &copy->column));
    }
done:
    return status;
}

/* NULL: every cell is missing. */
static gram_status most_frequent(gi_run *run, const gi_column *c, size_t rows,
                                 const char **out)
{
    gram_status status = GRAM_OK;
    size_t *count = NULL, best = 0;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, count, c->level_count));
    for (size_t i = 0; i < rows; i++)
        if (c->codes[i] >= 0)
            count[c->codes[i]]++;
    for (size_t k = 0; k < c->level_count; k++)
        if (count[k] > best) {
            best = count[k];
            *out = c->levels[k];
        }
done:
    gi_free(count);
    return status;
}

static gram_status learn(gi_run *run, const gi_column *c, size_t rows,
                         int indicator, gi_fill *out)
{
    gram_status status = GRAM_OK;
    const char *level = NULL;

    out->value = NAN;
    if (c->type != GRAM_TYPE_CATEGORY) {
        out->indicated = indicator && c->missing;
        if (c->missing < rows)
            out->value = gi_moments_of(c->values, rows).mean;
    } else {
        GI_TRY(most_frequent(run, c, rows, &level));
        if (indicator && c->missing)
            level = missing_level;
    }
    GI_TRY(copy_text(run, level, &out->level));
    GI_TRY(copy_text(run, c->name, &out->column));
done:
    return status;
}

gram_status gi_fills_learn(gi_run *run, const gram_table *t,
                           gram_missing policy, gi_fills *out)
{
    gram_status status = GRAM_OK;

    out->policy = policy;
    GI_TRY(GI_NEW_ZERO(run, out->fill, t->cols));
    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];

        if (c->role == GRAM_ROLE_FEATURE && c->type != GRAM_TYPE_TEXT &&
            c->type != GRAM_TYPE_SPARSE)
            GI_TRY(learn(run, c, t->rows, policy == GRAM_MISSING_INDICATOR,
                         &out->fill[out->count++]));
    }
done:
    return status;
}

static gram_status indicator_name(gi_run *run, const char *column, gi_buf *out)
{
    return gi_buf_printf(run, out, "%s%s", column, suffix);
}

static int has_column(const gram_table *t, const char *name)
{
    return gi_dict_find(&t->names, name, strlen(name)) >= 0;
}

/* Is `name` the column's with the suffix? */
static int has_indicator(const gram_table *t, const char *column)
{
    size_t n = strlen(column);

    for (size_t j = 0; j < t->cols; j++)
        if (strncmp(t->column[j].name, column, n) == 0 &&
            strcmp(t->column[j].name + n, suffix) == 0)
            return 1;
    return 0;
}

void gi_fills_restrict(gi_fills *f, const gram_table *t)
{
    size_t kept = 0;

    for (size_t k = 0; k < f->count; k++) {
        gi_fill *fill = &f->fill[k];

        fill->indicated = fill->indicated && has_indicator(t, fill->column);
        if (has_column(t, fill->column) || fill->indicated) {
            f->fill[kept++] = *fill;
            continue;
        }
        gi_free(fill->column);
        gi_free(fill->level);
    }
    f->count = kept;
}

/* -------------------------------------------------------------------- used */

/* The code of a level, which becomes the last one if the column does not have
 * it; the strings of a column are sealed, so they are collected again. */
static gram_status find_level(gi_run *run, gi_column *c, const char *name,
                              int *code)
{
    gram_status status = GRAM_OK;
    const char **levels = NULL;
    gi_dict dict = {0};

    GI_TRY(GI_NEW(run, levels, c->level_count + 1));
    for (size_t k = 0; k < c->level_count; k++)
        GI_TRY(gi_dict_add_text(run, &dict, c->levels[k], NULL));
    GI_TRY(gi_dict_add_text(run, &dict, name, code));
    for (size_t k = 0; k < dict.count; k++)
        levels[k] = gi_dict_at(&dict, k);
    gi_free(c->levels);
    gi_dict_free(&c->dict);
    c->levels = levels;
    c->level_count = dict.count;
    c->dict = dict;
    gi_dict_seal(&c->dict);
    return status;
done:
    gi_free(levels);
    gi_dict_free(&dict);
    return status;
}

/* A cell that is filled in no longer has the text of the file. */
static gram_status forget_texts(gi_run *run, gi_column *c)
{
    gram_status status = GRAM_OK;
    unsigned char *there = NULL;

    GI_TRY(GI_NEW(run, there, c->texts.count));
    for (size_t i = 0; i < c->texts.count; i++)
        there[i] = !is_missing(c, i);
    gi_texts_keep(&c->texts, there, 1);
done:
    gi_free(there);
    return status;
}

static gram_status fill_cells(gi_run *run, const gi_fill *f, gi_column *c,
                              size_t rows)
{
    gram_status status = GRAM_OK;
    int code = 0;

    if (!c->missing)
        return status;
    if (c->values ? isnan(f->value) : !f->level)
        return gi_fail(GRAM_ERR_RANGE,
                       "column \"%s\": every cell is missing, there is no mean",
                       c->name);
    if (!c->values)
        GI_TRY(find_level(run, c, f->level, &code));
    GI_TRY(forget_texts(run, c));
    for (size_t i = 0; i < rows; i++)
        if (c->values)
            c->values[i] = isnan(c->values[i]) ? f->value : c->values[i];
        else
            c->codes[i] = c->codes[i] < 0 ? code : c->codes[i];
    c->missing = 0;
done:
    return status;
}

static gram_status add_indicator(gi_run *run, gram_table *t, size_t j)
{
    gram_status status = GRAM_OK;
    gi_column *c = NULL;
    gi_buf name = {0};

    GI_TRY(indicator_name(run, t->column[j].name, &name));
    GI_TRY(gi_table_add(run, t, name.s, GRAM_TYPE_NUMBER, &c));
    for (size_t i = 0; i < t->rows; i++)
        c->values[i] = is_missing(&t->column[j], i);
done:
    gi_buf_free(&name);
    return status;
}

gram_status gi_fills_apply(gi_run *run, const gi_fills *f, gram_table *t)
{
    gram_status status = GRAM_OK;
    size_t j = 0;

    for (size_t k = 0; k < f->count; k++) {
        const gi_fill *fill = &f->fill[k];

        if (!fill->indicated && !has_column(t, fill->column))
            continue;
        GI_TRY(gram_table_find(t, fill->column, &j));
        if (fill->indicated && !has_indicator(t, fill->column))
            GI_TRY(add_indicator(run, t, j));
        if (fill->level ? t->column[j].codes != NULL
                        : t->column[j].values != NULL)
            GI_TRY(fill_cells(run, fill, &t->column[j], t->rows));
    }
done:
    return status;
}

/* ---------------------------------------------------------------- policies */

static gram_status refuse(const job *b)
{
    return gi_table_refuse_missing(b->t, 1, b->name, b->before);
}

static gram_status keep(const job *b)
{
    (void)b;
    return GRAM_OK;
}

static gram_status drop(const job *b)
{
    gram_status status = GRAM_OK;
    unsigned char *whole = NULL;

    GI_TRY(GI_NEW(b->run, whole, b->t->rows));
    gi_table_whole_rows(b->t, NULL, whole);
    gi_table_keep_rows(b->t, whole);
    gi_table_trim(b->t);
done:
    gi_free(whole);
    return status;
}

static gram_status refuse_text(const job *b)
{
    for (size_t j = 0; j < b->t->cols; j++)
        if (b->t->column[j].type == GRAM_TYPE_TEXT && b->t->column[j].missing)
            return gi_fail(GRAM_ERR_RANGE,
                           "%s%scolumn \"%s\": text has no mean to fill in; "
                           "drop the rows or the column",
                           b->name ? b->name : "", b->name ? ": " : "",
                           b->t->column[j].name);
    return GRAM_OK;
}

static gram_status fill(const job *b, gram_missing policy)
{
    gram_status status = GRAM_OK;
    gi_fills f = {0};

    GI_TRY(gi_table_refuse_missing(b->t, 0, b->name, b->before));
    GI_TRY(refuse_text(b));
    GI_TRY(gi_fills_learn(b->run, b->t, policy, &f));
    status = gi_fills_apply(b->run, &f, b->t);
    if (b->name)
        status = gi_context(status, "%s", b->name);
done:
    gi_fills_free(&f);
    return status;
}

static gram_status mean(const job *b)
{
    return fill(b, GRAM_MISSING_MEAN);
}

static gram_status indicator(const job *b)
{
    return fill(b, GRAM_MISSING_INDICATOR);
}

gram_status gi_table_fill_missing(gi_run *run, gram_table *t,
                                  gram_missing policy, const char *name,
                                  size_t before)
{
    static gram_status (*const policies[])(const job *) = {
        [GRAM_MISSING_AUTO] = refuse, [GRAM_MISSING_REFUSE] = refuse,
        [GRAM_MISSING_KEEP] = keep,   [GRAM_MISSING_DROP] = drop,
        [GRAM_MISSING_MEAN] = mean,   [GRAM_MISSING_INDICATOR] = indicator,
    };
    const job b = {run, t, name, before};
    size_t missing = 0;

    if ((size_t)policy >= sizeof policies / sizeof *policies)
        return gi_check_choice("missing", (int)policy, 0,
                               GRAM_MISSING_INDICATOR);
    for (size_t j = 0; j < t->cols; j++)
        missing += t->column[j].missing;
    return missing ? policies[policy](&b) : GRAM_OK;
}

gram_status gram_table_fill_missing(gram_table *t, gram_missing policy,
                                    const gram_exec *exec)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    size_t rows = t->rows;

    GI_TRY(gi_check_choice("policy", (int)policy, 0, GRAM_MISSING_INDICATOR));
    GI_TRY(gi_table_fill_missing(&run, t, policy, NULL, 0));
    if (rows > 0 && t->rows == 0)
        status = gi_fail(GRAM_ERR_RANGE, "no rows without missing cells");
done:
    return gi_table_context(status, t);
}
