/* bench_newton.c - smooth losses by Newton's method in units of one Cholesky
 * factorisation in double of the same size, on the same threads, to a gradient
 * of 1e-6 relative to that of f = 0.  The status is 1 if a target is missed.
 */
#include <string.h>

#include "setting.h"

static const char *const losses[] = {"logistic", "squared_hinge", "huber",
                                     "poisson"};
enum { LOSSES = sizeof losses / sizeof *losses };

/* What the loss can take of the target. */
static double target_of(const gi_loss *loss, double y)
{
    if (loss->class_->flags & GRAM_LOSS_CLASSES)
        return y > 0 ? 1 : -1;
    return strcmp(loss->class_->name, "poisson") == 0 ? floor(exp(2 * y)) : y;
}

static gram_status time_newton(gi_run *run, const gi_problem *p,
                               gi_solution *out, double *best)
{
    gram_status status = GRAM_OK;

    for (int k = 0; k < RUNS; k++) {
        double start = now();

        gi_solution_free(out);
        GI_TRY(gi_solver_solve(run, NULL, p, out));
        *best = fmin(*best, now() - start);
    }
done:
    return status;
}

static gram_status bench_loss(gi_run *run, setting *s, const char *name,
                              double lambda, double one, int *good)
{
    gi_problem p = s->p;
    gi_solution out = {0};
    gi_loss *loss = NULL;
    double *y = NULL, best = INFINITY;
    size_t count;
    int fine;
    gram_status status;

    GI_TRY(gi_losses_new(run, name, &loss, &count));
    GI_TRY(GI_NEW(run, y, N));
    for (size_t i = 0; i < N; i++)
        y[i] = target_of(loss, s->y[i]);
    p.y = y;
    p.loss = loss;
    p.lambda = lambda;
    GI_TRY(time_newton(run, &p, &out, &best));
    fine = best <= 8 * one && out.gradient <= 1e-6;
    printf("  %-14s lambda %-6g %6.3f s   %.1f factorisations (<= 8)   %zu "
           "steps, gradient %.1e, gap %.1e of %.1e: %s\n",
           name, lambda, best, best / one, out.steps, out.gradient, out.gap,
           out.objective, fine ? "good" : "MISSED");
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
    printf("smooth losses, n = %d; one Cholesky factorisation %.3f s\n", N,
           one);
    for (size_t k = 0; k < LOSSES; k++)
        GI_TRY(bench_loss(run, s, losses[k], 0.5, one, good));
    GI_TRY(bench_loss(run, s, losses[0], 0.005, one, good));
done:
    return status;
}

int main(void)
{
    return run_bench("bench_newton", bench);
}
