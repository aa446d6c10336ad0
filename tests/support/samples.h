/* samples.h - pairs of samples and their statistics by brute force: for tests.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "check.h"
#include "grams.h"

/* n rows of d normal columns, each shifted and stretched. */
static inline gram_table *samples_normal(size_t n, size_t d, double shift,
                                         double stretch, uint64_t stream)
{
    double *x = grams_random(n * d, 0, stream);

    for (size_t i = 0; i < n * d; i++)
        x[i] = shift + stretch * x[i];
    gram_table *t = grams_table(n, d, x, NULL);
    free(x);
    return t;
}

/* MMD^2 of the rows with in[i] = 1 against the others, from the matrix. */
static inline double samples_mmd(const double *K, size_t rows, const int *in,
                                 int biased)
{
    double sum[2][2] = {{0}}, count[2] = {0};

    for (size_t i = 0; i < rows; i++)
        count[in[i]]++;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++)
            if (i != j || biased)
                sum[in[i]][in[j]] += K[i * rows + j];
    double m = count[1], n = count[0], one = biased ? 0 : 1;
    return sum[1][1] / (m * (m - one)) + sum[0][0] / (n * (n - one)) -
           2 * sum[0][1] / (m * n);
}

static inline gram_test *samples_test(const gram_table *a, const gram_table *b,
                                      const gram_test_options *o,
                                      unsigned long long seed)
{
    gram_test *t = NULL;

    CHECK_OK(gram_test_samples(a, b, o, &(gram_exec){.seed = seed}, &t));
    return t;
}

static inline double samples_p(const gram_table *a, const gram_table *b,
                               const gram_test_options *o,
                               unsigned long long seed)
{
    gram_test *t = samples_test(a, b, o, seed);
    double p = gram_test_report_get(t)->p_value;

    gram_test_free(t);
    return p;
}

/* The pooled rows of two tables of numbers with the same columns. */
static inline gram_table *samples_joined(const gram_table *a,
                                         const gram_table *b)
{
    size_t m = gram_table_rows(a), n = gram_table_rows(b);
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(m + n, &t));
    for (size_t j = 0; j < gram_table_cols(a); j++) {
        double *x = grams_doubles(m + n);

        memcpy(x, gram_table_column(a, j).values, m * sizeof *x);
        memcpy(x + m, gram_table_column(b, j).values, n * sizeof *x);
        CHECK_OK(gram_table_add_numbers(t, gram_table_column(a, j).name, x, 1));
        free(x);
    }
    return t;
}

#endif
