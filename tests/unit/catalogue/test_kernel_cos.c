/* test_kernel_cos.c - what is particular to cos: a wave that goes below
 * 0.
 */
#include "kernels.h"

TEST(values_go_around_the_circle)
{
    static const double x[] = {0, 1, 2, 4, 0.5};
    double K[25];

    kernel_matrix("cos(period=4)", x, 5, 1, K);
    CHECK(K[0] == 1 && K[12] == 1);
    CHECK_NEAR(K[1], 0, 1e-15);
    CHECK_NEAR(K[2], -1, 1e-15);
    CHECK_NEAR(K[3], 1, 1e-15);
    CHECK_NEAR(K[4], sqrt(0.5), 1e-15);
}

TEST(it_is_a_product_over_columns)
{
    static const double x[] = {0, 0, 1, 0.5, 3, 4.25};

    kernels_agree("cos(period=3)", "cos(period=3)[a]*cos(period=3)[b]", x, 3, 2,
                  1e-15);
}

TESTS(SMALL(values_go_around_the_circle), SMALL(it_is_a_product_over_columns))
