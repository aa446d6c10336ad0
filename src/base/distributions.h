/* distributions.h - tails and quantiles of distributions.
 */
#ifndef GI_DISTRIBUTIONS_H
#define GI_DISTRIBUTIONS_H

/* P(Z >= z), Z standard normal. */
double gi_normal_tail(double z);

/* z with P(Z <= z) = p of a standard normal Z, 0 < p < 1. */
double gi_normal_quantile(double p);

/* P(X >= x) for a gamma variable of that shape and scale 1. */
double gi_gamma_tail(double shape, double x);

#endif
