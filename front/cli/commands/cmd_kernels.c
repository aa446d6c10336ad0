/* cmd_kernels.c - gram kernels: the catalogue, from the registry.
 *
 * Classes and maps say all there is to say about themselves; here it is put in
 * words.  Only the functions of kernels, which are grammar and not classes,
 * have a table of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "gram_plugin.h"

enum { NAME_COLUMN = 16, PARAM_COLUMN = 12 };

static int only_maps;

static const cli_option options[] = {
    {"maps", 0, CLI_FLAG, NULL, "list the maps phi of map(phi, k)", &only_maps,
     0},
    {"json", 0, CLI_FLAG, NULL, "print one JSON object", &cli.json, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static const struct function {
    const char *text, *formula;
} functions[] = {
    {"k1 + k2", "sum; a*k with a number a >= 0"},
    {"k1 * k2", "product"},
    {"k^n", "whole power"},
    {"exp(k)", "exp(k(x,t))"},
    {"normalize(k)", "k(x,t) / sqrt(k(x,x) k(t,t))"},
    {"map(phi, k)", "k(phi(x), phi(t)); gram kernels --maps lists phi"},
    {"weight(c, k)", "f(x) k(x,t) f(t), f the column c"},
    {"k[a,b]", "k on the columns a and b only"},
};

static const char *const ranges[] = {
    [GRAM_REAL] = "any number",
    [GRAM_POSITIVE] = "> 0",
    [GRAM_NONNEGATIVE] = ">= 0",
    [GRAM_FRACTION] = "> 0 and < 1",
    [GRAM_SHARE] = "> 0 and <= 1",
    [GRAM_NATURAL] = "0, 1, 2, ...",
    [GRAM_COUNT] = "1, 2, 3, ...",
    [GRAM_FLAG] = "a flag, given by its name",
    [GRAM_FILE] = "a file name in quotes",
};

static const struct trait {
    unsigned flag;
    const char *key, *words;
} traits[] = {
    {GRAM_KERNEL_UNIVERSAL, "universal",
     "universal: sees every difference of distributions"},
    {GRAM_KERNEL_STATIONARY, "stationary", "stationary: a function of x - t"},
    {GRAM_KERNEL_DIVISIBLE, "divisible",
     "infinitely divisible: k^p is a kernel for every p > 0"},
    {GRAM_KERNEL_NONNEGATIVE, "nonnegative",
     "domain: its columns must be >= 0"},
    {GRAM_KERNEL_CATEGORIES, "categories",
     "compares category columns as they are"},
    {GRAM_KERNEL_SCALED, "scaled",
     "wants columns of similar scales: map(standardize, k)"},
    {GRAM_KERNEL_FEATURES, "features",
     "explicit features: gram features writes them"},
    {GRAM_KERNEL_NO_COLUMNS, "no_columns", "does not look at columns"},
};

enum { TRAITS = sizeof traits / sizeof *traits };

/* ------------------------------------------------------------- parameters */

/* gamma = 1/(2 sigma^2): factor * this^power of what it stands for */
static void say_conversion(FILE *out, const gram_param *all,
                           const gram_param *p)
{
    char number[CLI_ROOM];
    int below = p->power < 0;
    double factor = below ? 1 / p->factor : p->factor;
    int both = below && factor != 1;

    fprintf(out, "%s = %s", all[p->stands_for - 1].name, below ? "1/" : "");
    fputs(both ? "(" : "", out);
    if (factor != 1)
        fprintf(out, "%s ", cli_number(number, factor, 6));
    fputs(p->name, out);
    if (fabs(p->power) != 1)
        fprintf(out, "^%s", cli_number(number, fabs(p->power), 6));
    fputs(both ? ")" : "", out);
}

static void say_range(FILE *out, const gram_param *all, const gram_param *p)
{
    char number[CLI_ROOM];

    (void)all;
    if (!p->choices)
        fputs(ranges[p->range], out);
    for (const double *c = p->choices; c && !isnan(*c); c++)
        fprintf(out, "%s%s", c == p->choices ? "one of " : ", ",
                cli_number(number, *c, 6));
}

static void say_default(FILE *out, const gram_param *all, const gram_param *p)
{
    char number[CLI_ROOM];

    (void)all;
    if (p->range == GRAM_FILE)
        fputs("must be given", out);
    else if (isnan(p->value))
        fputs("learned unless given", out);
    else
        fprintf(out, "default %s",
                isinf(p->value) ? "all" : cli_number(number, p->value, 6));
}

/* In a map every list is one per column, in a kernel those with ard. */
static int has_flag(const gram_param *all)
{
    for (; all->name; all++)
        if (all->range == GRAM_FLAG)
            return 1;
    return 0;
}

/* > 0, learned unless given, one per column with ard: inverse squared length */
static void say_param(FILE *out, const gram_param *all, const gram_param *p)
{
    say_range(out, all, p);
    if (p->stands_for) {
        fputs(", for ", out);
        say_conversion(out, all, p);
    } else if (p->range != GRAM_FLAG) {
        fputs(", ", out);
        say_default(out, all, p);
    }
    if (p->per_column)
        fprintf(out, ", one per column%s", has_flag(all) ? " with ard" : "");
    if (p->help && *p->help)
        fprintf(out, ": %s", p->help);
}

/* What `say` prints; the caller frees it. */
static char *text_of(void (*say)(FILE *, const gram_param *,
                                 const gram_param *),
                     const gram_param *all, const gram_param *p)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (out)
        say(out, all, p);
    if (!out || fclose(out))
        exit(cli_fail("out of memory"));
    return text;
}

static void print_params(const gram_param *params)
{
    if (params && params->name)
        puts("\nparameters:");
    for (const gram_param *p = params; p && p->name; p++) {
        char *text = text_of(say_param, params, p);
        int n = printf("  %-*s", PARAM_COLUMN - 2, p->name);
        cli_wrap(stdout, text, PARAM_COLUMN, (size_t)n);
        free(text);
    }
}

static json_t *json_taken(char *text)
{
    json_t *json = cli_json_text(text);

    free(text);
    return json;
}

static json_t *json_params(const gram_param *params)
{
    json_t *list = json_array();

    for (const gram_param *p = params; p && p->name; p++) {
        int open = p->range != GRAM_FILE && isnan(p->value) && !p->stands_for;
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:b, s:b, s:o, s:o}", "name", p->name,
                      "range", json_taken(text_of(say_range, params, p)),
                      "default", cli_json_number(p->value), "learned", open,
                      "per_column", p->per_column, "conversion",
                      p->stands_for
                          ? json_taken(text_of(say_conversion, params, p))
                          : json_null(),
                      "help", cli_json_text(p->help ? p->help : "")));
    }
    return list;
}

/* ---------------------------------------------------------------- kernels */

/* What has a proof is PSD for all values.  Others are judged with their
 * defaults, and with ones should these be a special case that is PSD. */
static gram_verdict judge(const gram_kernel_class *c)
{
    enum { PARAMS = 64 };
    double value[PARAMS], one[PARAMS];

    if (c->proof || !c->judge)
        return (gram_verdict){.psd = GRAM_PSD_CERTIFIED, .why = c->proof};
    for (size_t i = 0; i < PARAMS; i++)
        one[i] = value[i] = 1;
    for (size_t i = 0; c->params && c->params[i].name && i < PARAMS; i++)
        value[i] = c->params[i].value;
    return c->judge(c->judge(value).psd == GRAM_PSD_CERTIFIED ? one : value);
}

static const struct word {
    const char *key, *head;
} words[] = {
    [GRAM_PSD_CERTIFIED] = {"certified", "PSD: "},
    [GRAM_PSD_REFUTED] = {"refuted", "not PSD in general: "},
    [GRAM_PSD_UNKNOWN] = {"unknown", "PSD or not, it depends: "},
};

static json_t *json_kernel(const gram_kernel_class *c)
{
    gram_verdict v = judge(c);
    json_t *list = json_array();

    for (size_t i = 0; i < TRAITS; i++)
        if (c->flags & traits[i].flag)
            json_array_append_new(list, json_string(traits[i].key));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "name", c->name,
                     "formula", c->formula, "psd", words[v.psd].key, "why",
                     v.why ? cli_json_text(v.why) : json_null(), "instead",
                     v.instead ? cli_json_text(v.instead) : json_null(),
                     "traits", list, "parameters", json_params(c->params));
}

static int explain_kernel(const gram_kernel_class *c)
{
    gram_verdict v = judge(c);

    if (cli.json)
        return cli_json_print(json_kernel(c));
    printf("%s: ", c->name);
    cli_wrap(stdout, c->formula, 2, strlen(c->name) + 2);
    print_params(c->params);
    putchar('\n');
    if (v.why)
        cli_wrap(stdout, v.why, 0, (size_t)printf("%s", words[v.psd].head));
    if (v.instead)
        printf("use instead: %s\n", v.instead);
    if (c->flags)
        puts("\nproperties:");
    for (size_t i = 0; i < TRAITS; i++)
        if (c->flags & traits[i].flag)
            printf("  %s\n", traits[i].words);
    return CLI_GOOD;
}

static int list_kernels(void)
{
    const gram_kernel_class *c;
    json_t *list = json_array();

    for (size_t i = 0; cli.json && (c = gram_kernel_class_at(i)); i++)
        json_array_append_new(list, json_kernel(c));
    if (cli.json)
        return cli_json_print(json_pack("{s:o}", "kernels", list));
    json_decref(list);
    puts("kernels:");
    for (size_t i = 0; (c = gram_kernel_class_at(i)); i++) {
        int n = printf("  %-*s", NAME_COLUMN - 2, c->name);
        cli_wrap(stdout, c->formula, NAME_COLUMN, (size_t)n);
    }
    puts("\nmade of kernels:");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        printf("  %-*s%s\n", NAME_COLUMN - 2, functions[i].text,
               functions[i].formula);
    puts("\n  gram kernels NAME   parameters, why it is a kernel, and more\n"
         "  gram check SPEC     the proof for an expression");
    return CLI_GOOD;
}

/* ------------------------------------------------------------------- maps */

static json_t *json_map(const gram_map_class *m)
{
    return json_pack("{s:s, s:s, s:s, s:o}", "name", m->name, "formula",
                     m->formula, "help", m->help, "parameters",
                     json_params(m->params));
}

static int explain_map(const gram_map_class *m)
{
    if (cli.json)
        return cli_json_print(json_map(m));
    printf("%s: ", m->name);
    cli_wrap(stdout, m->formula, 2, strlen(m->name) + 2);
    print_params(m->params);
    putchar('\n');
    cli_wrap(stdout, m->help, 0, 0);
    printf("written map(%s, k)\n", m->name);
    return CLI_GOOD;
}

static int list_maps(void)
{
    const gram_map_class *m;
    json_t *list = json_array();

    for (size_t i = 0; cli.json && (m = gram_map_at(i)); i++)
        json_array_append_new(list, json_map(m));
    if (cli.json)
        return cli_json_print(json_pack("{s:o}", "maps", list));
    json_decref(list);
    puts("maps, phi of map(phi, k):");
    for (size_t i = 0; (m = gram_map_at(i)); i++) {
        int n = printf("  %-*s", NAME_COLUMN - 2, m->name);
        cli_wrap(stdout, m->formula, NAME_COLUMN, (size_t)n);
    }
    return CLI_GOOD;
}

/* ---------------------------------------------------------------- command */

/* A kernel of that name first, then a map; with --maps only maps. */
static int explain(const char *name)
{
    enum { NAMES = 256 };
    const char *names[NAMES];
    const gram_kernel_class *c;
    const gram_map_class *m;
    size_t count = 0;

    for (size_t i = 0; !only_maps && (c = gram_kernel_class_at(i)); i++) {
        if (strcmp(c->name, name) == 0)
            return explain_kernel(c);
        if (count < NAMES)
            names[count++] = c->name;
    }
    for (size_t i = 0; (m = gram_map_at(i)); i++) {
        if (strcmp(m->name, name) == 0)
            return explain_map(m);
        if (count < NAMES)
            names[count++] = m->name;
    }
    const char *near = cli_suggestion(name, names, count);
    return cli_fail("no %s \"%s\"%s", only_maps ? "map" : "kernel", name,
                    *near ? near : " (\"gram kernels\" lists them)");
}

static int run(int count, char **operands)
{
    if (count > 0)
        return explain(operands[0]);
    return only_maps ? list_maps() : list_kernels();
}

const cli_command cmd_kernels = {
    .operands = "[KERNEL]",
    .most = 1,
    .about = "List the kernels with their formulas, x and t being two rows; or "
             "explain one of them, or a map: its parameters with ranges and "
             "defaults, why it is positive semidefinite (PSD), and what else "
             "is known about it. docs/manual/kernels.md has the language.",
    .examples = "gram kernels\n"
                "gram kernels rbf\n"
                "gram kernels --maps\n",
    .groups = {&own, &cli_group_help},
    .run = run,
};
