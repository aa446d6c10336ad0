/* status.c - the sentence of the last failure, one a thread.
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1024 };

static _Thread_local char sentence[ROOM];

const char *gram_error_message(void)
{
    return sentence;
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
    int n = vsnprintf(sentence, ROOM, format, args);

    if (n >= ROOM)
        close_utf8(sentence, ROOM - 1);
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
    char rest[ROOM];
    va_list args;
    size_t n;

    if (status == GRAM_OK)
        return status;
    memcpy(rest, sentence, ROOM);
    va_start(args, format);
    write_sentence(format, args);
    va_end(args);
    n = strlen(sentence);
    if (n + 2 < ROOM) {
        memcpy(sentence + n, ": ", 2);
        memcpy(sentence + n + 2, rest, ROOM - n - 2);
        sentence[ROOM - 1] = '\0';
    }
    return status;
}

gram_status gi_check_choice(const char *name, int x, int least, int most)
{
    return x >= least && x <= most
               ? GRAM_OK
               : gi_fail(GRAM_ERR_RANGE, "%s = %d, must be %d to %d", name, x,
                         least, most);
}
