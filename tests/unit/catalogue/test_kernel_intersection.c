/* test_kernel_intersection.c - what is particular to intersection: common
 * counts.
 */
#include "kernels.h"

TEST(values_are_sums_of_minima)
{
    static const double x[] = {1, 4, 0, 2, 3, 5};

    CHECK(kernel_value("intersection", 3, x, x + 3) == 4);
    CHECK(kernel_value("intersection", 3, x, x) == 5);
    CHECK(kernel_value("intersection[b]", 3, x, x + 3) == 3);
}

TEST(negative_numbers_are_refused)
{
    kernel_refuses("intersection", (double[]){1, -1}, 2, 1, GRAM_ERR_RANGE,
                   "intersection takes");
}

TESTS(SMALL(values_are_sums_of_minima), SMALL(negative_numbers_are_refused))
