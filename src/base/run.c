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

#include "base/status.h"

static atomic_int forked; /* this process is a fork: OpenMP's pool is gone */

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

    gi_watch_forks();
    if (!exec)
        exec = &defaults;
    run.threads = exec->threads > 0 ? exec->threads : gi_cores();
    if (atomic_load(&forked))
        run.threads = 1;
    run.seed = exec->seed;
    run.memory = exec->memory ? exec->memory : gi_memory_total() / 4 * 3;
    run.progress = exec->progress;
    run.user = exec->user;
    run.from = 0;
    run.span = 1;
    run.last = -1;
    return run;
}

gi_run gi_run_part(const gi_run *run, double from, double to)
{
    gi_run part = *run;

    part.from = run->from + run->span * from;
    part.span = run->span * (to - from);
    return part;
}

void gi_watch_begin(const gi_run *run, gi_watch *watch)
{
    watch->run = run;
    watch->owner = pthread_self();
    atomic_store(&watch->stopped, 0);
}

/* The progress of a run alone. */
static int look(void *user, double done)
{
    gi_watch *w = user;
    const gi_run *run = w->run;

    (void)done;
    if (run->progress && pthread_equal(w->owner, pthread_self()) &&
        run->progress(run->user, fmax(run->last, 0)))
        atomic_store(&w->stopped, 1);
    return atomic_load(&w->stopped);
}

gi_run gi_run_alone(gi_watch *watch)
{
    gi_run alone = *watch->run;

    alone.threads = 1;
    alone.progress = look;
    alone.user = watch;
    return alone;
}

gram_status gi_run_tick(gi_run *run, double done)
{
    if (!run || !run->progress)
        return GRAM_OK;
    done = run->from + run->span * done;
    run->last = done > run->last ? done : run->last; /* never backwards */
    if (run->progress(run->user, run->last))
        return gi_fail(GRAM_ERR_CANCELLED, "cancelled");
    return GRAM_OK;
}
