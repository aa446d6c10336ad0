/* progress.c - Ctrl-C, and a bar with the time left.
 *
 * The library calls tick() every few milliseconds while it works: that is
 * where a signal becomes a clean stop and where the bar is drawn, on stderr
 * and only if that is a terminal, once the work has taken a second.  Its name
 * is that of the phase, its length how much of the whole call is done.
 */
#include <math.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static const double PATIENCE = 1.0, REFRESH = 0.1; /* seconds */

static volatile sig_atomic_t caught;

static struct {
    const char *doing; /* NULL: nothing */
    const char *owner; /* what the call was begun for */
    double start, drawn;
    double done, moved; /* how much is, and since when */
    int shown;
} bar;

static void on_signal(int number)
{
    caught = number;
}

/* SA_RESETHAND: the second signal finds the default action.  No SA_RESTART,
 * so that waiting for input ends, too.  What nohup ignores stays ignored. */
void cli_signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = (int)SA_RESETHAND};
    struct sigaction old;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

int cli_signal(void)
{
    return caught;
}

double cli_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_clear(void)
{
    if (bar.shown)
        fputs("\r\033[K", stderr);
    bar.shown = 0;
}

/* What is left takes as long as what is done did.  While nothing is reported
 * time goes by, and the estimate does not grow. */
static double time_left(double now)
{
    double then = (bar.moved - bar.start) * (1 - bar.done) / bar.done;

    return fmax(then - (now - bar.moved), 0);
}

/* reading  [#######.............]  35%  12 s left
 * Without a known size there is nothing to fill: the time so far. */
static void draw(double now)
{
    enum { CELLS = 24 };
    const char *full = cli_glyphs_get()->bar[8];
    char text[CLI_ROOM];

    fputs("\r\033[K", stderr);
    fputs(bar.doing, stderr);
    if (bar.done > 0) {
        fputs("  [", stderr);
        for (int i = 0; i < CELLS; i++)
            fputs(i < bar.done * CELLS ? full : ".", stderr);
        fprintf(stderr, "] %3.0f%%  %s left", 100 * bar.done,
                cli_duration(text, time_left(now)));
    } else {
        fprintf(stderr, "  %s", cli_duration(text, now - bar.start));
    }
    fflush(stderr);
    bar.shown = 1;
}

/* Work that is called so begins, unless it is the one in hand. */
static void begin(const char *owner, double done)
{
    if (owner == bar.owner && done >= bar.done)
        return;
    bar.doing = bar.owner = owner;
    bar.start = bar.moved = cli_clock();
    bar.done = 0;
}

static int tick(void *user, double done)
{
    double now = cli_clock();

    begin(user, done);
    if (done > bar.done) {
        bar.done = fmin(done, 1);
        bar.moved = now;
    }
    if (!cli.quiet && bar.doing && now - bar.start > PATIENCE &&
        now - bar.drawn > REFRESH && isatty(STDERR_FILENO)) {
        draw(now);
        bar.drawn = now;
    }
    return caught;
}

/* The call goes over to something else. */
static void stage(void *user, const char *name)
{
    begin(user, bar.done);
    bar.doing = name;
}

gram_exec cli_exec(const char *doing)
{
    cli_progress_clear();
    begin(doing, -1);
    return (gram_exec){.threads = (int)cli.threads,
                       .seed = cli.seed,
                       .memory = cli.memory,
                       .held = gram_memory_used(), /* --mem is for all */
                       .progress = tick,
                       .user = (void *)doing,
                       .stage = stage};
}

int cli_tick(double done)
{
    return tick((void *)bar.owner, done) ? cli_status(GRAM_ERR_CANCELLED)
                                         : CLI_GOOD;
}
