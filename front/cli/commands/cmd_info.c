/* cmd_info.c - gram info: what is in a model file, and what matters in it.
 */
#include <stdlib.h>

#include "cli.h"

typedef struct share {
    const char *name;
    double value;
} share;

static int by_value(const void *a, const void *b)
{
    double u = ((const share *)a)->value, v = ((const share *)b)->value;

    return (u < v) - (u > v);
}

static void print_shares(const char *title, const share *s, size_t count)
{
    char a[CLI_ROOM];

    printf("%s\n", title);
    for (size_t i = 0; i < count; i++) {
        char *name = cli_kernel_rounded(s[i].name);

        printf("  %12s  ", cli_number(a, s[i].value, 4));
        cli_wrap(stdout, name, 16, 16);
        free(name);
    }
}

static json_t *json_shares(const share *s, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "name",
                                              cli_json_text(s[i].name), "value",
                                              cli_json_number(s[i].value)));
    return list;
}

/* Names with values, the largest first. */
static share *rank(const gram_machine *m,
                   const char *(*name)(const gram_machine *, size_t),
                   const double *value, size_t count)
{
    share *s = cli_alloc(count + 1, sizeof *s);

    for (size_t i = 0; i < count; i++)
        s[i] = (share){name(m, i), value[i]};
    qsort(s, count, sizeof *s, by_value);
    return s;
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m = NULL;
    double *term = NULL, *column = NULL;
    share *terms = NULL, *columns = NULL;
    size_t t, d = 0;

    (void)count;
    gram_exec exec = cli_exec("looking");
    CLI_TRY(cli_status(gram_machine_load(operands[0], &exec, &m)));
    t = gram_machine_terms(m);
    while (gram_machine_column(m, d))
        d++;
    term = cli_alloc(t + 1, sizeof *term);
    column = cli_alloc(d + 1, sizeof *column);
    CLI_TRY(cli_status(gram_machine_importance(m, &exec, term, column)));
    terms = rank(m, gram_machine_term, term, t);
    columns = rank(m, gram_machine_column, column, d);
    if (cli.json) {
        code = cli_report_json(m, json_pack("{s:o, s:o, s:o}", "file",
                                            cli_json_text(operands[0]), "terms",
                                            json_shares(terms, t), "columns",
                                            json_shares(columns, d)));
        goto done;
    }
    code = cli_report_print(m, operands[0], NULL, 0, 0);
    print_shares("terms, by the mean square of their part of f", terms, t);
    print_shares("columns, by the mean squared change of f when shuffled",
                 columns, d);
done:
    free(terms);
    free(columns);
    free(term);
    free(column);
    gram_machine_free(m);
    return code;
}

const cli_command cmd_info = {
    .operands = "MODEL",
    .least = 1,
    .most = 1,
    .about = "Show what a model was fitted to and what was found, and rank "
             "the terms of its kernel and the columns by how much they matter "
             "for its predictions.",
    .examples = "gram info m.gram\ngram info m.gram --json\n",
    .groups = {&cli_group_running, &cli_group_output, &cli_group_help},
    .run = run,
};
