/* rates.c - what this machine is, and how fast it is right now.
 *
 * A rate is the best of several runs: noise only ever makes a run slower.  The
 * products grow until their time is up, so that a slow machine is not kept
 * busy for long.  The triad (McCalpin's STREAM) counts the 24 bytes of an
 * element that it names: two read, one written.
 */
#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/run.h"
#include "base/status.h"
#include "cpu/cpu.h"
#include "linalg/dense/blas.h"
#include "linalg/dense/gemm.h"

enum { EDGE_FIRST = 512, EDGE_LAST = 2048, MIN_RUNS = 4 };
enum { TRIAD_LENGTH = 150 * 1000 * 1000 / 24 };

/* Seconds for each of the three rates. */
static const double seconds_each = 0.3;

void gram_system_get(gram_system *out)
{
    *out = (gram_system){
        .cpu = gi_cpu_name(),
        .cpu_features = gi_cpu_features(),
        .cpu_table = gi_cpu_table()->name,
        .blas = gi_blas_version(),
        .blas_core = gi_blas_core(),
        .cores = gi_cores(),
        .memory_total = gi_memory_total(),
        .memory_available = gi_memory_available(),
    };
}

/* Three arrays of TRIAD_LENGTH doubles; the products use the front of each. */
typedef struct arrays {
    double *a, *b, *c;
} arrays;

/* a = b + s c, every thread its own part, which it also touched first. */
static void triad(const gi_run *run, const arrays *r)
{
    const gi_cpu *cpu = gi_cpu_table();
    size_t parts = (size_t)run->threads;

    GI_PARALLEL_FOR(run->threads)
    for (size_t p = 0; p < parts; p++) {
        size_t first = p * TRIAD_LENGTH / parts;
        size_t end = (p + 1) * TRIAD_LENGTH / parts;

        cpu->triad(r->a + first, r->b + first, r->c + first, 0.5, end - first);
    }
}

/* Each does its work at size n and returns how many flops or bytes that was. */
static double do_double(const gi_run *run, const arrays *r, size_t n)
{
    gi_gemm_double(run, 0, 0, n, n, n, 1, r->b, n, r->c, n, 0, r->a, n);
    return 2 * pow((double)n, 3);
}

static double do_single(const gi_run *run, const arrays *r, size_t n)
{
    gi_gemm_single(run, 0, 0, n, n, n, 1, (float *)r->b, n, (float *)r->c, n, 0,
                   (float *)r->a, n);
    return 2 * pow((double)n, 3);
}

static double do_triad(const gi_run *run, const arrays *r, size_t n)
{
    (void)n; /* the triad takes the whole arrays */
    triad(run, r);
    return 3.0 * sizeof(double) * TRIAD_LENGTH;
}

static double (*const measures[])(const gi_run *, const arrays *,
                                  size_t) = {do_double, do_single, do_triad};

enum { MEASURES = sizeof measures / sizeof *measures };

static gram_status measure(gi_run *run, const arrays *r, size_t which,
                           double *rate)
{
    double start = gi_clock(), now = start;
    size_t n = EDGE_FIRST;

    *rate = 0;
    for (int runs = 0; runs < MIN_RUNS || now < start + seconds_each; runs++) {
        double begin = now, amount = measures[which](run, r, n), spent;
        gram_status status;

        now = gi_clock();
        *rate = fmax(*rate, amount / (now - begin));
        n = n < EDGE_LAST ? 2 * n : n;
        spent = fmin((now - start) / seconds_each, 1);
        status = gi_run_tick(run, ((double)which + spent) / MEASURES);
        if (status != GRAM_OK)
            return status;
    }
    return GRAM_OK;
}

gram_status gram_system_measure(const gram_exec *exec, gram_rates *out)
{
    GI_RUN(run, exec);
    arrays r = {NULL, NULL, NULL};
    double rate[MEASURES];
    gram_status status;

    GI_TRY(GI_NEW(&run, r.a, TRIAD_LENGTH));
    GI_TRY(GI_NEW(&run, r.b, TRIAD_LENGTH));
    GI_TRY(GI_NEW(&run, r.c, TRIAD_LENGTH));
    GI_PARALLEL_FOR(run.threads)
    for (size_t i = 0; i < TRIAD_LENGTH; i++)
        r.a[i] = r.b[i] = r.c[i] = 0;
    for (size_t i = 0; i < MEASURES; i++)
        GI_TRY(measure(&run, &r, i, &rate[i]));
    *out = (gram_rates){
        .gemm_double = rate[0], .gemm_single = rate[1], .bandwidth = rate[2]};
done:
    gi_free(r.a);
    gi_free(r.b);
    gi_free(r.c);
    return status;
}
