/* kernel_exponential.c - exponential of the distance,
 *
 *   k(x,t) = exp(-gamma |x-t|)
 *
 * PSD on R^d for every d and every gamma > 0, and so is every power of it:
 * |x-t| is conditionally negative definite (Schoenberg, 1938).  It is matern
 * with nu = 0.5 and, in one dimension, the Ornstein-Uhlenbeck process.  With
 * `ard` the distance is sqrt(sum gamma_k^2 (x_k-t_k)^2).
 */
#include "kernels/catalogue/per_column.h"

enum { GAMMA, LENGTH, ARD };

static const gram_param params[] = {
    [GAMMA] = {GI_PER_COLUMN("gamma", GRAM_POSITIVE, "inverse length")},
    [LENGTH] = {GI_PER_COLUMN("length", GRAM_POSITIVE, "length"),
                GI_STANDS_FOR(GAMMA, 1, -1)},
    [ARD] = GI_ARD("gamma"),
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int distance = gram_emit_sqrt(p, gram_emit_sqdist(p, GAMMA, 2));

    return gram_emit_exp(p, gram_emit_scale(p, distance, -1, GAMMA, 1));
}

const gram_kernel_class gi_kernel_exponential = {
    .name = "exponential",
    .formula = "exp(-gamma |x-t|)",
    .proof = "an exponential of a Euclidean distance (Schoenberg, 1938)",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_STATIONARY |
             GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED | GRAM_KERNEL_MARKOV,
    .params = params,
    .compile = compile,
    .markov = gi_markov_exponential,
};
