/* kernel_rbf.c - the Gaussian kernel, k(x,t) = exp(-gamma |x-t|^2).
 *
 * PSD on R^d for every d and every gamma > 0 (Schoenberg, 1938), and so is
 * every power of it; universal on compact sets.  Written with sigma or length,
 * gamma = 1/(2 sigma^2).  With `ard` the exponent is -sum gamma_k (x_k-t_k)^2.
 */
#include "gram_plugin.h"

enum { GAMMA, SIGMA, LENGTH, ARD };

static const gram_param params[] = {
    [GAMMA] = {.name = "gamma",
               .range = GRAM_POSITIVE,
               .value = GRAM_OPEN,
               .help = "inverse squared length",
               .per_column = 1},
    [SIGMA] = {.name = "sigma",
               .range = GRAM_POSITIVE,
               .value = GRAM_OPEN,
               .help = "length",
               .per_column = 1,
               .stands_for = GAMMA + 1,
               .factor = 0.5,
               .power = -2},
    [LENGTH] = {.name = "length",
                .range = GRAM_POSITIVE,
                .value = GRAM_OPEN,
                .help = "length",
                .per_column = 1,
                .stands_for = GAMMA + 1,
                .factor = 0.5,
                .power = -2},
    [ARD] = {.name = "ard", .range = GRAM_FLAG, .help = "one gamma per column"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int square = gram_emit_sqdist(p, GAMMA, 1);

    return gram_emit_exp(p, gram_emit_scale(p, square, -1, GAMMA, 1));
}

const gram_kernel_class gi_kernel_rbf = {
    .name = "rbf",
    .formula = "exp(-gamma |x-t|^2)",
    .proof = "a Gaussian of a Euclidean distance (Schoenberg, 1938)",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_STATIONARY |
             GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED,
    .params = params,
    .compile = compile,
};
