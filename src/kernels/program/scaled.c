/* scaled.c - scaling as a part of the kernel.
 *
 * A leaf that compares columns with each other, by an inner product or a
 * distance, wants them on one scale (GRAM_KERNEL_SCALED).  It gets a
 * map(standardize, .) or map(minmax, .) of its own, which is printed and kept
 * like any other, unless a map is around it already, or, if nobody asked, a
 * number in the text says how long a length is in the units of the data.
 *
 * Which number does?  Of a class that has parameters per column those, as gamma
 * of rbf; alpha of rq does not.  Of the others, as poly, every parameter that
 * could be learned.
 */
#include "base/bind.h"
#include "kernels/program/scaled.h"

static int has_per_column(const gram_param *params, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (params[i].per_column)
            return 1;
    return 0;
}

/* Is parameter i a number that is written, in its own name or another's? */
static int is_written(const gram_kernel *k, const gi_kernel_node *leaf,
                      size_t i, size_t count)
{
    const gram_param *params = leaf->class_->params;
    int given = 0;

    if (leaf->slot[i] < 0 || k->slot[leaf->slot[i]].open)
        return 0;
    for (size_t j = 0; j < count; j++)
        if (j == i || params[j].stands_for == (int)i + 1)
            given |= leaf->given[j] != NULL;
    return given;
}

static int is_scaled(const gram_kernel *k, const gi_kernel_node *leaf)
{
    (void)k;
    return (leaf->class_->flags & GRAM_KERNEL_SCALED) != 0;
}

/* A kernel of numbers that are not negative is at home where minmax puts
 * them. */
static int fits_minmax(const gram_kernel *k, const gi_kernel_node *leaf)
{
    return is_scaled(k, leaf) ||
           (leaf->class_->flags & GRAM_KERNEL_NONNEGATIVE) != 0;
}

static int is_scaled_and_free(const gram_kernel *k, const gi_kernel_node *leaf)
{
    const gram_param *params = leaf->class_->params;
    size_t count = gi_param_count(params);
    int per_column = has_per_column(params, count);

    for (size_t i = 0; i < count; i++)
        if (params[i].per_column == per_column && is_written(k, leaf, i, count))
            return 0;
    return is_scaled(k, leaf);
}

static const struct rule {
    const char *phi; /* NULL: none */
    gi_leaf_test *wants;
} rules[] = {
    [GI_SCALING_AUTO] = {"standardize", is_scaled_and_free},
    [GI_SCALING_NONE] = {NULL, NULL},
    [GI_SCALING_STANDARD] = {"standardize", is_scaled},
    [GI_SCALING_MINMAX] = {"minmax", fits_minmax},
};

gram_status gi_kernel_scaled(gi_run *run, const gram_kernel *k,
                             gi_scaling scaling, gram_kernel **out)
{
    gram_status status = GRAM_OK;
    const struct rule *rule = &rules[scaling];
    gi_buf text = {0};

    *out = NULL;
    GI_TRY(gi_kernel_print_mapped(run, k, rule->phi, rule->wants, &text));
    GI_TRY(gi_kernel_new(run, text.s, out));
done:
    gi_buf_free(&text);
    return status;
}

gram_status gi_program_new_scaled(gi_run *run, const gram_kernel *scaled,
                                  const char *text, const gram_table *t,
                                  gram_program **out)
{
    gram_status status = gi_program_new(run, scaled, t, 1, out),
                again = GRAM_OK;
    gram_kernel *written = NULL;
    gram_program *program = NULL;

    if (status != GRAM_ERR_NAME && status != GRAM_ERR_SHAPE &&
        status != GRAM_ERR_RANGE)
        return status;
    if (gi_kernel_new(run, text, &written) == GRAM_OK)
        again = gi_program_new(run, written, t, 1, &program);
    gi_program_free(program);
    gram_kernel_free(written);
    return again ? again : status;
}
