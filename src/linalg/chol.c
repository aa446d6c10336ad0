/* chol.c - tile Cholesky, left-looking, as a graph of tasks.
 *
 * The matrix is cut into tiles (i,j), i >= j.  Task (i,j) fetches tile A_ij,
 * subtracts all that lies to the left, and divides by the diagonal:
 *     S = A_ij - sum_{k<j} L_ik L_jk',   L_jj = chol(S),  L_ij = S L_jj'^-1.
 * It can run when (i,j-1) and (j,j) are done, since these imply all others it
 * reads; so a tile needs a counter up to two.  A tile is written by one task
 * in one order of operations: the same bits on any number of threads.
 *
 * L_ij is kept as its transpose, row-major, and the tiles of one i follow one
 * another: they are the block column L_i0' .. L_ii' of U = L', one row-major
 * matrix as wide as the tile.  So the sum over k is one product with a long
 * inner dimension, not j short ones.  The last tiles are as small as they
 * are; nothing is padded.
 *
 * n^3/3 flops; the longest chain of tasks is of order n^2 edge.
 */
#include "linalg/chol.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/number.h"
#include "linalg/queue.h"

/* Bytes of a row of a tile: 256 doubles, 512 floats.  Smaller ones lose speed
 * in BLAS, larger ones keep threads waiting. */
enum { TILE_ROW = 2048 };

/* Right-hand sides that are solved together. */
enum { STRIPE = 256 };

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

static size_t best_edge(const gi_blas *blas)
{
    return TILE_ROW / blas->size;
}

size_t gi_chol_bytes(size_t n, const gi_blas *blas)
{
    if (n > LARGEST)
        return SIZE_MAX;
    return elements(n, best_edge(blas)) * blas->size;
}

gram_status gi_chol_new(gi_run *run, const gi_blas *blas, size_t n, size_t edge,
                        gi_chol **out)
{
    gram_status status;
    gi_chol *c = NULL;

    GI_TRY(GI_NEW_ZERO(run, c, 1));
    c->blas = blas;
    c->n = n;
    c->edge = edge ? edge : best_edge(blas);
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

/* ---------------------------------------------------------------- factor */

typedef struct job {
    gi_chol *c;
    gi_chol_fill fill;
    void *user;
    gi_queue *queue;
    atomic_uchar *waits; /* for how many tasks task i*tiles + j still waits */
    _Atomic size_t done; /* tile products, of j + 1 for task (i,j) */
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

static gram_status do_diagonal(const gi_chol *c, size_t i)
{
    size_t h = height(c, i), good;
    char *t = tile(c, i, i);

    c->blas->syrk(h, i * c->edge, -1, tile(c, i, 0), h, 1, t, h);
    good = c->blas->potrf(h, t, h);
    /* BLAS tests a pivot by <= 0, which NaN and infinity pass */
    for (size_t r = 0; r < good; r++)
        if (!isfinite(c->blas->get(t, r * h + r)))
            good = r;
    if (good < h)
        return pivot_failed(i * c->edge + good,
                            c->blas->get(t, good * h + good));
    return GRAM_OK;
}

static gram_status do_task(const job *b, size_t i, size_t j)
{
    const gi_chol *c = b->c;
    size_t hi = height(c, i), hj = height(c, j);
    char *t = tile(c, i, j);
    gram_status status =
        b->fill(b->user, j * c->edge, hj, i * c->edge, hi, t, hi);

    if (status != GRAM_OK)
        return status;
    if (i == j)
        return do_diagonal(c, i);
    c->blas->gemm(1, 0, hj, hi, j * c->edge, -1, tile(c, j, 0), hj,
                  tile(c, i, 0), hi, 1, t, hi);
    c->blas->trsm(1, hj, hi, tile(c, j, j), hj, t, hi);
    return GRAM_OK;
}

static void release(job *b, size_t i, size_t j)
{
    size_t task = i * b->c->tiles + j;

    if (atomic_fetch_sub(&b->waits[task], 1) == 1)
        gi_queue_push(b->queue, task);
}

static void announce(job *b, size_t i, size_t j)
{
    if (i > j)
        release(b, i, j + 1);
    else
        for (size_t k = j + 1; k < b->c->tiles; k++)
            release(b, k, j);
}

static void work(gi_run *run, job *b, double total)
{
    size_t task;

    while (gi_queue_pop(b->queue, &task)) {
        size_t i = task / b->c->tiles, j = task % b->c->tiles;
        gram_status status = do_task(b, i, j);
        size_t done = atomic_fetch_add(&b->done, j + 1) + j + 1;

        if (status == GRAM_OK && omp_get_thread_num() == 0)
            status = gi_run_tick(run, (double)done / total);
        if (status == GRAM_OK)
            announce(b, i, j);
        else
            gi_queue_fail(b->queue, status);
    }
}

gram_status gi_chol_factor(gi_run *run, gi_chol *c, gi_chol_fill fill,
                           void *user)
{
    job b = {.c = c, .fill = fill, .user = user};
    size_t tiles = c->tiles, products = 0;
    gram_status status;

    gi_blas_start();
    GI_TRY(gi_queue_new(run, tiles * (tiles + 1) / 2, &b.queue));
    GI_TRY(GI_NEW(run, b.waits, tiles * tiles));
    for (size_t i = 0; i < tiles; i++)
        for (size_t j = 0; j <= i; j++) {
            atomic_init(&b.waits[i * tiles + j],
                        (unsigned char)((i > j) + (j > 0)));
            products += j + 1;
        }
    if (tiles > 0)
        gi_queue_push(b.queue, 0);
#pragma omp parallel num_threads(run->threads)
    work(run, &b, (double)products);
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

            c->blas->trsm(!backward, hj, width, tile(c, j, j), hj, bj, ldb);
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
