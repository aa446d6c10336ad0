/* kernel_intersection.c - what two histograms have in common,
 *
 *   k(x,t) = sum over k of min(x_k, t_k),   x_k >= 0
 *
 * PSD on numbers that are not negative: a sum over columns of inner products
 * of the indicators of [0,x_k] and [0,t_k] (Swain and Ballard, 1991, for its
 * use; Odone, Barla and Verri, 2005, for the proof).
 */
#include "gram_plugin.h"

static int compile(gram_program *p)
{
    return gram_emit_columns(p, GRAM_PAIR_MIN_SUM, -1);
}

const gram_kernel_class gi_kernel_intersection = {
    .name = "intersection",
    .formula = "sum of min(x_k, t_k), x_k >= 0",
    .proof = "a sum over columns of inner products of the indicators of "
             "[0,x_k] and [0,t_k]",
    .flags = GRAM_KERNEL_NONNEGATIVE,
    .compile = compile,
};
