/* solve.c - from kernel, rows and lambda to alpha, and what the solution says
 * of amplitude and evidence.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "machines/machine.h"

enum { STREAM = 0x686f6c64 };

/* With fewer rows a factor in double is made for the sake of the evidence;
 * with more, single precision may be worth it. */
enum { EVIDENCE_ROWS = GI_EVIDENCE_ROWS };

/* ------------------------------------------------------------------ wishes */

static gram_status trace(void *user, size_t step, double loss, double held)
{
    const gram_fit_options *o = user;

    return o->trace(o->trace_user, step, loss, held)
               ? gi_fail(GRAM_ERR_CANCELLED, "cancelled")
               : GRAM_OK;
}

/* Rows that gd watches and does not fit: at least one, not all. */
static gram_status hold_out(gi_run *run, double share, size_t n,
                            unsigned char **out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    size_t count = (size_t)(share * (double)n), left;
    unsigned char *held = NULL;

    if (share <= 0 || n < 2)
        return status;
    left = count < 1 ? 1 : count > n - 1 ? n - 1 : count;
    GI_TRY(GI_NEW_ZERO(run, held, n));
    for (size_t i = 0; i < n; i++)
        if (gi_rng_below(&rng, n - i) < left) {
            held[i] = 1;
            left--;
        }
    *out = held;
done:
    return status;
}

/* ------------------------------------------------------------------- solve */

static void drop_factor(gi_solution *s)
{
    gi_chol_free(s->factor);
    gi_free(s->inverse_one);
    gi_free(s->primal_mean);
    s->factor = NULL;
    s->inverse_one = s->primal_mean = NULL;
}

/* A weight repeats its row, for deviations too: the amplitude that the
 * evidence has found from n rows is that of sum w rows. */
static void weigh_amplitudes(gram_machine *m, size_t q, const gi_problem *p)
{
    double weight = p->intercept ? -1 : 0;
    double rows = weight + (double)p->n;

    if (!p->noise || p->amplitude != GI_AMPLITUDE_PROFILED)
        return;
    for (size_t i = 0; i < p->n; i++)
        weight += 1 / p->noise[i];
    for (size_t t = 0; weight > 0 && t < p->targets; t++) {
        m->outputs.amplitude[q + t] *= rows / weight;
        m->outputs.variance[q + t] *= rows / weight;
    }
}

gram_status gi_machine_conclude(gi_run *run, gram_machine *m, size_t q,
                                const gi_problem *p)
{
    gram_status status = GRAM_OK;
    gi_solution *s = &m->expansion.solution[q];

    gi_problem_amplitudes(p, s, m->outputs.amplitude + q);
    for (size_t t = 0; t < p->targets; t++) {
        m->outputs.variance[q + t] = m->outputs.amplitude[q + t] * p->lambda;
        m->outputs.constant[q + t] = s->intercept[t] + m->outputs.shift[q + t];
    }
    if (isnan(m->outputs.evidence[q]) && s->solver->evidence)
        GI_TRY(s->solver->evidence(run, p, s, m->outputs.amplitude + q,
                                   m->outputs.evidence + q));
    weigh_amplitudes(m, q, p);
    if (!m->training.options.keep_factor)
        drop_factor(s);
done:
    return status;
}

gram_status gi_machine_preferences(gi_run *run, const gram_fit_options *o,
                                   size_t n, gi_problem *p,
                                   unsigned char **held)
{
    gram_status status = GRAM_OK;

    if (!o)
        return status;
    GI_TRY(hold_out(run, o->holdout, n, held));
    p->steps = o->steps;
    p->step = o->step;
    p->held = *held;
    p->trace = o->trace ? trace : NULL;
    p->trace_user = (void *)o;
done:
    return status;
}

gram_status gi_machine_solve(gi_run *run, gram_machine *m, const gi_operator *K,
                             const gi_solver *solver, const gram_fit_options *o)
{
    gram_status status = GRAM_OK;
    double *room = NULL, parts = (double)m->expansion.solutions;
    unsigned char *held = NULL;

    m->expansion.features = K->features;
    GI_TRY(GI_NEW(run, room, m->expansion.n));
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        gi_run part =
            gi_run_share(run, (double)q / parts, (double)(q + 1) / parts);
        gi_problem p = gi_machine_problem(m, K, q, room);

        p.keep_factor = m->training.options.keep_factor ||
                        m->expansion.n < EVIDENCE_ROWS ||
                        m->training.options.precision == GI_FACTOR_DOUBLE;
        GI_TRY(gi_machine_preferences(run, o, m->expansion.n, &p, &held));
        GI_TRY(gi_solver_solve(&part, solver, &p, &m->expansion.solution[q]));
        GI_TRY(gi_machine_conclude(&part, m, q, &p));
        gi_free(held);
        held = NULL;
    }
    gi_machine_summarise(m);
done:
    gi_free(room);
    gi_free(held);
    return status;
}

/* ------------------------------------------------------------------- scale */

static void multiply(double *x, size_t n, double factor)
{
    for (size_t i = 0; x && i < n; i++)
        x[i] *= factor;
}

static gram_status scale_factor(gi_run *run, gi_chol *c, double factor)
{
    gram_status status = GRAM_OK;
    size_t n = gi_chol_size(c);
    double *row = NULL;

    GI_TRY(GI_NEW(run, row, n));
    for (size_t i = 0; i < n; i++) {
        gi_chol_copy(c, i, 1, 0, i + 1, row, n);
        multiply(row, i + 1, factor);
        gi_chol_set_row(c, i, row);
    }
done:
    gi_free(row);
    return status;
}

gram_status gi_machine_scale(gi_run *run, gram_machine *m, double s)
{
    gram_status status = GRAM_OK;

    for (size_t q = 0; q < m->expansion.solutions; q++) {
        gi_solution *v = &m->expansion.solution[q];
        size_t targets = m->expansion.solutions > 1 ? 1 : m->outputs.count;

        multiply(v->alpha, m->expansion.n * targets, 1 / s);
        multiply(v->inverse_one, m->expansion.n, 1 / s);
        multiply(v->weights, m->expansion.features * targets, 1 / sqrt(s));
        multiply(v->primal_mean, m->expansion.features, sqrt(s));
        if (v->factor)
            GI_TRY(scale_factor(run, v->factor, sqrt(s)));
        v->jitter *= s;
    }
    m->report.jitter *= s;
    m->training.amplitude_mode =
        m->training.noise_column ? GI_AMPLITUDE_INVERSE : GI_AMPLITUDE_ONE;
    for (size_t t = 0; t < m->outputs.count; t++) {
        m->outputs.lambda[t] *= s;
        m->outputs.amplitude[t] = 1;
    }
done:
    return status;
}
