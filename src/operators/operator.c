/* operator.c - the matrix of a compiled kernel on one or two sets of rows.
 *
 * Tiles and products come from block sources (kernels/engine/block.h), one for
 * each precision, made when they are first needed; structure - features, Markov
 * - is looked for at once, since it decides who solves.  Where Phi is sparse a
 * product is Phi (Phi'V) and costs O(entries) instead of O(n^2).
 *
 * The trap: some instructions know rows by their number (white, precomputed),
 * so rows of a subset are then taken one by one from the whole matrix; points
 * of their own would be other rows.
 */
#include "operators/operator.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/engine/block.h"
#include "kernels/features/features.h"
#include "kernels/program/points.h"

/* Edge of the pieces in which a matrix is stored: whole tiles of the engine. */
enum { EDGE = GI_OPERATOR_EDGE };

/* A block source, and the threads it was made for. */
typedef struct source {
    gi_block *block;
    gi_points *x, *t; /* views of the points in single precision, or NULL */
    int threads;
} source;

typedef struct kernel_matrix {
    gi_operator op;
    const gi_basis *basis; /* that has its columns ready, or NULL */
    const gram_program *p;
    const double *theta;
    const gi_points *x, *t;
    source part[2]; /* by gi_precision */
    gi_features *map;
    gi_csr csr;   /* Phi(x) */
    gi_csr right; /* Phi(t), made by the first product */
    gi_markov markov;
    int by_number;   /* instructions know rows by their number */
    gi_points *own;  /* x, where it is this operator's to free */
    size_t expanded; /* bytes of sparse columns that are written out */
} kernel_matrix;

struct gi_basis {
    kernel_matrix m;     /* of no rows */
    gi_points *none;     /* they */
    const double *V;     /* what is multiplied with */
    gi_vectors *vectors; /* the same, packed */
    double *sums;        /* Phi(t)'V, where Phi is sparse */
};

static gi_precision precision_of(const gi_blas *blas)
{
    return blas == &gi_blas_single ? GI_SINGLE : GI_DOUBLE;
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
    const gi_block *lender =
        m->basis ? m->basis->m.part[precision].block : NULL;
    const gi_points *x = m->x, *t = m->t;
    gram_status status = GRAM_OK;

    if (lender && gi_block_lends(lender, x)) {
        GI_TRY(gi_block_rows(run, lender, x, &s->block));
        s->threads = run->threads;
        goto done;
    }
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

    if (m->basis && m->basis->V == V)
        return gi_csr_times(run, &m->csr, m->basis->sums, r, out);
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
    if (!single && m->basis && m->basis->V == V)
        GI_TRY(gi_block_times(run, m->part[precision].block, m->basis->vectors,
                              out));
    else
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
                      gi_min_size(EDGE, s->K->cols - col),
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
        GI_TRY(gi_parallel_for(run, m * across, store_rows, &all));
    } else {
        GI_TRY(gi_points_select(run, whole->p, whole->x, row, m, &rows));
        part = matrix_of(whole->p, whole->theta, rows,
                         whole->t ? whole->t : whole->x);
        part.op.user = &part;
        part.basis = whole->basis;
        GI_TRY(gi_operator_store(&part.op, run, &gi_blas_double, out, ld));
    }
done:
    release(&part.part[GI_DOUBLE]);
    gi_points_free(rows);
    return status;
}

/* Rows on their way, EDGE columns at a time. */
typedef struct rows_out {
    gi_block *block;
    size_t m, cols;
    float *const *out;
    float *room; /* m x EDGE per thread; NULL: write where they belong */
} rows_out;

/* How many rows from i on stand at the same distance in memory. */
static size_t run_of_rows(const rows_out *r, size_t i, size_t *ld)
{
    size_t end = i + 1;

    *ld = r->cols;
    if (end == r->m || r->out[end] < r->out[i] + r->cols)
        return 1;
    *ld = (size_t)(r->out[end] - r->out[i]);
    while (end < r->m && r->out[end] == r->out[end - 1] + *ld)
        end++;
    return end - i;
}

static gram_status fill_rows(void *user, size_t i)
{
    const rows_out *r = user;
    const size_t col = i * EDGE, cols = gi_min_size(EDGE, r->cols - col);
    float *room =
        r->room ? r->room + (size_t)gi_thread_number() * r->m * EDGE : NULL;
    gram_status status = GRAM_OK;

    if (room)
        GI_TRY(gi_block_fill(r->block, 0, r->m, col, cols, room, EDGE));
    for (size_t k = 0, n, ld; k < r->m; k += n) {
        n = run_of_rows(r, k, &ld);
        if (!room)
            GI_TRY(
                gi_block_fill(r->block, k, n, col, cols, r->out[k] + col, ld));
        for (size_t j = k; room && j < k + n; j++)
            memcpy(r->out[j] + col, room + j * EDGE, cols * sizeof *room);
    }
done:
    return status;
}

/* Are the rows in so few places that it pays to compute them there? */
static int in_few_places(const rows_out *r)
{
    const size_t least = GI_OPERATOR_PLACE_ROWS; /* in the mean */
    size_t places = 0, ld;

    for (size_t i = 0; i < r->m; i += run_of_rows(r, i, &ld))
        places++;
    return places * least <= r->m || r->m == 1;
}

static gram_status rows_single(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, float *const *out)
{
    kernel_matrix *whole = K->user;
    rows_out r = {.m = m, .cols = K->cols, .out = out};
    gi_points *rows = NULL, *x = NULL;
    gram_status status;

    GI_TRY(ready(whole, run, GI_SINGLE));
    GI_TRY(gi_points_select(run, whole->p, whole->x, row, m, &rows));
    GI_TRY(gi_points_view(run, rows, GI_SINGLE, &x));
    GI_TRY(gi_block_rows(run, whole->part[GI_SINGLE].block, x, &r.block));
    if (!in_few_places(&r))
        GI_TRY(GI_NEW(run, r.room, (size_t)run->threads * m * EDGE));
    GI_TRY(gi_parallel_for(run, (K->cols + EDGE - 1) / EDGE, fill_rows, &r));
done:
    gi_free(r.room);
    gi_block_free(r.block);
    gi_points_free(x);
    gi_points_free(rows);
    return status;
}

static gram_status columns(const gi_operator *K, gi_run *run, const size_t *col,
                           size_t m, const double *v, double *out)
{
    const kernel_matrix *whole = K->user;
    kernel_matrix part = {0};
    gi_points *cols = NULL;
    gram_status status;

    GI_TRY(gi_points_select(run, whole->p, whole->t ? whole->t : whole->x, col,
                            m, &cols));
    part = matrix_of(whole->p, whole->theta, whole->x, cols);
    part.op.user = &part;
    GI_TRY(product(&part.op, run, 0, v, 1, out));
done:
    release(&part.part[GI_DOUBLE]);
    gi_points_free(cols);
    return status;
}

static gram_status restrict_to(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, gi_operator **out)
{
    const kernel_matrix *whole = K->user;
    kernel_matrix *part = NULL;
    gi_points *x = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, part, 1));
    GI_TRY(gi_points_select(run, whole->p, whole->x, row, m, &x));
    *part = matrix_of(whole->p, whole->theta, x, NULL);
    part->op.user = part;
    part->own = x;
    *out = &part->op;
    part = NULL;
done:
    gi_free(part);
    return status;
}

static gram_status diagonal(const gi_operator *K, gi_run *run, double *out)
{
    const kernel_matrix *m = K->user;

    if (m->t)
        return gi_engine_alone(run, m->p, m->theta, m->x, m->t, out);
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
    gram_status status = GRAM_OK;

    most = most > GI_OPERATOR_FEATURES ? most : GI_OPERATOR_FEATURES;
    if (m->basis)
        m->map = m->basis->m.map;
    else
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

static void clear(kernel_matrix *m)
{
    release(&m->part[GI_DOUBLE]);
    release(&m->part[GI_SINGLE]);
    if (!m->basis)
        gi_features_free(m->map);
    gi_csr_free(&m->csr);
    gi_csr_free(&m->right);
    gi_points_free(m->own);
}

static void destroy(gi_operator *K)
{
    clear(K->user);
    gi_free(K->user);
}

/* op.user is for the caller to set: the matrix where it comes to lie. */
static kernel_matrix matrix_of(const gram_program *p, const double *theta,
                               const gi_points *x, const gi_points *t)
{
    const int by_number = gi_program_addresses_rows(p);

    return (kernel_matrix){.op = {.rows = x->rows,
                                  .cols = t ? t->rows : x->rows,
                                  .symmetric = !t,
                                  .tile = tile,
                                  .product = product,
                                  .subset = subset,
                                  .diagonal = diagonal,
                                  .rows_single = by_number ? NULL : rows_single,
                                  .columns = by_number ? NULL : columns,
                                  .part = by_number || t ? NULL : restrict_to,
                                  .destroy = destroy,
                                  .gradient = t ? NULL : gradient,
                                  .thetas = p->thetas,
                                  .cost = entry_cost(p, x)},
                           .p = p,
                           .theta = theta,
                           .x = x,
                           .t = t,
                           .by_number = by_number};
}

/* Features and Markov structure. */
static gram_status find_structure(gi_run *run, kernel_matrix *m)
{
    gram_status status;

    GI_TRY(find_features(run, m));
    if (gi_markov_find(m->p, m->theta, &m->markov)) {
        m->op.markov = &m->markov;
        m->op.time = m->x->view[m->markov.view].dense;
    }
done:
    return status;
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
    m->expanded = gi_expanded_bytes(p, x, t, GI_DOUBLE) +
                  gi_expanded_bytes(p, x, t, GI_SINGLE);
    GI_TRY(find_structure(run, m));
    *out = &m->op;
    m = NULL;
done:
    gi_operator_free(m ? &m->op : NULL);
    return status;
}

void gi_operator_free(gi_operator *K)
{
    if (K && K->destroy)
        K->destroy(K);
}

/* ------------------------------------------------------------------ a basis */

static gram_status hold(gi_run *run, gi_basis *b, const double *V, size_t r)
{
    kernel_matrix *m = &b->m;
    gram_status status;

    if (m->op.csr) {
        GI_TRY(gi_features_csr(run, m->map, m->t, &m->right));
        GI_TRY(GI_NEW(run, b->sums, m->right.cols * r));
        GI_TRY(gi_csr_times_transposed(run, &m->right, V, r, b->sums));
    } else {
        GI_TRY(ready(m, run, GI_DOUBLE));
        GI_TRY(gi_block_pack(run, m->part[GI_DOUBLE].block, V, r, &b->vectors));
    }
    b->V = V;
done:
    return status;
}

gram_status gi_basis_new(gi_run *run, const gram_program *p,
                         const double *theta, const gi_points *t,
                         const double *V, size_t r, gi_basis **out)
{
    gi_basis *b = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, b, 1));
    GI_TRY(gi_points_select(run, p, t, NULL, 0, &b->none));
    b->m = matrix_of(p, theta, b->none, t);
    b->m.op.user = &b->m;
    GI_TRY(find_structure(run, &b->m));
    if (V && !b->m.by_number)
        GI_TRY(hold(run, b, V, r));
    *out = b;
    b = NULL;
done:
    gi_basis_free(b);
    return status;
}

void gi_basis_free(gi_basis *b)
{
    if (!b)
        return;
    clear(&b->m);
    gi_vectors_free(b->vectors);
    gi_free(b->sums);
    gi_points_free(b->none);
    gi_free(b);
}

double gi_basis_cost(const gi_basis *b)
{
    return entry_cost(b->m.p, b->m.t) * (double)b->m.op.cols;
}

gram_status gi_operator_on(gi_run *run, const gi_basis *b, const gi_points *x,
                           gi_operator **out)
{
    kernel_matrix *m = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(gi_points_check(b->m.p, x, b->m.t));
    GI_TRY(GI_NEW(run, m, 1));
    *m = matrix_of(b->m.p, b->m.theta, x, b->m.t);
    m->op.user = m;
    m->basis = b;
    GI_TRY(find_structure(run, m));
    *out = &m->op;
    m = NULL;
done:
    gi_operator_free(m ? &m->op : NULL);
    return status;
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

size_t gi_operator_bytes(const gi_run *run, const gi_operator *K)
{
    const kernel_matrix *m = own(K);
    size_t entries;

    if (!m)
        return 0;
    entries = m->csr.start ? m->csr.start[m->csr.rows] : 0;
    return gi_block_bytes(run, m->p, K->rows, K->cols, GI_DOUBLE) +
           gi_block_bytes(run, m->p, K->rows, K->cols, GI_SINGLE) +
           m->expanded +
           entries * (sizeof *m->csr.index + sizeof *m->csr.entries);
}
