/* expansion.c - kernel, rows and coefficients of a machine: compiled, printed,
 * freed.
 */
#include "base/mem.h"
#include "machines/machine.h"

static void forget_texts(gi_expansion *e)
{
    gi_free(e->text);
    gi_strings_free(e->term, e->terms);
    e->text = NULL;
    e->term = NULL;
    e->terms = 0;
}

gram_status gi_expansion_print(gi_run *run, gi_expansion *e)
{
    const gram_program *p = e->program;
    gram_status status = GRAM_OK;
    gi_buf text = {0};

    forget_texts(e);
    GI_TRY(gi_program_print(run, p, p->theta, &text));
    GI_TRY(gi_strndup(run, text.s, text.n, &e->text));
    GI_TRY(GI_NEW_ZERO(run, e->term, p->terms));
    for (; e->terms < p->terms; e->terms++) {
        text.n = 0;
        GI_TRY(gi_program_print_term(run, p, e->terms, &text));
        GI_TRY(gi_strndup(run, text.s, text.n, &e->term[e->terms]));
    }
done:
    gi_buf_free(&text);
    return status;
}

void gi_expansion_take_rows(gi_expansion *e, gram_table *table, gi_points *x)
{
    gram_table_free(e->table);
    gi_points_free(e->x);
    e->table = table;
    e->x = x;
    x->table = table->serial;
}

gram_status gi_expansion_compile(gi_run *run, gi_expansion *e,
                                 const gi_values *values)
{
    gram_status status = GRAM_OK;

    GI_TRY(values ? gi_program_restore(run, e->kernel, values, e->table,
                                       &e->program)
                  : gi_program_new(run, e->kernel, e->table, 0, &e->program));
    GI_TRY(gi_points_new(run, e->program, e->table, GI_DOUBLE, &e->x));
    GI_TRY(gi_expansion_print(run, e));
done:
    return status;
}

void gi_expansion_free(gi_expansion *e)
{
    for (size_t q = 0; e->solution && q < e->solutions; q++)
        gi_solution_free(&e->solution[q]);
    gi_free(e->solution);
    forget_texts(e);
    gi_points_free(e->x);
    gi_program_free(e->program);
    gram_table_free(e->table);
    gram_kernel_free(e->kernel);
}
