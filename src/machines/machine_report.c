/* machine_report.c - the report of a machine, filled from the machine and its
 * solutions.
 */
#include <math.h>

#include "machines/machine.h"

void gi_machine_refer(gram_machine *m)
{
    gram_report *r = &m->report;

    r->n = m->trained;
    r->d = m->program->sources;
    r->targets = m->columns;
    r->target = (const char *const *)m->target;
    r->task = m->classes.coding != GI_CODING_NONE ? "classification"
              : m->columns                        ? "regression"
                                                  : "novelty";
    r->loss = m->loss_text;
    r->squared = gi_machine_is_squared(m);
    r->missing = m->fills.policy;
    r->classes = m->classes.count;
    r->class_name = (const char *const *)m->classes.name;
    r->class_order = m->classes.order;
    r->probabilities = m->classes.link != GI_LINK_NONE;
    r->outputs = m->targets;
    r->output = (const char *const *)m->output;
    r->kernel = m->text;
    r->solver = m->solution[0].solver->name;
    r->precision = m->solution[0].precision;
    r->lambda = m->lambda;
    r->amplitude = m->amplitude;
    r->noise_variance = m->variance;
    r->log_evidence = m->evidence;
    r->intercept = m->constant;
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
    r->rank = m->n;
    r->steps = 0;
    r->converged = 1;
    r->support = m->n;
    for (size_t q = 0; q < m->solutions; q++) {
        const gi_solution *s = &m->solution[q];

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
