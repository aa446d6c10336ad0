/* parallel.c - loops on all threads, and how many threads there are.
 *
 * A loop is a counter: a thread takes the next number.  Numbers are given out
 * in order, so that all pieces before one that has begun have begun, too, and
 * are done to their end: the first failure in order is found on any number of
 * threads.
 */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { SENTENCE_ROOM = 1024 };

/* ----------------------------------------------------------------- threads */

#ifdef _OPENMP

/* A forked child has the memory of OpenMP's pool, but none of its threads: its
 * first region would wait for them for ever.  GNU's OpenMP does not detect
 * this, and Python's multiprocessing forks. */
static atomic_int forked;

static void in_child(void)
{
    atomic_store(&forked, 1);
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void gi_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch);
}

int gi_thread_number(void)
{
    return omp_get_thread_num();
}

int gi_threads_allowed(int asked)
{
    gi_watch_forks();
    return atomic_load(&forked) ? 1 : asked;
}

#else

void gi_watch_forks(void)
{
}

int gi_thread_number(void)
{
    return 0;
}

int gi_threads_allowed(int asked)
{
    (void)asked;
    return 1;
}

#endif

void gi_atomic_min(atomic_size_t *least, size_t value)
{
    size_t now = atomic_load(least);

    while (value < now && !atomic_compare_exchange_weak(least, &now, value))
        ;
}

/* ------------------------------------------------------------------- loops */

typedef struct course {
    gi_run *run;
    const gi_loop *loop;
    void *user;
    size_t count;
    atomic_size_t next;   /* piece to be taken */
    atomic_size_t turn;   /* piece that may end */
    atomic_size_t failed; /* the first that did, SIZE_MAX: none */
    pthread_mutex_t lock; /* for what follows */
    size_t reported;      /* the piece that it is from */
    gram_status status;
    char sentence[SENTENCE_ROOM];
} course;

static void fail(course *c, size_t i, gram_status status)
{
    gi_atomic_min(&c->failed, i);
    pthread_mutex_lock(&c->lock);
    if (i < c->reported) {
        c->reported = i;
        c->status = status;
        strncpy(c->sentence, gram_error_message(), SENTENCE_ROOM - 1);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Wait until all pieces before this one have ended; 0 if one has failed. */
static int wait_turn(course *c, size_t i)
{
    while (atomic_load_explicit(&c->turn, memory_order_acquire) != i) {
        if (atomic_load_explicit(&c->failed, memory_order_relaxed) < i)
            return 0;
        sched_yield();
    }
    return 1;
}

static void take_pieces(course *c)
{
    const int first = gi_thread_number() == 0;
    size_t i;

    while ((i = atomic_fetch_add(&c->next, 1)) < c->count &&
           i < atomic_load_explicit(&c->failed, memory_order_relaxed)) {
        gram_status status = c->loop->work(c->user, i);

        if (status == GRAM_OK && c->loop->end && wait_turn(c, i)) {
            c->loop->end(c->user, i);
            atomic_store_explicit(&c->turn, i + 1, memory_order_release);
        }
        if (status == GRAM_OK && c->loop->ticks && first)
            status = gi_run_tick(c->run, (double)(i + 1) / (double)c->count);
        if (status != GRAM_OK)
            fail(c, i, status);
    }
}

gram_status gi_parallel_loop(gi_run *run, size_t threads, size_t count,
                             const gi_loop *loop, void *user)
{
    course c = {.run = run,
                .loop = loop,
                .user = user,
                .count = count,
                .failed = SIZE_MAX,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .reported = SIZE_MAX};

    GI_PARALLEL(threads)
    take_pieces(&c);
    return c.status ? gi_fail(c.status, "%s", c.sentence) : GRAM_OK;
}

gram_status gi_parallel_for(gi_run *run, size_t count,
                            gram_status (*work)(void *user, size_t i),
                            void *user)
{
    const gi_loop loop = {.work = work};

    return gi_parallel_loop(run, (size_t)run->threads, count, &loop, user);
}
