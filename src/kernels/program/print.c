/* print.c - from kernel to text that makes the same kernel.
 *
 * Arguments are printed as they were written, by name and in the order of the
 * class's table.  Numbers are the shortest that read back to the same bits.  As
 * in the grammar, a sum binds loosest, then a product, a power, and all the
 * rest; a node stands in parentheses where a tighter one must stand.
 *
 * Of a program, numbers that are open are printed by their values, and maps
 * with their states.  Leaves below one map may look at different columns, and
 * so have different states of it; the map is then written around each leaf:
 *
 *     map(p, a[x] + b[y])  =  map(p', a[x]) + map(p", b[y])
 *
 * and with it all maps further inside, or their order would change.  Since
 * weight(c, k) = linear[c]*k, a map goes by a weight in this form.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/bind.h"
#include "kernels/program/program.h"

enum level { SUM, PRODUCT, POWER, TIGHT };

/* A map to be written around leaves, and those outside of it. */
typedef struct around {
    const gi_map *map;
    size_t depth; /* maps outside of it, whether written or not */
    const struct around *outer;
} around;

typedef struct printer {
    gi_run *run;
    const gram_kernel *k;
    gi_buf *b;
    const char *phi; /* written around the leaves that want it; or NULL */
    gi_leaf_test *wants;
    const gram_program *program; /* NULL: columns are as they were written */
    const double *theta;         /* NULL: numbers and maps are, too */
    size_t depth;                /* maps outside of the node at hand */
    const around *around; /* the innermost of those not yet written, or NULL */
} printer;

static gram_status print(printer *p, const gi_kernel_node *node,
                         enum level least);

static gram_status add(printer *p, const char *s)
{
    return gi_buf_add(p->run, p->b, s, strlen(s));
}

static gram_status add_number(printer *p, double x)
{
    char text[GI_NUMBER_ROOM];

    return gi_buf_add(p->run, p->b, text, gi_number_print(x, text));
}

/* Whatever looks at columns below a node that names none itself. */
static const gi_view *view_below(const printer *p, const gi_kernel_node *node)
{
    const gi_view *v = gi_program_view(p->program, node);

    for (const gi_kernel_node *kid = node->kids; !v && kid; kid = kid->next)
        if (kid->kind == GI_KERNEL_WEIGHT || !kid->columns)
            v = view_below(p, kid);
    return v;
}

static int has_places(const gi_column_item *columns)
{
    for (; columns; columns = columns->next)
        if (columns->kind == GI_COLUMN_INDEX ||
            columns->kind == GI_COLUMN_RANGE)
            return 1;
    return 0;
}

/* The columns of a node as they were written; of a program, places in the table
 * are written as names, which mean the same in other tables. */
static gram_status add_columns(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;
    const gi_view *v =
        p->program && has_places(node->columns) ? view_below(p, node) : NULL;

    GI_TRY(add(p, "["));
    if (!v)
        GI_TRY(gi_spec_print_columns(p->run, node->columns, p->b));
    for (size_t i = 0; v && i < v->count; i++) {
        const gi_column_item item = {.kind = GI_COLUMN_NAME,
                                     .name =
                                         p->program->source[v->source[i]].name};

        if (i > 0)
            GI_TRY(add(p, ","));
        GI_TRY(gi_spec_print_columns(p->run, &item, p->b));
    }
    GI_TRY(add(p, "]"));
done:
    return status;
}

/* Is the number of this slot in theta, not in the text? */
static int is_learned(const printer *p, int slot)
{
    return p->theta && slot >= 0 && p->k->slot[slot].open;
}

static gram_status add_value(printer *p, int slot)
{
    gram_status status = GRAM_OK;
    const double *value = p->theta + p->program->first_theta[slot];
    size_t count = gi_program_count(p->program, (size_t)slot);

    if (!p->k->slot[slot].per_column || count == 0)
        return add_number(p, count ? *value : 1);
    for (size_t i = 0; i < count; i++) {
        GI_TRY(add(p, i == 0 ? "[" : ","));
        GI_TRY(add_number(p, value[i]));
    }
    GI_TRY(add(p, "]"));
done:
    return status;
}

/* Parameter i, as it was written or learned; nothing if it was neither. */
static gram_status add_param(printer *p, const gi_kernel_node *node, size_t i,
                             const char **gap)
{
    gram_status status = GRAM_OK;
    const gram_param *param = &node->class_->params[i];
    int stands_for = param->stands_for;
    int slot = node->slot[stands_for ? stands_for - 1 : (int)i];
    int learned = is_learned(p, slot);

    if (learned ? stands_for != 0 : !node->given[i])
        return GRAM_OK;
    GI_TRY(add(p, *gap));
    *gap = ", ";
    GI_TRY(add(p, param->name));
    if (param->range == GRAM_FLAG)
        return GRAM_OK;
    GI_TRY(add(p, "="));
    if (learned)
        GI_TRY(add_value(p, slot));
    else
        GI_TRY(gi_spec_print(p->run, node->given[i], p->b));
done:
    return status;
}

static gram_status print_leaf(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;
    size_t count = gi_param_count(node->class_->params);
    const char *gap = "(";

    GI_TRY(add(p, node->class_->name));
    for (size_t i = 0; i < count; i++)
        GI_TRY(add_param(p, node, i, &gap));
    if (*gap == ',')
        GI_TRY(add(p, ")"));
done:
    return status;
}

static gram_status print_constant(printer *p, const gi_kernel_node *node)
{
    return is_learned(p, *node->slot) ? add_value(p, *node->slot)
                                      : gi_spec_print(p->run, node->at, p->b);
}

static gram_status print_kids(printer *p, const gi_kernel_node *node,
                              const char *gap, enum level least)
{
    gram_status status = GRAM_OK;

    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        if (kid != node->kids)
            GI_TRY(add(p, kid->minus ? " - " : gap));
        GI_TRY(print(p, kid, least));
    }
done:
    return status;
}

/* ------------------------------------------------------------------- maps */

/* The state of the map `depth` maps deep in front of whatever looks at columns
 * below a node.  *same is cleared if there are several. */
static void find_state(const printer *p, const gi_kernel_node *node,
                       size_t depth, const gi_state **state, int *same)
{
    const gi_view *v = gi_program_view(p->program, node);

    if (v && !*state)
        *state = &v->state[depth];
    else if (v && !gi_state_equal(v->map[depth], *state, &v->state[depth]))
        *same = 0;
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next)
        find_state(p, kid, depth, state, same);
}

/* Must this map be written around leaves?  If it must not, *state is what it
 * learned, or NULL. */
static int goes_inside(const printer *p, const gi_kernel_node *node,
                       const gi_state **state)
{
    int same = 1;

    *state = NULL;
    if (p->around || !p->theta)
        return p->around != NULL;
    if (node->map->state || gi_map_state_size(node->map, 1) == 0)
        return 0;
    find_state(p, node->kids, p->depth, state, &same);
    return !same || (*state && gi_state_is_empty(*state));
}

/* The maps around whatever looks at `v`; one that learns but has no numbers to
 * learn from is left out.  Counts them. */
static gram_status open_maps(printer *p, const gi_view *v, const around *a,
                             size_t *count)
{
    gram_status status = GRAM_OK;
    const gi_state *state;

    if (!a || !v)
        return GRAM_OK;
    GI_TRY(open_maps(p, v, a->outer, count));
    state = &v->state[a->depth];
    if (gi_map_state_size(a->map, 1) > 0 && gi_state_is_empty(state))
        return GRAM_OK;
    ++*count;
    GI_TRY(add(p, "map("));
    GI_TRY(gi_map_print(p->run, a->map, state, p->b));
    GI_TRY(add(p, ", "));
done:
    return status;
}

static gram_status close_maps(printer *p, size_t count)
{
    gram_status status = GRAM_OK;

    while (count-- > 0)
        GI_TRY(add(p, ")"));
done:
    return status;
}

/* map(phi, k) without phi, which is written inside. */
static gram_status print_inside(printer *p, const gi_kernel_node *node,
                                enum level least)
{
    const around a = {node->map, p->depth, p->around};
    printer inner = *p;

    inner.around = &a;
    inner.depth++;
    return print(&inner, node->kids, least);
}

static gram_status print_map(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;
    const gi_state *state;
    printer inner = *p;

    goes_inside(p, node, &state);
    inner.depth++;
    GI_TRY(add(p, "map("));
    GI_TRY(gi_map_print(p->run, node->map, state, p->b));
    GI_TRY(add(p, ", "));
    GI_TRY(print(&inner, node->kids, SUM));
    GI_TRY(add(p, ")"));
done:
    return status;
}

/* The column of a weight, as columns are written. */
static gram_status add_factor(printer *p, const gi_kernel_node *node)
{
    const gi_view *v = p->program && has_places(node->columns)
                           ? gi_program_view(p->program, node)
                           : NULL;
    const gi_node name = {.kind = GI_NODE_TEXT,
                          .name =
                              v ? p->program->source[v->source[0]].name : NULL};

    return gi_spec_print(p->run, v ? &name : node->factor_at, p->b);
}

static gram_status print_weight(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;
    size_t maps = 0;

    if (p->around) {
        GI_TRY(
            open_maps(p, gi_program_view(p->program, node), p->around, &maps));
        GI_TRY(add(p, "linear"));
        GI_TRY(add_columns(p, node));
        GI_TRY(close_maps(p, maps));
        GI_TRY(add(p, "*"));
        return print(p, node->kids, POWER);
    }
    GI_TRY(add(p, "weight("));
    GI_TRY(add_factor(p, node));
    GI_TRY(add(p, ", "));
    GI_TRY(print(p, node->kids, SUM));
    GI_TRY(add(p, ")"));
done:
    return status;
}

/* ------------------------------------------------------------ expressions */

static gram_status print_function(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;

    GI_TRY(add(p, node->at->name));
    GI_TRY(add(p, "("));
    GI_TRY(print(p, node->kids, SUM));
    GI_TRY(add(p, ")"));
done:
    return status;
}

/* The node without parentheses and columns around it. */
static gram_status print_inner(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;

    switch (node->kind) {
    case GI_KERNEL_LEAF:
        return print_leaf(p, node);
    case GI_KERNEL_CONSTANT:
        return print_constant(p, node);
    case GI_KERNEL_SUM:
        return print_kids(p, node, " + ", PRODUCT);
    case GI_KERNEL_PRODUCT:
        return print_kids(p, node, "*", POWER);
    case GI_KERNEL_POWER:
        GI_TRY(print(p, node->kids, TIGHT));
        GI_TRY(add(p, "^"));
        return add_number(p, node->exponent);
    case GI_KERNEL_MAP:
        return print_map(p, node);
    case GI_KERNEL_WEIGHT:
        return print_weight(p, node);
    default:
        return print_function(p, node);
    }
done:
    return status;
}

static enum level level_of(const printer *p, const gi_kernel_node *node)
{
    switch (node->kind) {
    case GI_KERNEL_SUM:
        return SUM;
    case GI_KERNEL_PRODUCT:
        return PRODUCT;
    case GI_KERNEL_POWER:
        return POWER;
    case GI_KERNEL_CONSTANT: /* -2^2 must be (-2)^2 */
        return p->k->slot[*node->slot].value < 0 ? POWER : TIGHT;
    case GI_KERNEL_WEIGHT:
        return p->around ? PRODUCT : TIGHT;
    default:
        return TIGHT;
    }
}

/* What is written around a leaf. */
static gram_status open_leaf(printer *p, const gi_kernel_node *node,
                             size_t *maps)
{
    gram_status status = GRAM_OK;

    if (p->around)
        return open_maps(p, gi_program_view(p->program, node), p->around, maps);
    if (!p->phi || p->depth > 0 || !p->wants(p->k, node))
        return GRAM_OK;
    *maps = 1;
    GI_TRY(add(p, "map("));
    GI_TRY(add(p, p->phi));
    GI_TRY(add(p, ", "));
done:
    return status;
}

static gram_status print(printer *p, const gi_kernel_node *node,
                         enum level least)
{
    gram_status status = GRAM_OK;
    const gi_column_item *columns =
        node->kind == GI_KERNEL_WEIGHT ? NULL : node->columns;
    const enum level inner = columns ? TIGHT : least;
    size_t maps = 0;
    const gi_state *state;

    if (node->kind == GI_KERNEL_LEAF)
        GI_TRY(open_leaf(p, node, &maps));
    if (node->kind == GI_KERNEL_MAP && goes_inside(p, node, &state)) {
        GI_TRY(print_inside(p, node, inner));
    } else if (level_of(p, node) < inner) {
        GI_TRY(add(p, "("));
        GI_TRY(print_inner(p, node));
        GI_TRY(add(p, ")"));
    } else {
        GI_TRY(print_inner(p, node));
    }
    if (columns)
        GI_TRY(add_columns(p, node));
    GI_TRY(close_maps(p, maps));
done:
    return status;
}

gram_status gi_kernel_print(gi_run *run, const gram_kernel *k,
                            const gi_kernel_node *node, gi_buf *b)
{
    return print(&(printer){.run = run, .k = k, .b = b}, node, SUM);
}

gram_status gi_kernel_print_mapped(gi_run *run, const gram_kernel *k,
                                   const char *phi, gi_leaf_test *wants,
                                   gi_buf *b)
{
    printer p = {.run = run, .k = k, .b = b, .phi = phi, .wants = wants};

    return print(&p, k->root, SUM);
}

static printer printer_of(gi_run *run, const gram_program *program,
                          const double *theta, gi_buf *b)
{
    return (printer){.run = run,
                     .k = program->kernel,
                     .b = b,
                     .program = program,
                     .theta = theta};
}

gram_status gi_program_print(gi_run *run, const gram_program *program,
                             const double *theta, gi_buf *b)
{
    printer p = printer_of(run, program, theta, b);

    return print(&p, p.k->root, SUM);
}

gram_status gi_program_print_structure(gi_run *run, const gram_program *program,
                                       gi_buf *b)
{
    printer p = printer_of(run, program, NULL, b);

    return print(&p, p.k->root, SUM);
}

/* ------------------------------------------------------------------- terms */

/* Term i of a sum behind maps, which are written inside; `outer` is the node
 * that names the columns of all terms, or NULL.  One that is subtracted is one
 * times -1, so that the terms add up to the kernel. */
static gram_status print_term(printer *p, const gi_kernel_node *node,
                              const gi_kernel_node *outer, size_t i)
{
    const around a = {node->map, p->depth, p->around};
    const gi_kernel_node *term = node->kids;
    gram_status status = GRAM_OK;

    outer = node->columns ? node : outer;
    if (node->kind == GI_KERNEL_MAP) {
        printer inner = *p;

        inner.around = &a;
        inner.depth++;
        return print_term(&inner, node->kids, outer, i);
    }
    while (i-- > 0)
        term = term->next;
    outer = outer && gi_node_takes_columns(term) ? outer : NULL;
    if (term->minus)
        GI_TRY(add(p, "-1*"));
    GI_TRY(print(p, term, outer ? TIGHT : term->minus ? POWER : SUM));
    if (outer)
        GI_TRY(add_columns(p, outer));
done:
    return status;
}

gram_status gi_program_print_term(gi_run *run, const gram_program *program,
                                  size_t i, gi_buf *b)
{
    printer p = printer_of(run, program, program->theta, b);

    return gi_kernel_sum(p.k) ? print_term(&p, p.k->root, NULL, i)
                              : print(&p, p.k->root, SUM);
}
