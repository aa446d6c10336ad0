/* cmd_completion.c - gram completion: a script that knows all commands,
 * options and the words they take, from their tables.
 *
 * Both shells get the same function _gram_words COMMAND PREVIOUS, which says
 * what may stand behind the word PREVIOUS: `values`, `options`, names of
 * `columns`, or `files`.  What each does with that is its own.  The names of
 * columns come from this program, which is asked with the words of the command
 * line: those that are data have some.
 */
#include <ctype.h>
#include <string.h>

#include "cli.h"

static int takes_columns(const cli_option *o)
{
    return o->metavar && strncmp(o->metavar, "COL", 3) == 0;
}

/* Is a word of the operands the name of a file? */
static int takes_files(const char *operands)
{
    static const char *const others[] = {"SPEC", "KERNEL", "LOSS", "COMMAND"};
    int files = 0;

    for (const char *s = operands; *s; s += strcspn(s, "[]| ")) {
        int other = 0;

        s += strspn(s, "[]| ");
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            other |= strncmp(s, others[k], strlen(others[k])) == 0;
        files |= isupper((unsigned char)*s) && !other;
    }
    return files;
}

static void put_option(const char *command, const cli_option *o)
{
    printf("    %s:--%s", command, o->name);
    if (o->letter)
        printf("|%s:-%c", command, o->letter);
    fputs(") ", stdout);
    if (takes_columns(o)) {
        fputs("columns=1", stdout);
    } else {
        fputs("values=\"", stdout);
        cli_words_put(stdout, o->metavar, " ");
        putchar('"');
    }
    puts(" ;;");
}

/* A line for each option that takes a value, and one for all else. */
static void put_command(const cli_entry *e)
{
    const cli_group *const *group = e->command->groups;
    const char *gap = "";

    for (size_t g = 0; group[g]; g++)
        for (const cli_option *o = cli_group_options(group[g]); o->name; o++)
            if (o->kind != CLI_FLAG)
                put_option(e->name, o);
    printf("    %s:*) files=%s values=\"", e->name,
           takes_files(e->command->operands) ? "1" : "");
    cli_words_put(stdout, e->command->operands, " ");
    fputs("\"\n        options=\"", stdout);
    for (size_t g = 0; group[g]; g++)
        for (const cli_option *o = cli_group_options(group[g]); o->name; o++) {
            printf("%s--%s", gap, o->name);
            gap = " ";
        }
    puts("\" ;;");
}

static void put_words(void)
{
    puts("_gram_words() {\n"
         "    values= options= columns= files=\n"
         "    case \"$1:$2\" in");
    fputs("    :*) values=\"", stdout);
    cli_words_put(stdout, "COMMAND", " ");
    puts("\" ;;");
    for (const cli_entry *e = cli_entries; e->name; e++)
        put_command(e);
    puts("    esac\n"
         "}");
}

/* The line is cut at blanks: readline also cuts at : and =, and wants back
 * what stands behind the last of those.  With no reply it completes files. */
static const char bash[] =
    "_gram() {\n"
    "    local values options columns files typed cur prev head= name\n"
    "    local line=${COMP_LINE:0:COMP_POINT}\n"
    "    read -ra typed <<<\"$line\"\n"
    "    case $line in *[[:space:]]) typed+=(\"\") ;; esac\n"
    "    local n=$((${#typed[@]} - 1))\n"
    "    cur=${typed[n]} prev=${typed[n-1]} COMPREPLY=()\n"
    "    case $cur in --*=*) prev=${cur%%=*} head=$prev= cur=${cur#*=} ;; "
    "esac\n"
    "    if [ \"$n\" -eq 1 ]; then _gram_words \"\" \"\"\n"
    "    else _gram_words \"${typed[1]}\" \"$prev\"; fi\n"
    "    if [ -n \"$columns\" ]; then\n"
    "        name=${cur##*,} head=$head${cur%\"$name\"} cur=$name\n"
    "        while read -r name; do\n"
    "            case $name in \"$cur\"*) COMPREPLY+=(\"$head$(printf %q "
    "\"$name\")\") ;; esac\n"
    "        done < <(\"${typed[0]}\" completion columns -- "
    "\"${typed[@]:2:n-2}\" "
    "2>/dev/null)\n"
    "    else\n"
    "        case $cur in -*) values=$options files= ;; esac\n"
    "        for name in $(compgen -W \"$values\" -- \"$cur\"); do\n"
    "            COMPREPLY+=(\"$head$name\")\n"
    "        done\n"
    "        if [ -n \"$files\" ]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while read -r name; do COMPREPLY+=(\"$head$name\"); done \\\n"
    "                < <(compgen -f -- \"$cur\")\n"
    "        fi\n"
    "    fi\n"
    "    head=$head$cur name=${head##*[:=]} head=${head%\"$name\"}\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
    "}\n"
    "complete -o default -F _gram gram\n";

static const char zsh[] =
    "_gram() {\n"
    "    local values options columns files prev=${words[CURRENT-1]}\n"
    "    local -a names\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        prev=${PREFIX%%=*}\n"
    "        compset -P '*='\n"
    "    fi\n"
    "    if (( CURRENT == 2 )); then _gram_words '' ''\n"
    "    else _gram_words \"${words[2]}\" \"$prev\"; fi\n"
    "    if [[ -n $columns ]]; then\n"
    "        names=(${(f)\"$(${words[1]} completion columns -- "
    "${(Q)words[3,CURRENT-1]} 2>/dev/null)\"})\n"
    "        compset -P '*,'\n"
    "        compadd -- $names\n"
    "    elif [[ $PREFIX == -* ]]; then\n"
    "        compadd -- ${=options}\n"
    "    else\n"
    "        [[ -n $values ]] && compadd -- ${=values}\n"
    "        [[ -n $values && -z $files ]] || _files\n"
    "    fi\n"
    "}\n"
    "if [[ ${funcstack[1]-} == _gram ]]; then _gram \"$@\"\n"
    "else compdef _gram gram; fi\n";

/* The columns of those words that are data; others say nothing. */
static int print_columns(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        gram_table *head = NULL;

        if (strcmp(words[i], "-") != 0 &&
            gram_table_read_head(words[i], NULL, 1, NULL, &head) == GRAM_OK)
            for (size_t j = 0; j < gram_table_cols(head); j++)
                puts(gram_table_column(head, j).name);
        gram_table_free(head);
    }
    return CLI_GOOD;
}

static int run(int count, char **operands)
{
    static const char *const shells[] = {"bash", "zsh"};

    if (strcmp(operands[0], "columns") == 0)
        return print_columns(count - 1, operands + 1);
    if (count > 1)
        return cli_usage("unexpected operand \"%s\"", operands[1]);
    if (strcmp(operands[0], "zsh") == 0) {
        puts("#compdef gram");
        put_words();
        fputs(zsh, stdout);
    } else if (strcmp(operands[0], "bash") == 0) {
        put_words();
        fputs(bash, stdout);
    } else {
        return cli_fail("\"%s\" is not one of bash, zsh%s", operands[0],
                        cli_suggestion(operands[0], shells, 2));
    }
    return CLI_GOOD;
}

const cli_command cmd_completion = {
    .operands = "bash|zsh",
    .least = 1,
    .most = 100000, /* words of a line, behind "columns" */
    .about = "Print a script that makes the shell complete commands, options, "
             "and what they take: choices, kernels, losses, solvers, formats, "
             "data sets, files, and the names of the columns of a data set "
             "that is on the line already. make install puts both scripts "
             "where the shells look for them.",
    .examples = "eval \"$(gram completion bash)\"\n"
                "eval \"$(gram completion zsh)\"\n",
    .groups = {&cli_group_help},
    .run = run,
};
