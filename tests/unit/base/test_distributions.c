/* test_distributions.c - tails and quantiles, against closed forms. */
#include "check.h"

#include "base/distributions.h"

TEST(tails_are_right)
{
    CHECK_NEAR(gi_gamma_tail(1, 2.5), exp(-2.5), 1e-13);
    CHECK_NEAR(gi_gamma_tail(2, 3), 4 * exp(-3), 1e-13);
    CHECK_NEAR(gi_gamma_tail(0.5, 2), erfc(sqrt(2)), 1e-13);
    CHECK_NEAR(gi_gamma_tail(3, 0), 1, 0);
    CHECK_NEAR(gi_normal_tail(1.959963984540054), 0.025, 1e-13);
}

/* Quantiles from tables of the normal distribution. */
TEST(normal_quantiles_are_exact)
{
    CHECK(gi_normal_quantile(0.5) == 0);
    CHECK_NEAR(gi_normal_quantile(0.975), 1.9599639845400545, 1e-14);
    CHECK_NEAR(gi_normal_quantile(0.95), 1.6448536269514722, 1e-14);
    CHECK_NEAR(gi_normal_quantile(0.0005), -3.2905267314918945, 1e-13);
    for (double p = 1e-15; p < 1; p = 1.5 * p)
        CHECK_NEAR(erfc(-gi_normal_quantile(p) / sqrt(2)) / 2 / p, 1, 1e-12);
}

TESTS(SMALL(tails_are_right), SMALL(normal_quantiles_are_exact))
