/* loss_absolute.c - V = |y - f|: f is the median of y.
 *
 *     V*(a) = a y  for |a| <= 1
 */
#include "gram_plugin.h"

static double value(const double *arg, double y, double f)
{
    (void)arg;
    return fabs(y - f);
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    return (f > y) - (f < y);
}

static double conjugate(const double *arg, double y, double a)
{
    (void)arg;
    return fabs(a) <= 1 ? a * y : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    (void)arg;
    return fabs(v - y) <= t ? y : v - copysign(t, v - y);
}

const gram_loss_class gi_loss_absolute = {
    .name = "absolute",
    .formula = "|y - f|",
    .help = "f is the median of y",
    .value = value,
    .slope = slope,
    .conjugate = conjugate,
    .prox = prox,
};
