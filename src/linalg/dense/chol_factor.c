/* chol_factor.c - tile Cholesky, left-looking, as a graph of tasks.
 *
 * For each tile (i,j), i >= j,
 *
 *     S = A_ij - sum_{k<j} L_ik L_jk',   L_jj = chol(S),  L_ij = S L_jj'^-1.
 *
 * Task FINISH(i,j) does that.  It waits for tiles (i,j-1) and (j,j), which
 * imply all others it reads.  Waiting for the tile just before would make one
 * long chain of long sums, so all of the sum but the last LAG terms is a task
 * of its own, START(i,j), which waits for (i,j-LAG-1) and (j,j-LAG-1) only.
 * A tile is written in one order of operations: the same bits always.
 *
 * If leading rows are factored already, only the tasks of the others are in
 * the graph.  The edge between them may run through a tile: then its tasks
 * work on the new columns of U, the right part of the stored tile.
 */
#include <math.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/parallel.h"
#include "linalg/dense/chol_inside.h"
#include "base/queue.h"

/* Terms of the sum that FINISH adds.  In a simulation with 64 x 64 tiles, 64
 * threads work 0.76 of the time with 2, and 0.23 if FINISH adds them all. */
enum { LAG = 2 };

enum { START, FINISH, KINDS };

typedef struct job {
    gi_chol *c;
    size_t old; /* leading rows that are factored */
    gi_chol_fill fill;
    void *user;
    gi_queue *queue;
    atomic_uchar *waits; /* for how many tasks each one still waits */
    size_t tasks, products;
    _Atomic size_t done; /* tile products */
} job;

static gram_status pivot_failed(size_t index, double value)
{
    char text[GI_NUMBER_ROOM];

    gi_number_print(value, text);
    if (isfinite(value))
        return gi_fail(GRAM_ERR_NUMERIC,
                       "Cholesky: pivot %zu is %s, must be positive: the "
                       "matrix is not positive definite",
                       index, text);
    return gi_fail(GRAM_ERR_NUMERIC,
                   "Cholesky: pivot %zu is %s, must be finite: the matrix "
                   "has entries that are not numbers or too large",
                   index, text);
}

/* Tile row i as its tasks see it: the first `from` columns of U are old, the
 * other `width` are new. */
typedef struct strip {
    size_t from, width;
    size_t shift; /* bytes */
} strip;

static strip strip_of(const job *b, size_t i)
{
    size_t start = i * b->c->edge;
    size_t from = b->old > start ? b->old - start : 0;

    return (strip){from, height(b->c, i) - from, from * b->c->blas->size};
}

static gram_status fill_tile(const job *b, size_t i, size_t j)
{
    const gi_chol *c = b->c;
    strip s = strip_of(b, i);
    size_t row = j * c->edge, col = i * c->edge + s.from, h = height(c, i);
    size_t above = i == j ? s.from : height(c, j);
    char *t = tile(c, i, j) + s.shift;
    gram_status status = GRAM_OK;

    if (above > 0)
        status = b->fill(b->user, row, above, col, s.width, t, h);
    if (status == GRAM_OK && i == j)
        status =
            b->fill(b->user, col, s.width, col, s.width, t + h * s.shift, h);
    return status;
}

/* Tile (i,j) minus the terms first <= k < end. */
static void subtract(const job *b, size_t i, size_t j, size_t first, size_t end)
{
    const gi_chol *c = b->c;
    strip s = strip_of(b, i);
    size_t hi = height(c, i), hj = height(c, j), k = (end - first) * c->edge;
    size_t above = i == j ? s.from : hj;
    const char *right = tile(c, i, first) + s.shift;
    char *t = tile(c, i, j) + s.shift;

    if (above > 0)
        c->blas->gemm(1, 0, above, s.width, k, -1, tile(c, j, first), hj, right,
                      hi, 1, t, hi);
    if (i == j)
        c->blas->syrk(1, s.width, k, -1, right, hi, 1, t + hi * s.shift, hi);
}

static gram_status factor_diagonal(const job *b, size_t i)
{
    const gi_chol *c = b->c;
    strip s = strip_of(b, i);
    size_t h = height(c, i), good;
    char *t = tile(c, i, i) + s.shift, *corner = t + h * s.shift;

    if (s.from > 0) {
        gi_chol_divide(c->blas, 1, s.from, s.width, tile(c, i, i), h, t, h);
        c->blas->syrk(1, s.width, s.from, -1, t, h, 1, corner, h);
    }
    good = c->blas->potrf(s.width, corner, h);
    /* BLAS tests a pivot by <= 0, which NaN and infinity pass */
    for (size_t r = 0; r < good; r++)
        if (!isfinite(c->blas->get(corner, r * h + r)))
            good = r;
    if (good < s.width)
        return pivot_failed(i * c->edge + s.from + good,
                            c->blas->get(corner, good * h + good));
    return GRAM_OK;
}

/* Terms of the sum of tile (i,j) that START takes; with none there is no
 * such task. */
static size_t early(size_t j)
{
    return j > LAG ? j - LAG : 0;
}

static gram_status do_task(const job *b, int kind, size_t i, size_t j)
{
    const gi_chol *c = b->c;
    strip s = strip_of(b, i);
    gram_status status = GRAM_OK;

    if (kind == START || early(j) == 0)
        status = fill_tile(b, i, j);
    if (status != GRAM_OK)
        return status;
    if (kind == START) {
        subtract(b, i, j, 0, early(j));
        return GRAM_OK;
    }
    subtract(b, i, j, early(j), j);
    if (i == j)
        return factor_diagonal(b, i);
    gi_chol_divide(c->blas, 1, height(c, j), s.width, tile(c, j, j),
                   height(c, j), tile(c, i, j) + s.shift, height(c, i));
    return GRAM_OK;
}

static size_t task_number(const gi_chol *c, int kind, size_t i, size_t j)
{
    return (i * c->tiles + j) * KINDS + (size_t)kind;
}

/* One of the tasks that this one waits for is done. */
static void count_down(job *b, int kind, size_t i, size_t j)
{
    size_t task = task_number(b->c, kind, i, j);

    if (atomic_fetch_sub(&b->waits[task], 1) == 1)
        gi_queue_push(b->queue, task);
}

/* Tell the tasks that wait for this one. */
static void task_done(job *b, int kind, size_t i, size_t j)
{
    size_t tiles = b->c->tiles, later = j + LAG + 1;

    if (kind == START) {
        count_down(b, FINISH, i, j);
        return;
    }
    if (i > j)
        count_down(b, FINISH, i, j + 1);
    for (size_t k = j + 1; i == j && k < tiles; k++)
        count_down(b, FINISH, k, j);
    if (i > later)
        count_down(b, START, i, later);
    for (size_t k = i; i == later && k < tiles; k++)
        count_down(b, START, k, i);
}

/* Set what each task waits for, and count. */
static void prepare(job *b)
{
    const gi_chol *c = b->c;
    size_t first = b->old / c->edge;

    for (size_t i = first; i < c->tiles; i++)
        for (size_t j = 0; j <= i; j++) {
            int started = early(j) > 0, column = i > j && j >= first;

            atomic_init(&b->waits[task_number(c, START, i, j)],
                        (unsigned char)(1 + column));
            atomic_init(&b->waits[task_number(c, FINISH, i, j)],
                        (unsigned char)(column + (j > 0) + started));
            b->tasks += 1 + (size_t)started;
            b->products += j + 1;
        }
}

/* The tasks that wait for nothing. */
static void push_first(job *b)
{
    size_t first = b->old / b->c->edge;

    for (size_t i = first; i < b->c->tiles; i++)
        if (first > 0 || i == 0)
            gi_queue_push(b->queue, task_number(b->c, FINISH, i, 0));
}

static void work(gi_run *run, job *b)
{
    size_t n = b->c->tiles, task;

    while (gi_queue_pop(b->queue, &task)) {
        int kind = (int)(task % KINDS);
        size_t i = task / KINDS / n, j = task / KINDS % n;
        size_t products = kind == START ? early(j) : j - early(j) + 1;
        gram_status status = do_task(b, kind, i, j);
        size_t done = atomic_fetch_add(&b->done, products) + products;

        if (status == GRAM_OK && gi_thread_number() == 0)
            status = gi_run_tick(run, (double)done / (double)b->products);
        if (status == GRAM_OK)
            task_done(b, kind, i, j);
        else
            gi_queue_fail(b->queue, status);
    }
}

/* Rows from `old` < n on; those before are factored. */
static gram_status factor_from(gi_run *run, gi_chol *c, size_t old,
                               gi_chol_fill fill, void *user)
{
    job b = {.c = c, .old = old, .fill = fill, .user = user};
    gram_status status;

    gi_blas_start();
    GI_TRY(GI_NEW(run, b.waits, c->tiles * c->tiles * KINDS));
    prepare(&b);
    GI_TRY(gi_queue_new(run, b.tasks, &b.queue));
    push_first(&b);
    GI_PARALLEL(run->threads)
    work(run, &b);
    GI_TRY(gi_queue_status(b.queue));
done:
    gi_free(b.waits);
    gi_queue_free(b.queue);
    return status;
}

gram_status gi_chol_factor(gi_run *run, gi_chol *c, gi_chol_fill fill,
                           void *user)
{
    c->inverted = 0;
    return factor_from(run, c, 0, fill, user);
}

gram_status gi_chol_append(gi_run *run, const gi_chol *c, size_t n,
                           gi_chol_fill fill, void *user, gi_chol **out)
{
    gram_status status;
    gi_chol *longer = NULL;
    size_t *index = NULL;

    if (n < c->n)
        return gi_fail(GRAM_ERR_SHAPE,
                       "Cholesky: %zu rows after appending to %zu, must be at "
                       "least as many",
                       n, c->n);
    GI_TRY(GI_NEW(run, index, c->n));
    for (size_t i = 0; i < c->n; i++)
        index[i] = i;
    GI_TRY(gi_chol_new(run, c->blas, n, c->asked, &longer));
    gi_chol_gather(run, c, index, c->n, longer);
    if (n > c->n)
        GI_TRY(factor_from(run, longer, c->n, fill, user));
    *out = longer;
    longer = NULL;
done:
    gi_free(index);
    gi_chol_free(longer);
    return status;
}
