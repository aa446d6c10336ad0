/* update.c - a machine with more rows, or fewer, its kernel and lambda kept.
 *
 * Where the factor of K + lambda D was kept it is updated: rows that go cost
 * O(n^2) each, m rows that come O(n^2 m), against n^3/3 for a new one (Golub
 * and Van Loan, Matrix Computations, 6.5).  Otherwise everything is solved
 * anew.  Either way the answer is that of a fit to the rows that are there.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/program/learned.h"
#include "machines/fit.h"
#include "data/table/subset.h"
#include "solvers/system.h"

/* --------------------------------------------------------------------- rows */

/* New rows as a fit reads them: targets, weights, noise. */
static gram_status read_rows(gi_run *run, const gram_machine *m,
                             const gram_table *table, gi_fit *f)
{
    static const gram_fit_options defaults;
    gram_status status = GRAM_OK;
    const gram_machine *new;

    *f = (gi_fit){
        .run = run, .o = &defaults, .table = table, .fills = &m->outputs.fills};
    GI_TRY(GI_NEW_ZERO(run, f->m, 1));
    f->m->training.intercept = m->training.intercept;
    GI_TRY(gi_fit_targets(f));
    new = f->m;
    if (new->outputs.count != m->outputs.count)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "new rows: %zu targets, the model has %zu",
                       new->outputs.count, m->outputs.count));
    for (size_t t = 0; t < m->outputs.count; t++)
        if (strcmp(new->outputs.target[t], m->outputs.target[t]) != 0)
            GI_TRY(
                gi_fail(GRAM_ERR_NAME,
                        "new rows: target \"%s\", the model has \"%s\" there",
                        new->outputs.target[t], m->outputs.target[t]));
    if (!new->training.noise_column != !m->training.noise_column)
        GI_TRY(gi_fail(
            GRAM_ERR_SHAPE, "the %s a noise column, the other one has none",
            m->training.noise_column ? "model has" : "new rows have"));
    if (m->training.noise && !m->training.noise_column && !new->training.noise)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "new rows: no weights, the model was fitted with some"));
done:
    return status;
}

/* The numbers of kept and new rows one after the other. */
static gram_status join_numbers(gi_run *run, const gram_machine *m,
                                const unsigned char *keep,
                                const gram_machine *new, gram_machine *to)
{
    gram_status status = GRAM_OK;
    size_t n = 0, targets = m->outputs.count;
    double next = 0;

    GI_TRY(GI_NEW(run, to->training.y, to->expansion.n * targets));
    GI_TRY(GI_NEW(run, to->training.row, to->expansion.n));
    if (m->training.noise || (new &&new->training.noise))
        GI_TRY(GI_NEW(run, to->training.noise, to->expansion.n));
    for (size_t i = 0; i < m->expansion.n; i++) {
        next = fmax(next, m->training.row[i] + 1);
        if (!keep[i])
            continue;
        memcpy(to->training.y + n * targets, m->training.y + i * targets,
               targets * sizeof *to->training.y);
        to->training.row[n] = m->training.row[i];
        if (to->training.noise)
            to->training.noise[n] =
                m->training.noise ? m->training.noise[i] : 1;
        n++;
    }
    for (size_t i = 0; new &&i < new->expansion.n; i++, n++) {
        for (size_t t = 0; t < targets; t++)
            to->training.y[n * targets + t] = new->training.y[i * targets + t] +
                                              new->outputs.shift[t] -
                                              m->outputs.shift[t];
        to->training.row[n] = next + new->training.row[i];
        if (to->training.noise)
            to->training.noise[n] =
                new->training.noise ? new->training.noise[i] : 1;
    }
done:
    return status;
}

/* ------------------------------------------------------------------ machine */

static gram_status copy_reals(gi_run *run, const double *from, size_t n,
                              double **to)
{
    gram_status status = GI_NEW(run, *to, n);

    if (status == GRAM_OK)
        memcpy(*to, from, n * sizeof *from);
    return status;
}

static gram_status copy_text(gi_run *run, const char *from, char **to)
{
    return gi_strndup(run, from, strlen(from), to);
}

/* All that does not depend on the rows. */
static gram_status copy_settings(gi_run *run, const gram_machine *m,
                                 gram_machine *to)
{
    gram_status status = GRAM_OK;

    GI_TRY(
        gi_program_structure(run, m->expansion.program, &to->expansion.kernel));
    GI_TRY(gi_losses_new(run, m->outputs.loss_text, &to->outputs.loss,
                         &to->outputs.losses));
    GI_TRY(copy_text(run, m->outputs.loss_text, &to->outputs.loss_text));
    GI_TRY(GI_NEW_ZERO(run, to->outputs.target, m->outputs.count));
    GI_TRY(GI_NEW_ZERO(run, to->outputs.name, m->outputs.count));
    to->outputs.target_count = to->outputs.count = m->outputs.count;
    for (size_t t = 0; t < m->outputs.count; t++) {
        GI_TRY(copy_text(run, m->outputs.target[t], &to->outputs.target[t]));
        GI_TRY(copy_text(run, m->outputs.name[t], &to->outputs.name[t]));
    }
    if (m->training.noise_column)
        GI_TRY(copy_text(run, m->training.noise_column,
                         &to->training.noise_column));
    GI_TRY(gi_fills_copy(run, &m->outputs.fills, &to->outputs.fills));
    if (m->outputs.target_type) {
        GI_TRY(GI_NEW(run, to->outputs.target_type, m->outputs.target_count));
        memcpy(to->outputs.target_type, m->outputs.target_type,
               m->outputs.target_count * sizeof *to->outputs.target_type);
    }
    GI_TRY(copy_reals(run, m->outputs.shift, m->outputs.count,
                      &to->outputs.shift));
    GI_TRY(copy_reals(run, m->outputs.lambda, m->outputs.count,
                      &to->outputs.lambda));
    GI_TRY(copy_reals(run, m->outputs.amplitude, m->outputs.count,
                      &to->outputs.amplitude));
    GI_TRY(copy_reals(run, m->outputs.variance, m->outputs.count,
                      &to->outputs.variance));
    GI_TRY(copy_reals(run, m->outputs.constant, m->outputs.count,
                      &to->outputs.constant));
    GI_TRY(GI_NEW(run, to->outputs.evidence, m->outputs.count));
    for (size_t t = 0; t < m->outputs.count; t++)
        to->outputs.evidence[t] = NAN;
    GI_TRY(GI_NEW_ZERO(run, to->expansion.solution, m->expansion.solutions));
    to->expansion.solutions = m->expansion.solutions;
    to->training.intercept = m->training.intercept;
    to->training.amplitude_mode = m->training.amplitude_mode;
    to->training.options = m->training.options;
    to->report.criterion = "none";
    to->report.criterion_value = NAN;
done:
    return status;
}

/* ------------------------------------------------------------------- factor */

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const gi_system *s = user;

    return gi_system_tile(s->p, s->jitter, &gi_blas_double, row, rows, col,
                          cols, tile, ld);
}

/* The old factor without the rows that go, and with those that come. */
static gram_status update_factor(gi_run *run, const gi_chol *old,
                                 const unsigned char *keep, gi_system *s,
                                 gi_chol **out)
{
    gram_status status = GRAM_OK;
    gi_chol *less = NULL;

    GI_TRY(gi_operator_prepare(s->p->K, run, &gi_blas_double));
    GI_TRY(gi_chol_remove(run, old, keep, &less));
    GI_TRY(gi_chol_append(run, less, s->p->n, fill, s, out));
done:
    gi_chol_free(less);
    return status;
}

/* Solution q from the factor of m's. */
static gram_status update_solution(gi_run *run, const gi_solution *old,
                                   const unsigned char *keep,
                                   const gi_problem *p, gi_solution *out)
{
    gram_status status = GRAM_OK;
    gi_system s = {0};

    GI_TRY(gi_system_new(run, p, &s));
    s.jitter = old->jitter;
    GI_TRY(update_factor(run, old->factor, keep, &s, &out->factor));
    memcpy(s.z, s.rhs, p->n * s.columns * sizeof *s.z);
    GI_TRY(gi_chol_solve(run, out->factor, s.columns, s.z, s.columns));
    GI_TRY(gi_system_finish(run, &s, out));
    out->solver = old->solver;
    out->precision = old->precision;
    out->jitter = old->jitter;
    out->condition = NAN;
    out->rank = p->n;
    out->converged = 1;
    GI_TRY(gi_system_residual(run, p, out));
done:
    gi_system_free(&s);
    return status;
}

/* Can the factors of all solutions be updated? */
static int has_factors(const gram_machine *m)
{
    for (size_t q = 0; q < m->expansion.solutions; q++)
        if (!m->expansion.solution[q].factor ||
            m->expansion.solution[q].weights ||
            gi_chol_blas(m->expansion.solution[q].factor) != &gi_blas_double)
            return 0;
    return 1;
}

static gram_status update_solutions(gi_run *run, const gram_machine *m,
                                    const unsigned char *keep,
                                    const gi_operator *K, gram_machine *to)
{
    gram_status status = GRAM_OK;
    double *room = NULL;

    GI_TRY(GI_NEW(run, room, to->expansion.n));
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        gi_problem p = gi_machine_problem(to, K, q, room);

        p.keep_factor = 1;
        GI_TRY(update_solution(run, &m->expansion.solution[q], keep, &p,
                               &to->expansion.solution[q]));
        GI_TRY(gi_machine_conclude(run, to, q, &p));
    }
    gi_machine_summarise(to);
done:
    gi_free(room);
    return status;
}

/* ------------------------------------------------------------------- update */

static gram_status solve_rows(gi_run *run, const gram_machine *m,
                              const unsigned char *keep, gram_machine *to)
{
    gram_status status = GRAM_OK;
    gi_operator *K = NULL;

    GI_TRY(gi_operator_new(run, to->expansion.program, NULL, to->expansion.x,
                           NULL, &K));
    GI_TRY(has_factors(m)
               ? update_solutions(run, m, keep, K, to)
               : gi_machine_solve(run, to, K, m->expansion.solution[0].solver,
                                  NULL));
done:
    gi_operator_free(K);
    return status;
}

gram_status gram_machine_update(const gram_machine *m, const gram_table *table,
                                const unsigned char *remove,
                                const gram_exec *exec, gram_machine **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    double start = gi_clock();
    unsigned char *keep = NULL;
    gram_machine *to = NULL;
    gram_table *kept = NULL, *own = NULL;
    gi_values values = {0};
    gi_fit f = {0};

    *out = NULL;
    GI_TRY(gi_machine_must_be_squared(m, "an update"));
    GI_TRY(GI_NEW(&run, keep, m->expansion.n));
    GI_TRY(GI_NEW_ZERO(&run, to, 1));
    GI_TRY(copy_settings(&run, m, to));
    if (table)
        GI_TRY(gi_machine_complete(&run, m, GRAM_MISSING_AUTO, table, &own));
    table = own ? own : table;
    if (table)
        GI_TRY(read_rows(&run, m, table, &f));
    to->expansion.n = table ? f.m->expansion.n : 0;
    for (size_t i = 0; i < m->expansion.n; i++) {
        keep[i] = !remove || !remove[i];
        to->expansion.n += keep[i];
    }
    to->training.rows = to->expansion.n;
    if (to->expansion.n == 0)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE, "no rows are left"));
    GI_TRY(join_numbers(&run, m, keep, f.m, to));
    GI_TRY(gi_table_subset(&run, m->expansion.table, NULL, keep, &kept));
    GI_TRY(gi_table_join(&run, kept, table ? gi_fit_table(&f) : NULL,
                         &to->expansion.table));
    GI_TRY(gi_values_of(&run, m->expansion.program, &values));
    GI_TRY(gi_expansion_compile(&run, &to->expansion, &values));
    GI_TRY(solve_rows(&run, m, keep, to));
    gi_machine_refer(to);
    to->report.seconds = gi_clock() - start;
    *out = to;
    to = NULL;
done:
    if (*out)
        (*out)->report.peak_bytes = (*out)->report.plan_bytes =
            gi_run_peak(&run);
    gi_fit_end(&f);
    gi_values_free(&values);
    gi_free(keep);
    gram_table_free(kept);
    gram_table_free(own);
    gram_machine_free(to);
    return status;
}
