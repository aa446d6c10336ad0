/* cmd_completion.c - gram completion: a script that knows all commands,
 * options and choices, from their tables.
 */
#include <ctype.h>
#include <string.h>

#include "cli.h"

/* The words that may follow the option. */
static void put_values(const cli_option *o)
{
    const gram_format *f;

    if (o->kind == CLI_CHOICE)
        for (const char *s = o->metavar; *s; s++)
            putchar(*s == '|' ? ' ' : *s);
    if (o->metavar && strcmp(o->metavar, "FORMAT") == 0)
        for (size_t i = 0; (f = gram_format_at(i)); i++)
            printf("%s%s", i ? " " : "", f->name);
}

static int has_values(const cli_option *o)
{
    return o->kind == CLI_CHOICE ||
           (o->metavar && strcmp(o->metavar, "FORMAT") == 0);
}

/* "[COMMAND | data]": what is written small is meant as it stands. */
static void put_operands(const char *s)
{
    for (; *s; s += strcspn(s, "[]| ")) {
        s += strspn(s, "[]| ");
        size_t n = strcspn(s, "[]| ");
        if (islower((unsigned char)*s))
            printf("%.*s ", (int)n, s);
        else if (strncmp(s, "COMMAND", n) == 0 && n > 0)
            printf("$names ");
    }
}

/* Lines of the form   describe) words="--json --quiet" ;;   and one for each
 * option whose values are known. */
static void put_command(const cli_entry *e)
{
    const cli_group *const *group = e->command->groups;

    for (size_t g = 0; group[g]; g++)
        for (const cli_option *o = group[g]->options; o->name; o++)
            if (has_values(o)) {
                printf("    %s:--%s) words=\"", e->name, o->name);
                put_values(o);
                puts("\" ;;");
            }
    printf("    %s:*) words=\"", e->name);
    put_operands(e->command->operands);
    for (size_t g = 0; group[g]; g++)
        for (const cli_option *o = group[g]->options; o->name; o++)
            printf("%s--%s", g || o != group[g]->options ? " " : "", o->name);
    puts("\" ;;");
}

static void put_script(void)
{
    puts("_gram() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
         "    local prev=${COMP_WORDS[COMP_CWORD-1]}");
    fputs("    local names=\"", stdout);
    for (const cli_entry *e = cli_entries; e->name; e++)
        printf("%s%s", e == cli_entries ? "" : " ", e->name);
    puts("\"\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "        COMPREPLY=($(compgen -W \"$names\" -- \"$cur\"))\n"
         "        return\n"
         "    fi\n"
         "    case \"${COMP_WORDS[1]}:$prev\" in");
    for (const cli_entry *e = cli_entries; e->name; e++)
        put_command(e);
    puts("    esac\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o default -F _gram gram");
}

static int run(int count, char **operands)
{
    static const char *const shells[] = {"bash", "zsh"};

    (void)count;
    if (strcmp(operands[0], "zsh") == 0)
        puts("#compdef gram\n"
             "autoload -U +X bashcompinit && bashcompinit");
    else if (strcmp(operands[0], "bash") != 0)
        return cli_fail("\"%s\" is not one of bash, zsh%s", operands[0],
                        cli_suggestion(operands[0], shells, 2));
    put_script();
    return CLI_GOOD;
}

const cli_command cmd_completion = {
    .operands = "bash|zsh",
    .least = 1,
    .most = 1,
    .about = "Print a script that makes the shell complete commands, options "
             "and their values.",
    .examples = "eval \"$(gram completion bash)\"\n",
    .groups = {&cli_group_help},
    .run = run,
};
