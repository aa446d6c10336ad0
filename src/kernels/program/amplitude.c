/* kernel_terms.c - a kernel taken apart: the terms of its outermost sum, and
 * the numbers that multiply them.
 *
 * Columns behind a sum go to the terms that take them, and a term that is
 * subtracted is one times -1, so that the terms always add up to the kernel.
 */
#include "base/mem.h"
#include "kernels/program/kernel_terms.h"

static gram_status print_term(gi_run *run, const gram_kernel *k,
                              const gi_kernel_node *sum,
                              const gi_kernel_node *term, gi_buf *b)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_buf_printf(run, b, "%s(", term->minus ? "-1*" : ""));
    GI_TRY(gi_kernel_print(run, k, term, b));
    GI_TRY(gi_buf_add(run, b, ")", 1));
    if (sum->columns && gi_node_takes_columns(term)) {
        GI_TRY(gi_buf_add(run, b, "[", 1));
        GI_TRY(gi_spec_print_columns(run, sum->columns, b));
        GI_TRY(gi_buf_add(run, b, "]", 1));
    }
done:
    return status;
}

static gram_status new_term(gi_run *run, const gram_kernel *k,
                            const gi_kernel_node *term, gram_kernel **out)
{
    gram_status status = GRAM_OK;
    gi_buf text = {0};

    if (term == k->root)
        return gi_kernel_new(run, k->text, out);
    GI_TRY(print_term(run, k, k->root, term, &text));
    GI_TRY(gi_kernel_new(run, text.s, out));
done:
    gi_buf_free(&text);
    return status;
}

gram_status gi_kernel_terms(gi_run *run, const gram_kernel *k,
                            gram_kernel ***out, size_t *count)
{
    gram_status status = GRAM_OK;
    const gi_kernel_node *first =
        k->root->kind == GI_KERNEL_SUM ? k->root->kids : k->root;
    gram_kernel **terms = NULL;
    size_t n = 0, made = 0;

    *out = NULL;
    *count = 0;
    for (const gi_kernel_node *term = first; term; term = term->next)
        n++;
    GI_TRY(GI_NEW_ZERO(run, terms, n));
    for (const gi_kernel_node *term = first; term; term = term->next)
        GI_TRY(new_term(run, k, term, &terms[made++]));
    *out = terms;
    *count = n;
    terms = NULL;
done:
    gi_kernel_terms_free(terms, made);
    return status;
}

void gi_kernel_terms_free(gram_kernel **terms, size_t count)
{
    for (size_t i = 0; terms && i < count; i++)
        gram_kernel_free(terms[i]);
    gi_free(terms);
}

/* ------------------------------------------------------------- amplitudes */

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
