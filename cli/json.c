/* json.c - values and objects for --json.
 *
 * JSON has no NaN and its text is UTF-8, files have both wrong: a NaN becomes
 * null, a byte that does not belong U+FFFD.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli.h"

json_t *cli_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* cli_text_start() saw to it that mbrtowc() reads UTF-8. */
json_t *cli_json_text(const char *s)
{
    json_t *text = json_string(s);
    char *mended, *end;

    if (text)
        return text;
    end = mended = cli_alloc(3 * strlen(s) + 1, 1);
    while (*s) {
        mbstate_t state = {0};
        size_t n = mbrtowc(NULL, s, strlen(s), &state);
        if (n > strlen(s)) {
            end = stpcpy(end, "\xef\xbf\xbd");
            s++;
        } else {
            end = mempcpy(end, s, n);
            s += n;
        }
    }
    text = json_string(mended);
    free(mended);
    return text;
}

int cli_json_print(json_t *object)
{
    if (!object)
        return cli_fail("out of memory");
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
    return CLI_GOOD;
}
