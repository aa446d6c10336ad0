/* engine.c - a run of a program over pairs of rows: set up, cut into tasks,
 * swept by all threads.
 *
 * A task is a square block of tiles.  Threads take the tasks in order; the
 * order goes down the columns of blocks, so that neighbours in time share
 * what was made for their columns.  Whatever is added up is added when a
 * task's turn comes, in the order of the tasks: a thread that is early waits
 * for those before it, which are all at work already, and no result depends
 * on how many threads there are.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/engine/tiles.h"

/* Blocks of the larger edge if t has that many rows; they keep the cache warm,
 * the smaller ones keep threads busy.  A row's sums are added up by blocks, so
 * x, which has other rows beside it, has no say. */
enum {
    EDGE_SMALL = GI_TILE_COMMON,
    EDGE_LARGE = GI_TILE_BLOCK_LARGE,
    ROWS_LARGE = GI_TILE_LARGE_ROWS
};
const gi_lanes *gi_lanes_of(const gi_points *x)
{
    return x->precision == GI_SINGLE ? &gi_lanes_s : &gi_lanes_d;
}

/* ------------------------------------------------------------------ tasks */

size_t gi_engine_edge(size_t cols)
{
    return cols < ROWS_LARGE ? EDGE_SMALL : EDGE_LARGE;
}

static size_t blocks_of(size_t rows, size_t edge)
{
    return (rows + edge - 1) / edge;
}

size_t gi_engine_tasks(size_t rows, size_t cols, int symmetric)
{
    size_t edge = gi_engine_edge(cols);
    size_t m = blocks_of(rows, edge), n = blocks_of(cols, edge);

    return symmetric ? m * (m + 1) / 2 : m * n;
}

/* Block (i,j) of a task. */
static void find_block(const gi_engine *e, size_t task, size_t *i, size_t *j)
{
    if (e->mode & GI_DIAGONAL) {
        *i = *j = task;
    } else if (!e->symmetric) {
        *i = task % e->block_rows;
        *j = task / e->block_rows;
    } else {
        *j = (size_t)((sqrt(8 * (double)task + 1) - 1) / 2);
        while (*j * (*j + 1) / 2 > task)
            --*j;
        while ((*j + 1) * (*j + 2) / 2 <= task)
            ++*j;
        *i = task - *j * (*j + 1) / 2;
    }
}

/* ---------------------------------------------------------------- a block */

/* Where step s finds and leaves its values: the strip at the beginning of a
 * register; but the result is left where the strip is in the tile. */
static void *strip_of(const gi_worker *w, int number, size_t first)
{
    const gi_engine *e = w->e;
    size_t at = number == e->result ? first * GI_TILE_COLS : 0;

    return number < 0 ? NULL
                      : (char *)gi_register(w, number) + at * e->lanes->size;
}

static void do_step(gi_worker *w, const gi_step *s, size_t first)
{
    w->e->lanes->op[s->op->code](w, s, strip_of(w, s->y, first),
                                 strip_of(w, s->a, first),
                                 strip_of(w, s->b, first));
}

/* Does anybody look at the tile? */
static int is_wanted(const gi_engine *e, const gi_tile *t)
{
    if (e->symmetric && t->col + t->cols <= t->row)
        return 0; /* below the diagonal */
    return !(e->mode & GI_DIAGONAL) || t->row + t->rows > t->col;
}

void gi_worker_block(gi_worker *w, size_t row, size_t row_end, size_t col)
{
    const gi_engine *e = w->e;
    size_t first = col / e->edge * e->edge;
    size_t last = gi_min_size(first + e->edge, e->t->rows);

    w->block_row = row;
    w->block_col = first;
    for (size_t k = 0; k < e->p->ops; k++) {
        const gi_operand *o = &e->operand[k];

        if (o->sparse && o->block >= 0)
            gi_strip_product(w->strip[o->block], o, row, row_end - row, first,
                             last - first, w->block[o->block], e->edge);
    }
}

/* In strips of a few rows, whose values stay in the first cache. */
void gi_worker_tile(gi_worker *w)
{
    const gi_engine *e = w->e;
    const size_t row = w->tile.row, rows = w->tile.rows;

    for (size_t i = 0; i < rows; i += e->strip) {
        w->tile.row = row + i;
        w->tile.rows = gi_min_size(e->strip, rows - i);
        for (size_t s = e->constants; s < e->steps; s++)
            do_step(w, &e->step[s], i);
    }
    w->tile.row = row;
    w->tile.rows = rows;
}

static gram_status do_task(gi_worker *w, const gi_sweep *sweep, size_t task)
{
    const gi_engine *e = w->e;
    gram_status status = GRAM_OK;
    size_t i, j, row_end, col_end;

    find_block(e, task, &i, &j);
    row_end = gi_min_size((i + 1) * e->edge, e->x->rows);
    col_end = gi_min_size((j + 1) * e->edge, e->t->rows);
    w->task = task;
    gi_worker_block(w, i * e->edge, row_end, j * e->edge);
    for (size_t col = w->block_col; col < col_end; col += GI_TILE_COLS)
        for (size_t row = w->block_row; row < row_end; row += GI_TILE_ROWS) {
            w->tile.row = row;
            w->tile.rows = gi_min_size(GI_TILE_ROWS, row_end - row);
            w->tile.col = col;
            w->tile.cols = gi_min_size(GI_TILE_COLS, col_end - col);
            if (!is_wanted(e, &w->tile))
                continue;
            gi_worker_tile(w);
            if (sweep->tile)
                GI_TRY(sweep->tile(sweep->user, w));
        }
done:
    return status;
}

/* ------------------------------------------------------------------ sweeps */

/* A sweep over the tasks of an engine. */
typedef struct course {
    gi_engine *e;
    const gi_sweep *sweep;
} course;

static gi_worker *worker_of(const course *c)
{
    return &c->e->work[gi_thread_number()];
}

static gram_status work(void *user, size_t task)
{
    const course *c = user;

    return do_task(worker_of(c), c->sweep, task);
}

static void end_task(void *user, size_t task)
{
    const course *c = user;

    (void)task;
    c->sweep->end(c->sweep->user, worker_of(c));
}

gram_status gi_engine_sweep(gi_run *run, gi_engine *e, const gi_sweep *sweep)
{
    const size_t threads = gi_min_size(e->threads, (size_t)run->threads);
    const gi_loop loop = {
        .work = work, .end = sweep->end ? end_task : NULL, .ticks = 1};
    course c = {e, sweep};
    gram_status status;

    GI_TRY(gi_parallel_loop(run, threads, e->tasks, &loop, &c));
    GI_TRY(gi_run_tick(run, 1));
done:
    return status;
}

/* ------------------------------------------------------------------ set up */

/* Rows of a tile that a step needs beside its registers. */
static size_t rows_needed(const gi_engine *e)
{
    size_t most = 1;

    for (size_t s = 0; s < e->steps; s++)
        if (e->step[s].op->code == GI_OP_ELEMENTARY &&
            (size_t)e->step[s].op->n + 1 > most)
            most = (size_t)e->step[s].op->n + 1;
    return most;
}

/* Functions of two rows take numbers. */
static gram_status check_pairs(const gi_engine *e, const char *needed)
{
    for (size_t i = 0; i < e->p->ops; i++) {
        const gi_op *op = &e->p->op[i];

        if (needed[i] && op->code == GI_OP_PAIRS && e->x->view[op->view].start)
            return gi_fail(GRAM_ERR_SHAPE,
                           "a function of two rows: sparse columns, it takes "
                           "dense ones only");
    }
    return GRAM_OK;
}

static void fill_constants(gi_worker *w)
{
    for (size_t s = 0; s < w->e->constants; s++)
        do_step(w, &w->e->step[s], 0);
}

static gram_status begin_work(gi_engine *e, gi_worker *w)
{
    const size_t size = e->lanes->size;
    gram_status status;

    w->e = e;
    w->cpu = gi_cpu_table();
    GI_TRY(gi_alloc_zero(e->run, &w->registers,
                         e->registers * e->tile_rows * GI_TILE_COLS, size));
    GI_TRY(gi_alloc(e->run, &w->spare, e->tile_rows * GI_TILE_COLS, size));
    GI_TRY(gi_alloc(e->run, &w->rows, rows_needed(e) * GI_TILE_COLS, size));
    GI_TRY(GI_NEW_ZERO(e->run, w->strip, e->products));
    GI_TRY(GI_NEW_ZERO(e->run, w->block, e->products));
    for (size_t k = 0; k < e->p->ops; k++) {
        const gi_operand *o = &e->operand[k];

        if (!o->sparse || o->block < 0)
            continue;
        GI_TRY(gi_strip_new(e->run, e, o, &w->strip[o->block]));
        GI_TRY(GI_NEW(e->run, w->block[o->block], e->edge * e->edge));
    }
    w->tile.ld = GI_TILE_COLS;
    if (e->result >= 0)
        w->tile.value = gi_register(w, e->result);
    fill_constants(w);
done:
    return status;
}

static void end_work(const gi_engine *e, gi_worker *w)
{
    for (size_t k = 0; k < e->products; k++) {
        if (w->strip)
            gi_strip_free(w->strip[k]);
        if (w->block)
            gi_free(w->block[k]);
    }
    gi_free(w->registers);
    gi_free(w->spare);
    gi_free(w->rows);
    gi_free(w->strip);
    gi_free(w->block);
}

/* Of a symmetric run all, since tiles are transposed and have two sides. */
static size_t rows_of_tile(const gi_engine *e)
{
    size_t unit = e->lanes->row_unit();

    if (e->symmetric || e->x->rows > GI_TILE_ROWS)
        return GI_TILE_ROWS;
    unit = unit > GI_TIMES_ROWS ? unit : GI_TIMES_ROWS;
    return gi_round_up(e->x->rows ? e->x->rows : 1, unit);
}

static void choose_tasks(gi_engine *e, size_t rows, size_t cols)
{
    e->tile_rows = rows_of_tile(e);
    e->edge = gi_engine_edge(cols);
    e->block_rows = blocks_of(rows, e->edge);
    e->block_cols = blocks_of(cols, e->edge);
    e->tasks = e->mode & GI_DIAGONAL
                   ? e->block_rows
                   : gi_engine_tasks(rows, cols, e->symmetric);
    e->threads = (size_t)e->run->threads;
    if (!(e->mode & GI_ANYWHERE))
        e->threads = gi_min_size(e->threads, e->tasks + (e->tasks == 0));
}

static gram_status begin_workers(gi_engine *e, const char *needed)
{
    gram_status status;

    GI_TRY(gi_schedule_new(e, needed));
    GI_TRY(GI_NEW_ZERO(e->run, e->work, e->threads));
    for (size_t i = 0; i < e->threads; i++)
        GI_TRY(begin_work(e, &e->work[i]));
done:
    return status;
}

gram_status gi_engine_begin_for(gi_engine *e, gi_run *run,
                                const gram_program *p, const double *theta,
                                const gi_points *x, const gi_points *t,
                                const gi_points *judge, const gi_lanes *lanes,
                                int mode)
{
    gram_status status;
    char *needed = NULL;

    *e = (gi_engine){.run = run,
                     .p = p,
                     .theta = theta ? theta : p->theta,
                     .x = x,
                     .t = t ? t : x,
                     .judge = judge,
                     .symmetric = !t,
                     .mode = mode,
                     .lanes = lanes};
    choose_tasks(e, x->rows, t ? t->rows : x->rows);
    GI_TRY(gi_points_check(p, x, t));
    GI_TRY(GI_NEW(run, needed, p->ops));
    gi_schedule_need(e, needed);
    GI_TRY(check_pairs(e, needed));
    GI_TRY(gi_operands_new(e, needed));
    GI_TRY(gi_selves_new(e, needed));
    GI_TRY(begin_workers(e, needed));
done:
    gi_free(needed);
    return status;
}

gram_status gi_engine_begin(gi_engine *e, gi_run *run, const gram_program *p,
                            const double *theta, const gi_points *x,
                            const gi_points *t, const gi_lanes *lanes, int mode)
{
    return gi_engine_begin_for(e, run, p, theta, x, t, t ? t : x, lanes, mode);
}

/* Scales and weights are for the columns that t has. */
int gi_engine_lends(const gi_engine *lender, const gi_points *x)
{
    for (size_t v = 0; v < x->views; v++) {
        const gi_rows *new = &x->view[v], *old = &lender->t->view[v];

        if (new->sparse_width > old->sparse_width ||
            (new->start && !old->start))
            return 0;
    }
    return 1;
}

gram_status gi_engine_rows(gi_engine *e, gi_run *run, const gi_engine *lender,
                           const gi_points *x)
{
    gram_status status;
    char *needed = NULL;

    *e = (gi_engine){.run = run,
                     .p = lender->p,
                     .theta = lender->theta,
                     .x = x,
                     .t = lender->t,
                     .judge = lender->judge,
                     .lender = lender,
                     .mode = lender->mode,
                     .lanes = lender->lanes,
                     .self_t = lender->self_t};
    choose_tasks(e, e->x->rows, e->t->rows);
    GI_TRY(gi_points_check(e->p, x, e->t));
    GI_TRY(GI_NEW(run, needed, e->p->ops));
    gi_schedule_need(e, needed);
    GI_TRY(check_pairs(e, needed));
    GI_TRY(gi_operands_borrow(e));
    if (e->self_t)
        GI_TRY(gi_selves_find(e, x, &e->self_x));
    GI_TRY(begin_workers(e, needed));
done:
    gi_free(needed);
    return status;
}

gram_status gi_engine_again(gi_engine *e, gi_run *run, const gi_engine *owner,
                            int mode)
{
    gram_status status = GRAM_OK;
    char *needed = NULL;

    *e = *owner;
    for (size_t i = 0; i < e->p->ops; i++)
        if (e->operand[i].expanded && mode & GI_KEEP) /* it wants entries */
            return gi_engine_begin_for(e, run, e->p, e->theta, e->x,
                                       e->symmetric ? NULL : e->t, e->judge,
                                       e->lanes, mode);
    e->run = run;
    e->mode = mode;
    e->owner = owner;
    e->step = NULL;
    e->where = NULL;
    e->work = NULL;
    e->steps = e->registers = 0;
    choose_tasks(e, e->x->rows, e->t->rows);
    GI_TRY(GI_NEW(run, needed, e->p->ops));
    gi_schedule_need(e, needed);
    GI_TRY(begin_workers(e, needed));
done:
    gi_free(needed);
    return status;
}

void gi_engine_end(gi_engine *e)
{
    for (size_t i = 0; e->work && i < e->threads; i++)
        end_work(e, &e->work[i]);
    gi_free(e->work);
    gi_free(e->step);
    gi_free(e->where);
    if (e->owner)
        return;
    gi_operands_free(e);
    gi_selves_free(e->self_x, e->p->ops);
    if (!e->symmetric && !e->lender)
        gi_selves_free(e->self_t, e->p->ops);
}

gram_status gi_engine_set(gi_engine *e, gi_run *run, const unsigned char *moved,
                          int *fits)
{
    gram_status status = GRAM_OK;

    e->run = run;
    *fits = e->symmetric; /* else rows of x are marked as they were at theta */
    if (*fits && !e->owner)
        GI_TRY(gi_operands_set(e, moved, fits));
    if (!*fits)
        goto done;
    GI_TRY(gi_selves_set(e));
    gi_schedule_set(e);
    for (size_t i = 0; i < e->threads; i++) {
        fill_constants(&e->work[i]);
        for (size_t k = 0; k < e->products; k++)
            gi_strip_forget(e->work[i].strip[k]);
    }
done:
    return status;
}

/* -------------------------------------------------------------- interface */

static gram_status hand_over(void *user, gi_worker *w)
{
    const gi_consumer *c = user;

    return c->take(c->user, w->task, &w->tile);
}

gram_status gi_engine_run(gi_run *run, const gram_program *p,
                          const double *theta, const gi_points *x,
                          const gi_points *t, const gi_consumer *consumer)
{
    gi_consumer to = *consumer;
    gi_engine e;
    gram_status status;

    GI_TRY(gi_engine_begin(&e, run, p, theta, x, t, gi_lanes_of(x), 0));
    GI_TRY(
        gi_engine_sweep(run, &e, &(gi_sweep){.tile = hand_over, .user = &to}));
done:
    gi_engine_end(&e);
    return status;
}
