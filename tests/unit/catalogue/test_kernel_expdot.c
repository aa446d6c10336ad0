/* test_kernel_expdot.c - what is particular to expdot: the exponential of an
 * inner product.
 */
#include "kernels.h"

static const double x[] = {0.5, -1, 2, 0.25, 0, 0, -1, 1};

TEST(values_are_exponentials)
{
    CHECK_NEAR(kernel_value("expdot", 2, x, x + 2), exp(0.75), 1e-15);
    CHECK_NEAR(kernel_value("expdot(a=2)", 2, x, x + 6), exp(-3), 1e-15);
    CHECK(kernel_value("expdot(a=0)", 2, x, x + 2) == 1);
    kernels_agree("expdot(a=0.5)", "exp(0.5*linear)", x, 4, 2, 1e-15);
}

TEST(normalised_it_is_rbf)
{
    kernels_agree("normalize(expdot)", "rbf(gamma=0.5)", x, 4, 2, 1e-14);
}

TESTS(SMALL(values_are_exponentials), SMALL(normalised_it_is_rbf))
