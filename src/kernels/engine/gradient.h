/* gradient.h - what the files of reverse mode share.
 */
#ifndef GI_GRADIENT_H
#define GI_GRADIENT_H

#include "kernels/engine/tiles.h"

/* One row of n elements of a tile: the values that an instruction wrote and
 * read, the adjoint of what it wrote, and where to add those of what it read
 * (NULL: nothing depends on that). */
typedef struct gi_back {
    const double *y, *dy, *a, *b;
    double *da, *db;
} gi_back;

/* Returns sum dy * (derivative by the factor). */
typedef double gi_back_row(const gi_step *s, size_t n, const gi_back *r);

/* By opcode; NULL for leaves. */
extern gi_back_row *const gi_back_rows[GI_OPCODES];

#endif
