/* shortlist.h - the best of many searches.
 */
#ifndef GI_SHORTLIST_H
#define GI_SHORTLIST_H

#include "solvers/search/search_space.h"

enum { GI_KEPT = 2 }; /* searches that leave the first sample */

/* The best spots of a face, the best first, and room for one more. */
typedef struct gi_shortlist {
    gi_spot spot[GI_KEPT + 1];
    size_t kept;
    gi_spot alike; /* the best with ties (ladder.h) */
} gi_shortlist;

gram_status gi_shortlist_new(gi_run *run, const gi_search_space *v,
                             gi_shortlist *p);
void gi_shortlist_free(gi_shortlist *p); /* what is inside */

/* Take the spot behind the kept ones among them, unless it is the worst of too
 * many or has come to the optimum of another. */
void gi_shortlist_keep(gi_shortlist *p);

/* Make a spot the first if it is better than that. */
void gi_shortlist_lead(gi_shortlist *p, size_t spot);

/* The first, or that with ties. */
const gi_spot *gi_shortlist_best(const gi_shortlist *p);

/* Nothing is kept. */
void gi_shortlist_clear(gi_shortlist *p);

#endif
