/* machine.c - the life of a fitted machine: compiled, looked at, freed.
 */
#include "machines/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

int gi_machine_is_squared(const gram_machine *m)
{
    return gi_loss_has(m->loss, GRAM_LOSS_SQUARED);
}

gram_status gi_machine_must_be_squared(const gram_machine *m, const char *what)
{
    if (gi_machine_is_squared(m) && m->classes.coding == GI_CODING_NONE)
        return GRAM_OK;
    return gi_fail(GRAM_ERR_RANGE,
                   "%s: of a model of numbers with loss squared only, this one "
                   "has loss %s%s",
                   what, m->loss_text,
                   m->classes.coding == GI_CODING_NONE ? "" : " of classes");
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
    gi_free(m->text);
    free_texts(m->term, m->terms);
    m->text = NULL;
    m->term = NULL;
    m->terms = 0;
}

gram_status gi_machine_print(gi_run *run, gram_machine *m)
{
    const gram_program *p = m->program;
    gram_status status = GRAM_OK;
    gi_buf text = {0};

    forget_texts(m);
    GI_TRY(gi_program_print(run, p, p->theta, &text));
    GI_TRY(gi_strndup(run, text.s, text.n, &m->text));
    GI_TRY(GI_NEW_ZERO(run, m->term, p->terms));
    for (; m->terms < p->terms; m->terms++) {
        text.n = 0;
        GI_TRY(gi_program_print_term(run, p, m->terms, &text));
        GI_TRY(gi_strndup(run, text.s, text.n, &m->term[m->terms]));
    }
done:
    gi_buf_free(&text);
    return status;
}

void gi_machine_take_rows(gram_machine *m, gram_table *table, gi_points *x)
{
    gram_table_free(m->table);
    gi_points_free(m->x);
    m->table = table;
    m->x = x;
    x->table = table->serial;
}

gram_status gi_machine_compile(gi_run *run, gram_machine *m,
                               const gi_values *values)
{
    gram_status status = GRAM_OK;

    GI_TRY(values ? gi_program_restore(run, m->kernel, values, m->table,
                                       &m->program)
                  : gi_program_new(run, m->kernel, m->table, 0, &m->program));
    GI_TRY(gi_points_new(run, m->program, m->table, GI_DOUBLE, &m->x));
    GI_TRY(gi_machine_print(run, m));
done:
    return status;
}

gi_problem gi_machine_problem(const gram_machine *m, const gi_operator *K,
                              size_t q, double *room)
{
    gi_problem p = {.K = K,
                    .n = m->n,
                    .targets = m->targets,
                    .y = m->y,
                    .noise = m->noise,
                    .intercept = m->intercept,
                    .lambda = m->lambda[q],
                    .amplitude = m->amplitude_mode,
                    .precision = m->precision,
                    .jitter = m->jitter,
                    .tolerance = m->tolerance};

    if (!gi_machine_is_squared(m))
        p.loss = &m->loss[m->losses > 1 ? q : 0];
    if (m->solutions > 1) {
        for (size_t i = 0; i < m->n; i++)
            room[i] = m->y[i * m->targets + q];
        p.targets = 1;
        p.y = room;
    }
    return p;
}

/* ------------------------------------------------------------------ report */

gram_status gi_machine_name_output(gi_run *run, gram_machine *m, size_t q)
{
    gram_status status = GRAM_OK;
    const gi_classes *c = &m->classes;
    gi_buf text = {0};
    size_t a, b;

    if (c->coding == GI_CODING_PAIRS) {
        gi_classes_pair(c, q, &a, &b);
        GI_TRY(gi_buf_printf(run, &text, "%s_%s", c->name[b], c->name[a]));
    } else if (c->coding != GI_CODING_NONE) {
        GI_TRY(gi_buf_printf(run, &text, "%s", c->name[q]));
    } else if (m->losses > 1) {
        GI_TRY(gi_buf_printf(run, &text, "%g", m->loss[q].arg[0]));
    } else {
        GI_TRY(gi_buf_printf(run, &text, "%s",
                             m->columns ? m->target[q] : "usual"));
    }
    GI_TRY(gi_strndup(run, text.s, text.n, &m->output[q]));
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
    size_t each = m->solutions > 1 ? 1 : m->targets;
    gram_output out = {.lambda = m->lambda[q],
                       .intercept = m->constant[q],
                       .epsilon = s->epsilon,
                       .objective = s->objective,
                       .gap = s->gap,
                       .steps = s->steps};

    for (size_t i = 0; s->alpha && i < m->n; i++) {
        double a = fabs(s->alpha[i * each + q % each]);
        double most = 1 / (2 * m->lambda[q] * (m->noise ? m->noise[i] : 1));

        out.support += a > 0;
        out.bounded += a >= most * (1 - ROUNDING);
        out.sum += a;
    }
    return out;
}

const char *gram_machine_column(const gram_machine *m, size_t i)
{
    return i < m->program->sources ? m->program->source[i].name : NULL;
}

const gram_table *gram_machine_table(const gram_machine *m)
{
    return m->table;
}

size_t gram_machine_terms(const gram_machine *m)
{
    return m->terms;
}

const char *gram_machine_term(const gram_machine *m, size_t i)
{
    return i < m->terms ? m->term[i] : NULL;
}

/* ------------------------------------------------------------------- freed */

void gram_machine_free(gram_machine *m)
{
    if (!m)
        return;
    for (size_t q = 0; m->solution && q < m->solutions; q++)
        gi_solution_free(&m->solution[q]);
    gi_free(m->solution);
    forget_texts(m);
    gi_points_free(m->x);
    gi_program_free(m->program);
    gram_table_free(m->table);
    gram_kernel_free(m->kernel);
    free_texts(m->target, m->columns);
    gi_free(m->target_type);
    gi_fills_free(&m->fills);
    free_texts(m->output, m->targets);
    gi_free(m->loss);
    gi_free(m->loss_text);
    gi_classes_free(&m->classes);
    free_texts(m->warning, m->warnings);
    free_texts(m->note, m->notes);
    gi_free(m->y);
    gi_free(m->shift);
    gi_free(m->noise);
    gi_free(m->noise_column);
    gi_free(m->row);
    gi_free(m->lambda);
    gi_free(m->amplitude);
    gi_free(m->variance);
    gi_free(m->evidence);
    gi_free(m->constant);
    gi_free(m);
}
