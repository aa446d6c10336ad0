/* test_kernel_taylor.c - what is particular to taylor: the series between
 * its ends.
 */
#include "kernels.h"

static const double x[] = {0.5, -1}, t[] = {2, 0.25}; /* x.t = 0.75 */

TEST(values_are_the_first_terms_of_the_series)
{
    double z = 0.75;

    CHECK(kernel_value("taylor(degree=0)", 2, x, t) == 1);
    CHECK_NEAR(kernel_value("taylor(degree=1)", 2, x, t), 1 + z, 1e-15);
    CHECK_NEAR(kernel_value("taylor", 2, x, t),
               1 + z + z * z / 2 + z * z * z / 6, 1e-15);
    z *= 2;
    CHECK_NEAR(kernel_value("taylor(degree=2, a=2)", 2, x, t),
               1 + z + z * z / 2, 1e-15);
}

TEST(all_terms_are_the_exponential)
{
    static const double rows[] = {0.5, -1, 2, 0.25, 0, 0, -1, 1};

    kernels_agree("taylor(degree=30)", "expdot", rows, 4, 2, 1e-14);
}

TESTS(SMALL(values_are_the_first_terms_of_the_series),
      SMALL(all_terms_are_the_exponential))
