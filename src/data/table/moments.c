/* moments.c - mean and standard deviation, accurately.
 *
 * Every number is multiplied by a power of two, which is exact, so that the
 * largest is about 1 and squares cannot overflow.  Then two passes: the mean
 * as first + mean(x - first), and the squares of the distances from it less
 * what the rounding of the mean added (Chan, Golub, LeVeque: Algorithms for
 * computing the sample variance, 1983, eq. 1.7).  All sums are compensated
 * (Neumaier 1974), so the error does not grow with the number of rows.
 *
 * Trap: the mean of numbers of one sign lies between them, but its rounded
 * value need not; it is put back.
 */
#include "data/table/moments.h"

#include <math.h>

enum { EXPONENT_MOST = 1000 }; /* 2^1000 and 2^-1000 are normal */

struct sum {
    double main, rest;
};

static void add(struct sum *s, double x)
{
    double t = s->main + x;

    s->rest += fabs(s->main) >= fabs(x) ? s->main - t + x : x - t + s->main;
    s->main = t;
}

static double total(const struct sum *s)
{
    return s->main + s->rest;
}

double gi_power_near(double most)
{
    int e = most > 0 ? ilogb(most) : 0;

    if (e > EXPONENT_MOST)
        e = EXPONENT_MOST;
    if (e < -EXPONENT_MOST)
        e = -EXPONENT_MOST;
    return ldexp(1, -e);
}

/* Count and range; the first number in *first. */
static gi_moments range(const double *x, size_t n, size_t zeros, double *first)
{
    gi_moments m = {.min = NAN, .max = NAN, .mean = NAN, .std = NAN};

    if (zeros > 0) {
        m.count = zeros;
        *first = m.min = m.max = 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            continue;
        if (m.count++ == 0)
            *first = m.min = m.max = x[i];
        m.min = x[i] < m.min ? x[i] : m.min;
        m.max = x[i] > m.max ? x[i] : m.max;
    }
    return m;
}

gi_moments gi_moments_with_zeros(const double *x, size_t n, size_t zeros)
{
    double first = 0, power, origin, off, count;
    struct sum sum = {0, 0}, left = {0, 0}, squares = {0, 0};
    gi_moments m = range(x, n, zeros, &first);

    if (m.count == 0)
        return m;
    count = (double)m.count;
    power = gi_power_near(fmax(fabs(m.min), fabs(m.max)));
    origin = first * power;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            add(&sum, x[i] * power - origin);
    off = total(&sum) / count;
    m.mean = fmin(fmax((origin + off) / power, m.min), m.max);
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            double d = x[i] * power - origin - off;

            add(&left, d);
            add(&squares, d * d);
        }
    add(&left, (double)zeros * -off); /* with zeros the origin is 0 */
    add(&squares, (double)zeros * off * off);
    if (m.count > 1) {
        double s = total(&squares) - total(&left) * total(&left) / count;

        m.std = sqrt(fmax(s, 0) / (double)(m.count - 1)) / power;
    }
    return m;
}

gi_moments gi_moments_of(const double *x, size_t n)
{
    return gi_moments_with_zeros(x, n, 0);
}
