/* test_kernel_matern.c - what is particular to matern: one formula for each
 * order.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

TEST(values_match_the_formulas)
{
    double r = 5.0 / 2; /* |x-t|/length */
    const double *x = plane, *t = plane + 4;

    CHECK_NEAR(kernel_value("matern(nu=0.5, length=2)", 2, x, t), exp(-r),
               1e-15);
    r *= sqrt(3);
    CHECK_NEAR(kernel_value("matern(nu=1.5, length=2)", 2, x, t),
               (1 + r) * exp(-r), 1e-15);
    r *= sqrt(5.0 / 3);
    CHECK_NEAR(kernel_value("matern(length=2)", 2, x, t),
               (1 + r + r * r / 3) * exp(-r), 1e-15);
}

TEST(equal_rows_give_exactly_1)
{
    static const double x[] = {1e6, 0.1, 1e6, 0.1};
    double K[4];

    for (int i = 0; i < 3; i++) {
        char spec[40];

        snprintf(spec, sizeof spec, "matern(nu=%d.5, length=1e-3)", i);
        kernel_matrix(spec, x, 2, 2, K);
        CHECK(K[0] == 1 && K[1] == 1 && K[3] == 1);
    }
}

TEST(ard_has_one_length_per_column)
{
    static const double scaled[] = {0, 0, 0.5, 0, 1.5, 8};
    double K[9], L[9];

    kernel_matrix("matern(length=[2,0.5], ard)", plane, 3, 2, K);
    kernel_matrix("matern(length=1)", scaled, 3, 2, L);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(K[i], L[i], 1e-15);
}

TESTS(SMALL(values_match_the_formulas), SMALL(equal_rows_give_exactly_1),
      SMALL(ard_has_one_length_per_column))
