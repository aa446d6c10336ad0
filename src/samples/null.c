/* null.c - the distribution of the statistic if P = Q, for many rows.
 *
 * With k~ the centred kernel and c = 1/m + 1/n, the biased statistic tends to
 * c sum_l lambda_l Z_l^2, Z_l standard normal and lambda_l the eigenvalues of
 * k~ (Gretton, Fukumizu, Harchaoui, Sriperumbudur 2009), and the unbiased one
 * to the same less its mean c sum_l lambda_l.  Either that sum is drawn, with
 * the eigenvalues of the matrix on a sample of the rows, divided by its size;
 * or a gamma distribution of the same mean and variance takes its place.
 *
 * The eigenvalues of a sample include the diagonal, which counts less the more
 * rows there are.  Those that are too small to be used are added to the mean.
 */
#include <math.h>

#include "base/distributions.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "kernels/engine/block.h"
#include "linalg/dense/eigen.h"
#include "samples/mmd.h"

enum { SAMPLE = GI_NULL_ROWS, STREAM = 0x6d6d6e75, TERMS = GI_NULL_TERMS };

double gi_null_gamma(const gi_mmd *e)
{
    double mean = e->null_mean, variance = e->null_variance;

    if (!(variance > 0 && mean > 0))
        return 1; /* no pair of rows differs */
    return gi_gamma_tail(mean * mean / variance,
                         (e->unbiased + mean) * mean / variance);
}

/* ---------------------------------------------------------------- spectral */

static void centre(double *K, size_t n)
{
    for (int twice = 0; twice < 2; twice++)
        for (size_t i = 0; i < n; i++) {
            double mean = 0;

            for (size_t j = 0; j < n; j++)
                mean += (twice ? K[j * n + i] : K[i * n + j]) / (double)n;
            for (size_t j = 0; j < n; j++)
                *(twice ? &K[j * n + i] : &K[i * n + j]) -= mean;
        }
}

/* Eigenvalues of the centred kernel on `rows` rows, ascending. */
static gram_status eigenvalues(gi_run *run, const gi_joined *p, size_t rows,
                               double *values)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    size_t *row = NULL;
    gi_points *x = NULL;
    double *K = NULL;

    GI_TRY(GI_NEW(run, row, p->m + p->n));
    GI_TRY(GI_NEW(run, K, rows * rows));
    for (size_t i = 0; i < p->m + p->n; i++)
        row[i] = i;
    gi_rng_shuffle(&rng, row, p->m + p->n);
    GI_TRY(gi_points_select(run, p->program, p->x, row, rows, &x));
    GI_TRY(gi_engine_store(run, p->program, x, NULL, K, rows));
    centre(K, rows);
    GI_TRY(gi_eigen_symmetric(run, rows, K, rows, 0, values));
done:
    gi_points_free(x);
    gi_free(row);
    gi_free(K);
    return status;
}

gram_status gi_null_spectral(gi_run *run, const gi_joined *p, const gi_mmd *e,
                             size_t draws, double *p_value)
{
    gram_status status = GRAM_OK;
    const size_t all = p->m + p->n, rows = all < SAMPLE ? all : SAMPLE;
    const size_t terms = rows < TERMS ? rows : TERMS;
    const double scale = (1 / (double)p->m + 1 / (double)p->n) / (double)rows;
    double *values = NULL;
    size_t larger = 0;

    if (gi_joined_is_fixed(p))
        return gi_fail(GRAM_ERR_SHAPE, "method spectral: takes a sample of the "
                                       "rows, which a matrix from a file does "
                                       "not allow");
    GI_TRY(GI_NEW(run, values, rows));
    GI_TRY(eigenvalues(run, p, rows, values));
    for (size_t b = 0; b < draws; b++) {
        gi_rng rng = gi_rng_new(run->seed, STREAM + ((b + 1) << 32));
        double sum = 0;

        for (size_t l = rows - terms; l < rows; l++) {
            double z = gi_rng_normal(&rng);

            sum += fmax(0, values[l]) * (z * z - 1);
        }
        larger += scale * sum >= e->unbiased;
    }
    *p_value = (1 + (double)larger) / (1 + (double)draws);
done:
    gi_free(values);
    return status;
}
