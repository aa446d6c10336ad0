/* test_kernel_precomputed.c - what is particular to precomputed: the matrix
 * from a file.
 */
#include "kernels.h"
#include "temporary.h"

TEST(values_are_those_of_the_file)
{
    static const double file[] = {2, 1, 0.5, 1, 3, -1, 0.5, -1, 4};
    static const double x[] = {0, 0, 0};
    const char *path = temporary_path("K.npy");
    char spec[300];
    double K[9];

    CHECK_OK(gram_matrix_write(file, 3, 3, path, NULL));
    snprintf(spec, sizeof spec, "2*precomputed(K=\"%s\")", path);
    kernel_matrix(spec, x, 3, 1, K);
    for (int i = 0; i < 9; i++)
        CHECK(K[i] == 2 * file[i]);
    kernel_refuses(spec, x, 2, 1, GRAM_ERR_SHAPE, "3 x 3");
}

TESTS(SMALL(values_are_those_of_the_file))
