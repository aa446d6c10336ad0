/* kernel_min.c - the covariance of Brownian motion,
 *
 *   k(x,t) = product over k of min(x_k, t_k),   x_k >= 0
 *
 * PSD on numbers that are not negative: min(x,t) is the inner product of the
 * indicators of [0,x] and [0,t], and products over columns are PSD (Schur,
 * 1911).  So is every power, min(x,t)^p = min(x^p,t^p).  On negative numbers
 * k(x,x) < 0, so they are refused.  The functions are 0 at 0; in one column
 * they interpolate by straight lines.
 */
#include "gram_plugin.h"

static int compile(gram_program *p)
{
    return gram_emit_columns(p, GRAM_PAIR_MIN_PRODUCT, -1);
}

/* Brownian motion. */
static gram_markov markov(const double *value, double *rate)
{
    (void)value, (void)rate;
    return GRAM_MARKOV_MIN;
}

const gram_kernel_class gi_kernel_min = {
    .name = "min",
    .formula = "product of min(x_k, t_k), x_k >= 0",
    .proof = "a product over columns of inner products of the indicators of "
             "[0,x_k] and [0,t_k]",
    .flags =
        GRAM_KERNEL_NONNEGATIVE | GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_MARKOV,
    .compile = compile,
    .markov = markov,
};
