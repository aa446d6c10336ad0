/* operator.h - a kernel matrix as solvers see it: tiles, products, rows,
 * diagonal, the matrix of some of its rows; and, where there are such, explicit
 * features, Markov structure, gradients.
 *
 * Rows belong to points x, columns to points t; in a symmetric one both are
 * the same.  Solvers and their tests know nothing else of kernels.  There are
 * several ways to have such a matrix, each a row of operators.def: who needs
 * something of a matrix asks whether it has it, never which one it is.
 */
#ifndef GI_OPERATOR_H
#define GI_OPERATOR_H

#include "base/limits.h"
#include "kernels/engine/engine.h"
#include "kernels/program/markov_find.h"
#include "linalg/dense/blas.h"
#include "linalg/sparse/csr.h"

/* What an operator can do or is; a class has what its operators may have. */
enum {
    GI_OPERATOR_CAN_SET = 32,     /* gi_operator_set */
    GI_OPERATOR_CAN_RESTRICT = 1, /* gi_operator_restrict */
    GI_OPERATOR_HAS_GRADIENT = 2, /* gi_operator_gradient */
    GI_OPERATOR_HAS_FEATURES = 4, /* gi_operator_features */
    GI_OPERATOR_HAS_MARKOV = 8,   /* O(n) structure */
    GI_OPERATOR_IS_SINGLE = 16 /* it is in single precision, and there is none
                               in double */
};

typedef struct gi_operator gi_operator;

/* The functions of a class; those of the same names below say what they do. */
typedef struct gi_operator_class {
    const char *name, *help;
    unsigned flags;

    gram_status (*tile)(const gi_operator *K, const gi_blas *blas, size_t row,
                        size_t rows, size_t col, size_t cols, void *out,
                        size_t ld);
    gram_status (*product)(const gi_operator *K, gi_run *run, int single,
                           const double *V, size_t r, double *out);
    gram_status (*rows)(const gi_operator *K, gi_run *run, const gi_blas *blas,
                        const size_t *row, size_t m, void *const *out);
    gram_status (*diagonal)(const gi_operator *K, gi_run *run, double *out);

    /* What follows may be NULL: there is nothing to prepare, to free, ... */
    gram_status (*prepare)(const gi_operator *K, gi_run *run,
                           const gi_blas *blas);
    gram_status (*columns)(const gi_operator *K, gi_run *run, const size_t *col,
                           size_t m, const double *v, double *out);
    gram_status (*set)(gi_operator *K, gi_run *run, const double *theta);
    gram_status (*restrict_to)(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, gi_operator **out);
    gram_status (*gradient)(const gi_operator *K, gi_run *run, gi_seed *seed,
                            void *user, double *grad);
    gram_status (*features)(const gi_operator *K, gi_run *run, size_t row,
                            size_t rows, double *F, size_t ld);
    size_t (*bytes)(const gi_run *run, const gi_operator *K);
    void (*destroy)(gi_operator *K);
} gi_operator_class;

struct gi_operator {
    const gi_operator_class *class_;
    unsigned flags;
    size_t rows, cols;
    int symmetric;
    void *user;
    double cost;   /* flops of one entry, for the plan */
    size_t thetas; /* numbers that can be set, and that the gradient is by */

    /* All of it in memory, if it is: K(i,j) = single[i*single_ld + j]. */
    const float *single;
    size_t single_ld;

    /* K = Phi Phi' (Phi(x) Phi(t)'), with this many features; 0: none are
     * known.  And all of Phi of the rows where it is sparse, else NULL. */
    size_t features;
    const gi_csr *csr;

    /* O(n) structure: the family, or NULL, and one coordinate per row (not
     * sorted). */
    const gi_markov *markov;
    const double *time;
};

/* The classes in the order of operators.def; NULL at the end. */
const gi_operator_class *gi_operator_class_at(size_t i);

/* The matrix of the program at theta (NULL: its own values) on all pairs of x
 * and t; t NULL: symmetric.  Points are in double; what a precision needs is
 * made when it is first asked for, by one thread before a parallel region
 * (gi_operator_prepare).  Keeps p, x and t. */
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

/* Move to other numbers: as one that is made at theta, to the last bit, but
 * what does not depend on them is kept, and what does is made again when it is
 * next asked for, in the memory it has.  With GI_OPERATOR_CAN_SET. */
gram_status gi_operator_set(gi_operator *K, gi_run *run, const double *theta);

/* The symmetric operator of the rows row[0] .. row[m-1] of a symmetric one,
 * which may be used beside it, and in other threads.  Keeps what K keeps, and
 * nothing of K. */
gram_status gi_operator_restrict(const gi_operator *K, gi_run *run,
                                 const size_t *row, size_t m,
                                 gi_operator **out);

/* Make ready for tiles or products of that precision. */
gram_status gi_operator_prepare(const gi_operator *K, gi_run *run,
                                const gi_blas *blas);

/* out[r*ld + s] = K(row + r, col + s) in that precision, from the threads of
 * one parallel region or from one, after gi_operator_prepare. */
static inline gram_status gi_operator_tile(const gi_operator *K,
                                           const gi_blas *blas, size_t row,
                                           size_t rows, size_t col, size_t cols,
                                           void *out, size_t ld)
{
    return K->class_->tile(K, blas, row, rows, col, cols, out, ld);
}

/* All of K as a dense matrix of that precision, both triangles. */
gram_status gi_operator_store(const gi_operator *K, gi_run *run,
                              const gi_blas *blas, void *out, size_t ld);

/* out[i*ld + j] = K(row[i], j) in that precision, all columns; and the same
 * with out[i] where row i belongs. */
gram_status gi_operator_rows(const gi_operator *K, gi_run *run,
                             const gi_blas *blas, const size_t *row, size_t m,
                             void *out, size_t ld);
gram_status gi_operator_rows_at(const gi_operator *K, gi_run *run,
                                const gi_blas *blas, const size_t *row,
                                size_t m, void *const *out);

/* k(x_i, x_i) of the rows. */
static inline gram_status gi_operator_diagonal(const gi_operator *K,
                                               gi_run *run, double *out)
{
    return K->class_->diagonal(K, run, out);
}

/* out = K V, V cols x r, out rows x r, row-major without gaps; `single` has
 * tiles in single precision, see gi_engine_product. */
static inline gram_status gi_operator_product(const gi_operator *K, gi_run *run,
                                              int single, const double *V,
                                              size_t r, double *out)
{
    return K->class_->product(K, run, single, V, r, out);
}

/* out = K v in double, where v has numbers in the columns `col` and is 0
 * elsewhere: costs m columns, or the whole product if that is less. */
gram_status gi_operator_columns(const gi_operator *K, gi_run *run,
                                const size_t *col, size_t m, const double *v,
                                double *out);

/* grad[m] += sum_ij G_ij dK_ij/dtheta_m, see gi_engine_gradient; with
 * GI_OPERATOR_HAS_GRADIENT. */
static inline gram_status gi_operator_gradient(const gi_operator *K,
                                               gi_run *run, gi_seed *seed,
                                               void *user, double *grad)
{
    return K->class_->gradient(K, run, seed, user, grad);
}

/* F[i*ld + j] = feature j of row + i; with GI_OPERATOR_HAS_FEATURES. */
static inline gram_status gi_operator_features(const gi_operator *K,
                                               gi_run *run, size_t row,
                                               size_t rows, double *F,
                                               size_t ld)
{
    return K->class_->features(K, run, row, rows, F, ld);
}

/* Bytes that the operator holds if it works for this run, its packed rows
 * included. */
size_t gi_operator_bytes(const gi_run *run, const gi_operator *K);

#endif
