/* test_run.c - a run: defaults, progress, and life after fork. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "runs.h"

#include "base/parallel.h"

TEST(defaults_are_all_cores_and_three_quarters_of_memory)
{
    GI_RUN(run, NULL);
    const gram_exec exec = {.threads = 3, .seed = 9, .memory = 1000};

    CHECK(run.threads == gi_threads_allowed(gi_cores()));
    CHECK(run.memory > gi_memory_total() / 2);
    CHECK(run.memory < gi_memory_total());
    CHECK(gi_memory_available() <= gi_memory_total());
    run_again(&run, &exec);
    CHECK(run.threads == gi_threads_allowed(3) && run.seed == 9 &&
          run.memory == 1000);
}

static double ticks[3];
static int count;

static int note(void *user, double done)
{
    ticks[count++] = done;
    return user != NULL;
}

TEST(progress_never_goes_back_and_can_cancel)
{
    gram_exec exec = {.progress = note};
    GI_RUN(run, &exec);

    count = 0;
    CHECK_OK(gi_run_tick(&run, 0.5));
    CHECK_OK(gi_run_tick(&run, 0.25));
    CHECK(count == 2 && ticks[0] == 0.5 && ticks[1] == 0.5);
    exec.user = &exec;
    run_again(&run, &exec);
    CHECK(gi_run_tick(&run, 0.75) == GRAM_ERR_CANCELLED);
    CHECK_OK(gi_run_tick(NULL, 1));
}

/* Parts that overrun, overlap or are left out do no harm. */
TEST(parts_share_what_was_told)
{
    gram_exec exec = {.progress = note};
    GI_RUN(run, &exec);
    gi_run part = gi_run_share(&run, 0, 0.5);
    gi_run inner = gi_run_share(&part, 0.5, 1), quiet = gi_run_quiet(&inner);

    count = 0;
    CHECK_OK(gi_run_tick(&inner, 7));
    CHECK_OK(gi_run_tick(&run, 0.25));
    CHECK_OK(gi_run_tick(&quiet, 1));
    CHECK(ticks[0] == 0.5 && ticks[1] == 0.5 && ticks[2] == 0.5);
}

/* Where the number of steps is not known, the usual number is always left. */
TEST(unknown_steps_never_reach_the_end)
{
    gram_exec exec = {.progress = note};
    GI_RUN(run, &exec);

    for (size_t k = 0; k < 100; k++) {
        gi_run step = gi_run_step(&run, k, 5);

        count = 0;
        CHECK_OK(gi_run_tick(&step, 0));
        CHECK_OK(gi_run_tick(&step, 1));
        CHECK_NEAR(ticks[0], (double)k / (double)(k + 5), 1e-15);
        CHECK_NEAR(ticks[1], (double)(k + 1) / (double)(k + 6), 1e-15);
    }
}

static void *tick_alone(void *user)
{
    gi_run alone = gi_watch_run(user);

    return gi_run_tick(&alone, 1) == GRAM_OK ? NULL : user;
}

/* Only the thread that began asks the caller; the others hear of the answer. */
TEST(parts_of_a_run_stop_together)
{
    gram_exec exec = {.progress = note};
    GI_RUN(run, &exec);
    gi_run alone;
    gi_watch watch;
    pthread_t other;
    void *stopped = NULL;

    count = 0;
    gi_watch_begin(&run, 4, &watch);
    alone = gi_watch_run(&watch);
    CHECK(alone.threads == 1);
    gi_watch_count(&watch);
    CHECK_OK(gi_run_tick(&alone, 0.5));
    CHECK(count == 1 && ticks[0] == 0.25); /* what was counted is done */
    CHECK(pthread_create(&other, NULL, tick_alone, &watch) == 0);
    CHECK(pthread_join(other, &stopped) == 0 && stopped == NULL && count == 1);
    run.user = &exec;
    CHECK(gi_run_tick(&alone, 0.6) == GRAM_ERR_CANCELLED && count == 2);
    CHECK(pthread_create(&other, NULL, tick_alone, &watch) == 0);
    CHECK(pthread_join(other, &stopped) == 0 && stopped != NULL && count == 2);
}

/* The parent has used its threads before the fork; a child that used them too
 * would wait for them for ever. */
TEST(a_forked_child_runs_on_one_thread_and_does_not_hang)
{
    const gram_exec exec = {.threads = 2};
    GI_RUN(run, &exec);
    gram_table *t = NULL;
    int code = -1;
    pid_t child;

    CHECK_OK(gram_table_read("builtin:sparse", NULL, &exec, &t));
    gram_table_free(t);
    child = fork();
    if (child == 0) {
        alarm(20);
        run_again(&run, &exec);
        _exit(run.threads != 1 ||
              gram_table_read("builtin:sparse", NULL, &exec, &t) != GRAM_OK);
    }
    CHECK(waitpid(child, &code, 0) == child);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    run_again(&run, &exec);
    CHECK(run.threads == gi_threads_allowed(2));
}

TESTS(SMALL(defaults_are_all_cores_and_three_quarters_of_memory),
      SMALL(progress_never_goes_back_and_can_cancel),
      SMALL(parts_share_what_was_told),
      SMALL(unknown_steps_never_reach_the_end),
      SMALL(parts_of_a_run_stop_together),
      SMALL(a_forked_child_runs_on_one_thread_and_does_not_hang))
