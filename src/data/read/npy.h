/* npy.h - NumPy's .npy format: one array behind a header.
 *
 * The header is the literal of a Python dict with the keys descr (the dtype),
 * fortran_order and shape; the elements follow without gaps.  Specification:
 * numpy.lib.format, versions 1 to 3.
 */
#ifndef GI_NPY_H
#define GI_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/run.h"
#include "base/status.h"

/* Bytes with random access; `name` is for messages. */
typedef struct gi_bytes {
    const char *name;
    uint64_t size;
    gram_status (*at)(void *context, uint64_t offset, void *buffer, size_t n);
    void *context;
} gi_bytes;

typedef struct gi_npy {
    char dtype[32]; /* as the file has it, cut if it is long */
    char kind;      /* f, i, u, b, S, U; others cannot be read */
    size_t size;    /* bytes of an element */
    int swapped;    /* their order is not this machine's */
    int fortran;
    size_t rank;
    size_t shape[2]; /* the first two; 1 where there are fewer */
    size_t data;     /* bytes before the first element */
} gi_npy;

/* Read the header.  Errors: PARSE, IO, MEMORY. */
gram_status gi_npy_open(gi_run *run, const gi_bytes *bytes, gi_npy *out);

/* Fails unless the array holds numbers, in one or two dimensions, and exactly
 * the bytes that these need.  To be called before anything is allocated.
 * Errors: PARSE. */
gram_status gi_npy_check(const gi_bytes *bytes, const gi_npy *a);

/* Elements first .. first+n-1 as they are in the file, in this machine's
 * byte order. */
gram_status gi_npy_read(const gi_bytes *bytes, const gi_npy *a, uint64_t first,
                        size_t n, void *buffer);

/* to[i] = element i*stride of `from`, for i < n.  Returns the first i for
 * which it is infinite, or n.  Integers above 2^53 are rounded. */
size_t gi_npy_decode(const gi_npy *a, const void *from, size_t stride, size_t n,
                     double *to);

enum { GI_NPY_HEADER = 128 };

/* The header of a rows x cols array in C order: of doubles, size = 8, or of
 * floats, size = 4. */
void gi_npy_header(size_t rows, size_t cols, size_t size,
                   char out[GI_NPY_HEADER]);

#endif
