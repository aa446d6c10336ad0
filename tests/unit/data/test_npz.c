/* test_npz.c - .npz files: zip as NumPy and others write it, arrays side by
 * side, SciPy's sparse matrices, and zip files that lie.
 *
 * The zip files are built here, so that each field can be made wrong.
 */
#include <zlib.h>

#include "npy_arrays.h"

/* ------------------------------------------------------------- a zip file */

enum { STORE = 0, DEFLATE = 8 };

typedef struct member {
    const char *name;
    bytes data; /* freed by make_zip */
    int method;
    /* what is declared instead of the truth, if not 0 */
    unsigned flags;
    unsigned long long crc, size, packed, begin;
} member;

static bytes deflated(bytes b)
{
    unsigned char buffer[65536];
    z_stream z = {0};
    bytes packed = {0};

    CHECK(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = b.p;
    z.avail_in = (unsigned)b.n;
    z.next_out = buffer;
    z.avail_out = sizeof buffer;
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    put(&packed, buffer, sizeof buffer - z.avail_out);
    deflateEnd(&z);
    return packed;
}

/* The fields that local header and directory entry have in common. */
static void put_fields(bytes *zip, const member *m, int wide, size_t packed)
{
    unsigned long long size = m->size ? m->size : m->data.n;
    unsigned long long crc =
        m->crc ? m->crc : crc32(0, m->data.p, (unsigned)m->data.n);

    put_int(zip, m->flags, 2);
    put_int(zip, (unsigned)m->method, 2);
    put_int(zip, 0, 4); /* time and date */
    put_int(zip, crc, 4);
    put_int(zip, wide ? 0xffffffff : m->packed ? m->packed : packed, 4);
    put_int(zip, wide ? 0xffffffff : size, 4);
    put_int(zip, strlen(m->name), 2);
    put_int(zip, wide ? 28 : 0, 2);
}

static void put_wide(bytes *zip, const member *m, size_t packed,
                     unsigned long long begin)
{
    put_int(zip, 1, 2);
    put_int(zip, 24, 2);
    put_int(zip, m->size ? m->size : m->data.n, 8);
    put_int(zip, m->packed ? m->packed : packed, 8);
    put_int(zip, begin, 8);
}

static void put_end(bytes *zip, size_t count, size_t begin, int wide)
{
    size_t at = zip->n, size = at - begin;

    if (wide) {
        put(zip, "PK\6\6", 4);
        put_int(zip, 44, 8);
        put_int(zip, 0, 2 + 2 + 4 + 4);
        put_int(zip, count, 8);
        put_int(zip, count, 8);
        put_int(zip, size, 8);
        put_int(zip, begin, 8);
        put(zip, "PK\6\7\0\0\0\0", 8);
        put_int(zip, at, 8);
        put_int(zip, 1, 4);
    }
    put(zip, "PK\5\6\0\0\0\0", 8);
    put_int(zip, wide ? 0xffff : count, 2);
    put_int(zip, wide ? 0xffff : count, 2);
    put_int(zip, wide ? 0xffffffff : size, 4);
    put_int(zip, wide ? 0xffffffff : begin, 4);
    put_int(zip, 0, 2);
}

/* All sizes in 64-bit fields if `wide`. */
static bytes make_zip(const member *members, size_t count, int wide)
{
    bytes zip = {0}, directory = {0};
    size_t begin;

    for (size_t i = 0; i < count; i++) {
        const member *m = &members[i];
        bytes packed = {0};
        unsigned long long at = m->begin ? m->begin : zip.n;

        if (m->method == DEFLATE)
            packed = deflated(m->data);
        else
            put(&packed, m->data.p, m->data.n);
        put(&zip, "PK\3\4\24\0", 6);
        put_fields(&zip, m, wide, packed.n);
        put(&zip, m->name, strlen(m->name));
        if (wide)
            put_wide(&zip, m, packed.n, 0);
        put(&zip, packed.p, packed.n);
        put(&directory, "PK\1\2\24\0\24\0", 8);
        put_fields(&directory, m, wide, packed.n);
        put_int(&directory, 0, 2 + 2 + 2 + 4);
        put_int(&directory, wide ? 0xffffffff : at, 4);
        put(&directory, m->name, strlen(m->name));
        if (wide)
            put_wide(&directory, m, packed.n, at);
        free(packed.p);
        free(m->data.p);
    }
    begin = zip.n;
    put(&zip, directory.p, directory.n);
    free(directory.p);
    put_end(&zip, count, begin, wide);
    return zip;
}

static void save_one(member m)
{
    save("x.npz", make_zip(&m, 1, 0));
}

/* ------------------------------------------------------------------ arrays */

static const double six[] = {1, 2, 3, 4, 5, 6};

/* x: 3 x 2, by rows; f: 3 x 2, by columns; y: 3. */
static bytes three_arrays(int method, int wide)
{
    const member m[] = {
        {.name = "x.npy",
         .data = npy_doubles("(3, 2)", 0, six, 6),
         .method = method},
        {.name = "f.npy",
         .data = npy_doubles("(3, 2)", 1, six, 6),
         .method = method},
        {.name = "y.npy",
         .data = npy_doubles("(3,)", 0, six, 3),
         .method = method},
    };

    return make_zip(m, 3, wide);
}

static const char three_text[] =
    "x0:number|x1:number|f0:number|f1:number|y:number\n"
    "1|2|1|4|1\n3|4|2|5|2\n5|6|3|6|3\n";

TEST(arrays_become_columns_side_by_side)
{
    for (int wide = 0; wide < 2; wide++) {
        save("x.npz", three_arrays(STORE, wide));
        file_reads_as("x.npz", NULL, three_text);
        save("x.npz", three_arrays(DEFLATE, wide));
        file_reads_as("x.npz", NULL, three_text);
    }
    unlink("x.npz");
}

TEST(a_comment_may_follow)
{
    bytes b = three_arrays(STORE, 0);

    b.p[b.n - 2] = 11;
    put(&b, "PK\5\6 no end", 11);
    save("x.npz", b);
    file_reads_as("x.npz", NULL, three_text);
    unlink("x.npz");
}

TEST(columns_are_dropped_and_typed)
{
    const gram_read_options o = {.drop = "x*,f1", .types = "y=category"};

    save("x.npz", three_arrays(DEFLATE, 0));
    file_reads_as("x.npz", &o, "f0:number|y:category{1,2,3}\n1|1\n2|2\n3|3\n");
    unlink("x.npz");
}

/* What cannot be a column does not matter once it is dropped. */
TEST(arrays_that_do_not_fit_can_be_dropped)
{
    const gram_read_options o = {.drop = "k,s"};
    const member m[] = {
        {.name = "k.npy", .data = npy_doubles("()", 0, six, 1)},
        {.name = "s.npy",
         .data = npy_bytes(1,
                           "{'descr': '<U1', 'fortran_order': False, "
                           "'shape': (2,)}",
                           "a\0\0\0b\0\0\0", 8)},
        {.name = "y.npy", .data = npy_doubles("(3,)", 0, six, 3)},
    };

    save("x.npz", make_zip(m, 3, 0));
    file_reads_as("x.npz", &o, "y:number\n1\n2\n3\n");
    file_fails("x.npz", NULL, GRAM_ERR_PARSE,
               "x.npz: member \"k.npy\": 0 dimensions, must be 1 (a column) or "
               "2 (rows and columns)");
    unlink("x.npz");
}

TEST(members_must_be_arrays_with_equal_rows_and_own_names)
{
    member m[] = {
        {.name = "y.npy", .data = npy_doubles("(3,)", 0, six, 3)},
        {.name = "z.npy", .data = npy_doubles("(2,)", 0, six, 2)},
    };

    save("x.npz", make_zip(m, 2, 0));
    file_fails("x.npz", NULL, GRAM_ERR_SHAPE,
               "x.npz: member \"z.npy\": 2 rows, the arrays before it have 3");
    m[0].data = npy_doubles("(3,)", 0, six, 3);
    m[1].data = npy_doubles("(3,)", 0, six, 3);
    m[1].name = "y.npy";
    save("x.npz", make_zip(m, 2, 0));
    file_fails("x.npz", NULL, GRAM_ERR_NAME,
               "x.npz: member \"y.npy\": two columns are called \"y\"");
    save_one((member){.name = "y.txt", .data = npy_doubles("(1,)", 0, six, 1)});
    file_fails("x.npz", NULL, GRAM_ERR_PARSE,
               "x.npz: member \"y.txt\": is not called NAME.npy");
    save("x.npz", make_zip(NULL, 0, 0));
    file_fails("x.npz", NULL, GRAM_ERR_PARSE, "x.npz: holds no arrays");
    unlink("x.npz");
}

TEST(infinities_are_named_by_row_and_column)
{
    const double x[] = {1, 2, 3, INFINITY};

    save_one((member){.name = "a.npy", .data = npy_doubles("(2, 2)", 0, x, 4)});
    file_fails("x.npz", NULL, GRAM_ERR_RANGE,
               "x.npz: row 2, column \"a1\": inf is not finite");
    unlink("x.npz");
}

/* ---------------------------------------------------------------- bad zips */

static void one_fails(member m, const char *sentence)
{
    m.name = "y.npy";
    m.data = npy_doubles("(6,)", 0, six, 6);
    save_one(m);
    file_fails("x.npz", NULL, GRAM_ERR_PARSE, sentence);
}

/* The array takes 67 + 48 = 115 bytes. */
TEST(zip_files_that_lie_are_refused)
{
    one_fails((member){.flags = 1}, "x.npz: member \"y.npy\": is encrypted");
    one_fails((member){.method = 14},
              "x.npz: member \"y.npy\": packed by method 14, must be stored "
              "(0) or deflated (8)");
    one_fails((member){.size = 116}, "x.npz: member \"y.npy\": 115 packed "
                                     "bytes cannot hold 116 bytes");
    one_fails((member){.size = 3000000000, .method = DEFLATE, .packed = 80},
              "x.npz: member \"y.npy\": 80 packed bytes cannot hold 3000000000 "
              "bytes");
    one_fails((member){.size = 123, .method = DEFLATE},
              "x.npz: member \"y.npy\": shape 6 x 1 of dtype \"<f8\" does not "
              "fit the 56 bytes behind the header");
    one_fails((member){.size = 5000, .packed = 5000},
              "x.npz: member \"y.npy\": is not within the file");
    one_fails((member){.begin = 5000},
              "x.npz: member \"y.npy\": is not within the file");
    one_fails((member){.method = DEFLATE, .packed = 60},
              "x.npz: member \"y.npy\": damaged deflate data (they end early)");
    unlink("x.npz");
}

TEST(a_wrong_checksum_is_refused)
{
    bytes b = npy_doubles("(6,)", 0, six, 6);
    char sentence[128];

    snprintf(sentence, sizeof sentence,
             "x.npz: member \"y.npy\": damaged: CRC-32 is %08x, must be "
             "00000001",
             (unsigned)crc32(0, b.p, (unsigned)b.n));
    free(b.p);
    one_fails((member){.crc = 1}, sentence);
    one_fails((member){.method = DEFLATE, .crc = 1}, sentence);
    unlink("x.npz");
}

/* The declared size fits the header, the data do not. */
TEST(members_shorter_or_longer_than_declared_are_refused)
{
    bytes b = npy_doubles("(6,)", 0, six, 5);

    save_one((member){"y.npy", b, DEFLATE, 0, 0, b.n + 8, 0, 0});
    file_fails("x.npz", NULL, GRAM_ERR_PARSE,
               "x.npz: member \"y.npy\": holds fewer than the declared 115 "
               "bytes");
    b = npy_doubles("(5,)", 0, six, 6);
    save_one((member){"y.npy", b, DEFLATE, 0, 0, b.n - 8, 0, 0});
    file_fails("x.npz", NULL, GRAM_ERR_PARSE,
               "x.npz: member \"y.npy\": holds more than the declared 107 "
               "bytes");
    unlink("x.npz");
}

/* A thousand entries for the bytes of one member. */
TEST(members_that_overlap_are_refused)
{
    member m[] = {
        {.name = "a.npy", .data = npy_doubles("(6,)", 0, six, 6)},
        {.name = "b.npy", .data = npy_doubles("(6,)", 0, six, 6)},
        {.name = "c.npy", .data = npy_doubles("(6,)", 0, six, 6)},
    };
    bytes whole = make_zip(m, 3, 0), b = {0};
    size_t one = 30 + 5 + 115, entry = 46 + 5;

    put(&b, whole.p, one);
    for (size_t i = 0; i < 3; i++) {
        memset(whole.p + 3 * one + i * entry + 42, 0, 4); /* all at byte 0 */
        put(&b, whole.p + 3 * one + i * entry, entry);
    }
    put_end(&b, 3, one, 0);
    free(whole.p);
    save("x.npz", b);
    file_fails("x.npz", NULL, GRAM_ERR_PARSE,
               "x.npz: damaged zip file: its members overlap");
    unlink("x.npz");
}

TEST(damaged_files_do_no_harm)
{
    survives_damage("x.npz", three_arrays(DEFLATE, 1));
    survives_damage("x.npz", three_arrays(STORE, 0));
    unlink("x.npz");
}

TEST(failing_allocations_are_survived)
{
    save("x.npz", three_arrays(DEFLATE, 0));
    survives_failing_allocations("x.npz");
    unlink("x.npz");
}

/* ------------------------------------------------------------------ sparse */

typedef struct matrix {
    const char *format;
    const int64_t *shape, *indptr;
    const int32_t *indices;
    const double *data;
    size_t rows, entries;
} matrix;

static bytes npy_list(const char *dtype, const void *data, size_t size,
                      size_t n)
{
    char header[128];

    snprintf(header, sizeof header,
             "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,)}", dtype,
             n);
    return npy_bytes(1, header, data, size * n);
}

/* As scipy.sparse.save_npz lays it out. */
static bytes sparse_zip(const matrix *s, int method)
{
    char header[128];
    member m[] = {{.name = "indices.npy"},
                  {.name = "indptr.npy"},
                  {.name = "format.npy"},
                  {.name = "shape.npy"},
                  {.name = "data.npy"}};

    snprintf(header, sizeof header,
             "{'descr': '|S%zu', 'fortran_order': False, 'shape': (), }",
             strlen(s->format));
    m[0].data = npy_list("<i4", s->indices, 4, s->entries);
    m[1].data = npy_list("<i8", s->indptr, 8, s->rows + 1);
    m[2].data = npy_bytes(1, header, s->format, strlen(s->format));
    m[3].data = npy_list("<i8", s->shape, 8, 2);
    m[4].data = npy_list("<f8", s->data, 8, s->entries);
    for (size_t i = 0; i < 5; i++)
        m[i].method = method;
    return make_zip(m, 5, 0);
}

static const int64_t shape[] = {4, 5}, indptr[] = {0, 2, 2, 6, 7};
static const int32_t indices[] = {1, 3, 4, 0, 4, 0, 2};
static const double data[] = {1.5, -2, 1, 2, 0.5, 3, 7};

static const matrix small = {.format = "csr",
                             .shape = shape,
                             .indptr = indptr,
                             .indices = indices,
                             .data = data,
                             .rows = 4,
                             .entries = 7};

TEST(sparse_rows_are_sorted_and_duplicates_summed)
{
    for (int method = STORE; method <= DEFLATE; method += DEFLATE) {
        save("x.npz", sparse_zip(&small, method));
        file_reads_as("x.npz", NULL,
                      "features:sparse{5}\n2=1.5 4=-2\n\n1=5 5=1.5\n3=7\n");
    }
    unlink("x.npz");
}

static void sparse_fails(matrix s, gram_status status, const char *sentence)
{
    save("x.npz", sparse_zip(&s, STORE));
    file_fails("x.npz", NULL, status, sentence);
    unlink("x.npz");
}

TEST(bad_sparse_matrices_are_refused)
{
    const int64_t wide[] = {4, (int64_t)1 << 33}, late[] = {1, 2, 2, 6, 7};
    const int64_t back[] = {0, 2, 1, 6, 7}, far[] = {0, 2, 2, 6, 8};
    const int32_t outside[] = {1, 3, 4, 0, 4, 5, 2};
    const int32_t below[] = {1, -3, 4, 0, 4, 0, 2};
    const double nan[] = {1, 2, 3, 4, 5, NAN, 7};
    const double huge[] = {1, 2, 1e308, 4, 1e308, 6, 7};
    matrix s = small;

    s.format = "csc";
    sparse_fails(s, GRAM_ERR_PARSE,
                 "x.npz: sparse format \"csc\", must be \"csr\" (SciPy: "
                 "m.tocsr())");
    s = small;
    s.shape = wide;
    sparse_fails(s, GRAM_ERR_PARSE,
                 "x.npz: member \"shape.npy\": 4 x 8.58993e+09, must be sizes, "
                 "at most 2^32 columns");
    s = small;
    s.rows = 3;
    sparse_fails(s, GRAM_ERR_SHAPE,
                 "x.npz: member \"indptr.npy\": 4 elements, must be 5");
    s = small;
    s.indptr = late;
    sparse_fails(s, GRAM_ERR_PARSE,
                 "x.npz: member \"indptr.npy\": begins with 1, must be 0");
    s.indptr = back;
    sparse_fails(s, GRAM_ERR_PARSE,
                 "x.npz: member \"indptr.npy\": element 3 is 1, must ascend to "
                 "7");
    s.indptr = far;
    sparse_fails(s, GRAM_ERR_PARSE,
                 "x.npz: member \"indptr.npy\": element 5 is 8, must ascend to "
                 "7");
    s = small;
    s.indices = outside;
    sparse_fails(s, GRAM_ERR_RANGE,
                 "x.npz: member \"indices.npy\": element 6 is 5, must be below "
                 "5");
    s.indices = below;
    sparse_fails(s, GRAM_ERR_RANGE,
                 "x.npz: member \"indices.npy\": element 2 is -3, must be "
                 "below 5");
    s = small;
    s.data = nan;
    sparse_fails(s, GRAM_ERR_RANGE,
                 "x.npz: member \"data.npy\": element 6: nan is not finite");
    s.data = huge;
    sparse_fails(s, GRAM_ERR_RANGE,
                 "x.npz: row 3, feature 5: the sum of its entries is not "
                 "finite");
}

TEST(a_sparse_block_keeps_its_type)
{
    const gram_read_options o = {.types = "features=number"};

    save("x.npz", sparse_zip(&small, STORE));
    file_fails("x.npz", &o, GRAM_ERR_RANGE,
               "x.npz: column \"features\" is a sparse block, cannot be a "
               "number");
    unlink("x.npz");
}

TEST(damaged_sparse_files_do_no_harm)
{
    survives_damage("x.npz", sparse_zip(&small, STORE));
    save("x.npz", sparse_zip(&small, DEFLATE));
    survives_failing_allocations("x.npz");
    unlink("x.npz");
}

TESTS(SMALL(arrays_become_columns_side_by_side), SMALL(a_comment_may_follow),
      SMALL(columns_are_dropped_and_typed),
      SMALL(arrays_that_do_not_fit_can_be_dropped),
      SMALL(members_must_be_arrays_with_equal_rows_and_own_names),
      SMALL(infinities_are_named_by_row_and_column),
      SMALL(zip_files_that_lie_are_refused), SMALL(a_wrong_checksum_is_refused),
      SMALL(members_shorter_or_longer_than_declared_are_refused),
      SMALL(members_that_overlap_are_refused), SMALL(damaged_files_do_no_harm),
      SMALL(failing_allocations_are_survived),
      SMALL(sparse_rows_are_sorted_and_duplicates_summed),
      SMALL(bad_sparse_matrices_are_refused),
      SMALL(a_sparse_block_keeps_its_type),
      SMALL(damaged_sparse_files_do_no_harm))
