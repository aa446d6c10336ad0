/* cmd_demo.c - gram demo: what gram does, in a minute.
 *
 * Every step is a line that one could type: the shell runs it with `gram`
 * being this very program, in a folder that is removed afterwards, and the
 * exit code must be the one that the table says.  To add a step, add a line.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

static const struct step {
    const char *about, *line;
    int code;
} steps[] = {
    {"Some data sets are inside the program:", "gram help data", CLI_GOOD},
    {"What is in a table:", "gram describe builtin:mixed", CLI_GOOD},
    {"A kernel is an expression, and carries the proof that it is one:",
     "gram check 'rbf(gamma=2)[length] + linear[width,weight]' builtin:before",
     CLI_GOOD},
    {"Nearness is often said to be a kernel.  It is not:",
     "gram check 'indicator(eps=1)'", CLI_GOOD},
    {"Fit a function to noisy points; what the kernel leaves open is learned:",
     "gram fit builtin:sinc -o sinc.gram", CLI_GOOD},
    {"The function, and where nine of ten new points will be:",
     "gram predict sinc.gram builtin:sinc --interval 0.9 --plot", CLI_GOOD},
    {"How good it is on the points it saw:",
     "gram score sinc.gram builtin:sinc", CLI_GOOD},
    {"All lambdas at the price of one:",
     "gram path builtin:sinc -k 'rbf(gamma=0.2)' --lambdas 1e-3:10:9",
     CLI_GOOD},
    {"Classes: a support vector machine, its C and gamma chosen by folds:",
     "gram fit builtin:iris --loss hinge -o iris.gram", CLI_GOOD},
    {"Which classes it takes for which:", "gram score iris.gram builtin:iris",
     CLI_GOOD},
    {"Are two samples of one kind?  Where do they differ?",
     "gram test builtin:before builtin:after", CLI_GOOD},
    {"A mistake gets one line that says where and what:",
     "gram describe builtin:iris --target specis", CLI_BAD},
};

/* Exit code of the line as the shell sees it. */
static int run_line(const char *line)
{
    char *script = NULL;
    int status, n;

    n = asprintf(&script, "gram() { \"$GRAM_DEMO\" \"$@\"; }\n%s 2>&1", line);
    if (n < 0)
        return cli_fail("out of memory");
    fflush(stdout);
    status = system(script);
    free(script);
    if (status < 0 || !WIFEXITED(status))
        return status < 0 ? CLI_BAD : CLI_SIGNAL + WTERMSIG(status);
    return WEXITSTATUS(status);
}

static int run_steps(void)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        printf("%s# %s\n$ %s\n", i ? "\n" : "", steps[i].about, steps[i].line);
        int code = run_line(steps[i].line);
        if (code == CLI_SIGNAL + SIGINT || code == CLI_SIGNAL + SIGPIPE)
            return code;
        if (code != steps[i].code)
            return cli_fail("\"%s\" ended with %d, not %d", steps[i].line, code,
                            steps[i].code);
    }
    return CLI_GOOD;
}

static int run(int count, char **operands)
{
    char self[4096], folder[] = "/tmp/gram-demo-XXXXXX";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    int code;

    (void)count;
    (void)operands;
    if (n < 0)
        return cli_fail("cannot find the program's own file");
    self[n] = '\0';
    if (setenv("GRAM_DEMO", self, 1) != 0)
        return cli_fail("out of memory");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return cli_fail("%s: cannot make a folder there", folder);
    code = run_steps();
    unlink("sinc.gram");
    unlink("iris.gram");
    if (chdir("/") == 0)
        rmdir(folder);
    if (code != CLI_GOOD)
        return code;
    puts("\nNow try your own: gram describe FILE, gram fit FILE -t COLUMN, or "
         "gram help.");
    return CLI_GOOD;
}

const cli_command cmd_demo = {
    .operands = "",
    .about = "Show what gram does on data inside the program: every line "
             "shown can be typed as it stands.",
    .examples = "gram demo\n",
    .groups = {&cli_group_help},
    .run = run,
};
