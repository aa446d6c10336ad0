/* markov_find.h - kernels whose processes forget all but the present.
 */
#ifndef GI_MARKOV_FIND_H
#define GI_MARKOV_FIND_H

#include "kernels/program/program.h"

/* O(n) structure: amplitude * k(s,t) of one number column. */
typedef struct gi_markov {
    gram_markov family;
    double amplitude, rate;
    int view; /* of the program: one dense column */
} gi_markov;

/* Is the whole program such a kernel, whatever its open numbers are?  1, and
 * *out at theta (NULL: the program's values; open numbers then NaN). */
int gi_markov_find(const gram_program *p, const double *theta, gi_markov *out);

#endif
