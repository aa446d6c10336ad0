/* tables.h - tables as text, and files for readers: for tests and fuzzers.
 *
 * The text has one line of columns, name:type:role{levels}, and one line a
 * row.  Numbers have 17 digits, so that equal texts mean equal bits; a missing
 * cell is ?, and a sparse row is feature=value ....
 */
#ifndef TABLES_H
#define TABLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gram.h"

static inline void tables_print_head(const gram_table *t, FILE *out)
{
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);

        fprintf(out, "%s%s:%s", j ? "|" : "", c.name, gram_type_name(c.type));
        if (c.role != GRAM_ROLE_FEATURE)
            fprintf(out, ":%s", gram_role_name(c.role));
        if (c.type == GRAM_TYPE_SPARSE)
            fprintf(out, "{%zu}", c.width);
        if (c.type == GRAM_TYPE_CATEGORY)
            for (size_t k = 0; k < c.level_count; k++)
                fprintf(out, "%s%s%s", k ? "," : "{", c.levels[k],
                        k + 1 < c.level_count ? "" : "}");
    }
    fputc('\n', out);
}

static inline void tables_print_entries(const gram_column *c, size_t i,
                                        FILE *out)
{
    for (size_t k = c->start[i]; k < c->start[i + 1]; k++) {
        const char *gap = k > c->start[i] ? " " : "";

        if (c->feature_names)
            fprintf(out, "%s%s", gap, c->feature_names[c->index[k]]);
        else
            fprintf(out, "%s%u", gap, c->index[k] + 1);
        fprintf(out, "=%.17g", c->entries[k]);
    }
}

static inline void tables_print_rows(const gram_table *t, FILE *out)
{
    for (size_t i = 0; i < gram_table_rows(t); i++)
        for (size_t j = 0; j < gram_table_cols(t); j++) {
            gram_column c = gram_table_column(t, j);

            if (c.type == GRAM_TYPE_SPARSE)
                tables_print_entries(&c, i, out);
            else if (c.codes)
                fputs(c.codes[i] < 0 ? "?" : c.levels[c.codes[i]], out);
            else if (isnan(c.values[i]))
                fputc('?', out);
            else
                fprintf(out, "%.17g", c.values[i]);
            fputc(j + 1 < gram_table_cols(t) ? '|' : '\n', out);
        }
}

/* The table as text, to be freed. */
static inline char *tables_text(const gram_table *t)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    tables_print_head(t, out);
    tables_print_rows(t, out);
    fclose(out);
    return text;
}

/* Does every piece of a stream have the same columns? */
static inline int tables_head_stays(const gram_table *t, char **head)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    int same;

    tables_print_head(t, out);
    fclose(out);
    same = !*head || strcmp(*head, text) == 0;
    free(*head);
    *head = text;
    return same;
}

/* The text of a file read in pieces of `rows` rows: of the whole table, empty
 * if there are no rows, NULL if a step fails. */
static inline char *tables_stream(const char *path,
                                  const gram_read_options *options,
                                  const gram_exec *exec, size_t rows,
                                  gram_status *status)
{
    gram_reader *r = NULL;
    gram_table *t = NULL;
    char *text = NULL, *head = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    *status = gram_reader_open(path, options, exec, &r);
    if (*status == GRAM_OK)
        *status = gram_reader_next(r, rows, &t);
    while (*status == GRAM_OK && t) {
        if (!head)
            tables_print_head(t, out);
        if (gram_table_rows(t) > rows || !tables_head_stays(t, &head))
            fputs("a piece is too long or has other columns\n", out);
        tables_print_rows(t, out);
        gram_table_free(t);
        *status = gram_reader_next(r, rows, &t);
    }
    gram_reader_free(r);
    fclose(out);
    free(head);
    if (*status != GRAM_OK) {
        free(text);
        text = NULL;
    }
    return text;
}

static char tables_folder[] = "/tmp/gram-test-XXXXXX";

static inline void tables_leave(void)
{
    if (chdir("/tmp") == 0)
        rmdir(tables_folder);
}

/* Write a file into a folder of the test's own, which becomes the working
 * directory; the test removes the file. */
static inline int tables_write(const char *name, const void *bytes, size_t n)
{
    static int entered;
    FILE *f;
    int good;

    if (!entered) {
        if (!mkdtemp(tables_folder) || chdir(tables_folder) != 0)
            return 0;
        atexit(tables_leave);
        entered = 1;
    }
    f = fopen(name, "wb");
    if (!f)
        return 0;
    good = fwrite(bytes, 1, n, f) == n;
    return fclose(f) == 0 && good;
}

#endif
