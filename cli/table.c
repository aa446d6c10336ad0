/* table.c - reading a table as the command line asks for it.
 *
 * The options of every command that reads data, and the functions
 * that turn them into a table.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { HEADER_YES, HEADER_NO }; /* as in the metavar of --header */

static struct {
    const char *format, *weights, *noise, *group;
    cli_list types, drop, target;
    int header, missing;
    char separator;
} given = {.header = -1, .missing = -1};

static const cli_option options[] = {
    {"format", 0, CLI_TEXT, "FORMAT",
     "the format of the file (default: by name and content)", &given.format, 0},
    {"types", 0, CLI_LIST, "COL=TYPE,...",
     "types of columns: number, category, text, date", &given.types, 0},
    {"drop", 0, CLI_LIST, "COL,...",
     "leave out columns: names, indices, ranges 3:5, patterns temp*",
     &given.drop, 0},
    {"header", 0, CLI_CHOICE, "yes|no",
     "is the first line of a CSV file a header? (default: look)", &given.header,
     0},
    {"separator", 0, CLI_CHAR, "C",
     "what separates the cells of a CSV file, as in ';' or tab (default: look)",
     &given.separator, 0},
    {"missing", 0, CLI_CHOICE, "refuse|keep|drop|mean|indicator",
     "missing cells: an error, left as they are, their rows left out, filled "
     "with the mean, or filled and marked in a column of their own",
     &given.missing, 0},
    {"target", 't', CLI_LIST, "COL",
     "the column to predict; may be repeated, may be an .npy file",
     &given.target, 0},
    {"weights", 0, CLI_TEXT, "COL", "the column of row weights", &given.weights,
     0},
    {"noise", 0, CLI_TEXT, "COL", "the column of known noise variances",
     &given.noise, 0},
    {"group", 0, CLI_TEXT, "COL", "the column of rows that belong together",
     &given.group, 0},
    {.name = NULL},
};

const cli_group cli_group_reading = {"reading", options};

/* The values with commas between them, or NULL if there are none. */
static char *join(const cli_list *list)
{
    size_t n = 0;
    char *text, *end;

    if (list->count == 0)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        n += strlen(list->item[i]) + 1;
    end = text = cli_alloc(n, 1);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            *end++ = ',';
        end = stpcpy(end, list->item[i]);
    }
    return text;
}

static int set_role(const char *path, gram_table *table, const char *name,
                    gram_role role)
{
    if (!name || gram_table_set_role(table, name, role) == GRAM_OK)
        return CLI_GOOD;
    return cli_fail("%s: %s", cli_path(path, "standard input"),
                    gram_error_message());
}

/* A target that was named takes the place of the file's own. */
static void drop_targets(gram_table *table)
{
    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);

        if (c.role == GRAM_ROLE_TARGET)
            gram_table_set_role(table, c.name, GRAM_ROLE_FEATURE);
    }
}

static int set_roles(const char *path, gram_table *table)
{
    int code = CLI_GOOD;

    if (given.target.count > 0)
        drop_targets(table);
    for (size_t i = 0; i < given.target.count; i++)
        CLI_TRY(set_role(path, table, given.target.item[i], GRAM_ROLE_TARGET));
    CLI_TRY(set_role(path, table, given.weights, GRAM_ROLE_WEIGHT));
    CLI_TRY(set_role(path, table, given.noise, GRAM_ROLE_NOISE));
    CLI_TRY(set_role(path, table, given.group, GRAM_ROLE_GROUP));
done:
    return code;
}

const char *cli_path(const char *path, const char *dash)
{
    return strcmp(path, "-") == 0 ? dash : path;
}

int cli_table_read_other(const char *path, gram_missing missing,
                         gram_table **out, double *seconds)
{
    char *types = join(&given.types), *drop = join(&given.drop);
    gram_read_options read = {.format = given.format,
                              .types = types,
                              .drop = drop,
                              .separator = given.separator,
                              .missing = missing};

    if (given.header >= 0)
        read.header = given.header == HEADER_YES ? 1 : -1;
    if (given.missing >= 0)
        read.missing = (gram_missing)given.missing;
    gram_exec exec = cli_exec("reading");
    double start = cli_clock();
    int code = cli_status(gram_table_read(path, &read, &exec, out));
    *seconds = cli_clock() - start;
    free(types);
    free(drop);
    return code;
}

int cli_table_read(const char *path, gram_missing missing, gram_table **out,
                   double *seconds)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;

    CLI_TRY(cli_table_read_other(path, missing, &table, seconds));
    CLI_TRY(set_roles(path, table));
    *out = table;
    table = NULL;
done:
    gram_table_free(table);
    return code;
}
