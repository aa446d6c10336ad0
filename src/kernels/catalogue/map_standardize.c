/* map_standardize.c - every column to mean 0 and standard deviation 1.
 *
 * Mean and deviation (denominator n - 1) are learned from the data the kernel
 * meets first; later rows are moved by the same numbers.  A column that is
 * constant is divided by 1.  A feature of a sparse block is only divided, by
 * its deviation with the zeros counted.
 */
#include "data/table/moments.h"
#include "kernels/catalogue/per_column.h"

enum { SHIFT, SCALE };

static const gram_param params[] = {
    [SHIFT] = {GI_PER_COLUMN("shift", GRAM_REAL, "the means")},
    [SCALE] = {GI_PER_COLUMN("scale", GRAM_POSITIVE,
                             "the standard deviations")},
    {.name = NULL},
};

static void learn(const double *arg, const double *column, size_t n,
                  double *value)
{
    gi_moments m = gi_moments_of(column, n);

    (void)arg;
    value[SHIFT] = m.mean;
    value[SCALE] = m.std > 0 ? m.std : 1; /* of one row it is NaN */
}

static double divisor(const double *arg, const double *nonzero, size_t count,
                      size_t n)
{
    gi_moments m = gi_moments_with_zeros(nonzero, count, n - count);

    (void)arg;
    return m.std > 0 ? m.std : 1;
}

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg;
    *why = "too far from the mean";
    return gi_shift_and_scale(state, x, d, out);
}

const gram_map_class gi_map_standardize = {
    .name = "standardize",
    .formula = "(x_k - shift_k)/scale_k",
    .help = "every column to mean 0 and standard deviation 1",
    .params = params,
    .learn = learn,
    .divisor = divisor,
    .apply = apply,
};
