/* kernel_precomputed.c - a matrix that someone else has computed,
 *
 *   k(row i, row j) = K[i][j]
 *
 * Whether it is PSD depends on its numbers alone, and is checked there.
 */
#include "gram_plugin.h"

enum { K };

static const gram_param params[] = {
    [K] = {.name = "K",
           .range = GRAM_FILE,
           .help = "the matrix, one row and column per row, as .npy"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    return gram_emit_matrix(p, K);
}

static gram_verdict judge(const double *value)
{
    (void)value;
    return (gram_verdict){
        .psd = GRAM_PSD_UNKNOWN,
        .why = "a matrix from a file: only its eigenvalues can tell",
    };
}

const gram_kernel_class gi_kernel_precomputed = {
    .name = "precomputed",
    .formula = "K[i][j] for rows i and j, from a file",
    .flags = GRAM_KERNEL_NO_COLUMNS,
    .params = params,
    .compile = compile,
    .judge = judge,
};
