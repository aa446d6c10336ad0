/* bench_quantile.c - quantiles by the solver for kinks, and softmax, in units
 * of one Cholesky factorisation in double of the same size, on the same
 * threads; with the duality gap.  The status is 1 if a target is missed.
 */
#include "setting.h"

enum { CLASSES = 5 };

/* A loss, and how many factorisations it may cost. */
typedef struct entry {
    const char *loss;
    double lambda, most;
} entry;

static const entry entries[] = {
    {"quantile(tau=0.5)", 0.5, 10},
    {"quantile(tau=0.1)", 0.5, 10},
    {"quantile(tau=0.9)", 0.05, 15},
    {"absolute", 5, 10},
    {"softmax", 0.5, 25},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* 1 for the class of a row, which is where its y lies among five. */
static gram_status make_classes(gi_run *run, const setting *s, double **out)
{
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, *out, (size_t)N * CLASSES));
    for (size_t i = 0; i < N; i++) {
        double c = fmin(fmax(floor(2 * s->y[i] + 2.5), 0), CLASSES - 1);

        (*out)[i * CLASSES + (size_t)c] = 1;
    }
done:
    return status;
}

static gram_status bench_entry(gi_run *run, const setting *s, const entry *e,
                               double one, int *good)
{
    gi_problem p = s->p;
    gi_solution out = {0};
    gi_loss *loss = NULL;
    double *y = NULL, start, taken;
    size_t count;
    int fine;
    gram_status status;

    GI_TRY(gi_losses_new(run, e->loss, &loss, &count));
    if (loss->class_->flags & GRAM_LOSS_JOINT) {
        GI_TRY(make_classes(run, s, &y));
        p.targets = CLASSES;
        p.y = y;
    }
    p.loss = loss;
    p.lambda = e->lambda;
    start = now();
    GI_TRY(gi_solver_solve(run, NULL, &p, &out));
    taken = now() - start;
    fine = taken <= e->most * one && out.gap <= 1e-6 * out.objective;
    printf("  %-17s lambda %-5g %6.3f s   %.1f factorisations (<= %g)   %zu "
           "steps of %s, gap %.1e of %.4g: %s\n",
           e->loss, e->lambda, taken, taken / one, e->most, out.steps,
           out.solver->name, out.gap, out.objective, fine ? "good" : "MISSED");
    *good &= fine;
done:
    gi_solution_free(&out);
    gi_free(loss);
    gi_free(y);
    return status;
}

static gram_status bench(gi_run *run, setting *s, int *good)
{
    double one = INFINITY;
    gram_status status;

    GI_TRY(set_up(run, s));
    GI_TRY(time_factor(run, s, &one));
    printf("kinks and classes, n = %d; one Cholesky factorisation %.3f s\n", N,
           one);
    for (size_t k = 0; k < ENTRIES; k++)
        GI_TRY(bench_entry(run, s, &entries[k], one, good));
done:
    return status;
}

int main(void)
{
    GI_RUN(run, NULL);
    setting s = {0};
    int good = 1;

    gi_blas_start();
    if (bench(&run, &s, &good) != GRAM_OK) {
        fprintf(stderr, "bench_quantile: %s\n", gram_error_message());
        good = 0;
    }
    tear_down(&s);
    return !good;
}
