/* json.c - values and objects for --json.
 *
 * JSON has no NaN and its text is UTF-8, files have both wrong: a NaN becomes
 * null, a byte that does not belong U+FFFD.  The tree is Jansson's, its text is
 * made here: Jansson would print 0.9 as 0.90000000000000002, here a number is
 * the shortest that reads back the same.
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

/* Would a number say less than the text?  Of 007 the zeros, of an identifier
 * of 20 digits the last ones. */
static int is_name(const char *text)
{
    enum { EXACT = 15 }; /* digits that a double always holds */
    size_t digits = strspn(text, "0123456789");

    return text[digits] == '\0' &&
           (digits > EXACT || (digits > 1 && *text == '0'));
}

/* Dates, and numbers that are names in the file, are texts there. */
static int has_names(const gram_table *table, size_t j)
{
    gram_column c = gram_table_column(table, j);
    int names = 0;

    for (size_t i = 0; c.values && i < gram_table_rows(table) && !names; i++) {
        const char *text = gram_table_text(table, j, i);

        names = text && !isnan(c.values[i]) &&
                (c.type == GRAM_TYPE_DATE || is_name(text));
    }
    return names;
}

static json_t *json_column(const gram_table *table, size_t j)
{
    gram_column c = gram_table_column(table, j);
    json_t *list = json_array();
    int names = has_names(table, j);

    for (size_t i = 0; i < gram_table_rows(table); i++) {
        const char *text = names ? gram_table_text(table, j, i) : NULL;

        if (c.codes)
            text = c.codes[i] < 0 ? NULL : c.levels[c.codes[i]];
        else if (isnan(c.values[i]))
            text = NULL;
        json_array_append_new(list, text       ? cli_json_text(text)
                                    : c.values ? cli_json_number(c.values[i])
                                               : json_null());
    }
    return list;
}

json_t *cli_json_table(const gram_table *table)
{
    json_t *object = json_object();

    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);
        json_t *name = cli_json_text(c.name);

        json_object_set_new(object, json_string_value(name),
                            json_column(table, j));
        json_decref(name);
    }
    return object;
}

/* ----------------------------------------------------------------- fields */

json_t *cli_json_texts(const char *const *texts, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, cli_json_text(texts[i]));
    return list;
}

/* A number, or of several outputs a list. */
static json_t *json_reals(const double *x, size_t count)
{
    json_t *list;

    if (count == 1)
        return cli_json_number(*x);
    list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, cli_json_number(x[i]));
    return list;
}

static json_t *json_lines(const char *s)
{
    json_t *list = json_array();

    while (*s) {
        size_t n = strcspn(s, "\n");

        json_array_append_new(list, json_stringn(s, n));
        s += n + (s[n] == '\n');
    }
    return list;
}

/* 0 bytes are not known. */
static json_t *json_size(const gram_field *f, const void *at)
{
    size_t x = *(const size_t *)at;

    return f->type == GRAM_FIELD_WHOLE || x > 0 ? json_integer((json_int_t)x)
                                                : json_null();
}

static json_t *json_choice(const gram_field *f, const void *at)
{
    size_t x = (size_t) * (const int *)at;

    return x >= f->least ? json_string(f->words[x - f->least]) : json_null();
}

/* NULL: a text that is not there. */
static json_t *json_field(const gram_field *f, const char *of)
{
    const void *at = of + f->offset, *count = of + f->count;

    switch (f->type) {
    case GRAM_FIELD_REAL:
        return cli_json_number(*(const double *)at);
    case GRAM_FIELD_WHOLE:
    case GRAM_FIELD_BYTES:
        return json_size(f, at);
    case GRAM_FIELD_FLAG:
        return json_boolean(*(const int *)at);
    case GRAM_FIELD_CHOICE:
        return json_choice(f, at);
    case GRAM_FIELD_CHAR:
        return json_stringn(at, 1);
    case GRAM_FIELD_LINES:
        return json_lines(at);
    case GRAM_FIELD_REALS:
        return json_reals(*(const double *const *)at, *(const size_t *)count);
    case GRAM_FIELD_TEXTS:
        return cli_json_texts(*(const char *const *const *)at,
                              *(const size_t *)count);
    case GRAM_FIELD_TEXT:
        break;
    }
    at = *(const char *const *)at;
    return at ? cli_json_text(at) : NULL;
}

json_t *cli_json_fields(const gram_field *fields, const void *of)
{
    json_t *object = json_object();

    for (const gram_field *f = fields; f->name; f++)
        if (!f->applies || f->applies(of))
            json_object_set_new(object, f->name, json_field(f, of));
    return object;
}

/* --------------------------------------------------------------- printing */

static void put_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c == '\n')
            fputs("\\n", stdout);
        else if (c < ' ' || c == 0x7f)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

/* A real number stays one: 1.0, where 1 would be whole. */
static void put_real(double x)
{
    char text[GRAM_NUMBER_ROOM];

    gram_number_print(x, text);
    fputs(text, stdout);
    if (!strpbrk(text, ".e"))
        fputs(".0", stdout);
}

/* Depth is that of what the commands make: a few. */
static void put_value(json_t *value)
{
    const char *key, *gap = "";
    json_t *part;
    size_t i;

    if (json_is_object(value)) {
        putchar('{');
        json_object_foreach(value, key, part)
        {
            fputs(gap, stdout);
            put_string(key);
            putchar(':');
            put_value(part);
            gap = ",";
        }
        putchar('}');
    } else if (json_is_array(value)) {
        putchar('[');
        json_array_foreach(value, i, part)
        {
            fputs(gap, stdout);
            put_value(part);
            gap = ",";
        }
        putchar(']');
    } else if (json_is_string(value)) {
        put_string(json_string_value(value));
    } else if (json_is_real(value)) {
        put_real(json_real_value(value));
    } else {
        json_dumpf(value, stdout, JSON_ENCODE_ANY);
    }
}

int cli_json_print(json_t *object)
{
    if (!object)
        return cli_fail("out of memory");
    put_value(object);
    putchar('\n');
    json_decref(object);
    return CLI_GOOD;
}
