/* path_band.c - the path of any kernel: K reduced to a band
 * (linalg/dense/band.h).
 *
 * With D^-1/2 K D^-1/2 = Q B Q', h = D^-1/2 1 and R = Q'[D^-1/2 y, h], each
 * lambda is a banded system Z = (B + lambda I)^-1 R, and with an intercept
 *
 *     alpha = z_y - z_h (z_h'r_y)/(z_h'r_h)            (times Q, D^-1/2)
 *     tr P  = tr (B + lambda I)^-1 - z_h'z_h/(z_h'r_h)
 *
 * Evidence, gcv and df need no more than that; single rows also need Q, for
 * the diagonal of P.  y is centred first: that changes nothing with an
 * intercept, and keeps digits.
 *
 * Memory: n^2 of the precision; with single rows besides GI_BANDED_BATCH
 * factors of about 5 n b doubles.
 * Cost: 4/3 n^3 flops, as many again for Q; then 8 n b^2 for each lambda, and
 * 2 n^2 b with single rows.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/path/path_band.h"
#include "solvers/system.h"

/* Edge of a tile in which K is asked for. */
enum { EDGE = GI_PATH_BAND_EDGE };

/* ----------------------------------------------------------------- lambdas */

static double column_dot(const gi_banded *b, const double *x, size_t i,
                         const double *y, size_t j)
{
    const size_t n = b->path.n, m = b->columns;
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += x[k * m + i] * y[k * m + j];
    return sum;
}

/* Take the intercept out of the columns of the targets. */
static void project(gi_banded_point *x)
{
    const gi_banded *b = x->b;
    const size_t targets = b->path.targets, m = b->columns;

    if (m == targets)
        return;
    x->one = column_dot(b, x->z, targets, b->r, targets);
    for (size_t t = 0; t < targets; t++) {
        double c = column_dot(b, x->z, targets, b->r, t) / x->one;

        for (size_t k = 0; k < b->path.n; k++)
            x->z[k * m + t] -= c * x->z[k * m + targets];
        x->offset[t] = c;
    }
}

gram_status gi_banded_solve(gi_banded_point *x)
{
    const gi_banded *b = x->b;
    const size_t room = b->path.n * b->columns, targets = b->path.targets;
    gram_status status =
        gi_band_factor_new(x->run, b->q, x->lambda, &x->factor);

    if (status == GRAM_ERR_NUMERIC)
        return GRAM_OK;
    GI_TRY(status);
    GI_TRY(GI_NEW(x->run, x->z, room + targets));
    memcpy(x->z, b->r, room * sizeof *x->z);
    x->offset = x->z + room;
    memset(x->offset, 0, targets * sizeof *x->offset);
    gi_band_solve(x->factor, b->columns, x->z);
    project(x);
done:
    return status;
}

void gi_banded_release(gi_banded_point *x)
{
    gi_band_factor_free(x->factor);
    gi_free(x->z);
    x->factor = NULL;
    x->z = NULL;
}

/* All criteria but loo, which add_loo() sets. */
static gram_status add_up(gi_banded_point *x)
{
    const gi_banded *b = x->b;
    const size_t targets = b->path.targets;
    const int intercept = b->columns > targets;
    gi_path_sums s = {.lambda = x->lambda, .weight = b->weight};
    gram_status status = GRAM_OK;

    s.logdet = gi_band_logdet(x->factor) + b->log_noise;
    if (x->want & (GI_WANT_GCV | GI_WANT_DF))
        GI_TRY(gi_band_trace(x->run, x->factor, &s.trace));
    if (intercept) {
        s.logdet += log(x->one);
        s.trace -= column_dot(b, x->z, targets, x->z, targets) / x->one;
    }
    for (size_t t = 0; t < targets; t++) {
        s.quadratic = column_dot(b, x->z, t, b->r, t);
        s.square = column_dot(b, x->z, t, x->z, t);
        x->out[t] = gi_path_criteria(b->path.p, x->want, &s);
    }
done:
    return status;
}

/* gi_parallel_for: one lambda.  The factor stays if single rows are wanted. */
static gram_status do_point(void *user, size_t i)
{
    gi_banded_point *x = (gi_banded_point *)user + i;
    gram_status status;

    for (size_t t = 0; t < x->b->path.targets; t++)
        x->out[t] = gi_path_nothing(x->lambda);
    GI_TRY(gi_banded_solve(x));
    if (x->factor)
        GI_TRY(add_up(x));
    if (!(x->want & GI_WANT_LOO))
        gi_banded_release(x);
done:
    return status;
}

/* ------------------------------------------------------------- single rows */

gram_status gi_banded_form(gi_banded *b, gi_run *run)
{
    gram_status status = GRAM_OK;

    if (!b->formed)
        GI_TRY(gi_band_form(run, b->q));
    b->formed = 1;
done:
    return status;
}

/* The n x m doubles x to Q x or Q'x. */
static gram_status rotate(const gi_banded *b, gi_run *run, int transposed,
                          size_t m, double *x)
{
    const size_t all = b->path.n * m;
    gram_status status;
    void *copy = NULL;

    GI_TRY(gi_alloc(run, &copy, all, b->blas->size));
    b->blas->write(all, x, copy, 1);
    GI_TRY(gi_band_apply(run, b->q, transposed, m, copy, m));
    b->blas->read(all, copy, 1, x);
done:
    gi_free(copy);
    return status;
}

void gi_banded_forget(gi_banded_left *r)
{
    gi_free(r->alpha);
    gi_free(r->spread);
}

gram_status gi_banded_rows(gi_banded *b, gi_run *run, gi_banded_point **x,
                           size_t count, int spread, gi_banded_left *r)
{
    const size_t n = b->path.n, m = b->columns;
    gi_band_factor *factor[GI_BANDED_BATCH];
    gram_status status;

    r->count = count;
    if (spread)
        GI_TRY(gi_banded_form(b, run));
    GI_TRY(GI_NEW(run, r->alpha, n * count * m));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++)
            memcpy(r->alpha + (i * count + k) * m, x[k]->z + i * m,
                   m * sizeof *r->alpha);
    GI_TRY(rotate(b, run, 0, count * m, r->alpha));
    if (!spread)
        goto done;
    GI_TRY(GI_NEW(run, r->spread, n * count));
    for (size_t k = 0; k < count; k++)
        factor[k] = x[k]->factor;
    GI_TRY(gi_band_inverse_diagonal(run, b->q, factor, count, r->spread));
    for (size_t k = 0; k < count && m > b->path.targets; k++)
        for (size_t i = 0; i < n; i++) {
            double h = r->alpha[(i * count + k) * m + m - 1];

            r->spread[k * n + i] -= h * h / x[k]->one;
        }
done:
    return status;
}

/* Residual of row i and target t at point k, times w_i^1/2. */
static double left_out(const gi_banded *b, const gi_banded_left *r, size_t k,
                       size_t i, size_t t)
{
    return r->alpha[(i * r->count + k) * b->columns + t] /
           r->spread[k * b->path.n + i];
}

static gram_status add_loo(gi_banded *b, gi_run *run, gi_banded_point *x,
                           size_t count)
{
    gi_banded_point *good[GI_BANDED_BATCH];
    size_t goods = 0;
    gi_banded_left r = {0};
    gram_status status = GRAM_OK;

    for (size_t k = 0; k < count; k++)
        if (x[k].factor)
            good[goods++] = &x[k];
    if (goods == 0)
        goto done;
    GI_TRY(gi_banded_rows(b, run, good, goods, 1, &r));
    for (size_t k = 0; k < goods; k++)
        for (size_t t = 0; t < b->path.targets; t++) {
            double sum = 0;

            for (size_t i = 0; i < b->path.n; i++) {
                double left = left_out(b, &r, k, i, t);

                sum += left * left;
            }
            good[k]->out[t].loo = sum / b->weight;
        }
done:
    gi_banded_forget(&r);
    return status;
}

static gram_status at(gi_path *path, gi_run *run, const double *lambda,
                      size_t count, unsigned want, gi_criteria *out)
{
    gi_banded *b = path->user;
    gi_banded_point x[GI_BANDED_BATCH] = {{0}};
    gram_status status = GRAM_OK;

    for (size_t done = 0; done < count; done += GI_BANDED_BATCH) {
        size_t some =
            count - done < GI_BANDED_BATCH ? count - done : GI_BANDED_BATCH;

        GI_TRY(gi_run_tick(run, (double)done / (double)count));
        for (size_t k = 0; k < some; k++)
            x[k] = (gi_banded_point){.b = b,
                                     .run = run,
                                     .lambda = lambda[done + k],
                                     .want = want,
                                     .out = out + (done + k) * path->targets};
        GI_TRY(gi_parallel_for(run, some, do_point, x));
        if (want & GI_WANT_LOO)
            GI_TRY(add_loo(b, run, x, some));
        for (size_t k = 0; k < some; k++)
            gi_banded_release(&x[k]);
    }
    GI_TRY(gi_run_tick(run, 1));
done:
    for (size_t k = 0; k < GI_BANDED_BATCH; k++)
        gi_banded_release(&x[k]);
    return status;
}

static gram_status residuals(gi_path *path, gi_run *run, double lambda,
                             double *loo)
{
    gi_banded *b = path->user;
    const size_t n = path->n, targets = path->targets;
    gi_banded_point x = {.b = b, .run = run, .lambda = lambda}, *one = &x;
    gi_banded_left r = {0};
    gram_status status;

    GI_TRY(gi_banded_solve(&x));
    if (x.factor)
        GI_TRY(gi_banded_rows(b, run, &one, 1, 1, &r));
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < targets; t++)
            loo[i * targets + t] =
                x.factor ? left_out(b, &r, 0, i, t) / b->root[i] : NAN;
done:
    gi_banded_forget(&r);
    gi_banded_release(&x);
    return status;
}

/* -------------------------------------------------------------------- path */

static void release(gi_path *path)
{
    gi_banded *b = path->user;

    gi_band_free(b->q);
    gi_free(b->a);
    gi_free(b->root);
    gi_free(b->r);
    gi_free(b);
}

/* gi_parallel_for: a tile of D^-1/2 K D^-1/2, if it is one of the upper
 * triangle. */
static gram_status store_tile(void *user, size_t i)
{
    const gi_banded *b = user;
    const gi_problem *p = b->path.p;
    const size_t n = p->n, size = b->blas->size, across = (n + EDGE - 1) / EDGE;
    const size_t row = i / across * EDGE, col = i % across * EDGE;
    const size_t count = n - row < EDGE ? n - row : EDGE;
    const size_t cols = n - col < EDGE ? n - col : EDGE;
    double line[EDGE];
    gram_status status = GRAM_OK;

    if (col < row)
        return GRAM_OK;
    GI_TRY(gi_operator_tile(p->K, b->blas, row, count, col, cols,
                            b->a + (row * n + col) * size, n));
    for (size_t r = 0; p->noise && r < count; r++) {
        char *at_row = b->a + ((row + r) * n + col) * size;

        b->blas->read(cols, at_row, 1, line);
        for (size_t c = 0; c < cols; c++)
            line[c] *= b->root[row + r] * b->root[col + c];
        b->blas->write(cols, line, at_row, 1);
    }
done:
    return status;
}

static gram_status store(gi_banded *b, gi_run *run)
{
    const size_t n = b->path.n, across = (n + EDGE - 1) / EDGE;
    gram_status status;

    GI_TRY(gi_operator_prepare(b->path.p->K, run, b->blas));
    GI_TRY(gi_alloc(run, &b->a, n * n, b->blas->size));
    GI_TRY(gi_parallel_for(run, across * across, store_tile, b));
    for (size_t i = 0; i < n; i++)
        b->path.scale += b->blas->get(b->a, i * n + i) / (double)n;
done:
    return status;
}

/* R before it is rotated, and what depends on D only. */
static gram_status weigh(gi_banded *b, gi_run *run)
{
    const gi_problem *p = b->path.p;
    const size_t n = p->n, targets = p->targets, m = b->columns;
    gram_status status;
    double *mean = NULL;

    GI_TRY(GI_NEW(run, b->root, n));
    GI_TRY(GI_NEW(run, b->r, n * m));
    GI_TRY(GI_NEW(run, mean, targets));
    b->weight = gi_system_means(p, mean);
    for (size_t i = 0; i < n; i++) {
        b->root[i] = 1 / sqrt(gi_system_noise(p, i));
        b->log_noise += log(gi_system_noise(p, i));
        for (size_t t = 0; t < targets; t++)
            b->r[i * m + t] = b->root[i] * (p->y[i * targets + t] -
                                            (p->intercept ? mean[t] : 0));
        if (m > targets)
            b->r[i * m + targets] = b->root[i];
    }
done:
    gi_free(mean);
    return status;
}

gram_status gi_path_band(gi_run *run, const gi_problem *p, const gi_blas *blas,
                         unsigned want, gi_path **out)
{
    const int q = (want & GI_WANT_LOO) != 0;
    gi_run reduce = gi_run_share(run, 0, q ? 0.5 : 0.9);
    gi_run make = gi_run_share(run, q ? 0.5 : 0.9, 1);
    gi_banded *b = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, b, 1));
    b->path = (gi_path){.p = p,
                        .n = p->n,
                        .targets = p->targets,
                        .user = b,
                        .at = at,
                        .residuals = residuals,
                        .folds = gi_banded_folds,
                        .free = release};
    b->blas = blas ? blas : &gi_blas_double;
    b->columns = p->targets + (p->intercept != 0);
    GI_TRY(weigh(b, run));
    GI_TRY(store(b, run));
    GI_TRY(gi_band_reduce(&reduce, b->blas, p->n, b->a, p->n, 0, &b->q));
    GI_TRY(rotate(b, run, 1, b->columns, b->r));
    if (q)
        GI_TRY(gi_banded_form(b, &make));
    *out = &b->path;
    b = NULL;
done:
    if (b)
        release(&b->path);
    return status;
}

gi_cost gi_path_band_cost(const gi_run *run, const gi_problem *p, size_t rows,
                          const gi_blas *blas, unsigned want, size_t count)
{
    const double n = (double)rows, b = (double)gi_band_width(rows);
    const double rate = gi_rate_gemm(blas) * run->threads;
    const double doubles = gi_rate_gemm(&gi_blas_double) * run->threads;
    const double size = (double)blas->size, word = sizeof(double);
    const double targets = (double)p->targets + 1, lambdas = (double)count;
    gi_cost c = {.possible = 1};

    /* products of b columns reach three quarters of the rate, blocks of b a
     * quarter */
    c.bytes = n * n * size + 8 * n * b * word + 3 * n * targets * word +
              (double)gi_operator_bytes(run, p->K);
    c.seconds = n * n / 2 / gi_rate_kernel(p->K->cost) / run->threads +
                4.0 / 3 * n * n * n / (0.75 * rate) +
                lambdas * 8 * n * b * b / (0.25 * doubles);
    if (want & GI_WANT_LOO) {
        c.bytes +=
            GI_BANDED_BATCH * n * (5 * b * word + targets * (word + size));
        c.seconds += 4.0 / 3 * n * n * n / (0.85 * rate) +
                     lambdas * 2 * n * n * (b + 8 + targets) / (0.75 * rate);
    }
    return c;
}
