/* test_texts.c - the texts of cells: kept where they were asked for, carried
 * by copies, written as they were read; and where they do not come from.
 */
#include "check.h"

#include "tables.h"

static const char *const all[] = {"*", NULL};
static const gram_read_options every = {.missing = GRAM_MISSING_KEEP,
                                        .verbatim = all};

/* Cells whose text is not what their value would be printed as. */
static const char odd[] = "id,when,code,name,x\n"
                          "12345678901234567890,2024-01-01,007,\"a, b\",1.50\n"
                          "12345678901234567891,2024-01-02 08:30,NA,é,+2\n"
                          ",,?,\"two\nlines\",3e0\n"
                          "0,2024-01-05,10,NA,N/A\n";

static gram_table *read_text(const char *name, const char *text,
                             const gram_read_options *options)
{
    gram_table *t = NULL;

    CHECK(tables_write(name, text, strlen(text)));
    CHECK_OK(gram_table_read(name, options, NULL, &t));
    unlink(name);
    return t;
}

static void is_written_as(const gram_table *t, const char *name,
                          const char *expected)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f;

    CHECK_OK(gram_table_write(t, name, NULL, NULL));
    f = fopen(name, "rb");
    assert_non_null(f);
    CHECK(getdelim(&text, &n, EOF, f) >= 0);
    CHECK_STR(text, expected);
    fclose(f);
    free(text);
    unlink(name);
}

TEST(a_copy_of_a_file_is_the_file)
{
    gram_table *t = read_text("odd.csv", odd, &every);

    is_written_as(t, "copy.csv", odd);
    CHECK_STR(gram_table_text(t, 0, 1), "12345678901234567891");
    CHECK_STR(gram_table_text(t, 1, 1), "2024-01-02 08:30");
    CHECK_STR(gram_table_text(t, 2, 2), "?");
    CHECK_STR(gram_table_text(t, 3, 1), "é");
    CHECK_STR(gram_table_text(t, 3, 3), "NA");
    gram_table_free(t);
}

TEST(tabs_keep_empty_cells_but_no_blank_lines)
{
    gram_table *t = read_text("e.csv", "x,y\n1.0,\n,\n,2.0\n", &every);

    is_written_as(t, "e.tsv", "x\ty\n1.0\t\nNA\t\n\t2.0\n");
    gram_table_free(t);
    t = read_text("one.csv", "x\n1.0\n\"\"\n2\n", &every);
    is_written_as(t, "one.csv", "x\n1.0\nNA\n2\n");
    gram_table_free(t);
}

TEST(only_what_was_asked_for_is_kept)
{
    const char *const code[] = {"code", "no such column", NULL};
    const gram_read_options some = {.missing = GRAM_MISSING_KEEP,
                                    .verbatim = code};
    gram_table *t = read_text("odd.csv", odd, &some);

    CHECK_STR(gram_table_text(t, 2, 0), "007");
    CHECK(!gram_table_text(t, 0, 0) && !gram_table_text(t, 4, 0));
    gram_table_free(t);
}

TEST(types_and_values_are_the_same_with_texts)
{
    const gram_read_options plain = {.missing = GRAM_MISSING_KEEP};
    gram_table *t = read_text("odd.csv", odd, &every);
    gram_table *u = read_text("odd.csv", odd, &plain);
    char *a = tables_text(t), *b = tables_text(u);

    CHECK_STR(a, b);
    free(a);
    free(b);
    gram_table_free(t);
    gram_table_free(u);
}

TEST(rows_that_are_left_out_take_their_texts_along)
{
    const gram_read_options drop = {.missing = GRAM_MISSING_DROP,
                                    .verbatim = all};
    gram_table *t =
        read_text("d.csv", "x,s\n01,a\nNA,b\n03,c\n04,\n05,e\n", &drop);

    is_written_as(t, "d.csv", "x,s\n01,a\n03,c\n05,e\n");
    gram_table_free(t);
}

TEST(a_cell_that_is_filled_in_has_no_text)
{
    gram_table *t = read_text("f.csv", "x,s\n1.0,a\nNA,?\n3.0,a\n", &every);

    CHECK_OK(gram_table_fill_missing(t, GRAM_MISSING_INDICATOR, NULL));
    CHECK(!gram_table_text(t, 0, 1));
    is_written_as(t, "f.csv",
                  "x,s,x_missing\n1.0,a,0\n2,(missing),1\n3.0,a,0\n");
    gram_table_free(t);
}

TEST(a_scaled_column_has_no_texts)
{
    gram_table *t = read_text("s.csv", "x,s\n1.0,a\n3.0,b\n", &every);
    gram_scaler *s = NULL;

    CHECK_OK(gram_scaler_new(t, GRAM_SCALE_MINMAX, NULL, &s));
    CHECK_OK(gram_scaler_apply(s, t));
    is_written_as(t, "s.csv", "x,s\n0,a\n1,b\n");
    gram_scaler_free(s);
    gram_table_free(t);
}

TEST(other_formats_have_texts_too)
{
    gram_table *t = read_text("l.svm", "+1 1:2\n-1.0 2:3\n 3:1\n", &every);

    CHECK_STR(gram_table_text(t, 0, 0), "+1");
    CHECK_STR(gram_table_text(t, 0, 1), "-1.0");
    CHECK_STR(gram_table_text(t, 0, 2), "");
    gram_table_free(t);
    t = read_text("a.arff",
                  "@relation r\n@attribute x numeric\n@attribute d date\n"
                  "@attribute c {u, 'v w'}\n@data\n"
                  "1.50,\"2024-01-01\",'v w'\n?,?,?\n",
                  &every);
    is_written_as(t, "a.csv", "x,d,c\n1.50,2024-01-01,v w\n?,?,?\n");
    gram_table_free(t);
}

/* The pieces of a stream have the texts of their rows, whatever their size. */
TEST(pieces_have_texts)
{
    const char *const x[] = {"x", NULL};
    const gram_read_options some = {.verbatim = x};
    gram_reader *r = NULL;
    gram_table *t = NULL;
    int row = 0;

    CHECK(tables_write("p.csv", "x\n01\n02\n03\n04\n05\n", 17));
    CHECK_OK(gram_reader_open("p.csv", &some, NULL, &r));
    CHECK_OK(gram_reader_next(r, 2, &t));
    while (t) {
        for (size_t i = 0; i < gram_table_rows(t); i++) {
            char expected[16];

            snprintf(expected, sizeof expected, "%02d", ++row);
            CHECK_STR(gram_table_text(t, 0, i), expected);
        }
        gram_table_free(t);
        CHECK_OK(gram_reader_next(r, 2, &t));
    }
    CHECK(row == 5);
    gram_reader_free(r);
    unlink("p.csv");
}

/* Long enough for many blocks: texts stay with their rows for any number of
 * threads, over a guess of a type that fails late and over blank lines. */
TEST(texts_of_many_blocks_are_in_order)
{
    enum { ROWS = 300000 };
    gram_table *t = NULL;
    char *text = NULL, expected[32];
    size_t n;
    FILE *f = open_memstream(&text, &n);

    fputs("a,b\n", f);
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%08d,%s%s\n", i, i == ROWS - 5 ? "late" : "1.0",
                i % 1000 ? "" : "\n");
    fclose(f);
    CHECK(tables_write("many.csv", text, n));
    for (int threads = 1; threads <= 3; threads += 2) {
        const gram_exec exec = {.threads = threads};

        CHECK_OK(gram_table_read("many.csv", &every, &exec, &t));
        CHECK(gram_table_rows(t) == ROWS);
        for (int i = 0; i < ROWS; i++) {
            snprintf(expected, sizeof expected, "%08d", i);
            assert_string_equal(gram_table_text(t, 0, (size_t)i), expected);
        }
        CHECK_STR(gram_table_text(t, 1, ROWS - 5), "late");
        gram_table_free(t);
    }
    unlink("many.csv");
    free(text);
}

/* ------------------------------------------------------------------ copies */

TEST(rows_are_copied_in_any_order_and_from_many_tables)
{
    gram_table *a =
        read_text("a.csv", "x,s,d\n01,u,2024-01-01\n02,,NA\n", &every);
    gram_table *b = read_text("b.csv", "d,s,x\n2024-01-03,a,03\n", &every);
    const gram_table *const from[] = {a, b};
    const size_t rows[] = {2, 0, 1, 0};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_copy(t, "x", from, 2, rows));
    CHECK_OK(gram_table_add_copy(t, "s", from, 2, rows));
    CHECK_OK(gram_table_add_copy(t, "d", from, 2, rows));
    is_written_as(t, "t.csv",
                  "x,s,d\n03,a,2024-01-03\n01,u,2024-01-01\n02,,NA\n"
                  "01,u,2024-01-01\n");
    CHECK(gram_table_column(t, 2).type == GRAM_TYPE_DATE);
    gram_table_free(t);
    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_copy(t, "x", from, 2, NULL));
    is_written_as(t, "t.csv", "x\n01\n02\n03\n");
    gram_table_free(t);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(copies_that_do_not_fit_are_refused)
{
    gram_table *a = read_text("a.csv", "x,s\n01,u\n02,v\n", &every);
    gram_table *b = read_text("b.csv", "x,s\nw,3\n", &every);
    const gram_table *const from[] = {a, b};
    const size_t rows[] = {0, 3};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(2, &t));
    CHECK_FAILS(gram_table_add_copy(t, "y", from, 1, NULL), GRAM_ERR_NAME,
                "a.csv: no column \"y\"");
    CHECK_FAILS(gram_table_add_copy(t, "x", from, 2, rows), GRAM_ERR_SHAPE,
                "column \"x\": is a number column in one table and a category "
                "column in another");
    CHECK_FAILS(gram_table_add_copy(t, "x", from, 1, rows), GRAM_ERR_RANGE,
                "column \"x\": no row 4, there are 2");
    CHECK_FAILS(gram_table_add_copy(t, "x", from + 1, 1, NULL), GRAM_ERR_SHAPE,
                "column \"x\": a copy of 1 rows, must be 2");
    CHECK_OK(gram_table_add_copy(t, "x", from, 1, NULL));
    CHECK_FAILS(gram_table_add_copy(t, "x", from, 1, NULL), GRAM_ERR_NAME,
                "two columns are called \"x\"");
    CHECK(gram_table_cols(t) == 1);
    gram_table_free(t);
    gram_table_free(a);
    gram_table_free(b);
}

TESTS(SMALL(a_copy_of_a_file_is_the_file),
      SMALL(tabs_keep_empty_cells_but_no_blank_lines),
      SMALL(only_what_was_asked_for_is_kept),
      SMALL(types_and_values_are_the_same_with_texts),
      SMALL(rows_that_are_left_out_take_their_texts_along),
      SMALL(a_cell_that_is_filled_in_has_no_text),
      SMALL(a_scaled_column_has_no_texts), SMALL(other_formats_have_texts_too),
      SMALL(pieces_have_texts), NORMAL(texts_of_many_blocks_are_in_order),
      SMALL(rows_are_copied_in_any_order_and_from_many_tables),
      SMALL(copies_that_do_not_fit_are_refused))
