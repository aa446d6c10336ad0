/* test_kernel_exponential.c - what is particular to exponential: the square
 * root of a distance.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

TEST(values_match_the_formula)
{
    double K[9];

    kernel_matrix("exponential(gamma=0.5)", plane, 3, 2, K);
    CHECK(K[0] == 1 && K[4] == 1 && K[8] == 1);
    CHECK_NEAR(K[1], exp(-0.5), 1e-15);
    CHECK_NEAR(K[2], exp(-2.5), 1e-15);
    kernels_agree("exponential(length=2)", "matern(nu=0.5, length=2)", plane, 3,
                  2, 1e-15);
}

TEST(ard_has_one_gamma_per_column)
{
    /* sqrt((2*3)^2 + (2*4)^2) = 10 */
    CHECK_NEAR(
        kernel_value("exponential(gamma=[2,2], ard)", 2, plane, plane + 4),
        exp(-10), 1e-14);
    CHECK_NEAR(
        kernel_value("exponential(length=[1,2], ard)", 2, plane, plane + 4),
        exp(-sqrt(9 + 4)), 1e-15);
}

TEST(equal_rows_far_from_0_give_exactly_1)
{
    enum { N = 3, D = 12 };
    double x[N * D], K[N * N];

    for (int i = 0; i < N * D; i++)
        x[i] = 1e6 + 1.0 / (1 + i % D); /* all rows are equal */
    kernel_matrix("exponential(gamma=1)", x, N, D, K);
    for (int i = 0; i < N * N; i++)
        CHECK(K[i] == 1);
}

TESTS(SMALL(values_match_the_formula), SMALL(ard_has_one_gamma_per_column),
      SMALL(equal_rows_far_from_0_give_exactly_1))
