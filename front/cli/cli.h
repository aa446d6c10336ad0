/* cli.h - what a command of gram is made of.
 *
 * A command is one file, cmd_NAME.c, that exports a cli_command called
 * cmd_NAME, and one line in commands.def.  Its tables say which options and
 * operands it takes; parsing, messages, help, the man page and shell
 * completion are made from them.
 *
 * Functions that can fail return an exit code: 0, or another one after the
 * reason was printed.  One command runs in one process, so options put their
 * values in static variables.
 */
#ifndef CLI_H
#define CLI_H

#include <stdio.h>

#include <jansson.h>

#include "gram.h"

/* ------------------------------------------------------------- exit codes */

enum {
    CLI_GOOD = 0,
    CLI_BAD = 1,     /* bad input, a bad value, a failure */
    CLI_USAGE = 2,   /* unknown command or option, missing operand */
    CLI_OPEN = 3,    /* not converged; what there is was written */
    CLI_SIGNAL = 128 /* plus the signal: 130 after Ctrl-C */
};

#define CLI_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Print "gram COMMAND: ..." as one line on stderr, with --json also
 * {"error": "..."} on stdout; return CLI_BAD, or CLI_USAGE. */
int cli_fail(const char *format, ...) CLI_PRINTF(1, 2);
int cli_usage(const char *format, ...) CLI_PRINTF(1, 2);

/* The exit code of a library call, its sentence printed if it failed. */
int cli_status(gram_status status);

/* The same for a call about the table of `path`, which the sentence names if
 * the columns or cells are at fault. */
int cli_status_of(const char *path, gram_status status);

/* Leave the function through its done: label, `code` set, if `call` fails. */
#define CLI_TRY(call)                                                          \
    do {                                                                       \
        if ((code = (call)) != CLI_GOOD)                                       \
            goto done;                                                         \
    } while (0)

/* ---------------------------------------------------------------- options */

/* What an option is, and what its `value` points to. */
typedef enum cli_kind {
    CLI_FIELD,  /* as the field of this name */
    CLI_FLAG,   /* int, set to 1 */
    CLI_TEXT,   /* const char *, the last one given; if its metavar ends in
                   ",..." all of them, with commas between them */
    CLI_LIST,   /* cli_list, every one given */
    CLI_CHOICE, /* int, `limit` and the position among the metavar's words */
    CLI_WHOLE,  /* size_t, 0 or more */
    CLI_COUNT,  /* the same, 1 or more */
    CLI_PARTS,  /* the same, 2 or more */
    CLI_REAL,   /* double, finite, 0 or more */
    CLI_SIZE,   /* size_t, bytes: 4G, 1.5G, 512M, 65536 */
    CLI_CHAR    /* char; "tab" is one too */
} cli_kind;

typedef struct cli_list {
    const char **item;
    size_t count;
} cli_list;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* 0: none */
    cli_kind kind;
    const char *metavar; /* "COL"; the words of a choice: "yes|no" */
    const char *help;
    void *value;
    size_t
        limit; /* a whole number is at most that, a real one below; 0: none */
} cli_option;

/* Options that belong together, with a title for the help: those of a table,
 * and if there are fields, those that the fields of the struct `of` make, in
 * their order.  An option of the table that has the name of a field adds to it
 * or changes it, and leaves out what the field says; the others stand behind
 * the one that comes before them. */
typedef struct cli_group {
    const char *title;
    const cli_option *options;
    const gram_field *(*fields)(void);
    void *of;
} cli_group;

/* All of them; the last one has no name. */
const cli_option *cli_group_options(const cli_group *group);

extern const cli_group cli_group_reading; /* for cli_table_read() */
extern const cli_group cli_group_running; /* --threads --seed --mem */
extern const cli_group cli_group_output;  /* --json --quiet */
extern const cli_group cli_group_help;    /* --help, of every command */

/* What the shared groups were given, and the name for messages. */
typedef struct cli_settings {
    const char *command; /* NULL before it is known */
    const char *link;    /* the program is called by this name, or NULL */
    int json, quiet, help;
    size_t threads, seed, memory;
} cli_settings;

extern cli_settings cli;

/* --------------------------------------------------------------- commands */

enum { CLI_GROUPS = 8 };

typedef struct cli_command {
    const char *operands; /* for the usage line: "A B" */
    int least, most;      /* how many operands */
    const char *about;    /* paragraphs, separated by empty lines */
    const char *examples; /* lines, each ending in a newline */
    const cli_group *groups[CLI_GROUPS]; /* NULL ends it */
    int (*run)(int count, char **operands);
} cli_command;

/* A line of commands.def.  The last entry has no name. */
typedef struct cli_entry {
    const char *name, *brief;
    const cli_command *command;
} cli_entry;

extern const cli_entry cli_entries[];

/* NULL after an unknown-command message. */
const cli_entry *cli_entry_find(const char *name);

/* Read the options and move the operands to the front of argv, *count of
 * them.  Stops at --help, which sets cli.help. */
int cli_options_parse(const cli_command *command, int argc, char **argv,
                      int *count);

/* A name from `names` that is near `word`, as the end of a sentence:
 * ` (did you mean "x"?)`, or "".  The text is static. */
const char *cli_suggestion(const char *word, const char *const *names,
                           size_t count);

/* ------------------------------------------------------------------- help */

void cli_help_all(FILE *out);
void cli_help_command(const cli_entry *entry);
void cli_man_print(void);

/* Print the words that a metavar stands for, "yes|no" or those of a registry,
 * as FORMAT or SOLVER: how many there are. */
int cli_words_put(FILE *out, const char *metavar, const char *separator);

/* What an option does, to be freed: its help, and behind a colon at the end of
 * that the words of its metavar. */
char *cli_option_help(const cli_option *o);

/* ---------------------------------------------------------------- running */

/* Catch Ctrl-C and its kin: the first one stops the work in hand through the
 * progress callback, the second one ends the program. */
void cli_signals_catch(void);

/* The signal that came, or 0. */
int cli_signal(void);

/* The common options as a gram_exec, with a progress bar that says `doing`
 * ("predicting"), a text that stays, until the library says what it does. */
gram_exec cli_exec(const char *doing);

/* For loops of the program's own: show how much is done, 0..1, and stop after
 * Ctrl-C. */
int cli_tick(double done);

/* Erase the bar, if there is one. */
void cli_progress_clear(void);

/* Seconds since some moment. */
double cli_clock(void);

/* Does not return NULL: without memory the program ends. */
void *cli_alloc(size_t count, size_t size);

/* ----------------------------------------------------------------- tables */

/* Read a table as the options of cli_group_reading say, roles included;
 * `missing` is the policy if --missing was not given. */
int cli_table_read(const char *path, gram_missing missing, gram_table **out,
                   double *seconds);

/* One of two samples: cells that are to be filled in wait for the other. */
int cli_table_read_sample(const char *path, gram_table **out, double *seconds);

/* As cli_table_read, but missing cells are kept, whatever --missing says. */
int cli_table_read_kept(const char *path, gram_table **out, double *seconds);

/* What --missing says; AUTO: nothing. */
gram_missing cli_missing(void);

/* Are missing cells to be filled in? */
int cli_fills(void);

/* Tables read from now on keep the texts of these columns, NULL at the end, or
 * of all, for copies of them: see gram_read_options.verbatim. */
void cli_table_keep_texts(const char *const *columns);
extern const char *const cli_all_columns[];

/* A table beside the first one: read alike, but no roles are set. */
int cli_table_read_other(const char *path, gram_missing missing,
                         gram_table **out, double *seconds);

/* Rows for a model, whose columns have the types they had when it was fitted;
 * missing cells are kept.  `roles`: they are set, without --target those of the
 * model. */
int cli_table_read_for(const gram_machine *m, const char *path, int roles,
                       gram_table **out, double *seconds);

/* Can the file be written, and is it not the data itself?  To be asked before
 * the work; NULL: nothing is written. */
int cli_output_begin(const char *path, const char *data);

/* Write a table that a command made since `start`; as JSON where that was
 * asked for: the table on standard output, or what was written to a file. */
int cli_table_write(const gram_table *table, const char *path, double start);

/* The path for people: "standard input" for "-". */
const char *cli_path(const char *path, const char *dash);

/* --------------------------------------------------------------- matrices */

/* A matrix that a command computes and writes; `data` is freed by
 * gram_memory_free(). */
typedef struct cli_matrix {
    const char *kernel;
    size_t rows, cols;
    int single; /* floats, else doubles */
    void *data;
    double seconds, read_seconds, write_seconds;
} cli_matrix;

/* May the matrix go to `path`, NULL if -o was not given?  To be asked before
 * the work. */
int cli_matrix_begin(const char *path);

/* Room for rows x cols, not zeroed. */
int cli_matrix_alloc(cli_matrix *m);

/* Write it and report. */
int cli_matrix_write(cli_matrix *m, const char *path);

/* --------------------------------------------------------------- machines */

extern const cli_group cli_group_fitting; /* for cli_fit_options() */

/* Kernel texts that were given; none means the library's default. */
size_t cli_kernel_count(void);

/* The options of cli_group_fitting, with kernel i (0 also if none was given).
 * Loads the model of --from, which cli_fit_end() frees. */
int cli_fit_options(size_t i, gram_fit_options *out);
void cli_fit_end(void);

/* Read the table to fit to: it has a target, or the sentence says how to name
 * one. */
int cli_fit_read(const char *path, gram_table **out, double *seconds);

/* How many parts cross-validation with these options makes. */
int cli_fold_count(const gram_table *table, const gram_fit_options *o,
                   size_t *count);

/* Print what a fit found, for people or as JSON; `path` is the data, `model`
 * the file written or NULL. */
int cli_report_print(const gram_machine *m, const char *path, const char *model,
                     double read_seconds, double write_seconds);

/* The report as JSON, with the members of `more`, which is freed, added. */
int cli_report_json(const gram_machine *m, json_t *more);

/* A kernel's text for people, to be freed: numbers rounded to 5 digits, a
 * space behind every comma of a list, long lists of numbers cut short.  The
 * exact text is in the JSON. */
char *cli_kernel_rounded(const char *text);

/* "name": value, two spaces in, values of all lines below one another; the
 * value may be long. */
void cli_item(const char *name, const char *format, ...) CLI_PRINTF(2, 3);

/* ------------------------------------------------------------------ tests */

/* What a test of two files is about. */
typedef struct cli_pair {
    const char *path[2]; /* the second is NULL for one file */
    const gram_table *table[2];
    int part; /* some rows chose the kernel and were not tested */
    double read_seconds;
} cli_pair;

/* Print what a test found, for people or as JSON, with the columns and rows
 * that speak most for it. */
int cli_test_print(const gram_test *t, const cli_pair *pair);

/* Write the witness at all rows of both files to `path`. */
int cli_test_witness(const gram_test *t, const cli_pair *pair,
                     const char *path);

/* Compare rows of standard input with the reference, `batch` at a time, and
 * print a line for each batch. */
int cli_drift_run(const gram_table *reference, const gram_test_options *o,
                  size_t batch);

/* --------------------------------------------------------------- pictures */

/* A curve with a band and points, drawn with characters: y against x, rows in
 * any order; lower, upper and points may be NULL. */
typedef struct cli_plot {
    size_t n;
    const double *x, *mean, *lower, *upper;
    size_t points;
    const double *point_x, *point_y;
    const char *x_name, *y_name;
    int x_date; /* x are days */
} cli_plot;
void cli_plot_print(FILE *out, const cli_plot *plot);

/* Pictures of what a machine says about the rows of `data`, whose kernel looks
 * at one column of numbers; of p mean is looked at, and what there is of lower,
 * upper and proba. */
int cli_prediction_plot(const gram_machine *m, const gram_table *data,
                        const gram_prediction *p, const gram_exec *exec);

/* ------------------------------------------------------------------- JSON */

/* null for a NaN or an infinity; text that is not UTF-8 is mended. */
json_t *cli_json_number(double x);
json_t *cli_json_text(const char *s);

json_t *cli_json_texts(const char *const *texts, size_t count);

/* What a struct has, by the table of its fields. */
json_t *cli_json_fields(const gram_field *fields, const void *of);

/* {"column": [value, ...], ...}: categories and text as strings. */
json_t *cli_json_table(const gram_table *table);

/* Print the object, which is freed, as one line on stdout; NULL means that
 * memory ran out. */
int cli_json_print(json_t *object);

/* ------------------------------------------------------------------- text */

/* Characters that need a UTF-8 terminal, or their ASCII stand-ins. */
typedef struct cli_glyphs {
    const char *bar[9]; /* heights 0..8 */
    const char *ellipsis, *plus_minus, *times;
    const char *down, *item, *last; /* of a tree: a branch that goes on, one
                                       that ends here, the last one */
} cli_glyphs;

/* Find out what the terminal can show; before any text is printed. */
void cli_text_start(void);
const cli_glyphs *cli_glyphs_get(void);

/* Columns to fill: 80, or as many as the terminal has if that is more. */
size_t cli_columns(void);

/* Columns that s takes on the terminal, as cli_put() prints it. */
size_t cli_width(const char *s);

/* Print s; what a terminal would not show as a character becomes "?". */
void cli_put(FILE *out, const char *s);

/* Print s in exactly `width` columns, cut or filled up at its end. */
void cli_cell(FILE *out, const char *s, size_t width);

/* The same, filled up at its start. */
void cli_cell_right(FILE *out, const char *s, size_t width);

/* Print words of s in lines below 80 columns, each after `indent` spaces, the
 * first one from column `column` on; an empty line starts a paragraph. */
void cli_wrap(FILE *out, const char *s, size_t indent, size_t column);

/* A histogram `width` characters wide, blanks at its end left out. */
void cli_bars(FILE *out, const size_t *counts, size_t n, size_t width);

enum { CLI_ROOM = 40 };

/* Short forms for people: 5.843, 1.2e-7; 12.5 GiB; 3 min 20 s; 2001-12-31 or
 * 2001-12-31T08:30:00.  All return out. */
char *cli_number(char out[CLI_ROOM], double x, int digits);
char *cli_bytes(char out[CLI_ROOM], size_t bytes);
char *cli_duration(char out[CLI_ROOM], double seconds);
char *cli_date(char out[CLI_ROOM], double days, int with_time);

#endif
