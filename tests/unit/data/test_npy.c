/* test_npy.c - .npy files: every dtype, order, version and header form gives
 * the exact table; every lie is refused with its sentence.
 */
#include <zlib.h>

#include "npy_arrays.h"

#include "data/read/npy.h"

static const double six[] = {1, 2, 3, 4, 5, 0.1};

static const char six_text[] = "c0:number|c1:number|c2:number\n"
                               "1|2|3\n4|5|0.10000000000000001\n";

TEST(headers_are_read_as_python_reads_them)
{
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n",
        "{'descr':'<f8','fortran_order':False,'shape':(2,3)}",
        "{\"shape\": (2L, 3L,), \"fortran_order\" : False, 'descr': '<f8',}",
        "\n { 'fortran_order':\tFalse , 'descr'\n: \"<f8\",'shape':( 2 ,3 )} ",
    };

    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
        for (int version = 1; version <= 3; version++) {
            save("x.npy", npy_bytes(version, headers[k], six, sizeof six));
            file_reads_as("x.npy", NULL, six_text);
        }
    unlink("x.npy");
}

TEST(both_orders_and_one_dimension)
{
    const double fortran[] = {1, 4, 2, 5, 3, 0.1};

    save("x.npy", npy_doubles("(2, 3)", 0, six, 6));
    file_reads_as("x.npy", NULL, six_text);
    save("x.npy", npy_doubles("(2, 3)", 1, fortran, 6));
    file_reads_as("x.npy", NULL, six_text);
    save("x.npy", npy_doubles("(6,)", 0, six, 6));
    file_reads_as("x.npy", NULL,
                  "c0:number\n1\n2\n3\n4\n5\n0.10000000000000001\n");
    save("x.npy", npy_doubles("(3, 1)", 1, six, 3));
    file_reads_as("x.npy", NULL, "c0:number\n1\n2\n3\n");
    unlink("x.npy");
}

/* The table of one column with these elements. */
static gram_table *read_elements(const char *dtype, const void *data,
                                 size_t size, size_t count)
{
    char header[128];
    gram_table *t = NULL;

    snprintf(header, sizeof header,
             "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,)}", dtype,
             count);
    save("x.npy", npy_bytes(1, header, data, size * count));
    CHECK_OK(gram_table_read("x.npy", &keep_missing, NULL, &t));
    unlink("x.npy");
    return t;
}

/* Little-endian bytes, read as they are and in the other order. */
static void decodes(const char *dtype, const void *data, size_t size,
                    const double *expected, size_t count)
{
    const unsigned char *p = data;
    unsigned char swapped[64];
    char name[8] = "<";
    gram_table *t;

    CHECK(size * count <= sizeof swapped);
    for (size_t i = 0; i < size * count; i++)
        swapped[i] = p[i / size * size + size - 1 - i % size];
    strcat(name, dtype);
    t = read_elements(name, data, size, count);
    assert_memory_equal(gram_table_column(t, 0).values, expected,
                        count * sizeof *expected);
    gram_table_free(t);
    name[0] = size > 1 ? '>' : '|';
    t = read_elements(name, swapped, size, count);
    assert_memory_equal(gram_table_column(t, 0).values, expected,
                        count * sizeof *expected);
    gram_table_free(t);
}

TEST(every_dtype_is_decoded_exactly)
{
    const int8_t i1[] = {-128, 0, 127};
    const int16_t i2[] = {-32768, 1, 32767};
    const int32_t i4[] = {INT32_MIN, -1, INT32_MAX};
    const int64_t i8[] = {INT64_MIN, ((int64_t)1 << 53) + 1, -3};
    const uint8_t u1[] = {0, 1, 255};
    const uint16_t u2[] = {0, 256, 65535};
    const uint32_t u4[] = {0, 65536, UINT32_MAX};
    const uint64_t u8[] = {0, UINT64_MAX, ((uint64_t)1 << 53) + 3};
    const float f4[] = {0.1f, -0.0f, 1e-45f};
    const double f8[] = {0.1, -0.0, 5e-324};

    decodes("i1", i1, 1, (double[]){-128, 0, 127}, 3);
    decodes("i2", i2, 2, (double[]){-32768, 1, 32767}, 3);
    decodes("i4", i4, 4, (double[]){-0x1p31, -1, 0x1p31 - 1}, 3);
    decodes("i8", i8, 8, (double[]){-0x1p63, 0x1p53, -3}, 3);
    decodes("u1", u1, 1, (double[]){0, 1, 255}, 3);
    decodes("u2", u2, 2, (double[]){0, 256, 65535}, 3);
    decodes("u4", u4, 4, (double[]){0, 65536, 0x1p32 - 1}, 3);
    decodes("u8", u8, 8, (double[]){0, 0x1p64, 0x1p53 + 4}, 3);
    decodes("b1", u1, 1, (double[]){0, 1, 1}, 3);
    decodes("f4", f4, 4, (double[]){(double)0.1f, -0.0, 0x1p-149}, 3);
    decodes("f8", f8, 8, f8, 3);
}

/* sign (-1)^s, exponent e, mantissa m: 2^(e-15) (1 + m/1024), or subnormal
 * 2^-14 m/1024. */
TEST(every_half_is_what_the_standard_says)
{
    const gi_npy a = {.kind = 'f', .size = 2};

    for (unsigned h = 0; h < 65536; h++) {
        uint16_t bits = (uint16_t)h;
        int e = h >> 10 & 31, m = h & 1023;
        double x = 0, y = ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);

        if (gi_npy_decode(&a, &bits, 1, 1, &x) == 0)
            CHECK(isinf(x) && e == 31 && m == 0);
        else if (e == 31)
            CHECK(isnan(x));
        else
            CHECK(x == (h >> 15 ? -y : y) && !signbit(x) == !(h >> 15));
    }
}

TEST(missing_and_infinite_cells)
{
    double x[] = {1, NAN, 3, 4};

    save("x.npy", npy_doubles("(2, 2)", 0, x, 4));
    file_reads_as("x.npy", &keep_missing, "c0:number|c1:number\n1|?\n3|4\n");
    x[2] = -INFINITY;
    save("x.npy", npy_doubles("(2, 2)", 0, x, 4));
    file_fails("x.npy", &keep_missing, GRAM_ERR_RANGE,
               "x.npy: row 2, column \"c0\": -inf is not finite");
    save("x.npy", npy_doubles("(2, 2)", 1, x, 4));
    file_fails("x.npy", &keep_missing, GRAM_ERR_RANGE,
               "x.npy: row 1, column \"c1\": -inf is not finite");
    unlink("x.npy");
}

/* More rows than a chunk, and not a multiple of a tile. */
TEST(large_arrays_in_both_orders)
{
    enum { ROWS = 50001, COLS = 3 };
    double *x = malloc(ROWS * COLS * sizeof *x);
    gram_table *t = NULL, *f = NULL;

    assert_non_null(x);
    for (size_t i = 0; i < ROWS * COLS; i++)
        x[i] = (double)i / 7;
    save("x.npy", npy_doubles("(50001, 3)", 0, x, ROWS * COLS));
    save("f.npy", npy_doubles("(50001, 3)", 1, x, ROWS * COLS));
    CHECK_OK(gram_table_read("x.npy", NULL, NULL, &t));
    CHECK_OK(gram_table_read("f.npy", NULL, NULL, &f));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++)
            CHECK(gram_table_column(t, j).values[i] == x[i * COLS + j] &&
                  gram_table_column(f, j).values[i] == x[j * ROWS + i]);
    gram_table_free(t);
    gram_table_free(f);
    x[44000 * COLS + 1] = INFINITY;
    save("x.npy", npy_doubles("(50001, 3)", 0, x, ROWS * COLS));
    CHECK_FAILS(gram_table_read("x.npy", NULL, NULL, &t), GRAM_ERR_RANGE,
                "x.npy: row 44001, column \"c1\": inf is not finite");
    free(x);
    unlink("x.npy");
    unlink("f.npy");
}

TEST(numbers_become_names_and_dates_if_asked)
{
    const double x[] = {10, 0.5, -0.0, 2, 0, 1, NAN, 3, 10, 0.25, 2.5, 4};
    const gram_read_options typed = {.types = "c0=category,c1=date,c2=text",
                                     .drop = "c3",
                                     .missing = GRAM_MISSING_KEEP};

    save("x.npy", npy_doubles("(3, 4)", 0, x, 12));
    file_reads_as("x.npy", &typed,
                  "c0:category{0,10}|c1:date|c2:text\n"
                  "10|0.5|0\n0|1|?\n10|0.25|2.5\n");
    unlink("x.npy");
}

/* A level that only the last row has is known to the first piece. */
TEST(a_stream_has_the_categories_of_the_whole_file)
{
    const double x[] = {3, 1, 3, 1, 2};
    const gram_read_options typed = {.types = "c0=category"};

    save("x.npy", npy_doubles("(5,)", 0, x, 5));
    file_reads_as("x.npy", &typed, "c0:category{1,2,3}\n3\n1\n3\n1\n2\n");
    save("x.npy", npy_doubles("(5, 1)", 1, x, 5));
    file_reads_as("x.npy", &typed, "c0:category{1,2,3}\n3\n1\n3\n1\n2\n");
    unlink("x.npy");
}

TEST(dropped_columns_leave_the_others)
{
    const gram_read_options one = {.drop = "c0,c2"};

    save("x.npy", npy_doubles("(2, 3)", 0, six, 6));
    file_reads_as("x.npy", &one, "c1:number\n2\n5\n");
    save("x.npy", npy_doubles("(2, 3)", 1, six, 6));
    file_reads_as("x.npy", &one, "c1:number\n3\n4\n");
    unlink("x.npy");
}

TEST(lies_and_other_arrays_are_refused)
{
#define HEAD(descr, shape)                                                     \
    "{'descr': " descr ", 'fortran_order': False, 'shape': " shape "}"
#define MUST ", must be a float of 2, 4 or 8 bytes, an integer or a bool"
    static const struct {
        const char *header, *sentence;
    } cases[] = {
        {HEAD("'<f8'", "(2, 4)"), "x.npy: shape 2 x 4 of dtype \"<f8\" does "
                                  "not fit the 48 bytes behind the header"},
        {HEAD("'<f8'", "(5,)"), "x.npy: shape 5 x 1 of dtype \"<f8\" does not "
                                "fit the 48 bytes behind the header"},
        {HEAD("'<f8'", "(4611686018427387910, 4)"),
         "x.npy: shape 4611686018427387910 x 4 of dtype \"<f8\" does not fit "
         "the 48 bytes behind the header"},
        {HEAD("'<f8'", "(6, 99999999999999999999)"),
         "x.npy: npy header, character 74: a size that is too large"},
        {HEAD("'<f8'", "(6, 2000000)"),
         "x.npy: 2000000 columns, at most 1048576"},
        {HEAD("'<f8'", "()"), "x.npy: 0 dimensions, must be 1 (a column) or 2 "
                              "(rows and columns)"},
        {HEAD("'<f8'", "(1, 2, 3)"), "x.npy: 3 dimensions, must be 1 (a "
                                     "column) or 2 (rows and columns)"},
        {HEAD("'<c16'", "(3,)"), "x.npy: dtype \"<c16\"" MUST},
        {HEAD("'<f16'", "(3,)"), "x.npy: dtype \"<f16\"" MUST},
        {HEAD("'|O'", "(6,)"), "x.npy: dtype \"|O\"" MUST},
        {HEAD("'<U2'", "(6,)"), "x.npy: dtype \"<U2\"" MUST},
        {HEAD("'<M8[ns]'", "(6,)"), "x.npy: dtype \"<M8[ns]\"" MUST},
        {HEAD("[('a', '<f4'), ('b', '<f4', (1,))]", "(6,)"),
         "x.npy: dtype \"structured\"" MUST},
        {HEAD("'<f8'", "(6)"),
         "x.npy: npy header, character 53: \",\" or \")\" must be here"},
        {HEAD("'<f8'", "(-6,)"),
         "x.npy: npy header, character 52: a size must be here"},
        {HEAD("'<f8'", "[6]"),
         "x.npy: npy header, character 51: a tuple must be here"},
        {HEAD("8", "(6,)"),
         "x.npy: npy header, character 11: a string must be here"},
        {"{'descr': '<f8', 'shape': (6,)}",
         "x.npy: npy header, character 32: descr, fortran_order and shape must "
         "all be there"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (6,)}",
         "x.npy: npy header, character 25: a second such key"},
        {"{'descr': '<f8', 'order': 'C', 'shape': (6,)}",
         "x.npy: npy header, character 25: an unknown key"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (6,)}",
         "x.npy: npy header, character 35: True or False must be here"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,)} x",
         "x.npy: npy header, character 57: the header must end here"},
        {"{'descr': '<f8', 'fortran_order': False 'shape': (6,)}",
         "x.npy: npy header, character 41: \",\" or \"}\" must be here"},
        {"{'descr",
         "x.npy: npy header, character 8: a string that does not end"},
        {"{'descr': [('a', ", "x.npy: npy header, character 18: a bracket that "
                              "does not close"},
        {"", "x.npy: npy header, character 1: \"{\" must be here"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        save("x.npy", npy_bytes(1, cases[k].header, six, sizeof six));
        file_fails("x.npy", NULL, GRAM_ERR_PARSE, cases[k].sentence);
    }
    unlink("x.npy");
}

TEST(preambles_are_checked)
{
    const gram_read_options npy = {.format = "npy"};
    bytes b = npy_bytes(4, "{}", NULL, 0);

    save("x.npy", b);
    file_fails("x.npy", NULL, GRAM_ERR_PARSE,
               "x.npy: npy version 4.0, must be 1, 2 or 3");
    CHECK(tables_write("x.npy", "\x93NUMPY\1\0\xff\xff{", 11));
    file_fails("x.npy", NULL, GRAM_ERR_PARSE,
               "x.npy: npy header of 65535 bytes, must be within the file and "
               "at most 65535");
    CHECK(tables_write("x.npy", "\x93NUMPY\2\0\0\0\1\0{", 13));
    file_fails("x.npy", NULL, GRAM_ERR_PARSE,
               "x.npy: npy header of 65536 bytes, must be within the file and "
               "at most 65535");
    CHECK(tables_write("x.npy", "a,b,c\n1,2,3\n", 12));
    file_fails("x.npy", &npy, GRAM_ERR_PARSE, "x.npy: not an npy file");
    CHECK(tables_write("x.npy", "\x93NUMPY", 6));
    file_fails("x.npy", NULL, GRAM_ERR_PARSE, "x.npy: not an npy file");
    unlink("x.npy");
}

/* A header that promises petabytes costs nothing. */
TEST(a_lie_about_the_size_allocates_nothing)
{
    gram_table *t = NULL;

    save("x.npy", npy_doubles("(100000000000000, 3)", 0, six, 6));
    gram_memory_reset_peak();
    CHECK(gram_table_read("x.npy", NULL, NULL, &t) == GRAM_ERR_PARSE);
    CHECK(gram_memory_peak() < gram_memory_used() + 1000000);
    unlink("x.npy");
}

TEST(gzip_is_unpacked)
{
    bytes b = npy_doubles("(2, 3)", 0, six, 6);
    gzFile z;

    CHECK(tables_write("x.npy.gz", "", 0));
    z = gzopen("x.npy.gz", "wb");
    CHECK(gzwrite(z, b.p, (unsigned)b.n) == (int)b.n);
    CHECK(gzclose(z) == Z_OK);
    free(b.p);
    file_reads_as("x.npy.gz", NULL, six_text);
    unlink("x.npy.gz");
}

static int stop(void *user, double done)
{
    int *calls = user;

    CHECK(done >= 0 && done <= 1);
    return ++*calls >= 2;
}

TEST(reading_can_be_cancelled)
{
    enum { N = 300000 };
    double *x = calloc(N, sizeof *x);
    int calls = 0;
    const gram_exec exec = {.progress = stop, .user = &calls};
    gram_table *t = NULL;

    assert_non_null(x);
    save("x.npy", npy_doubles("(300000,)", 0, x, N));
    CHECK_FAILS(gram_table_read("x.npy", NULL, &exec, &t), GRAM_ERR_CANCELLED,
                "cancelled");
    CHECK(t == NULL && calls == 2);
    free(x);
    unlink("x.npy");
}

TEST(memory_is_the_table_and_a_little)
{
    enum { ROWS = 500000, COLS = 4 };
    double *x = calloc(ROWS * COLS, sizeof *x);
    size_t before = gram_memory_used(), table = ROWS * COLS * sizeof *x;
    gram_table *t = NULL;

    assert_non_null(x);
    for (int fortran = 0; fortran < 2; fortran++) {
        save("x.npy", npy_doubles("(500000, 4)", fortran, x, ROWS * COLS));
        gram_memory_reset_peak();
        CHECK_OK(gram_table_read("x.npy", NULL, NULL, &t));
        CHECK(gram_memory_peak() - before < table + ((size_t)2 << 20));
        gram_table_free(t);
        t = NULL;
    }
    free(x);
    unlink("x.npy");
}

TEST(damaged_files_do_no_harm)
{
    survives_damage("x.npy", npy_doubles("(2, 3)", 0, six, 6));
    unlink("x.npy");
}

TEST(failing_allocations_are_survived)
{
    save("x.npy", npy_doubles("(2, 3)", 0, six, 6));
    survives_failing_allocations("x.npy");
    unlink("x.npy");
}

TESTS(SMALL(headers_are_read_as_python_reads_them),
      SMALL(both_orders_and_one_dimension),
      SMALL(every_dtype_is_decoded_exactly),
      SMALL(every_half_is_what_the_standard_says),
      SMALL(missing_and_infinite_cells), SMALL(large_arrays_in_both_orders),
      SMALL(numbers_become_names_and_dates_if_asked),
      SMALL(a_stream_has_the_categories_of_the_whole_file),
      SMALL(dropped_columns_leave_the_others),
      SMALL(lies_and_other_arrays_are_refused), SMALL(preambles_are_checked),
      SMALL(a_lie_about_the_size_allocates_nothing), SMALL(gzip_is_unpacked),
      SMALL(reading_can_be_cancelled), NORMAL(memory_is_the_table_and_a_little),
      SMALL(damaged_files_do_no_harm), SMALL(failing_allocations_are_survived))
