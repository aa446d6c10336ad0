/* chol_solve.c - solving with a Cholesky factor, and its condition number.
 *
 * The condition number is estimated by Hager's method in Higham's form
 * (Accuracy and stability of numerical algorithms, 2002, algorithm 15.4):
 * |A^-1 x|_1 over the unit ball of the 1-norm is convex, its greatest value is
 * at a unit vector, and steps along subgradients go from one such vector to a
 * better one.  It is a lower bound, rarely below a third of the truth.
 */
#include <math.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/chol_inside.h"
#include "linalg/dense/columns.h"

/* Right-hand sides that are solved together. */
enum { STRIPE = GI_CHOL_SOLVE_COLUMNS };

/* Triangles up to this size are left to BLAS. */
enum { TRIANGLE = GI_CHOL_SOLVE_TRIANGLE };

/* Steps of the condition estimate; two or three are the rule. */
enum { STEPS = 5 };

/* By halves: BLAS's own routine reaches a third of the speed of its
 * product. */
void gi_chol_divide(const gi_blas *blas, int tu, size_t m, size_t n,
                    const char *u, size_t ldu, char *b, size_t ldb)
{
    size_t half = m / 2, rest = m - half;
    const char *right = u + half * blas->size;
    const char *corner = right + half * ldu * blas->size;
    char *bottom = b + half * ldb * blas->size;

    if (m <= TRIANGLE) {
        blas->trsm(tu, m, n, u, ldu, b, ldb);
    } else if (tu) {
        gi_chol_divide(blas, tu, half, n, u, ldu, b, ldb);
        blas->gemm(1, 0, rest, n, half, -1, right, ldu, b, ldb, 1, bottom, ldb);
        gi_chol_divide(blas, tu, rest, n, corner, ldu, bottom, ldb);
    } else {
        gi_chol_divide(blas, tu, rest, n, corner, ldu, bottom, ldb);
        blas->gemm(0, 0, half, n, rest, -1, right, ldu, bottom, ldb, 1, b, ldb);
        gi_chol_divide(blas, tu, half, n, u, ldu, b, ldb);
    }
}

/* A solve; scratch (per thread) makes the columns independent of each other,
 * NULL lets BLAS do them together. */
typedef struct solving {
    const gi_chol *c;
    int backward;
    size_t ldb, step;
    char *scratch;
} solving;

static void *scratch_of(const solving *s)
{
    return s->scratch + (size_t)gi_thread_number() * s->step;
}

/* B = op(U_jj)^-1 B */
static void divide(const solving *s, size_t j, size_t m, char *b)
{
    const gi_chol *c = s->c;
    const size_t h = height(c, j);

    if (s->scratch)
        gi_columns_divide(c->blas, !s->backward, h, m, tile(c, j, j), h, b,
                          s->ldb, scratch_of(s));
    else
        gi_chol_divide(c->blas, !s->backward, h, m, tile(c, j, j), h, b,
                       s->ldb);
}

/* What B of block j, in `from`, takes from block i. */
static void subtract(const solving *s, size_t i, size_t j, size_t m,
                     const char *from, char *b)
{
    const gi_chol *c = s->c;
    const size_t hi = height(c, i), hj = height(c, j);
    const void *a = s->backward ? tile(c, j, i) : tile(c, i, j);
    const size_t lda = s->backward ? hj : hi;

    if (s->scratch)
        gi_columns_add(c->blas, !s->backward, hi, m, hj, -1, a, lda, from,
                       s->ldb, b, s->ldb, scratch_of(s));
    else
        c->blas->gemm(!s->backward, 0, hi, m, hj, -1, a, lda, from, s->ldb, 1,
                      b, s->ldb);
}

/* Block j is solved, then subtracted from all blocks that still wait: below
 * it going forward, L_ij = tile(i,j)', above it going backward, L_ji'. */
static gram_status substitute(gi_run *run, const gi_chol *c, int backward,
                              size_t m, void *b, size_t ldb, void *scratch)
{
    const size_t step = gi_columns_scratch(STRIPE) * c->blas->size;
    const solving solve = {c, backward, ldb, step, scratch};
    size_t stripes = m / STRIPE + (m % STRIPE > 0);
    gram_status status = GRAM_OK;

    if (ldb > GI_BLAS_MAX)
        return gi_fail(GRAM_ERR_SHAPE,
                       "Cholesky: %zu right-hand sides, must be at most %zu",
                       ldb, GI_BLAS_MAX);
    gi_blas_start();
    GI_PARALLEL(run->threads)
    for (size_t k = 0; k < c->tiles; k++) {
        size_t j = backward ? c->tiles - 1 - k : k;
        size_t first = backward ? 0 : j + 1;
        size_t end = backward ? j : c->tiles;

        /* the others read status behind the next barrier only */
        if (gi_thread_number() == 0)
            status = gi_run_tick(run, (double)k / (double)c->tiles);
        GI_TEAM_FOR
        for (size_t s = 0; s < stripes; s++) {
            size_t width = s + 1 < stripes ? STRIPE : m - s * STRIPE;
            char *bj =
                (char *)b + (j * c->edge * ldb + s * STRIPE) * c->blas->size;

            divide(&solve, j, width, bj);
        }
        if (status != GRAM_OK)
            break;
        GI_TEAM_FOR
        for (size_t t = first * stripes; t < end * stripes; t++) {
            size_t i = t / stripes, s = t % stripes;
            size_t width = s + 1 < stripes ? STRIPE : m - s * STRIPE;
            char *bs = (char *)b + s * STRIPE * c->blas->size;

            subtract(&solve, i, j, width,
                     bs + j * c->edge * ldb * c->blas->size,
                     bs + i * c->edge * ldb * c->blas->size);
        }
    }
    return status;
}

gram_status gi_chol_forward(gi_run *run, const gi_chol *c, size_t m, void *b,
                            size_t ldb)
{
    return substitute(run, c, 0, m, b, ldb, NULL);
}

gram_status gi_chol_backward(gi_run *run, const gi_chol *c, size_t m, void *b,
                             size_t ldb)
{
    return substitute(run, c, 1, m, b, ldb, NULL);
}

gram_status gi_chol_solve(gi_run *run, const gi_chol *c, size_t m, void *b,
                          size_t ldb)
{
    gram_status status = gi_chol_forward(run, c, m, b, ldb);

    return status == GRAM_OK ? gi_chol_backward(run, c, m, b, ldb) : status;
}

gram_status gi_chol_each(gi_run *run, const gi_chol *c, int whole, size_t m,
                         void *b, size_t ldb)
{
    char *scratch = NULL;
    gram_status status;

    GI_TRY(gi_alloc(run, &scratch,
                    (size_t)run->threads * gi_columns_scratch(STRIPE),
                    c->blas->size));
    GI_TRY(substitute(run, c, 0, m, b, ldb, scratch));
    if (whole)
        GI_TRY(substitute(run, c, 1, m, b, ldb, scratch));
done:
    gi_free(scratch);
    return status;
}

/* ------------------------------------------------------------- condition */

/* x = A^-1 x for m columns side by side, by way of the factor's precision. */
static gram_status apply_inverse(gi_run *run, const gi_chol *c, size_t m,
                                 double *x, void *scratch)
{
    gram_status status;

    c->blas->write(c->n * m, x, scratch, 1);
    status = gi_chol_solve(run, c, m, scratch, m);
    c->blas->read(c->n * m, scratch, 1, x);
    return status;
}

static double norm1(size_t n, const double *x, size_t step)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += fabs(x[i * step]);
    return sum;
}

/* x = signs of itself; returns how many differ from those in `sign`, which
 * are replaced. */
static size_t take_signs(size_t n, double *x, signed char *sign)
{
    size_t changes = 0;

    for (size_t i = 0; i < n; i++) {
        signed char s = x[i] < 0 ? -1 : 1;

        changes += s != sign[i];
        sign[i] = s;
        x[i] = s;
    }
    return changes;
}

static size_t largest(size_t n, const double *x)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[best]))
            best = i;
    return best;
}

/* Two starts at once: the mean of the unit vectors, from which the steps go,
 * and an alternating vector of Higham's, for the matrices that deceive
 * them. */
static gram_status start_estimate(gi_run *run, const gi_chol *c, double *x,
                                  void *scratch, double *estimate)
{
    size_t n = c->n;
    gram_status status;

    for (size_t i = 0; i < n; i++) {
        double slope = n > 1 ? (double)i / (double)(n - 1) : 0;

        x[2 * i] = 1 / (double)n;
        x[2 * i + 1] = (i % 2 ? -1 : 1) * (1 + slope);
    }
    status = apply_inverse(run, c, 2, x, scratch);
    *estimate = fmax(norm1(n, x, 2), 2 * norm1(n, x + 1, 2) / (3 * (double)n));
    for (size_t i = 0; i < n; i++)
        x[i] = x[2 * i];
    return status;
}

gram_status gi_chol_condition(gi_run *run, const gi_chol *c, double norm,
                              double *out)
{
    size_t n = c->n, best, last = n;
    double *x = NULL, estimate = 0, now;
    signed char *sign = NULL;
    void *scratch = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, x, 2 * n));
    GI_TRY(GI_NEW_ZERO(run, sign, n));
    GI_TRY(gi_alloc(run, &scratch, 2 * n, c->blas->size));
    if (n > 0)
        GI_TRY(start_estimate(run, c, x, scratch, &estimate));
    for (int step = 0; step < STEPS && n > 0; step++) {
        if (take_signs(n, x, sign) == 0)
            break;
        GI_TRY(apply_inverse(run, c, 1, x, scratch));
        best = largest(n, x);
        if (best == last)
            break;
        for (size_t i = 0; i < n; i++)
            x[i] = i == best;
        GI_TRY(apply_inverse(run, c, 1, x, scratch));
        now = norm1(n, x, 1);
        if (now <= estimate && step > 0)
            break;
        estimate = fmax(estimate, now);
        last = best;
    }
    *out = norm * estimate;
done:
    gi_free(scratch);
    gi_free(sign);
    gi_free(x);
    return status;
}
