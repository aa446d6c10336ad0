/* loss_squared_hinge.c - V = max(0, 1 - y f)^2: the L2 support vector machine.
 *
 *     V*(a) = a y + a^2/4  for a y <= 0
 *
 * Rows beyond the margin count for nothing, and drop out of Newton's matrix.
 */
#include "gram_plugin.h"

static double value(const double *arg, double y, double f)
{
    double m = fmax(0, 1 - y * f);

    (void)arg;
    return m * m;
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    return -2 * y * fmax(0, 1 - y * f);
}

static double curvature(const double *arg, double y, double f)
{
    (void)arg;
    return y * f < 1 ? 2 : 0;
}

static double conjugate(const double *arg, double y, double a)
{
    (void)arg;
    return a * y <= 0 ? a * y + a * a / 4 : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    (void)arg;
    return y * v >= 1 ? v : (v + 2 * t * y) / (1 + 2 * t);
}

const gram_loss_class gi_loss_squared_hinge = {
    .name = "squared_hinge",
    .formula = "max(0, 1 - y f)^2",
    .help = "smooth support vector machine for classes",
    .flags = GRAM_LOSS_CLASSES | GRAM_LOSS_SMOOTH,
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .conjugate = conjugate,
    .prox = prox,
};
