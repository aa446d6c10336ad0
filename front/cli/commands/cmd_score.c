/* cmd_score.c - gram score: how good a model is on rows whose target is known.
 *
 * Of a classifier also: which classes are taken for which (rows: what they
 * are, columns: what was predicted), and how often those are right that have a
 * certain probability.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static gram_predict_options given = {.interval = 0.9};

static const cli_option options[] = {
    {"interval", 0, CLI_REAL, "P",
     "the interval whose coverage is counted (default 0.9)", &given.interval,
     1},
    {"method", 0, CLI_CHOICE, "gaussian|jackknife",
     "of the interval, as in gram predict", &given.method, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

/* ----------------------------------------------------------------- classes */

enum { BINS = 10, SHOWN = 12 }; /* of probability; classes of a matrix */

typedef struct table {
    size_t classes;
    size_t *count;                         /* classes + 1 rows, the last */
    size_t rows[BINS];                     /* for those that are unknown */
    double probability[BINS], right[BINS]; /* sums */
} table;

static int count_classes(const gram_machine *m, const gram_table *data,
                         table *t)
{
    int code = CLI_GOOD;
    size_t n = gram_table_rows(data), k = gram_machine_report(m)->classes;
    int *is = cli_alloc(n + 1, sizeof *is),
        *said = cli_alloc(n + 1, sizeof *is);
    double *p = cli_alloc(n * k + 1, sizeof *p);
    gram_prediction out = {.label = said, .proba = p};
    gram_exec exec = cli_exec("scoring");

    t->classes = k;
    t->count = cli_alloc((k + 1) * k, sizeof *t->count);
    CLI_TRY(cli_status(gram_machine_classes(m, data, &exec, is)));
    if (gram_machine_predict(m, data, NULL, &exec, &out) != GRAM_OK) {
        out.proba = NULL; /* it has none */
        CLI_TRY(cli_status(gram_machine_predict(m, data, NULL, &exec, &out)));
    }
    for (size_t i = 0; i < n; i++) {
        size_t row = is[i] < 0 ? k : (size_t)is[i], label = (size_t)said[i];

        t->count[row * k + label]++;
        if (!out.proba)
            continue;
        double q = p[i * k + label];
        int bin = q >= 1 ? BINS - 1 : (int)(q * BINS);
        t->rows[bin]++;
        t->probability[bin] += q;
        t->right[bin] += is[i] == said[i];
    }
done:
    free(is);
    free(said);
    free(p);
    return code;
}

static json_t *json_table(const gram_report *r, const table *t)
{
    json_t *matrix = json_array(), *bins = json_array();

    for (size_t a = 0; a < t->classes; a++) {
        json_t *row = json_array();

        for (size_t b = 0; b < t->classes; b++)
            json_array_append_new(
                row, json_integer((json_int_t)t->count[a * t->classes + b]));
        json_array_append_new(matrix, row);
    }
    for (int i = 0; i < BINS; i++)
        if (t->rows[i] > 0)
            json_array_append_new(
                bins,
                json_pack("{s:I, s:f, s:f}", "n", (json_int_t)t->rows[i],
                          "probability", t->probability[i] / (double)t->rows[i],
                          "accuracy", t->right[i] / (double)t->rows[i]));
    return json_pack("{s:o, s:o, s:o}", "classes",
                     cli_json_texts(r->class_name, t->classes), "confusion",
                     matrix, "calibration", bins);
}

static void print_confusion(const gram_report *r, const table *t)
{
    size_t k = t->classes;

    puts("rows: the class, columns: what was predicted");
    printf("  %12s", "");
    for (size_t b = 0; b < k; b++) {
        putchar(' ');
        cli_cell_right(stdout, r->class_name[b], 10);
    }
    putchar('\n');
    for (size_t a = 0; a < k; a++) {
        fputs("  ", stdout);
        cli_cell_right(stdout, r->class_name[a], 12);
        for (size_t b = 0; b < k; b++)
            printf(" %10zu", t->count[a * k + b]);
        putchar('\n');
    }
}

static void print_calibration(const table *t)
{
    size_t all = 0;

    for (int i = 0; i < BINS; i++)
        all += t->rows[i];
    if (all == 0)
        return;
    puts("probability of the predicted class, and how often it was right");
    for (int i = 0; i < BINS; i++)
        if (t->rows[i] > 0)
            printf("  %10zu rows %10.3f %10.3f\n", t->rows[i],
                   t->probability[i] / (double)t->rows[i],
                   t->right[i] / (double)t->rows[i]);
}

static void print_classes(const gram_report *r, const gram_score *s,
                          const table *t)
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
    if (r->classes <= SHOWN)
        print_confusion(r, t);
    print_calibration(t);
}

/* ----------------------------------------------------------------- numbers */

static void print_text(const gram_report *r, const gram_score *s)
{
    char a[CLI_ROOM];

    for (size_t t = 0; t < r->outputs; t++, s++) {
        cli_put(stdout, r->output[t]);
        printf(": %zu row%s\n", s->n, s->n == 1 ? "" : "s");
        if (!r->squared)
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

/* With several targets each key has a list. */
static int print_json(const gram_report *r, const gram_score *s,
                      const table *classes)
{
    json_t *all, *one, *value;
    const char *key;

    size_t count = r->classes > 0 ? 1 : r->outputs;
    all = cli_json_fields(gram_score_fields(), s);
    for (size_t t = 0; count > 1 && t < count; t++) {
        one = cli_json_fields(gram_score_fields(), s + t);
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
    json_object_set_new(all, "target", cli_json_texts(r->target, r->targets));
    if (classes->count)
        json_object_update_new(all, json_table(r, classes));
    return cli_json_print(all);
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    gram_table *data = NULL;
    gram_score *scores = NULL;
    table classes = {0};
    double seconds = 0;

    (void)count;
    gram_exec exec = cli_exec("scoring");
    if (given.interval <= 0)
        return cli_fail("--interval: %g, must be between 0 and 1",
                        given.interval);
    CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    const gram_report *r = gram_machine_report(m);
    CLI_TRY(cli_table_read_for(m, operands[1], 1, &data, &seconds));
    CLI_TRY(cli_status_of(operands[1],
                          gram_machine_fill(m, data, cli_missing(), &exec)));
    scores = cli_alloc(r->outputs, sizeof *scores);
    CLI_TRY(cli_status_of(operands[1],
                          gram_machine_score(m, data, &given, &exec, scores)));
    if (r->classes > 0)
        CLI_TRY(count_classes(m, data, &classes));
    if (cli.json)
        code = print_json(r, scores, &classes);
    else if (r->classes > 0)
        print_classes(r, scores, &classes);
    else
        print_text(r, scores);
done:
    free(classes.count);
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
        "interval. Of a classifier: accuracy, log loss, area under the curve, "
        "Brier score, which classes are taken for which, and how often a "
        "probability is right.",
    .examples = "gram score sinc.gram builtin:sinc\n"
                "gram score m.gram test.csv --interval 0.95 --json\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
