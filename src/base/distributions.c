/* distributions.c - tails and quantiles of distributions; see distributions.h.
 */
#include "base/distributions.h"

#include <float.h>
#include <math.h>

enum { MOST = 10000 }; /* terms of the gamma function */

/* ----------------------------------------------------------------- normal */

double gi_normal_tail(double z)
{
    const double root_two = 1.4142135623730951;

    return erfc(z / root_two) / 2;
}

/* Newton's method on log Q(z) = log q, Q the upper tail.  log Q is concave and
 * Q(z) <= exp(-z^2/2)/2, so that from the z where the two are equal all steps
 * go left and none too far; with erfc from the C library the root is good to a
 * few units in the last place. */
double gi_normal_quantile(double p)
{
    const double root_two = 1.4142135623730951, tau = 6.283185307179586;
    double q = p > 0.5 ? 1 - p : p, z = sqrt(-2 * log(2 * q)), step = 1;

    for (int i = 0; i < 100 && fabs(step) > 4 * DBL_EPSILON * z; i++) {
        double tail = erfc(z / root_two) / 2;
        double density = exp(-z * z / 2) / sqrt(tau);

        step = log(tail / q) * tail / density;
        z += step;
    }
    return p > 0.5 ? z : -z;
}

/* ------------------------------------------------------------------ gamma
 *
 * Below shape + 1 by the series of the lower incomplete gamma function, above
 * by the continued fraction of the upper one (Lentz). */

static double lower_series(double shape, double x)
{
    double term = 1 / shape, sum = term;

    for (int k = 1; k < MOST && term > 1e-17 * sum; k++) {
        term *= x / (shape + (double)k);
        sum += term;
    }
    return sum;
}

static double upper_fraction(double shape, double x)
{
    const double tiny = 1e-300;
    double b = x + 1 - shape, c = 1 / tiny, d = 1 / b, h = d;

    for (int i = 1; i < MOST; i++) {
        double k = (double)i, an = -k * (k - shape), delta;

        b += 2;
        d = an * d + b;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = b + an / c;
        c = fabs(c) < tiny ? tiny : c;
        delta = d * c;
        h *= delta;
        if (fabs(delta - 1) < 1e-16)
            break;
    }
    return h;
}

double gi_gamma_tail(double shape, double x)
{
    double front;

    if (!(x > 0))
        return 1;
    front = exp(shape * log(x) - x - lgamma(shape));
    return x < shape + 1 ? 1 - front * lower_series(shape, x)
                         : front * upper_fraction(shape, x);
}
