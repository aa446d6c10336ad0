/* fuzz_write.c - any strings and numbers survive being written as CSV or TSV
 * and read back.
 *
 * The first byte chooses: bit 0 TSV, bit 1 a column of numbers behind the
 * strings.  The rest are strings with a NUL behind each; "\1" is a missing
 * one.  The bytes of a string are also the bits of its row's number.
 */
#include <stdint.h>

#include "../tests/support/tables.h"

enum { ROWS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s; message: %s\n", what, gram_error_message());
    abort();
}

static size_t cut(const char *p, size_t n, const char **strings, double *x)
{
    size_t rows = 0;

    for (const char *end = p + n; p < end && rows < ROWS; rows++) {
        size_t length = strlen(p);

        x[rows] = 0;
        memcpy(&x[rows], p, length < 8 ? length : 8);
        x[rows] = isinf(x[rows]) ? NAN : x[rows];
        strings[rows] = strcmp(p, "\1") == 0 ? NULL : p;
        p += length + 1;
    }
    return rows;
}

static gram_table *make_table(const char *p, size_t n, int numbers)
{
    const char *strings[ROWS];
    gram_table *t = NULL;
    double x[ROWS];
    size_t rows = cut(p, n, strings, x);

    must(gram_table_new(rows, &t) == GRAM_OK &&
             gram_table_add_strings(t, "s", GRAM_TYPE_TEXT, strings) == GRAM_OK,
         "no table");
    if (numbers)
        must(gram_table_add_numbers(t, "x", x, 1) == GRAM_OK, "no numbers");
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const gram_exec exec = {.threads = 1};
    gram_read_options options = {.types = "s=text",
                                 .missing = GRAM_MISSING_KEEP};
    gram_table *t = NULL, *back = NULL;
    char path[64], *bytes, *a, *b;

    if (n < 2)
        return 0;
    bytes = malloc(n);
    must(bytes != NULL, "no memory");
    memcpy(bytes, data + 1, n - 1);
    bytes[n - 1] = '\0';
    if (data[0] & 2)
        options.types = "s=text,x=number";
    snprintf(path, sizeof path, "/dev/shm/gram-fuzz-%ld.%s", (long)getpid(),
             data[0] & 1 ? "tsv" : "csv");
    t = make_table(bytes, n - 1, data[0] & 2);
    must(gram_table_write(t, path, NULL, &exec) == GRAM_OK, "not written");
    must(gram_table_read(path, &options, &exec, &back) == GRAM_OK,
         "not read back");
    a = tables_text(t);
    b = tables_text(back);
    must(strcmp(a, b) == 0, "another table came back");
    unlink(path);
    gram_table_free(t);
    gram_table_free(back);
    free(bytes);
    free(a);
    free(b);
    return 0;
}
