/* test_table.c - tables made in memory: columns, names, roles. */
#include "check.h"

#include "data/table/table.h"
#include "temporary.h"

static const double matrix[] = {1, 2, 3, 4, NAN, 6};
static const char *const words[] = {"b", NULL, "a"};

static gram_table *small_table(void)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "even", matrix + 1, 2));
    CHECK_OK(gram_table_add_numbers(t, "odd", matrix, 2));
    CHECK_OK(gram_table_add_strings(t, "word", GRAM_TYPE_CATEGORY, words));
    return t;
}

TEST(columns_hold_what_was_added)
{
    gram_table *t = small_table();
    gram_column even = gram_table_column(t, 0), odd = gram_table_column(t, 1);
    gram_column word = gram_table_column(t, 2);

    CHECK(gram_table_rows(t) == 3 && gram_table_cols(t) == 3);
    CHECK(even.values[0] == 2 && even.values[2] == 6 && even.missing == 0);
    CHECK(odd.values[1] == 3 && isnan(odd.values[2]) && odd.missing == 1);
    CHECK(word.level_count == 2 && word.missing == 1);
    CHECK(word.codes[0] == 1 && word.codes[1] == -1 && word.codes[2] == 0);
    CHECK_STR(word.levels[0], "a");
    gram_table_free(t);
    gram_table_free(NULL);
}

TEST(dates_are_days)
{
    const double days[] = {0, 1, 2.5, 3};
    gram_table *t = NULL;
    gram_column c;

    CHECK_OK(gram_table_new(2, &t));
    CHECK_OK(gram_table_add_dates(t, "when", days, 2));
    c = gram_table_column(t, 0);
    CHECK(c.type == GRAM_TYPE_DATE && c.values[1] == 2.5);
    CHECK(gram_table_add_dates(t, "when", days, 1) == GRAM_ERR_NAME);
    gram_table_free(t);
}

TEST(a_matrix_is_many_columns)
{
    enum { ROWS = 70, COLS = 3 }; /* more than are copied at a time */
    static double wide[ROWS * COLS];
    static float narrow[ROWS * COLS];
    gram_table *t = NULL;

    for (int i = 0; i < ROWS * COLS; i++) {
        wide[i] = i + 0.1;
        narrow[i] = (float)i;
    }
    narrow[5 * COLS] = NAN;
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_matrix(t, wide, COLS, 1, ROWS));
    CHECK_OK(gram_table_add_matrix_single(t, narrow, COLS, COLS, 1));
    CHECK_OK(gram_table_add_matrix(t, NULL, 0, 1, 1));
    CHECK(gram_table_cols(t) == 2 * COLS);
    CHECK_STR(gram_table_column(t, COLS).name, "c3");
    CHECK(gram_table_column(t, COLS).missing == 1);
    for (size_t j = 0; j < COLS; j++)
        for (size_t i = 0; i < ROWS; i++) {
            float x = narrow[i * COLS + j];
            double y = gram_table_column(t, COLS + j).values[i];
            CHECK(gram_table_column(t, j).values[i] == wide[j * ROWS + i]);
            CHECK(isnan(x) ? isnan(y) : x == y);
        }
    wide[ROWS + 1] = -INFINITY;
    CHECK_FAILS(gram_table_add_matrix(t, wide, COLS, 1, ROWS), GRAM_ERR_RANGE,
                "row 2, column \"c7\": -inf is not finite");
    CHECK(gram_table_cols(t) == 2 * COLS);
    CHECK_OK(gram_table_add_numbers(t, "c7", wide, 1));
    CHECK_FAILS(gram_table_add_matrix(t, wide, COLS, 1, ROWS), GRAM_ERR_NAME,
                "two columns are called \"c7\"");
    CHECK(gram_table_cols(t) == 2 * COLS + 1);
    gram_table_free(t);
}

TEST(a_sparse_block_is_checked_and_kept)
{
    static const size_t start[] = {0, 2, 2, 3};
    static const unsigned index[] = {0, 4, 2}, bad[] = {4, 0, 2};
    static const double entries[] = {1, -1, 5};
    gram_table *t = small_table();
    gram_column c;

    CHECK_OK(gram_table_add_sparse(t, "block", 5, start, index, entries));
    c = gram_table_column(t, 3);
    CHECK(c.type == GRAM_TYPE_SPARSE && c.width == 5 && c.start[3] == 3);
    CHECK(c.index[2] == 2 && c.entries[1] == -1 && c.feature_names == NULL);
    CHECK_FAILS(gram_table_add_sparse(t, "b", 5, start, bad, entries),
                GRAM_ERR_RANGE,
                "row 1, column \"b\": index 0, must ascend and be below 5");
    CHECK_FAILS(gram_table_add_sparse(t, "b", 4, start, index, entries),
                GRAM_ERR_RANGE,
                "row 1, column \"b\": index 4, must ascend and be below 4");
    CHECK(gram_table_cols(t) == 4);
    gram_table_free(t);
}

TEST(bad_columns_are_refused_and_leave_the_table_as_it_was)
{
    static const double infinite[] = {1, INFINITY, 2};
    gram_table *t = small_table();

    CHECK_FAILS(gram_table_add_numbers(t, "even", matrix, 1), GRAM_ERR_NAME,
                "two columns are called \"even\"");
    CHECK_FAILS(gram_table_add_numbers(t, "x", infinite, 1), GRAM_ERR_RANGE,
                "row 2, column \"x\": inf is not finite");
    CHECK_FAILS(gram_table_add_strings(t, "x", GRAM_TYPE_NUMBER, words),
                GRAM_ERR_RANGE,
                "column \"x\": strings make a category or text, not type 0");
    CHECK(gram_table_cols(t) == 3);
    CHECK_OK(gram_table_add_numbers(t, "x", matrix, 1));
    gram_table_free(t);
}

TEST(columns_are_found_by_name_or_suggested)
{
    gram_table *t = small_table();
    size_t j = 99;

    CHECK_OK(gram_table_find(t, "word", &j));
    CHECK(j == 2);
    CHECK_FAILS(gram_table_find(t, "wrod", &j), GRAM_ERR_NAME,
                "no column \"wrod\" (did you mean \"word\"?)");
    CHECK_FAILS(gram_table_find(t, "zebra", &j), GRAM_ERR_NAME,
                "no column \"zebra\"");
    gram_table_free(t);
}

TEST(roles_are_checked)
{
    static const double negative[] = {1, -2, 3};
    gram_table *t = small_table();

    CHECK_OK(gram_table_add_numbers(t, "neg", negative, 1));
    CHECK_OK(gram_table_set_role(t, "word", GRAM_ROLE_TARGET));
    CHECK(gram_table_column(t, 2).role == GRAM_ROLE_TARGET);
    CHECK_OK(gram_table_set_role(t, "even", GRAM_ROLE_WEIGHT));
    CHECK_FAILS(gram_table_set_role(t, "neg", GRAM_ROLE_WEIGHT), GRAM_ERR_RANGE,
                "row 2, column \"neg\": weight -2, must be 0 or more");
    CHECK_FAILS(gram_table_set_role(t, "neg", GRAM_ROLE_NOISE), GRAM_ERR_RANGE,
                "row 2, column \"neg\": noise -2, must be 0 or more");
    CHECK_FAILS(gram_table_set_role(t, "word", GRAM_ROLE_WEIGHT),
                GRAM_ERR_RANGE,
                "column \"word\": a weight must be a number, it is a category");
    CHECK(gram_table_set_role(t, "wrd", GRAM_ROLE_TARGET) == GRAM_ERR_NAME);
    CHECK_STR(gram_role_name(GRAM_ROLE_GROUP), "group");
    CHECK_STR(gram_type_name(GRAM_TYPE_SPARSE), "sparse");
    gram_table_free(t);
}

/* x, y, and a word c, each with a hole of its own. */
static gram_table *holes(gram_role role)
{
    static const double x[] = {1, NAN, 3, 5}, y[] = {1, 2, NAN, 4};
    static const char *const c[] = {"b", "a", "b", NULL};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, c));
    CHECK_OK(gram_table_set_role(t, "y", role));
    return t;
}

TEST(missing_features_are_filled_after_roles_were_set)
{
    gram_table *t = holes(GRAM_ROLE_FEATURE);
    gram_column c;

    CHECK_FAILS(gram_table_fill_missing(t, GRAM_MISSING_REFUSE, NULL),
                GRAM_ERR_RANGE,
                "row 2, column \"x\": the cell is missing (--missing drop, "
                "mean or indicator says what to do)");
    CHECK_OK(gram_table_fill_missing(t, GRAM_MISSING_KEEP, NULL));
    CHECK(gram_table_column(t, 0).missing == 1);
    CHECK_OK(gram_table_fill_missing(t, GRAM_MISSING_INDICATOR, NULL));
    CHECK(gram_table_cols(t) == 5);
    CHECK(gram_table_column(t, 0).values[1] == 3);
    c = gram_table_column(t, 2);
    CHECK(c.missing == 0 && c.level_count == 3);
    CHECK_STR(c.levels[c.codes[3]], "(missing)");
    CHECK_STR(c.levels[c.codes[0]], "b");
    gram_table_free(t);
}

TEST(a_level_that_is_called_missing_is_not_made_twice)
{
    static const char *const c[] = {"z", "(missing)", NULL};
    gram_table *t = NULL;
    gram_column column;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, c));
    CHECK_OK(gram_table_fill_missing(t, GRAM_MISSING_INDICATOR, NULL));
    column = gram_table_column(t, 0);
    CHECK(column.level_count == 2 && column.codes[1] == column.codes[2]);
    gram_table_free(t);
}

TEST(only_features_are_ever_invented)
{
    static const gram_missing fills[] = {GRAM_MISSING_REFUSE, GRAM_MISSING_MEAN,
                                         GRAM_MISSING_INDICATOR};

    for (gram_role role = GRAM_ROLE_TARGET; role <= GRAM_ROLE_GROUP; role++) {
        char sentence[160];
        gram_table *t = holes(role);

        snprintf(sentence, sizeof sentence,
                 "row 3, column \"y\": the cell is missing, a %s cannot be "
                 "filled in (--missing drop leaves out its row)",
                 gram_role_name(role));
        for (size_t k = 0; k < 3; k++)
            CHECK(gram_table_fill_missing(t, fills[k], NULL) == GRAM_ERR_RANGE);
        CHECK_STR(gram_error_message(), sentence);
        CHECK(gram_table_cols(t) == 3 && gram_table_column(t, 0).missing == 1);
        CHECK_OK(gram_table_fill_missing(t, GRAM_MISSING_DROP, NULL));
        CHECK(gram_table_rows(t) == 1);
        gram_table_free(t);
    }
}

TEST(a_table_of_holes_has_no_rows_left)
{
    static const double x[] = {NAN, NAN};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(2, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_FAILS(gram_table_fill_missing(t, GRAM_MISSING_DROP, NULL),
                GRAM_ERR_RANGE, "no rows without missing cells");
    gram_table_free(t);
}

TEST(a_target_may_be_a_file_of_its_own)
{
    const char *path = temporary_path("y.npy");
    gram_table *t = small_table(), *y = NULL;
    size_t j = 0;

    CHECK_OK(gram_table_new(3, &y));
    CHECK_OK(gram_table_add_numbers(y, "any", matrix + 1, 2));
    CHECK_OK(gram_table_write(y, path, NULL, NULL));
    CHECK_OK(gram_table_set_role(t, path, GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_find(t, "y", &j));
    CHECK(gram_table_column(t, j).role == GRAM_ROLE_TARGET);
    CHECK(gram_table_column(t, j).values[2] == 6);
    gram_table_free(y);
    CHECK_OK(gram_table_new(2, &y));
    CHECK_OK(gram_table_add_numbers(y, "any", matrix, 1));
    CHECK_OK(gram_table_write(y, path, NULL, NULL));
    CHECK(gram_table_set_role(t, path, GRAM_ROLE_TARGET) == GRAM_ERR_SHAPE);
    CHECK(strstr(gram_error_message(), "y.npy: 2 rows, the table has 3"));
    gram_table_free(y);
    gram_table_free(t);
}

TEST(rows_can_be_kept)
{
    static const size_t start[] = {0, 2, 2, 3};
    static const unsigned index[] = {0, 4, 2};
    static const double entries[] = {1, -1, 5};
    static const unsigned char rows[] = {0, 1, 1};
    gram_table *t = small_table();
    gram_column c;

    CHECK_OK(gram_table_add_sparse(t, "block", 5, start, index, entries));
    gi_table_keep_rows(t, rows);
    CHECK(gram_table_rows(t) == 2);
    CHECK(gram_table_column(t, 0).values[0] == 4);
    CHECK(gram_table_column(t, 2).codes[1] == 0);
    c = gram_table_column(t, 3);
    CHECK(c.start[0] == 0 && c.start[1] == 0 && c.start[2] == 1);
    CHECK(c.index[0] == 2 && c.entries[0] == 5);
    gram_table_free(t);
}

TESTS(SMALL(columns_hold_what_was_added), SMALL(dates_are_days),
      SMALL(a_matrix_is_many_columns),
      SMALL(a_sparse_block_is_checked_and_kept),
      SMALL(bad_columns_are_refused_and_leave_the_table_as_it_was),
      SMALL(columns_are_found_by_name_or_suggested), SMALL(roles_are_checked),
      SMALL(missing_features_are_filled_after_roles_were_set),
      SMALL(a_level_that_is_called_missing_is_not_made_twice),
      SMALL(only_features_are_ever_invented),
      SMALL(a_table_of_holes_has_no_rows_left),
      SMALL(a_target_may_be_a_file_of_its_own), SMALL(rows_can_be_kept))
