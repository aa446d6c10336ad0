/* engine.h - run a program over all pairs of rows, tile by tile.
 *
 * "For a tile (I,J) compute k(x_i,t_j) in cache and hand it to a consumer":
 * nothing else in the library touches pairs.  Tiles have a fixed shape, each
 * task is one block of tiles, and whoever adds up does so in a fixed order, so
 * results have the same bits for any number of threads.
 */
#ifndef GI_ENGINE_H
#define GI_ENGINE_H

#include "kernels/program/program.h"

/* A tile on its way: value (i,j) of rows row+i of x and col+j of t is
 * tile[i*ld + j], double or float as the points are. */
typedef struct gi_tile {
    size_t row, rows, col, cols, ld;
    const void *value;
} gi_tile;

/* What becomes of the tiles.  With `symmetric` (t is x) only tiles that touch
 * the upper triangle come, and of a tile on the diagonal all of it; the
 * consumer mirrors.  task is the number of the block of tiles: tiles of one
 * task come in order from one thread, tasks run at the same time. */
typedef struct gi_consumer {
    gram_status (*take)(void *user, size_t task, const gi_tile *tile);
    void *user;
} gi_consumer;

/* Run over all pairs of x and t; t NULL: x with itself.  theta NULL: the
 * program's own values. */
gram_status gi_engine_run(gi_run *run, const gram_program *p,
                          const double *theta, const gi_points *x,
                          const gi_points *t, const gi_consumer *consumer);

/* Tasks that gi_engine_run() makes for these numbers of rows. */
size_t gi_engine_tasks(size_t rows, size_t cols, int symmetric);

/* k(x_i, x_i) in double, as in a run of x with itself; and with bits that do
 * not depend on the other rows of x, only on those of t, which decide how it is
 * computed. */
gram_status gi_engine_diagonal(gi_run *run, const gram_program *p,
                               const double *theta, const gi_points *x,
                               double *out);
gram_status gi_engine_alone(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, double *out);

/* Writes G(row + i, col + j) to G[i*ld + j] for the rows and columns of a
 * tile. */
typedef void gi_seed(void *user, const gi_tile *tile, double *G);

/* grad[m] += sum_ij G_ij dk(x_i,t_j)/dtheta_m, with the G that `seed` writes;
 * t NULL: of x with itself, with a symmetric G, of which only tiles that touch
 * the upper triangle are asked for. */
gram_status gi_engine_gradient(gi_run *run, const gram_program *p,
                               const double *theta, const gi_points *x,
                               const gi_points *t, gi_seed *seed, void *user,
                               double *grad);

/* Ready-made consumers (consume.c). */
gram_status gi_engine_store(gi_run *run, const gram_program *p,
                            const gi_points *x, const gi_points *t, void *K,
                            size_t ld);

/* Vectors packed for products with one t; they belong to it. */
typedef struct gi_vectors gi_vectors;
void gi_vectors_free(gi_vectors *v);

/* out = K V, V with r columns.  In single precision V is rounded to it, too,
 * and sums of up to 384 terms are in it, all else in double: the error, beside
 * that of K, is at most 386 2^-24 |K| |V|, and usually a few 2^-24. */
gram_status gi_engine_product(gi_run *run, const gram_program *p,
                              const gi_points *x, const gi_points *t,
                              const double *V, size_t r, double *out);

/* sums[g*groups + h] = sum of k over rows of group g of x and h of t (pairs
 * i = j left out if t is NULL and `diagonal` is 0); group NULL: all in one. */
gram_status gi_engine_block_sums(gi_run *run, const gram_program *p,
                                 const gi_points *x, const int *group_x,
                                 const gi_points *t, const int *group_t,
                                 size_t groups, int diagonal, double *sums);

/* Rows in groups that follow each other. */
typedef struct gi_bins {
    size_t count;
    const size_t *start; /* count + 1: bin g is rows start[g] .. start[g+1]-1,
                            all rows are in one */
    size_t split;        /* rows before it are the first sample; where a bin
                            begins, or the number of rows */
} gi_bins;

/* sums[(q*count + g)*count + h] = sum of k(x_i, x_j)^(2^q) over rows i of bin g
 * and j of bin h, i != j, for q < powers; rows[2*i], and the one behind it: the
 * sum of k(x_i, x_j) over rows j != i of the first sample, and of the second
 * (NULL: not wanted).  Of powers above the first those of single precision
 * have 2^q times its error.  (bins.c) */
gram_status gi_engine_bins(gi_run *run, const gram_program *p,
                           const gi_points *x, const gi_bins *bins,
                           size_t powers, double *sums, double *rows);

/* out[c] = sum over i != j of w_i w_j k(x_i, x_j), where w is row c of W, in
 * the precision of x; W is count x rows, ld numbers apart.  (forms.c) */
gram_status gi_engine_forms(gi_run *run, const gram_program *p,
                            const gi_points *x, const void *W, size_t count,
                            size_t ld, double *out);

#endif
