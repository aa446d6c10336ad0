/* test_read_csv.c - comma-separated values: cells, types, headers, errors.
 * What all text formats share (threads, pieces, wrong guesses) is tested here,
 * too, since CSV is the most common one.
 */
#include "check.h"

#include <unistd.h>

#include "base/text.h"
#include "temporary.h"

static gram_table *read_text(const char *text, const gram_read_options *o)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_read(temporary_text("t.csv", text), o, NULL, &t));
    return t;
}

static const gram_read_options keep = {.missing = GRAM_MISSING_KEEP};

/* The sentence without the folder in front of "t.csv". */
static const char *failure(const char *text, const gram_read_options *o)
{
    const char *path = temporary_text("t.csv", text);
    gram_table *t = NULL;

    CHECK(gram_table_read(path, o, NULL, &t) != GRAM_OK);
    CHECK(t == NULL);
    return strncmp(gram_error_message(), path, strlen(path)) == 0
               ? gram_error_message() + strlen(path) - strlen("t.csv")
               : gram_error_message();
}

static const char *string_at(const gram_table *t, size_t j, size_t i)
{
    gram_column c = gram_table_column(t, j);

    return c.codes[i] < 0 ? NULL : c.levels[c.codes[i]];
}

TEST(types_are_found_by_looking_at_the_cells)
{
    gram_table *t = read_text("age,city,when,note\n"
                              "30,Bonn,2024-02-29,a b\n"
                              " 4.5e1 ,Ulm,1969-12-31,\"x, \"\"y\"\"\"\n"
                              "-.5,Bonn,2000-01-01T12:00,\"two\nlines\"\n",
                              NULL);
    gram_column age = gram_table_column(t, 0), city = gram_table_column(t, 1);
    gram_column when = gram_table_column(t, 2);

    CHECK(gram_table_rows(t) == 3 && gram_table_cols(t) == 4);
    CHECK(age.type == GRAM_TYPE_NUMBER && age.role == GRAM_ROLE_FEATURE);
    CHECK(age.values[0] == 30 && age.values[1] == 45 && age.values[2] == -0.5);
    CHECK(city.type == GRAM_TYPE_CATEGORY && city.level_count == 2);
    CHECK_STR(city.levels[0], "Bonn");
    CHECK(city.codes[0] == 0 && city.codes[1] == 1 && city.codes[2] == 0);
    CHECK(when.type == GRAM_TYPE_DATE);
    CHECK(when.values[0] == 19782 && when.values[1] == -1);
    CHECK(when.values[2] == 10957.5);
    CHECK_STR(string_at(t, 3, 1), "x, \"y\"");
    CHECK_STR(string_at(t, 3, 2), "two\nlines");
    gram_table_free(t);
}

TEST(many_different_strings_are_text_and_few_a_category)
{
    gi_buf b = {0};
    gram_table *t;

    CHECK_OK(gi_buf_printf(NULL, &b, "few,many\n"));
    for (int i = 0; i < 100; i++)
        CHECK_OK(gi_buf_printf(NULL, &b, "k%d,word%d\n", i % 50, i));
    t = read_text(b.s, NULL);
    CHECK(gram_table_column(t, 0).type == GRAM_TYPE_CATEGORY);
    CHECK(gram_table_column(t, 1).type == GRAM_TYPE_TEXT);
    CHECK_STR(string_at(t, 1, 99), "word99");
    gram_table_free(t);
    gi_buf_free(&b);
}

TEST(levels_sort_as_numbers_then_text)
{
    const gram_read_options o = {.types = "a=category"};
    gram_table *t = read_text("a\n10\n9\nx\n-1\nB\n9\n", &o);
    gram_column c = gram_table_column(t, 0);

    CHECK(c.level_count == 5);
    CHECK_STR(c.levels[0], "-1");
    CHECK_STR(c.levels[1], "9");
    CHECK_STR(c.levels[2], "10");
    CHECK_STR(c.levels[3], "B");
    CHECK_STR(c.levels[4], "x");
    CHECK(c.codes[0] == 2 && c.codes[1] == 1 && c.codes[5] == 1);
    gram_table_free(t);
}

TEST(separators_headers_and_line_ends_are_found)
{
    static const char *const texts[] = {
        "a;b\n1;2\n3;4\n",
        "a\tb\r\n1\t2\r\n3\t4\r\n",
        "a|b\n1|2\n3|4",
        ("\xef\xbb\xbf"
         "a,b\n1,2\n3,4\n"),
        "\n\na , b\n\n1,2\n \n3,4\n\n",
        "\"a\",\"b\"\n\"1\",\"2\"\n\"3\",\"4\"\n",
    };

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        gram_table *t = read_text(texts[k], NULL);

        CHECK(gram_table_rows(t) == 2 && gram_table_cols(t) == 2);
        CHECK_STR(gram_table_column(t, 0).name, "a");
        CHECK_STR(gram_table_column(t, 1).name, "b");
        CHECK(gram_table_column(t, 1).values[1] == 4);
        gram_table_free(t);
    }
}

TEST(without_a_header_columns_are_numbered)
{
    const gram_read_options none = {.header = -1};
    gram_table *t = read_text("1,x\n2,y\n", NULL);

    CHECK(gram_table_rows(t) == 2);
    CHECK_STR(gram_table_column(t, 1).name, "c1");
    gram_table_free(t);
    t = read_text("u,x\nv,y\n", &none);
    CHECK(gram_table_rows(t) == 2);
    gram_table_free(t);
    t = read_text(",x\n5,y\n", NULL); /* an empty name */
    CHECK_STR(gram_table_column(t, 0).name, "c0");
    gram_table_free(t);
}

TEST(blank_separated_text_is_read)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_read(temporary_text("t.dat", "  x   y\n 1  2 \n3\t4\n"),
                             NULL, NULL, &t));
    CHECK(gram_table_cols(t) == 2 && gram_table_rows(t) == 2);
    CHECK(gram_table_column(t, 1).values[0] == 2);
    CHECK(gram_table_column(t, 1).values[1] == 4);
    gram_table_free(t);
}

TEST(columns_are_dropped_and_typed_by_name_index_range_and_pattern)
{
    const gram_read_options o = {.drop = "id,t*,5:7",
                                 .types = "zip=category,4=text"};
    gram_table *t = read_text("id,zip,t1,t2,n,p,q\n1,2,3,4,5,6,7\n", &o);

    CHECK(gram_table_cols(t) == 2);
    CHECK_STR(gram_table_column(t, 0).name, "zip");
    CHECK(gram_table_column(t, 0).type == GRAM_TYPE_CATEGORY);
    CHECK(gram_table_column(t, 1).type == GRAM_TYPE_TEXT);
    gram_table_free(t);
}

TEST(missing_cells_are_known_by_their_looks)
{
    gram_table *t =
        read_text("x,s\n1,a\n,NA\nNA,\n?,\"NA\"\nnan,\"\"\nnull,b\n", &keep);
    gram_column x = gram_table_column(t, 0), s = gram_table_column(t, 1);

    CHECK(x.type == GRAM_TYPE_NUMBER && x.missing == 5);
    CHECK(isnan(x.values[1]) && isnan(x.values[5]) && x.values[0] == 1);
    CHECK(s.missing == 2 && s.codes[1] == -1 && s.codes[2] == -1);
    CHECK_STR(string_at(t, 1, 3), "NA"); /* quoted: a value */
    CHECK_STR(string_at(t, 1, 4), "");
    gram_table_free(t);
}

TEST(missing_policies_do_what_they_say)
{
    static const char text[] = "x,s\n1,a\n,a\n3,\n5,b\n";
    gram_read_options o = {.missing = GRAM_MISSING_DROP};
    gram_table *t;

    CHECK_STR(failure(text, NULL),
              "t.csv: row 2, column \"x\": the cell is missing (--missing "
              "drop, mean or indicator says what to do)");
    t = read_text(text, &o);
    CHECK(gram_table_rows(t) == 2);
    CHECK(gram_table_column(t, 0).values[1] == 5);
    CHECK_STR(string_at(t, 1, 1), "b");
    gram_table_free(t);
    o.missing = GRAM_MISSING_MEAN;
    t = read_text(text, &o);
    CHECK(gram_table_column(t, 0).values[1] == 3);
    CHECK_STR(string_at(t, 1, 2), "a");
    CHECK(gram_table_column(t, 1).missing == 0);
    gram_table_free(t);
    o.missing = GRAM_MISSING_INDICATOR;
    t = read_text(text, &o);
    CHECK(gram_table_cols(t) == 3);
    CHECK_STR(gram_table_column(t, 2).name, "x_missing");
    CHECK(gram_table_column(t, 2).values[1] == 1);
    CHECK(gram_table_column(t, 2).values[3] == 0);
    CHECK_STR(string_at(t, 1, 2), "(missing)");
    gram_table_free(t);
}

TEST(every_bad_file_gets_its_sentence)
{
    static const struct {
        const char *text, *sentence;
        gram_read_options o;
    } bad[] = {
        {"", "t.csv: empty, must have rows", {0}},
        {"\n \n", "t.csv: empty, must have rows", {0}},
        {"a,b\n", "t.csv: no rows", {0}},
        {"a,b\n1,2\n3\n", "t.csv:3: 1 cell, must be 2", {0}},
        {"a,b\n1,2\n3,4,5\n", "t.csv:3: 3 cells, must be 2", {0}},
        {"a,b\n1,2\n3,\"x\n",
         "t.csv:3: a quote is opened here and never closed",
         {0}},
        {"a,b\n1,\"x\"y\n",
         "t.csv:2: column \"b\": text follows a closing quote",
         {0}},
        {"a,b\n1,2\n3,inf\n",
         "t.csv:3: column \"b\": \"inf\" is not a finite decimal number",
         {0}},
        {"a,b\n1,2\n3,1e999\n",
         "t.csv:3: column \"b\": \"1e999\" is not a finite decimal number",
         {0}},
        {"a,b\n1,2\n3,0x1p3\n",
         "t.csv:3: column \"b\": \"0x1p3\" is not a finite decimal number",
         {0}},
        {"a,b\n1,2\n3,abc\n",
         "t.csv:3: column \"b\": \"abc\" is not a number",
         {.types = "b=number"}},
        {"a,b\n1,2\n",
         "t.csv:2: column \"b\": \"2\" is not a date (YYYY-MM-DD)",
         {.types = "b=date"}},
        {"a,b\n\"1\n\n\",2\n3\n", "t.csv:5: 1 cell, must be 2", {0}},
        {"a,a\n1,2\n", "t.csv:1: two columns are called \"a\"", {0}},
        {"a,b\n1,2\n",
         "t.csv: drop \"c\", character 1: no column \"c\"",
         {.drop = "c"}},
        {"age,b\n1,2\n",
         "t.csv: types \"agee=number\", character 1: no column \"agee\" (did "
         "you mean \"age\"?)",
         {.types = "agee=number"}},
        {"age,b\n1,2\n",
         "types \"age=numbr\", character 5: no type \"numbr\" (did you mean "
         "\"number\"?): number, category, text or date",
         {.types = "age=numbr"}},
        {"\xff\xfe"
         "a\n",
         "t.csv: UTF-16 text, must be UTF-8",
         {0}},
        {"a,b\nNA,1\n",
         "t.csv: column \"a\": every cell is missing, there is "
         "no mean",
         {.missing = GRAM_MISSING_MEAN}},
        {"a,b\nNA,1\n",
         "t.csv: no rows without missing cells",
         {.missing = GRAM_MISSING_DROP}},
        {"a\n1\n",
         "no format \"cvs\" to read (did you mean \"csv\"?)",
         {.format = "cvs"}},
    };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK_STR(failure(bad[k].text, &bad[k].o), bad[k].sentence);
}

TEST(the_head_of_a_file_has_its_columns)
{
    const char *path = temporary_text("h.csv", "a,b c,d\n1,,x\n2,3,y\n4,5,z\n");
    gram_table *t = NULL;

    CHECK_OK(gram_table_read_head(path, NULL, 2, NULL, &t));
    CHECK(gram_table_rows(t) == 2 && gram_table_cols(t) == 3);
    CHECK_STR(gram_table_column(t, 1).name, "b c");
    CHECK(gram_table_column(t, 1).missing == 1);
    gram_table_free(t);
    CHECK_OK(gram_table_read_head(path, NULL, 100, NULL, &t));
    CHECK(gram_table_rows(t) == 3);
    gram_table_free(t);
    CHECK(gram_table_read_head("nowhere.csv", NULL, 1, NULL, &t) ==
          GRAM_ERR_IO);
    CHECK(t == NULL);
}

TEST(a_nul_byte_is_refused_with_its_line)
{
    const char *path = temporary_file("t.csv", "a,b\n1,2\n3,\0\n", 12);
    const gram_read_options csv = {.format = "csv"};
    gram_table *t = NULL;

    CHECK(gram_table_read(path, &csv, NULL, &t) == GRAM_ERR_PARSE);
    CHECK(strstr(gram_error_message(), ":3: a NUL byte: this is not text"));
}

/* A long table of all types; in row `odd` column x holds a word. */
static char *long_text(int rows, int odd)
{
    gi_buf b = {0};

    CHECK_OK(gi_buf_printf(NULL, &b, "x,s,when,t\n"));
    for (int i = 0; i < rows; i++) {
        if (i == odd)
            CHECK_OK(gi_buf_printf(NULL, &b, "odd"));
        else
            CHECK_OK(gi_buf_printf(NULL, &b, "%d.%04d", i % 977, i));
        CHECK_OK(gi_buf_printf(NULL, &b, ",%s,20%02d-01-%02d,\"t %d\"\n%s",
                               i % 3 ? "red" : "blue", i % 90, 1 + i % 28, i,
                               i % 1000 ? "" : "\n"));
    }
    return b.s;
}

static void check_same(const gram_table *a, const gram_table *b, size_t from)
{
    CHECK(gram_table_cols(a) == gram_table_cols(b));
    for (size_t j = 0; j < gram_table_cols(a); j++) {
        gram_column p = gram_table_column(a, j), q = gram_table_column(b, j);

        CHECK(p.type == q.type);
        for (size_t i = 0; i < gram_table_rows(b); i++)
            if (p.values)
                CHECK(p.values[from + i] == q.values[i]);
            else
                CHECK(strcmp(p.levels[p.codes[from + i]],
                             q.levels[q.codes[i]]) == 0);
    }
}

static void check_threads_and_pieces(int rows, int odd)
{
    char *text = long_text(rows, odd);
    const char *path = temporary_text("long.csv", text);
    const gram_exec one = {.threads = 1}, three = {.threads = 3};
    gram_table *a = NULL, *b = NULL, *piece = NULL;
    gram_reader *r = NULL;
    size_t at = 0;

    CHECK_OK(gram_table_read(path, NULL, &one, &a));
    CHECK_OK(gram_table_read(path, NULL, &three, &b));
    CHECK(gram_table_rows(a) == (size_t)rows);
    check_same(a, b, 0);
    CHECK_OK(gram_reader_open(path, NULL, &three, &r));
    for (;;) {
        CHECK_OK(gram_reader_next(r, 1717, &piece));
        if (!piece)
            break;
        CHECK(gram_table_rows(piece) <= 1717);
        check_same(a, piece, at);
        CHECK(gram_table_column(piece, 1).level_count == 2);
        at += gram_table_rows(piece);
        gram_table_free(piece);
    }
    CHECK(at == (size_t)rows);
    gram_reader_free(r);
    gram_table_free(a);
    gram_table_free(b);
    gi_buf_free(&(gi_buf){.s = text});
}

TEST(threads_and_pieces_give_the_same_table)
{
    check_threads_and_pieces(3000, -1);
    check_threads_and_pieces(3000, 2999);
}

/* The word comes windows after the guess from the first 8 MB. */
TEST(a_late_surprise_changes_the_type_of_its_column)
{
    gram_table *t = NULL;
    char *text = long_text(500000, 499990);
    const char *path = temporary_text("late.csv", text);

    CHECK_OK(gram_table_read(path, NULL, NULL, &t));
    CHECK(gram_table_rows(t) == 500000);
    CHECK(gram_table_column(t, 0).type == GRAM_TYPE_TEXT);
    CHECK_STR(string_at(t, 0, 499990), "odd");
    CHECK_STR(string_at(t, 0, 1), "1.0001");
    CHECK(gram_table_column(t, 2).type == GRAM_TYPE_DATE);
    gram_table_free(t);
    check_threads_and_pieces(500000, 499990);
    gi_buf_free(&(gi_buf){.s = text});
}

static int stop_at_once(void *user, double done)
{
    *(double *)user = done;
    return 1;
}

TEST(reading_can_be_cancelled_and_keeps_its_budget)
{
    char *text = long_text(3000, -1);
    const char *path = temporary_text("long.csv", text);
    double done = -1;
    const gram_exec stop = {.progress = stop_at_once, .user = &done};
    const gram_exec tight = {.memory = 100000};
    size_t used = gram_memory_used();
    gram_table *t = NULL;

    CHECK_FAILS(gram_table_read(path, NULL, &stop, &t), GRAM_ERR_CANCELLED,
                "cancelled");
    CHECK(done >= 0 && done <= 1);
    CHECK(gram_table_read(path, NULL, &tight, &t) == GRAM_ERR_MEMORY);
    CHECK(strstr(gram_error_message(), "the budget is"));
    CHECK(t == NULL && gram_memory_used() == used);
    gi_buf_free(&(gi_buf){.s = text});
}

TEST(a_line_of_ten_megabytes_is_read_and_a_longer_one_refused)
{
    enum { LONG_LINE = 10 << 20 };
    gi_buf b = {0};
    gram_table *t = NULL;
    const char *path;

    CHECK_OK(gi_buf_printf(NULL, &b, "a,b\n1,"));
    for (int i = 0; i < LONG_LINE; i += 16)
        CHECK_OK(gi_buf_add(NULL, &b, "xxxxxxxxxxxxxxxx", 16));
    CHECK_OK(gi_buf_printf(NULL, &b, "\n2,y\n"));
    path = temporary_text("wide.csv", b.s);
    CHECK_OK(gram_table_read(path, NULL, NULL, &t));
    CHECK(strlen(string_at(t, 1, 0)) == LONG_LINE);
    gram_table_free(t);
    b.n = 6;
    for (int i = 0; i < 70 << 20; i += 16)
        CHECK_OK(gi_buf_add(NULL, &b, "xxxxxxxxxxxxxxxx", 16));
    path = temporary_file("wide.csv", b.s, b.n);
    CHECK(gram_table_read(path, NULL, NULL, &t) == GRAM_ERR_PARSE);
    CHECK(strstr(gram_error_message(), ":2: a line longer than 64 MiB"));
    gi_buf_free(&b);
}

TESTS(SMALL(types_are_found_by_looking_at_the_cells),
      SMALL(many_different_strings_are_text_and_few_a_category),
      SMALL(levels_sort_as_numbers_then_text),
      SMALL(separators_headers_and_line_ends_are_found),
      SMALL(without_a_header_columns_are_numbered),
      SMALL(blank_separated_text_is_read),
      SMALL(columns_are_dropped_and_typed_by_name_index_range_and_pattern),
      SMALL(missing_cells_are_known_by_their_looks),
      SMALL(missing_policies_do_what_they_say),
      SMALL(every_bad_file_gets_its_sentence),
      SMALL(the_head_of_a_file_has_its_columns),
      SMALL(a_nul_byte_is_refused_with_its_line),
      SMALL(threads_and_pieces_give_the_same_table),
      NORMAL(a_late_surprise_changes_the_type_of_its_column),
      SMALL(reading_can_be_cancelled_and_keeps_its_budget),
      NORMAL(a_line_of_ten_megabytes_is_read_and_a_longer_one_refused))
