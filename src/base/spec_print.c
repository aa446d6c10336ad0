/* spec_print.c - from tree to text.
 *
 * Every kind of node has a level, from loose to tight: sum, product, power,
 * the rest.  A node stands in parentheses where the grammar asks for a
 * tighter one.  Recursion is as deep as the parentheses of the text.
 */
#include "base/spec.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

enum level { SUM, PRODUCT, POWER, TIGHT };

static gram_status add(gi_run *run, gi_buf *b, const char *s)
{
    return gi_buf_add(run, b, s, strlen(s));
}

static gram_status add_number(gi_run *run, gi_buf *b, double x)
{
    char text[GI_NUMBER_ROOM];

    return gi_buf_add(run, b, text, gi_number_print(x, text));
}

static gram_status add_quoted(gi_run *run, gi_buf *b, const char *s)
{
    gram_status status = GRAM_OK;

    GI_TRY(add(run, b, "\""));
    for (size_t n; *s; s += n) {
        n = strcspn(s, "\"");
        if (n == 0) {
            n = 1;
            GI_TRY(add(run, b, "\""));
        }
        GI_TRY(gi_buf_add(run, b, s, n));
    }
    GI_TRY(add(run, b, "\""));
done:
    return status;
}

static gram_status add_column(gi_run *run, gi_buf *b,
                              const gi_column_item *item)
{
    gram_status status = GRAM_OK;

    if (item->kind == GI_COLUMN_RANGE)
        GI_TRY(gi_buf_printf(run, b, "%zu:%zu", item->from, item->to));
    else if (item->kind == GI_COLUMN_NAME && !gi_column_is_bare(item->name))
        GI_TRY(add_quoted(run, b, item->name));
    else
        GI_TRY(add(run, b, item->name));
    if (item->value) {
        GI_TRY(add(run, b, "="));
        GI_TRY(add(run, b, item->value));
    }
done:
    return status;
}

gram_status gi_spec_print_columns(gi_run *run, const gi_column_item *items,
                                  gi_buf *b)
{
    gram_status status = GRAM_OK;

    for (const gi_column_item *item = items; item; item = item->next) {
        if (item != items)
            GI_TRY(add(run, b, ","));
        GI_TRY(add_column(run, b, item));
    }
done:
    return status;
}

static enum level level_of(const gi_node *node)
{
    switch (node->kind) {
    case GI_NODE_SUM:
        return SUM;
    case GI_NODE_PRODUCT:
        return PRODUCT;
    case GI_NODE_POWER:
        return POWER;
    case GI_NODE_NUMBER: /* -2^2 must be (-2)^2 */
        return signbit(node->number) ? POWER : TIGHT;
    default:
        return TIGHT;
    }
}

static gram_status print(gi_run *run, const gi_node *node, enum level least,
                         gi_buf *b);

/* The kids between `open` and `close`. */
static gram_status print_kids(gi_run *run, const gi_node *node,
                              const char *open, const char *separator,
                              const char *close, enum level least, gi_buf *b)
{
    gram_status status = GRAM_OK;

    GI_TRY(add(run, b, open));
    for (const gi_node *kid = node->kids; kid; kid = kid->next) {
        if (kid != node->kids)
            GI_TRY(add(run, b, kid->minus ? " - " : separator));
        if (kid->label) {
            GI_TRY(add(run, b, kid->label));
            GI_TRY(add(run, b, "="));
        }
        GI_TRY(print(run, kid, least, b));
    }
    GI_TRY(add(run, b, close));
done:
    return status;
}

/* The node without what may enclose it: parentheses and columns. */
static gram_status print_inner(gi_run *run, const gi_node *node, gi_buf *b)
{
    gram_status status = GRAM_OK;

    switch (node->kind) {
    case GI_NODE_NUMBER:
        return add_number(run, b, node->number);
    case GI_NODE_OPEN:
        GI_TRY(add(run, b, "?"));
        if (node->kids)
            return print_kids(run, node, "[", ",", "]", SUM, b);
        return isnan(node->number) ? GRAM_OK : add_number(run, b, node->number);
    case GI_NODE_CALL:
        GI_TRY(add(run, b, node->name));
        return node->kids ? print_kids(run, node, "(", ", ", ")", SUM, b)
                          : GRAM_OK;
    case GI_NODE_GROUP:
        return print_kids(run, node, "(", "", ")", SUM, b);
    case GI_NODE_SUM:
        return print_kids(run, node, "", " + ", "", PRODUCT, b);
    case GI_NODE_PRODUCT:
        return print_kids(run, node, "", "*", "", POWER, b);
    case GI_NODE_POWER:
        GI_TRY(print_kids(run, node, "", "", "^", TIGHT, b));
        return add_number(run, b, node->number);
    case GI_NODE_LIST:
        return print_kids(run, node, "[", ",", "]", SUM, b);
    case GI_NODE_TEXT:
        return add_quoted(run, b, node->name);
    }
done:
    return status;
}

static gram_status print(gi_run *run, const gi_node *node, enum level least,
                         gi_buf *b)
{
    gram_status status = GRAM_OK;
    int parentheses = level_of(node) < least;

    if (parentheses)
        GI_TRY(add(run, b, "("));
    GI_TRY(print_inner(run, node, b));
    if (parentheses)
        GI_TRY(add(run, b, ")"));
    if (node->columns) {
        GI_TRY(add(run, b, "["));
        GI_TRY(gi_spec_print_columns(run, node->columns, b));
        GI_TRY(add(run, b, "]"));
    }
done:
    return status;
}

gram_status gi_spec_print(gi_run *run, const gi_node *node, gi_buf *b)
{
    return print(run, node, SUM, b);
}
