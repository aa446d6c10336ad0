/* test_kernel_constant.c - what is particular to constant: a number with a
 * name.
 */
#include "kernels.h"

TEST(it_is_the_number_it_stands_for)
{
    static const double x[] = {1, 2, 3};
    double K[9];

    kernel_matrix("constant(c=2.5)", x, 3, 1, K);
    for (int i = 0; i < 9; i++)
        CHECK(K[i] == 2.5);
    kernels_agree("constant(c=2.5)*linear", "2.5*linear", x, 3, 1, 0);
    CHECK(kernel_value("constant(c=0)", 1, x, x) == 0);
}

TESTS(SMALL(it_is_the_number_it_stands_for))
