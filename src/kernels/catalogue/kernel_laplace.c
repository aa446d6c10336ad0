/* kernel_laplace.c - the Laplace kernel,
 *
 *   k(x,t) = exp(-gamma sum_k |x_k-t_k|)
 *
 * PSD for every gamma > 0, and so is every power of it: a product over the
 * columns of exp(-gamma |x_k-t_k|), the characteristic function of a Cauchy
 * variable (Bochner, 1932).  Universal on compact sets.  With `ard` column k
 * has its own gamma_k.
 */
#include "gram_plugin.h"

enum { GAMMA, SIGMA, LENGTH, ARD };

static const gram_param params[] = {
    [GAMMA] = {.name = "gamma",
               .range = GRAM_POSITIVE,
               .value = GRAM_OPEN,
               .help = "inverse length",
               .per_column = 1},
    [SIGMA] = {.name = "sigma",
               .range = GRAM_POSITIVE,
               .value = GRAM_OPEN,
               .help = "length",
               .per_column = 1,
               .stands_for = GAMMA + 1,
               .factor = 1,
               .power = -1},
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
    int distance = gram_emit_l1(p, GAMMA, 1);

    return gram_emit_exp(p, gram_emit_scale(p, distance, -1, GAMMA, 1));
}

/* The Ornstein-Uhlenbeck process: in one column it is the exponential. */
static gram_markov markov(const double *value, double *rate)
{
    *rate = value[GAMMA];
    return GRAM_MARKOV_EXPONENTIAL;
}

const gram_kernel_class gi_kernel_laplace = {
    .name = "laplace",
    .formula = "exp(-gamma sum |x_k-t_k|)",
    .proof = "a product over columns of characteristic functions "
             "(Bochner, 1932)",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_STATIONARY |
             GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED | GRAM_KERNEL_MARKOV,
    .params = params,
    .compile = compile,
    .markov = markov,
};
