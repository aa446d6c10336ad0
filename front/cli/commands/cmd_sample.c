/* cmd_sample.c - gram sample: functions drawn from a Gaussian process at the
 * rows of a table, the posterior of a model or the prior of a kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *path = "-", *kernel;
static size_t draws = 1;
static int noise;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE",
     "where draws go, one column each (default: standard output)", &path, 0},
    {"draws", 'n', CLI_COUNT, "N", "how many (default 1)", &draws, 1000000},
    {"kernel", 'k', CLI_TEXT, "SPEC",
     "draw from the prior of this kernel; there is no MODEL then", &kernel, 0},
    {"with-noise", 0, CLI_FLAG, NULL, "add the noise of new measurements",
     &noise, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static int write_draws(size_t rows, const double *f, double start)
{
    int code = CLI_GOOD;
    gram_table *out = NULL;

    CLI_TRY(cli_status(gram_table_new(rows, &out)));
    for (size_t c = 0; c < draws; c++) {
        char name[CLI_ROOM];

        snprintf(name, sizeof name, "draw_%zu", c + 1);
        CLI_TRY(cli_status(gram_table_add_numbers(out, name, f + c, draws)));
    }
    code = cli_table_write(out, path, start);
done:
    gram_table_free(out);
    return code;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    gram_kernel *k = NULL;
    gram_table *data = NULL;
    double *f = NULL, seconds = 0, start = cli_clock();

    if (kernel ? count != 1 : count != 2)
        return cli_usage(kernel ? "--kernel needs DATA and no MODEL"
                                : "missing operand: MODEL DATA, or DATA with "
                                  "--kernel SPEC");
    if (draws == 0)
        return cli_fail("--draws: 0, must be at least 1");
    if (kernel && noise)
        return cli_fail("--with-noise: a kernel has none, a model has");
    gram_exec exec = cli_exec("sampling");
    CLI_TRY(cli_output_begin(path, operands[count - 1]));
    if (kernel)
        CLI_TRY(cli_status(gram_kernel_new(kernel, &k)));
    else
        CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    CLI_TRY(
        m ? cli_table_read_for(m, operands[1], 0, &data, &seconds)
          : cli_table_read(operands[0], GRAM_MISSING_KEEP, &data, &seconds));
    f = cli_alloc(gram_table_rows(data) * draws + 1, sizeof *f);
    CLI_TRY(cli_status_of(
        operands[count - 1],
        kernel ? gram_kernel_sample(k, data, draws, &exec, f)
               : gram_machine_sample(m, data, draws, noise, &exec, f)));
    code = write_draws(gram_table_rows(data), f, start);
done:
    free(f);
    gram_table_free(data);
    gram_kernel_free(k);
    gram_machine_free(m);
    return code;
}

const cli_command cmd_sample = {
    .operands = "[MODEL] DATA",
    .least = 1,
    .most = 2,
    .about = "Draw functions at the rows of DATA from the Gaussian process "
             "that MODEL is, given what it was fitted to; or, with --kernel, "
             "from the process before any data. Draws are joint over the rows "
             "and depend on --seed.",
    .examples = "gram sample sinc.gram builtin:sinc -n 3 | head -3\n"
                "gram sample -k 'matern(length=1)' builtin:sinc -n 5 -o "
                "prior.csv\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
