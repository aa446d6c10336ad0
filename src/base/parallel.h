/* parallel.h - all threads of the library; nothing else speaks of OpenMP.
 *
 * Two forms.  Pieces of work that may fail, or end in order, are functions:
 * gi_parallel_for() and gi_parallel_loop().  Plain loops that only compute keep
 * their shape and get a line in front:
 *
 *     GI_PARALLEL_FOR(run->threads)
 *     for (size_t i = 0; i < n; i++)
 *         y[i] = f(x[i]);
 *
 * Results do not depend on which thread did what: sums run in an order that
 * depends on the problem only.  A region within a region has one thread.
 *
 * A build without OpenMP (make OPENMP=) does everything on the caller's thread,
 * in order, and gives the same bits.
 */
#ifndef GI_PARALLEL_H
#define GI_PARALLEL_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

#ifdef _OPENMP
#define GI_OPENMP(threads, directive) _Pragma(#directive)
#else
#define GI_OPENMP(threads, directive) (void)(threads);
#endif

/* For the loop that follows: each thread gets an equal, contiguous share, for
 * iterations of equal cost; or each takes the next iteration when it is free. */
#define GI_PARALLEL_FOR(n)                                                     \
    GI_OPENMP(n, omp parallel for schedule(static) num_threads((int)(n)))
#define GI_PARALLEL_TASKS(n)                                                   \
    GI_OPENMP(n, omp parallel for schedule(dynamic) num_threads((int)(n)))

/* The statement that follows runs on each of n threads.  Within it, loops are
 * shared by these threads in the two ways above, and a statement after
 * GI_TEAM_ONE runs on one of them; each of the three ends in a barrier. */
#define GI_PARALLEL(n) GI_OPENMP(n, omp parallel num_threads((int)(n)))
#define GI_TEAM_FOR GI_OPENMP(0, omp for schedule(static))
#define GI_TEAM_TASKS GI_OPENMP(0, omp for schedule(dynamic))
#define GI_TEAM_ONE GI_OPENMP(0, omp single)

/* The number of the calling thread in its region: 0 for the thread that entered
 * it, and outside of regions. */
int gi_thread_number(void);

/* Threads that a call may have when this many are asked for: 1 without OpenMP,
 * and in a forked child, where OpenMP's threads are gone and would be waited
 * for without end. */
int gi_threads_allowed(int asked);

/* Have forked children recognised as such from now on.  gi_threads_allowed()
 * does this, too, but may be called too late. */
void gi_watch_forks(void);

/* Call work(user, i) once for each i < count, begun in order of i; after a
 * failure no later i is begun.  Errors: that of the smallest i that fails, with
 * its sentence, on any number of threads. */
gram_status gi_parallel_for(gi_run *run, size_t count,
                            gram_status (*work)(void *user, size_t i),
                            void *user);

/* The same on `threads` threads.  Each work(user, i) is followed by
 * end(user, i), in order of i and by the thread that did piece i, and, with
 * `ticks`, by a tick of the run from the calling thread. */
typedef struct gi_loop {
    gram_status (*work)(void *user, size_t i);
    void (*end)(void *user, size_t i); /* or NULL */
    int ticks;
} gi_loop;

gram_status gi_parallel_loop(gi_run *run, size_t threads, size_t count,
                             const gi_loop *loop, void *user);

/* *least = value if that is less. */
void gi_atomic_min(atomic_size_t *least, size_t value);

#endif
