/* sample.h - a problem on some of its rows.
 */
#ifndef GI_SAMPLE_H
#define GI_SAMPLE_H

#include "solvers/solver.h"

typedef struct gi_sample {
    gi_problem problem; /* without K */
    const gi_points *x;
    gi_points *own_x; /* and what follows: NULL if these are all rows */
    double *y, *noise;
} gi_sample;

/* The m rows row[0] < row[1] < ... of a problem whose points are x; all of
 * them if m is p->n.  Borrows the problem's arrays in that case. */
gram_status gi_sample_new(gi_run *run, const gram_program *program,
                          const gi_points *x, const gi_problem *p,
                          const size_t *row, size_t m, gi_sample *out);
/* The same without points, of m < p->n rows. */
gram_status gi_sample_rows(gi_run *run, const gi_problem *p, const size_t *row,
                           size_t m, gi_sample *out);
void gi_sample_free(gi_sample *a); /* what is inside */

#endif
