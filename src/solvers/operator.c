/* operator.c - the matrix of a compiled kernel on one or two sets of rows.
 *
 * Tiles and products come from block sources (kernels/block.h), one for each
 * precision, made when they are first needed; structure - features, Markov -
 * is looked for at once, since it decides who solves.  Where Phi is sparse a
 * product is Phi (Phi'V) and costs O(entries) instead of O(n^2).
 *
 * The trap: some instructions know rows by their number (white, precomputed),
 * so rows of a subset are then taken one by one from the whole matrix; points
 * of their own would be other rows.
 */
#include "solvers/operator.h"

#include <string.h>

#include "base/mem.h"
#include "kernels/block.h"
#include "kernels/features.h"
#include "kernels/points.h"
#include "solvers/each.h"

/* Edge of the pieces in which a matrix is stored: whole tiles of the engine. */
enum { EDGE = 384 };

/* A block source, and the threads it was made for. */
typedef struct source {
    gi_block *block;
    gi_points *x, *t; /* views of the points in single precision, or NULL */
    int threads;
} source;

typedef struct kernel_matrix {
    gi_operator op;
    const gram_program *p;
    const double *theta;
    const gi_points *x, *t;
    source part[2]; /* by gi_precision */
    gi_features *map;
    gi_csr csr;   /* Phi(x) */
    gi_csr right; /* Phi(t), made by the first product */
    gi_markov markov;
    int by_number; /* instructions know rows by their number */
    size_t bytes;
} kernel_matrix;

static gi_precision precision_of(const gi_blas *blas)
{
    return blas == &gi_blas_single ? GI_SINGLE : GI_DOUBLE;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------ block sources */

static void release(source *s)
{
    gi_block_free(s->block);
    gi_points_free(s->x);
    gi_points_free(s->t);
    *s = (source){0};
}

static gram_status make(gi_run *run, const kernel_matrix *m,
                        gi_precision precision, source *s)
{
    const gi_points *x = m->x, *t = m->t;
    gram_status status = GRAM_OK;

    if (precision == GI_SINGLE) {
        GI_TRY(gi_points_view(run, m->x, precision, &s->x));
        if (t)
            GI_TRY(gi_points_view(run, m->t, precision, &s->t));
        x = s->x;
        t = s->t;
    }
    GI_TRY(gi_block_new(run, m->p, m->theta, x, t, &s->block));
    s->threads = run->threads;
done:
    if (status != GRAM_OK)
        release(s);
    return status;
}

static gram_status ready(kernel_matrix *m, gi_run *run, gi_precision precision)
{
    source *s = &m->part[precision];

    if (s->block && s->threads >= run->threads)
        return GRAM_OK;
    release(s);
    return make(run, m, precision, s);
}

/* ------------------------------------------------------------- the operator */

static kernel_matrix matrix_of(const gram_program *p, const double *theta,
                               const gi_points *x, const gi_points *t);

static gram_status tile(const gi_operator *K, const gi_blas *blas, size_t row,
                        size_t rows, size_t col, size_t cols, void *out,
                        size_t ld)
{
    const kernel_matrix *m = K->user;

    return gi_block_fill(m->part[precision_of(blas)].block, row, rows, col,
                         cols, out, ld);
}

/* Phi(x) (Phi(t)'V) */
static gram_status sparse_product(kernel_matrix *m, gi_run *run,
                                  const double *V, size_t r, double *out)
{
    const gi_csr *right = m->t ? &m->right : &m->csr;
    double *sums = NULL;
    gram_status status;

    if (m->t && !m->right.start)
        GI_TRY(gi_features_csr(run, m->map, m->t, &m->right));
    GI_TRY(GI_NEW(run, sums, right->cols * r));
    GI_TRY(gi_csr_times_transposed(run, right, V, r, sums));
    GI_TRY(gi_csr_times(run, &m->csr, sums, r, out));
done:
    gi_free(sums);
    return status;
}

static gram_status product(const gi_operator *K, gi_run *run, int single,
                           const double *V, size_t r, double *out)
{
    kernel_matrix *m = K->user;
    gi_precision precision = single ? GI_SINGLE : GI_DOUBLE;
    gram_status status;

    if (K->csr)
        return sparse_product(m, run, V, r, out);
    GI_TRY(ready(m, run, precision));
    GI_TRY(gi_block_product(run, m->part[precision].block, V, r, out));
done:
    return status;
}

/* A matrix on its way into memory, in pieces. */
typedef struct storing {
    const gi_operator *K;
    const gi_blas *blas;
    const size_t *row; /* numbers of its rows, or NULL: all */
    size_t across;     /* pieces along an edge */
    char *out;
    size_t ld;
} storing;

/* EDGE columns of the chosen rows, one at a time. */
static gram_status store_rows(void *user, size_t i)
{
    const storing *s = user;
    size_t col = i % s->across * EDGE, at = i / s->across;

    return s->K->tile(s->K, s->blas, s->row[at], 1, col,
                      min_size(EDGE, s->K->cols - col),
                      s->out + (at * s->ld + col) * s->blas->size, s->ld);
}

static gram_status subset(const gi_operator *K, gi_run *run, const size_t *row,
                          size_t m, double *out, size_t ld)
{
    kernel_matrix *whole = K->user;
    size_t across = (K->cols + EDGE - 1) / EDGE;
    storing all = {K, &gi_blas_double, row, across, (char *)out, ld};
    kernel_matrix part = {0};
    gi_points *rows = NULL;
    gram_status status;

    if (whole->by_number) {
        GI_TRY(ready(whole, run, GI_DOUBLE));
        GI_TRY(gi_each(run, m * across, store_rows, &all));
    } else {
        GI_TRY(gi_points_select(run, whole->p, whole->x, row, m, &rows));
        part = matrix_of(whole->p, whole->theta, rows,
                         whole->t ? whole->t : whole->x);
        part.op.user = &part;
        GI_TRY(gi_operator_store(&part.op, run, &gi_blas_double, out, ld));
    }
done:
    release(&part.part[GI_DOUBLE]);
    gi_points_free(rows);
    return status;
}

static gram_status diagonal(const gi_operator *K, gi_run *run, double *out)
{
    const kernel_matrix *m = K->user;

    return gi_engine_diagonal(run, m->p, m->theta, m->x, out);
}

static gram_status gradient(const gi_operator *K, gi_run *run,
                            void (*seed)(void *user, const gi_tile *tile,
                                         double *G),
                            void *user, double *grad)
{
    const kernel_matrix *m = K->user;

    return gi_engine_gradient(run, m->p, m->theta, m->x, seed, user, grad);
}

static gram_status feature_rows(const gi_operator *K, gi_run *run, size_t row,
                                size_t rows, double *F, size_t ld)
{
    const kernel_matrix *m = K->user;

    return gi_features_rows(run, m->map, m->x, row, rows, F, ld);
}

/* ---------------------------------------------------------------- structure */

/* Of one entry.  What an exponential, a root or a quotient costs beside a
 * multiplication is a rough mean. */
static double entry_cost(const gram_program *p, const gi_points *x)
{
    const double function = 20, simple = 1;
    double cost = 0;

    for (size_t i = 0; i < p->ops; i++) {
        const gi_op *op = &p->op[i];
        const gi_rows *rows = op->view >= 0 ? &x->view[op->view] : NULL;
        double width = rows ? (double)p->view[op->view].width : 0;

        if (rows && rows->start && x->rows)
            width += (double)rows->start[x->rows] / (double)x->rows;
        switch (op->code) {
        case GI_OP_DOT:
        case GI_OP_SQDIST:
            cost += 2 * width;
            break;
        case GI_OP_L1:
        case GI_OP_COLUMNS:
        case GI_OP_ELEMENTARY:
        case GI_OP_PAIRS:
            cost += function * width;
            break;
        case GI_OP_SCALE:
        case GI_OP_ADD:
        case GI_OP_MULTIPLY:
            cost += simple;
            break;
        default:
            cost += function;
        }
    }
    return cost;
}

static int knows_rows(const gram_program *p)
{
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].code == GI_OP_SAME_ROW || p->op[i].code == GI_OP_MATRIX)
            return 1;
    return 0;
}

/* Numbers in a row of all views. */
static size_t columns_of(const gram_program *p)
{
    size_t columns = 0;

    for (size_t v = 0; v < p->views; v++)
        columns += p->view[v].width + p->view[v].sparse_width;
    return columns;
}

/* A sparse Phi may have as many columns as the data: its rows have no more
 * entries than theirs. */
static gram_status find_features(gi_run *run, kernel_matrix *m)
{
    size_t most = columns_of(m->p), count;
    gram_status status;

    most = most > GI_OPERATOR_FEATURES ? most : GI_OPERATOR_FEATURES;
    GI_TRY(gi_features_new(run, m->p, m->theta, most, &m->map));
    if (!m->map)
        goto done;
    count = gi_features_count(m->map);
    if (gi_features_sparse(m->map)) {
        GI_TRY(gi_features_csr(run, m->map, m->x, &m->csr));
        m->op.csr = &m->csr;
    }
    if (count <= GI_OPERATOR_FEATURES) {
        m->op.features = count;
        m->op.feature_rows = feature_rows;
    }
done:
    return status;
}

/* op.user is for the caller to set: the matrix where it comes to lie. */
static kernel_matrix matrix_of(const gram_program *p, const double *theta,
                               const gi_points *x, const gi_points *t)
{
    return (kernel_matrix){.op = {.rows = x->rows,
                                  .cols = t ? t->rows : x->rows,
                                  .symmetric = !t,
                                  .tile = tile,
                                  .product = product,
                                  .subset = subset,
                                  .diagonal = diagonal,
                                  .gradient = t ? NULL : gradient,
                                  .thetas = p->thetas,
                                  .cost = entry_cost(p, x)},
                           .p = p,
                           .theta = theta,
                           .x = x,
                           .t = t,
                           .by_number = knows_rows(p)};
}

gram_status gi_operator_new(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, gi_operator **out)
{
    kernel_matrix *m = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(gi_points_check(p, x, t));
    GI_TRY(GI_NEW(run, m, 1));
    *m = matrix_of(p, theta, x, t);
    m->op.user = m;
    m->bytes = gi_block_bytes(run, p, m->op.rows, m->op.cols, GI_DOUBLE) +
               gi_block_bytes(run, p, m->op.rows, m->op.cols, GI_SINGLE);
    GI_TRY(find_features(run, m));
    if (gi_markov_find(p, theta, &m->markov)) {
        m->op.markov = &m->markov;
        m->op.time = x->view[m->markov.view].dense;
    }
    *out = &m->op;
    m = NULL;
done:
    gi_operator_free(m ? &m->op : NULL);
    return status;
}

void gi_operator_free(gi_operator *K)
{
    kernel_matrix *m = K ? K->user : NULL;

    if (!m)
        return;
    release(&m->part[GI_DOUBLE]);
    release(&m->part[GI_SINGLE]);
    gi_features_free(m->map);
    gi_csr_free(&m->csr);
    gi_csr_free(&m->right);
    gi_free(m);
}

/* ----------------------------------------------------------- any operator's */

/* Is it one of this file?  Others have nothing to prepare. */
static kernel_matrix *own(const gi_operator *K)
{
    return K->tile == tile ? K->user : NULL;
}

gram_status gi_operator_prepare(const gi_operator *K, gi_run *run,
                                const gi_blas *blas)
{
    kernel_matrix *m = own(K);

    return m ? ready(m, run, precision_of(blas)) : GRAM_OK;
}

/* A piece, and its mirror image. */
static gram_status store_piece(void *user, size_t i)
{
    const storing *s = user;
    const gi_operator *K = s->K;
    const size_t size = s->blas->size;
    const size_t row = i / s->across * EDGE, col = i % s->across * EDGE;
    const size_t rows = min_size(EDGE, K->rows - row);
    const size_t cols = min_size(EDGE, K->cols - col);
    char *here = s->out + (row * s->ld + col) * size;
    char *there = s->out + (col * s->ld + row) * size;
    gram_status status;

    if (K->symmetric && col < row)
        return GRAM_OK;
    GI_TRY(K->tile(K, s->blas, row, rows, col, cols, here, s->ld));
    for (size_t r = 0; K->symmetric && col > row && r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            memcpy(there + (c * s->ld + r) * size,
                   here + (r * s->ld + c) * size, size);
done:
    return status;
}

gram_status gi_operator_store(const gi_operator *K, gi_run *run,
                              const gi_blas *blas, void *out, size_t ld)
{
    size_t down = (K->rows + EDGE - 1) / EDGE;
    size_t across = (K->cols + EDGE - 1) / EDGE;
    storing s = {K, blas, NULL, across, out, ld};
    gram_status status;

    GI_TRY(gi_operator_prepare(K, run, blas));
    GI_TRY(gi_each(run, down * across, store_piece, &s));
done:
    return status;
}

size_t gi_operator_bytes(const gi_operator *K)
{
    const kernel_matrix *m = own(K);
    size_t entries;

    if (!m)
        return 0;
    entries = m->csr.start ? m->csr.start[m->csr.rows] : 0;
    return m->bytes + entries * (sizeof *m->csr.index + sizeof *m->csr.entries);
}
