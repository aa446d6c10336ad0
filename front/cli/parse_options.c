/* parse_options.c - the shared option tables, and the parser for all of them.
 *
 *   --name value   --name=value   -n value   -nvalue   -qj
 *
 * "--" ends the options; "-" alone is an operand, and so is what begins as a
 * negative number (-2*rbf).  A value may begin with one dash, not with two:
 * that is a forgotten value, and --name=--x says it if it is not.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option running[] = {
    {"threads", 0, CLI_COUNT, "N",
     "use N threads; results are the same for every N (default: one for each "
     "core)",
     &cli.threads, 1024},
    {"seed", 0, CLI_WHOLE, "S", "where random numbers start (default 0)",
     &cli.seed, 0},
    {"mem", 0, CLI_SIZE, "SIZE",
     "hold at most this much memory: 4G are 4 GiB, 512M are 512 MiB (default: "
     "three quarters of RAM)",
     &cli.memory, 0},
    {.name = NULL},
};

static const cli_option output[] = {
    {"json", 0, CLI_FLAG, NULL,
     "print one JSON object; of a failure, {\"error\": \"...\"}", &cli.json, 0},
    {"quiet", 'q', CLI_FLAG, NULL, "no progress bar, no remarks", &cli.quiet,
     0},
    {.name = NULL},
};

static const cli_option help[] = {
    {"help", 'h', CLI_FLAG, NULL, "explain the command", &cli.help, 0},
    {.name = NULL},
};

const cli_group cli_group_running = {"running", running};
const cli_group cli_group_output = {"output", output};
const cli_group cli_group_help = {"help", help};

/* ----------------------------------------------------------------- values */

static int set_flag(const cli_option *o, const char *text)
{
    (void)text;
    *(int *)o->value = 1;
    return CLI_GOOD;
}

static int set_text(const cli_option *o, const char *text)
{
    *(const char **)o->value = text;
    return CLI_GOOD;
}

static int add_to_list(const cli_option *o, const char *text)
{
    cli_list *list = o->value;
    const char **longer = cli_alloc(list->count + 1, sizeof *longer);

    for (size_t i = 0; i < list->count; i++)
        longer[i] = list->item[i];
    longer[list->count++] = text;
    free(list->item);
    list->item = longer;
    return CLI_GOOD;
}

/* "none|standard|minmax": the words are cut out to be compared and, if none
 * fits, suggested. */
static int set_choice(const cli_option *o, const char *text)
{
    enum { WORDS = 16 };
    char *copy = cli_alloc(strlen(o->metavar) + 1, 1);
    const char *word[WORDS];
    int count = 0, found = -1, code = CLI_GOOD;

    strcpy(copy, o->metavar);
    for (char *s = strtok(copy, "|"); s && count < WORDS;
         s = strtok(NULL, "|")) {
        if (strcmp(s, text) == 0)
            found = count;
        word[count++] = s;
    }
    if (found >= 0)
        *(int *)o->value = found;
    else
        code = cli_fail("--%s: \"%s\" is not one of %s%s", o->name, text,
                        o->metavar, cli_suggestion(text, word, (size_t)count));
    free(copy);
    return code;
}

static int set_whole(const cli_option *o, const char *text)
{
    static const unsigned least[] = {
        [CLI_WHOLE] = 0, [CLI_COUNT] = 1, [CLI_PARTS] = 2};
    size_t digits = strspn(text, "0123456789");
    unsigned long long x;

    errno = 0;
    x = strtoull(text, NULL, 10);
    if (digits == 0 || text[digits])
        return cli_fail("--%s: \"%s\" is not a whole number", o->name, text);
    if (errno || (o->max && x > o->max))
        return cli_fail("--%s: %s is too large%s", o->name, text,
                        o->max ? "" : " for 64 bits");
    if (x < least[o->kind])
        return cli_fail("--%s: %s, must be at least %u", o->name, text,
                        least[o->kind]);
    *(unsigned long long *)o->value = x;
    return CLI_GOOD;
}

static int set_real(const cli_option *o, const char *text)
{
    char *end = NULL;
    double x = strtod(text, &end);

    if (end == text || *end || !isfinite(x))
        return cli_fail("--%s: \"%s\" is not a finite number", o->name, text);
    *(double *)o->value = x;
    return CLI_GOOD;
}

/* Decimal digits with at most one point, then K, M, G or T (powers of 1024),
 * then B or iB if one likes. */
static int set_size(const cli_option *o, const char *text)
{
#ifdef GRAM_LOW_LIMITS /* buffers are small there */
    enum { LEAST = 1 << 10 };
#else
    enum { LEAST = 1 << 20 };
#endif
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789.");
    char *end = NULL;
    double x = strtod(text, &end);
    const char *unit = *end ? strchr(units, toupper(*end)) : NULL;

    if (digits > 0 && end == text + digits) {
        if (unit) {
            for (const char *u = units; u <= unit; u++)
                x *= 1024;
            end++;
            if (strcmp(end, "iB") == 0)
                end++;
        }
        if (strcmp(end, "B") == 0)
            end++;
        if (*end == '\0' && x >= 1 && x < LEAST)
            return cli_fail("--%s: %s, must be at least 1M: less holds no "
                            "table",
                            o->name, text);
        if (*end == '\0' && x >= 1 && x < 0x1p63) {
            *(size_t *)o->value = (size_t)x;
            return CLI_GOOD;
        }
    }
    return cli_fail("--%s: \"%s\" is not a size such as 4G, 1.5G or 512M",
                    o->name, text);
}

static int set_char(const cli_option *o, const char *text)
{
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        text = "\t";
    if (strlen(text) != 1)
        return cli_fail("--%s: \"%s\" is not one character, nor \"tab\"",
                        o->name, text);
    *(char *)o->value = *text;
    return CLI_GOOD;
}

static int (*const setters[])(const cli_option *, const char *) = {
    [CLI_FLAG] = set_flag,    [CLI_TEXT] = set_text,
    [CLI_LIST] = add_to_list, [CLI_CHOICE] = set_choice,
    [CLI_WHOLE] = set_whole,  [CLI_COUNT] = set_whole,
    [CLI_PARTS] = set_whole,  [CLI_REAL] = set_real,
    [CLI_SIZE] = set_size,    [CLI_CHAR] = set_char,
};

/* ---------------------------------------------------------------- parsing */

/* The option after `o` in all tables of the command; the first after NULL. */
static const cli_option *next_option(const cli_command *c, const cli_option *o,
                                     size_t *group)
{
    if (o)
        o++;
    else
        *group = 0;
    while (c->groups[*group]) {
        if (!o)
            o = c->groups[*group]->options;
        if (o->name)
            return o;
        o = NULL;
        ++*group;
    }
    return NULL;
}

/* `n` bytes of `name`, or if n = 0 its first byte as a letter. */
static const cli_option *find(const cli_command *c, const char *name, size_t n)
{
    size_t group;
    const cli_option *o = NULL;

    while ((o = next_option(c, o, &group)))
        if (n ? strncmp(o->name, name, n) == 0 && !o->name[n]
              : o->letter && o->letter == *name)
            break;
    return o;
}

static int unknown(const cli_command *c, const char *word, size_t n)
{
    enum { NAMES = 64 };
    char names[NAMES][32], given[64];
    const char *name[NAMES];
    const cli_option *o = NULL;
    size_t group, count = 0;

    snprintf(given, sizeof given, "%.*s", (int)n, word);
    while (count < NAMES && (o = next_option(c, o, &group))) {
        snprintf(names[count], sizeof names[count], "--%s", o->name);
        name[count] = names[count];
        count++;
    }
    const char *near = cli_suggestion(given, name, count);
    return cli_usage("unknown option \"%s\"%s", given, near);
}

/* --name, --name=value, --name value; *i moves over a value taken. */
static int parse_long(const cli_command *c, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const cli_option *o = find(c, word + 2, n - 2);
    const char *value = equals ? equals + 1 : NULL;

    if (!o)
        return unknown(c, word, n);
    if (o->kind == CLI_FLAG) {
        if (value)
            return cli_usage("--%s takes no value", o->name);
    } else if (!value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return cli_usage("--%s needs a value: --%s %s", o->name, o->name,
                             o->metavar);
        value = argv[++*i];
    }
    return setters[o->kind](o, value);
}

/* -x, -xvalue, -x value, and flags in one word. */
static int parse_letters(const cli_command *c, int argc, char **argv, int *i)
{
    int code = CLI_GOOD;

    for (const char *s = argv[*i] + 1; *s && code == CLI_GOOD; s++) {
        const cli_option *o = find(c, s, 0);
        if (!o)
            return unknown(c, argv[*i], strlen(argv[*i]));
        if (o->kind == CLI_FLAG) {
            code = set_flag(o, NULL);
            continue;
        }
        if (!s[1] && *i + 1 >= argc)
            return cli_usage("-%c needs a value: -%c %s", o->letter, o->letter,
                             o->metavar);
        return setters[o->kind](o, s[1] ? s + 1 : argv[++*i]);
    }
    return code;
}

static int is_operand(const char *word)
{
    return *word != '-' || !word[1] || strchr("0123456789.", word[1]);
}

int cli_options_parse(const cli_command *c, int argc, char **argv, int *count)
{
    int code = CLI_GOOD, ended = 0;

    *count = 0;
    for (int i = 0; i < argc && code == CLI_GOOD && !cli.help; i++) {
        char *word = argv[i];
        if (ended || is_operand(word))
            argv[(*count)++] = word;
        else if (strcmp(word, "--") == 0)
            ended = 1;
        else if (word[1] == '-')
            code = parse_long(c, argc, argv, &i);
        else
            code = parse_letters(c, argc, argv, &i);
    }
    return code;
}
