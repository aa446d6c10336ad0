/* loss_epsilon_insensitive.c - V = max(0, |y - f| - epsilon): support vector
 * regression.
 *
 *     V*(a) = a y + epsilon |a|  for |a| <= 1
 *
 * With nu, epsilon is not given but found by the solver, so that a share of at
 * most nu of the rows lies outside the tube (Schoelkopf et al., Neural
 * Computation 12, 2000); the value here is that of the epsilon given.
 */
#include "gram_plugin.h"

enum { EPSILON, NU };

static const gram_param params[] = {
    [EPSILON] = {.name = "epsilon",
                 .range = GRAM_NONNEGATIVE,
                 .fixed = 1,
                 .value = 0.1,
                 .help = "errors up to this count for nothing"},
    [NU] = {.name = "nu",
            .range = GRAM_SHARE,
            .fixed = 1,
            .value = 0,
            .help = "share of rows outside the tube, from which epsilon "
                    "follows; 0: not used"},
    {.name = NULL},
};

static double value(const double *arg, double y, double f)
{
    return fmax(0, fabs(y - f) - arg[EPSILON]);
}

static double slope(const double *arg, double y, double f)
{
    return (f - y > arg[EPSILON]) - (y - f > arg[EPSILON]);
}

static double conjugate(const double *arg, double y, double a)
{
    return fabs(a) <= 1 ? a * y + arg[EPSILON] * fabs(a) : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    double off = fabs(v - y) - arg[EPSILON];

    return off <= 0 ? v : v - copysign(fmin(t, off), v - y);
}

const gram_loss_class gi_loss_epsilon_insensitive = {
    .name = "epsilon_insensitive",
    .formula = "max(0, |y - f| - epsilon)",
    .help = "support vector regression",
    .flags = GRAM_LOSS_SVM | GRAM_LOSS_INDEFINITE,
    .params = params,
    .value = value,
    .slope = slope,
    .conjugate = conjugate,
    .prox = prox,
};
