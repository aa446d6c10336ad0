/* kernel_taylor.c - the exponential series, cut off:
 *
 *   k(x,t) = sum over i <= degree of (a x.t)^i / i!
 *
 * PSD for a >= 0: a polynomial in x.t whose coefficients are not negative
 * (Schur, 1911).  It tends to expdot as the degree grows.  Computed by Horner's
 * scheme, 1 + z/1 (1 + z/2 (1 + ... z/degree)) with z = a x.t.
 */
#include "gram_plugin.h"

enum { DEGREE, A };

static const gram_param params[] = {
    [DEGREE] = {.name = "degree",
                .range = GRAM_NATURAL,
                .value = 3,
                .help = "the last power in the series"},
    [A] = {.name = "a",
           .range = GRAM_NONNEGATIVE,
           .value = 1,
           .help = "factor of the inner product"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int z = gram_emit_scale(p, gram_emit_dot(p), 1, A, 1);
    int one = gram_emit_constant(p, 1, -1, 0);
    int sum = one;

    for (int i = (int)gram_arg(p, DEGREE); i > 0; i--) {
        int term = sum == one ? z : gram_emit_multiply(p, z, sum);

        sum = gram_emit_add(p, one, gram_emit_scale(p, term, 1.0 / i, -1, 0));
    }
    return sum;
}

const gram_kernel_class gi_kernel_taylor = {
    .name = "taylor",
    .formula = "sum of (a x.t)^i / i! for i = 0 .. degree",
    .proof = "a polynomial in x.t with coefficients that are not negative",
    .flags = GRAM_KERNEL_SCALED | GRAM_KERNEL_FEATURES,
    .params = params,
    .compile = compile,
};
