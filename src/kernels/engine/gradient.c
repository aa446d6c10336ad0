/* gradient.c - derivatives of sum_ij G_ij k(x_i,x_j) by all parameters, in one
 * sweep.
 *
 * Reverse mode (Linnainmaa 1970) through the tile program: forward with every
 * register kept, then backward from G.  With the adjoint dy of a register,
 * each instruction adds dy * (its partial derivative) to the adjoints of what
 * it read, and a parameter gets sum dy * (derivative by it).  What depends on
 * no parameter is passed over.
 *
 * With leaf adjoints W, sum_ij W_ij (x_ik - t_jk)^2 for all columns k is
 *
 *     sum_i x_ik^2 (W 1)_i + sum_j t_jk^2 (W' 1)_j - 2 sum_i x_ik (W T)_ik,
 *
 * one small matrix product per tile for all weights of a leaf.
 *
 * `self` reads a(x_i,x_i), which depends on parameters, too: its adjoints are
 * collected per row, and a second sweep, over the diagonal, takes them from
 * there.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/engine/gradient.h"
#include "linalg/dense/blas.h"

typedef void (*seeder)(void *user, const gi_tile *tile, double *G);

typedef struct gradient {
    gi_run *run;
    const gram_program *p;
    const double *theta;
    const gi_points *x;
    seeder seed;
    void *user;
    char *active;        /* per instruction: some parameter moves it */
    double **centred;    /* per instruction: rows of a leaf with weights */
    double **self;       /* per instruction: adjoints of a(x_i,x_i) */
    size_t widest;       /* columns of a leaf with weights */
    struct place *place; /* per thread */
    double *grad;
} gradient;

/* What a thread keeps beside its workplace. */
typedef struct place {
    gradient *g;
    gi_worker *w;
    double *adjoint; /* registers */
    double *sum;     /* of a task, per parameter */
    double **self;   /* of a task, per `self`: its block's rows, columns */
    double *product; /* a tile's rows of `widest` columns, and one more */
} place;

/* ------------------------------------------------------------------ leaves */

/* What sums over the tile's pairs, for `count` columns from `first` on, say of
 * the leaf's numbers. */
static void take_sums(const place *p, const gi_op *op, size_t first,
                      size_t count, const double *sum)
{
    gi_transforms[op->code].adjoint(op, p->g->theta, first, count, sum, p->sum);
}

/* Weights of sparse columns: pair by pair, from the entries as gathered. */
static void back_entries(const place *p, const gi_step *s, const double *W)
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

static void back_sqdist(const place *p, const gi_step *s, const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const gi_operand *o = s->operand;
    const size_t d = o->width;
    const double *x = p->g->centred[s->number] + t->row * d;
    const double *z = p->g->centred[s->number] + t->col * d;
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

static void back_l1(const place *p, const gi_step *s, const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const gi_operand *o = s->operand;
    const size_t d = o->width;
    const double *x = p->g->centred[s->number] + t->row * d;
    const double *z = p->g->centred[s->number] + t->col * d;
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

static void back_columns(const place *p, const gi_step *s, const gi_back *r)
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
static void back_self_diagonal(const place *p, const gi_step *s,
                               const gi_back *r)
{
    const gi_tile *t = &p->w->tile;

    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++)
            if (t->row + i == t->col + j)
                r->da[i * GI_TILE_COLS + j] +=
                    r->dy[i * GI_TILE_COLS + j] +
                    p->g->self[s->number][t->row + i];
}

static void back_self(const place *p, const gi_step *s, const gi_back *r)
{
    const gi_tile *t = &p->w->tile;
    const gi_engine *e = p->w->e;
    const gi_self *self = &e->self_x[s->number];
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
            rows[i] += v / self_value(self, t->row + i);
            cols[j] += v / self_value(self, t->col + j);
        }
}

typedef void back_leaf(const place *p, const gi_step *s, const gi_back *r);

/* Other leaves depend on no parameter. */
static back_leaf *const back_leaves[GI_OPCODES] = {
    [GI_OP_SQDIST] = back_sqdist,
    [GI_OP_L1] = back_l1,
    [GI_OP_COLUMNS] = back_columns,
    [GI_OP_SELF] = back_self,
};

/* ------------------------------------------------------------------- tiles */

static double *adjoint_of(const place *p, int number)
{
    return number < 0 ? NULL : p->adjoint + (size_t)number * GI_TILE_SIZE;
}

static const double *value_of(const place *p, int number)
{
    return number < 0 ? NULL : gi_register(p->w, number);
}

static void back_step(const place *p, const gi_step *s)
{
    const gi_op *op = s->op;
    const char *active = p->g->active;
    gi_back r = {value_of(p, s->y),
                 adjoint_of(p, s->y),
                 value_of(p, s->a),
                 value_of(p, s->b),
                 NULL,
                 NULL};
    double sum = 0;

    if (op->a >= 0 && active[op->a])
        r.da = adjoint_of(p, s->a);
    if (op->b >= 0 && active[op->b])
        r.db = adjoint_of(p, s->b);
    if (back_leaves[op->code])
        back_leaves[op->code](p, s, &r);
    if (!gi_back_rows[op->code])
        return;
    for (size_t i = 0; i < p->w->tile.rows; i++) {
        size_t at = i * GI_TILE_COLS;
        gi_back row = {r.y + at,
                       r.dy + at,
                       r.a ? r.a + at : NULL,
                       r.b ? r.b + at : NULL,
                       r.da ? r.da + at : NULL,
                       r.db ? r.db + at : NULL};

        sum += gi_back_rows[op->code](s, p->w->tile.cols, &row);
    }
    if (op->slot >= 0)
        p->sum[op->slot] += sum * op->c * gi_op_slope(op, p->g->theta, 0);
}

/* Pairs off the diagonal stand for two; those below it for none. */
static void plant(const place *p)
{
    const gi_tile *t = &p->w->tile;
    double *G = adjoint_of(p, p->w->e->result);

    p->g->seed(p->g->user, t, G);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            size_t row = t->row + i, col = t->col + j;

            G[i * GI_TILE_COLS + j] *= row < col ? 2 : row == col;
        }
}

static gram_status take_tile(void *user, gi_worker *w)
{
    const gradient *g = user;
    const gi_engine *e = w->e;
    const place *p = &g->place[w - e->work];

    memset(p->adjoint, 0, e->registers * GI_TILE_SIZE * sizeof *p->adjoint);
    if (!(e->mode & GI_DIAGONAL))
        plant(p);
    for (size_t s = e->steps; s-- > 0;)
        if (g->active[e->step[s].number])
            back_step(p, &e->step[s]);
    return GRAM_OK;
}

static void move_sums(double *to, double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] += from[i];
        from[i] = 0;
    }
}

static void end_task(void *user, gi_worker *w)
{
    const gradient *g = user;
    const gi_engine *e = w->e;
    const place *p = &g->place[w - e->work];
    size_t rows = gi_min_size(e->edge, g->x->rows - w->block_row);
    size_t cols = gi_min_size(e->edge, g->x->rows - w->block_col);

    move_sums(g->grad, p->sum, g->p->thetas);
    for (size_t i = 0; i < g->p->ops; i++)
        if (p->self[i]) {
            move_sums(g->self[i] + w->block_row, p->self[i], rows);
            move_sums(g->self[i] + w->block_col, p->self[i] + e->edge, cols);
        }
}

/* ------------------------------------------------------------------ sweeps */

static gram_status new_place(gradient *g, const gi_engine *e, gi_worker *w,
                             place *p)
{
    gram_status status;

    p->g = g;
    p->w = w;
    GI_TRY(GI_NEW(g->run, p->adjoint, e->registers * GI_TILE_SIZE));
    GI_TRY(GI_NEW_ZERO(g->run, p->sum, g->p->thetas));
    GI_TRY(GI_NEW(g->run, p->product, (GI_TILE_ROWS + 1) * g->widest));
    GI_TRY(GI_NEW_ZERO(g->run, p->self, g->p->ops));
    for (size_t i = 0; i < g->p->ops && !(e->mode & GI_DIAGONAL); i++)
        if (g->self[i])
            GI_TRY(GI_NEW_ZERO(g->run, p->self[i], 2 * e->edge));
done:
    return status;
}

static void free_place(const gradient *g, place *p)
{
    gi_free(p->adjoint);
    gi_free(p->sum);
    gi_free(p->product);
    for (size_t i = 0; p->self && i < g->p->ops; i++)
        gi_free(p->self[i]);
    gi_free(p->self);
}

static gram_status sweep(gradient *g, gi_run *run, int mode)
{
    const gi_sweep back = {take_tile, end_task, g};
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, g->p, g->theta, g->x, NULL, &gi_lanes_d,
                           mode));
    GI_TRY(GI_NEW_ZERO(run, g->place, e.threads));
    for (size_t i = 0; i < e.threads; i++)
        GI_TRY(new_place(g, &e, &e.work[i], &g->place[i]));
    GI_TRY(gi_engine_sweep(run, &e, &back));
done:
    for (size_t i = 0; g->place && i < e.threads; i++)
        free_place(g, &g->place[i]);
    gi_free(g->place);
    g->place = NULL;
    gi_engine_end(&e);
    return status;
}

/* ------------------------------------------------------------------ set up */

static gram_status find_active(gradient *g)
{
    for (size_t i = 0; i < g->p->ops; i++) {
        const gi_op *op = &g->p->op[i];

        g->active[i] = op->slot >= 0 || (op->a >= 0 && g->active[op->a]) ||
                       (op->b >= 0 && g->active[op->b]);
        if (op->code == GI_OP_FUNCTION && g->active[i] && !op->slope)
            return gi_fail(GRAM_ERR_RANGE,
                           "gradient: a function in the kernel was given "
                           "without its derivative");
    }
    return GRAM_OK;
}

/* Rows of a leaf's dense columns without their weights, but centred, so that
 * little cancels. */
static gram_status centre(gradient *g, const gi_op *op, double **out)
{
    const size_t d = g->p->view[op->view].width, n = g->x->rows;
    const double *x = g->x->view[op->view].dense;
    gram_status status;

    GI_TRY(GI_NEW(g->run, *out, n * d));
    for (size_t k = 0; k < d; k++) {
        double mean = 0;

        for (size_t i = 0; i < n; i++)
            mean += (x[i * d + k] - x[k]) / (double)n;
        for (size_t i = 0; i < n; i++)
            (*out)[i * d + k] = x[i * d + k] - x[k] - mean;
    }
    if (d > g->widest)
        g->widest = d;
done:
    return status;
}

static gram_status begin(gradient *g, int *selves)
{
    size_t ops = g->p->ops;
    gram_status status;

    GI_TRY(GI_NEW(g->run, g->active, ops));
    GI_TRY(GI_NEW_ZERO(g->run, g->centred, ops));
    GI_TRY(GI_NEW_ZERO(g->run, g->self, ops));
    GI_TRY(find_active(g));
    for (size_t i = 0; i < ops; i++) {
        const gi_op *op = &g->p->op[i];

        if (op->slot >= 0 && (op->code == GI_OP_SQDIST || op->code == GI_OP_L1))
            GI_TRY(centre(g, op, &g->centred[i]));
        if (op->code == GI_OP_SELF && g->active[i]) {
            GI_TRY(GI_NEW_ZERO(g->run, g->self[i], g->x->rows));
            *selves = 1;
        }
    }
done:
    return status;
}

static void end(gradient *g)
{
    for (size_t i = 0; i < g->p->ops; i++) {
        if (g->centred)
            gi_free(g->centred[i]);
        if (g->self)
            gi_free(g->self[i]);
    }
    gi_free(g->active);
    gi_free(g->centred);
    gi_free(g->self);
}

gram_status gi_engine_gradient(gi_run *run, const gram_program *p,
                               const double *theta, const gi_points *x,
                               void (*seed)(void *user, const gi_tile *tile,
                                            double *G),
                               void *user, double *grad)
{
    gi_run quiet = *run;
    gradient g = {.run = run,
                  .p = p,
                  .theta = theta ? theta : p->theta,
                  .x = x,
                  .seed = seed,
                  .user = user,
                  .grad = grad};
    int selves = 0;
    gram_status status;

    quiet.progress = NULL;
    gi_blas_start();
    GI_TRY(begin(&g, &selves));
    GI_TRY(sweep(&g, run, GI_KEEP));
    if (selves)
        GI_TRY(sweep(&g, &quiet, GI_KEEP | GI_DIAGONAL | GI_SELVES));
done:
    end(&g);
    return status;
}
