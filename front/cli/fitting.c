/* fitting.c - the options of every command that fits, and the table to fit to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static gram_fit_options options;

/* What is no field of them, or comes in another form. */
static struct {
    cli_list kernel;
    const char *C, *from;
    int no_jitter;
    gram_machine *machine; /* of --from */
    char *lambda_text;     /* made from --C */
} given;

static const cli_option own[] = {
    {.name = "kernel", .letter = 'k', .kind = CLI_LIST, .value = &given.kernel},
    {.name = "lambda", .letter = 'l'},
    {"C", 0, CLI_TEXT, "X", "another way to write --lambda 1/(2X)", &given.C,
     0},
    {.name = "jitter"},
    {"no-jitter", 0, CLI_FLAG, NULL, "never add any, fail instead",
     &given.no_jitter, 0},
    {.name = "keep-factor"},
    {"from", 0, CLI_TEXT, "MODEL", "take kernel and lambda from a model",
     &given.from, 0},
    {.name = NULL},
};

const cli_group cli_group_fitting = {"fitting", own, gram_fit_option_fields,
                                     &options};

size_t cli_kernel_count(void)
{
    return given.kernel.count;
}

/* --C X or ?[X,...] as the text of a lambda. */
static int lambda_of_C(const char **lambda)
{
    const char *c = given.C;
    size_t n;
    FILE *out;

    if (!c)
        return CLI_GOOD;
    if (options.lambda)
        return cli_fail("--C and --lambda say the same: give one of them");
    free(given.lambda_text);
    given.lambda_text = NULL;
    out = open_memstream(&given.lambda_text, &n);
    if (!out)
        exit(cli_fail("out of memory"));
    while (*c) {
        char *end = NULL;
        double x;

        if (strchr("?[], ", *c)) {
            putc(*c++, out);
            continue;
        }
        x = strtod(c, &end);
        if (end == c || !(x > 0) || isinf(x)) {
            fclose(out);
            return cli_fail("--C: %s, must be a positive number or ?[X,...]",
                            given.C);
        }
        fprintf(out, "%.17g", 1 / (2 * x));
        c = end;
    }
    if (fclose(out))
        exit(cli_fail("out of memory"));
    *lambda = given.lambda_text;
    return CLI_GOOD;
}

static int load_from(void)
{
    gram_exec exec = cli_exec("loading");

    if (!given.from || given.machine)
        return CLI_GOOD;
    if (given.kernel.count > 0 || options.lambda)
        return cli_fail("--from brings kernel and lambda: leave out --kernel "
                        "and --lambda");
    return cli_status(gram_machine_load(given.from, &exec, &given.machine));
}

int cli_fit_options(size_t i, gram_fit_options *out)
{
    int code = CLI_GOOD;

    *out = options;
    CLI_TRY(lambda_of_C(&out->lambda));
    CLI_TRY(load_from());
    out->kernel = i < given.kernel.count ? given.kernel.item[i] : NULL;
    out->missing = cli_missing();
    out->jitter = given.no_jitter ? -1 : options.jitter;
    out->from = given.machine;
done:
    return code;
}

void cli_fit_end(void)
{
    gram_machine_free(given.machine);
    given.machine = NULL;
    free(given.lambda_text);
    given.lambda_text = NULL;
}

/* The column of the parts is no feature. */
static int set_fold_column(const char *path, gram_table *table)
{
    const char *name = options.folds.given;

    if (!name)
        return CLI_GOOD;
    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);

        if (c.role == GRAM_ROLE_GROUP && strcmp(c.name, name) != 0)
            return cli_fail("--fold-column: rows are grouped by column \"%s\" "
                            "already, only one can say which stay together",
                            c.name);
        if (c.role == GRAM_ROLE_TARGET && strcmp(c.name, name) == 0)
            return cli_fail("--fold-column: \"%s\" is the target", name);
    }
    return cli_status_of(path,
                         gram_table_set_role(table, name, GRAM_ROLE_GROUP));
}

int cli_fit_read(const char *path, gram_table **out, double *seconds)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;

    CLI_TRY(cli_table_read_kept(path, &table, seconds));
    CLI_TRY(set_fold_column(path, table));
    *out = table;
    table = NULL;
done:
    gram_table_free(table);
    return code;
}

int cli_fold_count(const gram_table *table, const gram_fit_options *o,
                   size_t *count)
{
    gram_exec exec = cli_exec("splitting");
    int *fold = cli_alloc(gram_table_rows(table) + 1, sizeof *fold);
    int code =
        cli_status(gram_table_folds(table, &o->folds, &exec, fold, count));

    free(fold);
    return code;
}
