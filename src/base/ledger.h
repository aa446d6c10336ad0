/* ledger.h - how many bytes a call holds, and the most it held.
 *
 * A run opens a ledger; each block that it allocates is entered there and
 * points to it, so that the block is struck out there when it is freed, in
 * whichever call and thread that is.  The ledger lives as long as its run or
 * one of its blocks: they are counted as its holders.
 */
#ifndef GI_LEDGER_H
#define GI_LEDGER_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct gi_ledger {
    atomic_size_t live, peak; /* bytes */
    atomic_size_t holders;    /* blocks, and the run */
} gi_ledger;

/* With one holder; NULL if there is no memory for it.  In mem.c. */
gi_ledger *gi_ledger_new(void);

/* Count one holder more; NULL is allowed. */
gi_ledger *gi_ledger_keep(gi_ledger *ledger);

/* Count one holder less; without holders it is freed.  NULL does nothing. */
void gi_ledger_release(gi_ledger *ledger);

#endif
