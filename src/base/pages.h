/* pages.h - large blocks, straight from the kernel.
 *
 * A mapping begins a page before a 2 MiB boundary, so that huge pages cover all
 * but its first page, which is room for a head.  Mappings that are freed are
 * kept for later ones of about their size, since the kernel takes longer to
 * hand out fresh pages than the tile engine to fill them.  What is kept never
 * adds to the most that was in use at one time, and is 1 GiB at most.
 */
#ifndef GI_PAGES_H
#define GI_PAGES_H

#include <stddef.h>

enum { GI_PAGE = 4096 };

/* A mapping of `length` bytes, a multiple of GI_PAGE; NULL: there is no memory.
 * *fresh: all its bytes are 0. */
void *gi_pages_new(size_t length, int *fresh);

/* Another length; the mapping moves, its bytes are not copied.  NULL: there is
 * no memory, and the old one stays. */
void *gi_pages_resize(void *p, size_t old, size_t length);

void gi_pages_free(void *p, size_t length);

#endif
