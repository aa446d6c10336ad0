/* subset.h - some columns and rows of a table, as a table of their own.
 */
#ifndef GI_SUBSET_H
#define GI_SUBSET_H

#include "data/table/table.h"

/* A copy of the columns j with columns[j] (NULL: all) and the rows i with
 * keep[i] (NULL: all), roles included. */
gram_status gi_table_subset(gi_run *run, const gram_table *t,
                            const unsigned char *columns,
                            const unsigned char *keep, gram_table **out);

/* The columns of a with the rows of a, then those of b (NULL: none), found by
 * name.  Errors: NAME, SHAPE (a column of another type). */
gram_status gi_table_join(gi_run *run, const gram_table *a, const gram_table *b,
                          gram_table **out);

/* Row i of the column becomes its old row order[i].  (reorder.c) */
gram_status gi_column_reorder(gi_run *run, gi_column *c, const size_t *order,
                              size_t rows);

#endif
