/* map_fourier.c - the first waves of period 1 of every column,
 *
 *   cos(2 pi i x_k), sin(2 pi i x_k),  i = 1 .. m
 *
 * A column of another period is divided by it before.  Whole periods are taken
 * off first, which is exact, so that large numbers lose nothing.
 */
#include "gram_plugin.h"

enum { M };

static const gram_param params[] = {
    [M] = {.name = "m",
           .range = GRAM_COUNT,
           .value = 3,
           .help = "waves per column"},
    {.name = NULL},
};

static size_t width(const double *arg, size_t d)
{
    return 2 * (size_t)arg[M] * d;
}

static int apply(const double *arg, const double *state, const double *x,
                 size_t d, double *out, const char **why)
{
    size_t m = (size_t)arg[M];

    (void)state, (void)why;
    for (size_t j = 0; j < d; j++) {
        double phase = 2 * 3.14159265358979323846 * fmod(x[j], 1);

        for (size_t i = 1; i <= m; i++) {
            *out++ = cos((double)i * phase);
            *out++ = sin((double)i * phase);
        }
    }
    return 1;
}

const gram_map_class gi_map_fourier = {
    .name = "fourier",
    .formula = "cos(2 pi i x_k), sin(2 pi i x_k), i = 1 .. m",
    .help = "the first waves of period 1 of every column",
    .params = params,
    .width = width,
    .apply = apply,
};
