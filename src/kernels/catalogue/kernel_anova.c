/* kernel_anova.c - all products of different columns,
 *
 *   k(x,t) = product over k of (1 + x_k t_k)
 *          = sum over all sets S of columns of the product over S of x_k t_k
 *
 * and with degree = p only the sets of at most p columns.  PSD: each set is a
 * product of inner products, and the sum of PSD kernels is PSD.  The features
 * are the 2^d products of columns (Vapnik, 1998; Shawe-Taylor and Cristianini,
 * 2004, section 9.2, for the recursion in the degree).
 */
#include "gram_plugin.h"

enum { DEGREE };

static const gram_param params[] = {
    [DEGREE] = {.name = "degree",
                .range = GRAM_NATURAL,
                .value = GRAM_ALL,
                .help = "columns in a product, at most"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    double degree = gram_arg(p, DEGREE);

    if (degree >= (double)gram_arg_columns(p))
        return gram_emit_columns(p, GRAM_PAIR_ANOVA, -1);
    return gram_emit_elementary(p, (int)degree);
}

const gram_kernel_class gi_kernel_anova = {
    .name = "anova",
    .formula = "product of (1 + x_k t_k); of at most `degree` columns",
    .proof = "a sum of products of inner products",
    .flags = GRAM_KERNEL_SCALED | GRAM_KERNEL_FEATURES,
    .params = params,
    .compile = compile,
};
