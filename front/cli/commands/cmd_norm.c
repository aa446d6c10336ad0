/* cmd_norm.c - gram norm: lengths and angles of fitted functions.
 *
 *     |f|^2 = <f, f>,   |f - g|^2 = |f|^2 - 2 <f, g> + |g|^2
 */
#include <math.h>

#include "cli.h"

/* From its square, which rounding may take below 0; NaN stays. */
static double root(double square)
{
    return square < 0 ? 0 : sqrt(square);
}

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_machine *m[2] = {NULL, NULL};
    double ff = NAN, gg = NAN, fg = NAN;
    char a[CLI_ROOM];

    gram_exec exec = cli_exec("computing");
    for (int i = 0; i < count; i++)
        CLI_TRY(cli_status(gram_machine_load(operands[i], &exec, &m[i])));
    CLI_TRY(
        cli_status_of(operands[0], gram_machine_inner(m[0], NULL, &exec, &ff)));
    if (count > 1) {
        CLI_TRY(cli_status_of(operands[1],
                              gram_machine_inner(m[1], NULL, &exec, &gg)));
        CLI_TRY(cli_status_of(operands[1],
                              gram_machine_inner(m[0], m[1], &exec, &fg)));
    }
    double distance = root(ff - 2 * fg + gg);
    if (cli.json) {
        code = cli_json_print(json_pack(
            "{s:o, s:o, s:o, s:o}", "norm", cli_json_number(root(ff)), "norm2",
            cli_json_number(root(gg)), "inner", cli_json_number(fg), "distance",
            cli_json_number(distance)));
        goto done;
    }
    cli_item(count > 1 ? "|f|" : "norm", "%s", cli_number(a, root(ff), 8));
    if (count > 1) {
        cli_item("|g|", "%s", cli_number(a, root(gg), 8));
        cli_item("<f,g>", "%s", cli_number(a, fg, 8));
        cli_item("|f - g|", "%s", cli_number(a, distance, 8));
    }
done:
    gram_machine_free(m[0]);
    gram_machine_free(m[1]);
    return code;
}

const cli_command cmd_norm = {
    .operands = "MODEL [MODEL2]",
    .least = 1,
    .most = 2,
    .about = "The norm of a fitted function in the space of its kernel, "
             "without its intercept: how hard it bends. Of two models with the "
             "same kernel also their inner product and distance.",
    .examples = "gram norm sinc.gram\n"
                "gram norm old.gram new.gram --json\n",
    .groups = {&cli_group_running, &cli_group_output, &cli_group_help},
    .run = run,
};
