/* ladder.h - the kernels that a kernel contains, as faces of its space.
 *
 * A search that begins where that of a smaller kernel has ended is never worse
 * than it.  Two things make a kernel smaller:
 *
 *     parts   terms alone: of the amplitudes `?` one is on, or none
 *     ties    rbf(ard) with all its lengths the same is rbf
 */
#ifndef GI_LADDER_H
#define GI_LADDER_H

#include "solvers/search/search_space.h"

typedef struct gi_ladder {
    gi_face *tied, *free; /* per part: with ties, and without; the same if it
                             has none */
    size_t parts;         /* the last one is the whole kernel */
} gi_ladder;

/* Parts that are 0, or are the whole kernel, are left out.  Bounds of lambda in
 * the space become those around all parts. */
gram_status gi_ladder_new(gi_run *run, gi_search_space *v, gi_ladder *l);
void gi_ladder_free(gi_ladder *l); /* what is inside */

#endif
