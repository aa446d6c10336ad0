/* path_primal.c - the path of a kernel with fewer features than rows.
 *
 * Let F be D^-1/2 Phi and y be D^-1/2 y, with an intercept after their
 * weighted means were taken off (then all sums below run past it), and
 * F'F = U diag(l) U', Z = F U, u = Z'y, e the part of y that no feature
 * explains.  For m = n (n - 1 with an intercept), r the rank:
 *
 *     y'P y    = |e|^2/lambda + sum_j u_j^2/(l_j (l_j + lambda))
 *     |alpha|^2 likewise with squared denominators, lambda^2, (l_j + lambda)^2
 *     tr P     = (m - r)/lambda + sum_j 1/(l_j + lambda)
 *     log det  = (m - r) log lambda + sum_j log(l_j + lambda)
 *     left out = (y_i - sum_j Z_ij u_j/(l_j + lambda))/(1 - h_i),
 *     h_i      = w_i/sum w (with an intercept) + sum_j Z_ij^2/(l_j + lambda)
 *
 * Phi is never stored: it comes in blocks of rows, which are read again for
 * every pass.  Eigenvalues that rounding may have made count as 0.
 *
 * Memory: 4 N^2 doubles and a few blocks of rows.
 * Cost: n N^2 + 9 N^3 flops; then O(N) for each lambda, and with single rows
 * 2 n N^2 for up to LAMBDAS of them and 4 n N for each.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/eigen.h"
#include "linalg/dense/gemm.h"
#include "solvers/path/path_inside.h"
#include "solvers/path/path_primal.h"
#include "solvers/system.h"

/* Lambdas of a pass, edge of a tile of F'F. */
enum { LAMBDAS = GI_PATH_PRIMAL_LAMBDAS, EDGE = GI_PATH_PRIMAL_EDGE };

static double rows_free(const gi_primal *b)
{
    return (double)b->path.n - (b->path.p->intercept != 0);
}

/* Rows of F. */
static gram_status read_rows(const gi_primal *b, gi_run *run, size_t row,
                             size_t rows, double *F)
{
    const gi_operator *K = b->path.p->K;
    const size_t N = b->N;
    gram_status status;

    GI_TRY(gi_operator_features(K, run, row, rows, F, N));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < N; j++)
            F[i * N + j] = b->root[row + i] * (F[i * N + j] - b->centre[j]);
done:
    return status;
}

/* ----------------------------------------------------------------- lambdas */

static void at_lambda(const gi_primal *b, double lambda, unsigned want,
                      gi_criteria *out)
{
    const size_t targets = b->path.targets;
    const double free = rows_free(b) - (double)(b->N - b->zero);
    gi_path_sums s = {.lambda = lambda,
                      .weight = b->weight,
                      .logdet = b->log_noise + free * log(lambda),
                      .trace = free / lambda};

    if (b->path.p->intercept)
        s.logdet += log(b->weight);
    for (size_t j = b->zero; j < b->N; j++) {
        s.logdet += log(b->l[j] + lambda);
        s.trace += 1 / (b->l[j] + lambda);
    }
    for (size_t t = 0; t < targets; t++) {
        s.quadratic = b->outside[t] / lambda;
        s.square = b->outside[t] / (lambda * lambda);
        for (size_t j = b->zero; j < b->N; j++) {
            double u = b->u[j * targets + t], d = b->l[j] + lambda;

            s.quadratic += u * u / (b->l[j] * d);
            s.square += u * u / (b->l[j] * d * d);
        }
        out[t] = gi_path_criteria(b->path.p, want & ~(unsigned)GI_WANT_LOO, &s);
    }
}

/* ------------------------------------------------------------- single rows */

void gi_primal_close(gi_primal_pass *s)
{
    gi_free(s->inverse);
    gi_free(s->slope);
    gi_free(s->F);
    gi_free(s->Z);
    gi_free(s->left);
    gi_free(s->lever);
}

gram_status gi_primal_open(const gi_primal *b, gi_run *run,
                           const double *lambda, size_t count,
                           gi_primal_pass *s)
{
    const size_t N = b->N, targets = b->path.targets;
    gram_status status;

    s->b = b;
    s->count = count;
    GI_TRY(GI_NEW(run, s->inverse, N * count));
    GI_TRY(GI_NEW(run, s->slope, N * count * targets));
    GI_TRY(GI_NEW(run, s->F, GI_PRIMAL_ROWS * N));
    GI_TRY(GI_NEW(run, s->Z, GI_PRIMAL_ROWS * N));
    GI_TRY(GI_NEW(run, s->left, GI_PRIMAL_ROWS * count * targets));
    GI_TRY(GI_NEW(run, s->lever, GI_PRIMAL_ROWS * count));
    for (size_t j = 0; j < N; j++)
        for (size_t k = 0; k < count; k++) {
            double d = j < b->zero ? 0 : 1 / (b->l[j] + lambda[k]);

            s->inverse[j * count + k] = d;
            for (size_t t = 0; t < targets; t++)
                s->slope[(j * count + k) * targets + t] =
                    b->u[j * targets + t] * d;
        }
done:
    return status;
}

gram_status gi_primal_fit(gi_primal_pass *s, gi_run *run, size_t row)
{
    const gi_primal *b = s->b;
    const size_t rows = gi_primal_rows(b, row), N = b->N,
                 targets = b->path.targets;
    const size_t wide = s->count * targets;
    gram_status status;

    GI_TRY(read_rows(b, run, row, rows, s->F));
    GI_TRY(gi_gemm_double(run, 0, 1, rows, N, N, 1, s->F, N, b->vectors, N, 0,
                          s->Z, N));
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < wide; k++)
            s->left[i * wide + k] = b->y[(row + i) * targets + k % targets];
    GI_TRY(gi_gemm_double(run, 0, 0, rows, wide, N, -1, s->Z, N, s->slope, wide,
                          1, s->left, wide));
done:
    return status;
}

/* The residuals of leaving out the rows of a block one by one. */
static gram_status leave_out(gi_primal_pass *s, gi_run *run, size_t row)
{
    const gi_primal *b = s->b;
    const size_t rows = gi_primal_rows(b, row), N = b->N,
                 targets = b->path.targets;
    gram_status status;

    GI_TRY(gi_primal_fit(s, run, row));
    for (size_t i = 0; i < rows * N; i++)
        s->Z[i] *= s->Z[i];
    GI_TRY(gi_gemm_double(run, 0, 0, rows, s->count, N, 1, s->Z, N, s->inverse,
                          s->count, 0, s->lever, s->count));
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < s->count; k++)
            for (size_t t = 0; t < targets; t++)
                s->left[(i * s->count + k) * targets + t] /=
                    1 - gi_primal_share(b, row + i) -
                    s->lever[i * s->count + k];
done:
    return status;
}

static gram_status add_loo(const gi_primal *b, gi_run *run,
                           const double *lambda, size_t count, gi_criteria *out)
{
    const size_t wide = count * b->path.targets;
    gram_status status;
    gi_primal_pass s = {0};

    GI_TRY(gi_primal_open(b, run, lambda, count, &s));
    for (size_t k = 0; k < wide; k++)
        out[k].loo = 0;
    for (size_t row = 0; row < b->path.n; row += GI_PRIMAL_ROWS) {
        GI_TRY(gi_run_tick(run, (double)row / (double)b->path.n));
        GI_TRY(leave_out(&s, run, row));
        for (size_t i = 0; i < gi_primal_rows(b, row); i++)
            for (size_t k = 0; k < wide; k++) {
                double left = s.left[i * wide + k];

                out[k].loo += left * left / b->weight;
            }
    }
done:
    gi_primal_close(&s);
    return status;
}

static gram_status at(gi_path *path, gi_run *run, const double *lambda,
                      size_t count, unsigned want, gi_criteria *out)
{
    const gi_primal *b = path->user;
    gram_status status = GRAM_OK;

    for (size_t k = 0; k < count; k++)
        at_lambda(b, lambda[k], want, out + k * path->targets);
    for (size_t k = 0; k < count && want & GI_WANT_LOO; k += LAMBDAS) {
        size_t some = count - k < LAMBDAS ? count - k : LAMBDAS;
        gi_run part = gi_run_share(run, (double)k / (double)count,
                                   (double)(k + some) / (double)count);

        GI_TRY(add_loo(b, &part, lambda + k, some, out + k * path->targets));
    }
    GI_TRY(gi_run_tick(run, 1));
done:
    return status;
}

static gram_status residuals(gi_path *path, gi_run *run, double lambda,
                             double *loo)
{
    const gi_primal *b = path->user;
    const size_t targets = path->targets;
    gram_status status;
    gi_primal_pass s = {0};

    GI_TRY(gi_primal_open(b, run, &lambda, 1, &s));
    for (size_t row = 0; row < path->n; row += GI_PRIMAL_ROWS) {
        GI_TRY(leave_out(&s, run, row));
        for (size_t i = 0; i < gi_primal_rows(b, row); i++)
            for (size_t t = 0; t < targets; t++)
                loo[(row + i) * targets + t] =
                    s.left[i * targets + t] / b->root[row + i];
    }
done:
    gi_primal_close(&s);
    return status;
}

/* -------------------------------------------------------------------- path */

static void release(gi_path *path)
{
    gi_primal *b = path->user;

    gi_free(b->l);
    gi_free(b->vectors);
    gi_free(b->u);
    gi_free(b->outside);
    gi_free(b->root);
    gi_free(b->centre);
    gi_free(b->y);
    gi_free(b);
}

/* Weights, and y weighted and centred. */
static gram_status weigh(gi_primal *b, gi_run *run)
{
    const gi_problem *p = b->path.p;
    const size_t n = p->n, targets = p->targets;
    gram_status status;
    double *mean = NULL;

    GI_TRY(GI_NEW(run, b->root, n));
    GI_TRY(GI_NEW(run, b->y, n * targets));
    GI_TRY(GI_NEW(run, mean, targets));
    b->weight = gi_system_means(p, mean);
    for (size_t i = 0; i < n; i++) {
        double D = gi_system_noise(p, i);

        b->root[i] = 1 / sqrt(D);
        b->log_noise += log(D);
        for (size_t t = 0; t < targets; t++)
            b->y[i * targets + t] = b->root[i] * (p->y[i * targets + t] -
                                                  (p->intercept ? mean[t] : 0));
    }
done:
    gi_free(mean);
    return status;
}

/* Means of Phi, and the mean diagonal element of D^-1/2 K D^-1/2. */
static gram_status find_means(gi_primal *b, gi_run *run, double *F)
{
    const gi_operator *K = b->path.p->K;
    const size_t n = b->path.n, N = b->N;
    gram_status status = GRAM_OK;

    for (size_t row = 0; row < n; row += GI_PRIMAL_ROWS) {
        const size_t rows = gi_primal_rows(b, row);

        GI_TRY(gi_operator_features(K, run, row, rows, F, N));
        for (size_t i = 0; i < rows; i++) {
            const double w = b->root[row + i] * b->root[row + i];
            double square = 0;

            for (size_t j = 0; j < N; j++) {
                double x = F[i * N + j];

                square += x * x;
                if (b->path.p->intercept)
                    b->centre[j] += w * x / b->weight;
            }
            b->path.scale += w * square / (double)n;
        }
    }
done:
    return status;
}

/* The upper triangle of G = G + F'F. */
static void add_gram(const gi_run *run, size_t rows, size_t N, const double *F,
                     double *G)
{
    const size_t across = (N + EDGE - 1) / EDGE;

    GI_PARALLEL_TASKS(run->threads)
    for (size_t tile = 0; tile < across * across; tile++) {
        const size_t row = tile / across * EDGE, col = tile % across * EDGE;
        const size_t m = N - row < EDGE ? N - row : EDGE;
        const size_t n = N - col < EDGE ? N - col : EDGE;

        if (row <= col)
            gi_blas_double.gemm(1, 0, m, n, rows, 1, F + row, N, F + col, N, 1,
                                G + row * N + col, N);
    }
}

/* vectors = F'F, u = F'y */
static gram_status add_rows(gi_primal *b, gi_run *run, double *F)
{
    const size_t n = b->path.n, N = b->N, targets = b->path.targets;
    gram_status status = GRAM_OK;

    gi_blas_start();
    for (size_t row = 0; row < n; row += GI_PRIMAL_ROWS) {
        const size_t rows = gi_primal_rows(b, row);

        GI_TRY(gi_run_tick(run, (double)row / (double)n));
        GI_TRY(read_rows(b, run, row, rows, F));
        add_gram(run, rows, N, F, b->vectors);
        GI_TRY(gi_gemm_double(run, 1, 0, N, targets, rows, 1, F, N,
                              b->y + row * targets, targets, 1, b->u, targets));
    }
done:
    return status;
}

/* F'F and F'y to l, vectors and u. */
static gram_status decompose(gi_primal *b, gi_run *run)
{
    const size_t N = b->N, targets = b->path.targets;
    gram_status status;
    double *old = NULL, least;

    GI_TRY(gi_eigen_symmetric(run, N, b->vectors, N, 1, b->l));
    least = (double)N * DBL_EPSILON * (N > 0 ? b->l[N - 1] : 0);
    while (b->zero < N && b->l[b->zero] <= least)
        b->zero++;
    GI_TRY(GI_NEW(run, old, N * targets));
    memcpy(old, b->u, N * targets * sizeof *old);
    GI_TRY(gi_gemm_double(run, 0, 0, N, targets, N, 1, b->vectors, N, old,
                          targets, 0, b->u, targets));
done:
    gi_free(old);
    return status;
}

/* |e|^2 = |y - F U diag(1/l) u|^2 */
static gram_status find_outside(gi_primal *b, gi_run *run, double *F)
{
    const size_t n = b->path.n, N = b->N, targets = b->path.targets;
    double *slope = NULL, *w = NULL, *e = NULL;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, slope, N * targets));
    GI_TRY(GI_NEW(run, w, N * targets));
    GI_TRY(GI_NEW(run, e, GI_PRIMAL_ROWS * targets));
    for (size_t j = b->zero; j < N; j++)
        for (size_t t = 0; t < targets; t++)
            slope[j * targets + t] = b->u[j * targets + t] / b->l[j];
    GI_TRY(gi_gemm_double(run, 1, 0, N, targets, N, 1, b->vectors, N, slope,
                          targets, 0, w, targets));
    for (size_t row = 0; row < n; row += GI_PRIMAL_ROWS) {
        const size_t rows = gi_primal_rows(b, row);

        GI_TRY(read_rows(b, run, row, rows, F));
        memcpy(e, b->y + row * targets, rows * targets * sizeof *e);
        GI_TRY(gi_gemm_double(run, 0, 0, rows, targets, N, -1, F, N, w, targets,
                              1, e, targets));
        for (size_t i = 0; i < rows * targets; i++)
            b->outside[i % targets] += e[i] * e[i];
    }
done:
    gi_free(slope);
    gi_free(w);
    gi_free(e);
    return status;
}

gram_status gi_path_primal(gi_run *run, const gi_problem *p, gi_path **out)
{
    const size_t N = p->K->features;
    gi_primal *b = NULL;
    gram_status status = GRAM_OK;
    double *F = NULL;

    *out = NULL;
    if (!(p->K->flags & GI_OPERATOR_HAS_FEATURES) || N >= p->n)
        return GRAM_OK;
    GI_TRY(GI_NEW_ZERO(run, b, 1));
    b->path = (gi_path){.p = p,
                        .n = p->n,
                        .targets = p->targets,
                        .user = b,
                        .at = at,
                        .residuals = residuals,
                        .folds = gi_primal_folds,
                        .free = release};
    b->N = N;
    GI_TRY(GI_NEW(run, b->l, N));
    GI_TRY(GI_NEW_ZERO(run, b->vectors, N * N));
    GI_TRY(GI_NEW_ZERO(run, b->u, N * p->targets));
    GI_TRY(GI_NEW_ZERO(run, b->outside, p->targets));
    GI_TRY(GI_NEW_ZERO(run, b->centre, N));
    GI_TRY(GI_NEW(run, F, GI_PRIMAL_ROWS * N));
    GI_TRY(weigh(b, run));
    GI_TRY(find_means(b, run, F));
    GI_TRY(add_rows(b, run, F));
    GI_TRY(decompose(b, run));
    GI_TRY(find_outside(b, run, F));
    *out = &b->path;
    b = NULL;
done:
    if (b)
        release(&b->path);
    gi_free(F);
    return status;
}

gi_cost gi_path_primal_cost(const gi_run *run, const gi_problem *p, size_t rows,
                            unsigned want, size_t count)
{
    const double n = (double)rows, N = (double)p->K->features;
    const double one = gi_rate_gemm(&gi_blas_double), all = one * run->threads;
    const double targets = (double)p->targets, word = sizeof(double);
    gi_cost c = {0};

    if (!(p->K->flags & GI_OPERATOR_HAS_FEATURES) || N >= n)
        return c;
    c.possible = 1;
    c.bytes = word * (4 * N * N + 3 * GI_PRIMAL_ROWS * N + n * (targets + 1)) +
              (double)gi_operator_bytes(run, p->K);
    /* eigenvectors are found on one thread at a quarter of the rate */
    c.seconds = 2 * n * N * N / all + 9 * N * N * N / (one / 4);
    if (want & GI_WANT_LOO)
        c.seconds += 2 * n * N * (N + (double)count * (targets + 1)) / all;
    return c;
}
