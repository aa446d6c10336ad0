/* values.c - numbers and states beside the structure of an expression.
 *
 * A program has them; whoever keeps an expression takes them from there
 * (gi_values_of), and another table is compiled for with the same ones
 * (gi_program_restore).  They never become text on the way.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/program/program.h"

/* The views of a metric borrow the states of others. */
static size_t states_of(const gi_view *v)
{
    return v->metric ? 0 : v->maps;
}

gram_status gi_values_of(gi_run *run, const gram_program *p, gi_values *out)
{
    gram_status status = GRAM_OK;
    size_t states = 0;

    *out = (gi_values){.slots = p->kernel->slots,
                       .theta = p->theta,
                       .thetas = p->thetas,
                       .borrowed = 1};
    for (size_t i = 0; i < p->views; i++)
        states += states_of(&p->view[i]);
    GI_TRY(GI_NEW(run, out->count, out->slots));
    GI_TRY(GI_NEW(run, out->state, states));
    for (size_t s = 0; s < out->slots; s++)
        out->count[s] = gi_program_count(p, s);
    for (size_t i = 0; i < p->views; i++)
        for (size_t m = 0; m < states_of(&p->view[i]); m++)
            out->state[out->states++] = p->view[i].state[m];
done:
    return status;
}

void gi_values_free(gi_values *v)
{
    for (size_t i = 0; !v->borrowed && i < v->states; i++)
        gi_state_clear(&v->state[i]);
    if (!v->borrowed)
        gi_free(v->theta);
    gi_free(v->state);
    gi_free(v->count);
    *v = (gi_values){0};
}

/* Numbers of a row before the first map. */
static size_t numbers_of(const gram_program *p, const gi_view *v)
{
    size_t numbers = 0;

    for (size_t i = 0; i < v->count; i++) {
        gram_type type = p->source[v->source[i]].type;

        numbers += type != GRAM_TYPE_SPARSE && type != GRAM_TYPE_CATEGORY;
    }
    return numbers;
}

static gram_status copy_reals(gi_run *run, const double *from, size_t n,
                              double **to)
{
    gram_status status = GRAM_OK;

    if (!from)
        return status;
    GI_TRY(GI_NEW(run, *to, n));
    memcpy(*to, from, n * sizeof *from);
done:
    return status;
}

gram_status gi_view_restore(gram_program *p, gi_view *v)
{
    gram_status status = GRAM_OK;
    size_t columns = numbers_of(p, v);

    for (size_t m = 0; m < v->maps; m++) {
        const gi_map *map = v->map[m];
        const gi_state *from = &p->given->state[p->given_states];
        gi_state *to = &v->state[m];

        if (p->given_states++ == p->given->states)
            return gi_fail(GRAM_ERR_SHAPE,
                           "kernel \"%.300s\": values of %zu maps, there are "
                           "more",
                           p->kernel->text, p->given->states);
        if (from->columns != columns ||
            from->length != gi_map_state_size(map, columns))
            return gi_fail(GRAM_ERR_SHAPE,
                           "kernel \"%.300s\": map %s has lists of %zu "
                           "numbers, the columns are %zu",
                           p->kernel->text, map->class_->name, from->columns,
                           columns);
        to->columns = columns;
        to->length = from->length;
        to->features = from->features;
        GI_TRY(copy_reals(p->run, from->list, from->length, &to->list));
        GI_TRY(copy_reals(p->run, from->divisor, from->features, &to->divisor));
        columns = gi_map_width(map, columns);
    }
done:
    return status;
}
