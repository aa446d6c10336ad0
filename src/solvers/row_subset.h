/* row_subset.h - a problem on some of its rows.
 */
#ifndef GI_ROW_SUBSET_H
#define GI_ROW_SUBSET_H

#include "solvers/solver.h"

typedef struct gi_row_subset {
    gi_problem problem;
    gi_operator *K; /* of the problem; and what follows: NULL if these are all
                       rows */
    double *y, *noise;
} gi_row_subset;

/* The m rows row[0] < row[1] < ... of a problem; all of them if m is p->n.
 * Borrows the problem's operator and arrays in that case. */
gram_status gi_row_subset_new(gi_run *run, const gi_problem *p,
                              const size_t *row, size_t m, gi_row_subset *out);
void gi_row_subset_free(gi_row_subset *a); /* what is inside */

#endif
