/* spec_bind.c - what readers of a tree need: sentences that point into the
 * text, arguments matched with parameters, columns matched with names.
 */
#include "base/spec.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Is this byte inside a UTF-8 character, not its first? */
static int inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* A sentence that was cut off ends in "...", not in half a character. */
static void close_cut(char *s, size_t size)
{
    size_t n = size - sizeof "...";

    while (n > 0 && inside(s[n]))
        n--;
    memcpy(s + n, "...", sizeof "...");
}

gram_status gi_spec_fail(const gi_spec *spec, size_t at, gram_status status,
                         const char *format, ...)
{
    enum { SIZE = 400, SHOWN = 72, AROUND = 30 };
    const char *text = spec->text;
    size_t n = strlen(text), from = 0, to = n, character = 1;
    char sentence[SIZE];
    va_list args;

    va_start(args, format);
    if (vsnprintf(sentence, SIZE, format, args) >= SIZE)
        close_cut(sentence, SIZE);
    va_end(args);
    for (size_t i = 0; i < at; i++)
        character += !inside(text[i]);
    if (n > SHOWN) {
        from = at > AROUND ? at - AROUND : 0;
        to = n - at > AROUND ? at + AROUND : n;
        while (from < at && inside(text[from]))
            from++;
        while (to > at && to < n && inside(text[to]))
            to--;
    }
    return gi_fail(status, "%s \"%s%.*s%s\", character %zu: %s", spec->what,
                   from > 0 ? "..." : "", (int)(to - from), text + from,
                   to < n ? "..." : "", character, sentence);
}

static size_t find(const char *name, const char *const *names, size_t from,
                   size_t count)
{
    while (from < count && strcmp(name, names[from]) != 0)
        from++;
    return from;
}

/* Is this argument a name and nothing more? */
static int is_bare_name(const gi_node *arg)
{
    return arg->kind == GI_NODE_CALL && !arg->label && !arg->kids &&
           !arg->columns;
}

static gram_status no_such(const gi_spec *spec, const gi_node *call,
                           const gi_node *arg, const char *const *params,
                           size_t count)
{
    char hint[128];

    return gi_spec_fail(
        spec, arg->label_at, GRAM_ERR_NAME, "%s has no parameter \"%s\"%s",
        call->name, arg->label,
        gi_did_you_mean(arg->label, params, count, hint, sizeof hint));
}

static gram_status too_many(const gi_spec *spec, const gi_node *call,
                            const gi_node *arg, size_t most)
{
    if (most == 0)
        return gi_spec_fail(spec, arg->label_at, GRAM_ERR_PARSE,
                            "%s takes no argument without a name", call->name);
    return gi_spec_fail(spec, arg->label_at, GRAM_ERR_PARSE,
                        "%s takes at most %zu argument%s without a name",
                        call->name, most, most == 1 ? "" : "s");
}

gram_status gi_spec_bind(const gi_spec *spec, const gi_node *call,
                         const char *const *params, size_t count, size_t flags,
                         const gi_node **out)
{
    size_t plain = count - flags, next = 0;
    const char *before = NULL; /* the last name= seen */

    for (size_t i = 0; i < count; i++)
        out[i] = NULL;
    for (const gi_node *arg = call->kids; arg; arg = arg->next) {
        size_t i = count;

        if (arg->label) {
            i = find(arg->label, params, 0, count);
            if (i == count)
                return no_such(spec, call, arg, params, count);
            before = arg->label;
        } else if (is_bare_name(arg)) {
            i = find(arg->name, params, plain, count);
        }
        if (i == count) {
            if (before)
                return gi_spec_fail(spec, arg->label_at, GRAM_ERR_PARSE,
                                    "an argument without a name behind %s=, "
                                    "must come before it",
                                    before);
            if (next == plain)
                return too_many(spec, call, arg, plain);
            i = next++;
        }
        if (out[i])
            return gi_spec_fail(spec, arg->label_at, GRAM_ERR_PARSE,
                                "%s is given twice", params[i]);
        out[i] = arg;
    }
    return GRAM_OK;
}

/* Digits and nothing else, that fit into a size_t. */
static int read_index(const char *s, size_t *out)
{
    size_t x = 0;

    if (!*s)
        return 0;
    for (; *s; s++) {
        size_t digit = (size_t)(*s - '0');

        if (*s < '0' || *s > '9' || x > (SIZE_MAX - digit) / 10)
            return 0;
        x = 10 * x + digit;
    }
    *out = x;
    return 1;
}

gi_column_kind gi_column_classify(const char *word, size_t *index)
{
    if (read_index(word, index))
        return GI_COLUMN_INDEX;
    return strchr(word, '*') ? GI_COLUMN_PATTERN : GI_COLUMN_NAME;
}

/* Glob with '*' alone.  After a mismatch only the last '*' need take one more
 * character, since whatever an earlier one could take, it can: O(n m). */
static int fits(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;

    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

int gi_column_matches(const gi_column_item *item, const char *name)
{
    if (item->kind == GI_COLUMN_RANGE)
        return 0;
    if (item->kind == GI_COLUMN_PATTERN)
        return fits(item->name, name);
    return strcmp(item->name, name) == 0;
}
