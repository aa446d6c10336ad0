/* test_machine.c - the plan of a fit and that it is kept, and everything that a
 * fit refuses or survives: bad options, bad targets, no kernels, no memory.
 */
#include "machines.h"
#include "temporary.h"

#include "base/limits.h"
#include "base/mem.h"

TEST(the_plan_is_kept)
{
    const char *const kernels[] = {"rbf(gamma=0.4)", "linear", "rbf",
                                   "poly(degree=3)"};
    gram_table *t = machines_table(900, 4, 19);

    for (size_t k = 0; k < 4; k++) {
        gram_fit_options o = {.kernel = kernels[k]};
        gram_plan plan;
        gram_machine *m;
        const gram_report *r;

        CHECK_OK(gram_machine_plan(t, &o, NULL, &plan));
        m = machines_fit(t, &o);
        r = gram_machine_report(m);
        CHECK_STR(plan.solver, r->solver);
        CHECK(r->plan_bytes == plan.bytes);
        if (!((double)r->peak_bytes <= 1.2 * (double)plan.bytes))
            fail_msg("%s: %zu of %zu bytes", kernels[k], r->peak_bytes,
                     plan.bytes);
        CHECK(plan.seconds > 0 && r->seconds > 0);
        gram_machine_free(m);
    }
    gram_table_free(t);
}

/* Selection looks at a subset where there are more rows than SELECT_LOSS_ROWS,
 * or than fit in memory; what it costs comes from a problem on all of them. */
TEST(a_plan_on_a_subset_keeps_to_its_memory)
{
    static const size_t rows[] = {GI_SELECT_LOSS_ROWS, GI_SELECT_LOSS_ROWS + 1,
                                  GI_SELECT_LOSS_ROWS + GI_SELECT_MIN_ROWS};
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)", .loss = "huber(delta=1)"};

    for (size_t i = 0; i < 3; i++) {
        gram_table *t = machines_table(rows[i], 2, 29);
        const size_t before = gram_memory_used();
        const size_t little[] = {0, rows[i] * 8000};

        for (size_t l = 0; l < 2; l++) {
            gram_exec exec = {.memory = little[l]};
            gram_plan plan;

            CHECK_OK(gram_machine_plan(t, &o, &exec, &plan));
            CHECK(plan.bytes > 0 && plan.seconds > 0);
            CHECK(gram_memory_used() == before);
        }
        gram_table_free(t);
    }
}

/* --------------------------------------------------------------- bad input */

static void check_refused(const gram_table *t, const gram_fit_options *o,
                          gram_status status, const char *sentence)
{
    gram_machine *m = NULL;
    gram_plan plan;
    size_t before = gram_memory_used();

    CHECK_FAILS(gram_machine_plan(t, o, NULL, &plan), status, sentence);
    CHECK_FAILS(gram_machine_fit(t, o, NULL, &m), status, sentence);
    CHECK(m == NULL && gram_memory_used() == before);
}

TEST(bad_options_have_sentences)
{
    static const struct {
        gram_fit_options o;
        gram_status status;
        const char *sentence;
    } cases[] = {
        {{.lambda = "-1"},
         GRAM_ERR_RANGE,
         "lambda = -1, must be a number of at least 0, ?[candidates] or auto"},
        {{.lambda = "nan"},
         GRAM_ERR_RANGE,
         "lambda = nan, must be a number of at least 0, ?[candidates] or auto"},
        {{.lambda = "?[1,0]"},
         GRAM_ERR_RANGE,
         "lambda \"?[1,0]\", character 5: candidate 0, must be positive"},
        {{.solver = "duel"},
         GRAM_ERR_NAME,
         "solver \"duel\": no such solver (did you mean \"dual\"?)"},
        {{.jitter = -2}, GRAM_ERR_RANGE, "jitter = -2, must be 0 or more"},
        {{.tolerance = NAN},
         GRAM_ERR_RANGE,
         "tolerance = nan, must be 0 or more"},
        {{.precision = 3}, GRAM_ERR_RANGE, "precision = 3, must be 0 to 2"},
        {{.holdout = 0.1},
         GRAM_ERR_RANGE,
         "holdout = 0.1: only solver gd holds rows out"},
        {{.kernel = "rbf + white"},
         GRAM_ERR_RANGE,
         "kernel \"map(standardize, rbf) + white\": white is noise, as lambda "
         "is; give lambda as a number beside it"},
    };
    gram_table *t = machines_table(10, 1, 20);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(t, &cases[i].o, cases[i].status, cases[i].sentence);
    gram_table_free(t);
}

TEST(bad_targets_have_sentences)
{
    const char *const words[] = {"a", "b", "a"};
    const double x[] = {1, 2, 3}, y[] = {1, NAN, 2}, v[] = {1, 0, 1};
    gram_table *t = NULL, *none = NULL;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    check_refused(t, NULL, GRAM_ERR_SHAPE,
                  "no target: --target COL names the column to predict");
    CHECK_OK(gram_table_add_strings(t, "s", GRAM_TYPE_TEXT, words));
    CHECK_OK(gram_table_set_role(t, "s", GRAM_ROLE_TARGET));
    check_refused(t, NULL, GRAM_ERR_RANGE,
                  "target \"s\" is a text column, must be numbers for loss "
                  "squared");
    CHECK_OK(gram_table_set_role(t, "s", GRAM_ROLE_FEATURE));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    check_refused(t, NULL, GRAM_ERR_RANGE,
                  "row 2, column \"y\": the cell is missing, a target "
                  "cannot be filled in (--missing drop leaves out its row)");
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_FEATURE));
    CHECK_OK(gram_table_set_role(t, "x", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_add_numbers(t, "v", v, 1));
    CHECK_OK(gram_table_set_role(t, "v", GRAM_ROLE_NOISE));
    check_refused(t, NULL, GRAM_ERR_RANGE,
                  "row 2, column \"v\": noise variance 0, must be positive");
    gram_table_free(t);
    CHECK_OK(gram_table_new(0, &none));
    CHECK_OK(gram_table_add_numbers(none, "y", y, 1));
    CHECK_OK(gram_table_set_role(none, "y", GRAM_ROLE_TARGET));
    check_refused(none, NULL, GRAM_ERR_SHAPE,
                  "no rows: a fit needs at least one");
    gram_table_free(none);
}

TEST(kernels_that_are_none_are_refused)
{
    gram_table *t = machines_table(30, 2, 21);
    gram_fit_options o = {.kernel = "rbf(gamma=1)[x1] - rbf(gamma=1)[x2]",
                          .lambda = "1"};
    gram_machine *m = NULL;

    CHECK(gram_machine_fit(t, &o, NULL, &m) == GRAM_ERR_RANGE);
    CHECK(strstr(gram_error_message(), "is not positive semidefinite") != NULL);
    o.allow_indefinite = 1; /* what is refuted stays refused */
    CHECK(gram_machine_fit(t, &o, NULL, &m) == GRAM_ERR_RANGE);
    gram_table_free(t);
}

/* Of a matrix from a file only the rows can tell. */
TEST(a_matrix_of_unknown_origin_is_looked_at)
{
    const double good[] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
    const double bad[] = {1, 2, 0, 2, 1, 0, 0, 0, 1};
    gram_table *t = machines_table(3, 1, 26);
    char text[2][600];
    gram_fit_options o = {.lambda = "5"};
    gram_machine *m = NULL;

    for (int k = 0; k < 2; k++) {
        const char *path = temporary_path(k ? "bad.npy" : "good.npy");

        CHECK_OK(gram_matrix_write(k ? bad : good, 3, 3, path, NULL));
        snprintf(text[k], sizeof text[k], "precomputed(K=\"%s\")", path);
    }
    o.kernel = text[0];
    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    gram_machine_free(m);
    o.kernel = text[1];
    CHECK(gram_machine_fit(t, &o, NULL, &m) == GRAM_ERR_NUMERIC);
    CHECK(strstr(gram_error_message(), "has the eigenvalue -1, so it is not "
                                       "positive semidefinite") != NULL);
    o.allow_indefinite = 1;
    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    gram_machine_free(m);
    gram_table_free(t);
}

static int stop_now(void *user, double done)
{
    (void)user;
    (void)done;
    return 1;
}

/* Says stop once, at the k-th call, and then never again. */
static int stop_once(void *user, double done)
{
    int *left = user;

    (void)done;
    return (*left)-- == 0;
}

TEST(one_word_is_enough_to_cancel)
{
    gram_table *t = machines_table(60, 2, 22);

    for (int k = 0; k < 12; k++) {
        int left = k;
        gram_exec exec = {.progress = stop_once, .user = &left};
        gram_machine *m = NULL;

        CHECK_FAILS(gram_machine_fit(t, NULL, &exec, &m), GRAM_ERR_CANCELLED,
                    "cancelled");
        CHECK(m == NULL && left == -1);
    }
    gram_table_free(t);
}

TEST(a_fit_can_be_cancelled)
{
    gram_table *t = machines_table(300, 2, 22);
    gram_exec exec = {.progress = stop_now};
    gram_machine *m = NULL;
    size_t before = gram_memory_used();

    CHECK_FAILS(gram_machine_fit(t, NULL, &exec, &m), GRAM_ERR_CANCELLED,
                "cancelled");
    CHECK(m == NULL && gram_memory_used() == before);
    gram_table_free(t);
}

TEST(a_budget_that_is_too_small_is_an_error)
{
    gram_table *t = machines_table(2000, 2, 23);
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)", .lambda = "0.1"};
    gram_exec exec = {.memory = 4000000};
    gram_machine *m = NULL;
    gram_plan plan;

    o.solver = "dual";
    CHECK(gram_machine_plan(t, &o, &exec, &plan) == GRAM_ERR_MEMORY);
    CHECK(gram_machine_fit(t, &o, &exec, &m) == GRAM_ERR_MEMORY);
    CHECK(strstr(gram_error_message(), "solver dual needs") != NULL);
    gram_table_free(t);
}

/* Whichever allocation fails: a sentence, nothing kept. */
static void survive(const gram_fit_options *o)
{
    gram_table *t = machines_table(12, 1, 24);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gram_exec exec = {.threads = 1};
    gram_machine *m = NULL;
    double mean[12], std[12];
    gram_prediction p = {.mean = mean, .std = std};

    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_machine_fit(t, o, &exec, &m);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK) {
            assert_int_equal(status, GRAM_ERR_MEMORY);
            CHECK(m == NULL && gram_memory_used() == before);
        }
    }
    CHECK(n > 50);
    before = gram_memory_used();
    for (n = 1, status = GRAM_ERR_MEMORY; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_machine_predict(m, t, NULL, &exec, &p);
        gi_mem_fail_at(0, 0);
        CHECK(gram_memory_used() == before);
    }
    CHECK(n > 10);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(failing_allocations_do_no_harm)
{
    gram_fit_options loo = {.kernel = "rbf(gamma=0.4)"},
                     cv = {.kernel = "?*rbf(gamma=?[0.1,1])",
                           .lambda = "?[0.1,1]",
                           .select = GRAM_SELECT_CV};

    survive(&loo);
    survive(&cv);
}

/* Selection on some of the rows: the same by seed, and said. */
TEST(a_small_budget_makes_selection_look_at_fewer_rows)
{
    gram_table *t = machines_table(1500, 2, 25);
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)"};
    gram_exec exec = {.memory = 12000000};
    gram_machine *m = NULL;
    const gram_report *r;

    CHECK_OK(gram_machine_fit(t, &o, &exec, &m));
    r = gram_machine_report(m);
    CHECK(r->warning_count == 1);
    CHECK(strstr(r->warnings[0], "numbers were chosen on ") != NULL);
    CHECK(r->peak_bytes < 12000000 && isfinite(r->criterion_value));
    gram_machine_free(m);
    gram_table_free(t);
}

TESTS(NORMAL(the_plan_is_kept), NORMAL(a_plan_on_a_subset_keeps_to_its_memory),
      SMALL(bad_options_have_sentences), SMALL(bad_targets_have_sentences),
      SMALL(kernels_that_are_none_are_refused),
      SMALL(a_matrix_of_unknown_origin_is_looked_at),
      SMALL(a_fit_can_be_cancelled), SMALL(one_word_is_enough_to_cancel),
      SMALL(a_budget_that_is_too_small_is_an_error),
      NORMAL(failing_allocations_do_no_harm),
      NORMAL(a_small_budget_makes_selection_look_at_fewer_rows))
