/* loss_one_class.c - novelty: f is negative where rows are unlike the others
 * (Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson, Neural Computation
 * 13, 2001).
 *
 *     minimise  1/2 |f|^2 - rho + 1/(nu n) sum_i max(0, rho - f(x_i))
 *
 * and decide by the sign of f - rho.  There is no target; nu bounds the share of
 * rows outside, and rho, minus the intercept, is found by the solver.  V is the
 * part of a row in this sum, max(0, -f) with f for f - rho; the objective as a
 * whole is not that of loss.h, so only solvers that look for GRAM_LOSS_NOVELTY
 * take it.
 *
 *     V*(a) = 0  for -1 <= a <= 0
 */
#include "gram_plugin.h"

enum { NU };

static const gram_param params[] = {
    [NU] = {.name = "nu",
            .range = GRAM_SHARE,
            .fixed = 1,
            .value = 0.5,
            .help = "share of rows outside, at most"},
    {.name = NULL},
};

static double value(const double *arg, double y, double f)
{
    (void)arg;
    (void)y;
    return fmax(0, -f);
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    (void)y;
    return f < 0 ? -1 : 0;
}

static double conjugate(const double *arg, double y, double a)
{
    (void)arg;
    (void)y;
    return a >= -1 && a <= 0 ? 0 : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    (void)arg;
    (void)y;
    return v >= 0 ? v : fmin(0, v + t);
}

const gram_loss_class gi_loss_one_class = {
    .name = "one_class",
    .formula = "max(0, rho - f) - nu rho",
    .help = "novelty: which rows are unlike the others; no target",
    .flags = GRAM_LOSS_NOVELTY | GRAM_LOSS_SVM | GRAM_LOSS_NU_LAMBDA |
             GRAM_LOSS_INDEFINITE,
    .params = params,
    .value = value,
    .slope = slope,
    .conjugate = conjugate,
    .prox = prox,
};
