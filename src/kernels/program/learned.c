/* learned.c - a kernel with numbers for its question marks.
 *
 * What was learned becomes text, and the text a kernel: one way to make a
 * kernel, and what is stored is what was used.  Numbers are written so that
 * they read back to the same bits, so both kernels have the same matrices.
 */
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

gram_status gi_program_structure(gi_run *run, const gram_program *p,
                                 gram_kernel **out)
{
    gram_status status = GRAM_OK;
    gi_buf text = {0};

    *out = NULL;
    GI_TRY(gi_program_print_structure(run, p, &text));
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
