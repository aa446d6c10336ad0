/* test_kernel_laplace.c - what is particular to laplace: the sum of absolute
 * differences.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

TEST(values_match_the_formula)
{
    double K[9];

    kernel_matrix("laplace(gamma=0.5)", plane, 3, 2, K);
    CHECK(K[0] == 1 && K[4] == 1 && K[8] == 1);
    CHECK_NEAR(K[1], exp(-0.5), 1e-15);
    CHECK_NEAR(K[2], exp(-3.5), 1e-15);
    CHECK_NEAR(K[5], exp(-3), 1e-15);
}

TEST(it_is_a_product_over_columns)
{
    kernels_agree("laplace(sigma=2)",
                  "exponential(length=2)[a]*exponential(length=2)[b]", plane, 3,
                  2, 1e-15);
    kernels_agree("laplace(gamma=[1,0.25], ard)",
                  "laplace(gamma=1)[a]*laplace(gamma=0.25)[b]", plane, 3, 2,
                  1e-15);
}

TESTS(SMALL(values_match_the_formula), SMALL(it_is_a_product_over_columns))
