/* gradient.c - derivatives of sum_ij G_ij k(x_i,t_j) by all parameters, in one
 * sweep.
 *
 * Reverse mode (Linnainmaa 1970) through the tile program: forward with every
 * register kept, then backward from G.  With the adjoint dy of a register,
 * each instruction adds dy * (its partial derivative) to the adjoints of what
 * it read, and a parameter gets sum dy * (derivative by it).  What depends on
 * no parameter is passed over.
 *
 * `self` reads a(x_i,x_i), which depends on parameters, too: its adjoints are
 * collected per row, and a second sweep, over the diagonal, takes them from
 * there; where t is not x there is one for each.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/engine/gradient.h"
#include "linalg/dense/blas.h"

/* ------------------------------------------------------------------- tiles */

static double *adjoint_of(const gi_back_place *p, int number)
{
    return number < 0 ? NULL : p->adjoint + (size_t)number * GI_TILE_SIZE;
}

static const double *value_of(const gi_back_place *p, int number)
{
    return number < 0 ? NULL : gi_register(p->w, number);
}

static void back_step(const gi_back_place *p, const gi_step *s)
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
    if (gi_back_leaves[op->code])
        gi_back_leaves[op->code](p, s, &r);
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
        p->sum[op->slot] += sum * op->c * gi_op_slope(op, p->g->e.theta, 0);
}

/* In a symmetric run pairs off the diagonal stand for two; those below it for
 * none. */
static void plant(const gi_back_place *p)
{
    const gi_tile *t = &p->w->tile;
    double *G = adjoint_of(p, p->w->e->result);

    p->g->seed(p->g->user, t, G);
    for (size_t i = 0; p->w->e->symmetric && i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            size_t row = t->row + i, col = t->col + j;

            G[i * GI_TILE_COLS + j] *= row < col ? 2 : row == col;
        }
}

static gram_status take_tile(void *user, gi_worker *w)
{
    const gi_engine *e = w->e;
    const gi_back_place *p = (gi_back_place *)user + (w - e->work);

    memset(p->adjoint, 0, e->registers * GI_TILE_SIZE * sizeof *p->adjoint);
    if (!(e->mode & GI_DIAGONAL))
        plant(p);
    for (size_t s = e->steps; s-- > 0;)
        if (p->g->active[e->step[s].number])
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
    const gi_engine *e = w->e;
    const gi_back_place *p = (gi_back_place *)user + (w - e->work);
    const gi_gradient *g = p->g;
    size_t rows = gi_min_size(e->edge, e->x->rows - w->block_row);
    size_t cols = gi_min_size(e->edge, e->t->rows - w->block_col);

    move_sums(g->grad, p->sum, e->p->thetas);
    for (size_t i = 0; i < e->p->ops; i++)
        if (p->self[i]) {
            move_sums(g->x.self[i] + w->block_row, p->self[i], rows);
            move_sums(g->t.self[i] + w->block_col, p->self[i] + e->edge, cols);
        }
}

/* ------------------------------------------------------------------ sweeps */

static gram_status new_place(gi_run *run, gi_gradient *g,
                             const gi_gradient_side *own, gi_worker *w,
                             gi_back_place *p)
{
    const gi_engine *e = w->e;
    gram_status status;

    p->g = g;
    p->own = own;
    p->w = w;
    GI_TRY(GI_NEW(run, p->adjoint, e->registers * GI_TILE_SIZE));
    GI_TRY(GI_NEW_ZERO(run, p->sum, e->p->thetas));
    GI_TRY(GI_NEW(run, p->product, (GI_TILE_ROWS + 1) * g->widest));
    GI_TRY(GI_NEW_ZERO(run, p->self, e->p->ops));
    for (size_t i = 0; i < e->p->ops && !own; i++)
        if (g->x.self[i])
            GI_TRY(GI_NEW_ZERO(run, p->self[i], 2 * e->edge));
done:
    return status;
}

/* One for every thread of the engine. */
static gram_status new_places(gi_run *run, gi_gradient *g,
                              const gi_gradient_side *own, const gi_engine *e,
                              gi_back_place **out)
{
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, *out, e->threads));
    for (size_t i = 0; i < e->threads; i++)
        GI_TRY(new_place(run, g, own, &e->work[i], &(*out)[i]));
done:
    return status;
}

static void free_places(gi_back_place *p, const gi_engine *e)
{
    for (size_t i = 0; p && i < e->threads; i++) {
        gi_free(p[i].adjoint);
        gi_free(p[i].sum);
        gi_free(p[i].product);
        for (size_t k = 0; p[i].self && k < e->p->ops; k++)
            gi_free(p[i].self[k]);
        gi_free(p[i].self);
    }
    gi_free(p);
}

/* Over the diagonal of one side, for what `self` made of it. */
static gram_status sweep_selves(gi_run *run, gi_gradient *g,
                                const gi_gradient_side *own)
{
    const gi_engine *e = &g->e;
    gi_back_place *p = NULL;
    gi_engine diagonal;
    gram_status status;

    GI_TRY(gi_engine_begin(&diagonal, run, e->p, e->theta, own->rows, NULL,
                           &gi_lanes_d, GI_KEEP | GI_DIAGONAL | GI_SELVES));
    GI_TRY(new_places(run, g, own, &diagonal, &p));
    GI_TRY(
        gi_engine_sweep(run, &diagonal, &(gi_sweep){take_tile, end_task, p}));
done:
    free_places(p, &diagonal);
    gi_engine_end(&diagonal);
    return status;
}

/* Nothing may be left of a sweep that was cut short. */
static void clear_sums(gi_gradient *g)
{
    const gi_engine *e = &g->e;

    for (size_t i = 0; i < e->threads; i++)
        memset(g->place[i].sum, 0, e->p->thetas * sizeof(double));
    for (size_t i = 0; i < e->p->ops; i++) {
        if (!g->x.self[i])
            continue;
        memset(g->x.self[i], 0, g->x.rows->rows * sizeof(double));
        memset(g->t.self[i], 0, g->t.rows->rows * sizeof(double));
        for (size_t k = 0; k < e->threads; k++)
            memset(g->place[k].self[i], 0, 2 * e->edge * sizeof(double));
    }
}

gram_status gi_gradient_add(gi_run *run, gi_gradient *g, gi_seed *seed,
                            void *user, double *grad)
{
    gi_run quiet = *run;
    gram_status status;

    quiet.progress = NULL;
    gi_blas_start();
    g->seed = seed;
    g->user = user;
    g->grad = grad;
    clear_sums(g);
    GI_TRY(gi_engine_sweep(run, &g->e,
                           &(gi_sweep){take_tile, end_task, g->place}));
    if (g->selves)
        GI_TRY(sweep_selves(&quiet, g, &g->x));
    if (g->selves && !g->e.symmetric)
        GI_TRY(sweep_selves(&quiet, g, &g->t));
done:
    return status;
}

/* ------------------------------------------------------------------ set up */

static gram_status find_active(gi_gradient *g)
{
    const gram_program *p = g->e.p;

    for (size_t i = 0; i < p->ops; i++) {
        const gi_op *op = &p->op[i];

        g->active[i] = op->slot >= 0 || (op->a >= 0 && g->active[op->a]) ||
                       (op->b >= 0 && g->active[op->b]);
        if (op->code == GI_OP_FUNCTION && g->active[i] && !op->slope)
            return gi_fail(GRAM_ERR_RANGE,
                           "gradient: a function in the kernel was given "
                           "without its derivative");
    }
    return GRAM_OK;
}

/* Rows of a leaf's dense columns without their weights, but less the means of
 * t, so that little cancels. */
static gram_status centre(gi_run *run, const gi_gradient *g, const gi_op *op,
                          const gi_points *x, double **out)
{
    const gi_points *t = g->e.t;
    const size_t d = g->e.p->view[op->view].width, n = t->rows;
    const double *z = t->view[op->view].dense, *v = x->view[op->view].dense;
    gram_status status;

    GI_TRY(GI_NEW(run, *out, x->rows * d));
    for (size_t k = 0; n > 0 && k < d; k++) {
        double mean = 0;

        for (size_t i = 0; i < n; i++)
            mean += (z[i * d + k] - z[k]) / (double)n;
        for (size_t i = 0; i < x->rows; i++)
            (*out)[i * d + k] = v[i * d + k] - z[k] - mean;
    }
done:
    return status;
}

static gram_status new_side(gi_run *run, gi_gradient *g, const gi_points *x,
                            gi_gradient_side *s)
{
    const gram_program *p = g->e.p;
    gram_status status;

    s->rows = x;
    GI_TRY(GI_NEW_ZERO(run, s->centred, p->ops));
    GI_TRY(GI_NEW_ZERO(run, s->self, p->ops));
    for (size_t i = 0; i < p->ops; i++) {
        const gi_op *op = &p->op[i];

        if (op->code == GI_OP_SELF && g->active[i]) {
            GI_TRY(GI_NEW(run, s->self[i], x->rows));
            g->selves = 1;
        }
        if (op->slot < 0 || (op->code != GI_OP_SQDIST && op->code != GI_OP_L1))
            continue;
        if (x->view[op->view].sparse_width > x->view[op->view].known_width)
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "gradient: rows with levels that the first table "
                           "has not, which have no weight of their own"));
        GI_TRY(centre(run, g, op, x, &s->centred[i]));
        if (p->view[op->view].width > g->widest)
            g->widest = p->view[op->view].width;
    }
done:
    return status;
}

static void free_side(gi_gradient_side *s, size_t ops)
{
    for (size_t i = 0; i < ops; i++) {
        if (s->centred)
            gi_free(s->centred[i]);
        if (s->self)
            gi_free(s->self[i]);
    }
    gi_free(s->centred);
    gi_free(s->self);
}

gram_status gi_gradient_new(gi_run *run, const gi_engine *e, gi_gradient **out)
{
    gi_gradient *g = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, g, 1));
    GI_TRY(gi_engine_again(&g->e, run, e, GI_KEEP));
    GI_TRY(GI_NEW(run, g->active, e->p->ops));
    GI_TRY(find_active(g));
    GI_TRY(new_side(run, g, e->x, &g->x));
    if (e->symmetric)
        g->t = g->x;
    else
        GI_TRY(new_side(run, g, e->t, &g->t));
    GI_TRY(new_places(run, g, NULL, &g->e, &g->place));
    *out = g;
    g = NULL;
done:
    gi_gradient_free(g);
    return status;
}

gram_status gi_gradient_set(gi_run *run, gi_gradient *g,
                            const unsigned char *moved, int *fits)
{
    return gi_engine_set(&g->e, run, moved, fits);
}

void gi_gradient_free(gi_gradient *g)
{
    if (!g)
        return;
    free_places(g->place, &g->e);
    if (g->e.p && !g->e.symmetric)
        free_side(&g->t, g->e.p->ops);
    if (g->e.p)
        free_side(&g->x, g->e.p->ops);
    gi_engine_end(&g->e);
    gi_free(g->active);
    gi_free(g);
}

gram_status gi_engine_gradient(gi_run *run, const gram_program *p,
                               const double *theta, const gi_points *x,
                               const gi_points *t, gi_seed *seed, void *user,
                               double *grad)
{
    gi_gradient *g = NULL;
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, theta, x, t, &gi_lanes_d, GI_KEEP));
    GI_TRY(gi_gradient_new(run, &e, &g));
    GI_TRY(gi_gradient_add(run, g, seed, user, grad));
done:
    gi_gradient_free(g);
    gi_engine_end(&e);
    return status;
}
