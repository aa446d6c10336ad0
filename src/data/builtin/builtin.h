/* builtin.h - small data sets inside the library.
 *
 * A set is one file builtin_<name>.c that exports gi_builtin_<name> and one
 * line BUILTIN(name) in builtins.def.  It gives text in a file format, and the
 * ordinary reader of that format reads it.  Generated sets draw from a seeded
 * stream and print few digits, so that the last bits of a machine's log() or
 * sin() do not show: the text is the same everywhere.
 */
#ifndef GI_BUILTIN_H
#define GI_BUILTIN_H

#include "base/run.h"
#include "base/status.h"
#include "base/text.h"

typedef struct gi_builtin {
    gram_builtin info;  /* target: NULL if there is none */
    const char *format; /* "csv", "libsvm" */
    const char *types;  /* as in gram_read_options; NULL: infer */

    /* Add the whole text to `out`, which is empty. */
    gram_status (*text)(gi_run *run, gi_buf *out);
} gi_builtin;

/* The set of that name (without "builtin:").  Errors: NAME, with the nearest
 * name as a suggestion. */
gram_status gi_builtin_find(const char *name, const gi_builtin **out);

/* Add x rounded to that many decimals, at most 9, and then `end`.  The point
 * is a point in every locale, and zero has no sign. */
gram_status gi_builtin_number(gi_run *run, gi_buf *out, double x, int decimals,
                              char end);

/* The parts of `before` and `after`, which differ in the correlation of length
 * and width and in the distance of the two humps of weight. */
gram_status gi_builtin_parts(gi_run *run, gi_buf *out, uint64_t seed,
                             double correlation, double hump);

#define BUILTIN(name) extern const gi_builtin gi_builtin_##name;
#include "data/builtin/builtins.def"
#undef BUILTIN

#endif
