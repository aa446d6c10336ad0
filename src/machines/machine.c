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

/* ---------------------------------------------------------------- compiled */

static void free_texts(char **text, size_t count)
{
    for (size_t i = 0; text && i < count; i++)
        gi_free(text[i]);
    gi_free(text);
}

static void forget_texts(gram_machine *m)
{
    gi_free(m->expansion.text);
    free_texts(m->expansion.term, m->expansion.terms);
    m->expansion.text = NULL;
    m->expansion.term = NULL;
    m->expansion.terms = 0;
}

gram_status gi_machine_print(gi_run *run, gram_machine *m)
{
    const gram_program *p = m->expansion.program;
    gram_status status = GRAM_OK;
    gi_buf text = {0};

    forget_texts(m);
    GI_TRY(gi_program_print(run, p, p->theta, &text));
    GI_TRY(gi_strndup(run, text.s, text.n, &m->expansion.text));
    GI_TRY(GI_NEW_ZERO(run, m->expansion.term, p->terms));
    for (; m->expansion.terms < p->terms; m->expansion.terms++) {
        text.n = 0;
        GI_TRY(gi_program_print_term(run, p, m->expansion.terms, &text));
        GI_TRY(gi_strndup(run, text.s, text.n,
                          &m->expansion.term[m->expansion.terms]));
    }
done:
    gi_buf_free(&text);
    return status;
}

void gi_machine_take_rows(gram_machine *m, gram_table *table, gi_points *x)
{
    gram_table_free(m->expansion.table);
    gi_points_free(m->expansion.x);
    m->expansion.table = table;
    m->expansion.x = x;
    x->table = table->serial;
}

gram_status gi_machine_compile(gi_run *run, gram_machine *m,
                               const gi_values *values)
{
    gram_status status = GRAM_OK;

    GI_TRY(values
               ? gi_program_restore(run, m->expansion.kernel, values,
                                    m->expansion.table, &m->expansion.program)
               : gi_program_new(run, m->expansion.kernel, m->expansion.table, 0,
                                &m->expansion.program));
    GI_TRY(gi_points_new(run, m->expansion.program, m->expansion.table,
                         GI_DOUBLE, &m->expansion.x));
    GI_TRY(gi_machine_print(run, m));
done:
    return status;
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
                    .precision = m->training.precision,
                    .jitter = m->training.jitter,
                    .tolerance = m->training.tolerance};

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

void gram_machine_free(gram_machine *m)
{
    if (!m)
        return;
    for (size_t q = 0; m->expansion.solution && q < m->expansion.solutions; q++)
        gi_solution_free(&m->expansion.solution[q]);
    gi_free(m->expansion.solution);
    forget_texts(m);
    gi_points_free(m->expansion.x);
    gi_program_free(m->expansion.program);
    gram_table_free(m->expansion.table);
    gram_kernel_free(m->expansion.kernel);
    free_texts(m->outputs.target, m->outputs.target_count);
    gi_free(m->outputs.target_type);
    gi_fills_free(&m->outputs.fills);
    free_texts(m->outputs.name, m->outputs.count);
    gi_free(m->outputs.loss);
    gi_free(m->outputs.loss_text);
    gi_classes_free(&m->outputs.classes);
    free_texts(m->warning, m->warnings);
    free_texts(m->note, m->notes);
    gi_free(m->training.y);
    gi_free(m->outputs.shift);
    gi_free(m->training.noise);
    gi_free(m->training.noise_column);
    gi_free(m->training.row);
    gi_free(m->outputs.lambda);
    gi_free(m->outputs.amplitude);
    gi_free(m->outputs.variance);
    gi_free(m->outputs.evidence);
    gi_free(m->outputs.constant);
    gi_free(m);
}
