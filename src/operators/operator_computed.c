/* operator_computed.c - the matrix of a compiled kernel on one or two sets of
 * rows, computed whenever it is looked at.
 *
 * Tiles and products come from block sources (kernels/engine/block.h), one for
 * each precision, made when they are first needed; structure - features, Markov
 * - is looked for at once, since it decides who solves.  Where Phi is sparse a
 * product is Phi (Phi'V) and costs O(entries) instead of O(n^2).
 */
#include "operators/computed.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/program/points.h"

/* Edge of the pieces in which a matrix is stored: whole tiles of the engine. */
enum { EDGE = GI_OPERATOR_EDGE };

static gi_precision precision_of(const gi_blas *blas)
{
    return blas == &gi_blas_single ? GI_SINGLE : GI_DOUBLE;
}

/* ------------------------------------------------------------ block sources */

static void release(gi_block_source *s)
{
    gi_block_free(s->block);
    gi_points_free(s->x);
    gi_points_free(s->t);
    *s = (gi_block_source){0};
}

static gram_status make(gi_run *run, const gi_computed *m,
                        gi_precision precision, gi_block_source *s)
{
    const gi_block *lender =
        m->lender ? m->lender->source[precision].block : NULL;
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

gram_status gi_computed_prepare(gi_run *run, gi_computed *m,
                                gi_precision precision)
{
    gi_block_source *s = &m->source[precision];
    gram_status status = GRAM_OK;

    if (!s->block || s->threads < run->threads) {
        release(s);
        GI_TRY(make(run, m, precision, s));
    } else if (s->moved) {
        GI_TRY(gi_block_set(run, s->block, m->theta));
        s->moved = 0;
    }
done:
    if (status != GRAM_OK)
        release(s);
    return status;
}

/* ------------------------------------------------------------- the operator */

static gi_computed matrix_of(const gram_program *p, const double *theta,
                             const gi_points *x, const gi_points *t);

static gram_status tile(const gi_operator *K, const gi_blas *blas, size_t row,
                        size_t count, size_t col, size_t cols, void *out,
                        size_t ld)
{
    const gi_computed *m = K->user;

    return gi_block_fill(m->source[precision_of(blas)].block, row, count, col,
                         cols, out, ld);
}

/* Phi(x) (Phi(t)'V) */
static gram_status sparse_product(gi_computed *m, gi_run *run, const double *V,
                                  size_t r, double *out)
{
    const gi_csr *right = m->t ? &m->right : &m->csr;
    double *sums = NULL;
    gram_status status;

    if (m->lender && m->lender->V == V)
        return gi_csr_times(run, &m->csr, m->lender->sums, r, out);
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
    gi_computed *m = K->user;
    gi_precision precision = single ? GI_SINGLE : GI_DOUBLE;
    gram_status status;

    if (K->csr)
        return sparse_product(m, run, V, r, out);
    GI_TRY(gi_computed_prepare(run, m, precision));
    if (!single && m->lender && m->lender->V == V)
        GI_TRY(gi_block_times(run, m->source[precision].block,
                              m->lender->vectors, out));
    else
        GI_TRY(gi_block_product(run, m->source[precision].block, V, r, out));
done:
    return status;
}

/* Rows on their way, EDGE columns at a time. */
typedef struct rows_out {
    gi_block *block;
    size_t m, cols, size; /* size: bytes of a number */
    void *const *out;
    char *room; /* m x EDGE per thread; NULL: write where they belong */
} rows_out;

/* How many rows from i on stand at the same distance in memory. */
static size_t run_of_rows(const rows_out *r, size_t i, size_t *ld)
{
    const size_t least = r->cols * r->size;
    char *const *out = (char *const *)r->out;
    size_t end = i + 1;

    *ld = r->cols;
    if (end == r->m || out[end] < out[i] + least)
        return 1;
    *ld = (size_t)(out[end] - out[i]) / r->size;
    while (end < r->m && out[end] == out[end - 1] + *ld * r->size)
        end++;
    return end - i;
}

static gram_status fill_rows(void *user, size_t i)
{
    const rows_out *r = user;
    const size_t col = i * EDGE, cols = gi_min_size(EDGE, r->cols - col);
    const size_t size = r->size, thread = (size_t)gi_thread_number();
    char *room = r->room ? r->room + thread * r->m * EDGE * size : NULL;
    char *const *out = (char *const *)r->out;
    gram_status status = GRAM_OK;

    if (room)
        GI_TRY(gi_block_fill(r->block, 0, r->m, col, cols, room, EDGE));
    for (size_t k = 0, n, ld; !room && k < r->m; k += n) {
        n = run_of_rows(r, k, &ld);
        GI_TRY(
            gi_block_fill(r->block, k, n, col, cols, out[k] + col * size, ld));
    }
    for (size_t k = 0; room && k < r->m; k++)
        memcpy(out[k] + col * size, room + k * EDGE * size, cols * size);
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

static gram_status rows(const gi_operator *K, gi_run *run, const gi_blas *blas,
                        const size_t *row, size_t m, void *const *out)
{
    gi_computed *whole = K->user, part = {0};
    const gi_precision precision = precision_of(blas);
    rows_out r = {.m = m, .cols = K->cols, .size = blas->size, .out = out};
    gi_points *x = NULL;
    gi_block_source s = {0};
    gram_status status = GRAM_OK;

    if (K->symmetric)
        GI_TRY(gi_computed_prepare(run, whole, precision));
    GI_TRY(gi_points_select(run, whole->p, whole->x, row, m, &x));
    part = matrix_of(whole->p, whole->theta, x, whole->t ? whole->t : whole->x);
    part.lender = whole->t ? whole->lender : whole;
    GI_TRY(make(run, &part, precision, &s));
    r.block = s.block;
    if (!in_few_places(&r))
        GI_TRY(gi_alloc(run, &r.room, (size_t)run->threads * m * EDGE, r.size));
    GI_TRY(gi_parallel_for(run, (K->cols + EDGE - 1) / EDGE, fill_rows, &r));
done:
    gi_free(r.room);
    release(&s);
    gi_points_free(x);
    return status;
}

static gram_status columns(const gi_operator *K, gi_run *run, const size_t *col,
                           size_t m, const double *v, double *out)
{
    const gi_computed *whole = K->user;
    gi_computed part = {0};
    gi_points *cols = NULL;
    gram_status status;

    GI_TRY(gi_points_select(run, whole->p, whole->t ? whole->t : whole->x, col,
                            m, &cols));
    part = matrix_of(whole->p, whole->theta, whole->x, cols);
    part.op.user = &part;
    GI_TRY(product(&part.op, run, 0, v, 1, out));
done:
    release(&part.source[GI_DOUBLE]);
    gi_points_free(cols);
    return status;
}

static gram_status restrict_to(const gi_operator *K, gi_run *run,
                               const size_t *row, size_t m, gi_operator **out)
{
    const gi_computed *whole = K->user;
    gi_computed *part = NULL;
    gi_points *x = NULL;
    gram_status status;

    GI_TRY(gi_points_select(run, whole->p, whole->x, row, m, &x));
    GI_TRY(gi_computed_new(run, whole->p, whole->theta, x, NULL, NULL, &part));
    part->own = x;
    x = NULL;
done:
    *out = part ? &part->op : NULL;
    gi_points_free(x);
    return status;
}

static gram_status diagonal(const gi_operator *K, gi_run *run, double *out)
{
    const gi_computed *m = K->user;

    if (m->t)
        return gi_engine_alone(run, m->p, m->theta, m->x, m->t, out);
    return gi_engine_diagonal(run, m->p, m->theta, m->x, out);
}

static gram_status gradient(const gi_operator *K, gi_run *run, gi_seed *seed,
                            void *user, double *grad)
{
    gi_computed *m = K->user;
    gram_status status;

    GI_TRY(gi_computed_prepare(run, m, GI_DOUBLE));
    GI_TRY(
        gi_block_gradient(run, m->source[GI_DOUBLE].block, seed, user, grad));
done:
    return status;
}

static gram_status features(const gi_operator *K, gi_run *run, size_t row,
                            size_t count, double *F, size_t ld)
{
    const gi_computed *m = K->user;

    return gi_features_rows(run, m->map, m->x, row, count, F, ld);
}

static gram_status prepare(const gi_operator *K, gi_run *run,
                           const gi_blas *blas)
{
    return gi_computed_prepare(run, K->user, precision_of(blas));
}

static size_t bytes(const gi_run *run, const gi_operator *K)
{
    const gi_computed *m = K->user;
    const size_t entries = m->csr.start ? m->csr.start[m->csr.rows] : 0;

    return gi_block_bytes(run, m->p, K->rows, K->cols, GI_DOUBLE) +
           gi_block_bytes(run, m->p, K->rows, K->cols, GI_SINGLE) +
           m->expanded +
           entries * (sizeof *m->csr.index + sizeof *m->csr.entries);
}

/* ---------------------------------------------------------------- structure */

/* Of one entry.  What an exponential, a root or a quotient costs beside a
 * multiplication is a rough mean. */
double gi_computed_cost(const gram_program *p, const gi_points *x)
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
static gram_status find_features(gi_run *run, gi_computed *m)
{
    size_t most = columns_of(m->p), count;
    gram_status status = GRAM_OK;

    most = most > GI_OPERATOR_FEATURES ? most : GI_OPERATOR_FEATURES;
    if (m->lender)
        m->map = m->lender->map;
    else if (m->map)
        gi_features_set(m->map, m->theta);
    else
        GI_TRY(gi_features_new(run, m->p, m->theta, most, &m->map));
    if (!gi_features_exist(m->map))
        goto done;
    count = gi_features_count(m->map);
    if (gi_features_sparse(m->map)) {
        GI_TRY(gi_features_csr(run, m->map, m->x, &m->csr));
        m->op.csr = &m->csr;
    }
    if (count <= GI_OPERATOR_FEATURES) {
        m->op.features = count;
        m->op.flags |= GI_OPERATOR_HAS_FEATURES;
    }
done:
    return status;
}

/* Features and Markov structure at theta. */
static gram_status find_structure(gi_run *run, gi_computed *m)
{
    gi_operator *op = &m->op;
    gram_status status;

    op->flags &= ~(unsigned)(GI_OPERATOR_HAS_FEATURES | GI_OPERATOR_HAS_MARKOV);
    op->features = 0;
    op->csr = NULL;
    op->markov = NULL;
    op->time = NULL;
    gi_csr_free(&m->csr);
    gi_csr_free(&m->right);
    GI_TRY(find_features(run, m));
    if (gi_markov_find(m->p, m->theta, &m->markov)) {
        op->flags |= GI_OPERATOR_HAS_MARKOV;
        op->markov = &m->markov;
        op->time = m->x->view[m->markov.view].dense;
    }
done:
    return status;
}

static gram_status set(gi_operator *K, gi_run *run, const double *theta)
{
    gi_computed *m = K->user;
    const size_t size = m->p->thetas * sizeof *theta;

    if (size == 0 || memcmp(m->own_theta, theta, size) == 0)
        return GRAM_OK;
    memcpy(m->own_theta, theta, size);
    m->source[GI_DOUBLE].moved = m->source[GI_SINGLE].moved = 1;
    return find_structure(run, m);
}

static void destroy(gi_operator *K)
{
    gi_computed *m = K->user;

    release(&m->source[GI_DOUBLE]);
    release(&m->source[GI_SINGLE]);
    if (!m->lender)
        gi_features_free(m->map);
    gi_csr_free(&m->csr);
    gi_csr_free(&m->right);
    gi_vectors_free(m->vectors);
    gi_free(m->sums);
    gi_free(m->own_theta);
    gi_points_free(m->own);
    gi_free(m);
}

const gi_operator_class gi_operator_computed = {
    .name = "computed",
    .help = "every entry by the kernel, whenever it is looked at",
    .flags = GI_OPERATOR_CAN_SET | GI_OPERATOR_CAN_RESTRICT |
             GI_OPERATOR_HAS_GRADIENT | GI_OPERATOR_HAS_FEATURES |
             GI_OPERATOR_HAS_MARKOV,
    .tile = tile,
    .product = product,
    .rows = rows,
    .diagonal = diagonal,
    .prepare = prepare,
    .columns = columns,
    .set = set,
    .restrict_to = restrict_to,
    .gradient = gradient,
    .features = features,
    .bytes = bytes,
    .destroy = destroy,
};

/* Can the engine go backwards through the program? */
static int has_gradient(const gram_program *p)
{
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].code == GI_OP_FUNCTION && !p->op[i].slope)
            return 0;
    return 1;
}

/* op.user is for the caller to set: the matrix where it comes to lie. */
static gi_computed matrix_of(const gram_program *p, const double *theta,
                             const gi_points *x, const gi_points *t)
{
    unsigned flags = 0;

    flags |= t ? 0 : GI_OPERATOR_CAN_RESTRICT;
    flags |= has_gradient(p) ? GI_OPERATOR_HAS_GRADIENT : 0;
    return (gi_computed){.op = {.class_ = &gi_operator_computed,
                                .flags = flags,
                                .rows = x->rows,
                                .cols = t ? t->rows : x->rows,
                                .symmetric = !t,
                                .cost = gi_computed_cost(p, x),
                                .thetas = p->thetas},
                         .p = p,
                         .theta = theta,
                         .x = x,
                         .t = t};
}

gram_status gi_computed_new(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, const gi_computed *lender,
                            gi_computed **out)
{
    gi_computed *m = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW(run, m, 1));
    *m = matrix_of(p, theta, x, t);
    m->op.user = m;
    m->lender = lender;
    if (!lender) {
        m->op.flags |= GI_OPERATOR_CAN_SET;
        GI_TRY(GI_NEW(run, m->own_theta, p->thetas));
        if (p->thetas > 0)
            memcpy(m->own_theta, theta ? theta : p->theta,
                   p->thetas * sizeof *theta);
        m->theta = m->own_theta;
        m->expanded = gi_expanded_bytes(p, x, t, GI_DOUBLE) +
                      gi_expanded_bytes(p, x, t, GI_SINGLE);
    }
    GI_TRY(find_structure(run, m));
    *out = m;
    m = NULL;
done:
    gi_operator_free(m ? &m->op : NULL);
    return status;
}

gram_status gi_operator_new(gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, gi_operator **out)
{
    gi_computed *m = NULL;
    gram_status status;

    GI_TRY(gi_points_check(p, x, t));
    GI_TRY(gi_computed_new(run, p, theta, x, t, NULL, &m));
done:
    *out = m ? &m->op : NULL;
    return status;
}
