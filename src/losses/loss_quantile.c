/* loss_quantile.c - the pinball loss: f is the tau-quantile of y (Koenker and
 * Bassett, Econometrica 46, 1978).  With r = y - f,
 *
 *     V = tau r for r > 0,  (tau - 1) r otherwise
 *     V*(a) = a y  for -tau <= a <= 1 - tau
 *
 * tau may be a list; then there is a loss for each.
 */
#include "gram_plugin.h"

enum { TAU };

static const gram_param params[] = {
    [TAU] = {.name = "tau",
             .range = GRAM_FRACTION,
             .fixed = 1,
             .value = 0.5,
             .help = "share of y below f; a list: several quantiles",
             .per_column = 1},
    {.name = NULL},
};

static double value(const double *arg, double y, double f)
{
    double r = y - f;

    return r > 0 ? arg[TAU] * r : (arg[TAU] - 1) * r;
}

static double slope(const double *arg, double y, double f)
{
    return f < y ? -arg[TAU] : f > y ? 1 - arg[TAU] : 0;
}

static double conjugate(const double *arg, double y, double a)
{
    return a >= -arg[TAU] && a <= 1 - arg[TAU] ? a * y : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    double up = t * arg[TAU], down = t * (1 - arg[TAU]);

    return y - v > up ? v + up : v - y > down ? v - down : y;
}

const gram_loss_class gi_loss_quantile = {
    .name = "quantile",
    .formula = "tau r if r > 0, else (tau - 1) r; r = y - f",
    .help = "f is the tau-quantile of y",
    .params = params,
    .value = value,
    .slope = slope,
    .conjugate = conjugate,
    .prox = prox,
};
