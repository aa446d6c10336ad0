/* kernel_periodic.c - repetition in every column,
 *
 *   k(x,t) = product over k of exp(-2 sin^2(pi (x_k-t_k)/period) / length^2)
 *
 * PSD: an rbf of the circle (cos, sin)(2 pi x_k/period) (MacKay, 1998), and so
 * is every power of it.  The same function of a Euclidean distance is not PSD
 * in more than one dimension, so this one is a product over columns.
 */
#include "gram_plugin.h"

enum { PERIOD, LENGTH };

static const gram_param params[] = {
    [PERIOD] = {.name = "period",
                .range = GRAM_POSITIVE,
                .value = GRAM_OPEN,
                .help = "after which it repeats"},
    [LENGTH] = {.name = "length",
                .range = GRAM_POSITIVE,
                .value = GRAM_OPEN,
                .help = "length on the circle of radius 1"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int sum = gram_emit_columns(p, GRAM_PAIR_SIN2, PERIOD);

    return gram_emit_exp(p, gram_emit_scale(p, sum, -2, LENGTH, -2));
}

const gram_kernel_class gi_kernel_periodic = {
    .name = "periodic",
    .formula = "product of exp(-2 sin^2(pi (x_k-t_k)/period)/length^2)",
    .proof = "a product over columns of Gaussians on a circle",
    .flags = GRAM_KERNEL_STATIONARY | GRAM_KERNEL_DIVISIBLE,
    .params = params,
    .compile = compile,
};
