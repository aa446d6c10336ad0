/* test_planned.c - a fit in two calls is the fit in one, and its calls share
 * what they hold.
 */
#include "machines.h"

enum { ROWS = 120 };

static const gram_fit_options options[] = {
    {.kernel = NULL},
    {.kernel = "?*rbf(ard) + linear", .select = GRAM_SELECT_LOO},
    {.kernel = "rbf(gamma=0.5)", .lambda = "0.1", .solver = "cg"},
    {.loss = "huber", .select = GRAM_SELECT_CV},
};

enum { OPTIONS = sizeof options / sizeof *options };

static void check_same(const gram_machine *a, const gram_machine *b)
{
    void *p = NULL, *q = NULL;
    size_t n = 0, m = 0;

    CHECK_OK(gram_machine_pack(a, NULL, &p, &n));
    CHECK_OK(gram_machine_pack(b, NULL, &q, &m));
    CHECK(n == m && memcmp(p, q, n) == 0);
    gram_memory_free(p);
    gram_memory_free(q);
}

TEST(planned_and_carried_out_it_is_the_same_machine)
{
    gram_table *t = machines_table(ROWS, 3, 1);
    const gram_exec two = {.threads = 2, .seed = 5}, other = {.seed = 6};

    for (size_t i = 0; i < OPTIONS; i++) {
        gram_machine *m = NULL, *again = NULL, *none = NULL;
        gram_fit *fit = NULL;
        gram_plan plan;

        CHECK_OK(gram_machine_plan(t, &options[i], &two, &plan));
        CHECK_OK(gram_machine_fit(t, &options[i], &two, &m));
        CHECK_OK(gram_fit_new(t, &options[i], &two, &fit));
        CHECK_STR(gram_fit_plan(fit)->solver, plan.solver);
        CHECK_STR(gram_fit_plan(fit)->selection, plan.selection);
        CHECK_OK(gram_fit_run(fit, &other, &again));
        check_same(m, again);
        CHECK_FAILS(gram_fit_run(fit, NULL, &none), GRAM_ERR_RANGE,
                    "fit: it was run before, a plan is carried out once");
        CHECK(none == NULL);
        gram_fit_free(fit);
        CHECK(gram_machine_report(again)->n == ROWS);
        gram_machine_free(again);
        gram_machine_free(m);
    }
    gram_table_free(t);
}

TEST(a_plan_that_is_not_carried_out_leaves_nothing_behind)
{
    gram_table *t = machines_table(ROWS, 3, 1);
    size_t used = gram_memory_used();
    gram_fit *fit = NULL;

    CHECK_OK(gram_fit_new(t, NULL, NULL, &fit));
    CHECK(gram_memory_used() > used);
    gram_fit_free(fit);
    CHECK(gram_memory_used() == used);
    CHECK_FAILS(
        gram_fit_new(t, &(gram_fit_options){.kernel = "rbg"}, NULL, &fit),
        GRAM_ERR_NAME,
        "kernel \"rbg\", character 1: no kernel \"rbg\" (did you mean "
        "\"rbf\"?)");
    CHECK(fit == NULL);
    gram_fit_free(fit);
    CHECK(gram_memory_used() == used);
    gram_table_free(t);
}

/* What planning holds counts for the budget of the run, once. */
TEST(both_calls_keep_one_budget)
{
    gram_table *t = machines_table(ROWS, 3, 1);
    gram_fit *fit = NULL;
    gram_machine *m = NULL;
    gram_exec exec = {.threads = 1};

    CHECK_OK(gram_fit_new(t, NULL, &exec, &fit));
    exec.memory = gram_fit_plan(fit)->bytes;
    CHECK_OK(gram_fit_run(fit, &exec, &m));
    CHECK(gram_machine_report(m)->peak_bytes <= exec.memory);
    gram_machine_free(m);
    gram_fit_free(fit);
    m = NULL;
    CHECK_OK(gram_fit_new(t, NULL, &exec, &fit));
    exec.memory = 4096;
    CHECK(gram_fit_run(fit, &exec, &m) == GRAM_ERR_MEMORY);
    CHECK(m == NULL);
    gram_fit_free(fit);
    gram_table_free(t);
}

TESTS(NORMAL(planned_and_carried_out_it_is_the_same_machine),
      SMALL(a_plan_that_is_not_carried_out_leaves_nothing_behind),
      SMALL(both_calls_keep_one_budget))
