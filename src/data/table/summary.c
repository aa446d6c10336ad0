/* summary.c - what a column looks like: range, moments, a small histogram.
 */
#include <math.h>

#include "base/mem.h"
#include "data/table/moments.h"
#include "data/table/table.h"

static void count_bins(const double *x, size_t n, gram_summary *s)
{
    /* Halves where the range itself overflows. */
    double half = isfinite(s->max - s->min) ? 1 : 0.5;
    double low = s->min * half, width = s->max * half - low;

    for (size_t i = 0; i < n; i++) {
        double share = width > 0 ? (x[i] * half - low) / width : 0;
        size_t bin;

        if (isnan(x[i]))
            continue;
        bin = (size_t)(share * GRAM_HISTOGRAM_BINS);
        s->histogram[bin < GRAM_HISTOGRAM_BINS ? bin
                                               : GRAM_HISTOGRAM_BINS - 1]++;
    }
}

static void summarise_numbers(const double *x, size_t n, gram_summary *s)
{
    gi_moments m = gi_moments_of(x, n);

    s->count = m.count;
    s->min = m.min;
    s->max = m.max;
    s->mean = m.mean;
    s->std = m.std;
    if (m.count)
        count_bins(x, n, s);
}

static gram_status summarise_levels(const gi_column *c, size_t rows,
                                    gram_summary *s)
{
    gram_status status = GRAM_OK;
    size_t *occurs = NULL;

    GI_TRY(GI_NEW_ZERO(NULL, occurs, c->level_count));
    for (size_t i = 0; i < rows; i++)
        if (c->codes[i] >= 0) {
            occurs[c->codes[i]]++;
            s->count++;
        }
    for (size_t level = 0; level < c->level_count; level++) {
        s->distinct += occurs[level] > 0;
        if (level < GRAM_HISTOGRAM_BINS)
            s->histogram[level] = occurs[level];
    }
done:
    gi_free(occurs);
    return status;
}

gram_status gram_table_summary(const gram_table *table, size_t j,
                               gram_summary *out)
{
    gram_status status = GRAM_OK;
    gram_summary s = {.min = NAN, .max = NAN, .mean = NAN, .std = NAN};
    const gi_column *c;

    if (j >= table->cols)
        return gi_fail(GRAM_ERR_RANGE, "column %zu: the table has %zu", j,
                       table->cols);
    c = &table->column[j];
    if (c->values)
        summarise_numbers(c->values, table->rows, &s);
    else if (c->type == GRAM_TYPE_SPARSE)
        summarise_numbers(c->sparse.entries, c->sparse.start[table->rows], &s);
    else
        GI_TRY(summarise_levels(c, table->rows, &s));
    *out = s;
done:
    return status;
}
