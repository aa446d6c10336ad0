/* codec.h - fields of a file in one order, for counting, writing and reading
 * alike.
 *
 * A function that walks through the fields of an object, handing the address
 * of each to the codec, is its own reader and writer: what is written and what
 * is read cannot come apart.  Numbers are little-endian, reals IEEE doubles.
 */
#ifndef GI_CODEC_H
#define GI_CODEC_H

#include <stdint.h>

#include "base/file.h"
#include "base/mem.h"

typedef struct gi_codec {
    gi_run *run;
    gi_input *in;   /* reading */
    gi_output *out; /* writing */
    char *memory;   /* writing to memory; all three NULL: counting */
    uint64_t at;    /* bytes so far */
    uint64_t total; /* bytes that are there, or will be; 0: not known */
    uint32_t crc;   /* CRC-32 of them */
} gi_codec;

static inline int gi_codec_reads(const gi_codec *c)
{
    return c->in != NULL;
}

gram_status gi_codec_bytes(gi_codec *c, void *data, size_t n);
gram_status gi_codec_skip(gi_codec *c, uint64_t n); /* reading: pass over */
gram_status gi_codec_number(gi_codec *c, uint64_t *x);
gram_status gi_codec_size(gi_codec *c, size_t *x);
gram_status gi_codec_whole(gi_codec *c, int *x); /* from -2^31 */
gram_status gi_codec_real(gi_codec *c, double *x);

/* Arrays of n elements; when reading, *x is allocated.  An optional one is
 * preceded by a byte that says whether it is there; NULL: it is not. */
gram_status gi_codec_reals(gi_codec *c, double **x, size_t n);
gram_status gi_codec_optional_reals(gi_codec *c, double **x, size_t n);
gram_status gi_codec_sizes(gi_codec *c, size_t **x, size_t n);
gram_status gi_codec_unsigned(gi_codec *c, unsigned **x, size_t n);
gram_status gi_codec_wholes(gi_codec *c, int **x, size_t n);

/* Its length, then its bytes, none of them 0; when reading, *s is allocated
 * and ends in a NUL. */
gram_status gi_codec_text(gi_codec *c, char **s);
gram_status gi_codec_optional_text(gi_codec *c, char **s);

/* How many, then the texts. */
gram_status gi_codec_texts(gi_codec *c, char ***texts, size_t *count);

/* A word of a list that ends in NULL: *word becomes the list's own string. */
gram_status gi_codec_word(gi_codec *c, const char *const *words,
                          const char **word);

/* Reading: can `count` elements of at least `size` bytes still follow?
 * PARSE otherwise, so that a wrong count never asks for memory. */
gram_status gi_codec_expect(const gi_codec *c, size_t count, size_t size);

#endif
