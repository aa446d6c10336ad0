/* test_parallel.c - pieces of work on any number of threads: each once, the
 * first failure in order, ends in order, and a caller who may stop them.
 */
#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"

enum { PIECES = 300 };

typedef struct world {
    atomic_int done[PIECES];
    size_t bad[3]; /* pieces that fail */
    size_t ended;  /* in order so far */
    int disorder;
} world;

static gram_status work(void *user, size_t i)
{
    world *w = user;

    atomic_fetch_add(&w->done[i], 1);
    for (size_t k = 0; k < i * 7 % 5; k++)
        sched_yield(); /* later ones may be done earlier */
    for (size_t k = 0; k < 3; k++)
        if (i == w->bad[k])
            return gi_fail(GRAM_ERR_RANGE, "piece %zu", i);
    return GRAM_OK;
}

static void end(void *user, size_t i)
{
    world *w = user;

    w->disorder |= i != w->ended;
    w->ended++;
}

TEST(every_piece_is_done_once)
{
    for (int threads = 1; threads <= 4; threads++) {
        GI_RUN(run, &(gram_exec){.threads = threads});
        world w = {.bad = {PIECES, PIECES, PIECES}};

        CHECK_OK(gi_parallel_for(&run, PIECES, work, &w));
        for (size_t i = 0; i < PIECES; i++)
            CHECK(w.done[i] == 1);
        CHECK_OK(gi_parallel_for(&run, 0, work, &w));
    }
}

TEST(the_first_failure_in_order_counts_on_any_number_of_threads)
{
    for (int threads = 1; threads <= 4; threads++)
        for (size_t first = 0; first < 60; first++) {
            GI_RUN(run, &(gram_exec){.threads = threads});
            world w = {.bad = {first + 2, first, first + 1}};
            char sentence[32];

            snprintf(sentence, sizeof sentence, "piece %zu", first);
            CHECK_FAILS(gi_parallel_for(&run, PIECES, work, &w), GRAM_ERR_RANGE,
                        sentence);
            for (size_t i = 0; i <= first; i++)
                CHECK(w.done[i] == 1);
            /* of several threads, others may do the rest meanwhile */
            if (threads == 1)
                CHECK(w.done[PIECES - 1] == 0);
        }
}

TEST(ends_come_in_order_and_before_a_failure_only)
{
    const gi_loop loop = {.work = work, .end = end};

    for (size_t threads = 1; threads <= 4; threads++) {
        GI_RUN(run, NULL);
        world w = {.bad = {PIECES, PIECES, PIECES}}, bad = {.bad = {9, 9, 9}};

        CHECK_OK(gi_parallel_loop(&run, threads, PIECES, &loop, &w));
        CHECK(w.ended == PIECES && !w.disorder);
        CHECK_FAILS(gi_parallel_loop(&run, threads, PIECES, &loop, &bad),
                    GRAM_ERR_RANGE, "piece 9");
        CHECK(bad.ended <= 9 && !bad.disorder);
    }
}

static int stop_at_half(void *user, double done)
{
    double *last = user;

    CHECK(done >= *last);
    *last = done;
    return done >= 0.5;
}

TEST(a_loop_that_ticks_can_be_stopped)
{
    const gi_loop loop = {.work = work, .ticks = 1};
    double last = 0;
    const gram_exec exec = {.progress = stop_at_half, .user = &last};
    GI_RUN(run, &exec);
    world w = {.bad = {PIECES, PIECES, PIECES}};

    CHECK_FAILS(gi_parallel_loop(&run, 1, PIECES, &loop, &w),
                GRAM_ERR_CANCELLED, "cancelled");
    CHECK(last >= 0.5 && w.done[PIECES - 1] == 0);
}

static gram_status count_inside(void *user, size_t i)
{
    atomic_int *wrong = user;

    (void)i;
    atomic_fetch_add(wrong, gi_thread_number() != 0);
    return GRAM_OK;
}

/* The scratch of a thread is found by its number, so a loop within a piece must
 * not see the number that the thread has outside. */
static gram_status nest(void *user, size_t i)
{
    GI_RUN(run, &(gram_exec){.threads = 1});

    (void)i;
    return gi_parallel_for(&run, 3, count_inside, user);
}

TEST(a_loop_within_a_piece_has_one_thread_whose_number_is_0)
{
    GI_RUN(run, &(gram_exec){.threads = 3});
    atomic_int wrong = 0;

    CHECK_OK(gi_parallel_for(&run, PIECES, nest, &wrong));
    CHECK(wrong == 0 && gi_thread_number() == 0);
}

TEST(plain_loops_do_all_of_their_turns)
{
    int a[PIECES] = {0}, b[PIECES] = {0};
    atomic_int team = 0;
    atomic_size_t least = PIECES;

    GI_PARALLEL_FOR(3)
    for (size_t i = 0; i < PIECES; i++)
        a[i]++;
    GI_PARALLEL(3)
    {
        atomic_fetch_add(&team, 1);
        GI_TEAM_TASKS
        for (size_t i = 0; i < PIECES; i++)
            b[i] += a[PIECES - 1 - i];
        GI_TEAM_ONE
        b[0]++;
        GI_TEAM_FOR
        for (size_t i = 0; i < PIECES; i++)
            gi_atomic_min(&least, i + (size_t)b[0]);
    }
    CHECK(team >= 1 && team <= 3 && least == 2);
    for (size_t i = 0; i < PIECES; i++)
        CHECK(a[i] == 1 && b[i] == 1 + (i == 0));
}

TESTS(SMALL(every_piece_is_done_once),
      SMALL(the_first_failure_in_order_counts_on_any_number_of_threads),
      SMALL(ends_come_in_order_and_before_a_failure_only),
      SMALL(a_loop_that_ticks_can_be_stopped),
      SMALL(a_loop_within_a_piece_has_one_thread_whose_number_is_0),
      SMALL(plain_loops_do_all_of_their_turns))
