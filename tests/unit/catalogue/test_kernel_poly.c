/* test_kernel_poly.c - what is particular to poly: whole powers.
 */
#include "kernels.h"

/* x.t = 11 */
static const double x[] = {1, 2}, t[] = {3, 4};

TEST(values_are_powers)
{
    CHECK_NEAR(kernel_value("poly", 2, x, t), 12 * 12 * 12, 1e-15);
    CHECK_NEAR(kernel_value("poly(degree=2, gamma=0.5, offset=0.5)", 2, x, t),
               36, 1e-15);
    CHECK_NEAR(kernel_value("poly(degree=5, offset=0)", 2, x, t), pow(11, 5),
               1e-15);
    CHECK_NEAR(kernel_value("poly(degree=1)", 2, x, t), 12, 1e-15);
    CHECK(kernel_value("poly(degree=0)", 2, x, t) == 1);
    CHECK(kernel_value("poly(degree=0, offset=0)", 1, (double[]){0}, t) == 1);
}

TEST(an_odd_power_keeps_the_sign)
{
    CHECK_NEAR(kernel_value("poly(degree=3, offset=0)", 1, (double[]){-2},
                            (double[]){1}),
               -8, 1e-15);
}

TESTS(SMALL(values_are_powers), SMALL(an_odd_power_keeps_the_sign))
