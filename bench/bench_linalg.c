/* bench_linalg.c - our matrix product and Cholesky factor, on all cores with
 * single-threaded BLAS on tiles, beside one call of OpenBLAS with its own
 * threads.  Rates are in Gflop/s, best of RUNS; the two sides take turns.
 *
 * Errors: the greatest difference of the two products over the greatest
 * element; of a factor, |A x - b| / (|A| |x|) in the maximum norm for the
 * solution of A x = b, where A is a correlation exp(-|i-j|/LENGTH) plus 1 on
 * the diagonal.  The status is 1 if a rate is below TARGET of the one call's.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "linalg/dense/chol.h"
#include "linalg/dense/gemm.h"

enum { RUNS = 3, GEMM_N = 4096, CHOL_N = 8192 };
#define LENGTH 200.0
#define TARGET 0.85

/* OpenBLAS itself; int is its integer. */
void openblas_set_num_threads(int n);
void dgemm_(const char *ta, const char *tb, const int *m, const int *n,
            const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void spotrf_(const char *uplo, const int *n, float *a, const int *lda,
             int *info);

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_best(double *best, double start)
{
    *best = fmin(*best, now() - start);
}

static int report(const char *name, double flops, double ours, double theirs,
                  double error, double bound)
{
    double share = theirs / ours;
    int good = share >= TARGET && error < bound;

    printf("%-22s gram %6.1f   one call %6.1f Gflop/s   ratio %.2f (>= %.2f)"
           "   error %.1e: %s\n",
           name, 1e-9 * flops / ours, 1e-9 * flops / theirs, share, TARGET,
           error, good ? "good" : "MISSED");
    return good;
}

static gram_status bench_gemm(gi_run *run, int *good)
{
    const int n = GEMM_N;
    const double one = 1, zero = 0;
    const size_t m = GEMM_N, size = m * m;
    double *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    double ours = INFINITY, theirs = INFINITY, error = 0, most = 0, start;
    gi_rng rng = gi_rng_new(1, 0);
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, a, size));
    GI_TRY(GI_NEW(run, b, size));
    GI_TRY(GI_NEW_ZERO(run, c, size));
    GI_TRY(GI_NEW_ZERO(run, d, size));
    for (size_t i = 0; i < size; i++) {
        a[i] = gi_rng_uniform(&rng) - 0.5;
        b[i] = gi_rng_uniform(&rng) - 0.5;
    }
    for (int k = 0; k < RUNS; k++) {
        openblas_set_num_threads(1);
        start = now();
        GI_TRY(gi_gemm_double(run, 0, 0, m, m, m, 1, a, m, b, m, 0, c, m));
        keep_best(&ours, start);
        openblas_set_num_threads(run->threads);
        start = now();
        /* column-major: D' = B' A' */
        dgemm_("N", "N", &n, &n, &n, &one, b, &n, a, &n, &zero, d, &n);
        keep_best(&theirs, start);
    }
    for (size_t i = 0; i < size; i++) {
        error = fmax(error, fabs(c[i] - d[i]));
        most = fmax(most, fabs(d[i]));
    }
    *good &= report("gemm 4096, double", 2.0 * n * n * n, ours, theirs,
                    error / most, 1e-12);
done:
    gi_free(a);
    gi_free(b);
    gi_free(c);
    gi_free(d);
    return status;
}

/* A of some precision, A(i,j) by |i - j| */
typedef struct toeplitz {
    const gi_blas *blas;
    double *by_distance;
} toeplitz;

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const toeplitz *a = user;
    const size_t size = a->blas->size;

    for (size_t r = 0; r < rows; r++) {
        size_t s = row == col ? r : 0;

        a->blas->write(cols - s, a->by_distance + (col + s - row - r),
                       (char *)tile + (r * ld + s) * size, 1);
    }
    return GRAM_OK;
}

/* |A x - 1| / (|A| |x|) for the Toeplitz matrix A. */
static double residual(const double *by_distance, const double *x, size_t n)
{
    double worst = 0, norm = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = -1, row = 0;

        for (size_t j = 0; j < n; j++) {
            double aij = by_distance[i > j ? i - j : j - i];

            sum += aij * x[j];
            row += fabs(aij);
        }
        worst = fmax(worst, fabs(sum));
        norm = fmax(norm, row);
        most = fmax(most, fabs(x[i]));
    }
    return worst / (norm * most);
}

static void one_call(const gi_blas *blas, int n, void *full)
{
    int info;

    if (blas == &gi_blas_double)
        dpotrf_("L", &n, full, &n, &info);
    else
        spotrf_("L", &n, full, &n, &info);
}

/* The solution of A x = 1 with the factor, in double. */
static gram_status solve_ones(gi_run *run, const gi_chol *chol, size_t n,
                              double *x)
{
    const gi_blas *blas = gi_chol_blas(chol);
    void *ones = NULL;
    gram_status status;

    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    GI_TRY(gi_alloc(run, &ones, n, blas->size));
    blas->write(n, x, ones, 1);
    GI_TRY(gi_chol_solve(run, chol, 1, ones, 1));
    blas->read(n, ones, 1, x);
done:
    gi_free(ones);
    return status;
}

static gram_status bench_chol(gi_run *run, const gi_blas *blas, int *good)
{
    const size_t n = CHOL_N;
    toeplitz a = {blas, NULL};
    double *x = NULL, ours = INFINITY, theirs = INFINITY, start;
    void *full = NULL;
    gi_chol *chol = NULL;
    char name[32];
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, a.by_distance, n));
    GI_TRY(gi_alloc(run, &full, n * n, blas->size));
    GI_TRY(GI_NEW(run, x, n));
    GI_TRY(gi_chol_new(run, blas, n, 0, &chol));
    for (size_t i = 0; i < n; i++)
        a.by_distance[i] = exp(-(double)i / LENGTH) + (i == 0);
    for (int k = 0; k < RUNS; k++) {
        openblas_set_num_threads(1);
        start = now();
        GI_TRY(gi_chol_factor(run, chol, fill, &a));
        keep_best(&ours, start);
        GI_TRY(fill(&a, 0, n, 0, n, full, n));
        openblas_set_num_threads(run->threads);
        start = now();
        one_call(blas, CHOL_N, full);
        keep_best(&theirs, start);
    }
    openblas_set_num_threads(1);
    GI_TRY(solve_ones(run, chol, n, x));
    snprintf(name, sizeof name, "Cholesky 8192, %s", blas->name);
    *good &= report(name, pow(CHOL_N, 3) / 3, ours, theirs,
                    residual(a.by_distance, x, n),
                    blas == &gi_blas_double ? 1e-12 : 1e-4);
done:
    gi_free(a.by_distance);
    gi_free(full);
    gi_free(x);
    gi_chol_free(chol);
    return status;
}

int main(void)
{
    GI_RUN(run, NULL);
    int good = 1;

    gi_blas_start();
    printf("%s, %s kernels, %d threads\n", gi_blas_version(), gi_blas_core(),
           run.threads);
    if (bench_gemm(&run, &good) != GRAM_OK ||
        bench_chol(&run, &gi_blas_double, &good) != GRAM_OK ||
        bench_chol(&run, &gi_blas_single, &good) != GRAM_OK) {
        fprintf(stderr, "bench_linalg: %s\n", gram_error_message());
        return 1;
    }
    return !good;
}
