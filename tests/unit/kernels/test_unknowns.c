/* test_unknowns.c - where the search for open numbers begins and how far it
 * goes: at the scale of the data, whatever their units, columns or text.
 */
#include "check.h"
#include "grams.h"

#include "base/mem.h"
#include "kernels/program/unknowns.h"
#include "kernels/program/points.h"

typedef struct found {
    gram_kernel *k;
    gram_program *p;
    gi_points *x;
    gi_unknown *u;
    size_t count;
} found;

static found seek_seeded(const char *text, const gram_table *t,
                         unsigned long long seed)
{
    const gram_exec exec = {.seed = seed};
    GI_RUN(run, &exec);
    found f = {.k = grams_kernel(text)};

    CHECK_OK(gi_program_new(&run, f.k, t, 1, &f.p));
    CHECK_OK(gi_points_new(&run, f.p, t, GI_DOUBLE, &f.x));
    CHECK_OK(gi_unknowns_new(&run, f.p, f.x, &f.u, &f.count));
    for (size_t i = 0; i < f.count; i++) {
        const gi_unknown *u = &f.u[i];

        CHECK(isfinite(u->lower) && isfinite(u->upper));
        CHECK(u->lower <= u->start && u->start <= u->upper);
        CHECK(u->lower < u->upper && u->log == (u->lower > 0));
        CHECK(f.p->kernel->slot[u->slot].open);
        CHECK(isnan(f.p->theta[u->theta]));
    }
    return f;
}

static found seek(const char *text, const gram_table *t)
{
    return seek_seeded(text, t, 0);
}

static void done(found *f)
{
    gi_free(f->u);
    gi_points_free(f->x);
    gi_program_free(f->p);
    gram_kernel_free(f->k);
}

/* The only unknown of the kernel, its reach relative to the start. */
static double start_of(const char *text, const gram_table *t, double lower,
                       double upper)
{
    found f = seek(text, t);
    double start = f.u[0].start;

    CHECK(f.count == 1);
    CHECK_NEAR(f.u[0].lower / start / lower, 1, 1e-12);
    CHECK_NEAR(f.u[0].upper / start / upper, 1, 1e-12);
    done(&f);
    return start;
}

static gram_table *numbers(size_t n, size_t d, const double *x)
{
    return grams_table(n, d, x, "a b c d");
}

/* ---------------------------------------------------------------- distances */

TEST(the_length_is_the_median_distance)
{
    /* all pairs of four corners of a rectangle: 3, 3, 4, 4, 5, 5 */
    static const double x[] = {0, 0, 3, 0, 0, 4, 3, 4};
    gram_table *t = numbers(4, 2, x);

    CHECK_NEAR(start_of("rbf", t, 1e-4, 1e4), 1 / (2 * 16.0), 1e-15);
    CHECK_NEAR(start_of("exponential", t, 1e-2, 1e2), 1 / 4.0, 1e-15);
    CHECK_NEAR(start_of("laplace", t, 1e-2, 1e2), 1 / 4.0, 1e-15);
    CHECK_NEAR(start_of("matern", t, 1e-2, 1e2), 4, 1e-15);
    CHECK_NEAR(start_of("matern(nu=0.5)", t, 1e-2, 1e2), 4, 1e-15);
    CHECK_NEAR(start_of("rq", t, 1e-2, 1e2), 4, 1e-15);
    /* (x-t)^2/(x+t): 3, 4, 3, 4, 7, 7 */
    CHECK_NEAR(start_of("chi2", t, 1e-2, 1e2), 1 / 4.0, 1e-15);
    CHECK_NEAR(start_of("2*rbf[a]", t, 1e-4, 1e4), 1 / 18.0, 1e-15);
    gram_table_free(t);
}

TEST(maps_come_first)
{
    static const double x[] = {0, 10, 20};
    gram_table *t = numbers(3, 1, x);

    /* -1, 0, 1 */
    CHECK_NEAR(start_of("map(standardize, matern)", t, 1e-2, 1e2), 1, 1e-15);
    CHECK_NEAR(start_of("map(minmax, matern)", t, 1e-2, 1e2), 0.5, 1e-15);
    gram_table_free(t);
}

TEST(rows_that_are_equal_tell_nothing)
{
    static const double x[] = {7, 7, 7, 7, 7, 7, 9, 7};
    gram_table *t = numbers(8, 1, x), *same = numbers(6, 1, x),
               *one = numbers(1, 1, x);

    CHECK_NEAR(start_of("matern", t, 1e-2, 1e2), 2, 1e-15);
    CHECK(start_of("matern", same, 1e-2, 1e2) == 1);
    CHECK_NEAR(start_of("rbf", same, 1e-4, 1e4), 0.5, 1e-15);
    CHECK(start_of("matern", one, 1e-2, 1e2) == 1);
    CHECK(start_of("cos", one, 1e-2, 1e2) == 1);
    gram_table_free(t);
    gram_table_free(same);
    gram_table_free(one);
}

TEST(sparse_features_count_as_columns_do)
{
    /* rows (2,0,0), (0,0,5), (2,0,0): distances sqrt 29, 0 */
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", 3, (size_t[]){0, 1, 2, 3},
                                   (unsigned[]){0, 2, 0}, (double[]){2, 5, 2}));
    CHECK_NEAR(start_of("matern", t, 1e-2, 1e2), sqrt(29), 1e-14);
    CHECK_NEAR(start_of("laplace", t, 1e-2, 1e2), 1 / 7.0, 1e-15);
    CHECK_NEAR(start_of("expdot(a=?)", t, 1e-4, 1e4), 1 / 4.0, 1e-15);
    gram_table_free(t);
}

TEST(units_of_the_data_do_not_matter_however_extreme)
{
    double x[30], y[30];
    gram_table *t, *u;
    found f;

    for (int e = -300; e <= 300; e += 100) {
        gi_rng rng = gi_rng_new(1, 1);

        for (size_t i = 0; i < 30; i++) {
            x[i] = gi_rng_normal(&rng);
            y[i] = ldexp(x[i], e);
        }
        t = numbers(10, 3, x);
        u = numbers(10, 3, y);
        CHECK_NEAR(start_of("exponential", u, 1e-2, 1e2) /
                       ldexp(start_of("exponential", t, 1e-2, 1e2), -e),
                   1, 1e-14);
        gram_table_free(t);
        gram_table_free(u);
    }
    for (size_t i = 0; i < 30; i++)
        y[i] = 1e300 * x[i];
    u = numbers(10, 3, y); /* squares overflow: any number will do */
    f = seek("rbf(ard) + periodic*poly(gamma=?)", u);
    done(&f);
    gram_table_free(u);
}

/* ------------------------------------------------------------------ columns */

TEST(with_ard_columns_have_equal_shares)
{
    static const char *const texts[] = {"rbf(ard)", "exponential(ard)",
                                        "laplace(ard)", "matern(ard)",
                                        "rq(ard)"};
    static const double power[] = {-2, -1, -1, 1, 1};
    double x[4 * 60];
    gi_rng rng = gi_rng_new(2, 2);
    gram_table *t;

    for (size_t i = 0; i < 4 * 60; i++)
        x[i] = i % 4 == 3 ? 5 : gi_rng_normal(&rng) * (i % 4 == 1 ? 100 : 1);
    t = numbers(60, 4, x);
    for (size_t i = 0; i < 5; i++) {
        found f = seek(texts[i], t);
        double q = power[i];

        CHECK(f.count == 4);
        /* as long as the deviations, roughly, the constant column bounded */
        CHECK_NEAR(log(f.u[1].start / f.u[0].start) / q, log(100), 0.1);
        CHECK_NEAR(log(f.u[2].start / f.u[0].start) / q, 0, 0.5);
        CHECK(f.u[3].start > 0 && isfinite(f.u[3].start));
        for (size_t k = 0; k < 4; k++) {
            CHECK_NEAR(
                log10((q > 0 ? f.u[k].upper : f.u[k].lower) / f.u[k].start) / q,
                3, 1e-12);
            CHECK_NEAR(
                log10((q > 0 ? f.u[k].lower : f.u[k].upper) / f.u[k].start) / q,
                -2, 1e-12);
        }
        done(&f);
    }
    gram_table_free(t);
}

TEST(ard_of_like_columns_begins_near_one_number_for_all)
{
    static const char *const names[] = {"rbf", "exponential", "laplace",
                                        "matern", "rq"};
    gram_table *t = grams_random_table(1500, 4, 0, 3, NULL);

    for (size_t i = 0; i < 5; i++) {
        char ard[40];
        found one = seek(names[i], t), each;

        snprintf(ard, sizeof ard, "%s(ard)", names[i]);
        each = seek(ard, t);
        for (size_t k = 0; k < 4; k++) /* a mean here, a median there */
            CHECK_NEAR(each.u[k].start / one.u[0].start, 1, 0.25);
        done(&one);
        done(&each);
    }
    gram_table_free(t);
}

/* ---------------------------------------------------------- other parameters
 */

TEST(amplitudes_begin_at_one)
{
    static const double x[] = {1, 2, 4};
    gram_table *t = numbers(3, 1, x);
    found f = seek("?*linear + ?2*linear + constant*linear", t);

    CHECK(f.count == 3);
    CHECK(f.u[0].start == 1 && f.u[0].lower == 1e-4 && f.u[0].upper == 1e4);
    CHECK(f.u[1].start == 2);
    CHECK(f.u[2].start == 1 && f.u[2].lower == 1e-4);
    done(&f);
    gram_table_free(t);
}

TEST(defaults_are_where_other_numbers_begin)
{
    static const double x[] = {1, 2, 2, 2, 1, 2};
    gram_table *t = numbers(3, 2, x); /* |x|^2 = 5, 8, 5 */
    found f;

    CHECK(start_of("rq(alpha=?, length=1)", t, 1e-2, 1e2) == 1);
    CHECK(start_of("poly(offset=?)", t, 1e-2, 1e2) == 1);
    CHECK_NEAR(start_of("poly(gamma=?)", t, 1e-4, 1e4), 0.2, 1e-15);
    CHECK_NEAR(start_of("taylor(a=?)", t, 1e-4, 1e4), 0.2, 1e-15);
    f = seek("sigmoid(a=?, c=?)", t);
    CHECK_NEAR(f.u[0].start, 0.2, 1e-15);
    CHECK(f.u[0].lower == -f.u[0].upper && !f.u[0].log);
    CHECK(f.u[1].start == 0 && f.u[1].lower == -f.u[1].upper);
    done(&f);
    gram_table_free(t);
}

TEST(a_period_lies_between_spacing_and_range)
{
    double x[121];
    gram_table *t;
    found f;

    for (size_t i = 0; i < 121; i++)
        x[(i * 50) % 121] = (double)i / 12;
    t = numbers(121, 1, x);
    f = seek("periodic", t);
    CHECK(f.count == 2);
    CHECK_NEAR(f.u[0].lower, 2.0 / 12, 1e-12);
    CHECK_NEAR(f.u[0].upper, 20, 1e-12);
    CHECK_NEAR(f.u[0].start, sqrt(20.0 / 6), 1e-12);
    CHECK(f.u[1].start == 1);
    CHECK_NEAR(f.u[1].lower, 0.01, 1e-15);
    CHECK_NEAR(f.u[1].upper, 100, 1e-15);
    done(&f);
    f = seek("cos", t);
    CHECK(f.count == 1 && f.u[0].lower < 1 && f.u[0].upper > 1);
    done(&f);
    gram_table_free(t);
}

TEST(what_is_written_behind_a_question_mark_holds)
{
    static const double x[] = {1, 2, 4};
    gram_table *t = numbers(3, 1, x);
    found f = seek("rbf(gamma=?50) + rbf(gamma=?[0.1,10,2]) + "
                   "rbf(sigma=?2, ard) + sigmoid(a=?-2, c=?0)",
                   t);
    found free = seek("rbf + rbf(ard)", t);

    CHECK(f.count == 5);
    CHECK(f.u[0].start == 50 && f.u[0].candidates == NULL);
    CHECK_NEAR(f.u[0].upper, 50000, 1e-10);
    /* no narrower than without it */
    CHECK(f.u[0].lower == free.u[0].lower && free.u[0].lower < 0.05);
    CHECK(f.u[1].candidate_count == 3 && f.u[1].candidates[2] == 2);
    CHECK(f.u[1].start == 10);
    CHECK(f.u[1].lower <= 1e-4);
    CHECK_NEAR(f.u[1].upper, 1e4, 1e-10);
    CHECK(f.u[2].start == 0.125); /* in units of gamma */
    CHECK(f.u[2].lower == free.u[1].lower);
    CHECK(f.u[3].start == -2 && f.u[3].lower == -2000);
    CHECK(f.u[4].start == 0 && f.u[4].lower == 0 && !f.u[4].log);
    done(&f);
    done(&free);
    gram_table_free(t);
}

TEST(a_kernel_without_open_numbers_has_no_unknowns)
{
    static const double x[] = {1, 2, 4};
    gram_table *t = numbers(3, 1, x);
    found f = seek("2*rbf(gamma=1) + linear", t);

    CHECK(f.count == 0);
    done(&f);
    gram_table_free(t);
}

TEST(large_tables_are_sampled_by_the_seed)
{
    gram_table *t = grams_random_table(5000, 2, 0, 4, NULL);
    found a = seek_seeded("matern", t, 1), b = seek_seeded("matern", t, 1),
          c = seek_seeded("matern", t, 2);

    CHECK(a.u[0].start == b.u[0].start && a.u[0].start != c.u[0].start);
    /* |x-t|^2 is 2 chi^2 of 2 degrees: median 4 log 2 */
    CHECK_NEAR(a.u[0].start, sqrt(4 * log(2)), 0.05);
    CHECK_NEAR(c.u[0].start, sqrt(4 * log(2)), 0.05);
    done(&a);
    done(&b);
    done(&c);
    gram_table_free(t);
}

TESTS(SMALL(the_length_is_the_median_distance), SMALL(maps_come_first),
      SMALL(rows_that_are_equal_tell_nothing),
      SMALL(sparse_features_count_as_columns_do),
      SMALL(units_of_the_data_do_not_matter_however_extreme),
      SMALL(with_ard_columns_have_equal_shares),
      SMALL(ard_of_like_columns_begins_near_one_number_for_all),
      SMALL(amplitudes_begin_at_one),
      SMALL(defaults_are_where_other_numbers_begin),
      SMALL(a_period_lies_between_spacing_and_range),
      SMALL(what_is_written_behind_a_question_mark_holds),
      SMALL(a_kernel_without_open_numbers_has_no_unknowns),
      SMALL(large_tables_are_sampled_by_the_seed))
