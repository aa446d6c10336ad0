/* help.c - the help of the program and of each command, from their tables.
 *
 * Options stand in a column of their own; a name that is too long for it has
 * its line, the explanation follows below.  No line is longer than 79.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { HELP_COLUMN = 26 };

/*   -q, --quiet             no progress bar, no remarks */
static void print_option(const cli_option *o)
{
    char left[80];
    int n =
        snprintf(left, sizeof left, "  %c%c%s--%s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name);

    if (o->metavar)
        n += snprintf(left + n, sizeof left - (size_t)n, " %s", o->metavar);
    fputs(left, stdout);
    if (n + 2 > HELP_COLUMN) {
        putchar('\n');
        n = 0;
    }
    char *text = cli_option_help(o);
    cli_wrap(stdout, text, HELP_COLUMN, (size_t)n);
    free(text);
}

void cli_help_command(const cli_entry *entry)
{
    const cli_command *c = entry->command;

    printf("usage: gram %s [options]%s%s\n\n", entry->name,
           *c->operands ? " " : "", c->operands);
    cli_wrap(stdout, c->about, 0, 0);
    for (size_t g = 0; c->groups[g]; g++) {
        printf("\n%s:\n", c->groups[g]->title);
        for (const cli_option *o = cli_group_options(c->groups[g]); o->name;
             o++)
            print_option(o);
    }
    printf("\nexamples:\n");
    for (const char *s = c->examples; *s;) {
        size_t n = strcspn(s, "\n") + 1;
        fputs("  ", stdout);
        fwrite(s, 1, n, stdout);
        s += n;
    }
}

void cli_help_all(FILE *out)
{
    fprintf(out,
            "gram %s: kernel methods as one small, fast, honest system\n\n"
            "usage: gram COMMAND [options] [operands]\n\ncommands:\n",
            gram_version());
    for (const cli_entry *e = cli_entries; e->name; e++)
        fprintf(out, "  %-12s %s\n", e->name, e->brief);
    fputs("\n"
          "  gram help COMMAND   the options of a command, and examples\n"
          "  gram help data      the data sets inside the program\n"
          "  gram help formats   the file formats it reads and writes\n"
          "  gram help solvers   the methods that compute a fit\n"
          "\n"
          "Start with \"gram demo\".\n",
          out);
}
