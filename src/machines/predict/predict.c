/* predict.c - means, standard deviations and intervals at new rows.
 *
 * The mean is T alpha + b, with T the kernel between new rows and training
 * rows, made tile by tile and never kept; machines with few features have
 * phi(x).w instead, Markov ones a pass of the filter.  The variance of f comes
 * from the solver that has the factor; that of a new measurement has the noise
 * amplitude * lambda * D on top.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/distributions.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cpu/cpu.h"
#include "data/table/subset.h"
#include "machines/predict/predict.h"

/* Rows whose features are made at a time. */
enum { FEATURE_ROWS = GI_PREDICT_FEATURE_ROWS };

/* Rows that are predicted at a time where nothing else is asked for. */
enum { SLICE_ROWS = GI_PREDICT_SLICE_ROWS };

/* Up to so many flops one thread is faster than waking others. */
static const double SERIAL_FLOPS = GI_PREDICT_SERIAL_FLOPS;

double gi_interval_width(const gram_predict_options *o)
{
    return o->interval > 0 ? o->interval : 0.9;
}

/* ------------------------------------------------------------------- asked */

gram_status gi_query_begin(gi_query *a)
{
    gram_status status = GRAM_OK;

    a->rows = gram_table_rows(a->table);
    GI_TRY(gi_query_complete(a));
    GI_TRY((a->unseen_error ? gi_points_new : gi_points_new_unseen)(
        a->run, a->m->expansion.program, a->table, GI_DOUBLE, &a->x));
    if (a->rows > 0)
        GI_TRY(gi_operator_on(a->run, a->p->basis, a->x, &a->T));
done:
    return status;
}

void gi_query_end(gi_query *a)
{
    gi_operator_free(a->T);
    gi_points_free(a->x);
    gram_table_free(a->own);
    gi_free(a->whole);
}

/* -------------------------------------------------------------------- mean */

/* out[i*targets + t] = phi_i.w_t for m rows phi_i of N features and as many
 * weights w_t.  Row by row: a matrix product has other bits at its edges. */
static void weigh(const gi_run *run, size_t m, size_t targets, size_t N,
                  const double *phi, const double *w, double *out)
{
    const gi_cpu *cpu = gi_cpu_table();

    GI_PARALLEL_FOR(m > 1 ? run->threads : 1)
    for (size_t i = 0; i < m; i++)
        for (size_t t = 0; t < targets; t++)
            out[i * targets + t] =
                cpu->sum_products_d(phi + i * N, w + t * N, N);
}

/* Of solution q, which has weights: phi(x).w. */
static gram_status mean_of_features(const gi_query *a, size_t q, size_t targets,
                                    double *out)
{
    gram_status status = GRAM_OK;
    const gi_operator *T = a->T;
    size_t N = a->m->expansion.features;
    const double *w = a->p->weights + q * targets * N;
    double *F = NULL;

    if (T->csr)
        return gi_csr_times(a->run, T->csr, a->m->expansion.solution[q].weights,
                            targets, out);
    GI_TRY(GI_NEW(a->run, F,
                  (a->rows < FEATURE_ROWS ? a->rows : FEATURE_ROWS) * N));
    for (size_t i = 0; i < a->rows; i += FEATURE_ROWS) {
        size_t m = a->rows - i < FEATURE_ROWS ? a->rows - i : FEATURE_ROWS;

        GI_TRY(gi_operator_features(T, a->run, i, m, F, N));
        weigh(a->run, m, targets, N, F, w, out + i * targets);
        GI_TRY(gi_run_tick(a->run, (double)(i + m) / (double)a->rows));
    }
done:
    gi_free(F);
    return status;
}

/* out[i*targets + t] of the targets of solution q, without shift. */
static gram_status mean_of(const gi_query *a, size_t q, size_t targets,
                           double *out)
{
    gram_status status = GRAM_OK;
    const gi_solution *s = &a->m->expansion.solution[q];
    gi_posterior p = {0};

    if (s->solver->mean) {
        GI_TRY(gi_posterior_new(a->run, a->m, q, 0, &p));
        GI_TRY(s->solver->mean(a->run, &p.p, s, a->T, out));
        goto done;
    }
    if (s->weights)
        GI_TRY(mean_of_features(a, q, targets, out));
    else
        GI_TRY(gi_operator_product(a->T, a->run, 0, s->alpha, targets, out));
    for (size_t i = 0; i < a->rows; i++)
        for (size_t t = 0; t < targets; t++)
            out[i * targets + t] += s->intercept[t];
done:
    gi_posterior_free(&p);
    return status;
}

/* Several solutions that are sums over the rows share one pass. */
static gram_status mean_of_all(const gi_query *a, double *out)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    size_t T = m->outputs.count;

    GI_TRY(gi_operator_product(a->T, a->run, 0, a->p->alpha, T, out));
    for (size_t k = 0; k < a->rows * T; k++)
        out[k] +=
            m->expansion.solution[k % T].intercept[0] + m->outputs.shift[k % T];
done:
    return status;
}

gram_status gi_query_f(const gi_query *a, double *f)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    size_t T = m->outputs.count, each = m->expansion.solutions > 1 ? 1 : T;
    double *part = NULL;

    if (a->p->alpha)
        return mean_of_all(a, f);
    GI_TRY(GI_NEW(a->run, part, a->rows * each));
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        GI_TRY(mean_of(a, q, each, part));
        for (size_t i = 0; i < a->rows; i++)
            for (size_t t = 0; t < each; t++)
                f[i * T + q + t] = part[i * each + t] + m->outputs.shift[q + t];
    }
done:
    gi_free(part);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

gram_status gi_query_mean(const gi_query *a, double *mean)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    const gi_loss *loss = m->outputs.loss;
    size_t T = m->outputs.count;

    GI_TRY(gi_query_f(a, mean));
    for (size_t i = 0; m->outputs.losses > 1 && i < a->rows; i++)
        qsort(mean + i * T, T, sizeof *mean, compare_numbers);
    for (size_t k = 0; loss->class_->predict && k < a->rows * T; k++)
        mean[k] = loss->class_->predict(loss->arg, mean[k]);
done:
    return status;
}

/* ---------------------------------------------------------------- variance */

gram_status gi_query_variance(const gi_query *a, double *variance)
{
    gram_status status = GRAM_OK;
    size_t Q = a->m->expansion.solutions;
    /* n^3/3 for a factor, n^2 for a row; if it was kept there is none */
    const double factor = (double)a->m->expansion.n / 3;
    const double share = a->m->training.options.keep_factor
                             ? 0
                             : factor / (factor + (double)a->rows);
    gi_posterior p = {0};
    double *part = NULL;

    GI_TRY(GI_NEW(a->run, part, a->rows));
    for (size_t q = 0; q < Q; q++) {
        gi_run whole = gi_run_share(a->run, (double)q / (double)Q,
                                    (double)(q + 1) / (double)Q);
        gi_run first = gi_run_share(&whole, 0, share);
        gi_run rest = gi_run_share(&whole, share, 1);

        GI_TRY(gi_posterior_kept(&first, a->p, q, &p));
        GI_TRY(p.solver->variance(&rest, &p.p, p.s, a->T, part));
        for (size_t i = 0; i < a->rows; i++)
            variance[i * Q + q] = part[i];
        gi_posterior_free(&p);
        p = (gi_posterior){0};
    }
done:
    gi_posterior_free(&p);
    gi_free(part);
    return status;
}

gram_status gi_query_noise(const gi_query *a, double *D)
{
    const gram_machine *m = a->m;
    const gram_table *t = a->table;
    double usual = 1;
    int j = m->training.noise_column
                ? gi_dict_find(&t->names, m->training.noise_column,
                               strlen(m->training.noise_column))
                : -1;

    for (size_t i = 0; m->training.noise_column && i < m->expansion.n; i++)
        usual = i ? usual + (m->training.noise[i] - usual) / (double)(i + 1)
                  : m->training.noise[0];
    for (size_t i = 0; i < a->rows; i++)
        D[i] = j >= 0 && t->column[j].values ? t->column[j].values[i] : usual;
    for (size_t i = 0; i < a->rows; i++)
        if (!(D[i] >= 0))
            return gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": noise variance %g, must "
                           "be 0 or more",
                           i + 1, m->training.noise_column, D[i]);
    return GRAM_OK;
}

/* Standard deviations, and from them Gaussian intervals if z > 0. */
static gram_status spread(const gi_query *a, double z, const double *mean,
                          const gram_prediction *out)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    size_t T = m->outputs.count;
    double *variance = NULL, *D = NULL;

    GI_TRY(GI_NEW(a->run, variance, a->rows * m->expansion.solutions));
    GI_TRY(GI_NEW(a->run, D, a->rows));
    GI_TRY(gi_query_noise(a, D));
    GI_TRY(gi_query_variance(a, variance));
    for (size_t k = 0; k < a->rows * T; k++) {
        size_t i = k / T, t = k % T, q = m->expansion.solutions > 1 ? t : 0;
        double f =
            m->outputs.amplitude[t] * variance[i * m->expansion.solutions + q];
        double y = sqrt(f + m->outputs.variance[t] * D[i]);

        if (out->std_f)
            out->std_f[k] = sqrt(f);
        if (out->std)
            out->std[k] = y;
        if (out->lower && mean && z > 0)
            out->lower[k] = mean[k] - z * y;
        if (out->upper && mean && z > 0)
            out->upper[k] = mean[k] + z * y;
    }
done:
    gi_free(variance);
    gi_free(D);
    return status;
}

/* --------------------------------------------------------------------- run */

static gram_status check(const gram_machine *m, const gram_prediction *out)
{
    if (out->std || out->std_f || out->terms_std)
        if (gi_machine_must_be_squared(m, "standard deviations") != GRAM_OK)
            return GRAM_ERR_RANGE;
    if ((out->lower || out->upper) &&
        gi_machine_must_be_squared(m, "intervals") != GRAM_OK)
        return GRAM_ERR_RANGE;
    if ((out->label || out->proba) &&
        m->outputs.classes.coding == GI_CODING_NONE)
        return gi_fail(GRAM_ERR_RANGE,
                       "classes: of a classifier only, this model has loss %s "
                       "of numbers",
                       m->outputs.loss_text);
    if ((out->terms || out->terms_std || out->why || out->why_part) &&
        m->outputs.count > 1)
        return gi_fail(GRAM_ERR_SHAPE,
                       "terms and the rows that speak for a prediction are "
                       "given for one target, there are %zu",
                       m->outputs.count);
    return GRAM_OK;
}

static gram_status predict(const gi_query *asked, const gram_predict_options *o,
                           const gram_prediction *out)
{
    const int more = out->std || out->std_f || out->lower || out->upper ||
                     out->terms || out->terms_std || out->why || out->why_part;
    gi_run part = gi_run_share(asked->run, 0, more ? 0.05 : 1);
    gi_query own_part = *asked;
    const gi_query *a = &own_part;
    gram_status status = GRAM_OK;
    int interval = out->lower || out->upper, classes = out->label || out->proba;
    int jackknife = interval && o->method == GRAM_INTERVAL_JACKKNIFE;
    double *mean = out->mean, *own = NULL;
    const double width = gi_interval_width(o);
    gi_classes decide = a->m->outputs.classes;

    own_part.run = &part;
    if (o->votes)
        decide.link = GI_LINK_NONE;
    if (!mean && (interval || classes)) {
        GI_TRY(GI_NEW(a->run, own, a->rows * a->m->outputs.count));
        mean = own;
    }
    if (mean)
        GI_TRY(gi_query_mean(a, mean));
    if (out->label)
        GI_TRY(gi_classes_label(a->run, &decide, mean, a->rows, out->label));
    if (out->proba)
        GI_TRY(a->m->outputs.classes.link == GI_LINK_PROCESS
                   ? gi_query_process(a, mean, out->proba)
                   : gi_classes_proba(a->run, &a->m->outputs.classes, mean,
                                      a->rows, out->proba));
    if (more)
        part = gi_run_share(asked->run, 0.05, 1);
    if (out->std || out->std_f || (interval && !jackknife))
        GI_TRY(spread(a, jackknife ? 0 : gi_normal_quantile((1 + width) / 2),
                      mean, out));
    if (jackknife)
        GI_TRY(gi_predict_jackknife(a, width, mean, out->lower, out->upper));
    if (out->terms || out->terms_std)
        GI_TRY(gi_predict_terms(a, out->terms, out->terms_std));
    if (o->why && (out->why || out->why_part))
        GI_TRY(gi_predict_why(a, o->why, out->why, out->why_part));
done:
    gi_free(own);
    return status;
}

/* All rows of a table at once. */
static gram_status ask(gi_run *run, const gram_predictor *p,
                       const gram_table *table, const gram_prediction *out)
{
    gram_status status = GRAM_OK;
    const gram_predict_options *o = &p->o;
    gi_query a = {
        .run = run,
        .p = p,
        .m = p->m,
        .table = table,
        .unseen_error = o->unseen_error,
        .missing = o->missing,
    };

    GI_TRY(gi_query_begin(&a));
    if (a.rows > 0)
        GI_TRY(predict(&a, o, out));
    gi_query_blank(&a, o->why, out);
done:
    gi_query_end(&a);
    return status;
}

/* Is nothing wanted but means and classes, of rows that do not depend on one
 * another? */
static int can_slice(const gram_machine *m, const gram_prediction *out)
{
    return !gi_program_addresses_rows(m->expansion.program) &&
           !(out->proba && m->outputs.classes.link == GI_LINK_PROCESS) &&
           !out->std && !out->std_f && !out->lower && !out->upper &&
           !out->terms && !out->terms_std && !out->why && !out->why_part &&
           !m->expansion.solution[0].solver->mean;
}

/* Some rows after the other, so that memory does not grow with them. */
static gram_status ask_slices(gi_run *run, const gram_predictor *p,
                              const gram_table *table,
                              const gram_prediction *out)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = p->m;
    size_t rows = table->rows;
    unsigned char *keep = NULL;
    gram_table *slice = NULL;

    GI_TRY(GI_NEW_ZERO(run, keep, rows));
    for (size_t i = 0; i < rows; i += SLICE_ROWS) {
        size_t end = rows - i < SLICE_ROWS ? rows : i + SLICE_ROWS;
        gi_run part = gi_run_share(run, (double)i / (double)rows,
                                   (double)end / (double)rows);

        memset(keep + i, 1, end - i);
        GI_TRY(gi_table_subset(run, table, NULL, keep, &slice));
        memset(keep + i, 0, end - i);
        GI_TRY(ask(
            &part, p, slice,
            &(gram_prediction){
                .mean = out->mean ? out->mean + i * m->outputs.count : NULL,
                .label = out->label ? out->label + i : NULL,
                .proba = out->proba ? out->proba + i * m->outputs.classes.count
                                    : NULL}));
        gram_table_free(slice);
        slice = NULL;
    }
done:
    gram_table_free(slice);
    gi_free(keep);
    return status;
}

gram_status gi_predictor_run(gi_run *run, const gram_predictor *p,
                             const gram_table *table,
                             const gram_prediction *out)
{
    const int means = can_slice(p->m, out);
    gi_run own = gi_run_share(run, 0, 1);
    gram_status status = GRAM_OK;

    GI_TRY(check(p->m, out));
    if (means && p->cost * (double)table->rows <= SERIAL_FLOPS)
        own.threads = 1;
    if (table->rows > SLICE_ROWS && means) {
        status = ask_slices(&own, p, table, out);
        if (status == GRAM_OK || status == GRAM_ERR_CANCELLED ||
            status == GRAM_ERR_MEMORY)
            goto done;
        /* the whole table gives the sentence its row */
    }
    GI_TRY(ask(&own, p, table, out));
done:
    return status;
}
