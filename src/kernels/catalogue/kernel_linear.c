/* kernel_linear.c - the inner product, k(x,t) = x.t.
 *
 * PSD because sum a_i a_j x_i.x_j = |sum a_i x_i|^2; the feature map is x
 * itself, and the functions are the linear ones through 0.
 */
#include "gram_plugin.h"

static int compile(gram_program *p)
{
    return gram_emit_dot(p);
}

const gram_kernel_class gi_kernel_linear = {
    .name = "linear",
    .formula = "x.t",
    .proof = "an inner product",
    .flags = GRAM_KERNEL_SCALED | GRAM_KERNEL_FEATURES | GRAM_KERNEL_MEANS,
    .compile = compile,
};
