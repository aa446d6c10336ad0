/* kernel_cos.c - one frequency in every column,
 *
 *   k(x,t) = product over k of cos(2 pi (x_k-t_k)/period)
 *
 * PSD: cos(a-b) = cos a cos b + sin a sin b is an inner product on the circle,
 * and products over columns are PSD (Schur, 1911).  The rank is 2 per column.
 */
#include "gram_plugin.h"

enum { PERIOD };

static const gram_param params[] = {
    [PERIOD] = {.name = "period",
                .range = GRAM_POSITIVE,
                .value = GRAM_OPEN,
                .help = "after which it repeats"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    return gram_emit_columns(p, GRAM_PAIR_COS, PERIOD);
}

const gram_kernel_class gi_kernel_cos = {
    .name = "cos",
    .formula = "product of cos(2 pi (x_k-t_k)/period)",
    .proof = "a product over columns of inner products on a circle",
    .flags = GRAM_KERNEL_STATIONARY,
    .params = params,
    .compile = compile,
};
