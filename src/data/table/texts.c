/* texts.c - the texts of a column's cells, see texts.h.
 */
#include "data/table/texts.h"

#include <string.h>

#include "base/mem.h"

gram_status gi_texts_reserve(gi_run *run, gi_texts *t, size_t count,
                             size_t bytes)
{
    gram_status status;

    /* one more, since `end` says that texts are kept */
    GI_TRY(GI_RESERVE(run, t->end, t->capacity, t->count + count + 1));
    GI_TRY(GI_RESERVE(run, t->bytes, t->bytes_capacity, t->n + bytes));
done:
    return status;
}

gram_status gi_texts_add(gi_run *run, gi_texts *t, const char *s, size_t n)
{
    gram_status status = GRAM_OK;

    GI_TRY(gi_texts_reserve(run, t, 1, n + 1));
    if (n)
        memcpy(t->bytes + t->n, s, n);
    t->bytes[t->n + n] = '\0';
    t->n += n + 1;
    t->end[t->count++] = t->n;
done:
    return status;
}

void gi_texts_append(gi_texts *t, const gi_texts *from)
{
    if (from->n)
        memcpy(t->bytes + t->n, from->bytes, from->n);
    for (size_t i = 0; i < from->count; i++)
        t->end[t->count++] = t->n + from->end[i];
    t->n += from->n;
}

static size_t start_of(const gi_texts *t, size_t i)
{
    return i ? t->end[i - 1] : 0;
}

const char *gi_texts_at(const gi_texts *t, size_t i)
{
    return t->bytes + start_of(t, i);
}

void gi_texts_keep(gi_texts *t, const unsigned char *keep, int blank)
{
    size_t count = 0, n = 0, from = 0;

    for (size_t i = 0; i < t->count; i++) {
        size_t length = t->end[i] - from;

        if (keep[i]) {
            memmove(t->bytes + n, t->bytes + from, length);
            n += length;
        } else if (blank) {
            t->bytes[n++] = '\0';
        }
        from = t->end[i]; /* count <= i: what is still needed is further on */
        if (keep[i] || blank)
            t->end[count++] = n;
    }
    t->count = count;
    t->n = n;
}

void gi_texts_clear(gi_texts *t)
{
    t->count = t->n = 0;
}

/* If shrinking fails, the larger block stays, which does no harm. */
void gi_texts_trim(gi_texts *t)
{
    if (!t->end)
        return;
    if (GI_GROW(NULL, t->end, t->count) == GRAM_OK)
        t->capacity = t->count;
    if (GI_GROW(NULL, t->bytes, t->n) == GRAM_OK)
        t->bytes_capacity = t->n;
}

void gi_texts_free(gi_texts *t)
{
    gi_free(t->bytes);
    gi_free(t->end);
    *t = (gi_texts){0};
}
