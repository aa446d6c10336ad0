/* test_kernel_rq.c - what is particular to rq: a power with a learned
 * exponent.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

TEST(values_match_the_formula)
{
    const double *x = plane, *t = plane + 4;

    CHECK_NEAR(kernel_value("rq(length=5)", 2, x, t), 1 / 1.5, 1e-15);
    CHECK_NEAR(kernel_value("rq(alpha=0.5, length=5)", 2, x, t), 1 / sqrt(2),
               1e-15);
    CHECK_NEAR(kernel_value("rq(alpha=3, length=[3,4], ard)", 2, x, t),
               pow(1 + 2.0 / 6, -3), 1e-15);
    CHECK(kernel_value("rq(alpha=0.3, length=5)", 2, t, t) == 1);
}

TEST(for_large_alpha_it_is_rbf)
{
    kernels_agree("rq(alpha=1e8, length=2)", "rbf(length=2)", plane, 3, 2,
                  1e-6);
}

TESTS(SMALL(values_match_the_formula), SMALL(for_large_alpha_it_is_rbf))
