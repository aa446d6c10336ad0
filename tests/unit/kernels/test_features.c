/* test_features.c - explicit feature maps by what defines them,
 * phi(x).phi(t) = k(x,t), how many features there are, and what has none.
 */
#include "base/mem.h"
#include "grams.h"
#include "kernels/features/features.h"
#include "temporary.h"

enum { N = 12 };

/* Columns a, b, c of numbers and the categories u (3 levels), v (2). */
static gram_table *mixed(void)
{
    static const char *const u[] = {"p", "q", "r", "p", "q", "r",
                                    "p", "p", "q", "r", "q", "p"};
    static const char *const v[] = {"0", "1", "1", "0", "0", "1",
                                    "1", "0", "1", "1", "0", "0"};
    gram_table *t = grams_random_table(N, 3, 0, 1, "a b c");

    CHECK_OK(gram_table_add_strings(t, "u", GRAM_TYPE_CATEGORY, u));
    CHECK_OK(gram_table_add_strings(t, "v", GRAM_TYPE_CATEGORY, v));
    return t;
}

/* The features, to be freed, and how many. */
static double *features_of(const char *text, const gram_table *t, size_t *count)
{
    gram_kernel *k = grams_kernel(text);
    gram_status status = gram_kernel_feature_count(k, t, count);
    double *F;

    if (status != GRAM_OK)
        fail_msg("%s: %s", text, gram_error_message());
    F = grams_doubles(gram_table_rows(t) * *count);
    CHECK_OK(gram_kernel_features(k, t, NULL, F, *count));
    gram_kernel_free(k);
    return F;
}

static double dot(const double *F, size_t m, size_t i, size_t j)
{
    double sum = 0;

    for (size_t p = 0; p < m; p++)
        sum += F[i * m + p] * F[j * m + p];
    return sum;
}

static void check_map(const char *text, const gram_table *t, size_t expected)
{
    size_t n = gram_table_rows(t), m;
    double *F = features_of(text, t, &m), *K = grams_matrix(text, t);

    if (m != expected)
        fail_msg("%s: %zu features, expected %zu", text, m, expected);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double k = K[i * n + j], error = dot(F, m, i, j) - k;

            if (!(fabs(error) <=
                  1e-12 * fmax(1, sqrt(K[i * n + i] * K[j * n + j]))))
                fail_msg("%s: (%zu,%zu) differs by %g", text, i, j, error);
        }
    free(K);
    free(F);
}

TEST(inner_products_of_features_are_the_kernel)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"linear[a,b,c]", 3},
        {"linear", 8}, /* categories are one-hot */
        {"poly(degree=2)[a,b]", 6},
        {"poly(degree=3, gamma=0.5, offset=2)[a,b,c]", 20},
        {"poly(degree=2, offset=0)[a,b]", 3},
        {"poly(degree=0)[a]", 1},
        {"poly(degree=1)[a,b]", 3},
        {"poly(degree=12)[a]", 13},
        {"taylor(degree=3, a=0.7)[a,b]", 15},
        {"anova[a,b,c]", 8},
        {"anova(degree=2)[a,b,c]", 7},
        {"anova(degree=0)[a,b,c]", 1},
        {"delta[u]", 3},
        {"delta[u,v]", 6},
        {"constant(c=2)", 1},
        {"0", 0},
        {"0*linear[a] + 1", 1},
        {"4*linear[a] + 2", 2},
        {"linear[a]*linear[b]", 1},
        {"delta[u]*poly(degree=2)[a,b]", 18},
        {"map(square, linear[a,b])", 2},
        {"map(poly(2), linear[a,b])", 6},
        {"weight(c, linear[a,b] + 1)", 3},
        {"normalize(linear[a,b])", 2},
        {"normalize(poly(degree=2)[a,b])*delta[v]", 12},
        {"(linear[a,b] + delta[u])^2", 15},
        {"(1 + linear[a])^0", 1},
    };
    gram_table *t = mixed();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_map(cases[i].text, t, cases[i].count);
    gram_table_free(t);
}

/* (x.t)^2 in the plane: as a power it has three features, as a product four,
 * and both are maps of the same kernel. */
TEST(a_kernel_may_have_two_maps)
{
    gram_table *t = mixed();
    gram_column a = gram_table_column(t, 0), b = gram_table_column(t, 1);
    size_t three, four;
    double *F = features_of("linear[a,b]^2", t, &three);
    double *G = features_of("linear[a,b]*linear[a,b]", t, &four);

    CHECK(three == 3 && four == 4);
    for (size_t i = 0; i < N; i++) {
        double x = a.values[i], y = b.values[i];

        CHECK_NEAR(F[3 * i], x * x, 1e-15);
        CHECK_NEAR(F[3 * i + 1], sqrt(2) * x * y, 1e-15);
        CHECK_NEAR(F[3 * i + 2], y * y, 1e-15);
        CHECK_NEAR(G[4 * i], x * x, 1e-15);
        CHECK_NEAR(G[4 * i + 1], x * y, 1e-15);
        CHECK_NEAR(G[4 * i + 2], x * y, 1e-15);
        CHECK_NEAR(G[4 * i + 3], y * y, 1e-15);
        for (size_t j = 0; j < N; j++)
            CHECK_NEAR(dot(F, 3, i, j), dot(G, 4, i, j), 1e-14);
    }
    free(F);
    free(G);
    gram_table_free(t);
}

TEST(a_metric_has_as_many_features_as_its_factor)
{
    static const double A[] = {2, 1, 1, 3};
    const char *path = temporary_path("A.npy");
    gram_table *t = mixed();
    char text[700];

    CHECK_OK(gram_matrix_write(A, 2, 2, path, NULL));
    snprintf(text, sizeof text, "metric(A=\"%s\")[a,b] + linear[c]", path);
    check_map(text, t, 3);
    gram_table_free(t);
}

TEST(sparse_rows_have_features)
{
    static const size_t start[] = {0, 2, 2, 3, 5};
    static const unsigned index[] = {0, 3, 4, 1, 3};
    static const double entries[] = {1, 2, 3, 4, 5};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", 5, start, index, entries));
    check_map("linear", t, 5);
    check_map("poly(degree=2)", t, 21);
    gram_table_free(t);
}

/* ----------------------------------------------------- inside the library */

/* A kernel compiled for a table, and the table's rows. */
typedef struct compiled {
    gi_run run;
    gram_kernel *k;
    gram_program *p;
    gi_points *x;
} compiled;

static compiled compile(const char *text, const gram_table *t)
{
    compiled c = {.run = gi_run_begin(NULL), .k = grams_kernel(text)};

    CHECK_OK(gi_program_new(&c.run, c.k, t, 1, &c.p));
    CHECK_OK(gi_points_new(&c.run, c.p, t, GI_DOUBLE, &c.x));
    return c;
}

static void release(compiled *c)
{
    gi_points_free(c->x);
    gi_program_free(c->p);
    gram_kernel_free(c->k);
    gi_run_end(&c->run);
}

TEST(rows_come_in_blocks_on_any_number_of_threads)
{
    gram_table *t = mixed();
    compiled c = compile("delta[u]*poly(degree=2)[a,b] + linear", t);
    gi_features *f = NULL;
    double *all, *some;
    size_t m;

    CHECK_OK(gi_features_new(&c.run, c.p, NULL, 1000, &f));
    m = gi_features_count(f);
    CHECK(m == 18 + 8 && !gi_features_sparse(f));
    all = features_of("delta[u]*poly(degree=2)[a,b] + linear", t, &m);
    some = grams_doubles(5 * (m + 2));
    for (c.run.threads = 1; c.run.threads < 4; c.run.threads++) {
        some[5 * (m + 2) - 1] = 77;
        CHECK_OK(gi_features_rows(&c.run, f, c.x, 3, 5, some, m + 2));
        for (size_t i = 0; i < 5; i++)
            assert_memory_equal(some + i * (m + 2), all + (3 + i) * m,
                                m * sizeof *all);
        CHECK(some[5 * (m + 2) - 1] == 77);
    }
    free(all);
    free(some);
    gi_features_free(f);
    release(&c);
    gram_table_free(t);
}

TEST(theta_takes_the_place_of_the_kernels_values)
{
    gram_table *t = mixed();
    compiled c = compile("?*linear[a] + ?*delta[u]", t);
    gi_features *f = NULL;
    double theta[] = {4, 9}, F[4], a = gram_table_column(t, 0).values[2];

    CHECK(c.p->thetas == 2);
    CHECK_OK(gi_features_new(&c.run, c.p, theta, 10, &f));
    CHECK_OK(gi_features_rows(&c.run, f, c.x, 2, 1, F, 4));
    CHECK(F[0] == 2 * a && F[1] == 0 && F[2] == 0 && F[3] == 3);
    /* a term with the factor 0 has no features, a negative one no map */
    theta[0] = 0;
    gi_features_set(f, theta);
    CHECK(gi_features_exist(f) && gi_features_count(f) == 3);
    theta[0] = -1;
    gi_features_set(f, theta);
    CHECK(!gi_features_exist(f) && gi_features_count(f) == 0);
    theta[0] = 1;
    gi_features_set(f, theta);
    CHECK_OK(gi_features_rows(&c.run, f, c.x, 2, 1, F, 4));
    CHECK(gi_features_count(f) == 4 && F[0] == a && F[3] == 3);
    gi_features_free(f);
    release(&c);
    gram_table_free(t);
}

TEST(no_map_is_no_error_inside)
{
    static const struct {
        const char *text;
        size_t most;
        int there;
    } cases[] = {
        {"rbf(gamma=1)", 1000, 0},    {"delta[a]", 1000, 0},
        {"linear[a,b]^0.5", 1000, 0}, {"linear[a] - linear[b]", 1000, 0},
        {"white", 1000, 0},           {"poly(degree=2)[a,b]", 5, 0},
        {"poly(degree=2)[a,b]", 6, 1}};
    gram_table *t = mixed();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compiled c = compile(cases[i].text, t);
        gi_features *f = NULL;

        CHECK_OK(gi_features_new(&c.run, c.p, NULL, cases[i].most, &f));
        if (gi_features_exist(f) != cases[i].there)
            fail_msg("%s", cases[i].text);
        gi_features_free(f);
        release(&c);
    }
    gram_table_free(t);
}

/* ------------------------------------------------------------------- sparse */

/* Five features in four rows, one of them empty, and the number z. */
static gram_table *sparse_table(size_t width, const unsigned *index)
{
    static const size_t start[] = {0, 2, 2, 3, 5};
    static const double entries[] = {1, 2, 3, 4, 5}, z[] = {7, 0, -1, 2};
    static const char *const u[] = {"p", "q", "q", "r"};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", width, start, index, entries));
    CHECK_OK(gram_table_add_numbers(t, "z", z, 1));
    CHECK_OK(gram_table_add_strings(t, "u", GRAM_TYPE_CATEGORY, u));
    return t;
}

static const unsigned five[] = {0, 3, 4, 1, 3};

/* The sparse matrix has the entries of the dense one that are not 0. */
static void check_csr(const char *text, const gram_table *t, size_t entries)
{
    compiled c = compile(text, t);
    gi_features *f = NULL;
    gi_csr a = {0};
    double *F;
    size_t m, seen = 0;

    CHECK_OK(gi_features_new(&c.run, c.p, NULL, 1000, &f));
    m = gi_features_count(f);
    F = grams_doubles(4 * m);
    if (!gi_features_sparse(f))
        fail_msg("%s: not sparse", text);
    CHECK_OK(gi_features_rows(&c.run, f, c.x, 0, 4, F, m));
    CHECK_OK(gi_features_csr(&c.run, f, c.x, &a));
    CHECK(a.rows == 4 && a.cols == m && a.start[0] == 0);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < m; j++) {
            int here = seen < a.start[i + 1] && a.index[seen] == j;

            if ((F[i * m + j] != 0) != here ||
                (here && a.entries[seen] != F[i * m + j]))
                fail_msg("%s: (%zu,%zu)", text, i, j);
            seen += (size_t)here;
        }
    if (seen != a.start[4] || (entries && seen != entries))
        fail_msg("%s: %zu entries", text, a.start[4]);
    gi_csr_free(&a);
    free(F);
    gi_features_free(f);
    release(&c);
}

TEST(linear_kernels_of_sparse_rows_stay_sparse)
{
    static const struct {
        const char *text;
        size_t features, entries;
    } cases[] = {{"linear[s]", 5, 5},
                 {"4*linear[s]", 5, 5},
                 {"linear[s] + 1", 6, 9},
                 {"linear[s,z]", 6, 8},
                 {"linear", 9, 12},
                 {"0.25*linear[s,z] + 2*linear[z] + 9", 8, 15},
                 {"linear[s]*linear[z]", 5, 5},
                 {"linear[s]*delta[u]", 15, 5},
                 {"weight(z, linear[s] + 1)", 6, 8},
                 {"normalize(linear[s])", 5, 5},
                 {"0*linear[s]", 0, 0}};
    gram_table *t = sparse_table(5, five);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_map(cases[i].text, t, cases[i].features);
        check_csr(cases[i].text, t, cases[i].entries);
    }
    check_map("linear[s]^2", t, 15);
    check_map("(linear[s] + 1)^1", t, 6);
    check_map("anova(degree=2)[s,z]", t, 22);
    gram_table_free(t);
}

/* Feature 7 is in the second table only: the rows of the first
 * have nothing to do with them. */
TEST(features_of_another_table_have_their_places)
{
    static const unsigned wide[] = {0, 7, 4, 1, 3};
    gram_table *t = sparse_table(5, five), *other = sparse_table(8, wide);
    compiled c = compile("linear[s] + linear[z]", t);
    gi_features *f = NULL;
    gi_points *x = NULL;
    gi_csr a = {0};
    double F[4 * 6];

    CHECK_OK(gi_points_new(&c.run, c.p, other, GI_DOUBLE, &x));
    CHECK_OK(gi_features_new(&c.run, c.p, NULL, 1000, &f));
    CHECK_OK(gi_features_rows(&c.run, f, x, 0, 4, F, 6));
    assert_memory_equal(F, ((double[]){1, 0, 0, 0, 0, 7}), 6 * sizeof *F);
    CHECK_OK(gi_features_csr(&c.run, f, x, &a));
    CHECK(a.cols == 6 && a.start[1] == 2 && a.index[1] == 5);
    gi_csr_free(&a);
    gi_points_free(x);
    gi_features_free(f);
    release(&c);
    gram_table_free(t);
    gram_table_free(other);
}

TEST(failing_allocations_leave_nothing_behind)
{
    gram_table *t = sparse_table(5, five);
    compiled c = compile("linear[s,z] + 1", t);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gi_features *f = NULL;
    gi_csr a = {0};

    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_features_new(&c.run, c.p, NULL, 1000, &f);
        if (status == GRAM_OK)
            status = gi_features_csr(&c.run, f, c.x, &a);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK) {
            gi_features_free(f);
            f = NULL;
            CHECK(gram_memory_used() == before && a.start == NULL);
        }
    }
    CHECK(n > 8);
    gi_csr_free(&a);
    gi_features_free(f);
    CHECK(gram_memory_used() == before);
    release(&c);
    gram_table_free(t);
}

/* ----------------------------------------------------------------- refusals */

TEST(what_has_no_finite_map_is_named)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"rbf(gamma=1)",
         "kernel \"rbf(gamma=1)\", character 1: rbf has no finite feature "
         "map"},
        {"linear[a] + 2*laplace(gamma=1)",
         "kernel \"linear[a] + 2*laplace(gamma=1)\", character 15: laplace has "
         "no finite feature map"},
        {"exp(linear[a])",
         "kernel \"exp(linear[a])\", character 1: exp has no finite feature "
         "map"},
        {"linear[a]^0.5",
         "kernel \"linear[a]^0.5\", character 1: a power of 0.5 has no finite "
         "feature map, only 0, 1, 2, ... have"},
        {"linear[a] - linear[b]",
         "kernel \"linear[a] - linear[b]\", character 13: what is subtracted "
         "or negative has no feature map"},
        {"-2*linear[a]",
         "kernel \"-2*linear[a]\", character 1: what is subtracted or negative "
         "has no feature map"},
        {"delta[a]",
         "kernel \"delta[a]\": no finite feature map on these columns, which "
         "must be categories"},
        {"poly(degree=100)[a,b,c]*poly(degree=100)[a,b,c]",
         "kernel \"poly(degree=100)[a,b,c]*poly(degree=100)[a,b,c]\": more "
         "than 1048576 features"},
        {"poly(degree=1000)",
         "kernel \"poly(degree=1000)\": more than 1048576 features"},
    };
    gram_table *t = mixed();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gram_kernel *k = grams_kernel(cases[i].text);
        size_t count = 77;

        CHECK_FAILS(gram_kernel_feature_count(k, t, &count), GRAM_ERR_RANGE,
                    cases[i].sentence);
        CHECK(count == 77);
        CHECK_FAILS(gram_kernel_features(k, t, NULL, NULL, 0), GRAM_ERR_RANGE,
                    cases[i].sentence);
        gram_kernel_free(k);
    }
    gram_table_free(t);
}

TEST(rows_must_have_room)
{
    gram_table *t = mixed();
    gram_kernel *k = grams_kernel("linear[a,b,c]");
    double F[N * 5], G[N * 3];

    CHECK_FAILS(gram_kernel_features(k, t, NULL, F, 2), GRAM_ERR_SHAPE,
                "features: rows of 2 numbers, must be at least 3");
    for (size_t i = 0; i < N * 5; i++)
        F[i] = 77;
    CHECK_OK(gram_kernel_features(k, t, NULL, F, 5));
    CHECK_OK(gram_kernel_features(k, t, NULL, G, 3));
    for (size_t i = 0; i < N; i++) {
        CHECK(memcmp(F + 5 * i, G + 3 * i, 3 * sizeof *F) == 0);
        CHECK(F[5 * i + 3] == 77 && F[5 * i + 4] == 77);
    }
    gram_kernel_free(k);
    gram_table_free(t);
}

/* 3000 columns of degree 1, and the widest square that is allowed. */
TEST(many_columns_are_no_deep_recursion)
{
    enum { WIDE = 1446 };
    size_t *start = calloc(3, sizeof *start);
    gram_table *t = NULL;
    size_t count;
    gram_kernel *k = grams_kernel("poly(degree=2)");

    CHECK_OK(gram_table_new(2, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", WIDE, start, NULL, NULL));
    CHECK_OK(gram_kernel_feature_count(k, t, &count));
    CHECK(count == (WIDE + 1) * (WIDE + 2) / 2);
    check_map("poly(degree=2)", t, count);
    check_map("poly(degree=1)", t, WIDE + 1);
    check_map("anova(degree=1)", t, WIDE + 1);
    gram_kernel_free(k);
    gram_table_free(t);
    free(start);
}

TESTS(SMALL(inner_products_of_features_are_the_kernel),
      SMALL(a_kernel_may_have_two_maps),
      SMALL(a_metric_has_as_many_features_as_its_factor),
      SMALL(sparse_rows_have_features),
      SMALL(rows_come_in_blocks_on_any_number_of_threads),
      SMALL(theta_takes_the_place_of_the_kernels_values),
      SMALL(no_map_is_no_error_inside),
      SMALL(linear_kernels_of_sparse_rows_stay_sparse),
      SMALL(features_of_another_table_have_their_places),
      SMALL(failing_allocations_leave_nothing_behind),
      SMALL(what_has_no_finite_map_is_named), SMALL(rows_must_have_room),
      SMALL(many_columns_are_no_deep_recursion))
