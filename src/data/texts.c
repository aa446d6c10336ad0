/* texts.c - the texts of a column's cells, see texts.h.
 */
#include "data/texts.h"

#include <string.h>

#include "base/mem.h"

/* Room for `more` texts. */
static gram_status reserve(gi_run *run, gi_texts *t, size_t more)
{
    gram_status status = GRAM_OK;
    size_t need = t->count + more, room = t->room + t->room / 2 + 64;

    if (need <= t->room && t->end)
        return status;
    room = need > room ? need : room;
    GI_TRY(GI_GROW(run, t->end, room));
    t->room = room;
done:
    return status;
}

gram_status gi_texts_add(gi_run *run, gi_texts *t, const char *s, size_t n)
{
    gram_status status = GRAM_OK;

    GI_TRY(reserve(run, t, 1));
    GI_TRY(gi_buf_add(run, &t->bytes, s, n));
    GI_TRY(gi_buf_add(run, &t->bytes, "", 1));
    t->end[t->count++] = t->bytes.n;
done:
    return status;
}

gram_status gi_texts_append(gi_run *run, gi_texts *t, const gi_texts *from)
{
    gram_status status = GRAM_OK;
    size_t before = t->bytes.n;

    GI_TRY(reserve(run, t, from->count));
    GI_TRY(gi_buf_add(run, &t->bytes, from->bytes.s, from->bytes.n));
    for (size_t i = 0; i < from->count; i++)
        t->end[t->count++] = before + from->end[i];
done:
    return status;
}

static size_t start_of(const gi_texts *t, size_t i)
{
    return i ? t->end[i - 1] : 0;
}

const char *gi_texts_at(const gi_texts *t, size_t i)
{
    return t->bytes.s + start_of(t, i);
}

void gi_texts_keep(gi_texts *t, const unsigned char *keep, int blank)
{
    size_t count = 0, n = 0, from = 0;

    for (size_t i = 0; i < t->count; i++) {
        size_t length = t->end[i] - from;

        if (keep[i]) {
            memmove(t->bytes.s + n, t->bytes.s + from, length);
            n += length;
        } else if (blank) {
            t->bytes.s[n++] = '\0';
        }
        from = t->end[i]; /* count <= i: what is still needed is further on */
        if (keep[i] || blank)
            t->end[count++] = n;
    }
    t->count = count;
    t->bytes.n = n;
}

void gi_texts_clear(gi_texts *t)
{
    t->count = t->bytes.n = 0;
}

/* Shrinking cannot fail in a way that matters: the larger block stays. */
void gi_texts_trim(gi_texts *t)
{
    if (!t->end)
        return;
    if (GI_GROW(NULL, t->end, t->count) == GRAM_OK)
        t->room = t->count;
    if (GI_GROW(NULL, t->bytes.s, t->bytes.n + 1) == GRAM_OK)
        t->bytes.room = t->bytes.n + 1;
}

void gi_texts_free(gi_texts *t)
{
    gi_buf_free(&t->bytes);
    gi_free(t->end);
    *t = (gi_texts){0};
}
