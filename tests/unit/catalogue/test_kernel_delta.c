/* test_kernel_delta.c - what is particular to delta: what is equal.
 */
#include "kernels.h"

TEST(values_say_whether_all_columns_are_equal)
{
    static const double x[] = {1, 2, 1, 2, 1, 3, -0.0, 2, 0, 2};
    double K[25];

    kernel_matrix("delta", x, 5, 2, K);
    CHECK(K[0] == 1 && K[1] == 1 && K[2] == 0);
    CHECK(K[3 * 5 + 4] == 1); /* -0 = 0 */
    kernel_matrix("delta[a]", x, 5, 2, K);
    CHECK(K[2] == 1);
}

TEST(tiny_differences_are_differences)
{
    CHECK(kernel_value("delta", 1, (double[]){0}, (double[]){1e-200}) == 0);
    CHECK(kernel_value("delta", 1, (double[]){1}, (double[]){1 + 0x1p-52}) ==
          0);
}

TEST(categories_are_compared_as_they_are)
{
    static const char *const city[] = {"Rome", "Paris", "Rome"};
    gram_kernel *k = kernel_of("delta");
    gram_table *t = NULL;
    double K[9];

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    CHECK_OK(gram_kernel_matrix(k, t, NULL, NULL, K, 3));
    CHECK(K[0] == 1 && K[1] == 0 && K[2] == 1 && K[5] == 0);
    gram_table_free(t);
    gram_kernel_free(k);
}

TESTS(SMALL(values_say_whether_all_columns_are_equal),
      SMALL(tiny_differences_are_differences),
      SMALL(categories_are_compared_as_they_are))
