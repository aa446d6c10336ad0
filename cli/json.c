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

static json_t *json_column(const gram_column *c, size_t rows)
{
    json_t *list = json_array();

    for (size_t i = 0; i < rows; i++)
        json_array_append_new(
            list, c->values         ? cli_json_number(c->values[i])
                  : c->codes[i] < 0 ? json_null()
                                    : cli_json_text(c->levels[c->codes[i]]));
    return list;
}

json_t *cli_json_table(const gram_table *table)
{
    json_t *object = json_object();

    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);
        json_t *name = cli_json_text(c.name);

        json_object_set_new(object, json_string_value(name),
                            json_column(&c, gram_table_rows(table)));
        json_decref(name);
    }
    return object;
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
