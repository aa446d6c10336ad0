/* report.c - what a fit found, for people and as JSON.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { ITEM = 16 }; /* where the values of a report begin */

enum {
    LONG = 8,
    SHOWN = 3
}; /* lists of more numbers, and how many they show */

void cli_item(const char *name, const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        exit(cli_fail("out of memory"));
    va_end(args);
    printf("  %-*s", ITEM - 2, name);
    cli_wrap(stdout, text, ITEM, ITEM);
    free(text);
}

/* ------------------------------------------------------------------- text */

/* "0.1", or "a 0.1, b 0.2" with several targets. */
static void item_targets(const gram_report *r, const char *name,
                         const double *values)
{
    char *text = NULL, number[CLI_ROOM];
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        exit(cli_fail("out of memory"));
    for (size_t t = 0; t < r->outputs; t++) {
        if (r->outputs > 1)
            fprintf(out, "%s%s ", t ? ", " : "", r->output[t]);
        fputs(isnan(values[t]) ? "not computed"
                               : cli_number(number, values[t], 6),
              out);
    }
    if (fclose(out))
        exit(cli_fail("out of memory"));
    cli_item(name, "%s", text);
    free(text);
}

static void item_evidence(const gram_report *r)
{
    if (isnan(r->log_evidence[0]) && strncmp(r->precision, "single", 6) == 0)
        cli_item("log evidence", "not computed: the factor is in single "
                                 "precision (--precision double has it)");
    else
        item_targets(r, "log evidence", r->log_evidence);
}

static void item_choice(const gram_report *r)
{
    char value[CLI_ROOM];

    cli_number(value, r->criterion_value, 6);
    if (r->evaluations > 0)
        cli_item("chosen by", "%s %s, %zu evaluation%s", r->criterion, value,
                 r->evaluations, r->evaluations == 1 ? "" : "s");
    else
        cli_item("chosen by", "%s %s", r->criterion, value);
}

static void item_numerics(const gram_report *r)
{
    char residual[CLI_ROOM], condition[CLI_ROOM], jitter[CLI_ROOM];

    cli_item("residual", "%s%s%s, jitter %s",
             cli_number(residual, r->residual, 2),
             isnan(r->condition) ? "" : ", condition about ",
             isnan(r->condition) ? "" : cli_number(condition, r->condition, 2),
             cli_number(jitter, r->jitter, 3));
    if (r->rank < r->n)
        cli_item("rank", "%zu of %zu", r->rank, r->n);
}

static void put_names(FILE *out, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? ", " : "", names[i]);
}

/* "regression of y", "2 classes of y: a, b", "novelty"; and by which loss. */
static void item_task(const gram_report *r)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        exit(cli_fail("out of memory"));
    if (r->classes > 0)
        fprintf(out, "%zu classes", r->classes);
    else
        fputs(r->task, out);
    if (r->targets > 0)
        fputs(" of ", out);
    put_names(out, r->target, r->targets);
    if (r->classes > 0)
        fputs(": ", out);
    put_names(out, r->class_name, r->classes);
    if (r->classes > 0 && r->outputs > 1)
        fprintf(out, "; %zu functions", r->outputs);
    else if (r->classes > 0)
        fputs("; f > 0 is the last", out);
    if (fclose(out))
        exit(cli_fail("out of memory"));
    cli_item("task", "%s", text);
    free(text);
    if (!r->squared)
        cli_item("loss", "%s", r->loss);
}

/* What becomes of missing cells, here and in rows that come later. */
static void item_missing(const gram_report *r)
{
    static const char *const words[] = {
        [GRAM_MISSING_DROP] = "rows with missing cells are left out, their "
                              "predictions empty",
        [GRAM_MISSING_MEAN] = "cells are filled with the training rows' means",
        [GRAM_MISSING_INDICATOR] = "cells are filled with the training rows' "
                                   "means, and marked",
    };

    if (r->missing >= GRAM_MISSING_DROP)
        cli_item("missing", "%s", words[r->missing]);
}

/* lambda, and C of those who know it by that. */
static void item_lambda(const gram_report *r)
{
    char lambda[CLI_ROOM], C[CLI_ROOM];

    for (size_t t = 1; t < r->outputs; t++)
        if (r->lambda[t] != r->lambda[0]) {
            item_targets(r, "lambda", r->lambda);
            return;
        }
    cli_number(lambda, r->lambda[0], 6);
    if (r->squared)
        cli_item("lambda", "%s", lambda);
    else
        cli_item("lambda", "%s (C = %s)", lambda,
                 cli_number(C, 1 / (2 * r->lambda[0]), 6));
}

static void item_optimum(const gram_report *r)
{
    char objective[CLI_ROOM], gap[CLI_ROOM];

    if (isnan(r->gap))
        cli_item("objective", "%s", cli_number(objective, r->objective, 8));
    else
        cli_item("objective", "%s, duality gap %s",
                 cli_number(objective, r->objective, 8),
                 cli_number(gap, r->gap, 2));
    cli_item("support", "%zu of %zu rows", r->support, r->n);
}

/* The end of a list of more than LONG numbers that begins with s, its "]", and
 * how many; NULL if it is none. */
static const char *long_list_end(const char *s, size_t *count)
{
    *count = 0;
    do {
        char *end;

        strtod(++s, &end);
        if (end == s)
            return NULL;
        s = end + strspn(end, " ");
        ++*count;
    } while (*s == ',');
    return *s == ']' && *count > LONG ? s : NULL;
}

static void put_long_list(FILE *out, const char *s, size_t count)
{
    char number[CLI_ROOM], *end;

    putc('[', out);
    for (int i = 0; i < SHOWN; i++) {
        double x = strtod(s + 1, &end);

        fprintf(out, "%s, ", cli_number(number, x, 5));
        s = end + strspn(end, " ");
    }
    fprintf(out, "... %zu numbers]", count);
}

char *cli_kernel_rounded(const char *s)
{
    static const char digits[] = "0123456789";
    char *text = NULL, number[CLI_ROOM];
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        exit(cli_fail("out of memory"));
    for (int quoted = 0, word = 0; *s;) {
        size_t count = 0;
        const char *close =
            *s == '[' && !quoted ? long_list_end(s, &count) : NULL;
        char *end = NULL;

        if (close) {
            put_long_list(out, s, count);
            s = close + 1;
            word = 0;
            continue;
        }
        double x = strchr(digits, *s) ? strtod(s, &end) : 0;

        if (end && !quoted && !word) {
            fputs(cli_number(number, x, 5), out);
            s = end;
            continue;
        }
        quoted ^= *s == '"';
        word = isalpha((unsigned char)*s) || *s == '_' ||
               (word && isdigit((unsigned char)*s));
        putc(*s, out);
        if (*s == ',' && !quoted && s[1] != ' ')
            putc(' ', out);
        s++;
    }
    if (fclose(out))
        exit(cli_fail("out of memory"));
    return text;
}

static void print_text(const gram_report *r, const char *path,
                       const char *model)
{
    char seconds[CLI_ROOM], peak[CLI_ROOM], plan[CLI_ROOM];
    char *kernel;

    cli_put(stdout, cli_path(path, "standard input"));
    printf(": %zu row%s, %zu column%s\n", r->n, r->n == 1 ? "" : "s", r->d,
           r->d == 1 ? "" : "s");
    item_task(r);
    kernel = cli_kernel_rounded(r->kernel);
    cli_item("kernel", "%s", kernel);
    free(kernel);
    item_missing(r);
    item_lambda(r);
    if (r->squared) {
        item_targets(r, "amplitude", r->amplitude);
        item_targets(r, "noise", r->noise_variance);
    }
    if (r->outputs <= SHOWN)
        item_targets(r, "intercept", r->intercept);
    if (r->squared || !isnan(r->log_evidence[0]))
        item_evidence(r);
    if (strcmp(r->criterion, "none") != 0)
        item_choice(r);
    if (r->squared)
        item_numerics(r);
    else
        item_optimum(r);
    if (r->steps > 0)
        cli_item("solver", "%s, %s, %zu steps", r->solver, r->precision,
                 r->steps);
    else
        cli_item("solver", "%s, %s", r->solver, r->precision);
    if (!isnan(r->seconds))
        cli_item("took", "%s s, at most %s of %s planned",
                 cli_number(seconds, r->seconds, 2),
                 cli_bytes(peak, r->peak_bytes),
                 cli_bytes(plan, r->plan_bytes));
    if (!r->converged)
        puts("  NOT CONVERGED");
    for (size_t i = 0; i < r->warning_count; i++)
        cli_item("warning", "%s", r->warnings[i]);
    for (size_t i = 0; i < r->note_count; i++)
        cli_item("note", "%s", r->notes[i]);
    if (model)
        cli_item("model", "%s", model);
}

int cli_report_json(const gram_machine *m, json_t *more)
{
    json_t *o = cli_json_fields(gram_report_fields(), gram_machine_report(m));

    json_object_update_new(o, more);
    return cli_json_print(o);
}

int cli_report_print(const gram_machine *m, const char *path, const char *model,
                     double read_seconds, double write_seconds)
{
    const gram_report *r = gram_machine_report(m);
    int code = CLI_GOOD;

    if (cli.json)
        code = cli_report_json(
            m, json_pack("{s:o, s:o, s:f, s:f}", "file", cli_json_text(path),
                         "model", model ? cli_json_text(model) : json_null(),
                         "read_seconds", read_seconds, "write_seconds",
                         write_seconds));
    else
        print_text(r, path, model);
    return code != CLI_GOOD || r->converged ? code : CLI_OPEN;
}
