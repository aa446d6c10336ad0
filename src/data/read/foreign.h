/* foreign.h - recognises files of other programs that might be taken for tables.
 */
#ifndef GI_FOREIGN_H
#define GI_FOREIGN_H

#include "base/status.h"

/* PARSE, with what the file is and what could be read instead, if its first n
 * bytes are those of a well-known format that is none of ours; `name` is for
 * messages, `formats` a list of those that are. */
gram_status gi_foreign_check(const char *path, const char *name,
                             const char *head, size_t n, const char *formats);

#endif
