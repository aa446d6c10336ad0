/* run.h - a public call while it runs: threads, budget, progress, seed.
 *
 * GI_RUN() turns the caller's gram_exec into one of these; internal functions
 * that allocate, loop in parallel or take long get a pointer to it.  Only the
 * thread that began a run ticks it.
 */
#ifndef GI_RUN_H
#define GI_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ledger.h"
#include "gram.h"

typedef struct gi_scratch gi_scratch; /* scratch.h */

typedef struct gi_run {
    int threads; /* at least 1; see gi_threads_allowed() */
    uint64_t seed;
    size_t memory;     /* budget in bytes, for `held` and what the run holds */
    size_t held;       /* bytes of the caller's that count, too */
    gi_ledger *ledger; /* of the call; shared by its shares */
    int (*progress)(void *user, double done);
    void (*stage)(void *user, const char *name);
    void *user;
    double from, span; /* its share of the caller's progress */
    double last;       /* largest progress reported, of a whole run */
    double *whole;     /* `last` of the run that this is a share of, or NULL */
    gi_scratch *scratch; /* where small blocks come from first, or NULL */
} gi_run;

/* exec may be NULL.  A run that began must end; its shares need not. */
gi_run gi_run_begin(const gram_exec *exec);
void gi_run_end(gi_run *run);

/* Let a run that has begun go on with the ledger of a call before, whose blocks
 * it takes over. */
void gi_run_continue(gi_run *run, gi_ledger *ledger);

/* A run called `name` that ends where its name goes out of scope. */
#define GI_RUN(name, exec)                                                     \
    __attribute__((cleanup(gi_run_end))) gi_run name = gi_run_begin(exec)

/* Bytes in blocks of the call now, their peak, and how many more the budget
 * allows. */
size_t gi_run_live(const gi_run *run);
size_t gi_run_peak(const gi_run *run);
size_t gi_run_budget_left(const gi_run *run);

/* A share of a run: its ticks from 0 to 1 are those of `run` from `from` to
 * `to`.  For functions that tick themselves and are one step of several. */
gi_run gi_run_share(gi_run *run, double from, double to);

/* The share of step k, from 0, where the number of steps is not known: it is
 * always assumed that `usual` steps are left. */
gi_run gi_run_step(gi_run *run, size_t k, double usual);

/* A share of no progress, for short steps: its ticks only ask whether to
 * stop. */
gi_run gi_run_quiet(gi_run *run);

/* Tell the caller which stage begins; `name` is a constant string. */
void gi_run_stage(const gi_run *run, const char *name);

/* What the threads have in common when each runs whole functions, which take a
 * run and tick, on its own. */
typedef struct gi_watch {
    gi_run *run;
    pthread_t owner;    /* the thread that began it */
    atomic_int stopped; /* the caller asked to stop */
    size_t pieces;      /* of work, on all threads together */
    atomic_size_t done; /* pieces that were counted */
} gi_watch;

void gi_watch_begin(gi_run *run, size_t pieces, gi_watch *watch);

/* A run of one thread for such a function.  Its ticks ask the caller whether to
 * stop, and if so all of these runs stop; the progress that they report is the
 * number of pieces counted by gi_watch_count(). */
gi_run gi_watch_run(gi_watch *watch);
void gi_watch_count(gi_watch *watch);

/* Report how much is done, 0..1; CANCELLED if the caller asks to stop.  Cheap
 * enough for every few milliseconds. */
gram_status gi_run_tick(gi_run *run, double done);

/* Seconds of a monotonic clock. */
double gi_clock(void);

/* Processors this process may use. */
int gi_cores(void);

/* RAM in bytes: all of it, and what is free to take. */
size_t gi_memory_total(void);
size_t gi_memory_available(void);

#endif
