/* path_primal.h - the path of a kernel with fewer features than rows, as its
 * two files see it; path_primal.c has the formulas.
 */
#ifndef GI_PATH_PRIMAL_H
#define GI_PATH_PRIMAL_H

#include "base/limits.h"
#include "solvers/path.h"

typedef struct gi_primal {
    gi_path path;
    size_t N;
    size_t zero;     /* eigenvalues that count as 0; they come first */
    double *l;       /* eigenvalues, ascending */
    double *vectors; /* row j belongs to l[j] */
    double *u;       /* N x targets */
    double *outside; /* |e|^2 of the targets */
    double *root;    /* D^-1/2 */
    double *centre;  /* means of Phi; 0 without an intercept */
    double *y;       /* n x targets, weighted and centred */
    double log_noise, weight;
} gi_primal;

/* A pass over the rows for several lambdas. */
typedef struct gi_primal_pass {
    const gi_primal *b;
    size_t count;
    double *inverse; /* 1/(l_j + lambda_k), N x count */
    double *slope;   /* u_jt/(l_j + lambda_k), N x (count targets) */
    double *F, *Z;   /* a block, ROWS x N */
    double *left;    /* ROWS x (count targets): residuals times w_i^1/2 */
    double *lever;   /* ROWS x count */
} gi_primal_pass;

/* For count lambdas; the arrays of a block are filled later. */
gram_status gi_primal_open(const gi_primal *b, gi_run *run,
                           const double *lambda, size_t count,
                           gi_primal_pass *s);
void gi_primal_close(gi_primal_pass *s); /* what is inside */

/* Z, and in `left` the residuals of the fit, of the block of rows at `row`. */
gram_status gi_primal_fit(gi_primal_pass *s, gi_run *run, size_t row);

/* gi_path.folds (path_primal_folds.c) */
gram_status gi_primal_folds(gi_path *path, gi_run *run, double lambda,
                            const int *fold, size_t folds, double *out);

/* Rows of the block that begins at `row`. */
static inline size_t gi_primal_rows(const gi_primal *b, size_t row)
{
    const size_t left = b->path.n - row;

    return left < GI_PRIMAL_ROWS ? left : GI_PRIMAL_ROWS;
}

/* w_i/sum w, what the intercept takes of a row. */
static inline double gi_primal_share(const gi_primal *b, size_t i)
{
    return b->path.p->intercept ? b->root[i] * b->root[i] / b->weight : 0;
}

#endif
