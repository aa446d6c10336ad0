/* chol_invert.c - the inverse of A = U'U in place of its factor, in one sweep.
 *
 * A^-1 = P = W W', W = U^-1.  Step k finishes block column k of W and adds its
 * part of P.  With T_ij = sum_{i<=l<k} W_il U_lj in place of U_ij, i < k <= j,
 * step k does
 *
 *     P_ij += W_ik W_jk',  i <= j < k;   T_ij += W_ik U_kj,  i < k < j
 *
 * and, when all others have read them, at the border
 *
 *     T_kj = W_kk U_kj,  k < j;          P_ik = W_ik W_kk',  i < k;
 *     W_ij = -T_ij W_jj,  i <= k, j = k+1, for the next step.
 *
 * (Bientinesi, Gunter, van de Geijn, ACM TOMS 35, 2008.)  The W_ii are made
 * first: multiplying by them is much faster than dividing by U_ii.
 * Cost: 2/3 n^3 flops, nearly all in products of tiles.
 */
#include "base/limits.h"
#include "base/parallel.h"
#include "linalg/dense/chol_inside.h"

/* Triangles up to this size are left to BLAS, which inverts them slowly. */
enum { TRIANGLE = GI_CHOL_INVERT_TRIANGLE };

/* U = U^-1 by halves. */
static void invert_triangle(const gi_blas *blas, size_t n, char *u, size_t ld)
{
    size_t half = n / 2, rest = n - half;
    char *right = u + half * blas->size;
    char *corner = right + half * ld * blas->size;

    if (n <= TRIANGLE) {
        blas->trtri(n, u, ld);
        return;
    }
    invert_triangle(blas, half, u, ld);
    invert_triangle(blas, rest, corner, ld);
    blas->trmm(0, 0, half, rest, -1, u, ld, right, ld);
    blas->trmm(1, 0, half, rest, 1, corner, ld, right, ld);
}

/* Tiles are named by their place in U here: (i,j), i <= j. */
static char *upper(const gi_chol *c, size_t i, size_t j)
{
    return tile(c, j, i);
}

static void update(const gi_chol *c, size_t k, size_t i, size_t j)
{
    size_t hi = height(c, i), hj = height(c, j), hk = height(c, k);
    const gi_blas *blas = c->blas;
    char *t = upper(c, i, j);

    if (i < j && j < k)
        blas->gemm(0, 1, hi, hj, hk, 1, upper(c, i, k), hk, upper(c, j, k), hk,
                   1, t, hj);
    if (i < k && k < j)
        blas->gemm(0, 0, hi, hj, hk, 1, upper(c, i, k), hk, upper(c, k, j), hj,
                   1, t, hj);
    if (i == j && i + 1 == k)
        blas->lauum(hi, t, hi); /* nobody needs W_ii any more */
    if (i == j && i < k)
        blas->syrk(0, hi, hk, 1, upper(c, i, k), hk, 1, t, hi);
}

static void border(const gi_chol *c, size_t k, size_t i, size_t j)
{
    size_t hi = height(c, i), hj = height(c, j), hk = height(c, k);
    char *t = upper(c, i, j);

    if (i == k && k < j)
        c->blas->trmm(0, 0, hk, hj, 1, upper(c, k, k), hk, t, hj);
    if (i < k && k == j)
        c->blas->trmm(1, 1, hi, hk, 1, upper(c, k, k), hk, t, hk);
    if (i <= k && k + 1 == j)
        c->blas->trmm(1, 0, hi, hj, -1, upper(c, j, j), hj, t, hj);
}

gram_status gi_chol_invert(gi_run *run, gi_chol *c)
{
    size_t tiles = c->tiles;
    gram_status status = GRAM_OK;

    gi_blas_start();
    c->inverted = 1;
    GI_PARALLEL(run->threads)
    {
        GI_TEAM_TASKS
        for (size_t i = 0; i < tiles; i++)
            invert_triangle(c->blas, height(c, i), upper(c, i, i),
                            height(c, i));
        for (size_t k = 0; k < tiles; k++) {
            /* the others read status behind the next barrier only */
            if (gi_thread_number() == 0)
                status = gi_run_tick(run, (double)k / (double)tiles);
            GI_TEAM_TASKS
            for (size_t t = 0; t < tiles * tiles; t++)
                if (t / tiles <= t % tiles)
                    update(c, k, t / tiles, t % tiles);
            if (status != GRAM_OK)
                break;
            GI_TEAM_TASKS
            for (size_t t = 0; t < tiles * tiles; t++)
                if (t / tiles <= t % tiles)
                    border(c, k, t / tiles, t % tiles);
        }
    }
    if (status == GRAM_OK && tiles > 0)
        c->blas->lauum(height(c, tiles - 1), upper(c, tiles - 1, tiles - 1),
                       height(c, tiles - 1));
    return status;
}
