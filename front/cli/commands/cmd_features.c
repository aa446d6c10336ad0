/* cmd_features.c - gram features: an explicit map phi with
 * phi(x).phi(t) = k(x,t), one row of numbers for each row of the table.
 */
#include "cli.h"

static const char *path;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE",
     "where the features go: a name that ends in .npy, or - for standard "
     "output",
     &path, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static int compute(const gram_kernel *k, const gram_table *a, cli_matrix *m)
{
    gram_exec exec = cli_exec("computing");
    double start = cli_clock();
    int code = cli_status(gram_kernel_features(k, a, &exec, m->data, m->cols));

    m->seconds = cli_clock() - start;
    return code;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    cli_matrix m = {.rows = 0};
    gram_kernel *k = NULL;
    gram_table *a = NULL;

    (void)count;
    CLI_TRY(cli_matrix_begin(path));
    CLI_TRY(cli_status(gram_kernel_new(operands[0], &k)));
    CLI_TRY(
        cli_table_read(operands[1], GRAM_MISSING_KEEP, &a, &m.read_seconds));
    m.kernel = gram_kernel_text(k);
    m.rows = gram_table_rows(a);
    CLI_TRY(cli_status(gram_kernel_feature_count(k, a, &m.cols)));
    CLI_TRY(cli_matrix_alloc(&m));
    CLI_TRY(compute(k, a, &m));
    code = cli_matrix_write(&m, path);
done:
    gram_memory_free(m.data);
    gram_table_free(a);
    gram_kernel_free(k);
    return code;
}

const cli_command cmd_features = {
    .operands = "SPEC DATA",
    .least = 2,
    .most = 2,
    .about =
        "Write an explicit feature map of the kernel SPEC: a row of numbers "
        "phi(x) for each row x of the table, such that phi(x).phi(t) = k(x,t) "
        "up to rounding. It exists for linear, poly, anova, delta, map(...) "
        "of these, and for sums, products and powers of them; rbf and its kin "
        "have none that is finite. A kernel has many such maps, this is one "
        "of them.\n\n"
        "The data are taken as they are, nothing is scaled.",
    .examples =
        "gram features 'poly(degree=2)' builtin:iris -o F.npy\n"
        "gram features 'linear[0,1]^2' builtin:iris -o - | gram convert - -\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
