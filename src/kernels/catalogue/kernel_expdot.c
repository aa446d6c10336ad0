/* kernel_expdot.c - the polynomial kernel of infinite degree,
 *
 *   k(x,t) = exp(a x.t)
 *
 * PSD for a >= 0: a power series in x.t whose coefficients a^i/i! are not
 * negative.  Universal on compact sets for a > 0 (Steinwart, 2001).  It is rbf
 * with gamma = a/2, times exp(a |x|^2/2) exp(a |t|^2/2), and so grows fast:
 * a |x|^2 > 709 overflows.
 */
#include "gram_plugin.h"

enum { A };

static const gram_param params[] = {
    [A] = {.name = "a",
           .range = GRAM_NONNEGATIVE,
           .value = 1,
           .help = "factor of the inner product"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    return gram_emit_exp(p, gram_emit_scale(p, gram_emit_dot(p), 1, A, 1));
}

const gram_kernel_class gi_kernel_expdot = {
    .name = "expdot",
    .formula = "exp(a x.t)",
    .proof = "a power series in x.t with coefficients that are not negative",
    .flags = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_SCALED,
    .params = params,
    .compile = compile,
};
