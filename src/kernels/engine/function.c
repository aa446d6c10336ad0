/* function.c - elements of the space of a kernel, f = sum_i alpha_i k(x_i, .).
 *
 * Their inner product is the one that makes the space a reproducing one
 * (Aronszajn 1950),
 *
 *     <f, g> = sum_ij alpha_i beta_j k(x_i, t_j),    <f, k(x,.)> = f(x).
 *
 * A function keeps the program that was compiled for its table and the rows as
 * that program sees them, so that maps go on using what they learned there.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

struct gram_function {
    gram_program *program;
    gi_points *x;
    double *alpha;
};

gram_status gram_function_new(const gram_kernel *k, const gram_table *a,
                              const double *alpha, const gram_exec *exec,
                              gram_function **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    size_t n = gram_table_rows(a);
    gram_function *f = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(&run, f, 1));
    GI_TRY(gi_program_new(&run, k, a, 0, &f->program));
    GI_TRY(gi_points_new(&run, f->program, a, GI_DOUBLE, &f->x));
    GI_TRY(GI_NEW(&run, f->alpha, n));
    if (n)
        memcpy(f->alpha, alpha, n * sizeof *alpha);
    *out = f;
    f = NULL;
done:
    gram_function_free(f);
    return status;
}

void gram_function_free(gram_function *f)
{
    if (!f)
        return;
    gi_free(f->alpha);
    gi_points_free(f->x);
    gi_program_free(f->program);
    gi_free(f);
}

gram_status gram_function_values(const gram_function *f, const gram_table *t,
                                 const gram_exec *exec, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_points *x = NULL;

    GI_TRY(gi_points_new(&run, f->program, t, GI_DOUBLE, &x));
    GI_TRY(gi_engine_product(&run, f->program, x, f->x, f->alpha, 1, out));
done:
    gi_points_free(x);
    return status;
}

/* ------------------------------------------------------------------ inner */

/* Did the maps of a view learn the same numbers? */
static int same_states(const gi_view *a, const gi_view *b)
{
    for (size_t i = 0; i < a->maps; i++)
        if (!gi_state_equal(a->map[i], &a->state[i], &b->state[i]))
            return 0;
    return 1;
}

static int same_levels(const gi_source *a, const gi_source *b)
{
    if (a->levels.count != b->levels.count || a->type != b->type)
        return 0;
    for (size_t i = 0; i < a->levels.count; i++)
        if (strcmp(gi_dict_at(&a->levels, i), gi_dict_at(&b->levels, i)) != 0)
            return 0;
    return 1;
}

/* Rows gathered for one program mean the same to another if both were compiled
 * from one text, know the same columns and levels, and learned the same. */
static gram_status check_same(const gram_program *a, const gram_program *b)
{
    const char *text = gram_kernel_text(a->kernel);

    if (strcmp(text, gram_kernel_text(b->kernel)) != 0)
        return gi_fail(GRAM_ERR_SHAPE,
                       "inner product: functions of \"%s\" and of \"%s\", must "
                       "be of the same kernel",
                       text, gram_kernel_text(b->kernel));
    if (a->sources != b->sources || a->views != b->views)
        goto differ;
    for (size_t i = 0; i < a->sources; i++)
        if (strcmp(a->source[i].name, b->source[i].name) != 0 ||
            !same_levels(a->source + i, b->source + i))
            goto differ;
    for (size_t i = 0; i < a->views; i++)
        if (!same_states(a->view + i, b->view + i))
            goto differ;
    return GRAM_OK;
differ:
    return gi_fail(GRAM_ERR_SHAPE,
                   "inner product: functions of \"%s\" on tables with other "
                   "columns or categories, or whose maps learned other numbers",
                   text);
}

gram_status gram_function_inner(const gram_function *f, const gram_function *g,
                                const gram_exec *exec, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    size_t n = gi_points_rows(f->x);
    double *values = NULL, sum = 0;

    if (f != g)
        GI_TRY(check_same(f->program, g->program));
    GI_TRY(GI_NEW(&run, values, n));
    GI_TRY(gi_engine_product(&run, f->program, f->x, f == g ? NULL : g->x,
                             g->alpha, 1, values));
    for (size_t i = 0; i < n; i++)
        sum += f->alpha[i] * values[i];
    *out = sum;
done:
    gi_free(values);
    return status;
}
