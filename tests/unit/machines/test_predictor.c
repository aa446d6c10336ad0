/* test_predictor.c - a machine made ready predicts what the machine predicts,
 * to the last bit, from many threads at once, and allocates nothing for a row.
 */
#include "machine_cases.h"

#include <pthread.h>

#include "base/mem.h"

enum { N = 230, ROWS = 40, FIRST = 1000, THREADS = 8, CALLS = 12 };

/* What is asked of every machine; std of those that have it. */
typedef struct answer {
    double *mean, *std;
    size_t outputs;
} answer;

static answer new_answer(const gram_machine *m, size_t rows)
{
    const gram_report *r = gram_machine_report(m);
    int squared = strcmp(r->loss, "squared") == 0 && r->classes == 0;
    answer a = {.outputs = r->outputs};

    a.mean = calloc(rows * r->outputs, sizeof *a.mean);
    a.std = squared ? calloc(rows * r->outputs, sizeof *a.std) : NULL;
    return a;
}

static void free_answer(answer *a)
{
    free(a->mean);
    free(a->std);
}

static int same(const answer *a, size_t row, const answer *b, size_t at)
{
    size_t n = a->outputs, bytes = n * sizeof *a->mean;

    return memcmp(a->mean + row * n, b->mean + at * n, bytes) == 0 &&
           (!a->std || memcmp(a->std + row * n, b->std + at * n, bytes) == 0);
}

static gram_prediction to(const answer *a)
{
    return (gram_prediction){.mean = a->mean, .std = a->std};
}

/* ------------------------------------------------------------------- bits */

static void check_case(const machine_case *c)
{
    const gram_exec one = {.threads = 1}, two = {.threads = 2};
    gram_machine *m = case_fit(c, N, NULL);
    gram_table *all =
        case_table(&(case_rows){.first = FIRST, .count = ROWS}, c->target);
    answer whole = new_answer(m, ROWS), row = new_answer(m, 1);
    answer again = new_answer(m, ROWS);
    gram_predictor *p = NULL;
    gram_prediction out = to(&whole);

    CHECK_OK(gram_machine_predict(m, all, NULL, &one, &out));
    CHECK_OK(gram_predictor_new(m, NULL, &two, &p));
    out = to(&again);
    CHECK_OK(gram_predictor_run(p, all, &two, &out));
    out = to(&row);
    for (size_t i = 0; i < ROWS; i++) {
        gram_table *t =
            case_table(&(case_rows){.first = FIRST + i, .count = 1}, c->target);

        CHECK_OK(gram_predictor_run(p, t, &one, &out));
        if (!same(&whole, i, &again, i) || !same(&whole, i, &row, 0))
            fail_msg("%s: row %zu is %.17g, prepared %.17g, and alone %.17g",
                     c->name, i, whole.mean[i * whole.outputs],
                     again.mean[i * whole.outputs], row.mean[0]);
        gram_table_free(t);
    }
    gram_predictor_free(p);
    gram_table_free(all);
    gram_machine_free(m);
    free_answer(&whole);
    free_answer(&again);
    free_answer(&row);
}

TEST(prepared_or_not_a_row_has_the_same_bits)
{
    for (size_t k = 0; k < MACHINE_CASES; k++)
        check_case(&machine_cases[k]);
}

/* ---------------------------------------------------------------- threads */

static const machine_case usual = {
    "rbf",
    NUMBER,
    {.kernel = "rbf(gamma=0.1)" WIDE, .lambda = "0.1", .solver = "dual"}};

/* One thread's calls: rows by itself, with a budget of its own. */
typedef struct caller {
    const gram_predictor *p;
    const answer *whole;
    gram_table *table[CALLS];
    size_t first, wrong;
    gram_exec exec;
    pthread_t thread;
} caller;

static void *call(void *user)
{
    caller *c = user;

    for (size_t k = 0; k < CALLS; k++) {
        double mean = 0, std = 0;
        gram_prediction out = {.mean = &mean, .std = &std};
        answer row = {.mean = &mean, .std = &std, .outputs = 1};

        if (gram_predictor_run(c->p, c->table[k], &c->exec, &out) != GRAM_OK ||
            !same(c->whole, c->first + k, &row, 0))
            c->wrong++;
    }
    return NULL;
}

/* The factor that std needs is not kept: all ask for it at once. */
TEST(eight_threads_share_a_predictor)
{
    gram_machine *m = case_fit(&usual, N, NULL);
    gram_table *all =
        case_table(&(case_rows){.first = FIRST, .count = ROWS}, usual.target);
    answer whole = new_answer(m, ROWS);
    gram_prediction out = to(&whole);
    caller callers[THREADS] = {0};
    gram_predictor *p = NULL;

    CHECK_OK(gram_machine_predict(m, all, NULL, NULL, &out));
    CHECK_OK(gram_predictor_new(m, NULL, NULL, &p));
    for (size_t i = 0; i < THREADS; i++) {
        caller *c = &callers[i];

        *c = (caller){.p = p, .whole = &whole, .first = i};
        c->exec = (gram_exec){.threads = 1, .memory = (64 + i) << 20};
        for (size_t k = 0; k < CALLS; k++)
            c->table[k] = case_table(
                &(case_rows){.first = FIRST + i + k, .count = 1}, usual.target);
    }
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&callers[i].thread, NULL, call, &callers[i]) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(callers[i].thread, NULL) == 0);
        CHECK(callers[i].wrong == 0);
        for (size_t k = 0; k < CALLS; k++)
            gram_table_free(callers[i].table[k]);
    }
    gram_predictor_free(p);
    gram_table_free(all);
    gram_machine_free(m);
    free_answer(&whole);
}

TEST(a_run_keeps_its_own_budget)
{
    gram_machine *m = case_fit(&usual, N, NULL);
    gram_table *t =
        case_table(&(case_rows){.first = FIRST, .count = 1}, usual.target);
    gram_predictor *p = NULL;
    double mean, std;
    gram_prediction out = {.mean = &mean, .std = &std};

    CHECK_OK(gram_predictor_new(m, NULL, NULL, &p));
    CHECK(gram_predictor_run(p, t, &(gram_exec){.memory = 1}, &out) ==
          GRAM_ERR_MEMORY);
    CHECK_OK(gram_predictor_run(p, t, NULL, &out));
    gram_predictor_free(p);
    gram_table_free(t);
    gram_machine_free(m);
}

/* ------------------------------------------------------------ allocations */

/* Every allocation from the third call on would fail. */
static void check_nothing_allocated(const machine_case *c)
{
    const gram_exec one = {.threads = 1};
    gram_machine *m = case_fit(c, N, NULL);
    gram_table *t =
        case_table(&(case_rows){.first = FIRST, .count = 1}, c->target);
    answer a = new_answer(m, 1), b = new_answer(m, 1);
    gram_prediction out = {.mean = a.mean};
    gram_predictor *p = NULL;
    gram_status status;
    size_t before;

    CHECK_OK(gram_predictor_new(m, NULL, &one, &p));
    for (int k = 0; k < 2; k++)
        CHECK_OK(gram_predictor_run(p, t, &one, &out));
    out.mean = b.mean;
    before = gram_memory_used();
    gi_mem_fail_at(1, 1);
    status = gram_predictor_run(p, t, &one, &out);
    gi_mem_fail_at(0, 0);
    if (status != GRAM_OK)
        fail_msg("%s: %s", c->name, gram_error_message());
    CHECK(gram_memory_used() == before);
    CHECK(memcmp(a.mean, b.mean, a.outputs * sizeof *a.mean) == 0);
    gram_predictor_free(p);
    gram_table_free(t);
    gram_machine_free(m);
    free_answer(&a);
    free_answer(&b);
}

TEST(a_mean_of_one_row_allocates_nothing)
{
    check_nothing_allocated(&usual);
}

TEST(of_no_kind_of_machine_does_a_mean_of_one_row_allocate)
{
    for (size_t k = 0; k < MACHINE_CASES; k++)
        check_nothing_allocated(&machine_cases[k]);
}

/* ------------------------------------------------------------------ tables */

TEST(a_row_can_be_given_other_values)
{
    double x = 1, y = INFINITY, z = NAN;
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(1, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", &x, 1));
    x = 2;
    CHECK_OK(gram_table_set_values(t, 0, &x, 1));
    CHECK(gram_table_column(t, 0).values[0] == 2);
    CHECK_FAILS(gram_table_set_values(t, 0, &y, 1), GRAM_ERR_RANGE,
                "row 1, column \"x\": inf is not finite");
    CHECK_FAILS(gram_table_set_values(t, 1, &x, 1), GRAM_ERR_RANGE,
                "column 1, the table has 1, counted from 0");
    CHECK_OK(gram_table_set_values(t, 0, &z, 1));
    CHECK(gram_table_column(t, 0).missing == 1);
    gram_table_free(t);
}

TEST(options_and_wishes_that_cannot_be_are_refused)
{
    gram_machine *m = case_fit(&usual, N, NULL);
    gram_table *t =
        case_table(&(case_rows){.first = FIRST, .count = 1}, usual.target);
    gram_predictor *p = NULL;
    double proba;

    CHECK(gram_predictor_new(m, &(gram_predict_options){.method = 7}, NULL,
                             &p) == GRAM_ERR_RANGE);
    CHECK(!p);
    gram_predictor_free(p);
    CHECK_OK(gram_predictor_new(m, NULL, NULL, &p));
    CHECK(gram_predictor_run(p, t, NULL, &(gram_prediction){.proba = &proba}) ==
          GRAM_ERR_RANGE);
    gram_predictor_free(p);
    gram_table_free(t);
    gram_machine_free(m);
}

TESTS(NORMAL(prepared_or_not_a_row_has_the_same_bits),
      SMALL(eight_threads_share_a_predictor), SMALL(a_run_keeps_its_own_budget),
      SMALL(a_mean_of_one_row_allocates_nothing),
      NORMAL(of_no_kind_of_machine_does_a_mean_of_one_row_allocate),
      SMALL(a_row_can_be_given_other_values),
      SMALL(options_and_wishes_that_cannot_be_are_refused))
