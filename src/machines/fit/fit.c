/* fit.c - a table becomes a machine.
 *
 * Options and table are checked, the kernel is scaled and compiled, memory is
 * planned; open numbers are found (select.c), and the machine is solved.
 * Kernel, program, rows and operator are made once: what planning looked at,
 * selection and the solution go on with, and the machine keeps.
 */
#include "machines/fit.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "kernels/proof/certified.h"
#include "data/table/subset.h"
#include "machines/select/select.h"
#include "kernels/program/amplitude.h"
#include "kernels/program/learned.h"
#include "kernels/program/scaled.h"

/* Fewer rows do not tell one lambda from another; up to SERIAL_ROWS, one thread
 * is faster. */
enum { MIN_ROWS = GI_FIT_MIN_ROWS, SERIAL_ROWS = GI_FIT_SERIAL_ROWS };

void gi_fit_end(gi_fit *f)
{
    gi_operator_free(f->K);
    gi_points_free(f->x);
    gi_free(f->unknown);
    gi_free(f->theta);
    gi_program_free(f->program);
    gram_kernel_free(f->kernel);
    gram_table_free(f->part);
    gi_free(f->source);
    gi_free(f->lambda.candidate);
    gram_machine_free(f->m);
}

gi_problem gi_fit_problem(const gi_fit *f)
{
    const gram_machine *m = f->m;

    return (gi_problem){
        .K = f->K,
        .n = m->expansion.n,
        .targets = m->outputs.count,
        .loss = gi_machine_is_squared(m) ? NULL : m->outputs.loss,
        .y = m->training.y,
        .noise = m->training.noise,
        .intercept = m->training.intercept,
        .lambda = isnan(f->lambda.value) ? 1 : f->lambda.value,
        .amplitude = m->training.amplitude_mode,
        .precision = (gi_factor_precision)m->training.options.precision,
        .jitter = m->training.options.jitter,
        .tolerance = m->training.options.tolerance};
}

/* ------------------------------------------------------------------- begin */

/* Some losses take kernels that are none, but say so: what is found is then a
 * stationary point. */
static gram_status check_proof(gi_fit *f, const gram_kernel *k)
{
    gram_status status = gi_kernel_certified(f->run, k, &f->unknown_psd);

    if (!gi_loss_has(f->m->outputs.loss, GRAM_LOSS_INDEFINITE))
        return status;
    if (status == GRAM_ERR_RANGE)
        return gi_machine_warn(f->run, f->m, "%s", gram_error_message());
    f->unknown_psd = 0;
    return status;
}

/* The kernel as it was asked for. */
static const char *kernel_text(const gram_fit_options *o)
{
    return o->kernel ? o->kernel : GI_KERNEL_DEFAULT;
}

static gram_status make_kernel(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_fit_options *o = f->o;
    gram_kernel *written = NULL;

    if (o->from) {
        GI_TRY(gi_program_structure(f->run, o->from->expansion.program,
                                    &f->kernel));
        GI_TRY(check_proof(f, f->kernel));
        goto done;
    }
    GI_TRY(gi_kernel_new(f->run, kernel_text(o), &written));
    GI_TRY(check_proof(f, written));
    GI_TRY(gi_kernel_scaled(f->run, written, (gi_scaling)o->scale, &f->kernel));
done:
    gram_kernel_free(written);
    return status;
}

/* Where lambda follows from nu, none is searched. */
static gram_status lambda_of_nu(gi_fit *f)
{
    const gi_loss *loss = f->m->outputs.loss;

    if (!gi_loss_has(loss, GRAM_LOSS_NU_LAMBDA) || !(gi_loss_nu(loss) > 0))
        return GRAM_OK;
    if (!f->o->from && (!isnan(f->lambda.value) || f->lambda.candidate))
        return gi_fail(GRAM_ERR_RANGE,
                       "lambda: with loss %s it follows from nu and cannot be "
                       "given",
                       f->m->outputs.loss_text);
    f->lambda.value = 1;
    return GRAM_OK;
}

static gram_status read_lambda(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_machine *from = f->o->from;
    const gi_kernel_node *noise =
        gi_kernel_leaf_with(f->kernel, GRAM_KERNEL_NOISE);
    gram_machine *m = f->m;
    int each = from && from->expansion.solutions > 1 &&
               from->outputs.count == m->outputs.count;

    if (from)
        f->lambda.value = from->outputs.lambda[0];
    else
        GI_TRY(gi_lambda_read(f->run, f->o->lambda, &f->lambda));
    GI_TRY(lambda_of_nu(f));
    for (size_t t = 0; t < m->outputs.count; t++)
        m->outputs.lambda[t] = each ? from->outputs.lambda[t] : f->lambda.value;
    if (f->lambda.value == 0 && m->training.noise_column)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "lambda = 0, must be positive with noise column \"%s\"",
                       m->training.noise_column));
    if (isnan(f->lambda.value) && noise)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "kernel \"%s\": %s is noise, as lambda is; give lambda "
                       "as a number beside it",
                       gram_kernel_text(f->kernel), noise->class_->name));
    if (f->lambda.value == 0 && !gi_machine_is_squared(m))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "lambda = 0, must be positive with loss %s",
                       m->outputs.loss_text));
    m->expansion.solutions =
        each || (f->o->per_target && isnan(f->lambda.value)) ||
                (!gi_machine_is_squared(m) &&
                 m->outputs.classes.coding != GI_CODING_JOINT)
            ? m->outputs.count
            : 1;
    GI_TRY(GI_NEW_ZERO(f->run, m->expansion.solution, m->expansion.solutions));
done:
    return status;
}

/* With the numbers and states of another machine. */
static gram_status compile_like(gi_fit *f, const gram_machine *from)
{
    gram_status status = GRAM_OK;
    const gram_table *t = gi_fit_table(f);
    gi_values values = {0};

    GI_TRY(gi_values_of(f->run, from->expansion.program, &values));
    GI_TRY(gi_program_restore(f->run, f->kernel, &values, t, &f->program));
    GI_TRY(gi_points_new(f->run, f->program, t, GI_DOUBLE, &f->x));
done:
    gi_values_free(&values);
    return status;
}

/* For the table at hand; what is open begins at its start. */
static gram_status compile_open(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_table *t = gi_fit_table(f);

    GI_TRY(gi_program_new_scaled(f->run, f->kernel, kernel_text(f->o), t,
                                 &f->program));
    GI_TRY(gi_points_new(f->run, f->program, t, GI_DOUBLE, &f->x));
    GI_TRY(
        gi_unknowns_new(f->run, f->program, f->x, &f->unknown, &f->unknowns));
    for (size_t u = 0; u < f->unknowns; u++)
        f->program->theta[f->unknown[u].theta] = f->unknown[u].start;
    if (isnan(f->lambda.value) ||
        (!f->m->training.noise_column && gi_machine_is_squared(f->m)))
        f->hold = gi_kernel_amplitude(f->kernel);
    if (f->hold >= 0)
        f->program->theta[f->program->first_theta[f->hold]] = 1;
done:
    return status;
}

static gram_status compile(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_machine *from = f->o->from;

    GI_TRY(from ? compile_like(f, from) : compile_open(f));
    GI_TRY(GI_NEW(f->run, f->theta, f->program->thetas));
    if (f->program->thetas)
        memcpy(f->theta, f->program->theta,
               f->program->thetas * sizeof *f->theta);
    GI_TRY(gi_operator_new(f->run, f->program, f->theta, f->x, NULL, &f->K));
done:
    return status;
}

static gi_amplitude amplitude_mode(const gi_fit *f)
{
    const gram_machine *from = f->o->from;

    if (f->m->training.noise_column)
        return GI_AMPLITUDE_INVERSE;
    if (from)
        return from->training.amplitude_mode == GI_AMPLITUDE_ONE
                   ? GI_AMPLITUDE_ONE
                   : GI_AMPLITUDE_PROFILED;
    return gi_kernel_has_amplitude(f->kernel) && !isnan(f->lambda.value)
               ? GI_AMPLITUDE_ONE
               : GI_AMPLITUDE_PROFILED;
}

static int all_constant(const gram_machine *m)
{
    for (size_t i = 0; i < m->expansion.n * m->outputs.count; i++)
        if (m->training.y[i] != 0)
            return 0;
    return 1;
}

/* What the loss can be chosen by. */
static gram_status check_select(gi_fit *f)
{
    const gram_machine *m = f->m;
    int classes = m->outputs.classes.coding != GI_CODING_NONE;

    if (f->select == GRAM_SELECT_AUTO)
        f->select = !gi_machine_is_squared(m) ? GRAM_SELECT_CV
                    : f->unknowns             ? GRAM_SELECT_EVIDENCE
                                              : GRAM_SELECT_LOO;
    if (!m->outputs
             .target_count) /* novelty: there is nothing to be right about */
        f->select = GRAM_SELECT_NONE;
    if (gi_machine_is_squared(m) || f->select == GRAM_SELECT_CV ||
        f->select == GRAM_SELECT_NONE)
        return GRAM_OK;
    if (f->select == GRAM_SELECT_EVIDENCE && classes && m->outputs.count == 1 &&
        gi_loss_has(m->outputs.loss, GRAM_LOSS_LOG_ODDS))
        return GRAM_OK;
    return gi_fail(GRAM_ERR_RANGE, "select %s: loss %s is selected by cv%s",
                   gi_select_names[f->select], m->outputs.loss_text,
                   gi_loss_has(m->outputs.loss, GRAM_LOSS_LOG_ODDS)
                       ? ", or by evidence with two classes"
                       : "");
}

/* The criterion; none if nothing is open, or the rows cannot tell. */
static gram_status choose_criterion(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;

    f->select = f->o->select;
    if (f->unknowns == 0 && !isnan(f->lambda.value)) {
        f->select = GRAM_SELECT_NONE;
        return status;
    }
    GI_TRY(check_select(f));
    if (f->select == GRAM_SELECT_NONE)
        return status;
    if (m->expansion.n < MIN_ROWS)
        GI_TRY(gi_machine_warn(f->run, m,
                               "nothing can be learned from %zu row%s",
                               m->expansion.n, m->expansion.n > 1 ? "s" : ""));
    else if (all_constant(m))
        GI_TRY(gi_machine_warn(f->run, m,
                               "nothing can be learned from a constant "
                               "target"));
    else
        return status;
    f->select = GRAM_SELECT_NONE;
done:
    return status;
}

/* Features that the table of another machine has not are none here. */
static gram_status take_columns(gi_fit *f, const gram_table *known)
{
    gram_status status = GRAM_OK;
    const gram_table *t = gi_fit_table(f);
    unsigned char *columns = NULL;
    gram_table *part = NULL;

    GI_TRY(GI_NEW(f->run, columns, t->cols));
    for (size_t j = 0; j < t->cols; j++) {
        const char *name = t->column[j].name;

        columns[j] = t->column[j].role != GRAM_ROLE_FEATURE ||
                     gi_dict_find(&known->names, name, strlen(name)) >= 0;
    }
    GI_TRY(gi_table_subset(f->run, t, columns, NULL, &part));
    gram_table_free(f->part);
    f->part = part;
done:
    gi_free(columns);
    return status;
}

/* Is one thread faster? */
static int is_small(const gi_fit *f)
{
    return f->m->expansion.n <= SERIAL_ROWS;
}

gram_status gi_fit_begin(gi_fit *f)
{
    static const gram_fit_options defaults;
    gram_status status = GRAM_OK;
    const double start = gi_clock();
    gram_machine *m;

    f->o = f->o ? f->o : &defaults;
    f->hold = -1;
    f->value = NAN;
    GI_TRY(gi_fit_options_check(f->o));
    GI_TRY(GI_NEW_ZERO(f->run, f->m, 1));
    m = f->m;
    m->training.intercept =
        f->o->from ? f->o->from->training.intercept : !f->o->no_intercept;
    m->training.options = (gram_fit_options){.precision = f->o->precision,
                                             .jitter = f->o->jitter,
                                             .tolerance = f->o->tolerance,
                                             .keep_factor = f->o->keep_factor};
    if (f->o->from && f->o->missing == GRAM_MISSING_AUTO)
        f->fills = &f->o->from->outputs.fills;
    GI_TRY(gi_fit_targets(f));
    if (is_small(f))
        f->run->threads = 1;
    if (f->o->from)
        GI_TRY(take_columns(f, f->o->from->expansion.table));
    GI_TRY(make_kernel(f));
    GI_TRY(read_lambda(f));
    GI_TRY(compile(f));
    m->training.amplitude_mode = amplitude_mode(f);
    GI_TRY(choose_criterion(f));
    f->seconds = gi_clock() - start;
done:
    return status;
}

/* ------------------------------------------------------------------ finish */

/* The machine's own table: the columns that the program looks at. */
static gram_status keep_columns(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_table *t = gi_fit_table(f);
    unsigned char *columns = NULL;
    gram_table *own = NULL;
    size_t j = 0;

    GI_TRY(GI_NEW_ZERO(f->run, columns, t->cols));
    for (size_t i = 0; i < f->program->sources; i++) {
        const gi_source *s = &f->program->source[i];

        GI_TRY(gram_table_find(t, s->block ? s->block : s->name, &j));
        columns[j] = 1;
    }
    GI_TRY(gi_table_subset(f->run, t, columns, NULL, &own));
    gi_expansion_take_rows(&f->m->expansion, own, f->x);
    f->x = NULL;
done:
    gi_free(columns);
    return status;
}

/* Kernel, program and rows become the machine's, with the numbers found. */
static gram_status hand_over(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;

    GI_TRY(keep_columns(f));
    m->expansion.kernel = f->kernel;
    m->expansion.program = f->program;
    f->kernel = NULL;
    f->program = NULL;
    if (m->expansion.program->thetas)
        memcpy(m->expansion.program->theta, f->theta,
               m->expansion.program->thetas * sizeof *f->theta);
    gi_fills_restrict(&m->outputs.fills, m->expansion.table);
done:
    return status;
}

/* An overall `?` that evidence was to find is the amplitude s: it becomes part
 * of the kernel, k' = s k, and of lambda, lambda' = s lambda.  Several targets
 * have each their own s and leave the kernel as it is. */
static gram_status write_amplitude(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    double s = m->outputs.amplitude[0];

    if (f->hold < 0 || f->select != GRAM_SELECT_EVIDENCE ||
        m->outputs.count > 1 || !isnan(f->lambda.value) ||
        !(s > 0 && isfinite(s)) || !gi_machine_is_squared(m))
        return status;
    m->expansion.program->theta[m->expansion.program->first_theta[f->hold]] *=
        s;
    GI_TRY(gi_machine_scale(f->run, m, s));
done:
    return status;
}

static gram_status warn_about(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    const gram_report *r = &m->report;

    if (r->jitter > 0 && m->training.options.jitter == 0)
        GI_TRY(gi_machine_warn(f->run, m,
                               "jitter %.3g was added to the diagonal, since "
                               "the matrix could not be factored without",
                               r->jitter));
    if (r->rank < m->training.rows && f->lambda.value == 0)
        GI_TRY(gi_machine_warn(f->run, m,
                               "the kernel matrix has rank %zu of %zu: of all "
                               "solutions the one of least norm was taken",
                               r->rank, m->expansion.n));
    if (!r->converged && gi_machine_is_squared(m))
        GI_TRY(gi_machine_warn(f->run, m,
                               "solver %s did not converge in %zu steps, the "
                               "relative residual is %.2g",
                               m->expansion.solution[0].solver->name, r->steps,
                               r->residual));
    else if (!r->converged)
        GI_TRY(gi_machine_warn(f->run, m,
                               "solver %s did not converge in %zu steps, the "
                               "duality gap is %.2g of %.6g",
                               m->expansion.solution[0].solver->name, r->steps,
                               r->gap, r->objective));
done:
    return status;
}

gram_status gi_fit_finish(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;

    GI_TRY(hand_over(f));
    GI_TRY(gi_operator_set(f->K, f->run, f->theta));
    if (f->unknown_psd && !f->o->allow_indefinite)
        GI_TRY(gi_fit_check_rows(f->run, m));
    GI_TRY(gi_machine_is_squared(m)
               ? gi_machine_solve(f->run, m, f->K, f->plan.solver, f->o)
               : gi_machine_solve_loss(f->run, m, f->K, f->plan.solver, f->o));
    gi_operator_free(f->K);
    f->K = NULL;
    if (!gi_machine_is_squared(m))
        GI_TRY(gi_machine_drop_rows(f->run, m));
    GI_TRY(write_amplitude(f));
    GI_TRY(gi_expansion_print(f->run, &m->expansion));
    GI_TRY(warn_about(f));
    GI_TRY(gi_fit_notes(f));
    m->report.criterion = gi_select_names[f->select];
    m->report.criterion_value = f->value;
    m->report.evaluations = f->evaluations;
    m->report.plan_bytes = (size_t)f->plan.bytes;
    gi_machine_refer(m);
done:
    return status;
}

gram_status gi_fit_run(gi_run *run, gi_fit *f, gram_machine **out)
{
    gram_status status = GRAM_OK;
    double start = gi_clock();
    gi_run all = gi_run_share(run, 0, 1), part = gi_run_quiet(&all);

    *out = NULL;
    f->run = &part;
    if (is_small(f))
        part.threads = 1;
    GI_TRY(gi_fit_make_plan(f, NULL));
    all.threads = part.threads;
    if (f->select == GRAM_SELECT_NONE)
        f->plan.share = 0;
    else
        gi_run_stage(&all, "choosing");
    part = gi_run_share(&all, 0, f->plan.share);
    GI_TRY(gi_select(f));
    gi_run_stage(&all, "fitting");
    part = gi_run_share(&all, f->plan.share, 1);
    GI_TRY(gi_fit_finish(f));
    GI_TRY(gi_run_tick(&all, 1));
    f->m->report.seconds = f->seconds + gi_clock() - start;
    f->m->report.peak_bytes = gi_run_peak(&all);
    *out = f->m;
    f->m = NULL;
done:
    f->run = NULL;
    return status;
}

gram_status gi_machine_fit(gi_run *run, const gram_table *table,
                           const gram_fit_options *options, gram_machine **out)
{
    gram_status status = GRAM_OK;
    gi_run quiet = gi_run_quiet(run);
    gi_fit f = {.run = &quiet, .o = options, .table = table};

    *out = NULL;
    GI_TRY(gi_fit_begin(&f));
    GI_TRY(gi_fit_run(run, &f, out));
done:
    gi_fit_end(&f);
    return status;
}

/* ------------------------------------------------------------------ public */

gram_status gram_machine_fit(const gram_table *table,
                             const gram_fit_options *options,
                             const gram_exec *exec, gram_machine **out)
{
    GI_RUN(run, exec);

    return gi_machine_fit(&run, table, options, out);
}
