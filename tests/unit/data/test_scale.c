/* test_scale.c - scaling: identities, extreme numbers, other tables, errors.
 */
#include "check.h"

#include "base/mem.h"
#include "base/rng.h"
#include "data/table/table.h"

enum { ROWS = 200, WIDTH = 6 };

static gram_table *table_of(const char *name, const double *x, size_t n)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, name, x, 1));
    return t;
}

/* Numbers offset + spread * normal. */
static void draw(double *x, size_t n, double offset, double spread)
{
    gi_rng rng = gi_rng_new(7, 0);

    for (size_t i = 0; i < n; i++)
        x[i] = offset + spread * gi_rng_normal(&rng);
}

static void scale_by(gram_table *t, gram_scale scale)
{
    gram_scaler *s = NULL;

    CHECK_OK(gram_scaler_new(t, scale, NULL, &s));
    CHECK_OK(gram_scaler_apply(s, t));
    gram_scaler_free(s);
}

/* Mean and standard deviation in more digits. */
static void moments(const double *x, size_t n, double *mean, double *std)
{
    long double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    sum /= (long double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - sum) * (x[i] - sum);
    *mean = (double)sum;
    *std = (double)sqrtl(squares / (long double)(n - 1));
}

TEST(standard_gives_mean_0_and_deviation_1)
{
    double x[ROWS], mean, std;
    gram_table *t;

    draw(x, ROWS, 3, 40);
    t = table_of("x", x, ROWS);
    scale_by(t, GRAM_SCALE_STANDARD);
    moments(gram_table_column(t, 0).values, ROWS, &mean, &std);
    CHECK_NEAR(mean, 0, 1e-12);
    CHECK_NEAR(std, 1, 1e-12);
    gram_table_free(t);
}

TEST(minmax_gives_0_to_1)
{
    const double x[] = {5, -3, 1, 13};
    const double expected[] = {0.5, 0, 0.25, 1};
    gram_table *t = table_of("x", x, 4);

    scale_by(t, GRAM_SCALE_MINMAX);
    for (size_t i = 0; i < 4; i++)
        CHECK(gram_table_column(t, 0).values[i] == expected[i]);
    gram_table_free(t);
}

TEST(none_changes_no_bit_and_allows_missing_cells)
{
    const double x[] = {0.1, -0.0, NAN, 1e300};
    gram_table *t = table_of("x", x, 4);

    scale_by(t, GRAM_SCALE_NONE);
    CHECK(memcmp(gram_table_column(t, 0).values, x, 2 * sizeof *x) == 0);
    CHECK(isnan(gram_table_column(t, 0).values[2]));
    CHECK(gram_table_column(t, 0).values[3] == 1e300);
    gram_table_free(t);
}

TEST(offset_1e8_keeps_the_small_variation)
{
    double x[ROWS];
    long double mean = 0, std = 0;
    gram_table *t;

    draw(x, ROWS, 1e8, 0.1);
    for (size_t i = 0; i < ROWS; i++)
        mean += (x[i] - 1e8L) / ROWS;
    for (size_t i = 0; i < ROWS; i++)
        std += (x[i] - 1e8L - mean) * (x[i] - 1e8L - mean) / (ROWS - 1);
    std = sqrtl(std);
    t = table_of("x", x, ROWS);
    scale_by(t, GRAM_SCALE_STANDARD);
    for (size_t i = 0; i < ROWS; i++)
        CHECK_NEAR(gram_table_column(t, 0).values[i],
                   (double)((x[i] - 1e8L - mean) / std), 1e-6);
    gram_table_free(t);
}

TEST(constant_columns_become_0)
{
    /* 0.1 n is not what n times 0.1 sums to: the mean must still be exact. */
    const double constants[] = {0, 0.1, -1e308, 5e-324, 1e8 + 0.1};

    for (size_t c = 0; c < 5; c++)
        for (int scale = GRAM_SCALE_STANDARD; scale <= GRAM_SCALE_MINMAX;
             scale++) {
            double x[7], shift, factor;
            gram_scaler *s = NULL;
            gram_table *t;

            for (size_t i = 0; i < 7; i++)
                x[i] = constants[c];
            t = table_of("x", x, 7);
            CHECK_OK(gram_scaler_new(t, (gram_scale)scale, NULL, &s));
            CHECK_OK(gram_scaler_get(s, "x", &shift, &factor));
            CHECK(shift == constants[c] && factor == 1);
            CHECK_OK(gram_scaler_apply(s, t));
            for (size_t i = 0; i < 7; i++)
                CHECK(gram_table_column(t, 0).values[i] == 0);
            gram_scaler_free(s);
            gram_table_free(t);
        }
}

/* Multiplying a column by a power of two changes nothing once it is scaled,
 * as long as no bits are lost. */
TEST(scaled_values_do_not_depend_on_the_unit)
{
    const double units[] = {0x1p1000, 0x1p-900, 0x1p-60};
    double x[ROWS], y[ROWS];

    draw(x, ROWS, 2, 1);
    for (size_t u = 0; u < 3; u++)
        for (int scale = GRAM_SCALE_STANDARD; scale <= GRAM_SCALE_MINMAX;
             scale++) {
            gram_table *a = table_of("x", x, ROWS), *b;

            for (size_t i = 0; i < ROWS; i++)
                y[i] = x[i] * units[u];
            b = table_of("x", y, ROWS);
            scale_by(a, (gram_scale)scale);
            scale_by(b, (gram_scale)scale);
            CHECK(memcmp(gram_table_column(a, 0).values,
                         gram_table_column(b, 0).values, sizeof x) == 0);
            gram_table_free(a);
            gram_table_free(b);
        }
}

TEST(numbers_of_1e300_do_not_overflow)
{
    const double x[] = {1e300, -1e300, 3e300, 1e300};
    double mean, std;
    gram_table *t = table_of("x", x, 4);

    scale_by(t, GRAM_SCALE_STANDARD);
    moments(gram_table_column(t, 0).values, 4, &mean, &std);
    CHECK_NEAR(mean, 0, 1e-15);
    CHECK_NEAR(std, 1, 1e-15);
    gram_table_free(t);
}

TEST(another_table_is_scaled_by_name_with_what_was_learned)
{
    const double a[] = {1, 2, 3}, b[] = {10, 20, 30}, other[] = {5, 50};
    const char *const words[] = {"u", "v", "u"};
    gram_table *train = table_of("a", a, 3), *test = NULL;
    gram_scaler *s = NULL;
    double shift, factor;

    CHECK_OK(gram_table_add_numbers(train, "b", b, 1));
    CHECK_OK(gram_table_add_strings(train, "c", GRAM_TYPE_CATEGORY, words));
    CHECK_OK(gram_table_add_numbers(train, "y", b, 1));
    CHECK_OK(gram_table_set_role(train, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_scaler_new(train, GRAM_SCALE_STANDARD, NULL, &s));
    CHECK_OK(gram_scaler_get(s, "b", &shift, &factor));
    CHECK(shift == 20 && factor == 10);

    CHECK_OK(gram_table_new(2, &test)); /* other order, one column more */
    CHECK_OK(gram_table_add_numbers(test, "more", other, 1));
    CHECK_OK(gram_table_add_numbers(test, "b", other, 1));
    CHECK_OK(gram_table_add_numbers(test, "a", other, 1));
    CHECK_OK(gram_scaler_apply(s, test));
    CHECK(gram_table_column(test, 0).values[1] == 50);
    CHECK(gram_table_column(test, 1).values[0] == -1.5);
    CHECK(gram_table_column(test, 2).values[0] == 3);
    CHECK(gram_table_column(test, 2).values[1] == 48);

    CHECK_OK(gram_scaler_apply(s, train)); /* the target stays as it is */
    CHECK(gram_table_column(train, 3).values[2] == 30);
    gram_scaler_free(s);
    gram_table_free(train);
    gram_table_free(test);
}

TEST(dates_are_scaled)
{
    gram_table *t = NULL;
    double mean, std;

    CHECK_OK(gram_table_read("builtin:co2", NULL, NULL, &t));
    CHECK(gram_table_column(t, 0).type == GRAM_TYPE_DATE);
    scale_by(t, GRAM_SCALE_STANDARD);
    moments(gram_table_column(t, 0).values, gram_table_rows(t), &mean, &std);
    CHECK_NEAR(mean, 0, 1e-12);
    CHECK_NEAR(std, 1, 1e-12);
    gram_table_free(t);
}

/* A block of WIDTH features, and the same numbers as columns "0", "1", ...
 * Feature 0 is never there, feature 1 is always 0.1, feature 2 is 1e8 and a
 * little, feature 3 is huge, the others are there now and then. */
static void make_both(gram_table **sparse, gram_table **dense)
{
    double x[ROWS * WIDTH] = {0}, entries[ROWS * WIDTH];
    size_t start[ROWS + 1] = {0}, n = 0;
    unsigned index[ROWS * WIDTH];
    gi_rng rng = gi_rng_new(3, 0);

    for (size_t i = 0; i < ROWS; i++) {
        double *row = x + i * WIDTH;

        row[1] = 0.1;
        row[2] = 1e8 + gi_rng_normal(&rng);
        row[3] = 1e300 * gi_rng_normal(&rng);
        for (size_t j = 4; j < WIDTH; j++)
            if (gi_rng_below(&rng, 4) == 0)
                row[j] = gi_rng_normal(&rng) - 1;
        for (unsigned j = 0; j < WIDTH; j++)
            if (row[j] != 0) {
                entries[n] = row[j];
                index[n++] = j;
            }
        start[i + 1] = n;
    }
    CHECK_OK(gram_table_new(ROWS, sparse));
    CHECK_OK(gram_table_add_sparse(*sparse, "s", WIDTH, start, index, entries));
    CHECK_OK(gram_table_new(ROWS, dense));
    for (size_t j = 0; j < WIDTH; j++) {
        char name[] = {(char)('0' + j), '\0'};

        CHECK_OK(gram_table_add_numbers(*dense, name, x + j, WIDTH));
    }
}

TEST(sparse_features_are_divided_by_what_dense_columns_are)
{
    gram_table *sparse = NULL, *dense = NULL;
    gram_scaler *s = NULL;
    gram_column c, before;
    double factor[WIDTH], shift;

    make_both(&sparse, &dense);
    CHECK_OK(gram_scaler_new(dense, GRAM_SCALE_STANDARD, NULL, &s));
    for (size_t j = 0; j < WIDTH; j++) {
        char name[] = {(char)('0' + j), '\0'};

        CHECK_OK(gram_scaler_get(s, name, &shift, &factor[j]));
    }
    scale_by(sparse, GRAM_SCALE_STANDARD);
    c = gram_table_column(sparse, 0);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t e = c.start[i]; e < c.start[i + 1]; e++) {
            before = gram_table_column(dense, c.index[e]);
            CHECK_NEAR(c.entries[e], before.values[i] / factor[c.index[e]],
                       1e-12);
        }
    gram_scaler_free(s);
    gram_table_free(sparse);
    gram_table_free(dense);
}

TEST(sparse_minmax_brings_the_largest_entry_to_1)
{
    gram_table *sparse = NULL, *dense = NULL;
    double most[WIDTH] = {0};
    gram_column c;

    make_both(&sparse, &dense);
    scale_by(sparse, GRAM_SCALE_MINMAX);
    c = gram_table_column(sparse, 0);
    for (size_t e = 0; e < c.start[ROWS]; e++)
        most[c.index[e]] = fmax(most[c.index[e]], fabs(c.entries[e]));
    CHECK(most[0] == 0);
    for (size_t j = 1; j < WIDTH; j++)
        CHECK(most[j] == 1);
    gram_table_free(sparse);
    gram_table_free(dense);
}

TEST(threads_change_no_bit)
{
    enum { MANY = 5000, COLUMNS = 5 };
    static double x[COLUMNS][MANY];
    gram_table *t[2] = {NULL, NULL};

    for (size_t j = 0; j < COLUMNS; j++)
        draw(x[j], MANY, (double)j, 1);
    for (int k = 0; k < 2; k++) {
        const gram_exec exec = {.threads = k ? 3 : 1};
        gram_scaler *s = NULL;

        t[k] = table_of("0", x[0], MANY);
        for (size_t j = 1; j < COLUMNS; j++) {
            char name[] = {(char)('0' + j), '\0'};

            CHECK_OK(gram_table_add_numbers(t[k], name, x[j], 1));
        }
        CHECK_OK(gram_scaler_new(t[k], GRAM_SCALE_STANDARD, &exec, &s));
        CHECK_OK(gram_scaler_apply(s, t[k]));
        gram_scaler_free(s);
    }
    for (size_t j = 0; j < COLUMNS; j++)
        CHECK(memcmp(gram_table_column(t[0], j).values,
                     gram_table_column(t[1], j).values, sizeof x[j]) == 0);
    gram_table_free(t[0]);
    gram_table_free(t[1]);
}

TEST(what_cannot_be_learned_is_refused)
{
    const double missing[] = {1, NAN, 2, NAN}, wide[] = {-1.7e308, 1.7e308};
    gram_table *t = table_of("age", missing, 4), *empty = NULL;
    gram_scaler *s = NULL;

    CHECK_FAILS(gram_scaler_new(t, GRAM_SCALE_STANDARD, NULL, &s),
                GRAM_ERR_RANGE,
                "column \"age\": 2 missing cells, must be filled or dropped "
                "before scaling");
    CHECK(s == NULL);
    CHECK_FAILS(gram_scaler_new(t, (gram_scale)3, NULL, &s), GRAM_ERR_RANGE,
                "scale = 3, must be 0 to 2");
    gram_table_free(t);
    CHECK_OK(gram_table_new(0, &empty));
    CHECK_FAILS(gram_scaler_new(empty, GRAM_SCALE_MINMAX, NULL, &s),
                GRAM_ERR_RANGE,
                "a table without rows, scaling needs at least one");
    gram_table_free(empty);
    t = table_of("x", wide, 2);
    CHECK_FAILS(gram_scaler_new(t, GRAM_SCALE_MINMAX, NULL, &s), GRAM_ERR_RANGE,
                "column \"x\": max - min is too large to divide by");
    gram_table_free(t);
}

TEST(what_does_not_match_is_refused_and_nothing_changes)
{
    const double a[] = {1, 3}, far[] = {1, 1e305}, near[] = {1, 1 + 1e-10};
    const char *const words[] = {"u", "v"};
    gram_table *train = table_of("age", a, 2), *t;
    gram_scaler *s = NULL;
    double shift, factor;

    CHECK_OK(gram_table_add_numbers(train, "mass", near, 1));
    CHECK_OK(gram_scaler_new(train, GRAM_SCALE_STANDARD, NULL, &s));
    CHECK_FAILS(gram_scaler_get(s, "mas", &shift, &factor), GRAM_ERR_NAME,
                "no scaled column \"mas\" (did you mean \"mass\"?)");

    t = table_of("age", a, 2);
    CHECK_FAILS(gram_scaler_apply(s, t), GRAM_ERR_NAME, "no column \"mass\"");
    CHECK_OK(gram_table_add_strings(t, "mass", GRAM_TYPE_CATEGORY, words));
    CHECK_FAILS(gram_scaler_apply(s, t), GRAM_ERR_SHAPE,
                "column \"mass\" is of type category, it was number when "
                "scaling was learned");
    CHECK(gram_table_column(t, 0).values[1] == 3);
    gram_table_free(t);

    t = table_of("age", a, 2);
    CHECK_OK(gram_table_add_numbers(t, "mass", far, 1));
    CHECK_FAILS(gram_scaler_apply(s, t), GRAM_ERR_RANGE,
                "column \"mass\": 1e+305 is too far out to be scaled");
    CHECK(gram_table_column(t, 0).values[1] == 3);
    gram_table_free(t);
    gram_scaler_free(s);
    gram_table_free(train);
}

TEST(a_sparse_block_may_be_wider_than_the_one_learned_from)
{
    const size_t start[] = {0, 1, 2};
    const unsigned index[] = {0, 1}, wide[] = {1, 5};
    const double entries[] = {1, 2};
    gram_table *a = NULL, *b = NULL;
    gram_scaler *s = NULL;
    double shift, factor;

    CHECK_OK(gram_table_new(2, &a));
    CHECK_OK(gram_table_add_sparse(a, "s", 2, start, index, entries));
    CHECK_OK(gram_table_new(2, &b));
    CHECK_OK(gram_table_add_sparse(b, "s", 6, start, wide, entries));
    CHECK_OK(gram_scaler_new(a, GRAM_SCALE_MINMAX, NULL, &s));
    CHECK_FAILS(gram_scaler_get(s, "s", &shift, &factor), GRAM_ERR_SHAPE,
                "column \"s\" is sparse and has a factor for every feature");
    CHECK_OK(gram_scaler_apply(s, b));
    CHECK(gram_table_column(b, 0).entries[0] == 0.5);
    CHECK(gram_table_column(b, 0).entries[1] == 2); /* never seen: as it is */
    gram_scaler_free(s);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(features_with_names_are_matched_by_them)
{
    const char *const first[] = {"a", "b"}, *const second[] = {"a", "c"};
    const size_t start[] = {0, 2, 3};
    const unsigned index[] = {0, 1, 1};
    const double entries[] = {1, 2, 4};
    gram_table *a = NULL, *b = NULL;
    gram_scaler *s = NULL;
    int code;

    CHECK_OK(gram_table_new(2, &a));
    CHECK_OK(gram_table_add_sparse(a, "s", 2, start, index, entries));
    CHECK_OK(gram_table_new(2, &b));
    CHECK_OK(gram_table_add_sparse(b, "s", 2, start, index, entries));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(gi_dict_add(NULL, &a->column[0].dict, first[i], 1, &code));
        CHECK_OK(gi_dict_add(NULL, &b->column[0].dict, second[i], 1, &code));
    }
    CHECK_OK(gi_column_finish(NULL, &a->column[0], 2));
    CHECK_OK(gi_column_finish(NULL, &b->column[0], 2));
    CHECK_OK(gram_scaler_new(a, GRAM_SCALE_MINMAX, NULL, &s));
    CHECK_OK(gram_scaler_apply(s, a));
    CHECK_FAILS(gram_scaler_apply(s, b), GRAM_ERR_NAME,
                "column \"s\": feature 2 is called \"c\", it was \"b\" when "
                "scaling was learned");
    gram_scaler_free(s);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(every_failed_allocation_is_survived)
{
    gram_table *sparse = NULL, *dense = NULL;
    gram_scaler *s = NULL;
    size_t used;
    gram_status status = GRAM_ERR_MEMORY;

    make_both(&sparse, &dense);
    used = gram_memory_used();
    for (size_t n = 1; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 0);
        status = gram_scaler_new(sparse, GRAM_SCALE_STANDARD, NULL, &s);
        if (status == GRAM_OK)
            status = gram_scaler_apply(s, sparse);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        CHECK(n < 100);
        gram_scaler_free(s);
        s = NULL;
        CHECK(gram_memory_used() == used);
    }
    gram_table_free(sparse);
    gram_table_free(dense);
}

TESTS(SMALL(standard_gives_mean_0_and_deviation_1), SMALL(minmax_gives_0_to_1),
      SMALL(none_changes_no_bit_and_allows_missing_cells),
      SMALL(offset_1e8_keeps_the_small_variation),
      SMALL(constant_columns_become_0),
      SMALL(scaled_values_do_not_depend_on_the_unit),
      SMALL(numbers_of_1e300_do_not_overflow),
      SMALL(another_table_is_scaled_by_name_with_what_was_learned),
      SMALL(dates_are_scaled),
      SMALL(sparse_features_are_divided_by_what_dense_columns_are),
      SMALL(sparse_minmax_brings_the_largest_entry_to_1),
      SMALL(threads_change_no_bit), SMALL(what_cannot_be_learned_is_refused),
      SMALL(what_does_not_match_is_refused_and_nothing_changes),
      SMALL(a_sparse_block_may_be_wider_than_the_one_learned_from),
      SMALL(features_with_names_are_matched_by_them),
      SMALL(every_failed_allocation_is_survived))
