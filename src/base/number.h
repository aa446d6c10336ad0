/* number.h - decimal numbers to doubles and back, exactly and fast, in the C
 * locale whatever the program's locale is.
 */
#ifndef GI_NUMBER_H
#define GI_NUMBER_H

#include <stddef.h>

#include "gram.h"

/* Parse the longest decimal number at s, before end:
 *   [+-] digits [. digits] [e|E [+-] digits]     with a digit before the e
 * and return the byte behind it, or NULL if there is none.  *out is the
 * nearest double (ties to even), as strtod gives it; too large is +-Inf.  No
 * hex, no "inf", no "nan", no leading space. */
const char *gi_number_parse(const char *s, const char *end, double *out);

/* The whole of s..end must be one finite number; 0 if it is not. */
int gi_number_whole(const char *s, const char *end, double *out);

enum { GI_NUMBER_ROOM = GRAM_NUMBER_ROOM };

/* The shortest decimal that parses back to the same bits, as %.17g would lay
 * it out ("0.1", "1e+30" as "1e30", "-0", "nan", "inf"); returns its length. */
size_t gi_number_print(double x, char out[GI_NUMBER_ROOM]);

#endif
