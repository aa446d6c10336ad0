/* map.c - phi of map(phi, k): from the spec, to text, and what it learns.
 *
 * What is learned is lists, one number per column, that can be written as
 * arguments too; so a map that has learned prints as one that need not.
 */
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/bind.h"
#include "kernels/expression/kernel.h"

static size_t list_length(const gi_node *list)
{
    size_t n = 0;

    for (; list; list = list->next)
        n++;
    return n;
}

/* How many lists the class learns. */
static size_t lists_of(const gram_map_class *class_)
{
    size_t n = 0, count = gi_param_count(class_->params);

    for (size_t i = 0; i < count; i++)
        n += class_->params[i].per_column != 0;
    return n;
}

size_t gi_map_width(const gi_map *map, size_t d)
{
    return map->class_->width ? map->class_->width(map->arg, d) : d;
}

size_t gi_map_state_size(const gi_map *map, size_t d)
{
    return lists_of(map->class_) * d;
}

gram_status gi_map_learn(gi_run *run, const gi_map *map, const double *x,
                         size_t n, size_t d, double *state)
{
    gram_status status = GRAM_OK;
    size_t lists = lists_of(map->class_);
    double value[GI_PARAMS_MAX] = {0};
    double *column = NULL;

    GI_TRY(GI_NEW(run, column, n));
    for (size_t j = 0; j < d && lists > 0; j++) {
        for (size_t i = 0; i < n; i++)
            column[i] = x[i * d + j];
        map->class_->learn(map->arg, column, n, value);
        for (size_t m = 0; m < lists; m++)
            state[m * d + j] = value[m];
    }
done:
    gi_free(column);
    return status;
}

/* ---------------------------------------------------------------- reading */

static gram_status no_such(const gi_spec *spec, const gi_node *phi)
{
    const char *names[256];
    const gram_map_class *class_;
    size_t count = 0;
    char hint[128];

    if (gi_kernel_class_find(phi->name))
        return gi_spec_fail(spec, phi->at, GRAM_ERR_NAME,
                            "%s is a kernel, expected a map, as in map(log, "
                            "%s)",
                            phi->name, phi->name);
    while (count < 256 && (class_ = gram_map_at(count)))
        names[count++] = class_->name;
    return gi_spec_fail(
        spec, phi->at, GRAM_ERR_NAME, "no map \"%s\"%s", phi->name,
        gi_did_you_mean(phi->name, names, count, hint, sizeof hint));
}

/* The lists that are given: all or none, of one length. */
static gram_status read_state(gi_run *run, const gi_spec *spec,
                              const gi_node *phi, const gi_value *value,
                              gi_map *map)
{
    gram_status status = GRAM_OK;
    const gram_param *params = map->class_->params;
    size_t count = gi_param_count(params), given = 0, d = 0;
    double *to;

    for (size_t i = 0; i < count; i++)
        if (value[i].list) {
            d = list_length(value[i].list);
            map->state_size += d;
            given++;
        }
    if (given == 0)
        return GRAM_OK;
    if (given < lists_of(map->class_) || map->state_size != given * d)
        return gi_spec_fail(spec, phi->at, GRAM_ERR_SHAPE,
                            "%s: lists of one length for all columns, or none",
                            phi->name);
    GI_TRY(GI_NEW(run, map->state, map->state_size));
    to = map->state;
    for (size_t i = 0; i < count; i++)
        for (const gi_node *x = value[i].list; x; x = x->next)
            *to++ = x->number;
done:
    return status;
}

static gram_status read_args(gi_run *run, const gi_spec *spec,
                             const gi_node *phi, gi_map *map)
{
    gram_status status = GRAM_OK;
    const gram_param *params = map->class_->params;
    size_t count = gi_param_count(params);
    gi_value value[GI_PARAMS_MAX];

    GI_TRY(GI_NEW_ZERO(run, map->arg, count));
    GI_TRY(GI_NEW_ZERO(run, map->given, count));
    GI_TRY(gi_params_bind(spec, phi, params, value));
    for (size_t i = 0; i < count; i++) {
        map->arg[i] = value[i].number;
        map->given[i] = value[i].given;
        if (value[i].given &&
            (value[i].open || (params[i].per_column && !value[i].list)))
            return gi_spec_fail(spec, value[i].given->at, GRAM_ERR_PARSE,
                                "%s: %s takes %s", phi->name, params[i].name,
                                params[i].per_column
                                    ? "a list, one number per column"
                                    : "a number");
    }
    GI_TRY(read_state(run, spec, phi, value, map));
done:
    return status;
}

gram_status gi_map_new(gi_run *run, const gi_spec *spec, const gi_node *phi,
                       gi_map **out)
{
    gram_status status = GRAM_OK;
    const gram_map_class *class_;
    gi_map *map = NULL;

    if (phi->kind != GI_NODE_CALL)
        return gi_spec_fail(spec, phi->at, GRAM_ERR_PARSE,
                            "%s, expected a map, as in map(log, linear)",
                            gi_node_noun(phi));
    if (phi->columns)
        return gi_spec_fail(spec, phi->columns->at, GRAM_ERR_PARSE,
                            "columns belong to the kernel, as in map(%s, "
                            "linear)[a,b]",
                            phi->name);
    class_ = gi_map_class_find(phi->name);
    if (!class_)
        return no_such(spec, phi);
    GI_TRY(GI_NEW_ZERO(run, map, 1));
    map->class_ = class_;
    GI_TRY(read_args(run, spec, phi, map));
    *out = map;
    map = NULL;
done:
    gi_map_free(map);
    return status;
}

void gi_map_free(gi_map *map)
{
    if (!map)
        return;
    gi_free(map->arg);
    gi_free(map->given);
    gi_free(map->state);
    gi_free(map);
}

/* ----------------------------------------------------------------- states */

/* Only the last list may have numbers for the features of a sparse block. */
static gram_status check_shifts(const gi_spec *spec, const gi_map *map,
                                size_t length, size_t d)
{
    size_t shifts = map->state_size - length;

    for (size_t i = 0; i < shifts; i++)
        if (i % length >= d && map->state[i] != 0)
            return gi_fail(GRAM_ERR_RANGE,
                           "kernel \"%.300s\": map %s moves feature %zu of a "
                           "sparse block by %g, it may only be divided",
                           spec->text, map->class_->name, i % length - d + 1,
                           map->state[i]);
    return GRAM_OK;
}

gram_status gi_state_read(gi_run *run, const gi_spec *spec, const gi_map *map,
                          size_t d, int sparse, gi_state *out)
{
    gram_status status = GRAM_OK;
    size_t lists = lists_of(map->class_), length = map->state_size / lists;
    const double *last = map->state + (lists - 1) * length;

    if (sparse ? length < d : length != d)
        return gi_fail(GRAM_ERR_SHAPE,
                       "kernel \"%.300s\": map %s has lists of %zu numbers, "
                       "the columns are %zu",
                       spec->text, map->class_->name, length, d);
    GI_TRY(check_shifts(spec, map, length, d));
    out->columns = d;
    out->features = length - d;
    GI_TRY(GI_NEW(run, out->list, lists * d));
    out->length = lists * d;
    for (size_t i = 0; i < lists; i++)
        memcpy(out->list + i * d, map->state + i * length,
               d * sizeof *out->list);
    GI_TRY(GI_NEW(run, out->divisor, out->features));
    memcpy(out->divisor, last + d, out->features * sizeof *out->divisor);
done:
    return status;
}

void gi_state_clear(gi_state *s)
{
    gi_free(s->list);
    gi_free(s->divisor);
    *s = (gi_state){0};
}

int gi_state_is_empty(const gi_state *s)
{
    return !(s->list && s->columns) && !(s->divisor && s->features);
}

static int same_numbers(const double *a, const double *b, size_t n)
{
    return !a == !b && (!a || memcmp(a, b, n * sizeof *a) == 0);
}

int gi_state_equal(const gi_map *map, const gi_state *a, const gi_state *b)
{
    return a->columns == b->columns && a->features == b->features &&
           same_numbers(a->list, b->list, gi_map_state_size(map, a->columns)) &&
           same_numbers(a->divisor, b->divisor, a->features);
}

/* --------------------------------------------------------------- printing */

/* n numbers of x, then `more` of y, or zeros if it is NULL. */
static gram_status print_list(gi_run *run, const double *x, size_t n,
                              const double *y, size_t more, gi_buf *b)
{
    gram_status status = GRAM_OK;
    char text[GI_NUMBER_ROOM];

    for (size_t i = 0; i < n + more; i++) {
        gi_number_print(i < n ? x[i] : y ? y[i - n] : 0, text);
        GI_TRY(gi_buf_printf(run, b, "%s%s", i == 0 ? "[" : ",", text));
    }
    GI_TRY(gi_buf_add(run, b, "]", 1));
done:
    return status;
}

gram_status gi_map_print(gi_run *run, const gi_map *map, const gi_state *state,
                         gi_buf *b)
{
    gram_status status = GRAM_OK;
    const gram_param *params = map->class_->params;
    size_t count = gi_param_count(params), lists = lists_of(map->class_);
    gi_state s = {.list = map->state,
                  .columns = lists ? map->state_size / lists : 0};
    const char *gap = "(";

    if (!map->state && state)
        s = *state;
    GI_TRY(gi_buf_printf(run, b, "%s", map->class_->name));
    for (size_t i = 0, list = 0; i < count; i++) {
        int last = list + 1 == lists;

        if (params[i].per_column ? gi_state_is_empty(&s) : !map->given[i])
            continue;
        GI_TRY(gi_buf_printf(run, b, "%s%s=", gap, params[i].name));
        gap = ", ";
        if (params[i].per_column)
            GI_TRY(print_list(run, s.list + list++ * s.columns, s.columns,
                              last ? s.divisor : NULL, s.features, b));
        else
            GI_TRY(gi_spec_print(run, map->given[i], b));
    }
    if (*gap == ',')
        GI_TRY(gi_buf_add(run, b, ")", 1));
done:
    return status;
}
