/* kernel_poly.c - the polynomial kernel, k(x,t) = (gamma x.t + offset)^degree.
 *
 * PSD for whole degrees and gamma, offset >= 0: a polynomial in x.t whose
 * coefficients are not negative (products of PSD kernels are PSD: Schur,
 * 1911).  Its features are the monomials of that degree, with offset > 0 of
 * all degrees up to it.  With a degree that is not whole, or a negative offset,
 * it is no kernel, so neither can be written.
 */
#include "gram_plugin.h"

enum { DEGREE, GAMMA, OFFSET };

static const gram_param params[] = {
    [DEGREE] = {.name = "degree",
                .range = GRAM_NATURAL,
                .value = 3,
                .help = "the power"},
    [GAMMA] = {.name = "gamma",
               .range = GRAM_NONNEGATIVE,
               .value = 1,
               .help = "factor of the inner product"},
    [OFFSET] = {.name = "offset",
                .range = GRAM_NONNEGATIVE,
                .value = 1,
                .help = "what is added to it; 0: monomials of one degree only"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int dot = gram_emit_scale(p, gram_emit_dot(p), 1, GAMMA, 1);
    int sum = gram_emit_add(p, dot, gram_emit_constant(p, 1, OFFSET, 1));

    return gram_emit_power(p, sum, (int)gram_arg(p, DEGREE));
}

const gram_kernel_class gi_kernel_poly = {
    .name = "poly",
    .formula = "(gamma x.t + offset)^degree",
    .proof = "a polynomial in x.t with coefficients that are not negative",
    .flags = GRAM_KERNEL_SCALED | GRAM_KERNEL_FEATURES | GRAM_KERNEL_MOMENTS,
    .params = params,
    .compile = compile,
};
