/* text.c - nearest names, growing text, dictionaries.
 *
 * The dictionary is a pool of strings with an open-addressing table of their
 * numbers, hashed by FNV-1a with a final mix; at most half full, so a look-up
 * touches one or two slots.
 */
#include "base/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

gram_status gi_buf_add(gi_run *run, gi_buf *b, const char *s, size_t n)
{
    gram_status status;

    GI_TRY(GI_RESERVE(run, b->s, b->capacity, b->n + n + 1));
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = '\0';
done:
    return status;
}

gram_status gi_buf_printf(gi_run *run, gi_buf *b, const char *format, ...)
{
    char text[512];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof text)
        return gi_fail(GRAM_ERR_RANGE, "text of %d characters, at most %zu", n,
                       sizeof text - 1);
    return gi_buf_add(run, b, text, (size_t)n);
}

char *gram_bytes_print(double bytes, char *out)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;

    for (; bytes >= 1023.95 && u < 4; u++)
        bytes /= 1024;
    snprintf(out, GRAM_NUMBER_ROOM, u && bytes < 99.95 ? "%.1f %s" : "%.0f %s",
             bytes, units[u]);
    return out;
}

void gi_buf_free(gi_buf *b)
{
    gi_free(b->s);
    *b = (gi_buf){0};
}

static uint64_t hash(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

static size_t length_at(const gi_dict *d, size_t i)
{
    return (i + 1 < d->count ? d->offset[i + 1] : d->pool_n) - d->offset[i] - 1;
}

/* The slot that holds s, or the free one where it belongs. */
static size_t slot_of(const gi_dict *d, const char *s, size_t n)
{
    size_t at = (size_t)hash(s, n) & (d->slots - 1);

    while (d->slot[at]) {
        size_t i = d->slot[at] - 1;

        if (length_at(d, i) == n && memcmp(d->pool + d->offset[i], s, n) == 0)
            break;
        at = (at + 1) & (d->slots - 1);
    }
    return at;
}

static gram_status rehash(gi_run *run, gi_dict *d)
{
    gram_status status = GRAM_OK;
    size_t slots = d->slots ? d->slots * 2 : 16;
    uint32_t *fresh = NULL;

    GI_TRY(GI_NEW_ZERO(run, fresh, slots));
    gi_free(d->slot);
    d->slot = fresh;
    d->slots = slots;
    for (size_t i = 0; i < d->count; i++)
        d->slot[slot_of(d, d->pool + d->offset[i], length_at(d, i))] =
            (uint32_t)i + 1;
done:
    return status;
}

static gram_status append(gi_run *run, gi_dict *d, const char *s, size_t n)
{
    gram_status status;

    GI_TRY(GI_RESERVE(run, d->offset, d->capacity, d->count + 1));
    GI_TRY(GI_RESERVE(run, d->pool, d->pool_capacity, d->pool_n + n + 1));
    d->offset[d->count++] = d->pool_n;
    memcpy(d->pool + d->pool_n, s, n);
    d->pool[d->pool_n + n] = '\0';
    d->pool_n += n + 1;
done:
    return status;
}

gram_status gi_dict_add(gi_run *run, gi_dict *d, const char *s, size_t n,
                        int *code)
{
    gram_status status = GRAM_OK;
    size_t at;

    if (d->count >= INT_MAX)
        return gi_fail(GRAM_ERR_RANGE, "more than %d different texts", INT_MAX);
    if (2 * (d->count + 1) > d->slots)
        GI_TRY(rehash(run, d));
    at = slot_of(d, s, n);
    if (!d->slot[at]) {
        GI_TRY(append(run, d, s, n));
        d->slot[at] = (uint32_t)d->count;
    }
    if (code)
        *code = (int)(d->slot[at] - 1);
done:
    return status;
}

gram_status gi_dict_add_text(gi_run *run, gi_dict *d, const char *s, int *code)
{
    return gi_dict_add(run, d, s, strlen(s), code);
}

gram_status gi_dict_add_all(gi_run *run, gi_dict *d, const gi_dict *from,
                            int *code)
{
    gram_status status = GRAM_OK;

    for (size_t k = 0; k < from->count; k++)
        GI_TRY(gi_dict_add(run, d, gi_dict_at(from, k), length_at(from, k),
                           code ? &code[k] : NULL));
done:
    return status;
}

int gi_dict_find(const gi_dict *d, const char *s, size_t n)
{
    return d->slots ? (int)d->slot[slot_of(d, s, n)] - 1 : -1;
}

const char *gi_dict_at(const gi_dict *d, size_t i)
{
    return d->pool + d->offset[i];
}

void gi_dict_pop(gi_dict *d)
{
    size_t last = d->count - 1;

    /* no later string was placed by probing past this slot: it was the last */
    d->slot[slot_of(d, gi_dict_at(d, last), length_at(d, last))] = 0;
    d->pool_n = d->offset[last];
    d->count = last;
}

void gi_dict_seal(gi_dict *d)
{
    gi_free(d->slot);
    d->slot = NULL;
    d->slots = 0;
    if (d->count && GI_GROW(NULL, d->offset, d->count) == GRAM_OK)
        d->capacity = d->count;
}

void gi_dict_free(gi_dict *d)
{
    gi_free(d->pool);
    gi_free(d->offset);
    gi_free(d->slot);
    *d = (gi_dict){0};
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int min3(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* Edits (insert, delete, replace, swap neighbours) from a to b, case ignored;
 * words longer than the table count as far apart. */
static int distance(const char *a, const char *b)
{
    enum { MOST = 48 };
    size_t n = strlen(a), m = strlen(b);
    int d[MOST + 1][MOST + 1];

    if (n > MOST || m > MOST)
        return MOST;
    for (size_t i = 0; i <= n; i++)
        d[i][0] = (int)i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            int differ = lower(a[i - 1]) != lower(b[j - 1]);

            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
                           d[i - 1][j - 1] + differ);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                d[i][j] = min3(d[i][j], d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

const char *gram_suggest(const char *word, const char *const *names,
                         size_t count)
{
    const char *best = NULL;
    int nearest = (int)(strlen(word) + 2) / 3 + 1; /* a third may be wrong */

    for (size_t i = 0; i < count; i++) {
        int far = distance(word, names[i]);

        if (far < nearest && far < (int)strlen(names[i])) {
            nearest = far;
            best = names[i];
        }
    }
    return best;
}

const char *gi_did_you_mean(const char *word, const char *const *names,
                            size_t count, char *out, size_t size)
{
    const char *name = gram_suggest(word, names, count);

    out[0] = '\0';
    if (name)
        snprintf(out, size, " (did you mean \"%s\"?)", name);
    return out;
}

const char *gi_names_list(const char *const *names, size_t count, char *out,
                          size_t size)
{
    size_t n = 0;

    *out = '\0';
    for (size_t k = 0; k < count && n < size; k++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", k ? ", " : "",
                              names[k]);
    return out;
}

const char *gi_did_you_mean_one_of(const char *word, const char *const *names,
                                   size_t count, char *out, size_t size)
{
    char list[256];

    if (!*gi_did_you_mean(word, names, count, out, size))
        snprintf(out, size, " (there are %s)",
                 gi_names_list(names, count, list, sizeof list));
    return out;
}

int gi_name_compare(const char *a, const char *b)
{
    double x, y;
    int a_number = gi_number_whole(a, a + strlen(a), &x);
    int b_number = gi_number_whole(b, b + strlen(b), &y);

    if (a_number != b_number)
        return b_number - a_number;
    if (a_number && x != y)
        return x < y ? -1 : 1;
    return strcmp(a, b);
}
