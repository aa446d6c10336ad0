/* smo_many.c - one part of a stored matrix after the other on every thread; see
 * smo_many.h.
 */
#include "solvers/svm/smo_many.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/svm/smo_cache.h"
#include "solvers/svm/quadratic.h"

typedef struct many {
    const gi_many *m;
    gi_watch *watch;
    size_t memory; /* of a thread */
} many;

/* Does the solution at that lambda have fewer variables at the bound than
 * others that are not 0? */
static int is_mostly_free(const gi_many_part *rows, double lambda,
                          const double *alpha)
{
    size_t bounded = 0, support = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const double w = rows->noise ? 1 / rows->noise[i] : 1;

        support += alpha[i] != 0;
        bounded +=
            alpha[i] != 0 && fabs(alpha[i]) * 2 * lambda >= w * (1 - 1e-12);
    }
    return 2 * bounded < support;
}

/* The start of the next lambda, with its f.  Scaled with the box, bounded
 * variables stay bounded and sums stay; but where few are at a bound the
 * solution hardly changes with the box and is the better start itself. */
static void rescale(const gi_many *m, size_t at, const gi_many_part *rows,
                    double *alpha, double *f)
{
    const double by = m->lambda[at] / m->lambda[at + 1];

    if (is_mostly_free(rows, m->lambda[at], alpha))
        return;
    for (size_t i = 0; i < rows->n; i++) {
        alpha[i] *= by;
        f[i] *= by;
    }
}

static gram_status solve_path(gi_run *run, const many *w, size_t part,
                              gi_operator *K, gi_smo_cache *cache)
{
    const gi_many *m = w->m;
    const gi_many_part *rows = &m->part[part];
    gi_solution s = {0};
    gi_problem p = {.K = K,
                    .n = rows->n,
                    .targets = 1,
                    .y = rows->y,
                    .noise = rows->noise,
                    .intercept = m->intercept,
                    .loss = m->loss,
                    .tolerance = m->tolerance};
    double *start = NULL, *f = NULL;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, f, rows->n));
    for (size_t k = 0; k < m->lambdas; k++) {
        p.lambda = m->lambda[k];
        p.start = start;
        s = (gi_solution){.residual = NAN, .condition = NAN, .gradient = NAN};
        GI_TRY(gi_svm_solve(run, cache, &p, &s, f));
        GI_TRY(m->take(m->user, part, k, &s, f));
        gi_watch_count(w->watch);
        gi_free(start);
        start = s.alpha;
        s.alpha = NULL;
        if (k + 1 < m->lambdas)
            rescale(m, k, rows, start, f);
        gi_solution_free(&s);
    }
done:
    gi_free(f);
    gi_free(start);
    gi_solution_free(&s);
    return status;
}

static gram_status solve_part(void *user, size_t i)
{
    const many *w = user;
    const gi_many *m = w->m;
    gi_run run = gi_watch_run(w->watch);
    gi_smo_cache *cache = NULL;
    gi_operator *K = NULL;
    gram_status status;

    GI_TRY(
        gi_operator_restrict(m->K, &run, m->part[i].index, m->part[i].n, &K));
    GI_TRY(gi_smo_cache_new(&run, K, w->memory, &cache));
    GI_TRY(solve_path(&run, w, i, K, cache));
done:
    gi_smo_cache_free(cache);
    gi_operator_free(K);
    return status;
}

gram_status gi_smo_many_solve(gi_run *run, const gi_many *m)
{
    gi_watch watch;
    many w = {.m = m,
              .watch = &watch,
              .memory = gi_run_budget_left(run) / (size_t)run->threads};

    for (size_t k = 0; k < m->lambdas; k++)
        if (!(m->lambda[k] > 0) || (k && !(m->lambda[k] <= m->lambda[k - 1])))
            return gi_fail(GRAM_ERR_RANGE,
                           "lambda = %g, must be positive and descend",
                           m->lambda[k]);
    gi_watch_begin(run, m->parts * m->lambdas, &watch);
    return gi_parallel_for(run, m->parts, solve_part, &w);
}
