/* chol.h - Cholesky factors of large positive definite matrices, in double or
 * single precision, with bits that do not depend on the number of threads.
 *
 *     A = L L'
 *
 * Half of the matrix is stored, n^2/2 elements, in tiles; A itself is never
 * there as a whole: its tiles come from a callback while the factorisation
 * runs, and the factor takes their place.
 */
#ifndef GI_CHOL_H
#define GI_CHOL_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"
#include "linalg/dense/blas.h"

typedef struct gi_chol gi_chol;

/* Memory for the factor of an n x n matrix in that precision (&gi_blas_double,
 * &gi_blas_single).  edge is the edge of a tile: 0 means the best one, tests
 * give small ones.  The bits of the factor depend on it. */
gram_status gi_chol_new(gi_run *run, const gi_blas *blas, size_t n, size_t edge,
                        gi_chol **out);

void gi_chol_free(gi_chol *c);

/* Bytes such a factor takes, SIZE_MAX if they cannot be counted. */
size_t gi_chol_bytes(size_t n, const gi_blas *blas);

/* Write a tile of the symmetric A:
 *     tile[r*ld + s] = A(row + r, col + s),  r < rows, s < cols, row <= col
 * where tile is an array of the factor's precision.  On a diagonal tile
 * (row == col) only s >= r is looked at.  Called once per tile, from many
 * threads at once. */
typedef gram_status (*gi_chol_fill)(void *user, size_t row, size_t rows,
                                    size_t col, size_t cols, void *tile,
                                    size_t ld);

/* Factor the matrix that `fill` describes.  May be called again, with another
 * matrix, also after a failure.
 *
 * Cost:   n^3/3 flops.
 * Errors: NUMERIC (a pivot that is not positive, with its index from 0), what
 *         fill returns, MEMORY, CANCELLED. */
gram_status gi_chol_factor(gi_run *run, gi_chol *c, gi_chol_fill fill,
                           void *user);

/* B = L^-1 B, B = L'^-1 B, and both, B = A^-1 B, for the n x m matrix B,
 * row-major, of the factor's precision.
 *
 * Cost:   n^2 m flops for each of the two.
 * Errors: SHAPE (ldb that BLAS cannot count), CANCELLED. */
gram_status gi_chol_forward(gi_run *run, const gi_chol *c, size_t m, void *b,
                            size_t ldb);
gram_status gi_chol_backward(gi_run *run, const gi_chol *c, size_t m, void *b,
                             size_t ldb);
gram_status gi_chol_solve(gi_run *run, const gi_chol *c, size_t m, void *b,
                          size_t ldb);

/* B = L^-1 B, or with `whole` A^-1 B, with bits of each column that do not
 * depend on the other columns (columns.h). */
gram_status gi_chol_each(gi_run *run, const gi_chol *c, int whole, size_t m,
                         void *b, size_t ldb);

/* log det A. */
double gi_chol_logdet(const gi_chol *c);

/* Turn the factor into the inverse, in place: afterwards the stored triangle
 * is that of A^-1, and only gi_chol_get, gi_chol_copy and gi_chol_diagonal
 * may be used.  Cost: 2/3 n^3 flops. */
gram_status gi_chol_invert(gi_run *run, gi_chol *c);

/* out[r*ld + s] = element (row + r, col + s) in double: of the symmetric
 * inverse after gi_chol_invert; before that of the factor, zero above the
 * diagonal.  From any thread. */
void gi_chol_copy(const gi_chol *c, size_t row, size_t rows, size_t col,
                  size_t cols, double *out, size_t ld);

/* Diagonal of what is stored, in double. */
void gi_chol_diagonal(const gi_chol *c, double *out);

/* Estimate of the condition number |A| |A^-1| in the 1-norm, from |A|_1 and
 * a few solves (Hager, Higham).  Cost: O(n^2). */
gram_status gi_chol_condition(gi_run *run, const gi_chol *c, double norm,
                              double *out);

size_t gi_chol_size(const gi_chol *c);
const gi_blas *gi_chol_blas(const gi_chol *c);

/* The factor of a larger matrix whose leading block is the one factored:
 * `fill` is asked for the new tiles only.  Cost: O(n^2 m) for m new rows.
 * Errors: as gi_chol_factor. */
gram_status gi_chol_append(gi_run *run, const gi_chol *c, size_t n,
                           gi_chol_fill fill, void *user, gi_chol **out);

/* The factor without the rows and columns i for which !keep[i].
 * Cost: O(n^2) for each one that goes. */
gram_status gi_chol_remove(gi_run *run, const gi_chol *c,
                           const unsigned char *keep, gi_chol **out);

/* Row i of the factor, i + 1 numbers, for one that is read from a file. */
void gi_chol_set_row(gi_chol *c, size_t i, const double *row);

/* L(i,j), i >= j. */
double gi_chol_get(const gi_chol *c, size_t i, size_t j);

#endif
