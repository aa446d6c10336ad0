/* map_log.c - the logarithm of every column, for numbers above 0 that grow by
 * factors.
 */
#include "gram_plugin.h"

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg, (void)state;
    for (size_t j = 0; j < d; j++) {
        if (!(x[j] > 0)) {
            *why = "log takes numbers above 0";
            return 0;
        }
        out[j] = log(x[j]);
    }
    return 1;
}

const gram_map_class gi_map_log = {
    .name = "log",
    .formula = "log(x_k), x_k > 0",
    .help = "the logarithm of every column",
    .apply = apply,
};
