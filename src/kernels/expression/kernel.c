/* kernel.c - from text to kernel: the tree of a spec bound to the catalogue.
 *
 * Each kind of spec node has one function here, and so has each function of
 * kernels (exp, normalize, map, weight).  A node hangs in the tree as soon as
 * it is made, so that a failure has nothing to undo but the whole tree.
 * Recursion is as deep as the parentheses of the text.
 *
 * Columns behind a node hold for everything inside that names none.  weight
 * uses its own list for the factor, so those behind it go to its kernel.
 */
#include "kernels/expression/kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/bind.h"

typedef struct builder {
    gi_run *run;
    gram_kernel *k;
} builder;

static gram_status build(builder *b, const gi_node *at, gi_kernel_node **out);

static gram_status new_node(builder *b, gi_kernel_kind kind, const gi_node *at,
                            gi_kernel_node **out)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW_ZERO(b->run, *out, 1));
    (*out)->kind = kind;
    (*out)->at = at;
    (*out)->minus = at->minus;
done:
    return status;
}

static gram_status build_kids(builder *b, const gi_node *at,
                              gi_kernel_node *node)
{
    gram_status status = GRAM_OK;
    gi_kernel_node **kid = &node->kids;

    for (const gi_node *part = at->kids; part; part = part->next) {
        GI_TRY(build(b, part, kid));
        kid = &(*kid)->next;
    }
done:
    return status;
}

/* ----------------------------------------------------------------- slots */

/* The numbers of a list, in the units of the slot. */
static gram_status copy_list(builder *b, const gi_value *value, double **out,
                             size_t *count)
{
    gram_status status = GRAM_OK;
    size_t n = 0;

    for (const gi_node *x = value->list; x; x = x->next)
        n++;
    GI_TRY(GI_NEW(b->run, *out, n));
    *count = n;
    n = 0;
    for (const gi_node *x = value->list; x; x = x->next)
        (*out)[n++] = gi_value_convert(value, x->number);
done:
    return status;
}

/* A slot for the number `value`; its name is owner.param, or the owner's if
 * there is no parameter. */
static gram_status new_slot(builder *b, const gi_kernel_node *node,
                            const char *owner, const gram_param *param,
                            const gi_value *value, int *out)
{
    gram_status status = GRAM_OK;
    gram_kernel *k = b->k;
    gi_buf name = {0};
    gi_slot *slot;

    if ((k->slots & (k->slots - 1)) == 0) /* 0, 1, 2, 4, ...: it is full */
        GI_TRY(GI_GROW(b->run, k->slot, k->slots ? 2 * k->slots : 1));
    slot = &k->slot[k->slots];
    *slot = (gi_slot){.node = node,
                      .param = param,
                      .value = value->number,
                      .open = value->open,
                      .start = value->start};
    *out = (int)k->slots++;
    GI_TRY(gi_buf_printf(b->run, &name, "%s%s%s", owner, param ? "." : "",
                         param ? param->name : ""));
    GI_TRY(gi_strndup(b->run, name.s, name.n, &slot->name));
    if (value->list && value->open)
        GI_TRY(copy_list(b, value, &slot->candidates, &slot->candidate_count));
    else if (value->list)
        GI_TRY(copy_list(b, value, &slot->values, &slot->count));
done:
    gi_buf_free(&name);
    return status;
}

/* A number or ? that stands for itself.  A negative number is read, and its
 * kernel refuted by the proof; what is learned is not negative. */
static gram_status build_constant(builder *b, const gi_node *at,
                                  gi_kernel_node **out)
{
    static const gram_param amplitude = {.name = "amplitude",
                                         .range = GRAM_NONNEGATIVE};
    gram_status status = GRAM_OK;
    const gi_spec *spec = b->k->spec;
    gi_value value = {.as = &amplitude, .number = NAN, .start = NAN};

    GI_TRY(new_node(b, GI_KERNEL_CONSTANT, at, out));
    GI_TRY(GI_NEW_ZERO(b->run, (*out)->slot, 1));
    if (at->kind == GI_NODE_NUMBER) {
        value.number = at->number;
    } else {
        value.open = 1;
        value.start = at->number;
        value.list = at->kids;
        if (!isnan(value.start))
            GI_TRY(gi_param_check(spec, at->at, "", &amplitude, value.start));
        for (const gi_node *x = at->kids; x; x = x->next)
            GI_TRY(gi_param_check(spec, x->at, "", &amplitude, x->number));
    }
    GI_TRY(new_slot(b, *out, "amplitude", NULL, &value, (*out)->slot));
done:
    return status;
}

/* ---------------------------------------------------------------- leaves */

/* Is the flag `ard` there? */
static int is_ard(const gram_param *params, const gi_value *value)
{
    size_t count = gi_param_count(params);

    for (size_t i = 0; i < count; i++)
        if (params[i].range == GRAM_FLAG && strcmp(params[i].name, "ard") == 0)
            return value[i].given != NULL;
    return 0;
}

static gram_status build_param(builder *b, gi_kernel_node *node, size_t i,
                               const gi_value *value, int ard)
{
    gram_status status = GRAM_OK;
    const gram_kernel_class *class_ = node->class_;
    const gram_param *param = &class_->params[i];

    node->slot[i] = -1;
    node->arg[i] = value->number;
    node->file[i] = value->file;
    if (value->given)
        node->given[value->as - class_->params] = value->given;
    if (!gi_param_is_learned(param))
        return GRAM_OK;
    if (value->list && !value->open && !ard)
        return gi_spec_fail(b->k->spec, value->list->at, GRAM_ERR_PARSE,
                            "%s: a list for %s, one number per column, needs "
                            "ard, as in %s(%s=[1,2], ard)",
                            class_->name, value->as->name, class_->name,
                            value->as->name);
    GI_TRY(new_slot(b, node, class_->name, param, value, &node->slot[i]));
    b->k->slot[node->slot[i]].per_column = ard && param->per_column;
done:
    return status;
}

static gram_status build_leaf(builder *b, const gi_node *at,
                              const gram_kernel_class *class_,
                              gi_kernel_node **out)
{
    gram_status status = GRAM_OK;
    size_t count = gi_param_count(class_->params);
    gi_value value[GI_PARAMS_MAX];
    gi_kernel_node *node;

    if (!class_->compile)
        return gi_spec_fail(b->k->spec, at->at, GRAM_ERR_NAME,
                            "%s cannot be written: %s", class_->name,
                            class_->formula);
    GI_TRY(new_node(b, GI_KERNEL_LEAF, at, out));
    node = *out;
    node->class_ = class_;
    GI_TRY(GI_NEW_ZERO(b->run, node->arg, count));
    GI_TRY(GI_NEW_ZERO(b->run, node->slot, count));
    GI_TRY(GI_NEW_ZERO(b->run, node->file, count));
    GI_TRY(GI_NEW_ZERO(b->run, node->given, count));
    GI_TRY(gi_params_bind(b->k->spec, at, class_->params, value));
    for (size_t i = 0; i < count; i++)
        GI_TRY(
            build_param(b, node, i, &value[i], is_ard(class_->params, value)));
done:
    return status;
}

/* -------------------------------------------------- functions of kernels */

/* phi of map(phi, k) */
static gram_status read_map(builder *b, const gi_node *arg,
                            gi_kernel_node *node)
{
    return gi_map_new(b->run, b->k->spec, arg, &node->map);
}

/* The column of weight(column, k): a name, in quotes or not, or an index. */
static gram_status read_factor(builder *b, const gi_node *arg,
                               gi_kernel_node *node)
{
    gi_column_item *item = &node->factor;
    int is_index = arg->kind == GI_NODE_NUMBER && arg->number >= 0 &&
                   arg->number <= 1e9 && arg->number == floor(arg->number);

    *item = (gi_column_item){.at = arg->at, .name = arg->name};
    if (is_index) {
        item->kind = GI_COLUMN_INDEX;
        item->from = (size_t)arg->number;
        snprintf(node->factor_name, sizeof node->factor_name, "%zu",
                 item->from);
        item->name = node->factor_name;
    } else if (arg->kind == GI_NODE_TEXT || gi_node_is_name(arg)) {
        item->kind = GI_COLUMN_NAME;
    } else {
        return gi_spec_fail(b->k->spec, arg->at, GRAM_ERR_PARSE,
                            "weight: %s, expected a column, as in "
                            "weight(age, linear)",
                            gi_node_noun(arg));
    }
    node->columns = item;
    node->factor_at = arg;
    return GRAM_OK;
}

/* What they are called, and what stands in front of the kernel. */
static const struct function {
    const char *name;
    gi_kernel_kind kind;
    const char *first; /* NULL: nothing */
    gram_status (*read_first)(builder *b, const gi_node *arg,
                              gi_kernel_node *node);
    const char *example;
} functions[] = {
    {"exp", GI_KERNEL_EXP, NULL, NULL, "exp(linear)"},
    {"normalize", GI_KERNEL_NORMALIZE, NULL, NULL, "normalize(linear)"},
    {"map", GI_KERNEL_MAP, "phi", read_map, "map(log, linear)"},
    {"weight", GI_KERNEL_WEIGHT, "column", read_factor, "weight(age, linear)"},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct function *find_function(const char *name)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0)
            return &functions[i];
    return NULL;
}

int gi_kernel_is_function(const char *name)
{
    return find_function(name) != NULL;
}

static gram_status build_function(builder *b, const gi_node *at,
                                  const struct function *f,
                                  gi_kernel_node **out)
{
    gram_status status = GRAM_OK;
    const char *names[] = {f->first, "k"};
    const gi_node *args[2] = {NULL, NULL};
    size_t skip = f->first ? 0 : 1;

    GI_TRY(
        gi_spec_bind(b->k->spec, at, names + skip, 2 - skip, 0, args + skip));
    if (!args[1] || (f->first && !args[0]))
        return gi_spec_fail(b->k->spec, at->at, GRAM_ERR_PARSE,
                            "%s needs a kernel, as in %s", f->name, f->example);
    GI_TRY(new_node(b, f->kind, at, out));
    if (f->first)
        GI_TRY(f->read_first(b, args[0], *out));
    GI_TRY(build(b, args[1], &(*out)->kids));
done:
    return status;
}

/* --------------------------------------------------------------- columns */

int gi_node_takes_columns(const gi_kernel_node *node)
{
    if (node->columns && node->kind != GI_KERNEL_WEIGHT)
        return 0;
    if (node->kind == GI_KERNEL_LEAF)
        return !(node->class_->flags & GRAM_KERNEL_NO_COLUMNS);
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next)
        if (gi_node_takes_columns(kid))
            return 1;
    return 0;
}

static gram_status give_columns(builder *b, const gi_column_item *columns,
                                gi_kernel_node *node)
{
    if (!columns)
        return GRAM_OK;
    if (!gi_node_takes_columns(node))
        return gi_spec_fail(b->k->spec, columns->at, GRAM_ERR_PARSE,
                            "columns that nothing in front of them takes");
    while (node->kind == GI_KERNEL_WEIGHT)
        node = node->kids;
    node->columns = columns;
    return GRAM_OK;
}

/* ------------------------------------------------------------ expressions */

static gram_status no_such(builder *b, const gi_node *at)
{
    const char *names[256];
    const gram_kernel_class *class_;
    size_t count = 0;
    char hint[128];

    if (gi_map_class_find(at->name))
        return gi_spec_fail(b->k->spec, at->at, GRAM_ERR_NAME,
                            "%s is a map, expected a kernel, as in map(%s, "
                            "linear)",
                            at->name, at->name);
    for (; count < FUNCTIONS; count++)
        names[count] = functions[count].name;
    while (count < 256 && (class_ = gram_kernel_class_at(count - FUNCTIONS)))
        names[count++] = class_->name;
    return gi_spec_fail(
        b->k->spec, at->at, GRAM_ERR_NAME, "no kernel \"%s\"%s", at->name,
        gi_did_you_mean(at->name, names, count, hint, sizeof hint));
}

static gram_status build_call(builder *b, const gi_node *at,
                              gi_kernel_node **out)
{
    gram_status status = GRAM_OK;
    const struct function *f = find_function(at->name);
    const gram_kernel_class *class_ = gi_kernel_class_find(at->name);

    if (f)
        GI_TRY(build_function(b, at, f, out));
    else if (class_)
        GI_TRY(build_leaf(b, at, class_, out));
    else
        GI_TRY(no_such(b, at));
    GI_TRY(give_columns(b, at->columns, *out));
done:
    return status;
}

static gram_status build(builder *b, const gi_node *at, gi_kernel_node **out)
{
    gram_status status = GRAM_OK;

    switch (at->kind) {
    case GI_NODE_NUMBER:
    case GI_NODE_OPEN:
        return build_constant(b, at, out);
    case GI_NODE_CALL:
        return build_call(b, at, out);
    case GI_NODE_GROUP:
        GI_TRY(build(b, at->kids, out));
        (*out)->minus = at->minus;
        return give_columns(b, at->columns, *out);
    case GI_NODE_SUM:
        GI_TRY(new_node(b, GI_KERNEL_SUM, at, out));
        return build_kids(b, at, *out);
    case GI_NODE_PRODUCT:
        GI_TRY(new_node(b, GI_KERNEL_PRODUCT, at, out));
        return build_kids(b, at, *out);
    case GI_NODE_POWER:
        GI_TRY(new_node(b, GI_KERNEL_POWER, at, out));
        (*out)->exponent = at->number;
        return build_kids(b, at, *out);
    case GI_NODE_LIST:
    case GI_NODE_TEXT:
        return gi_spec_fail(b->k->spec, at->at, GRAM_ERR_PARSE,
                            "%s, expected a kernel", gi_node_noun(at));
    }
done:
    return status;
}

gram_status gi_kernel_new(gi_run *run, const char *text, gram_kernel **out)
{
    gram_status status = GRAM_OK;
    gi_buf printed = {0};
    builder b = {.run = run};

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, b.k, 1));
    GI_TRY(gi_spec_parse(run, "kernel", text, &b.k->spec));
    GI_TRY(build(&b, b.k->spec->root, &b.k->root));
    GI_TRY(gi_kernel_print(run, b.k, b.k->root, &printed));
    GI_TRY(gi_strndup(run, printed.s, printed.n, &b.k->text));
    *out = b.k;
    b.k = NULL;
done:
    gi_buf_free(&printed);
    gram_kernel_free(b.k);
    return status;
}

/* ---------------------------------------------------------------- public */

gram_status gram_kernel_new(const char *text, gram_kernel **out)
{
    GI_RUN(run, NULL);

    return gi_kernel_new(&run, text, out);
}

static void free_nodes(gi_kernel_node *node)
{
    for (gi_kernel_node *next; node; node = next) {
        next = node->next;
        free_nodes(node->kids);
        gi_free(node->arg);
        gi_free(node->slot);
        gi_free(node->file);
        gi_free(node->given);
        gi_map_free(node->map);
        gi_free(node);
    }
}

void gram_kernel_free(gram_kernel *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->slots; i++) {
        gi_free(k->slot[i].name);
        gi_free(k->slot[i].candidates);
        gi_free(k->slot[i].values);
    }
    gi_free(k->slot);
    gi_free(k->text);
    free_nodes(k->root);
    gi_spec_free(k->spec);
    gi_free(k);
}

const gi_kernel_node *gi_kernel_sum(const gram_kernel *k)
{
    const gi_kernel_node *node = k->root;

    while (node->kind == GI_KERNEL_MAP)
        node = node->kids;
    return node->kind == GI_KERNEL_SUM ? node : NULL;
}

static const gi_kernel_node *leaf_with(const gi_kernel_node *node,
                                       unsigned flag)
{
    const gi_kernel_node *found = NULL;

    for (; node && !found; node = node->next)
        found = node->class_ && (node->class_->flags & flag)
                    ? node
                    : leaf_with(node->kids, flag);
    return found;
}

const gi_kernel_node *gi_kernel_leaf_with(const gram_kernel *k, unsigned flag)
{
    return leaf_with(k->root, flag);
}

const char *gram_kernel_text(const gram_kernel *k)
{
    return k->text;
}

size_t gram_kernel_param_count(const gram_kernel *k)
{
    return k->slots;
}

gram_kernel_param gram_kernel_param_at(const gram_kernel *k, size_t i)
{
    const gi_slot *slot = &k->slot[i];

    return (gram_kernel_param){
        .name = slot->name,
        .open = slot->open,
        .value = slot->open ? slot->start : slot->value,
    };
}
