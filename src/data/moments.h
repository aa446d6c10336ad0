/* moments.h - mean, deviation and range of the numbers in an array.
 */
#ifndef GI_MOMENTS_H
#define GI_MOMENTS_H

#include <stddef.h>

typedef struct gi_moments {
    size_t count; /* numbers that are not NaN */
    double min, max, mean, std;
} gi_moments;

/* Of the n finite numbers at x, NaN left out.  The variance has denominator
 * count - less; what is not defined is NaN.
 * Cost: three passes; no number is too large or too small. */
gi_moments gi_moments_of(const double *x, size_t n, size_t less);

/* A power of two p, itself normal, such that |x| p is about 1 and p and 1/p
 * do not overflow when |x| <= most; sums of squares of x p are then safe. */
double gi_power_near(double most);

#endif
