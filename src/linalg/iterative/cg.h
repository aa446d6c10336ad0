/* cg.h - conjugate gradients for symmetric positive definite systems known by
 * products, several right-hand sides at once, with a preconditioner.
 */
#ifndef GI_CG_H
#define GI_CG_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"

/* out = A X, or M^-1 X; X and out are n x m, row-major without gaps. */
typedef gram_status (*gi_cg_apply)(void *user, gi_run *run, const double *x,
                                   size_t m, double *out);

typedef struct gi_cg {
    gi_cg_apply multiply;
    void *multiply_user;
    gi_cg_apply precondition; /* NULL: none */
    void *precondition_user;
    double tolerance; /* |b - A x| <= tolerance |b|, each right-hand side */
    size_t steps;     /* at most */
    /* after each step, if not NULL: the largest relative residual */
    gram_status (*watch)(void *user, size_t step, double residual);
    void *watch_user;
} gi_cg;

typedef struct gi_cg_result {
    size_t steps;
    double residual; /* the largest, computed anew from A x at the end */
    int converged;
} gi_cg_result;

/* Solve A X = B; X holds the start and then the answer.  Not converging is no
 * error.  The residual is replaced by the true one when the recurrence has
 * drifted.  Errors: NUMERIC (A or M not positive definite: p'Ap <= 0), those
 * of the products, MEMORY, CANCELLED. */
gram_status gi_cg_solve(gi_run *run, const gi_cg *cg, size_t n, size_t m,
                        const double *b, double *x, gi_cg_result *out);

#endif
