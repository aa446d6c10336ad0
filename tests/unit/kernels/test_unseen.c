/* test_unseen.c - levels that a program does not know behave as they would if
 * the first table had known them, without a row of theirs.
 */
#include "check.h"
#include "grams.h"

#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

enum { OLD = 30, NEW = 9, BOTH = OLD + NEW, CITIES = 7, TYPES = 2, WIDE = 6 };

/* Rows first .. last - 1 of one long table: numbers a, b, categories city and
 * type, a sparse block words.  Behind the OLD rows there are two new cities, a
 * new type, and a wider block if `wide`.  New levels are the last ones. */
static gram_table *rows_of(size_t first, size_t last, double scale, int wide)
{
    gi_rng rng = gi_rng_new(4, 4);
    double a[BOTH], b[BOTH], entries[BOTH];
    size_t start[BOTH + 1];
    unsigned index[BOTH];
    char text[2][BOTH][8];
    const char *city[BOTH], *type[BOTH];
    gram_table *t = NULL;

    for (size_t i = 0; i < BOTH; i++) {
        size_t c = i < OLD ? i % CITIES : i % (CITIES + 2);
        size_t k = i < OLD ? i / 2 % TYPES : i / 2 % (TYPES + 1);

        a[i] = scale * gi_rng_uniform(&rng);
        b[i] = scale * gi_rng_uniform(&rng);
        snprintf(text[0][i], 8, "c%zu", c);
        snprintf(text[1][i], 8, "t%zu", k);
        city[i] = text[0][i];
        type[i] = text[1][i];
        start[i] = i;
        index[i] = (unsigned)(i % (i >= OLD && wide ? WIDE : 3));
        entries[i] = gi_rng_uniform(&rng);
    }
    for (size_t i = first; i <= last; i++)
        start[i] = i - first;
    CHECK_OK(gram_table_new(last - first, &t));
    CHECK_OK(gram_table_add_numbers(t, "a", a + first, 1));
    CHECK_OK(
        gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city + first));
    CHECK_OK(gram_table_add_numbers(t, "b", b + first, 1));
    CHECK_OK(
        gram_table_add_strings(t, "type", GRAM_TYPE_CATEGORY, type + first));
    CHECK_OK(gram_table_add_sparse(t, "words", last > OLD && wide ? WIDE : 3,
                                   start + first, index + first,
                                   entries + first));
    return t;
}

typedef struct job {
    gi_run run;
    gram_kernel *k;
    gram_program *p;
    gi_points *old, *new;
} job;

static job begin(const char *text, const gram_table *first,
                 const gram_table *old, const gram_table *new)
{
    job j = {.run = gi_run_begin(NULL), .k = grams_kernel(text)};

    CHECK_OK(gi_program_new(&j.run, j.k, first, 0, &j.p));
    CHECK_OK(gi_points_new(&j.run, j.p, old, GI_DOUBLE, &j.old));
    CHECK_OK(gi_points_new_unseen(&j.run, j.p, new, GI_DOUBLE, &j.new));
    return j;
}

static void end(job *j)
{
    gi_points_free(j->old);
    gi_points_free(j->new);
    gi_program_free(j->p);
    gram_kernel_free(j->k);
    gi_run_end(&j->run);
}

/* New rows against old ones, old against new, and new among themselves. */
static void fill(job *j, double *K)
{
    double *back = K + NEW * OLD, *own = back + NEW * OLD;

    CHECK_OK(gi_engine_store(&j->run, j->p, j->new, j->old, K, OLD));
    CHECK_OK(gi_engine_store(&j->run, j->p, j->old, j->new, back, NEW));
    CHECK_OK(gi_engine_store(&j->run, j->p, j->new, NULL, own, NEW));
    CHECK_OK(gi_engine_diagonal(&j->run, j->p, NULL, j->new, own + NEW * NEW));
}

enum { ALL = 2 * NEW * OLD + NEW * NEW + NEW };

/* `text` compiled for the old rows is `known` compiled for all of them. */
static void check_same(const char *text, const char *known, double scale,
                       int wide)
{
    gram_table *old = rows_of(0, OLD, scale, wide);
    gram_table *new = rows_of(OLD, BOTH, scale, wide);
    gram_table *both = rows_of(0, BOTH, scale, wide);
    job a = begin(text, old, old, new), b = begin(known, both, old, new);
    double K[ALL], L[ALL];

    fill(&a, K);
    fill(&b, L);
    for (size_t i = 0; i < ALL; i++)
        if (!(fabs(K[i] - L[i]) <= 1e-12 * fmax(1, fabs(L[i]))))
            fail_msg("%s: %.17g, expected %.17g", text, K[i], L[i]);
    end(&a);
    end(&b);
    gram_table_free(old);
    gram_table_free(new);
    gram_table_free(both);
}

TEST(a_new_level_is_unlike_every_known_one)
{
    static const char *const texts[] = {
        "linear[city]",
        "rbf(gamma=0.5)[type]",
        "rbf(gamma=0.5)[a,b,type]",
        "rbf(gamma=0.5)[a,b,city,type]",
        "laplace(gamma=0.5)[a,city,type]",
        "matern(length=2)[b,city,type] + linear[a,b]",
        "rbf(gamma=0.5)[a,city] + poly[a,city]",
        "normalize(poly)[city]",
        "arccos[a,type]",
        "anova[a,city]",
        "anova(degree=2)[a,type]",
        "periodic(period=3, length=1)[a,type]",
        "cos(period=3)[city]",
        "intersection[a,city]",
        "chi2(gamma=1)[a,type]",
        "indicator[city,type]",
        "rbf(gamma=0.5)[a]*delta[city]",
        "delta[city,type] + delta[type]",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_same(texts[i], texts[i], 1, 0);
    /* where distances are computed from differences though columns are many */
    check_same("rbf(gamma=1)[a,b,city,type]", "rbf(gamma=1)[a,b,city,type]",
               1e8, 0);
}

TEST(new_levels_stand_behind_the_features_of_a_sparse_block)
{
    static const char *const texts[] = {"linear", "rbf(gamma=0.5)",
                                        "laplace(gamma=0.1)",
                                        "linear[words,type]*delta[city]"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_same(texts[i], texts[i], 1, 0);
        check_same(texts[i], texts[i], 1, 1);
    }
}

TEST(a_new_level_weighs_as_much_as_the_others_do_on_average)
{
    check_same("rbf(gamma=[0.1,1,2,3,4,5,6,7,0.2,0.6], ard)[a,city,type]",
               "rbf(gamma=[0.1,1,2,3,4,5,6,7,4,4,0.2,0.6,0.4], ard)"
               "[a,city,type]",
               1, 0);
    check_same("laplace(gamma=[0.1,0.2,0.6], ard)[a,type]",
               "laplace(gamma=[0.1,0.2,0.6,0.4], ard)[a,type]", 1, 0);
    check_same("rbf(gamma=[1,3,0.5,0.7,0.9], ard)[type,words]",
               "rbf(gamma=[1,3,2,0.5,0.7,0.9], ard)[type,words]", 1, 0);
}

TEST(a_product_with_delta_knows_nothing_of_a_new_level)
{
    gram_table *old = rows_of(0, OLD, 1, 0), *new = rows_of(OLD, BOTH, 1, 0);
    job j = begin("rbf(gamma=1)[a]*delta[type]", old, old, new);
    gram_column c = gram_table_column(new, 3);
    double K[ALL];
    size_t zeros = 0;

    fill(&j, K);
    for (size_t i = 0; i < NEW; i++) {
        int unknown = strcmp(c.levels[c.codes[i]], "t2") == 0;

        for (size_t m = 0; m < OLD; m++)
            zeros += unknown && K[i * OLD + m] == 0;
        CHECK(K[2 * NEW * OLD + NEW * NEW + i] == 1);
    }
    CHECK(zeros == OLD * 2);
    end(&j);
    gram_table_free(old);
    gram_table_free(new);
}

TEST(tables_without_new_levels_are_as_before)
{
    gram_table *old = rows_of(0, OLD, 1, 0);
    job j = begin("rbf(gamma=1)[a,city,type]", old, old, old);

    CHECK(j.new->view[0].start == NULL);
    CHECK(memcmp(j.new->view[0].dense, j.old->view[0].dense,
                 OLD * j.p->view[0].width * sizeof(double)) == 0);
    end(&j);
    gram_table_free(old);
}

TEST(new_levels_on_both_sides_are_refused)
{
    gram_table *old = rows_of(0, OLD, 1, 0), *new = rows_of(OLD, BOTH, 1, 0);
    gram_table *other = rows_of(OLD + 1, BOTH, 1, 0);
    job a = begin("rbf(gamma=1)[city]", old, old, new);
    job b = begin("rbf(gamma=1)[city]", old, old, other);
    gi_points *x = NULL;
    double K[NEW * NEW];

    CHECK(gi_points_new(&a.run, a.p, new, GI_DOUBLE, &x) == GRAM_ERR_RANGE);
    CHECK_FAILS(gi_engine_store(&a.run, a.p, a.new, b.new, K, NEW),
                GRAM_ERR_SHAPE,
                "two tables with levels or features that the first table has "
                "not, which may be the same");
    end(&a);
    end(&b);
    gram_table_free(old);
    gram_table_free(new);
    gram_table_free(other);
}

TESTS(SMALL(a_new_level_is_unlike_every_known_one),
      SMALL(new_levels_stand_behind_the_features_of_a_sparse_block),
      SMALL(a_new_level_weighs_as_much_as_the_others_do_on_average),
      SMALL(a_product_with_delta_knows_nothing_of_a_new_level),
      SMALL(tables_without_new_levels_are_as_before),
      SMALL(new_levels_on_both_sides_are_refused))
