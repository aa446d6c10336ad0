/* status.c - the sentence of the last failure, one a thread; and the sentences
 * on options that are out of range.
 */
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"

enum { SIZE = 1024 };

static _Thread_local char sentence[SIZE];

const char *gram_error_message(void)
{
    return sentence;
}

#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *gram_version(void)
{
    return DOTTED(GRAM_VERSION_MAJOR, GRAM_VERSION_MINOR, GRAM_VERSION_PATCH);
}

/* A sentence is one line whatever file names and cells are quoted in it. */
static void one_line(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 127)
            *s = '?';
}

/* A cut must not leave half a UTF-8 character at the end. */
static void close_utf8(char *s, size_t n)
{
    size_t start = n;

    while (start > 0 && ((unsigned char)s[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && (unsigned char)s[start - 1] >= 0xc0)
        s[start - 1] = '\0';
}

static void write_sentence(const char *format, va_list args)
{
    int n = vsnprintf(sentence, SIZE, format, args);

    if (n >= SIZE)
        close_utf8(sentence, SIZE - 1);
    one_line(sentence);
}

gram_status gi_fail(gram_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_sentence(format, args);
    va_end(args);
    return status;
}

gram_status gi_context(gram_status status, const char *format, ...)
{
    char rest[SIZE];
    va_list args;
    size_t n;

    if (status == GRAM_OK)
        return status;
    memcpy(rest, sentence, SIZE);
    va_start(args, format);
    write_sentence(format, args);
    va_end(args);
    n = strlen(sentence);
    if (n + 2 < SIZE) {
        memcpy(sentence + n, ": ", 2);
        memcpy(sentence + n + 2, rest, SIZE - n - 2);
        sentence[SIZE - 1] = '\0';
    }
    return status;
}

/* ------------------------------------------------------------------ ranges */

gram_status gi_check_choice(const char *name, int x, int least, int most)
{
    return x >= least && x <= most
               ? GRAM_OK
               : gi_fail(GRAM_ERR_RANGE, "%s = %d, must be %d to %d", name, x,
                         least, most);
}

static gram_status check_choice(const gram_field *f, const int *x)
{
    int most = (int)f->least - 1;

    for (const char *const *word = f->words; *word; word++)
        most++;
    return gi_check_choice(f->name, *x, 0, most);
}

static gram_status check_whole(const gram_field *f, const size_t *x)
{
    if (*x > 0 && *x < f->least)
        return gi_fail(GRAM_ERR_RANGE, "%s = %zu, must be at least %zu",
                       f->name, *x, f->least);
    if (f->most > 0 && *x > f->most)
        return gi_fail(GRAM_ERR_RANGE, "%s = %zu, must be at most %zu", f->name,
                       *x, f->most);
    return GRAM_OK;
}

static gram_status check_real(const gram_field *f, const double *x)
{
    if (*x >= 0 && (f->most > 0 ? *x < (double)f->most : isfinite(*x)))
        return GRAM_OK;
    if (f->most > 0)
        return gi_fail(GRAM_ERR_RANGE, "%s = %g, must be between 0 and %zu",
                       f->name, *x, f->most);
    return gi_fail(GRAM_ERR_RANGE, "%s = %g, must be 0 or more", f->name, *x);
}

gram_status gi_fields_check(const gram_field *fields, const void *of)
{
    gram_status status = GRAM_OK;

    for (const gram_field *f = fields; f->name; f++) {
        const void *member = (const char *)of + f->offset;

        if (f->type == GRAM_FIELD_CHOICE)
            GI_TRY(check_choice(f, member));
        else if (f->type == GRAM_FIELD_WHOLE)
            GI_TRY(check_whole(f, member));
        else if (f->type == GRAM_FIELD_REAL)
            GI_TRY(check_real(f, member));
    }
done:
    return status;
}
