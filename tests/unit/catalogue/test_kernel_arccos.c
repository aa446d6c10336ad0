/* test_kernel_arccos.c - what is particular to arccos: angles and zero
 * vectors.
 */
#include "kernels.h"

static const double pi = 3.14159265358979323846;

/* Of length 2 and 3, at an angle of 0, 90 and 180 degrees. */
static const double x[] = {2, 0}, same[] = {3, 0}, right[] = {0, 3},
                    back[] = {-3, 0}, zero[] = {0, 0};

TEST(values_match_the_formulas)
{
    CHECK_NEAR(kernel_value("arccos(order=0)", 2, x, same), 1, 1e-15);
    CHECK_NEAR(kernel_value("arccos(order=0)", 2, x, right), 0.5, 1e-15);
    CHECK_NEAR(kernel_value("arccos(order=0)", 2, x, back), 0, 1e-15);
    CHECK_NEAR(kernel_value("arccos", 2, x, same), 6, 1e-15);
    CHECK_NEAR(kernel_value("arccos", 2, x, right), 6 / pi, 1e-15);
    CHECK_NEAR(kernel_value("arccos", 2, x, back), 0, 1e-15);
    CHECK_NEAR(kernel_value("arccos(order=2)", 2, x, same), 36 * 3, 1e-14);
    CHECK_NEAR(kernel_value("arccos(order=2)", 2, x, right), 36 * 0.5, 1e-14);
    CHECK_NEAR(kernel_value("arccos(order=2)", 2, x, back), 0, 1e-14);
}

TEST(a_zero_vector_is_at_a_right_angle_to_all)
{
    CHECK_NEAR(kernel_value("arccos(order=0)", 2, x, zero), 0.5, 1e-15);
    CHECK_NEAR(kernel_value("arccos(order=0)", 2, zero, zero), 0.5, 1e-15);
    CHECK(kernel_value("arccos", 2, x, zero) == 0);
    CHECK(kernel_value("arccos(order=2)", 2, zero, zero) == 0);
}

TEST(the_diagonal_is_a_power_of_the_length)
{
    static const double rows[] = {0.1, 0.7, -3.3, 1.9, 1e-3, 1e3};
    double K[9];

    kernel_matrix("arccos(order=0)", rows, 3, 2, K);
    CHECK(K[0] == 1 && K[4] == 1 && K[8] == 1);
    kernel_matrix("arccos", rows, 3, 2, K);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(K[4 * i],
                   rows[2 * i] * rows[2 * i] +
                       rows[2 * i + 1] * rows[2 * i + 1],
                   1e-15);
}

TESTS(SMALL(values_match_the_formulas),
      SMALL(a_zero_vector_is_at_a_right_angle_to_all),
      SMALL(the_diagonal_is_a_power_of_the_length))
