/* words.c - the words that an option or an operand takes, by its metavar.
 *
 * They come from the registries of the library, for help, man page and shell
 * completion: nothing is listed by hand.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#include "gram_plugin.h"

static const char *format_at(size_t i)
{
    const gram_format *f = gram_format_at(i);

    return f ? f->name : NULL;
}

static const char *kernel_at(size_t i)
{
    const gram_kernel_class *c = gram_kernel_class_at(i);

    return c ? c->name : NULL;
}

static const char *loss_at(size_t i)
{
    const gram_loss_class *c = gram_loss_at(i);

    return c ? c->name : NULL;
}

static const char *solver_at(size_t i)
{
    return i == 0 ? "auto" : gram_solver_at(i - 1).name;
}

static const char *builtin_at(size_t i)
{
    static char word[64];
    const gram_builtin *b = gram_builtin_at(i);

    if (b)
        snprintf(word, sizeof word, "builtin:%s", b->name);
    return b ? word : NULL;
}

static const char *command_at(size_t i)
{
    return cli_entries[i].name;
}

static const struct {
    const char *metavar;
    const char *(*at)(size_t i);
} lists[] = {
    {"FORMAT", format_at}, {"SPEC", kernel_at},   {"KERNEL", kernel_at},
    {"LOSS", loss_at},     {"SOLVER", solver_at}, {"COMMAND", command_at},
    {"DATA", builtin_at},  {"A", builtin_at},     {"B", builtin_at},
};

/* The end of a word of a metavar or of operands. */
static size_t length(const char *s)
{
    return strcspn(s, "[]| ");
}

int cli_words_put(FILE *out, const char *metavar, const char *separator)
{
    const char *gap = "", *word;
    int count = 0;

    for (const char *s = metavar; *s; s += length(s)) {
        s += strspn(s, "[]| ");
        if (islower((unsigned char)*s)) {
            fprintf(out, "%s%.*s", gap, (int)length(s), s);
            gap = separator;
            count++;
        }
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
            if (strlen(lists[k].metavar) != length(s) ||
                strncmp(s, lists[k].metavar, length(s)) != 0)
                continue;
            for (size_t i = 0; (word = lists[k].at(i)); i++, count++) {
                fprintf(out, "%s%s", gap, word);
                gap = separator;
            }
        }
    }
    return count;
}

char *cli_option_help(const cli_option *o)
{
    size_t n = strlen(o->help), length_all;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length_all);

    if (!out)
        exit(cli_fail("out of memory"));
    fputs(o->help, out);
    if (n > 0 && o->help[n - 1] == ':') {
        putc(' ', out);
        cli_words_put(out, o->metavar, ", ");
    }
    if (fclose(out))
        exit(cli_fail("out of memory"));
    return text;
}
