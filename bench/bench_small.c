/* bench_small.c - calls that take microseconds, on one thread: the prediction
 * of one row, beside a plain loop over the training rows, which is what its
 * arithmetic takes; the fit of a hundred rows; the load of a model.
 *
 * The error is that of the mean against the plain loop.  The status is 1 if it
 * or a time is above its target.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "cpu/cpu.h"

enum { N = 2000, D = 10, FEW = 100, BATCHES = 7 };

#define GAMMA "0.1"
static const double gamma_ = 0.1, seconds_of_batch = 0.05, worst = 1e-12;
static const gram_exec one_thread = {.threads = 1};

typedef struct small {
    double x[D][N], alpha[N]; /* training rows by column */
    double row[D], squares[N];
    double intercept, mean, std, plain;
    gram_table *many, *few, *one; /* rows */
    gram_machine *machine;
    gram_predictor *predictor;
    char path[64];
} small;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------- set up */

/* The first n training rows, with a target. */
static gram_status new_table(const small *s, size_t n, gram_table **out)
{
    gram_status status;
    char name[16];
    double y[N];

    for (size_t i = 0; i < n; i++)
        y[i] = sin(s->x[0][i]) + s->x[1][i] / 4;
    GI_TRY(gram_table_new(n, out));
    for (size_t k = 0; k < D; k++) {
        snprintf(name, sizeof name, "x%zu", k + 1);
        GI_TRY(gram_table_add_numbers(*out, name, s->x[k], 1));
    }
    GI_TRY(gram_table_add_numbers(*out, "y", y, 1));
    GI_TRY(gram_table_set_role(*out, "y", GRAM_ROLE_TARGET));
done:
    return status;
}

static gram_status set_up(small *s)
{
    const gram_fit_options options = {.kernel = "rbf(gamma=" GAMMA ")",
                                      .lambda = "0.1",
                                      .solver = "dual",
                                      .scale = GRAM_KERNEL_SCALE_NONE,
                                      .keep_factor = 1};
    gi_rng rng = gi_rng_new(1, 0);
    gram_status status;

    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < N; i++)
            s->x[k][i] = gi_rng_normal(&rng);
    GI_TRY(new_table(s, N, &s->many));
    GI_TRY(new_table(s, FEW, &s->few));
    for (size_t k = 0; k < D; k++)
        s->row[k] = gi_rng_normal(&rng);
    GI_TRY(gram_table_new(1, &s->one));
    for (size_t k = 0; k < D; k++) {
        char name[16];

        snprintf(name, sizeof name, "x%zu", k + 1);
        GI_TRY(gram_table_add_numbers(s->one, name, &s->row[k], 1));
    }
    GI_TRY(gram_machine_fit(s->many, &options, NULL, &s->machine));
    GI_TRY(gram_predictor_new(s->machine, NULL, NULL, &s->predictor));
    GI_TRY(gram_machine_alpha(s->machine, NULL, NULL, s->alpha));
    s->intercept = gram_machine_report(s->machine)->intercept[0];
    snprintf(s->path, sizeof s->path, "/tmp/bench_small.%d.gram",
             (int)getpid());
    GI_TRY(gram_machine_save(s->machine, s->path, NULL));
done:
    return status;
}

static void tear_down(small *s)
{
    gram_predictor_free(s->predictor);
    gram_machine_free(s->machine);
    gram_table_free(s->many);
    gram_table_free(s->few);
    gram_table_free(s->one);
    if (*s->path)
        unlink(s->path);
}

/* ------------------------------------------------------------------- calls */

/* b + sum_i alpha_i exp(-gamma |x_i - x|^2) */
static gram_status run_plain(small *s)
{
    double sum = 0;

    for (size_t i = 0; i < N; i++)
        s->squares[i] = 0;
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < N; i++) {
            double gap = s->x[k][i] - s->row[k];

            s->squares[i] += gap * gap;
        }
    gi_cpu_table()->exp_d(s->squares, s->squares, -gamma_, N);
    sum = gi_cpu_table()->sum_products_d(s->squares, s->alpha, N);
    s->plain = s->intercept + sum;
    return GRAM_OK;
}

static gram_status run_ready(small *s)
{
    return gram_predictor_run(s->predictor, s->one, &one_thread,
                              &(gram_prediction){.mean = &s->mean});
}

static gram_status run_ready_std(small *s)
{
    return gram_predictor_run(
        s->predictor, s->one, &one_thread,
        &(gram_prediction){.mean = &s->mean, .std = &s->std});
}

static gram_status run_mean(small *s)
{
    return gram_machine_predict(s->machine, s->one, NULL, &one_thread,
                                &(gram_prediction){.mean = &s->mean});
}

static gram_status run_std(small *s)
{
    return gram_machine_predict(
        s->machine, s->one, NULL, &one_thread,
        &(gram_prediction){.mean = &s->mean, .std = &s->std});
}

static gram_status run_fit(small *s)
{
    gram_machine *m = NULL;
    gram_status status = gram_machine_fit(
        s->few, &(gram_fit_options){.kernel = "rbf"}, &one_thread, &m);

    gram_machine_free(m);
    return status;
}

static gram_status run_load(small *s)
{
    gram_machine *m = NULL;
    gram_status status = gram_machine_load(s->path, &one_thread, &m);

    gram_machine_free(m);
    return status;
}

static const struct call {
    const char *name;
    gram_status (*run)(small *s);
    double most; /* microseconds; 0: no target */
} calls[] = {
    {"one row, plain loop", run_plain, 0},
    {"one row, mean", run_mean, 0},
    {"one row, mean and std", run_std, 0},
    {"the same, prepared: mean", run_ready, 15},
    {"prepared: mean and std", run_ready_std, 0},
    {"fit of 100 rows, rbf", run_fit, 0},
    {"load of a model", run_load, 0},
};

/* Seconds of a call, in the mean of a batch, of the best batch. */
static gram_status time_call(const struct call *call, small *s, double *best)
{
    gram_status status;
    double start = now();
    size_t count;

    GI_TRY(call->run(s));
    count = (size_t)(seconds_of_batch / (now() - start)) + 1;
    *best = INFINITY;
    for (size_t k = 0; k < BATCHES; k++) {
        start = now();
        for (size_t i = 0; i < count; i++)
            GI_TRY(call->run(s));
        *best = fmin(*best, (now() - start) / (double)count);
    }
done:
    return status;
}

int main(void)
{
    static small s;
    double seconds, error = INFINITY;
    int good = 1, fine;
    gram_status status;

    GI_TRY(set_up(&s));
    printf("small calls on one thread; predictions with n = %d, d = %d\n", N,
           D);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        GI_TRY(time_call(&calls[k], &s, &seconds));
        printf("  %-24s %10.1f us", calls[k].name, 1e6 * seconds);
        fine = calls[k].most == 0 || 1e6 * seconds <= calls[k].most;
        if (calls[k].most > 0)
            printf(" (<= %g): %s", calls[k].most, fine ? "good" : "MISSED");
        printf("\n");
        good &= fine;
    }
    error = fabs(s.mean - s.plain) / fabs(s.plain);
    printf("  error of the mean %.1e (<= %g): %s\n", error, worst,
           error <= worst ? "good" : "MISSED");
done:
    if (status != GRAM_OK)
        fprintf(stderr, "bench_small: %s\n", gram_error_message());
    tear_down(&s);
    return !good || !(error <= worst);
}
