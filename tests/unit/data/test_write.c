/* test_write.c - tables written: what is written reads back as the same
 * table, what a format cannot hold is refused, and a file that is there stays
 * until the new one is whole.
 */
#include "npy_arrays.h"

static char *slurp(const char *name)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = fopen(name, "rb");

    assert_non_null(f);
    CHECK(getdelim(&text, &n, EOF, f) >= 0);
    fclose(f);
    return text;
}

static void file_is(const char *name, const char *expected)
{
    char *text = slurp(name);

    CHECK_STR(text, expected);
    free(text);
}

/* Go to the test's folder, where nothing is called `name`. */
static void fresh(const char *name)
{
    CHECK(tables_write(name, "", 0));
    unlink(name);
}

static gram_table *table_of(const char *text, const gram_read_options *options)
{
    gram_table *t = NULL;

    CHECK(tables_write("from.csv", text, strlen(text)));
    CHECK_OK(gram_table_read("from.csv", options, NULL, &t));
    unlink("from.csv");
    return t;
}

/* Written to `name` and read back it is the same table. */
static void returns(const gram_table *t, const char *name,
                    const gram_read_options *options)
{
    gram_table *back = NULL;
    char *a = tables_text(t), *b;

    CHECK_OK(gram_table_write(t, name, NULL, NULL));
    CHECK_OK(gram_table_read(name, options, NULL, &back));
    b = tables_text(back);
    CHECK_STR(b, a);
    free(a);
    free(b);
    gram_table_free(back);
    unlink(name);
}

/* -------------------------------------------------------------------- CSV */

TEST(csv_has_a_header_and_exact_numbers)
{
    const double x[] = {0.1, -0.0, NAN, 1e300}, y[] = {1, 2, 3, 5e-324};
    gram_table *t = NULL;

    fresh("x.csv");
    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "a,b", y, 1));
    CHECK_OK(gram_table_write(t, "x.csv", NULL, NULL));
    file_is("x.csv", "x,\"a,b\"\n0.1,1\n-0,2\n,3\n1e300,5e-324\n");
    returns(t, "x.csv", &keep_missing);
    returns(t, "x.csv.gz", &keep_missing);
    returns(t, "x.tsv", &keep_missing);
    gram_table_free(t);
}

TEST(text_is_quoted_where_it_must_be)
{
    const char *const s[] = {"plain",    "a b",        " lead", "trail\t",
                             "a,b",      "say \"x\"",  "\"",    "two\nlines",
                             "",         "NA",         "?",     NULL,
                             "x\ty;z|w", "caf\xc3\xa9"};
    const double x[14] = {0};
    gram_table *t = NULL;

    fresh("x.csv");
    CHECK_OK(gram_table_new(14, &t));
    CHECK_OK(gram_table_add_strings(t, "s", GRAM_TYPE_TEXT, s));
    returns(t, "x.csv", &keep_missing);
    returns(t, "x.tsv", &keep_missing);
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_write(t, "x.csv", NULL, NULL));
    file_is("x.csv", "s,x\nplain,0\na b,0\n\" lead\",0\n\"trail\t\",0\n"
                     "\"a,b\",0\n\"say \"\"x\"\"\",0\n\"\"\"\",0\n"
                     "\"two\nlines\",0\n\"\",0\n\"NA\",0\n\"?\",0\n,0\n"
                     "x\ty;z|w,0\ncaf\xc3\xa9,0\n");
    returns(t, "x.csv", &keep_missing);
    returns(t, "x.tsv", &keep_missing);
    gram_table_free(t);
}

/* A row without anything is not a blank line. */
TEST(rows_of_missing_cells_stay)
{
    const double x[] = {1, NAN, 3};
    gram_table *t = NULL;

    fresh("x.csv");
    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    returns(t, "x.csv", &keep_missing);
    CHECK_OK(gram_table_add_numbers(t, "y", x, 1));
    returns(t, "x.csv", &keep_missing);
    returns(t, "x.tsv", &keep_missing);
    gram_table_free(t);
}

TEST(dates_and_categories_return)
{
    gram_table *t = table_of("day,kind\n2024-02-29,a\n1969-12-31T23:59:30,b\n"
                             "2000-01-01,a\n",
                             NULL);

    CHECK_OK(gram_table_write(t, "x.csv", NULL, NULL));
    file_is("x.csv", "day,kind\n2024-02-29,a\n1969-12-31T23:59:30,b\n"
                     "2000-01-01,a\n");
    returns(t, "x.csv", NULL);
    gram_table_free(t);
}

static gram_table *sparse_table(size_t width)
{
    const size_t start[] = {0, 2, 2, 3};
    const unsigned index[] = {0, 2, 1};
    const double entries[] = {1.5, -2, 0.1}, y[] = {1, -1, 1};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "label", y, 1));
    CHECK_OK(gram_table_set_role(t, "label", GRAM_ROLE_TARGET));
    CHECK_OK(
        gram_table_add_sparse(t, "features", width, start, index, entries));
    return t;
}

TEST(a_sparse_block_is_written_densely)
{
    gram_table *t = sparse_table(4);

    fresh("x.csv");
    CHECK_OK(gram_table_write(t, "x.csv", NULL, NULL));
    file_is("x.csv", "label,features1,features2,features3,features4\n"
                     "1,1.5,0,-2,0\n-1,0,0,0,0\n1,0,0.1,0,0\n");
    unlink("x.csv");
    gram_table_free(t);
    t = sparse_table(100001);
    CHECK_FAILS(gram_table_write(t, "x.csv", NULL, NULL), GRAM_ERR_SHAPE,
                "x.csv: column \"features\" is a sparse block of 100001 "
                "features, at most 100000 can be written densely (use LIBSVM "
                "text)");
    gram_table_free(t);
}

TEST(two_columns_of_one_name_are_refused)
{
    gram_table *t = sparse_table(4);
    const double x[3] = {0};

    fresh("x.csv");
    CHECK_OK(gram_table_add_numbers(t, "features2", x, 1));
    CHECK_FAILS(gram_table_write(t, "x.csv", NULL, NULL), GRAM_ERR_NAME,
                "x.csv: two columns would be called \"features2\"");
    gram_table_free(t);
}

/* -------------------------------------------------------------------- npy */

TEST(npy_is_as_numpy_writes_it)
{
    gram_table *t = sparse_table(3);
    char *file;

    fresh("x.npy");
    CHECK_OK(gram_table_write(t, "x.npy", NULL, NULL));
    file = slurp("x.npy");
    assert_memory_equal(file, "\x93NUMPY\1\0\x76\0", 10);
    CHECK(strncmp(file + 10,
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"
                  "  ",
                  60) == 0);
    CHECK(file[127] == '\n');
    free(file);
    file_reads_as("x.npy", NULL,
                  "c0:number|c1:number|c2:number|c3:number\n"
                  "1|1.5|0|-2\n-1|0|0|0\n1|0|0.10000000000000001|0\n");
    unlink("x.npy");
    gram_table_free(t);
}

TEST(npy_keeps_missing_cells_and_days)
{
    const gram_read_options dated = {.types = "c1=date",
                                     .missing = GRAM_MISSING_KEEP};
    gram_table *t =
        table_of("c0,c1\n1,2024-01-01T12:00\n,1970-01-02\n", &keep_missing);

    returns(t, "x.npy", &dated);
    returns(t, "x.npy.gz", &dated);
    gram_table_free(t);
}

TEST(npy_refuses_names)
{
    gram_table *t = table_of("x,kind\n1,a\n2,b\n", NULL);

    CHECK_FAILS(
        gram_table_write(t, "x.npy", NULL, NULL), GRAM_ERR_SHAPE,
        "x.npy: column \"kind\" is of type category, .npy holds numbers "
        "only");
    gram_table_free(t);
}

TEST(a_matrix_is_written_in_both_precisions)
{
    const double x[] = {1, 0.1, -2, 3, 4, 5};
    const float y[] = {1, 0.5F, -2, 3, 4, 5};
    char *file;

    fresh("x.npy");
    CHECK_OK(gram_matrix_write(x, 2, 3, "x.npy", NULL));
    file_reads_as("x.npy", NULL,
                  "c0:number|c1:number|c2:number\n"
                  "1|0.10000000000000001|-2\n3|4|5\n");
    CHECK_OK(gram_matrix_write_single(y, 3, 2, "x.npy.gz", NULL));
    file_reads_as("x.npy.gz", NULL, "c0:number|c1:number\n1|0.5\n-2|3\n4|5\n");
    CHECK_OK(gram_matrix_write_single(y, 3, 2, "x.npy", NULL));
    file = slurp("x.npy");
    CHECK(strncmp(file + 10, "{'descr': '<f4', ", 17) == 0);
    free(file);
    unlink("x.npy");
    unlink("x.npy.gz");
}

TEST(a_matrix_wants_a_name_that_says_npy)
{
    const double x[] = {1};

    fresh("x.csv");
    CHECK_FAILS(gram_matrix_write(x, 1, 1, "x.csv", NULL), GRAM_ERR_NAME,
                "x.csv: a matrix is written as .npy, and its name must say so "
                "(gram convert makes other formats of it)");
    CHECK(access("x.csv", F_OK) != 0);
}

/* ----------------------------------------------------------------- LIBSVM */

TEST(libsvm_returns_and_keeps_the_width)
{
    gram_table *t = sparse_table(7);

    fresh("x.svm");
    CHECK_OK(gram_table_write(t, "x.svm", NULL, NULL));
    file_is("x.svm", "1 1:1.5 3:-2 7:0\n-1\n1 2:0.1\n");
    returns(t, "x.svm", NULL);
    returns(t, "x.libsvm.gz", NULL);
    gram_table_free(t);
}

TEST(libsvm_numbers_its_features_across_columns)
{
    gram_table *t = sparse_table(3);
    const double x[] = {0, 7, 0.25}, q[] = {4, 4, 9};

    fresh("x.svm");
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "g", q, 1));
    CHECK_OK(gram_table_set_role(t, "g", GRAM_ROLE_GROUP));
    CHECK_OK(gram_table_write(t, "x.svm", NULL, NULL));
    file_is("x.svm", "1 qid:4 1:1.5 3:-2 4:0\n-1 qid:4 4:7\n"
                     "1 qid:9 2:0.1 4:0.25\n");
    unlink("x.svm");
    gram_table_free(t);
}

TEST(libsvm_labels_are_numbers)
{
    const gram_read_options named = {.types = "y=category,z=category"};
    gram_table *t = table_of("y,z,x\n2,a,1\n-1,b,2\n2,a,3\n", &named);

    CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    CHECK_FAILS(
        gram_table_write(t, "x.svm", NULL, NULL), GRAM_ERR_SHAPE,
        "x.svm: column \"y\" is of type category, LIBSVM text holds numbers "
        "only");
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_FAILS(gram_table_write(t, "x.svm", NULL, NULL), GRAM_ERR_SHAPE,
                "x.svm: column \"z\" has the category \"a\", a label must be a "
                "number");
    gram_table_free(t);
    t = table_of("y,x\n2,1\n-1,2\n2,3\n",
                 &(gram_read_options){.types = "y=category"});
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_write(t, "x.svm", NULL, NULL));
    file_is("x.svm", "2 1:1\n-1 1:2\n2 1:3\n");
    unlink("x.svm");
    gram_table_free(t);
}

TEST(libsvm_takes_several_labels)
{
    gram_table *t = table_of("y,z,x\n1,5,1\n2,3,2\n", NULL);

    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_write(t, "x.svm", NULL, NULL));
    file_is("x.svm", "1,5 1:1\n2,3 1:2\n");
    gram_table_free(t);
    CHECK_OK(gram_table_read("x.svm", NULL, NULL, &t));
    returns(t, "x.svm", NULL);
    gram_table_free(t);
    t = table_of("y,z,x\n1,5,1\n2,0.5,2\n", NULL);
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    CHECK_FAILS(gram_table_write(t, "x.svm", NULL, NULL), GRAM_ERR_SHAPE,
                "x.svm: row 2, column \"z\": 0.5, several labels must be whole "
                "numbers");
    gram_table_free(t);
}

static void libsvm_fails(gram_role role, const char *text, const char *sentence)
{
    gram_table *t = table_of(text, &keep_missing);

    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(t, "x", role));
    CHECK_FAILS(gram_table_write(t, "x.svm", NULL, NULL), GRAM_ERR_SHAPE,
                sentence);
    gram_table_free(t);
}

TEST(libsvm_refuses_what_it_has_no_place_for)
{
    gram_table *t = table_of("y,x\n1,2\n", NULL);

    CHECK_FAILS(gram_table_write(t, "x.svm", NULL, NULL), GRAM_ERR_SHAPE,
                "x.svm: no column is the target, LIBSVM text needs one");
    gram_table_free(t);
    libsvm_fails(
        GRAM_ROLE_WEIGHT, "y,x\n1,2\n2,3\n",
        "x.svm: column \"x\" is of role weight, LIBSVM text has no place "
        "for it");
    libsvm_fails(GRAM_ROLE_FEATURE, "y,x\n1,2\n2,\n",
                 "x.svm: row 2, column \"x\": missing, LIBSVM text has no "
                 "missing cells");
    libsvm_fails(GRAM_ROLE_FEATURE, "y,x\n,2\n2,1\n",
                 "x.svm: row 1, column \"y\": missing, LIBSVM text has no "
                 "missing cells");
    libsvm_fails(GRAM_ROLE_GROUP, "y,x\n1,2\n2,2.5\n",
                 "x.svm: row 2, column \"x\": 2.5, a qid must be a whole "
                 "number");
    libsvm_fails(GRAM_ROLE_GROUP, "y,x\n1,a\n2,b\n",
                 "x.svm: column \"x\" has the category \"a\", a qid must be a "
                 "whole number");
}

/* ------------------------------------------------------------ all formats */

/* 5000 rows of numbers, names, missing cells and a sparse block. */
static gram_table *large_table(void)
{
    enum { ROWS = 5000 };
    static double x[ROWS], entries[ROWS];
    static size_t start[ROWS + 1];
    static unsigned index[ROWS];
    static const char *names[ROWS];
    gram_table *t = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        x[i] = i % 97 ? (double)i / 3 : NAN;
        names[i] = i % 5 ? "plain" : "with, comma";
        start[i + 1] = i + 1;
        index[i] = (unsigned)(i * i % 50);
        entries[i] = 1 / (1 + (double)i);
    }
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_strings(t, "s", GRAM_TYPE_CATEGORY, names));
    CHECK_OK(gram_table_add_sparse(t, "f", 50, start, index, entries));
    return t;
}

TEST(files_do_not_depend_on_the_number_of_threads)
{
    const gram_exec one = {.threads = 1}, four = {.threads = 4};
    gram_table *t = large_table();
    char *a, *b;

    fresh("a.csv");
    CHECK_OK(gram_table_write(t, "a.csv", NULL, &one));
    CHECK_OK(gram_table_write(t, "b.csv", NULL, &four));
    a = slurp("a.csv");
    b = slurp("b.csv");
    CHECK(strlen(a) > 100000);
    CHECK_STR(a, b);
    free(a);
    free(b);
    unlink("a.csv");
    unlink("b.csv");
    gram_table_free(t);
}

static int stop(void *user, double done)
{
    (void)user;
    return done > 0;
}

/* Whatever goes wrong on the way, the file that was there is still there. */
TEST(a_failed_write_leaves_the_old_file)
{
    const gram_exec cancelled = {.progress = stop};
    gram_table *t = large_table();
    size_t before = gram_memory_used();
    gram_status status = GRAM_ERR_MEMORY;

    CHECK(tables_write("x.csv", "old", 3));
    CHECK_FAILS(gram_table_write(t, "x.csv", NULL, &cancelled),
                GRAM_ERR_CANCELLED, "cancelled");
    file_is("x.csv", "old");
    for (size_t n = 1; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_table_write(t, "x.csv", NULL, NULL);
        gi_mem_fail_at(0, 0);
        CHECK(gram_memory_used() == before);
        if (status != GRAM_OK)
            file_is("x.csv", "old");
        n += n > 40 ? n / 4 : 0; /* the buffers' growth is much the same */
    }
    unlink("x.csv");
    gram_table_free(t);
}

TEST(formats_are_found_by_name_and_extension)
{
    gram_table *t = table_of("x\n1\n2\n", NULL);

    CHECK_OK(gram_table_write(t, "x.dat",
                              &(gram_write_options){.format = "tsv"}, NULL));
    file_is("x.dat", "x\n1\n2\n");
    unlink("x.dat");
    CHECK_FAILS(gram_table_write(t, "x.dat", NULL, NULL), GRAM_ERR_NAME,
                "x.dat: the extension names no format, must be one of csv, "
                "tsv, npy, libsvm");
    CHECK_FAILS(gram_table_write(t, "x.csv",
                                 &(gram_write_options){.format = "xls"}, NULL),
                GRAM_ERR_NAME,
                "no format \"xls\" to write, must be one of csv, tsv, npy, "
                "libsvm");
    gram_table_free(t);
    CHECK_OK(gram_table_new(3, &t));
    CHECK_FAILS(gram_table_write(t, "x.csv", NULL, NULL), GRAM_ERR_SHAPE,
                "x.csv: no columns to write");
    gram_table_free(t);
}

TEST(the_format_to_write_is_known_beforehand)
{
    const gram_write_options npy = {.format = "npy"};
    const gram_format *f = NULL;

    CHECK_OK(gram_format_to_write("x.csv.gz", NULL, &f));
    CHECK(strcmp(f->name, "csv") == 0 && f->keeps_texts);
    CHECK_OK(gram_format_to_write("-", NULL, &f));
    CHECK_STR(f->name, "csv");
    CHECK_OK(gram_format_to_write("x.csv", &npy, &f));
    CHECK(strcmp(f->name, "npy") == 0 && !f->keeps_texts);
    CHECK(gram_format_to_write("x.gram", NULL, &f) == GRAM_ERR_NAME);
}

TEST(every_format_is_listed_once)
{
    static const struct {
        const char *name;
        int read, write;
    } expected[] = {{"csv", 1, 1},    {"tsv", 1, 1}, {"npy", 1, 1},
                    {"libsvm", 1, 1}, {"npz", 1, 0}, {"arff", 1, 0}};
    size_t count = 0, found = 0;

    for (const gram_format *f; (f = gram_format_at(count)); count++) {
        CHECK(f->brief[0] && f->extensions[0] && (f->can_read || f->can_write));
        for (size_t k = 0; k < 6; k++)
            if (strcmp(f->name, expected[k].name) == 0) {
                CHECK(f->can_read == expected[k].read);
                CHECK(f->can_write == expected[k].write);
                found++;
            }
    }
    CHECK(found == 6 && gram_format_at(count + 1) == NULL);
}

TESTS(SMALL(csv_has_a_header_and_exact_numbers),
      SMALL(text_is_quoted_where_it_must_be), SMALL(rows_of_missing_cells_stay),
      SMALL(dates_and_categories_return),
      SMALL(a_sparse_block_is_written_densely),
      SMALL(two_columns_of_one_name_are_refused),
      SMALL(npy_is_as_numpy_writes_it), SMALL(npy_keeps_missing_cells_and_days),
      SMALL(npy_refuses_names), SMALL(a_matrix_is_written_in_both_precisions),
      SMALL(a_matrix_wants_a_name_that_says_npy),
      SMALL(libsvm_returns_and_keeps_the_width),
      SMALL(libsvm_numbers_its_features_across_columns),
      SMALL(libsvm_labels_are_numbers), SMALL(libsvm_takes_several_labels),
      SMALL(libsvm_refuses_what_it_has_no_place_for),
      SMALL(files_do_not_depend_on_the_number_of_threads),
      SMALL(a_failed_write_leaves_the_old_file),
      SMALL(formats_are_found_by_name_and_extension),
      SMALL(the_format_to_write_is_known_beforehand),
      SMALL(every_format_is_listed_once))
