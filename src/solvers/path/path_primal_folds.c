/* path_primal_folds.c - leaving out whole folds of a primal path.
 *
 * With S the rows [(w_i/sum w)^1/2, Z diag(l + lambda)^-1/2] of a fold (the
 * first column for the intercept) and v their residuals times w_i^1/2, those
 * of leaving the fold out are
 *
 *     (I - S S')^-1 v = v + S (I - S'S)^-1 S'v
 *
 * Two passes over the rows: S'S and S'v of all folds, then the residuals.
 *
 * Memory: (k + 1) N^2 doubles for k folds.
 * Cost: 6 n N^2 + k N^3/3 flops for each lambda.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "linalg/dense/chol.h"
#include "linalg/dense/gemm.h"
#include "solvers/path/path_primal.h"

/* S'S, S'v and then (I - S'S)^-1 S'v of each fold. */
typedef struct leaving {
    const gi_primal *b;
    gi_primal_pass pass;
    const int *fold;
    size_t folds;
    size_t width;  /* of S: N, and one more with an intercept */
    double *scale; /* (l_j + lambda)^-1/2 */
    double *S;     /* rows of one fold in a block */
    double *v;
    size_t *row;
    double *gram;  /* folds x width x width */
    double *slope; /* folds x width x targets */
} leaving;

static void close_leaving(leaving *g)
{
    gi_primal_close(&g->pass);
    gi_free(g->scale);
    gi_free(g->S);
    gi_free(g->v);
    gi_free(g->row);
    gi_free(g->gram);
    gi_free(g->slope);
}

static gram_status open_leaving(const gi_primal *b, gi_run *run, double lambda,
                                leaving *g)
{
    const size_t N = b->N, targets = b->path.targets;
    gram_status status;

    g->b = b;
    g->width = N + (b->path.p->intercept != 0);
    GI_TRY(gi_primal_open(b, run, &lambda, 1, &g->pass));
    GI_TRY(GI_NEW(run, g->scale, N));
    GI_TRY(GI_NEW(run, g->S, GI_PRIMAL_ROWS * g->width));
    GI_TRY(GI_NEW(run, g->v, GI_PRIMAL_ROWS * targets));
    GI_TRY(GI_NEW(run, g->row, GI_PRIMAL_ROWS));
    GI_TRY(GI_NEW_ZERO(run, g->gram, g->folds * g->width * g->width));
    GI_TRY(GI_NEW_ZERO(run, g->slope, g->folds * g->width * targets));
    for (size_t j = 0; j < N; j++)
        g->scale[j] = sqrt(g->pass.inverse[j]);
done:
    return status;
}

/* S and v of the rows of a fold in the block at `row`; how many there are. */
static size_t gather(leaving *g, size_t row, int fold)
{
    const gi_primal *b = g->b;
    const size_t N = b->N, targets = b->path.targets;
    size_t m = 0;

    for (size_t i = 0; i < gi_primal_rows(b, row); i++) {
        double *S = g->S + m * g->width;

        if (g->fold[row + i] != fold)
            continue;
        for (size_t j = 0; j < N; j++)
            S[j] = g->pass.Z[i * N + j] * g->scale[j];
        if (g->width > N)
            S[N] = sqrt(gi_primal_share(b, row + i));
        memcpy(g->v + m * targets, g->pass.left + i * targets,
               targets * sizeof *g->v);
        g->row[m++] = row + i;
    }
    return m;
}

static gram_status add_fold(leaving *g, gi_run *run, size_t row, size_t fold)
{
    const size_t width = g->width, targets = g->b->path.targets;
    const size_t m = gather(g, row, (int)fold);
    gram_status status;

    GI_TRY(gi_gemm_double(run, 1, 0, width, width, m, 1, g->S, width, g->S,
                          width, 1, g->gram + fold * width * width, width));
    GI_TRY(gi_gemm_double(run, 1, 0, width, targets, m, 1, g->S, width, g->v,
                          targets, 1, g->slope + fold * width * targets,
                          targets));
done:
    return status;
}

typedef struct minus_gram {
    size_t width;
    const double *gram;
} minus_gram;

/* gi_chol_fill: I - S'S */
static gram_status fill_minus(void *user, size_t row, size_t rows, size_t col,
                              size_t cols, void *tile, size_t ld)
{
    const minus_gram *g = user;
    double *out = tile;

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            out[r * ld + c] =
                (row + r == col + c) - g->gram[(row + r) * g->width + col + c];
    return GRAM_OK;
}

/* NaN if what is left determines nothing. */
static gram_status solve_fold(leaving *g, gi_run *run, size_t fold)
{
    const size_t width = g->width, targets = g->b->path.targets;
    double *slope = g->slope + fold * width * targets;
    minus_gram m = {width, g->gram + fold * width * width};
    gi_chol *c = NULL;
    gram_status status;

    GI_TRY(gi_chol_new(run, &gi_blas_double, width, 0, &c));
    status = gi_chol_factor(run, c, fill_minus, &m);
    if (status == GRAM_ERR_NUMERIC) {
        for (size_t i = 0; i < width * targets; i++)
            slope[i] = NAN;
        status = GRAM_OK;
        goto done;
    }
    GI_TRY(status);
    GI_TRY(gi_chol_solve(run, c, targets, slope, targets));
done:
    gi_chol_free(c);
    return status;
}

/* v + S (I - S'S)^-1 S'v of the rows of a fold in a block. */
static gram_status store_fold(leaving *g, gi_run *run, size_t row, size_t fold,
                              double *out)
{
    const size_t width = g->width, targets = g->b->path.targets;
    const size_t m = gather(g, row, (int)fold);
    gram_status status;

    GI_TRY(gi_gemm_double(run, 0, 0, m, targets, width, 1, g->S, width,
                          g->slope + fold * width * targets, targets, 1, g->v,
                          targets));
    for (size_t i = 0; i < m; i++)
        for (size_t t = 0; t < targets; t++)
            out[g->row[i] * targets + t] =
                g->v[i * targets + t] / g->b->root[g->row[i]];
done:
    return status;
}

gram_status gi_primal_folds(gi_path *path, gi_run *run, double lambda,
                            const int *fold, size_t count, double *out)
{
    const gi_primal *b = path->user;
    leaving g = {.fold = fold, .folds = count};
    gram_status status;

    GI_TRY(open_leaving(b, run, lambda, &g));
    for (size_t row = 0; row < path->n; row += GI_PRIMAL_ROWS) {
        GI_TRY(gi_run_tick(run, (double)row / (double)path->n / 2));
        GI_TRY(gi_primal_fit(&g.pass, run, row));
        for (size_t k = 0; k < count; k++)
            GI_TRY(add_fold(&g, run, row, k));
    }
    for (size_t k = 0; k < count; k++) {
        gi_run part = gi_run_share(run, 0.5, 0.5);

        GI_TRY(solve_fold(&g, &part, k));
    }
    for (size_t row = 0; row < path->n; row += GI_PRIMAL_ROWS) {
        GI_TRY(gi_run_tick(run, 0.5 + (double)row / (double)path->n / 2));
        GI_TRY(gi_primal_fit(&g.pass, run, row));
        for (size_t k = 0; k < count; k++)
            GI_TRY(store_fold(&g, run, row, k, out));
    }
done:
    close_leaving(&g);
    return status;
}
