/* fuzz_reader.h - what every reader must stand: any bytes.
 *
 * The bytes are read at once and in pieces of 5 rows.  Both must fail, or
 * both give the same table: these are two ways through the same code, with
 * types guessed and corrected in one and surveyed first in the other.  A failure
 * says why, in one line.  Texts of cells are kept beside their values, and say
 * the same.  Nothing reads outside its memory or leaks (address sanitizer), and
 * 256 MiB are enough for any of it.
 *
 * A fuzz target is one call of fuzz_reader() with the name of its format.
 */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stdint.h>
#include <sys/mman.h>

#include "../tests/support/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s; message: %s\n", what, gram_error_message());
    abort();
}

/* The bytes as a file, by a name in `path`. */
static void make_file(const uint8_t *data, size_t n, char *path, size_t size)
{
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    must(fd >= 0 && ftruncate(fd, 0) == 0 &&
             pwrite(fd, data, n, 0) == (ssize_t)n,
         "no file in memory");
    snprintf(path, size, "/proc/self/fd/%d", fd);
}

/* The values a table may hold. */
static void check_table(const gram_table *t)
{
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);
        size_t missing = 0;

        for (size_t i = 0; i < gram_table_rows(t); i++) {
            if (c.values) {
                must(!isinf(c.values[i]), "a number that is not finite");
                missing += isnan(c.values[i]) != 0;
            } else if (c.codes) {
                must(c.codes[i] >= -1 && (c.codes[i] < (int)c.level_count),
                     "a code without a level");
                missing += c.codes[i] < 0;
            }
            if (c.type != GRAM_TYPE_SPARSE)
                continue;
            for (size_t k = c.start[i]; k < c.start[i + 1]; k++)
                must(isfinite(c.entries[k]) && c.index[k] < c.width &&
                         (k == c.start[i] || c.index[k] > c.index[k - 1]),
                     "a bad sparse entry");
        }
        must(missing == c.missing, "missing cells miscounted");
    }
}

/* The text of a number is one that strtod reads as its value. */
static void check_texts(const gram_table *t)
{
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);

        for (size_t i = 0; i < gram_table_rows(t); i++) {
            const char *text =
                c.type == GRAM_TYPE_SPARSE ? NULL : gram_table_text(t, j, i);

            if (text && c.type == GRAM_TYPE_NUMBER && !isnan(c.values[i]))
                must(strtod(text, NULL) == c.values[i], "another number");
            if (text && c.codes && c.codes[i] >= 0)
                must(strcmp(text, c.levels[c.codes[i]]) == 0, "another level");
        }
    }
}

static int fuzz_reader(const char *format, const uint8_t *data, size_t n)
{
    static const char *const all[] = {"*", NULL};
    const gram_read_options options = {
        .format = format, .missing = GRAM_MISSING_KEEP, .verbatim = all};
    const gram_exec exec = {.threads = 1, .memory = (size_t)256 << 20};
    gram_status whole, stream;
    gram_table *t = NULL;
    char path[64], *a = NULL, *b = NULL;

    make_file(data, n, path, sizeof path);
    whole = gram_table_read(path, &options, &exec, &t);
    if (whole == GRAM_OK) {
        check_table(t);
        check_texts(t);
        a = tables_text(t);
    } else {
        must(gram_error_message()[0] && !strchr(gram_error_message(), '\n'),
             "a failure without a sentence");
    }
    gram_table_free(t);
    b = tables_stream(path, &options, &exec, 5, &stream);
    if (whole != GRAM_ERR_MEMORY && stream != GRAM_ERR_MEMORY) {
        must((a == NULL) == (b == NULL || *b == '\0'),
             "at once and in pieces do not agree");
        must(!a || strcmp(a, b) == 0, "at once and in pieces differ");
    }
    free(a);
    free(b);
    return 0;
}

#endif
