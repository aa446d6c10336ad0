/* loss_hinge.c - V = max(0, 1 - y f): the support vector machine.
 *
 *     V*(a) = a y  for -1 <= a y <= 0
 *
 * With nu the machine is that of Schoelkopf, Smola, Williams and Bartlett
 * (Neural Computation 12, 2000): a share of at most nu of the rows has a margin
 * that is too small, at least nu of them are support vectors.  It is the
 * machine above at a lambda that the solver finds, and the value here is that
 * of the margin 1.
 */
#include "gram_plugin.h"

enum { NU };

static const gram_param params[] = {
    [NU] = {.name = "nu",
            .range = GRAM_SHARE,
            .fixed = 1,
            .value = 0,
            .help = "share of rows inside the margin, from which lambda "
                    "follows; 0: not used"},
    {.name = NULL},
};

static double value(const double *arg, double y, double f)
{
    (void)arg;
    return fmax(0, 1 - y * f);
}

static double slope(const double *arg, double y, double f)
{
    (void)arg;
    return y * f < 1 ? -y : 0;
}

static double conjugate(const double *arg, double y, double a)
{
    (void)arg;
    return a * y >= -1 && a * y <= 0 ? a * y : INFINITY;
}

static double prox(const double *arg, double y, double v, double t)
{
    (void)arg;
    return y * v >= 1 ? v : y * v < 1 - t ? v + t * y : y;
}

const gram_loss_class gi_loss_hinge = {
    .name = "hinge",
    .formula = "max(0, 1 - y f)",
    .help = "support vector machine for classes",
    .flags = GRAM_LOSS_CLASSES | GRAM_LOSS_SVM | GRAM_LOSS_NU_LAMBDA |
             GRAM_LOSS_INDEFINITE | GRAM_LOSS_PAIRS,
    .params = params,
    .value = value,
    .slope = slope,
    .conjugate = conjugate,
    .prox = prox,
};
