/* test_batch.c - the prediction of a row, to the last bit, does not depend on
 * the other rows of the call: how many they are, where it stands among them,
 * and how far away they lie.
 *
 * What a table of many rows gives is compared with what tables of some of them
 * give, for machines of every kind and all that can be asked of them.
 */
#include "machine_cases.h"

#include "base/limits.h"

enum { N = 230, ROWS = 200, FIRST = 1000, WHY = 3 };

/* Everything that a machine can say of `rows` rows, side by side. */
typedef struct answers {
    size_t rows, width; /* numbers of a row */
    double *number;
} answers;

enum { PARTS = 12 };

/* The numbers of each part, per row, of this machine: 0 if it has none. */
static void count_parts(const gram_machine *m, size_t *count)
{
    const gram_report *r = gram_machine_report(m);
    int squared = strcmp(r->loss, "squared") == 0 && r->classes == 0;
    size_t terms = r->outputs == 1 ? gram_machine_terms(m) : 0;
    size_t why = r->outputs == 1 ? WHY : 0, f = r->outputs;
    const size_t all[PARTS] = {f,
                               squared ? f : 0,
                               squared ? f : 0,
                               squared ? f : 0,
                               squared ? f : 0,
                               squared ? f : 0,
                               squared ? f : 0,
                               r->probabilities ? r->classes : 0,
                               terms,
                               squared ? terms : 0,
                               why,
                               why};

    memcpy(count, all, sizeof all);
}

/* What cannot be had (lambda = 0: no jackknife+ and no deviations of terms) is
 * left out. */
static void ask(const gram_machine *m, const gram_table *t,
                const gram_predict_options *o, const gram_prediction *out)
{
    gram_status status =
        gram_machine_predict(m, t, o, &(gram_exec){.threads = 1}, out);

    if (status != GRAM_OK && status != GRAM_ERR_NUMERIC)
        fail_msg("%s", gram_error_message());
}

static answers ask_all(const gram_machine *m, const gram_table *t)
{
    gram_predict_options usual = {.why = WHY};
    gram_predict_options jackknife = {.method = GRAM_INTERVAL_JACKKNIFE};
    answers a = {.rows = gram_table_rows(t)};
    size_t count[PARTS], n = a.rows;
    double *part[PARTS], *whole;
    size_t *why;

    count_parts(m, count);
    for (size_t k = 0; k < PARTS; k++) {
        part[k] = count[k] ? calloc(n * count[k] + 1, sizeof(double)) : NULL;
        a.width += count[k];
    }
    why = calloc(n * WHY + 1, sizeof *why);
    ask(m, t, &usual,
        &(gram_prediction){.mean = part[0],
                           .std = part[1],
                           .std_f = part[2],
                           .lower = part[3],
                           .upper = part[4],
                           .proba = part[7],
                           .terms = part[8],
                           .why = count[10] ? why : NULL,
                           .why_part = part[11]});
    if (part[5])
        ask(m, t, &jackknife,
            &(gram_prediction){.lower = part[5], .upper = part[6]});
    if (part[9])
        ask(m, t, &usual, &(gram_prediction){.terms_std = part[9]});
    for (size_t i = 0; i < n * count[10]; i++)
        part[10][i] = (double)why[i];
    whole = a.number = calloc(n * a.width + 1, sizeof *whole);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < PARTS; k++)
            for (size_t j = 0; j < count[k]; j++)
                *whole++ = part[k][i * count[k] + j];
    for (size_t k = 0; k < PARTS; k++)
        free(part[k]);
    free(why);
    return a;
}

/* Numbers of the parts, in the order of count_parts(). */
static const char *const names[PARTS] = {"mean",
                                         "std",
                                         "std_f",
                                         "lower",
                                         "upper",
                                         "jackknife lower",
                                         "jackknife upper",
                                         "proba",
                                         "terms",
                                         "terms_std",
                                         "why",
                                         "why_part"};

static const char *part_name(const gram_machine *m, size_t at)
{
    size_t count[PARTS], k = 0;

    count_parts(m, count);
    while (at >= count[k])
        at -= count[k++];
    return names[k];
}

/* The machine's answers for these rows are those in `all`. */
static void compare(const machine_case *c, const gram_machine *m,
                    const answers *all, const case_rows *rows)
{
    gram_table *t = case_table(rows, c->target);
    answers some = ask_all(m, t);

    for (size_t i = 0; i < rows->count; i++) {
        size_t row = case_row(rows, i) - FIRST;

        for (size_t j = 0; row < all->rows && j < all->width; j++) {
            double a = all->number[row * all->width + j];
            double b = some.number[i * all->width + j];

            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("%s: %s of row %zu is %.17g, beside %zu others (far "
                         "%g) %.17g",
                         c->name, part_name(m, j), row, a, rows->count - 1,
                         rows->far, b);
        }
    }
    free(some.number);
    gram_table_free(t);
}

/* Some rows alone and in pairs, beginnings and ends of all rows around the
 * edges of tiles. */
static void compare_parts(const machine_case *c, const gram_machine *m,
                          const answers *all)
{
    static const size_t sizes[] = {15, 16, 17, 63, 64, 65, 96, 97, 192, 193};
    static const size_t alone[] = {0, 3, 63, 64, 130, 191, 192, 199};

    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) {
        size_t row = FIRST + alone[k], pair[] = {row, FIRST + (row + 5) % ROWS};

        compare(c, m, all, &(case_rows){.first = row, .count = 1});
        if (k % 3 == 0)
            compare(c, m, all, &(case_rows){.row = pair, .count = 2});
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t from = k % 2 ? ROWS - sizes[k] : 0;

        compare(c, m, all,
                &(case_rows){.first = FIRST + from, .count = sizes[k]});
    }
}

/* A far row before, among and behind. */
static void compare_far(const machine_case *c, const gram_machine *m,
                        const answers *all)
{
    static const double far[] = {1e4, 1e8, 1e30, 1e200};
    const size_t beside[] = {CASE_FAR,     FIRST,       FIRST + 77,
                             CASE_FAR + 1, FIRST + 130, CASE_FAR + 2};
    const size_t count = sizeof beside / sizeof *beside;

    for (size_t k = 0; k < sizeof far / sizeof *far; k++)
        compare(c, m, all,
                &(case_rows){.row = beside, .count = count, .far = far[k]});
}

TEST(a_row_has_the_same_prediction_beside_any_others)
{
    for (size_t k = 0; k < MACHINE_CASES; k++) {
        const machine_case *c = &machine_cases[k];
        gram_machine *m = case_fit(c, N, NULL);
        gram_table *t =
            case_table(&(case_rows){.first = FIRST, .count = ROWS}, c->target);
        answers all = ask_all(m, t);

        compare_parts(c, m, &all);
        compare_far(c, m, &all);
        free(all.number);
        gram_table_free(t);
        gram_machine_free(m);
    }
}

/* More rows than a block has at most, and than are predicted at a time. */
TEST(many_rows_change_no_bit_of_one)
{
    static const machine_case c = {
        "many rows",
        NUMBER,
        {.kernel = "rbf(gamma=0.1)" WIDE " + linear" WIDE,
         .lambda = "0.1",
         .solver = "dual"}};
    const size_t many = GI_PREDICT_SLICE_ROWS + GI_TILE_LARGE_ROWS;
    gram_machine *m = case_fit(&c, 2 * GI_TILE_COMMON + 1, NULL);
    gram_table *all =
        case_table(&(case_rows){.first = FIRST, .count = many}, c.target);
    double *mean = calloc(many, sizeof *mean), one;

    CHECK_OK(gram_machine_predict(m, all, NULL, NULL,
                                  &(gram_prediction){.mean = mean}));
    for (size_t i = 0; i < many; i += many / 7) {
        gram_table *t =
            case_table(&(case_rows){.first = FIRST + i, .count = 1}, c.target);

        CHECK_OK(gram_machine_predict(m, t, NULL, NULL,
                                      &(gram_prediction){.mean = &one}));
        CHECK(memcmp(&one, &mean[i], sizeof one) == 0);
        gram_table_free(t);
    }
    gram_table_free(all);
    gram_machine_free(m);
    free(mean);
}

/* Far rows are as good as near ones: f(x) = x.w of a linear kernel, and 0 of
 * one that decays, however far, in products and in differences. */
TEST(far_rows_are_right)
{
    static const machine_case linear = {"linear",
                                        NUMBER,
                                        {.kernel = "linear" WIDE,
                                         .lambda = "0.1",
                                         .solver = "dual",
                                         .scale = GRAM_KERNEL_SCALE_NONE}};
    static const machine_case decays = {
        "rbf", NUMBER, {.kernel = "rbf(gamma=0.1)" WIDE, .lambda = "0.1"}};
    static const double far[] = {1e4, 1e8, 1e30, 1e120, 1e200};
    const size_t row = CASE_FAR;
    gram_machine *a = case_fit(&linear, N, NULL);
    gram_machine *b = case_fit(&decays, N, NULL);
    double ia = gram_machine_report(a)->intercept[0];
    double ib = gram_machine_report(b)->intercept[0], one, f;

    for (size_t k = 0; k <= sizeof far / sizeof *far; k++) {
        gram_table *t = case_table(
            &(case_rows){.row = &row, .count = 1, .far = k ? far[k - 1] : 1},
            NUMBER);

        CHECK_OK(gram_machine_predict(a, t, NULL, NULL,
                                      &(gram_prediction){.mean = &f}));
        if (k == 0)
            one = f - ia;
        else
            CHECK_NEAR((f - ia) / (one * far[k - 1]), 1, 1e-9);
        CHECK_OK(gram_machine_predict(b, t, NULL, NULL,
                                      &(gram_prediction){.mean = &f}));
        CHECK(k == 0 || f == ib);
        gram_table_free(t);
    }
    gram_machine_free(a);
    gram_machine_free(b);
}

TESTS(NORMAL(a_row_has_the_same_prediction_beside_any_others),
      NORMAL(many_rows_change_no_bit_of_one), SMALL(far_rows_are_right))
