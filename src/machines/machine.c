/* machine.c - the life of a fitted machine: compiled, looked at, freed.
 */
#include "machines/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

int gi_machine_is_squared(const gram_machine *m)
{
    return gi_loss_has(m->outputs.loss, GRAM_LOSS_SQUARED);
}

gram_status gi_machine_must_be_squared(const gram_machine *m, const char *what)
{
    if (gi_machine_is_squared(m) && m->outputs.classes.coding == GI_CODING_NONE)
        return GRAM_OK;
    return gi_fail(GRAM_ERR_RANGE,
                   "%s: of a model of numbers with loss squared only, this one "
                   "has loss %s%s",
                   what, m->outputs.loss_text,
                   m->outputs.classes.coding == GI_CODING_NONE ? ""
                                                               : " of classes");
}

gi_problem gi_machine_problem(const gram_machine *m, const gi_operator *K,
                              size_t q, double *room)
{
    gi_problem p = {.K = K,
                    .n = m->expansion.n,
                    .targets = m->outputs.count,
                    .y = m->training.y,
                    .noise = m->training.noise,
                    .intercept = m->training.intercept,
                    .lambda = m->outputs.lambda[q],
                    .amplitude = m->training.amplitude_mode,
                    .precision =
                        (gi_factor_precision)m->training.options.precision,
                    .jitter = m->training.options.jitter,
                    .tolerance = m->training.options.tolerance};

    if (!gi_machine_is_squared(m))
        p.loss = &m->outputs.loss[m->outputs.losses > 1 ? q : 0];
    if (m->expansion.solutions > 1) {
        for (size_t i = 0; i < m->expansion.n; i++)
            room[i] = m->training.y[i * m->outputs.count + q];
        p.targets = 1;
        p.y = room;
    }
    return p;
}

/* ------------------------------------------------------------------ report */

gram_status gi_machine_name_output(gi_run *run, gram_machine *m, size_t q)
{
    gram_status status = GRAM_OK;
    const gi_classes *c = &m->outputs.classes;
    gi_buf text = {0};
    size_t a, b;

    if (c->coding == GI_CODING_PAIRS) {
        gi_classes_pair(c, q, &a, &b);
        GI_TRY(gi_buf_printf(run, &text, "%s_%s", c->name[b], c->name[a]));
    } else if (c->coding != GI_CODING_NONE) {
        GI_TRY(gi_buf_printf(run, &text, "%s", c->name[q]));
    } else if (m->outputs.losses > 1) {
        GI_TRY(gi_buf_printf(run, &text, "%g", m->outputs.loss[q].arg[0]));
    } else {
        GI_TRY(gi_buf_printf(run, &text, "%s",
                             m->outputs.target_count ? m->outputs.target[q]
                                                     : "usual"));
    }
    GI_TRY(gi_strndup(run, text.s, text.n, &m->outputs.name[q]));
done:
    gi_buf_free(&text);
    return status;
}

static gram_status add_sentence(gi_run *run, char ***list, size_t *count,
                                const char *format, va_list args)
{
    gram_status status = GRAM_OK;
    char *text = NULL, line[1024];

    vsnprintf(line, sizeof line, format, args);
    GI_TRY(gi_strndup(run, line, strlen(line), &text));
    GI_TRY(GI_GROW(run, *list, *count + 1));
    (*list)[(*count)++] = text;
    text = NULL;
done:
    gi_free(text);
    return status;
}

gram_status gi_machine_warn(gi_run *run, gram_machine *m, const char *format,
                            ...)
{
    gram_status status;
    va_list args;

    va_start(args, format);
    status = add_sentence(run, &m->warning, &m->warnings, format, args);
    va_end(args);
    return status;
}

gram_status gi_machine_note(gi_run *run, gram_machine *m, const char *format,
                            ...)
{
    gram_status status;
    va_list args;

    va_start(args, format);
    status = add_sentence(run, &m->note, &m->notes, format, args);
    va_end(args);
    return status;
}

/* An alpha that is this near to its bound, relatively, is at it. */
static const double ROUNDING = 1e-9;

gram_output gram_machine_output(const gram_machine *m, size_t q)
{
    const gi_solution *s = gi_machine_solution(m, q);
    size_t each = m->expansion.solutions > 1 ? 1 : m->outputs.count;
    gram_output out = {.lambda = m->outputs.lambda[q],
                       .intercept = m->outputs.constant[q],
                       .epsilon = s->epsilon,
                       .objective = s->objective,
                       .gap = s->gap,
                       .steps = s->steps};

    for (size_t i = 0; s->alpha && i < m->expansion.n; i++) {
        double a = fabs(s->alpha[i * each + q % each]);
        double most = 1 / (2 * m->outputs.lambda[q] *
                           (m->training.noise ? m->training.noise[i] : 1));

        out.support += a > 0;
        out.bounded += a >= most * (1 - ROUNDING);
        out.sum += a;
    }
    return out;
}

const char *gram_machine_column(const gram_machine *m, size_t i)
{
    return i < m->expansion.program->sources
               ? m->expansion.program->source[i].name
               : NULL;
}

const gram_table *gram_machine_table(const gram_machine *m)
{
    return m->expansion.table;
}

size_t gram_machine_terms(const gram_machine *m)
{
    return m->expansion.terms;
}

const char *gram_machine_term(const gram_machine *m, size_t i)
{
    return i < m->expansion.terms ? m->expansion.term[i] : NULL;
}

/* ------------------------------------------------------------------- freed */

static void free_outputs(gi_outputs *o)
{
    gi_strings_free(o->target, o->target_count);
    gi_strings_free(o->name, o->count);
    gi_free(o->target_type);
    gi_fills_free(&o->fills);
    gi_free(o->loss);
    gi_free(o->loss_text);
    gi_classes_free(&o->classes);
    gi_free(o->shift);
    gi_free(o->lambda);
    gi_free(o->amplitude);
    gi_free(o->variance);
    gi_free(o->evidence);
    gi_free(o->constant);
}

void gram_machine_free(gram_machine *m)
{
    if (!m)
        return;
    gi_expansion_free(&m->expansion);
    free_outputs(&m->outputs);
    gi_strings_free(m->warning, m->warnings);
    gi_strings_free(m->note, m->notes);
    gi_free(m->training.y);
    gi_free(m->training.noise);
    gi_free(m->training.noise_column);
    gi_free(m->training.row);
    gi_free(m);
}
