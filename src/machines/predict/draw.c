/* draw.c - joint covariances, and functions drawn from prior and posterior.
 *
 * A draw is mean + F z with F F' the covariance and z standard normal.  F comes
 * from a pivoted Cholesky factorisation, which ends at the rank, so that
 * covariances that are singular to rounding, as smooth kernels have them, need
 * no jitter.  z_i belongs to row i, seed and draw alone, and F by columns to
 * the rows that are its pivots.
 *
 * Cost: n^2 a row for the covariance of a posterior, then rows^2 rank.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "linalg/dense/gemm.h"
#include "linalg/iterative/pivot.h"
#include "machines/predict/predict.h"
#include "solvers/system.h"

enum { ROWS = GI_SYSTEM_ROWS };

/* Streams of draw c: of f from SAMPLE + c, of the noise from NOISE + c. */
static const uint64_t SAMPLE = (uint64_t)0x73616d70 << 32;
static const uint64_t NOISE = (uint64_t)0x6e6f6973 << 32;

/* -------------------------------------------------------------- covariance */

/* C -= T A^-1 T' for columns from .. from+m-1, and u of these rows. */
static gram_status reduce(const gi_query *a, const gi_posterior *p, size_t from,
                          size_t m, double *room, double *weight, double *u,
                          double *C, size_t ld)
{
    gram_status status = GRAM_OK;
    double *product = NULL;

    GI_TRY(GI_NEW(a->run, product, a->rows * m));
    GI_TRY(gi_system_columns(a->run, a->T, &gi_blas_double, from, m, room,
                             weight));
    GI_TRY(gi_chol_solve(a->run, p->s->factor, m, weight, m));
    GI_TRY(gi_operator_product(a->T, a->run, 0, weight, m, product));
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < m; j++)
            C[i * ld + from + j] -= product[i * m + j];
    for (size_t j = 0; p->s->inverse_one && j < m; j++) {
        u[from + j] = 1;
        for (size_t i = 0; i < a->m->expansion.n; i++)
            u[from + j] -= weight[i * m + j];
    }
done:
    gi_free(product);
    return status;
}

/* What is symmetric but for rounding made so, u u' added, all in units of y. */
static void complete(const gi_query *a, const gi_posterior *p, double amplitude,
                     const double *u, double *C, size_t ld)
{
    const double *inverse = p->s->inverse_one;
    double one = 0;

    for (size_t i = 0; inverse && i < a->m->expansion.n; i++)
        one += inverse[i];
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j <= i; j++) {
            double c = (C[i * ld + j] + C[j * ld + i]) / 2;

            c = i == j ? fmax(c, 0) : c;
            c += inverse ? u[i] * u[j] / one : 0;
            C[i * ld + j] = C[j * ld + i] = amplitude * c;
        }
}

gram_status gi_query_covariance(const gi_query *a, size_t target, double *C,
                                size_t ld)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    gi_operator *S = NULL;
    gi_posterior p = {0};
    double *room = NULL, *weight = NULL, *u = NULL;

    GI_TRY(gi_posterior_new(a->run, m, m->expansion.solutions > 1 ? target : 0,
                            1, &p));
    GI_TRY(gi_operator_new(a->run, m->expansion.program, NULL, a->x, NULL, &S));
    GI_TRY(gi_operator_prepare(S, a->run, &gi_blas_double));
    GI_TRY(gi_operator_store(S, a->run, &gi_blas_double, C, ld));
    GI_TRY(gi_operator_prepare(a->T, a->run, &gi_blas_double));
    GI_TRY(GI_NEW(a->run, room, m->expansion.n * ROWS));
    GI_TRY(GI_NEW(a->run, weight, m->expansion.n * ROWS));
    GI_TRY(GI_NEW(a->run, u, a->rows));
    for (size_t from = 0; from < a->rows; from += ROWS) {
        size_t rows = a->rows - from < ROWS ? a->rows - from : ROWS;

        GI_TRY(reduce(a, &p, from, rows, room, weight, u, C, ld));
        GI_TRY(gi_run_tick(a->run, (double)(from + rows) / (double)a->rows));
    }
    complete(a, &p, m->outputs.amplitude[target], u, C, ld);
done:
    gi_operator_free(S);
    gi_posterior_free(&p);
    gi_free(room);
    gi_free(weight);
    gi_free(u);
    return status;
}

gram_status gram_machine_covariance(const gram_machine *m,
                                    const gram_table *table, size_t target,
                                    const gram_exec *exec, double *C, size_t ld)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_query a = {.run = &run, .m = m, .table = table};
    gram_predictor *p = NULL;

    GI_TRY(gi_machine_must_be_squared(m, "a covariance"));
    if (target >= m->outputs.count)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "target %zu, the machine has %zu, counted from 0",
                       target, m->outputs.count));
    GI_TRY(gi_predictor_new(&run, m, NULL, &p));
    a.p = p;
    GI_TRY(gi_query_begin(&a));
    if (a.rows > 0)
        GI_TRY(gi_query_covariance(&a, target, C, ld));
    for (size_t i = 0; a.whole && i < a.rows; i++)
        for (size_t j = 0; j < a.rows; j++)
            if (!a.whole[i] || !a.whole[j])
                C[i * ld + j] = NAN;
done:
    gi_query_end(&a);
    gram_predictor_free(p);
    return status;
}

/* ------------------------------------------------------------------- draws */

/* out[i*count + c] = (F z_c)_i. */
static gram_status draw(gi_run *run, const gi_pivot *F, size_t count,
                        double *out)
{
    gram_status status = GRAM_OK;
    double *z = NULL, *all = NULL;

    memset(out, 0, F->n * count * sizeof *out);
    if (F->rank == 0)
        return status;
    GI_TRY(GI_NEW(run, z, F->rank * count));
    GI_TRY(GI_NEW(run, all, F->n));
    for (size_t c = 0; c < count; c++) {
        gi_rng rng = gi_rng_new(run->seed, SAMPLE + c);

        for (size_t i = 0; i < F->n; i++)
            all[i] = gi_rng_normal(&rng);
        for (size_t k = 0; k < F->rank; k++)
            z[k * count + c] = all[F->pivot[k]];
    }
    GI_TRY(gi_gemm_double(run, 0, 0, F->n, count, F->rank, 1, F->factor, F->ld,
                          z, count, 0, out, count));
done:
    gi_free(z);
    gi_free(all);
    return status;
}

typedef struct dense {
    const double *C;
    size_t n;
} dense;

static gram_status dense_rows(void *user, gi_run *run, const size_t *row,
                              size_t m, double *out, size_t ld)
{
    const dense *d = user;

    (void)run;
    for (size_t i = 0; i < m; i++)
        memcpy(out + i * ld, d->C + row[i] * d->n, d->n * sizeof *out);
    return GRAM_OK;
}

/* Draws of f at the rows, from its covariance, then means and noise. */
static gram_status posterior_draws(const gi_query *a, size_t count, int noise,
                                   double *out)
{
    gram_status status = GRAM_OK;
    size_t n = a->rows, T = a->m->outputs.count;
    double *C = NULL, *diagonal = NULL, *mean = NULL, *D = NULL;
    dense d;
    gi_pivot *F = NULL;

    GI_TRY(gi_alloc(a->run, &C, n, n * sizeof *C));
    GI_TRY(GI_NEW(a->run, diagonal, n));
    GI_TRY(GI_NEW(a->run, mean, n * T));
    GI_TRY(GI_NEW(a->run, D, n));
    GI_TRY(gi_query_noise(a, D));
    GI_TRY(gi_query_mean(a, mean));
    GI_TRY(gi_query_covariance(a, 0, C, n));
    for (size_t i = 0; i < n; i++)
        diagonal[i] = C[i * n + i];
    d = (dense){C, n};
    GI_TRY(gi_pivot_new(a->run, n, diagonal, dense_rows, &d, 0, n, &F));
    GI_TRY(draw(a->run, F, count, out));
    for (size_t c = 0; c < count; c++) {
        gi_rng rng = gi_rng_new(a->run->seed, NOISE + c);

        for (size_t i = 0; i < n; i++) {
            out[i * count + c] += mean[i * T];
            if (noise)
                out[i * count + c] += sqrt(a->m->outputs.variance[0] * D[i]) *
                                      gi_rng_normal(&rng);
        }
    }
done:
    gi_pivot_free(F);
    gi_free(C);
    gi_free(diagonal);
    gi_free(mean);
    gi_free(D);
    return status;
}

gram_status gram_machine_sample(const gram_machine *m, const gram_table *table,
                                size_t count, int noise, const gram_exec *exec,
                                double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gi_query a = {.run = &run, .m = m, .table = table};
    gram_predictor *p = NULL;

    GI_TRY(gi_machine_must_be_squared(m, "samples"));
    GI_TRY(gi_predictor_new(&run, m, NULL, &p));
    a.p = p;
    GI_TRY(gi_query_begin(&a));
    if (a.rows > 0 && count > 0)
        GI_TRY(posterior_draws(&a, count, noise, out));
    for (size_t i = 0; a.whole && i < a.rows; i++)
        for (size_t k = 0; !a.whole[i] && k < count; k++)
            out[i * count + k] = NAN;
done:
    gi_query_end(&a);
    gram_predictor_free(p);
    return status;
}

static gram_status kernel_rows(void *user, gi_run *run, const size_t *row,
                               size_t m, double *out, size_t ld)
{
    const gi_operator *K = user;

    return gi_operator_rows(K, run, &gi_blas_double, row, m, out, ld);
}

gram_status gram_kernel_sample(const gram_kernel *k, const gram_table *table,
                               size_t count, const gram_exec *exec, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    size_t n = gram_table_rows(table);
    gram_program *program = NULL;
    gi_points *x = NULL;
    gi_operator *K = NULL;
    gi_pivot *F = NULL;
    double *diagonal = NULL;

    GI_TRY(gi_program_new(&run, k, table, 0, &program));
    GI_TRY(gi_points_new(&run, program, table, GI_DOUBLE, &x));
    if (n == 0 || count == 0)
        goto done;
    GI_TRY(gi_operator_new(&run, program, NULL, x, NULL, &K));
    GI_TRY(GI_NEW(&run, diagonal, n));
    GI_TRY(gi_operator_diagonal(K, &run, diagonal));
    GI_TRY(gi_pivot_new(&run, n, diagonal, kernel_rows, K, 0, n, &F));
    GI_TRY(draw(&run, F, count, out));
done:
    gi_pivot_free(F);
    gi_free(diagonal);
    gi_operator_free(K);
    gi_points_free(x);
    gi_program_free(program);
    return status;
}
