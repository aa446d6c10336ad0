/* system.c - right-hand sides, products, and the way back to alpha and b.
 *
 * Targets lose their weighted mean before they are solved for: an offset of
 * 1e8 would take as many digits from everything that follows.  Subtracting
 * the first value first makes the mean of a constant that constant.
 */
#include "solvers/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"

double gi_system_means(const gi_problem *p, double *mean)
{
    const size_t t = p->targets;
    double weight = 0;

    memset(mean, 0, t * sizeof *mean);
    for (size_t i = 0; i < p->n; i++) {
        double w = 1 / gi_system_noise(p, i);

        for (size_t j = 0; j < t; j++)
            mean[j] += w * (p->y[i * t + j] - p->y[j]);
        weight += w;
    }
    for (size_t j = 0; j < t; j++)
        mean[j] = p->y[j] + mean[j] / weight;
    return weight;
}

gram_status gi_system_new(gi_run *run, const gi_problem *p, gi_system *out)
{
    const size_t n = p->n, t = p->targets, columns = t + (p->intercept != 0);
    gram_status status;

    *out =
        (gi_system){.p = p, .columns = columns, .jitter = fmax(p->jitter, 0)};
    GI_TRY(GI_NEW(run, out->rhs, n * columns));
    GI_TRY(GI_NEW_ZERO(run, out->z, n * columns));
    GI_TRY(GI_NEW_ZERO(run, out->mean, t));
    GI_TRY(GI_NEW(run, out->diagonal, n));
    GI_TRY(gi_operator_diagonal(p->K, run, out->diagonal));
    if (p->intercept)
        (void)gi_system_means(p, out->mean);
    for (size_t i = 0; i < n; i++) {
        double *row = out->rhs + i * columns;

        row[columns - 1] = 1; /* stays if there is an intercept */
        for (size_t j = 0; j < t; j++)
            row[j] = p->y[i * t + j] - out->mean[j];
    }
done:
    if (status != GRAM_OK)
        gi_system_free(out);
    return status;
}

void gi_system_free(gi_system *s)
{
    gi_free(s->rhs);
    gi_free(s->z);
    gi_free(s->mean);
    gi_free(s->diagonal);
    *s = (gi_system){0};
}

gram_status gi_system_tile(const gi_problem *p, double jitter,
                           const gi_blas *blas, size_t row, size_t rows,
                           size_t col, size_t cols, void *tile, size_t ld)
{
    gram_status status =
        gi_operator_tile(p->K, blas, row, rows, col, cols, tile, ld);

    for (size_t i = 0; status == GRAM_OK && row == col && i < rows; i++) {
        char *at = (char *)tile + (i * ld + i) * blas->size;
        double a =
            blas->get(at, 0) + p->lambda * gi_system_noise(p, row + i) + jitter;

        blas->write(1, &a, at, 1);
    }
    return status;
}

gram_status gi_system_multiply(void *user, gi_run *run, const double *x,
                               size_t m, double *out)
{
    const gi_system *s = user;
    const gi_problem *p = s->p;
    gram_status status;

    GI_TRY(gi_operator_product(p->K, run, s->single, x, m, out));
    for (size_t i = 0; i < p->n; i++) {
        double shift = gi_system_shift(s, i);

        for (size_t j = 0; j < m; j++)
            out[i * m + j] += shift * x[i * m + j];
    }
done:
    return status;
}

gram_status gi_system_rows(void *user, gi_run *run, const size_t *row, size_t m,
                           double *out, size_t ld)
{
    const gi_operator *K = user;

    return gi_operator_rows(K, run, &gi_blas_double, row, m, out, ld);
}

/* Sum of column j of an n x m matrix. */
static double sum_of(size_t n, size_t m, const double *a, size_t j)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i * m + j];
    return sum;
}

gram_status gi_system_finish(gi_run *run, const gi_system *s, gi_solution *out)
{
    const gi_problem *p = s->p;
    const size_t n = p->n, t = p->targets, m = s->columns;
    gram_status status;

    GI_TRY(GI_NEW(run, out->alpha, n * t));
    GI_TRY(GI_NEW_ZERO(run, out->intercept, t));
    for (size_t j = 0; j < t; j++) {
        double more =
            p->intercept ? sum_of(n, m, s->z, j) / sum_of(n, m, s->z, t) : 0;

        out->intercept[j] = s->mean[j] + more;
        for (size_t i = 0; i < n; i++)
            out->alpha[i * t + j] =
                s->z[i * m + j] - (p->intercept ? more * s->z[i * m + t] : 0);
    }
    if (p->intercept && p->keep_factor) {
        GI_TRY(GI_NEW(run, out->inverse_one, n));
        for (size_t i = 0; i < n; i++)
            out->inverse_one[i] = s->z[i * m + t];
    }
done:
    return status;
}

gram_status gi_system_residual(gi_run *run, const gi_problem *p,
                               gi_solution *out)
{
    const size_t n = p->n, t = p->targets;
    double *product = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, product, n * t));
    GI_TRY(gi_operator_product(p->K, run, 0, out->alpha, t, product));
    out->residual = 0;
    for (size_t j = 0; j < t; j++) {
        double off = 0, size = 0;

        for (size_t i = 0; i < n; i++) {
            double right = p->y[i * t + j] - out->intercept[j];
            double left = product[i * t + j] + p->lambda *
                                                   gi_system_noise(p, i) *
                                                   out->alpha[i * t + j];

            off += (left - right) * (left - right);
            size += right * right;
        }
        out->residual = gi_system_worse(out->residual, off, size);
    }
done:
    gi_free(product);
    return status;
}

gram_status gi_system_escalate(gi_run *run, const gi_problem *p, double mean,
                               gram_status (*factor)(void *user, gi_run *run),
                               void *user, double *jitter)
{
    const int tries = 6;
    double more = 1e-12 * mean;
    gram_status status = factor(user, run);

    for (int k = 0; k < tries; k++) {
        if (status != GRAM_ERR_NUMERIC || p->jitter < 0 || p->lambda == 0)
            break;
        *jitter = p->jitter + more;
        more *= 10;
        status = factor(user, run);
    }
    if (status == GRAM_ERR_NUMERIC)
        gi_context(status, "lambda = %g, jitter = %g", p->lambda, *jitter);
    return status;
}

/* ------------------------------------------------------------------ columns */

/* Columns of T that one thread transposes at a time: whole tiles. */
enum { COLUMNS = GI_SYSTEM_COLUMNS };

typedef struct transposing {
    const gi_operator *T;
    const gi_blas *blas;
    size_t row, m;
    char *room, *out;
} transposing;

static gram_status transpose(void *user, size_t task)
{
    const transposing *t = user;
    const size_t size = t->blas->size, first = task * COLUMNS;
    const size_t end =
        first + COLUMNS < t->T->cols ? first + COLUMNS : t->T->cols;
    char *tile = t->room + first * t->m * size;
    gram_status status;

    GI_TRY(gi_operator_tile(t->T, t->blas, t->row, t->m, first, end - first,
                            tile, end - first));
    for (size_t i = 0; i < t->m; i++)
        for (size_t j = first; j < end; j++, tile += size)
            memcpy(t->out + (j * t->m + i) * size, tile, size);
done:
    return status;
}

gram_status gi_system_columns(gi_run *run, const gi_operator *T,
                              const gi_blas *blas, size_t row, size_t m,
                              void *room, void *out)
{
    transposing t = {T, blas, row, m, room, out};

    return gi_parallel_for(run, (T->cols + COLUMNS - 1) / COLUMNS, transpose,
                           &t);
}

/* -------------------------------------------------------------------- costs */

double gi_system_scale(const gi_run *run, const gi_problem *p)
{
    gi_run quiet = *run;
    double *diagonal = NULL, sum = NAN;
    gram_status status;

    quiet.progress = NULL;
    GI_TRY(GI_NEW(&quiet, diagonal, p->K->rows));
    GI_TRY(gi_operator_diagonal(p->K, &quiet, diagonal));
    sum = sum_of(p->K->rows, 1, diagonal, 0);
done:
    gi_free(diagonal);
    return sum / (double)p->K->rows;
}

/* Rounded to single precision and factored, A becomes A + E with |E| about
 * 4 u sqrt(n) times its mean diagonal (rounding errors are as good as
 * random).  The eigenvalues of (A + E)^-1 A are then within 1 -+ e, e the size
 * of E relative to the smallest eigenvalue, at least lambda min D; conjugate
 * gradients lessen the error by (sqrt k + 1)/(sqrt k - 1), k = (1+e)/(1-e), a
 * step. */
double gi_system_steps(const gi_problem *p, size_t rows, double mean_diagonal)
{
    double least = INFINITY, e, k;

    for (size_t i = 0; i < (p->noise ? p->n : 1); i++)
        least = fmin(least, gi_system_noise(p, i));
    e = 4 * (FLT_EPSILON / 2) * sqrt((double)rows) * mean_diagonal /
        (p->lambda * least);
    if (!(e < 0.5))
        return INFINITY;
    k = sqrt((1 + e) / (1 - e));
    return 2 + log(2 / gi_system_tolerance(p)) / log((k + 1) / (k - 1));
}

double gi_system_product_seconds(const gi_problem *p, size_t rows, size_t r)
{
    const gi_csr *csr = p->K->csr;
    double n = (double)rows, columns = (double)r;

    if (csr)
        return 4 * columns * (double)csr->start[csr->rows] *
               (n / (double)csr->rows) / gi_rate_kernel(1);
    return n * n / 2 / gi_rate_kernel(p->K->cost + 4 * columns);
}
