/* test_model_chunks.c - model files taken apart and put together otherwise:
 * what a newer gram adds is passed over or refused, and nothing is believed that
 * does not fit.
 */
#include "machines.h"

#include <zlib.h>

enum { ROWS = 20, HEADER = 24, NAME = 16, HEADING = NAME + 16, MOST = 32 };

/* A file in memory, and where its chunks begin. */
typedef struct file {
    unsigned char *bytes;
    size_t n;
    size_t start[MOST + 1], chunks;
} file;

static uint64_t get(const unsigned char *p)
{
    uint64_t x = 0;

    for (int b = 0; b < 8; b++)
        x |= (uint64_t)p[b] << 8 * b;
    return x;
}

static void put(unsigned char *p, uint64_t x, int size)
{
    for (int b = 0; b < size; b++)
        p[b] = (unsigned char)(x >> 8 * b);
}

static file pack(const char *kernel)
{
    gram_table *t = machines_table(ROWS, 2, 1);
    gram_machine *m = machines_fit(t, &(gram_fit_options){.kernel = kernel});
    void *bytes = NULL;
    file f = {0};
    size_t at = HEADER;

    CHECK_OK(gram_machine_pack(m, NULL, &bytes, &f.n));
    f.bytes = bytes;
    while (at < f.n - 4 && f.chunks < MOST) {
        f.start[f.chunks++] = at;
        at += HEADING + get(f.bytes + at + NAME + 8);
    }
    f.start[f.chunks] = at;
    CHECK(at == f.n - 4);
    gram_machine_free(m);
    gram_table_free(t);
    return f;
}

/* The file made of n pieces, with the right length and checksum. */
typedef struct piece {
    const void *bytes;
    size_t n;
} piece;

static gram_status unpack(const file *f, const piece *p, size_t count,
                          gram_machine **out)
{
    size_t n = HEADER;
    unsigned char *bytes;
    gram_status status;

    for (size_t i = 0; i < count; i++)
        n += p[i].n;
    bytes = malloc(n + 4);
    memcpy(bytes, f->bytes, HEADER);
    put(bytes + 16, n - HEADER, 8);
    n = HEADER;
    for (size_t i = 0; i < count; n += p[i++].n)
        memcpy(bytes + n, p[i].bytes, p[i].n);
    put(bytes + n, crc32(0, bytes, (uInt)n), 4);
    status = gram_machine_unpack(bytes, n + 4, NULL, out);
    free(bytes);
    return status;
}

/* From chunk `from` to before chunk `to`. */
static piece chunks(const file *f, size_t from, size_t to)
{
    return (piece){f->bytes + f->start[from], f->start[to] - f->start[from]};
}

static piece unknown(unsigned char *room, int flags)
{
    memset(room, 7, HEADING + 5);
    memset(room, 0, NAME);
    memcpy(room, "landmarks", 9);
    put(room + NAME, (uint64_t)flags, 8);
    put(room + NAME + 8, 5, 8);
    return (piece){room, HEADING + 5};
}

TEST(chunks_that_are_not_known_are_passed_over_unless_they_are_needed)
{
    file f = pack("rbf");
    unsigned char room[HEADING + 5];

    for (size_t at = 0; at <= f.chunks; at++) {
        gram_machine *m = NULL;
        piece p[] = {chunks(&f, 0, at), unknown(room, 2),
                     chunks(&f, at, f.chunks)};

        CHECK_OK(unpack(&f, p, 3, &m));
        gram_machine_free(m);
        p[1] = unknown(room, 1);
        CHECK(unpack(&f, p, 3, &m) == GRAM_ERR_PARSE);
        CHECK(m == NULL);
        CHECK(strstr(gram_error_message(),
                     "the model has a part \"landmarks\", which this gram"));
    }
    gram_memory_free(f.bytes);
}

TEST(every_chunk_stands_once_and_in_order)
{
    file f = pack("?*rbf(ard) + linear");

    for (size_t at = 0; at < f.chunks; at++) {
        gram_machine *m = NULL;
        const int needed = (int)get(f.bytes + f.start[at] + NAME) & 1;
        piece twice[] = {chunks(&f, 0, at + 1), chunks(&f, at, f.chunks)};
        piece without[] = {chunks(&f, 0, at), chunks(&f, at + 1, f.chunks)};

        CHECK_FAILS(unpack(&f, twice, 2, &m), GRAM_ERR_PARSE,
                    "model in memory: not a valid model: parts in another "
                    "order");
        CHECK(m == NULL);
        CHECK((unpack(&f, without, 2, &m) == GRAM_OK) == !needed);
        gram_machine_free(m);
    }
    gram_memory_free(f.bytes);
}

TEST(a_chunk_is_as_long_as_it_says)
{
    file f = pack("map(standardize, rbf)");

    for (size_t at = 0; at < f.chunks; at++)
        for (int more = -1; more <= 1; more += 2) {
            unsigned char *length = f.bytes + f.start[at] + NAME + 8;
            gram_machine *m = NULL;
            piece p = chunks(&f, 0, f.chunks);

            put(length, get(length) + (uint64_t)more, 8);
            CHECK(unpack(&f, &p, 1, &m) == GRAM_ERR_PARSE);
            CHECK(m == NULL);
            put(length, get(length) - (uint64_t)more, 8);
        }
    gram_memory_free(f.bytes);
}

/* Whatever number in a file is changed, what is read is whole or refused. */
TEST(changed_numbers_with_a_right_checksum_do_no_harm)
{
    file f = pack("?*rbf(ard) + linear[x1]");
    size_t refused = 0, read = 0;

    for (size_t at = f.start[0]; at < f.n - 4; at += 3)
        for (int bit = 0; bit < 8; bit += 3) {
            gram_machine *m = NULL;
            piece p = chunks(&f, 0, f.chunks);

            f.bytes[at] ^= (unsigned char)(1 << bit);
            if (unpack(&f, &p, 1, &m) == GRAM_OK)
                read++;
            else
                refused++;
            gram_machine_free(m);
            f.bytes[at] ^= (unsigned char)(1 << bit);
        }
    CHECK(read > 0 && refused > 0);
    gram_memory_free(f.bytes);
}

/* The structure is the text that was asked for; numbers are beside it. */
TEST(a_kernel_is_kept_as_structure_and_values)
{
    file f = pack("?*rbf(ard) + linear[x1]");
    const char *text =
        "?*map(standardize, rbf(ard)) + map(standardize, linear[x1])";
    const unsigned char *kernel = f.bytes + f.start[1];

    CHECK_STR((const char *)kernel, "kernel");
    CHECK(get(kernel + HEADING) == strlen(text));
    CHECK(memcmp(kernel + HEADING + 8, text, strlen(text)) == 0);
    gram_memory_free(f.bytes);
}

TESTS(SMALL(chunks_that_are_not_known_are_passed_over_unless_they_are_needed),
      SMALL(every_chunk_stands_once_and_in_order),
      SMALL(a_chunk_is_as_long_as_it_says),
      NORMAL(changed_numbers_with_a_right_checksum_do_no_harm),
      SMALL(a_kernel_is_kept_as_structure_and_values))
