/* pivot.h - pivoted Cholesky of a positive semidefinite matrix that is known
 * by its diagonal and its rows: A ~ F F', F n x r.
 *
 * The largest remaining diagonal element is the next pivot (or a block of
 * them, for speed: see pivot.c).  For a singular A it ends at the rank; cut
 * off before, it is a preconditioner, or a low-rank approximation.
 */
#ifndef GI_PIVOT_H
#define GI_PIVOT_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* out[i*ld + j] = A(row[i], j) for m rows and all n columns. */
typedef gram_status (*gi_pivot_rows)(void *user, gi_run *run, const size_t *row,
                                     size_t m, double *out, size_t ld);

typedef struct gi_pivot {
    size_t n, rank;
    double *factor; /* n x rank, row-major: row pivot[k] is lower triangular */
    size_t ld;      /* at least rank */
    size_t *pivot;  /* rank of them, in order */
    double *diagonal; /* what is left of it: A - F F' */
    double trace;     /* its sum */
} gi_pivot;

/* Until all of the diagonal is at most max(tolerance, n u) * its largest
 * element at the start, or the rank is `most`.  Errors: NUMERIC (a diagonal
 * element that is negative at the start, not finite, or far below zero later),
 * MEMORY, CANCELLED, those of rows. */
gram_status gi_pivot_new(gi_run *run, size_t n, const double *diagonal,
                         gi_pivot_rows rows, void *user, double tolerance,
                         size_t most, gi_pivot **out);
void gi_pivot_free(gi_pivot *p);

#endif
