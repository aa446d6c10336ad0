/* test_read_libsvm.c - LIBSVM text: exact tables, every sentence, and the
 * same bits from one thread, two threads, gzip and pieces.
 */
#include <zlib.h>

#include "base/mem.h"
#include "check.h"
#include "tables.h"

static const gram_read_options keep = {.format = "libsvm",
                                       .missing = GRAM_MISSING_KEEP};

static void reads_as(const char *text, const gram_read_options *options,
                     const char *expected)
{
    gram_table *t = NULL;
    gram_status status;
    char *whole, *pieces;

    CHECK(tables_write("train.svm", text, strlen(text)));
    CHECK_OK(gram_table_read("train.svm", options, NULL, &t));
    whole = tables_text(t);
    CHECK_STR(whole, expected);
    pieces = tables_stream("train.svm", options, NULL, 2, &status);
    CHECK_OK(status);
    CHECK_STR(pieces, expected);
    gram_table_free(t);
    free(whole);
    free(pieces);
    unlink("train.svm");
}

static void refuses(const char *text, const gram_read_options *options,
                    gram_status status, const char *sentence)
{
    gram_table *t = NULL;
    gram_status streamed;

    CHECK(tables_write("train.svm", text, strlen(text)));
    CHECK_FAILS(gram_table_read("train.svm", options, NULL, &t), status,
                sentence);
    CHECK(t == NULL);
    if (!strstr(sentence, "no rows")) {
        CHECK(!tables_stream("train.svm", options, NULL, 2, &streamed));
        CHECK_FAILS(streamed, status, sentence);
    }
    unlink("train.svm");
}

TEST(labels_and_features_are_read_exactly)
{
    reads_as("+1 1:0.5 3:-2e3\n-1 2:1 5:0.1\n", NULL,
             "label:number:target|features:sparse{5}\n"
             "1|1=0.5 3=-2000\n"
             "-1|2=1 5=0.10000000000000001\n");
    reads_as("+01e0 2147483647:7\n", &keep,
             "label:number:target|features:sparse{2147483647}\n"
             "1|2147483647=7\n");
}

TEST(blanks_comments_and_line_ends_do_not_matter)
{
    reads_as("\xef\xbb\xbf# made by hand\n\n  \t\n1\t1:2 \t 4:3  # four\r\n"
             "\t2  2:1\t\r\n   # nothing\n3#no features\n4",
             &keep,
             "label:number:target|features:sparse{4}\n"
             "1|1=2 4=3\n2|2=1\n3|\n4|\n");
}

TEST(values_are_the_nearest_doubles)
{
    enum { COUNT = 4000 };
    static double expected[COUNT];
    char *text = NULL;
    size_t n, stored = 0;
    FILE *out = open_memstream(&text, &n);
    gram_table *t = NULL;
    gram_column c;
    uint64_t seed = 1;

    fputs("1", out);
    for (unsigned k = 0; k < COUNT; k++) {
        static const char *const signs[] = {"", "-", "+", "-0", "00"};
        static const char *const exponents[] = {"", "", "e-3", "E+20"};
        char number[64];
        int before, after;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        before = (int)(seed >> 60);
        after = (int)(seed >> 55 & 15) + (before == 0);
        snprintf(number, sizeof number, "%s%.*s%s%.*s%s", signs[k % 5], before,
                 "912345678904673", after ? "." : "", after, "0270859375112600",
                 exponents[seed >> 40 & 3]);
        expected[k] = strtod(number, NULL);
        fprintf(out, " %u:%s", k + 1, number);
    }
    fclose(out);
    CHECK(tables_write("train.svm", text, n));
    CHECK_OK(gram_table_read("train.svm", &keep, NULL, &t));
    c = gram_table_column(t, 1);
    for (size_t k = 0; k < COUNT; k++)
        if (expected[k] != 0) {
            CHECK(c.index[stored] == k && c.entries[stored] == expected[k]);
            stored++;
        }
    CHECK(stored == c.start[1]);
    gram_table_free(t);
    free(text);
    unlink("train.svm");
}

TEST(zeros_widen_the_block_but_are_not_stored)
{
    reads_as("1 1:0 2:5 7:-0.0\n0 1:0e5\n", &keep,
             "label:number:target|features:sparse{7}\n1|2=5\n0|\n");
}

TEST(several_labels_make_a_category)
{
    reads_as("1,3 1:1\n2 2:1\n1,3\n", &keep,
             "label:category:target{2,1,3}|features:sparse{2}\n"
             "1,3|1=1\n2|2=1\n1,3|\n");
}

TEST(a_row_without_label_has_a_missing_one)
{
    reads_as("1 1:1\n 2:3\n", &keep,
             "label:number:target|features:sparse{2}\n1|1=1\n?|2=3\n");
}

TEST(query_ids_make_a_group_column)
{
    reads_as("3 qid:1 1:1\n2 qid:10 # x\n", &keep,
             "label:number:target|qid:number:group|features:sparse{1}\n"
             "3|1|1=1\n2|10|\n");
}

TEST(columns_are_dropped_and_typed_on_demand)
{
    gram_read_options o = keep;

    o.drop = "qid";
    o.types = "label=category";
    reads_as("3 qid:1 1:1\n2 qid:10\n", &o,
             "label:category:target{2,3}|features:sparse{1}\n3|1=1\n2|\n");
    o.drop = "label,features";
    o.types = "qid=text";
    reads_as("3 qid:1 1:1\n2 qid:10\n", &o, "qid:text:group\n1\n10\n");
    o.types = "features=number";
    refuses("1 1:1\n", &o, GRAM_ERR_RANGE,
            "train.svm: column \"features\" is a sparse block, cannot be "
            "number");
}

TEST(bad_rows_are_refused_with_their_line)
{
    static const struct {
        const char *text;
        gram_status status;
        const char *sentence;
    } cases[] = {
        {"1 1:1\n\n1 5:1 3:1\n", GRAM_ERR_RANGE,
         "train.svm:3: feature index 3 after 5, must increase"},
        {"1 5:1 5:1", GRAM_ERR_RANGE,
         "train.svm:1: feature index 5 after 5, must increase"},
        {"1 0:1\n", GRAM_ERR_RANGE,
         "train.svm:1: feature index 0, must be at least 1"},
        {"1 2147483648:1\n", GRAM_ERR_RANGE,
         "train.svm:1: feature index 2147483648, must be at most 2147483647"},
        {"1 99999999999999999999:1\n", GRAM_ERR_RANGE,
         "train.svm:1: feature index 99999999999999999999, must be at most "
         "2147483647"},
        {"#\n1 1:1\nabc 1:1\n", GRAM_ERR_PARSE,
         "train.svm:3: \"abc\" is not a label"},
        {"1,x 1:1\n", GRAM_ERR_PARSE, "train.svm:1: \"1,x\" is not a label"},
        {"1, 1:1\n", GRAM_ERR_PARSE, "train.svm:1: \"1,\" is not a label"},
        {"1e999 1:1\n", GRAM_ERR_PARSE,
         "train.svm:1: \"1e999\" is not a label"},
        {"0x1 1:1\n", GRAM_ERR_PARSE, "train.svm:1: \"0x1\" is not a label"},
        {"1 5:nan\n", GRAM_ERR_RANGE,
         "train.svm:1: feature 5: \"nan\" is not a finite number"},
        {"1 5:1e999\n", GRAM_ERR_RANGE,
         "train.svm:1: feature 5: \"1e999\" is not a finite number"},
        {"1 5:0x10\n", GRAM_ERR_RANGE,
         "train.svm:1: feature 5: \"0x10\" is not a finite number"},
        {"1 5: 2\n", GRAM_ERR_RANGE,
         "train.svm:1: feature 5: \"\" is not a finite number"},
        {"1 5:1,2\n", GRAM_ERR_RANGE,
         "train.svm:1: feature 5: \"1,2\" is not a finite number"},
        {"1 5 6:1\n", GRAM_ERR_PARSE, "train.svm:1: \"5\" is not index:value"},
        {"1 :5\n", GRAM_ERR_PARSE, "train.svm:1: \":5\" is not index:value"},
        {"1 -1:5\n", GRAM_ERR_PARSE,
         "train.svm:1: \"-1:5\" is not index:value"},
        {"1 1:1 qid:3\n", GRAM_ERR_PARSE,
         "train.svm:1: \"qid:3\" is not index:value"},
        {"1 qid:1 1:1\n1 1:1\n", GRAM_ERR_PARSE,
         "train.svm:2: no qid here, but the first row has it"},
        {"1 1:1\n1 qid:1 1:1\n", GRAM_ERR_PARSE,
         "train.svm:2: qid here, but not in the first row"},
        {"1 qid:x 1:1\n", GRAM_ERR_PARSE,
         "train.svm:1: qid \"x\", must be a whole number up to "
         "9007199254740992"},
        {"1 qid:9007199254740993 1:1\n", GRAM_ERR_PARSE,
         "train.svm:1: qid \"9007199254740993\", must be a whole number up to "
         "9007199254740992"},
        {"", GRAM_ERR_PARSE, "train.svm: no rows"},
        {"# nothing\n\n", GRAM_ERR_PARSE, "train.svm: no rows"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refuses(cases[k].text, &keep, cases[k].status, cases[k].sentence);
}

TEST(long_items_are_cut_in_sentences)
{
    char text[256] = "1 ";

    memset(text + 2, 'x', 100);
    refuses(
        text, &keep, GRAM_ERR_PARSE,
        "train.svm:1: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxx...\" is not index:value");
}

TEST(the_content_tells_the_format)
{
    gram_table *t = NULL;
    static const struct {
        const char *text;
        int libsvm;
    } cases[] = {
        {"1 1:2\n", 1},      {"# c\n\n-1 3:0.5", 1}, {"1,2 qid:3 1:1\n", 1},
        {"1,2,3\n4,5,6", 0}, {"1 2 3\n4 5 6\n", 0},  {"a 1:2\nb 2:3\n", 0},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(tables_write("data", cases[k].text, strlen(cases[k].text)));
        CHECK_OK(gram_table_read("data", NULL, NULL, &t));
        CHECK((strcmp(gram_table_column(t, 0).name, "label") == 0) ==
              cases[k].libsvm);
        gram_table_free(t);
    }
    unlink("data");
}

/* Rows with about 12 entries, blank lines and comments among them; the last
 * row has two labels, so that the guess from the first window is wrong. */
static char *generate(size_t rows, size_t *n)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n);
    unsigned seed = 1;

    for (size_t i = 0; i < rows; i++) {
        unsigned index = 0;

        fprintf(out, i % 3 ? "%zu" : "-%zu.5", i % 11);
        for (int k = 0; k < 12; k++) {
            seed = seed * 1664525u + 1013904223u;
            index += 1 + seed % 1000;
            fprintf(out, " %u:%.*g", index, (int)(seed >> 20) % 17 + 1,
                    (double)seed / 7e8);
        }
        fputs(i % 50 ? "\n" : "\n\n# comment\n", out);
    }
    fputs("1,2 5:1\n", out);
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
    size_t n = 0, rows = check_size() == CHECK_SMALL ? 5000 : 60000;
    char *text = generate(rows, &n), *one, *two, *packed, *pieces;
    gram_status status;
    gzFile gz;

    CHECK(tables_write("big.svm", text, n));
    gz = gzopen("big.svm.gz", "wb1");
    CHECK(gz && gzwrite(gz, text, (unsigned)n) == (int)n && !gzclose(gz));
    one = read_with("big.svm", 1);
    two = read_with("big.svm", 2);
    packed = read_with("big.svm.gz", 2);
    pieces = tables_stream("big.svm.gz", &keep, NULL, 777, &status);
    CHECK_OK(status);
    CHECK_STR(one, two);
    CHECK_STR(one, packed);
    CHECK_STR(one, pieces);
    free(text);
    free(one);
    free(two);
    free(packed);
    free(pieces);
    unlink("big.svm");
    unlink("big.svm.gz");
}

TEST(no_failed_allocation_is_overlooked)
{
    const char *text = "1,2 qid:1 1:1 # c\n2 qid:2 3:5\n";
    gram_exec exec = {.threads = 1};
    gram_table *t = NULL;
    gram_status status = GRAM_ERR_MEMORY;

    CHECK(tables_write("train.svm", text, strlen(text)));
    for (size_t n = 1; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gram_table_read("train.svm", &keep, &exec, &t);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || (status == GRAM_ERR_MEMORY && !t));
        CHECK(n < 1000);
    }
    gram_table_free(t);
    unlink("train.svm");
}

TESTS(SMALL(labels_and_features_are_read_exactly),
      SMALL(blanks_comments_and_line_ends_do_not_matter),
      SMALL(values_are_the_nearest_doubles),
      SMALL(zeros_widen_the_block_but_are_not_stored),
      SMALL(several_labels_make_a_category),
      SMALL(a_row_without_label_has_a_missing_one),
      SMALL(query_ids_make_a_group_column),
      SMALL(columns_are_dropped_and_typed_on_demand),
      SMALL(bad_rows_are_refused_with_their_line),
      SMALL(long_items_are_cut_in_sentences),
      SMALL(the_content_tells_the_format),
      SMALL(no_failed_allocation_is_overlooked),
      SMALL(threads_gzip_and_pieces_give_the_same_bits))
