/* folds.c - rows dealt to folds.
 *
 * The rows are put in an order and dealt like cards, row p of the order to
 * fold p mod k: sizes differ by at most one.  The order is a random one; if
 * classes are to keep their shares it is class after class, random within
 * each, and then the sizes within a class differ by at most one too.  Groups
 * go as a whole: the largest first, each to the fold that is smallest so far
 * (Graham, Bounds on multiprocessing timing anomalies, 1969: the largest fold
 * is at most 4/3 - 1/(3k) times as large as it need be).
 * Cost: O(rows); O(rows log rows) if a column of numbers names the sets, and
 * O(groups log groups) for groups.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/table/table.h"

enum { STREAM = 0x666f6c64, FOLDS_DEFAULT = 5 };

/* Rows in numbered sets, those that have equal values in a column. */
struct sets {
    size_t *of; /* the set of row i */
    size_t count;
};

struct level {
    const char *name;
    size_t code;
};

static int compare_levels(const void *a, const void *b)
{
    const struct level *x = a, *y = b;

    return gi_name_compare(x->name, y->name);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sets of a category or text column, numbered in the order of names; levels
 * that do not occur have none. */
static gram_status sets_of_codes(gi_run *run, const gi_column *c, size_t rows,
                                 struct sets *s)
{
    gram_status status = GRAM_OK;
    struct level *level = NULL;
    size_t *set = NULL;

    GI_TRY(GI_NEW(run, level, c->level_count));
    GI_TRY(GI_NEW_ZERO(run, set, c->level_count));
    for (size_t i = 0; i < rows; i++)
        set[c->codes[i]] = 1;
    for (size_t code = 0; code < c->level_count; code++)
        level[code] = (struct level){c->levels[code], code};
    qsort(level, c->level_count, sizeof *level, compare_levels);
    for (size_t k = 0; k < c->level_count; k++)
        if (set[level[k].code])
            set[level[k].code] = s->count++;
    for (size_t i = 0; i < rows; i++)
        s->of[i] = set[c->codes[i]];
done:
    gi_free(level);
    gi_free(set);
    return status;
}

/* Sets of a number or date column, in the order of values. */
static gram_status sets_of_values(gi_run *run, const gi_column *c, size_t rows,
                                  struct sets *s)
{
    gram_status status = GRAM_OK;
    double *value = NULL;

    GI_TRY(GI_NEW(run, value, rows));
    memcpy(value, c->values, rows * sizeof *value);
    qsort(value, rows, sizeof *value, compare_numbers);
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || value[i] != value[s->count - 1])
            value[s->count++] = value[i];
    for (size_t i = 0; i < rows; i++) {
        const double *at = bsearch(&c->values[i], value, s->count,
                                   sizeof *value, compare_numbers);

        s->of[i] = (size_t)(at - value);
    }
done:
    gi_free(value);
    return status;
}

static gram_status refuse_missing(const gi_column *c, size_t rows)
{
    for (size_t i = 0; c->missing && i < rows; i++)
        if (c->values ? c->values[i] != c->values[i] : c->codes[i] < 0)
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": the cell is missing, "
                           "folds need one in every row",
                           i + 1, c->name);
    return GRAM_OK;
}

/* Set s->of for all rows; name NULL: all rows are one set. */
static gram_status find_sets(gi_run *run, const gram_table *t, const char *name,
                             struct sets *s)
{
    const gi_column *c;
    gram_status status;
    size_t j;

    if (!name) {
        memset(s->of, 0, t->rows * sizeof *s->of);
        s->count = 1;
        return GRAM_OK;
    }
    GI_TRY(gram_table_find(t, name, &j));
    c = &t->column[j];
    if (c->type == GRAM_TYPE_SPARSE)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "column \"%s\" is sparse, folds need one value a row",
                       name));
    GI_TRY(refuse_missing(c, t->rows));
    GI_TRY(c->values ? sets_of_values(run, c, t->rows, s)
                     : sets_of_codes(run, c, t->rows, s));
done:
    return status;
}

/* Row p of the order of sets, random within a set, goes to fold p mod k. */
static gram_status deal(gi_run *run, const struct sets *s, size_t rows,
                        size_t folds, int *fold)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    size_t *order = NULL, *end = NULL;

    GI_TRY(GI_NEW(run, order, rows));
    GI_TRY(GI_NEW_ZERO(run, end, s->count + 1));
    for (size_t i = 0; i < rows; i++)
        end[s->of[i] + 1]++;
    for (size_t k = 0; k < s->count; k++)
        end[k + 1] += end[k];
    for (size_t i = 0; i < rows; i++) /* beginnings become ends */
        order[end[s->of[i]]++] = i;
    for (size_t k = 0, begin = 0; k < s->count; begin = end[k++])
        gi_rng_shuffle(&rng, order + begin, end[k] - begin);
    for (size_t p = 0; p < rows; p++)
        fold[order[p]] = (int)(p % folds);
done:
    gi_free(order);
    gi_free(end);
    return status;
}

struct group {
    size_t size, set, rank; /* rank: random, breaks ties */
};

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sort the groups, the largest first. */
static gram_status sort_groups(gi_run *run, const struct sets *s, size_t rows,
                               struct group *group)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    size_t *rank = NULL;

    GI_TRY(GI_NEW(run, rank, s->count));
    for (size_t k = 0; k < s->count; k++)
        rank[k] = k;
    gi_rng_shuffle(&rng, rank, s->count);
    for (size_t k = 0; k < s->count; k++)
        group[k] = (struct group){0, k, rank[k]};
    for (size_t i = 0; i < rows; i++)
        group[s->of[i]].size++;
    qsort(group, s->count, sizeof *group, compare_groups);
done:
    gi_free(rank);
    return status;
}

/* A heap of folds, the smallest on top. */
struct heap_fold {
    size_t size;
    int fold;
};

static int is_smaller(const struct heap_fold *a, const struct heap_fold *b)
{
    return a->size != b->size ? a->size < b->size : a->fold < b->fold;
}

/* Restore the heap after its top has grown. */
static void sink(struct heap_fold *heap, size_t n)
{
    struct heap_fold top = heap[0];
    size_t at = 0;

    for (size_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && is_smaller(&heap[child + 1], &heap[child]))
            child++;
        if (!is_smaller(&heap[child], &top))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = top;
}

static gram_status pack(gi_run *run, const struct sets *s, size_t rows,
                        size_t folds, int *fold)
{
    gram_status status = GRAM_OK;
    struct group *group = NULL;
    struct heap_fold *heap = NULL;
    int *fold_of = NULL; /* of a set */

    GI_TRY(GI_NEW(run, group, s->count));
    GI_TRY(GI_NEW(run, heap, folds));
    GI_TRY(GI_NEW(run, fold_of, s->count));
    GI_TRY(sort_groups(run, s, rows, group));
    for (size_t k = 0; k < folds; k++)
        heap[k] = (struct heap_fold){0, (int)k};
    for (size_t k = 0; k < s->count; k++) {
        fold_of[group[k].set] = heap[0].fold;
        heap[0].size += group[k].size;
        sink(heap, folds);
    }
    for (size_t i = 0; i < rows; i++)
        fold[i] = fold_of[s->of[i]];
done:
    gi_free(group);
    gi_free(heap);
    gi_free(fold_of);
    return status;
}

static gram_status take(gi_run *run, const struct sets *s, size_t rows,
                        size_t folds, int *fold)
{
    (void)run;
    (void)folds;
    for (size_t i = 0; i < rows; i++)
        fold[i] = (int)s->of[i];
    return GRAM_OK;
}

/* How rows get their folds. */
struct method {
    const char *column; /* that makes the sets */
    gram_status (*assign)(gi_run *run, const struct sets *s, size_t rows,
                          size_t folds, int *fold);
};

static gram_status choose(const gram_fold_options *o, struct method *m)
{
    if (!!o->stratify + !!o->group + !!o->given > 1)
        return gi_fail(GRAM_ERR_RANGE, "folds: at most one of stratify, group "
                                       "and given can be asked for");
    *m = o->group   ? (struct method){o->group, pack}
         : o->given ? (struct method){o->given, take}
                    : (struct method){o->stratify, deal};
    return GRAM_OK;
}

static gram_status count_folds(const gram_fold_options *o, size_t rows,
                               const struct sets *s, size_t *folds)
{
    size_t asked = o->folds, most = o->group ? s->count : rows;
    size_t usual = most > FOLDS_DEFAULT ? FOLDS_DEFAULT : most > 2 ? most : 2;

    *folds = o->given ? s->count : asked ? asked : usual;
    if (o->given && asked && asked != s->count)
        return gi_fail(GRAM_ERR_RANGE,
                       "folds = %zu, but column \"%s\" gives %zu", asked,
                       o->given, s->count);
    if (o->given && s->count < 2)
        return gi_fail(GRAM_ERR_RANGE,
                       "column \"%s\" gives %zu fold%s, must be at least 2",
                       o->given, s->count, s->count == 1 ? "" : "s");
    if (*folds < 2)
        return gi_fail(GRAM_ERR_RANGE, "folds = %zu, must be at least 2",
                       *folds);
    if (*folds > rows)
        return gi_fail(GRAM_ERR_RANGE, "folds = %zu, more than the %zu rows",
                       *folds, rows);
    if (o->group && *folds > s->count)
        return gi_fail(GRAM_ERR_RANGE,
                       "folds = %zu, more than the %zu groups of column \"%s\"",
                       *folds, s->count, o->group);
    return *folds <= INT_MAX
               ? GRAM_OK
               : gi_fail(GRAM_ERR_RANGE, "folds = %zu, at most %d are possible",
                         *folds, INT_MAX);
}

gram_status gi_table_folds(gi_run *run, const gram_table *table,
                           const gram_fold_options *options, int *fold,
                           size_t *count)
{
    static const gram_fold_options defaults;
    const gram_fold_options *o = options ? options : &defaults;
    gram_status status = GRAM_OK;
    struct method method = {0};
    struct sets sets = {0};
    size_t folds;

    GI_TRY(choose(o, &method));
    GI_TRY(GI_NEW(run, sets.of, table->rows));
    GI_TRY(find_sets(run, table, method.column, &sets));
    GI_TRY(count_folds(o, table->rows, &sets, &folds));
    GI_TRY(method.assign(run, &sets, table->rows, folds, fold));
    *count = folds;
done:
    gi_free(sets.of);
    return status;
}

gram_status gram_table_folds(const gram_table *table,
                             const gram_fold_options *options,
                             const gram_exec *exec, int *fold, size_t *count)
{
    GI_RUN(run, exec);

    return gi_table_folds(&run, table, options, fold, count);
}
