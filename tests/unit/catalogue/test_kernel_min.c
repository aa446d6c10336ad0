/* test_kernel_min.c - what is particular to min: Brownian motion.
 */
#include "kernels.h"

TEST(values_are_products_of_minima)
{
    static const double x[] = {1, 4, 2, 3, 0, 7};
    double K[9];

    kernel_matrix("min", x, 3, 2, K);
    CHECK(K[0] == 4 && K[4] == 6 && K[8] == 0);
    CHECK(K[1] == 3 && K[2] == 0 && K[5] == 0);
}

TEST(a_power_of_it_is_its_value_at_powers)
{
    static const double x[] = {1, 4, 9}, roots[] = {1, 2, 3};
    double K[9], L[9];

    kernel_matrix("min^0.5", x, 3, 1, K);
    kernel_matrix("min", roots, 3, 1, L);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(K[i], L[i], 1e-15);
}

TEST(negative_numbers_are_refused)
{
    static const double x[] = {1, -1};

    kernel_refuses("min", x, 2, 1, GRAM_ERR_RANGE, "min takes");
    CHECK_NEAR(kernel_value("map(abs, min)", 1, x, x + 1), 1, 1e-15);
}

TESTS(SMALL(values_are_products_of_minima),
      SMALL(a_power_of_it_is_its_value_at_powers),
      SMALL(negative_numbers_are_refused))
