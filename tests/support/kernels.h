/* kernels.h - values of kernels on a few rows, for their tests.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "check.h"
#include "gram_plugin.h"

/* n rows of d numbers as a table with columns a, b, .... */
static inline gram_table *rows_table(const double *x, size_t n, size_t d)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(n, &t));
    for (size_t j = 0; j < d; j++) {
        const char name[] = {(char)('a' + (int)j), '\0'};

        CHECK_OK(gram_table_add_numbers(t, name, x + j, d));
    }
    return t;
}

static inline gram_kernel *kernel_of(const char *spec)
{
    gram_kernel *k = NULL;

    CHECK_OK(gram_kernel_new(spec, &k));
    return k;
}

/* K[i*n + j] = k(row i, row j).  Symmetric to the bit, its diagonal that of
 * gram_kernel_diagonal. */
static inline void kernel_matrix(const char *spec, const double *x, size_t n,
                                 size_t d, double *K)
{
    gram_kernel *k = kernel_of(spec);
    gram_table *t = rows_table(x, n, d);
    double *diagonal = malloc((n + 1) * sizeof *diagonal);

    CHECK_OK(gram_kernel_matrix(k, t, NULL, NULL, K, n));
    CHECK_OK(gram_kernel_diagonal(k, t, NULL, diagonal));
    for (size_t i = 0; i < n; i++) {
        CHECK(K[i * n + i] == diagonal[i]);
        for (size_t j = 0; j < n; j++)
            CHECK(K[i * n + j] == K[j * n + i]);
    }
    free(diagonal);
    gram_table_free(t);
    gram_kernel_free(k);
}

/* k(x, t) of two rows of d numbers. */
static inline double kernel_value(const char *spec, size_t d, const double *x,
                                  const double *t)
{
    double rows[16], K[4];

    for (size_t j = 0; j < d; j++) {
        rows[j] = x[j];
        rows[d + j] = t[j];
    }
    kernel_matrix(spec, rows, 2, d, K);
    return K[1];
}

/* The two kernels have the same values, up to the tolerance. */
static inline void kernels_agree(const char *a, const char *b, const double *x,
                                 size_t n, size_t d, double tolerance)
{
    double *A = malloc(n * n * sizeof *A), *B = malloc(n * n * sizeof *B);

    kernel_matrix(a, x, n, d, A);
    kernel_matrix(b, x, n, d, B);
    for (size_t i = 0; i < n * n; i++)
        CHECK_NEAR(A[i], B[i], tolerance);
    free(A);
    free(B);
}

/* The matrix is refused, with a sentence that says `about`. */
static inline void kernel_refuses(const char *spec, const double *x, size_t n,
                                  size_t d, gram_status status,
                                  const char *about)
{
    gram_kernel *k = kernel_of(spec);
    gram_table *t = rows_table(x, n, d);
    double *K = malloc(n * n * sizeof *K);

    CHECK(gram_kernel_matrix(k, t, NULL, NULL, K, n) == status);
    if (!strstr(gram_error_message(), about))
        fail_msg("%s", gram_error_message());
    free(K);
    gram_table_free(t);
    gram_kernel_free(k);
}

/* Negative if the 3 x 3 matrix has one or three negative eigenvalues. */
static inline double det3(const double *K)
{
    return K[0] * (K[4] * K[8] - K[5] * K[7]) -
           K[1] * (K[3] * K[8] - K[5] * K[6]) +
           K[2] * (K[3] * K[7] - K[4] * K[6]);
}

#endif
