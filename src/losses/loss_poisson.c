/* loss_poisson.c - V = exp(f) - y f: f is the logarithm of the mean of counts.
 *
 *     V*(a) = s log s - s,  s = a + y >= 0
 *
 * The second derivative is not bounded; steps must be checked by the value.
 */
#include "gram_plugin.h"

static int accepts(const double *arg, double y, const char **why)
{
    (void)arg;
    *why = "must be at least 0";
    return y >= 0;
}

static double value(const double *arg, double y, double f)
{
    (void)arg;
    return exp(f) - y * f;
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    return exp(f) - y;
}

static double curvature(const double *arg, double y, double f)
{
    (void)arg;
    (void)y;
    return exp(f);
}

static double conjugate(const double *arg, double y, double a)
{
    double s = a + y;

    (void)arg;
    return s > 0 ? s * log(s) - s : s == 0 ? 0 : INFINITY;
}

static double predict(const double *arg, double f)
{
    (void)arg;
    return exp(f);
}

const gram_loss_class gi_loss_poisson = {
    .name = "poisson",
    .formula = "exp(f) - y f",
    .help = "counts: f is the logarithm of their mean",
    .flags = GRAM_LOSS_SMOOTH,
    .accepts = accepts,
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .conjugate = conjugate,
    .predict = predict,
};
