/* kernel_exponential.c - exponential of the distance,
 *
 *   k(x,t) = exp(-gamma |x-t|)
 *
 * PSD on R^d for every d and every gamma > 0, and so is every power of it:
 * |x-t| is conditionally negative definite (Schoenberg, 1938).  It is matern
 * with nu = 0.5 and, in one dimension, the Ornstein-Uhlenbeck process.  With
 * `ard` the distance is sqrt(sum gamma_k^2 (x_k-t_k)^2).
 */
#include "gram_plugin.h"

enum { GAMMA, LENGTH, ARD };

static const gram_param params[] = {
    [GAMMA] = {.name = "gamma",
               .range = GRAM_POSITIVE,
               .value = GRAM_OPEN,
               .help = "inverse length",
               .per_column = 1},
    [LENGTH] = {.name = "length",
                .range = GRAM_POSITIVE,
                .value = GRAM_OPEN,
                .help = "length",
                .per_column = 1,
                .stands_for = GAMMA + 1,
                .factor = 1,
                .power = -1},
    [ARD] = {.name = "ard", .range = GRAM_FLAG, .help = "one gamma per column"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int distance = gram_emit_sqrt(p, gram_emit_sqdist(p, GAMMA, 2));

    return gram_emit_exp(p, gram_emit_scale(p, distance, -1, GAMMA, 1));
}

/* The Ornstein-Uhlenbeck process. */
static gram_markov markov(const double *value, double *rate)
{
    *rate = value[GAMMA];
    return GRAM_MARKOV_EXPONENTIAL;
}

const gram_kernel_class gi_kernel_exponential = {
    .name = "exponential",
    .formula = "exp(-gamma |x-t|)",
    .proof = "an exponential of a Euclidean distance (Schoenberg, 1938)",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_STATIONARY |
             GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED | GRAM_KERNEL_MARKOV,
    .params = params,
    .compile = compile,
    .markov = markov,
};
