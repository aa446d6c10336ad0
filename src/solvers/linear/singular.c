/* singular.c - see singular.h.
 *
 * Columns on the right are solved for each for itself: they may be rows that
 * are asked for.
 *
 * Trap: the normal matrix of F itself has the condition of A, about 1/(n u)
 * when A is cut off there; that of E does not know the pivots.
 */
#include "solvers/linear/singular.h"

#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/columns.h"

/* Rows of the basis that are solved for together. */
enum { ROWS = GI_SINGULAR_ROWS };

/* ROWS rows of S = W^1/2 F L^-1, in the place of F. */
typedef struct making {
    gi_singular *s;
    const double *noise;
} making;

static gram_status make_rows(void *user, size_t task)
{
    const making *m = user;
    const gi_singular *s = m->s;
    size_t first = task * ROWS;
    size_t rows = s->n - first < ROWS ? s->n - first : ROWS;
    double *b = s->basis + first * s->ld;

    gi_blas_double.trsm_right(1, rows, s->rank, 1, s->upper, s->rank, b, s->ld);
    for (size_t i = 0; m->noise && i < rows; i++)
        for (size_t j = 0; j < s->rank; j++)
            b[i * s->ld + j] /= sqrt(m->noise[first + i]);
    return GRAM_OK;
}

static gram_status make_basis(gi_singular *s, const double *noise)
{
    const size_t r = s->rank;
    making m = {s, noise};

    if (r == 0)
        return GRAM_OK;
    for (size_t k = 0; k < r; k++)
        for (size_t j = 0; j < r; j++)
            s->upper[j * r + k] =
                j <= k ? s->basis[s->pivot[k] * s->ld + j] : 0;
    gi_blas_start();
    return gi_parallel_for(s->run, (s->n + ROWS - 1) / ROWS, make_rows, &m);
}

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const gi_singular *s = user;

    gi_blas_double.gemm(1, 0, rows, cols, s->n, 1, s->basis + row, s->ld,
                        s->basis + col, s->ld, 0, tile, ld);
    return GRAM_OK;
}

gram_status gi_singular_new(gi_run *run, size_t n, const double *diagonal,
                            gi_pivot_rows rows, void *user, const double *noise,
                            gi_singular **out)
{
    gi_run pivots = gi_run_share(run, 0, 0.5), rest = gi_run_share(run, 0.5, 1);
    gi_singular *s = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, s, 1));
    GI_TRY(gi_pivot_new(&pivots, n, diagonal, rows, user, 0, n, &s->own));
    s->run = run;
    s->n = n;
    s->rank = s->own->rank;
    s->pivot = s->own->pivot;
    s->basis = s->own->factor;
    s->ld = s->own->ld;
    GI_TRY(GI_NEW(run, s->upper, s->rank * s->rank));
    GI_TRY(make_basis(s, noise));
    GI_TRY(gi_chol_new(run, &gi_blas_double, s->rank, 0, &s->normal));
    GI_TRY(gi_chol_factor(&rest, s->normal, fill, s));
    *out = s;
    s = NULL;
done:
    gi_singular_free(s);
    return status;
}

void gi_singular_free(gi_singular *s)
{
    if (!s)
        return;
    gi_chol_free(s->normal);
    gi_free(s->upper);
    gi_pivot_free(s->own);
    gi_free(s);
}

gram_status gi_singular_fit(const gi_singular *s, size_t m, const double *b,
                            double *c)
{
    gram_status status = GRAM_OK;

    if (s->rank == 0)
        goto done;
    GI_TRY(gi_columns_gemm(s->run, 1, s->rank, m, s->n, 1, s->basis, s->ld, b,
                           m, 0, c, m));
    GI_TRY(gi_singular_normal(s, m, c));
done:
    return status;
}

gram_status gi_singular_normal(const gi_singular *s, size_t m, double *c)
{
    return s->rank ? gi_chol_each(s->run, s->normal, 1, m, c, m) : GRAM_OK;
}

gram_status gi_singular_expand(const gi_singular *s, size_t m, double scale,
                               const double *c, double keep, double *b)
{
    /* with a rank of 0 there is still b to be scaled */
    return gi_columns_gemm(s->run, 0, s->n, m, s->rank, scale, s->basis,
                           s->rank ? s->ld : 1, c, m, keep, b, m);
}

static gram_status divide(const gi_singular *s, int tu, size_t m, double *c)
{
    double *room = NULL;
    gram_status status;

    GI_TRY(GI_NEW(s->run, room, gi_columns_scratch(m)));
    gi_columns_divide(&gi_blas_double, tu, s->rank, m, s->upper, s->rank, c, m,
                      room);
done:
    gi_free(room);
    return status;
}

gram_status gi_singular_forward(const gi_singular *s, size_t m, double *c)
{
    return divide(s, 1, m, c);
}

gram_status gi_singular_backward(const gi_singular *s, size_t m, double *c)
{
    return divide(s, 0, m, c);
}
