/* bench_path.c - fifty lambdas in units of one Cholesky factorisation of the
 * same size, on the same threads: criteria without leave-one-out errors, and
 * with them.  The best of RUNS; what the path says is compared with a solution
 * from scratch at one of the lambdas.  The status is 1 if a target is missed.
 */
#include "setting.h"

#include "solvers/path.h"

enum { COUNT = 50 };

static gram_status time_path(gi_run *run, setting *s, const double *lambda,
                             unsigned want, gi_criteria *out, double *best)
{
    gram_status status = GRAM_OK;

    for (int k = 0; k < RUNS; k++) {
        gi_path *path = NULL;
        double start = now();

        GI_TRY(gi_path_new(run, &s->p, NULL, want, &path));
        GI_TRY(path->at(path, run, lambda, COUNT, want, out));
        *best = fmin(*best, now() - start);
        gi_path_free(path);
    }
done:
    return status;
}

/* y'alpha of a solution from scratch gives the amplitude of the path. */
static gram_status compare(gi_run *run, setting *s, const gi_criteria *at,
                           double *error)
{
    gi_solution solution = {0};
    double amplitude;
    gram_status status;

    s->p.lambda = at->lambda;
    s->p.precision = GI_FACTOR_DOUBLE;
    GI_TRY(gi_solver_solve(run, NULL, &s->p, &solution));
    gi_problem_amplitudes(&s->p, &solution, &amplitude);
    *error = fabs(at->amplitude / amplitude - 1);
done:
    gi_solution_free(&solution);
    return status;
}

static gram_status bench(gi_run *run, setting *s, int *good)
{
    const struct {
        const char *name;
        unsigned want;
        double target;
    } work[] = {{"without LOO", GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF, 6},
                {"with LOO",
                 GI_WANT_LOO | GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF,
                 16}};
    gi_criteria out[COUNT];
    double one = INFINITY, error = NAN, lambda[COUNT];
    gram_status status;

    for (size_t i = 0; i < COUNT; i++)
        lambda[i] = 1e-6 * pow(1e9, (double)i / (COUNT - 1));
    GI_TRY(set_up(run, s));
    GI_TRY(time_factor(run, s, &one));
    printf("%d lambdas, n = %d; one Cholesky factorisation %.3f s\n", COUNT, N,
           one);
    for (size_t k = 0; k < sizeof work / sizeof *work; k++) {
        double best = INFINITY;

        GI_TRY(time_path(run, s, lambda, work[k].want, out, &best));
        GI_TRY(compare(run, s, &out[COUNT / 2], &error));
        int fine = best / one <= work[k].target && error < 1e-8;
        printf("  %-12s %6.3f s   %.1f factorisations (<= %g)   error %.1e: "
               "%s\n",
               work[k].name, best, best / one, work[k].target, error,
               fine ? "good" : "MISSED");
        *good &= fine;
    }
done:
    return status;
}

int main(void)
{
    return run_bench("bench_path", bench);
}
