/* score.c - how good predictions are.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "machines/score.h"
#include "machines/predict.h"

gram_status gi_target_column(const gram_machine *m, const gram_table *t,
                             size_t target, const gi_column **out)
{
    gram_status status = GRAM_OK;
    const gi_column *c;
    size_t j = 0;

    GI_TRY(gram_table_find(t, m->target[target], &j));
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
    gram_score s = {.n = n, .interval = interval};
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

gram_status gi_prediction_new(gi_run *run, const gram_machine *m, size_t rows,
                              gram_prediction *out)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, out->mean, rows * m->targets));
    if (gi_posterior_fits(run, m)) {
        GI_TRY(GI_NEW(run, out->std, rows * m->targets));
        GI_TRY(GI_NEW(run, out->lower, rows * m->targets));
        GI_TRY(GI_NEW(run, out->upper, rows * m->targets));
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
}

gram_status gram_machine_score(const gram_machine *m, const gram_table *table,
                               const gram_predict_options *options,
                               const gram_exec *exec, gram_score *scores)
{
    static const gram_predict_options defaults;
    const gram_predict_options *o = options ? options : &defaults;
    gram_status status = GRAM_OK;
    gi_run run = gi_run_begin(exec);
    size_t rows = gram_table_rows(table);
    const gi_column *y = NULL;
    gram_prediction p = {0};
    double width = 0;

    GI_TRY(gi_interval_check(o, &width));
    for (size_t t = 0; t < m->targets; t++)
        GI_TRY(gi_target_column(m, table, t, &y));
    GI_TRY(gi_prediction_new(&run, m, rows, &p));
    GI_TRY(gram_machine_predict(m, table, o, exec, &p));
    for (size_t t = 0; t < m->targets; t++) {
        gram_prediction one = {.mean = p.mean + t,
                               .std = p.std ? p.std + t : NULL,
                               .lower = p.std ? p.lower + t : NULL,
                               .upper = p.std ? p.upper + t : NULL};

        GI_TRY(gi_target_column(m, table, t, &y));
        scores[t] = gi_score_of(y->values, &one, rows, m->targets, width);
    }
done:
    gi_prediction_free(&p);
    return status;
}
