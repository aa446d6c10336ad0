/* cmd_path.c - gram path: all lambdas at about the price of one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST = 100000 };

static const char *lambdas = NULL;

static const cli_option options[] = {
    {"lambdas", 0, CLI_TEXT, "FROM:TO:COUNT|X,X,...",
     "the lambdas, COUNT of them at equal ratios or as given (default: 50 over "
     "nine decades)",
     &lambdas, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static int bad_lambdas(void)
{
    return cli_fail("--lambdas: \"%s\" is neither FROM:TO:COUNT, as in "
                    "1e-6:1e3:50, nor a list of positive numbers",
                    lambdas);
}

static int parse_range(double **out, size_t *count)
{
    double from, to;
    int n = 0, used = 0;

    if (sscanf(lambdas, "%lf:%lf:%d%n", &from, &to, &n, &used) != 3 ||
        lambdas[used] || !(from > 0) || !(to > from) || isinf(to) || n < 2 ||
        n > MOST)
        return bad_lambdas();
    *count = (size_t)n;
    *out = cli_alloc(*count, sizeof **out);
    for (int i = 0; i < n; i++)
        (*out)[i] = from * pow(to / from, (double)i / (n - 1));
    return CLI_GOOD;
}

static int parse_list(double **out, size_t *count)
{
    const char *s = lambdas;
    char *end;

    *out = cli_alloc(strlen(s) + 1, sizeof **out);
    for (*count = 0;; s = end + 1) {
        double x = strtod(s, &end);

        if (end == s || !(x > 0) || isinf(x) || (*end && *end != ','))
            return bad_lambdas();
        (*out)[(*count)++] = x;
        if (!*end)
            return CLI_GOOD;
    }
}

/* ----------------------------------------------------------------- output */

typedef struct answer {
    size_t targets, count;
    gram_path_row *rows;
    size_t *best; /* per target: by loo, gcv, evidence */
    const char **target;
    double seconds;
} answer;

static int print_json(const answer *a)
{
    json_t *list = json_array(), *best = json_array();

    for (size_t i = 0; i < a->count; i++)
        for (size_t t = 0; t < a->targets; t++) {
            const gram_path_row *r = &a->rows[i * a->targets + t];
            json_t *o = cli_json_fields(gram_path_row_fields(), r);
            if (a->targets > 1)
                json_object_set_new(o, "target", cli_json_text(a->target[t]));
            json_array_append_new(list, o);
        }
    for (size_t t = 0; t < a->targets; t++)
        json_array_append_new(
            best, json_pack("{s:o, s:I, s:I, s:I}", "target",
                            cli_json_text(a->target[t]), "loo",
                            (json_int_t)a->best[3 * t], "gcv",
                            (json_int_t)a->best[3 * t + 1], "log_evidence",
                            (json_int_t)a->best[3 * t + 2]));
    return cli_json_print(json_pack("{s:o, s:o, s:f}", "rows", list, "best",
                                    best, "seconds", a->seconds));
}

/* A star behind the best of its column. */
static void print_cell(double x, int best)
{
    char number[CLI_ROOM];

    printf("%14s%s", isnan(x) ? "-" : cli_number(number, x, 6),
           best ? "*" : " ");
}

static void print_text(const answer *a)
{
    for (size_t t = 0; t < a->targets; t++) {
        const size_t *best = a->best + 3 * t;

        if (a->targets > 1) {
            fputs(t ? "\n" : "", stdout);
            cli_put(stdout, a->target[t]);
            putchar('\n');
        }
        printf("%12s%14s %14s %14s %10s\n", "lambda", "loo", "gcv",
               "log_evidence", "df");
        for (size_t i = 0; i < a->count; i++) {
            const gram_path_row *r = &a->rows[i * a->targets + t];
            char lambda[CLI_ROOM], df[CLI_ROOM];

            printf("%12s", cli_number(lambda, r->lambda, 5));
            print_cell(r->loo, i == best[0]);
            print_cell(r->gcv, i == best[1]);
            print_cell(r->log_evidence, i == best[2]);
            printf("%9s\n", cli_number(df, r->df, 5));
        }
    }
    if (!cli.quiet)
        puts("* the best of its column");
}

/* ---------------------------------------------------------------- command */

static void name_targets(const gram_table *table, answer *a)
{
    a->target = cli_alloc(gram_table_cols(table), sizeof *a->target);
    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);

        if (c.role == GRAM_ROLE_TARGET)
            a->target[a->targets++] = c.name;
    }
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    gram_fit_options o;
    double *lambda = NULL, seconds = 0;
    answer a = {.count = 50};

    (void)count;
    if (lambdas)
        CLI_TRY((strchr(lambdas, ':') ? parse_range : parse_list)(&lambda,
                                                                  &a.count));
    CLI_TRY(cli_fit_read(operands[0], &table, &seconds));
    CLI_TRY(cli_fit_options(0, &o));
    name_targets(table, &a);
    a.rows = cli_alloc(a.count * a.targets, sizeof *a.rows);
    a.best = cli_alloc(3 * a.targets, sizeof *a.best);
    gram_exec exec = cli_exec("computing");
    double start = cli_clock();
    CLI_TRY(cli_status(
        gram_machine_path(table, &o, lambda, a.count, &exec, a.rows, a.best)));
    a.seconds = cli_clock() - start;
    if (cli.json)
        code = print_json(&a);
    else
        print_text(&a);
done:
    cli_fit_end();
    free(lambda);
    free(a.rows);
    free(a.best);
    free(a.target);
    gram_table_free(table);
    return code;
}

const cli_command cmd_path = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about =
        "Show how a fit with the squared loss depends on lambda, the weight of "
        "smoothness: from following every row (small) to a flat function "
        "(large). For many lambdas, print how well each row is predicted from "
        "all others (loo, the leave-one-out error), an approximation of that "
        "(gcv, generalised cross-validation), how probable the data are under "
        "the Gaussian process (log_evidence, the log marginal likelihood) and "
        "how many parameters the fit is worth (df, degrees of freedom); the "
        "best lambda by each is marked.\n\n"
        "The matrix is reduced once, every lambda after that is cheap. Open "
        "numbers of the kernel (its hyperparameters) are chosen first, as in "
        "gram fit.",
    .examples = "gram path builtin:sinc -k 'rbf(gamma=0.1)'\n"
                "gram path data.csv -t y --lambdas 1e-4:10:20 --json\n",
    .groups = {&own, &cli_group_fitting, &cli_group_reading, &cli_group_running,
               &cli_group_output, &cli_group_help},
    .run = run,
};
