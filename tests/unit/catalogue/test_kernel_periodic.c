/* test_kernel_periodic.c - what is particular to periodic: what repeats, and
 * where.
 */
#include "kernels.h"

static const double pi = 3.14159265358979323846;

TEST(values_match_the_formula)
{
    double s = sin(pi * 0.25);

    CHECK_NEAR(kernel_value("periodic(period=4, length=0.5)", 1, (double[]){1},
                            (double[]){2}),
               exp(-2 * s * s / 0.25), 1e-14);
}

TEST(after_a_period_it_repeats)
{
    static const double x[] = {0.3, 12.3, 120.3, 6.3};
    double K[16];

    kernel_matrix("periodic(period=12, length=1)", x, 4, 1, K);
    CHECK(K[0] == 1);
    CHECK_NEAR(K[1], 1, 1e-14);
    CHECK_NEAR(K[2], 1, 1e-14);
    CHECK_NEAR(K[3], exp(-2), 1e-14);
}

TEST(it_is_a_product_over_columns)
{
    static const double x[] = {0, 0, 1, 0.5, 3, 4.25};

    kernels_agree("periodic(period=3, length=2)",
                  "periodic(period=3, length=2)[a]*"
                  "periodic(period=3, length=2)[b]",
                  x, 3, 2, 1e-15);
}

TESTS(SMALL(values_match_the_formula), SMALL(after_a_period_it_repeats),
      SMALL(it_is_a_product_over_columns))
