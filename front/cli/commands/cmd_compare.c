/* cmd_compare.c - gram compare: kernels on the same folds.
 *
 * Errors of two kernels on one fold go up and down together, so their
 * difference is more certain than each of them: the standard error is that of
 * the mean of the differences to the first kernel, over folds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KERNEL = 50 }; /* where the kernels begin */

/* Mean of a - b over folds (b NULL: of a), and the standard error of it. */
static double mean_difference(const double *a, const double *b, size_t folds,
                              double *error)
{
    double mean = 0, square = 0;

    for (size_t j = 0; j < folds; j++)
        mean += (a[j] - (b ? b[j] : 0)) / (double)folds;
    for (size_t j = 0; j < folds; j++) {
        double r = a[j] - (b ? b[j] : 0) - mean;
        square += r * r;
    }
    *error = sqrt(square / (double)(folds - 1) / (double)folds);
    return mean;
}

static int print_json(const gram_fit_options *o, size_t kernels,
                      const double *error, const gram_score *total,
                      size_t folds)
{
    json_t *list = json_array();

    for (size_t c = 0; c < kernels; c++) {
        double se, se_difference;
        double mse = mean_difference(error + c * folds, NULL, folds, &se);
        double difference =
            mean_difference(error + c * folds, error, folds, &se_difference);

        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
                      cli_json_text(o[c].kernel), "accuracy",
                      cli_json_number(total[c].accuracy), "rmse",
                      cli_json_number(total[c].rmse), "nlpd",
                      cli_json_number(total[c].nlpd), "error",
                      cli_json_number(mse), "error_se", cli_json_number(se),
                      "difference", cli_json_number(difference),
                      "difference_se", cli_json_number(se_difference)));
    }
    return cli_json_print(
        json_pack("{s:I, s:o}", "folds", (json_int_t)folds, "kernels", list));
}

static void print_text(const gram_fit_options *o, size_t kernels,
                       const double *error, const gram_score *total,
                       size_t folds)
{
    const char *pm = cli_glyphs_get()->plus_minus;

    int classes = !isnan(total[0].accuracy);
    int squared = total[0].squared;

    printf("%10s %10s %26s  kernel\n",
           classes   ? "error"
           : squared ? "rmse"
                     : "loss",
           classes ? "log loss" : "nlpd",
           classes   ? "error minus the first's"
           : squared ? "mse minus the first's"
                     : "loss minus the first's");
    for (size_t c = 0; c < kernels; c++) {
        char rmse[CLI_ROOM], nlpd[CLI_ROOM], a[CLI_ROOM], b[CLI_ROOM];
        char cell[2 * CLI_ROOM + 8] = "";
        double se, d = mean_difference(error + c * folds, error, folds, &se);

        if (c > 0)
            snprintf(cell, sizeof cell, "%s %s %s", cli_number(a, d, 3), pm,
                     cli_number(b, se, 2));
        printf(
            "%10s %10s ",
            cli_number(rmse,
                       classes   ? 1 - total[c].accuracy
                       : squared ? total[c].rmse
                                 : total[c].loss,
                       5),
            cli_number(nlpd, classes ? total[c].log_loss : total[c].nlpd, 5));
        cli_cell_right(stdout, cell, 26);
        fputs("  ", stdout);
        if (cli_width(o[c].kernel) <= cli_columns() - KERNEL)
            cli_put(stdout, o[c].kernel);
        else
            cli_cell(stdout, o[c].kernel, cli_columns() - KERNEL);
        putchar('\n');
    }
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    gram_fit_options *o = NULL;
    gram_score *total = NULL;
    double *error = NULL, seconds = 0;
    size_t folds = 0, kernels = cli_kernel_count();

    (void)count;
    if (kernels < 2)
        return cli_usage("missing option: --kernel A --kernel B, two or more");
    CLI_TRY(cli_fit_read(operands[0], &table, &seconds));
    o = cli_alloc(kernels, sizeof *o);
    for (size_t c = 0; c < kernels; c++)
        CLI_TRY(cli_fit_options(c, &o[c]));
    CLI_TRY(cli_fold_count(table, o, &folds));
    error = cli_alloc(kernels * folds, sizeof *error);
    total = cli_alloc(kernels, sizeof *total);
    gram_exec exec = cli_exec("comparing");
    CLI_TRY(
        cli_status(gram_machine_cv(table, o, kernels, &exec, error, total)));
    if (cli.json)
        code = print_json(o, kernels, error, total, folds);
    else
        print_text(o, kernels, error, total, folds);
done:
    cli_fit_end();
    free(o);
    free(total);
    free(error);
    gram_table_free(table);
    return code;
}

const cli_command cmd_compare = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about = "Cross-validate several kernels on the same parts of DATA and "
             "show how their errors differ, with standard errors over the "
             "parts. A difference below two of them may be chance.",
    .examples =
        "gram compare builtin:sinc -k rbf -k 'matern(nu=1.5)' -k linear\n"
        "gram compare data.csv -t y -k rbf -k 'rbf(ard)' --folds 10\n",
    .groups = {&cli_group_fitting, &cli_group_reading, &cli_group_running,
               &cli_group_output, &cli_group_help},
    .run = run,
};
