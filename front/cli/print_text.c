/* print_text.c - text for people: alignment by what the eye sees, short
 * numbers.
 *
 * Names come from files, so a cell may hold any bytes: what is not printable
 * UTF-8 is shown as "?", and no escape sequence of a file reaches the
 * terminal.  Pictures (bars, "...") are Unicode only where the locale says
 * that it is shown.
 */
#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "cli.h"

enum { PAGE = 80 };

static const cli_glyphs unicode = {
    .bar = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    .ellipsis = "…",
    .plus_minus = "±",
    .times = "×",
    .down = "│  ",
    .item = "├─ ",
    .last = "└─ "};
static const cli_glyphs ascii = {
    .bar = {" ", ".", ":", "-", "=", "+", "*", "%", "#"},
    .ellipsis = "~",
    .plus_minus = "+-",
    .times = "x",
    .down = "|  ",
    .item = "|- ",
    .last = "`- "};

static const cli_glyphs *glyphs = &ascii;

/* Only LC_CTYPE: numbers keep their point.  Data are taken as UTF-8 even
 * where the locale is plain C, as in a container, and handed through. */
void cli_text_start(void)
{
    if (setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        glyphs = &unicode;
    else
        setlocale(LC_CTYPE, "C.UTF-8");
}

const cli_glyphs *cli_glyphs_get(void)
{
    return glyphs;
}

size_t cli_columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > PAGE)
        return size.ws_col;
    return PAGE;
}

/* ------------------------------------------------------------------ width */

/* A character as it will be printed. */
typedef struct glyph {
    const char *bytes;
    size_t n, width, taken; /* taken: bytes of the source */
} glyph;

static glyph next_glyph(const char *s)
{
    mbstate_t state = {0};
    wchar_t c;
    size_t n = mbrtowc(&c, s, strlen(s), &state);

    if (n > strlen(s))
        return (glyph){"?", 1, 1, 1};
    int width = wcwidth(c);
    if (width < 0)
        return (glyph){"?", 1, 1, n};
    return (glyph){s, n, (size_t)width, n};
}

size_t cli_width(const char *s)
{
    size_t width = 0;

    while (*s) {
        glyph g = next_glyph(s);
        width += g.width;
        s += g.taken;
    }
    return width;
}

/* As much of s as fits in `width`; returns the columns used. */
static size_t put_within(FILE *out, const char *s, size_t width)
{
    size_t used = 0;

    while (*s) {
        glyph g = next_glyph(s);
        if (used + g.width > width)
            break;
        fwrite(g.bytes, 1, g.n, out);
        used += g.width;
        s += g.taken;
    }
    return used;
}

void cli_put(FILE *out, const char *s)
{
    put_within(out, s, (size_t)-1);
}

void cli_cell(FILE *out, const char *s, size_t width)
{
    size_t used = 0;

    if (width == 0)
        return;
    if (cli_width(s) <= width) {
        used = put_within(out, s, width);
    } else {
        used = put_within(out, s, width - 1) + 1;
        fputs(glyphs->ellipsis, out);
    }
    fprintf(out, "%*s", (int)(width - used), "");
}

void cli_cell_right(FILE *out, const char *s, size_t width)
{
    size_t used = cli_width(s);

    fprintf(out, "%*s", used < width ? (int)(width - used) : 0, "");
    cli_cell(out, s, used < width ? used : width);
}

/* Bytes of the word at s. */
static size_t word_length(const char *s)
{
    return strcspn(s, " \n");
}

void cli_wrap(FILE *out, const char *s, size_t indent, size_t column)
{
    size_t at = column > indent ? column : indent;
    int fresh = 1; /* nothing on this line yet */

    fprintf(out, "%*s", (int)(at - column), "");
    while (*s) {
        size_t n = word_length(s);
        if (n > 0 && !fresh && at + 1 + n >= PAGE) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            fresh = 1;
        }
        fprintf(out, "%s%.*s", n == 0 || fresh ? "" : " ", (int)n, s);
        at += n + (n > 0 && !fresh);
        fresh = fresh && n == 0;
        s += n;
        if (strncmp(s, "\n\n", 2) == 0) {
            fprintf(out, "\n\n%*s", (int)indent, "");
            at = indent;
            fresh = 1;
        }
        s += strspn(s, " \n");
    }
    fputc('\n', out);
}

/* Bin i of `width` adds up a run of counts; a bin that is not empty shows. */
void cli_bars(FILE *out, const size_t *counts, size_t n, size_t width)
{
    size_t bin[GRAM_HISTOGRAM_BINS] = {0}, most = 0, last = 0;

    if (width > n)
        width = n;
    for (size_t i = 0; i < n; i++) {
        size_t k = i * width / n;
        bin[k] += counts[i];
        if (bin[k] > most)
            most = bin[k];
        if (bin[k] > 0)
            last = k + 1;
    }
    for (size_t i = 0; i < last; i++)
        fputs(glyphs->bar[most ? (bin[i] * 8 + most - 1) / most : 0], out);
}

/* ---------------------------------------------------------------- numbers */

/* 1.5e-07 -> 1.5e-7, 1e+30 -> 1e30 */
static void shorten_exponent(char *s)
{
    char *to = strchr(s, 'e'), *from = to;

    if (!to)
        return;
    to++;
    from++;
    if (*from == '-')
        *to++ = *from++;
    else if (*from == '+')
        from++;
    while (*from == '0' && isdigit((unsigned char)from[1]))
        from++;
    memmove(to, from, strlen(from) + 1);
}

/* Whole numbers as they are as long as they are short. */
char *cli_number(char out[CLI_ROOM], double x, int digits)
{
    double size = fabs(x);

    if (isnan(x))
        strcpy(out, "-");
    else if ((size < 1e7 && x == floor(x)) ||
             (size < 1e6 && size >= pow(10, digits)))
        snprintf(out, CLI_ROOM, "%.0f", x + 0.0);
    else
        snprintf(out, CLI_ROOM, "%.*g", digits, x);
    shorten_exponent(out);
    return out;
}

char *cli_bytes(char out[CLI_ROOM], size_t bytes)
{
    return gram_bytes_print((double)bytes, out);
}

char *cli_duration(char out[CLI_ROOM], double seconds)
{
    double s = floor(seconds + 0.5);

    if (seconds < 0.5)
        snprintf(out, CLI_ROOM, "a moment");
    else if (s < 60)
        snprintf(out, CLI_ROOM, "%.0f s", s);
    else if (s < 3600)
        snprintf(out, CLI_ROOM, "%.0f min %.0f s", floor(s / 60), fmod(s, 60));
    else
        snprintf(out, CLI_ROOM, "%.0f h %.0f min", floor(s / 3600),
                 floor(fmod(s, 3600) / 60));
    return out;
}

/* Days since 1970-01-01; far from the calendar they stay a number. */
char *cli_date(char out[CLI_ROOM], double days, int with_time)
{
    struct tm t;

    if (!(fabs(days) < 3e6))
        return cli_number(out, days, 6);
    time_t seconds = (time_t)floor(days * 86400 + 0.5);
    gmtime_r(&seconds, &t);
    int n = snprintf(out, CLI_ROOM, "%04d-%02d-%02d", t.tm_year + 1900,
                     t.tm_mon + 1, t.tm_mday);
    if (with_time)
        snprintf(out + n, CLI_ROOM - (size_t)n, "T%02d:%02d:%02d", t.tm_hour,
                 t.tm_min, t.tm_sec);
    return out;
}
