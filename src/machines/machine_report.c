/* machine_report.c - the report of a machine: the table of its fields, and how
 * the machine and its solutions fill it.
 *
 * A new field is a member of gram_report, a row of the table, and a line that
 * sets it: in gi_machine_refer() if it follows from what a model file has, else
 * in gi_machine_summarise(), and then the row says that it is kept.
 */
#include <math.h>

#include "base/fields.h"
#include "machines/machine.h"

const char *const gi_select_names[] = {"auto", "evidence", "loo", "gcv",
                                       "cv",   "none",     NULL};

static int has_classes(const void *report)
{
    return ((const gram_report *)report)->classes > 0;
}

static int has_gap(const void *report)
{
    return !((const gram_report *)report)->squared;
}

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_report, member)
#define COUNT(member) .count = offsetof(gram_report, member)

static const gram_field fields[] = {
    {FIELD(WHOLE, n)},
    {FIELD(WHOLE, d)},
    {FIELD(TEXTS, target), COUNT(targets)},
    {FIELD(TEXT, task)},
    {FIELD(TEXT, loss)},
    {FIELD(TEXT, kernel)},
    {FIELD(TEXT, solver)},
    {FIELD(TEXT, precision)},
    {FIELD(TEXT, criterion), .words = gi_select_names, .kept = 1},
    {FIELD(REAL, criterion_value), .kept = 1},
    {FIELD(WHOLE, evaluations), .kept = 1},
    {FIELD(REALS, lambda), COUNT(outputs)},
    {FIELD(REALS, amplitude), COUNT(outputs)},
    {FIELD(REALS, noise_variance), COUNT(outputs)},
    {FIELD(REALS, log_evidence), COUNT(outputs)},
    {FIELD(REALS, intercept), COUNT(outputs)},
    {GI_FIELD("classes", TEXTS, gram_report, class_name), COUNT(classes),
     .applies = has_classes},
    {FIELD(REAL, objective), .kept = 1, .applies = has_gap},
    {FIELD(REAL, gap), .kept = 1, .applies = has_gap},
    {FIELD(WHOLE, support), .kept = 1, .applies = has_gap},
    {FIELD(REAL, jitter), .kept = 1},
    {FIELD(WHOLE, rank), .kept = 1},
    {FIELD(REAL, condition), .kept = 1},
    {FIELD(REAL, residual), .kept = 1},
    {FIELD(WHOLE, steps), .kept = 1},
    {FIELD(FLAG, converged), .kept = 1},
    {FIELD(REAL, seconds)},
    {FIELD(BYTES, plan_bytes)},
    {FIELD(BYTES, peak_bytes)},
    {FIELD(TEXTS, warnings), COUNT(warning_count)},
    {FIELD(TEXTS, notes), COUNT(note_count)},
    {.name = NULL},
};

const gram_field *gram_report_fields(void)
{
    return fields;
}

void gi_machine_refer(gram_machine *m)
{
    gram_report *r = &m->report;

    r->n = m->training.rows;
    r->d = m->expansion.program->sources;
    r->targets = m->outputs.target_count;
    r->target = (const char *const *)m->outputs.target;
    r->task = m->outputs.classes.coding != GI_CODING_NONE ? "classification"
              : m->outputs.target_count                   ? "regression"
                                                          : "novelty";
    r->loss = m->outputs.loss_text;
    r->squared = gi_machine_is_squared(m);
    r->missing = m->outputs.fills.policy;
    r->classes = m->outputs.classes.count;
    r->class_name = (const char *const *)m->outputs.classes.name;
    r->class_order = m->outputs.classes.order;
    r->probabilities = m->outputs.classes.link != GI_LINK_NONE;
    r->outputs = m->outputs.count;
    r->output = (const char *const *)m->outputs.name;
    r->kernel = m->expansion.text;
    r->solver = m->expansion.solution[0].solver->name;
    r->precision = m->expansion.solution[0].precision;
    r->lambda = m->outputs.lambda;
    r->amplitude = m->outputs.amplitude;
    r->noise_variance = m->outputs.variance;
    r->log_evidence = m->outputs.evidence;
    r->intercept = m->outputs.constant;
    r->warnings = (const char *const *)m->warning;
    r->warning_count = m->warnings;
    r->notes = (const char *const *)m->note;
    r->note_count = m->notes;
}

/* The worst of all solutions. */
void gi_machine_summarise(gram_machine *m)
{
    gram_report *r = &m->report;

    r->jitter = r->residual = r->objective = r->gap = 0;
    r->condition = NAN;
    r->rank = m->expansion.n;
    r->steps = 0;
    r->converged = 1;
    r->support = m->expansion.n;
    for (size_t q = 0; q < m->expansion.solutions; q++) {
        const gi_solution *s = &m->expansion.solution[q];

        r->jitter = fmax(r->jitter, s->jitter);
        r->residual = fmax(r->residual, s->residual);
        r->condition = fmax(r->condition, s->condition);
        r->rank = s->rank < r->rank ? s->rank : r->rank;
        r->steps = s->steps > r->steps ? s->steps : r->steps;
        r->converged &= s->converged;
        r->objective += s->objective;
        r->gap += s->gap;
    }
}

const gram_report *gram_machine_report(const gram_machine *m)
{
    return &m->report;
}
