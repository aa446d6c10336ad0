/* cmd_fit.c - gram fit: a machine from a table.
 *
 * Before the run the plan is printed, so that a long one can be stopped; after
 * it the report.  The model file appears whole or not at all.
 */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

static const char *path, *trace_path;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "MODEL",
     "where the model goes (default: it is fitted and reported, not kept)",
     &path, 0},
    {"trace", 0, CLI_TEXT, "FILE.csv",
     "gd, cg, newton: write every step: its number, what the solver makes "
     "small, and with --holdout the loss on those rows",
     &trace_path, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

/* ------------------------------------------------------------------ trace */

typedef struct trace {
    size_t count, room;
    double *step, *loss, *held_out;
} trace;

static int take_step(void *user, size_t step, double loss, double held_out)
{
    trace *t = user;

    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->step = realloc(t->step, t->room * sizeof *t->step);
        t->loss = realloc(t->loss, t->room * sizeof *t->loss);
        t->held_out = realloc(t->held_out, t->room * sizeof *t->held_out);
        if (!t->step || !t->loss || !t->held_out)
            exit(cli_fail("out of memory"));
    }
    t->step[t->count] = (double)step;
    t->loss[t->count] = loss;
    t->held_out[t->count++] = held_out;
    return 0;
}

/* The last column only if there were rows to hold out. */
static int write_trace(const trace *t)
{
    int code = CLI_GOOD;
    gram_exec exec = cli_exec("writing");
    gram_table *table = NULL;

    CLI_TRY(cli_status(gram_table_new(t->count, &table)));
    CLI_TRY(cli_status(gram_table_add_numbers(table, "step", t->step, 1)));
    CLI_TRY(cli_status(gram_table_add_numbers(table, "loss", t->loss, 1)));
    if (t->count > 0 && !isnan(t->held_out[0]))
        CLI_TRY(cli_status(
            gram_table_add_numbers(table, "held_out", t->held_out, 1)));
    CLI_TRY(cli_status(gram_table_write(table, trace_path, NULL, &exec)));
done:
    gram_table_free(table);
    return code;
}

/* ---------------------------------------------------------------- command */

static void print_plan(const gram_plan *plan)
{
    char bytes[CLI_ROOM], seconds[CLI_ROOM], *text = NULL;

    if (asprintf(&text, "%s, %s, %s; %s", plan->solver,
                 cli_bytes(bytes, plan->bytes),
                 cli_duration(seconds, plan->seconds), plan->selection) < 0)
        exit(cli_fail("out of memory"));
    fputs("plan: ", stdout);
    cli_wrap(stdout, text, 6, 6);
    fflush(stdout);
    free(text);
}

static int fit(const gram_table *table, gram_machine **out)
{
    int code = CLI_GOOD;
    gram_fit_options o;
    gram_exec exec = cli_exec("fitting");
    gram_fit *planned = NULL;
    trace t = {0};

    CLI_TRY(cli_fit_options(0, &o));
    if (cli_kernel_count() > 1)
        CLI_TRY(cli_fail("--kernel: given %zu times; gram compare compares "
                         "kernels",
                         cli_kernel_count()));
    if (trace_path) {
        o.trace = take_step;
        o.trace_user = &t;
    }
    CLI_TRY(cli_status(gram_fit_new(table, &o, &exec, &planned)));
    if (!cli.quiet && !cli.json)
        print_plan(gram_fit_plan(planned));
    CLI_TRY(cli_status(gram_fit_run(planned, &exec, out)));
    if (trace_path && t.count == 0)
        CLI_TRY(
            cli_fail("--trace: solver %s has no steps to show; --solver gd, "
                     "cg and newton have",
                     gram_machine_report(*out)->solver));
    if (trace_path)
        code = write_trace(&t);
done:
    gram_fit_free(planned);
    free(t.step);
    free(t.loss);
    free(t.held_out);
    return code;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    gram_machine *m = NULL;
    double read_seconds = 0, start;

    (void)count;
    CLI_TRY(cli_output_begin(path, operands[0]));
    CLI_TRY(cli_output_begin(trace_path, operands[0]));
    CLI_TRY(cli_fit_read(operands[0], &table, &read_seconds));
    CLI_TRY(fit(table, &m));
    start = cli_clock();
    if (path) {
        gram_exec exec = cli_exec("writing");
        CLI_TRY(cli_status(gram_machine_save(m, path, &exec)));
    }
    code = cli_report_print(m, operands[0], path, read_seconds,
                            cli_clock() - start);
done:
    cli_fit_end();
    gram_machine_free(m);
    gram_table_free(table);
    return code;
}

const cli_command cmd_fit = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about =
        "Learn to predict the target column of DATA from its other columns, "
        "and write what was learned as a model for gram predict. A target of "
        "numbers makes a regression, a category or a number with two values "
        "makes a classifier. Nothing but the target has to be given; what "
        "follows says what happens then, and what can be changed.\n\n"
        "The prediction is f(x) = sum of alpha_i k(x_i, x) + b over the rows "
        "x_i of DATA. The kernel k says how alike two rows are (--kernel, by "
        "default rbf, which compares distances). The loss V says what a wrong "
        "prediction costs (--loss): by default (y - f)^2 for numbers, which is "
        "kernel ridge regression and the mean of a Gaussian process, and the "
        "logistic loss for classes, which gives probabilities; hinge is the "
        "support vector machine, and gram losses lists them all. f minimises "
        "the sum of w_i V(y_i, f(x_i)) + lambda |f|^2: a large lambda keeps f "
        "smooth, a small one lets it follow the data, and its noise.\n\n"
        "Numbers of the kernel (its hyperparameters) that its text leaves "
        "open, and lambda, are chosen from the data (--select). With the "
        "squared loss they are those that make the data most probable under "
        "the Gaussian process (the evidence), or, if only lambda is open, the "
        "one that predicts each row best from all the others; with other "
        "losses those that do best in cross-validation.\n\n"
        "The first line is the plan: solver, memory, time. The report has the "
        "kernel with all its numbers, and what to know before one trusts the "
        "answer. Exit code 3: the model was written, but the solver did not "
        "converge.",
    .examples = "gram fit builtin:sinc -o sinc.gram\n"
                "gram fit houses.csv -t price -k 'rbf(ard) + delta[city]' -o "
                "m.gram\n"
                "gram fit builtin:co2 -k '?*rbf + ?*periodic(period=365.25)'\n"
                "gram fit builtin:iris -o iris.gram\n"
                "gram fit builtin:moons --loss hinge --C 10 -o svm.gram\n"
                "gram fit builtin:sinc --loss 'quantile(tau=[0.1,0.5,0.9])'\n",
    .groups = {&own, &cli_group_fitting, &cli_group_reading, &cli_group_running,
               &cli_group_output, &cli_group_help},
    .run = run,
};
