/* operator.h - a kernel matrix as solvers see it: tiles, products, rows of a
 * subset, diagonal; and, where the kernel has them, explicit features, Markov
 * structure, gradients.
 *
 * Rows belong to points x, columns to points t; in a symmetric one both are
 * the same.  Solvers and their tests know nothing else of kernels.
 */
#ifndef GI_OPERATOR_H
#define GI_OPERATOR_H

#include "base/limits.h"
#include "kernels/engine/engine.h"
#include "kernels/program/markov_find.h"
#include "linalg/dense/blas.h"
#include "linalg/sparse/csr.h"

typedef struct gi_operator gi_operator;
struct gi_operator {
    size_t rows, cols;
    int symmetric;
    void *user;

    /* out[r*ld + s] = K(row + r, col + s) in that precision, from the threads
     * of one parallel region or from one. */
    gram_status (*tile)(const gi_operator *K, const gi_blas *blas, size_t row,
                        size_t rows, size_t col, size_t cols, void *out,
                        size_t ld);

    /* out = K V, V cols x r, out rows x r, row-major without gaps; `single`
     * has tiles in single precision, see gi_engine_product. */
    gram_status (*product)(const gi_operator *K, gi_run *run, int single,
                           const double *V, size_t r, double *out);

    /* out[i*ld + j] = K(row[i], j), all columns. */
    gram_status (*subset)(const gi_operator *K, gi_run *run, const size_t *row,
                          size_t m, double *out, size_t ld);

    /* k(x_i, x_i) of the rows. */
    gram_status (*diagonal)(const gi_operator *K, gi_run *run, double *out);

    /* What follows may be NULL or 0: not there. */

    /* out[i][j] = K(row[i], j) in single precision, all columns; ask
     * gi_operator_rows. */
    gram_status (*rows_single)(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, float *const *out);

    /* out[i] = sum_j K(i, col[j]) v_j, in double; ask gi_operator_columns. */
    gram_status (*columns)(const gi_operator *K, gi_run *run, const size_t *col,
                           size_t m, const double *v, double *out);

    /* The symmetric operator of these rows alone, for gi_operator_free; what K
     * looks at must stay. */
    gram_status (*part)(const gi_operator *K, gi_run *run, const size_t *row,
                        size_t m, gi_operator **out);

    /* Rows in single precision are K itself, there is none in double. */
    int only_single;

    /* All of it in memory: K(i,j) = single[i*single_ld + j]. */
    const float *single;
    size_t single_ld;

    /* Free the operator and what it owns; NULL: it is its owner's affair. */
    void (*destroy)(gi_operator *K);

    /* grad[m] += sum_ij G_ij dK_ij/dtheta_m; see gi_engine_gradient. */
    gram_status (*gradient)(const gi_operator *K, gi_run *run,
                            void (*seed)(void *user, const gi_tile *tile,
                                         double *G),
                            void *user, double *grad);
    size_t thetas;

    /* K = Phi Phi' (Phi(x) Phi(t)'), with this many features; those of some
     * rows, F[i*ld + j], or all of Phi of the rows, sparse. */
    size_t features;
    gram_status (*feature_rows)(const gi_operator *K, gi_run *run, size_t row,
                                size_t rows, double *F, size_t ld);
    const gi_csr *csr;

    /* O(n) structure: the family, and one coordinate per row (not sorted). */
    const gi_markov *markov;
    const double *time;

    /* flops of one entry, for the plan */
    double cost;
};

/* The matrix of the program at theta (NULL: its own values) on all pairs of x
 * and t; t NULL: symmetric.  Points are in double; what single precision needs
 * is made when it is first asked for, by one thread before a parallel region
 * (gi_operator_prepare).  Keeps all arguments. */
gram_status gi_operator_new(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, gi_operator **out);
void gi_operator_free(gi_operator *K);

/* Columns that are set up once, and V, as many rows and r columns (NULL: none),
 * packed for products: for operators of a few new rows after the other.  It is
 * read only, by any number of threads; operators on it find the products with V
 * by its address.  Keeps p, theta, t and V. */
typedef struct gi_basis gi_basis;
gram_status gi_basis_new(gi_run *run, const gram_program *p,
                         const double *theta, const gi_points *t,
                         const double *V, size_t r, gi_basis **out);
void gi_basis_free(gi_basis *b);
double gi_basis_cost(const gi_basis *b); /* flops of one row */

/* As gi_operator_new of x and the basis, to the last bit. */
gram_status gi_operator_on(gi_run *run, const gi_basis *b, const gi_points *x,
                           gi_operator **out);

/* Make ready for tiles or products of that precision. */
gram_status gi_operator_prepare(const gi_operator *K, gi_run *run,
                                const gi_blas *blas);

/* All of K as a dense matrix of that precision, both triangles. */
gram_status gi_operator_store(const gi_operator *K, gi_run *run,
                              const gi_blas *blas, void *out, size_t ld);

/* Rows in single precision: out[i] has room for all columns of row[i]. */
gram_status gi_operator_rows(const gi_operator *K, gi_run *run,
                             const size_t *row, size_t m, float *const *out);

/* out = K v in double, where v has numbers in the columns `col` and is 0
 * elsewhere: costs m columns, or the whole product if that is less. */
gram_status gi_operator_columns(const gi_operator *K, gi_run *run,
                                const size_t *col, size_t m, const double *v,
                                double *out);

/* Bytes that the operator holds if it works for this run, its packed rows
 * included. */
size_t gi_operator_bytes(const gi_run *run, const gi_operator *K);

#endif
