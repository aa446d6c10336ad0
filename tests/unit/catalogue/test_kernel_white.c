/* test_kernel_white.c - what is particular to white: rows that are the
 * same.
 */
#include "kernels.h"

TEST(equal_rows_are_different_rows)
{
    static const double x[] = {7, 7, 7};
    double K[9];

    kernel_matrix("white", x, 3, 1, K);
    for (int i = 0; i < 9; i++)
        CHECK(K[i] == (i % 4 == 0));
}

TEST(rows_of_another_table_are_other_rows)
{
    static const double x[] = {1, 2};
    gram_table *a = rows_table(x, 2, 1), *b = rows_table(x, 2, 1);
    gram_kernel *k = kernel_of("white");
    double K[4];

    CHECK_OK(gram_kernel_matrix(k, a, b, NULL, K, 2));
    CHECK(K[0] == 0 && K[1] == 0 && K[3] == 0);
    CHECK_OK(gram_kernel_matrix(k, a, a, NULL, K, 2));
    CHECK(K[0] == 1 && K[1] == 0 && K[3] == 1);
    gram_kernel_free(k);
    gram_table_free(a);
    gram_table_free(b);
}

TESTS(SMALL(equal_rows_are_different_rows),
      SMALL(rows_of_another_table_are_other_rows))
