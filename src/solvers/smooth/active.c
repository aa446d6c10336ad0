/* active.c - gather K_AA from rows of K, factor it with its shifts, solve.
 *
 * Rows come whole, since they are what an operator has fast; half of K_AA is
 * kept while its Cholesky factor is made.
 */
#include "solvers/smooth/active.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "linalg/dense/chol.h"

/* Rows of K that are gathered at a time. */
enum { GATHER = GI_ACTIVE_ROWS };

static gram_status gather(gi_run *run, const gi_operator *K, gi_active *a)
{
    const size_t n = K->cols, need = a->count * (a->count + 1) / 2;
    double *at;
    gram_status status = GRAM_OK;

    if (!a->lines)
        GI_TRY(GI_NEW(run, a->lines, n * GATHER));
    if (need > a->room) {
        gi_free(a->block);
        a->block = NULL;
        a->room = 0;
        GI_TRY(GI_NEW(run, a->block, need));
        a->room = need;
    }
    at = a->block;
    for (size_t first = 0; first < a->count; first += GATHER) {
        size_t some = a->count - first;

        some = some < GATHER ? some : GATHER;
        GI_TRY(gi_operator_rows(K, run, &gi_blas_double, a->row + first, some,
                                a->lines, n));
        for (size_t i = 0; i < some; i++)
            for (size_t j = first + i; j < a->count; j++)
                *at++ = a->lines[i * n + a->row[j]];
    }
done:
    return status;
}

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const gi_active *a = user;
    double *out = tile;

    for (size_t r = 0; r < rows; r++) {
        const size_t i = row + r, skip = row == col ? r : 0;
        const double *line = a->block + i * (2 * a->count - i - 1) / 2;

        memcpy(out + r * ld + skip, line + col + skip,
               (cols - skip) * sizeof *out);
        if (row == col)
            out[r * ld + r] += a->shift[i];
    }
    return GRAM_OK;
}

gram_status gi_active_solve(gi_run *run, const gi_operator *K, gi_active *a,
                            size_t m, double *z)
{
    gi_chol *factor = NULL;
    gram_status status;

    GI_TRY(gather(run, K, a));
    gi_blas_start();
    GI_TRY(gi_chol_new(run, &gi_blas_double, a->count, 0, &factor));
    GI_TRY(gi_chol_factor(run, factor, fill, a));
    GI_TRY(gi_chol_solve(run, factor, m, z, m));
done:
    gi_chol_free(factor);
    return status;
}

double gi_active_bytes(size_t n, size_t count)
{
    const double edge = (double)count, word = sizeof(double);

    return (double)gi_chol_bytes(count, &gi_blas_double) +
           word * (edge * (edge + 1) / 2 + (double)n * GATHER);
}

void gi_active_free(gi_active *a)
{
    gi_free(a->block);
    gi_free(a->lines);
    *a = (gi_active){0};
}
