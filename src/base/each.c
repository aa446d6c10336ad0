/* each.c - a queue whose tasks are all ready at the start.
 */
#include "base/each.h"

#include "base/queue.h"

gram_status gi_each(gi_run *run, size_t count,
                    gram_status (*work)(void *user, size_t i), void *user)
{
    gram_status status;
    gi_queue *q = NULL;

    GI_TRY(gi_queue_new(run, count, &q));
    for (size_t i = 0; i < count; i++)
        gi_queue_push(q, i);
#pragma omp parallel num_threads(run->threads)
    {
        size_t i;

        while (gi_queue_pop(q, &i)) {
            gram_status how = work(user, i);

            if (how != GRAM_OK)
                gi_queue_fail(q, how);
        }
    }
    status = gi_queue_status(q);
done:
    gi_queue_free(q);
    return status;
}
