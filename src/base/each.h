/* each.h - independent pieces of work on all threads.
 */
#ifndef GI_EACH_H
#define GI_EACH_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* work(user, i) for i < count, each once, in any order, from the threads of
 * one parallel region.  Errors: that of a piece that failed, with its
 * sentence; MEMORY. */
gram_status gi_each(gi_run *run, size_t count,
                    gram_status (*work)(void *user, size_t i), void *user);

#endif
