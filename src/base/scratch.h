/* scratch.h - memory that a call works in, kept for the next call.
 *
 * A scratch is one block that is handed out from its beginning; what does not
 * fit comes from the heap (mem.c).  A pool keeps several, for calls at the same
 * time: a call takes one, or makes one, and gives it back at its end, without
 * locks.  A scratch is as large as earlier calls needed, up to a limit, so that
 * a call like those before it allocates nothing.
 */
#ifndef GI_SCRATCH_H
#define GI_SCRATCH_H

#include "base/run.h"

enum { GI_SCRATCHES = 16 };

struct gi_scratch {
    char *bytes;
    size_t size;
    _Atomic size_t used;
    _Atomic size_t wanted; /* by this call, whether it fitted or not */
};

typedef struct gi_scratches {
    _Atomic(gi_scratch *) slot[GI_SCRATCHES];
    _Atomic size_t wanted; /* by any call so far, within the limit */
} gi_scratches;

/* Let the run take memory from a scratch of the pool; and give the scratch
 * back, when all blocks taken from it have been freed. */
void gi_scratch_begin(gi_run *run, gi_scratches *pool);
void gi_scratch_end(gi_run *run, gi_scratches *pool);
void gi_scratches_free(gi_scratches *pool);

/* For mem.c: take n bytes, a multiple of 64, on a boundary of 64 (NULL if they
 * do not fit), and give them back.  From any thread of the run. */
void *gi_scratch_take(gi_scratch *s, size_t n);
void gi_scratch_give(gi_scratch *s, void *p, size_t n);

#endif
