/* test_level.c - how often tests reject if there is no difference: with many
 * seeded repetitions, inside the 99.9 % band of a binomial share.
 */
#include "samples.h"

enum { FEW = 200, MANY = 2000 };

/* The share of repetitions with p <= 0.05, and the p-values. */
static double rejected(const gram_test_options *o, size_t m, size_t n,
                       size_t repeat, double *p)
{
    double share = 0;

    for (size_t i = 0; i < repeat; i++) {
        gram_table *a = samples_normal(m, 2, 0, 1, 10000 + 2 * i);
        gram_table *b = samples_normal(n, 2, 0, 1, 10001 + 2 * i);

        p[i] = samples_p(a, b, o, i);
        share += (p[i] <= 0.05) / (double)repeat;
        gram_table_free(a);
        gram_table_free(b);
    }
    return share;
}

static double band(size_t repeat)
{
    return 3.29 * sqrt(0.05 * 0.95 / (double)repeat);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The largest distance between the distribution of p and the uniform one. */
static double kolmogorov(double *p, size_t n)
{
    double most = 0;

    qsort(p, n, sizeof *p, compare);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fmax((double)(i + 1) / (double)n - p[i],
                               p[i] - (double)i / (double)n));
    return most;
}

/* Exact in theory, so p is uniform; up to the grid of 1/(B+1). */
static void check_uniform(const gram_test_options *o, size_t repeat)
{
    double *p = grams_doubles(repeat);
    double share = rejected(o, 20, 30, repeat, p);
    double grid = 1 / (double)(o->permutations + 1);

    CHECK(fabs(share - 0.05) < band(repeat));
    CHECK(kolmogorov(p, repeat) < 1.95 / sqrt((double)repeat) + grid);
    free(p);
}

static void check_at_most(const gram_test_options *o, size_t rows,
                          size_t repeat)
{
    double *p = grams_doubles(repeat);

    CHECK(rejected(o, rows, rows, repeat, p) < 0.05 + band(repeat));
    free(p);
}

static const gram_test_options binned = {.permutations = 199, .bins = 20};
static const gram_test_options exact = {.permutations = 199, .exact = 1};
static const gram_test_options many = {.permutations = 199, .aggregate = 1};
static const gram_test_options stopped = {
    .permutations = 199, .exact = 1, .sequential = 1};

TEST(permutations_have_their_level)
{
    check_uniform(&binned, FEW);
    check_uniform(&exact, FEW);
}

TEST(aggregated_and_sequential_tests_keep_it)
{
    check_at_most(&many, 20, FEW);
    check_at_most(&stopped, 20, FEW);
}

TEST(all_keep_it_in_many_repetitions)
{
    check_uniform(&binned, MANY);
    check_uniform(&exact, MANY);
    check_at_most(&many, 20, MANY);
    check_at_most(&stopped, 20, MANY);
}

static void check_near(gram_test_method method, size_t repeat)
{
    gram_test_options o = {.method = method, .permutations = 300};
    double *p = grams_doubles(repeat);

    CHECK(fabs(rejected(&o, 500, 500, repeat, p) - 0.05) < band(repeat));
    free(p);
}

TEST(asymptotic_tests_have_it_with_many_rows)
{
    check_near(GRAM_TEST_GAMMA, MANY);
    check_near(GRAM_TEST_SPECTRAL, FEW); /* an eigenproblem each */
}

TESTS(NORMAL(permutations_have_their_level),
      NORMAL(aggregated_and_sequential_tests_keep_it),
      LONG(all_keep_it_in_many_repetitions),
      LONG(asymptotic_tests_have_it_with_many_rows))
