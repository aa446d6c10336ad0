/* pages.h - large blocks, straight from the kernel.
 *
 * A mapping begins a page before a 2 MiB boundary, so that huge pages cover all
 * but its first page, where mem.c puts its head.  Mappings that are freed are
 * kept for later ones of about their size, since the kernel takes longer to
 * hand out fresh pages than the tile engine to fill them.  At most 1 GiB is
 * kept, and never so much that the process exceeds the peak of what was in use.
 */
#ifndef GI_PAGES_H
#define GI_PAGES_H

#include <stddef.h>

enum { GI_PAGE = 4096 };

/* A mapping of `length` bytes, a multiple of GI_PAGE, or NULL if there is no
 * memory.  *fresh is set if all its bytes are 0. */
void *gi_pages_new(size_t length, int *fresh);

/* Change its length; it may move, but its bytes are not copied.  NULL if there
 * is no memory; then the old one stays. */
void *gi_pages_resize(void *p, size_t old, size_t length);

void gi_pages_free(void *p, size_t length);

#endif
