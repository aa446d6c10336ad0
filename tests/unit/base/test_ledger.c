/* test_ledger.c - a call answers for the memory that it allocates: not for what
 * others hold, not for what it is given, and until its blocks are freed.
 */
#include "machines.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

TEST(blocks_count_where_they_were_allocated)
{
    GI_RUN(a, NULL);
    GI_RUN(b, NULL);
    char *p = NULL, *q = NULL;

    CHECK_OK(GI_NEW(&a, p, 1000));
    CHECK_OK(GI_NEW(&b, q, 500));
    CHECK(gi_run_live(&a) == 1000 && gi_run_live(&b) == 500);
    gi_free(p);
    CHECK(gi_run_live(&a) == 0 && gi_run_live(&b) == 500);
    CHECK(gi_run_peak(&a) == 1000 && gi_run_peak(&b) == 500);
    gi_free(q);
}

/* Small blocks are copied when they grow, mappings move. */
TEST(a_block_goes_over_to_the_run_that_makes_it_grow)
{
    static const size_t bytes[] = {1000, (size_t)8 << 20};

    for (size_t k = 0; k < 2; k++) {
        GI_RUN(a, NULL);
        GI_RUN(b, NULL);
        size_t n = bytes[k], before = gram_memory_used();
        char *p = NULL;

        CHECK_OK(GI_NEW(&a, p, n));
        CHECK_OK(GI_GROW(NULL, p, n + 1));
        CHECK(gi_run_live(&a) == n + 1);
        CHECK_OK(GI_GROW(&b, p, 2 * n));
        CHECK(gi_run_live(&a) == 0 && gi_run_live(&b) == 2 * n);
        b.memory = 2 * n + 100;
        CHECK_OK(GI_GROW(&b, p, 2 * n + 100));
        CHECK(GI_GROW(&b, p, 2 * n + 101) == GRAM_ERR_MEMORY);
        CHECK(gram_memory_used() == before + 2 * n + 100);
        gi_free(p);
        CHECK(gi_run_live(&b) == 0 && gram_memory_used() == before);
    }
}

TEST(blocks_may_outlive_their_run)
{
    size_t before = gram_memory_used();
    char *p[3] = {NULL};

    {
        GI_RUN(run, NULL);

        for (size_t k = 0; k < 3; k++)
            CHECK_OK(GI_NEW(&run, p[k], 100));
        gi_free(p[0]);
    }
    CHECK(gram_memory_used() == before + 200);
    CHECK_OK(GI_GROW(NULL, p[1], 300));
    gi_free(p[1]);
    gi_free(p[2]);
    CHECK(gram_memory_used() == before);
}

TEST(what_the_caller_holds_counts_if_he_says_so)
{
    const gram_exec exec = {.memory = 1000000, .held = 950000};
    GI_RUN(run, &exec);
    char *p = NULL;

    CHECK(gi_run_budget_left(&run) == 50000);
    CHECK_FAILS(GI_NEW(&run, p, 100000), GRAM_ERR_MEMORY,
                "memory budget: 928 KiB in use and 97.7 KiB more needed, the "
                "budget is 977 KiB");
    run.held = 2000000;
    CHECK(gi_run_budget_left(&run) == 0);
    run.held = 0;
    CHECK_OK(GI_NEW(&run, p, 100000));
    gi_free(p);
}

/* ---------------------------------------------------------------- machines */

TEST(tables_of_others_do_not_count)
{
    enum { MANY = 20000000 };
    double *zeros = calloc(MANY, sizeof *zeros), mean = NAN, alone = NAN;
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)", .lambda = "0.1"};
    gram_table *t = machines_table(200, 3, 7), *row, *big = NULL;
    gram_exec exec = {.memory = (size_t)32 << 20};
    gram_prediction p = {.mean = &mean};
    gram_machine *m = machines_fit(t, &o);
    int keep[200] = {[4] = 1};

    row = machines_rows(t, keep, 1);
    CHECK_OK(gram_machine_predict(m, row, NULL, &exec, &p));
    alone = mean;
    CHECK_OK(gram_table_new(MANY, &big));
    CHECK_OK(gram_table_add_numbers(big, "zero", zeros, 1));
    CHECK(gram_memory_used() > exec.memory);
    CHECK_OK(gram_machine_predict(m, row, NULL, &exec, &p));
    CHECK(mean == alone);
    exec.held = gram_memory_used();
    CHECK(gram_machine_predict(m, row, NULL, &exec, &p) == GRAM_ERR_MEMORY);
    CHECK(strncmp(gram_error_message(), "memory budget: ", 15) == 0);
    gram_table_free(big);
    gram_table_free(row);
    gram_machine_free(m);
    gram_table_free(t);
    free(zeros);
}

typedef struct caller {
    const gram_table *table;
    size_t memory;
    gram_status status;
    size_t peak;
    int sentence;
} caller;

static void *fit(void *user)
{
    caller *c = user;
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)", .lambda = "0.1"};
    gram_exec exec = {.threads = 1, .memory = c->memory};
    gram_machine *m = NULL;

    o.solver = "dual";
    c->status = gram_machine_fit(c->table, &o, &exec, &m);
    c->sentence = c->status != GRAM_OK &&
                  strstr(gram_error_message(), "solver dual needs") != NULL;
    c->peak = m ? gram_machine_report(m)->peak_bytes : 0;
    gram_machine_free(m);
    return NULL;
}

/* Every other one has too little, and only those fail; what the others report
 * is what one reports that is alone. */
TEST(callers_at_the_same_time_have_budgets_and_peaks_of_their_own)
{
    enum { CALLERS = 8, ROWS = 300 };
    gram_table *t = machines_table(ROWS, 2, 11);
    caller alone = {.table = t}, c[CALLERS];
    size_t before = gram_memory_used();
    pthread_t thread[CALLERS];

    fit(&alone);
    CHECK(alone.status == GRAM_OK && alone.peak > (size_t)ROWS * ROWS * 4);
    for (size_t i = 0; i < CALLERS; i++) {
        c[i] = (caller){.table = t,
                        .memory = i % 2 ? 200000 : 2 * alone.peak + 2000000};
        assert_int_equal(pthread_create(&thread[i], NULL, fit, &c[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        if (i % 2)
            CHECK(c[i].status == GRAM_ERR_MEMORY && c[i].sentence);
        else
            CHECK(c[i].status == GRAM_OK && c[i].peak == alone.peak);
    }
    CHECK(gram_memory_used() == before);
    gram_table_free(t);
}

/* Threads that free each other's blocks. */
static void *churn(void *user)
{
    gi_run *run = user;
    char *p[16] = {NULL};

    for (size_t i = 0; i < 2000; i++) {
        gi_free(p[i % 16]);
        p[i % 16] = NULL;
        CHECK_OK(GI_NEW(run, p[i % 16], 1 + i % 97));
    }
    for (size_t i = 0; i < 16; i++)
        gi_free(p[i]);
    return NULL;
}

TEST(threads_of_one_run_share_its_ledger)
{
    enum { THREADS = 4 };
    GI_RUN(run, NULL);
    pthread_t thread[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, churn, &run), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK(gi_run_live(&run) == 0);
    CHECK(gi_run_peak(&run) >= 97 && gi_run_peak(&run) <= THREADS * 16 * 97);
}

TESTS(SMALL(blocks_count_where_they_were_allocated),
      SMALL(a_block_goes_over_to_the_run_that_makes_it_grow),
      SMALL(blocks_may_outlive_their_run),
      SMALL(what_the_caller_holds_counts_if_he_says_so),
      NORMAL(tables_of_others_do_not_count),
      SMALL(callers_at_the_same_time_have_budgets_and_peaks_of_their_own),
      SMALL(threads_of_one_run_share_its_ledger))
