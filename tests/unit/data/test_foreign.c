/* test_foreign.c - files of other programs are called by their names.
 */
#include "check.h"

#include "data/read/foreign.h"
#include "data/read/reader.h"

#define FORMATS "csv, npy"

/* "NAME: WHAT, not a format ...", or NULL: it is not known. */
static void check_file(const char *path, const char *head, size_t n,
                       const char *what)
{
    char start[128];
    gram_status status = gi_foreign_check(path, path, head, n, FORMATS);

    if (!what) {
        CHECK_OK(status);
        return;
    }
    CHECK(status == GRAM_ERR_PARSE);
    snprintf(start, sizeof start,
             "%s: %s, not a format gram reads data from (" FORMATS ")", path,
             what);
    if (strncmp(gram_error_message(), start, strlen(start)) != 0)
        fail_msg("%s, expected %s", gram_error_message(), start);
}

#define FILE_IS(path, head, what) check_file(path, head, sizeof head - 1, what)

TEST(signatures_are_known_whatever_the_name)
{
    FILE_IS("m.gram", "GRAM\r\n\1\2", "a model of gram");
    FILE_IS("a.model", "svm_type c_svc\n", "a model of LIBSVM");
    FILE_IS("a.csv", "PAR1\0\0", "a Parquet file");
    FILE_IS("a", "SQLite format 3\0", "an SQLite data base");
    FILE_IS("a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "an old Excel workbook");
    FILE_IS("a.csv.xz", "\xfd\x37zXZ\0", "an xz archive");
    FILE_IS("a.csv", "<!DOCTYPE html>\n", "a web page");
    FILE_IS("a.csv", "PAR", NULL);
    FILE_IS("a.csv", "", NULL);
}

TEST(zip_files_are_told_apart)
{
    /* local headers whose name has 5 and 19 bytes */
    static const char npz[] = "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                              "\0\0\0\0\5\0\0\0x.npy";
    static const char office[] = "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                 "\0\0\0\0\23\0\0\0[Content_Types].xml";

    FILE_IS("a.npz", npz, NULL);
    FILE_IS("a", npz, NULL);
    FILE_IS("a.npz", office, NULL); /* its reader has a better sentence */
    FILE_IS("a.xlsx", office, "an Excel workbook");
    FILE_IS("a.ods", office, "an OpenDocument spreadsheet");
    FILE_IS("a", office, "an Excel workbook or another Office document");
    check_file("a.zip", office, 40, "a zip archive without arrays");
}

TEST(json_is_no_csv_and_csv_no_json)
{
    FILE_IS("a.json", "[1, 2]", "JSON");
    FILE_IS("a.jsonl", "{}\n", "JSON");
    FILE_IS("a.txt", "\xef\xbb\xbf [\n  {\"x\": 1}\n]", "JSON");
    FILE_IS("-", "{\"x\": 1}\n", "JSON");
    FILE_IS("a.csv", "[1,2]\n", NULL);
    FILE_IS("a.json", "x,y\n1,2\n", NULL);
    FILE_IS("a.csv", "{", NULL);
    FILE_IS("a.csv", " ", NULL);
}

TEST(the_formats_named_are_those_there_are)
{
    static const char name[] = "foreign.bin";
    gram_table *t = NULL;
    FILE *f = fopen(name, "wb");

    CHECK(f && fwrite("PAR1", 1, 5, f) == 5 && fclose(f) == 0);
    CHECK(gram_table_read(name, NULL, NULL, &t) == GRAM_ERR_PARSE);
    for (size_t i = 0; gi_reader_class_at(i); i++)
        CHECK(strstr(gram_error_message(), gi_reader_class_at(i)->name));
    remove(name);
}

TESTS(SMALL(signatures_are_known_whatever_the_name),
      SMALL(zip_files_are_told_apart), SMALL(json_is_no_csv_and_csv_no_json),
      SMALL(the_formats_named_are_those_there_are))
