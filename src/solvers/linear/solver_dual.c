/* solver_dual.c - alpha = (K + lambda D)^-1 y by Cholesky.
 *
 * Kernel tiles are made while the factorisation runs; K is never there.  Where
 * it pays, the factor is in single precision, at half the time and memory, and
 * is the preconditioner of conjugate gradients in double, whose products make
 * the entries of K anew (Carson and Higham, SIAM J. Sci. Comput. 40, 2018,
 * for the idea; with conjugate gradients it also holds where the condition is
 * beyond 1/u of single precision).  If that breaks down or does not converge,
 * the factor is made again in double.
 *
 * If K + lambda D is not positive definite to rounding, a multiple of the
 * identity is added and reported; with lambda = 0 nothing is added and the
 * answer is the minimum-norm interpolant (interpolate.h).
 *
 * With A = K + lambda D and a flat prior on the intercept (Harville 1974), the
 * log evidence of a target is
 *
 *     -1/2 (y'alpha/s + log det A + m log(2 pi s) + log 1'A^-1 1)
 *
 * where m = n - 1, and without intercept m = n and no last term.
 *
 * Cost: n^3/3 flops, n^2/2 numbers; a variance n^2 flops.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "linalg/iterative/cg.h"
#include "solvers/linear/interpolate.h"
#include "solvers/system.h"
#include "solvers/linear/variance.h"

/* Single precision pays from so many rows. */
enum { SINGLE_ROWS = GI_DUAL_SINGLE_ROWS };

/* Steps of refinement: beyond this a factor in double is cheaper. */
enum { STEPS_LEAST = 10, STEPS_MOST = 100 };

/* Numbers that both precisions can square. */
static const double SMALL = 1e-18, LARGE = 1e18;

static const double TWO_PI = 6.283185307179586;

typedef struct dual {
    gi_run *run;
    const gi_problem *p;
    gi_solution *out;
    gi_system s;
    gi_chol *factor;
    const gi_blas *blas;   /* of the factor */
    double mean;           /* of the diagonal of K */
    _Atomic uint64_t *sum; /* of |A| along rows, in units: integers add up to
                              the same in any order */
    double unit;
    float *room; /* right-hand sides in single precision */
} dual;

/* --------------------------------------------------------------------- cost */

/* On one core. */
static double factor_seconds(size_t rows, const gi_blas *blas)
{
    double n = (double)rows;

    return n * n * n / 3 / gi_rate_gemm(blas);
}

/* Steps of refinement that cost as much as a factor in double saves. */
static double steps_worth(const gi_problem *p, size_t rows)
{
    double saved = factor_seconds(rows, &gi_blas_double) -
                   factor_seconds(rows, &gi_blas_single);

    return saved / gi_system_product_seconds(p, rows, p->targets + 1);
}

/* The precision of the factor; the mean is that of K's diagonal. */
static const gi_blas *choose(const gi_run *run, const gi_problem *p,
                             size_t rows, double mean)
{
    double steps = gi_system_steps(p, rows, mean);
    double room = (double)run->memory;
    int fits = (double)gi_chol_bytes(rows, &gi_blas_double) <= room;

    if (p->precision == GI_FACTOR_DOUBLE || p->lambda == 0)
        return &gi_blas_double;
    if (p->precision == GI_FACTOR_SINGLE)
        return &gi_blas_single;
    if (p->keep_factor || rows < SINGLE_ROWS || isinf(steps) ||
        !(mean > SMALL && mean < LARGE && p->lambda < LARGE))
        return &gi_blas_double;
    return steps <= steps_worth(p, rows) || !fits ? &gi_blas_single
                                                  : &gi_blas_double;
}

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    double n = (double)rows, columns = (double)p->targets + 1;
    double mean = gi_system_scale(run, p);
    const gi_blas *blas = choose(run, p, rows, mean);
    gi_cost c = {.possible = 1};

    if (!gi_problem_is_squared(p))
        return gi_cost_squared_only;
    c.bytes = (double)gi_chol_bytes(rows, blas) +
              (double)gi_operator_bytes(run, p->K) + 8 * n * (3 * columns + 2);
    c.seconds = factor_seconds(rows, blas) +
                gi_system_product_seconds(p, rows, p->targets);
    if (p->lambda == 0) /* a pivoted factor, and its rows on their way */
        c.bytes += 2 * 8 * n * n;
    if (blas == &gi_blas_single) {
        c.bytes += 8 * n * 5 * columns; /* vectors of conjugate gradients */
        c.seconds += fmin(gi_system_steps(p, rows, mean), STEPS_MOST) *
                     gi_system_product_seconds(p, rows, p->targets + 1);
    }
    c.seconds /= run->threads;
    return c;
}

/* ------------------------------------------------------------------- factor */

/* Add to the sum of |A| along a row.  No entry is above the largest diagonal
 * element; a matrix for which that is not true is none of ours, and saturates
 * instead of overflowing. */
static void count(dual *d, size_t row, double size)
{
    double units = fmin(size / d->unit, 0x1p50);

    atomic_fetch_add_explicit(&d->sum[row], (uint64_t)fmax(units, 0),
                              memory_order_relaxed);
}

/* |A| of a tile, for its rows and its columns; of a tile on the diagonal what
 * is above it, and the diagonal once. */
static void measure(dual *d, size_t row, size_t rows, size_t col, size_t cols,
                    const char *tile, size_t ld)
{
    enum { WIDTH = GI_DUAL_WIDTH };
    double part[WIDTH], down[WIDTH];

    for (size_t c = 0; c < cols; c += WIDTH) {
        size_t width = cols - c < WIDTH ? cols - c : WIDTH;

        memset(down, 0, sizeof down);
        for (size_t r = 0; r < rows; r++) {
            size_t from = row + r > col + c ? row + r - col - c : 0;
            double across = 0;

            if (from >= width)
                break;
            d->blas->read(width, tile + (r * ld + c) * d->blas->size, 1, part);
            for (size_t j = from; j < width; j++) {
                across += fabs(part[j]);
                down[j] += fabs(part[j]);
            }
            if (col + c + from == row + r)
                down[from] -= fabs(part[from]);
            count(d, row + r, across);
        }
        for (size_t j = 0; j < width; j++)
            count(d, col + c + j, down[j]);
    }
}

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    dual *d = user;
    gram_status status;

    GI_TRY(gi_system_tile(d->p, d->s.jitter, d->blas, row, rows, col, cols,
                          tile, ld));
    measure(d, row, rows, col, cols, tile, ld);
done:
    return status;
}

/* A = L L' in d->blas; NUMERIC if it is not positive definite to rounding. */
static gram_status factorise(void *user, gi_run *run)
{
    dual *d = user;
    gram_status status;

    for (size_t i = 0; i < d->p->n; i++)
        atomic_store_explicit(&d->sum[i], 0, memory_order_relaxed);
    GI_TRY(gi_operator_prepare(d->p->K, run, d->blas));
    if (!d->factor)
        GI_TRY(gi_chol_new(run, d->blas, d->p->n, 0, &d->factor));
    GI_TRY(gi_chol_factor(run, d->factor, fill, d));
done:
    return status;
}

static gram_status find_condition(dual *d)
{
    uint64_t most = 0;

    for (size_t i = 0; i < d->p->n; i++) {
        uint64_t sum = atomic_load_explicit(&d->sum[i], memory_order_relaxed);

        most = sum > most ? sum : most;
    }
    return gi_chol_condition(d->run, d->factor, (double)most * d->unit,
                             &d->out->condition);
}

static void drop(dual *d)
{
    gi_chol_free(d->factor);
    d->factor = NULL;
}

/* --------------------------------------------------------- single precision */

/* out = (L L')^-1 X in single precision; columns are scaled to 1, so that
 * none leaves the range. */
static gram_status precondition(void *user, gi_run *run, const double *x,
                                size_t m, double *out)
{
    dual *d = user;
    const size_t n = d->p->n;
    gram_status status;

    for (size_t j = 0; j < m; j++) {
        double top = 0;

        for (size_t i = 0; i < n; i++)
            top = fmax(top, fabs(x[i * m + j]));
        for (size_t i = 0; i < n; i++)
            d->room[i * m + j] = (float)(top > 0 ? x[i * m + j] / top : 0);
        out[j] = top; /* the first row keeps the scales until the end */
    }
    GI_TRY(gi_chol_solve(run, d->factor, m, d->room, m));
    for (size_t i = n; i-- > 0;)
        for (size_t j = 0; j < m; j++)
            out[i * m + j] = out[j] * (double)d->room[i * m + j];
done:
    return status;
}

/* Factor in single precision, solve in double.  *good = 0, and that is no
 * error, if it does not work. */
static gram_status solve_single(dual *d, int *good)
{
    gi_run first = gi_run_share(d->run, 0, 0.5);
    gi_run second = gi_run_share(d->run, 0.5, 0.9);
    const gi_problem *p = d->p;
    double worth = fmin(fmax(steps_worth(p, p->n), STEPS_LEAST), STEPS_MOST);
    gi_cg cg = {.multiply = gi_system_multiply,
                .multiply_user = &d->s,
                .precondition = precondition,
                .precondition_user = d,
                /* b adds the errors of two columns */
                .tolerance = gi_system_tolerance(p) / 2,
                .steps = (size_t)worth};
    gi_cg_result result = {0};
    gram_status status;

    *good = 0;
    d->blas = &gi_blas_single;
    d->out->precision = "double (single precision broke down)";
    GI_TRY(factorise(d, &first));
    GI_TRY(GI_NEW(d->run, d->room, p->n * d->s.columns));
    GI_TRY(gi_cg_solve(&second, &cg, p->n, d->s.columns, d->s.rhs, d->s.z,
                       &result));
    d->out->steps = result.steps;
    d->out->converged = result.converged;
    *good = result.converged || (double)gi_chol_bytes(p->n, &gi_blas_double) >
                                    (double)d->run->memory;
    d->out->precision = *good ? "single + refinement"
                              : "double (single precision did not converge)";
done:
    return status == GRAM_ERR_NUMERIC ? GRAM_OK : status;
}

/* --------------------------------------------------------- double precision */

/* *good = 0 if K is singular and lambda is 0. */
static gram_status solve_double(dual *d, int *good)
{
    gi_run first = gi_run_share(d->run, 0, 0.8);
    const gi_problem *p = d->p;
    const size_t m = d->s.columns;
    int exact = p->lambda == 0 && d->s.jitter == 0;
    gram_status status;

    *good = 0;
    d->blas = &gi_blas_double;
    GI_TRY(gi_system_escalate(&first, p, d->mean, factorise, d, &d->s.jitter));
    GI_TRY(find_condition(d));
    *good = !exact || d->out->condition * (double)p->n * DBL_EPSILON < 1;
    if (*good) {
        memcpy(d->s.z, d->s.rhs, p->n * m * sizeof *d->s.z);
        GI_TRY(gi_chol_solve(d->run, d->factor, m, d->s.z, m));
    }
done:
    return status == GRAM_ERR_NUMERIC && exact ? GRAM_OK : status;
}

/* -------------------------------------------------------------------- solve */

static gram_status begin(dual *d)
{
    const gi_problem *p = d->p;
    double most = DBL_MIN;
    gram_status status;

    GI_TRY(gi_system_new(d->run, p, &d->s));
    GI_TRY(GI_NEW(d->run, d->sum, p->n));
    for (size_t i = 0; i < p->n; i++) {
        d->mean += d->s.diagonal[i] / (double)p->n;
        most = fmax(most, d->s.diagonal[i] + gi_system_shift(&d->s, i));
    }
    d->unit = most * 0x1p-40;
done:
    return status;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    dual d = {.run = run, .p = p, .out = out};
    int good = 0;
    gram_status status;

    GI_TRY(begin(&d));
    if (choose(run, p, p->n, d.mean) == &gi_blas_single) {
        GI_TRY(solve_single(&d, &good));
        if (good)
            GI_TRY(find_condition(&d));
        else
            drop(&d);
    }
    if (!good) {
        out->converged = 1;
        GI_TRY(solve_double(&d, &good));
    }
    if (good) {
        GI_TRY(gi_system_finish(run, &d.s, out));
    } else {
        drop(&d);
        GI_TRY(gi_interpolate_solve(run, &d.s, out));
    }
    out->jitter = d.s.jitter;
    GI_TRY(gi_system_residual(run, p, out));
    if (p->keep_factor) {
        out->factor = d.factor;
        d.factor = NULL;
    }
    GI_TRY(gi_run_tick(run, 1));
done:
    drop(&d);
    gi_free(d.room);
    gi_free(d.sum);
    gi_system_free(&d.s);
    return status;
}

/* ----------------------------------------------------------------- variance */

static gram_status variance(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const gi_operator *T,
                            double *out)
{
    if (s->rank < p->n)
        return gi_interpolate_variance(run, p, T, out);
    return gi_variance_by_factor(run, p, s, T, out);
}

/* ----------------------------------------------------------------- evidence */

static double evidence_of(const gi_problem *p, const gi_solution *s,
                          size_t target, double amplitude)
{
    double quadratic = 0, one = 0;
    double m = (double)p->n - (p->intercept ? 1 : 0), logdet;

    for (size_t i = 0; i < p->n; i++) {
        quadratic +=
            p->y[i * p->targets + target] * s->alpha[i * p->targets + target];
        one += p->intercept ? s->inverse_one[i] : 0;
    }
    logdet = gi_chol_logdet(s->factor) + (p->intercept ? log(one) : 0);
    return -(quadratic / amplitude + logdet + m * log(TWO_PI * amplitude)) / 2;
}

/* A factor in single precision is not good enough. */
static gram_status evidence(gi_run *run, const gi_problem *p,
                            const gi_solution *s, const double *amplitude,
                            double *out)
{
    const int known =
        s->factor && s->alpha && gi_chol_blas(s->factor) == &gi_blas_double;

    (void)run;
    for (size_t t = 0; t < p->targets; t++)
        out[t] = known && amplitude[t] > 0 ? evidence_of(p, s, t, amplitude[t])
                                           : NAN;
    return GRAM_OK;
}

const gi_solver gi_solver_dual = {
    .name = "dual",
    .brief = "Cholesky factor of K + lambda D, n^3/3 flops",
    .flags = GI_SOLVER_EXACT | GI_SOLVER_FACTOR | GI_SOLVER_SYSTEM,
    .cost = cost,
    .solve = solve,
    .variance = variance,
    .evidence = evidence,
};
