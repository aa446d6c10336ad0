/* queue.c - an array, a push counter and a pop counter; no locks.
 *
 * As no task comes twice, a slot is written once and read once: push takes
 * the next slot and fills it, pop takes the next ticket and waits until the
 * slot of that number is filled.  Tasks leave in the order in which they came.
 * A waiting thread spins, then yields; there is nothing else that it could do.
 */
#include "base/queue.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"

enum { SENTENCE_ROOM = 1024, SPINS = 1000 };

struct gi_queue {
    _Atomic size_t *slot; /* task + 1; 0 while empty */
    size_t tasks;
    _Atomic size_t pushed, taken;
    atomic_int failed;  /* someone is writing status and sentence */
    atomic_int stopped; /* no more tasks are given out */
    gram_status status;
    char sentence[SENTENCE_ROOM];
};

static void pause_thread(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

gram_status gi_queue_new(gi_run *run, size_t tasks, gi_queue **out)
{
    gram_status status;
    gi_queue *q = NULL;

    GI_TRY(GI_NEW_ZERO(run, q, 1));
    GI_TRY(GI_NEW_ZERO(run, q->slot, tasks));
    q->tasks = tasks;
    *out = q;
    q = NULL;
done:
    gi_queue_free(q);
    return status;
}

void gi_queue_free(gi_queue *q)
{
    if (q)
        gi_free(q->slot);
    gi_free(q);
}

void gi_queue_push(gi_queue *q, size_t task)
{
    size_t place =
        atomic_fetch_add_explicit(&q->pushed, 1, memory_order_relaxed);

    atomic_store_explicit(&q->slot[place], task + 1, memory_order_release);
}

int gi_queue_pop(gi_queue *q, size_t *task)
{
    size_t ticket =
        atomic_fetch_add_explicit(&q->taken, 1, memory_order_relaxed);
    size_t filled;

    for (size_t spin = 0; ticket < q->tasks; spin++) {
        if (atomic_load_explicit(&q->stopped, memory_order_relaxed))
            return 0;
        filled = atomic_load_explicit(&q->slot[ticket], memory_order_acquire);
        if (filled) {
            *task = filled - 1;
            return 1;
        }
        if (spin < SPINS)
            pause_thread();
        else
            sched_yield();
    }
    return 0;
}

void gi_queue_fail(gi_queue *q, gram_status status)
{
    if (atomic_exchange(&q->failed, 1) == 0) {
        q->status = status;
        strncpy(q->sentence, gram_error_message(), SENTENCE_ROOM - 1);
    }
    atomic_store(&q->stopped, 1);
}

gram_status gi_queue_status(const gi_queue *q)
{
    return q->status ? gi_fail(q->status, "%s", q->sentence) : GRAM_OK;
}
