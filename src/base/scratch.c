/* scratch.c - memory that a call works in, kept for the next call.
 *
 * Blocks are cut from the front.  The last one can be given back at once; bytes
 * of others are free again only when the call ends, so a scratch suits calls
 * that take many small blocks.
 */
#include "base/scratch.h"

#include "base/limits.h"
#include "base/mem.h"

static const size_t MOST = GI_SCRATCH_BYTES;

void *gi_scratch_take(gi_scratch *s, size_t n)
{
    size_t at = atomic_fetch_add(&s->used, n), end = at + n;

    atomic_fetch_add(&s->wanted, n);
    if (n <= s->size && end <= s->size)
        return s->bytes + at;
    atomic_fetch_sub(&s->used, n);
    return NULL;
}

void gi_scratch_give(gi_scratch *s, void *p, size_t n)
{
    size_t at = (size_t)((char *)p - s->bytes), end = at + n;

    if (atomic_compare_exchange_strong(&s->used, &end, at))
        atomic_fetch_sub(&s->wanted, n);
}

static void free_scratch(gi_scratch *s)
{
    if (s)
        gi_free(s->bytes);
    gi_free(s);
}

/* Make it as large as calls want it, if there is memory. */
static void enlarge(gi_run *run, gi_scratch *s, size_t size)
{
    char *bytes = NULL;

    if (size <= s->size || GI_NEW(run, bytes, size) != GRAM_OK)
        return;
    gi_free(s->bytes);
    s->bytes = bytes;
    s->size = size;
}

void gi_scratch_begin(gi_run *run, gi_scratches *pool)
{
    gi_scratch *s = NULL;

    for (size_t k = 0; k < GI_SCRATCHES && !s; k++)
        if (atomic_load_explicit(&pool->slot[k], memory_order_relaxed))
            s = atomic_exchange(&pool->slot[k], NULL);
    if (!s && GI_NEW_ZERO(run, s, 1) != GRAM_OK)
        return; /* then all blocks come from the heap */
    enlarge(run, s, atomic_load(&pool->wanted));
    atomic_store(&s->used, 0);
    atomic_store(&s->wanted, 0);
    run->scratch = s;
}

void gi_scratch_end(gi_run *run, gi_scratches *pool)
{
    gi_scratch *s = run->scratch, *none = NULL;
    size_t size = s ? atomic_load(&s->wanted) : 0;
    size_t most = atomic_load(&pool->wanted);

    run->scratch = NULL;
    while (size > most && size <= MOST &&
           !atomic_compare_exchange_weak(&pool->wanted, &most, size))
        ;
    for (size_t k = 0; k < GI_SCRATCHES && s; k++, none = NULL)
        if (atomic_compare_exchange_strong(&pool->slot[k], &none, s))
            s = NULL;
    free_scratch(s);
}

void gi_scratches_free(gi_scratches *pool)
{
    for (size_t k = 0; k < GI_SCRATCHES; k++)
        free_scratch(atomic_load(&pool->slot[k]));
}
