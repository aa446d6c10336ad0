/* test_function.c - elements of the space of a kernel by the identities that
 * define it: the reproducing property, bilinearity, Cauchy and Schwarz.
 */
#include "grams.h"

enum { N = 25, M = 18 };

static gram_function *function_of(const gram_kernel *k, const gram_table *t,
                                  const double *alpha)
{
    gram_function *f = NULL;

    CHECK_OK(gram_function_new(k, t, alpha, NULL, &f));
    return f;
}

static double inner(const gram_function *f, const gram_function *g)
{
    double value = NAN;

    CHECK_OK(gram_function_inner(f, g, NULL, &value));
    return value;
}

static const char *const texts[] = {
    "linear",
    "rbf(gamma=0.5)",
    "2*poly(degree=2)*laplace(gamma=1)[a] + 1",
    "min",
    "map(square, matern(length=1))",
};

enum { TEXTS = sizeof texts / sizeof *texts };

/* f(x) = <f, k(x,.)> */
TEST(the_kernel_reproduces)
{
    gram_table *t = grams_random_table(N, 2, 1, 1, "a b");
    double *alpha = grams_random(N, 0, 2);

    for (size_t c = 0; c < TEXTS; c++) {
        gram_kernel *k = grams_kernel(texts[c]);
        gram_function *f = function_of(k, t, alpha);
        double *points = grams_random(2 * M, 1, 3), values[M];
        gram_table *at = grams_table(M, 2, points, "a b");
        double one = 1;

        CHECK_OK(gram_function_values(f, at, NULL, values));
        for (size_t i = 0; i < M; i++) {
            gram_table *point = grams_table(1, 2, points + 2 * i, "a b");
            gram_function *g = function_of(k, point, &one);

            CHECK_NEAR(inner(f, g), values[i], 1e-12);
            gram_function_free(g);
            gram_table_free(point);
        }
        gram_table_free(at);
        free(points);
        gram_function_free(f);
        gram_kernel_free(k);
    }
    free(alpha);
    gram_table_free(t);
}

/* Against the matrix: values are K alpha, <f,f> is alpha' K alpha. */
TEST(values_and_norms_are_those_of_the_matrix)
{
    gram_table *t = grams_random_table(N, 2, 1, 1, "a b");
    double *alpha = grams_random(N, 0, 2), values[N];

    for (size_t c = 0; c < TEXTS; c++) {
        gram_kernel *k = grams_kernel(texts[c]);
        gram_function *f = function_of(k, t, alpha);
        double *K = grams_matrix(texts[c], t), square = 0;

        CHECK_OK(gram_function_values(f, t, NULL, values));
        for (size_t i = 0; i < N; i++) {
            double value = 0;

            for (size_t j = 0; j < N; j++)
                value += K[i * N + j] * alpha[j];
            CHECK_NEAR(values[i], value, 1e-12);
            square += alpha[i] * value;
        }
        CHECK_NEAR(inner(f, f), square, 1e-12);
        free(K);
        gram_function_free(f);
        gram_kernel_free(k);
    }
    free(alpha);
    gram_table_free(t);
}

TEST(the_inner_product_is_symmetric_and_bounded_by_the_norms)
{
    gram_table *t = grams_random_table(N, 2, 1, 1, "a b");
    gram_table *s = grams_random_table(M, 2, 1, 4, "a b");
    double *alpha = grams_random(N, 0, 2), *beta = grams_random(M, 0, 3);

    for (size_t c = 0; c < TEXTS; c++) {
        gram_kernel *k = grams_kernel(texts[c]);
        gram_function *f = function_of(k, t, alpha);
        gram_function *g = function_of(k, s, beta);

        CHECK_NEAR(inner(f, g), inner(g, f), 1e-12);
        CHECK(inner(f, g) * inner(f, g) <= inner(f, f) * inner(g, g));
        gram_function_free(f);
        gram_function_free(g);
        gram_kernel_free(k);
    }
    free(alpha);
    free(beta);
    gram_table_free(t);
    gram_table_free(s);
}

/* A function owns what it needs: table and coefficients may go. */
TEST(a_function_survives_its_table)
{
    gram_table *t = grams_random_table(N, 2, 0, 1, "a b");
    gram_table *at = grams_random_table(M, 2, 0, 2, "a b");
    gram_kernel *k = grams_kernel("map(standardize, rbf(gamma=0.5))");
    double *alpha = grams_random(N, 0, 2), before[M], after[M];
    gram_function *f = function_of(k, t, alpha);

    CHECK_OK(gram_function_values(f, at, NULL, before));
    memset(alpha, 0, N * sizeof *alpha);
    gram_table_free(t);
    CHECK_OK(gram_function_values(f, at, NULL, after));
    CHECK(memcmp(before, after, sizeof before) == 0);
    gram_function_free(f);
    gram_kernel_free(k);
    gram_table_free(at);
    free(alpha);
}

/* Noise: f is alpha at its own rows and 0 elsewhere. */
TEST(white_knows_its_rows)
{
    gram_table *t = grams_random_table(N, 1, 0, 1, NULL);
    gram_table *s = grams_random_table(N, 1, 0, 1, NULL);
    gram_kernel *k = grams_kernel("white");
    double *alpha = grams_random(N, 0, 2), values[N], square = 0;
    gram_function *f = function_of(k, t, alpha);

    CHECK_OK(gram_function_values(f, t, NULL, values));
    CHECK(memcmp(values, alpha, sizeof values) == 0);
    CHECK_OK(gram_function_values(f, s, NULL, values));
    for (size_t i = 0; i < N; i++) {
        CHECK(values[i] == 0);
        square += alpha[i] * alpha[i];
    }
    CHECK_NEAR(inner(f, f), square, 1e-15);
    gram_function_free(f);
    gram_kernel_free(k);
    gram_table_free(t);
    gram_table_free(s);
    free(alpha);
}

TEST(functions_of_different_spaces_have_no_inner_product)
{
    gram_table *t = grams_random_table(N, 2, 0, 1, "a b");
    gram_table *s = grams_random_table(N, 2, 0, 2, "a b");
    double *alpha = grams_random(N, 0, 2), out = 77;
    gram_kernel *k = grams_kernel("linear"), *l = grams_kernel("2*linear");
    gram_kernel *m = grams_kernel("map(standardize, linear)");
    gram_function *f = function_of(k, t, alpha), *g = function_of(l, t, alpha);
    gram_function *p = function_of(m, t, alpha), *q = function_of(m, s, alpha);

    CHECK_FAILS(gram_function_inner(f, g, NULL, &out), GRAM_ERR_SHAPE,
                "inner product: functions of \"linear\" and of \"2*linear\", "
                "must be of the same kernel");
    CHECK_FAILS(gram_function_inner(p, q, NULL, &out), GRAM_ERR_SHAPE,
                "inner product: functions of \"map(standardize, linear)\" on "
                "tables with other columns or categories, or whose maps "
                "learned other numbers");
    CHECK(out == 77);
    gram_function_free(f);
    gram_function_free(g);
    gram_function_free(p);
    gram_function_free(q);
    gram_function_free(NULL);
    gram_kernel_free(k);
    gram_kernel_free(l);
    gram_kernel_free(m);
    free(alpha);
    gram_table_free(t);
    gram_table_free(s);
}

TESTS(SMALL(the_kernel_reproduces),
      SMALL(values_and_norms_are_those_of_the_matrix),
      SMALL(the_inner_product_is_symmetric_and_bounded_by_the_norms),
      SMALL(a_function_survives_its_table), SMALL(white_knows_its_rows),
      SMALL(functions_of_different_spaces_have_no_inner_product))
