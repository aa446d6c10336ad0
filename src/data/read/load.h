/* load.h - typed columns from records of text cells.
 *
 * CSV, ARFF and LIBSVM text differ in how a record is cut into cells.  What
 * happens to the cells is the same: every column's type is found by looking
 * at all cells, or given; blocks of records are parsed in parallel straight
 * into the table; strings are numbered block by block and merged in order, so
 * that nothing depends on the number of threads.
 *
 * Types are guessed from the first window and the table is filled at once; a
 * cell that contradicts the guess causes a survey of the whole file and a
 * second, final load.  A stream (rows in pieces) is surveyed before it starts.
 */
#ifndef GI_LOAD_H
#define GI_LOAD_H

#include <stdint.h>

#include "data/read/lines.h"
#include "data/read/reader.h"

/* One column of the file. */
typedef struct gi_field {
    const char *name;
    int dropped;
    int optional; /* dropped unless a survey finds a cell of it */
    int fixed;    /* the type is given: a cell that does not fit is an error */
    gram_type type; /* of the table's column */
    gram_role role;
    gi_dict levels; /* declared, or found by the survey of a stream */
    int closed;     /* cells must be one of `levels` (ARFF nominal) */
    /* set by load.c */
    int string;        /* cells are collected as strings */
    unsigned evidence; /* kinds of cells seen, GI_CELL_* bits */
    int verbatim;      /* the texts of cells are kept, too */
    size_t column;     /* of the table */
} gi_field;

enum {
    GI_CELL_MISSING = 1,
    GI_CELL_NUMBER = 2,
    GI_CELL_ODD = 4, /* a number that is refused: inf, a hexadecimal float */
    GI_CELL_DATE = 8,
    GI_CELL_OTHER = 16
};

/* The kind of the n bytes at s, which have no blanks around them. */
unsigned gi_cell_kind(const char *s, size_t n, int quoted);

/* Rows of a sparse block that one thread collects. */
typedef struct gi_entries {
    size_t *end; /* entries up to and with each row */
    unsigned *index;
    double *value;
    size_t n, capacity, rows_capacity;
    size_t width; /* largest index + 1 */
} gi_entries;

typedef struct gi_load gi_load;

/* A block while it is parsed, by one thread. */
typedef struct gi_work {
    gi_load *load;
    gi_text_block block;
    size_t line;      /* of the current record */
    size_t first;     /* table row of the block's first record */
    size_t rows;      /* records so far */
    double **values;  /* per field: where number cells of the block's rows go;
                         NULL if it is not of numbers, left out, or surveyed */
    gi_dict *strings; /* per field, likewise */
    unsigned *evidence;
    size_t *missing;
    gi_texts *texts;    /* per field; only those of verbatim ones are used */
    gi_entries entries; /* if the load has a sparse block */
    gi_buf scratch;     /* for cells that must be rewritten */
    gram_status status;
    int wrong_guess; /* a guessed type was wrong */
    char message[1024];
} gi_work;

struct gi_load {
    gram_reader *reader;
    gi_lines lines;
    gi_field *field;
    size_t fields;
    int sparse; /* rows also have sparse entries, in a last column */
    const char *sparse_name;
    size_t sparse_width;             /* at least; survey and ARFF header */
    const char *const *sparse_names; /* per feature, or NULL */
    uint64_t body; /* unpacked bytes before the first record */
    size_t body_line;
    void *context; /* of the format */

    /* Parse the records of w->block: for each, set w->line, hand over every
     * cell with gi_work_cell() and call gi_work_row(). */
    gram_status (*parse)(gi_work *w);

    /* set by load.c */
    enum { GI_LOAD_CELLS, GI_SURVEY_KINDS, GI_SURVEY_LEVELS } mode;
    gram_table *table; /* being filled */
    gi_work *work;     /* one per block of a window */
    size_t rows_hint;  /* estimate of the rows of the whole file */
};

/* Field f of the current record is the n bytes at s. */
gram_status gi_work_cell(gi_work *w, size_t f, const char *s, size_t n,
                         int quoted);

/* The same for a number that the format has put in w->values[f] itself: if the
 * field is verbatim, its text. */
gram_status gi_work_text(gi_work *w, size_t f, const char *s, size_t n);

/* An entry of the sparse block; indices ascend within a record. */
gram_status gi_work_entry(gi_work *w, unsigned index, double value);

/* The record is complete. */
gram_status gi_work_row(gi_work *w);

/* Fail with the sentence "file:line: ...", the line of the current record. */
gram_status gi_work_fail(gi_work *w, gram_status status, const char *format,
                         ...) GI_PRINTF(3, 4);

/* The arguments of "%.*s%s" that quote the n bytes at s, or the first 60. */
#define GI_QUOTE(s, n) ((n) > 60 ? 60 : (int)(n)), (s), ((n) > 60 ? "..." : "")

/* Find the types: from the first window if the whole table is read at once,
 * else from all of the file.  Call when everything above "set by load.c" is
 * set; the position of the input does not matter. */
gram_status gi_load_begin(gi_load *l);

/* reader.next of a text format. */
gram_status gi_load_next(gi_load *l, size_t rows, gram_table *t);

void gi_load_free(gi_load *l);

#endif
