/* solver_primal.c - kernels with few explicit features: K = Phi Phi'.
 *
 *     w = (C + lambda I)^-1 Phi_c'W (y - mean),   C = Phi_c'W Phi_c,
 *     b = mean of y - mean of phi . w
 *
 * (normal.h), and alpha = W (y - Phi w - b)/lambda.
 *
 * lambda = 0 and a singular C: the smallest w (singular.h: with the basic
 * solution w_p = C_pp^-1 c_p at the pivots, w = E (E'E)^-1 w_p).
 *
 * Cost: n N^2 + N^3/3 flops for N features, or the sum of the squares of the
 * rows' numbers of entries; 3/2 N^2 numbers.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "linalg/dense/gemm.h"
#include "solvers/linear/normal.h"
#include "solvers/path.h"
#include "solvers/linear/singular.h"
#include "solvers/system.h"

enum { ROWS = GI_NORMAL_ROWS };

typedef struct primal {
    gi_run *run;
    const gi_problem *p;
    gi_normal e;
    double jitter;
    gi_chol *factor; /* of C + lambda I */
} primal;

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    double N = (double)p->K->features, n = (double)rows;
    double t = (double)p->targets, rate = gi_rate_gemm(&gi_blas_double);
    gi_cost c = {.possible = p->K->features > 0,
                 .why = "needs a kernel with explicit features"};

    if (!gi_problem_is_squared(p))
        return gi_cost_squared_only;
    if (!c.possible)
        return c;
    c.bytes = 8 * N * N +
              (double)gi_chol_bytes(p->K->features, &gi_blas_double) +
              8 * (ROWS * (N + t) + N * (2 * t + 1) + n * t) +
              (double)gi_operator_bytes(run, p->K);
    c.seconds = gi_normal_seconds(run, p, rows) +
                (N * N * N / 3 + 6 * n * N * (t + 1)) / rate / run->threads;
    return c;
}

/* ------------------------------------------------------------------- factor */

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const primal *q = user;
    double *a = tile;

    for (size_t i = 0; i < rows; i++) {
        memcpy(a + i * ld, q->e.C + (row + i) * q->e.N + col, cols * sizeof *a);
        if (row == col)
            a[i * ld + i] += q->p->lambda + q->jitter;
    }
    return GRAM_OK;
}

static gram_status factorise(void *user, gi_run *run)
{
    primal *q = user;

    return gi_chol_factor(run, q->factor, fill, q);
}

/* |C + lambda|_1, and the mean of its diagonal. */
static double norm_of(const primal *q, double *mean)
{
    const size_t N = q->e.N;
    double most = 0;

    *mean = 0;
    for (size_t i = 0; i < N; i++) {
        double sum = q->p->lambda + q->jitter;

        for (size_t j = 0; j < N; j++)
            sum += fabs(i < j ? q->e.C[i * N + j] : q->e.C[j * N + i]);
        most = fmax(most, sum);
        *mean += (q->e.C[i * N + i] + q->p->lambda) / (double)N;
    }
    return most;
}

static gram_status matrix_rows(void *user, gi_run *run, const size_t *row,
                               size_t m, double *out, size_t ld)
{
    const primal *q = user;

    (void)run;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < q->e.N; j++)
            out[i * ld + j] = row[i] < j ? q->e.C[row[i] * q->e.N + j]
                                         : q->e.C[j * q->e.N + row[i]];
    return GRAM_OK;
}

static gram_status find_pivots(primal *q, gi_singular **out)
{
    double *diagonal = NULL;
    gram_status status;

    GI_TRY(GI_NEW(q->run, diagonal, q->e.N));
    for (size_t i = 0; i < q->e.N; i++)
        diagonal[i] = q->e.C[i * q->e.N + i];
    GI_TRY(
        gi_singular_new(q->run, q->e.N, diagonal, matrix_rows, q, NULL, out));
done:
    gi_free(diagonal);
    return status;
}

/* The smallest w of all that fit best. */
static gram_status solve_singular(primal *q, gi_solution *out)
{
    const size_t t = q->p->targets;
    gi_singular *s = NULL;
    double *basic = NULL;
    gram_status status;

    GI_TRY(find_pivots(q, &s));
    out->rank = s->rank;
    GI_TRY(GI_NEW(q->run, basic, s->rank * t));
    for (size_t i = 0; i < s->rank; i++)
        memcpy(basic + i * t, q->e.c + s->pivot[i] * t, t * sizeof *basic);
    GI_TRY(gi_singular_forward(s, t, basic));
    GI_TRY(gi_singular_backward(s, t, basic));
    GI_TRY(gi_singular_normal(s, t, basic));
    GI_TRY(gi_singular_expand(s, t, 1, basic, 0, out->weights));
done:
    gi_free(basic);
    gi_singular_free(s);
    return status;
}

static gram_status find_weights(primal *q, gi_solution *out)
{
    const gi_problem *p = q->p;
    const size_t N = q->e.N, t = p->targets;
    gi_run part = gi_run_share(q->run, 0.8, 0.9);
    double mean, norm;
    int exact = p->lambda == 0 && q->jitter == 0, good;
    gram_status status;

    GI_TRY(gi_chol_new(q->run, &gi_blas_double, N, 0, &q->factor));
    norm = norm_of(q, &mean);
    status = gi_system_escalate(&part, p, mean, factorise, q, &q->jitter);
    good = status == GRAM_OK;
    if (!good && !(exact && status == GRAM_ERR_NUMERIC))
        goto done;
    if (good)
        GI_TRY(gi_chol_condition(q->run, q->factor, norm, &out->condition));
    if (exact)
        good = good && out->condition * (double)N * DBL_EPSILON < 1;
    out->rank = exact ? N : p->n;
    out->jitter = q->jitter;
    memcpy(out->weights, q->e.c, N * t * sizeof *q->e.c);
    if (good) {
        GI_TRY(gi_chol_solve(q->run, q->factor, t, out->weights, t));
    } else {
        gi_chol_free(q->factor);
        q->factor = NULL;
        GI_TRY(solve_singular(q, out));
    }
done:
    return status;
}

/* -------------------------------------------------------------------- solve */

/* error = W (y - f - b) of some rows, from f = Phi w in its place. */
static void take_errors(const primal *q, const gi_solution *out, size_t row,
                        size_t rows, double *error)
{
    const size_t t = q->p->targets;

    for (size_t k = 0; k < rows * t; k++)
        error[k] = (q->p->y[row * t + k] - error[k] - out->intercept[k % t]) /
                   gi_system_noise(q->p, row + k / t);
}

/* error = W (y - f - b), and r += Phi'error. */
static gram_status find_errors(primal *q, const gi_solution *out, double *error,
                               double *r)
{
    const size_t N = q->e.N, n = q->p->n, t = q->p->targets;
    const gi_operator *K = q->p->K;
    double *phi = NULL;
    gram_status status;

    GI_TRY(GI_NEW(q->run, phi, ROWS * N));
    for (size_t row = 0; row < n; row += ROWS) {
        size_t rows = n - row < ROWS ? n - row : ROWS;
        double *e = error + row * t;

        GI_TRY(gi_operator_features(K, q->run, row, rows, phi, N));
        GI_TRY(gi_gemm_double(q->run, 0, 0, rows, t, N, 1, phi, N, out->weights,
                              t, 0, e, t));
        take_errors(q, out, row, rows, e);
        GI_TRY(
            gi_gemm_double(q->run, 1, 0, N, t, rows, 1, phi, N, e, t, 1, r, t));
    }
done:
    gi_free(phi);
    return status;
}

static gram_status find_errors_sparse(primal *q, const gi_solution *out,
                                      double *error, double *r)
{
    const size_t N = q->e.N, t = q->p->targets;
    const gi_csr *csr = q->p->K->csr;
    double *sums = NULL;
    gram_status status;

    GI_TRY(GI_NEW(q->run, sums, N * t));
    GI_TRY(gi_csr_times(q->run, csr, out->weights, t, error));
    take_errors(q, out, 0, q->p->n, error);
    GI_TRY(gi_csr_times_transposed(q->run, csr, error, t, sums));
    for (size_t k = 0; k < N * t; k++)
        r[k] += sums[k];
done:
    gi_free(sums);
    return status;
}

/* alpha, and the residual Phi'W (y - f - b) - lambda w. */
static gram_status find_alpha(primal *q, gi_solution *out)
{
    const size_t N = q->e.N, n = q->p->n, t = q->p->targets;
    double lambda = q->p->lambda + q->jitter;
    double *r = NULL, *error = NULL;
    gram_status status;

    GI_TRY(GI_NEW(q->run, r, N * t));
    GI_TRY(GI_NEW(q->run, error, n * t));
    for (size_t k = 0; k < N * t; k++)
        r[k] = -q->p->lambda * out->weights[k];
    GI_TRY(q->p->K->csr ? find_errors_sparse(q, out, error, r)
                        : find_errors(q, out, error, r));
    out->residual = 0;
    for (size_t j = 0; j < t; j++) {
        double off = 0, size = 0;

        for (size_t k = j; k < N * t; k += t) {
            off += r[k] * r[k];
            size += q->e.c[k] * q->e.c[k];
        }
        out->residual = gi_system_worse(out->residual, off, size);
    }
    if (lambda > 0) {
        for (size_t k = 0; k < n * t; k++)
            error[k] /= lambda;
        out->alpha = error;
        error = NULL;
    }
done:
    gi_free(error);
    gi_free(r);
    return status;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    gi_run part = gi_run_share(run, 0, 0.8);
    primal q = {.run = run, .p = p, .jitter = fmax(p->jitter, 0)};
    const size_t t = p->targets;
    gram_status status;

    GI_TRY(gi_normal_new(&part, p, &q.e));
    GI_TRY(GI_NEW(run, out->weights, q.e.N * t));
    GI_TRY(find_weights(&q, out));
    GI_TRY(GI_NEW(run, out->intercept, t));
    for (size_t j = 0; j < t; j++) {
        out->intercept[j] = q.e.mean_y[j];
        for (size_t i = 0; i < q.e.N; i++)
            out->intercept[j] -= q.e.mean[i] * out->weights[i * t + j];
    }
    GI_TRY(find_alpha(&q, out));
    if (p->keep_factor) {
        out->factor = q.factor;
        q.factor = NULL;
        if (p->intercept) {
            out->primal_mean = q.e.mean;
            q.e.mean = NULL;
        }
    }
    GI_TRY(gi_run_tick(run, 1));
done:
    gi_chol_free(q.factor);
    gi_normal_free(&q.e);
    return status;
}

/* ----------------------------------------------------------------- variance */

/* Columns phi - mean of some rows of T: N x m. */
static gram_status new_columns(gi_run *run, const gi_operator *T, size_t row,
                               size_t m, const double *mean, double *room,
                               double *out)
{
    const size_t N = T->features;
    gram_status status;

    GI_TRY(gi_operator_features(T, run, row, m, room, N));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < m; i++)
            out[j * m + i] = room[i * N + j] - (mean ? mean[j] : 0);
done:
    return status;
}

static void add_squares(size_t n, size_t m, const double *a, double scale,
                        double *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            out[j] += scale * a[i * m + j] * a[i * m + j];
}

/* lambda |L^-1 (phi - mean)|^2 + lambda/sum W; with lambda = 0
 * what of phi - mean lies outside of the range of C. */
static gram_status variance(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const gi_operator *T,
                            double *out)
{
    const size_t N = p->K->features;
    const double lambda = p->lambda + s->jitter;
    primal q = {.run = run, .p = p};
    gi_singular *range = NULL;
    double *room = NULL, *column = NULL, *c = NULL, weight = 0;
    gram_status status = GRAM_OK;

    if (lambda == 0 && s->rank < N) {
        GI_TRY(gi_normal_new(run, p, &q.e));
        GI_TRY(find_pivots(&q, &range));
        GI_TRY(GI_NEW(run, c, range->rank * ROWS));
    } else if (!s->factor) {
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "variances: the factor of Phi'Phi + lambda was not "
                       "kept"));
    }
    for (size_t i = 0; i < p->n; i++)
        weight += 1 / gi_system_noise(p, i);
    GI_TRY(GI_NEW(run, room, ROWS * N));
    GI_TRY(GI_NEW(run, column, ROWS * N));
    for (size_t row = 0; row < T->rows; row += ROWS) {
        size_t m = T->rows - row < ROWS ? T->rows - row : ROWS;
        double *v = out + row;

        memset(v, 0, m * sizeof *v);
        GI_TRY(new_columns(run, T, row, m, range ? q.e.mean : s->primal_mean,
                           room, column));
        if (range) {
            GI_TRY(gi_singular_fit(range, m, column, c));
            GI_TRY(gi_singular_expand(range, m, -1, c, 1, column));
        } else {
            GI_TRY(gi_chol_each(run, s->factor, 0, m, column, m));
        }
        add_squares(N, m, column, range ? 1 : lambda, v);
        for (size_t i = 0; p->intercept && i < m; i++)
            v[i] += lambda / weight;
    }
done:
    gi_free(c);
    gi_free(column);
    gi_free(room);
    gi_singular_free(range);
    gi_normal_free(&q.e);
    return status;
}

static gram_status evidence(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const double *amplitude,
                            double *out)
{
    (void)s, (void)amplitude; /* the path has its own */
    return gi_path_evidence(run, p, gi_path_primal, out);
}

const gi_solver gi_solver_primal = {
    .name = "primal",
    .brief = "weights of explicit features, n N^2 + N^3/3 flops",
    .flags = GI_SOLVER_EXACT | GI_SOLVER_FACTOR,
    .cost = cost,
    .solve = solve,
    .variance = variance,
    .evidence = evidence,
};
