/* test_kernel_metric.c - what is particular to metric: the matrix from a
 * file.
 */
#include "kernels.h"
#include "temporary.h"

/* A = (2 1; 1 2), eigenvalues 1 and 3; B = (1 2; 2 1), eigenvalues -1 and 3. */
static const double A[] = {2, 1, 1, 2}, B[] = {1, 2, 2, 1};
static const double x[] = {1, 0, 1, 2};

/* The spec of the matrix, written to a file. */
static const char *spec_of(const double *matrix, size_t n)
{
    static char spec[300];
    const char *path = temporary_path("A.npy");

    CHECK_OK(gram_matrix_write(matrix, n, n, path, NULL));
    snprintf(spec, sizeof spec, "metric(A=\"%s\")", path);
    return spec;
}

TEST(values_are_inner_products_by_the_matrix)
{
    double K[4];

    kernel_matrix(spec_of(A, 2), x, 2, 2, K);
    CHECK_NEAR(K[0], 2, 1e-15);  /* (1,0) A (1,0) */
    CHECK_NEAR(K[1], 4, 1e-15);  /* (1,0) A (1,2) */
    CHECK_NEAR(K[3], 14, 1e-15); /* (1,2) A (1,2) */
}

TEST(a_matrix_that_is_not_psd_or_does_not_fit_is_refused)
{
    static const double C[] = {2, 1, 0, 2};

    kernel_refuses(spec_of(B, 2), x, 2, 2, GRAM_ERR_SHAPE, "semidefinite");
    kernel_refuses(spec_of(C, 2), x, 2, 2, GRAM_ERR_SHAPE, "symmetric");
    kernel_refuses(spec_of(A, 1), x, 2, 2, GRAM_ERR_SHAPE, "1 x 1");
    kernel_refuses("metric(A=\"no such file.npy\")", x, 2, 2, GRAM_ERR_IO,
                   "no such file.npy");
}

TESTS(SMALL(values_are_inner_products_by_the_matrix),
      SMALL(a_matrix_that_is_not_psd_or_does_not_fit_is_refused))
