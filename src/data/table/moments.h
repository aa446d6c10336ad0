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
 * count - 1; what is not defined is NaN.
 * Cost: three passes; no number is too large or too small. */
gi_moments gi_moments_of(const double *x, size_t n);

/* The same of the n numbers at x and of `zeros` zeros. */
gi_moments gi_moments_with_zeros(const double *x, size_t n, size_t zeros);

/* A power of two p that makes most * p about 1; p and 1/p are both normal.  If
 * |x| <= most, sums of squares of x * p do not overflow. */
double gi_power_near(double most);

#endif
