/* map_bins.c - every column cut into m bins of equal width: 1 for the bin the
 * number is in, else 0.
 *
 * The bins reach from the smallest to the largest number of the data the
 * kernel meets first; what lies outside later is in the first or last one.  A
 * constant column has all its numbers in the first.
 */
#include <string.h>

#include "kernels/catalogue/per_column.h"

enum { M, FROM, TO };

static const gram_param params[] = {
    [M] = {.name = "m",
           .range = GRAM_COUNT,
           .value = 10,
           .help = "bins per column"},
    [FROM] = {GI_PER_COLUMN("from", GRAM_REAL, "where the first bins begin")},
    [TO] = {GI_PER_COLUMN("to", GRAM_REAL, "where the last bins end")},
    {.name = NULL},
};

static size_t width(const double *arg, size_t d)
{
    return (size_t)arg[M] * d;
}

static void learn(const double *arg, const double *column, size_t n,
                  double *value)
{
    (void)arg;
    value[0] = value[1] = column[0];
    for (size_t i = 1; i < n; i++) {
        value[0] = fmin(value[0], column[i]);
        value[1] = fmax(value[1], column[i]);
    }
}

/* Halves, since to - from may overflow. */
static size_t bin_of(double x, double from, double to, size_t m)
{
    double share = (x / 2 - from / 2) / (to / 2 - from / 2);

    if (!(share > 0)) /* also 0/0, of a constant column */
        return 0;
    return share < 1 ? (size_t)(share * (double)m) : m - 1;
}

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    size_t m = (size_t)arg[M];

    (void)why;
    memset(out, 0, m * d * sizeof *out);
    for (size_t j = 0; j < d; j++)
        out[j * m + bin_of(x[j], state[j], state[d + j], m)] = 1;
    return 1;
}

const gram_map_class gi_map_bins = {
    .name = "bins",
    .formula = "1 if x_k is in bin i of m from from_k to to_k, else 0",
    .help = "every column cut into bins of equal width",
    .params = params,
    .width = width,
    .learn = learn,
    .apply = apply,
};
