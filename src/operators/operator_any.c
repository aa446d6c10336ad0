/* operator_any.c - what every operator can do with its own parts: be stored,
 * give rows in single precision, multiply a vector of few columns.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "cpu/cpu.h"
#include "base/parallel.h"
#include "operators/operator.h"

/* Edge of the pieces in which a matrix is stored: whole tiles of the engine. */
enum { EDGE = GI_OPERATOR_EDGE };

/* A matrix on its way into memory, in pieces. */
typedef struct storing {
    const gi_operator *K;
    const gi_blas *blas;
    size_t across; /* pieces along an edge */
    char *out;
    size_t ld;
} storing;

static size_t piece_size(size_t all, size_t from)
{
    return all - from < EDGE ? all - from : EDGE;
}

/* A piece, and its mirror image. */
static gram_status store_piece(void *user, size_t i)
{
    const storing *s = user;
    const gi_operator *K = s->K;
    const gi_cpu *cpu = gi_cpu_table();
    const size_t size = s->blas->size;
    const size_t row = i / s->across * EDGE, col = i % s->across * EDGE;
    const size_t rows = piece_size(K->rows, row);
    const size_t cols = piece_size(K->cols, col);
    char *here = s->out + (row * s->ld + col) * size;
    char *there = s->out + (col * s->ld + row) * size;
    gram_status status;

    if (K->symmetric && col < row)
        return GRAM_OK;
    GI_TRY(K->tile(K, s->blas, row, rows, col, cols, here, s->ld));
    if (K->symmetric && col > row && s->blas == &gi_blas_single)
        cpu->transpose_s(rows, cols, (float *)(void *)here, s->ld,
                         (float *)(void *)there, s->ld);
    else if (K->symmetric && col > row)
        cpu->transpose_d(rows, cols, (double *)(void *)here, s->ld,
                         (double *)(void *)there, s->ld);
done:
    return status;
}

gram_status gi_operator_store(const gi_operator *K, gi_run *run,
                              const gi_blas *blas, void *out, size_t ld)
{
    size_t down = (K->rows + EDGE - 1) / EDGE;
    size_t across = (K->cols + EDGE - 1) / EDGE;
    storing s = {K, blas, across, out, ld};
    gram_status status;

    GI_TRY(gi_operator_prepare(K, run, blas));
    GI_TRY(gi_parallel_for(run, down * across, store_piece, &s));
done:
    return status;
}

gram_status gi_operator_rows(const gi_operator *K, gi_run *run,
                             const size_t *row, size_t m, float *const *out)
{
    gram_status status;

    if (m == 0)
        return GRAM_OK;
    if (K->rows_single)
        return K->rows_single(K, run, row, m, out);
    GI_TRY(gi_operator_prepare(K, run, &gi_blas_single));
    for (size_t i = 0; i < m; i++)
        GI_TRY(K->tile(K, &gi_blas_single, row[i], 1, 0, K->cols, out[i],
                       K->cols));
done:
    return status;
}

gram_status gi_operator_columns(const gi_operator *K, gi_run *run,
                                const size_t *col, size_t m, const double *v,
                                double *out)
{
    const size_t most = K->symmetric ? K->cols / 2 : K->cols;
    double *full = NULL;
    gram_status status;

    if (m == 0) {
        memset(out, 0, K->rows * sizeof *out);
        return GRAM_OK;
    }
    if (K->columns && !K->csr && m <= most)
        return K->columns(K, run, col, m, v, out);
    GI_TRY(GI_NEW_ZERO(run, full, K->cols));
    for (size_t j = 0; j < m; j++)
        full[col[j]] = v[j];
    GI_TRY(K->product(K, run, 0, full, 1, out));
done:
    gi_free(full);
    return status;
}
