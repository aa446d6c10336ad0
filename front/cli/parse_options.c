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

const cli_group cli_group_running = {.title = "running", .options = running};
const cli_group cli_group_output = {.title = "output", .options = output};
const cli_group cli_group_help = {.title = "help", .options = help};

/* ----------------------------------------------------------------- values */

static int set_flag(const cli_option *o, const char *text)
{
    (void)text;
    *(int *)o->value = 1;
    return CLI_GOOD;
}

/* Texts that were joined, which stay. */
typedef struct joined {
    struct joined *before;
    char text[];
} joined;

static int set_text(const cli_option *o, const char *text)
{
    static const char list[] = ",...";
    static joined *last;
    const char **value = o->value;
    size_t n = strlen(o->metavar);

    if (*value && n >= strlen(list) &&
        strcmp(o->metavar + n - strlen(list), list) == 0) {
        joined *j = cli_alloc(1, sizeof *j + strlen(*value) + strlen(text) + 2);

        sprintf(j->text, "%s,%s", *value, text);
        j->before = last;
        last = j;
        text = j->text;
    }
    *value = text;
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
        *(int *)o->value = (int)o->limit + found;
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
    if (errno || (o->limit && x > o->limit))
        return cli_fail("--%s: %s is too large%s", o->name, text,
                        o->limit ? "" : " for 64 bits");
    if (x < least[o->kind])
        return cli_fail("--%s: %s, must be at least %u", o->name, text,
                        least[o->kind]);
    *(size_t *)o->value = x;
    return CLI_GOOD;
}

static int set_real(const cli_option *o, const char *text)
{
    char *end = NULL;
    double x = strtod(text, &end);

    if (end == text || *end || !isfinite(x))
        return cli_fail("--%s: \"%s\" is not a finite number", o->name, text);
    if (o->limit && !(x >= 0 && x < (double)o->limit))
        return cli_fail("--%s: %s, must be between 0 and %zu", o->name, text,
                        o->limit);
    if (x < 0)
        return cli_fail("--%s: %s, must be at least 0", o->name, text);
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

/* ----------------------------------------------------------------- fields */

static const cli_kind kinds[] = {
    [GRAM_FIELD_REAL] = CLI_REAL,     [GRAM_FIELD_WHOLE] = CLI_WHOLE,
    [GRAM_FIELD_BYTES] = CLI_SIZE,    [GRAM_FIELD_FLAG] = CLI_FLAG,
    [GRAM_FIELD_CHOICE] = CLI_CHOICE, [GRAM_FIELD_CHAR] = CLI_CHAR,
    [GRAM_FIELD_TEXT] = CLI_TEXT};

/* "a|b" */
static char *join_words(const char *const *words)
{
    size_t n = 1;
    char *text, *end;

    for (const char *const *w = words; *w; w++)
        n += strlen(*w) + 1;
    end = text = cli_alloc(n, 1);
    for (const char *const *w = words; *w; w++) {
        if (w > words)
            *end++ = '|';
        end = stpcpy(end, *w);
    }
    return text;
}

/* class_weights is --class-weights. */
static char *option_name(const gram_field *f)
{
    char *name = cli_alloc(strlen(f->name) + 1, 1);

    strcpy(name, f->name);
    for (char *s = name; *s; s++)
        *s = *s == '_' ? '-' : *s;
    return name;
}

/* What the option `own`, NULL: none, does not say, the field does. */
static cli_option option_of(const gram_field *f, void *of,
                            const cli_option *own)
{
    cli_option o = own ? *own : (cli_option){.name = option_name(f)};

    if (o.kind == CLI_FIELD)
        o.kind = kinds[f->type];
    if (o.kind == CLI_WHOLE) /* or COUNT, PARTS */
        o.kind += (cli_kind)f->least;
    o.metavar = f->words ? join_words(f->words) : NULL;
    o.help = o.help ? o.help : f->help;
    o.value = o.value ? o.value : (char *)of + f->offset;
    if (o.limit == 0)
        o.limit = f->type == GRAM_FIELD_CHOICE ? f->least : f->most;
    return o;
}

/* The field of that name, or NULL. */
static const gram_field *field_of(const gram_field *f, const char *name)
{
    for (; f->name; f++) {
        size_t i = 0;

        while (name[i] && f->name[i] == (name[i] == '-' ? '_' : name[i]))
            i++;
        if (!name[i] && !f->name[i])
            return f;
    }
    return NULL;
}

/* Put the options of a group with fields together. */
static void merge(const cli_group *g, cli_option *out)
{
    const gram_field *f = g->fields(), *as;

    for (const cli_option *own = g->options; own->name; own++) {
        as = field_of(g->fields(), own->name);
        for (; as && f < as; f++)
            if (f->help)
                *out++ = option_of(f, g->of, NULL);
        *out++ = as ? option_of(f++, g->of, own) : *own;
    }
    for (; f->name; f++)
        if (f->help)
            *out++ = option_of(f, g->of, NULL);
}

const cli_option *cli_group_options(const cli_group *group)
{
    static struct merged {
        const cli_group *group;
        struct merged *next;
        cli_option options[];
    } * first;
    struct merged *m = first;
    size_t count = 1;

    if (!group->fields)
        return group->options;
    while (m && m->group != group)
        m = m->next;
    if (!m) {
        for (const cli_option *o = group->options; o->name; o++)
            count++;
        for (const gram_field *f = group->fields(); f->name; f++)
            count++;
        m = cli_alloc(1, sizeof *m + count * sizeof *m->options);
        merge(group, m->options);
        m->group = group;
        m->next = first;
        first = m;
    }
    return m->options;
}

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
            o = cli_group_options(c->groups[*group]);
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
