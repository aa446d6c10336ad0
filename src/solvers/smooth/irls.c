/* irls.c - B X = C by a factor of B, or by conjugate gradients with the factor
 * of an earlier B, or with a low-rank approximation of K, as preconditioner.
 *
 * W changes less and less from step to step, so that the factor of one serves
 * the next ones too: with weights within a factor k of those of B the condition
 * is at most k.  A factor in single precision is as good, since what it lacks
 * is made up by conjugate gradients in double.
 *
 * Cost: n^3/3 flops for a factor, a product with K a step.
 */
#include "solvers/smooth/irls.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "linalg/iterative/cg.h"
#include "linalg/dense/gemm.h"
#include "solvers/system.h"

/* Single precision pays from so many rows; steps with one preconditioner, and
 * where factors are to be few; rank of the other one; edge of a piece of K. */
enum {
    SINGLE_ROWS = GI_IRLS_SINGLE_ROWS,
    STEPS_LEAST = 4,
    STEPS_MOST = 60,
    STEPS_LOW = 500
};
enum { STEPS_FRUGAL = 16, RANK = GI_IRLS_RANK, PIECE = GI_IRLS_PIECE };

/* --------------------------------------------------------------------- cost */

const gi_blas *gi_irls_choose(const gi_run *run, const gi_problem *p,
                              size_t rows, double mean_diagonal)
{
    const double room = (double)run->memory, n = (double)rows;
    /* size of the rounding errors beside the smallest eigenvalue, 1, with
     * second derivatives of about 1 */
    double e = 2 * FLT_EPSILON * sqrt(n) * mean_diagonal / p->lambda;
    int single = rows >= SINGLE_ROWS && e < 0.1;

    if (p->precision == GI_FACTOR_SINGLE)
        single = 1;
    if (p->precision == GI_FACTOR_DOUBLE)
        single = 0;
    if (gi_irls_bytes(run, p, rows, &gi_blas_single) > room)
        return NULL;
    return single || gi_irls_bytes(run, p, rows, &gi_blas_double) > room
               ? &gi_blas_single
               : &gi_blas_double;
}

/* A quarter of the memory, at most. */
static size_t rank_of(const gi_run *run, size_t rows)
{
    double n = (double)rows, room = (double)run->memory / 4;

    return (size_t)fmin(fmin(n / 10 + 1, RANK), room / (16 * n) + 1);
}

double gi_irls_bytes(const gi_run *run, const gi_problem *p, size_t rows,
                     const gi_blas *blas)
{
    const double n = (double)rows, rank = (double)rank_of(run, rows);
    double vectors = 8 * n * 32 + (double)gi_operator_bytes(run, p->K);

    return vectors + (blas ? (double)gi_chol_bytes(rows, blas)
                           : 8 * rank * (2 * n + 2 * rank));
}

double gi_irls_factor_seconds(size_t rows, const gi_blas *blas)
{
    double n = (double)rows;

    return n * n * n / 3 / gi_rate_gemm(blas);
}

/* Steps that cost as much as a factor. */
static size_t steps_worth(const gi_irls *s)
{
    double steps;

    if (!s->blas)
        return STEPS_LOW;
    if (s->frugal)
        return STEPS_FRUGAL;
    steps = gi_irls_factor_seconds(s->p->n, s->blas) /
            gi_system_product_seconds(s->p, s->p->n, 2);
    return (size_t)fmin(fmax(steps / 2, STEPS_LEAST), STEPS_MOST);
}

/* ------------------------------------------------------------------- factor */

typedef struct filling {
    const gi_problem *p;
    const gi_blas *blas;
    const double *root;
    const size_t *row; /* NULL: all */
} filling;

/* How many of the rows from `from`, below `end`, lie within a piece. */
static size_t reach(const size_t *row, size_t from, size_t end)
{
    size_t k = from;

    while (k < end && row[k] < row[from] + PIECE)
        k++;
    return k - from;
}

/* K of chosen rows and columns: pieces of K, from which they are picked.  All
 * tiles together ask for each piece about once. */
static gram_status pick(const filling *f, size_t row, size_t rows, size_t col,
                        size_t cols, char *tile, size_t ld)
{
    const size_t size = f->blas->size;
    double piece[PIECE * PIECE]; /* of either precision */
    gram_status status = GRAM_OK;

    for (size_t i = row, m; i < row + rows; i += m) {
        m = reach(f->row, i, row + rows);
        for (size_t j = col, k; j < col + cols; j += k) {
            const size_t top = f->row[i], left = f->row[j];
            size_t width;

            k = reach(f->row, j, col + cols);
            width = f->row[j + k - 1] - left + 1;
            GI_TRY(gi_operator_tile(f->p->K, f->blas, top,
                                    f->row[i + m - 1] - top + 1, left, width,
                                    piece, width));
            for (size_t a = 0; a < m; a++)
                for (size_t b = 0; b < k; b++)
                    memcpy(tile + ((i - row + a) * ld + j - col + b) * size,
                           (char *)piece + ((f->row[i + a] - top) * width +
                                            f->row[j + b] - left) *
                                               size,
                           size);
        }
    }
done:
    return status;
}

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    enum { WIDTH = GI_IRLS_WIDTH };
    const filling *f = user;
    const gi_operator *K = f->p->K;
    double part[WIDTH];
    gram_status status;

    GI_TRY(f->row
               ? pick(f, row, rows, col, cols, tile, ld)
               : gi_operator_tile(K, f->blas, row, rows, col, cols, tile, ld));
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < cols; c += WIDTH) {
            const size_t width = cols - c < WIDTH ? cols - c : WIDTH;
            const double r = f->root[f->row ? f->row[row + i] : row + i];
            char *at = (char *)tile + (i * ld + c) * f->blas->size;

            f->blas->read(width, at, 1, part);
            for (size_t j = 0; j < width; j++) {
                size_t k = col + c + j;

                part[j] *= r * f->root[f->row ? f->row[k] : k];
                part[j] += k == row + i;
            }
            f->blas->write(width, part, at, 1);
        }
done:
    return status;
}

gram_status gi_irls_factor(gi_run *run, const gi_problem *p, const double *root,
                           gi_chol **out)
{
    filling f = {.p = p, .blas = &gi_blas_double, .root = root};
    gram_status status;

    GI_TRY(gi_operator_prepare(p->K, run, f.blas));
    GI_TRY(gi_chol_new(run, f.blas, p->n, 0, out));
    GI_TRY(gi_chol_factor(run, *out, fill, &f));
done:
    return status;
}

/* The rows with curvature of B as it is now. */
static gram_status make_factor(gi_run *run, gi_irls *s)
{
    filling f = {.p = s->p, .blas = s->blas, .root = s->old, .row = s->row};
    const size_t n = s->p->n, before = s->rows;
    gram_status status = GRAM_OK;

    memcpy(s->old, s->root, n * sizeof *s->old);
    s->rows = 0;
    for (size_t i = 0; i < n; i++)
        if (s->old[i] > 0)
            s->row[s->rows++] = i;
    if (s->rows == n)
        f.row = NULL;
    if (s->factor &&
        (before != s->rows || gi_chol_blas(s->factor) != s->blas)) {
        gi_chol_free(s->factor);
        s->factor = NULL;
    }
    if (s->rows == 0)
        goto done;
    GI_TRY(gi_operator_prepare(s->p->K, run, s->blas));
    if (!s->factor)
        GI_TRY(gi_chol_new(run, s->blas, s->rows, 0, &s->factor));
    GI_TRY(gi_chol_factor(run, s->factor, fill, &f));
done:
    s->factors++;
    return status;
}

/* ----------------------------------------------------------------- low rank */

static gram_status fill_core(void *user, size_t row, size_t rows, size_t col,
                             size_t cols, void *tile, size_t ld)
{
    const gi_irls *s = user;
    const size_t step = s->low->ld;
    double *a = tile;

    gi_blas_double.gemm(1, 0, rows, cols, s->p->n, 1, s->V + row, step,
                        s->V + col, step, 0, a, ld);
    for (size_t i = 0; row == col && i < rows; i++)
        a[i * ld + i] += 1;
    return GRAM_OK;
}

/* K ~ F F' with errors of lambda on the diagonal, if the rank allows. */
static gram_status make_low(gi_run *run, gi_irls *s)
{
    const gi_problem *p = s->p;
    double *diagonal = NULL, top = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, diagonal, p->n));
    GI_TRY(gi_operator_diagonal(p->K, run, diagonal));
    for (size_t i = 0; i < p->n; i++)
        top = fmax(top, diagonal[i]);
    GI_TRY(gi_pivot_new(run, p->n, diagonal, gi_system_rows, (void *)p->K,
                        p->lambda / top, rank_of(run, p->n), &s->low));
    GI_TRY(GI_NEW(run, s->V, p->n * s->low->ld));
    GI_TRY(gi_chol_new(run, &gi_blas_double, s->low->rank, 0, &s->core));
done:
    gi_free(diagonal);
    return status;
}

/* V = r F and the core of B as it is now. */
static gram_status make_core(gi_run *run, gi_irls *s)
{
    const size_t n = s->p->n;
    gram_status status = GRAM_OK;

    if (!s->low)
        GI_TRY(make_low(run, s));
    for (size_t k = 0; k < n * s->low->ld; k++)
        s->V[k] = s->root[k / s->low->ld] * s->low->factor[k];
    memcpy(s->old, s->root, n * sizeof *s->old);
    gi_blas_start();
    GI_TRY(gi_chol_factor(run, s->core, fill_core, s));
    s->factors++;
done:
    return status;
}

/* x - V (I + V'V)^-1 V'x */
static gram_status apply_core(gi_run *run, const gi_irls *s, const double *x,
                              size_t m, double *out)
{
    const size_t n = s->p->n, rank = s->low->rank, ld = s->low->ld;
    gram_status status;

    memcpy(out, x, n * m * sizeof *out);
    GI_TRY(gi_gemm_double(run, 1, 0, rank, m, n, 1, s->V, ld, x, m, 0, s->room,
                          m));
    GI_TRY(gi_chol_solve(run, s->core, m, s->room, m));
    GI_TRY(gi_gemm_double(run, 0, 0, n, m, rank, -1, s->V, ld, s->room, m, 1,
                          out, m));
done:
    return status;
}

/* -------------------------------------------------------------------- solve */

/* The rows of the factor, in its precision; each column scaled to 1. */
static gram_status apply_factor(gi_run *run, const gi_irls *s, const double *x,
                                size_t m, double *out)
{
    const gi_blas *blas = s->blas;
    double scale[2] = {0, 0};
    gram_status status = GRAM_OK;

    memcpy(out, x, s->p->n * m * sizeof *out);
    for (size_t k = 0; k < s->p->n * m; k++)
        scale[k % m] = fmax(scale[k % m], fabs(x[k]));
    for (size_t k = 0; k < s->rows * m; k++) {
        double to = x[s->row[k / m] * m + k % m];

        to = scale[k % m] > 0 ? to / scale[k % m] : 0;
        blas->write(1, &to, (char *)s->room + k * blas->size, 1);
    }
    if (s->rows > 0)
        GI_TRY(gi_chol_solve(run, s->factor, m, s->room, m));
    for (size_t k = 0; k < s->rows * m; k++)
        out[s->row[k / m] * m + k % m] = scale[k % m] * blas->get(s->room, k);
done:
    return status;
}

static gram_status precondition(void *user, gi_run *run, const double *x,
                                size_t m, double *out)
{
    const gi_irls *s = user;

    return s->blas ? apply_factor(run, s, x, m, out)
                   : apply_core(run, s, x, m, out);
}

typedef struct product {
    const gi_irls *s;
    double *room; /* n x m */
} product;

static gram_status multiply(void *user, gi_run *run, const double *x, size_t m,
                            double *out)
{
    const product *t = user;
    const gi_irls *s = t->s;
    gram_status status;

    for (size_t k = 0; k < s->p->n * m; k++)
        t->room[k] = s->root[k / m] * x[k];
    GI_TRY(gi_operator_product(s->p->K, run, 0, t->room, m, out));
    for (size_t k = 0; k < s->p->n * m; k++)
        out[k] = x[k] + s->root[k / m] * out[k];
done:
    return status;
}

/* May conjugate gradients with what there is do in `limit` steps?  The spread
 * of log(R/R of the factor) over the rows stands for that of the eigenvalues;
 * a row that comes or goes counts as FAR. */
static int is_near(const gi_irls *s, double tolerance, size_t limit)
{
    const double FAR = 4;
    const size_t n = s->p->n;
    double squares = 0, spread;

    if (s->frugal && s->blas)
        return 1;
    if (s->factors == 0)
        return 0;
    for (size_t i = 0; i < n; i++) {
        double off =
            s->root[i] == s->old[i] ? 0 : 2 * fabs(log(s->root[i] / s->old[i]));

        squares += fmin(off * off, FAR * FAR) / (double)n;
    }
    spread = sqrt(squares);
    return spread == 0 ||
           exp(2 * spread) / 2 * log(2 / tolerance) <= (double)limit;
}

gram_status gi_irls_solve(gi_run *run, gi_irls *s, double tolerance, size_t m,
                          const double *c, double *x)
{
    const size_t n = s->p->n;
    product t = {.s = s};
    gi_cg cg = {.multiply = multiply,
                .multiply_user = &t,
                .precondition = precondition,
                .precondition_user = s,
                .tolerance = tolerance,
                .steps = steps_worth(s)};
    gi_cg_result result = {0};
    int fresh = 0;
    gram_status status;

    GI_TRY(GI_NEW(run, t.room, n * m));
    memset(x, 0, n * m * sizeof *x);
    while (!result.converged) {
        if (fresh || is_near(s, tolerance, cg.steps))
            GI_TRY(gi_cg_solve(run, &cg, n, m, c, x, &result));
        if (result.converged || (fresh && !s->blas))
            break;
        if (fresh)
            s->blas = &gi_blas_double;
        status = s->blas ? make_factor(run, s) : make_core(run, s);
        if (status == GRAM_ERR_NUMERIC && s->blas == &gi_blas_single) {
            s->blas = &gi_blas_double;
            status = make_factor(run, s);
        }
        GI_TRY(status);
        if (s->blas == &gi_blas_double) {
            GI_TRY(precondition(s, run, c, m, x));
            break;
        }
        fresh = 1;
    }
done:
    gi_free(t.room);
    return status;
}

gram_status gi_irls_new(gi_run *run, const gi_problem *p, const gi_blas *blas,
                        gi_irls *out)
{
    gram_status status;

    *out = (gi_irls){.p = p, .blas = blas};
    GI_TRY(GI_NEW_ZERO(run, out->root, p->n));
    GI_TRY(GI_NEW_ZERO(run, out->old, p->n));
    GI_TRY(GI_NEW(run, out->row, p->n));
    GI_TRY(GI_NEW(run, out->room, 2 * p->n));
done:
    if (status != GRAM_OK)
        gi_irls_free(out);
    return status;
}

void gi_irls_free(gi_irls *s)
{
    gi_free(s->root);
    gi_free(s->old);
    gi_free(s->row);
    gi_free(s->room);
    gi_free(s->V);
    gi_chol_free(s->factor);
    gi_chol_free(s->core);
    gi_pivot_free(s->low);
    *s = (gi_irls){0};
}
