/* map_log1p.c - log(1 + x) of every column, for counts.  Exact for small x too.
 */
#include "gram_plugin.h"

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg, (void)state;
    for (size_t j = 0; j < d; j++) {
        if (!(x[j] > -1)) {
            *why = "log1p takes numbers above -1";
            return 0;
        }
        out[j] = log1p(x[j]);
    }
    return 1;
}

const gram_map_class gi_map_log1p = {
    .name = "log1p",
    .formula = "log(1 + x_k), x_k > -1",
    .help = "the logarithm of 1 + every column",
    .apply = apply,
};
