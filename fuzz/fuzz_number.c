/* fuzz_number.c - the number parser against strtod_l in the C locale.
 *
 * Any bytes: they must be read as far as strtod_l reads them, to the same
 * bits.  What strtod_l takes and the parser does not (space, hex, inf, nan)
 * is sorted out first.  Every value met, and the first eight bytes as a
 * double, must survive being printed and parsed.
 */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void must_return(double x)
{
    char s[GI_NUMBER_ROOM];
    size_t n = gi_number_print(x, s);
    double y;

    must(n < GI_NUMBER_ROOM && s[n] == '\0');
    if (isfinite(x))
        must(gi_number_whole(s, s + n, &y) && memcmp(&x, &y, sizeof x) == 0);
}

/* *length of the number at the start of the NUL-terminated s, 0 if none. */
static double reference(const char *s, size_t *length)
{
    const char *p = s + (*s == '-' || *s == '+');
    char *end;
    double x;

    *length = 0;
    if (!isdigit((unsigned char)*p) && *p != '.')
        return 0;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        *length = (size_t)(p + 1 - s);
        return *s == '-' ? -0.0 : 0.0;
    }
    x = strtod_l(s, &end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
    *length = (size_t)(end - s);
    return x;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *s = (const char *)data, *p;
    char *copy = malloc(n + 1);
    size_t length;
    double x, y;

    must(copy != NULL);
    memcpy(copy, data, n);
    copy[n] = '\0';
    y = reference(copy, &length);
    p = gi_number_parse(s, s + n, &x);
    must((p == NULL) == (length == 0));
    if (p) {
        must(p == s + length && memcmp(&x, &y, sizeof x) == 0);
        must_return(x);
    }
    if (n >= sizeof x) {
        memcpy(&x, data, sizeof x);
        must_return(x);
    }
    free(copy);
    return 0;
}
