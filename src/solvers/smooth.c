/* smooth.c - sums of a smooth loss over rows.
 *
 * The intercept is the zero of a sum of slopes, which increases with b: Newton
 * steps within a bracket, twice as far as the last one where there is no
 * bracket or no curvature, the middle where a step leaves it.
 */
#include "solvers/smooth.h"

#include <math.h>

const char *gi_smooth_refuses(const gi_problem *p)
{
    const unsigned flags = p->loss ? p->loss->class_->flags : 0;

    if (!(flags & GRAM_LOSS_SMOOTH) || (flags & GRAM_LOSS_JOINT))
        return "only for losses with derivatives";
    if (p->targets != 1)
        return "only for one target";
    return p->lambda > 0 ? NULL : "lambda is 0";
}

double gi_smooth_intercept(const gi_loss *loss, size_t n, const double *y,
                           const double *w, const double *f, double start)
{
    enum { STEPS = 100 };
    const double tolerance = 1e-12;
    double low = -INFINITY, high = INFINITY, b = start, reach = 1;

    for (int k = 0; k < STEPS; k++) {
        double slope = 0, size = 0, bend = 0, next;

        for (size_t i = 0; i < n; i++) {
            double v = gi_loss_slope(loss, y[i], f[i] + b);

            slope += w[i] * v;
            size += w[i] * (fabs(v) + fabs(gi_loss_slope(loss, y[i], f[i])));
            bend += w[i] * gi_loss_curvature(loss, y[i], f[i] + b);
        }
        if (fabs(slope) <= tolerance * size)
            break;
        *(slope > 0 ? &high : &low) = b;
        next = b - slope / bend;
        if (!(fabs(next - b) <= reach))
            next = b - copysign(reach, slope);
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        reach = 2 * fabs(next - b);
        if (next == b)
            break;
        b = next;
    }
    return b;
}

double gi_smooth_norm(const gi_problem *p, const double *g, const double *Kg,
                      size_t j, size_t width, double more)
{
    double squares = 0, sum = more;

    for (size_t i = 0; i < p->n; i++) {
        squares += Kg[i * width + j] * Kg[i * width + j];
        sum += g[i * width + j];
    }
    return sqrt(squares + (p->intercept ? sum * sum : 0));
}
