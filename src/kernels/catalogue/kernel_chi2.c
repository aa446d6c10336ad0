/* kernel_chi2.c - the exponential of the chi-squared distance of histograms,
 *
 *   k(x,t) = exp(-gamma sum over k of (x_k-t_k)^2/(x_k+t_k)),   x_k >= 0
 *
 * with 0/0 = 0.  PSD on numbers that are not negative, and so is every power:
 * (x-t)^2/(x+t) = x + t - 4 xt/(x+t), and xt/(x+t), being the integral of
 * (xs^x)(ts^t)/s over s in [0,1], is PSD, so the sum is conditionally negative
 * definite (Hein and Bousquet, 2005; Schoenberg, 1938).
 */
#include "gram_plugin.h"

enum { GAMMA };

static const gram_param params[] = {
    [GAMMA] = {.name = "gamma",
               .range = GRAM_POSITIVE,
               .value = GRAM_OPEN,
               .help = "inverse length"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int sum = gram_emit_columns(p, GRAM_PAIR_CHI2, -1);

    return gram_emit_exp(p, gram_emit_scale(p, sum, -1, GAMMA, 1));
}

const gram_kernel_class gi_kernel_chi2 = {
    .name = "chi2",
    .formula = "exp(-gamma sum (x_k-t_k)^2/(x_k+t_k)), x_k >= 0, 0/0 = 0",
    .proof = "the exponential of minus a conditionally negative definite "
             "distance (Schoenberg, 1938)",
    .flags = GRAM_KERNEL_NONNEGATIVE | GRAM_KERNEL_DIVISIBLE,
    .params = params,
    .compile = compile,
};
