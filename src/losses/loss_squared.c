/* loss_squared.c - V = (y - f)^2: ridge regression, f estimates the mean.
 *
 *     V*(a) = a y + a^2/4
 *
 * Also for two classes: least-squares classification.
 */
#include "gram_plugin.h"

static double value(const double *arg, double y, double f)
{
    (void)arg;
    return (y - f) * (y - f);
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    return 2 * (f - y);
}

static double curvature(const double *arg, double y, double f)
{
    (void)arg;
    (void)y;
    (void)f;
    return 2;
}

static double conjugate(const double *arg, double y, double a)
{
    (void)arg;
    return a * y + a * a / 4;
}

static double prox(const double *arg, double y, double v, double t)
{
    (void)arg;
    return (v + 2 * t * y) / (1 + 2 * t);
}

const gram_loss_class gi_loss_squared = {
    .name = "squared",
    .formula = "(y - f)^2",
    .help = "f is the mean of y; solved in closed form",
    .flags = GRAM_LOSS_SMOOTH | GRAM_LOSS_SQUARED,
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .conjugate = conjugate,
    .prox = prox,
};
