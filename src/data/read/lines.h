/* lines.h - text cut into blocks of whole records.
 *
 * A window of some megabytes is read and cut where records end into blocks of
 * about half a megabyte, which threads then parse in parallel.  Windows and
 * blocks depend on the text only, never on the number of threads.  The text of
 * a block ends in a newline (one is added at the end of the file).
 */
#ifndef GI_LINES_H
#define GI_LINES_H

#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/run.h"

typedef struct gi_text_block {
    const char *begin, *end; /* end[-1] is a newline */
    size_t line;             /* number of the first line, from 1 */
    size_t lines;            /* newlines in it: at least the records */
} gi_text_block;

typedef struct gi_lines {
    gi_run *run;
    gi_input *in;
    /* The byte behind the record that begins at p, or NULL if it does not end
     * before `end`; `context` is handed over.  NULL: a record is a line. */
    const char *(*record_end)(const void *context, const char *p,
                              const char *end);
    const void *context;
    char quote; /* record_end is only asked where this byte occurs */

    char *window;
    size_t capacity, n; /* bytes that fit, and are there */
    size_t taken;       /* bytes of the window handed out */
    size_t line;        /* of the next record */
    int at_end;
} gi_lines;

/* Start at the input's present position, which is line `line`.  The fields up
 * to `quote` must be set, the rest zero. */
void gi_lines_begin(gi_lines *l, size_t line);

/* The next blocks, with at most `records` records in all (blank lines count);
 * *count is 0 at the end.  They are valid until the next call.
 * Errors: IO, PARSE (a NUL byte, a record longer than 64 MiB, a quote that is
 * never closed), MEMORY. */
gram_status gi_lines_next(gi_lines *l, size_t records,
                          gi_text_block blocks[GI_BLOCKS_MOST], size_t *count);

void gi_lines_free(gi_lines *l);

/* Past the byte order mark that some programs put before UTF-8 text. */
static inline const char *gi_skip_bom(const char *p, const char *end)
{
    return end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p;
}

#endif
