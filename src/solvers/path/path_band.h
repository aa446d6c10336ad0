/* path_band.h - the path by a band, as its files see it; path_band.c has
 * the formulas.
 */
#ifndef GI_PATH_BAND_H
#define GI_PATH_BAND_H

#include "base/limits.h"
#include "linalg/dense/band.h"
#include "solvers/path/path_inside.h"

typedef struct gi_banded {
    gi_path path;
    const gi_blas *blas;
    size_t columns; /* of R: targets, and h with an intercept */
    char *a;        /* n x n, what q keeps */
    gi_band *q;
    int formed;   /* Q is in full */
    double *root; /* D^-1/2 */
    double *r;    /* n x columns */
    double log_noise, weight;
} gi_banded;

/* A lambda at work. */
typedef struct gi_banded_point {
    const gi_banded *b;
    gi_run *run;
    double lambda;
    unsigned want;
    gi_band_factor *factor; /* NULL: not positive definite */
    double *z;              /* n x columns, targets projected */
    double *offset;         /* of the targets: what the intercept took */
    double one;             /* h'P h */
    gi_criteria *out;
} gi_banded_point;

/* The factor and z at x->lambda; no factor, and no error, if the matrix is not
 * positive definite there. */
gram_status gi_banded_solve(gi_banded_point *x);
void gi_banded_release(gi_banded_point *x); /* what is inside */

/* What is known of the rows at `count` points: alpha and z_h in the basis of
 * the rows, n x (count columns), and the diagonal of P, count x n. */
typedef struct gi_banded_left {
    size_t count;
    double *alpha, *spread;
} gi_banded_left;

/* Of that many points at most, all with factors; spread if it is wanted, which
 * makes Q if it is not there yet. */
gram_status gi_banded_rows(gi_banded *b, gi_run *run, gi_banded_point **x,
                           size_t count, int spread, gi_banded_left *r);
void gi_banded_forget(gi_banded_left *r); /* what is inside */

/* Make Q if it is not there yet. */
gram_status gi_banded_form(gi_banded *b, gi_run *run);

/* gi_path.folds (path_band_folds.c) */
gram_status gi_banded_folds(gi_path *path, gi_run *run, double lambda,
                            const int *fold, size_t folds, double *out);

#endif
