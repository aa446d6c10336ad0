/* cmd_cv.c - gram cv: cross-validation; no model is written.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What a fold is judged by: an error rate, a mean squared error whose root is
 * shown, or a mean loss. */
static const char *judged_by(const gram_score *s, const gram_fit_options *o)
{
    return !isnan(s->accuracy)                          ? "error"
           : !o->loss || strcmp(o->loss, "squared") == 0 ? "rmse"
                                                         : "loss";
}

static int print_json(const gram_score *s, const gram_fit_options *o,
                      const double *error, size_t folds, double seconds)
{
    const char *by = judged_by(s, o);
    json_t *list = json_array(), *all;

    for (size_t j = 0; j < folds; j++)
        json_array_append_new(list, cli_json_number(error[j]));
    all = json_pack("{s:I, s:I, s:f}", "n", (json_int_t)s->n, "folds",
                    (json_int_t)folds, "seconds", seconds);
    json_object_set_new(all, strcmp(by, "rmse") == 0 ? "mse" : by, list);
    if (!isnan(s->accuracy))
        json_object_update_new(
            all, json_pack("{s:o, s:o, s:o}", "accuracy",
                           cli_json_number(s->accuracy), "log_loss",
                           cli_json_number(s->log_loss), "brier",
                           cli_json_number(s->brier)));
    else
        json_object_update_new(
            all,
            json_pack("{s:o, s:o, s:o, s:o}", "rmse", cli_json_number(s->rmse),
                      "mae", cli_json_number(s->mae), "r2",
                      cli_json_number(s->r2), "nlpd",
                      cli_json_number(s->nlpd)));
    return cli_json_print(all);
}

static void print_text(const gram_score *s, const gram_fit_options *o,
                       const double *error, size_t folds)
{
    const char *by = judged_by(s, o);
    int root = strcmp(by, "rmse") == 0, classes = !isnan(s->accuracy);
    const struct {
        const char *name;
        double value;
    } items[] = {{"accuracy", s->accuracy}, {"log loss", s->log_loss},
                 {"brier", s->brier},       {"mae", s->mae},
                 {"r2", s->r2},             {"nlpd", s->nlpd}};
    char a[CLI_ROOM];

    printf("%6s %14s\n", "fold", by);
    for (size_t j = 0; j < folds; j++)
        printf("%6zu %14s\n", j + 1,
               cli_number(a, root ? sqrt(error[j]) : error[j], 5));
    printf("%6s %14s\n", "all",
           cli_number(a, classes ? 1 - s->accuracy : root ? s->rmse : s->loss,
                      5));
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (!isnan(items[i].value))
            cli_item(items[i].name, "%s", cli_number(a, items[i].value, 5));
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
        code = print_json(&total, &o, error, folds, cli_clock() - start);
    else
        print_text(&total, &o, error, folds);
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
