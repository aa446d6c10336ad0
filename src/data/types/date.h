/* date.h - dates as days since 1970-01-01, with the time as a fraction.
 */
#ifndef GI_DATE_H
#define GI_DATE_H

#include <stddef.h>

/* ISO 8601: YYYY-MM-DD or YYYYMMDD, then optionally T or a space and
 * hh:mm[:ss[.f]], then optionally Z or +hh:mm.  0 if the n bytes at s are no
 * date. */
int gi_date_parse(const char *s, size_t n, double *days);

enum { GI_DATE_ROOM = 40 };

/* The reverse, to the microsecond; the time only if there is one. */
void gi_date_print(double days, char out[GI_DATE_ROOM]);

#endif
