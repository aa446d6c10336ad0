/* softmax.c - the curvature of the softmax loss: its root, its sum over the
 * rows, and the preconditioner of Newton's system.
 *
 * Cost: O(n C^2) for the sum; 4 n r C + 2 C r^2 flops for the preconditioner,
 * C n r^2 to make it.
 */
#include "solvers/smooth/softmax.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "linalg/dense/gemm.h"
#include "solvers/system.h"

void gi_softmax_add_rows(const gi_softmax *x, const double *v, double *out)
{
    const size_t c = x->classes;

    memset(out, 0, c * sizeof *out);
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < c; k++)
            out[k] += v[i * c + k];
}

/* ---------------------------------------------------------------- curvature */

gram_status gi_softmax_sum_curvature(gi_softmax *x)
{
    const size_t c = x->classes;
    double *a = x->curvature, trace = 0;

    memset(a, 0, c * c * sizeof *a);
    for (size_t i = 0; i < x->n; i++) {
        const double *q = x->q + i * c, w = x->root[i] * x->root[i];

        for (size_t k = 0; k < c; k++) {
            double wp = w * q[k] * q[k];

            a[k * c + k] += wp;
            for (size_t l = k; l < c; l++)
                a[k * c + l] -= wp * q[l] * q[l];
        }
    }
    for (size_t k = 0; k < c; k++)
        trace += a[k * c + k] + DBL_MIN;
    for (size_t k = 0; k < c; k++)
        for (size_t l = k; l < c; l++)
            a[k * c + l] += trace / (double)c * (k == l ? 1 + 1e-13 : 1);
    gi_blas_start();
    if (gi_blas_double.potrf(c, a, c) < c)
        return gi_fail(GRAM_ERR_NUMERIC,
                       "softmax: the curvature by the intercepts is not "
                       "positive definite");
    return GRAM_OK;
}

void gi_softmax_divide_curvature(const gi_softmax *x, double *v)
{
    const size_t c = x->classes;
    double mean = 0;

    gi_blas_double.trsm(1, c, 1, x->curvature, c, v, 1);
    gi_blas_double.trsm(0, c, 1, x->curvature, c, v, 1);
    for (size_t k = 0; k < c; k++)
        mean += v[k] / (double)c;
    for (size_t k = 0; k < c; k++)
        v[k] -= mean;
}

/* P v of a row. */
static void project_row(size_t c, const double *q, double *v)
{
    double part = gi_softmax_dot(c, q, v);

    for (size_t k = 0; k < c; k++)
        v[k] -= part * q[k];
}

void gi_softmax_root(const gi_softmax *x, const double *v, double *out)
{
    const size_t c = x->classes;

    memmove(out, v, x->n * c * sizeof *out);
    for (size_t i = 0; i < x->n; i++) {
        project_row(c, x->q + i * c, out + i * c);
        for (size_t k = i * c; k < (i + 1) * c; k++)
            out[k] *= x->root[i] * x->q[k];
    }
}

void gi_softmax_root_back(const gi_softmax *x, const double *v, double *out)
{
    const size_t c = x->classes;

    for (size_t i = 0; i < x->n; i++) {
        for (size_t k = i * c; k < (i + 1) * c; k++)
            out[k] = v[k] * x->root[i] * x->q[k];
        project_row(c, x->q + i * c, out + i * c);
    }
}

void gi_softmax_project(gi_softmax *x, double *v)
{
    const size_t c = x->classes;
    double *sum = x->turn;

    if (!x->p->intercept)
        return;
    gi_softmax_root(x, v, x->right);
    gi_softmax_add_rows(x, x->right, sum);
    gi_softmax_divide_curvature(x, sum);
    for (size_t i = 0; i < x->n; i++)
        memcpy(x->right + i * c, sum, c * sizeof *sum);
    gi_softmax_root_back(x, x->right, x->right);
    for (size_t k = 0; k < x->n * c; k++)
        v[k] -= x->right[k];
}

/* ----------------------------------------------------------- preconditioner */

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const gi_softmax *x = user;
    const size_t r = x->low->rank;
    double *a = tile;

    gi_blas_double.gemm(1, 0, rows, cols, x->n, 1, x->scaled + row, r,
                        x->scaled + col, r, 0, a, ld);
    for (size_t i = 0; row == col && i < rows; i++)
        a[i * ld + i] += 2 * x->p->lambda;
    return GRAM_OK;
}

gram_status gi_softmax_begin_low(gi_softmax *x, size_t rank)
{
    const gi_problem *p = x->p;
    double *diagonal = NULL, top = 0, heavy = 0;
    gram_status status;

    GI_TRY(GI_NEW(&x->run, diagonal, x->n));
    GI_TRY(gi_operator_diagonal(p->K, &x->run, diagonal));
    for (size_t i = 0; i < x->n; i++) {
        top = fmax(top, diagonal[i]);
        heavy = fmax(heavy, x->root[i] * x->root[i]);
    }
    if (!(top > 0))
        goto done;
    GI_TRY(gi_pivot_new(&x->run, x->n, diagonal, gi_system_rows, (void *)p->K,
                        0.1 * p->lambda / heavy / top, rank, &x->low));
    GI_TRY(GI_NEW(&x->run, x->scaled, x->n * x->low->rank));
    GI_TRY(GI_NEW(&x->run, x->small, x->low->rank * x->classes));
    for (size_t k = 0; k < x->classes; k++)
        GI_TRY(gi_chol_new(&x->run, &gi_blas_double, x->low->rank, 0,
                           &x->core[k]));
done:
    gi_free(diagonal);
    return status;
}

gram_status gi_softmax_make_cores(gi_softmax *x)
{
    const size_t c = x->classes;
    gram_status status = GRAM_OK;

    for (size_t k = 0; x->low && k < c; k++) {
        const size_t r = x->low->rank;

        for (size_t i = 0; i < x->n; i++)
            for (size_t j = 0; j < r; j++)
                x->scaled[i * r + j] = x->low->factor[i * x->low->ld + j] *
                                       x->root[i] * x->q[i * c + k];
        GI_TRY(gi_chol_factor(&x->run, x->core[k], fill, x));
    }
done:
    return status;
}

gram_status gi_softmax_precondition(void *user, gi_run *run, const double *v,
                                    size_t m, double *out)
{
    gi_softmax *x = user;
    const size_t n = x->n, c = x->classes, r = x->low->rank;
    const double *F = x->low->factor;
    const size_t ld = x->low->ld;
    gram_status status;

    (void)m; /* one */
    for (size_t k = 0; k < n * c; k++)
        x->left[k] = v[k] * x->root[k / c] * x->q[k];
    GI_TRY(gi_gemm_double(run, 1, 0, r, c, n, 1, F, ld, x->left, c, 0, x->small,
                          c));
    for (size_t k = 0; k < c; k++) {
        for (size_t j = 0; j < r; j++)
            x->one[j] = x->small[j * c + k];
        GI_TRY(gi_chol_solve(run, x->core[k], 1, x->one, 1));
        for (size_t j = 0; j < r; j++)
            x->small[j * c + k] = x->one[j];
    }
    GI_TRY(gi_gemm_double(run, 0, 0, n, c, r, 1, F, ld, x->small, c, 0, x->left,
                          c));
    for (size_t k = 0; k < n * c; k++)
        out[k] =
            (v[k] - x->left[k] * x->root[k / c] * x->q[k]) / (2 * x->p->lambda);
    for (size_t i = 0; i < n; i++)
        project_row(c, x->q + i * c, out + i * c);
    gi_softmax_project(x, out);
done:
    return status;
}
