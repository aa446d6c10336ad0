/* smo.h - the quadratic programs of support vector machines.
 *
 *     minimise    1/2 b'K b + sum_v linear_v a_v
 *     subject to  low_v <= a_v <= high_v,  sum of a_v over a group = constant
 *
 * where b_r is the sum of the variables of row r: one, or two (v and v + rows)
 * where errors to both sides have variables of their own.  The group of an
 * equality is all variables (an intercept), or those of either sign (nu); with
 * no group there is no equality.
 *
 * The minimum is where no variable that may rise has a larger -gradient than
 * one of its group that may fall; how much larger is the violation.
 */
#ifndef GI_SMO_H
#define GI_SMO_H

#include "solvers/svm/smo_cache.h"

typedef struct gi_smo {
    size_t rows, variables;
    const double *low, *high, *linear;
    size_t groups;              /* 0, 1 or 2 */
    const unsigned char *group; /* of each variable; NULL: all 0 */
    double tolerance;           /* of the violation */
    size_t steps;               /* at most; 0: 10^7, or 100 for each row */
} gi_smo;

enum { GI_SMO_GROUPS = 2 };

typedef struct gi_smo_result {
    /* per group: the largest -gradient of those that may rise, the least of
     * those that may fall, the mean of those that are at no bound (NaN: there
     * are none) */
    double most[GI_SMO_GROUPS], least[GI_SMO_GROUPS], free[GI_SMO_GROUPS];
    double violation;
    size_t steps;
    int converged;
} gi_smo_result;

/* From a, which is feasible, to the minimum; f = K b in double, recomputed
 * from the answer.  With `warm`, f is K b of the start when it is called.
 *
 * Cost:   a row of K for each variable that moves, and O(rows) for each time
 *         that it is chosen.
 * Errors: those of the operator, MEMORY, CANCELLED. */
gram_status gi_smo_solve(gi_run *run, const gi_operator *K, gi_smo_cache *cache,
                         const gi_smo *q, int warm, double *a, double *f,
                         gi_smo_result *out);

/* Bytes that this takes beside the cache. */
size_t gi_smo_bytes(size_t rows, size_t variables);

#endif
