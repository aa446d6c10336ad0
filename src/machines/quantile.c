/* quantile.c - quantiles of the normal distribution.
 *
 * Newton's method on log Q(z) = log q, Q the upper tail.  log Q is concave and
 * Q(z) <= exp(-z^2/2)/2, so that from the z where the two are equal all steps
 * go left and none too far; with erfc from the C library the root is good to a
 * few units in the last place.
 */
#include <float.h>
#include <math.h>

#include "machines/predict.h"

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
