/* cmd_cv.c - gram cv: cross-validation; no model is written.
 *
 * With --grid it is the error of each kernel and lambda that selection by cv
 * tries, as a table, the best marked.  With --log every error goes to a file as
 * soon as it is known, and those that are there already are not computed
 * again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int grid;
static const char *log_path;

static const cli_option options[] = {
    {"grid", 0, CLI_FLAG, NULL,
     "the error of every kernel and lambda that is tried, on the same folds",
     &grid, 0},
    {"log", 0, CLI_TEXT, "FILE",
     "with --grid: keep errors in FILE, and go on from what is there",
     &log_path, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

/* -------------------------------------------------------------------- grid */

typedef struct cell {
    char *kernel;
    double lambda, error;
} cell;

typedef struct cells {
    cell *list;
    size_t count, room;
    FILE *log;
} cells;

static void keep(cells *c, const char *kernel, double lambda, double error)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->list = realloc(c->list, c->room * sizeof *c->list);
        if (!c->list)
            exit(cli_fail("out of memory"));
    }
    char *copy = strdup(kernel);
    if (!copy)
        exit(cli_fail("out of memory"));
    c->list[c->count++] = (cell){copy, lambda, error};
}

static int known(void *user, const char *kernel, double lambda, double *error)
{
    cells *c = user;

    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].lambda == lambda &&
            strcmp(c->list[i].kernel, kernel) == 0) {
            *error = c->list[i].error;
            return 1;
        }
    return 0;
}

static void found(void *user, const char *kernel, double lambda, double error)
{
    cells *c = user;
    double before;

    if (known(c, kernel, lambda, &before))
        return;
    keep(c, kernel, lambda, error);
    if (c->log) {
        fprintf(c->log, "%.17g\t%.17g\t%s\n", lambda, error, kernel);
        fflush(c->log);
    }
}

/* Lines of lambda, error and kernel; the last may have been cut off, and
 * goes. */
static int read_log(cells *c)
{
    char *line = NULL;
    size_t room = 0, at = 0;
    ssize_t n, whole = 0;
    FILE *in = fopen(log_path, "r");
    int code = CLI_GOOD;

    while (in && code == CLI_GOOD && (n = getline(&line, &room, in)) > 0) {
        char *end;
        double lambda = strtod(line, &end), error;

        at++;
        if (line[n - 1] != '\n') {
            if (truncate(log_path, whole) != 0)
                code = cli_fail("%s: cannot be written", log_path);
            break;
        }
        whole += n;
        line[n - 1] = '\0';
        if (*end == '\t') {
            error = strtod(end + 1, &end);
            if (*end == '\t' && end[1]) {
                keep(c, end + 1, lambda, error);
                continue;
            }
        }
        code = cli_fail("%s:%zu: not a line of lambda, error and kernel",
                        log_path, at);
    }
    free(line);
    if (in)
        fclose(in);
    return code;
}

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);

    return order ? order : (x->lambda > y->lambda) - (x->lambda < y->lambda);
}

static int print_cells(const cells *c, double best)
{
    json_t *list = json_array();
    char a[CLI_ROOM], b[CLI_ROOM], d[CLI_ROOM];

    qsort(c->list, c->count, sizeof *c->list, compare_cells);
    for (size_t i = 0; cli.json && i < c->count; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "kernel",
                            cli_json_text(c->list[i].kernel), "lambda",
                            cli_json_number(c->list[i].lambda), "error",
                            cli_json_number(c->list[i].error)));
    if (cli.json)
        return cli_json_print(json_pack("{s:o, s:o}", "rows", list, "best",
                                        cli_json_number(best)));
    json_decref(list);
    printf("%12s %12s %12s   kernel\n", "lambda", "C", "error");
    for (size_t i = 0; i < c->count; i++) {
        const cell *x = &c->list[i];
        char *kernel = cli_kernel_rounded(x->kernel);

        printf("%12s %12s %12s%s  ", cli_number(a, x->lambda, 5),
               cli_number(b, 1 / (2 * x->lambda), 5),
               cli_number(d, x->error, 5), x->error == best ? "*" : " ");
        cli_put(stdout, kernel);
        putchar('\n');
        free(kernel);
    }
    puts("* the best");
    return CLI_GOOD;
}

static int run_grid(const gram_table *table, const gram_fit_options *given)
{
    int code = CLI_GOOD;
    gram_exec exec = cli_exec("cross-validating");
    gram_fit_options o = *given;
    gram_machine *m = NULL;
    cells c = {0};

    o.select = GRAM_SELECT_CV;
    o.known = known;
    o.found = found;
    o.cell_user = &c;
    if (log_path) {
        CLI_TRY(read_log(&c));
        c.log = fopen(log_path, "a");
        if (!c.log)
            CLI_TRY(cli_fail("%s: cannot be written", log_path));
    }
    CLI_TRY(cli_status(gram_machine_fit(table, &o, &exec, &m)));
    if (c.count == 0)
        CLI_TRY(cli_fail("--grid: nothing is open; write kernels as in "
                         "'rbf(gamma=?[0.1,1])' and lambda as '?[0.1,1]'"));
    code = print_cells(&c, gram_machine_report(m)->criterion_value);
done:
    for (size_t i = 0; i < c.count; i++)
        free(c.list[i].kernel);
    free(c.list);
    if (c.log)
        fclose(c.log);
    gram_machine_free(m);
    return code;
}

/* ------------------------------------------------------------------- folds */

/* What a fold is judged by: an error rate, a mean squared error whose root is
 * shown, or a mean loss. */
static const char *judged_by(const gram_score *s)
{
    return !isnan(s->accuracy) ? "error" : s->squared ? "rmse" : "loss";
}

static int print_json(const gram_score *s, const double *error, size_t folds,
                      double seconds)
{
    const char *by = judged_by(s);
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
        json_object_update_new(all, json_pack("{s:o, s:o, s:o, s:o}", "rmse",
                                              cli_json_number(s->rmse), "mae",
                                              cli_json_number(s->mae), "r2",
                                              cli_json_number(s->r2), "nlpd",
                                              cli_json_number(s->nlpd)));
    return cli_json_print(all);
}

static void print_text(const gram_score *s, const double *error, size_t folds)
{
    const char *by = judged_by(s);
    int root = strcmp(by, "rmse") == 0, classes = !isnan(s->accuracy);
    const struct {
        const char *name;
        double value;
    } items[] = {{"accuracy", s->accuracy},
                 {"log loss", s->log_loss},
                 {"brier", s->brier},
                 {"mae", s->mae},
                 {"r2", s->r2},
                 {"nlpd", s->nlpd}};
    char a[CLI_ROOM];

    printf("%6s %14s\n", "fold", by);
    for (size_t j = 0; j < folds; j++)
        printf("%6zu %14s\n", j + 1,
               cli_number(a, root ? sqrt(error[j]) : error[j], 5));
    printf("%6s %14s\n", "all",
           cli_number(a,
                      classes ? 1 - s->accuracy
                      : root  ? s->rmse
                              : s->loss,
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
    if (log_path && !grid)
        CLI_TRY(cli_fail("--log: goes with --grid"));
    if (grid) {
        code = run_grid(table, &o);
        goto done;
    }
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
    .about =
        "Estimate how well gram fit with the same options will predict "
        "rows that it has not seen, by cross-validation: DATA is cut into "
        "parts (--folds, --fold-column, --group); for each part in turn, a "
        "model is fitted to all the others and predicts it. Numbers of the "
        "kernel (its hyperparameters) and lambda that are open are chosen "
        "anew every time, from the rows that are fitted, so that the "
        "errors are honest. No model is written.\n\n"
        "With --grid: a table of all kernels and lambdas that would be "
        "tried, with the error of each, as --select cv sees them.",
    .examples =
        "gram cv builtin:sinc\n"
        "gram cv builtin:moons --loss hinge --C '?[1,10]' --grid --log g.log\n"
        "gram cv data.csv -t y -k 'rbf(ard)' --folds 10 --json\n",
    .groups = {&own, &cli_group_fitting, &cli_group_reading, &cli_group_running,
               &cli_group_output, &cli_group_help},
    .run = run,
};
