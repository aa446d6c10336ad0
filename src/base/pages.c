/* pages.c - mappings, and those that are kept for reuse; see pages.h.
 *
 * First touch of 800 MB takes 0.24 s in small pages, 0.08 s in huge ones, and
 * nothing if the mapping was in use before.  Spare mappings stand in a few
 * slots, the oldest next to be replaced, each taken and put back by an atomic
 * exchange.
 */
#include "base/pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { SLOTS = 8 };

static const size_t HUGE_PAGE = (size_t)2 << 20, SPARE_MOST = (size_t)1 << 30;

/* What a spare mapping begins with. */
typedef struct spare {
    size_t length;
} spare;

static _Atomic(spare *) slot[SLOTS];
static atomic_uint next;                 /* slot to be filled */
static atomic_size_t held, most, spared; /* bytes in use, their peak, spare */

static void give_back(spare *s)
{
    atomic_fetch_sub(&spared, s->length);
    munmap(s, s->length);
}

/* Give back the oldest; is there one? */
static int drop_oldest(void)
{
    unsigned first = atomic_load(&next);

    for (unsigned i = 0; i < SLOTS; i++) {
        spare *s = atomic_exchange(&slot[(first + i) % SLOTS], NULL);

        if (s) {
            give_back(s);
            return 1;
        }
    }
    return 0;
}

static void put(unsigned i, spare *s)
{
    spare *old = atomic_exchange(&slot[i], s);

    if (old)
        give_back(old);
}

/* Count `length` more bytes in use; give back spares until both together are no
 * more than the most that was ever in use. */
static void hold(size_t length)
{
    size_t now = atomic_fetch_add(&held, length) + length;
    size_t top = atomic_load(&most);

    while (now > top && !atomic_compare_exchange_weak(&most, &top, now))
        ;
    while (now + atomic_load(&spared) > atomic_load(&most) && drop_oldest())
        ;
}

/* The smallest spare mapping of this length up to an eighth more, cut to it. */
static void *take_spare(size_t length)
{
    spare *best = NULL;
    size_t have = length + length / 8 + 1;

    for (unsigned i = 0; i < SLOTS; i++) {
        spare *s = atomic_exchange(&slot[i], NULL), *rest = s;

        if (s && s->length >= length && s->length < have) {
            have = s->length;
            rest = best;
            best = s;
        }
        if (rest)
            put(i, rest);
    }
    if (!best)
        return NULL;
    atomic_fetch_sub(&spared, have);
    if (have > length)
        munmap((char *)best + length, have - length);
    return best;
}

static void *map_fresh(size_t length)
{
    size_t slack = HUGE_PAGE + GI_PAGE;
    char *raw = mmap(NULL, length + slack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *begin;

    if (raw == MAP_FAILED)
        return NULL;
    begin = raw + HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE - GI_PAGE;
    if (begin > raw)
        munmap(raw, (size_t)(begin - raw));
    munmap(begin + length, (size_t)(raw + slack - begin));
    madvise(begin, length,
            MADV_HUGEPAGE); /* all of it: mremap wants one area */
    return begin;
}

void *gi_pages_new(size_t length, int *fresh)
{
    void *p = take_spare(length);

    *fresh = !p;
    hold(length);
    while (!p) {
        p = map_fresh(length);
        if (!p && !drop_oldest())
            break;
    }
    if (!p)
        atomic_fetch_sub(&held, length);
    return p;
}

void *gi_pages_resize(void *p, size_t old, size_t length)
{
    void *moved;

    if (length > old)
        hold(length - old);
    moved = mremap(p, old, length, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) {
        if (length > old)
            atomic_fetch_sub(&held, length - old);
        return NULL;
    }
    if (length < old)
        atomic_fetch_sub(&held, old - length);
    return moved;
}

void gi_pages_free(void *p, size_t length)
{
    spare *s = p;

    atomic_fetch_sub(&held, length);
    if (length > SPARE_MOST) {
        munmap(p, length);
        return;
    }
    while (atomic_load(&spared) + length > SPARE_MOST && drop_oldest())
        ;
    s->length = length;
    atomic_fetch_add(&spared, length);
    put(atomic_fetch_add(&next, 1) % SLOTS, s);
}
