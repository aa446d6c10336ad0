/* path_band_folds.c - leaving out whole folds of a path by a band.
 *
 * The residuals of the rows I of a fold, fitted without them, are
 *
 *     P_II^-1 alpha_I,   P_II = W_I W_I' - z z'/(1'A^-1 1)
 *
 * with W_I those rows of W = Q L'^-1 and z = (A^-1 1)_I, past an intercept.
 * All tiles of P_II are made before it is factored: nearly all of the work is
 * in them, and they do not wait for one another.
 *
 * Memory: for m rows in a fold n m + 3/2 m^2 numbers of the precision.
 * Cost: n^3/k flops for each lambda and k folds of equal size.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "linalg/chol.h"
#include "solvers/each.h"
#include "solvers/path_band.h"

/* Of the tiles of P_II, and of those in which a small one is factored. */
enum { EDGE = 192, SMALL_FOLD = 1536, SMALL_EDGE = 128 };

/* P_II = W_I W_I' - z z'/one of the m rows of a fold. */
typedef struct block {
    const gi_banded *b;
    size_t m;
    size_t *row;
    char *wt;  /* W_I', n x m */
    char *p;   /* P_II, upper triangle */
    char *z;   /* z_h of the rows, in the precision; NULL: no intercept */
    char *rhs; /* alpha of the rows, m x targets, and then the residuals */
    double one;
} block;

/* gi_each: a tile of P_II, if it is one of the upper triangle. */
static gram_status make_tile(void *user, size_t i)
{
    const block *k = user;
    const gi_blas *blas = k->b->blas;
    const size_t n = k->b->path.n, m = k->m, across = (m + EDGE - 1) / EDGE;
    const size_t row = i / across * EDGE, col = i % across * EDGE;
    const size_t rows = m - row < EDGE ? m - row : EDGE;
    const size_t cols = m - col < EDGE ? m - col : EDGE;
    const size_t left = row * blas->size, right = col * blas->size;
    char *tile = k->p + (row * m + col) * blas->size;

    if (row > col)
        return GRAM_OK;
    if (row == col)
        blas->syrk(1, rows, n, 1, k->wt + left, m, 0, tile, m);
    else
        blas->gemm(1, 0, rows, cols, n, 1, k->wt + left, m, k->wt + right, m, 0,
                   tile, m);
    if (row == col && k->z)
        blas->syrk(1, rows, 1, -1 / k->one, k->z + left, m, 1, tile, m);
    else if (k->z)
        blas->gemm(1, 0, rows, cols, 1, -1 / k->one, k->z + left, m,
                   k->z + right, m, 1, tile, m);
    return GRAM_OK;
}

/* gi_chol_fill */
static gram_status copy_tile(void *user, size_t row, size_t rows, size_t col,
                             size_t cols, void *tile, size_t ld)
{
    const block *k = user;
    const size_t size = k->b->blas->size;

    for (size_t r = 0; r < rows; r++)
        memcpy((char *)tile + r * ld * size,
               k->p + ((row + r) * k->m + col) * size, cols * size);
    return GRAM_OK;
}

static gram_status new_block(gi_run *run, const gi_banded *b, size_t m,
                             block *k)
{
    gram_status status;

    GI_TRY(GI_NEW(run, k->row, m));
    GI_TRY(gi_alloc(run, &k->wt, b->path.n * m, b->blas->size));
    GI_TRY(gi_alloc(run, &k->p, m * m, b->blas->size));
    GI_TRY(gi_alloc(run, &k->rhs, m * b->path.targets, b->blas->size));
    if (b->columns > b->path.targets)
        GI_TRY(gi_alloc(run, &k->z, m, b->blas->size));
done:
    return status;
}

static void release_block(block *k)
{
    gi_free(k->row);
    gi_free(k->wt);
    gi_free(k->p);
    gi_free(k->rhs);
    gi_free(k->z);
}

/* Residuals of the rows of one block; NaN if P_II is not positive definite. */
static gram_status solve_block(gi_run *run, gi_banded_point *x,
                               const gi_banded_left *r, block *k, double *out)
{
    const gi_banded *b = x->b;
    const size_t targets = b->path.targets, m = b->columns,
                 size = b->blas->size;
    const size_t across = (k->m + EDGE - 1) / EDGE;
    gi_chol *c = NULL;
    gram_status status;

    for (size_t i = 0; i < k->m; i++) {
        const double *alpha = r->alpha + k->row[i] * m;

        b->blas->write(targets, alpha, k->rhs + i * targets * size, 1);
        if (k->z)
            b->blas->write(1, alpha + targets, k->z + i * size, 1);
    }
    GI_TRY(
        gi_band_half_inverse(run, b->q, x->factor, k->row, k->m, k->wt, k->m));
    GI_TRY(gi_each(run, across * across, make_tile, k));
    GI_TRY(gi_chol_new(run, b->blas, k->m, k->m < SMALL_FOLD ? SMALL_EDGE : 0,
                       &c));
    GI_TRY(gi_chol_factor(run, c, copy_tile, k));
    GI_TRY(gi_chol_solve(run, c, targets, k->rhs, targets));
    for (size_t i = 0; i < k->m; i++)
        for (size_t t = 0; t < targets; t++)
            out[k->row[i] * targets + t] =
                b->blas->get(k->rhs, i * targets + t) / b->root[k->row[i]];
done:
    gi_chol_free(c);
    return status == GRAM_ERR_NUMERIC ? GRAM_OK : status;
}

static gram_status do_fold(gi_run *run, gi_banded_point *x,
                           const gi_banded_left *r, const int *fold, int which,
                           double *out)
{
    const size_t n = x->b->path.n;
    block k = {.b = x->b, .one = x->one};
    gram_status status = GRAM_OK;
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        m += fold[i] == which;
    if (m == 0)
        return GRAM_OK;
    GI_TRY(new_block(run, x->b, m, &k));
    for (size_t i = 0; i < n; i++)
        if (fold[i] == which)
            k.row[k.m++] = i;
    GI_TRY(solve_block(run, x, r, &k, out));
done:
    release_block(&k);
    return status;
}

gram_status gi_banded_folds(gi_path *path, gi_run *run, double lambda,
                            const int *fold, size_t count, double *out)
{
    gi_banded *b = path->user;
    gi_banded_point x = {.b = b, .run = run, .lambda = lambda}, *one = &x;
    gi_banded_left r = {0};
    gram_status status;

    for (size_t i = 0; i < path->n * path->targets; i++)
        out[i] = NAN;
    GI_TRY(gi_banded_solve(&x));
    if (!x.factor)
        goto done;
    GI_TRY(gi_banded_rows(b, run, &one, 1, 0, &r));
    for (size_t k = 0; k < count; k++) {
        gi_run part = gi_run_part(run, (double)k / (double)count,
                                  (double)(k + 1) / (double)count);

        GI_TRY(do_fold(&part, &x, &r, fold, (int)k, out));
    }
done:
    gi_banded_forget(&r);
    gi_banded_release(&x);
    return status;
}
