/* main.c - finds the command, runs it, and turns what happened into one line
 * and an exit code.
 *
 * Output that did not arrive is a failure, too: it is seen only when stdout
 * is closed, so that is done here and checked.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svm.h"

#define COMMAND(name, brief) extern const cli_command cmd_##name;
#include "commands.def"
#undef COMMAND

#define COMMAND(name, brief) {#name, brief, &cmd_##name},
const cli_entry cli_entries[] = {
#include "commands.def"
    {NULL, NULL, NULL},
};
#undef COMMAND

enum { COMMANDS = sizeof cli_entries / sizeof *cli_entries - 1 };

cli_settings cli;

/* A message is one line whatever it quotes; who asked for JSON gets it there,
 * too. */
static void say(const char *format, va_list args)
{
    char *text = NULL;

    cli_progress_clear();
    fflush(stdout);
    fprintf(stderr,
            cli.link      ? "%s: "
            : cli.command ? "gram %s: "
                          : "gram: ",
            cli.link ? cli.link : cli.command);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    else
        cli_put(stderr, text);
    fputc('\n', stderr);
    json_t *object = cli.json && text
                         ? json_pack("{s:o}", "error", cli_json_text(text))
                         : NULL;
    if (object)
        cli_json_print(object);
    free(text);
}

int cli_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
    return CLI_BAD;
}

int cli_usage(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
    return CLI_USAGE;
}

/* After a signal the reason of a failure is the signal, whatever the system
 * call that it cut short reported. */
int cli_status(gram_status status)
{
    cli_progress_clear();
    if (status == GRAM_OK)
        return CLI_GOOD;
    if (cli_signal()) {
        cli_fail("interrupted");
        return CLI_SIGNAL + cli_signal();
    }
    return cli_fail("%s", gram_error_message());
}

int cli_status_of(const char *path, gram_status status)
{
    const char *name = cli_path(path, "standard input");
    const char *message = gram_error_message();
    size_t n = strlen(name);
    int named = strncmp(message, name, n) == 0 && message[n] == ':';

    if (named || (status != GRAM_ERR_NAME && status != GRAM_ERR_SHAPE &&
                  status != GRAM_ERR_RANGE))
        return cli_status(status);
    cli_progress_clear();
    return cli_fail("%s: %s", name, message);
}

void *cli_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        exit(cli_fail("out of memory"));
    return p;
}

const char *cli_suggestion(const char *word, const char *const *names,
                           size_t count)
{
    static char text[128];
    const char *near = gram_suggest(word, names, count);

    *text = '\0';
    if (near)
        snprintf(text, sizeof text, " (did you mean \"%s\"?)", near);
    return text;
}

const cli_entry *cli_entry_find(const char *name)
{
    const char *names[COMMANDS];

    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = cli_entries[i].name;
        if (strcmp(name, names[i]) == 0)
            return &cli_entries[i];
    }
    const char *near = cli_suggestion(name, names, COMMANDS);
    cli_usage("unknown command \"%s\"%s", name,
              *near ? near : " (\"gram help\" lists them)");
    return NULL;
}

/* What was printed has arrived, or the exit code says that it has not.  A
 * command that prints nothing needs no stdout. */
static int finish(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout) &&
        (close(STDOUT_FILENO) == 0 || errno == EBADF))
        return code;
    if (cli_signal())
        return CLI_SIGNAL + cli_signal();
    if (code != CLI_GOOD)
        return code;
    return cli_fail("standard output: %s", strerror(errno ? errno : EIO));
}

/* The options that stand for a command. */
static const char *spelled_out(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return "help";
    return strcmp(word, "--version") == 0 ? "version" : word;
}

/* To be known before the options are read, since those may be wrong. */
static int is_json_asked(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return 1;
    return 0;
}

static int run(int argc, char **argv)
{
    static const char *const options[] = {"--help", "--version"};
    int count = 0;

    if (argc < 2) {
        cli_help_all(stderr);
        return CLI_USAGE;
    }
    cli.json = is_json_asked(argc, argv);
    const char *name = spelled_out(argv[1]);
    if (*name == '-') {
        const char *near = cli_suggestion(name, options, 2);
        return cli_usage("unknown option \"%s\"%s", name,
                         *near ? near : " (options follow the command)");
    }
    const cli_entry *entry = cli_entry_find(name);
    if (!entry)
        return CLI_USAGE;
    cli.command = entry->name;
    const cli_command *command = entry->command;
    int code = cli_options_parse(command, argc - 2, argv + 2, &count);
    if (code != CLI_GOOD)
        return code;
    if (cli.help) {
        cli_help_command(entry);
        return CLI_GOOD;
    }
    if (count < command->least)
        return cli_usage("missing operand (usage: gram %s [options] %s)",
                         entry->name, command->operands);
    if (count > command->most)
        return cli_usage("unexpected operand \"%s\"", argv[2 + command->most]);
    return command->run(count, argv + 2);
}

/* Threads that wait for each other shall sleep, not spin: beside other work
 * those that spin keep the processor from the ones they wait for, and a fit
 * takes ten to a hundred times as long (builtin:co2 with two threads on two
 * busy cores: 35 s instead of 0.5 s).  OpenMP looks at this when it is loaded,
 * before any line of ours runs, and has no call to change it, so the program
 * starts once more.  Without OpenMP there is nobody to wait for. */
static void start_patiently(char **argv)
{
#ifdef _OPENMP
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") ||
        setenv("OMP_WAIT_POLICY", "passive", 1) != 0)
        return;
    execv("/proc/self/exe", argv);
#else
    (void)argv;
#endif
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    /* links to this program are others */
    const svm_program *link = svm_program_find(slash ? slash + 1 : argv[0]);

    start_patiently(argv);
    cli_text_start();
    cli_signals_catch();
    cli.link = link ? link->name : NULL;
    return finish(link ? link->run(argc, argv) : run(argc, argv));
}
