/* mem.c - aligned, counted, overflow-checked memory.
 *
 * A block of n bytes is preceded by a 64-byte head that holds its size.  Small
 * blocks come from aligned_alloc.  Blocks of 4 MiB and more are mappings of
 * their own (pages.h): the data begin on a 2 MiB boundary, the head sits in the
 * page before, and growing moves page tables, not bytes.
 *
 * The budget counts everything the library holds in the process: the caller's
 * gram_exec.memory is checked at each allocation of the run.
 */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/pages.h"

enum { HEAD = 64 };

static const size_t MAPPED = GI_MAPPED_BYTES;

typedef struct head {
    size_t bytes;  /* asked for */
    size_t length; /* of the mapping, which begins a page before; 0: heap */
    int used;      /* the mapping had another block in it: it is not zero */
} head;

_Static_assert(sizeof(head) <= HEAD, "the head fits before the data");

static atomic_size_t used, peak;
static atomic_size_t fail_at; /* 0: never */
static atomic_int fail_sticky;

size_t gram_memory_used(void)
{
    return atomic_load(&used);
}

size_t gram_memory_peak(void)
{
    return atomic_load(&peak);
}

void gram_memory_reset_peak(void)
{
    atomic_store(&peak, atomic_load(&used));
}

size_t gi_peak_begin(void)
{
    return atomic_exchange(&peak, atomic_load(&used));
}

size_t gi_peak_end(size_t before)
{
    size_t most = atomic_load(&peak), top = most;

    while (before > top && !atomic_compare_exchange_weak(&peak, &top, before))
        ;
    return most;
}

void gi_mem_fail_at(size_t n, int sticky)
{
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_at, n);
}

/* Is this the allocation that a test wants to fail? */
static int told_to_fail(void)
{
    size_t n = atomic_load(&fail_at);

    if (n == 0)
        return 0;
    if (n > 1) {
        atomic_store(&fail_at, n - 1);
        return 0;
    }
    if (!atomic_load(&fail_sticky))
        atomic_store(&fail_at, 0);
    return 1;
}

static void count(size_t more, size_t less)
{
    size_t now = atomic_fetch_add(&used, more - less) + more - less;
    size_t top = atomic_load(&peak);

    while (now > top && !atomic_compare_exchange_weak(&peak, &top, now))
        ;
}

static head *head_of(void *p)
{
    return (head *)(void *)((char *)p - HEAD);
}

static gram_status refuse(size_t bytes)
{
    char text[GRAM_NUMBER_ROOM];

    return gi_fail(GRAM_ERR_MEMORY, "out of memory: %s more cannot be had",
                   gram_bytes_print((double)bytes, text));
}

/* May `more` bytes be added under the budget of this run? */
static gram_status admit(const gi_run *run, size_t more)
{
    size_t now = atomic_load(&used);
    char a[GRAM_NUMBER_ROOM], b[GRAM_NUMBER_ROOM], c[GRAM_NUMBER_ROOM];

    if (told_to_fail())
        return refuse(more);
    if (run && run->memory && (more > run->memory || now > run->memory - more))
        return gi_fail(GRAM_ERR_MEMORY,
                       "memory budget: %s in use and %s more needed, the "
                       "budget is %s",
                       gram_bytes_print((double)now, a),
                       gram_bytes_print((double)more, b),
                       gram_bytes_print((double)run->memory, c));
    return GRAM_OK;
}

/* Bytes of the mapping for n bytes of data: the head's page, then the data. */
static size_t mapping_length(size_t n)
{
    return GI_PAGE + (n + GI_PAGE - 1) / GI_PAGE * GI_PAGE;
}

static void *map_block(size_t bytes)
{
    size_t length = mapping_length(bytes);
    int fresh = 0;
    char *p = gi_pages_new(length, &fresh);

    if (!p)
        return NULL;
    p += GI_PAGE;
    head_of(p)->length = length;
    head_of(p)->used = !fresh;
    return p;
}

static void *heap_block(size_t bytes)
{
    size_t room = HEAD + (bytes + HEAD - 1) / HEAD * HEAD;
    char *raw = aligned_alloc(HEAD, room + HEAD);

    if (!raw)
        return NULL;
    head_of(raw + HEAD)->length = 0;
    return raw + HEAD;
}

gram_status gi_size_mul(size_t a, size_t b, size_t *out)
{
    if (b && a > SIZE_MAX / 2 / b)
        return gi_fail(GRAM_ERR_MEMORY,
                       "out of memory: %zu elements of %zu bytes cannot be had",
                       a, b);
    *out = a * b;
    return GRAM_OK;
}

gram_status gi_alloc(gi_run *run, void *slot, size_t n, size_t size)
{
    gram_status status = GRAM_OK;
    size_t bytes = 0;
    void *p = NULL;

    GI_TRY(gi_size_mul(n, size, &bytes));
    GI_TRY(admit(run, bytes));
    p = bytes >= MAPPED ? map_block(bytes) : heap_block(bytes);
    if (!p)
        return refuse(bytes);
    head_of(p)->bytes = bytes;
    count(bytes, 0);
    memcpy(slot, &p, sizeof p);
done:
    return status;
}

gram_status gi_alloc_zero(gi_run *run, void *slot, size_t n, size_t size)
{
    gram_status status = gi_alloc(run, slot, n, size);
    void *p;

    if (status == GRAM_OK) {
        memcpy(&p, slot, sizeof p);
        if (head_of(p)->length == 0 || head_of(p)->used)
            memset(p, 0, n * size); /* a fresh mapping is zero already */
    }
    return status;
}

void gi_free(void *p)
{
    head *h;

    if (!p)
        return;
    h = head_of(p);
    count(0, h->bytes);
    if (h->length)
        gi_pages_free((char *)p - GI_PAGE, h->length);
    else
        free(h);
}

gram_status gram_memory_new(size_t n, size_t size, const gram_exec *exec,
                            void **out)
{
    gi_run run = gi_run_begin(exec);

    *out = NULL;
    return gi_alloc(&run, out, n, size);
}

void gram_memory_free(void *p)
{
    gi_free(p);
}

/* Both sizes are mapped: let the kernel move the pages. */
static void *remap(void *p, size_t bytes)
{
    size_t length = mapping_length(bytes);
    char *moved =
        gi_pages_resize((char *)p - GI_PAGE, head_of(p)->length, length);

    if (!moved)
        return NULL;
    head_of(moved + GI_PAGE)->length = length;
    return moved + GI_PAGE;
}

gram_status gi_grow(gi_run *run, void *slot, size_t n, size_t size)
{
    gram_status status = GRAM_OK;
    size_t bytes = 0, old;
    void *p, *q = NULL;

    memcpy(&p, slot, sizeof p);
    if (!p)
        return gi_alloc(run, slot, n, size);
    GI_TRY(gi_size_mul(n, size, &bytes));
    old = head_of(p)->bytes;
    GI_TRY(admit(run, bytes > old ? bytes - old : 0));
    if (head_of(p)->length && bytes >= MAPPED) {
        q = remap(p, bytes);
        if (!q)
            return refuse(bytes);
        count(bytes, old);
    } else {
        q = bytes >= MAPPED ? map_block(bytes) : heap_block(bytes);
        if (!q)
            return refuse(bytes);
        count(bytes, 0);
        memcpy(q, p, bytes < old ? bytes : old);
        gi_free(p);
    }
    head_of(q)->bytes = bytes;
    memcpy(slot, &q, sizeof q);
done:
    return status;
}

gram_status gi_strndup(gi_run *run, const char *s, size_t n, char **out)
{
    char *copy = NULL;
    gram_status status = GI_NEW(run, copy, n + 1);

    if (status == GRAM_OK) {
        memcpy(copy, s, n);
        copy[n] = '\0';
        *out = copy;
    }
    return status;
}
