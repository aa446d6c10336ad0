/* cmd_score.c - gram score: how good a model is on rows whose target is known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static double interval = 0.9;
static int method;

static const cli_option options[] = {
    {"interval", 0, CLI_REAL, "P",
     "the interval whose coverage is counted (default 0.9)", &interval, 0},
    {"method", 0, CLI_CHOICE, "gaussian|jackknife",
     "of the interval, as in gram predict", &method, 0},
    {.name = NULL},
};
static const cli_group own = {"options", options};

static json_t *json_score(const gram_report *r, const gram_score *s)
{
    if (r->classes > 0)
        return json_pack("{s:I, s:o, s:o, s:o, s:o}", "n", (json_int_t)s->n,
                         "accuracy", cli_json_number(s->accuracy), "log_loss",
                         cli_json_number(s->log_loss), "auc",
                         cli_json_number(s->auc), "brier",
                         cli_json_number(s->brier));
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)s->n,
        "loss", cli_json_number(s->loss), "rmse", cli_json_number(s->rmse),
        "mae", cli_json_number(s->mae), "r2", cli_json_number(s->r2), "nlpd",
        cli_json_number(s->nlpd), "coverage", cli_json_number(s->coverage),
        "interval", cli_json_number(s->interval));
}

/* With several targets each key has a list. */
static int print_json(const gram_report *r, const gram_score *s)
{
    json_t *all, *one, *value, *names;
    const char *key;

    size_t count = r->classes > 0 ? 1 : r->outputs;
    all = json_score(r, s);
    for (size_t t = 0; count > 1 && t < count; t++) {
        one = json_score(r, s + t);
        if (t == 0)
            json_object_clear(all);
        json_object_foreach(one, key, value)
        {
            if (t == 0)
                json_object_set_new(all, key, json_array());
            json_array_append(json_object_get(all, key), value);
        }
        json_decref(one);
    }
    names = json_array();
    for (size_t t = 0; t < r->targets; t++)
        json_array_append_new(names, cli_json_text(r->target[t]));
    json_object_set_new(all, "target", names);
    return cli_json_print(all);
}

static void print_classes(const gram_report *r, const gram_score *s)
{
    const struct {
        const char *name;
        double value;
    } items[] = {
        {"log loss", s->log_loss}, {"auc", s->auc}, {"brier", s->brier}};
    char a[CLI_ROOM];

    cli_put(stdout, r->target[0]);
    printf(": %zu row%s\n", s->n, s->n == 1 ? "" : "s");
    cli_item("accuracy", "%s", cli_number(a, s->accuracy, 5));
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (!isnan(items[i].value))
            cli_item(items[i].name, "%s", cli_number(a, items[i].value, 5));
}

static void print_text(const gram_report *r, const gram_score *s)
{
    char a[CLI_ROOM];

    for (size_t t = 0; t < r->outputs; t++, s++) {
        cli_put(stdout, r->output[t]);
        printf(": %zu row%s\n", s->n, s->n == 1 ? "" : "s");
        if (strcmp(r->loss, "squared") != 0)
            cli_item("loss", "%s", cli_number(a, s->loss, 5));
        cli_item("rmse", "%s", cli_number(a, s->rmse, 5));
        cli_item("mae", "%s", cli_number(a, s->mae, 5));
        cli_item("r2", "%s", cli_number(a, s->r2, 5));
        if (isnan(s->nlpd))
            continue;
        cli_item("nlpd", "%s", cli_number(a, s->nlpd, 5));
        cli_item("coverage", "%.3f of rows are inside the %g interval",
                 s->coverage, s->interval);
    }
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    gram_table *data = NULL;
    gram_score *scores = NULL;
    double seconds = 0;

    (void)count;
    gram_exec exec = cli_exec("scoring");
    if (interval <= 0 || interval >= 1)
        return cli_fail("--interval: %g, must be between 0 and 1", interval);
    CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    const gram_report *r = gram_machine_report(m);
    CLI_TRY(cli_table_read_for(operands[1], r->target, r->targets,
                               GRAM_MISSING_KEEP, &data, &seconds));
    scores = cli_alloc(r->outputs, sizeof *scores);
    gram_predict_options o = {.interval = interval,
                              .method = (gram_interval)method};
    CLI_TRY(cli_status_of(operands[1],
                          gram_machine_score(m, data, &o, &exec, scores)));
    if (cli.json)
        code = print_json(r, scores);
    else if (r->classes > 0)
        print_classes(r, scores);
    else
        print_text(r, scores);
done:
    free(scores);
    gram_table_free(data);
    gram_machine_free(m);
    return code;
}

const cli_command cmd_score = {
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .about =
        "Predict the rows of DATA and compare with its target column, which "
        "has the name it had when the model was fitted: root mean squared and "
        "mean absolute error, share of the variance explained (r2), mean "
        "negative log density (nlpd), and how many rows lie inside their "
        "interval.",
    .examples = "gram score sinc.gram builtin:sinc\n"
                "gram score m.gram test.csv --interval 0.95 --json\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
