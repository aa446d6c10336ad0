/* plan.c - what a fit will take, before it takes it.
 *
 * What the fit holds already (rows gathered, targets) is counted, not guessed;
 * to it comes the larger of what selection and what the solution need at their
 * peaks.  Both say so themselves (gi_path_cost, gi_solver.cost).  Selection
 * shrinks to a sample of the rows if need be; the solution does not.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/limits.h"
#include "machines/select/grid.h"
#include "machines/select/select.h"

/* Most rows that a search without structure looks at.  A fixed number, so that
 * what is found does not depend on the machine; and fewer than which of them
 * would say little. */
enum {
    MOST_ROWS = GI_SELECT_ROWS,
    MOST_ROWS_OF_LOSS = GI_SELECT_LOSS_ROWS,
    MIN_ROWS = GI_SELECT_MIN_ROWS
};

/* Lambdas on a path; evaluations of a search, and those on its subsets in
 * units of one on all rows. */
enum { PATH = 60, EVALUATIONS = 60 };

/* Small things that nobody counts; what a solver may be wrong by. */
static const double SMALL_THINGS = 1 << 20, MARGIN = 1.15;

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_plan, member)

static const gram_field fields[] = {
    {FIELD(TEXT, solver)},  {FIELD(TEXT, selection)}, {FIELD(BYTES, bytes)},
    {FIELD(REAL, seconds)}, {FIELD(LINES, others)},   {.name = NULL},
};

const gram_field *gram_plan_fields(void)
{
    return fields;
}

/* --------------------------------------------------------------- selection */

/* Is a path much cheaper than n^3? */
static int is_thin(const gi_fit *f, size_t rows)
{
    return f->K->markov || (f->K->features > 0 && f->K->features < rows / 4);
}

static gi_cost path_cost(const gi_fit *f, size_t rows)
{
    gi_problem p = gi_fit_problem(f);

    return gi_path_cost(
        f->run, &p, rows, NULL,
        (f->select == GRAM_SELECT_GCV ? GI_WANT_GCV : GI_WANT_LOO) |
            GI_WANT_EVIDENCE,
        PATH);
}

/* Without structure a search has gradients: the inverse in place of a factor,
 * for leave-one-out a whole matrix besides, and the engine's workplaces. */
static gi_cost search_cost(const gi_fit *f, size_t rows)
{
    const double workplace = 256e3;
    double n = (double)rows, threads = f->run->threads;
    double rate = gi_rate_gemm(&gi_blas_double) * threads;
    int loo = f->select != GRAM_SELECT_EVIDENCE;
    gi_cost cost = path_cost(f, rows);

    if (is_thin(f, rows) || f->select == GRAM_SELECT_GCV) {
        cost.seconds *= EVALUATIONS;
        return cost;
    }
    cost.bytes = (double)gi_chol_bytes(rows, &gi_blas_double) +
                 (loo ? n * n * sizeof(double) : 0) +
                 (double)gi_operator_bytes(f->run, f->K) * n /
                     (double)f->m->expansion.n +
                 (double)f->m->outputs.count * 4 * n * sizeof(double) +
                 threads * workplace;
    cost.seconds = EVALUATIONS * (loo ? 2 : 1) * n * n * n / rate;
    return cost;
}

/* In single precision a last look in double may follow, which needs more. */
static gi_cost folds_cost(const gi_fit *f, size_t rows)
{
    gi_problem p = gi_fit_problem(f);
    size_t lambdas = gi_grid_lambda_count(f);
    size_t folds = f->o->folds.folds ? f->o->folds.folds : 5;
    gi_cost cost, last;

    cost = gi_path_folds_cost(f->run, &p, rows, gi_select_cv_blas(f, rows),
                              folds, lambdas);
    last =
        gi_path_folds_cost(f->run, &p, rows, &gi_blas_double, folds, lambdas);
    cost.seconds *= (double)gi_grid_tries(f);
    cost.bytes = fmax(cost.bytes, last.bytes);
    if (f->o->folds.given) { /* how many there are is not known here */
        last = gi_path_folds_cost(f->run, &p, rows, &gi_blas_double, rows,
                                  lambdas);
        cost.bytes = fmax(cost.bytes, last.bytes);
    }
    return cost;
}

gi_cost gi_select_cost(const gi_fit *f, size_t rows)
{
    return f->select == GRAM_SELECT_NONE ? (gi_cost){.possible = 1}
           : f->select == GRAM_SELECT_CV
               ? (gi_machine_is_squared(f->m) ? folds_cost
                                              : gi_select_loss_cost)(f, rows)
           : gi_select_searched(f) > 0 ? search_cost(f, rows)
                                       : path_cost(f, rows);
}

/* How many of the rows selection can look at with that much memory. */
static size_t rows_for(const gi_fit *f, double room)
{
    size_t n = f->m->expansion.n, rows = n;
    size_t most = gi_machine_is_squared(f->m) ? MOST_ROWS : MOST_ROWS_OF_LOSS;

    if ((!is_thin(f, n) || !gi_machine_is_squared(f->m)) && rows > most)
        rows = most;
    while (rows > MIN_ROWS && gi_select_cost(f, rows).bytes > room)
        rows -= rows / 16;
    return rows;
}

/* ---------------------------------------------------------------- solution */

/* Bytes of the machine's own table. */
static double table_bytes(const gi_fit *f)
{
    const gram_program *p = f->program;
    double bytes = 0;
    size_t j;

    for (size_t i = 0; i < p->sources; i++) {
        const gi_source *s = &p->source[i];
        const gi_sparse *sparse;

        if (gram_table_find(f->table, s->block ? s->block : s->name, &j) !=
            GRAM_OK)
            continue;
        sparse = &f->table->column[j].sparse;
        bytes += (double)(f->m->expansion.n * sizeof(double));
        if (sparse->start)
            bytes +=
                (double)(sparse->start[f->table->rows] *
                         (sizeof *sparse->index + sizeof *sparse->entries));
    }
    return bytes;
}

/* A solver's cost for all solutions. */
static gi_cost solution_cost(const gi_fit *f, const gi_run *run,
                             const gi_solver *solver, const gi_problem *p)
{
    const gram_machine *m = f->m;
    gi_problem one = *p;
    double more = (double)(m->expansion.solutions - 1);
    gi_cost cost;

    if (m->expansion.solutions > 1)
        one.targets = 1;
    cost = solver->cost(run, &one, one.n);
    if (cost.possible && gi_machine_pairs_fit(m, solver, run->memory))
        cost.bytes += gi_machine_pairs_bytes(m, solver);

    cost.seconds += more * cost.seconds;
    if (m->training.options.keep_factor && (solver->flags & GI_SOLVER_SYSTEM))
        cost.bytes +=
            more * (double)gi_chol_bytes(m->expansion.n, &gi_blas_double);
    return cost;
}

static gram_status choose_solver(gi_fit *f, const gi_run *budget,
                                 const gi_problem *p)
{
    gram_status status = GRAM_OK;
    char needed[GRAM_NUMBER_ROOM], room[GRAM_NUMBER_ROOM];
    gi_cost cost;

    if (!f->o->solver || strcmp(f->o->solver, "auto") == 0) {
        gi_problem one = *p;

        if (f->m->expansion.solutions > 1)
            one.targets = 1;
        GI_TRY(gi_solver_choose(budget, &one, &f->plan.solver));
        goto done;
    }
    GI_TRY(gi_solver_find(f->o->solver, &f->plan.solver));
    cost = solution_cost(f, budget, f->plan.solver, p);
    if (!cost.possible)
        GI_TRY(
            gi_fail(GRAM_ERR_RANGE, "solver %s: %s", f->o->solver, cost.why));
    if (cost.bytes > (double)budget->memory)
        GI_TRY(gi_fail(GRAM_ERR_MEMORY,
                       "solver %s needs %s for %zu rows, %s may be used",
                       f->o->solver, gram_bytes_print(cost.bytes, needed), p->n,
                       gram_bytes_print((double)budget->memory, room)));
done:
    return status;
}

/* One line a solver: its name, bytes, seconds. */
static void list_others(const gi_fit *f, const gi_run *budget,
                        const gi_problem *p, gram_plan *out)
{
    size_t used = 0;
    const gi_solver *s;

    out->others[0] = '\0';
    for (size_t i = 0; (s = gi_solver_at(i)) != NULL; i++) {
        gi_cost cost = solution_cost(f, budget, s, p);
        char bytes[GRAM_NUMBER_ROOM];
        int n;

        if (s == f->plan.solver || !cost.possible)
            continue;
        n = snprintf(out->others + used, sizeof out->others - used,
                     "%s%s %s, %.2g s%s", used ? "\n" : "", s->name,
                     gram_bytes_print(cost.bytes, bytes), cost.seconds,
                     cost.bytes > (double)budget->memory ? " (too big)" : "");
        if (n < 0 || (size_t)n >= sizeof out->others - used) {
            out->others[used] = '\0';
            return;
        }
        used += (size_t)n;
    }
}

/* -------------------------------------------------------------------- plan */

gram_status gi_fit_make_plan(gi_fit *f, gram_plan *out)
{
    gram_status status = GRAM_OK;
    gi_problem p = gi_fit_problem(f);
    gi_run budget = *f->run;
    double own = table_bytes(f), room = (double)gi_run_budget_left(f->run);
    int threads = f->run->threads;
    gi_cost select, solve;

    p.keep_factor = f->m->training.options.keep_factor;
    budget.memory = (size_t)(fmax(room - own, 0) / MARGIN);
    budget.threads = f->run->threads =
        1; /* the answer does not depend on them */
    GI_TRY(choose_solver(f, &budget, &p));
    f->plan.rows =
        f->select == GRAM_SELECT_NONE ? f->m->expansion.n : rows_for(f, room);
    f->run->threads = threads + 1;
    do { /* as many as have room for their buffers */
        budget.threads = --f->run->threads;
        solve = solution_cost(f, &budget, f->plan.solver, &p);
        select = gi_select_cost(f, f->plan.rows);
    } while (f->run->threads > 1 &&
             (select.bytes > room || solve.bytes > (double)budget.memory));
    f->plan.selection = gi_select_sentence(f);
    f->plan.bytes = (double)gi_run_live(f->run) + SMALL_THINGS +
                    fmax(select.bytes, own + solve.bytes);
    f->plan.seconds = select.seconds + solve.seconds;
    f->plan.share = fmin(fmax(select.seconds / f->plan.seconds, 0.05), 0.95);
    if (!out)
        goto done;
    *out = (gram_plan){.solver = f->plan.solver->name,
                       .selection = f->plan.selection,
                       .bytes = (size_t)f->plan.bytes,
                       .seconds = f->plan.seconds};
    list_others(f, &budget, &p, out);
done:
    return status;
}
