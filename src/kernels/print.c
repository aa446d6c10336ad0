/* print.c - from kernel to text that makes the same kernel.
 *
 * Arguments are printed as they were written, by name and in the order of the
 * class's table; a number that was learned since, by its value.  Numbers are
 * the shortest that read back to the same bits.  As in the grammar, a sum
 * binds loosest, then a product, a power, and all the rest; a node stands in
 * parentheses where a tighter one must stand.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "kernels/bind.h"
#include "kernels/kernel.h"

enum level { SUM, PRODUCT, POWER, TIGHT };

typedef struct printer {
    gi_run *run;
    const gram_kernel *k;
    gi_buf *b;
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

static gram_status add_columns(printer *p, const gi_column_item *columns)
{
    gram_status status = GRAM_OK;

    GI_TRY(add(p, "["));
    GI_TRY(gi_spec_print_columns(p->run, columns, p->b));
    GI_TRY(add(p, "]"));
done:
    return status;
}

/* What was learned for a slot. */
static gram_status add_value(printer *p, const gi_slot *slot)
{
    gram_status status = GRAM_OK;

    if (!slot->values)
        return add_number(p, slot->value);
    for (size_t i = 0; i < slot->count; i++) {
        GI_TRY(add(p, i == 0 ? "[" : ","));
        GI_TRY(add_number(p, slot->values[i]));
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
    int at = node->slot[stands_for ? stands_for - 1 : (int)i];
    const gi_slot *slot = at < 0 ? NULL : &p->k->slot[at];
    int learned = slot && slot->learned;

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
    const gi_slot *slot = &p->k->slot[*node->slot];

    return slot->learned ? add_value(p, slot)
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

/* name(what stands in front, kernel) */
static gram_status print_function(printer *p, const gi_kernel_node *node)
{
    gram_status status = GRAM_OK;

    GI_TRY(add(p, node->at->name));
    GI_TRY(add(p, "("));
    if (node->kind == GI_KERNEL_MAP)
        GI_TRY(gi_map_print(p->run, node->map, p->b));
    if (node->kind == GI_KERNEL_WEIGHT)
        GI_TRY(gi_spec_print(p->run, node->factor_at, p->b));
    if (node->kind == GI_KERNEL_MAP || node->kind == GI_KERNEL_WEIGHT)
        GI_TRY(add(p, ", "));
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
    default:
        return TIGHT;
    }
}

static gram_status print(printer *p, const gi_kernel_node *node,
                         enum level least)
{
    gram_status status = GRAM_OK;
    const gi_column_item *columns =
        node->kind == GI_KERNEL_WEIGHT ? NULL : node->columns;
    int parentheses = level_of(p, node) < (columns ? TIGHT : least);

    if (parentheses)
        GI_TRY(add(p, "("));
    GI_TRY(print_inner(p, node));
    if (parentheses)
        GI_TRY(add(p, ")"));
    if (columns)
        GI_TRY(add_columns(p, columns));
done:
    return status;
}

gram_status gi_kernel_print(gi_run *run, const gram_kernel *k,
                            const gi_kernel_node *node, gi_buf *b)
{
    return print(&(printer){run, k, b}, node, SUM);
}
