/* cmd_convert.c - gram convert: one table, another format; or a model of
 * LIBSVM's, and one of gram's.
 *
 * Reads the whole table, scales its features if asked, and writes it; the
 * report goes to stderr, since the table may go to stdout.  A model is known by
 * its first bytes, and becomes one of the other kind.
 */
#include <string.h>

#include "cli.h"

static const char *to;
static int scale;

static const cli_option options[] = {
    {"to", 0, CLI_TEXT, "FORMAT",
     "the format to write: csv, tsv, npy, libsvm (default: by the name of B, "
     "csv for -)",
     &to, 0},
    {"scale", 0, CLI_CHOICE, "none|standard|minmax",
     "scale number columns: to mean 0 and standard deviation 1, or to 0 .. 1",
     &scale, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static int scale_table(gram_table *table)
{
    int code = CLI_GOOD;
    gram_scaler *scaler = NULL;
    gram_exec exec = cli_exec("scaling");

    CLI_TRY(
        cli_status(gram_scaler_new(table, (gram_scale)scale, &exec, &scaler)));
    CLI_TRY(cli_status(gram_scaler_apply(scaler, table)));
done:
    gram_scaler_free(scaler);
    return code;
}

static int write_table(const gram_table *table, const char *path,
                       double *seconds)
{
    gram_write_options write = {.format = to};
    gram_exec exec = cli_exec("writing");
    double start = cli_clock();
    int code = cli_status(gram_table_write(table, path, &write, &exec));
    *seconds = cli_clock() - start;
    return code;
}

/* `rows` and `cols` are those of the table written. */
static int report(char **operands, size_t rows, size_t cols,
                  double read_seconds, double write_seconds)
{
    if (cli.json)
        return cli_json_print(json_pack(
            "{s:o, s:o, s:I, s:I, s:f, s:f, s:I}", "from",
            cli_json_text(operands[0]), "to", cli_json_text(operands[1]),
            "rows", (json_int_t)rows, "cols", (json_int_t)cols, "read_seconds",
            read_seconds, "write_seconds", write_seconds, "peak_bytes",
            (json_int_t)gram_memory_peak()));
    if (!cli.quiet) {
        cli_put(stderr, cli_path(operands[0], "standard input"));
        fputs(" -> ", stderr);
        cli_put(stderr, cli_path(operands[1], "standard output"));
        fprintf(stderr, ": %zu row%s, %zu column%s\n", rows,
                rows == 1 ? "" : "s", cols, cols == 1 ? "" : "s");
    }
    return CLI_GOOD;
}

/* ------------------------------------------------------------------ models */

typedef enum kind { TABLE, GRAM_MODEL, LIBSVM_MODEL } kind;

/* What is in the file: both kinds of models start with a word of their own. */
static kind kind_of(const char *path)
{
    static const char gram[] = "GRAM\r\n", libsvm[] = "svm_type ";
    char head[16] = {0};
    FILE *in = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");

    if (!in)
        return TABLE;
    if (fread(head, 1, sizeof head, in) == 0)
        *head = '\0';
    fclose(in);
    if (memcmp(head, libsvm, sizeof libsvm - 1) == 0)
        return LIBSVM_MODEL;
    return memcmp(head, gram, sizeof gram - 1) == 0 ? GRAM_MODEL : TABLE;
}

static int convert_model(char **operands, kind from)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    double start = cli_clock(), read_seconds;

    if (to || scale != GRAM_SCALE_NONE)
        return cli_fail("%s is a model: --to and --scale are for tables",
                        operands[0]);
    gram_exec exec = cli_exec("reading");
    CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    read_seconds = cli_clock() - start;
    start = cli_clock();
    exec = cli_exec("writing");
    CLI_TRY(cli_status_of(
        operands[0],
        from == LIBSVM_MODEL
            ? gram_machine_save(m, operands[1], &exec)
            : gram_machine_save_libsvm(m, operands[1], NULL, &exec)));
    const gram_report *r = gram_machine_report(m);
    code =
        report(operands, r->support, r->d, read_seconds, cli_clock() - start);
done:
    gram_machine_free(m);
    return code;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    double read_seconds, write_seconds;
    gram_table *table = NULL;
    const gram_format *format = NULL;
    kind from = kind_of(operands[0]);

    (void)count;
    if (from != TABLE)
        return convert_model(operands, from);
    if (cli.json && strcmp(operands[1], "-") == 0)
        return cli_fail("--json: the table goes to standard output already");
    /* a name that says nothing is refused by the writer, after A was read */
    if (gram_format_to_write(operands[1], &(gram_write_options){.format = to},
                             &format) == GRAM_OK &&
        format->keeps_texts)
        cli_table_keep_texts(cli_all_columns);
    CLI_TRY(cli_table_read(operands[0], GRAM_MISSING_REFUSE, &table,
                           &read_seconds));
    if (scale != GRAM_SCALE_NONE)
        CLI_TRY(scale_table(table));
    CLI_TRY(write_table(table, operands[1], &write_seconds));
    code = report(operands, gram_table_rows(table), gram_table_cols(table),
                  read_seconds, write_seconds);
done:
    gram_table_free(table);
    return code;
}

const cli_command cmd_convert = {
    .operands = "A B",
    .least = 2,
    .most = 2,
    .about =
        "Read the table A and write it as B, in the format that the name of B "
        "or --to says. \"-\" is standard input or output, a name that ends in "
        ".gz is packed. B appears whole or not at all.\n\n"
        "A missing cell is an error unless --missing says what to do with "
        "it. In CSV and TSV every cell that is not scaled or filled in has the "
        "text it has in A: 007 stays 007, and 1.50 stays 1.50.\n\n"
        "A model of LIBSVM becomes one of gram, and a support vector machine "
        "of gram with one of LIBSVM's kernels becomes a model of LIBSVM.",
    .examples =
        "gram convert data.csv data.npy\n"
        "gram convert data.csv.gz scaled.csv --scale standard -t price\n"
        "gram convert table.arff - --missing keep | head\n"
        "gram convert svm.model machine.gram\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
