/* block.h - the matrix of a kernel, any part of it at any time.
 *
 * gi_engine_run() sweeps all tiles in its own order; a factorisation asks for
 * tiles in its own.  A block source is the engine set up once - rows scaled
 * and packed, a workplace per thread - and asked many times.
 */
#ifndef GI_BLOCK_H
#define GI_BLOCK_H

#include "kernels/engine/engine.h"

typedef struct gi_block gi_block;

/* The matrix of all pairs of x and t (NULL: x itself), in the precision of the
 * points, at theta (NULL: the program's values).  Keeps p, x and t. */
gram_status gi_block_new(gi_run *run, const gram_program *p,
                         const double *theta, const gi_points *x,
                         const gi_points *t, gi_block **out);
/* The same with other rows x instead: only they are set up, so it is cheap to
 * make for a few.  `b` must stay, and is only read; k(x,t) has the bits it has
 * there.  Not for rows with columns or levels that t has not: ask first. */
int gi_block_lends(const gi_block *b, const gi_points *x);
gram_status gi_block_rows(gi_run *run, const gi_block *b, const gi_points *x,
                          gi_block **out);
void gi_block_free(gi_block *b);

/* Move to another theta: as if made there, but rows that it does not change
 * stay packed.  After a failure the block can only be freed.  Not for one of
 * gi_block_rows. */
gram_status gi_block_set(gi_run *run, gi_block *b, const double *theta);

/* out[r*ld + s] = k(x_(row+r), t_(col+s)).  From the threads of one OpenMP
 * region of at most run->threads, or from one thread outside any.  Fast when
 * row and col are multiples of GI_TILE_COMMON, right always.  The bits do not
 * depend on how the matrix is cut, and k(i,j) = k(j,i) to the bit where t is
 * x: what stands below the diagonal is taken from above it. */
gram_status gi_block_fill(gi_block *b, size_t row, size_t rows, size_t col,
                          size_t cols, void *out, size_t ld);

/* out = K V, V with r columns: gi_engine_product without setting up; or with V
 * that was packed by a block of the same t and precision. */
gram_status gi_block_product(gi_run *run, gi_block *b, const double *V,
                             size_t r, double *out);
gram_status gi_block_pack(gi_run *run, const gi_block *b, const double *V,
                          size_t r, gi_vectors **out);
gram_status gi_block_times(gi_run *run, gi_block *b, const gi_vectors *V,
                           double *out);

/* gi_engine_gradient of a block in double, without setting up. */
gram_status gi_block_gradient(gi_run *run, gi_block *b, gi_seed *seed,
                              void *user, double *grad);

/* Bytes that a block source for these numbers of rows will take, at most; the
 * entries of sparse rows, 8 bytes each for x and for t, come on top. */
size_t gi_block_bytes(const gi_run *run, const gram_program *p, size_t rows,
                      size_t cols, gi_precision precision);

/* And what it takes on top if sparse columns are written out. */
size_t gi_expanded_bytes(const gram_program *p, const gi_points *x,
                         const gi_points *t, gi_precision precision);

#endif
