/* queue.h - a queue of ready tasks, for task graphs run by the threads of one
 * parallel region.  Tasks that wait for nothing need none: gi_parallel_for().
 *
 * Every task of the graph is pushed exactly once, by the thread that completes
 * the last of its predecessors.  All that a thread wrote before a push is seen
 * by the thread that pops the task.  Use:
 *
 *     push the tasks that wait for nothing
 *     GI_PARALLEL(run->threads)
 *         while (gi_queue_pop(q, &task))
 *             do it, push what it made ready
 *     return gi_queue_status(q)
 *
 * A graph with a cycle, or a task never pushed, would wait for ever.
 */
#ifndef GI_QUEUE_H
#define GI_QUEUE_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

typedef struct gi_queue gi_queue;

/* For exactly `tasks` pushes. */
gram_status gi_queue_new(gi_run *run, size_t tasks, gi_queue **out);

void gi_queue_free(gi_queue *q);

void gi_queue_push(gi_queue *q, size_t task);

/* Wait for a task; 0 when all were taken or one has failed. */
int gi_queue_pop(gi_queue *q, size_t *task);

/* The calling thread failed with `status`: nobody gets another task.  The
 * first failure counts, with its sentence. */
void gi_queue_fail(gi_queue *q, gram_status status);

/* After the parallel region: how it went.  Gives the calling thread the
 * sentence of the thread that failed. */
gram_status gi_queue_status(const gi_queue *q);

#endif
