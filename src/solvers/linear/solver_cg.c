/* solver_cg.c - conjugate gradients on K + lambda D, with memory O(n).
 *
 * Preconditioner: F F' + lambda D with F, n x r, from pivoted Cholesky of K
 * (Harbrecht, Peters, Schneider: On the low-rank approximation by the pivoted
 * Cholesky decomposition, 2012; Gardner et al., NeurIPS 2018).  With
 * V = W^1/2 F, W = D^-1,
 *
 *     (F F' + lambda D)^-1 = W^1/2 (I - V (V'V + lambda I)^-1 V') W^1/2/lambda
 *
 * (Woodbury), and the condition is at most 1 + tr(K - F F')/(lambda min D).
 *
 * Products are in double.  For a coarse tolerance they are in single, and the
 * residual of every round in double.
 *
 * Cost: n^2/2 entries of K a step, or O(entries) with a sparse Phi; n r
 * numbers.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "linalg/iterative/cg.h"
#include "linalg/dense/gemm.h"
#include "linalg/iterative/pivot.h"
#include "solvers/system.h"

/* Rank of the preconditioner, and steps, at most. */
enum { RANK = GI_CG_RANK, STEPS = 2000 };

/* Products in single precision from this tolerance; the residual is computed
 * anew when it has fallen by this factor. */
static const double COARSE = 1e-7, FALL = 1e-4;

typedef struct pcg {
    gi_run *run;
    const gi_problem *p;
    gi_solution *out;
    gi_system s;
    gi_pivot *low; /* V in the place of its factor */
    gi_chol *core; /* of V'V + lambda I */
    double *room;  /* rank x columns */
    double lambda; /* jitter included */
    size_t limit;
} pcg;

/* --------------------------------------------------------------------- cost */

/* Flops of the preconditioner of that rank, about: pivots and V'V. */
static double rank_flops(size_t rows, double rank)
{
    return 6 * (double)rows * rank * rank;
}

/* The preconditioner may cost as much as 10 products, and a quarter of the
 * memory. */
static size_t rank_of(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double products =
        10 * gi_system_product_seconds(p, rows, p->targets + 1);
    double n = (double)rows, rank = fmin(n / 10, RANK);

    rank = fmin(rank, (double)run->memory / 4 / (8 * n));
    return (size_t)fmin(rank, sqrt(products * gi_rate_gemm(&gi_blas_double) /
                                   rank_flops(rows, 1)));
}

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double stream = 5e9; /* flops a second where memory is the limit */
    double n = (double)rows, columns = (double)p->targets + 1;
    double rank = (double)rank_of(run, p, rows), each, condition, steps;
    gi_cost c = {.possible = p->lambda > 0, .why = "lambda is 0"};

    if (!gi_problem_is_squared(p))
        return gi_cost_squared_only;
    /* trace of K shared out over the rank: a guess at what is left */
    condition = 1 + n * gi_system_scale(run, p) / (p->lambda * (rank + 1));
    steps = 0.5 * sqrt(condition) * log(2 / gi_system_tolerance(p));
    each = gi_system_product_seconds(p, rows, p->targets + 1) +
           4 * n * rank * columns / stream;
    c.seconds =
        steps * each + rank_flops(rows, rank) / gi_rate_gemm(&gi_blas_double);
    c.seconds /= run->threads;
    c.bytes = 8 * n * (rank + 7 * columns + 3) + 16 * rank * rank +
              (double)gi_operator_bytes(run, p->K);
    return c;
}

/* ----------------------------------------------------------- preconditioner */

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const pcg *c = user;
    const double *v = c->low->factor;
    double *a = tile;

    gi_blas_double.gemm(1, 0, rows, cols, c->p->n, 1, v + row, c->low->ld,
                        v + col, c->low->ld, 0, a, ld);
    for (size_t i = 0; row == col && i < rows; i++)
        a[i * ld + i] += c->lambda;
    return GRAM_OK;
}

/* Until tr(K - F F') is surely below 20 lambda min D, or the rank is reached.
 */
static gram_status make_preconditioner(pcg *c)
{
    const gi_problem *p = c->p;
    const size_t n = p->n, rank = rank_of(c->run, p, p->n);
    gi_run part = gi_run_share(c->run, 0, 0.2);
    double top = 0, least = INFINITY;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < n; i++) {
        top = fmax(top, c->s.diagonal[i]);
        least = fmin(least, gi_system_noise(p, i));
    }
    if (rank == 0 || !(top > 0))
        goto done;
    GI_TRY(gi_pivot_new(&part, n, c->s.diagonal, gi_system_rows, (void *)p->K,
                        20 * p->lambda * least / (double)n / top, rank,
                        &c->low));
    for (size_t i = 0; p->noise && i < n; i++)
        for (size_t j = 0; j < c->low->rank; j++)
            c->low->factor[i * c->low->ld + j] /= sqrt(p->noise[i]);
    if (c->low->rank == 0)
        goto done;
    GI_TRY(GI_NEW(c->run, c->room, c->low->rank * c->s.columns));
    gi_blas_start();
    GI_TRY(gi_chol_new(c->run, &gi_blas_double, c->low->rank, 0, &c->core));
    GI_TRY(gi_chol_factor(&part, c->core, fill, c));
done:
    return status;
}

static gram_status precondition(void *user, gi_run *run, const double *x,
                                size_t m, double *out)
{
    const pcg *c = user;
    const gi_problem *p = c->p;
    const size_t n = p->n, r = c->low->rank, ld = c->low->ld;
    const double *v = c->low->factor;
    gram_status status;

    for (size_t k = 0; k < n * m; k++)
        out[k] = x[k] / sqrt(gi_system_noise(p, k / m));
    GI_TRY(gi_gemm_double(run, 1, 0, r, m, n, 1, v, ld, out, m, 0, c->room, m));
    GI_TRY(gi_chol_solve(run, c->core, m, c->room, m));
    GI_TRY(
        gi_gemm_double(run, 0, 0, n, m, r, -1, v, ld, c->room, m, 1, out, m));
    for (size_t k = 0; k < n * m; k++)
        out[k] /= sqrt(gi_system_noise(p, k / m)) * c->lambda;
done:
    return status;
}

/* -------------------------------------------------------------------- solve */

static gram_status watch(void *user, size_t step, double residual)
{
    const pcg *c = user;

    return c->p->trace(c->p->trace_user, c->out->steps + step, residual, NAN);
}

/* A X = B to a tolerance from what X is. */
static gram_status iterate(pcg *c, double tolerance, const double *b, double *x,
                           gi_cg_result *result)
{
    gi_run part = gi_run_share(c->run, 0.2, 0.95);
    gi_cg cg = {.multiply = gi_system_multiply,
                .multiply_user = &c->s,
                .precondition = c->core ? precondition : NULL,
                .precondition_user = c,
                .tolerance = tolerance,
                .steps = c->limit - c->out->steps,
                .watch = c->p->trace ? watch : NULL,
                .watch_user = c};
    gram_status status =
        gi_cg_solve(&part, &cg, c->p->n, c->s.columns, b, x, result);

    c->out->steps += result->steps;
    return status;
}

/* r = rhs - A z in double; the largest relative norm of its columns. */
static gram_status find_residual(pcg *c, double *r, double *relative)
{
    const size_t n = c->p->n, m = c->s.columns;
    gram_status status;

    c->s.single = 0;
    GI_TRY(gi_system_multiply(&c->s, c->run, c->s.z, m, r));
    c->s.single = 1;
    *relative = 0;
    for (size_t j = 0; j < m; j++) {
        double off = 0, size = 0;

        for (size_t k = j; k < n * m; k += m) {
            r[k] = c->s.rhs[k] - r[k];
            off += r[k] * r[k];
            size += c->s.rhs[k] * c->s.rhs[k];
        }
        *relative = gi_system_worse(*relative, off, size);
    }
done:
    return status;
}

/* Rounds with products in single precision. */
static gram_status iterate_coarse(pcg *c, double tolerance)
{
    const size_t entries = c->p->n * c->s.columns;
    double *r = NULL, *step = NULL, before = INFINITY, now = 1;
    gi_cg_result result = {0};
    gram_status status;

    GI_TRY(GI_NEW(c->run, r, entries));
    GI_TRY(GI_NEW(c->run, step, entries));
    memcpy(r, c->s.rhs, entries * sizeof *r);
    c->s.single = 1;
    while (now > tolerance && now < before && c->out->steps < c->limit) {
        memset(step, 0, entries * sizeof *step);
        GI_TRY(iterate(c, fmax(FALL, tolerance / now / 2), r, step, &result));
        for (size_t k = 0; k < entries; k++)
            c->s.z[k] += step[k];
        before = now;
        GI_TRY(find_residual(c, r, &now));
    }
    c->out->converged = now <= tolerance;
done:
    c->s.single = 0;
    gi_free(step);
    gi_free(r);
    return status;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    double tolerance = gi_system_tolerance(p) / 2; /* b adds two errors */
    gi_cg_result result = {0};
    pcg c = {.run = run,
             .p = p,
             .out = out,
             .lambda = p->lambda + fmax(p->jitter, 0),
             .limit = p->steps ? p->steps : STEPS};
    double mean = 0;
    gram_status status;

    GI_TRY(gi_system_new(run, p, &c.s));
    for (size_t i = 0; i < p->n; i++)
        mean += c.s.diagonal[i] / (double)p->n;
    GI_TRY(make_preconditioner(&c));
    if (gi_system_tolerance(p) >= COARSE && !p->K->csr &&
        isfinite(gi_system_steps(p, p->n, mean))) {
        out->precision = gi_blas_single.name;
        GI_TRY(iterate_coarse(&c, tolerance));
    } else {
        GI_TRY(iterate(&c, tolerance, c.s.rhs, c.s.z, &result));
        out->converged = result.converged;
    }
    out->jitter = c.s.jitter;
    GI_TRY(gi_system_finish(run, &c.s, out));
    GI_TRY(gi_system_residual(run, p, out));
    GI_TRY(gi_run_tick(run, 1));
done:
    gi_free(c.room);
    gi_chol_free(c.core);
    gi_pivot_free(c.low);
    gi_system_free(&c.s);
    return status;
}

const gi_solver gi_solver_cg = {
    .name = "cg",
    .brief = "conjugate gradients, products with K on the fly",
    .flags = GI_SOLVER_EXACT,
    .cost = cost,
    .solve = solve,
};
