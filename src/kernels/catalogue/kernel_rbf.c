/* kernel_rbf.c - the Gaussian kernel, k(x,t) = exp(-gamma |x-t|^2).
 *
 * PSD on R^d for every d and every gamma > 0 (Schoenberg, 1938), and so is
 * every power of it; universal on compact sets.  Written with sigma or length,
 * gamma = 1/(2 sigma^2).  With `ard` the exponent is -sum gamma_k (x_k-t_k)^2.
 */
#include "kernels/catalogue/per_column.h"

enum { GAMMA, SIGMA, LENGTH, ARD };

static const gram_param params[] = {
    [GAMMA] = {GI_PER_COLUMN("gamma", GRAM_POSITIVE, "inverse squared length")},
    [SIGMA] = {GI_PER_COLUMN("sigma", GRAM_POSITIVE, "length"),
               GI_STANDS_FOR(GAMMA, 0.5, -2)},
    [LENGTH] = {GI_PER_COLUMN("length", GRAM_POSITIVE, "length"),
                GI_STANDS_FOR(GAMMA, 0.5, -2)},
    [ARD] = GI_ARD("gamma"),
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
