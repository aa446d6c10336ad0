/* test_kernel_anova.c - what is particular to anova: which products are
 * in.
 */
#include "kernels.h"

/* products of columns: 2, 6, 20 */
static const double x[] = {1, 2, 4}, t[] = {2, 3, 5};

TEST(all_products_of_columns_are_in)
{
    CHECK_NEAR(kernel_value("anova", 3, x, t), 3 * 7 * 21, 1e-15);
}

TEST(a_degree_limits_the_columns_of_a_product)
{
    CHECK(kernel_value("anova(degree=0)", 3, x, t) == 1);
    CHECK_NEAR(kernel_value("anova(degree=1)", 3, x, t), 1 + 28, 1e-15);
    CHECK_NEAR(kernel_value("anova(degree=2)", 3, x, t), 1 + 28 + 12 + 40 + 120,
               1e-15);
    CHECK_NEAR(kernel_value("anova(degree=3)", 3, x, t), 441, 1e-15);
    CHECK_NEAR(kernel_value("anova(degree=9)", 3, x, t), 441, 1e-15);
    CHECK_NEAR(kernel_value("anova(degree=all)", 3, x, t), 441, 1e-15);
}

TEST(one_column_in_a_product_is_linear)
{
    static const double rows[] = {1, -2, 0.5, 3, 0, 0};

    kernels_agree("anova(degree=1)", "1 + linear", rows, 3, 2, 1e-15);
    kernels_agree("anova", "(1 + linear[a])*(1 + linear[b])", rows, 3, 2,
                  1e-15);
}

TESTS(SMALL(all_products_of_columns_are_in),
      SMALL(a_degree_limits_the_columns_of_a_product),
      SMALL(one_column_in_a_product_is_linear))
