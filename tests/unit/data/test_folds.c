/* test_folds.c - splits: every row in one fold, sizes, shares, groups, seeds,
 * and what is refused.
 */
#include "check.h"

#include "base/mem.h"
#include "base/rng.h"

enum { ROWS = 103, FOLDS_MOST = 10 };

static const char *const colours[] = {"red", "green", "blue", "10", "9"};

/* ROWS rows: "colour" (5 levels, uneven), "person" (number, 17 of them, group
 * sizes from 1 up), "day" (text that is a number or a word). */
static gram_table *make_table(void)
{
    gram_table *t = NULL;
    const char *colour[ROWS], *day[ROWS];
    double person[ROWS];
    gi_rng rng = gi_rng_new(11, 0);

    for (size_t i = 0; i < ROWS; i++) {
        double u = gi_rng_uniform(&rng);

        colour[i] = colours[gi_rng_below(&rng, 1 + gi_rng_below(&rng, 5))];
        person[i] = -8 + floor(17 * u * u);
        day[i] = colours[i % 5];
    }
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_strings(t, "colour", GRAM_TYPE_CATEGORY, colour));
    CHECK_OK(gram_table_add_numbers(t, "person", person, 1));
    CHECK_OK(gram_table_add_strings(t, "day", GRAM_TYPE_TEXT, day));
    return t;
}

static size_t split(const gram_table *t, const gram_fold_options *o,
                    unsigned long long seed, int *fold)
{
    const gram_exec exec = {.seed = seed};
    size_t count = 0;

    CHECK_OK(gram_table_folds(t, o, &exec, fold, &count));
    for (size_t i = 0; i < gram_table_rows(t); i++)
        CHECK(fold[i] >= 0 && (size_t)fold[i] < count);
    return count;
}

/* The sizes of the folds among the rows with codes[i] == code, or all rows if
 * codes is NULL, differ by at most this. */
static size_t spread(const int *fold, size_t rows, size_t count,
                     const int *codes, int code)
{
    size_t size[ROWS] = {0}, least = rows, most = 0;

    for (size_t i = 0; i < rows; i++)
        if (!codes || codes[i] == code)
            size[fold[i]]++;
    for (size_t k = 0; k < count; k++) {
        least = size[k] < least ? size[k] : least;
        most = size[k] > most ? size[k] : most;
    }
    return most - least;
}

TEST(folds_differ_by_at_most_one_row)
{
    gram_table *t = make_table();
    int fold[ROWS];

    for (size_t k = 2; k <= ROWS; k++) {
        CHECK(split(t, &(gram_fold_options){.folds = k}, k, fold) == k);
        CHECK(spread(fold, ROWS, k, NULL, 0) <= 1);
    }
    CHECK(split(t, NULL, 0, fold) == 5);
    gram_table_free(t);
}

TEST(stratified_folds_keep_the_shares_and_the_sizes)
{
    gram_table *t = make_table();
    gram_column c = gram_table_column(t, 0);
    int fold[ROWS];

    for (size_t k = 2; k <= FOLDS_MOST; k++) {
        split(t, &(gram_fold_options){.folds = k, .stratify = "colour"}, k,
              fold);
        CHECK(spread(fold, ROWS, k, NULL, 0) <= 1);
        for (size_t level = 0; level < c.level_count; level++)
            CHECK(spread(fold, ROWS, k, c.codes, (int)level) <= 1);
    }
    gram_table_free(t);
}

TEST(stratified_by_numbers_is_stratified_by_their_values)
{
    gram_table *t = make_table();
    const double *person = gram_table_column(t, 1).values;
    int fold[ROWS], codes[ROWS];

    for (size_t i = 0; i < ROWS; i++)
        codes[i] = (int)person[i];
    split(t, &(gram_fold_options){.folds = 4, .stratify = "person"}, 1, fold);
    for (int code = -8; code < 9; code++)
        CHECK(spread(fold, ROWS, 4, codes, code) <= 1);
    gram_table_free(t);
}

/* Graham's bound: when a group was put in its fold, that fold was the smallest
 * of all, so no fold exceeds another by more than the largest group. */
TEST(groups_stay_together_in_folds_of_similar_size)
{
    gram_table *t = make_table();
    const double *person = gram_table_column(t, 1).values;
    int fold[ROWS];

    for (size_t k = 2; k <= FOLDS_MOST; k++) {
        size_t of_group[17] = {0}, size[FOLDS_MOST] = {0}, largest = 0;

        split(t, &(gram_fold_options){.folds = k, .group = "person"}, k, fold);
        for (size_t i = 0; i < ROWS; i++) {
            size_t g = (size_t)(person[i] + 8);

            of_group[g]++;
            size[fold[i]]++;
            largest = of_group[g] > largest ? of_group[g] : largest;
            for (size_t j = 0; j < i; j++)
                CHECK(person[i] != person[j] || fold[i] == fold[j]);
        }
        CHECK(spread(fold, ROWS, k, NULL, 0) <= largest);
        for (size_t f = 0; f < k; f++)
            CHECK(size[f] > 0);
    }
    gram_table_free(t);
}

TEST(groups_of_one_row_are_split_like_rows)
{
    double id[ROWS];
    int fold[ROWS];
    gram_table *t = NULL;

    for (size_t i = 0; i < ROWS; i++)
        id[i] = (double)i / 7;
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "id", id, 1));
    for (size_t k = 2; k <= ROWS; k++) {
        split(t, &(gram_fold_options){.folds = k, .group = "id"}, 3, fold);
        CHECK(spread(fold, ROWS, k, NULL, 0) <= 1);
    }
    gram_table_free(t);
}

/* Three groups of 5, 4 and 3 rows, two folds: 5 goes first, then 4 to the
 * other fold, then 3 to the fold with 4. */
TEST(the_largest_group_goes_first)
{
    const char *const names[] = {"c", "c", "c", "b", "b", "b",
                                 "b", "a", "a", "a", "a", "a"};
    const int expected[] = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
    gram_table *t = NULL;
    int fold[12];

    CHECK_OK(gram_table_new(12, &t));
    CHECK_OK(gram_table_add_strings(t, "g", GRAM_TYPE_TEXT, names));
    for (unsigned seed = 0; seed < 5; seed++) {
        split(t, &(gram_fold_options){.folds = 2, .group = "g"}, seed, fold);
        CHECK(memcmp(fold, expected, sizeof fold) == 0);
    }
    gram_table_free(t);
}

/* Numbers come before words: 9, 10, blue, green, red. */
TEST(given_folds_are_numbered_in_the_order_of_names)
{
    const int expected[] = {4, 3, 2, 1, 0};
    gram_table *t = make_table();
    int fold[ROWS], by_number[ROWS];
    double number[ROWS];

    CHECK(split(t, &(gram_fold_options){.given = "day"}, 1, fold) == 5);
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(fold[i] == expected[i % 5]);
        number[i] = 100 - 2.5 * fold[i];
    }
    CHECK_OK(gram_table_add_numbers(t, "number", number, 1));
    CHECK(split(t, &(gram_fold_options){.given = "number", .folds = 5}, 1,
                by_number) == 5);
    for (size_t i = 0; i < ROWS; i++)
        CHECK(by_number[i] == 4 - fold[i]);
    gram_table_free(t);
}

TEST(the_seed_alone_decides)
{
    const gram_fold_options ways[] = {{.folds = 4},
                                      {.folds = 4, .stratify = "colour"},
                                      {.folds = 4, .group = "person"}};
    gram_table *t = make_table();

    for (size_t w = 0; w < 3; w++) {
        int a[ROWS], b[ROWS], c[ROWS];
        gram_exec exec = {.seed = 1, .threads = 3};
        size_t count;

        split(t, &ways[w], 1, a);
        CHECK_OK(gram_table_folds(t, &ways[w], &exec, b, &count));
        split(t, &ways[w], 2, c);
        CHECK(memcmp(a, b, sizeof a) == 0);
        CHECK(memcmp(a, c, sizeof a) != 0);
    }
    gram_table_free(t);
}

/* Over many seeds every row is in every fold about equally often: 400 throws
 * at 1/4 have a deviation of 8.7, and six of them are never seen. */
TEST(no_row_prefers_a_fold)
{
    gram_table *t = make_table();
    size_t times[ROWS][4] = {{0}};
    int fold[ROWS];

    for (unsigned seed = 0; seed < 400; seed++) {
        split(t, &(gram_fold_options){.folds = 4}, seed, fold);
        for (size_t i = 0; i < ROWS; i++)
            times[i][fold[i]]++;
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < 4; k++)
            CHECK(times[i][k] > 100 - 52 && times[i][k] < 100 + 52);
    gram_table_free(t);
}

TEST(what_cannot_be_split_is_refused)
{
    static const struct {
        gram_fold_options options;
        gram_status status;
        const char *sentence;
    } cases[] = {
        {{.folds = 1}, GRAM_ERR_RANGE, "folds = 1, must be at least 2"},
        {{.folds = 7}, GRAM_ERR_RANGE, "folds = 7, more than the 6 rows"},
        {{.stratify = "colr"},
         GRAM_ERR_NAME,
         "no column \"colr\" (did you mean \"color\"?)"},
        {{.folds = 3, .group = "color"},
         GRAM_ERR_RANGE,
         "folds = 3, more than the 2 groups of column \"color\""},
        {{.stratify = "color", .given = "color"},
         GRAM_ERR_RANGE,
         "folds: at most one of stratify, group and given can be asked for"},
        {{.folds = 3, .given = "color"},
         GRAM_ERR_RANGE,
         "folds = 3, but column \"color\" gives 2"},
        {{.given = "one"},
         GRAM_ERR_RANGE,
         "column \"one\" gives 1 fold, must be at least 2"},
        {{.given = "hole"},
         GRAM_ERR_RANGE,
         "row 5, column \"hole\": the cell is missing, folds need one in "
         "every row"},
        {{.group = "gap"},
         GRAM_ERR_RANGE,
         "row 2, column \"gap\": the cell is missing, folds need one in "
         "every row"},
        {{.stratify = "block"},
         GRAM_ERR_SHAPE,
         "column \"block\" is sparse, folds need one value a row"},
    };
    const char *const color[] = {"r", "g", "r", "g", "r", "g"};
    const char *const gap[] = {"r", NULL, "r", "g", "r", "g"};
    const double one[] = {1, 1, 1, 1, 1, 1}, hole[] = {1, 2, 3, 4, NAN, 6};
    const size_t start[7] = {0};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(6, &t));
    CHECK_OK(gram_table_add_strings(t, "color", GRAM_TYPE_CATEGORY, color));
    CHECK_OK(gram_table_add_strings(t, "gap", GRAM_TYPE_CATEGORY, gap));
    CHECK_OK(gram_table_add_numbers(t, "one", one, 1));
    CHECK_OK(gram_table_add_numbers(t, "hole", hole, 1));
    CHECK_OK(gram_table_add_sparse(t, "block", 2, start, NULL, NULL));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int fold[6] = {7, 7, 7, 7, 7, 7};
        size_t count = 99;

        CHECK_FAILS(gram_table_folds(t, &cases[c].options, NULL, fold, &count),
                    cases[c].status, cases[c].sentence);
        CHECK(count == 99);
        for (size_t i = 0; i < 6; i++)
            CHECK(fold[i] == 7);
    }
    gram_table_free(t);
}

TEST(a_table_without_rows_is_refused)
{
    gram_table *t = NULL;
    size_t count;
    int fold[1];

    CHECK_OK(gram_table_new(0, &t));
    CHECK_FAILS(gram_table_folds(t, NULL, NULL, fold, &count), GRAM_ERR_RANGE,
                "folds = 2, more than the 0 rows");
    gram_table_free(t);
}

TEST(every_failed_allocation_is_survived)
{
    const gram_fold_options ways[] = {{.folds = 4},
                                      {.folds = 4, .stratify = "colour"},
                                      {.folds = 4, .group = "person"},
                                      {.given = "day"}};
    gram_table *t = make_table();
    size_t used = gram_memory_used(), count;
    int fold[ROWS];

    for (size_t w = 0; w < 4; w++) {
        gram_status status = GRAM_ERR_MEMORY;

        for (size_t n = 1; status != GRAM_OK; n++) {
            gi_mem_fail_at(n, 0);
            status = gram_table_folds(t, &ways[w], NULL, fold, &count);
            gi_mem_fail_at(0, 0);
            CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
            CHECK(n < 100);
            CHECK(gram_memory_used() == used);
        }
    }
    gram_table_free(t);
}

TESTS(SMALL(folds_differ_by_at_most_one_row),
      SMALL(stratified_folds_keep_the_shares_and_the_sizes),
      SMALL(stratified_by_numbers_is_stratified_by_their_values),
      SMALL(groups_stay_together_in_folds_of_similar_size),
      SMALL(groups_of_one_row_are_split_like_rows),
      SMALL(the_largest_group_goes_first),
      SMALL(given_folds_are_numbered_in_the_order_of_names),
      SMALL(the_seed_alone_decides), SMALL(no_row_prefers_a_fold),
      SMALL(what_cannot_be_split_is_refused),
      SMALL(a_table_without_rows_is_refused),
      SMALL(every_failed_allocation_is_survived))
