/* predictor.c - a machine made ready to predict, once for any number of calls.
 *
 * Its rows are scaled and packed, its coefficients side by side, as the engine
 * wants them (gi_basis); a call binds the columns of its table and does the
 * rest.  What a call works in comes from a pool of scratches.  The factor that
 * variances need costs n^3 and is wanted by few, so it is made when first asked
 * for: the only thing that changes after _new, behind a lock.
 */
#include "base/fields.h"
#include "base/mem.h"
#include "machines/predict/predict.h"

/* Is the solution a sum over the rows, with an alpha? */
static int is_sum(const gi_solution *s)
{
    return s->alpha && !s->weights && !s->solver->mean;
}

/* Has each of several functions its own alpha? */
static int are_sums(const gram_machine *m)
{
    for (size_t q = 0; q < m->expansion.solutions; q++)
        if (!is_sum(&m->expansion.solution[q]))
            return 0;
    return m->expansion.solutions > 1;
}

/* alpha[i*targets + q] of all solutions. */
static gram_status gather_alpha(gi_run *run, gram_predictor *p)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = p->m;
    size_t T = m->outputs.count;

    GI_TRY(GI_NEW(run, p->alpha, m->expansion.n * T));
    for (size_t q = 0; q < T; q++)
        for (size_t i = 0; i < m->expansion.n; i++)
            p->alpha[i * T + q] = m->expansion.solution[q].alpha[i];
done:
    return status;
}

/* The weights of each function in a row. */
static gram_status gather_weights(gi_run *run, gram_predictor *p)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = p->m;
    size_t N = m->expansion.features,
           targets = m->expansion.solutions > 1 ? 1 : m->outputs.count;

    GI_TRY(GI_NEW(run, p->weights, m->expansion.solutions * targets * N));
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        double *w = p->weights + q * targets * N;

        for (size_t k = 0; m->expansion.solution[q].weights && k < targets * N;
             k++)
            w[k % targets * N + k / targets] =
                m->expansion.solution[q].weights[k];
    }
done:
    return status;
}

static gram_status make_basis(gi_run *run, gram_predictor *p)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = p->m;
    const double *V = NULL;

    if (are_sums(m)) {
        GI_TRY(gather_alpha(run, p));
        V = p->alpha;
    } else if (m->expansion.solutions == 1 &&
               is_sum(&m->expansion.solution[0])) {
        V = m->expansion.solution[0].alpha;
    }
    GI_TRY(gi_basis_new(run, m->expansion.program, NULL, m->expansion.x, V,
                        m->outputs.count, &p->basis));
    p->cost = gi_basis_cost(p->basis);
done:
    return status;
}

gram_status gi_predictor_new(gi_run *run, const gram_machine *m,
                             const gram_predict_options *o,
                             gram_predictor **out)
{
    static const gram_predict_options defaults;
    gram_status status = GRAM_OK;
    gram_predictor *p = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, p, 1));
    pthread_mutex_init(&p->lock, NULL);
    p->m = m;
    p->o = o ? *o : defaults;
    GI_TRY(gi_fields_check(gram_predict_option_fields(), &p->o));
    GI_TRY(GI_NEW_ZERO(run, p->solved, m->expansion.solutions));
    GI_TRY(gather_weights(run, p));
    GI_TRY(make_basis(run, p));
    *out = p;
    p = NULL;
done:
    gram_predictor_free(p);
    return status;
}

gram_status gi_machine_predict(gi_run *run, const gram_machine *m,
                               const gram_table *table,
                               const gram_predict_options *options,
                               const gram_prediction *out)
{
    gram_status status = GRAM_OK;
    gram_predictor *p = NULL;

    GI_TRY(gi_predictor_new(run, m, options, &p));
    GI_TRY(gi_predictor_run(run, p, table, out));
done:
    gram_predictor_free(p);
    return status;
}

/* ------------------------------------------------------------------ public */

#define FIELD(kind, member)                                                    \
    GI_FIELD(#member, kind, gram_predict_options, member)

static const gram_field fields[] = {
    {FIELD(REAL, interval), .words = GI_WORDS("P"), .most = 1,
     .help = "lower and upper, between which a new y lies with probability P, "
             "as in 0.9"},
    {FIELD(CHOICE, method), .words = GI_WORDS("gaussian", "jackknife"),
     .help = "of the interval: by the deviation, or by leave-one-out errors, "
             "which need no Gaussian noise (jackknife+)"},
    {FIELD(WHOLE, why), .words = GI_WORDS("N"), .least = 1,
     .help = "the N training rows that speak most for a prediction, and their "
             "parts"},
    {GI_FIELD("unseen", CHOICE, gram_predict_options, unseen_error),
     .words = GI_WORDS("prior", "error"),
     .help = "a category that the model has not seen: like no other, or an "
             "error"},
    {FIELD(CHOICE, missing), .least = GRAM_MISSING_REFUSE,
     .words = GI_WORDS_MISSING},
    {FIELD(FLAG, votes)},
    {.name = NULL},
};

const gram_field *gram_predict_option_fields(void)
{
    return fields;
}

gram_status gram_predictor_new(const gram_machine *m,
                               const gram_predict_options *options,
                               const gram_exec *exec, gram_predictor **out)
{
    GI_RUN(run, exec);

    return gi_predictor_new(&run, m, options, out);
}

gram_status gram_predictor_run(const gram_predictor *p, const gram_table *table,
                               const gram_exec *exec,
                               const gram_prediction *out)
{
    gi_scratches *pool = &((gram_predictor *)p)->pool;
    GI_RUN(run, exec);
    gram_status status;

    gi_scratch_begin(&run, pool);
    status = gi_predictor_run(&run, p, table, out);
    gi_scratch_end(&run, pool);
    return status;
}

void gram_predictor_free(gram_predictor *p)
{
    if (!p)
        return;
    for (size_t q = 0; p->solved && q < p->m->expansion.solutions; q++)
        gi_solution_free(&p->solved[q]);
    gi_free(p->solved);
    gi_scratches_free(&p->pool);
    pthread_mutex_destroy(&p->lock);
    gi_basis_free(p->basis);
    gi_free(p->alpha);
    gi_free(p->weights);
    gi_free(p);
}

gram_status gram_machine_predict(const gram_machine *m, const gram_table *table,
                                 const gram_predict_options *options,
                                 const gram_exec *exec,
                                 const gram_prediction *out)
{
    GI_RUN(run, exec);

    return gi_machine_predict(&run, m, table, options, out);
}
