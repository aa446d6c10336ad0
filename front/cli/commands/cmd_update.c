/* cmd_update.c - gram update: more rows for a model, or fewer.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *path, *gone;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "MODEL",
     "where the new model goes (default: in place of the old one)", &path, 0},
    {"remove", 0, CLI_TEXT, "ROW,FROM:TO,...",
     "rows of the model to forget, counted from 1; FROM:TO has both ends",
     &gone, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

/* "3" or "3:7" into flags. */
static int mark_rows(const char *text, size_t n, unsigned char *mark)
{
    char *end;
    unsigned long long from = strtoull(text, &end, 10), to = from;

    if (end > text && *end == ':')
        to = strtoull(end + 1, &end, 10);
    if (end == text || *end || from < 1 || to < from || to > n)
        return cli_fail("--remove: \"%s\" is not a row from 1 to %zu, nor a "
                        "range of them",
                        text, n);
    memset(mark + from - 1, 1, (size_t)(to - from + 1));
    return CLI_GOOD;
}

static int mark_all(size_t n, unsigned char *mark)
{
    int code = CLI_GOOD;
    char *copy = gone ? strdup(gone) : NULL, *rest = copy;

    while (code == CLI_GOOD && rest)
        code = mark_rows(strsep(&rest, ","), n, mark);
    free(copy);
    return code;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL, *updated = NULL;
    gram_table *data = NULL;
    unsigned char *mark = NULL;
    double read_seconds = 0, start;

    if (count < 2 && !gone)
        return cli_usage("missing operand: DATA with new rows, or --remove");
    const char *to = path ? path : operands[0];
    gram_exec exec = cli_exec("updating");
    CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    CLI_TRY(cli_output_begin(to, count > 1 ? operands[1] : NULL));
    const gram_report *r = gram_machine_report(m);
    mark = cli_alloc(r->n + 1, 1);
    CLI_TRY(mark_all(r->n, mark));
    if (count > 1)
        CLI_TRY(cli_table_read_for(m, operands[1], 1, &data, &read_seconds));
    if (data)
        CLI_TRY(cli_status_of(
            operands[1], gram_machine_fill(m, data, cli_missing(), &exec)));
    CLI_TRY(cli_status_of(
        count > 1 ? operands[1] : operands[0],
        gram_machine_update(m, data, gone ? mark : NULL, &exec, &updated)));
    start = cli_clock();
    CLI_TRY(cli_status(gram_machine_save(updated, to, &exec)));
    code = cli_report_print(updated, count > 1 ? operands[1] : operands[0], to,
                            read_seconds, cli_clock() - start);
done:
    free(mark);
    gram_table_free(data);
    gram_machine_free(m);
    gram_machine_free(updated);
    return code;
}

const cli_command cmd_update = {
    .operands = "MODEL [DATA]",
    .least = 1,
    .most = 2,
    .about =
        "Fit a model again with the rows of DATA added, or without some of its "
        "own, its kernel and lambda unchanged. If it was fitted with "
        "--keep-factor the factor is updated, which is much cheaper than a new "
        "fit and gives the same answer.",
    .examples = "gram update m.gram new.csv -o m2.gram\n"
                "gram update m.gram --remove 3,10:19\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
