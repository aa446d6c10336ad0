/* run.c - what a call may use, and how it reports back.
 */
#include "base/run.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/status.h"

double gi_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int gi_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

size_t gi_memory_total(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t gi_memory_available(void)
{
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "re");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
            break;
    if (f)
        fclose(f);
    return kilobytes ? (size_t)kilobytes * 1024
                     : (size_t)sysconf(_SC_AVPHYS_PAGES) *
                           (size_t)sysconf(_SC_PAGESIZE);
}

gi_run gi_run_begin(const gram_exec *exec)
{
    static const gram_exec defaults;
    gi_run run;

    if (!exec)
        exec = &defaults;
    run.threads =
        gi_threads_allowed(exec->threads > 0 ? exec->threads : gi_cores());
    run.seed = exec->seed;
    run.memory = exec->memory ? exec->memory : gi_memory_total() / 4 * 3;
    run.held = exec->memory ? exec->held : gram_memory_used();
    run.ledger = gi_ledger_new();
    run.progress = exec->progress;
    run.stage = exec->stage;
    run.user = exec->user;
    run.from = 0;
    run.span = 1;
    run.last = 0;
    run.whole = NULL;
    run.scratch = NULL;
    return run;
}

void gi_run_end(gi_run *run)
{
    gi_ledger_release(run->ledger);
    run->ledger = NULL;
}

void gi_run_continue(gi_run *run, gi_ledger *ledger)
{
    const size_t live = ledger ? atomic_load(&ledger->live) : 0;

    gi_ledger_release(run->ledger);
    run->ledger = gi_ledger_keep(ledger);
    run->held -= gi_min_size(run->held, live);
}

size_t gi_run_live(const gi_run *run)
{
    return run->ledger ? atomic_load(&run->ledger->live) : 0;
}

size_t gi_run_peak(const gi_run *run)
{
    return run->ledger ? atomic_load(&run->ledger->peak) : 0;
}

size_t gi_run_budget_left(const gi_run *run)
{
    size_t used = run->held + gi_run_live(run);

    return run->memory > used ? run->memory - used : 0;
}

gi_run gi_run_share(gi_run *run, double from, double to)
{
    gi_run part = *run;

    part.from = run->from + run->span * from;
    part.span = run->span * (to - from);
    part.whole = run->whole ? run->whole : &run->last;
    return part;
}

gi_run gi_run_step(gi_run *run, size_t k, double usual)
{
    double from = (double)k, to = from + 1;

    return gi_run_share(run, from / (from + usual), to / (to + usual));
}

gi_run gi_run_quiet(gi_run *run)
{
    return gi_run_share(run, 0, 0);
}

void gi_run_stage(const gi_run *run, const char *name)
{
    if (run->stage)
        run->stage(run->user, name);
}

/* The largest progress that was reported to the caller. */
static double *reported(gi_run *run)
{
    return run->whole ? run->whole : &run->last;
}

void gi_watch_begin(gi_run *run, size_t pieces, gi_watch *watch)
{
    watch->pieces = pieces ? pieces : 1;
    atomic_store(&watch->done, 0);
    watch->run = run;
    watch->owner = pthread_self();
    atomic_store(&watch->stopped, 0);
}

/* The progress callback of the runs of gi_watch_run(). */
static int watch_tick(void *user, double done)
{
    gi_watch *w = user;

    (void)done;
    if (pthread_equal(w->owner, pthread_self()) &&
        gi_run_tick(w->run, (double)atomic_load(&w->done) /
                                (double)w->pieces) != GRAM_OK)
        atomic_store(&w->stopped, 1);
    return atomic_load(&w->stopped);
}

void gi_watch_count(gi_watch *watch)
{
    atomic_fetch_add(&watch->done, 1);
}

gi_run gi_watch_run(gi_watch *watch)
{
    gi_run alone = *watch->run;

    alone.threads = 1;
    alone.progress = watch_tick;
    alone.stage = NULL;
    alone.user = watch;
    alone.whole = NULL;
    return alone;
}

gram_status gi_run_tick(gi_run *run, double done)
{
    if (!run || !run->progress)
        return GRAM_OK;
    done = run->from + run->span * fmin(fmax(done, 0), 1);
    if (done > *reported(run)) /* never backwards */
        *reported(run) = done;
    if (run->progress(run->user, *reported(run)))
        return gi_fail(GRAM_ERR_CANCELLED, "cancelled");
    return GRAM_OK;
}
