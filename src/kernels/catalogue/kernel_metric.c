/* kernel_metric.c - an inner product by a matrix, k(x,t) = x'At.
 *
 * PSD on R^d if and only if the symmetric matrix A is: then A = F'F and k is
 * the inner product of Fx and Ft.  A is read when the kernel meets its data,
 * and refused there if it is not d x d, symmetric and PSD.
 */
#include "gram_plugin.h"

enum { A };

static const gram_param params[] = {
    [A] = {.name = "A",
           .range = GRAM_FILE,
           .help = "a symmetric PSD matrix, one row per column, as .npy"},
    {.name = NULL},
};

static int compile(gram_program *p)
{
    return gram_emit_metric(p, A);
}

const gram_kernel_class gi_kernel_metric = {
    .name = "metric",
    .formula = "x'At",
    .proof = "an inner product of Fx and Ft with A = F'F; that A is PSD is "
             "checked when it is read",
    .flags = GRAM_KERNEL_FEATURES,
    .params = params,
    .compile = compile,
};
