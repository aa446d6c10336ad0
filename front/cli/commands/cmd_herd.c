/* cmd_herd.c - gram herd: a few rows that stand for all.
 */
#include <stdlib.h>

#include "cli.h"

static const char *kernel, *output;
static int scale;
static size_t m = 20;

static const cli_option options[] = {
    {"rows", 'm', CLI_COUNT, "N", "how many rows to choose (default 20)", &m,
     0},
    {"kernel", 'k', CLI_TEXT, "SPEC",
     "the kernel (default rbf, with the median distance)", &kernel, 0},
    {"scale", 0, CLI_CHOICE, "auto|none|standard|minmax",
     "scale columns, as a map in the kernel", &scale, 0},
    {"output", 'o', CLI_TEXT, "FILE",
     "write the rows as a table (default: list their numbers)", &output, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

/* The rows in the order chosen. */
static int write_rows(const gram_table *table, const size_t *row)
{
    int code = CLI_GOOD;
    gram_table *out = NULL;

    CLI_TRY(cli_status(gram_table_new(m, &out)));
    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);

        if (c.type == GRAM_TYPE_SPARSE)
            CLI_TRY(cli_fail("--output: column \"%s\" is sparse, leave it out "
                             "to list the numbers of the rows",
                             c.name));
        CLI_TRY(cli_status(gram_table_add_copy(out, c.name, &table, 1, row)));
    }
    gram_exec exec = cli_exec("writing");
    code = cli_status(gram_table_write(out, output, NULL, &exec));
done:
    gram_table_free(out);
    return code;
}

static int print_json(const size_t *row, double distance, double seconds)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m; i++)
        json_array_append_new(list, json_integer((json_int_t)row[i] + 1));
    return cli_json_print(json_pack("{s:o, s:f, s:f}", "rows", list, "distance",
                                    distance, "seconds", seconds));
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    size_t *row = NULL;
    double seconds = 0, distance = 0, start;
    char d[CLI_ROOM];

    (void)count;
    CLI_TRY(cli_output_begin(output, operands[0]));
    if (output)
        cli_table_keep_texts(cli_all_columns);
    CLI_TRY(cli_table_read_other(operands[0], GRAM_MISSING_REFUSE, &table,
                                 &seconds));
    row = cli_alloc(gram_table_rows(table) + 1, sizeof *row);
    gram_exec exec = cli_exec("herding");
    start = cli_clock();
    CLI_TRY(cli_status_of(operands[0],
                          gram_herd(table, kernel, (gram_kernel_scale)scale, m,
                                    &exec, row, &distance)));
    seconds = cli_clock() - start;
    if (output)
        CLI_TRY(write_rows(table, row));
    if (cli.json) {
        code = print_json(row, distance, seconds);
    } else if (!output) {
        for (size_t i = 0; i < m; i++)
            printf("%zu\n", row[i] + 1);
    } else if (!cli.quiet) {
        printf("%zu of %zu rows in %s, MMD %s from all\n", m,
               gram_table_rows(table), output, cli_number(d, distance, 3));
    }
done:
    free(row);
    gram_table_free(table);
    return code;
}

const cli_command cmd_herd = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about = "Choose rows of DATA that stand for all of them: each next one is "
             "near much of the data and far from those chosen before (kernel "
             "herding). The first N of a longer list are the list of N.",
    .examples = "gram herd builtin:iris -m 6\n"
                "gram herd data.csv -m 50 -o few.csv\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
