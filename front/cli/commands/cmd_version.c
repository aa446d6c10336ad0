/* cmd_version.c - gram version.
 *
 * The version of the library that runs, not of the header it was built with.
 */
#include "cli.h"

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, NULL, "print one JSON object", &cli.json, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static int run(int count, char **operands)
{
    (void)count;
    (void)operands;
    if (cli.json)
        return cli_json_print(json_pack("{s:s}", "version", gram_version()));
    printf("gram %s\n", gram_version());
    return CLI_GOOD;
}

const cli_command cmd_version = {
    .operands = "",
    .about = "Print the version of the program.",
    .examples = "gram version\n"
                "gram version --json\n",
    .groups = {&own, &cli_group_help},
    .run = run,
};
