/* loss_logistic.c - V = log(1 + exp(-y f)): f is the log odds of class 1.
 *
 *     V*(a) = t log t + (1 - t) log(1 - t),  t = -a y in [0, 1]
 *
 * exp is only taken of numbers that are not positive, so it never overflows.
 */
#include "gram_plugin.h"

/* 1/(1 + exp(z)) */
static double chance(double z)
{
    double e = exp(-fabs(z));

    return z > 0 ? e / (1 + e) : 1 / (1 + e);
}

static double value(const double *arg, double y, double f)
{
    double z = -y * f;

    (void)arg;
    return fmax(z, 0) + log1p(exp(-fabs(z)));
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    return -y * chance(y * f);
}

static double curvature(const double *arg, double y, double f)
{
    (void)arg;
    return chance(y * f) * chance(-y * f);
}

/* t log t, continued to t = 0. */
static double entropy(double t)
{
    return t > 0 ? t * log(t) : 0;
}

static double conjugate(const double *arg, double y, double a)
{
    double t = -a * y;

    (void)arg;
    return t >= 0 && t <= 1 ? entropy(t) + entropy(1 - t) : INFINITY;
}

const gram_loss_class gi_loss_logistic = {
    .name = "logistic",
    .formula = "log(1 + exp(-y f))",
    .help = "f is the log odds: probabilities of classes",
    .flags = GRAM_LOSS_CLASSES | GRAM_LOSS_SMOOTH | GRAM_LOSS_LOG_ODDS,
    .value = value,
    .slope = slope,
    .curvature = curvature,
    .conjugate = conjugate,
};
