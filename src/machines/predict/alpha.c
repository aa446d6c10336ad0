/* alpha.c - the coefficients of the training rows, f = sum_i alpha_i k(x_i, .).
 *
 * A machine that was fitted by weights of features keeps none.  Where lambda is
 * positive they follow from its errors at the training rows, by the condition
 * of the minimum: alpha_i = (y_i - f(x_i))/(lambda D_i).
 */
#include "base/mem.h"
#include "machines/predict/predict.h"

static gram_status from_errors(gi_run *run, const gram_machine *m,
                               double *alpha)
{
    gram_status status = GRAM_OK;
    gi_query a = {.run = run,
                  .m = m,
                  .table = m->expansion.table,
                  .rows = m->expansion.n};
    gram_predictor *p = NULL;
    size_t T = m->outputs.count;

    for (size_t t = 0; t < T; t++)
        if (!(m->outputs.lambda[t] > 0))
            return gi_fail(GRAM_ERR_NUMERIC,
                           "lambda = 0: a machine of %zu weights has no "
                           "coefficients of its rows",
                           m->expansion.features);
    GI_TRY(gi_predictor_new(run, m, NULL, &p));
    a.p = p;
    GI_TRY(gi_operator_on(run, p->basis, m->expansion.x, &a.T));
    GI_TRY(gi_query_mean(&a, alpha));
    for (size_t i = 0; i < m->expansion.n; i++)
        for (size_t t = 0; t < T; t++)
            alpha[i * T + t] = (m->training.y[i * T + t] + m->outputs.shift[t] -
                                alpha[i * T + t]) /
                               (m->outputs.lambda[t] *
                                (m->training.noise ? m->training.noise[i] : 1));
done:
    gi_operator_free(a.T);
    gram_predictor_free(p);
    return status;
}

gram_status gi_machine_alpha(gi_run *run, const gram_machine *m,
                             const double **alpha, double **own)
{
    gram_status status = GRAM_OK;

    *alpha = m->expansion.solution[0].alpha;
    if (*alpha)
        return status;
    GI_TRY(GI_NEW(run, *own, m->expansion.n));
    GI_TRY(from_errors(run, m, *own));
    *alpha = *own;
done:
    return status;
}

gram_status gram_machine_alpha(const gram_machine *m, const gram_exec *exec,
                               size_t *row, double *alpha)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    size_t T = m->outputs.count, each = m->expansion.solutions > 1 ? 1 : T;

    if (!m->expansion.solution[0].alpha)
        GI_TRY(from_errors(&run, m, alpha));
    for (size_t q = 0; q < m->expansion.solutions; q++)
        for (size_t i = 0; m->expansion.solution[q].alpha && i < m->expansion.n;
             i++)
            for (size_t t = 0; t < each; t++)
                alpha[i * T + q + t] =
                    m->expansion.solution[q].alpha[i * each + t];
    for (size_t i = 0; row && i < m->expansion.n; i++)
        row[i] = (size_t)m->training.row[i];
done:
    return status;
}
