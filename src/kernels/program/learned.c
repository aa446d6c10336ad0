/* learned.c - a kernel with numbers for its question marks.
 *
 * What was learned becomes text, and the text a kernel: one way to make a
 * kernel, and what is stored is what was used.  Numbers are written so that
 * they read back to the same bits, so both kernels have the same matrices.
 */
#include <math.h>

#include "base/number.h"
#include "kernels/program/kernel_terms.h"
#include "kernels/program/learned.h"

gram_status gi_kernel_learned(gi_run *run, const gram_program *p,
                              const double *theta, gram_kernel **out)
{
    gram_status status = GRAM_OK;
    gi_buf text = {0};

    *out = NULL;
    GI_TRY(gi_program_print(run, p, theta, &text));
    GI_TRY(gi_kernel_new(run, text.s, out));
done:
    gi_buf_free(&text);
    return status;
}

gram_status gram_kernel_learn(const gram_kernel *k, const gram_table *a,
                              const gram_exec *exec, gram_kernel **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_program *p = NULL;

    *out = NULL;
    GI_TRY(gi_program_new(&run, k, a, 0, &p));
    GI_TRY(gi_kernel_learned(&run, p, p->theta, out));
done:
    gi_program_free(p);
    return status;
}

/* The number in front of a product, or the whole of it. */
static gi_node *factor_of(gi_node *root)
{
    gi_node *first = root->kind == GI_NODE_PRODUCT ? root->kids : root;

    return first->kind == GI_NODE_NUMBER ? first : NULL;
}

gram_status gi_kernel_times(gi_run *run, const gram_kernel *k, double c,
                            gram_kernel **out)
{
    gram_status status = GRAM_OK;
    gi_spec *spec = NULL;
    gi_buf text = {0};
    char number[GI_NUMBER_ROOM];
    gi_node *factor;
    int sum;

    *out = NULL;
    GI_TRY(gi_spec_parse(run, "kernel", k->text, &spec));
    sum = spec->root->kind == GI_NODE_SUM;
    factor = factor_of(spec->root);
    if (factor)
        c *= factor->number;
    if (!isfinite(c))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "kernel \"%.300s\": a factor of %g, must be finite",
                       k->text, c));
    gi_number_print(c, number);
    if (factor) {
        factor->number = c;
        GI_TRY(gi_spec_print(run, spec->root, &text));
    } else {
        GI_TRY(gi_buf_printf(run, &text, sum ? "%s*(%s)" : "%s*%s", number,
                             k->text));
    }
    GI_TRY(gi_kernel_new(run, text.s, out));
done:
    gi_buf_free(&text);
    gi_spec_free(spec);
    return status;
}
