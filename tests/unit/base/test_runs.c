/* test_runs.c - calls that are made of other calls are one run: their progress
 * goes from 0 to 1 once, never back, and may stop them at any time.
 */
#include "machines.h"

#include "base/mem.h"

enum { ROWS = 60 };

typedef struct world {
    gram_table *table;
    gram_machine *m;
} world;

static gram_status cv(const world *w, const gram_exec *exec)
{
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)", .folds.folds = 3};
    double error[3];

    return gram_machine_cv(w->table, &o, 1, exec, error, NULL);
}

static gram_status groups(const world *w, const gram_exec *exec)
{
    gram_test_options o = {.kernel = "rbf(gamma=0.4)", .permutations = 50};
    gram_table *out = NULL;
    gram_status status = gram_test_groups(w->table, "g", &o, exec, &out);

    gram_table_free(out);
    return status;
}

static gram_status importance(const world *w, const gram_exec *exec)
{
    double term, column[3];

    return gram_machine_importance(w->m, exec, &term, column);
}

static gram_status score(const world *w, const gram_exec *exec)
{
    gram_score s;

    return gram_machine_score(w->m, w->table, NULL, exec, &s);
}

static gram_status (*const calls[])(const world *, const gram_exec *) = {
    cv, groups, importance, score};

enum { CALLS = sizeof calls / sizeof *calls };

static world begin(void)
{
    static const char *const names[] = {"a", "b", "c"};
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)[x1,x2]", .lambda = "0.1"};
    world w = {.table = machines_table(ROWS, 2, 3)};
    const char *level[ROWS];

    for (size_t i = 0; i < ROWS; i++)
        level[i] = names[i % 3];
    w.m = machines_fit(w.table, &o);
    CHECK_OK(gram_table_add_strings(w.table, "g", GRAM_TYPE_CATEGORY, level));
    return w;
}

static void end(world *w)
{
    gram_machine_free(w->m);
    gram_table_free(w->table);
}

typedef struct told {
    double last, stop;
    size_t ticks, back;
} told;

static int note(void *user, double done)
{
    told *t = user;

    t->ticks++;
    t->back += done < t->last;
    t->last = done;
    return done >= t->stop;
}

TEST(progress_goes_to_the_end_and_never_back)
{
    world w = begin();

    for (size_t c = 0; c < CALLS; c++) {
        told t = {.stop = 2};
        gram_exec exec = {.threads = 2, .progress = note, .user = &t};

        CHECK_OK(calls[c](&w, &exec));
        if (t.ticks == 0 || t.back > 0 || t.last > 1)
            fail_msg("call %zu: %zu of %zu ticks go back, the last to %g", c,
                     t.back, t.ticks, t.last);
    }
    end(&w);
}

TEST(a_call_within_a_call_can_be_stopped)
{
    world w = begin();
    size_t before = gram_memory_used();

    for (size_t c = 0; c < CALLS; c++)
        for (double stop = 0; stop < 0.5; stop += 0.125) {
            told t = {.stop = stop};
            gram_exec exec = {.threads = 1, .progress = note, .user = &t};

            assert_int_equal(calls[c](&w, &exec), GRAM_ERR_CANCELLED);
            CHECK(gram_memory_used() == before);
        }
    end(&w);
}

TEST(a_call_within_a_call_keeps_to_the_budget)
{
    world w = begin();
    size_t before = gram_memory_used();
    const gram_exec exec = {.threads = 1, .memory = 4000};

    for (size_t c = 0; c < CALLS; c++) {
        assert_int_equal(calls[c](&w, &exec), GRAM_ERR_MEMORY);
        CHECK(gram_memory_used() == before);
    }
    end(&w);
}

TESTS(SMALL(progress_goes_to_the_end_and_never_back),
      SMALL(a_call_within_a_call_can_be_stopped),
      SMALL(a_call_within_a_call_keeps_to_the_budget))
