/* kernel_indicator.c - nearness, k(x,t) = 1 if |x-t| <= eps, else 0.
 *
 * A kernel for eps = 0 only, where it is delta.  For eps > 0 it is not PSD,
 * though often said to be: to be near is not transitive.  Of three points on a
 * line with neighbours near and ends not, the matrix is
 *
 *   1 1 0
 *   1 1 1      with determinant -1 and smallest eigenvalue 1 - sqrt(2).
 *   0 1 1
 */
#include "gram_plugin.h"

enum { EPS };

static const gram_param params[] = {
    [EPS] = {.name = "eps",
             .range = GRAM_NONNEGATIVE,
             .fixed = 1,
             .value = 0,
             .help = "how far is still near"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    double eps = gram_arg(p, EPS);

    if (eps == 0) /* where a tiny distance must not be lost in its square */
        return gram_emit_columns(p, GRAM_PAIR_EQUAL, -1);
    return gram_emit_at_most(p, gram_emit_sqrt(p, gram_emit_sqdist(p, -1, 0)),
                             eps);
}

static gram_verdict judge(const double *value)
{
    static _Thread_local double points[3];
    double step = 0.75 * value[EPS]; /* 2 step > eps, for any rounding */

    if (value[EPS] == 0)
        return (gram_verdict){
            .psd = GRAM_PSD_CERTIFIED,
            .why = "for eps = 0 it is delta, an inner product of one-hot "
                   "features",
        };
    for (int i = 0; i < 3; i++)
        points[i] = i * step;
    return (gram_verdict){
        .psd = GRAM_PSD_REFUTED,
        .why = "near is not transitive: of three points on a line the ends "
               "may be near the middle and not near each other",
        .instead = "delta",
        .points = points,
        .count = 3,
        .d = 1,
    };
}

const gram_kernel_class gi_kernel_indicator = {
    .name = "indicator",
    .formula = "1 if |x-t| <= eps, else 0",
    .params = params,
    .compile = compile,
    .judge = judge,
};
