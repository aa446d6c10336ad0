/* chol_inside.h - how a Cholesky factor is stored; for chol*.c only.
 *
 * The matrix is cut into tiles (i,j), i >= j.  L_ij is kept as its transpose,
 * row-major, and the tiles of one i follow one another: they are the block
 * column L_i0' .. L_ii' of U = L', one row-major matrix as wide as the tile.
 * So a sum over j is one product with a long inner dimension.  The last tiles
 * are as small as they are, not padded.  What lies below the diagonal of a
 * diagonal tile is never looked at.
 */
#ifndef GI_CHOL_INSIDE_H
#define GI_CHOL_INSIDE_H

#include "linalg/dense/chol.h"

struct gi_chol {
    const gi_blas *blas;
    size_t n, tiles; /* tiles: along an edge of the matrix */
    size_t edge;     /* of a tile */
    size_t asked;    /* edge as given to gi_chol_new */
    int inverted;    /* holds A^-1 instead of U */
    char *data;
};

/* Rows of A that belong to tile i. */
static inline size_t height(const gi_chol *c, size_t i)
{
    return i + 1 < c->tiles ? c->edge : c->n - i * c->edge;
}

/* L_ij' = U_ji, height(j) x height(i); with j = 0 the start of block column
 * i. */
static inline char *tile(const gi_chol *c, size_t i, size_t j)
{
    size_t before = i * (i + 1) / 2 * c->edge * c->edge;

    return c->data + (before + j * c->edge * height(c, i)) * c->blas->size;
}

/* U(row, col), row <= col. */
static inline char *element(const gi_chol *c, size_t row, size_t col)
{
    size_t i = col / c->edge, j = row / c->edge;
    size_t place = (row - j * c->edge) * height(c, i) + (col - i * c->edge);

    return tile(c, i, j) + place * c->blas->size;
}

/* B = op(U)^-1 B, U upper m x m, B m x n; op transposes if tu. */
void gi_chol_divide(const gi_blas *blas, int tu, size_t m, size_t n,
                    const char *u, size_t ldu, char *b, size_t ldb);

/* U of `to` from U of `from`, in the layout of `to`: row and column i of `to`
 * are index[i] of `from`, ascending.  Fills the first `rows` of them. */
void gi_chol_gather(const gi_run *run, const gi_chol *from, const size_t *index,
                    size_t rows, gi_chol *to);

#endif
