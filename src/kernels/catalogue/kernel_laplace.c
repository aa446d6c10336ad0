/* kernel_laplace.c - the Laplace kernel,
 *
 *   k(x,t) = exp(-gamma sum_k |x_k-t_k|)
 *
 * PSD for every gamma > 0, and so is every power of it: a product over the
 * columns of exp(-gamma |x_k-t_k|), the characteristic function of a Cauchy
 * variable (Bochner, 1932).  Universal on compact sets.  With `ard` column k
 * has its own gamma_k.
 */
#include "kernels/catalogue/per_column.h"

enum { GAMMA, SIGMA, LENGTH, ARD };

static const gram_param params[] = {
    [GAMMA] = {GI_PER_COLUMN("gamma", GRAM_POSITIVE, "inverse length")},
    [SIGMA] = {GI_PER_COLUMN("sigma", GRAM_POSITIVE, "length"),
               GI_STANDS_FOR(GAMMA, 1, -1)},
    [LENGTH] = {GI_PER_COLUMN("length", GRAM_POSITIVE, "length"),
                GI_STANDS_FOR(GAMMA, 1, -1)},
    [ARD] = GI_ARD("gamma"),
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int distance = gram_emit_l1(p, GAMMA, 1);

    return gram_emit_exp(p, gram_emit_scale(p, distance, -1, GAMMA, 1));
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
    .markov = gi_markov_exponential,
};
