/* table.h - the inside of a table: typed columns of equal length.
 *
 * Readers fill columns in place: gi_table_reserve() enlarges every column, the
 * reader writes values or codes there, then sets `rows`.
 * The strings of a category or text column are collected in `dict` in the
 * order of arrival, and gi_column_finish() turns that into levels.
 */
#ifndef GI_TABLE_H
#define GI_TABLE_H

#include "base/run.h"
#include "base/status.h"
#include "base/text.h"
#include "data/table/texts.h"

/* Rows of a sparse block in compressed form, see gram_column. */
typedef struct gi_sparse {
    size_t *start; /* one more than there are rows */
    unsigned *index;
    double *entries;
    size_t capacity; /* of index and entries */
    size_t width;
    const char **names; /* NULL: 1, 2, ...; the strings are in the column's
                           dict */
} gi_sparse;

typedef struct gi_column {
    char *name;
    gram_type type;
    gram_role role;
    int typed; /* its type was given, not inferred */
    size_t missing;
    double *values; /* number, date */
    int *codes;     /* category, text */
    gi_dict dict;   /* category, text: strings; sparse: feature names */
    const char **levels;
    size_t level_count;
    gi_sparse sparse;
    gi_texts texts; /* of the cells in the file, where they were asked for */
} gi_column;

struct gram_table {
    unsigned long serial; /* no two tables of a process have the same */
    char *file;           /* it was read from, for messages; or NULL */
    size_t rows, cols;
    size_t capacity;      /* rows that fit in every column */
    size_t cols_capacity; /* columns that fit in `column` */
    gi_column *column;
    gi_dict names; /* string j is the name of column j */
};

/* Add a column at the end, all cells unset, with the capacity of t; *out stays
 * valid until the next column is added.  Errors: NAME if the name is taken. */
gram_status gi_table_add(gi_run *run, gram_table *t, const char *name,
                         gram_type type, gi_column **out);

/* Undo the last gi_table_add. */
void gi_table_drop_last(gram_table *t);

/* Make the capacity at least `rows`. */
gram_status gi_table_reserve(gi_run *run, gram_table *t, size_t rows);

/* Remove all columns and rows. */
void gi_table_clear(gram_table *t);

/* Reduce the capacity to t->rows. */
void gi_table_trim(gram_table *t);

/* Make the capacity of a sparse column at least `entries`. */
gram_status gi_sparse_reserve(gi_run *run, gi_sparse *s, size_t entries);

/* Levels of a category (sorted by gi_name_compare, codes renumbered) or a text
 * column (as they came) from its dict; feature names of a sparse block. */
gram_status gi_column_finish(gi_run *run, gi_column *c, size_t rows);

/* The text of cell i in the file, or NULL: it was not kept, is that of the level,
 * or the cell was filled in. */
const char *gi_column_text(const gi_column *c, size_t i);

/* Count the missing cells again. */
void gi_column_count_missing(gi_column *c, size_t rows);

/* The end of sentences about a missing cell of a feature. */
#define GI_MISSING_CELL                                                        \
    "the cell is missing (--missing drop, mean or indicator says what to do)"

/* If the failure is about columns or cells, put the name of the file that t was
 * read from in front of its sentence, unless it is there. */
gram_status gi_table_context(gram_status status, const gram_table *t);

/* gram_table_folds() within a run. */
gram_status gi_table_folds(gi_run *run, const gram_table *table,
                           const gram_fold_options *options, int *fold,
                           size_t *count);

/* Keep the rows i with keep[i], in their order; the table shrinks. */
void gi_table_keep_rows(gram_table *t, const unsigned char *keep);

#endif
