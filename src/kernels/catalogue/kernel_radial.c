/* kernel_radial.c - any function of the distance, k(x,t) = h(|x-t|).
 *
 * h is a function in C, so this class only describes the family; each member
 * gets a name of its own by gram_kernel_register_radial().  PSD on R^d for
 * every d if and only if h(sqrt(s)) is completely monotone in s, that is, a
 * mixture of Gaussians (Schoenberg, 1938), which nobody can see from outside:
 * its matrices are checked numerically.
 */
#include "gram_plugin.h"

static gram_verdict judge(const double *value)
{
    (void)value;
    return (gram_verdict){
        .psd = GRAM_PSD_UNKNOWN,
        .why = "PSD if h(sqrt(s)) is completely monotone, which cannot be seen "
               "from outside",
    };
}

const gram_kernel_class gi_kernel_radial = {
    .name = "radial",
    .formula = "h(|x-t|), h in C: see gram_kernel_register_radial",
    .flags = GRAM_KERNEL_STATIONARY,
    .judge = judge,
};
