/* bind.c - arguments against a table of parameters.
 *
 * One function reads all values: fixed numbers, open ones, lists and the names
 * nan, inf and all.  A number is checked as it is written and, if it is written
 * as another parameter (sigma for gamma), again after conversion, since
 * 0.5 sigma^-2 of a tiny sigma is not finite.
 */
#include "base/bind.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

size_t gi_param_count(const gram_param *params)
{
    size_t n = 0;

    while (params && params[n].name)
        n++;
    return n;
}

static int is_whole(const gram_param *param)
{
    return param->range == GRAM_NATURAL || param->range == GRAM_COUNT;
}

static int is_number(const gram_param *param)
{
    return param->range != GRAM_FLAG && param->range != GRAM_FILE;
}

int gi_param_is_learned(const gram_param *param)
{
    return is_number(param) && !is_whole(param) && !param->fixed &&
           !param->choices && !param->stands_for;
}

int gi_node_is_name(const gi_node *node)
{
    return node->kind == GI_NODE_CALL && !node->kids && !node->columns;
}

const char *gi_node_noun(const gi_node *node)
{
    static const char *const nouns[] = {
        [GI_NODE_NUMBER] = "a number",    [GI_NODE_OPEN] = "a question mark",
        [GI_NODE_CALL] = "a name",        [GI_NODE_GROUP] = "a kernel",
        [GI_NODE_SUM] = "a sum",          [GI_NODE_PRODUCT] = "a product",
        [GI_NODE_POWER] = "a power",      [GI_NODE_LIST] = "a list",
        [GI_NODE_TEXT] = "a quoted text",
    };

    return node->kind == GI_NODE_CALL && !gi_node_is_name(node)
               ? "a kernel"
               : nouns[node->kind];
}

/* ---------------------------------------------------------------- ranges */

static int is_in_range(const gram_param *param, double x)
{
    if (x == GRAM_ALL && param->value == GRAM_ALL)
        return 1;
    if (!isfinite(x))
        return 0;
    for (const double *choice = param->choices; choice; choice++) {
        if (isnan(*choice))
            return 0;
        if (*choice == x)
            return 1;
    }
    switch (param->range) {
    case GRAM_POSITIVE:
        return x > 0;
    case GRAM_NONNEGATIVE:
        return x >= 0;
    case GRAM_FRACTION:
        return x > 0 && x < 1;
    case GRAM_SHARE:
        return (x > 0 && x <= 1) || x == param->value;
    case GRAM_NATURAL:
    case GRAM_COUNT:
        return x >= (param->range == GRAM_COUNT) && x <= GRAM_NATURAL_MAX &&
               x == floor(x);
    default:
        return 1;
    }
}

/* "0.5, 1.5 or 2.5" */
static void list_choices(const double *choices, char *out, size_t size)
{
    char text[GI_NUMBER_ROOM];
    size_t used = 0;

    for (size_t i = 0; !isnan(choices[i]) && used < size; i++) {
        const char *gap = i == 0 ? "" : isnan(choices[i + 1]) ? " or " : ", ";

        gi_number_print(choices[i], text);
        used += (size_t)snprintf(out + used, size - used, "%s%s", gap, text);
    }
}

gram_status gi_param_check(const gi_spec *spec, size_t at, const char *owner,
                           const gram_param *param, double x)
{
    char number[GI_NUMBER_ROOM], must[120];

    if (is_in_range(param, x))
        return GRAM_OK;
    gi_number_print(x, number);
    if (param->choices)
        list_choices(param->choices, must, sizeof must);
    else if (is_whole(param))
        snprintf(must, sizeof must, "a whole number from %d to %d",
                 param->range == GRAM_COUNT, GRAM_NATURAL_MAX);
    else
        snprintf(must, sizeof must, "%s",
                 !isfinite(x) && !(x < 0)        ? "finite"
                 : param->range == GRAM_FRACTION ? "between 0 and 1"
                 : param->range == GRAM_SHARE    ? "above 0 and at most 1"
                 : param->range == GRAM_POSITIVE ? "positive"
                                                 : "at least 0");
    return gi_spec_fail(spec, at, GRAM_ERR_RANGE, "%s%s%s = %s, must be %s",
                        owner, *owner ? ": " : "", param->name, number, must);
}

/* --------------------------------------------------------------- numbers */

typedef struct binder {
    const gi_spec *spec;
    const gi_node *call;
    const gram_param *params;
    size_t count;
} binder;

double gi_value_convert(const gi_value *value, double x)
{
    return value->as->stands_for ? value->as->factor * pow(x, value->as->power)
                                 : x;
}

/* The parameter that params[i] sets. */
static size_t target(const gram_param *params, size_t i)
{
    return params[i].stands_for ? (size_t)params[i].stands_for - 1 : i;
}

/* Check a number as it is written and as the parameter it stands for. */
static gram_status check(const binder *b, size_t at, const gram_param *as,
                         const gram_param *param, double x)
{
    gram_status status = GRAM_OK;
    double converted = gi_value_convert(&(gi_value){.as = as}, x);
    char number[GI_NUMBER_ROOM], other[GI_NUMBER_ROOM];

    GI_TRY(gi_param_check(b->spec, at, b->call->name, as, x));
    if (is_in_range(param, converted))
        goto done;
    gi_number_print(x, number);
    gi_number_print(converted, other);
    return gi_spec_fail(b->spec, at, GRAM_ERR_RANGE,
                        "%s: %s = %s makes %s = %s, out of range",
                        b->call->name, as->name, number, param->name, other);
done:
    return status;
}

static gram_status check_list(const binder *b, const gi_node *list,
                              const gram_param *as, const gram_param *param)
{
    gram_status status = GRAM_OK;

    for (; list; list = list->next)
        GI_TRY(check(b, list->at, as, param, list->number));
done:
    return status;
}

static gram_status not_a_number(const binder *b, const gi_node *arg,
                                const gram_param *as)
{
    const char *names[GI_PARAMS_MAX];
    char hint[128];

    if (!gi_node_is_name(arg))
        return gi_spec_fail(b->spec, arg->at, GRAM_ERR_PARSE,
                            "%s: %s takes a number, not %s", b->call->name,
                            as->name, gi_node_noun(arg));
    for (size_t i = 0; i < b->count; i++)
        names[i] = b->params[i].name;
    return gi_spec_fail(
        b->spec, arg->at, GRAM_ERR_PARSE, "%s: %s takes a number, not \"%s\"%s",
        b->call->name, as->name, arg->name,
        gi_did_you_mean(arg->name, names, b->count, hint, sizeof hint));
}

/* A name in the place of a number: `all`, nan or inf. */
static gram_status read_word(const binder *b, const gi_node *arg,
                             const gram_param *as, gi_value *out)
{
    static const char *const words[] = {"nan", "inf", "all"};
    static const double numbers[] = {NAN, INFINITY, GRAM_ALL};
    size_t known = as->value == GRAM_ALL ? 3 : 2;

    for (size_t i = 0; i < known && gi_node_is_name(arg); i++)
        if (strcmp(arg->name, words[i]) == 0) {
            out->number = numbers[i];
            return gi_param_check(b->spec, arg->at, b->call->name, as,
                                  numbers[i]);
        }
    return not_a_number(b, arg, as);
}

static gram_status read_open(const binder *b, const gi_node *arg,
                             const gram_param *as, const gram_param *param,
                             gi_value *out)
{
    gram_status status = GRAM_OK;

    if (!gi_param_is_learned(param))
        return gi_spec_fail(b->spec, arg->at, GRAM_ERR_RANGE,
                            "%s: %s is chosen, not learned: give a number",
                            b->call->name, as->name);
    out->open = 1;
    out->list = arg->kids;
    GI_TRY(check_list(b, arg->kids, as, param));
    if (!isnan(arg->number)) {
        GI_TRY(check(b, arg->at, as, param, arg->number));
        out->start = gi_value_convert(out, arg->number);
    }
done:
    return status;
}

static gram_status read_number(const binder *b, const gi_node *arg,
                               const gram_param *as, const gram_param *param,
                               gi_value *out)
{
    gram_status status = GRAM_OK;

    switch (arg->kind) {
    case GI_NODE_NUMBER:
        GI_TRY(check(b, arg->at, as, param, arg->number));
        out->number = gi_value_convert(out, arg->number);
        return GRAM_OK;
    case GI_NODE_OPEN:
        return read_open(b, arg, as, param, out);
    case GI_NODE_LIST:
        if (!as->per_column)
            return gi_spec_fail(b->spec, arg->at, GRAM_ERR_PARSE,
                                "%s: %s takes one number, not a list",
                                b->call->name, as->name);
        out->list = arg->kids;
        return check_list(b, arg->kids, as, param);
    default:
        return read_word(b, arg, as, out);
    }
done:
    return status;
}

/* ------------------------------------------------------------- arguments */

static gram_status read_flag(const binder *b, const gi_node *arg,
                             const gram_param *param, gi_value *out)
{
    if (arg->label)
        return gi_spec_fail(b->spec, arg->label_at, GRAM_ERR_PARSE,
                            "%s: %s is written alone, as in %s(%s)",
                            b->call->name, param->name, b->call->name,
                            param->name);
    out->number = 1;
    return GRAM_OK;
}

static gram_status read_file(const binder *b, const gi_node *arg,
                             const gram_param *param, gi_value *out)
{
    if (arg->kind != GI_NODE_TEXT)
        return gi_spec_fail(b->spec, arg->at, GRAM_ERR_PARSE,
                            "%s: %s takes the name of a file in quotes, as in "
                            "%s(%s=\"file.npy\")",
                            b->call->name, param->name, b->call->name,
                            param->name);
    out->file = arg->name;
    return GRAM_OK;
}

/* The argument that was written as parameter i. */
static gram_status read_value(const binder *b, size_t i, const gi_node *arg,
                              gi_value *values)
{
    size_t to = target(b->params, i);
    const gram_param *as = &b->params[i];
    gi_value *out = &values[to];

    if (out->given)
        return gi_spec_fail(b->spec, arg->label_at, GRAM_ERR_PARSE,
                            "%s: %s and %s are two ways to give one number",
                            b->call->name, out->as->name, as->name);
    out->given = arg;
    out->as = as;
    out->number = NAN;
    if (as->range == GRAM_FLAG)
        return read_flag(b, arg, as, out);
    if (as->range == GRAM_FILE)
        return read_file(b, arg, as, out);
    return read_number(b, arg, as, &b->params[to], out);
}

/* What holds for a parameter that is not given. */
static gram_status fill_default(const binder *b, const gram_param *param,
                                gi_value *out)
{
    if (param->range == GRAM_FILE)
        return gi_spec_fail(b->spec, b->call->at, GRAM_ERR_PARSE,
                            "%s needs %s, as in %s(%s=\"file.npy\")",
                            b->call->name, param->name, b->call->name,
                            param->name);
    out->number = param->range == GRAM_FLAG ? 0 : param->value;
    out->open = gi_param_is_learned(param) && isnan(param->value);
    return GRAM_OK;
}

gram_status gi_params_bind(const gi_spec *spec, const gi_node *call,
                           const gram_param *params, gi_value *out)
{
    gram_status status = GRAM_OK;
    binder b = {spec, call, params, gi_param_count(params)};
    const char *names[GI_PARAMS_MAX] = {0};
    const gi_node *args[GI_PARAMS_MAX] = {0};
    size_t flags = 0;

    for (size_t i = 0; i < b.count; i++) {
        names[i] = params[i].name;
        flags += params[i].range == GRAM_FLAG;
        out[i] = (gi_value){.as = &params[i], .number = NAN, .start = NAN};
    }
    GI_TRY(gi_spec_bind(spec, call, names, b.count, flags, args));
    for (size_t i = 0; i < b.count; i++)
        if (args[i])
            GI_TRY(read_value(&b, i, args[i], out));
    for (size_t i = 0; i < b.count; i++)
        if (!out[i].given && !params[i].stands_for)
            GI_TRY(fill_default(&b, &params[i], &out[i]));
done:
    return status;
}

/* ---------------------------------------------------------------- tables */

gram_status gi_params_check(const char *owner, const gram_param *params)
{
    size_t count = gi_param_count(params);

    if (count > GI_PARAMS_MAX)
        return gi_fail(GRAM_ERR_RANGE, "%s: %zu parameters, at most %d", owner,
                       count, GI_PARAMS_MAX);
    for (size_t i = 0; i < count; i++) {
        size_t to = (size_t)params[i].stands_for;

        if (params[i].stands_for < 0 || to > i ||
            (to > 0 && params[to - 1].stands_for))
            return gi_fail(GRAM_ERR_RANGE,
                           "%s: %s stands for parameter %d, must be one before "
                           "it that stands for itself",
                           owner, params[i].name, params[i].stands_for - 1);
        if (i > 0 && params[i - 1].range == GRAM_FLAG &&
            params[i].range != GRAM_FLAG)
            return gi_fail(GRAM_ERR_RANGE,
                           "%s: %s behind a flag, must be in "
                           "front of it",
                           owner, params[i].name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(params[i].name, params[j].name) == 0)
                return gi_fail(GRAM_ERR_RANGE, "%s: two parameters %s", owner,
                               params[i].name);
    }
    return GRAM_OK;
}
