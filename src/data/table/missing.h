/* missing.h - what is filled in for missing cells: learned from the rows of one
 * table, used on them and on the rows of others.
 */
#ifndef GI_MISSING_H
#define GI_MISSING_H

#include "data/table/table.h"

/* Of one number, date or category column. */
typedef struct gi_fill {
    char *column;  /* its name */
    double value;  /* number, date: the mean; NaN: every cell was missing */
    char *level;   /* category: the most frequent one, or "(missing)"; NULL:
                      every cell was missing, or no category */
    int indicated; /* a 0/1 column NAME_missing goes with it */
} gi_fill;

typedef struct gi_fills {
    gram_missing policy;
    gi_fill *fill;
    size_t count;
} gi_fills;

/* Learn from the features of a table, also from those without missing cells.
 * With INDICATOR, columns with missing cells get an indicator, or a level for
 * them. */
gram_status gi_fills_learn(gi_run *run, const gram_table *t,
                           gram_missing policy, gi_fills *out);
gram_status gi_fills_copy(gi_run *run, const gi_fills *from, gi_fills *to);
void gi_fills_free(gi_fills *f); /* what is inside */

/* Forget the fills of columns of which t has neither the column nor its
 * indicator. */
void gi_fills_restrict(gi_fills *f, const gram_table *t);

/* Fill the columns of t that are known, and add the indicators that it does
 * not have yet.  Errors: NAME (an indicated column is not there), RANGE
 * (nothing to fill in). */
gram_status gi_fills_apply(gi_run *run, const gi_fills *f, gram_table *t);

/* whole[i]: row i has no missing cell in the columns j with columns[j] (NULL:
 * all).  Returns how many rows have none. */
size_t gi_table_whole_rows(const gram_table *t, const unsigned char *columns,
                           unsigned char *whole);

/* A sentence on the first missing cell, row by row, of columns that cannot be
 * filled in, or of all.  `name`, which may be NULL, stands in front of it; the
 * first row is row `before` + 1. */
gram_status gi_table_refuse_missing(const gram_table *t, int all,
                                    const char *name, size_t before);

/* Carry out a policy: AUTO refuses. */
gram_status gi_table_fill_missing(gi_run *run, gram_table *t,
                                  gram_missing policy, const char *name,
                                  size_t before);

#endif
