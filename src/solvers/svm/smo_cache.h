/* smo_cache.h - rows of K in single precision, kept while there is room.
 */
#ifndef GI_SMO_CACHE_H
#define GI_SMO_CACHE_H

#include "base/limits.h"
#include "operators/operator.h"

typedef struct gi_smo_cache gi_smo_cache;

/* Rows of K, which must stay, in at most `bytes`; memory is taken as rows
 * come.  Room for GI_SMO_ROWS_LEAST rows, or all, is taken in any case. */
gram_status gi_smo_cache_new(gi_run *run, const gi_operator *K, size_t bytes,
                             gi_smo_cache **out);
void gi_smo_cache_free(gi_smo_cache *c);

/* Rows that are there at once, at most. */
size_t gi_smo_cache_most(const gi_smo_cache *c);

/* out[i] = row[i] of K, for at most gi_smo_cache_most different rows, there
 * until the next call.  Those that are missing are computed together; the ones
 * longest not asked for make room. */
gram_status gi_smo_cache_rows(gi_run *run, gi_smo_cache *c, const size_t *row,
                              size_t m, const float **out);

/* Rows computed since the cache was made. */
size_t gi_smo_cache_computed(const gi_smo_cache *c);

#endif
