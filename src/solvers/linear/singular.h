/* singular.h - a positive semidefinite matrix that is singular to rounding,
 * by its pivots.
 *
 * Pivoted Cholesky gives A = F F', F n x r; with F_p = L its rows at the
 * pivots, A_pp = L L' and F = E L.  E has the identity at the pivots and
 * moderate numbers elsewhere, so least squares with it are well conditioned,
 * however small the last pivots are.
 */
#ifndef GI_SINGULAR_H
#define GI_SINGULAR_H

#include "linalg/dense/chol.h"
#include "linalg/iterative/pivot.h"

typedef struct gi_singular {
    gi_run *run;
    size_t n, rank;
    const size_t *pivot; /* rank rows */
    double *upper;       /* L', rank x rank, row-major */
    double *basis;       /* S = W^1/2 E, n x rank, ld apart */
    size_t ld;
    gi_chol *normal; /* factor of S'S */
    gi_pivot *own;
} gi_singular;

/* rows, user, diagonal: as for gi_pivot_new.  noise: 1/W, n numbers; NULL:
 * ones.  Cost: 3 n r^2 flops, memory: n r + 2 r^2 numbers. */
gram_status gi_singular_new(gi_run *run, size_t n, const double *diagonal,
                            gi_pivot_rows rows, void *user, const double *noise,
                            gi_singular **out);
void gi_singular_free(gi_singular *s);

/* c = (S'S)^-1 S'B: B n x m, c rank x m, without gaps. */
gram_status gi_singular_fit(const gi_singular *s, size_t m, const double *b,
                            double *c);

/* B = scale S c + keep B */
gram_status gi_singular_expand(const gi_singular *s, size_t m, double scale,
                               const double *c, double keep, double *b);

/* c = (S'S)^-1 c */
gram_status gi_singular_normal(const gi_singular *s, size_t m, double *c);

/* c = L^-1 c, and c = L'^-1 c: both give A_pp^-1 c. */
gram_status gi_singular_forward(const gi_singular *s, size_t m, double *c);
gram_status gi_singular_backward(const gi_singular *s, size_t m, double *c);

#endif
