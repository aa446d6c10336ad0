/* test_read_arff.c - ARFF: exact tables, dense and sparse, every sentence, and
 * the same bits from one thread, two threads, gzip and pieces.
 */
#include <zlib.h>

#include "base/mem.h"
#include "check.h"
#include "tables.h"

static const gram_read_options keep = {.missing = GRAM_MISSING_KEEP};

static void reads_as(const char *text, const gram_read_options *options,
                     const char *expected)
{
    gram_table *t = NULL;
    gram_status status;
    char *whole, *pieces;

    CHECK(tables_write("x.arff", text, strlen(text)));
    CHECK_OK(gram_table_read("x.arff", options, NULL, &t));
    whole = tables_text(t);
    CHECK_STR(whole, expected);
    pieces = tables_stream("x.arff", options, NULL, 2, &status);
    CHECK_OK(status);
    CHECK_STR(pieces, expected);
    gram_table_free(t);
    free(whole);
    free(pieces);
    unlink("x.arff");
}

static void refuses(const char *text, gram_status status, const char *sentence)
{
    const gram_read_options options = {.format = "arff",
                                       .missing = GRAM_MISSING_KEEP};
    gram_table *t = NULL;
    gram_status streamed;

    CHECK(tables_write("x.arff", text, strlen(text)));
    CHECK_FAILS(gram_table_read("x.arff", &options, NULL, &t), status,
                sentence);
    CHECK(t == NULL);
    CHECK(!tables_stream("x.arff", &options, NULL, 2, &streamed));
    CHECK_FAILS(streamed, status, sentence);
    unlink("x.arff");
}

TEST(dense_rows_are_read_exactly)
{
    reads_as("% a comment\n"
             "@RELATION weather\n"
             "\n"
             "@Attribute outlook {sunny, overcast, rainy}\n"
             "@attribute 'air temperature' REAL [0, 100]\n"
             "@attribute note string % what was seen\n"
             "@attribute day date \"yyyy-MM-dd HH:mm:ss\"\n"
             "@attribute play{yes,'not at all'}\r\n"
             "@DATA\n"
             "sunny, 85.5, 'a \\'b\\',\\tc', ?, yes\n"
             "% in between\n"
             "rainy ,\t-1e2 ,cold and wet,\"1970-01-02 12:00:00\",'not at all'"
             "  % late\r\n"
             "\n"
             "?\t?\t?,1969-12-31,yes",
             &keep,
             "outlook:category{overcast,rainy,sunny}|air temperature:number|"
             "note:text|day:date|play:category{not at all,yes}\n"
             "sunny|85.5|a 'b',\tc|?|yes\n"
             "rainy|-100|cold and wet|1.5|not at all\n"
             "?|?|?|-1|yes\n");
}

TEST(only_an_unquoted_question_mark_is_missing)
{
    reads_as("\xef\xbb\xbf@relation r\n@attribute a {NA, '?', 50%, ''}\n"
             "@attribute s string\n@data\n"
             "NA, null\n'?',NaN\n50%,'?'\n'',\"\"\n?,?\n",
             &keep,
             "a:category{,50%,?,NA}|s:text\n"
             "NA|null\n?|NaN\n50%|?\n|\n?|?\n");
}

TEST(sparse_rows_gather_the_numbers)
{
    reads_as("@relation r\n@attribute a numeric\n@attribute c {x, y}\n"
             "@attribute b integer\n@attribute s string\n"
             "@attribute d date yyyy-MM-dd\n@attribute e real\n@data\n"
             "{0 1.5, 1 y, 5 -2}\n"
             "{ }\n"
             "{2 0,3 'a b' , 4 1970-01-11}\n"
             "{1 ?,5 7} % end\n",
             &keep,
             "c:category{x,y}|s:text|d:date|features:sparse{3}\n"
             "y|?|0|a=1.5 e=-2\n"
             "x|?|0|\n"
             "x|a b|10|\n"
             "?|?|0|e=7\n");
}

TEST(a_type_that_is_asked_for_wins)
{
    gram_read_options o = keep;

    o.types = "b=number,c=text";
    o.drop = "a";
    reads_as("@relation r\n@attribute a numeric\n@attribute b numeric\n"
             "@attribute c {1, 2}\n@attribute e numeric\n@data\n"
             "{0 1,1 5}\n{2 2,3 4}\n",
             &o, "b:number|c:text|features:sparse{1}\n5|1|\n0|2|e=4\n");
    o.types = "b=category,c=number";
    reads_as("@relation r\n@attribute a numeric\n@attribute b numeric\n"
             "@attribute c {1, 2}\n@data\n1,2.5,2\n?,?,1\n",
             &o, "b:category{2.5}|c:number\n2.5|2\n?|1\n");
}

TEST(weights_make_a_column_if_there_are_any)
{
    gram_read_options o = keep;
    const char *dense = "@relation r\n@attribute a numeric\n@data\n"
                        "1\n2, {0.25}\n3\t{ 4 }\n";

    reads_as(dense, &keep, "a:number|weight:number:weight\n1|1\n2|0.25\n3|4\n");
    reads_as("@relation r\n@attribute a numeric\n@data\n"
             "{0 1}\n{}, {0}\n{0 3}{2} % two\n",
             &keep,
             "weight:number:weight|features:sparse{1}\n1|a=1\n0|\n2|a=3\n");
    o.drop = "weight";
    reads_as(dense, &o, "a:number\n1\n2\n3\n");
}

#define HEADER "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n"

TEST(bad_rows_are_refused_with_their_line)
{
    static const struct {
        const char *rows;
        gram_status status;
        const char *sentence;
    } cases[] = {
        {"1,x\n\n2,foo\n", GRAM_ERR_PARSE,
         "x.arff:7: column \"c\": \"foo\" is not one of x, y"},
        {"one,x\n", GRAM_ERR_PARSE,
         "x.arff:5: column \"a\": \"one\" is not a number"},
        {"1\n", GRAM_ERR_PARSE, "x.arff:5: 1 cell, must be 2"},
        {"1,x,3\n", GRAM_ERR_PARSE, "x.arff:5: more than 2 cells, must be 2"},
        {"1,x,\n", GRAM_ERR_PARSE, "x.arff:5: more than 2 cells, must be 2"},
        {",x\n", GRAM_ERR_PARSE,
         "x.arff:5: column \"a\": no value, must be one, or ? if it is "
         "missing"},
        {"1,'x\n", GRAM_ERR_PARSE,
         "x.arff:5: a quote is opened and never closed"},
        {"'1' 2,x\n", GRAM_ERR_PARSE,
         "x.arff:5: \"2,x\" follows a quoted value, must be a comma"},
        {"1,x\n{0 1}\n", GRAM_ERR_PARSE,
         "x.arff:6: a sparse row, but the first row is dense"},
        {"{0 1}\n1,x\n", GRAM_ERR_PARSE,
         "x.arff:6: a dense row, but the first row is sparse"},
        {"{1 x,0 1}\n", GRAM_ERR_RANGE,
         "x.arff:5: attribute index 0 after 1, must increase"},
        {"{0 1,0 1}\n", GRAM_ERR_RANGE,
         "x.arff:5: attribute index 0 after 0, must increase"},
        {"{2 1}\n", GRAM_ERR_RANGE,
         "x.arff:5: attribute index 2, must be below 2"},
        {"{18446744073709551616 1}\n", GRAM_ERR_RANGE,
         "x.arff:5: attribute index 18446744073709551616, must be below 2"},
        {"{a 1}\n", GRAM_ERR_PARSE,
         "x.arff:5: \"a 1}\" is not an index and a value"},
        {"{0}\n", GRAM_ERR_PARSE,
         "x.arff:5: \"0}\" is not an index and a value"},
        {"{0 }\n", GRAM_ERR_PARSE,
         "x.arff:5: column \"a\": no value, must be one, or ? if it is "
         "missing"},
        {"{0 1\n", GRAM_ERR_PARSE,
         "x.arff:5: \"\" in a sparse row, must be , or }"},
        {"{0 ?}\n", GRAM_ERR_RANGE,
         "x.arff:5: column \"a\": \"?\" in a sparse row, must be a finite "
         "number"},
        {"{0 1} 5\n", GRAM_ERR_PARSE,
         "x.arff:5: \"5\" is left over at the end of the row"},
        {"1,x,{-1}\n", GRAM_ERR_RANGE,
         "x.arff:5: weight \"-1\", must be a number of at least 0"},
        {"1,x,{1\n", GRAM_ERR_PARSE,
         "x.arff:5: a weight {w} must end the row, and } the weight"},
        {"1,x,{1},2\n", GRAM_ERR_PARSE,
         "x.arff:5: a weight {w} must end the row, and } the weight"},
        {"\n% none\n", GRAM_ERR_PARSE, "x.arff: no rows"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[256];

        snprintf(text, sizeof text, "%s%s", HEADER, cases[k].rows);
        refuses(text, cases[k].status, cases[k].sentence);
    }
}

TEST(bad_headers_are_refused_with_their_line)
{
    static const struct {
        const char *text;
        gram_status status;
        const char *sentence;
    } cases[] = {
        {"", GRAM_ERR_PARSE, "x.arff: no @data line"},
        {"@relation r\n", GRAM_ERR_PARSE, "x.arff: no @data line"},
        {"@relation r\n@data\n1\n", GRAM_ERR_PARSE,
         "x.arff:2: @data before any @attribute"},
        {"@attribute a real\n@data 1\n", GRAM_ERR_PARSE,
         "x.arff:2: \"1\" is left over behind @data"},
        {"@attribute a real\n@data", GRAM_ERR_PARSE, "x.arff: no rows"},
        {"\n1,2,3\n", GRAM_ERR_PARSE,
         "x.arff:2: \"1,2,3\" is not @relation, @attribute or @data"},
        {"@attribute\n", GRAM_ERR_PARSE, "x.arff:1: @attribute without a name"},
        {"@attribute a real\n@attribute 'a' {x}\n", GRAM_ERR_NAME,
         "x.arff:2: two attributes are called \"a\""},
        {"@attribute a relational\n", GRAM_ERR_PARSE,
         "x.arff:1: attribute \"a\": type \"relational\", must be numeric, "
         "real, integer, string, date or {a, b, ...}"},
        {"@attribute a {x, y\n", GRAM_ERR_PARSE,
         "x.arff:1: attribute \"a\": the list { is not closed by }"},
        {"@attribute a real numbers\n", GRAM_ERR_PARSE,
         "x.arff:1: \"numbers\" is left over behind the attribute's type"},
        {"@attribute d date 'dd/MM/yyyy'\n", GRAM_ERR_PARSE,
         "x.arff:1: attribute \"d\": date format \"dd/MM/yyyy\", must be "
         "yyyy-MM-dd or \"yyyy-MM-dd HH:mm:ss\""},
        {"@attribute 'a real\n", GRAM_ERR_PARSE,
         "x.arff:1: a quote is opened and never closed"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refuses(cases[k].text, cases[k].status, cases[k].sentence);
}

/* Dense or sparse rows; only the last has a weight, so that the guess from the
 * first window is wrong. */
static char *generate(size_t rows, int sparse, size_t *n)
{
    static const char *const formats[] = {"%.*g,%c,'s %0150u'\n",
                                          "{0 %.*g, 1 %c, 2 's %0150u'}\n"};
    char *text = NULL;
    FILE *out = open_memstream(&text, n);
    unsigned seed = 1;

    fputs("@relation big\n@attribute x real\n@attribute c {a,b,c,d}\n"
          "@attribute s string\n@data\n",
          out);
    for (size_t i = 0; i < rows; i++) {
        seed = seed * 1664525u + 1013904223u;
        fprintf(out, formats[sparse], (int)(seed >> 20) % 17 + 1,
                (double)seed / 7e8, 'a' + (int)(seed >> 8) % 4,
                (seed >> 12) % 999);
        if (i % 50 == 0)
            fputs("\n% comment\n", out);
    }
    fputs(sparse ? "{0 1}, {2}\n" : "1,a,?,{2}\n", out);
    fclose(out);
    return text;
}

static char *read_with(const char *path, int threads)
{
    gram_exec exec = {.threads = threads};
    gram_table *t = NULL;
    char *text;

    CHECK_OK(gram_table_read(path, &keep, &exec, &t));
    text = tables_text(t);
    gram_table_free(t);
    return text;
}

TEST(threads_gzip_and_pieces_give_the_same_bits)
{
    /* more than one window of 8 MB */
    size_t rows = check_size() == CHECK_SMALL ? 5000 : 55000;

    for (int sparse = 0; sparse < 2; sparse++) {
        size_t n = 0;
        char *text = generate(rows, sparse, &n), *one, *two, *packed, *pieces;
        gram_status status;
        gzFile gz;

        CHECK(tables_write("big.arff", text, n));
        gz = gzopen("big.arff.gz", "wb1");
        CHECK(gz && gzwrite(gz, text, (unsigned)n) == (int)n && !gzclose(gz));
        one = read_with("big.arff", 1);
        two = read_with("big.arff", 2);
        packed = read_with("big.arff.gz", 2);
        pieces = tables_stream("big.arff", &keep, NULL, 777, &status);
        CHECK_OK(status);
        CHECK(strstr(one, "|weight:number:weight"));
        CHECK_STR(one, two);
        CHECK_STR(one, packed);
        CHECK_STR(one, pieces);
        free(text);
        free(one);
        free(two);
        free(packed);
        free(pieces);
    }
    unlink("big.arff");
    unlink("big.arff.gz");
}

TEST(no_failed_allocation_is_overlooked)
{
    const char *text =
        "@relation r\n@attribute a real\n@attribute 'c\\'s' {x,y}\n"
        "@attribute s string\n@data\n{0 1,2 't\\n'}\n{}, {2}\n";
    gram_exec exec = {.threads = 1};
    gram_table *t = NULL;
    gram_status status = GRAM_ERR_MEMORY;

    CHECK(tables_write("x.arff", text, strlen(text)));
    for (size_t n = 1; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_table_read("x.arff", &keep, &exec, &t);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || (status == GRAM_ERR_MEMORY && !t));
        CHECK(n < 1000);
    }
    gram_table_free(t);
    unlink("x.arff");
}

TESTS(SMALL(dense_rows_are_read_exactly),
      SMALL(only_an_unquoted_question_mark_is_missing),
      SMALL(sparse_rows_gather_the_numbers),
      SMALL(a_type_that_is_asked_for_wins),
      SMALL(weights_make_a_column_if_there_are_any),
      SMALL(bad_rows_are_refused_with_their_line),
      SMALL(bad_headers_are_refused_with_their_line),
      SMALL(no_failed_allocation_is_overlooked),
      SMALL(threads_gzip_and_pieces_give_the_same_bits))
