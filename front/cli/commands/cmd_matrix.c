/* cmd_matrix.c - gram matrix: k(x,t) for all pairs of rows, as .npy.
 *
 * One table: the symmetric Gram matrix of its rows.  Two: rows of A against
 * rows of B, whose columns are found by the names of A's; roles are A's only,
 * so B may lack a target.
 */
#include "cli.h"

static const char *path;
static int single;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE",
     "where the matrix goes: a name that ends in .npy, or - for standard "
     "output",
     &path, 0},
    {"single", 0, CLI_FLAG, NULL,
     "compute and write single precision, float32 (default: float64)", &single,
     0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static int compute(const gram_kernel *k, const gram_table *a,
                   const gram_table *b, cli_matrix *m)
{
    gram_exec exec = cli_exec("computing");
    double start = cli_clock();
    int code = cli_status(
        single ? gram_kernel_matrix_single(k, a, b, &exec, m->data, m->cols)
               : gram_kernel_matrix(k, a, b, &exec, m->data, m->cols));

    m->seconds = cli_clock() - start;
    return code;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    cli_matrix m = {.single = single};
    double seconds = 0;
    gram_kernel *k = NULL;
    gram_table *a = NULL, *b = NULL;

    CLI_TRY(cli_matrix_begin(path));
    CLI_TRY(cli_status(gram_kernel_new(operands[0], &k)));
    CLI_TRY(
        cli_table_read(operands[1], GRAM_MISSING_KEEP, &a, &m.read_seconds));
    if (count > 2)
        CLI_TRY(
            cli_table_read_other(operands[2], GRAM_MISSING_KEEP, &b, &seconds));
    m.kernel = gram_kernel_text(k);
    m.read_seconds += seconds;
    m.rows = gram_table_rows(a);
    m.cols = gram_table_rows(b ? b : a);
    CLI_TRY(cli_matrix_alloc(&m));
    CLI_TRY(compute(k, a, b, &m));
    code = cli_matrix_write(&m, path);
done:
    gram_memory_free(m.data);
    gram_table_free(a);
    gram_table_free(b);
    gram_kernel_free(k);
    return code;
}

const cli_command cmd_matrix = {
    .operands = "SPEC A [B]",
    .least = 2,
    .most = 3,
    .about =
        "Write the matrix k(x,t) of the kernel SPEC for all rows x and t of "
        "the table A, or for rows x of A and t of B, as one NumPy array. It "
        "takes 8 bytes a pair, 4 with --single, and that much memory.\n\n"
        "The data are taken as they are, nothing is scaled. Columns of a role "
        "(--target and its kin) are no features. All parameters of SPEC must "
        "have values: rbf(gamma=0.5), not rbf. \"gram kernels\" lists the "
        "kernels.",
    .examples = "gram matrix 'rbf(gamma=0.5)' builtin:iris -o K.npy\n"
                "gram matrix 'poly(degree=2)' train.csv test.csv -t y -o K.npy "
                "--single\n"
                "gram matrix linear data.csv -o - | gram convert - K.csv\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
