/* kernel_rq.c - the rational quadratic kernel,
 *
 *   k(x,t) = (1 + |x-t|^2 / (2 alpha length^2))^(-alpha)
 *
 * PSD on R^d for every d and alpha, length > 0: a mixture of Gaussians whose
 * gamma has a Gamma distribution of shape alpha (Rasmussen and Williams, 2006,
 * section 4.2.1).  A power of it is one with another alpha and length.  It
 * tends to rbf(length) as alpha grows.
 */
#include "kernels/catalogue/per_column.h"

enum { ALPHA, LENGTH, ARD };

static const gram_param params[] = {
    [ALPHA] = {.name = "alpha",
               .range = GRAM_POSITIVE,
               .value = 1,
               .help = "the smaller, the more lengths are mixed"},
    [LENGTH] = {GI_PER_COLUMN("length", GRAM_POSITIVE, "length")},
    [ARD] = GI_ARD("length"),
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int square =
        gram_emit_scale(p, gram_emit_sqdist(p, LENGTH, -2), 0.5, LENGTH, -2);
    int sum = gram_emit_add(p, gram_emit_constant(p, 1, -1, 0),
                            gram_emit_scale(p, square, 1, ALPHA, -1));

    return gram_emit_power_of(p, sum, -1, ALPHA);
}

const gram_kernel_class gi_kernel_rq = {
    .name = "rq",
    .formula = "(1 + |x-t|^2/(2 alpha length^2))^-alpha",
    .proof = "a mixture of Gaussians of all lengths",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_STATIONARY |
             GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED,
    .params = params,
    .compile = compile,
};
