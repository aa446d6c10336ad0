/* fields.h - tables of the fields of structs, for those who write them; gram.h
 * says what they are for.
 */
#ifndef GI_FIELDS_H
#define GI_FIELDS_H

#include <stddef.h>

#include "base/status.h"

/* The beginning of a row: a name, and the member of the struct `of`. */
#define GI_FIELD(word, kind, of, member)                                       \
    .name = word, .type = GRAM_FIELD_##kind, .offset = offsetof(of, member)

#define GI_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Words of several tables. */
#define GI_WORDS_MISSING GI_WORDS("refuse", "keep", "drop", "mean", "indicator")
#define GI_WORDS_PRECISION GI_WORDS("auto", "double", "single")
#define GI_WORDS_SCALE GI_WORDS("auto", "none", "standard", "minmax")

/* RANGE unless the options in the struct are in the ranges of their fields; in
 * status.c. */
gram_status gi_fields_check(const gram_field *fields, const void *of);

#endif
