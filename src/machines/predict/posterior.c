/* posterior.c - what variances need of a machine, made anew where the factor
 * was not kept.
 *
 * With A = K + lambda D, and k the kernel between the training rows and x, the
 * mean at x is c'y with
 *
 *     c = A^-1 k + A^-1 1 (1 - 1'A^-1 k)/(1'A^-1 1)
 *
 * where the second part belongs to the intercept.  The covariance of f + b at
 * x and t, in units of the amplitude, is k(x,t) - k_x'A^-1 k_t + u_x u_t with
 * u = (1 - 1'A^-1 k)/sqrt(1'A^-1 1) (Rasmussen and Williams, 2.7).
 */
#include <math.h>

#include "base/mem.h"
#include "machines/predict/predict.h"
#include "solvers/system.h"

static int has(const gi_solver *s, unsigned flag)
{
    return (s->flags & flag) != 0;
}

/* Choose double or single for a factor of K + lambda D, by what fits. */
static gram_status fit_in_memory(const gi_run *run, gi_posterior *out,
                                 int exact)
{
    gi_run budget = *run;
    char needed[GRAM_NUMBER_ROOM], room[GRAM_NUMBER_ROOM];
    gi_cost cost;

    budget.memory = gi_run_budget_left(run);
    cost = out->solver->cost(&budget, &out->p, out->p.n);
    if (cost.bytes > (double)budget.memory &&
        has(out->solver, GI_SOLVER_SYSTEM) && !exact &&
        out->p.precision == GI_FACTOR_AUTO) {
        out->p.precision = GI_FACTOR_SINGLE;
        cost = out->solver->cost(&budget, &out->p, out->p.n);
    }
    if (cost.bytes > (double)budget.memory)
        return gi_fail(GRAM_ERR_MEMORY,
                       "variances need a factor of %s for %zu rows, %s may be "
                       "used",
                       gram_bytes_print(cost.bytes, needed), out->p.n,
                       gram_bytes_print((double)budget.memory, room));
    return GRAM_OK;
}

static int is_ready(const gi_posterior *out, int dual)
{
    const gi_solution *s = out->s;

    if (s->solver->variance && !has(s->solver, GI_SOLVER_FACTOR))
        return !dual;
    if (!s->factor || s->solver != out->solver)
        return 0;
    return !dual || gi_chol_blas(s->factor) == &gi_blas_double;
}

/* Everything but the factor. */
static gram_status begin(gi_run *run, const gram_machine *m, size_t q, int dual,
                         gi_posterior *out)
{
    gram_status status = GRAM_OK;

    *out = (gi_posterior){.s = &m->expansion.solution[q]};
    GI_TRY(gi_operator_new(run, m->expansion.program, NULL, m->expansion.x,
                           NULL, &out->K));
    GI_TRY(GI_NEW(run, out->room, m->expansion.n));
    out->p = gi_machine_problem(m, out->K, q, out->room);
    out->p.keep_factor = 1;
    out->solver = out->s->solver;
    if (dual || !out->solver->variance)
        out->solver = gi_solver_with(GI_SOLVER_SYSTEM);
    if (dual)
        out->p.precision = GI_FACTOR_DOUBLE;
done:
    return status;
}

/* And whether that can be had. */
static gram_status prepare(gi_run *run, const gram_machine *m, size_t q,
                           int dual, gi_posterior *out)
{
    gram_status status = GRAM_OK;

    GI_TRY(begin(run, m, q, dual, out));
    if (!is_ready(out, dual))
        GI_TRY(fit_in_memory(run, out, dual));
done:
    return status;
}

gram_status gi_posterior_new(gi_run *run, const gram_machine *m, size_t q,
                             int dual, gi_posterior *out)
{
    gram_status status = GRAM_OK;

    GI_TRY(prepare(run, m, q, dual, out));
    if (!is_ready(out, dual)) {
        GI_TRY(gi_solver_solve(run, out->solver, &out->p, &out->own));
        out->s = &out->own;
    }
    if (dual && !out->s->factor)
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "the kernel matrix has rank %zu of %zu and lambda is 0: "
                       "there is no factor to take this from",
                       out->s->rank, m->expansion.n));
done:
    return status;
}

/* May a call leave the factor in memory for the next ones? */
static int is_small(const gi_run *run, const gi_solution *s)
{
    const size_t share = 8; /* of the budget */

    return !s->factor ||
           gi_chol_bytes(gi_chol_size(s->factor), gi_chol_blas(s->factor)) <=
               run->memory / share;
}

/* Into `solved` if it is small, which others may look at from then on. */
static gram_status solve_once(const gi_run *run, gi_posterior *out,
                              gi_solution *solved)
{
    gi_run lasting = *run; /* no scratch: it outlives the call */
    gram_status status = GRAM_OK;

    lasting.scratch = NULL;
    GI_TRY(fit_in_memory(&lasting, out, 0));
    GI_TRY(gi_solver_solve(&lasting, out->solver, &out->p, &out->own));
    out->s = &out->own;
    if (is_small(run, &out->own)) {
        *solved = out->own;
        out->own = (gi_solution){0};
    }
done:
    return status;
}

gram_status gi_posterior_kept(gi_run *run, const gram_predictor *p, size_t q,
                              gi_posterior *out)
{
    gram_status status = GRAM_OK;
    pthread_mutex_t *lock = &((gram_predictor *)p)->lock;
    gi_solution *solved = &p->solved[q];

    GI_TRY(begin(run, p->m, q, 0, out));
    if (is_ready(out, 0))
        goto done;
    pthread_mutex_lock(lock);
    if (!solved->solver)
        status = solve_once(run, out, solved);
    if (solved->solver)
        out->s = solved;
    pthread_mutex_unlock(lock);
done:
    return status;
}

void gi_posterior_free(gi_posterior *p)
{
    gi_solution_free(&p->own);
    gi_operator_free(p->K);
    gi_free(p->room);
}

int gi_posterior_fits(gi_run *run, const gram_machine *m)
{
    gi_posterior p;
    gram_status status = prepare(run, m, 0, 0, &p);

    gi_posterior_free(&p);
    return status == GRAM_OK;
}

/* ----------------------------------------------------------------- weights */

gram_status gi_posterior_columns(gi_run *run, const gi_posterior *p,
                                 const gi_operator *T, size_t row, size_t m,
                                 double *room, double *out, double *left)
{
    gram_status status = GRAM_OK;
    const double *inverse = p->s->inverse_one;
    double one = 0;

    GI_TRY(gi_system_columns(run, T, &gi_blas_double, row, m, room, out));
    GI_TRY(gi_chol_each(run, p->s->factor, 1, m, out, m));
    if (!inverse)
        goto done;
    for (size_t j = 0; j < m; j++)
        left[j] = 1;
    for (size_t i = 0; i < p->p.n; i++) {
        one += inverse[i];
        for (size_t j = 0; j < m; j++)
            left[j] -= out[i * m + j];
    }
    for (size_t j = 0; j < m; j++)
        left[j] /= sqrt(one);
    for (size_t i = 0; i < p->p.n; i++)
        for (size_t j = 0; j < m; j++)
            out[i * m + j] += inverse[i] * left[j] / sqrt(one);
done:
    return status;
}
