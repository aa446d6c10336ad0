/* stored.c - an operator over a matrix in memory, through an index; see
 * stored.h.
 *
 * Rows are gathered a chunk of columns at a time into a buffer of doubles, and
 * whatever is wanted is made from that; where the index is 0, 1, 2, ... on a
 * matrix of single precision, rows are there already (gi_operator.single).
 * Products run row by row, in double, whatever is asked for.
 */
#include "solvers/stored.h"

#include <string.h>

#include "base/mem.h"
#include "cpu/cpu.h"
#include "solvers/each.h"

/* Rows of a piece of work, columns gathered at a time. */
enum { PIECE = 64, CHUNK = 512 };

typedef struct stored {
    gi_operator op;
    const gi_blas *blas;
    const char *K;
    size_t ld;
    const size_t *index;
    size_t *own; /* index, where it is this operator's to free */
} stored;

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* out[j] = K(i, first + j) in double, n <= CHUNK of them. */
static void read_row(const stored *s, size_t i, size_t first, size_t n,
                     double *out)
{
    const char *row = s->K + s->index[i] * s->ld * s->blas->size;
    const size_t *index = s->index + first;

    if (s->blas == &gi_blas_single)
        for (size_t j = 0; j < n; j++)
            out[j] = (double)((const float *)(const void *)row)[index[j]];
    else
        for (size_t j = 0; j < n; j++)
            out[j] = ((const double *)(const void *)row)[index[j]];
}

/* Of a matrix in single precision, any number of columns. */
static void read_single(const stored *s, size_t i, size_t first, size_t n,
                        float *out)
{
    const float *row = (const float *)(const void *)s->K + s->index[i] * s->ld;
    const size_t *index = s->index + first;

    for (size_t j = 0; j < n; j++)
        out[j] = row[index[j]];
}

static gram_status tile(const gi_operator *K, const gi_blas *blas, size_t row,
                        size_t rows, size_t col, size_t cols, void *out,
                        size_t ld)
{
    const stored *s = K->user;
    double chunk[CHUNK];

    for (size_t r = 0; r < rows; r++)
        if (s->blas == &gi_blas_single && blas == s->blas)
            read_single(s, row + r, col, cols, (float *)out + r * ld);
        else
            for (size_t c = 0, n; c < cols; c += n) {
                n = min_size(CHUNK, cols - c);
                read_row(s, row + r, col + c, n, chunk);
                blas->write(n, chunk, (char *)out + (r * ld + c) * blas->size,
                            1);
            }
    return GRAM_OK;
}

/* ----------------------------------------------------------------- products */

typedef struct multiplying {
    const stored *s;
    const double *V;
    size_t r;
    double *out;
} multiplying;

static gram_status multiply_rows(void *user, size_t piece)
{
    const multiplying *m = user;
    const size_t n = m->s->op.rows, r = m->r;
    const size_t end = min_size((piece + 1) * PIECE, n);
    const gi_cpu *cpu = gi_cpu_table();
    double chunk[CHUNK];

    memset(m->out + piece * PIECE * r, 0,
           (end - piece * PIECE) * r * sizeof *m->out);
    for (size_t i = piece * PIECE; i < end; i++)
        for (size_t j = 0; j < n; j += CHUNK) {
            const size_t count = min_size(CHUNK, n - j);
            double *out = m->out + i * r;

            read_row(m->s, i, j, count, chunk);
            if (r == 1)
                *out += cpu->sum_products_d(chunk, m->V + j, count);
            for (size_t k = 0; r > 1 && k < count; k++)
                for (size_t c = 0; c < r; c++)
                    out[c] += chunk[k] * m->V[(j + k) * r + c];
        }
    return GRAM_OK;
}

static gram_status product(const gi_operator *K, gi_run *run, int single,
                           const double *V, size_t r, double *out)
{
    multiplying m = {K->user, V, r, out};

    (void)single;
    return gi_each(run, (K->rows + PIECE - 1) / PIECE, multiply_rows, &m);
}

/* Columns that have a number, on their way: K is symmetric, so they are rows,
 * each of which is read where the answer is wanted. */
typedef struct adding {
    const stored *s;
    const size_t *col;
    size_t m;
    const double *v;
    double *out;
} adding;

static gram_status add_columns(void *user, size_t piece)
{
    const adding *a = user;
    const size_t first = piece * CHUNK;
    const size_t n = min_size(CHUNK, a->s->op.rows - first);
    double chunk[CHUNK], *out = a->out + first;

    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < a->m; i++) {
        read_row(a->s, a->col[i], first, n, chunk);
        for (size_t j = 0; j < n; j++)
            out[j] += a->v[i] * chunk[j];
    }
    return GRAM_OK;
}

static gram_status columns(const gi_operator *K, gi_run *run, const size_t *col,
                           size_t m, const double *v, double *out)
{
    adding a = {K->user, col, m, v, out};

    return gi_each(run, (K->rows + CHUNK - 1) / CHUNK, add_columns, &a);
}

/* --------------------------------------------------------------------- rows */

typedef struct gathering {
    const stored *s;
    const size_t *row;
    float *const *out;
} gathering;

static gram_status gather_row(void *user, size_t i)
{
    const gathering *g = user;
    const stored *s = g->s;
    const size_t n = s->op.cols;

    return tile(&s->op, &gi_blas_single, g->row[i], 1, 0, n, g->out[i], n);
}

static gram_status rows_single(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, float *const *out)
{
    gathering g = {K->user, row, out};

    return gi_each(run, m, gather_row, &g);
}

static gram_status subset(const gi_operator *K, gi_run *run, const size_t *row,
                          size_t m, double *out, size_t ld)
{
    gram_status status = GRAM_OK;

    (void)run;
    for (size_t i = 0; i < m; i++)
        GI_TRY(
            tile(K, &gi_blas_double, row[i], 1, 0, K->cols, out + i * ld, ld));
done:
    return status;
}

static gram_status diagonal(const gi_operator *K, gi_run *run, double *out)
{
    (void)run;
    for (size_t i = 0; i < K->rows; i++)
        read_row(K->user, i, i, 1, out + i);
    return GRAM_OK;
}

/* ------------------------------------------------------------------- making */

static gram_status part(const gi_operator *K, gi_run *run, const size_t *row,
                        size_t m, gi_operator **out)
{
    const stored *s = K->user;
    size_t *index = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, index, m));
    for (size_t i = 0; i < m; i++)
        index[i] = s->index[row[i]];
    GI_TRY(gi_stored_new(run, s->blas, s->K, s->ld, index, m, out));
    ((stored *)(*out)->user)->own = index;
    index = NULL;
done:
    gi_free(index);
    return status;
}

static int counts_up(const size_t *index, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (index[i] != index[0] + i)
            return 0;
    return n > 0;
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
                         .rows_single = rows_single,
                         .columns = columns,
                         .part = part,
                         .destroy = gi_stored_free,
                         .only_single = blas == &gi_blas_single,
                         .cost = 1},
                  .blas = blas,
                  .K = K,
                  .ld = ld,
                  .index = index};
    if (blas == &gi_blas_single && counts_up(index, n)) {
        s->op.single = (const float *)K + index[0] * (ld + 1);
        s->op.single_ld = ld;
    }
    *out = &s->op;
done:
    return status;
}

void gi_stored_free(gi_operator *K)
{
    stored *s = K ? K->user : NULL;

    if (!s)
        return;
    gi_free(s->own);
    gi_free(s);
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
