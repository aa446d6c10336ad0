/* path_band_refit.c - leaving out whole folds, each by a path of its own.
 *
 * For the rows I of a fold and J, all others, K_JJ is reduced to a band, once
 * for all lambdas (path_band.c), and what it says of I is compared with y:
 *
 *     r_I = y_I - b - K_IJ alpha_J
 *
 * No Q is formed, and no block of an inverse: with few folds or many lambdas
 * that is less work than the one path of all rows (path_band_folds.c), whose
 * every lambda costs n^3/k flops.
 *
 * Memory: (n-m)^2 of the precision for folds of m rows, and ROWS n doubles.
 * Cost: 4/3 k (n-m)^3 flops for k folds; lambdas are all but free.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/gemm.h"
#include "solvers/path/path_band.h"
#include "solvers/row_subset.h"
#include "solvers/system.h"

/* Rows of K_IJ at a time. */
enum { ROWS = GI_PATH_REFIT_ROWS };

/* A fold that is left out, at `count` lambdas. */
typedef struct leaving {
    const gi_problem *p;
    const double *lambda;
    size_t count, columns; /* count times targets */
    size_t *rest, rests;   /* J, and behind it I */
    size_t lefts;
    double *alpha;  /* n x columns, 0 in the rows of I */
    double *offset; /* columns: b; NaN where nothing is defined */
    double *out;    /* count x n x targets */
} leaving;

/* ------------------------------------------------------------------ fitting */

/* gi_parallel_for */
static gram_status solve_point(void *user, size_t i)
{
    return gi_banded_solve((gi_banded_point *)user + i);
}

/* alpha and b of lambda number j, of which r has place k. */
static void keep(const leaving *v, const gi_banded *b, const gi_banded_point *x,
                 const double *mean, const gi_banded_left *r, size_t k,
                 size_t j)
{
    const size_t targets = v->p->targets;

    for (size_t t = 0; t < targets; t++)
        v->offset[j * targets + t] = mean[t] + x->offset[t];
    for (size_t i = 0; i < v->rests; i++)
        for (size_t t = 0; t < targets; t++)
            v->alpha[v->rest[i] * v->columns + j * targets + t] =
                b->root[i] * r->alpha[(i * r->count + k) * b->columns + t];
}

/* Lambdas first .. first+some-1. */
static gram_status fit_some(gi_run *run, const leaving *v, gi_banded *b,
                            const double *mean, size_t first, size_t some)
{
    gi_banded_point x[GI_BANDED_BATCH] = {{0}}, *good[GI_BANDED_BATCH];
    gi_banded_left r = {0};
    size_t goods = 0;
    gram_status status;

    for (size_t k = 0; k < some; k++)
        x[k] = (gi_banded_point){
            .b = b, .run = run, .lambda = v->lambda[first + k]};
    GI_TRY(gi_parallel_for(run, some, solve_point, x));
    for (size_t k = 0; k < some; k++)
        if (x[k].factor)
            good[goods++] = &x[k];
    if (goods > 0)
        GI_TRY(gi_banded_rows(b, run, good, goods, 0, &r));
    for (size_t k = 0; k < goods; k++)
        keep(v, b, good[k], mean, &r, k, first + (size_t)(good[k] - x));
done:
    for (size_t k = 0; k < some; k++)
        gi_banded_release(&x[k]);
    gi_banded_forget(&r);
    return status;
}

/* The fits without the fold, at all lambdas. */
static gram_status fit_rest(gi_run *run, const gi_blas *blas, const leaving *v)
{
    const gi_problem *p = v->p;
    gi_row_subset rest = {0};
    gi_path *path = NULL;
    double *mean = NULL;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, mean, p->targets));
    GI_TRY(gi_row_subset_new(run, p, v->rest, v->rests, &rest));
    if (p->intercept)
        gi_system_means(&rest.problem, mean);
    GI_TRY(gi_path_band(run, &rest.problem, blas, 0, &path));
    for (size_t j = 0; j < v->count; j += GI_BANDED_BATCH)
        GI_TRY(fit_some(run, v, path->user, mean, j,
                        v->count - j < GI_BANDED_BATCH ? v->count - j
                                                       : GI_BANDED_BATCH));
done:
    gi_path_free(path);
    gi_row_subset_free(&rest);
    gi_free(mean);
    return status;
}

/* --------------------------------------------------------------- the others */

/* Residuals of the rows of the fold. */
static gram_status look_at_fold(gi_run *run, const leaving *v)
{
    const gi_problem *p = v->p;
    const size_t n = p->n, targets = p->targets, columns = v->columns;
    double *k = NULL, *f = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, k, ROWS * n));
    GI_TRY(GI_NEW(run, f, ROWS * columns));
    for (size_t from = 0; from < v->lefts; from += ROWS) {
        const size_t *row = v->rest + v->rests + from;
        const size_t m = v->lefts - from < ROWS ? v->lefts - from : ROWS;

        GI_TRY(gi_operator_rows(p->K, run, &gi_blas_double, row, m, k, n));
        GI_TRY(gi_gemm_double(run, 0, 0, m, columns, n, 1, k, n, v->alpha,
                              columns, 0, f, columns));
        for (size_t i = 0; i < m; i++)
            for (size_t c = 0; c < columns; c++) {
                const size_t at = row[i] * targets + c % targets;

                v->out[c / targets * n * targets + at] =
                    p->y[at] - v->offset[c] - f[i * columns + c];
            }
    }
done:
    gi_free(k);
    gi_free(f);
    return status;
}

static gram_status leave_out(gi_run *run, const gi_blas *blas, leaving *v,
                             const int *fold, size_t which)
{
    const size_t n = v->p->n;
    gram_status status = GRAM_OK;

    v->rests = v->lefts = 0;
    for (size_t i = 0; i < n; i++)
        if (fold[i] != (int)which)
            v->rest[v->rests++] = i;
    for (size_t i = 0; i < n; i++)
        if (fold[i] == (int)which)
            v->rest[v->rests + v->lefts++] = i;
    if (v->lefts == 0)
        return GRAM_OK;
    memset(v->alpha, 0, n * v->columns * sizeof *v->alpha);
    /* nobody is left: f = 0, but an intercept has no value */
    for (size_t c = 0; c < v->columns; c++)
        v->offset[c] = v->rests == 0 && !v->p->intercept ? 0 : NAN;
    if (v->rests > 0)
        GI_TRY(fit_rest(run, blas, v));
    GI_TRY(look_at_fold(run, v));
done:
    return status;
}

gram_status gi_path_refits(gi_run *run, const gi_problem *p,
                           const gi_blas *blas, const int *fold, size_t folds,
                           const double *lambda, size_t count, double *out)
{
    leaving v = {.p = p,
                 .lambda = lambda,
                 .count = count,
                 .columns = count * p->targets,
                 .out = out};
    gram_status status;

    GI_TRY(GI_NEW(run, v.rest, p->n));
    GI_TRY(GI_NEW(run, v.alpha, p->n * v.columns));
    GI_TRY(GI_NEW(run, v.offset, v.columns));
    for (size_t k = 0; k < folds; k++) {
        gi_run part = gi_run_share(run, (double)k / (double)folds,
                                   (double)(k + 1) / (double)folds);

        GI_TRY(leave_out(&part, blas, &v, fold, k));
    }
done:
    gi_free(v.rest);
    gi_free(v.alpha);
    gi_free(v.offset);
    return status;
}

gi_cost gi_path_refits_cost(const gi_run *run, const gi_problem *p, size_t rows,
                            const gi_blas *blas, size_t folds, size_t count)
{
    const double n = (double)rows, k = (double)folds, word = sizeof(double);
    const double targets = (double)p->targets + 1;
    const double columns = (double)count * targets;
    const double width = (double)gi_band_width(rows);
    const double pairs = n * n / gi_rate_kernel(p->K->cost) / run->threads;
    const size_t rest = folds > 0 ? rows - rows / folds : rows;
    gi_cost c;

    c = gi_path_band_cost(run, p, rows, blas, 0, count);
    c.possible = (p->K->flags & GI_OPERATOR_CAN_RESTRICT) != 0;
    /* folds may be small, hence all rows and factors of a batch; the operator
     * of the others has rows of its own */
    c.bytes += n * word * (2 * columns + ROWS) +
               GI_BANDED_BATCH * n * word * (2 * width + targets) +
               (double)gi_operator_bytes(run, p->K);
    c.seconds =
        k * gi_path_band_cost(run, p, rest, blas, 0, count).seconds + pairs;
    return c;
}
