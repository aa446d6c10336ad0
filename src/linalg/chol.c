/* chol.c - tile Cholesky, left-looking, as a graph of tasks.
 *
 * The matrix is cut into tiles (i,j), i >= j, and for each
 *     S = A_ij - sum_{k<j} L_ik L_jk',   L_jj = chol(S),  L_ij = S L_jj'^-1.
 * Task FINISH(i,j) does that.  It waits for tiles (i,j-1) and (j,j), which
 * imply all others it reads.  Waiting for the tile just before would make one
 * long chain of long sums, so all of the sum but the last LAG terms is a task
 * of its own, START(i,j), which waits for (i,j-LAG-1) and (j,j-LAG-1) only.
 * A tile is written in one order of operations: the same bits on any number
 * of threads.
 *
 * L_ij is kept as its transpose, row-major, and the tiles of one i follow one
 * another: they are the block column L_i0' .. L_ii' of U = L', one row-major
 * matrix as wide as the tile.  So a sum over k is one product with a long
 * inner dimension.  The last tiles are as small as they are, not padded.
 */
#include "linalg/chol.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/number.h"
#include "linalg/queue.h"

/* Edge of a tile.  Smaller ones lose speed in BLAS, which packs its operands
 * for each product; larger ones keep threads waiting.  Not a power of two:
 * rows of a tile would fall on the same cache sets. */
enum { EDGE = 384 };

/* Right-hand sides that are solved together. */
enum { STRIPE = 256 };

/* Terms of the sum that FINISH adds.  In a simulation with 64 x 64 tiles, 64
 * threads work 0.76 of the time with 2, and 0.23 if FINISH adds them all. */
enum { LAG = 2 };

/* Triangles up to this size are left to BLAS. */
enum { TRIANGLE = 64 };

/* With more, bytes overflow 64 bits. */
#define LARGEST ((size_t)1 << 30)

struct gi_chol {
    const gi_blas *blas;
    size_t n, edge, tiles; /* tiles: along an edge of the matrix */
    char *data;
};

/* ---------------------------------------------------------------- layout */

static size_t elements(size_t n, size_t edge)
{
    size_t full = n / edge, rest = n % edge;

    return full * (full + 1) / 2 * edge * edge + rest * n;
}

/* Rows of A that belong to tile i. */
static size_t height(const gi_chol *c, size_t i)
{
    return i + 1 < c->tiles ? c->edge : c->n - i * c->edge;
}

/* L_ij', height(j) x height(i); with j = 0 the start of block column i. */
static char *tile(const gi_chol *c, size_t i, size_t j)
{
    size_t before = i * (i + 1) / 2 * c->edge * c->edge;

    return c->data + (before + j * c->edge * height(c, i)) * c->blas->size;
}

size_t gi_chol_bytes(size_t n, const gi_blas *blas)
{
    if (n > LARGEST)
        return SIZE_MAX;
    return elements(n, EDGE) * blas->size;
}

gram_status gi_chol_new(gi_run *run, const gi_blas *blas, size_t n, size_t edge,
                        gi_chol **out)
{
    gram_status status;
    gi_chol *c = NULL;

    GI_TRY(GI_NEW_ZERO(run, c, 1));
    c->blas = blas;
    c->n = n;
    c->edge = edge ? edge : EDGE;
    c->tiles = n / c->edge + (n % c->edge > 0);
    if (n > LARGEST)
        GI_TRY(gi_fail(GRAM_ERR_MEMORY,
                       "Cholesky: %zu rows, must be at most %zu", n, LARGEST));
    GI_TRY(gi_alloc(run, &c->data, elements(n, c->edge), blas->size));
    *out = c;
    c = NULL;
done:
    gi_chol_free(c);
    return status;
}

void gi_chol_free(gi_chol *c)
{
    if (c)
        gi_free(c->data);
    gi_free(c);
}

double gi_chol_get(const gi_chol *c, size_t i, size_t j)
{
    size_t row = j % c->edge, col = i % c->edge;

    return c->blas->get(tile(c, i / c->edge, j / c->edge),
                        row * height(c, i / c->edge) + col);
}

double gi_chol_logdet(const gi_chol *c)
{
    double sum = 0;

    for (size_t i = 0; i < c->n; i++)
        sum += log(gi_chol_get(c, i, i));
    return 2 * sum;
}

/* B = op(U)^-1 B by halves: BLAS's own routine reaches a third of the speed of
 * its product. */
static void divide(const gi_blas *blas, int tu, size_t m, size_t n,
                   const char *u, size_t ldu, char *b, size_t ldb)
{
    size_t half = m / 2, rest = m - half;
    const char *right = u + half * blas->size;
    const char *corner = right + half * ldu * blas->size;
    char *bottom = b + half * ldb * blas->size;

    if (m <= TRIANGLE) {
        blas->trsm(tu, m, n, u, ldu, b, ldb);
    } else if (tu) {
        divide(blas, tu, half, n, u, ldu, b, ldb);
        blas->gemm(1, 0, rest, n, half, -1, right, ldu, b, ldb, 1, bottom, ldb);
        divide(blas, tu, rest, n, corner, ldu, bottom, ldb);
    } else {
        divide(blas, tu, rest, n, corner, ldu, bottom, ldb);
        blas->gemm(0, 0, half, n, rest, -1, right, ldu, bottom, ldb, 1, b, ldb);
        divide(blas, tu, half, n, u, ldu, b, ldb);
    }
}

/* ---------------------------------------------------------------- factor */

enum { START, FINISH, KINDS };

typedef struct job {
    gi_chol *c;
    gi_chol_fill fill;
    void *user;
    gi_queue *queue;
    atomic_uchar *waits; /* for how many tasks each one still waits */
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

static gram_status factor_diagonal(const gi_chol *c, size_t i)
{
    size_t h = height(c, i);
    char *t = tile(c, i, i);
    size_t good = c->blas->potrf(h, t, h);

    /* BLAS tests a pivot by <= 0, which NaN and infinity pass */
    for (size_t r = 0; r < good; r++)
        if (!isfinite(c->blas->get(t, r * h + r)))
            good = r;
    if (good < h)
        return pivot_failed(i * c->edge + good,
                            c->blas->get(t, good * h + good));
    return GRAM_OK;
}

/* Tile (i,j) minus the terms first <= k < end. */
static void subtract(const gi_chol *c, size_t i, size_t j, size_t first,
                     size_t end)
{
    size_t hi = height(c, i), hj = height(c, j), k = (end - first) * c->edge;

    if (i == j)
        c->blas->syrk(hi, k, -1, tile(c, i, first), hi, 1, tile(c, i, i), hi);
    else
        c->blas->gemm(1, 0, hj, hi, k, -1, tile(c, j, first), hj,
                      tile(c, i, first), hi, 1, tile(c, i, j), hi);
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
    size_t hi = height(c, i), hj = height(c, j);
    gram_status status = GRAM_OK;

    if (kind == START || early(j) == 0)
        status = b->fill(b->user, j * c->edge, hj, i * c->edge, hi,
                         tile(c, i, j), hi);
    if (status != GRAM_OK)
        return status;
    if (kind == START) {
        subtract(c, i, j, 0, early(j));
        return GRAM_OK;
    }
    subtract(c, i, j, early(j), j);
    if (i == j)
        return factor_diagonal(c, i);
    divide(c->blas, 1, hj, hi, tile(c, j, j), hj, tile(c, i, j), hi);
    return GRAM_OK;
}

static size_t task_number(const gi_chol *c, int kind, size_t i, size_t j)
{
    return (i * c->tiles + j) * KINDS + (size_t)kind;
}

static void release(job *b, int kind, size_t i, size_t j)
{
    size_t task = task_number(b->c, kind, i, j);

    if (atomic_fetch_sub(&b->waits[task], 1) == 1)
        gi_queue_push(b->queue, task);
}

/* Tell those who wait for this task. */
static void announce(job *b, int kind, size_t i, size_t j)
{
    size_t tiles = b->c->tiles, later = j + LAG + 1;

    if (kind == START) {
        release(b, FINISH, i, j);
        return;
    }
    if (i > j)
        release(b, FINISH, i, j + 1);
    for (size_t k = j + 1; i == j && k < tiles; k++)
        release(b, FINISH, k, j);
    if (i > later)
        release(b, START, i, later);
    for (size_t k = i; i == later && k < tiles; k++)
        release(b, START, k, i);
}

/* Set what each task waits for; returns the number of tasks. */
static size_t prepare(job *b)
{
    const gi_chol *c = b->c;
    size_t tasks = 0;

    for (size_t i = 0; i < c->tiles; i++)
        for (size_t j = 0; j <= i; j++) {
            int started = early(j) > 0;
            int before = (i > j) + (j > 0) + started;

            atomic_init(&b->waits[task_number(c, START, i, j)],
                        (unsigned char)(1 + (i > j)));
            atomic_init(&b->waits[task_number(c, FINISH, i, j)],
                        (unsigned char)before);
            tasks += 1 + (size_t)started;
        }
    return tasks;
}

static void work(gi_run *run, job *b)
{
    size_t n = b->c->tiles, task;
    double total = (double)n * (double)(n + 1) * (double)(n + 2) / 6;

    while (gi_queue_pop(b->queue, &task)) {
        int kind = (int)(task % KINDS);
        size_t i = task / KINDS / n, j = task / KINDS % n;
        size_t products = kind == START ? early(j) : j - early(j) + 1;
        gram_status status = do_task(b, kind, i, j);
        size_t done = atomic_fetch_add(&b->done, products) + products;

        if (status == GRAM_OK && omp_get_thread_num() == 0)
            status = gi_run_tick(run, (double)done / total);
        if (status == GRAM_OK)
            announce(b, kind, i, j);
        else
            gi_queue_fail(b->queue, status);
    }
}

gram_status gi_chol_factor(gi_run *run, gi_chol *c, gi_chol_fill fill,
                           void *user)
{
    job b = {.c = c, .fill = fill, .user = user};
    gram_status status;

    gi_blas_start();
    GI_TRY(GI_NEW(run, b.waits, c->tiles * c->tiles * KINDS));
    GI_TRY(gi_queue_new(run, prepare(&b), &b.queue));
    if (c->tiles > 0)
        gi_queue_push(b.queue, task_number(c, FINISH, 0, 0));
#pragma omp parallel num_threads(run->threads)
    work(run, &b);
    GI_TRY(gi_queue_status(b.queue));
done:
    gi_free(b.waits);
    gi_queue_free(b.queue);
    return status;
}

/* ----------------------------------------------------------------- solve */

/* Block j is solved, then subtracted from all blocks that still wait: below
 * it going forward, L_ij = tile(i,j)', above it going backward, L_ji'. */
static gram_status substitute(gi_run *run, const gi_chol *c, int backward,
                              size_t m, void *b, size_t ldb)
{
    size_t stripes = m / STRIPE + (m % STRIPE > 0);
    gram_status status = GRAM_OK;

    if (ldb > GI_BLAS_MAX)
        return gi_fail(GRAM_ERR_SHAPE,
                       "Cholesky: %zu right-hand sides, must be at most %zu",
                       ldb, GI_BLAS_MAX);
    gi_blas_start();
#pragma omp parallel num_threads(run->threads)
    for (size_t step = 0; step < c->tiles; step++) {
        size_t j = backward ? c->tiles - 1 - step : step;
        size_t first = backward ? 0 : j + 1;
        size_t end = backward ? j : c->tiles, hj = height(c, j);

        /* the others read status behind the next barrier only */
        if (omp_get_thread_num() == 0)
            status = gi_run_tick(run, (double)step / (double)c->tiles);
#pragma omp for schedule(static)
        for (size_t s = 0; s < stripes; s++) {
            size_t width = s + 1 < stripes ? STRIPE : m - s * STRIPE;
            char *bj =
                (char *)b + (j * c->edge * ldb + s * STRIPE) * c->blas->size;

            divide(c->blas, !backward, hj, width, tile(c, j, j), hj, bj, ldb);
        }
        if (status != GRAM_OK)
            break;
#pragma omp for schedule(static) collapse(2)
        for (size_t i = first; i < end; i++)
            for (size_t s = 0; s < stripes; s++) {
                size_t width = s + 1 < stripes ? STRIPE : m - s * STRIPE;
                size_t hi = height(c, i);
                char *bs = (char *)b + s * STRIPE * c->blas->size;

                c->blas->gemm(!backward, 0, hi, width, hj, -1,
                              backward ? tile(c, j, i) : tile(c, i, j),
                              backward ? hj : hi,
                              bs + j * c->edge * ldb * c->blas->size, ldb, 1,
                              bs + i * c->edge * ldb * c->blas->size, ldb);
            }
    }
    return status;
}

gram_status gi_chol_forward(gi_run *run, const gi_chol *c, size_t m, void *b,
                            size_t ldb)
{
    return substitute(run, c, 0, m, b, ldb);
}

gram_status gi_chol_backward(gi_run *run, const gi_chol *c, size_t m, void *b,
                             size_t ldb)
{
    return substitute(run, c, 1, m, b, ldb);
}

gram_status gi_chol_solve(gi_run *run, const gi_chol *c, size_t m, void *b,
                          size_t ldb)
{
    gram_status status = gi_chol_forward(run, c, m, b, ldb);

    return status == GRAM_OK ? gi_chol_backward(run, c, m, b, ldb) : status;
}
