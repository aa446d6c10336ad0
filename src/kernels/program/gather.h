/* gather.h - the columns of a view in a table: found, read, mapped.
 */
#ifndef GI_GATHER_H
#define GI_GATHER_H

#include "kernels/program/program.h"

/* The column of a source, of the same type as in the table compiled for; of a
 * feature, the column it is in.  Errors: NAME, SHAPE. */
gram_status gi_source_find(const gi_source *s, const gram_table *t,
                           const gi_column **out);

/* Give the maps of a view that is being made their state: what is written in
 * the expression, or learned from the rows of `t`. */
gram_status gi_view_learn(const gram_program *p, gi_view *v,
                          const gram_table *t);

/* Let the maps of a view that have no divisors of its sparse block learn them;
 * then divide entries that were copied from one, of `rows` rows.  Errors: RANGE
 * (the result is not finite).  (divide.c) */
gram_status gi_divisors_learn(const gram_program *p, gi_view *v,
                              const gram_table *t);
gram_status gi_divisors_apply(const gi_view *v, size_t rows,
                              const size_t *start, const unsigned *index,
                              double *entries);

/* The index of the feature of that name, if `c` is sparse and has it: names
 * are 1, 2, ... if the block has none of its own. */
int gi_feature_find(const gi_column *c, const char *name, unsigned *feature);

/* The program's code of every level of a category column; of those that it
 * does not know -1, or, if `unseen`, its number of levels, one more, .... */
gram_status gi_levels_find(gi_run *run, const gi_source *s, const gi_column *c,
                           int unseen, int **code);

/* The dense numbers of all rows of t: rows x width, row-major.  With `unseen` a
 * level that is not known has a code of its own, or zeros for one-hot numbers.
 * Errors: NAME, SHAPE, RANGE (a cell that is missing, of a level never seen,
 * or outside the domain of a map or kernel, with its row and column). */
gram_status gi_view_gather(gi_run *run, const gram_program *p, const gi_view *v,
                           const gram_table *t, int unseen, double *out);

#endif
