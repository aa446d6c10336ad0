/* kernel_sigmoid.c - the hyperbolic tangent, k(x,t) = tanh(a x.t + c).
 *
 * Not PSD, whatever a and c are, but for a = 0 <= c where it is a constant
 * (Smola, Ovari and Williamson, 2001): some data give a matrix with a negative
 * eigenvalue, others do not.  Its points of refutation:
 *
 *   c < 0:             x = 0, where k(x,x) = tanh(c) < 0
 *   a < 0 <= c:        x^2 = (c + 1)/|a|, where k(x,x) = tanh(-1)
 *   a > 0 and c >= 0:  x = (-1, 1/4, 4) sqrt((c + 1)/a): tanh lets the last
 *                      two look alike, and the first far from one of them only
 *
 * The kernel of a network that is PSD is arccos.
 */
#include "gram_plugin.h"

enum { A, C };

static const gram_param params[] = {
    [A] = {.name = "a",
           .range = GRAM_REAL,
           .value = 1,
           .help = "factor of the inner product"},
    [C] = {.name = "c",
           .range = GRAM_REAL,
           .value = 0,
           .help = "what is added to it"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    int dot = gram_emit_scale(p, gram_emit_dot(p), 1, A, 1);

    return gram_emit_tanh(
        p, gram_emit_add(p, dot, gram_emit_constant(p, 1, C, 1)));
}

static gram_verdict judge(const double *value)
{
    static _Thread_local double points[3];
    double a = value[A], c = value[C], unit = sqrt((fabs(c) + 1) / fabs(a));
    gram_verdict verdict = {
        .psd = GRAM_PSD_REFUTED,
        .why = "tanh of an inner product has matrices with a negative "
               "eigenvalue for all a and c",
        .instead = "arccos",
        .points = points,
        .count = 1,
        .d = 1,
    };

    if (a == 0 && c >= 0)
        return (gram_verdict){.psd = GRAM_PSD_CERTIFIED,
                              .why = "for a = 0 it is the constant tanh(c)"};
    if (c < 0) {
        points[0] = 0;
    } else if (a < 0) {
        points[0] = unit;
    } else if (a > 0 && isfinite(unit)) {
        points[0] = -unit;
        points[1] = unit / 4;
        points[2] = 4 * unit;
        verdict.count = 3;
    } else {
        verdict.points = NULL; /* they depend on what is still open */
        verdict.count = 0;
        verdict.d = 0;
    }
    return verdict;
}

const gram_kernel_class gi_kernel_sigmoid = {
    .name = "sigmoid",
    .formula = "tanh(a x.t + c)",
    .flags = GRAM_KERNEL_SCALED,
    .params = params,
    .compile = compile,
    .judge = judge,
};
