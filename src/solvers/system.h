/* system.h - the equations of solver.h as the solvers of the dual form share
 * them.
 *
 *     A = K + lambda D + jitter I,   A Z = [y - mean, 1]
 *     b = mean + 1'z_y/1'z_1,        alpha = z_y - (b - mean) z_1
 *
 * and without an intercept A alpha = y.
 */
#ifndef GI_SYSTEM_H
#define GI_SYSTEM_H

#include <math.h>

#include "base/limits.h"
#include "solvers/solver.h"

typedef struct gi_system {
    const gi_problem *p;
    size_t columns;   /* targets, and with an intercept one more */
    double *rhs, *z;  /* n x columns; z starts at 0 */
    double *mean;     /* of the targets, weighted; 0 without intercept */
    double *diagonal; /* of K */
    double jitter;
    int single; /* products with tiles in single precision */
} gi_system;

gram_status gi_system_new(gi_run *run, const gi_problem *p, gi_system *out);
void gi_system_free(gi_system *s); /* what is inside */

/* A tile of A = K + lambda D + jitter of p, for gi_chol_fill. */
gram_status gi_system_tile(const gi_problem *p, double jitter,
                           const gi_blas *blas, size_t row, size_t rows,
                           size_t col, size_t cols, void *tile, size_t ld);

/* out = A X for linalg/iterative/cg.h, user a gi_system. */
gram_status gi_system_multiply(void *user, gi_run *run, const double *x,
                               size_t m, double *out);

/* Rows of K for linalg/iterative/pivot.h, user its gi_operator. */
gram_status gi_system_rows(void *user, gi_run *run, const size_t *row, size_t m,
                           double *out, size_t ld);

/* alpha, the intercepts and, if p->keep_factor, inverse_one, from z. */
gram_status gi_system_finish(gi_run *run, const gi_system *s, gi_solution *out);

/* out->residual of alpha and the intercepts, in double, by one product. */
gram_status gi_system_residual(gi_run *run, const gi_problem *p,
                               gi_solution *out);

/* Means of y with weights 1/D, and the sum of the weights. */
double gi_system_means(const gi_problem *p, double *mean);

/* Call factor(user, run), which may fail with NUMERIC, with more and more
 * jitter (*jitter, which starts at what p asks for) until it does not, if p
 * allows that: multiples of the mean diagonal element. */
gram_status gi_system_escalate(gi_run *run, const gi_problem *p, double mean,
                               gram_status (*factor)(void *user, gi_run *run),
                               void *user, double *jitter);

/* The columns of rows row .. row+m-1 of T: out[j*m + i] = T(row + i, j), in
 * that precision, for all columns j; room is of the same size.  T must have
 * been prepared; it is best asked for GI_SYSTEM_ROWS rows, whole tiles. */
gram_status gi_system_columns(gi_run *run, const gi_operator *T,
                              const gi_blas *blas, size_t row, size_t m,
                              void *room, void *out);

/* Steps that conjugate gradients will take to p->tolerance, on so many rows,
 * with the single precision factor of K + lambda D as preconditioner; infinity
 * if rounding is too large beside lambda. */
double gi_system_steps(const gi_problem *p, size_t rows, double mean_diagonal);

/* The mean of the diagonal of K, for costs; NaN if it cannot be had. */
double gi_system_scale(const gi_run *run, const gi_problem *p);

static inline double gi_system_noise(const gi_problem *p, size_t i)
{
    return p->noise ? p->noise[i] : 1;
}

/* What A has on its diagonal beside K. */
static inline double gi_system_shift(const gi_system *s, size_t i)
{
    return s->p->lambda * gi_system_noise(s->p, i) + s->jitter;
}

static inline double gi_system_tolerance(const gi_problem *p)
{
    return p->tolerance > 0 ? p->tolerance : 1e-10;
}

/* The larger of a residual and sqrt(off/size), or NaN if one of them is. */
static inline double gi_system_worse(double residual, double off, double size)
{
    double other = off == 0 ? 0 : sqrt(off / size);

    return isnan(residual) || other <= residual ? residual : other;
}

/* Seconds of a product K V, K of so many rows and V with r columns, on one
 * core, by the fixed rates. */
double gi_system_product_seconds(const gi_problem *p, size_t rows, size_t r);

#endif
