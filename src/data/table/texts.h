/* texts.h - the texts of a column's cells, as they stood in the file.
 *
 * Kept beside the values of the columns that a reader is asked for, so that a
 * copy of them is a copy of the file: 007, 1.50, NA.  One array of bytes with a
 * NUL behind each text, and where each ends.  A cell whose text says nothing
 * that its value does not (a level, a cell that was filled in) has an empty
 * one.
 *
 * Cost: the text and 9 bytes a cell.
 */
#ifndef GI_TEXTS_H
#define GI_TEXTS_H

#include "base/run.h"
#include "base/status.h"

typedef struct gi_texts {
    char *bytes;
    size_t n, bytes_capacity;
    size_t *end; /* of text i, its NUL included; NULL: no texts are kept */
    size_t count, capacity;
} gi_texts;

/* One more text, the n bytes at s. */
gram_status gi_texts_add(gi_run *run, gi_texts *t, const char *s, size_t n);

/* Room for `count` more texts of `bytes` bytes, their NULs included. */
gram_status gi_texts_reserve(gi_run *run, gi_texts *t, size_t count,
                             size_t bytes);

/* All texts of `from` behind those of t, which has room for them. */
void gi_texts_append(gi_texts *t, const gi_texts *from);

/* Text i, "" if it says nothing. */
const char *gi_texts_at(const gi_texts *t, size_t i);

/* Keep the texts i with keep[i]: the others are gone, or with `blank` empty. */
void gi_texts_keep(gi_texts *t, const unsigned char *keep, int blank);

/* No texts, the memory still there for others. */
void gi_texts_clear(gi_texts *t);

/* Give back the room for more. */
void gi_texts_trim(gi_texts *t);

void gi_texts_free(gi_texts *t);

#endif
