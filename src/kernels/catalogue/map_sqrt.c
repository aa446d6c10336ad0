/* map_sqrt.c - the square root of every column, for numbers of at least 0. Then
 * linear is the Bhattacharyya kernel of two histograms.
 */
#include "gram_plugin.h"

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    (void)arg, (void)state;
    for (size_t j = 0; j < d; j++) {
        if (!(x[j] >= 0)) {
            *why = "sqrt takes numbers of at least 0";
            return 0;
        }
        out[j] = sqrt(x[j]);
    }
    return 1;
}

const gram_map_class gi_map_sqrt = {
    .name = "sqrt",
    .formula = "sqrt(x_k), x_k >= 0",
    .help = "the square root of every column",
    .apply = apply,
};
