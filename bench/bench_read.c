/* bench_read.c - read one file once, in a fresh process.
 *
 *     bench_read FILE [DUMP]
 *
 * Prints one JSON object: wall seconds of gram_table_read(), rows, bytes of
 * the table's own arrays, and the most memory the process ever had resident.
 * DUMP then gets the numbers as raw bytes, to be compared with a peer's: each
 * number column and of each sparse block the row starts, indices, entries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gram.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* VmHWM and not getrusage(), whose peak is inherited from the process that
 * started this one. */
static double peak_bytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return 1024 * kilobytes;
}

/* The arrays of column c: calls put(user, array, bytes) for each. */
static void each_array(const gram_column *c, size_t rows,
                       void (*put)(void *user, const void *p, size_t bytes),
                       void *user)
{
    if (c->type == GRAM_TYPE_SPARSE) {
        size_t n = c->start[rows];

        put(user, c->start, (rows + 1) * sizeof *c->start);
        put(user, c->index, n * sizeof *c->index);
        put(user, c->entries, n * sizeof *c->entries);
    } else if (c->values) {
        put(user, c->values, rows * sizeof *c->values);
    } else {
        put(user, c->codes, rows * sizeof *c->codes);
    }
}

static void add_up(void *user, const void *p, size_t bytes)
{
    (void)p;
    *(size_t *)user += bytes;
}

static void dump(void *user, const void *p, size_t bytes)
{
    if (fwrite(p, 1, bytes, user) != bytes)
        perror("bench_read");
}

int main(int argc, char **argv)
{
    gram_table *table = NULL;
    FILE *out = NULL;
    size_t rows, bytes = 0;
    double start = now(), seconds;

    if (argc < 2 || gram_table_read(argv[1], NULL, NULL, &table) != GRAM_OK) {
        fprintf(stderr, "bench_read: %s\n",
                argc < 2 ? "which file?" : gram_error_message());
        return 1;
    }
    seconds = now() - start;
    rows = gram_table_rows(table);
    if (argc > 2 && !(out = fopen(argv[2], "wb")))
        perror(argv[2]);
    for (size_t j = 0; j < gram_table_cols(table); j++) {
        gram_column c = gram_table_column(table, j);

        each_array(&c, rows, add_up, &bytes);
        if (out && c.type != GRAM_TYPE_CATEGORY)
            each_array(&c, rows, dump, out);
    }
    if (out && fclose(out) != 0)
        perror(argv[2]);
    printf("{\"seconds\": %.6f, \"rows\": %zu, \"table\": %zu, "
           "\"peak\": %.0f}\n",
           seconds, rows, bytes, peak_bytes());
    gram_table_free(table);
    return 0;
}
