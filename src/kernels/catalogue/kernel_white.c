/* kernel_white.c - noise, k(x,t) = 1 for the same row of the same table, else
 * 0.
 *
 * Its matrix on one table is the identity, between two tables it is 0: rows
 * that happen to be equal are different rows.  It looks at no columns.
 */
#include "gram_plugin.h"

static int compile(gram_program *p)
{
    return gram_emit_same_row(p);
}

const gram_kernel_class gi_kernel_white = {
    .name = "white",
    .formula = "1 if x and t are the same row, else 0",
    .proof = "its matrix is the identity",
    .flags = GRAM_KERNEL_DIVISIBLE | GRAM_KERNEL_NO_COLUMNS | GRAM_KERNEL_NOISE,
    .compile = compile,
};
