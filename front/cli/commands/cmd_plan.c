/* cmd_plan.c - gram plan: what fit would do, without doing it.
 */
#include <string.h>

#include "cli.h"

static void print_text(const gram_plan *plan)
{
    char bytes[CLI_ROOM], seconds[CLI_ROOM];

    cli_item("solver", "%s", plan->solver);
    cli_item("selection", "%s", plan->selection);
    cli_item("memory", "%s", cli_bytes(bytes, plan->bytes));
    cli_item("time", "%s, roughly", cli_duration(seconds, plan->seconds));
    for (const char *s = plan->others; *s;) {
        int n = (int)strcspn(s, "\n");

        cli_item(s == plan->others ? "others" : "", "%.*s", n, s);
        s += n + (s[n] == '\n');
    }
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;
    gram_fit_options o;
    gram_plan plan;
    double seconds = 0;

    (void)count;
    CLI_TRY(cli_fit_read(operands[0], &table, &seconds));
    CLI_TRY(cli_fit_options(0, &o));
    gram_exec exec = cli_exec("planning");
    CLI_TRY(cli_status(gram_machine_plan(table, &o, &exec, &plan)));
    if (cli.json)
        code = cli_json_print(cli_json_fields(gram_plan_fields(), &plan));
    else
        print_text(&plan);
done:
    cli_fit_end();
    gram_table_free(table);
    return code;
}

const cli_command cmd_plan = {
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .about = "Say what gram fit with the same options would do, before it "
             "does: which numbers would be chosen from the data and how, by "
             "which solver (the method that computes the fit), how much memory "
             "it would hold at most, roughly how long it would take, and what "
             "the other solvers would need. The data are read, nothing is "
             "fitted. --mem is the budget; what exceeds it is said.",
    .examples = "gram plan builtin:sinc\n"
                "gram plan big.csv -t y -k 'rbf(gamma=0.1)' --mem 8G\n",
    .groups = {&cli_group_fitting, &cli_group_reading, &cli_group_running,
               &cli_group_output, &cli_group_help},
    .run = run,
};
