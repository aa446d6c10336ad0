/* solve_loss.c - machines with another loss than squared: one problem for each
 * function f, on the rows that take part in it.
 *
 * Support vector machines of pairs of classes share the matrix, in memory, if
 * it fits there.  Rows that no function has an alpha for say nothing about new
 * rows and are not kept, so a support vector machine is as large as its
 * support.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "machines/machine.h"
#include "data/table/subset.h"
#include "operators/stored.h"
#include "solvers/gap.h"
#include "solvers/many.h"
#include "solvers/row_subset.h"

/* -------------------------------------------------------------------- solve */

/* The rows with a y in function q; all of them: NULL. */
static gram_status find_rows(gi_run *run, const gram_machine *m, size_t q,
                             size_t **row, size_t *count)
{
    gram_status status = GRAM_OK;

    *count = m->expansion.n;
    if (m->outputs.classes.coding != GI_CODING_PAIRS ||
        m->outputs.classes.count == 2)
        return status;
    GI_TRY(GI_NEW(run, *row, m->expansion.n));
    *count = 0;
    for (size_t i = 0; i < m->expansion.n; i++)
        if (m->training.y[i * m->outputs.count + q] != 0)
            (*row)[(*count)++] = i;
done:
    return status;
}

/* alpha of some rows becomes alpha of all, 0 elsewhere. */
static gram_status scatter(gi_run *run, size_t n, const size_t *row,
                           size_t count, gi_solution *s)
{
    gram_status status = GRAM_OK;
    double *alpha = NULL;

    GI_TRY(GI_NEW_ZERO(run, alpha, n));
    for (size_t i = 0; i < count; i++)
        alpha[row[i]] = s->alpha[i];
    gi_free(s->alpha);
    s->alpha = alpha;
done:
    return status;
}

/* The problem of one function, on rows of its own if not all take part. */
typedef struct function {
    gi_row_subset sample;
    size_t *row, count;
} function;

static gram_status function_new(gi_run *run, const gram_machine *m,
                                const gi_operator *K, size_t q, double *room,
                                function *f)
{
    gram_status status = GRAM_OK;
    gi_problem p = gi_machine_problem(m, K, q, room);

    GI_TRY(find_rows(run, m, q, &f->row, &f->count));
    GI_TRY(gi_row_subset_new(run, &p, f->row, f->count, &f->sample));
done:
    return status;
}

static void function_free(function *f)
{
    gi_row_subset_free(&f->sample);
    gi_free(f->row);
}

static gram_status solve_function(gi_run *run, gram_machine *m,
                                  const gi_operator *K, const gi_solver *solver,
                                  const gram_fit_options *o, size_t q,
                                  double *room)
{
    gram_status status = GRAM_OK;
    gi_solution *s = &m->expansion.solution[q];
    unsigned char *held = NULL;
    function f = {0};

    GI_TRY(function_new(run, m, K, q, room, &f));
    GI_TRY(gi_machine_preferences(run, o, f.count, &f.sample.problem, &held));
    GI_TRY(gi_solver_solve(run, solver, &f.sample.problem, s));
    if (f.row)
        GI_TRY(scatter(run, m->expansion.n, f.row, f.count, s));
done:
    function_free(&f);
    gi_free(held);
    return status;
}

/* Objective and gap in double, of a solution over a matrix in single. */
static gram_status measure_function(gi_run *run, gram_machine *m,
                                    const gi_operator *K, size_t q,
                                    double *room)
{
    gram_status status = GRAM_OK;
    gi_solution *s = &m->expansion.solution[q], part = *s;
    function f = {0};

    part.alpha = NULL;
    GI_TRY(function_new(run, m, K, q, room, &f));
    GI_TRY(GI_NEW(run, part.alpha, f.count));
    for (size_t i = 0; i < f.count; i++)
        part.alpha[i] = s->alpha[f.row[i]];
    f.sample.problem.lambda = s->lambda;
    GI_TRY(gi_gap_measure(run, &f.sample.problem, &part));
    s->objective = part.objective;
    s->gap = part.gap;
done:
    gi_free(part.alpha);
    function_free(&f);
    return status;
}

/* ------------------------------------------------------------------- pairs */

/* Support vector machines of pairs of classes over one matrix in memory. */
typedef struct pairs {
    gi_run *run;
    gram_machine *m;
    const gi_solver *solver;
    size_t **row;
    gi_many_part *part;
    double **y, **noise;
} pairs;

static gram_status take(void *user, size_t q, size_t l, const gi_solution *s,
                        const double *f)
{
    const pairs *p = user;
    gi_solution *to = &p->m->expansion.solution[q];
    gi_run run = *p->run;
    gram_status status = GRAM_OK;

    (void)l;
    (void)f;
    *to = *s;
    to->solver = p->solver;
    to->alpha = to->intercept = NULL;
    GI_TRY(GI_NEW(&run, to->intercept, 1));
    to->intercept[0] = s->intercept[0];
    GI_TRY(GI_NEW_ZERO(&run, to->alpha, p->m->expansion.n));
    for (size_t i = 0; i < p->part[q].n; i++)
        to->alpha[p->row[q][i]] = s->alpha[i];
done:
    return status;
}

static gram_status pairs_new(pairs *p)
{
    gram_machine *m = p->m;
    size_t T = m->outputs.count;
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW_ZERO(p->run, p->row, T));
    GI_TRY(GI_NEW_ZERO(p->run, p->y, T));
    GI_TRY(GI_NEW_ZERO(p->run, p->noise, T));
    GI_TRY(GI_NEW_ZERO(p->run, p->part, T));
    for (size_t q = 0; q < T; q++) {
        size_t n = 0;

        GI_TRY(find_rows(p->run, m, q, &p->row[q], &n));
        GI_TRY(GI_NEW(p->run, p->y[q], n));
        if (m->training.noise)
            GI_TRY(GI_NEW(p->run, p->noise[q], n));
        for (size_t i = 0; i < n; i++) {
            p->y[q][i] = m->training.y[p->row[q][i] * T + q];
            if (m->training.noise)
                p->noise[q][i] = m->training.noise[p->row[q][i]];
        }
        p->part[q] = (gi_many_part){p->row[q], n, p->y[q], p->noise[q]};
    }
done:
    return status;
}

static void pairs_free(pairs *p)
{
    for (size_t q = 0; q < p->m->outputs.count; q++) {
        if (p->row)
            gi_free(p->row[q]);
        if (p->y)
            gi_free(p->y[q]);
        if (p->noise)
            gi_free(p->noise[q]);
    }
    gi_free(p->row);
    gi_free(p->y);
    gi_free(p->noise);
    gi_free(p->part);
}

static gram_status solve_pairs(gi_run *run, gram_machine *m,
                               const gi_operator *K, const gi_solver *solver)
{
    pairs p = {.run = run, .m = m, .solver = solver};
    float *matrix = NULL;
    gi_operator *stored = NULL;
    gi_many many = {.loss = m->outputs.loss,
                    .intercept = m->training.intercept,
                    .tolerance = m->training.options.tolerance,
                    .parts = m->outputs.count,
                    .lambda = m->outputs.lambda,
                    .lambdas = 1,
                    .take = take,
                    .user = &p};
    gram_status status = GRAM_OK;

    GI_TRY(pairs_new(&p));
    GI_TRY(GI_NEW(run, matrix, m->expansion.n * m->expansion.n));
    GI_TRY(gi_operator_store(K, run, &gi_blas_single, matrix, m->expansion.n));
    GI_TRY(gi_stored_new(run, &gi_blas_single, matrix, m->expansion.n,
                         m->expansion.n, &stored));
    many.K = stored;
    many.part = p.part;
    GI_TRY(solver->many(run, &many));
done:
    pairs_free(&p);
    gi_operator_free(stored);
    gi_free(matrix);
    return status;
}

double gi_machine_pairs_bytes(const gram_machine *m, const gi_solver *solver)
{
    double n = (double)m->expansion.n, k = (double)m->outputs.classes.count;

    if (m->outputs.classes.coding != GI_CODING_PAIRS ||
        m->outputs.classes.count == 2 || !solver->many)
        return INFINITY;
    return n * n * sizeof(float) + 8 * n * (double)m->outputs.count +
           5 * n * k * sizeof(double);
}

/* Beside the matrix every thread gathers rows of its pair. */
int gi_machine_pairs_fit(const gram_machine *m, const gi_solver *solver,
                         size_t room)
{
    return 1.5 * gi_machine_pairs_bytes(m, solver) < (double)room;
}

/* -------------------------------------------------------------------- rows */

static int has_alpha(const gram_machine *m, size_t i)
{
    size_t each = m->expansion.solutions > 1 ? 1 : m->outputs.count;

    for (size_t q = 0; q < m->expansion.solutions; q++)
        for (size_t t = 0; t < each; t++)
            if (m->expansion.solution[q].alpha[i * each + t] != 0)
                return 1;
    return 0;
}

/* Of n rows of `width` numbers each those that are kept, in place. */
static void squeeze(double *x, size_t n, size_t width,
                    const unsigned char *keep)
{
    size_t to = 0;

    for (size_t i = 0; x && i < n; i++)
        if (keep[i])
            memmove(x + width * to++, x + width * i, width * sizeof *x);
}

gram_status gi_machine_drop_rows(gi_run *run, gram_machine *m)
{
    gram_status status = GRAM_OK;
    unsigned char *keep = NULL;
    gram_table *table = NULL;
    gi_points *x = NULL;
    size_t *row = NULL, kept = 0;

    GI_TRY(GI_NEW(run, keep, m->expansion.n));
    GI_TRY(GI_NEW(run, row, m->expansion.n));
    for (size_t i = 0; i < m->expansion.n; i++)
        if ((keep[i] = (unsigned char)has_alpha(m, i)))
            row[kept++] = i;
    m->report.support = kept;
    if (kept == 0) { /* f is a constant */
        kept = keep[0] = 1;
        row[0] = 0;
    }
    if (kept == m->expansion.n ||
        gi_program_addresses_rows(m->expansion.program))
        goto done;
    GI_TRY(gi_table_subset(run, m->expansion.table, NULL, keep, &table));
    GI_TRY(gi_points_select(run, m->expansion.program, m->expansion.x, row,
                            kept, &x));
    for (size_t q = 0; q < m->expansion.solutions; q++)
        squeeze(m->expansion.solution[q].alpha, m->expansion.n,
                m->expansion.solutions > 1 ? 1 : m->outputs.count, keep);
    squeeze(m->training.y, m->expansion.n, m->outputs.count, keep);
    squeeze(m->training.noise, m->expansion.n, 1, keep);
    squeeze(m->training.row, m->expansion.n, 1, keep);
    m->expansion.n = kept;
    gi_expansion_take_rows(&m->expansion, table, x);
    table = NULL;
    x = NULL;
done:
    gi_free(keep);
    gi_free(row);
    gi_points_free(x);
    gram_table_free(table);
    return status;
}

/* ------------------------------------------------------------------ machine */

gram_status gi_machine_solve_loss(gi_run *run, gram_machine *m,
                                  const gi_operator *K, const gi_solver *solver,
                                  const gram_fit_options *o)
{
    gram_status status = GRAM_OK;
    double *room = NULL, parts = (double)m->expansion.solutions;
    int together = gi_machine_pairs_fit(m, solver, gi_run_budget_left(run));

    GI_TRY(GI_NEW(run, room, m->expansion.n));
    if (together)
        GI_TRY(solve_pairs(run, m, K, solver));
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        gi_run part =
            gi_run_share(run, (double)q / parts, (double)(q + 1) / parts);
        size_t each = m->expansion.solutions > 1 ? 1 : m->outputs.count;

        GI_TRY(together ? measure_function(&part, m, K, q, room)
                        : solve_function(&part, m, K, solver, o, q, room));
        for (size_t t = q; t < q + each; t++) {
            m->outputs.constant[t] = m->expansion.solution[q].intercept[t - q];
            m->outputs.lambda[t] = m->expansion.solution[q].lambda;
        }
    }
    gi_machine_summarise(m);
    m->report.residual = NAN;
done:
    gi_free(room);
    return status;
}
