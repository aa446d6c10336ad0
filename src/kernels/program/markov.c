/* markov.c - kernels whose processes forget all but the present.
 *
 * On one column of numbers min is the covariance of Brownian motion,
 * exponential and laplace (the same there) that of the Ornstein-Uhlenbeck
 * process, and the Matern kernels of order 3/2 and 5/2 those of processes that
 * are Markov together with their derivatives (Hartikainen and Sarkka, 2010).
 * Found in the expression: numbers times one such leaf, possibly through maps,
 * which only change what the column is.
 */
#include <math.h>
#include <string.h>

#include "kernels/program/learn.h"

/* A kernel of that name; nu 0: it has none, else it is parameter 0. */
static const struct family {
    const char *name;
    double nu;
    gi_markov_family family;
    int scale;    /* the parameter that is gamma or length; -1: none */
    double power; /* rate = sqrt(2 nu) scale^power, or scale^power */
} families[] = {
    {"min", 0, GI_MARKOV_MIN, -1, 0},
    {"exponential", 0, GI_MARKOV_EXPONENTIAL, 0, 1},
    {"laplace", 0, GI_MARKOV_EXPONENTIAL, 0, 1},
    {"matern", 0.5, GI_MARKOV_EXPONENTIAL, 1, -1},
    {"matern", 1.5, GI_MARKOV_MATERN32, 1, -1},
    {"matern", 2.5, GI_MARKOV_MATERN52, 1, -1},
};

enum { FAMILIES = sizeof families / sizeof *families };

static const struct family *family_of(const gi_kernel_node *leaf)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(leaf->class_->name, families[i].name) == 0 &&
            (families[i].nu == 0 || leaf->arg[0] == families[i].nu))
            return &families[i];
    return NULL;
}

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
            strcmp(node->class_->name, "constant") == 0);
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

int gi_markov_find(const gram_program *p, const double *theta, gi_markov *out)
{
    double amplitude = 1, rate = NAN;
    const gi_kernel_node *leaf =
        find_leaf(p, theta, p->kernel->root, &amplitude);
    const struct family *f = leaf ? family_of(leaf) : NULL;
    const gi_view *v = f ? gi_program_view(p, leaf) : NULL;

    /* a number that is 0 or negative makes another kernel */
    if (!v || !is_one_column(p, v) || amplitude <= 0)
        return 0;
    if (f->scale >= 0)
        rate = (f->nu > 0 ? sqrt(2 * f->nu) : 1) *
               pow(value_of(p, theta, leaf->slot[f->scale]), f->power);
    *out = (gi_markov){.family = f->family,
                       .amplitude = amplitude,
                       .rate = rate,
                       .view = (int)(v - p->view)};
    return 1;
}
