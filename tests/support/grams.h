/* grams.h - kernels, random tables and their matrices, for tests.
 */
#ifndef GRAMS_H
#define GRAMS_H

#include "check.h"

#include "base/rng.h"
#include "base/run.h"
#include "linalg/dense/eigen.h"

static inline double *grams_doubles(size_t n)
{
    double *p = malloc((n + 1) * sizeof *p);

    assert_non_null(p);
    return p;
}

static inline gram_kernel *grams_kernel(const char *text)
{
    gram_kernel *k = NULL;
    gram_status status = gram_kernel_new(text, &k);

    if (status != GRAM_OK)
        fail_msg("%s: %s", text, gram_error_message());
    return k;
}

/* n rows of d numbers x in columns that `names`, "a b c", calls so, or x1, x2,
 * ... if it is NULL. */
static inline gram_table *grams_table(size_t n, size_t d, const double *x,
                                      const char *names)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(n, &t));
    for (size_t j = 0; j < d; j++) {
        char name[64];
        size_t length = names ? strcspn(names, " ") : 0;

        snprintf(name, sizeof name, "x%zu", j + 1);
        if (length) {
            snprintf(name, sizeof name, "%.*s", (int)length, names);
            names += length + (names[length] == ' ');
        }
        CHECK_OK(gram_table_add_numbers(t, name, x + j, d));
    }
    return t;
}

/* Normal deviates, or their absolute values. */
static inline double *grams_random(size_t count, int nonnegative,
                                   uint64_t stream)
{
    gi_rng rng = gi_rng_new(7, stream);
    double *x = grams_doubles(count);

    for (size_t i = 0; i < count; i++) {
        x[i] = gi_rng_normal(&rng);
        if (nonnegative)
            x[i] = fabs(x[i]);
    }
    return x;
}

static inline gram_table *grams_random_table(size_t n, size_t d,
                                             int nonnegative, uint64_t stream,
                                             const char *names)
{
    double *x = grams_random(n * d, nonnegative, stream);
    gram_table *t = grams_table(n, d, x, names);

    free(x);
    return t;
}

/* The matrix of an expression on a table, to be freed. */
static inline double *grams_matrix(const char *text, const gram_table *t)
{
    size_t n = gram_table_rows(t);
    gram_kernel *k = grams_kernel(text);
    double *K = grams_doubles(n * n);
    gram_status status = gram_kernel_matrix(k, t, NULL, NULL, K, n);

    if (status != GRAM_OK)
        fail_msg("%s: %s", text, gram_error_message());
    gram_kernel_free(k);
    return K;
}

/* Smallest and largest eigenvalue of K, which is overwritten. */
static inline void grams_extremes(double *K, size_t n, double *min, double *max)
{
    GI_RUN(run, NULL);
    double *values = grams_doubles(n);

    CHECK_OK(gi_eigen_symmetric(&run, n, K, n, 0, values));
    *min = values[0];
    *max = values[n - 1];
    free(values);
}

#endif
