/* npy_arrays.h - .npy bytes and files, for tests of readers and writers.
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "check.h"
#include "tables.h"

#include "base/mem.h"

static const gram_read_options keep_missing = {.missing = GRAM_MISSING_KEEP};

/* Bytes that grow; start from zeros. */
typedef struct bytes {
    unsigned char *p;
    size_t n;
} bytes;

static inline void put(bytes *b, const void *from, size_t n)
{
    b->p = realloc(b->p, b->n + n + 1);
    assert_non_null(b->p);
    if (n)
        memcpy(b->p + b->n, from, n);
    b->n += n;
}

/* The low `size` bytes of x, little-endian. */
static inline void put_int(bytes *b, unsigned long long x, size_t size)
{
    for (size_t i = 0; i < size; i++, x >>= 8) {
        unsigned char low = (unsigned char)(x & 255);

        put(b, &low, 1);
    }
}

/* A .npy file of that header and those data. */
static inline bytes npy_bytes(int version, const char *header, const void *data,
                              size_t n)
{
    bytes b = {0};

    put(&b, "\x93NUMPY", 6);
    put_int(&b, (unsigned long long)version, 2);
    put_int(&b, strlen(header), version == 1 ? 2 : 4);
    put(&b, header, strlen(header));
    put(&b, data, n);
    return b;
}

static inline bytes npy_doubles(const char *shape, int fortran,
                                const double *data, size_t n)
{
    char header[200];

    snprintf(header, sizeof header,
             "{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }",
             fortran ? "True" : "False", shape);
    return npy_bytes(1, header, data, n * sizeof *data);
}

/* Write b as `name`, and free it. */
static inline void save(const char *name, bytes b)
{
    CHECK(tables_write(name, b.p, b.n));
    free(b.p);
}

/* The file reads as this text, at once and in pieces. */
static inline void file_reads_as(const char *name,
                                 const gram_read_options *options,
                                 const char *expected)
{
    gram_table *t = NULL;
    gram_status status;
    char *whole, *pieces;

    CHECK_OK(gram_table_read(name, options, NULL, &t));
    whole = tables_text(t);
    CHECK_STR(whole, expected);
    pieces = tables_stream(name, options, NULL, 2, &status);
    CHECK_OK(status);
    CHECK_STR(pieces, expected);
    gram_table_free(t);
    free(whole);
    free(pieces);
}

/* The file is refused with that sentence, at once and in pieces. */
static inline void file_fails(const char *name,
                              const gram_read_options *options,
                              gram_status status, const char *sentence)
{
    gram_table *t = NULL;
    gram_status pieces;

    CHECK_FAILS(gram_table_read(name, options, NULL, &t), status, sentence);
    CHECK(t == NULL);
    CHECK(tables_stream(name, options, NULL, 2, &pieces) == NULL);
    assert_int_equal(pieces, status);
    CHECK_STR(gram_error_message(), sentence);
}

/* Whichever allocation fails: a sentence, nothing kept. */
static inline void survives_failing_allocations(const char *name)
{
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gram_table *t = NULL;

    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_table_read(name, &keep_missing, NULL, &t);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK) {
            assert_int_equal(status, GRAM_ERR_MEMORY);
            CHECK(t == NULL && gram_memory_used() == before);
        }
    }
    CHECK(n > 5);
    gram_table_free(t);
    CHECK(gram_memory_used() == before);
}

/* A fresh file: to shorten one costs a wait for the disk. */
static inline void replace(const char *name, bytes b, size_t n)
{
    unlink(name);
    CHECK(tables_write(name, b.p, n));
}

/* Every beginning of the file is refused, and no byte of it that is changed
 * does harm. */
static inline void survives_damage(const char *name, bytes b)
{
    gram_table *t = NULL;

    for (size_t n = 0; n < b.n; n++) {
        replace(name, b, n);
        CHECK(gram_table_read(name, NULL, NULL, &t) != GRAM_OK);
    }
    for (size_t i = 0; i < b.n; i++) {
        b.p[i] ^= (unsigned char)(1u << i % 8);
        replace(name, b, b.n);
        (void)gram_table_read(name, &keep_missing, NULL, &t);
        gram_table_free(t);
        t = NULL;
        b.p[i] ^= (unsigned char)(1u << i % 8);
    }
    free(b.p);
}

#endif
