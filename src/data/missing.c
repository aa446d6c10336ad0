/* missing.c - what becomes of missing cells.
 *
 * Policies are a table of functions.  The mean of a category is its most
 * frequent level (the first of equals); text has no mean and is refused.
 * Features can be filled in; what a target, weight, noise or group would have
 * been nobody knows, so a policy that fills refuses those.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/moments.h"
#include "data/table.h"

typedef struct job {
    gi_run *run;
    gram_table *t;
    const char *name, *colon; /* before a sentence; may be "" */
    size_t before;
} job;

static int is_missing(const gi_column *c, size_t i)
{
    if (c->type == GRAM_TYPE_SPARSE)
        return 0;
    return c->values ? isnan(c->values[i]) : c->codes[i] < 0;
}

/* The first missing cell, row by row, of columns that cannot be filled in, or
 * of all. */
static gram_status refuse_cells(const job *b, int all)
{
    for (size_t i = 0; i < b->t->rows; i++)
        for (size_t j = 0; j < b->t->cols; j++) {
            const gi_column *c = &b->t->column[j];

            if (!is_missing(c, i) || (!all && c->role == GRAM_ROLE_FEATURE))
                continue;
            if (c->role == GRAM_ROLE_FEATURE)
                return gi_fail(GRAM_ERR_RANGE,
                               "%s%srow %zu, column \"%s\": the cell is "
                               "missing (--missing drop, mean or "
                               "indicator says what to do)",
                               b->name, b->colon, b->before + i + 1, c->name);
            return gi_fail(GRAM_ERR_RANGE,
                           "%s%srow %zu, column \"%s\": the cell is missing, "
                           "a %s cannot be filled in (--missing drop "
                           "leaves out its row)",
                           b->name, b->colon, b->before + i + 1, c->name,
                           gram_role_name(c->role));
        }
    return GRAM_OK;
}

static gram_status refuse(const job *b)
{
    return refuse_cells(b, 1);
}

static gram_status keep(const job *b)
{
    (void)b;
    return GRAM_OK;
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

static gram_status drop(const job *b)
{
    gram_status status = GRAM_OK;
    unsigned char *whole = NULL;

    GI_TRY(GI_NEW(b->run, whole, b->t->rows));
    memset(whole, 1, b->t->rows);
    for (size_t j = 0; j < b->t->cols; j++)
        for (size_t i = 0; b->t->column[j].missing && i < b->t->rows; i++)
            whole[i] &= !is_missing(&b->t->column[j], i);
    gi_table_keep_rows(b->t, whole);
    gi_table_trim(b->t);
done:
    gi_free(whole);
    return status;
}

static gram_status most_frequent(const job *b, const gi_column *c, int *out)
{
    gram_status status = GRAM_OK;
    size_t *count = NULL;

    GI_TRY(GI_NEW_ZERO(b->run, count, c->level_count));
    *out = 0;
    for (size_t i = 0; i < b->t->rows; i++)
        if (c->codes[i] >= 0)
            count[c->codes[i]]++;
    for (size_t k = 1; k < c->level_count; k++)
        if (count[k] > count[*out])
            *out = (int)k;
done:
    gi_free(count);
    return status;
}

static gram_status fill_mean(const job *b, gi_column *c)
{
    gram_status status = GRAM_OK;
    int code = 0;
    double mean;

    if (c->missing == b->t->rows)
        return gi_fail(GRAM_ERR_RANGE,
                       "%s%scolumn \"%s\": every cell is missing, there is "
                       "no mean",
                       b->name, b->colon, c->name);
    if (c->type == GRAM_TYPE_TEXT)
        return gi_fail(GRAM_ERR_RANGE,
                       "%s%scolumn \"%s\": text has no mean to fill in; drop "
                       "the rows or the column",
                       b->name, b->colon, c->name);
    if (c->values) {
        mean = gi_moments_of(c->values, b->t->rows).mean;
        for (size_t i = 0; i < b->t->rows; i++)
            c->values[i] = isnan(c->values[i]) ? mean : c->values[i];
    } else {
        GI_TRY(most_frequent(b, c, &code));
        for (size_t i = 0; i < b->t->rows; i++)
            c->codes[i] = c->codes[i] < 0 ? code : c->codes[i];
    }
    c->missing = 0;
done:
    return status;
}

static gram_status mean(const job *b)
{
    gram_status status = GRAM_OK;

    GI_TRY(refuse_cells(b, 0));
    for (size_t j = 0; j < b->t->cols; j++)
        if (b->t->column[j].missing)
            GI_TRY(fill_mean(b, &b->t->column[j]));
done:
    return status;
}

/* A last level for the cells that are missing, unless there is one of that
 * name; the strings of a column are sealed, so they are collected anew. */
static gram_status add_missing_level(const job *b, gi_column *c)
{
    static const char name[] = "(missing)";
    gram_status status = GRAM_OK;
    const char **levels = NULL;
    gi_dict dict = {0};
    int code = 0;

    GI_TRY(GI_NEW(b->run, levels, c->level_count + 1));
    for (size_t k = 0; k < c->level_count; k++)
        GI_TRY(gi_dict_add(b->run, &dict, c->levels[k], strlen(c->levels[k]),
                           &code));
    GI_TRY(gi_dict_add(b->run, &dict, name, strlen(name), &code));
    for (size_t k = 0; k < dict.count; k++)
        levels[k] = gi_dict_at(&dict, k);
    for (size_t i = 0; i < b->t->rows; i++)
        c->codes[i] = c->codes[i] < 0 ? code : c->codes[i];
    gi_free(c->levels);
    gi_dict_free(&c->dict);
    c->levels = levels;
    c->level_count = dict.count;
    c->dict = dict;
    c->missing = 0;
    gi_dict_seal(&c->dict);
    return status;
done:
    gi_free(levels);
    gi_dict_free(&dict);
    return status;
}

static gram_status add_indicator(const job *b, size_t j)
{
    gram_status status = GRAM_OK;
    const char *of = b->t->column[j].name;
    gi_column *c = NULL;
    gi_buf name = {0};

    GI_TRY(gi_buf_add(b->run, &name, of, strlen(of)));
    GI_TRY(gi_buf_add(b->run, &name, "_missing", strlen("_missing")));
    GI_TRY(gi_table_add(b->run, b->t, name.s, GRAM_TYPE_NUMBER, &c));
    for (size_t i = 0; i < b->t->rows; i++)
        c->values[i] = is_missing(&b->t->column[j], i);
done:
    gi_buf_free(&name);
    return status;
}

static gram_status indicator(const job *b)
{
    gram_status status = GRAM_OK;
    size_t cols = b->t->cols;

    GI_TRY(refuse_cells(b, 0));
    for (size_t j = 0; j < cols; j++) {
        if (!b->t->column[j].missing)
            continue;
        if (b->t->column[j].type == GRAM_TYPE_CATEGORY) {
            GI_TRY(add_missing_level(b, &b->t->column[j]));
        } else {
            GI_TRY(add_indicator(b, j));
            GI_TRY(fill_mean(b, &b->t->column[j]));
        }
    }
done:
    return status;
}

gram_status gi_table_fill_missing(gi_run *run, gram_table *t,
                                  gram_missing policy, const char *name,
                                  size_t before)
{
    static gram_status (*const policies[])(const job *) = {
        [GRAM_MISSING_REFUSE] = refuse,       [GRAM_MISSING_KEEP] = keep,
        [GRAM_MISSING_DROP] = drop,           [GRAM_MISSING_MEAN] = mean,
        [GRAM_MISSING_INDICATOR] = indicator,
    };
    const job b = {run, t, name ? name : "", name ? ": " : "", before};
    size_t missing = 0;

    if ((size_t)policy >= sizeof policies / sizeof *policies)
        return gi_fail(GRAM_ERR_RANGE, "no missing policy %d", (int)policy);
    for (size_t j = 0; j < t->cols; j++)
        missing += t->column[j].missing;
    return missing ? policies[policy](&b) : GRAM_OK;
}

gram_status gram_table_fill_missing(gram_table *t, gram_missing policy,
                                    const gram_exec *exec)
{
    gram_status status = GRAM_OK;
    gi_run run = gi_run_begin(exec);
    size_t rows = t->rows;

    GI_TRY(gi_check_choice("policy", (int)policy, 0, GRAM_MISSING_INDICATOR));
    GI_TRY(gi_table_fill_missing(&run, t, policy, NULL, 0));
    if (rows > 0 && t->rows == 0)
        status = gi_fail(GRAM_ERR_RANGE, "no rows without missing cells");
done:
    return gi_table_context(status, t);
}
