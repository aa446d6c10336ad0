/* score.c - how good predictions are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"
#include "base/mem.h"
#include "machines/predict/score.h"
#include "machines/predict/predict.h"

/* ------------------------------------------------------------------ fields */

static int is_of_numbers(const void *score)
{
    return !isnan(((const gram_score *)score)->interval);
}

static int is_of_classes(const void *score)
{
    return !is_of_numbers(score);
}

#define FIELD(member) GI_FIELD(#member, REAL, gram_score, member)

static const gram_field fields[] = {
    {GI_FIELD("n", WHOLE, gram_score, n)},
    {FIELD(accuracy), .applies = is_of_classes},
    {FIELD(log_loss), .applies = is_of_classes},
    {FIELD(auc), .applies = is_of_classes},
    {FIELD(brier), .applies = is_of_classes},
    {FIELD(loss), .applies = is_of_numbers},
    {FIELD(rmse), .applies = is_of_numbers},
    {FIELD(mae), .applies = is_of_numbers},
    {FIELD(r2), .applies = is_of_numbers},
    {FIELD(nlpd), .applies = is_of_numbers},
    {FIELD(coverage), .applies = is_of_numbers},
    {FIELD(interval), .applies = is_of_numbers},
    {.name = NULL},
};

const gram_field *gram_score_fields(void)
{
    return fields;
}

/* ----------------------------------------------------------------- numbers */

gram_status gi_target_column(const gram_machine *m, const gram_table *t,
                             size_t target, const gi_column **out)
{
    gram_status status = GRAM_OK;
    const gi_column *c;
    size_t j = 0;

    GI_TRY(gram_table_find(t, m->outputs.target[target], &j));
    c = &t->column[j];
    if (!c->values)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                       "target \"%s\" is a %s column, it was a number", c->name,
                       gram_type_name(c->type)));
    for (size_t i = 0; i < t->rows; i++)
        if (isnan(c->values[i]))
            GI_TRY(gi_fail(GRAM_ERR_RANGE,
                           "row %zu, column \"%s\": the cell is missing, a "
                           "score needs a value in every row",
                           i + 1, c->name));
    *out = c;
done:
    return status;
}

gram_score gi_score_of(const double *y, const gram_prediction *p, size_t n,
                       size_t stride, double interval)
{
    const double log_two_pi = 1.8378770664093453;
    gram_score s = {.n = n,
                    .interval = interval,
                    .accuracy = NAN,
                    .log_loss = NAN,
                    .auc = NAN,
                    .brier = NAN};
    double mean = 0, squares = 0, total = 0;

    for (size_t i = 0; i < n; i++)
        mean += (y[i] - mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) {
        double r = y[i] - p->mean[i * stride];

        squares += r * r;
        total += (y[i] - mean) * (y[i] - mean);
        s.mae += fabs(r) / (double)n;
        if (p->std) {
            double std = p->std[i * stride], z = r / std;

            s.nlpd +=
                (std > 0 ? log(std) + (z * z + log_two_pi) / 2 : INFINITY) /
                (double)n;
            s.coverage +=
                (y[i] >= p->lower[i * stride] && y[i] <= p->upper[i * stride]) /
                (double)n;
        }
    }
    s.rmse = sqrt(squares / (double)n);
    s.r2 = total > 0 ? 1 - squares / total : NAN;
    if (!p->std)
        s.nlpd = s.coverage = NAN;
    if (n == 0)
        s.rmse = s.mae = s.nlpd = s.coverage = NAN;
    return s;
}

/* A prediction that the loss made from f (counts from their logarithm) gets
 * back to it. */
double gi_score_loss(const gram_machine *m, size_t t, const double *y,
                     const double *prediction, size_t n, size_t stride)
{
    const gi_loss *loss = &m->outputs.loss[m->outputs.losses > 1 ? t : 0];
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double f = prediction[i * stride];

        sum += gi_loss_value(loss, y[i], loss->class_->predict ? log(f) : f);
    }
    return n ? sum / (double)n : NAN;
}

gram_status gi_prediction_new(gi_run *run, const gram_machine *m, size_t rows,
                              gram_prediction *out)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, out->mean, rows * m->outputs.count));
    if (m->outputs.classes.coding != GI_CODING_NONE)
        GI_TRY(GI_NEW(run, out->label, rows));
    if (m->outputs.classes.link != GI_LINK_NONE)
        GI_TRY(GI_NEW(run, out->proba, rows * m->outputs.classes.count));
    if (m->outputs.classes.coding == GI_CODING_NONE &&
        gi_machine_is_squared(m) && gi_posterior_fits(run, m)) {
        GI_TRY(GI_NEW(run, out->std, rows * m->outputs.count));
        GI_TRY(GI_NEW(run, out->lower, rows * m->outputs.count));
        GI_TRY(GI_NEW(run, out->upper, rows * m->outputs.count));
    }
done:
    return status;
}

void gi_prediction_free(gram_prediction *p)
{
    gi_free(p->mean);
    gi_free(p->std);
    gi_free(p->lower);
    gi_free(p->upper);
    gi_free(p->label);
    gi_free(p->proba);
}

/* ------------------------------------------------------------------ classes */

/* The area under the curve of true against false positives: the share of pairs
 * of a positive and a negative row that f orders rightly, ties half. */
typedef struct ranked {
    double f;
    int positive;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const ranked *)a)->f, y = ((const ranked *)b)->f;

    return (x > y) - (x < y);
}

static gram_status find_auc(gi_run *run, const double *f, const int *code,
                            size_t n, double *out)
{
    gram_status status = GRAM_OK;
    ranked *r = NULL;
    double below = 0, right = 0, plus = 0;

    *out = NAN;
    GI_TRY(GI_NEW(run, r, n));
    for (size_t i = 0; i < n; i++)
        r[i] = (ranked){f[i], code[i] == 1};
    qsort(r, n, sizeof *r, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        double ties = 0, positive = 0;

        for (end = i; end < n && r[end].f == r[i].f; end++) {
            positive += r[end].positive;
            ties += !r[end].positive;
        }
        right += positive * (below + ties / 2);
        below += ties;
        plus += positive;
    }
    if (plus > 0 && below > 0)
        *out = right / (plus * below);
done:
    gi_free(r);
    return status;
}

gram_status gi_score_classes(gi_run *run, const gram_machine *m,
                             const int *code, const gram_prediction *p,
                             size_t n, gram_score *out)
{
    const double least = 1e-15;
    gram_status status = GRAM_OK;
    size_t k = m->outputs.classes.count, right = 0;
    double share = n ? 1 / (double)n : NAN;

    *out = (gram_score){.n = n,
                        .squared = gi_machine_is_squared(m),
                        .loss = NAN,
                        .rmse = NAN,
                        .mae = NAN,
                        .r2 = NAN,
                        .nlpd = NAN,
                        .coverage = NAN,
                        .interval = NAN,
                        .auc = NAN,
                        .log_loss = p->proba && n ? 0 : NAN,
                        .brier = p->proba && n ? 0 : NAN};
    for (size_t i = 0; i < n; i++) {
        right += code[i] == p->label[i];
        for (size_t c = 0; p->proba && c < k; c++) {
            double is = code[i] == (int)c ? 1 : 0,
                   off = p->proba[i * k + c] - is;

            out->brier += off * off * share;
        }
        if (p->proba)
            out->log_loss -=
                share *
                log(fmax(code[i] < 0 ? 0 : p->proba[i * k + (size_t)code[i]],
                         least));
    }
    out->accuracy = n ? (double)right / (double)n : NAN;
    if (k == 2 && m->outputs.count == 1)
        GI_TRY(find_auc(run, p->mean, code, n, &out->auc));
done:
    return status;
}

static gram_status find_classes(gi_run *run, const gram_machine *m,
                                const gram_table *table, int *code)
{
    gram_status status = GRAM_OK;
    size_t j = 0;

    if (m->outputs.classes.coding == GI_CODING_NONE)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "classes: of a classifier only, this model has loss %s "
                       "of numbers",
                       m->outputs.loss_text));
    GI_TRY(gram_table_find(table, m->outputs.target[0], &j));
    GI_TRY(gi_classes_find(run, &m->outputs.classes, &table->column[j],
                           table->rows, code));
done:
    return status;
}

static gram_status score_classes(gi_run *run, const gram_machine *m,
                                 const gram_table *table,
                                 const gram_predict_options *o, gram_score *out)
{
    gram_status status = GRAM_OK;
    size_t rows = gram_table_rows(table);
    gram_prediction p = {0};
    int *code = NULL;

    GI_TRY(GI_NEW(run, code, rows));
    GI_TRY(find_classes(run, m, table, code));
    GI_TRY(gi_prediction_new(run, m, rows, &p));
    GI_TRY(gi_machine_predict(run, m, table, o, &p));
    GI_TRY(gi_score_classes(run, m, code, &p, rows, out));
done:
    gi_prediction_free(&p);
    gi_free(code);
    return status;
}

static gram_status score_numbers(gi_run *run, const gram_machine *m,
                                 const gram_table *table,
                                 const gram_predict_options *o,
                                 gram_score *scores)
{
    gram_status status = GRAM_OK;
    size_t rows = gram_table_rows(table);
    const gi_column *y = NULL;
    gram_prediction p = {0};
    const double width = gi_interval_width(o);

    for (size_t t = 0; t < m->outputs.target_count; t++)
        GI_TRY(gi_target_column(m, table, t, &y));
    GI_TRY(gi_prediction_new(run, m, rows, &p));
    GI_TRY(gi_machine_predict(run, m, table, o, &p));
    for (size_t t = 0; t < m->outputs.count; t++) {
        gram_prediction one = {.mean = p.mean + t,
                               .std = p.std ? p.std + t : NULL,
                               .lower = p.std ? p.lower + t : NULL,
                               .upper = p.std ? p.upper + t : NULL};

        GI_TRY(gi_target_column(m, table, m->outputs.target_count > 1 ? t : 0,
                                &y));
        scores[t] = gi_score_of(y->values, &one, rows, m->outputs.count, width);
        scores[t].squared = gi_machine_is_squared(m);
        scores[t].loss =
            gi_score_loss(m, t, y->values, p.mean + t, rows, m->outputs.count);
    }
done:
    gi_prediction_free(&p);
    return status;
}

/* ------------------------------------------------------------------ public */

gram_status gram_machine_score(const gram_machine *m, const gram_table *table,
                               const gram_predict_options *options,
                               const gram_exec *exec, gram_score *scores)
{
    static const gram_predict_options defaults;
    const gram_predict_options *o = options ? options : &defaults;
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_table *own = NULL;

    if (!m->outputs.target_count)
        return gi_fail(GRAM_ERR_RANGE,
                       "a score: there is no target in a model of loss %s",
                       m->outputs.loss_text);
    GI_TRY(gi_machine_complete(&run, m, o->missing, table, &own));
    GI_TRY((m->outputs.classes.coding != GI_CODING_NONE
                ? score_classes
                : score_numbers)(&run, m, own ? own : table, o, scores));
done:
    gram_table_free(own);
    return status;
}

gram_status gram_machine_classes(const gram_machine *m, const gram_table *table,
                                 const gram_exec *exec, int *code)
{
    GI_RUN(run, exec);

    return find_classes(&run, m, table, code);
}
