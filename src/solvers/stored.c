/* stored.c - an operator over a matrix in memory, through an index; see
 * stored.h.  Products run row by row, in double.
 */
#include "solvers/stored.h"

#include "base/mem.h"
#include "solvers/each.h"

typedef struct stored {
    gi_operator op;
    const gi_blas *blas;
    const char *K;
    size_t ld;
    const size_t *index;
} stored;

static double entry(const stored *s, size_t i, size_t j)
{
    size_t at = s->index[i] * s->ld + s->index[j];

    return s->blas == &gi_blas_single
               ? ((const float *)(const void *)s->K)[at]
               : ((const double *)(const void *)s->K)[at];
}

static gram_status tile(const gi_operator *K, const gi_blas *blas, size_t row,
                        size_t rows, size_t col, size_t cols, void *out,
                        size_t ld)
{
    const stored *s = K->user;

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            double k = entry(s, row + r, col + c);

            if (blas == &gi_blas_single)
                ((float *)out)[r * ld + c] = (float)k;
            else
                ((double *)out)[r * ld + c] = k;
        }
    return GRAM_OK;
}

/* A product on its way, in pieces of PIECE rows. */
typedef struct multiplying {
    const gi_operator *K;
    const double *V;
    size_t r;
    double *out;
} multiplying;

enum { PIECE = 64 };

static gram_status multiply_rows(void *user, size_t piece)
{
    const multiplying *m = user;
    const stored *s = m->K->user;
    size_t n = m->K->rows, r = m->r;

    for (size_t i = piece * PIECE; i < n && i < (piece + 1) * PIECE; i++) {
        double *out = m->out + i * r;

        for (size_t c = 0; c < r; c++)
            out[c] = 0;
        for (size_t j = 0; j < n; j++) {
            double k = entry(s, i, j);

            for (size_t c = 0; c < r; c++)
                out[c] += k * m->V[j * r + c];
        }
    }
    return GRAM_OK;
}

static gram_status product(const gi_operator *K, gi_run *run, int single,
                           const double *V, size_t r, double *out)
{
    multiplying m = {K, V, r, out};

    (void)single;
    return gi_each(run, (K->rows + PIECE - 1) / PIECE, multiply_rows, &m);
}

static gram_status subset(const gi_operator *K, gi_run *run, const size_t *row,
                          size_t m, double *out, size_t ld)
{
    (void)run;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < K->cols; j++)
            out[i * ld + j] = entry(K->user, row[i], j);
    return GRAM_OK;
}

static gram_status diagonal(const gi_operator *K, gi_run *run, double *out)
{
    (void)run;
    for (size_t i = 0; i < K->rows; i++)
        out[i] = entry(K->user, i, i);
    return GRAM_OK;
}

gram_status gi_stored_new(gi_run *run, const gi_blas *blas, const void *K,
                          size_t ld, const size_t *index, size_t n,
                          gi_operator **out)
{
    stored *s = NULL;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, s, 1));
    *s = (stored){.op = {.rows = n,
                         .cols = n,
                         .symmetric = 1,
                         .user = s,
                         .tile = tile,
                         .product = product,
                         .subset = subset,
                         .diagonal = diagonal,
                         .cost = 1},
                  .blas = blas,
                  .K = K,
                  .ld = ld,
                  .index = index};
    *out = &s->op;
done:
    return status;
}

void gi_stored_free(gi_operator *K)
{
    if (K)
        gi_free(K->user);
}

int gi_stored_look(const gi_operator *K, const gi_blas **blas,
                   const void **matrix, size_t *ld, const size_t **index)
{
    const stored *s = K->user;

    if (K->tile != tile)
        return 0;
    *blas = s->blas;
    *matrix = s->K;
    *ld = s->ld;
    *index = s->index;
    return 1;
}
