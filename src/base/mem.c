/* mem.c - aligned, counted, overflow-checked memory.
 *
 * A block of n bytes is preceded by a 64-byte head that holds its size.  Small
 * blocks come from aligned_alloc.  Blocks of 4 MiB and more are mappings of
 * their own (pages.h): the data begin on a 2 MiB boundary, the head sits in the
 * page before, and growing moves page tables, not bytes.
 *
 * A block is counted for the process and in the ledger of the run that
 * allocated it (ledger.h); each allocation compares the latter with the budget,
 * gram_exec.memory.
 */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "base/limits.h"
#include "base/pages.h"
#include "base/scratch.h"

enum { HEAD = 64, MIN_CAPACITY = 8 };

static const size_t MAPPED = GI_MAPPED_BYTES;

typedef struct head {
    size_t bytes;      /* asked for */
    size_t length;     /* of the mapping, which begins a page before; 0: heap */
    gi_ledger *ledger; /* that of the run it was allocated by, or NULL */
    int used;          /* a mapping used before, so it is not zero */
    gi_scratch *scratch; /* that it is in, or NULL */
} head;

_Static_assert(sizeof(head) <= HEAD, "the head fits before the data");

static gi_ledger process;     /* all blocks together */
static atomic_size_t fail_at; /* 0: never */
static atomic_int fail_sticky;

size_t gram_memory_used(void)
{
    return atomic_load(&process.live);
}

size_t gram_memory_peak(void)
{
    return atomic_load(&process.peak);
}

void gram_memory_reset_peak(void)
{
    atomic_store(&process.peak, atomic_load(&process.live));
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

static head *head_of(void *p)
{
    return (head *)(void *)((char *)p - HEAD);
}

/* ------------------------------------------------------------------ ledger */

gi_ledger *gi_ledger_new(void)
{
    gi_ledger *ledger = malloc(sizeof *ledger);

    if (ledger) {
        atomic_init(&ledger->live, 0);
        atomic_init(&ledger->peak, 0);
        atomic_init(&ledger->holders, 1);
    }
    return ledger;
}

gi_ledger *gi_ledger_keep(gi_ledger *ledger)
{
    if (ledger)
        atomic_fetch_add(&ledger->holders, 1);
    return ledger;
}

void gi_ledger_release(gi_ledger *ledger)
{
    /* acquire and release: what other holders did comes before free() */
    if (ledger && atomic_fetch_sub_explicit(&ledger->holders, 1,
                                            memory_order_acq_rel) == 1)
        free(ledger);
}

static void add(gi_ledger *ledger, size_t more, size_t less)
{
    size_t now = atomic_fetch_add(&ledger->live, more - less) + more - less;
    size_t top = atomic_load(&ledger->peak);

    while (now > top && !atomic_compare_exchange_weak(&ledger->peak, &top, now))
        ;
}

/* Bytes come and go in a block. */
static void count(head *h, size_t more, size_t less)
{
    add(&process, more, less);
    if (h->ledger)
        add(h->ledger, more, less);
}

/* A block of this many bytes is there. */
static void enter(head *h, gi_ledger *ledger, size_t bytes)
{
    h->bytes = bytes;
    h->ledger = ledger;
    if (ledger)
        atomic_fetch_add_explicit(&ledger->holders, 1, memory_order_relaxed);
    count(h, bytes, 0);
}

/* ------------------------------------------------------------------ blocks */

static gram_status refuse(size_t bytes)
{
    char text[GRAM_NUMBER_ROOM];

    return gi_fail(GRAM_ERR_MEMORY, "out of memory: cannot allocate %s",
                   gram_bytes_print((double)bytes, text));
}

/* May `more` bytes be added under the budget of this run? */
static gram_status admit(const gi_run *run, size_t more)
{
    char a[GRAM_NUMBER_ROOM], b[GRAM_NUMBER_ROOM], c[GRAM_NUMBER_ROOM];

    if (told_to_fail())
        return refuse(more);
    if (run && run->memory && more > gi_run_budget_left(run))
        return gi_fail(
            GRAM_ERR_MEMORY,
            "memory budget: %s in use and %s more needed, the budget is %s",
            gram_bytes_print((double)(run->held + gi_run_live(run)), a),
            gram_bytes_print((double)more, b),
            gram_bytes_print((double)run->memory, c));
    return GRAM_OK;
}

/* Bytes of the mapping for n bytes of data: the head's page, then the data. */
static size_t mapping_length(size_t n)
{
    return GI_PAGE + gi_round_up(n, GI_PAGE);
}

static void *map_block(size_t bytes)
{
    size_t length = mapping_length(bytes);
    int fresh = 0;
    char *p = gi_pages_new(length, &fresh);

    if (!p)
        return NULL;
    p += GI_PAGE;
    head_of(p)->scratch = NULL;
    head_of(p)->length = length;
    head_of(p)->used = !fresh;
    return p;
}

/* Bytes of a block of the heap or of a scratch, head included. */
static size_t padded(size_t bytes)
{
    return HEAD + gi_round_up(bytes, HEAD);
}

static void *heap_block(size_t bytes)
{
    char *raw = aligned_alloc(HEAD, padded(bytes));

    if (!raw)
        return NULL;
    head_of(raw + HEAD)->length = 0;
    head_of(raw + HEAD)->scratch = NULL;
    return raw + HEAD;
}

/* A block of the scratch of the run, if it has one and the block fits. */
static void *scratch_block(const gi_run *run, size_t bytes)
{
    char *raw = NULL;

    if (run && run->scratch)
        raw = gi_scratch_take(run->scratch, padded(bytes));
    if (!raw)
        return NULL;
    *head_of(raw + HEAD) = (head){.bytes = bytes, .scratch = run->scratch};
    return raw + HEAD;
}

gram_status gi_size_mul(size_t a, size_t b, size_t *out)
{
    if (b && a > SIZE_MAX / 2 / b)
        return gi_fail(GRAM_ERR_MEMORY,
                       "out of memory: cannot allocate %zu elements of %zu "
                       "bytes",
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
    p = scratch_block(run, bytes);
    if (p) {
        memcpy(slot, &p, sizeof p);
        goto done;
    }
    GI_TRY(admit(run, bytes));
    p = bytes >= MAPPED ? map_block(bytes) : heap_block(bytes);
    if (!p)
        return refuse(bytes);
    enter(head_of(p), run ? run->ledger : NULL, bytes);
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
    if (h->scratch) {
        gi_scratch_give(h->scratch, h, padded(h->bytes));
        return;
    }
    count(h, 0, h->bytes);
    gi_ledger_release(h->ledger);
    if (h->length)
        gi_pages_free((char *)p - GI_PAGE, h->length);
    else
        free(h);
}

gram_status gram_memory_new(size_t n, size_t size, const gram_exec *exec,
                            void **out)
{
    GI_RUN(run, exec);

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
    gi_ledger *ledger, *before;
    size_t bytes = 0, old, counted;
    void *p, *q = NULL;

    memcpy(&p, slot, sizeof p);
    if (!p)
        return gi_alloc(run, slot, n, size);
    GI_TRY(gi_size_mul(n, size, &bytes));
    old = head_of(p)->bytes;
    before = head_of(p)->ledger;
    ledger = run ? run->ledger : before;
    counted = ledger == before ? old : 0;
    GI_TRY(admit(run, bytes > counted ? bytes - counted : 0));
    if (head_of(p)->length && bytes >= MAPPED) {
        q = remap(p, bytes);
        if (!q)
            return refuse(bytes);
        count(head_of(q), 0, old);
        enter(head_of(q), ledger, bytes);
        gi_ledger_release(before);
    } else {
        q = bytes >= MAPPED ? map_block(bytes) : heap_block(bytes);
        if (!q)
            return refuse(bytes);
        enter(head_of(q), ledger, bytes);
        memcpy(q, p, bytes < old ? bytes : old);
        gi_free(p);
    }
    memcpy(slot, &q, sizeof q);
done:
    return status;
}

void gi_strings_free(char **s, size_t n)
{
    for (size_t i = 0; s && i < n; i++)
        gi_free(s[i]);
    gi_free(s);
}

gram_status gi_reserve(gi_run *run, void *slot, size_t *capacity, size_t need,
                       size_t size)
{
    gram_status status = GRAM_OK;
    size_t n = *capacity + *capacity / 2;

    if (need <= *capacity)
        return status;
    n = n > need ? n : need;
    n = n > MIN_CAPACITY ? n : MIN_CAPACITY;
    GI_TRY(gi_grow(run, slot, n, size));
    *capacity = n;
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
