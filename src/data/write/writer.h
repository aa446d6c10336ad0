/* writer.h - what a file format must provide to be written.
 *
 * A format is one gi_writer_<name> in a file write_*.c and one line
 * WRITER(name) in writers.def.  writer.c picks the class and opens and commits
 * the output.
 */
#ifndef GI_WRITER_H
#define GI_WRITER_H

#include "base/file.h"
#include "base/run.h"
#include "base/text.h"
#include "data/table/table.h"

typedef struct gi_writer_class {
    const char *name, *brief;
    const char *extensions; /* "csv" */
    int keeps_texts;        /* cells are written as they stood in the file */

    /* Write the whole table, which has columns; `name` is for messages. */
    gram_status (*write)(gi_run *run, const gram_table *t, const char *name,
                         gi_output *out);
} gi_writer_class;

/* Append the text of row i to b. */
typedef gram_status (*gi_row_text)(gi_run *run, const void *context, size_t i,
                                   gi_buf *b);

/* The text of all rows, made by the threads in blocks and written in order.
 * `cells` is about how many a row has.  Memory: some megabytes. */
gram_status gi_write_rows(gi_run *run, gi_output *out, size_t rows,
                          size_t cells, gi_row_text text, const void *context);

/* The number of columns if every sparse block is written densely.
 * Errors: SHAPE (a block wider than 100000). */
gram_status gi_dense_cols(const gram_table *t, const char *name, size_t *cols);

#endif
