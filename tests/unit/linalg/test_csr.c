/* test_csr.c - products with a sparse matrix against the same ones dense.
 */
#include "check.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/run.h"
#include "linalg/sparse/csr.h"

/* Random, each entry there with that probability. */
static gi_csr sparse(size_t rows, size_t cols, double density)
{
    gi_rng rng = gi_rng_new(3, rows);
    gi_csr a = {.rows = rows, .cols = cols};
    size_t count = 0;

    CHECK_OK(GI_NEW(NULL, a.start, rows + 1));
    CHECK_OK(GI_NEW(NULL, a.index, rows * cols));
    CHECK_OK(GI_NEW(NULL, a.entries, rows * cols));
    for (size_t i = 0; i < rows; i++) {
        a.start[i] = count;
        for (size_t j = 0; j < cols; j++)
            if (gi_rng_uniform(&rng) < density) {
                a.index[count] = (unsigned)j;
                a.entries[count++] = gi_rng_normal(&rng);
            }
    }
    a.start[rows] = count;
    return a;
}

static double entry(const gi_csr *a, size_t i, size_t j)
{
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
        if (a->index[k] == j)
            return a->entries[k];
    return 0;
}

static double *numbers(size_t n, unsigned stream)
{
    gi_rng rng = gi_rng_new(4, stream);
    double *x = malloc((n + 1) * sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = gi_rng_normal(&rng);
    return x;
}

static void check_products(size_t rows, size_t cols, double density, size_t r)
{
    GI_RUN(run, NULL);
    gi_csr a = sparse(rows, cols, density);
    double *x = numbers(cols * r, 1), *y = numbers(rows * r, 2);
    double *ax = numbers(rows * r, 3), *aty = numbers(cols * r, 4);

    CHECK_OK(gi_csr_times(&run, &a, x, r, ax));
    CHECK_OK(gi_csr_times_transposed(&run, &a, y, r, aty));
    for (size_t i = 0; i < rows; i++)
        for (size_t s = 0; s < r; s++) {
            double sum = 0;

            for (size_t j = 0; j < cols; j++)
                sum += entry(&a, i, j) * x[j * r + s];
            CHECK_NEAR(ax[i * r + s], sum, 1e-13);
        }
    for (size_t j = 0; j < cols; j++)
        for (size_t s = 0; s < r; s++) {
            double sum = 0;

            for (size_t i = 0; i < rows; i++)
                sum += entry(&a, i, j) * y[i * r + s];
            CHECK_NEAR(aty[j * r + s], sum, 1e-13);
        }
    free(x);
    free(y);
    free(ax);
    free(aty);
    gi_csr_free(&a);
    CHECK(a.start == NULL);
}

TEST(sparse_products_are_the_dense_ones)
{
    check_products(0, 5, 1, 2);
    check_products(5, 0, 1, 2);
    check_products(7, 5, 0, 2);
    check_products(1, 1, 1, 1);
    check_products(40, 9, 0.3, 0);
    check_products(40, 9, 0.3, 1);  /* as many stripes as entries pay for */
    check_products(100, 4, 0.9, 3); /* all stripes */
    check_products(5, 60, 0.1, 3);  /* one stripe */
}

TEST(bits_of_sparse_products_do_not_depend_on_threads)
{
    enum { ROWS = 200, COLS = 6, R = 2 };
    gi_csr a = sparse(ROWS, COLS, 0.7);
    double *y = numbers(ROWS * R, 2), one[COLS * R], many[COLS * R];

    for (int threads = 1; threads <= 4; threads++) {
        GI_RUN(run, NULL);

        run.threads = threads;
        CHECK_OK(
            gi_csr_times_transposed(&run, &a, y, R, threads == 1 ? one : many));
        CHECK(threads == 1 || memcmp(one, many, sizeof one) == 0);
    }
    free(y);
    gi_csr_free(&a);
}

TEST(a_product_without_memory_says_so)
{
    GI_RUN(run, NULL);
    gi_csr a = sparse(50, 3, 1);
    double *y = numbers(50, 1), out[3];

    gi_mem_fail_at(1, 0);
    CHECK(gi_csr_times_transposed(&run, &a, y, 1, out) == GRAM_ERR_MEMORY);
    gi_mem_fail_at(0, 0);
    free(y);
    gi_csr_free(&a);
}

TESTS(SMALL(sparse_products_are_the_dense_ones),
      SMALL(bits_of_sparse_products_do_not_depend_on_threads),
      SMALL(a_product_without_memory_says_so))
