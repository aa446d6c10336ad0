/* kernel_delta.c - equality, k(x,t) = 1 if x = t in all columns, else 0.
 *
 * PSD: after sorting equal rows together its matrix consists of blocks of ones
 * on the diagonal; the features say which value x is.  The kernel of category
 * columns, compared as they are.
 */
#include "gram_plugin.h"

static int compile(gram_program *p)
{
    return gram_emit_columns(p, GRAM_PAIR_EQUAL, -1);
}

const gram_kernel_class gi_kernel_delta = {
    .name = "delta",
    .formula = "1 if x = t, else 0",
    .proof = "an inner product of one-hot features, one for every value",
    .flags = GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_CATEGORIES |
             GRAM_KERNEL_FEATURES | GRAM_KERNEL_CHARACTERISTIC,
    .compile = compile,
};
