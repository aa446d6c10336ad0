/* mem.h - all memory of the library.
 *
 * Blocks are 64-byte aligned, sizes are checked for overflow, and every byte
 * is counted, in the process and in the ledger of its run, so that peaks can be
 * reported and a budget kept.  Blocks of 4 MiB and more come straight from the
 * kernel on 2 MiB boundaries with huge pages asked for, and grow without being
 * copied.
 */
#ifndef GI_MEM_H
#define GI_MEM_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* Allocate n elements of *p, uninitialised; n = 0 gives a valid pointer.
 * `run` may be NULL: no budget, no ledger.  On failure p is untouched. */
#define GI_NEW(run, p, n) gi_alloc((run), &(p), (n), sizeof *(p))

/* The same, all bytes zero. */
#define GI_NEW_ZERO(run, p, n) gi_alloc_zero((run), &(p), (n), sizeof *(p))

/* Resize p (which may be NULL) to n elements, keeping those that fit.  The
 * block is then counted in the ledger of `run`; if `run` is NULL, in the one
 * where it was counted before. */
#define GI_GROW(run, p, n) gi_grow((run), &(p), (n), sizeof *(p))

/* Let p, which holds `capacity` elements, hold at least `need`.  It grows by
 * half at least, so that n elements one by one cost O(n). */
#define GI_RESERVE(run, p, capacity, need)                                     \
    gi_reserve((run), &(p), &(capacity), (need), sizeof *(p))

/* `slot` is the address of the pointer to set. */
gram_status gi_alloc(gi_run *run, void *slot, size_t n, size_t size);
gram_status gi_alloc_zero(gi_run *run, void *slot, size_t n, size_t size);
gram_status gi_grow(gi_run *run, void *slot, size_t n, size_t size);
gram_status gi_reserve(gi_run *run, void *slot, size_t *capacity, size_t need,
                       size_t size);
void gi_free(void *p);

/* A copy of the n bytes at s, with a NUL behind them, in *out. */
gram_status gi_strndup(gi_run *run, const char *s, size_t n, char **out);

/* Free n strings and their array; NULL does nothing. */
void gi_strings_free(char **s, size_t n);

static inline size_t gi_min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The least multiple of `unit` that is at least n. */
static inline size_t gi_round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* *out = a * b, or a MEMORY error. */
gram_status gi_size_mul(size_t a, size_t b, size_t *out);

/* For tests: the n-th allocation from now fails, and all after it too if
 * `sticky`; n = 0 ends that. */
void gi_mem_fail_at(size_t n, int sticky);

#endif
