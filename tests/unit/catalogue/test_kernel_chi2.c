/* test_kernel_chi2.c - what is particular to chi2: 0/0 and the domain.
 */
#include "kernels.h"

TEST(values_match_the_formula)
{
    static const double x[] = {1, 4, 2, 3, 1, 0};
    double sum = 4.0 / 4 + 9.0 / 5 + 4.0 / 2;

    CHECK_NEAR(kernel_value("chi2(gamma=0.5)", 3, x, x + 3), exp(-0.5 * sum),
               1e-15);
    CHECK(kernel_value("chi2(gamma=0.5)", 3, x, x) == 1);
}

TEST(columns_that_are_0_in_both_rows_do_not_count)
{
    static const double x[] = {0, 1, 0, 3};

    CHECK_NEAR(kernel_value("chi2(gamma=1)", 2, x, x + 2), exp(-1), 1e-15);
    CHECK(kernel_value("chi2(gamma=1)", 1, x, x + 2) == 1);
}

TEST(negative_numbers_are_refused)
{
    kernel_refuses("chi2(gamma=1)", (double[]){1, -1}, 2, 1, GRAM_ERR_RANGE,
                   "chi2 takes");
}

TESTS(SMALL(values_match_the_formula),
      SMALL(columns_that_are_0_in_both_rows_do_not_count),
      SMALL(negative_numbers_are_refused))
