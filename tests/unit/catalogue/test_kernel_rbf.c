/* test_kernel_rbf.c - what is particular to rbf: what distances must
 * not do.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

TEST(values_match_the_formula)
{
    double K[9];

    kernel_matrix("rbf(gamma=0.5)", plane, 3, 2, K);
    CHECK(K[0] == 1 && K[4] == 1 && K[8] == 1); /* exactly */
    CHECK_NEAR(K[1], exp(-0.5), 1e-15);
    CHECK_NEAR(K[2], exp(-12.5), 1e-15);
    CHECK_NEAR(K[5], exp(-10), 1e-15);
    kernels_agree("rbf(sigma=2)", "rbf(gamma=0.125)", plane, 3, 2, 0);
}

TEST(ard_has_one_gamma_per_column)
{
    CHECK_NEAR(kernel_value("rbf(gamma=[0.5,2], ard)", 2, plane, plane + 4),
               exp(-0.5 * 9 - 2 * 16), 1e-13);
    kernels_agree("rbf(gamma=0.25, ard)", "rbf(gamma=0.25)", plane, 3, 2,
                  1e-15);
}

TEST(far_points_underflow_to_zero)
{
    CHECK(kernel_value("rbf(gamma=1)", 1, (double[]){0}, (double[]){1e200}) ==
          0); /* |x-t|^2 overflows: 0, never NaN */
}

TEST(far_from_0_nothing_changes)
{
    static const double x[] = {1e6, 1e6, 1e6 + 1, 1e6, 1e6 + 3, 1e6 + 4};
    double K[9], L[9];

    kernel_matrix("rbf(gamma=0.5)", plane, 3, 2, K);
    kernel_matrix("rbf(gamma=0.5)", x, 3, 2, L);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(L[i], K[i], 1e-14);
}

TESTS(SMALL(values_match_the_formula), SMALL(ard_has_one_gamma_per_column),
      SMALL(far_points_underflow_to_zero), SMALL(far_from_0_nothing_changes))
