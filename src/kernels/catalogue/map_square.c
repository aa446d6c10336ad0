/* map_square.c - the square of every column.
 */
#include "gram_plugin.h"

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg, (void)state;
    for (size_t j = 0; j < d; j++) {
        out[j] = x[j] * x[j];
        if (!isfinite(out[j])) {
            *why = "its square is too large";
            return 0;
        }
    }
    return 1;
}

const gram_map_class gi_map_square = {
    .name = "square",
    .formula = "x_k^2",
    .help = "the square of every column",
    .apply = apply,
};
