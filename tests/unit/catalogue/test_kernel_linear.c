/* test_kernel_linear.c - what is particular to linear: inner products.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

TEST(values_are_inner_products)
{
    double K[9];

    kernel_matrix("linear", plane, 3, 2, K);
    for (int j = 0; j < 3; j++)
        CHECK(K[j] == 0);
    CHECK(K[4] == 1 && K[5] == 3 && K[8] == 25);
}

TEST(an_offset_of_the_data_changes_them)
{
    static const double x[] = {1e6, 1e6 + 1};

    CHECK(kernel_value("linear", 1, x, x + 1) == 1e12 + 1e6);
}

TESTS(SMALL(values_are_inner_products),
      SMALL(an_offset_of_the_data_changes_them))
