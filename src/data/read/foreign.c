/* foreign.c - files of other programs that are taken for tables.
 *
 * Spreadsheets, data bases and archives have a signature in their first bytes.
 * Without this check a workbook would be a zip file without arrays, JSON a CSV
 * file with strange quotes, and an error page of a server a column of text.
 * The name of the file is used only for zip files, which many formats are; text
 * is read whatever its name is.
 */
#include "data/read/foreign.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"

/* What the user can do about it; NULL: nothing simple. */
#define SAVE "save it as CSV"
#define UNPACK "unpack it first, only gzip is unpacked on the way"

typedef struct signature {
    const char *what, *bytes;
    size_t length, at;
    const char *instead;
} signature;

/* sizeof counts the NUL at the end of the bytes. */
#define AT(at, what, bytes, instead)                                           \
    {                                                                          \
        what, bytes, sizeof bytes - 1, at, instead                             \
    }
#define START(what, bytes, instead) AT(0, what, bytes, instead)

static const signature signatures[] = {
    START("a model of gram", "GRAM\r\n", NULL),
    START("a model of LIBSVM", "svm_type ", NULL),
    START("an old Excel workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", SAVE),
    START("a Parquet file", "PAR1", SAVE),
    START("an Arrow file", "ARROW1", SAVE),
    START("a Feather file", "FEA1", SAVE),
    START("an HDF5 file", "\x89HDF\r\n", SAVE),
    START("an SQLite data base", "SQLite format 3", SAVE),
    START("a MATLAB file", "MATLAB 5.0 MAT-file", SAVE),
    START("an R data file", "X\n\0\0\0", SAVE),
    START("an R data file", "RDX", SAVE),
    START("a Stata file", "<stata_dta>", SAVE),
    START("a pickle of Python", "\x80\x04\x95", SAVE),
    START("a pickle of Python", "\x80\x05\x95", SAVE),
    START("a PDF document", "%PDF-", NULL),
    START("a picture", "\x89PNG\r\n", NULL),
    START("a picture", "\xff\xd8\xff", NULL),
    START("XML", "<?xml", NULL),
    START("a web page", "<!DOCTYPE", NULL),
    START("a web page", "<!doctype", NULL),
    START("a web page", "<html", NULL),
    START("a bzip2 archive", "BZh", UNPACK),
    START("an xz archive",
          "\xfd"
          "7zXZ",
          UNPACK),
    START("a zstd archive", "\x28\xb5\x2f\xfd", UNPACK),
    START("a 7z archive", "7z\xbc\xaf\x27\x1c", UNPACK),
    AT(257, "a tar archive", "ustar", UNPACK),
};

/* What zip files are, by their names. */
static const struct {
    const char *extensions, *what, *instead;
} zips[] = {
    {"xlsx,xlsm,xlsb", "an Excel workbook", SAVE},
    {"ods", "an OpenDocument spreadsheet", SAVE},
    {"docx,pptx,odt,odp", "an Office document", SAVE},
};

static gram_status refuse(const char *name, const char *what,
                          const char *formats, const char *instead)
{
    return gi_fail(GRAM_ERR_PARSE,
                   "%s: %s, not a format gram reads data from (%s)%s%s", name,
                   what, formats, instead ? "; " : "", instead ? instead : "");
}

/* The name of the first member comes after its header of 30 bytes; NumPy's are
 * called NAME.npy.  A file called .npz is left to its reader. */
static int is_foreign_zip(const char *path, const char *head, size_t n)
{
    enum { LENGTH = 26, NAME = 30 };
    const unsigned char *h = (const unsigned char *)head;

    if (n < NAME || memcmp(head, "PK\3\4", 4) != 0 ||
        gi_path_has_extension(path, "npz"))
        return 0;
    size_t end = NAME + h[LENGTH] + 256u * h[LENGTH + 1];
    return end > n || end < NAME + 4 || memcmp(head + end - 4, ".npy", 4) != 0;
}

static gram_status refuse_zip(const char *path, const char *name,
                              const char *head, size_t n, const char *formats)
{
    static const char office[] = "[Content_Types].xml";

    for (size_t i = 0; i < sizeof zips / sizeof *zips; i++)
        if (gi_path_has_extension(path, zips[i].extensions))
            return refuse(name, zips[i].what, formats, zips[i].instead);
    if (memmem(head, n < 4096 ? n : 4096, office, sizeof office - 1))
        return refuse(name, "an Excel workbook or another Office document",
                      formats, SAVE);
    return refuse(name, "a zip archive without arrays", formats, UNPACK);
}

/* An object or a list of objects, lists or strings; with the name of JSON any
 * object or list. */
static int is_json(const char *path, const char *head, size_t n)
{
    size_t i = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (i < n && isspace((unsigned char)head[i]))
        i++;
    if (i >= n || (head[i] != '{' && head[i] != '['))
        return 0;
    if (gi_path_has_extension(path, "json,jsonl,ndjson,geojson"))
        return 1;
    for (i++; i < n && isspace((unsigned char)head[i]);)
        i++;
    return i < n && strchr("\"{[", head[i]) && head[i];
}

gram_status gi_foreign_check(const char *path, const char *name,
                             const char *head, size_t n, const char *formats)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];

        if (s->at + s->length <= n &&
            memcmp(head + s->at, s->bytes, s->length) == 0)
            return refuse(name, s->what, formats, s->instead);
    }
    if (is_foreign_zip(path, head, n))
        return refuse_zip(path, name, head, n, formats);
    return is_json(path, head, n) ? refuse(name, "JSON", formats, SAVE)
                                  : GRAM_OK;
}
