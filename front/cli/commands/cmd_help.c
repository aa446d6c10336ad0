/* cmd_help.c - gram help: commands, topics, and the man page.
 *
 * A topic is a function that prints it and a line in the table; it lists a
 * registry of the library, so that nothing is listed by hand.
 */
#include <string.h>

#include "svm.h"

static int as_man;

static const cli_option options[] = {
    {"man", 0, CLI_FLAG, NULL,
     "print the man page, in roff; those of svm-scale, svm-train and "
     "svm-predict by their names",
     &as_man, 0},
    {.name = NULL},
};
static const cli_group own = {.title = "options", .options = options};

static void print_data(void)
{
    const gram_builtin *b;

    for (size_t i = 0; (b = gram_builtin_at(i)); i++) {
        int n = printf("  builtin:%-10s ", b->name);
        cli_wrap(stdout, b->brief, 21, (size_t)n);
    }
}

static void print_formats(void)
{
    const gram_format *f;

    for (size_t i = 0; (f = gram_format_at(i)); i++) {
        char text[256];
        int n = printf("  %-8s %-4s %-5s  ", f->name, f->can_read ? "read" : "",
                       f->can_write ? "write" : "");
        snprintf(text, sizeof text, "%s (%s)", f->brief, f->extensions);
        cli_wrap(stdout, text, 23, (size_t)n);
    }
}

static void print_solvers(void)
{
    gram_solver s;

    for (size_t i = 0; (s = gram_solver_at(i)).name; i++) {
        int n = printf("  %-8s ", s.name);
        cli_wrap(stdout, s.brief, 11, (size_t)n);
    }
}

static const struct topic {
    const char *name;
    void (*print)(void);
} topics[] = {
    {"data", print_data},
    {"formats", print_formats},
    {"solvers", print_solvers},
};

static int print_man(const char *name)
{
    const svm_program *program = svm_program_find(name);

    if (program)
        svm_man_print(program);
    else if (strcmp(name, "gram") == 0)
        cli_man_print();
    else
        return cli_fail("--man: \"%s\" has no man page of its own, it is in "
                        "that of gram",
                        name);
    return CLI_GOOD;
}

static int run(int count, char **operands)
{
    if (as_man)
        return print_man(count > 0 ? operands[0] : "gram");
    if (count == 0) {
        cli_help_all(stdout);
        return CLI_GOOD;
    }
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(operands[0], topics[i].name) == 0) {
            topics[i].print();
            return CLI_GOOD;
        }
    const cli_entry *entry = cli_entry_find(operands[0]);
    if (!entry)
        return CLI_USAGE;
    cli_help_command(entry);
    return CLI_GOOD;
}

const cli_command cmd_help = {
    .operands = "[COMMAND | data | formats | solvers]",
    .most = 1,
    .about = "Explain a command, list the data sets inside the program or the "
             "file formats and solvers. Without an operand, list the commands.",
    .examples = "gram help describe\n"
                "gram help data\n",
    .groups = {&own, &cli_group_help},
    .run = run,
};
