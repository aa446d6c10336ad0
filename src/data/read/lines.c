/* lines.c - windows of text cut into blocks of whole records.
 *
 * The window is filled, then walked from its start.  Where no quote occurs a
 * record is a line, and the walk jumps half a megabyte at a time to the next
 * newline; where quotes occur every record is asked for, since a newline may
 * stand inside one.  What remains of an unfinished record moves to the front
 * of the next window.
 */
#include "data/read/lines.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/status.h"
#include "cpu/cpu.h"

#define MIB ((size_t)1 << 20)

static const size_t WINDOW = GI_TEXT_WINDOW_BYTES;
static const size_t BLOCK = GI_TEXT_BLOCK_BYTES, RECORD_MOST = 64 * MIB;

void gi_lines_begin(gi_lines *l, size_t line)
{
    l->n = l->taken = 0;
    l->line = line;
    l->at_end = 0;
}

void gi_lines_free(gi_lines *l)
{
    gi_free(l->window);
    l->window = NULL;
    l->capacity = 0;
}

static size_t count_lines(const char *begin, const char *end)
{
    return gi_cpu_table()->count_byte(begin, (size_t)(end - begin), '\n');
}

static gram_status refuse_nul(gi_lines *l, const char *fresh, size_t n)
{
    const char *nul = memchr(fresh, '\0', n);

    if (!nul)
        return GRAM_OK;
    return gi_fail(GRAM_ERR_PARSE, "%s:%zu: a NUL byte: this is not text",
                   gi_input_name(l->in), l->line + count_lines(l->window, nul));
}

/* Fill the window behind what it holds; a newline ends the last line. */
static gram_status fill(gi_lines *l)
{
    gram_status status = GRAM_OK;
    size_t before = l->n;

    while (l->n < l->capacity - 1 && !l->at_end) {
        size_t got = 0;

        GI_TRY(gi_input_read(l->in, l->window + l->n, l->capacity - 1 - l->n,
                             &got));
        l->n += got;
        l->at_end = got == 0;
    }
    GI_TRY(refuse_nul(l, l->window + before, l->n - before));
    if (l->at_end && l->n && l->window[l->n - 1] != '\n')
        l->window[l->n++] = '\n';
done:
    return status;
}

/* Move the unfinished record to the front and read more text behind it. */
static gram_status refill(gi_lines *l)
{
    gram_status status = GRAM_OK;

    if (!l->window) {
        uint64_t size = gi_input_size(l->in);

        l->capacity = size && size < WINDOW ? (size_t)size + 2 : WINDOW;
        GI_TRY(GI_NEW(l->run, l->window, l->capacity));
    }
    memmove(l->window, l->window + l->taken, l->n - l->taken);
    l->n -= l->taken;
    l->taken = 0;
    GI_TRY(fill(l));
done:
    return status;
}

/* Enlarge the window, since the record at its front does not fit. */
static gram_status widen(gi_lines *l)
{
    gram_status status = GRAM_OK;

    if (l->at_end)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s:%zu: a quote is opened here and never closed",
                       gi_input_name(l->in), l->line);
    if (l->capacity >= RECORD_MOST)
        return gi_fail(GRAM_ERR_PARSE,
                       "%s:%zu: a line longer than %zu MiB (is a quote open?)",
                       gi_input_name(l->in), l->line, RECORD_MOST / MIB);
    GI_TRY(GI_GROW(l->run, l->window, 2 * l->capacity));
    l->capacity *= 2;
    GI_TRY(fill(l));
done:
    return status;
}

static const char *line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));

    return newline ? newline + 1 : NULL;
}

/* The end of about a block of whole records from p on: at most *records of them,
 * which is counted down; p itself if there is no whole record. */
static const char *block_end(const gi_lines *l, const char *p, const char *end,
                             int quotes, size_t *records)
{
    const char *stop = (size_t)(end - p) > BLOCK ? p + BLOCK : end;

    if (!quotes && *records == SIZE_MAX) {
        const char *e = stop < end ? line_end(stop, end) : NULL;
        const char *last = e ? NULL : memrchr(p, '\n', (size_t)(end - p));

        return e ? e : last ? last + 1 : p;
    }
    while (p < stop && *records) {
        const char *e =
            quotes ? l->record_end(l->context, p, end) : line_end(p, end);

        if (!e)
            break;
        p = e;
        *records -= *records != SIZE_MAX;
    }
    return p;
}

/* Cut the window into blocks. */
static size_t cut(gi_lines *l, size_t records, gi_text_block *blocks)
{
    const char *p = l->window + l->taken, *end = l->window + l->n;
    int quotes = l->record_end && memchr(p, l->quote, (size_t)(end - p));
    size_t count = 0;

    while (p < end && count < GI_BLOCKS_MOST && records > 0) {
        const char *e = block_end(l, p, end, quotes, &records);

        if (e == p)
            break;
        blocks[count] = (gi_text_block){p, e, l->line, count_lines(p, e)};
        l->line += blocks[count++].lines;
        p = e;
    }
    l->taken = (size_t)(p - l->window);
    return count;
}

gram_status gi_lines_next(gi_lines *l, size_t records,
                          gi_text_block blocks[GI_BLOCKS_MOST], size_t *count)
{
    gram_status status = GRAM_OK;

    *count = l->window ? cut(l, records, blocks) : 0;
    if (*count)
        return status;
    GI_TRY(refill(l));
    while ((*count = cut(l, records, blocks)) == 0 && l->n > 0)
        GI_TRY(widen(l));
done:
    return status;
}
