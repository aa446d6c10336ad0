/* cmd_predict.c - gram predict: what a model says about new rows, as a table.
 *
 * Columns: those of --keep, prediction, std (of a new y), std_f (of f), lower,
 * upper, then parts of terms and rows that speak for the prediction.  With
 * several targets every name ends in _TARGET, with several quantiles in _TAU.
 * Of a classifier: prediction (the class), p_CLASS, decision values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static gram_predict_options given = {.interval = NAN}; /* not given */
static const char *path = "-", *keep;
static int std, terms, plot, proba, decision;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE",
     "where predictions go (default: standard output)", &path, 0},
    {"std", 0, CLI_FLAG, NULL,
     "standard deviations: std of a new y, noise included, and std_f of f",
     &std, 0},
    {.name = "method"},
    {"proba", 0, CLI_FLAG, NULL, "the probability of each class, p_CLASS",
     &proba, 0},
    {"decision", 0, CLI_FLAG, NULL, "the values f that classes are decided by",
     &decision, 0},
    {"terms", 0, CLI_FLAG, NULL,
     "the parts that add up to the prediction: the intercept and each term of "
     "the kernel, with its deviation",
     &terms, 0},
    {.name = "why", .limit = 1000},
    {"keep", 0, CLI_TEXT, "COL,...",
     "columns of DATA to write as well, with the text they have there", &keep,
     0},
    {.name = "unseen"},
    {"plot", 0, CLI_FLAG, NULL,
     "draw the prediction against the one number column of the kernel instead; "
     "of classes, their probabilities",
     &plot, 0},
    {.name = NULL},
};
static const cli_group own = {"options", options, gram_predict_option_fields,
                              &given};

/* All that is asked for, in memory of its own. */
typedef struct answer {
    size_t rows, targets, terms;
    gram_prediction p;
} answer;

static void *room(size_t count, size_t size, int wanted)
{
    return wanted ? cli_alloc(count + 1, size) : NULL;
}

static void reserve(answer *a, const gram_machine *m, size_t rows)
{
    const gram_report *r = gram_machine_report(m);
    size_t n = rows * r->outputs;

    a->rows = rows;
    a->targets = r->outputs;
    a->terms = gram_machine_terms(m);
    a->p.mean = room(n, sizeof(double), 1);
    a->p.label = room(rows, sizeof(int), r->classes > 0);
    a->p.proba = room(rows * r->classes, sizeof(double),
                      proba || (plot && r->probabilities));
    a->p.std = room(n, sizeof(double), std);
    a->p.std_f = room(n, sizeof(double), std);
    a->p.lower = room(n, sizeof(double), !isnan(given.interval));
    a->p.upper = room(n, sizeof(double), !isnan(given.interval));
    a->p.terms = room(rows * a->terms, sizeof(double), terms);
    a->p.terms_std = room(rows * a->terms, sizeof(double), terms && std);
    a->p.why = room(rows * given.why, sizeof(size_t), given.why > 0);
    a->p.why_part = room(rows * given.why, sizeof(double), given.why > 0);
}

static void release(answer *a)
{
    void *all[] = {a->p.mean,     a->p.std,   a->p.std_f, a->p.lower,
                   a->p.upper,    a->p.terms, a->p.why,   a->p.terms_std,
                   a->p.why_part, a->p.label, a->p.proba};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ------------------------------------------------------------------ table */

static int add(gram_table *out, const char *name, const double *values,
               size_t stride)
{
    return cli_status(gram_table_add_numbers(out, name, values, stride));
}

static int add_targets(gram_table *out, const gram_machine *m, const answer *a)
{
    const gram_report *r = gram_machine_report(m);
    const struct {
        const char *name;
        const double *values;
    } parts[] = {{"prediction", a->p.mean},
                 {"std", a->p.std},
                 {"std_f", a->p.std_f},
                 {"lower", a->p.lower},
                 {"upper", a->p.upper}};
    int code = CLI_GOOD;

    for (size_t t = 0; t < a->targets; t++)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            char *name = NULL;

            if (!parts[i].values)
                continue;
            if (asprintf(&name, a->targets > 1 ? "%s_%s" : "%s", parts[i].name,
                         r->output[t]) < 0)
                exit(cli_fail("out of memory"));
            code = add(out, name, parts[i].values + t, a->targets);
            free(name);
            if (code != CLI_GOOD)
                return code;
        }
    return code;
}

static int add_classes(gram_table *out, const gram_machine *m, const answer *a)
{
    const gram_report *r = gram_machine_report(m);
    const char **text = cli_alloc(a->rows + 1, sizeof *text);
    char *name = NULL;
    int code;

    for (size_t i = 0; i < a->rows; i++)
        text[i] = a->p.label[i] < 0 ? NULL : r->class_name[a->p.label[i]];
    code = cli_status(
        gram_table_add_strings(out, "prediction", GRAM_TYPE_CATEGORY, text));
    for (size_t k = 0; proba && code == CLI_GOOD && k < r->classes; k++) {
        if (asprintf(&name, "p_%s", r->class_name[k]) < 0)
            exit(cli_fail("out of memory"));
        code = add(out, name, a->p.proba + k, r->classes);
        free(name);
    }
    for (size_t t = 0; decision && code == CLI_GOOD && t < a->targets; t++) {
        if (asprintf(&name, a->targets > 1 ? "decision_%s" : "decision",
                     r->output[t]) < 0)
            exit(cli_fail("out of memory"));
        code = add(out, name, a->p.mean + t, a->targets);
        free(name);
    }
    free(text);
    return code;
}

/* A name for a term that no column has yet: equal terms are numbered. */
static char *term_name(const gram_table *out, const char *prefix,
                       const char *term)
{
    char *name = NULL;
    size_t j;

    if (asprintf(&name, "%s%s", prefix, term) < 0)
        exit(cli_fail("out of memory"));
    for (int again = 2; gram_table_find(out, name, &j) == GRAM_OK; again++) {
        free(name);
        if (asprintf(&name, "%s%s (%d)", prefix, term, again) < 0)
            exit(cli_fail("out of memory"));
    }
    return name;
}

/* With the terms it adds up to the prediction. */
static int add_intercept(gram_table *out, const gram_machine *m,
                         const answer *a)
{
    double *b = cli_alloc(a->rows + 1, sizeof *b);
    char *name = term_name(out, "", "intercept");

    for (size_t k = 0; k < a->rows; k++)
        b[k] = gram_machine_report(m)->intercept[0];
    int code = add(out, name, b, 1);
    free(name);
    free(b);
    return code;
}

static int add_terms(gram_table *out, const gram_machine *m, const answer *a)
{
    int code = add_intercept(out, m, a);

    for (size_t i = 0; i < a->terms && code == CLI_GOOD; i++) {
        char *term = cli_kernel_rounded(gram_machine_term(m, i));
        char *name = term_name(out, "", term);

        code = add(out, name, a->p.terms + i, a->terms);
        free(name);
        if (a->p.terms_std && code == CLI_GOOD) {
            name = term_name(out, "std of ", term);
            code = add(out, name, a->p.terms_std + i, a->terms);
            free(name);
        }
        free(term);
    }
    return code;
}

/* Rows are counted from 1, as in messages. */
static int add_why(gram_table *out, const answer *a)
{
    const size_t why = given.why;
    double *row = cli_alloc(a->rows + 1, sizeof *row);
    char name[64];
    int code = CLI_GOOD;

    for (size_t i = 0; i < why && code == CLI_GOOD; i++) {
        for (size_t k = 0; k < a->rows; k++)
            row[k] = a->p.why[k * why + i] == (size_t)-1
                         ? NAN
                         : (double)a->p.why[k * why + i] + 1;
        snprintf(name, sizeof name, "why_%zu", i + 1);
        code = add(out, name, row, 1);
        snprintf(name, sizeof name, "why_%zu_part", i + 1);
        if (code == CLI_GOOD)
            code = add(out, name, a->p.why_part + i, why);
    }
    free(row);
    return code;
}

/* The names of --keep, NULL at the end, in one block of memory. */
static const char **kept_names(void)
{
    size_t bytes = keep ? strlen(keep) + 1 : 0, count = 0;
    const char **names = cli_alloc((bytes + 1) * sizeof *names + bytes, 1);
    char *rest = keep ? strcpy((char *)(names + bytes + 1), keep) : NULL;

    while (rest)
        names[count++] = strsep(&rest, ",");
    return names;
}

static int add_kept(gram_table *out, const gram_table *data,
                    const char *const *kept)
{
    int code = CLI_GOOD;
    size_t j;

    for (; *kept; kept++) {
        CLI_TRY(cli_status(gram_table_find(data, *kept, &j)));
        if (gram_table_column(data, j).type == GRAM_TYPE_SPARSE)
            CLI_TRY(cli_fail("--keep: column \"%s\" is sparse", *kept));
        CLI_TRY(cli_status(gram_table_add_copy(out, *kept, &data, 1, NULL)));
    }
done:
    return code;
}

static int write_table(const gram_machine *m, const gram_table *data,
                       const char *const *kept, const answer *a, double start)
{
    int code = CLI_GOOD;
    gram_table *out = NULL;

    CLI_TRY(cli_status(gram_table_new(a->rows, &out)));
    CLI_TRY(add_kept(out, data, kept));
    CLI_TRY(gram_machine_report(m)->classes > 0 ? add_classes(out, m, a)
                                                : add_targets(out, m, a));
    if (terms)
        CLI_TRY(add_terms(out, m, a));
    if (given.why > 0)
        CLI_TRY(add_why(out, a));
    code = cli_table_write(out, path, start);
done:
    gram_table_free(out);
    return code;
}

/* ---------------------------------------------------------------- command */

static int check_options(const gram_machine *m)
{
    if (given.interval <= 0)
        return cli_fail("--interval: %g, must be between 0 and 1",
                        given.interval);
    if (given.method && isnan(given.interval))
        return cli_fail("--method: is of an interval, as in --interval 0.9");
    if (plot && cli.json)
        return cli_fail("--plot and --json: give one of them");
    if (plot && strcmp(path, "-") != 0)
        return cli_fail("--plot and --output: give one of them");
    const gram_report *r = gram_machine_report(m);
    if ((terms || given.why) && r->outputs > 1)
        return cli_fail("--terms and --why take a model of one function, this "
                        "one has %zu",
                        r->outputs);
    if ((proba || decision) && r->classes == 0)
        return cli_fail("--proba and --decision are of classes, this model "
                        "has loss %s of numbers",
                        r->loss);
    return CLI_GOOD;
}

/* Rows that --missing drop has left without a prediction. */
static void tell_empty(const char *data, const answer *a)
{
    size_t empty = 0;

    for (size_t i = 0; i < a->rows; i++)
        empty += a->p.label ? a->p.label[i] < 0
                            : isnan(a->p.mean[i * a->targets]) != 0;
    if (empty > 0 && !cli.quiet)
        fprintf(stderr,
                "gram predict: note: %s: %zu of %zu rows have missing cells "
                "and no prediction\n",
                cli_path(data, "standard input"), empty, a->rows);
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    gram_table *data = NULL;
    answer a = {0};
    double seconds = 0, start = cli_clock();
    const char **kept = kept_names();

    (void)count;
    gram_exec exec = cli_exec("predicting");
    CLI_TRY(cli_output_begin(path, operands[1]));
    CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    CLI_TRY(check_options(m));
    cli_table_keep_texts(kept);
    CLI_TRY(cli_table_read_for(m, operands[1], 0, &data, &seconds));
    reserve(&a, m, gram_table_rows(data));
    gram_predict_options o = given;
    o.interval = isnan(o.interval) ? 0 : o.interval;
    o.missing = cli_missing();
    CLI_TRY(cli_status_of(operands[1],
                          gram_machine_predict(m, data, &o, &exec, &a.p)));
    tell_empty(operands[1], &a);
    code = plot ? cli_prediction_plot(m, data, &a.p, &exec)
                : write_table(m, data, kept, &a, start);
done:
    free(kept);
    release(&a);
    gram_table_free(data);
    gram_machine_free(m);
    return code;
}

const cli_command cmd_predict = {
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .about =
        "Predict the target for the rows of DATA, and write a table with a row "
        "for each of them. The columns that the model was fitted to are found "
        "by their names; other columns do not matter, and the target need not "
        "be there. Missing cells are treated as when the model was fitted; a "
        "row that is left out has an empty prediction.\n\n"
        "The column prediction is the number to expect, the class, or with "
        "other losses what they say (gram losses). How sure it is: --std and "
        "--interval for numbers, --proba for classes. --terms and --why show "
        "what a prediction is made of.\n\n"
        "Deviations and Gaussian intervals are those of the Gaussian process "
        "that a model of the squared loss is; they take a factorisation unless "
        "the model was fitted with --keep-factor.",
    .examples = "gram predict sinc.gram builtin:sinc --interval 0.9 | head -3\n"
                "gram predict m.gram new.csv --std --keep id -o out.csv\n"
                "gram predict m.gram new.csv --terms --why 5\n"
                "gram predict iris.gram builtin:iris --proba\n",
    .groups = {&own, &cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
