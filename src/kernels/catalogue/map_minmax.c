/* map_minmax.c - every column to the numbers from 0 to 1.
 *
 * The smallest number and the distance to the largest are learned from the
 * data the kernel meets first; later rows may lie outside.  A column that is
 * constant is divided by 1.  A feature of a sparse block is only divided, by
 * the largest |x|.
 */
#include <float.h>

#include "data/table/moments.h"
#include "kernels/catalogue/per_column.h"

enum { SHIFT, SCALE };

static const gram_param params[] = {
    [SHIFT] = {GI_PER_COLUMN("shift", GRAM_REAL, "the smallest numbers")},
    [SCALE] = {GI_PER_COLUMN("scale", GRAM_POSITIVE,
                             "how far the largest are from them")},
    {.name = NULL},
};

static void learn(const double *arg, const double *column, size_t n,
                  double *value)
{
    gi_moments m = gi_moments_of(column, n);

    (void)arg;
    value[SHIFT] = m.min;
    value[SCALE] = m.max > m.min ? fmin(m.max - m.min, DBL_MAX) : 1;
}

static double divisor(const double *arg, const double *nonzero, size_t count,
                      size_t n)
{
    gi_moments m = gi_moments_with_zeros(nonzero, count, n - count);
    double most = fmax(fabs(m.min), fabs(m.max));

    (void)arg;
    return most > 0 ? most : 1;
}

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg;
    *why = "too far from the smallest number";
    return gi_shift_and_scale(state, x, d, out);
}

const gram_map_class gi_map_minmax = {
    .name = "minmax",
    .formula = "(x_k - shift_k)/scale_k, from 0 to 1",
    .help = "every column to the numbers from 0 to 1",
    .params = params,
    .learn = learn,
    .divisor = divisor,
    .apply = apply,
};
