/* operator_stored.c - an operator over a matrix in memory, through an index;
 * see stored.h.
 *
 * Rows are gathered a chunk of columns at a time into a buffer of doubles, and
 * whatever is wanted is made from that; where the index is 0, 1, 2, ... on a
 * matrix of single precision, rows are there already (gi_operator.single).
 * Products run row by row, in double, whatever is asked for, over all columns
 * from the first to the last of the index if most of them are in it.
 */
#include "operators/stored.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cpu/cpu.h"

/* Rows of a piece of work, columns gathered at a time; how many times as many
 * columns are read in order in the time that some are gathered. */
enum { PIECE = GI_STORED_PIECE_ROWS, CHUNK = GI_STORED_CHUNK, SPREAD = 2 };

/* Stripes that have sums of their own, and rows they take at a time. */
enum { STRIPES = GI_STORED_STRIPES, GROUP = GI_STORED_GROUP_ROWS };

typedef struct stored {
    gi_operator op;
    const gi_blas *blas;
    const char *K;
    size_t ld;
    size_t *index;
    size_t first, span; /* the least of index, and to the largest */
    int ascends;        /* does index? */
} stored;

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
                        size_t count, size_t col, size_t cols, void *out,
                        size_t ld)
{
    const stored *s = K->user;
    double chunk[CHUNK];

    for (size_t r = 0; r < count; r++)
        if (s->blas == &gi_blas_single && blas == s->blas)
            read_single(s, row + r, col, cols, (float *)out + r * ld);
        else
            for (size_t c = 0, n; c < cols; c += n) {
                n = gi_min_size(CHUNK, cols - c);
                read_row(s, row + r, col + c, n, chunk);
                blas->write(n, chunk, (char *)out + (r * ld + c) * blas->size,
                            1);
            }
    return GRAM_OK;
}

/* ----------------------------------------------------------------- products */

/* V by columns of `width` numbers: those of the rows of this operator, or of
 * all rows of the matrix from the first to the last of its index, 0 where it
 * has none.  Then rows of the matrix are read as they lie. */
typedef struct multiplying {
    const stored *s;
    double *V;
    size_t r, width;
    double *sums, *out;
} multiplying;

/* Columns j .. j+n-1 of row i as V has them, n <= CHUNK. */
static const double *look(const multiplying *m, size_t i, size_t j, size_t n,
                          double *chunk)
{
    const stored *s = m->s;
    const char *row =
        s->K + (s->index[i] * s->ld + s->first + j) * s->blas->size;

    if (m->width != s->span) {
        read_row(s, i, j, n, chunk);
        return chunk;
    }
    if (s->blas == &gi_blas_double)
        return (const double *)(const void *)row;
    s->blas->read(n, row, 1, chunk);
    return chunk;
}

static gram_status multiply_rows(void *user, size_t piece)
{
    const multiplying *m = user;
    const size_t r = m->r,
                 end = gi_min_size((piece + 1) * PIECE, m->s->op.rows);
    const gi_cpu *cpu = gi_cpu_table();
    double room[CHUNK];

    memset(m->out + piece * PIECE * r, 0,
           (end - piece * PIECE) * r * sizeof *m->out);
    for (size_t i = piece * PIECE; i < end; i++)
        for (size_t j = 0, count; j < m->width; j += count) {
            const double *chunk;

            count = gi_min_size(CHUNK, m->width - j);
            chunk = look(m, i, j, count, room);
            for (size_t c = 0; c < r; c++)
                m->out[i * r + c] +=
                    cpu->sum_products_d(chunk, m->V + c * m->width + j, count);
        }
    return GRAM_OK;
}

/* ------------------------------------------------------------ one triangle */

/* Of a matrix in single precision only what is right of the diagonal is read,
 * each number for both sides.  Stripes of rows have sums of their own, by
 * columns as V is. */
static double *sums_of(const multiplying *m, size_t stripe, size_t c)
{
    return m->sums + (stripe * m->r + c) * m->width;
}

/* Rows at[0] < ... of the matrix, counted from the first, with one column. */
static void cross_corner(const multiplying *m, const float *const *row,
                         const size_t *at, size_t rows, size_t c, double *sums)
{
    const double *v = m->V + c * m->width;

    for (size_t i = 0; i < rows; i++) {
        sums[at[i]] += (double)row[i][at[i]] * v[at[i]];
        for (size_t j = i + 1; j < rows; j++) {
            sums[at[i]] += (double)row[i][at[j]] * v[at[j]];
            sums[at[j]] += (double)row[i][at[j]] * v[at[i]];
        }
    }
}

static void cross_group(const multiplying *m, size_t group, size_t stripe)
{
    const stored *s = m->s;
    const gi_cpu *cpu = gi_cpu_table();
    const size_t rows = gi_min_size(GROUP, s->op.rows - group * GROUP);
    const float *row[GROUP];
    size_t at[GROUP], right = 0; /* of the group's last column */

    for (size_t i = 0; i < rows; i++) {
        const size_t k = s->index[group * GROUP + i];

        at[i] = k - s->first;
        row[i] = (const float *)(const void *)s->K + k * s->ld + s->first;
        right = at[i] + 1;
    }
    for (size_t c = 0; c < m->r; c++)
        cross_corner(m, row, at, rows, c, sums_of(m, stripe, c));
    for (size_t j = right, n; j < m->width; j += n) {
        n = gi_min_size(CHUNK, m->width - j);
        for (size_t c = 0; c < m->r; c++) {
            const double *v = m->V + c * m->width;
            double *sums = sums_of(m, stripe, c), own[GROUP], to[GROUP] = {0};

            for (size_t i = 0; i < rows; i++)
                own[i] = v[at[i]];
            cpu->cross_rows(n, sums + j, row, j, own, v + j, to, rows);
            for (size_t i = 0; i < rows; i++)
                sums[at[i]] += to[i];
        }
    }
}

static gram_status cross_stripe(void *user, size_t stripe)
{
    const multiplying *m = user;
    const size_t rows = m->s->op.rows;

    for (size_t g = stripe; g * GROUP < rows; g += STRIPES)
        cross_group(m, g, stripe);
    return GRAM_OK;
}

static gram_status multiply_triangle(gi_run *run, multiplying *m)
{
    const stored *s = m->s;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, m->sums, STRIPES * m->r * m->width));
    GI_TRY(gi_parallel_for(run, STRIPES, cross_stripe, m));
    for (size_t i = 0; i < s->op.rows; i++)
        for (size_t c = 0; c < m->r; c++) {
            double sum = 0;

            for (size_t k = 0; k < STRIPES; k++)
                sum += sums_of(m, k, c)[s->index[i] - s->first];
            m->out[i * m->r + c] = sum;
        }
done:
    gi_free(m->sums);
    return status;
}

/* ------------------------------------------------------------------ product */

static gram_status product(const gi_operator *K, gi_run *run, int single,
                           const double *V, size_t r, double *out)
{
    const stored *s = K->user;
    multiplying m = {.s = s, .r = r, .out = out};
    gram_status status;

    (void)single;
    m.width = s->span <= SPREAD * K->rows ? s->span : K->rows;
    GI_TRY(GI_NEW_ZERO(run, m.V, m.width * r));
    for (size_t i = 0; i < K->rows; i++)
        for (size_t c = 0; c < r; c++)
            m.V[c * m.width + (m.width == s->span ? s->index[i] - s->first
                                                  : i)] += V[i * r + c];
    if (m.width == s->span && s->ascends && s->blas == &gi_blas_single)
        GI_TRY(multiply_triangle(run, &m));
    else
        GI_TRY(gi_parallel_for(run, (K->rows + PIECE - 1) / PIECE,
                               multiply_rows, &m));
done:
    gi_free(m.V);
    return status;
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
    const size_t n = gi_min_size(CHUNK, a->s->op.rows - first);
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

    return gi_parallel_for(run, (K->rows + CHUNK - 1) / CHUNK, add_columns, &a);
}

/* --------------------------------------------------------------------- rows */

typedef struct gathering {
    const gi_operator *K;
    const gi_blas *blas;
    const size_t *row;
    void *const *out;
} gathering;

static gram_status gather_row(void *user, size_t i)
{
    const gathering *g = user;
    const size_t n = g->K->cols;

    return tile(g->K, g->blas, g->row[i], 1, 0, n, g->out[i], n);
}

static gram_status rows(const gi_operator *K, gi_run *run, const gi_blas *blas,
                        const size_t *row, size_t m, void *const *out)
{
    gathering g = {K, blas, row, out};

    return gi_parallel_for(run, m, gather_row, &g);
}

static gram_status diagonal(const gi_operator *K, gi_run *run, double *out)
{
    (void)run;
    for (size_t i = 0; i < K->rows; i++)
        read_row(K->user, i, i, 1, out + i);
    return GRAM_OK;
}

/* ------------------------------------------------------------------- making */

static void find_span(stored *s)
{
    size_t last = 0;

    s->ascends = 1;
    s->first = s->op.rows ? s->index[0] : 0;
    for (size_t i = 0; i < s->op.rows; i++) {
        s->first = gi_min_size(s->first, s->index[i]);
        s->ascends &= i == 0 || s->index[i] > s->index[i - 1];
        last = s->index[i] > last ? s->index[i] : last;
    }
    s->span = s->op.rows ? last - s->first + 1 : 0;
}

static int counts_up(const size_t *index, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (index[i] != index[0] + i)
            return 0;
    return n > 0;
}

static void destroy(gi_operator *K)
{
    stored *s = K->user;

    gi_free(s->index);
    gi_free(s);
}

static gram_status restrict_to(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, gi_operator **out);

const gi_operator_class gi_operator_stored = {
    .name = "stored",
    .help = "rows of a matrix in memory",
    .flags = GI_OPERATOR_CAN_RESTRICT | GI_OPERATOR_IS_SINGLE,
    .tile = tile,
    .product = product,
    .rows = rows,
    .diagonal = diagonal,
    .columns = columns,
    .restrict_to = restrict_to,
    .destroy = destroy,
};

/* The rows index[row[0]] .. index[row[m-1]]; of NULL i is number i. */
static gram_status new_stored(gi_run *run, const stored *like,
                              const size_t *row, size_t n, gi_operator **out)
{
    const int single = like->blas == &gi_blas_single;
    stored *s = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW(run, s, 1));
    *s = (stored){.op = {.class_ = &gi_operator_stored,
                         .flags = GI_OPERATOR_CAN_RESTRICT |
                                  (single ? GI_OPERATOR_IS_SINGLE : 0),
                         .rows = n,
                         .cols = n,
                         .symmetric = 1,
                         .user = s,
                         .cost = 1},
                  .blas = like->blas,
                  .K = like->K,
                  .ld = like->ld};
    GI_TRY(GI_NEW(run, s->index, n));
    for (size_t i = 0; i < n; i++)
        s->index[i] = like->index ? like->index[row[i]] : i;
    find_span(s);
    if (single && counts_up(s->index, n)) {
        s->op.single =
            (const float *)(const void *)s->K + s->index[0] * (s->ld + 1);
        s->op.single_ld = s->ld;
    }
    *out = &s->op;
    s = NULL;
done:
    gi_operator_free(s ? &s->op : NULL);
    return status;
}

static gram_status restrict_to(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, gi_operator **out)
{
    return new_stored(run, K->user, row, m, out);
}

gram_status gi_stored_new(gi_run *run, const gi_blas *blas, const void *K,
                          size_t ld, size_t n, gi_operator **out)
{
    return new_stored(run, &(stored){.blas = blas, .K = K, .ld = ld}, NULL, n,
                      out);
}

double gi_stored_bytes(size_t n, size_t r)
{
    return (double)((STRIPES + 1) * sizeof(double)) * (double)n * (double)r;
}
