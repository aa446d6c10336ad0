/* read_npy.c - NumPy's .npy: one array of numbers, columns c0, c1, ...
 *
 * One dimension is one column.  NaN is a missing cell, infinity an error.  The
 * work is done by npy.c (header, elements) and arrays.c (columns).
 */
#include <string.h>

#include "base/mem.h"
#include "data/read/arrays.h"

static int probe(const char *head, size_t n)
{
    return n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0 ? 2 : 0;
}

static gram_status at(void *context, uint64_t offset, void *buffer, size_t n)
{
    return gi_input_at(context, offset, buffer, n);
}

static gram_status open(gram_reader *r)
{
    gram_status status = GRAM_OK;
    gi_arrays *a = NULL;
    gi_bytes bytes = {.name = gi_input_name(r->in), .at = at, .context = r->in};

    GI_TRY(GI_NEW_ZERO(&r->run, a, 1));
    r->state = a;
    a->reader = r;
    GI_TRY(gi_input_random(r->in, &bytes.size));
    GI_TRY(GI_NEW(&r->run, a->array, 1));
    GI_TRY(gi_arrays_add(a, bytes, "c", 0));
    GI_TRY(gi_arrays_begin(a));
done:
    return status;
}

static gram_status next(gram_reader *r, size_t rows, gram_table *t)
{
    return gi_arrays_next(r->state, rows, t);
}

static void close(gram_reader *r)
{
    gi_arrays_free(r->state);
    gi_free(r->state);
}

const gi_reader_class gi_reader_npy = {
    .name = "npy",
    .brief = "one NumPy array of numbers, columns c0, c1, ...",
    .extensions = "npy",
    .probe = probe,
    .open = open,
    .next = next,
    .close = close,
};
