/* cmd_cv.c - gram cv: cross-validation; no model is written.
 */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

static int print_json(const gram_score *s, const double *error, size_t folds,
                      double seconds)
{
    json_t *list = json_array();

    for (size_t j = 0; j < folds; j++)
        json_array_append_new(list, cli_json_number(error[j]));
    return cli_json_print(json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:f}", "n", (json_int_t)s->n,
        "folds", (json_int_t)folds, "rmse", cli_json_number(s->rmse), "mae",
        cli_json_number(s->mae), "r2", cli_json_number(s->r2), "nlpd",
        cli_json_number(s->nlpd), "mse", list, "seconds", seconds));
}

static void print_text(const gram_score *s, const double *error, size_t folds)
{
    char a[CLI_ROOM];

    printf("%6s %14s\n", "fold", "rmse");
    for (size_t j = 0; j < folds; j++)
        printf("%6zu %14s\n", j + 1, cli_number(a, sqrt(error[j]), 5));
    printf("%6s %14s\n", "all", cli_number(a, s->rmse, 5));
    cli_item("mae", "%s", cli_number(a, s->mae, 5));
    cli_item("r2", "%s", cli_number(a, s->r2, 5));
    cli_item("nlpd", "%s", cli_number(a, s->nlpd, 5));
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    gram_fit_options o;
    gram_score total;
    double *error = NULL, seconds = 0;
    size_t folds = 0;

    (void)count;
    CLI_TRY(cli_fit_read(operands[0], &table, &seconds));
    CLI_TRY(cli_fit_options(0, &o));
    CLI_TRY(cli_fold_count(table, &o, &folds));
    error = cli_alloc(folds, sizeof *error);
    gram_exec exec = cli_exec("cross-validating");
    double start = cli_clock();
    CLI_TRY(cli_status(gram_machine_cv(table, &o, 1, &exec, error, &total)));
    if (cli.json)
        code = print_json(&total, error, folds, cli_clock() - start);
    else
        print_text(&total, error, folds);
done:
    cli_fit_end();
    free(error);
    gram_table_free(table);
    return code;
}

const cli_command cmd_cv = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about = "Fit to all parts of DATA but one and predict that one, for each "
             "part in turn (--folds, --fold-column, --group). Whatever is open "
             "is chosen anew every time, by the rows that are fitted.",
    .examples = "gram cv builtin:sinc\n"
                "gram cv data.csv -t y -k 'rbf(ard)' --folds 10 --json\n",
    .groups = {&cli_group_fitting, &cli_group_reading, &cli_group_running,
               &cli_group_output, &cli_group_help},
    .run = run,
};
