/* text.h - strings: nearest names, growing text, and dictionaries.
 */
#ifndef GI_TEXT_H
#define GI_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/run.h"
#include "base/status.h"

/* Text that grows.  Start from all zeros; `s` always ends in a NUL once
 * something was added. */
typedef struct gi_buf {
    char *s;
    size_t n, capacity;
} gi_buf;

gram_status gi_buf_add(gi_run *run, gi_buf *b, const char *s, size_t n);
gram_status gi_buf_printf(gi_run *run, gi_buf *b, const char *format, ...)
    GI_PRINTF(3, 4);
void gi_buf_free(gi_buf *b);

/* Strings numbered 0, 1, ... in the order of arrival.  Start from all zeros. */
typedef struct gi_dict {
    char *pool; /* the strings, a NUL behind each */
    size_t pool_n, pool_capacity;
    size_t *offset; /* of string i in pool */
    size_t count, capacity;
    uint32_t *slot; /* open addressing: 0, or string number + 1 */
    size_t slots;   /* a power of two */
} gi_dict;

/* *code = number of the n bytes at s, which are added if new; code may be NULL.
 * The same for the text s; and for all strings of another, in their order, with
 * their numbers in code[0], code[1], ... */
gram_status gi_dict_add(gi_run *run, gi_dict *d, const char *s, size_t n,
                        int *code);
gram_status gi_dict_add_text(gi_run *run, gi_dict *d, const char *s, int *code);
gram_status gi_dict_add_all(gi_run *run, gi_dict *d, const gi_dict *from,
                            int *code);

/* The number of s, or -1. */
int gi_dict_find(const gi_dict *d, const char *s, size_t n);

/* String number i. */
const char *gi_dict_at(const gi_dict *d, size_t i);

/* Forget the string that was added last. */
void gi_dict_pop(gi_dict *d);

/* Give back what is only needed to add and to find strings.  Only gi_dict_at
 * and gi_dict_free may follow. */
void gi_dict_seal(gi_dict *d);

void gi_dict_free(gi_dict *d);

/* The end of a sentence: ` (did you mean "x"?)` in `out`, or "" if no name is
 * near.  Returns out. */
const char *gi_did_you_mean(const char *word, const char *const *names,
                            size_t count, char *out, size_t size);

/* The same, but if no name is near it lists them all: ` (there are x, y, z)`;
 * for short lists. */
const char *gi_did_you_mean_one_of(const char *word, const char *const *names,
                                   size_t count, char *out, size_t size);

/* "x, y, z", as far as `size` bytes go.  Returns out. */
const char *gi_names_list(const char *const *names, size_t count, char *out,
                          size_t size);

/* Compare as people sort names: numbers by value first, then text by bytes. */
int gi_name_compare(const char *a, const char *b);

#endif
