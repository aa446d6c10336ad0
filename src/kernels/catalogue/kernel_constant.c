/* kernel_constant.c - the constant kernel, k(x,t) = c.
 *
 * Its matrix is c 1 1', of rank one, PSD if and only if c >= 0; f is then a
 * constant, so `linear + constant` is a line with an intercept that is paid
 * for.  A number or ? in an expression is the same kernel without a name.
 */
#include "gram_plugin.h"

enum { C };

static const gram_param params[] = {
    [C] = {.name = "c",
           .range = GRAM_NONNEGATIVE,
           .value = GRAM_OPEN,
           .help = "the value"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    return gram_emit_constant(p, 1, C, 1);
}

const gram_kernel_class gi_kernel_constant = {
    .name = "constant",
    .formula = "c",
    .proof = "a number that is not negative: the feature map is sqrt(c)",
    .flags = GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_FEATURES |
             GRAM_KERNEL_NO_COLUMNS | GRAM_KERNEL_CONSTANT,
    .params = params,
    .compile = compile,
};
