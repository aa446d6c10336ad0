/* cmd_losses.c - gram losses: the losses that can be fitted with.
 */
#include <string.h>

#include "cli.h"

#include "gram_plugin.h"

enum { NAME_COLUMN = 23, FORMULA_COLUMN = 48 };

static json_t *json_loss(const gram_loss_class *c)
{
    json_t *params = json_array();

    for (const gram_param *p = c->params; p && p->name; p++)
        json_array_append_new(params,
                              json_pack("{s:s, s:f, s:s}", "name", p->name,
                                        "default", p->value, "help", p->help));
    return json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", c->name, "formula",
                     c->formula, "help", c->help, "classes",
                     (c->flags & GRAM_LOSS_CLASSES) != 0, "parameters", params);
}

static int explain(const gram_loss_class *c)
{
    char a[CLI_ROOM];

    if (cli.json)
        return cli_json_print(json_loss(c));
    printf("%s: %s\n%s\n", c->name, c->formula, c->help);
    for (const gram_param *p = c->params; p && p->name; p++) {
        int n = printf("  %s = %s", p->name, cli_number(a, p->value, 6));

        n += printf("%*s", n < NAME_COLUMN ? NAME_COLUMN - n : 1, "");
        cli_wrap(stdout, p->help, NAME_COLUMN, (size_t)n);
    }
    return CLI_GOOD;
}

static int list(void)
{
    const gram_loss_class *c;
    json_t *all = json_array();

    for (size_t i = 0; cli.json && (c = gram_loss_at(i)); i++)
        json_array_append_new(all, json_loss(c));
    if (cli.json)
        return cli_json_print(json_pack("{s:o}", "losses", all));
    json_decref(all);
    puts("V(y, f); y of a loss for classes is 1 or -1:");
    for (size_t i = 0; (c = gram_loss_at(i)); i++) {
        int n = printf("  %-*s", NAME_COLUMN - 2, c->name);

        n += printf("%s", c->formula);
        if (n >= FORMULA_COLUMN) {
            putchar('\n');
            n = 0;
        }
        cli_wrap(stdout, c->help, FORMULA_COLUMN, (size_t)n);
    }
    return CLI_GOOD;
}

static int run(int count, char **operands)
{
    enum { NAMES = 64 };
    const char *names[NAMES];
    const gram_loss_class *c;
    size_t known = 0;

    if (count == 0)
        return list();
    for (size_t i = 0; (c = gram_loss_at(i)); i++) {
        if (strcmp(c->name, operands[0]) == 0)
            return explain(c);
        if (known < NAMES)
            names[known++] = c->name;
    }
    const char *near = cli_suggestion(operands[0], names, known);
    return cli_fail("no loss \"%s\"%s", operands[0],
                    *near ? near : " (\"gram losses\" lists them)");
}

const cli_command cmd_losses = {
    .operands = "[LOSS]",
    .most = 1,
    .about = "List the losses V(y, f) that gram fit takes with --loss, or "
             "explain one of them and its parameters.",
    .examples = "gram losses\ngram losses quantile\n",
    .groups = {&cli_group_output, &cli_group_help},
    .run = run,
};
