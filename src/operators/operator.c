/* operator.c - what can be asked of every operator, by its class or from its
 * tiles.
 */
#include "operators/operator.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cpu/cpu.h"

#define OPERATOR(name) extern const gi_operator_class gi_operator_##name;
#include "operators/operators.def"
#undef OPERATOR

static const gi_operator_class *const classes[] = {
#define OPERATOR(name) &gi_operator_##name,
#include "operators/operators.def"
#undef OPERATOR
    NULL,
};

/* Edge of the pieces in which a matrix is stored: whole tiles of the engine. */
enum { EDGE = GI_OPERATOR_EDGE };

const gi_operator_class *gi_operator_class_at(size_t i)
{
    return classes[i];
}

void gi_operator_free(gi_operator *K)
{
    if (K && K->class_->destroy)
        K->class_->destroy(K);
}

/* -------------------------------------------------------------- by its class
 */

gram_status gi_operator_set(gi_operator *K, gi_run *run, const double *theta)
{
    return K->class_->set(K, run, theta);
}

gram_status gi_operator_restrict(const gi_operator *K, gi_run *run,
                                 const size_t *row, size_t m, gi_operator **out)
{
    return K->class_->restrict_to(K, run, row, m, out);
}

gram_status gi_operator_prepare(const gi_operator *K, gi_run *run,
                                const gi_blas *blas)
{
    return K->class_->prepare ? K->class_->prepare(K, run, blas) : GRAM_OK;
}

size_t gi_operator_bytes(const gi_run *run, const gi_operator *K)
{
    return K->class_->bytes ? K->class_->bytes(run, K) : 0;
}

/* -------------------------------------------------------------------- pieces
 */

/* A matrix on its way into memory, in pieces. */
typedef struct storing {
    const gi_operator *K;
    const gi_blas *blas;
    size_t across; /* pieces along an edge */
    char *out;
    size_t ld;
} storing;

/* A piece, and its mirror image. */
static gram_status store_piece(void *user, size_t i)
{
    const storing *s = user;
    const gi_operator *K = s->K;
    const gi_cpu *cpu = gi_cpu_table();
    const size_t size = s->blas->size;
    const size_t row = i / s->across * EDGE, col = i % s->across * EDGE;
    const size_t rows = gi_min_size(EDGE, K->rows - row);
    const size_t cols = gi_min_size(EDGE, K->cols - col);
    char *here = s->out + (row * s->ld + col) * size;
    char *there = s->out + (col * s->ld + row) * size;
    gram_status status;

    if (K->symmetric && col < row)
        return GRAM_OK;
    GI_TRY(gi_operator_tile(K, s->blas, row, rows, col, cols, here, s->ld));
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

gram_status gi_operator_rows_at(const gi_operator *K, gi_run *run,
                                const gi_blas *blas, const size_t *row,
                                size_t m, void *const *out)
{
    return m > 0 ? K->class_->rows(K, run, blas, row, m, out) : GRAM_OK;
}

gram_status gi_operator_rows(const gi_operator *K, gi_run *run,
                             const gi_blas *blas, const size_t *row, size_t m,
                             void *out, size_t ld)
{
    void **at = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, at, m));
    for (size_t i = 0; i < m; i++)
        at[i] = (char *)out + i * ld * blas->size;
    GI_TRY(gi_operator_rows_at(K, run, blas, row, m, at));
done:
    gi_free(at);
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
    if (K->class_->columns && !K->csr && m <= most)
        return K->class_->columns(K, run, col, m, v, out);
    GI_TRY(GI_NEW_ZERO(run, full, K->cols));
    for (size_t j = 0; j < m; j++)
        full[col[j]] = v[j];
    GI_TRY(gi_operator_product(K, run, 0, full, 1, out));
done:
    gi_free(full);
    return status;
}
