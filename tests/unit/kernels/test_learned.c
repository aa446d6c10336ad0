/* test_learned.c - kernels with what was learned written in: the same numbers
 * in text, the same matrices on other tables.
 */
#include "check.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/engine/engine.h"
#include "kernels/program/learned.h"

enum { ROWS = 23, WORDS = 7 };

/* Numbers a, b, c >= 0, a category city and a sparse block words. */
static gram_table *table_of(uint64_t stream)
{
    static const char *const names[] = {"Bonn", "Kiel", "Ulm"};
    gi_rng rng = gi_rng_new(3, stream);
    const char *city[ROWS];
    double x[3 * ROWS], entries[2 * ROWS];
    size_t start[ROWS + 1] = {0};
    unsigned index[2 * ROWS];
    gram_table *t = NULL;

    for (size_t i = 0; i < 3 * ROWS; i++)
        x[i] = gi_rng_uniform(&rng) * (double)(i % 3 * i % 3 + 1);
    for (size_t i = 0; i < ROWS; i++) {
        city[i] = names[i < 3 ? i : gi_rng_below(&rng, 3)];
        start[i + 1] = 2 * i + 2;
        index[2 * i] = (unsigned)gi_rng_below(&rng, 3);
        index[2 * i + 1] = 3 + (unsigned)gi_rng_below(&rng, WORDS - 3);
        entries[2 * i] = gi_rng_normal(&rng);
        entries[2 * i + 1] = 10 * gi_rng_normal(&rng);
    }
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "a", x, 3));
    CHECK_OK(gram_table_add_numbers(t, "b", x + 1, 3));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    CHECK_OK(gram_table_add_numbers(t, "c", x + 2, 3));
    CHECK_OK(gram_table_add_sparse(t, "words", WORDS, start, index, entries));
    return t;
}

typedef struct compiled {
    gi_run run;
    gram_kernel *k;
    gram_program *p;
} compiled;

/* With 1/3, 1/4, 1/5, ... for what is open. */
static compiled compile(const char *text, const gram_table *t)
{
    compiled c = {.run = gi_run_begin(NULL)};

    CHECK_OK(gram_kernel_new(text, &c.k));
    CHECK_OK(gi_program_new(&c.run, c.k, t, 1, &c.p));
    for (size_t i = 0; i < c.p->thetas; i++)
        if (isnan(c.p->theta[i]))
            c.p->theta[i] = 1 / (double)(i + 3);
    return c;
}

static void done(compiled *c)
{
    gi_program_free(c->p);
    gram_kernel_free(c->k);
    gi_run_end(&c->run);
}

/* What the kernel learned on t is this text; NULL: whatever it is.  Freed by
 * the caller. */
static gram_kernel *learned(compiled *c, const char *expected)
{
    gram_kernel *k = NULL;

    CHECK_OK(gi_kernel_learned(&c->run, c->p, c->p->theta, &k));
    if (expected)
        CHECK_STR(gram_kernel_text(k), expected);
    for (size_t i = 0; i < gram_kernel_param_count(k); i++)
        CHECK(!gram_kernel_param_at(k, i).open);
    return k;
}

static void check_text(const char *text, const gram_table *t,
                       const char *expected)
{
    compiled c = compile(text, t);

    gram_kernel_free(learned(&c, expected));
    done(&c);
}

/* ------------------------------------------------------------------ numbers */

TEST(open_numbers_are_written_the_others_stay)
{
    gram_table *t = table_of(0);

    check_text("?*rbf(sigma=?1)[a] + rbf(ard)[a,b] + ?^2 + "
               "matern(nu=1.5)[a] + poly(2,offset=?)[b]",
               t,
               "0.3333333333333333*rbf(gamma=0.25)[a] + "
               "rbf(gamma=[0.2,0.16666666666666666], ard)[a,b] + "
               "0.14285714285714285^2 + matern(nu=1.5, length=0.125)[a] + "
               "poly(degree=2, offset=0.1)[b]");
    check_text("rbf(sigma=2)[a]*2 + rq(alpha=?[1,2])[b]", t,
               "rbf(sigma=2)[a]*2 + rq(alpha=0.2, length=0.16666666666666666)"
               "[b]");
    gram_table_free(t);
}

TEST(ard_has_a_number_for_every_level_and_feature)
{
    gram_table *t = table_of(0);

    check_text("rbf(ard)[a,city]", t,
               "rbf(gamma=[0.3333333333333333,0.25,0.2,0.16666666666666666], "
               "ard)[a,city]");
    check_text("rbf(ard)[city,words]", t,
               "rbf(gamma=[0.3333333333333333,0.25,0.2,0.16666666666666666,"
               "0.14285714285714285,0.125,0.1111111111111111,0.1,"
               "0.09090909090909091,0.08333333333333333], ard)[city,words]");
    gram_table_free(t);
}

TEST(ard_of_no_features_is_any_number)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(2, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", 0, (size_t[3]){0}, NULL, NULL));
    check_text("rbf(ard)", t, "rbf(gamma=1, ard)");
    check_text("map(minmax, rbf(ard))", t, "rbf(gamma=1, ard)");
    gram_table_free(t);
}

/* --------------------------------------------------------------------- maps */

static gram_table *small(void)
{
    static const double a[] = {1, 3, 5}, b[] = {10, 20, 60};
    static const char *const city[] = {"Ulm", "Bonn", "Ulm"};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "a", a, 1));
    CHECK_OK(gram_table_add_numbers(t, "b", b, 1));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    return t;
}

#define ST_A "standardize(shift=[3], scale=[2])"
#define MM_A "minmax(shift=[1], scale=[4])"
#define MM_B "minmax(shift=[10], scale=[50])"

TEST(a_map_that_all_leaves_share_is_written_once)
{
    gram_table *t = small();

    check_text("map(standardize, linear + rbf)[a]", t,
               "map(" ST_A ", linear + rbf(gamma=0.3333333333333333))[a]");
    check_text("map(minmax, linear[a,b]*linear[a,b])", t,
               "map(minmax(shift=[1,10], scale=[4,50]), "
               "linear[a,b]*linear[a,b])");
    check_text("map(minmax, white + 2)", t, "map(minmax, white + 2)");
    check_text("map(" ST_A ", linear)[b]", t, "map(" ST_A ", linear)[b]");
    gram_table_free(t);
}

TEST(leaves_of_different_columns_get_a_map_each)
{
    gram_table *t = small();

    check_text("map(minmax, linear[a] + linear[b] + white)", t,
               "map(" MM_A ", linear[a]) + map(" MM_B ", linear[b]) + white");
    check_text("2*map(minmax, linear[a] + linear)[b]", t,
               "2*(map(" MM_A ", linear[a]) + map(" MM_B ", linear))[b]");
    check_text("map(minmax, linear[a] + linear[b])^2", t,
               "(map(" MM_A ", linear[a]) + map(" MM_B ", linear[b]))^2");
    check_text("map(abs, map(minmax, linear[a] + map(square, linear[b])))", t,
               "map(abs, map(" MM_A ", linear[a]) + map(" MM_B
               ", map(square, linear[b])))");
    check_text("map(minmax, weight(a, linear[b] + 1))", t,
               "map(" MM_A ", linear[a])*(map(" MM_B ", linear[b]) + 1)");
    gram_table_free(t);
}

TEST(where_there_are_no_numbers_there_is_no_map)
{
    gram_table *t = small();

    check_text("map(minmax, linear[city])", t, "linear[city]");
    check_text("map(minmax, linear[city] + linear[b])", t,
               "linear[city] + map(" MM_B ", linear[b])");
    gram_table_free(t);
}

/* ----------------------------------------------------------------- matrices */

/* The kernel learned on one table has the same matrix between the rows of
 * another and the first, whichever it is compiled for. */
static void check_same_bits(const char *text)
{
    gram_table *a = table_of(1), *b = table_of(2);
    compiled c = compile(text, a), again;
    gi_points *x = NULL, *t = NULL;
    double K[ROWS * ROWS], L[ROWS * ROWS];
    gram_kernel *k = learned(&c, NULL);

    CHECK_OK(gi_points_new(&c.run, c.p, b, GI_DOUBLE, &x));
    CHECK_OK(gi_points_new(&c.run, c.p, a, GI_DOUBLE, &t));
    CHECK_OK(gi_engine_store(&c.run, c.p, x, t, K, ROWS));
    CHECK_OK(gram_kernel_matrix(k, b, a, NULL, L, ROWS));
    if (memcmp(K, L, sizeof K) != 0)
        fail_msg("%s: other numbers than %s", gram_kernel_text(k), text);

    again = compile(gram_kernel_text(k), b);
    gram_kernel_free(learned(&again, gram_kernel_text(k)));
    done(&again);
    gram_kernel_free(k);
    gi_points_free(x);
    gi_points_free(t);
    done(&c);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(learned_kernels_have_the_same_bits_on_other_tables)
{
    static const char *const texts[] = {
        "?*rbf + ?*linear",
        "map(standardize, rbf)",
        "map(standardize, rbf(ard))[a,city,c]",
        "map(standardize, rbf[a] + linear[c]*rbf[a,b])",
        "map(standardize, weight(a, rbf[c]) + rbf(ard)[b])",
        "map(log1p, map(standardize, rbf[a] + laplace[b,c]))",
        "map(standardize, map(minmax, rbf[a] + map(square, linear)[b,c]))",
        "map(bins(m=3), linear)[a,b]",
        "map(poly(2), map(standardize, linear))[a,city]",
        "normalize(exp(map(minmax, linear[a] + rbf[city]*rbf[b])))",
        "map(standardize, rbf)[words]",
        "map(minmax, linear + rbf(ard))",
        "map(standardize, map(minmax, laplace))[words,b]",
        "map(standardize, linear[words] + linear[city,words,a])",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_same_bits(texts[i]);
}

TEST(what_maps_learn_holds_on_any_table)
{
    gram_table *t = small(), *one = NULL;
    const double x = 4;
    gram_kernel *k = NULL, *learned = NULL;
    gram_column a = gram_table_column(t, 0);
    size_t n = gram_table_rows(t);
    double least = a.values[0], most = a.values[0], value;

    for (size_t i = 1; i < n; i++) {
        least = fmin(least, a.values[i]);
        most = fmax(most, a.values[i]);
    }
    CHECK_OK(gram_kernel_new("map(minmax, linear)[a]", &k));
    CHECK_OK(gram_kernel_learn(k, t, NULL, &learned));
    CHECK_OK(gram_table_new(1, &one));
    CHECK_OK(gram_table_add_numbers(one, "a", &x, 1));
    CHECK_OK(gram_kernel_diagonal(learned, one, NULL, &value));
    CHECK_NEAR(value, pow((x - least) / (most - least), 2), 1e-12);
    gram_kernel_free(k);
    gram_kernel_free(learned);
    CHECK_OK(gram_kernel_new("rbf[a]", &k));
    CHECK(gram_kernel_learn(k, t, NULL, &learned) == GRAM_ERR_NAME);
    CHECK(learned == NULL);
    gram_kernel_free(k);
    gram_table_free(t);
    gram_table_free(one);
}

TEST(a_number_that_was_not_chosen_is_refused)
{
    gram_table *t = small();
    compiled c = compile("rbf[a]", t);
    gram_kernel *k = NULL;

    c.p->theta[0] = NAN;
    CHECK(gi_kernel_learned(&c.run, c.p, c.p->theta, &k) == GRAM_ERR_RANGE);
    CHECK(k == NULL);
    done(&c);
    gram_table_free(t);
}

TEST(whichever_allocation_fails_nothing_stays_behind)
{
    gram_table *t = small();
    compiled c = compile("map(standardize, rbf(ard)[a,b] + linear[a])", t);
    size_t used = gram_memory_used(), n = 0;
    gram_status status = GRAM_ERR_MEMORY;

    while (status != GRAM_OK) {
        gram_kernel *k = NULL;

        gi_mem_fail_at(++n, 0);
        status = gi_kernel_learned(&c.run, c.p, c.p->theta, &k);
        gi_mem_fail_at(0, 0);
        CHECK((k != NULL) == (status == GRAM_OK));
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        gram_kernel_free(k);
        CHECK(gram_memory_used() == used);
    }
    CHECK(n > 10);
    done(&c);
    gram_table_free(t);
}

TESTS(SMALL(open_numbers_are_written_the_others_stay),
      SMALL(ard_has_a_number_for_every_level_and_feature),
      SMALL(ard_of_no_features_is_any_number),
      SMALL(a_map_that_all_leaves_share_is_written_once),
      SMALL(leaves_of_different_columns_get_a_map_each),
      SMALL(where_there_are_no_numbers_there_is_no_map),
      SMALL(learned_kernels_have_the_same_bits_on_other_tables),
      SMALL(what_maps_learn_holds_on_any_table),
      SMALL(a_number_that_was_not_chosen_is_refused),
      SMALL(whichever_allocation_fails_nothing_stays_behind))
