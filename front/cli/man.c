/* man.c - the man page gram(1) in roff, from the tables of the commands; and
 * those of the programs of LIBSVM, from what they print for help.
 *
 * Only the frame is written here.  Text from the tables is plain: put_roff()
 * sees to it that none of it is taken for markup.
 */
#include <stdlib.h>
#include <string.h>

#include "svm.h"

/* Text in which nothing is markup: "-" stays a minus that can be copied, and
 * no line begins with a control character. */
static void put_roff(const char *s)
{
    int line_start = 1;

    for (; *s; s++) {
        if (line_start && (*s == '.' || *s == '\''))
            fputs("\\&", stdout);
        line_start = *s == '\n';
        if (*s == '-')
            fputs("\\-", stdout);
        else if (*s == '\\')
            fputs("\\e", stdout);
        else if (*s == '\'')
            fputs("\\(aq", stdout);
        else if (*s == '~')
            fputs("\\(ti", stdout);
        else if (*s == '^')
            fputs("\\(ha", stdout);
        else
            putchar(*s);
    }
}

/* Paragraphs. */
static void put_about(const char *s)
{
    while (*s) {
        const char *end = strstr(s, "\n\n");
        size_t n = end ? (size_t)(end - s) : strlen(s);
        char text[2048];
        snprintf(text, sizeof text, "%.*s", (int)n, s);
        put_roff(text);
        putchar('\n');
        s += n;
        if (*s) {
            puts(".PP");
            s += strspn(s, "\n");
        }
    }
}

static void put_option(const cli_option *o)
{
    puts(".TP");
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    put_roff(o->name);
    fputs("\\fR", stdout);
    if (o->metavar) {
        fputs(" \\fI", stdout);
        put_roff(o->metavar);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    char *text = cli_option_help(o);
    put_roff(text);
    free(text);
    putchar('\n');
}

static int is_shared(const cli_group *g)
{
    return g == &cli_group_reading || g == &cli_group_running ||
           g == &cli_group_output || g == &cli_group_help;
}

static void put_options(const cli_group *g)
{
    for (const cli_option *o = cli_group_options(g); o->name; o++)
        put_option(o);
}

/* The shared groups have a section of their own. */
static void put_command(const cli_entry *e)
{
    const cli_command *c = e->command;

    printf(".SS \"gram %s ", e->name);
    put_roff(c->operands);
    puts("\"");
    put_about(c->about);
    for (size_t g = 0; c->groups[g]; g++)
        if (!is_shared(c->groups[g]))
            put_options(c->groups[g]);
}

static void put_shared(const cli_group *group, const char *title)
{
    printf(".SS \"%s\"\n", title);
    put_options(group);
}

static void put_examples(void)
{
    puts(".SH EXAMPLES\n.nf");
    for (const cli_entry *e = cli_entries; e->name; e++)
        put_roff(e->command->examples);
    puts(".fi");
}

static void put_registries(void)
{
    const gram_format *f;
    const gram_builtin *b;
    gram_solver s;

    puts(".SH FORMATS");
    for (size_t i = 0; (f = gram_format_at(i)); i++) {
        printf(".TP\n\\fB%s\\fR (%s)\n", f->name,
               !f->can_write  ? "read"
               : !f->can_read ? "write"
                              : "read, write");
        put_roff(f->brief);
        putchar('\n');
    }
    puts(".SH SOLVERS");
    for (size_t i = 0; (s = gram_solver_at(i)).name; i++) {
        printf(".TP\n\\fB%s\\fR\n", s.name);
        put_roff(s.brief);
        putchar('\n');
    }
    puts(".SH \"DATA SETS\"\nThese are inside the program.");
    for (size_t i = 0; (b = gram_builtin_at(i)); i++) {
        printf(".TP\n\\fBbuiltin:%s\\fR\n", b->name);
        put_roff(b->brief);
        putchar('\n');
    }
}

void cli_man_print(void)
{
    printf(".TH GRAM 1 \"\" \"gram %s\" \"User Commands\"\n", gram_version());
    puts(".SH NAME\ngram \\- kernel methods: tables in, models out\n"
         ".SH SYNOPSIS\n"
         ".B gram\n.I COMMAND\n[\\fIoptions\\fR] [\\fIoperands\\fR]\n"
         ".SH DESCRIPTION\n"
         "gram reads tables of numbers, categories, text and dates, and works "
         "on them with kernel methods. Every command is described by "
         "\\fBgram help\\fR \\fICOMMAND\\fR, too; \\fBgram demo\\fR shows them "
         "at work.\n"
         ".PP\n"
         "Options may stand anywhere behind the command; \\fB\\-\\-\\fR ends "
         "them. A data set is a file, \\fB\\-\\fR for standard input, or "
         "\\fBbuiltin:\\fINAME\\fR. Files that are packed with gzip are "
         "unpacked on the way.\n"
         ".SH COMMANDS");
    for (const cli_entry *e = cli_entries; e->name; e++)
        put_command(e);
    puts(".SH OPTIONS\nThese are shared by the commands that read data or "
         "compute.");
    put_shared(&cli_group_reading, "Reading");
    put_shared(&cli_group_running, "Running");
    put_shared(&cli_group_output, "Output");
    put_shared(&cli_group_help, "Help");
    put_registries();
    puts(".SH \"EXIT STATUS\"\n"
         ".TP\n.B 0\nAll went well.\n"
         ".TP\n.B 1\nBad input, a bad value, or a failure; one line on "
         "standard error says which, and with \\fB\\-\\-json\\fR an object "
         "\\fB{\"error\": ...}\\fR on standard output.\n"
         ".TP\n.B 2\nAn unknown command or option, or operands that are "
         "missing or too many.\n"
         ".TP\n.B 3\nA solver did not converge; what it found was written.\n"
         ".TP\n.B 130\nInterrupted by Ctrl\\-C. No half\\-written file is "
         "left.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n.B OPENBLAS_CORETYPE\nThe kernels that BLAS uses; gram sets it "
         "where BLAS would choose badly.\n"
         ".TP\n.B GRAM_CPU\nForces the operations of \\fBgeneric\\fR, "
         "\\fBavx2\\fR or \\fBavx512\\fR processors, for tests.");
    put_examples();
}

/* ------------------------------------------------------ programs of LIBSVM */

static void put_line(const char *s, size_t n)
{
    char text[512];

    snprintf(text, sizeof text, "%.*s", (int)n, s);
    put_roff(text);
    putchar('\n');
}

/* "-s svm_type : set type of SVM", or a tab and a value it takes. */
static void put_usage_line(const char *s, size_t n)
{
    const char *colon = memchr(s, ':', n), *word = s;

    if (*s == '\t') {
        puts(".br");
        for (word++; word < s + n; word += strspn(word, "\t")) {
            size_t length = strcspn(word, "\t\n");

            put_line(word, length);
            word += length;
        }
    } else if (*s == '-' && colon) {
        fputs(".TP\n\\fB", stdout);
        put_line(s, (size_t)(colon - s));
        fputs("\\fR", stdout);
        colon += strspn(colon, ": ");
        put_line(colon, n - (size_t)(colon - s));
    }
}

void svm_man_print(const svm_program *p)
{
    static const char usage[] = "Usage: ";
    const char *s = p->usage + strlen(usage);
    size_t n = strcspn(s, "\n");

    printf(".TH %s 1 \"\" \"gram %s\" \"User Commands\"\n.SH NAME\n", p->name,
           gram_version());
    put_roff(p->name);
    printf(" \\- %s\n.SH SYNOPSIS\n", p->brief);
    put_line(s, n);
    puts(".SH DESCRIPTION\n"
         "The program of LIBSVM 3 of this name, with its options, its output, "
         "its files and its exit codes, computed by \\fBgram\\fR(1). Data may "
         "be packed with gzip.\n"
         ".SH OPTIONS");
    for (s += n; *s; s += n) {
        s += strspn(s, "\n");
        n = strcspn(s, "\n");
        put_usage_line(s, n);
    }
    puts(".SH \"EXIT STATUS\"\n0, or 1 after a failure, which one line on "
         "standard error explains.\n"
         ".SH \"SEE ALSO\"\n\\fBgram\\fR(1)");
}
