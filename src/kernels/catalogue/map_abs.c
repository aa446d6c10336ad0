/* map_abs.c - the absolute value of every column.
 */
#include "gram_plugin.h"

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg, (void)state, (void)why;
    for (size_t j = 0; j < d; j++)
        out[j] = fabs(x[j]);
    return 1;
}

const gram_map_class gi_map_abs = {
    .name = "abs",
    .formula = "|x_k|",
    .help = "the absolute value of every column",
    .apply = apply,
};
