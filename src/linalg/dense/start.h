/* start.h - see start.c.
 */
#ifndef GI_START_H
#define GI_START_H

/* Does nothing; calling it makes the linker take start.c out of an archive. */
void gi_start_link(void);

#endif
