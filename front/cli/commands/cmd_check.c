/* cmd_check.c - gram check: is this expression a kernel, and why?
 *
 * The proof of the library as a tree, one node of the expression after the
 * other with the rule that makes it PSD from its parts; if it is not, the
 * first node that breaks it, with points that show it.  With data also what
 * the eigenvalues of their matrix say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What was found out. */
typedef struct finding {
    const char *kernel;
    gram_proof *proof;
    int psd; /* 1 certified, 0 unknown, -1 refuted, by proof or by data */
    const char *data; /* NULL: none */
    size_t rows;
    gram_spectrum spectrum;
    const char *warning[3];
    size_t warnings;
    double seconds, read_seconds;
} finding;

static const char *verdict(int psd)
{
    return psd > 0 ? "certified" : psd < 0 ? "refuted" : "unknown";
}

/* Does node i have a sibling below it, at `depth`?  Its parts are deeper, what
 * comes after its parent is not. */
static int goes_on(const gram_proof *proof, size_t i, int depth)
{
    size_t count = gram_proof_count(proof);

    while (++i < count && gram_proof_at(proof, i).depth > depth)
        ;
    return i < count && gram_proof_at(proof, i).depth == depth;
}

/* Where the proof breaks: down from the whole to the first part that is not
 * certified, until one knows a replacement or has no such part. */
static size_t find_break(const gram_proof *proof)
{
    size_t at = 0;

    for (size_t i = 1; i < gram_proof_count(proof); i++) {
        gram_proof_step here = gram_proof_at(proof, at);
        gram_proof_step step = gram_proof_at(proof, i);
        if (here.instead || step.depth <= here.depth)
            break;
        if (step.depth == here.depth + 1 && step.psd < 1)
            at = i;
    }
    return at;
}

/* --------------------------------------------------------------- the data */

static void warn(finding *f)
{
    const gram_spectrum *s = &f->spectrum;

    if (s->identity)
        f->warning[f->warnings++] =
            "the matrix is nearly the identity: every row is like itself "
            "only, and nothing can be learned from others; make gamma "
            "smaller, or length larger";
    if (s->constant)
        f->warning[f->warnings++] =
            "all entries of the matrix are nearly the same: the kernel "
            "hardly tells rows apart; make gamma larger, or length smaller";
    if (s->psd < 0 && gram_proof_psd(f->proof) > 0)
        f->warning[f->warnings++] =
            "the proof says PSD and the matrix is not: its entries have "
            "overflowed or lost all their digits; scale the columns";
}

static int examine_data(finding *f, const gram_kernel *k, const char *path)
{
    int code = CLI_GOOD;
    gram_table *table = NULL;

    CLI_TRY(cli_table_read(path, GRAM_MISSING_KEEP, &table, &f->read_seconds));
    gram_exec exec = cli_exec("computing");
    double start = cli_clock();
    CLI_TRY(cli_status(gram_kernel_spectrum(k, table, &exec, &f->spectrum)));
    f->seconds = cli_clock() - start;
    f->data = path;
    f->rows = gram_table_rows(table);
    if (f->psd == 0 && f->spectrum.psd < 0)
        f->psd = -1;
    warn(f);
done:
    gram_table_free(table);
    return code;
}

/* ------------------------------------------------------------------- JSON */

static json_t *json_points(const gram_proof_step *s)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < s->count; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < s->d; j++)
            json_array_append_new(row,
                                  cli_json_number(s->points[i * s->d + j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_step(const gram_proof_step *s)
{
    return json_pack("{s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "depth",
                     s->depth, "kernel", cli_json_text(s->text), "psd",
                     verdict(s->psd), "rule", cli_json_text(s->rule), "why",
                     cli_json_text(s->why), "instead",
                     s->instead ? cli_json_text(s->instead) : json_null(),
                     "points", s->points ? json_points(s) : json_null(),
                     "eigenvalue", cli_json_number(s->eigenvalue));
}

/* What only data can tell; null without them. */
static json_t *json_spectrum(const finding *f)
{
    static const char *const keys[] = {
        "rows", "min_eigenvalue", "min_eigenvalue_error", "max_eigenvalue",
        "rank", "condition",      "matrix_psd",           "exact"};
    const gram_spectrum *s = &f->spectrum;
    json_t *object;

    if (f->data)
        return json_pack(
            "{s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:b}", keys[0],
            (json_int_t)f->rows, keys[1], cli_json_number(s->min_eigenvalue),
            keys[2], cli_json_number(s->error), keys[3],
            cli_json_number(s->max_eigenvalue), keys[4],
            s->rank ? json_integer((json_int_t)s->rank) : json_null(), keys[5],
            cli_json_number(s->condition), keys[6],
            s->psd > 0   ? "yes"
            : s->psd < 0 ? "no"
                         : "open",
            keys[7], s->exact);
    object = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set_new(object, keys[i], json_null());
    return object;
}

/* Rules in the order in which they first occur. */
static int print_json(const finding *f)
{
    json_t *rules = json_array(), *steps = json_array();
    json_t *seen = json_object(), *warnings = json_array();
    json_t *spectrum = json_spectrum(f), *object;

    for (size_t i = 0; i < gram_proof_count(f->proof); i++) {
        gram_proof_step s = gram_proof_at(f->proof, i);
        json_array_append_new(steps, json_step(&s));
        if (!json_object_get(seen, s.rule))
            json_array_append_new(rules, cli_json_text(s.rule));
        json_object_set_new(seen, s.rule, json_true());
    }
    json_decref(seen);
    for (size_t i = 0; i < f->warnings; i++)
        json_array_append_new(warnings, cli_json_text(f->warning[i]));
    object = json_pack("{s:o, s:s, s:o, s:o, s:o, s:f, s:f}", "kernel",
                       cli_json_text(f->kernel), "psd", verdict(f->psd),
                       "rules", rules, "steps", steps, "warnings", warnings,
                       "read_seconds", f->read_seconds, "seconds", f->seconds);
    json_object_update(object, spectrum);
    json_decref(spectrum);
    return cli_json_print(object);
}

/* ------------------------------------------------------------------- text */

/* Words of s in lines of at most a page, the first behind `first`, the others
 * behind `next`. */
static void put_words(const char *s, const char *first, const char *next)
{
    enum { PAGE = 80, LEAST = 24 };
    char *copy = cli_alloc(strlen(s) + 1, 1), *rest = NULL;
    size_t left = cli_width(first), at = left;
    size_t page = left + LEAST > PAGE ? left + LEAST : PAGE;

    strcpy(copy, s);
    fputs(first, stdout);
    for (char *word = strtok_r(copy, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        size_t width = cli_width(word);
        if (at > left && at + 1 + width > page) {
            printf("\n%s", next);
            at = left;
        }
        fputs(at > left ? " " : "", stdout);
        at += width + (at > left);
        cli_put(stdout, word);
    }
    putchar('\n');
    free(copy);
}

/* The node on its line, below it the rule and why, behind the branches of the
 * tree that pass by. */
static void print_step(const gram_proof *proof, size_t i)
{
    enum { BRANCH = 8 }; /* bytes at most */
    const cli_glyphs *g = cli_glyphs_get();
    gram_proof_step s = gram_proof_at(proof, i);
    size_t room = BRANCH * (size_t)(s.depth + 2) + 1;
    char *first = cli_alloc(room, 1), *next = cli_alloc(room, 1);
    char *text = NULL;
    int deeper = i + 1 < gram_proof_count(proof) &&
                 gram_proof_at(proof, i + 1).depth > s.depth;

    for (int d = 1; d < s.depth; d++)
        strcat(first, goes_on(proof, i, d) ? g->down : "   ");
    strcpy(next, first);
    if (s.depth > 0) {
        strcat(first, goes_on(proof, i, s.depth) ? g->item : g->last);
        strcat(next, goes_on(proof, i, s.depth) ? g->down : "   ");
    }
    strcat(next, deeper ? g->down : "   ");
    put_words(s.text, first, next);
    if (asprintf(&text, "%s%s: %s",
                 s.psd < 0   ? "NOT PSD, "
                 : s.psd > 0 ? ""
                             : "unproven, ",
                 s.rule, s.why) < 0)
        exit(cli_fail("out of memory"));
    put_words(text, next, next);
    free(text);
    free(first);
    free(next);
}

static const char indent[] = "                 ";

/* the points (0,0), (1,0), (2,0); smallest eigenvalue -0.4; points of one
 * column are numbers without parentheses */
static void print_points(const gram_proof_step *s, const char *head)
{
    char *text = NULL, number[CLI_ROOM];
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        exit(cli_fail("out of memory"));
    fputs(s->count > 1 ? "the points " : "the point ", out);
    for (size_t i = 0; i < s->count; i++) {
        fputs(i ? ", " : "", out);
        fputs(s->d > 1 ? "(" : "", out);
        for (size_t j = 0; j < s->d; j++)
            fprintf(out, "%s%s", j ? "," : "",
                    cli_number(number, s->points[i * s->d + j], 6));
        fputs(s->d > 1 ? ")" : "", out);
    }
    fprintf(out, "; smallest eigenvalue %s",
            cli_number(number, s->eigenvalue, 4));
    if (fclose(out))
        exit(cli_fail("out of memory"));
    put_words(text, head, indent);
    free(text);
}

static void print_break(const finding *f)
{
    size_t i = find_break(f->proof);
    gram_proof_step whole = gram_proof_at(f->proof, 0);
    gram_proof_step s = gram_proof_at(f->proof, i);

    if (i > 0) {
        put_words(s.text, "  breaks at      ", indent);
        put_words(s.why, "  because        ", indent);
    }
    if (s.points)
        print_points(&s, "  shown by       ");
    if (s.instead)
        put_words(s.instead, "  use instead    ", indent);
    if (i > 0 && whole.points)
        print_points(&whole, "  in all by      ");
}

static void print_spectrum(const finding *f)
{
    const gram_spectrum *s = &f->spectrum;
    const cli_glyphs *g = cli_glyphs_get();
    char a[CLI_ROOM], b[CLI_ROOM];

    putchar('\n');
    cli_put(stdout, cli_path(f->data, "standard input"));
    printf(": the matrix of %zu row%s is %s\n", f->rows,
           f->rows == 1 ? "" : "s",
           s->psd > 0   ? "PSD up to rounding"
           : s->psd < 0 ? "not PSD"
                        : "PSD or not: rounding hides it");
    printf("  smallest eigenvalue  %s %s %s\n",
           cli_number(a, s->min_eigenvalue, 4), g->plus_minus,
           cli_number(b, s->error, 2));
    printf("  largest eigenvalue   %s\n", cli_number(a, s->max_eigenvalue, 4));
    if (s->rank > 0)
        printf("  rank                 %zu of %zu\n", s->rank, f->rows);
    if (isinf(s->condition))
        puts("  condition            infinite");
    else if (!isnan(s->condition))
        printf("  condition            %s\n", cli_number(a, s->condition, 3));
    if (!s->exact)
        puts("  (the ends of the spectrum by Lanczos' method)");
}

static void print_text(const finding *f)
{
    static const char *const words[] = {
        "refuted: not positive semidefinite",
        "unknown: no rule proves it, no points refute it",
        "certified: positive semidefinite for all data in its domain"};
    int proven = gram_proof_psd(f->proof);

    for (size_t i = 0; i < gram_proof_count(f->proof); i++)
        print_step(f->proof, i);
    printf("\n%s\n", words[proven + 1]);
    if (proven < 1)
        print_break(f);
    if (f->data)
        print_spectrum(f);
    if (f->psd < proven)
        puts("refuted: the matrix of these data is not PSD");
    for (size_t i = 0; i < f->warnings; i++)
        put_words(f->warning[i], "warning: ", "         ");
}

/* ---------------------------------------------------------------- command */

static int run(int count, char **operands)
{
    int code = CLI_GOOD;
    gram_kernel *k = NULL;
    finding f = {.kernel = NULL};

    CLI_TRY(cli_status(gram_kernel_new(operands[0], &k)));
    CLI_TRY(cli_status(gram_proof_new(k, &f.proof)));
    f.kernel = gram_kernel_text(k);
    f.psd = gram_proof_psd(f.proof);
    if (count > 1)
        CLI_TRY(examine_data(&f, k, operands[1]));
    if (cli.json)
        code = print_json(&f);
    else
        print_text(&f);
done:
    gram_proof_free(f.proof);
    gram_kernel_free(k);
    return code;
}

const cli_command cmd_check = {
    .operands = "SPEC [DATA]",
    .least = 1,
    .most = 2,
    .about =
        "Prove that the expression SPEC is a kernel, that is, positive "
        "semidefinite (PSD) on every set of points: a tree with the rule at "
        "each of its nodes. If it is not, show the first node that breaks the "
        "proof, why, points whose matrix has a negative eigenvalue where they "
        "are known, and a kernel to use instead.\n\n"
        "With DATA also look at the matrix of its rows: smallest eigenvalue "
        "with a bound on its error, rank and condition, and warn if gamma is "
        "so large or so small that the matrix is nearly the identity or "
        "constant. All parameters of SPEC must then have values. The exit "
        "code is 0 whatever the verdict.",
    .examples = "gram check 'rbf + 2*poly(degree=2)*linear'\n"
                "gram check 'indicator(eps=1)'\n"
                "gram check 'rbf(gamma=0.5)' builtin:iris\n",
    .groups = {&cli_group_reading, &cli_group_running, &cli_group_output,
               &cli_group_help},
    .run = run,
};
