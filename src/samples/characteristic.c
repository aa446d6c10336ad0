/* characteristic.c - what a kernel cannot see.
 *
 * Two distributions with the same mean of k(x, .) are the same only if k is
 * characteristic.  Universal kernels are, on the columns they look at (rbf,
 * laplace, matern, ...; delta on categories), and so are products of such on
 * different columns.  A sum sees what its best term sees: rbf[a] + rbf[b]
 * compares columns one by one and cannot see how they depend on each other.
 */
#include <string.h>

#include "base/mem.h"
#include "samples/mmd.h"

/* Mark the sources that the node compares in all respects. */
static gram_status mark(gi_run *run, const gi_joined *p,
                        const gi_kernel_node *node, unsigned char *sees);

static size_t count_marks(const unsigned char *sees, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += sees[i];
    return count;
}

static gram_status mark_sum(gi_run *run, const gi_joined *p,
                            const gi_kernel_node *node, unsigned char *sees)
{
    gram_status status = GRAM_OK;
    const size_t n = p->program->sources;
    unsigned char *of = NULL;

    GI_TRY(GI_NEW(run, of, n));
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        memset(of, 0, n);
        if (!kid->minus)
            GI_TRY(mark(run, p, kid, of));
        if (count_marks(of, n) > count_marks(sees, n))
            memcpy(sees, of, n);
    }
done:
    gi_free(of);
    return status;
}

static void mark_leaf(const gi_joined *p, const gi_kernel_node *node,
                      unsigned char *sees)
{
    const gi_view *v = gi_program_view(p->program, node);
    const unsigned all = GRAM_KERNEL_UNIVERSAL | GRAM_KERNEL_CHARACTERISTIC;

    for (size_t i = 0; v && i < v->count; i++)
        if (node->class_->flags & all)
            sees[v->source[i]] = 1;
}

static gram_status mark(gi_run *run, const gi_joined *p,
                        const gi_kernel_node *node, unsigned char *sees)
{
    gram_status status = GRAM_OK;

    if (node->kind == GI_KERNEL_LEAF)
        mark_leaf(p, node, sees);
    else if (node->kind == GI_KERNEL_SUM)
        return mark_sum(run, p, node, sees);
    else
        for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next)
            GI_TRY(mark(run, p, kid, sees));
done:
    return status;
}

/* The flags of the one leaf, if it is the kernel but for maps and numbers in
 * front; else 0. */
static unsigned only_leaf(const gi_kernel_node *node)
{
    const gi_kernel_node *rest = NULL;

    if (node->kind == GI_KERNEL_LEAF)
        return node->class_->flags;
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        if (kid->kind == GI_KERNEL_CONSTANT)
            continue;
        if (rest)
            return 0;
        rest = kid;
    }
    return rest ? only_leaf(rest) : 0;
}

gram_status gi_joined_warn(gi_run *run, const gi_joined *p, gi_dict *warnings)
{
    gram_status status = GRAM_OK;
    const size_t n = p->program->sources;
    const unsigned leaf = only_leaf(p->kernel->root);
    unsigned char *sees = NULL;
    size_t count;

    if (gi_joined_is_fixed(p))
        return status; /* nothing is known of a matrix from a file */
    GI_TRY(GI_NEW_ZERO(run, sees, n));
    GI_TRY(mark(run, p, p->kernel->root, sees));
    count = count_marks(sees, n);
    if (count == n && n > 0)
        goto done;
    if (leaf & GRAM_KERNEL_MEANS)
        GI_TRY(gi_sentence_add(run, warnings,
                               "the linear kernel compares means only: samples "
                               "with equal means look the same to it"));
    else if (leaf & GRAM_KERNEL_MOMENTS)
        GI_TRY(gi_sentence_add(run, warnings,
                               "a polynomial kernel compares moments up to its "
                               "degree only: differences beyond them look the "
                               "same to it"));
    else if (count == 0)
        GI_TRY(
            gi_sentence_add(run, warnings,
                            "the kernel is not characteristic: there are "
                            "differences that it cannot see (rbf sees all)"));
    else
        GI_TRY(gi_sentence_add(run, warnings,
                               "the kernel compares %zu of %zu columns in all "
                               "respects: it may miss how others differ, or "
                               "how columns depend on each other",
                               count, n));
done:
    gi_free(sees);
    return status;
}
