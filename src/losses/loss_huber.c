/* loss_huber.c - squared for small errors, absolute for large ones (Huber,
 * Annals of Mathematical Statistics 35, 1964).  With r = y - f,
 *
 *     V = r^2 for |r| <= delta,  2 delta |r| - delta^2 beyond
 *     V*(a) = a y + a^2/4  for |a| <= 2 delta
 *
 * Scaled so that a large delta gives the squared loss.
 */
#include "gram_plugin.h"

enum { DELTA };

static const gram_param params[] = {
    [DELTA] = {.name = "delta",
               .range = GRAM_POSITIVE,
               .fixed = 1,
               .value = 1,
               .help = "errors beyond this count by their size alone"},
    {.name = NULL},
};

static double value(const double *arg, double y, double f)
{
    double r = fabs(y - f), delta = arg[DELTA];

    return r <= delta ? r * r : delta * (2 * r - delta);
}

static double slope(const double *arg, double y, double f)
{
    return 2 * fmax(-arg[DELTA], fmin(arg[DELTA], f - y));
}

static double curvature(const double *arg, double y, double f)
{
    return fabs(y - f) <= arg[DELTA] ? 2 : 0;
}

static double conjugate(const double *arg, double y, double a)
{
    return fabs(a) <= 2 * arg[DELTA] ? a * y + a * a / 4 : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    double r = y - v, delta = arg[DELTA];

    return fabs(r) <= delta * (1 + 2 * t) ? (v + 2 * t * y) / (1 + 2 * t)
                                          : v + copysign(2 * t * delta, r);
}

const gram_loss_class gi_loss_huber = {
    .name = "huber",
    .formula = "r^2 if |r| <= delta, else 2 delta |r| - delta^2; r = y - f",
    .help = "a mean that outliers do not move much",
    .flags = GRAM_LOSS_SMOOTH,
    .params = params,
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .conjugate = conjugate,
    .prox = prox,
};
