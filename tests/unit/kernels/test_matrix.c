/* test_matrix.c - matrices of kernels: every rule of the algebra against the
 * same rule applied to the matrices of its parts; one table against another;
 * diagonal, product and gradient against the matrix.
 */
#include "check.h"
#include "temporary.h"

#include "base/mem.h"
#include "base/rng.h"

enum { N = 70, M = 41, NN = N * N };

#define P "rbf(gamma=0.7)[a,b]"
#define Q "poly(degree=2,gamma=0.5)[b,c]"

/* Columns a, b, c of positive numbers and a category; others if `other`: in
 * another order, with a column more. */
static gram_table *table_of(size_t rows, int other)
{
    static const char *const levels[] = {"Bonn", "Kiel", "Ulm"};
    static const char *const names[2][4] = {{"a", "b", "c", NULL},
                                            {"c", "extra", "a", "b"}};
    double *x = malloc(rows * sizeof *x);
    const char **city = malloc(rows * sizeof *city);
    gi_rng rng = gi_rng_new(5, (uint64_t)other);
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(rows, &t));
    for (size_t i = 0; i < rows; i++)
        city[i] = levels[(i * i + i / 3) % (other ? 2 : 3)];
    if (other)
        CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    for (int j = 0; j < 4 && names[other][j]; j++) {
        for (size_t i = 0; i < rows; i++)
            x[i] = exp(0.5 * gi_rng_normal(&rng));
        CHECK_OK(gram_table_add_numbers(t, names[other][j], x, 1));
    }
    if (!other)
        CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    free(city);
    free(x);
    return t;
}

static const double *values(const gram_table *t, const char *name)
{
    size_t j;

    CHECK_OK(gram_table_find(t, name, &j));
    return gram_table_column(t, j).values;
}

/* The matrix of a against b (NULL: itself), to be freed. */
static double *matrix(const char *text, const gram_table *a,
                      const gram_table *b)
{
    size_t cols = gram_table_rows(b ? b : a);
    double *K = malloc(gram_table_rows(a) * cols * sizeof *K);
    gram_kernel *k = NULL;

    CHECK_OK(gram_kernel_new(text, &k));
    CHECK_OK(gram_kernel_matrix(k, a, b, NULL, K, cols));
    gram_kernel_free(k);
    return K;
}

static void near(const double *A, const double *B, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(A[i], B[i], tolerance);
}

/* The matrix of `whole` is rule(p, q) of those of P and Q, entry by entry, for
 * one table and for two. */
static void follows(const char *whole, double (*rule)(double p, double q))
{
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);

    for (int pass = 0; pass < 2; pass++) {
        const gram_table *b = pass ? other : NULL;
        double *K = matrix(whole, t, b), *p = matrix(P, t, b),
               *q = matrix(Q, t, b);

        for (size_t i = 0; i < N * (pass ? M : N); i++)
            CHECK_NEAR(K[i], rule(p[i], q[i]), 1e-13);
        free(K);
        free(p);
        free(q);
    }
    gram_table_free(t);
    gram_table_free(other);
}

/* --------------------------------------------------------------- the rules */

static double sum(double p, double q)
{
    return p + q;
}

static double difference(double p, double q)
{
    return p - 2 * q;
}

static double product(double p, double q)
{
    return p * q;
}

static double scaled(double p, double q)
{
    return 6 * p * q + 0.5;
}

static double cube(double p, double q)
{
    (void)p;
    return q * q * q;
}

static double root(double p, double q)
{
    (void)q;
    return sqrt(p);
}

static double inverse(double p, double q)
{
    (void)p;
    return 1 / (q * q);
}

static double one(double p, double q)
{
    (void)p, (void)q;
    return 1;
}

static double exponential(double p, double q)
{
    return exp(0.1 * q) + p;
}

static double polynomial(double p, double q)
{
    (void)q;
    return 2 * p * p + 3 * p + 1;
}

static double nested(double p, double q)
{
    return exp(p * (p + q * 0.01)) * (q + 3) * 2;
}

TEST(matrices_follow_the_algebra)
{
    follows(P " + " Q, sum);
    follows(P " - 2*" Q, difference);
    follows(P "*" Q, product);
    follows("2*" P "*3*" Q " + 0.5", scaled);
    follows(Q "^3", cube);
    follows(P "^0.5", root);
    follows(Q "^-2", inverse);
    follows(P "^0", one);
    follows("exp(0.1*" Q ") + " P, exponential);
    follows("2*" P "^2 + 3*" P " + 1", polynomial);
    follows("exp(" P "*(" P " + " Q "*0.01))*(" Q " + 3)*2", nested);
}

/* The two texts have the same matrix. */
static void same(const char *one_text, const char *other_text)
{
    gram_table *t = table_of(N, 0);
    double *A = matrix(one_text, t, NULL), *B = matrix(other_text, t, NULL);

    near(A, B, NN, 1e-13);
    free(A);
    free(B);
    gram_table_free(t);
}

TEST(columns_are_chosen_and_inherited)
{
    same("rbf(gamma=0.3)[a]*rbf(gamma=0.3)[b]", "rbf(gamma=0.3)[a,b]");
    same("linear[a] + linear[b] + linear[c]", "linear[0:3]");
    same("(linear + rbf(gamma=1)[c])[a,b]", "linear[a,b] + rbf(gamma=1)[c]");
    same("delta[city]*linear[a]", "delta[city]*(linear[a])");
    same("linear", "linear[a,b,c] + 0.5*delta[city]"); /* one-hot/sqrt 2 */
}

TEST(normalized_is_divided_by_the_roots_of_the_diagonal)
{
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);
    double *K = matrix(Q, t, other), *R = matrix("normalize(" Q ")", t, other);
    double *kx = malloc(N * sizeof *kx), *kt = malloc(M * sizeof *kt);
    gram_kernel *k = NULL;

    CHECK_OK(gram_kernel_new(Q, &k));
    CHECK_OK(gram_kernel_diagonal(k, t, NULL, kx));
    CHECK_OK(gram_kernel_diagonal(k, other, NULL, kt));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++)
            CHECK_NEAR(R[i * M + j], K[i * M + j] / sqrt(kx[i] * kt[j]), 1e-14);
    gram_kernel_free(k);
    free(K);
    free(R);
    free(kx);
    free(kt);
    gram_table_free(t);
    gram_table_free(other);
}

TEST(normalized_is_0_where_the_diagonal_is)
{
    const double x[] = {0, 2, -3};
    const double expected[] = {0, 0, 0, 0, 1, -1, 0, -1, 1};
    gram_table *t = NULL;
    double *K;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    K = matrix("normalize(linear)", t, NULL);
    for (size_t i = 0; i < 9; i++)
        CHECK(K[i] == expected[i]);
    free(K);
    gram_table_free(t);
}

TEST(a_map_is_the_kernel_of_mapped_columns)
{
    gram_table *t = table_of(N, 0), *logs = NULL;
    double x[N],
        *K = matrix("map(log, rbf(gamma=0.4) + linear[a])[a,c]", t, NULL), *L;

    CHECK_OK(gram_table_new(N, &logs));
    for (int j = 0; j < 2; j++) {
        const char *name = j ? "c" : "a";

        for (size_t i = 0; i < N; i++)
            x[i] = log(values(t, name)[i]);
        CHECK_OK(gram_table_add_numbers(logs, name, x, 1));
    }
    L = matrix("rbf(gamma=0.4) + linear[a]", logs, NULL);
    near(K, L, NN, 1e-13);
    free(K);
    free(L);
    gram_table_free(logs);
    gram_table_free(t);
}

TEST(a_weight_multiplies_on_both_sides)
{
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);
    double *K = matrix(Q, t, other), *W = matrix("weight(a, " Q ")", t, other);

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++)
            CHECK_NEAR(W[i * M + j],
                       values(t, "a")[i] * K[i * M + j] * values(other, "a")[j],
                       1e-14);
    free(K);
    free(W);
    gram_table_free(t);
    gram_table_free(other);
}

TEST(a_metric_is_its_quadratic_form)
{
    static const double A[] = {2, 1, 0, 1, 2, -1, 0, -1, 3};
    static const char *const names[] = {"a", "b", "c"};
    const char *path = temporary_path("A.npy");
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);
    char text[600];
    double *K;

    CHECK_OK(gram_matrix_write(A, 3, 3, path, NULL));
    snprintf(text, sizeof text, "metric(A=\"%s\")[a,b,c]", path);
    K = matrix(text, t, other);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            double form = 0;

            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    form += A[3 * k + l] * values(t, names[k])[i] *
                            values(other, names[l])[j];
            CHECK_NEAR(K[i * M + j], form, 1e-13);
        }
    free(K);
    gram_table_free(t);
    gram_table_free(other);
}

TEST(a_precomputed_matrix_is_what_the_file_says)
{
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);
    const char *path = temporary_path("K.npy");
    double *K = matrix(P, t, NULL), *C = matrix(P, t, other), *R, *L;
    char text[600];

    snprintf(text, sizeof text, "2*precomputed(K=\"%s\") + " Q, path);
    CHECK_OK(gram_matrix_write(K, N, N, path, NULL));
    R = matrix(text, t, NULL);
    L = matrix("2*" P " + " Q, t, NULL);
    near(R, L, NN, 1e-14);
    free(R);
    free(L);
    CHECK_OK(gram_matrix_write(C, N, M, path, NULL));
    R = matrix(text, t, other);
    L = matrix("2*" P " + " Q, t, other);
    near(R, L, N * M, 1e-14);
    free(R);
    free(L);
    free(K);
    free(C);
    gram_table_free(t);
    gram_table_free(other);
}

/* ------------------------------------------------------- one table, or two */

TEST(columns_of_the_other_table_are_found_by_name)
{
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);
    double *K = matrix("linear + delta[city]", t, other);
    size_t cx, ct;

    CHECK_OK(gram_table_find(t, "city", &cx));
    CHECK_OK(gram_table_find(other, "city", &ct));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < M; j++) {
            gram_column x = gram_table_column(t, cx),
                        y = gram_table_column(other, ct);
            int equal = strcmp(x.levels[x.codes[i]], y.levels[y.codes[j]]) == 0;
            double dot = values(t, "a")[i] * values(other, "a")[j] +
                         values(t, "b")[i] * values(other, "b")[j] +
                         values(t, "c")[i] * values(other, "c")[j];

            CHECK_NEAR(K[i * M + j], dot + 1.5 * equal, 1e-14);
        }
    free(K);
    gram_table_free(t);
    gram_table_free(other);
}

TEST(white_knows_the_rows_of_its_own_table)
{
    gram_table *t = table_of(N, 0), *twin = table_of(N, 0);
    double *own = matrix("white", t, NULL), *named = matrix("white", t, t),
           *other = matrix("white", t, twin);

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            CHECK(own[i * N + j] == (i == j));
            CHECK(named[i * N + j] == (i == j));
            CHECK(other[i * N + j] == 0);
        }
    free(own);
    free(named);
    free(other);
    gram_table_free(t);
    gram_table_free(twin);
}

TEST(one_table_has_a_symmetric_matrix)
{
    gram_table *t = table_of(N, 0), *twin = table_of(N, 0);
    double *K = matrix(P "*" Q " + linear", t, NULL),
           *L = matrix(P "*" Q " + linear", t, twin);

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            CHECK(K[i * N + j] == K[j * N + i]);
    near(K, L, NN, 1e-13);
    free(K);
    free(L);
    gram_table_free(t);
    gram_table_free(twin);
}

/* Two columns and a sparse block beside them, or the same numbers as seven
 * columns.  The block is wider if its last entry is in the last feature. */
static gram_table *mixed(int dense, int wider)
{
    const double u[] = {1, -2, 0.5, 3}, v[] = {0.3, 0.2, -1, 0};
    const size_t start[] = {0, 2, 2, 4, 5};
    const unsigned index[] = {0, 3, 1, 2, wider ? 4 : 3};
    const double entries[] = {1.5, -1, 2, 0.5, 4};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_numbers(t, "u", u, 1));
    for (unsigned f = 0; f < 5 && dense; f++) {
        double x[4] = {0};

        for (size_t i = 0; i < 4; i++)
            for (size_t e = start[i]; e < start[i + 1]; e++)
                x[i] += index[e] == f ? entries[e] : 0;
        CHECK_OK(gram_table_add_numbers(
            t, (const char *[]){"f1", "f2", "f3", "f4", "f5"}[f], x, 1));
    }
    if (!dense)
        CHECK_OK(gram_table_add_sparse(t, "features", wider ? 5 : 4, start,
                                       index, entries));
    CHECK_OK(gram_table_add_numbers(t, "v", v, 1));
    return t;
}

TEST(sparse_and_dense_columns_make_one_row)
{
    static const char *const texts[] = {
        "linear", "rbf(gamma=0.2)", "laplace(gamma=0.3)",
        "poly(degree=2)*matern(nu=0.5,length=2)", "anova(degree=2)"};
    gram_table *s = mixed(0, 0), *wide_s = mixed(0, 1);
    gram_table *d = mixed(1, 0), *wide_d = mixed(1, 1);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int other = 0; other < 2; other++) {
            double *K = matrix(texts[i], s, other ? wide_s : NULL),
                   *L = matrix(texts[i], d, other ? wide_d : NULL);

            near(K, L, 16, 1e-14);
            free(K);
            free(L);
        }
    gram_table_free(s);
    gram_table_free(d);
    gram_table_free(wide_s);
    gram_table_free(wide_d);
}

/* ------------------------------------------------------------ other answers */

TEST(diagonal_product_and_single_agree_with_the_matrix)
{
    enum { R = 3 };
    const char *text = P " + 0.2*" Q " + delta[city]";
    gram_table *t = table_of(N, 0), *other = table_of(M, 1);
    double *K = matrix(text, t, NULL), *C = matrix(text, t, other);
    double d[N], V[M * R], out[N * R];
    float *S = malloc(NN * sizeof *S);
    gram_kernel *k = NULL;
    gi_rng rng = gi_rng_new(9, 0);

    CHECK_OK(gram_kernel_new(text, &k));
    CHECK_OK(gram_kernel_diagonal(k, t, NULL, d));
    for (size_t i = 0; i < N; i++)
        CHECK(d[i] == K[i * N + i]);
    CHECK_OK(gram_kernel_matrix_single(k, t, NULL, NULL, S, N));
    for (size_t i = 0; i < NN; i++)
        CHECK_NEAR((double)S[i], K[i], 1e-5);
    for (size_t i = 0; i < M * R; i++)
        V[i] = gi_rng_normal(&rng);
    for (int single = 0; single < 2; single++) {
        CHECK_OK(gram_kernel_product(k, t, other, NULL, single, V, R, out));
        for (size_t i = 0; i < N; i++)
            for (size_t r = 0; r < R; r++) {
                double expected = 0;

                for (size_t j = 0; j < M; j++)
                    expected += C[i * M + j] * V[j * R + r];
                CHECK_NEAR(out[i * R + r], expected, single ? 1e-4 : 1e-12);
            }
    }
    gram_kernel_free(k);
    free(S);
    free(K);
    free(C);
    gram_table_free(t);
    gram_table_free(other);
}

/* sum of G K for the kernel with these numbers */
static double loss(const double *v, const gram_table *t, const double *G)
{
    char text[400];
    double *K, total = 0;

    snprintf(text, sizeof text,
             "%.17g*rbf(gamma=[%.17g,%.17g,%.17g],ard)[a,b,c] + "
             "poly(degree=2,gamma=%.17g,offset=%.17g)[a]*"
             "matern(nu=1.5,length=%.17g)[b]",
             v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
    K = matrix(text, t, NULL);
    for (size_t i = 0; i < NN; i++)
        total += G[i] * K[i];
    free(K);
    return total;
}

TEST(the_gradient_is_that_of_the_matrix)
{
    enum { NUMBERS = 7 };
    const double at[NUMBERS] = {1.5, 0.3, 0.5, 0.7, 0.8, 1.2, 0.9};
    gram_table *t = table_of(N, 0);
    gram_kernel *k = NULL;
    double *G = malloc(NN * sizeof *G), out[NUMBERS];
    size_t first[6];
    gi_rng rng = gi_rng_new(11, 0);

    for (size_t i = 0; i < NN; i++)
        G[i] = gi_rng_normal(&rng); /* not symmetric */
    CHECK_OK(gram_kernel_new("1.5*rbf(gamma=[0.3,0.5,0.7],ard)[a,b,c] + "
                             "poly(degree=2,gamma=0.8,offset=1.2)[a]*"
                             "matern(nu=1.5,length=0.9)[b]",
                             &k));
    CHECK(gram_kernel_param_count(k) == 5);
    CHECK_OK(gram_kernel_param_layout(k, t, first));
    for (size_t p = 0; p < 6; p++)
        CHECK(first[p] == (p < 2 ? p : p + 2));
    CHECK_OK(gram_kernel_gradient(k, t, NULL, G, N, out));
    for (size_t m = 0; m < NUMBERS; m++) {
        double v[NUMBERS], h = 1e-5, up, down;

        memcpy(v, at, sizeof v);
        v[m] = at[m] + h;
        up = loss(v, t, G);
        v[m] = at[m] - h;
        down = loss(v, t, G);
        CHECK_NEAR(out[m], (up - down) / (2 * h), 1e-7);
    }
    gram_kernel_free(k);
    free(G);
    gram_table_free(t);
}

TEST(arguments_that_do_not_fit_are_refused)
{
    gram_table *t = table_of(N, 0);
    gram_kernel *k = NULL;
    double x = 7;

    CHECK_OK(gram_kernel_new("rbf", &k));
    CHECK_FAILS(gram_kernel_matrix(k, t, NULL, NULL, &x, N - 1), GRAM_ERR_SHAPE,
                "rows of the matrix are 69 apart, must be at least 70");
    CHECK_FAILS(gram_kernel_matrix(k, t, NULL, NULL, &x, N), GRAM_ERR_NAME,
                "kernel \"rbf\": rbf.gamma is open, must have a value");
    CHECK_FAILS(gram_kernel_gradient(k, t, NULL, &x, N, &x), GRAM_ERR_NAME,
                "kernel \"rbf\": rbf.gamma is open, must have a value");
    CHECK(x == 7);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(failing_allocations_leave_nothing_behind)
{
    gram_table *t = table_of(5, 0), *other = table_of(4, 1);
    gram_kernel *k = NULL;
    double K[20];
    size_t before, n = 1;
    gram_status status = GRAM_ERR_MEMORY;

    CHECK_OK(gram_kernel_new("normalize(" P " + map(standardize, " Q "))", &k));
    before = gram_memory_used();
    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_kernel_matrix(k, t, other, NULL, K, 4);
        gi_mem_fail_at(0, 0);
        assert_int_equal(gram_memory_used(), before);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
    }
    CHECK(n > 20);
    gram_kernel_free(k);
    gram_table_free(t);
    gram_table_free(other);
}

TESTS(SMALL(matrices_follow_the_algebra),
      SMALL(columns_are_chosen_and_inherited),
      SMALL(normalized_is_divided_by_the_roots_of_the_diagonal),
      SMALL(normalized_is_0_where_the_diagonal_is),
      SMALL(a_map_is_the_kernel_of_mapped_columns),
      SMALL(a_weight_multiplies_on_both_sides),
      SMALL(a_metric_is_its_quadratic_form),
      SMALL(a_precomputed_matrix_is_what_the_file_says),
      SMALL(columns_of_the_other_table_are_found_by_name),
      SMALL(white_knows_the_rows_of_its_own_table),
      SMALL(one_table_has_a_symmetric_matrix),
      SMALL(sparse_and_dense_columns_make_one_row),
      SMALL(diagonal_product_and_single_agree_with_the_matrix),
      SMALL(the_gradient_is_that_of_the_matrix),
      SMALL(arguments_that_do_not_fit_are_refused),
      SMALL(failing_allocations_leave_nothing_behind))
