/* specs.h - parsed specs compared, wherever in their texts the nodes stand.
 */
#ifndef SPECS_H
#define SPECS_H

#include <string.h>

#include "base/spec.h"

/* Both absent, or equal. */
static inline int same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline int columns_equal(const gi_column_item *a,
                                const gi_column_item *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->kind != b->kind || a->from != b->from || a->to != b->to ||
            !same_text(a->name, b->name) || !same_text(a->value, b->value))
            return 0;
    return a == b;
}

static inline int nodes_equal(const gi_node *a, const gi_node *b)
{
    if (a->kind != b->kind || a->minus != b->minus ||
        memcmp(&a->number, &b->number, sizeof a->number) != 0 ||
        !same_text(a->name, b->name) || !same_text(a->label, b->label) ||
        !columns_equal(a->columns, b->columns))
        return 0;
    for (a = a->kids, b = b->kids; a && b; a = a->next, b = b->next)
        if (!nodes_equal(a, b))
            return 0;
    return a == b;
}

#endif
