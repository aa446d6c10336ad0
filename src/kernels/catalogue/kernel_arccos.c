/* kernel_arccos.c - the arc-cosine kernels: infinitely wide layers of a
 * network whose units are z^order for z > 0, else 0, and weights Gaussian,
 *
 *   k(x,t) = |x|^n |t|^n J_n(theta) / pi,   cos theta = x.t / (|x| |t|)
 *
 * PSD as the expectation of a product of features (Cho and Saul, 2009, eq. 1
 * to 7).  At a zero vector theta is pi/2, so that order 0 gives 1/2 there.
 */
#include "gram_plugin.h"

enum { ORDER };

static const double orders[] = {0, 1, 2, NAN};

static const gram_param params[] = {
    [ORDER] = {.name = "order",
               .range = GRAM_NATURAL,
               .value = 1,
               .help = "power of the units: 0 steps, 1 ramps, 2 parabolas",
               .choices = orders},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int order = (int)gram_arg(p, ORDER);
    int dot = gram_emit_dot(p);
    int norms = gram_emit_self(p, dot);
    int angle = gram_emit_divide(p, dot, norms);

    return gram_emit_multiply(p, gram_emit_power(p, norms, order),
                              gram_emit_arccos(p, angle, order));
}

const gram_kernel_class gi_kernel_arccos = {
    .name = "arccos",
    .formula = "|x|^order |t|^order J_order(theta)/pi, theta the angle",
    .proof = "the mean of a product of features with Gaussian weights "
             "(Cho and Saul, 2009)",
    .flags = GRAM_KERNEL_SCALED,
    .params = params,
    .compile = compile,
};
