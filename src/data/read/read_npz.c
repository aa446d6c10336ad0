/* read_npz.c - NumPy's .npz: a zip file of .npy arrays.
 *
 * Each member NAME.npy is the column NAME, or NAME0, NAME1, ... if it has two
 * dimensions.  A file of scipy.sparse.save_npz is one sparse column
 * "features": row i has the entries indptr[i] .. indptr[i+1]-1 of indices and
 * data.  SciPy promises no order within a row: entries are sorted, and those
 * of one index are summed in the order of the file.
 *
 * All members are unpacked side by side as rows are asked for.  The trap: a
 * deflated array in Fortran order, read in pieces, is unpacked once a piece.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "data/read/arrays.h"
#include "data/read/zip.h"

enum { CHUNK = GI_NPZ_CHUNK, WORD = 16 };

/* The arrays of a sparse matrix in compressed row form. */
enum { FORMAT, SHAPE, DATA, INDICES, INDPTR, PARTS };

static const char *const part_names[PARTS] = {
    "format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy"};

typedef struct entry {
    unsigned index;
    size_t order;
    double value;
} entry;

typedef struct npz {
    gi_zip zip;
    gi_arrays arrays;
    int sparse, dropped;
    gi_array part[PARTS];
    size_t rows, width, entries;
    size_t taken; /* entries handed out so far */
    unsigned char *buffer;
    double *numbers; /* CHUNK of them */
    entry *row;      /* a row that must be sorted */
    size_t row_capacity;
} npz;

static gi_bytes member_bytes(gi_zip_member *m)
{
    return (gi_bytes){m->label, m->size, gi_zip_at, m};
}

static gi_zip_member *find_member(npz *z, const char *name)
{
    for (size_t i = 0; i < z->zip.count; i++)
        if (strcmp(z->zip.member[i].name, name) == 0)
            return &z->zip.member[i];
    return NULL;
}

/* ----------------------------------------------------------------- arrays */

static gram_status open_arrays(gram_reader *r, npz *z)
{
    gram_status status = GRAM_OK;
    gi_arrays *a = &z->arrays;
    char *stem = NULL;

    a->reader = r;
    GI_TRY(GI_NEW(&r->run, a->array, z->zip.count));
    for (size_t i = 0; i < z->zip.count; i++) {
        gi_zip_member *m = &z->zip.member[i];
        size_t n = strlen(m->name);

        if (n <= 4 || strcmp(m->name + n - 4, ".npy") != 0) {
            status =
                gi_fail(GRAM_ERR_PARSE, "%s: is not called NAME.npy", m->label);
            goto done;
        }
        GI_TRY(gi_strndup(&r->run, m->name, n - 4, &stem));
        GI_TRY(gi_arrays_add(a, member_bytes(m), stem, 1));
        gi_zip_pause(m);
        gi_free(stem);
        stem = NULL;
    }
    GI_TRY(gi_arrays_begin(a));
    /* jumps between columns would leave the checksum unseen */
    for (size_t i = 0; i < a->count && (!r->whole || r->drop); i++)
        if (a->array[i].used && a->array[i].npy.fortran)
            GI_TRY(gi_zip_verify(&z->zip.member[i]));
done:
    gi_free(stem);
    return status;
}

/* ----------------------------------------------------------------- sparse */

/* The characters of a string without dimensions, as scipy saves `format`. */
static gram_status read_word(gi_run *run, const gi_array *x, char out[WORD])
{
    gram_status status = GRAM_OK;
    const gi_npy *a = &x->npy;
    size_t step = a->kind == 'U' ? 4 : 1;
    unsigned char *text = NULL;
    uint32_t c = 0;

    if (a->rank != 0 || (a->kind != 'S' && a->kind != 'U') ||
        a->size >= step * WORD || a->data + a->size != x->bytes.size)
        return gi_fail(GRAM_ERR_PARSE, "%s: must be a short string",
                       x->bytes.name);
    GI_TRY(GI_NEW(run, text, a->size));
    GI_TRY(gi_npy_read(&x->bytes, a, 0, 1, text));
    memset(out, 0, WORD);
    for (size_t i = 0; i < a->size / step; i++) {
        memcpy(&c, text + i * step, step);
        out[i] = c < 128 ? (char)c : '?';
    }
done:
    gi_free(text);
    return status;
}

/* The next n numbers of a part, from element `first` on. */
static gram_status read_part(npz *z, int part, size_t first, size_t n,
                             double *out)
{
    gram_status status = GRAM_OK;
    const gi_array *x = &z->part[part];
    size_t bad;

    GI_TRY(gi_npy_read(&x->bytes, &x->npy, first, n, z->buffer));
    bad = gi_npy_decode(&x->npy, z->buffer, 1, n, out);
    for (size_t i = 0; i < bad; i++)
        if (isnan(out[i]))
            bad = i;
    if (bad < n)
        return gi_fail(GRAM_ERR_RANGE, "%s: element %zu: %g is not finite",
                       x->bytes.name, first + bad + 1, out[bad]);
done:
    return status;
}

/* A part is a list of numbers, and of integers unless it is `data`. */
static gram_status check_part(const npz *z, int part, size_t length)
{
    const gi_array *x = &z->part[part];
    gram_status status = gi_npy_check(&x->bytes, &x->npy);

    if (status != GRAM_OK)
        return status;
    if (x->npy.rank != 1 || x->npy.shape[0] != length)
        return gi_fail(GRAM_ERR_SHAPE, "%s: %zu elements, must be %zu",
                       x->bytes.name, x->npy.shape[0], length);
    if (part != DATA && x->npy.kind != 'i' && x->npy.kind != 'u')
        return gi_fail(GRAM_ERR_PARSE, "%s: dtype \"%s\", must be an integer",
                       x->bytes.name, x->npy.dtype);
    return status;
}

static gram_status check_parts(npz *z)
{
    gram_status status = GRAM_OK;
    double shape[2];

    GI_TRY(check_part(z, SHAPE, 2));
    GI_TRY(read_part(z, SHAPE, 0, 2, shape));
    if (!(shape[0] >= 0 && shape[0] < 0x1p53 && shape[1] >= 0 &&
          shape[1] <= 0x1p32))
        return gi_fail(GRAM_ERR_PARSE,
                       "%s: %g x %g, must be sizes, at most 2^32 columns",
                       z->part[SHAPE].bytes.name, shape[0], shape[1]);
    z->rows = (size_t)shape[0];
    z->width = (size_t)shape[1];
    z->entries = z->part[DATA].npy.shape[0];
    GI_TRY(check_part(z, DATA, z->entries));
    GI_TRY(check_part(z, INDICES, z->entries));
    GI_TRY(check_part(z, INDPTR, z->rows + 1));
done:
    return status;
}

static gram_status open_sparse(gram_reader *r, npz *z)
{
    gram_status status = GRAM_OK;
    const char *name = "features";
    unsigned char drop = 0;
    char format[WORD];
    double first = 0;
    int type = -1;

    GI_TRY(gi_reader_choose(r, &name, 1, &drop, &type));
    if (type >= 0)
        return gi_fail(GRAM_ERR_RANGE,
                       "%s: column \"features\" is a sparse block, cannot be "
                       "a %s",
                       gi_input_name(r->in), gram_type_name((gram_type)type));
    z->dropped = drop;
    for (int p = 0; p < PARTS; p++) {
        gi_zip_member *m = find_member(z, part_names[p]);
        gi_array *x = &z->part[p];

        if (p == DATA) { /* other formats have other parts */
            GI_TRY(read_word(&r->run, &z->part[FORMAT], format));
            if (strcmp(format, "csr") != 0)
                return gi_fail(GRAM_ERR_PARSE,
                               "%s: sparse format \"%s\", must be \"csr\" "
                               "(SciPy: m.tocsr())",
                               gi_input_name(r->in), format);
        }
        if (!m)
            return gi_fail(GRAM_ERR_PARSE, "%s: no member \"%s\"",
                           gi_input_name(r->in), part_names[p]);
        x->bytes = member_bytes(m);
        GI_TRY(gi_npy_open(&r->run, &x->bytes, &x->npy));
    }
    GI_TRY(GI_NEW(&r->run, z->buffer, CHUNK * sizeof(double)));
    GI_TRY(GI_NEW(&r->run, z->numbers, CHUNK));
    GI_TRY(check_parts(z));
    GI_TRY(read_part(z, INDPTR, 0, 1, &first));
    if (first != 0)
        status = gi_fail(GRAM_ERR_PARSE, "%s: begins with %g, must be 0",
                         z->part[INDPTR].bytes.name, first);
done:
    return status;
}

/* start[1..rows] of the rows from `row` on, counted from the first of them. */
static gram_status read_starts(npz *z, size_t row, size_t rows, size_t *start)
{
    gram_status status = GRAM_OK;
    size_t n;

    for (size_t at = 0; at < rows; at += n) {
        n = rows - at < CHUNK ? rows - at : CHUNK;
        GI_TRY(read_part(z, INDPTR, row + at + 1, n, z->numbers));
        for (size_t i = 0; i < n; i++) {
            double end = z->numbers[i];

            if (!(end >= (double)(z->taken + start[at + i]) &&
                  end <= (double)z->entries))
                return gi_fail(GRAM_ERR_PARSE,
                               "%s: element %zu is %g, must ascend to %zu",
                               z->part[INDPTR].bytes.name, row + at + i + 2,
                               end, z->entries);
            start[at + i + 1] = (size_t)end - z->taken;
        }
    }
done:
    return status;
}

static gram_status read_entries(gi_run *run, npz *z, size_t total, gi_sparse *s)
{
    gram_status status = GRAM_OK;
    size_t n;

    for (size_t at = 0; at < total; at += n) {
        n = total - at < CHUNK ? total - at : CHUNK;
        GI_TRY(read_part(z, INDICES, z->taken + at, n, z->numbers));
        for (size_t i = 0; i < n; i++) {
            double x = z->numbers[i];

            if (!(x >= 0 && x < (double)z->width))
                return gi_fail(GRAM_ERR_RANGE,
                               "%s: element %zu is %g, must be below %zu",
                               z->part[INDICES].bytes.name,
                               z->taken + at + i + 1, x, z->width);
            s->index[at + i] = (unsigned)x;
        }
        GI_TRY(read_part(z, DATA, z->taken + at, n, s->entries + at));
        GI_TRY(gi_run_tick(run, (double)(z->taken + at) / (double)z->entries));
    }
done:
    return status;
}

static int by_index(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Sort entries from .. to-1 of s, sum duplicates, write them from *at on, and
 * set *at to their end. */
static gram_status sort_row(gi_run *run, npz *z, gi_sparse *s, size_t from,
                            size_t to, size_t *at)
{
    gram_status status = GRAM_OK;
    size_t n = to - from, end = *at;

    if (n > z->row_capacity) {
        GI_TRY(GI_GROW(run, z->row, n));
        z->row_capacity = n;
    }
    for (size_t k = 0; k < n; k++)
        z->row[k] = (entry){s->index[from + k], k, s->entries[from + k]};
    qsort(z->row, n, sizeof *z->row, by_index);
    for (size_t k = 0; k < n; k++) {
        if (end > *at && s->index[end - 1] == z->row[k].index) {
            s->entries[end - 1] += z->row[k].value;
        } else {
            s->index[end] = z->row[k].index;
            s->entries[end++] = z->row[k].value;
        }
    }
    *at = end;
done:
    return status;
}

/* Sort every row.  Rows move only towards the front, where summed duplicates
 * have left space. */
static gram_status sort_rows(gi_run *run, npz *z, size_t rows, gi_sparse *s)
{
    gram_status status = GRAM_OK;
    size_t from = 0, at = 0;

    for (size_t i = 0; i < rows; i++) {
        size_t to = s->start[i + 1], n = to - from, k = 1;

        while (k < n && s->index[from + k - 1] < s->index[from + k])
            k++;
        if (k < n) {
            GI_TRY(sort_row(run, z, s, from, to, &at));
        } else {
            memmove(s->index + at, s->index + from, n * sizeof *s->index);
            memmove(s->entries + at, s->entries + from, n * sizeof *s->entries);
            at += n;
        }
        s->start[i + 1] = at;
        from = to;
    }
done:
    return status;
}

static gram_status check_sums(const gram_reader *r, const gi_sparse *s,
                              size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++)
            if (!isfinite(s->entries[k]))
                return gi_fail(GRAM_ERR_RANGE,
                               "%s: row %zu, feature %u: the sum of its "
                               "entries is not finite",
                               gi_input_name(r->in), r->seen + i + 1,
                               s->index[k] + 1);
    return GRAM_OK;
}

static gram_status next_sparse(gram_reader *r, npz *z, size_t rows,
                               gram_table *t)
{
    gram_status status = GRAM_OK;
    size_t left = z->rows - r->seen, total;
    gi_column *c = NULL;

    rows = rows < left ? rows : left;
    if (!z->dropped) {
        GI_TRY(gi_table_add(&r->run, t, "features", GRAM_TYPE_SPARSE, &c));
        GI_TRY(gi_table_reserve(&r->run, t, rows));
        c->sparse.width = z->width;
        GI_TRY(read_starts(z, r->seen, rows, c->sparse.start));
        total = c->sparse.start[rows];
        GI_TRY(gi_sparse_reserve(&r->run, &c->sparse, total));
        GI_TRY(read_entries(&r->run, z, total, &c->sparse));
        z->taken += total;
        GI_TRY(sort_rows(&r->run, z, rows, &c->sparse));
        if (c->sparse.start[rows] < total)
            GI_TRY(check_sums(r, &c->sparse, rows));
        for (int p = DATA; p <= INDICES && rows == left; p++)
            if (z->taken < z->entries) /* a tail that no row uses */
                GI_TRY(gi_zip_verify(z->part[p].bytes.context));
    }
    t->rows = rows;
done:
    return status;
}

/* ------------------------------------------------------------------ class */

static int probe(const char *head, size_t n)
{
    return n >= 4 && (memcmp(head, "PK\3\4", 4) == 0 ||
                      memcmp(head, "PK\5\6", 4) == 0)
               ? 2
               : 0;
}

static gram_status open(gram_reader *r)
{
    gram_status status = GRAM_OK;
    npz *z = NULL;

    GI_TRY(GI_NEW_ZERO(&r->run, z, 1));
    r->state = z;
    GI_TRY(gi_zip_open(&r->run, r->in, &z->zip));
    if (z->zip.count == 0)
        return gi_fail(GRAM_ERR_PARSE, "%s: holds no arrays",
                       gi_input_name(r->in));
    z->sparse =
        find_member(z, part_names[FORMAT]) && find_member(z, part_names[SHAPE]);
    GI_TRY((z->sparse ? open_sparse : open_arrays)(r, z));
done:
    return status;
}

static gram_status next(gram_reader *r, size_t rows, gram_table *t)
{
    npz *z = r->state;

    return z->sparse ? next_sparse(r, z, rows, t)
                     : gi_arrays_next(&z->arrays, rows, t);
}

static void close(gram_reader *r)
{
    npz *z = r->state;

    gi_arrays_free(&z->arrays);
    gi_zip_free(&z->zip);
    gi_free(z->buffer);
    gi_free(z->numbers);
    gi_free(z->row);
    gi_free(z);
}

const gi_reader_class gi_reader_npz = {
    .name = "npz",
    .brief = "several NumPy arrays, or a SciPy sparse matrix (csr)",
    .extensions = "npz",
    .probe = probe,
    .open = open,
    .next = next,
    .close = close,
};
