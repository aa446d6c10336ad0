/* texts.h - the texts of a column's cells, as they stood in the file.
 *
 * Readers keep them beside the values of columns for which they are asked to, so
 * that a copy of such a column is as in the file: 007, 1.50, NA.  There is one
 * array of bytes with a NUL behind each text, and where each ends.  A cell whose
 * text says no more than its value (a level, a cell that was filled in) has an
 * empty one.
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

/* Add a text, the n bytes at s. */
gram_status gi_texts_add(gi_run *run, gi_texts *t, const char *s, size_t n);

/* Make place for `count` more texts of `bytes` bytes, NULs included. */
gram_status gi_texts_reserve(gi_run *run, gi_texts *t, size_t count,
                             size_t bytes);

/* Append all texts of `from` to t, which has reserved place for them. */
void gi_texts_append(gi_texts *t, const gi_texts *from);

/* Text i, which may be empty. */
const char *gi_texts_at(const gi_texts *t, size_t i);

/* Keep the texts i with keep[i]; remove the others, or with `blank` make them
 * empty. */
void gi_texts_keep(gi_texts *t, const unsigned char *keep, int blank);

/* Remove all texts, but keep the memory. */
void gi_texts_clear(gi_texts *t);

/* Give back memory that is not used. */
void gi_texts_trim(gi_texts *t);

void gi_texts_free(gi_texts *t);

#endif
