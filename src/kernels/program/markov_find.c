/* markov_find.c - kernels whose processes forget all but the present.
 *
 * A class says by its flag GRAM_KERNEL_MARKOV which process it is the
 * covariance of, on one column of numbers.  Found in the expression: numbers
 * times one such leaf, possibly through maps, which only change what the column
 * is.
 */
#include <math.h>

#include "base/bind.h"
#include "kernels/program/markov_find.h"

/* One dense column that was a number. */
static int is_one_column(const gram_program *p, const gi_view *v)
{
    const gi_source *s = &p->source[v->source[0]];

    return v->count == 1 && v->width == 1 &&
           (s->type == GRAM_TYPE_NUMBER || s->type == GRAM_TYPE_DATE);
}

static double value_of(const gram_program *p, const double *theta, int slot)
{
    return (theta ? theta : p->theta)[p->first_theta[slot]];
}

static int is_constant(const gi_kernel_node *node)
{
    return node->kind == GI_KERNEL_CONSTANT ||
           (node->kind == GI_KERNEL_LEAF &&
            (node->class_->flags & GRAM_KERNEL_CONSTANT));
}

/* The leaf below products with numbers, which are multiplied into *amplitude,
 * and below maps; NULL if there is anything else. */
static const gi_kernel_node *find_leaf(const gram_program *p,
                                       const double *theta,
                                       const gi_kernel_node *node,
                                       double *amplitude)
{
    const gi_kernel_node *rest = NULL;

    if (node->kind == GI_KERNEL_LEAF)
        return node;
    if (node->kind == GI_KERNEL_MAP)
        return find_leaf(p, theta, node->kids, amplitude);
    if (node->kind != GI_KERNEL_PRODUCT)
        return NULL;
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        if (is_constant(kid))
            *amplitude *= value_of(p, theta, *kid->slot);
        else if (rest)
            return NULL;
        else
            rest = kid;
    }
    return rest ? find_leaf(p, theta, rest, amplitude) : NULL;
}

/* The process of a leaf, and its rate at theta. */
static gram_markov process_of(const gram_program *p, const double *theta,
                              const gi_kernel_node *leaf, double *rate)
{
    const gram_kernel_class *class_ = leaf->class_;
    double value[GI_PARAMS_MAX];

    if (!(class_->flags & GRAM_KERNEL_MARKOV) || !class_->markov)
        return GRAM_MARKOV_NONE;
    for (size_t i = 0; i < gi_param_count(class_->params); i++)
        value[i] = leaf->slot[i] < 0 ? leaf->arg[i]
                                     : value_of(p, theta, leaf->slot[i]);
    return class_->markov(value, rate);
}

int gi_markov_find(const gram_program *p, const double *theta, gi_markov *out)
{
    double amplitude = 1, rate = NAN;
    const gi_kernel_node *leaf =
        find_leaf(p, theta, p->kernel->root, &amplitude);
    gram_markov family =
        leaf ? process_of(p, theta, leaf, &rate) : GRAM_MARKOV_NONE;
    const gi_view *v = family ? gi_program_view(p, leaf) : NULL;

    /* a number that is 0 or negative makes another kernel */
    if (!v || !is_one_column(p, v) || amplitude <= 0)
        return 0;
    *out = (gi_markov){.family = family,
                       .amplitude = amplitude,
                       .rate = rate,
                       .view = (int)(v - p->view)};
    return 1;
}
