/* groups.c - all groups of a table compared pairwise.
 *
 * Holm's correction: of the p-values of k pairs in ascending order, the i-th,
 * from 0, is multiplied by k - i and made at least the one before it.  The
 * probability of rejecting any pair that does not differ is then at most alpha,
 * however the tests depend on each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/table/subset.h"
#include "samples/test.h"

typedef struct pairing {
    size_t a, b;
    double m, n, statistic, p, holm;
} pairing;

static int compare(const void *a, const void *b)
{
    const pairing *const *x = a, *const *y = b;

    return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

static gram_status correct(gi_run *run, pairing *pair, size_t count)
{
    gram_status status;
    pairing **order = NULL;
    double least = 0;

    GI_TRY(GI_NEW(run, order, count));
    for (size_t i = 0; i < count; i++)
        order[i] = &pair[i];
    qsort(order, count, sizeof *order, compare);
    for (size_t i = 0; i < count; i++) {
        least = fmax(least, fmin(1, order[i]->p * (double)(count - i)));
        order[i]->holm = least;
    }
done:
    gi_free(order);
    return status;
}

/* ------------------------------------------------------------------ groups */

typedef struct grouping {
    gi_run *run;
    const gram_table *table;
    const gi_column *by;
    size_t *level; /* those that rows have */
    size_t levels;
    gram_table **part;
} grouping;

static gram_status find_groups(grouping *g, const char *column)
{
    gram_status status = GRAM_OK;
    size_t j = 0;
    unsigned char *others = NULL, *keep = NULL;

    GI_TRY(gram_table_find(g->table, column, &j));
    g->by = &g->table->column[j];
    if (!g->by->codes || g->by->missing)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "column \"%s\": must be a category without missing "
                       "cells to form groups, it is a %s column",
                       column, gram_type_name(g->by->type)));
    GI_TRY(GI_NEW(g->run, others, g->table->cols));
    GI_TRY(GI_NEW(g->run, keep, g->table->rows));
    GI_TRY(GI_NEW(g->run, g->level, g->by->level_count));
    GI_TRY(GI_NEW_ZERO(g->run, g->part, g->by->level_count));
    memset(others, 1, g->table->cols);
    others[j] = 0;
    for (size_t k = 0; k < g->by->level_count; k++) {
        int any = 0;

        for (size_t i = 0; i < g->table->rows; i++)
            any |= keep[i] = g->by->codes[i] == (int)k;
        if (!any)
            continue;
        g->level[g->levels] = k;
        GI_TRY(gi_table_subset(g->run, g->table, others, keep,
                               &g->part[g->levels++]));
    }
    if (g->levels < 2)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "column \"%s\": %zu group, must have 2 or more", column,
                       g->levels));
done:
    gi_free(others);
    gi_free(keep);
    return status;
}

static const char *group_name(const grouping *g, size_t i)
{
    return g->by->levels[g->level[i]];
}

static gram_status compare_pair(gi_run *run, const grouping *g,
                                const gram_test_options *o, pairing *to)
{
    gram_status status;
    gram_test *t = NULL;

    status = gi_test_samples(run, g->part[to->a], g->part[to->b], o, &t);
    if (status != GRAM_OK)
        return gi_context(status, "groups \"%s\" and \"%s\"",
                          group_name(g, to->a), group_name(g, to->b));
    to->m = (double)t->report.m;
    to->n = (double)t->report.n;
    to->statistic = t->report.statistic;
    to->p = t->report.p_value;
    gram_test_free(t);
    return status;
}

/* ------------------------------------------------------------------- table */

static gram_status make_table(const grouping *g, const pairing *pair,
                              size_t count, double alpha, gram_table **out)
{
    gram_status status;
    const size_t step = sizeof *pair / sizeof(double);
    const char **name[2] = {NULL, NULL};
    double *reject = NULL;
    gram_table *t = NULL;

    GI_TRY(gram_table_new(count, &t));
    GI_TRY(GI_NEW(g->run, name[0], count));
    GI_TRY(GI_NEW(g->run, name[1], count));
    GI_TRY(GI_NEW(g->run, reject, count));
    for (size_t i = 0; i < count; i++) {
        name[0][i] = group_name(g, pair[i].a);
        name[1][i] = group_name(g, pair[i].b);
        reject[i] = pair[i].holm <= alpha;
    }
    GI_TRY(gram_table_add_strings(t, "a", GRAM_TYPE_CATEGORY, name[0]));
    GI_TRY(gram_table_add_strings(t, "b", GRAM_TYPE_CATEGORY, name[1]));
    GI_TRY(gram_table_add_numbers(t, "rows_a", &pair->m, step));
    GI_TRY(gram_table_add_numbers(t, "rows_b", &pair->n, step));
    GI_TRY(gram_table_add_numbers(t, "statistic", &pair->statistic, step));
    GI_TRY(gram_table_add_numbers(t, "p_value", &pair->p, step));
    GI_TRY(gram_table_add_numbers(t, "p_holm", &pair->holm, step));
    GI_TRY(gram_table_add_numbers(t, "reject", reject, 1));
    *out = t;
    t = NULL;
done:
    gram_table_free(t);
    gi_free(name[0]);
    gi_free(name[1]);
    gi_free(reject);
    return status;
}

gram_status gram_test_groups(const gram_table *table, const char *column,
                             const gram_test_options *options,
                             const gram_exec *exec, gram_table **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    grouping g = {.run = &run, .table = table};
    gram_test_options o;
    pairing *pair = NULL;
    size_t count = 0, pairs;

    *out = NULL;
    GI_TRY(gi_test_options_read(options, &o));
    GI_TRY(find_groups(&g, column));
    pairs = g.levels * (g.levels - 1) / 2;
    GI_TRY(GI_NEW(&run, pair, pairs));
    for (size_t a = 0; a < g.levels; a++)
        for (size_t b = a + 1; b < g.levels; b++) {
            gi_run part = gi_run_share(&run, (double)count / (double)pairs,
                                       (double)(count + 1) / (double)pairs);

            pair[count] = (pairing){.a = a, .b = b};
            GI_TRY(compare_pair(&part, &g, options, &pair[count++]));
        }
    GI_TRY(correct(&run, pair, count));
    GI_TRY(make_table(&g, pair, count, o.alpha, out));
done:
    for (size_t i = 0; g.part && i < g.levels; i++)
        gram_table_free(g.part[i]);
    gi_free(g.part);
    gi_free(g.level);
    gi_free(pair);
    return status;
}
