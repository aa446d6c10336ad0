/* solver_smo.c - support vector machines by decomposition: the cache of kernel
 * rows, and svm.c on it.
 *
 * The cache takes what the budget leaves, at most CACHE bytes: rows are
 * computed again when they come back after long, which for most costs less
 * than fresh memory to keep all of them in.  Cost: a row of K for each support
 * vector and some more.
 */
#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "solvers/svm/smo_cache.h"
#include "solvers/svm/smo_many.h"
#include "solvers/svm/quadratic.h"
#include "solvers/system.h"

static const double CACHE = GI_SMO_CACHE_BYTES;

/* Without the cache; twice the operator, since the last check makes another
 * one of the rows near the margin. */
static double fixed_bytes(const gi_run *run, const gi_problem *p, size_t rows)
{
    return (double)gi_svm_bytes(p, rows) +
           2 * (double)gi_operator_bytes(run, p->K);
}

/* Rows that are looked at in the end, for the plan. */
static double rows_needed(double n)
{
    return 0.6 * n;
}

static double cache_bytes(double room, double fixed, double n)
{
    const double row = 4 * n + 200;
    const double least = fmin(n, GI_SMO_ROWS_LEAST) * row;

    return fmax(least, fmin(fmin(n * row, CACHE), room - fixed));
}

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double n = (double)rows, fixed = fixed_bytes(run, p, rows);
    gi_cost c = {.possible = 1, .why = gi_svm_refuses(p)};

    c.possible = !c.why;
    if (c.why)
        return c;
    c.bytes = fixed + cache_bytes((double)run->memory, fixed, n);
    c.seconds = rows_needed(n) * n / gi_rate_kernel(p->K->cost) +
                10 * rows_needed(n) * n / 10e9;
    c.seconds /= run->threads;
    return c;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    const double left = (double)gi_run_budget_left(run);
    const double room =
        cache_bytes(left, fixed_bytes(run, p, p->n), (double)p->n);
    gi_smo_cache *cache = NULL;
    gram_status status;

    GI_TRY(gi_smo_cache_new(run, p->K, (size_t)room, &cache));
    GI_TRY(gi_svm_solve(run, cache, p, out, NULL));
    GI_TRY(gi_run_tick(run, 1));
done:
    gi_smo_cache_free(cache);
    return status;
}

const gi_solver gi_solver_smo = {
    .name = "smo",
    .brief = "support vector machines by decomposition, K row by row",
    .flags = GI_SOLVER_EXACT | GI_SOLVER_SINGLE,
    .cost = cost,
    .solve = solve,
    .many = gi_smo_many_solve,
};
