/* print_table.c - reading and writing tables as the command line asks for it.
 *
 * The options of every command that reads data, the functions that turn them
 * into a table, and where tables and models that are made go.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static gram_read_options options;

enum { HEADER_YES, HEADER_NO }; /* as in the metavar of --header */

static struct {
    const char *weights, *noise, *group;
    cli_list target;
    int header;
} given = {.header = -1};

static const cli_option own[] = {
    {.name = "drop"},
    {"header", 0, CLI_CHOICE, "yes|no",
     "is the first line of a CSV file a header? (default: look)", &given.header,
     0},
    {.name = "missing"},
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

const cli_group cli_group_reading = {"reading", own, gram_read_option_fields,
                                     &options};

static int set_role(const char *path, gram_table *table, const char *name,
                    gram_role role)
{
    if (!name)
        return CLI_GOOD;
    return cli_status_of(path, gram_table_set_role(table, name, role));
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

/* Without --target the targets are `names`; without those the file's own. */
static int set_roles(const char *path, gram_table *table,
                     const char *const *names, size_t count)
{
    int code = CLI_GOOD;

    if (given.target.count > 0) {
        names = (const char *const *)given.target.item;
        count = given.target.count;
    }
    if (count > 0)
        drop_targets(table);
    for (size_t i = 0; i < count; i++)
        CLI_TRY(set_role(path, table, names[i], GRAM_ROLE_TARGET));
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

const char *const cli_all_columns[] = {"*", NULL};

void cli_table_keep_texts(const char *const *columns)
{
    options.verbatim = columns;
}

gram_missing cli_missing(void)
{
    return options.missing;
}

int cli_fills(void)
{
    return cli_missing() == GRAM_MISSING_MEAN ||
           cli_missing() == GRAM_MISSING_INDICATOR;
}

static gram_missing policy(gram_missing missing)
{
    return options.missing ? options.missing : missing;
}

/* m: whose rows they will be, NULL: nobody's. */
static int read_table(const char *path, const gram_machine *m,
                      gram_missing missing, gram_table **out, double *seconds)
{
    gram_read_options read = options;

    read.missing = missing;
    if (given.header >= 0)
        read.header = given.header == HEADER_YES ? 1 : -1;
    gram_exec exec = cli_exec("reading");
    double start = cli_clock();
    int code = cli_status(m ? gram_table_read_for(m, path, &read, &exec, out)
                            : gram_table_read(path, &read, &exec, out));
    *seconds = cli_clock() - start;
    return code;
}

int cli_table_read_other(const char *path, gram_missing missing,
                         gram_table **out, double *seconds)
{
    return read_table(path, NULL, policy(missing), out, seconds);
}

int cli_table_read_sample(const char *path, gram_table **out, double *seconds)
{
    return read_table(path, NULL,
                      cli_fills() ? GRAM_MISSING_KEEP
                                  : policy(GRAM_MISSING_REFUSE),
                      out, seconds);
}

/* Rows for a model if m is not NULL; roles without --target are those of
 * `names`. */
static int read_roles(const char *path, const gram_machine *m,
                      const char *const *names, size_t count, gram_table **out,
                      double *seconds)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;

    CLI_TRY(read_table(path, m, GRAM_MISSING_KEEP, &table, seconds));
    CLI_TRY(set_roles(path, table, names, count));
    *out = table;
    table = NULL;
done:
    gram_table_free(table);
    return code;
}

int cli_table_read_kept(const char *path, gram_table **out, double *seconds)
{
    return read_roles(path, NULL, NULL, 0, out, seconds);
}

/* Missing cells wait for the roles, which say what may be filled in. */
int cli_table_read(const char *path, gram_missing missing, gram_table **out,
                   double *seconds)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;

    CLI_TRY(cli_table_read_kept(path, &table, seconds));
    gram_exec exec = cli_exec("reading");
    CLI_TRY(cli_status_of(
        path, gram_table_fill_missing(table, policy(missing), &exec)));
    *out = table;
    table = NULL;
done:
    gram_table_free(table);
    return code;
}

int cli_table_read_for(const gram_machine *m, const char *path, int roles,
                       gram_table **out, double *seconds)
{
    const gram_report *r = gram_machine_report(m);

    return roles ? read_roles(path, m, r->target, r->targets, out, seconds)
                 : read_table(path, m, GRAM_MISSING_KEEP, out, seconds);
}

/* ---------------------------------------------------------------- writing */

/* Files are replaced by a new one of their folder, which must be writable. */
static int can_replace(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path))
              : strdup(".");

    if (!folder)
        exit(cli_fail("out of memory"));
    int good = access(folder, W_OK | X_OK) == 0;
    free(folder);
    return good;
}

int cli_output_begin(const char *path, const char *data)
{
    struct stat to, from;

    if (!path || strcmp(path, "-") == 0)
        return CLI_GOOD;
    int exists = stat(path, &to) == 0;
    if (exists && S_ISDIR(to.st_mode))
        return cli_fail("%s: is a directory, must be a file", path);
    if (exists && data && stat(data, &from) == 0 && S_ISREG(to.st_mode) &&
        to.st_dev == from.st_dev && to.st_ino == from.st_ino)
        return cli_fail("%s: is the data, must be another file", path);
    if ((exists && access(path, W_OK) != 0) ||
        (!(exists && !S_ISREG(to.st_mode)) && !can_replace(path)))
        return cli_fail("%s: cannot be written: %s", path, strerror(errno));
    return CLI_GOOD;
}

int cli_table_write(const gram_table *table, const char *path, double start)
{
    int code = CLI_GOOD, standard = strcmp(path, "-") == 0;
    gram_exec exec = cli_exec("writing");
    gram_write_options csv = {.format = standard ? "csv" : NULL};

    if (cli.json && standard)
        return cli_json_print(cli_json_table(table));
    CLI_TRY(cli_status(gram_table_write(table, path, &csv, &exec)));
    if (cli.json)
        code = cli_json_print(json_pack("{s:o, s:I, s:f}", "to",
                                        cli_json_text(path), "rows",
                                        (json_int_t)gram_table_rows(table),
                                        "seconds", cli_clock() - start));
done:
    return code;
}
