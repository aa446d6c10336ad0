/* witness.c - where two samples differ: at which rows, in which columns.
 *
 * The witness f(v) = mean k(x, v) - mean k(y, v) is, but for a factor, the
 * function of norm 1 whose means over the samples differ most.  A column's part
 * in MMD^2 is what is lost when its cells are shuffled among all rows: then they
 * say nothing about the sample any more, alone or together with other columns.
 *
 * For columns of numbers there is also the Wasserstein distance in one
 * dimension, the area between the two distribution functions: what the column
 * shows by itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/table/subset.h"
#include "samples/test.h"

enum {
    STREAM = 0x6d6d7769,
    MIN_ROWS = GI_WITNESS_MIN_ROWS,
    LARGEST = GI_WITNESS_ROWS
};

/* About how many flops all columns together may take. */
static const double effort = 4e9;

/* ----------------------------------------------------------------- witness */

static gram_status check_samples(const gram_test *t)
{
    return t->joined.n
               ? GRAM_OK
               : gi_fail(GRAM_ERR_SHAPE, "a test of independence: has no "
                                         "two samples to tell apart");
}

static gram_status at_own_rows(gi_run *run, const gram_test *t, double *out)
{
    gram_status status = GRAM_OK;
    const size_t rows = t->joined.m + t->joined.n;
    gi_mmd_pass l = {0};

    if (!t->witness)
        GI_TRY(gi_mmd_pass_new(run, &t->joined, 1, 0, &l));
    memcpy(out, t->witness ? t->witness : l.witness, rows * sizeof *out);
done:
    gi_mmd_pass_clear(&l);
    return status;
}

gram_status gram_test_witness(const gram_test *t, const gram_table *table,
                              const gram_exec *exec, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    const gi_joined *p = &t->joined;
    gi_points *x = NULL;
    double *w = NULL;

    GI_TRY(check_samples(t));
    if (!table)
        return at_own_rows(&run, t, out);
    GI_TRY(GI_NEW(&run, w, p->m + p->n));
    for (size_t i = 0; i < p->m + p->n; i++)
        w[i] = i < p->m ? 1 / (double)p->m : -1 / (double)p->n;
    GI_TRY(gi_points_new_unseen(&run, p->program, table, GI_DOUBLE, &x));
    GI_TRY(gi_engine_product(&run, p->program, x, p->x, w, 1, out));
done:
    gi_points_free(x);
    gi_free(w);
    return status;
}

/* ------------------------------------------------------------- wasserstein */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static gram_status sorted(gi_run *run, const double *x, size_t n, double **out)
{
    gram_status status;

    GI_TRY(GI_NEW(run, *out, n));
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            GI_TRY(gi_fail(GRAM_ERR_RANGE, "number %zu is %g, must be finite",
                           i + 1, x[i]));
        (*out)[i] = x[i];
    }
    qsort(*out, n, sizeof **out, compare);
done:
    return status;
}

gram_status gram_wasserstein(const double *x, size_t m, const double *y,
                             size_t n, double *out)
{
    gram_status status = GRAM_OK;
    double *a = NULL, *b = NULL, sum = 0, at;
    size_t i = 0, j = 0;

    if (m == 0 || n == 0)
        return gi_fail(GRAM_ERR_SHAPE,
                       "samples of %zu and %zu numbers, must "
                       "have 1 or more",
                       m, n);
    GI_TRY(sorted(NULL, x, m, &a));
    GI_TRY(sorted(NULL, y, n, &b));
    at = fmin(a[0], b[0]);
    while (i < m || j < n) {
        double next = i < m && (j == n || a[i] <= b[j]) ? a[i] : b[j];

        sum +=
            (next - at) * fabs((double)i / (double)m - (double)j / (double)n);
        at = next;
        while (i < m && a[i] <= at)
            i++;
        while (j < n && b[j] <= at)
            j++;
    }
    *out = sum;
done:
    gi_free(a);
    gi_free(b);
    return status;
}

/* The Wasserstein distance in standard deviations of all rows; NaN if the column
 * is not of numbers, or constant. */
static gram_status column_distance(const gi_joined *p, const gi_column *c,
                                   double *out)
{
    gram_status status = GRAM_OK;
    const size_t rows = p->m + p->n;
    double mean = 0, square = 0;

    *out = NAN;
    if (!c->values)
        return status;
    for (size_t i = 0; i < rows; i++)
        mean += c->values[i] / (double)rows;
    for (size_t i = 0; i < rows; i++)
        square += (c->values[i] - mean) * (c->values[i] - mean);
    GI_TRY(gram_wasserstein(c->values, p->m, c->values + p->m, p->n, out));
    *out = square > 0 ? *out / sqrt(square / (double)(rows - 1)) : NAN;
done:
    return status;
}

/* ----------------------------------------------------------------- columns */

typedef struct standing {
    const gi_column *column;
    double part, distance;
} standing;

static int compare_parts(const void *a, const void *b)
{
    const standing *x = a, *y = b;

    return (x->part < y->part) - (x->part > y->part);
}

/* At most `most` rows of each sample. */
static gram_status sample_rows(gi_run *run, const gi_joined *p, size_t most,
                               gi_joined *out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    const size_t rows = p->m + p->n;
    unsigned char *keep = NULL;
    size_t *row = NULL;

    out->m = p->m < most ? p->m : most;
    out->n = p->n < most ? p->n : most;
    GI_TRY(GI_NEW_ZERO(run, keep, rows));
    GI_TRY(GI_NEW(run, row, rows));
    for (size_t i = 0; i < rows; i++)
        row[i] = i;
    gi_rng_shuffle(&rng, row, p->m);
    gi_rng_shuffle(&rng, row + p->m, p->n);
    for (size_t i = 0; i < rows; i++)
        keep[row[i]] = i < p->m ? i < out->m : i - p->m < out->n;
    GI_TRY(gi_table_subset(run, p->table, NULL, keep, &out->table));
    out->program = p->program;
done:
    gi_free(keep);
    gi_free(row);
    return status;
}

/* The unbiased statistic of a sample, with column j shuffled (SIZE_MAX: as it
 * is). */
static gram_status without_column(gi_run *run, const gi_joined *sample,
                                  size_t j, double *out)
{
    gram_status status = GRAM_OK;
    const size_t rows = sample->m + sample->n;
    gi_rng rng = gi_rng_new(run->seed, STREAM + 1);
    gi_joined p = {.m = sample->m, .n = sample->n, .program = sample->program};
    size_t *order = NULL;
    gi_mmd_pass l = {0};

    GI_TRY(gi_table_subset(run, sample->table, NULL, NULL, &p.table));
    GI_TRY(GI_NEW(run, order, rows));
    for (size_t i = 0; i < rows; i++)
        order[i] = i;
    gi_rng_shuffle(&rng, order, rows);
    if (j < p.table->cols)
        GI_TRY(gi_column_reorder(run, &p.table->column[j], order, rows));
    GI_TRY(gi_points_new(run, p.program, p.table, GI_DOUBLE, &p.x));
    GI_TRY(gi_mmd_pass_new(run, &p, 1, 2, &l));
    *out = l.e.unbiased;
done:
    gi_mmd_pass_clear(&l);
    gi_free(order);
    p.program = NULL;
    gi_joined_clear(&p);
    return status;
}

static gram_status measure(gi_run *run, const gi_joined *p, standing *s,
                           size_t *count)
{
    gram_status status = GRAM_OK;
    const double d = (double)p->program->sources;
    double most = sqrt(effort / (d * (d + 20))) / 2, whole = 0;
    gi_joined sample = {0};

    most = fmin(LARGEST, fmax(MIN_ROWS, most));
    GI_TRY(sample_rows(run, p, (size_t)most, &sample));
    GI_TRY(without_column(run, &sample, SIZE_MAX, &whole));
    *count = 0;
    for (size_t i = 0; i < p->program->sources; i++) {
        const gi_source *source = &p->program->source[i];
        standing *to = &s[*count];
        double rest = 0;
        size_t j = 0;

        if (source->block)
            continue; /* a feature of a sparse block, which is there itself */
        GI_TRY(gram_table_find(p->table, source->name, &j));
        GI_TRY(without_column(run, &sample, j, &rest));
        to->column = &p->table->column[j];
        to->part = whole > 0 ? (whole - rest) / whole : 0;
        GI_TRY(column_distance(p, to->column, &to->distance));
        ++*count;
        GI_TRY(gi_run_tick(run, (double)(i + 1) / d));
    }
    qsort(s, *count, sizeof *s, compare_parts);
done:
    sample.program = NULL;
    gi_joined_clear(&sample);
    return status;
}

static gram_status make_table(gi_run *run, const standing *s, size_t count,
                              gram_table **out)
{
    gram_status status = GRAM_OK;
    const char **name = NULL;
    double *part = NULL, *distance = NULL;
    gram_table *t = NULL;

    GI_TRY(GI_NEW(run, name, count));
    GI_TRY(GI_NEW(run, part, count));
    GI_TRY(GI_NEW(run, distance, count));
    for (size_t i = 0; i < count; i++) {
        name[i] = s[i].column->name;
        part[i] = s[i].part;
        distance[i] = s[i].distance;
    }
    GI_TRY(gram_table_new(count, &t));
    GI_TRY(gram_table_add_strings(t, "column", GRAM_TYPE_TEXT, name));
    GI_TRY(gram_table_add_numbers(t, "part", part, 1));
    GI_TRY(gram_table_add_numbers(t, "wasserstein", distance, 1));
    *out = t;
    t = NULL;
done:
    gram_table_free(t);
    gi_free(name);
    gi_free(part);
    gi_free(distance);
    return status;
}

gram_status gram_test_columns(const gram_test *t, const gram_exec *exec,
                              gram_table **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_run quiet = run;
    standing *s = NULL;
    size_t count = 0;

    *out = NULL;
    quiet.progress = NULL;
    GI_TRY(check_samples(t));
    GI_TRY(GI_NEW(&run, s, t->joined.program->sources));
    GI_TRY(measure(&quiet, &t->joined, s, &count));
    GI_TRY(make_table(&run, s, count, out));
done:
    gi_free(s);
    return status;
}
