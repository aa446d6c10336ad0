/* amplitude.c - the number that multiplies a kernel, or a term of its sum.
 */
#include "kernels/program/amplitude.h"

/* The slot of a number, open or not, that multiplies all of a node, or -1. */
static int find_factor(const gram_kernel *k, const gi_kernel_node *node,
                       int open)
{
    int slot = -1;

    switch (node->kind) {
    case GI_KERNEL_CONSTANT:
        return k->slot[*node->slot].open == open ? *node->slot : -1;
    case GI_KERNEL_PRODUCT:
    case GI_KERNEL_MAP:
    case GI_KERNEL_WEIGHT:
        for (const gi_kernel_node *kid = node->kids; kid && slot < 0;
             kid = kid->next)
            slot = find_factor(k, kid, open);
        return slot;
    default:
        return -1;
    }
}

int gi_kernel_amplitude(const gram_kernel *k)
{
    return find_factor(k, k->root, 1);
}

int gi_kernel_has_amplitude(const gram_kernel *k)
{
    const gi_kernel_node *term =
        k->root->kind == GI_KERNEL_SUM ? k->root->kids : k->root;

    for (; term; term = term->next)
        if (find_factor(k, term, 0) >= 0)
            return 1;
    return 0;
}
