/* scale.c - scales the columns of tables by what was learned from one of them.
 *
 * A number or date column becomes (x - shift) / factor:
 *   standard   shift = mean, factor = standard deviation
 *   minmax     shift = min,  factor = max - min
 * A feature of a sparse block is only divided, or its zeros would not stay
 * zero: standard by its deviation, the zeros counted; minmax by max |x|.  What
 * is constant is divided by 1, and so is a feature that a later, wider block
 * has: it was zero all the time.
 *
 * Cost: a few passes over the columns, one column a task.
 * Trap: values learned elsewhere can make a finite number overflow; this is
 * found before anything is changed.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/table/moments.h"
#include "data/table/table.h"

/* What is learned from one column. */
struct item {
    gram_type type;
    double shift, factor; /* number, date */
    double *factors;      /* sparse: one a feature */
    size_t width;
    gi_dict features; /* sparse: their names, if they have any */
};

struct gram_scaler {
    gi_dict names; /* string k is the column of item k */
    struct item *item;
};

/* A feature of a sparse block; zeros that are not stored are not in `count`,
 * `min` and `max`. */
struct feature {
    size_t count;
    double min, max;
    double power; /* brings the entries near 1, see moments.c */
    double mean, left, squares;
};

static void dense_none(const gi_moments *m, struct item *item)
{
    (void)m;
    item->shift = 0;
    item->factor = 1;
}

static void dense_standard(const gi_moments *m, struct item *item)
{
    item->shift = m->mean;
    item->factor = m->std > 0 ? m->std : 1;
}

static void dense_minmax(const gi_moments *m, struct item *item)
{
    item->shift = m->min;
    item->factor = m->max > m->min ? m->max - m->min : 1;
}

static double sparse_none(const struct feature *f, size_t rows)
{
    (void)f;
    (void)rows;
    return 1;
}

static double sparse_standard(const struct feature *f, size_t rows)
{
    double n = (double)rows, zeros = (double)(rows - f->count);
    double left = f->left - zeros * f->mean;
    double squares = f->squares + zeros * f->mean * f->mean;
    double std = sqrt(fmax(squares - left * left / n, 0) / (n - 1)) / f->power;
    int constant = f->count == 0 || (f->count == rows && f->min == f->max);

    return !constant && std > 0 ? std : 1;
}

static double sparse_minmax(const struct feature *f, size_t rows)
{
    double most = f->count ? fmax(fabs(f->min), fabs(f->max)) : 0;

    (void)rows;
    return most > 0 ? most : 1;
}

static const struct rule {
    void (*dense)(const gi_moments *m, struct item *item);
    double (*sparse)(const struct feature *f, size_t rows);
} rules[] = {
    [GRAM_SCALE_NONE] = {dense_none, sparse_none},
    [GRAM_SCALE_STANDARD] = {dense_standard, sparse_standard},
    [GRAM_SCALE_MINMAX] = {dense_minmax, sparse_minmax},
};

enum {
    RULES = sizeof rules / sizeof *rules,
    ROWS_PARALLEL = GI_SCALE_SERIAL_ROWS
};

/* For a small table, one thread is faster. */
static int threads_for(const gi_run *run, const gram_table *t)
{
    return t->rows < ROWS_PARALLEL ? 1 : run->threads;
}

static int is_scaled(const gi_column *c)
{
    return c->role == GRAM_ROLE_FEATURE &&
           (c->values || c->type == GRAM_TYPE_SPARSE);
}

static void describe_features(const gi_sparse *s, size_t rows,
                              struct feature *feature)
{
    size_t entries = s->start[rows];

    for (size_t e = 0; e < entries; e++) {
        struct feature *f = &feature[s->index[e]];
        double x = s->entries[e];

        if (f->count++ == 0)
            f->min = f->max = x;
        f->min = fmin(f->min, x);
        f->max = fmax(f->max, x);
    }
    for (size_t j = 0; j < s->width; j++)
        feature[j].power =
            gi_power_near(fmax(fabs(feature[j].min), fabs(feature[j].max)));
    for (size_t e = 0; e < entries; e++) {
        struct feature *f = &feature[s->index[e]];

        f->mean += s->entries[e] * f->power / (double)rows;
    }
    for (size_t e = 0; e < entries; e++) {
        struct feature *f = &feature[s->index[e]];
        double d = s->entries[e] * f->power - f->mean;

        f->left += d;
        f->squares += d * d;
    }
}

static gram_status learn_sparse(gi_run *run, const gi_column *c, size_t rows,
                                const struct rule *rule, struct item *item)
{
    gram_status status = GRAM_OK;
    const gi_sparse *s = &c->sparse;
    struct feature *feature = NULL;

    item->width = s->width;
    GI_TRY(GI_NEW(run, item->factors, s->width));
    GI_TRY(GI_NEW_ZERO(run, feature, s->width));
    for (size_t j = 0; s->names && j < s->width; j++)
        GI_TRY(gi_dict_add_text(run, &item->features, s->names[j], NULL));
    describe_features(s, rows, feature);
    for (size_t j = 0; j < s->width; j++)
        item->factors[j] = rule->sparse(&feature[j], rows);
done:
    gi_free(feature);
    return status;
}

/* Number and date columns, one a task; item k is of column at[k]. */
static gram_status learn_dense(const gi_run *run, const gram_table *t,
                               const size_t *at, const struct rule *rule,
                               gram_scaler *scaler)
{
    size_t count = scaler->names.count;

    GI_PARALLEL_TASKS(threads_for(run, t))
    for (size_t k = 0; k < count; k++)
        if (t->column[at[k]].values) {
            gi_moments m = gi_moments_of(t->column[at[k]].values, t->rows);

            rule->dense(&m, &scaler->item[k]);
        }
    for (size_t k = 0; k < count; k++)
        if (isinf(scaler->item[k].factor))
            return gi_fail(GRAM_ERR_RANGE,
                           "column \"%s\": max - min is too large to divide by",
                           t->column[at[k]].name);
    return GRAM_OK;
}

/* Items for the columns to be scaled, and where they are; sparse ones are
 * learned on the way. */
static gram_status collect(gi_run *run, const gram_table *t,
                           const struct rule *rule, gram_scaler *scaler,
                           size_t *at)
{
    gram_status status = GRAM_OK;

    for (size_t j = 0; j < t->cols; j++) {
        const gi_column *c = &t->column[j];
        struct item *item;
        int k;

        if (!is_scaled(c))
            continue;
        if (c->missing && rule != &rules[GRAM_SCALE_NONE])
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "column \"%s\": %zu missing cell%s, must be "
                           "filled or dropped before scaling",
                           c->name, c->missing, c->missing == 1 ? "" : "s"));
        GI_TRY(gi_dict_add_text(run, &scaler->names, c->name, &k));
        at[k] = j;
        item = &scaler->item[k];
        item->type = c->type;
        if (c->type == GRAM_TYPE_SPARSE)
            GI_TRY(learn_sparse(run, c, t->rows, rule, item));
    }
done:
    return status;
}

gram_status gram_scaler_new(const gram_table *table, gram_scale scale,
                            const gram_exec *exec, gram_scaler **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_scaler *scaler = NULL;
    size_t *at = NULL;

    *out = NULL;
    GI_TRY(gi_check_choice("scale", (int)scale, 0, RULES - 1));
    if (table->rows == 0)
        return gi_fail(GRAM_ERR_RANGE,
                       "a table without rows, scaling needs at least one");
    GI_TRY(GI_NEW_ZERO(&run, scaler, 1));
    GI_TRY(GI_NEW_ZERO(&run, scaler->item, table->cols));
    GI_TRY(GI_NEW(&run, at, table->cols));
    GI_TRY(collect(&run, table, &rules[scale], scaler, at));
    GI_TRY(learn_dense(&run, table, at, &rules[scale], scaler));
    *out = scaler;
    scaler = NULL;
done:
    gi_free(at);
    gram_scaler_free(scaler);
    return status;
}

void gram_scaler_free(gram_scaler *scaler)
{
    if (!scaler)
        return;
    for (size_t k = 0; k < scaler->names.count; k++) {
        gi_free(scaler->item[k].factors);
        gi_dict_free(&scaler->item[k].features);
    }
    gi_free(scaler->item);
    gi_dict_free(&scaler->names);
    gi_free(scaler);
}

/* Is the column one that `item` can scale? */
static gram_status check_column(const struct item *item, const gi_column *c)
{
    const gi_sparse *s = &c->sparse;

    if (c->type != item->type)
        return gi_fail(GRAM_ERR_SHAPE,
                       "column \"%s\" is of type %s, it was %s when scaling "
                       "was learned",
                       c->name, gram_type_name(c->type),
                       gram_type_name(item->type));
    if (c->type != GRAM_TYPE_SPARSE)
        return GRAM_OK;
    for (size_t j = 0; s->names && j < item->features.count && j < s->width;
         j++)
        if (strcmp(s->names[j], gi_dict_at(&item->features, j)) != 0)
            return gi_fail(GRAM_ERR_NAME,
                           "column \"%s\": feature %zu is called \"%s\", it "
                           "was \"%s\" when scaling was learned",
                           c->name, j + 1, s->names[j],
                           gi_dict_at(&item->features, j));
    return GRAM_OK;
}

/* The numbers of a column: its cells, or its entries. */
static double *numbers(const gi_column *c, size_t rows, size_t *n)
{
    *n = c->values ? rows : c->sparse.start[rows];
    return c->values ? c->values : c->sparse.entries;
}

/* Number i of the column; a feature that was never seen was constant. */
static double scaled(const struct item *item, const gi_column *c, size_t i)
{
    unsigned j;

    if (c->values)
        return (c->values[i] - item->shift) / item->factor;
    j = c->sparse.index[i];
    return c->sparse.entries[i] / (j < item->width ? item->factors[j] : 1);
}

/* The place of a number that overflows when scaled, or one past the last. */
static size_t find_overflow(const struct item *item, const gi_column *c,
                            size_t rows)
{
    size_t n, i = 0;
    const double *x = numbers(c, rows, &n);

    while (i < n && (isfinite(scaled(item, c, i)) || isnan(x[i])))
        i++;
    return i;
}

/* Check all items in parallel; bad[k] is where item k overflows. */
static gram_status check_numbers(const gi_run *run, const gram_scaler *scaler,
                                 const gram_table *t, const size_t *at,
                                 size_t *bad)
{
    size_t count = scaler->names.count;

    GI_PARALLEL_TASKS(threads_for(run, t))
    for (size_t k = 0; k < count; k++)
        bad[k] = find_overflow(&scaler->item[k], &t->column[at[k]], t->rows);
    for (size_t k = 0; k < count; k++) {
        const gi_column *c = &t->column[at[k]];
        size_t n;
        const double *x = numbers(c, t->rows, &n);

        if (bad[k] < n)
            return gi_fail(GRAM_ERR_RANGE,
                           "column \"%s\": %g is too far out to be scaled",
                           c->name, x[bad[k]]);
    }
    return GRAM_OK;
}

gram_status gram_scaler_apply(const gram_scaler *scaler, gram_table *table)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, NULL);
    size_t count = scaler->names.count, *at = NULL, *bad = NULL;

    GI_TRY(GI_NEW(&run, at, count));
    GI_TRY(GI_NEW(&run, bad, count));
    for (size_t k = 0; k < count; k++) {
        GI_TRY(gram_table_find(table, gi_dict_at(&scaler->names, k), &at[k]));
        GI_TRY(check_column(&scaler->item[k], &table->column[at[k]]));
    }
    GI_TRY(check_numbers(&run, scaler, table, at, bad));
    GI_PARALLEL_TASKS(threads_for(&run, table))
    for (size_t k = 0; k < count; k++) {
        const struct item *item = &scaler->item[k];
        gi_column *c = &table->column[at[k]];
        size_t n;
        double *x = numbers(c, table->rows, &n);

        for (size_t i = 0; i < n; i++)
            x[i] = scaled(item, c, i);
        gi_texts_free(&c->texts);
        if (c->type == GRAM_TYPE_DATE &&
            (item->shift != 0 || item->factor != 1))
            c->type = GRAM_TYPE_NUMBER; /* no longer days */
    }
done:
    gi_free(at);
    gi_free(bad);
    return status;
}

static gram_status fail_unknown(const gram_scaler *scaler, const char *name)
{
    size_t count = scaler->names.count;
    const char **names = NULL;
    char hint[256] = "";

    if (GI_NEW(NULL, names, count) == GRAM_OK) {
        for (size_t k = 0; k < count; k++)
            names[k] = gi_dict_at(&scaler->names, k);
        gi_did_you_mean(name, names, count, hint, sizeof hint);
    }
    gi_free(names);
    return gi_fail(GRAM_ERR_NAME, "no scaled column \"%s\"%s", name, hint);
}

gram_status gram_scaler_get(const gram_scaler *scaler, const char *name,
                            double *shift, double *factor)
{
    int k = gi_dict_find(&scaler->names, name, strlen(name));

    if (k < 0)
        return fail_unknown(scaler, name);
    if (scaler->item[k].type == GRAM_TYPE_SPARSE)
        return gi_fail(GRAM_ERR_SHAPE,
                       "column \"%s\" is sparse and has a factor for every "
                       "feature",
                       name);
    *shift = scaler->item[k].shift;
    *factor = scaler->item[k].factor;
    return GRAM_OK;
}
