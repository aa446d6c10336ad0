/* starts.h - where searches of a kernel's numbers begin.
 */
#ifndef GI_STARTS_H
#define GI_STARTS_H

#include "solvers/search/search_space.h"

enum { GI_STARTS = 5 };

/* The variables x of a start on a face.  It is that of the kernel which the
 * face is, by itself. */
void gi_start_at(const gi_search_space *v, const gi_face *face, size_t start,
                 double *x);

/* x is that of a start: is it unlike those before it, on this face?  `other`
 * has room for one more. */
int gi_start_is_new(const gi_search_space *v, const gi_face *face, size_t start,
                    const double *x, double *other);

#endif
