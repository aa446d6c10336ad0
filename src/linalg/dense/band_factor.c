/* band_factor.c - systems with a band matrix at one shift, in double.
 *
 * In blocks of b a band is block tridiagonal, B + s I = U'U with U block
 * bidiagonal, and everything is a loop over blocks that ends in BLAS.  The
 * diagonal blocks of the inverse (Takahashi, Fagan, Chin 1973) follow from
 * the last one back:
 *
 *     Z_k = (U_k'U_k)^-1 + F Z_k+1 F',   F = U_k^-1 U_k,k+1
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "linalg/dense/band_inside.h"

static const gi_blas *const blas = &gi_blas_double;

static double *diagonal(const gi_band_factor *f, size_t k)
{
    return f->diagonal + k * f->b * f->b;
}

static double *beside(const gi_band_factor *f, size_t k)
{
    return f->beside + k * f->b * f->b;
}

static size_t height(const gi_band_factor *f, size_t k)
{
    return gi_min_size(f->b, f->n - k * f->b);
}

static gram_status pivot_failed(size_t index, double value)
{
    char text[GI_NUMBER_ROOM];

    gi_number_print(value, text);
    return gi_fail(GRAM_ERR_NUMERIC,
                   "band Cholesky: pivot %zu is %s, must be positive: the "
                   "matrix is not positive definite",
                   index, text);
}

static gram_status factor(gi_band_factor *f)
{
    const size_t b = f->b;

    for (size_t k = 0; k < f->blocks; k++) {
        double *u = diagonal(f, k), *e = beside(f, k);
        const size_t h = height(f, k), good = blas->potrf(h, u, b);

        /* BLAS tests a pivot by <= 0, which NaN and infinity pass */
        for (size_t i = 0; i < h; i++)
            if (i == good || !isfinite(u[i * b + i]))
                return pivot_failed(k * b + i, u[i * b + i]);
        if (k + 1 < f->blocks) {
            const size_t next = height(f, k + 1);

            blas->trsm(1, h, next, u, b, e, b);
            blas->syrk(1, next, h, -1, e, b, 1, diagonal(f, k + 1), b);
        }
    }
    return GRAM_OK;
}

gram_status gi_band_factor_new(gi_run *run, const gi_band *q, double shift,
                               gi_band_factor **out)
{
    const size_t size = q->blocks * q->b * q->b;
    gi_band_factor *f = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, f, 1));
    f->n = q->n;
    f->b = q->b;
    f->blocks = q->blocks;
    GI_TRY(GI_NEW(run, f->diagonal, size));
    GI_TRY(GI_NEW(run, f->beside, size));
    memcpy(f->diagonal, q->diagonal, size * sizeof *f->diagonal);
    memcpy(f->beside, q->beside, size * sizeof *f->beside);
    for (size_t i = 0; i < f->n; i++)
        diagonal(f, i / f->b)[i % f->b * (f->b + 1)] += shift;
    GI_TRY(factor(f));
    *out = f;
    f = NULL;
done:
    gi_band_factor_free(f);
    return status;
}

void gi_band_factor_free(gi_band_factor *f)
{
    if (f) {
        gi_free(f->diagonal);
        gi_free(f->beside);
    }
    gi_free(f);
}

double gi_band_logdet(const gi_band_factor *f)
{
    double sum = 0;

    for (size_t i = 0; i < f->n; i++)
        sum += log(diagonal(f, i / f->b)[i % f->b * (f->b + 1)]);
    return 2 * sum;
}

void gi_band_solve(const gi_band_factor *f, size_t m, double *x)
{
    const size_t b = f->b;

    if (m == 0)
        return;
    for (size_t k = 0; k < f->blocks; k++) {
        double *xk = x + k * b * m;

        if (k > 0)
            blas->gemm(1, 0, height(f, k), m, b, -1, beside(f, k - 1), b,
                       xk - b * m, m, 1, xk, m);
        blas->trsm(1, height(f, k), m, diagonal(f, k), b, xk, m);
    }
    for (size_t k = f->blocks; k-- > 0;) {
        double *xk = x + k * b * m;

        if (k + 1 < f->blocks)
            blas->gemm(0, 0, b, m, height(f, k + 1), -1, beside(f, k), b,
                       xk + b * m, m, 1, xk, m);
        blas->trsm(0, height(f, k), m, diagonal(f, k), b, xk, m);
    }
}

/* z = (U_k'U_k)^-1, both triangles */
static void invert_block(const gi_band_factor *f, size_t k, double *z)
{
    const size_t b = f->b, h = height(f, k);

    memcpy(z, diagonal(f, k), b * b * sizeof *z);
    blas->potri(h, z, b);
    for (size_t i = 0; i < h; i++)
        for (size_t j = 0; j < i; j++)
            z[i * b + j] = z[j * b + i];
}

gram_status gi_band_trace(gi_run *run, const gi_band_factor *f, double *out)
{
    const size_t b = f->b, bb = b * b;
    double *scratch = NULL, *z, *next, *g, *gz, sum = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, scratch, 4 * bb));
    z = scratch;
    next = z + bb;
    g = next + bb;
    gz = g + bb;
    for (size_t k = f->blocks; k-- > 0;) {
        double *last = z;

        z = next;
        next = last;
        invert_block(f, k, z);
        if (k + 1 < f->blocks) {
            const size_t h = height(f, k + 1);

            memcpy(g, beside(f, k), bb * sizeof *g);
            blas->trsm(0, b, h, diagonal(f, k), b, g, b);
            blas->gemm(0, 0, b, h, h, 1, g, b, next, b, 0, gz, b);
            blas->gemm(0, 1, b, b, h, 1, gz, b, g, b, 1, z, b);
        }
        for (size_t i = 0; i < height(f, k); i++)
            sum += z[i * b + i];
    }
    *out = sum;
done:
    gi_free(scratch);
    return status;
}
