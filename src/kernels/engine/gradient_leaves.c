/* gradient_leaves.c - leaves, backwards: what the adjoints of a tile say of
 * weights, periods and `self`.
 *
 * With leaf adjoints W, sum_ij W_ij (x_ik - t_jk)^2 for all columns k is
 *
 *     sum_i x_ik^2 (W 1)_i + sum_j t_jk^2 (W' 1)_j - 2 sum_i x_ik (W T)_ik,
 *
 * one small matrix product per tile for all weights of a leaf.
 */
#include <string.h>

#include "kernels/engine/gradient.h"
#include "linalg/dense/blas.h"

/* What sums over the tile's pairs, for `count` columns from `first` on, say of
 * the leaf's numbers. */
static void take_sums(const gi_back_place *p, const gi_op *op, size_t first,
                      size_t count, const double *sum)
{
    gi_transforms[op->code].adjoint(op, p->g->e.theta, first, count, sum,
                                    p->sum);
}

/* Weights of sparse columns: pair by pair, from the entries as gathered. */
static void back_entries(const gi_back_place *p, const gi_step *s,
                         const double *W)
{
    const gi_tile *t = &p->w->tile;
    const int squared = s->op->code == GI_OP_SQDIST;
    gi_operand raw = *s->operand;

    raw.x.entries = raw.x.rows->entries;
    raw.t.entries = raw.t.rows->entries;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            double v = W[i * GI_TILE_COLS + j], x, z;
            gi_merge m;
            unsigned k;

            if (v == 0)
                continue;
            gi_merge_begin(&m, &raw, t->row + i, t->col + j);
            while (gi_merge_next(&m, &k, &x, &z)) {
                double sum = v * (squared ? (x - z) * (x - z) : fabs(x - z));

                take_sums(p, s->op, raw.width + k, 1, &sum);
            }
        }
}

static void back_sqdist(const gi_back_place *p, const gi_step *s,
                        const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const gi_operand *o = s->operand;
    const size_t d = o->width;
    const double *x = p->g->x.centred[s->number] + t->row * d;
    const double *z = p->g->t.centred[s->number] + t->col * d;
    const double *W = r->dy;
    double col_sum[GI_TILE_COLS] = {0}, *sums = p->product + GI_TILE_ROWS * d;

    memset(sums, 0, d * sizeof *sums);
    gi_blas_double.gemm(0, 0, t->rows, d, t->cols, 1, W, GI_TILE_COLS, z, d, 0,
                        p->product, d);
    for (size_t i = 0; i < t->rows; i++) {
        const double *w = W + i * GI_TILE_COLS;
        double row_sum = 0;

        for (size_t j = 0; j < t->cols; j++) {
            row_sum += w[j];
            col_sum[j] += w[j];
        }
        for (size_t k = 0; k < d; k++)
            sums[k] += x[i * d + k] *
                       (x[i * d + k] * row_sum - 2 * p->product[i * d + k]);
    }
    for (size_t j = 0; j < t->cols; j++)
        for (size_t k = 0; k < d; k++)
            sums[k] += z[j * d + k] * (z[j * d + k] * col_sum[j]);
    take_sums(p, s->op, 0, d, sums);
    if (o->sparse)
        back_entries(p, s, W);
}

static void back_l1(const gi_back_place *p, const gi_step *s, const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const gi_operand *o = s->operand;
    const size_t d = o->width;
    const double *x = p->g->x.centred[s->number] + t->row * d;
    const double *z = p->g->t.centred[s->number] + t->col * d;
    const double *W = r->dy;
    double *sums = p->product;

    memset(sums, 0, d * sizeof *sums);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            double v = W[i * GI_TILE_COLS + j];

            for (size_t k = 0; v != 0 && k < d; k++)
                sums[k] += v * fabs(x[i * d + k] - z[j * d + k]);
        }
    take_sums(p, s->op, 0, d, sums);
    if (o->sparse)
        back_entries(p, s, W);
}

/* v is the value over the columns so far and *dv its derivative by the period;
 * x and t are cells divided by it, modulo 1 (a whole period more or less has
 * a slope of its own, so `turns` is their true difference). */
static double turn(const gi_op *op, double v, double *dv, double turns,
                   double period)
{
    double rest = turns - rint(turns);
    double s = sin(2 * M_PI * rest), c = cos(2 * M_PI * rest);
    double slope_turns = -turns / period;

    if (op->n == GRAM_PAIR_SIN2) {
        *dv += M_PI * s * slope_turns;
        return v;
    }
    *dv = *dv * c - v * 2 * M_PI * s * slope_turns;
    return v * c;
}

static double slope_columns(const gi_step *s, size_t i, size_t j)
{
    gi_operand raw = *s->operand;
    const double *x = raw.x.rows->dense + i * raw.width;
    const double *t = raw.t.rows->dense + j * raw.width;
    double v = 1, dv = 0, u, z;
    gi_merge m;
    unsigned k;

    for (size_t c = 0; c < raw.width; c++)
        v = turn(s->op, v, &dv, (x[c] - t[c]) / raw.period, raw.period);
    if (!raw.sparse)
        return dv;
    raw.x.entries = raw.x.rows->entries;
    raw.t.entries = raw.t.rows->entries;
    gi_merge_begin(&m, &raw, i, j);
    while (gi_merge_next(&m, &k, &u, &z))
        v = turn(s->op, v, &dv, (u - z) / raw.period, raw.period);
    return dv;
}

static void back_columns(const gi_back_place *p, const gi_step *s,
                         const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const double *dy = r->dy;
    double sum = 0;

    if (s->op->n != GRAM_PAIR_SIN2 && s->op->n != GRAM_PAIR_COS)
        return;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++)
            if (dy[i * GI_TILE_COLS + j] != 0)
                sum += dy[i * GI_TILE_COLS + j] *
                       slope_columns(s, t->row + i, t->col + j);
    take_sums(p, s->op, 0, 1, &sum);
}

/* a(x,x) of row i */
static double self_value(const gi_self *s, size_t i)
{
    double power = gi_lanes_d.get(s->power, i);

    return gi_lanes_d.get(s->square, i) * power * power;
}

/* On the diagonal `self` is a itself; its adjoint there is what the sweep over
 * all pairs left, and what came from other `self`s. */
static void back_self_diagonal(const gi_back_place *p, const gi_step *s,
                               const gi_back *r)
{
    const gi_tile *t = &p->w->tile;

    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++)
            if (t->row + i == t->col + j)
                r->da[i * GI_TILE_COLS + j] +=
                    r->dy[i * GI_TILE_COLS + j] +
                    p->own->self[s->number][t->row + i];
}

static void back_self(const gi_back_place *p, const gi_step *s,
                      const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const gi_engine *e = p->w->e;
    double *rows, *cols;

    if (e->mode & GI_DIAGONAL) {
        back_self_diagonal(p, s, r);
        return;
    }
    rows = p->self[s->number] + (t->row - p->w->block_row);
    cols = p->self[s->number] + e->edge + (t->col - p->w->block_col);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            size_t at = i * GI_TILE_COLS + j;
            double v = r->dy[at] * r->y[at] / 2;

            if (v == 0)
                continue;
            rows[i] += v / self_value(&e->self_x[s->number], t->row + i);
            cols[j] += v / self_value(&e->self_t[s->number], t->col + j);
        }
}

gi_back_leaf *const gi_back_leaves[GI_OPCODES] = {
    [GI_OP_SQDIST] = back_sqdist,
    [GI_OP_L1] = back_l1,
    [GI_OP_COLUMNS] = back_columns,
    [GI_OP_SELF] = back_self,
};
