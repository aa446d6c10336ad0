/* path_band_folds.c - leaving out whole folds of a path by a band.
 *
 * The residuals of the rows I of a fold, fitted without them, are
 *
 *     P_II^-1 alpha_I,   P_II = W_I W_I' - z z'/(1'A^-1 1)
 *
 * with W_I those rows of W = Q L'^-1 and z = (A^-1 1)_I, past an intercept.
 * Nearly all of the work is in W_I W_I', fold after fold, on all threads; then
 * each P_II is factored and solved with by one.
 *
 * Memory: for k folds of m = n/k rows 2 n m numbers of the precision.
 * Cost: n^3/k flops for each lambda.
 */
#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/path/path_band.h"

/* Of the tiles of P_II. */
enum { EDGE = GI_PATH_FOLDS_EDGE };

/* The m rows of a fold. */
typedef struct block {
    const gi_banded *b;
    size_t m;
    size_t *row;
    char *wt;  /* W_I', n x m; shared by all */
    char *p;   /* P_II, upper triangle, and then its factor */
    char *z;   /* m; NULL: no intercept */
    char *rhs; /* alpha of the rows, m x targets, and then the residuals */
    double one;
    double *out;
} block;

/* gi_parallel_for: a tile of P_II, if it is one of the upper triangle. */
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

/* gi_parallel_for: the residuals of a fold; they stay NaN if P_II is not
 * positive definite. */
static gram_status solve_block(void *user, size_t i)
{
    const block *k = (const block *)user + i;
    const gi_blas *blas = k->b->blas;
    const size_t m = k->m, targets = k->b->path.targets;

    if (m == 0 || blas->potrf(m, k->p, m) < m)
        return GRAM_OK;
    blas->trsm(1, m, targets, k->p, m, k->rhs, targets);
    blas->trsm(0, m, targets, k->p, m, k->rhs, targets);
    for (size_t r = 0; r < m; r++)
        for (size_t t = 0; t < targets; t++)
            k->out[k->row[r] * targets + t] =
                blas->get(k->rhs, r * targets + t) / k->b->root[k->row[r]];
    return GRAM_OK;
}

static void release_blocks(block *k, size_t count)
{
    for (size_t i = 0; k && i < count; i++) {
        gi_free(k[i].row);
        gi_free(k[i].p);
        gi_free(k[i].z);
        gi_free(k[i].rhs);
    }
    if (k)
        gi_free(k->wt);
    gi_free(k);
}

/* Sizes are known: room, and the one W_I for all. */
static gram_status make_room(gi_run *run, const gi_banded *b, block *k,
                             size_t count)
{
    const size_t targets = b->path.targets, size = b->blas->size;
    gram_status status = GRAM_OK;
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t m = k[i].m;

        most = m > most ? m : most;
        GI_TRY(GI_NEW(run, k[i].row, m));
        GI_TRY(gi_alloc(run, &k[i].p, m * m, size));
        GI_TRY(gi_alloc(run, &k[i].rhs, m * targets, size));
        if (b->columns > targets)
            GI_TRY(gi_alloc(run, &k[i].z, m, size));
        k[i].m = 0;
    }
    GI_TRY(gi_alloc(run, &k->wt, b->path.n * most, size));
done:
    return status;
}

/* Blocks with their rows, and what is known of these. */
static gram_status new_blocks(gi_run *run, const gi_banded_point *x,
                              const gi_banded_left *left, const int *fold,
                              size_t count, double *out, block **blocks)
{
    const gi_banded *b = x->b;
    const size_t targets = b->path.targets, size = b->blas->size;
    gram_status status;
    block *k = NULL;

    GI_TRY(GI_NEW_ZERO(run, k, count));
    for (size_t i = 0; i < b->path.n; i++)
        k[fold[i]].m++;
    GI_TRY(make_room(run, b, k, count));
    for (size_t i = 0; i < b->path.n; i++) {
        const double *alpha = left->alpha + i * b->columns;
        block *own = k + fold[i];

        b->blas->write(targets, alpha, own->rhs + own->m * targets * size, 1);
        if (own->z)
            b->blas->write(1, alpha + targets, own->z + own->m * size, 1);
        own->row[own->m++] = i;
    }
    for (size_t i = 0; i < count; i++) {
        k[i].b = b;
        k[i].one = x->one;
        k[i].out = out;
        k[i].wt = k->wt;
    }
    *blocks = k;
    k = NULL;
done:
    release_blocks(k, count);
    return status;
}

gram_status gi_banded_folds(gi_path *path, gi_run *run, double lambda,
                            const int *fold, size_t count, double *out)
{
    gi_banded *b = path->user;
    gi_banded_point x = {.b = b, .run = run, .lambda = lambda}, *one = &x;
    gi_banded_left left = {0};
    block *k = NULL;
    gram_status status;

    for (size_t i = 0; i < path->n * path->targets; i++)
        out[i] = NAN;
    GI_TRY(gi_banded_solve(&x));
    if (!x.factor)
        goto done;
    GI_TRY(gi_banded_form(b, run));
    GI_TRY(gi_banded_rows(b, run, &one, 1, 0, &left));
    GI_TRY(new_blocks(run, &x, &left, fold, count, out, &k));
    for (size_t i = 0; i < count; i++) {
        const size_t m = k[i].m, across = (m + EDGE - 1) / EDGE;

        GI_TRY(gi_run_tick(run, (double)i / (double)count));
        GI_TRY(
            gi_band_half_inverse(run, b->q, x.factor, k[i].row, m, k[i].wt, m));
        GI_TRY(gi_parallel_for(run, across * across, make_tile, &k[i]));
    }
    GI_TRY(gi_parallel_for(run, count, solve_block, k));
done:
    release_blocks(k, count);
    gi_banded_forget(&left);
    gi_banded_release(&x);
    return status;
}

gi_cost gi_path_band_folds_cost(const gi_run *run, const gi_problem *p,
                                size_t rows, const gi_blas *blas, size_t folds,
                                size_t count)
{
    const double n = (double)rows, m = folds > 0 ? n / (double)folds : n;
    const double rate = gi_rate_gemm(blas) * run->threads;
    gi_cost c = gi_path_band_cost(run, p, rows, blas, GI_WANT_LOO, count);

    c.bytes += 2 * n * m * (double)blas->size;
    c.seconds += (double)count * n * m * (n + m / 3) / (0.75 * rate);
    return c;
}
