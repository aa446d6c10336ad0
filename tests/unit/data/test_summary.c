/* test_summary.c - what a column looks like, against a plain computation in
 * long double, and at the edges of the numbers.
 */
#include "check.h"

#include "base/rng.h"
#include "data/table/moments.h"

enum { ROWS = 1000 };

static gram_summary summary_of(const double *x, size_t n)
{
    gram_table *t = NULL;
    gram_summary s;

    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_summary(t, 0, &s));
    gram_table_free(t);
    return s;
}

static size_t histogram_total(const gram_summary *s)
{
    size_t n = 0;

    for (size_t b = 0; b < GRAM_HISTOGRAM_BINS; b++)
        n += s->histogram[b];
    return n;
}

TEST(numbers_agree_with_a_plain_computation)
{
    const double offsets[] = {0, -5, 1e8, 1e15};
    double x[ROWS];

    for (size_t k = 0; k < 4; k++) {
        gi_rng rng = gi_rng_new(k, 0);
        long double mean = 0, squares = 0;
        double min = INFINITY, max = -INFINITY;
        size_t n = 0;
        gram_summary s;

        for (size_t i = 0; i < ROWS; i++) {
            x[i] = i % 10 == 3 ? NAN : offsets[k] + gi_rng_normal(&rng);
            if (isnan(x[i]))
                continue;
            n++;
            mean += x[i] - (long double)offsets[k];
            min = fmin(min, x[i]);
            max = fmax(max, x[i]);
        }
        mean /= (long double)n; /* less the offset */
        for (size_t i = 0; i < ROWS; i++)
            if (!isnan(x[i]))
                squares += powl(x[i] - (long double)offsets[k] - mean, 2);
        s = summary_of(x, ROWS);
        CHECK(s.count == 900 && s.count == n);
        CHECK(s.min == min && s.max == max);
        CHECK_NEAR(s.mean, (double)(offsets[k] + mean), 1e-15);
        CHECK_NEAR(s.std, (double)sqrtl(squares / (long double)(n - 1)), 1e-12);
        CHECK(histogram_total(&s) == n);
    }
}

/* 0, 1, ..., 160 in 16 bins of 10: the last also has 160. */
TEST(bins_are_equal_and_the_largest_number_is_in_the_last)
{
    double x[161];
    gram_summary s;

    for (size_t i = 0; i < 161; i++)
        x[i] = (double)i;
    s = summary_of(x, 161);
    for (size_t b = 0; b < 15; b++)
        CHECK(s.histogram[b] == 10);
    CHECK(s.histogram[15] == 11);
}

TEST(a_constant_column_is_all_in_the_first_bin)
{
    const double x[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    gram_summary s = summary_of(x, 7);

    CHECK(s.mean == 0.1 && s.std == 0);
    CHECK(s.histogram[0] == 7 && histogram_total(&s) == 7);
}

TEST(a_range_that_overflows_still_has_bins)
{
    const double x[] = {-1.7e308, 0, 1.7e308, 1e308};
    gram_summary s = summary_of(x, 4);

    CHECK(s.histogram[0] == 1 && s.histogram[8] == 1);
    CHECK(s.histogram[12] == 1 && s.histogram[15] == 1);
    CHECK_NEAR(s.mean / 1e308, 0.25, 1e-15);
    CHECK(isfinite(s.std));
}

TEST(the_smallest_numbers_have_bins_too)
{
    const double x[] = {0, 5e-324, 1e-323};
    gram_summary s = summary_of(x, 3);

    CHECK(s.histogram[0] == 1 && s.histogram[8] == 1 && s.histogram[15] == 1);
    CHECK(s.mean == 5e-324 && s.std == 5e-324);
}

TEST(few_numbers_leave_the_rest_undefined)
{
    const double none[] = {NAN, NAN}, one[] = {NAN, 3};
    gram_summary s = summary_of(none, 2);

    CHECK(s.count == 0 && histogram_total(&s) == 0);
    CHECK(isnan(s.min) && isnan(s.max) && isnan(s.mean) && isnan(s.std));
    s = summary_of(one, 2);
    CHECK(s.count == 1 && s.min == 3 && s.max == 3 && s.mean == 3);
    CHECK(isnan(s.std) && s.histogram[0] == 1);
    s = summary_of(none, 0);
    CHECK(s.count == 0 && isnan(s.mean));
}

TEST(many_rows_lose_no_digits)
{
    enum { MANY = 1000000 };
    double *x = malloc(MANY * sizeof *x);
    gi_moments m;

    CHECK(x != NULL);
    for (size_t i = 0; i < MANY; i++) /* mean 1e6 + 0.1, deviation 0.1 */
        x[i] = i % 2 ? 1e6 : 1e6 + 0.2;
    m = gi_moments_of(x, MANY);
    free(x);
    CHECK_NEAR(m.mean, (1e6 + (1e6 + 0.2)) / 2, 1e-16);
    CHECK_NEAR(m.std, ((1e6 + 0.2) - 1e6) / 2 * sqrt(MANY / (MANY - 1.0)),
               1e-16);
}

TEST(categories_and_texts_count_their_levels)
{
    const char *const words[] = {"b", "a", NULL, "b", "c", "b"};
    const gram_type types[] = {GRAM_TYPE_CATEGORY, GRAM_TYPE_TEXT};

    for (size_t k = 0; k < 2; k++) {
        gram_table *t = NULL;
        gram_summary s;
        gram_column c;

        CHECK_OK(gram_table_new(6, &t));
        CHECK_OK(gram_table_add_strings(t, "w", types[k], words));
        CHECK_OK(gram_table_summary(t, 0, &s));
        c = gram_table_column(t, 0);
        CHECK(s.count == 5 && s.distinct == 3 && isnan(s.mean));
        CHECK(histogram_total(&s) == 5);
        for (size_t level = 0; level < 3; level++)
            CHECK(s.histogram[level] ==
                  (strcmp(c.levels[level], "b") == 0 ? 3 : 1));
        gram_table_free(t);
    }
}

TEST(more_levels_than_bins_are_counted)
{
    char text[40][4];
    const char *words[40];
    gram_table *t = NULL;
    gram_summary s;

    for (size_t i = 0; i < 40; i++) {
        snprintf(text[i], sizeof text[i], "%zu", i / 2);
        words[i] = text[i];
    }
    CHECK_OK(gram_table_new(40, &t));
    CHECK_OK(gram_table_add_strings(t, "w", GRAM_TYPE_CATEGORY, words));
    CHECK_OK(gram_table_summary(t, 0, &s));
    CHECK(s.count == 40 && s.distinct == 20);
    CHECK(histogram_total(&s) == 32);
    gram_table_free(t);
}

TEST(a_sparse_block_is_described_by_its_entries)
{
    const size_t start[] = {0, 2, 2, 3};
    const unsigned index[] = {0, 5, 3};
    const double entries[] = {1, 2, 6};
    gram_table *t = NULL;
    gram_summary s;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", 6, start, index, entries));
    CHECK_OK(gram_table_summary(t, 0, &s));
    CHECK(s.count == 3 && s.min == 1 && s.max == 6 && s.mean == 3);
    CHECK_NEAR(s.std, sqrt(7), 1e-15);
    CHECK(histogram_total(&s) == 3);
    CHECK_FAILS(gram_table_summary(t, 1, &s), GRAM_ERR_RANGE,
                "column 1: the table has 1");
    gram_table_free(t);
}

TESTS(SMALL(numbers_agree_with_a_plain_computation),
      SMALL(bins_are_equal_and_the_largest_number_is_in_the_last),
      SMALL(a_constant_column_is_all_in_the_first_bin),
      SMALL(a_range_that_overflows_still_has_bins),
      SMALL(the_smallest_numbers_have_bins_too),
      SMALL(few_numbers_leave_the_rest_undefined),
      NORMAL(many_rows_lose_no_digits),
      SMALL(categories_and_texts_count_their_levels),
      SMALL(more_levels_than_bins_are_counted),
      SMALL(a_sparse_block_is_described_by_its_entries))
