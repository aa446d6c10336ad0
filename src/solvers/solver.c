/* solver.c - the solvers by name, and which of them is the cheapest.
 *
 * Costs are flops divided by fixed rates.  The rates are those of one core
 * with AVX-512; another machine is slower or faster at everything, and what is
 * chosen stays the same.
 */
#include "solvers/solver.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define SOLVER(word) extern const gi_solver gi_solver_##word;
#include "solvers/solvers.def"
#undef SOLVER

#define SOLVER(word) &gi_solver_##word,
static const gi_solver *const solvers[] = {
#include "solvers/solvers.def"
    NULL};
#undef SOLVER

enum { COUNT = sizeof solvers / sizeof *solvers - 1 };

/* Flops a second in matrix products, and in entries of kernel matrices, which
 * also take a fixed time each to be used. */
#define RATE_DOUBLE 70e9
#define RATE_SINGLE 140e9
#define RATE_ENTRIES 50e9
#define ENTRY_SECONDS 0.5e-9

/* ----------------------------------------------------------------- registry */

const gi_solver *gi_solver_at(size_t i)
{
    return i < COUNT ? solvers[i] : NULL;
}

gram_solver gram_solver_at(size_t i)
{
    if (i >= COUNT)
        return (gram_solver){0};
    return (gram_solver){solvers[i]->name, solvers[i]->brief};
}

gram_status gi_solver_find(const char *name, const gi_solver **out)
{
    const char *names[COUNT];
    char hint[128];

    for (size_t i = 0; i < COUNT; i++) {
        names[i] = solvers[i]->name;
        *out = solvers[i];
        if (strcmp(names[i], name) == 0)
            return GRAM_OK;
    }
    *out = NULL;
    return gi_fail(
        GRAM_ERR_NAME, "solver \"%s\": no such solver%s", name,
        gi_did_you_mean_one_of(name, names, COUNT, hint, sizeof hint));
}

const gi_solver *gi_solver_with(unsigned flags)
{
    size_t i = 0;

    while (i < COUNT && (solvers[i]->flags & flags) != flags)
        i++;
    return solvers[i];
}

double gi_rate_gemm(const gi_blas *blas)
{
    return blas == &gi_blas_single ? RATE_SINGLE : RATE_DOUBLE;
}

double gi_rate_kernel(double cost)
{
    return 1 / (ENTRY_SECONDS + cost / RATE_ENTRIES);
}

gram_status gi_problem_check(const gi_problem *p)
{
    if (p->n == 0 || p->targets == 0)
        return gi_fail(GRAM_ERR_SHAPE,
                       "%zu rows and %zu targets, must be at least 1", p->n,
                       p->targets);
    if (!p->K || p->K->rows != p->n || p->K->cols != p->n)
        return gi_fail(GRAM_ERR_SHAPE,
                       "a problem of %zu rows: its matrix is %zu x %zu", p->n,
                       p->K ? p->K->rows : 0, p->K ? p->K->cols : 0);
    return GRAM_OK;
}

int gi_problem_is_squared(const gi_problem *p)
{
    return !p->loss || gi_loss_has(p->loss, GRAM_LOSS_SQUARED);
}

const gi_cost gi_cost_squared_only = {.why = "only for the squared loss"};

/* ------------------------------------------------------------------- choose */

static int is_candidate(const gi_solver *s, const gi_problem *p)
{
    return (s->flags & GI_SOLVER_EXACT) && (!p->keep_factor || s->variance);
}

/* What everyone would need, as a sentence.  Bytes grow at least as rows do. */
static gram_status refuse(const gi_run *run, const gi_problem *p,
                          const gi_cost *cost)
{
    const double room = (double)run->memory;
    double fits = 0;
    char bytes[GRAM_NUMBER_ROOM];
    gi_buf text = {0};
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < COUNT; i++) {
        if (!is_candidate(solvers[i], p) || !cost[i].possible)
            continue;
        GI_TRY(gi_buf_printf(NULL, &text, "%s%s needs %s", text.n ? ", " : "",
                             solvers[i]->name,
                             gram_bytes_print(cost[i].bytes, bytes)));
        fits = fmax(fits, (double)p->n * room / cost[i].bytes);
    }
    status = gi_fail(GRAM_ERR_MEMORY,
                     "%zu rows: %s, and %s may be used; %.0f rows fit", p->n,
                     text.n ? text.s : "no solver",
                     gram_bytes_print(room, bytes), floor(fits));
done:
    gi_buf_free(&text);
    return status;
}

gram_status gi_solver_choose(const gi_run *run, const gi_problem *p,
                             const gi_solver **out)
{
    gi_cost cost[COUNT];
    gi_run one = *run; /* the choice does not depend on threads */
    double least = INFINITY;
    gram_status status;

    one.threads = 1;
    *out = NULL;
    GI_TRY(gi_problem_check(p));
    for (size_t i = 0; i < COUNT; i++) {
        cost[i] = solvers[i]->cost(&one, p, p->n);
        if (!cost[i].possible || cost[i].bytes > (double)run->memory ||
            !is_candidate(solvers[i], p) || !(cost[i].seconds < least))
            continue;
        least = cost[i].seconds;
        *out = solvers[i];
    }
    if (!*out)
        status = refuse(run, p, cost);
done:
    return status;
}

/* -------------------------------------------------------------------- solve */

static gram_status check(gi_run *run, const gi_solver *solver,
                         const gi_problem *p)
{
    gi_cost cost;

    if (!(p->lambda >= 0) || !isfinite(p->lambda))
        return gi_fail(GRAM_ERR_RANGE, "lambda = %g, must be at least 0",
                       p->lambda);
    cost = solver->cost(run, p, p->n);
    if (!cost.possible)
        return gi_fail(GRAM_ERR_RANGE, "solver %s: %s", solver->name, cost.why);
    return GRAM_OK;
}

gram_status gi_solver_solve(gi_run *run, const gi_solver *solver,
                            const gi_problem *p, gi_solution *out)
{
    gram_status status;

    *out = (gi_solution){.condition = NAN,
                         .residual = NAN,
                         .objective = NAN,
                         .gap = NAN,
                         .gradient = NAN,
                         .lambda = p->lambda,
                         .epsilon = NAN,
                         .rank = p->n,
                         .converged = 1,
                         .precision = gi_blas_double.name};
    GI_TRY(gi_problem_check(p));
    if (!solver)
        GI_TRY(gi_solver_choose(run, p, &solver));
    GI_TRY(check(run, solver, p));
    out->solver = solver;
    GI_TRY(solver->solve(run, p, out));
done:
    if (status != GRAM_OK)
        gi_solution_free(out);
    return status;
}

gram_status gi_solver_path(gi_run *run, const gi_solver *solver,
                           const gi_problem *p, const double *lambda,
                           size_t lambdas, gi_solution_take take, void *user)
{
    gi_problem at = *p;
    gi_solution s = {0};
    double *start = NULL;
    gram_status status = GRAM_OK;

    if (solver->path)
        return solver->path(run, p, lambda, lambdas, take, user);
    for (size_t l = 0; l < lambdas; l++) {
        at.lambda = lambda[l];
        gi_solution_free(&s);
        GI_TRY(gi_solver_solve(run, solver, &at, &s));
        GI_TRY(take(user, l, &s));
        gi_free(start);
        start = s.alpha;
        at.start = start;
        s.alpha = NULL;
    }
done:
    gi_free(start);
    gi_solution_free(&s);
    return status;
}

const char *const gi_solution_precisions[] = {
    "double",
    "single",
    "single + refinement",
    "double (single precision broke down)",
    "double (single precision did not converge)",
    NULL};

void gi_solution_free(gi_solution *s)
{
    gi_free(s->alpha);
    gi_free(s->intercept);
    gi_free(s->weights);
    gi_chol_free(s->factor);
    gi_free(s->inverse_one);
    gi_free(s->root);
    gi_free(s->primal_mean);
    *s = (gi_solution){0};
}

void gi_problem_amplitudes(const gi_problem *p, const gi_solution *s,
                           double *out)
{
    const size_t t = p->targets, rows = p->n - (p->intercept != 0);

    for (size_t j = 0; j < t; j++) {
        double sum = 0;

        /* 1'alpha = 0, so b may be taken off; then rounding is small */
        for (size_t i = 0; s->alpha && i < p->n; i++)
            sum += (p->y[i * t + j] - s->intercept[j]) * s->alpha[i * t + j];
        out[j] = !gi_problem_is_squared(p)              ? 1 / (2 * p->lambda)
                 : p->amplitude == GI_AMPLITUDE_ONE     ? 1
                 : p->amplitude == GI_AMPLITUDE_INVERSE ? 1 / p->lambda
                 : s->alpha && rows > 0                 ? sum / (double)rows
                                                        : NAN;
    }
}
