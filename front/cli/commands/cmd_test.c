/* cmd_test.c - gram test: are two samples from the same distribution?
 *
 * Two files; one file whose groups are compared (--by); one file whose columns
 * are tested for independence (--independence); or a reference and a stream.
 */
#include <string.h>

#include "cli.h"

static gram_test_options given;
static int independence;
static size_t batch = 50;
static const char *witness, *by, *x_columns, *y_columns;

static const cli_option options[] = {
    {.name = "kernel", .letter = 'k'},
    {.name = "permutations", .letter = 'p'},
    {.name = "alpha", .letter = 'a'},
    {.name = "precision"},
    {"witness", 0, CLI_TEXT, "FILE",
     "write where the samples differ: the witness at every row", &witness, 0},
    {"by", 0, CLI_TEXT, "COL",
     "compare the groups of one file pairwise, with Holm's correction", &by, 0},
    {"independence", 0, CLI_FLAG, NULL,
     "are the columns --x and --y of one file independent?", &independence, 0},
    {"x", 0, CLI_TEXT, "COL,...", "for --independence", &x_columns, 0},
    {"y", 0, CLI_TEXT, "COL,...", "for --independence", &y_columns, 0},
    {"batch", 0, CLI_COUNT, "N",
     "rows of a stream that are compared at a time (default 50)", &batch,
     1000000},
    {.name = NULL},
};
static const cli_group own = {"options", options, gram_test_option_fields,
                              &given};

/* ------------------------------------------------------------- one file */

static int test_independence(const char *path)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    gram_test *t = NULL;
    double seconds = 0;

    if (!x_columns || !y_columns)
        return cli_usage("missing option: --x COL,... and --y COL,... name the "
                         "columns of --independence");
    CLI_TRY(cli_table_read_other(path, GRAM_MISSING_KEEP, &table, &seconds));
    gram_exec exec = cli_exec("testing");
    CLI_TRY(
        cli_status_of(path, gram_test_independence(table, x_columns, y_columns,
                                                   &given, &exec, &t)));
    code = cli_test_print(
        t, &(cli_pair){.path = {path, NULL}, .read_seconds = seconds});
done:
    gram_test_free(t);
    gram_table_free(table);
    return code;
}

static void print_groups(const gram_table *t)
{
    gram_column c[8];
    char stat[CLI_ROOM], p[CLI_ROOM], holm[CLI_ROOM];

    for (size_t j = 0; j < 8; j++)
        c[j] = gram_table_column(t, j);
    printf("%-16s %-16s %12s %10s %10s\n", "a", "b", "MMD^2", "p", "p (Holm)");
    for (size_t i = 0; i < gram_table_rows(t); i++) {
        cli_cell(stdout, c[0].levels[c[0].codes[i]], 16);
        putchar(' ');
        cli_cell(stdout, c[1].levels[c[1].codes[i]], 16);
        printf(" %12s %10s %10s%s\n", cli_number(stat, c[4].values[i], 4),
               cli_number(p, c[5].values[i], 3),
               cli_number(holm, c[6].values[i], 3),
               c[7].values[i] > 0 ? "  differ" : "");
    }
}

static int test_groups(const char *path)
{
    int code = CLI_GOOD;
    gram_table *table = NULL, *found = NULL;
    double seconds = 0;

    CLI_TRY(cli_table_read_other(path, GRAM_MISSING_REFUSE, &table, &seconds));
    gram_exec exec = cli_exec("testing");
    CLI_TRY(cli_status_of(path,
                          gram_test_groups(table, by, &given, &exec, &found)));
    if (cli.json)
        code = cli_json_print(cli_json_table(found));
    else
        print_groups(found);
done:
    gram_table_free(found);
    gram_table_free(table);
    return code;
}

/* ------------------------------------------------------------ two files */

static int test_samples(char **path)
{
    int code = CLI_GOOD;
    gram_table *a = NULL, *b = NULL;
    gram_test *t = NULL;
    double first = 0, second = 0;

    CLI_TRY(cli_output_begin(witness, path[0]));
    if (witness)
        cli_table_keep_texts(cli_all_columns);
    CLI_TRY(cli_table_read_sample(path[0], &a, &first));
    if (strcmp(path[1], "-") == 0) {
        code = cli_drift_run(a, &given, batch);
        goto done;
    }
    CLI_TRY(cli_table_read_sample(path[1], &b, &second));
    gram_exec exec = cli_exec("testing");
    CLI_TRY(cli_status(gram_test_samples(a, b, &given, &exec, &t)));
    cli_pair pair = {.path = {path[0], path[1]},
                     .table = {a, b},
                     .part = given.split > 0,
                     .read_seconds = first + second};
    if (witness)
        CLI_TRY(cli_test_witness(t, &pair, witness));
    code = cli_test_print(t, &pair);
done:
    gram_test_free(t);
    gram_table_free(a);
    gram_table_free(b);
    return code;
}

static int run(int count, char **operands)
{
    const int one = by || independence;

    given.missing = cli_fills() ? cli_missing() : GRAM_MISSING_AUTO;
    if (by && independence)
        return cli_fail("--by and --independence: give one of them");
    if ((x_columns || y_columns) && !independence)
        return cli_fail("--x and --y: are of --independence");
    if (batch < 2)
        return cli_fail("--batch: %zu, must be 2 or more", batch);
    if (one && count > 1)
        return cli_usage("one file is enough for %s",
                         by ? "--by" : "--independence");
    if (!one && count < 2)
        return cli_usage("missing operand: two files, or one and --by or "
                         "--independence");
    if (one && witness)
        return cli_fail("--witness: is of two files");
    return by             ? test_groups(operands[0])
           : independence ? test_independence(operands[0])
                          : test_samples(operands);
}

const cli_command cmd_test = {
    .operands = "A [B]",
    .least = 1,
    .most = 2,
    .about =
        "Are the rows of A and of B from the same distribution? The maximum "
        "mean discrepancy compares all that a kernel can see, by default rbf, "
        "which sees everything; the p-value is exact for any number of rows. "
        "Then: which columns and rows speak for a difference, and how many "
        "rows it would take to see it.\n\n"
        "With B = - rows come from standard input as CSV with a header, and a "
        "line is printed for every batch: its p-value and the evidence so far. "
        "An alarm is right with probability 1 - alpha, however long one "
        "watches.",
    .examples = "gram test builtin:before builtin:after\n"
                "gram test a.csv b.csv --aggregate --witness where.csv\n"
                "gram test builtin:iris --by species\n"
                "gram test builtin:mixed --independence --x area --y rent\n"
                "tail -f new.csv | gram test reference.csv - --batch 100\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
