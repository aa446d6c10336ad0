/* chol.c - the storage of a Cholesky factor (chol_inside.h): making it,
 * reading it, moving it from one layout to another.
 */
#include "linalg/dense/chol.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/chol_inside.h"

/* With more, bytes overflow 64 bits. */
#define LARGEST ((size_t)1 << 30)

/* Edge of a tile.  Smaller ones lose speed in BLAS, which packs its operands
 * for each product; larger ones, and fewer than TILES a side, keep threads
 * waiting. */
enum { EDGE = GI_CHOL_EDGE, EDGE_MAX = GI_CHOL_EDGE_MAX, TILES = 8 };

static size_t best_edge(size_t n)
{
    return gi_min_size((n / TILES / EDGE + 1) * EDGE, EDGE_MAX);
}

static size_t elements(size_t n, size_t edge)
{
    size_t full = n / edge, rest = n % edge;

    return full * (full + 1) / 2 * edge * edge + rest * n;
}

size_t gi_chol_bytes(size_t n, const gi_blas *blas)
{
    if (n > LARGEST)
        return SIZE_MAX;
    return elements(n, best_edge(n)) * blas->size;
}

gram_status gi_chol_new(gi_run *run, const gi_blas *blas, size_t n, size_t edge,
                        gi_chol **out)
{
    gram_status status;
    gi_chol *c = NULL;

    GI_TRY(GI_NEW_ZERO(run, c, 1));
    c->blas = blas;
    c->n = n;
    c->asked = edge;
    c->edge = edge ? edge : best_edge(n);
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

size_t gi_chol_size(const gi_chol *c)
{
    return c->n;
}

const gi_blas *gi_chol_blas(const gi_chol *c)
{
    return c->blas;
}

double gi_chol_get(const gi_chol *c, size_t i, size_t j)
{
    return c->blas->get(element(c, j, i), 0);
}

void gi_chol_diagonal(const gi_chol *c, double *out)
{
    for (size_t i = 0; i < c->n; i++)
        out[i] = gi_chol_get(c, i, i);
}

double gi_chol_logdet(const gi_chol *c)
{
    double sum = 0;

    for (size_t i = 0; i < c->n; i++)
        sum += log(gi_chol_get(c, i, i));
    return 2 * sum;
}

/* Elements (i, first) .. (i, end-1), in pieces that lie in one tile and on one
 * side of the diagonal. */
static void copy_row(const gi_chol *c, size_t i, size_t first, size_t end,
                     double *out)
{
    size_t step = height(c, i / c->edge);

    for (size_t j = first, next; j < end; out += next - j, j = next) {
        next = gi_min_size(end, (j / c->edge + 1) * c->edge);
        if (j <= i) {
            next = gi_min_size(next, i + 1);
            c->blas->read(next - j, element(c, j, i), step, out);
        } else if (c->inverted) {
            c->blas->read(next - j, element(c, i, j), 1, out);
        } else {
            memset(out, 0, (next - j) * sizeof *out);
        }
    }
}

void gi_chol_copy(const gi_chol *c, size_t row, size_t rows, size_t col,
                  size_t cols, double *out, size_t ld)
{
    for (size_t r = 0; r < rows; r++)
        copy_row(c, row + r, col, col + cols, out + r * ld);
}

void gi_chol_set_row(gi_chol *c, size_t i, const double *row)
{
    size_t step = height(c, i / c->edge);

    for (size_t j = 0, next; j <= i; j = next) {
        next = gi_min_size(i + 1, (j / c->edge + 1) * c->edge);
        c->blas->write(next - j, row + j, element(c, j, i), step);
    }
}

/* Row `row` of U into tile i of its columns, in runs that lie side by side in
 * both layouts. */
static void gather_row(const gi_chol *from, const size_t *index, size_t rows,
                       gi_chol *to, size_t row, size_t i)
{
    size_t end = gi_min_size((i + 1) * to->edge, rows);
    size_t col = row > i * to->edge ? row : i * to->edge, run;

    for (; col < end; col += run) {
        size_t old = index[col], next = (old / from->edge + 1) * from->edge;

        for (run = 1; col + run < end && index[col + run] == old + run; run++)
            if (old + run == next)
                break;
        memcpy(element(to, row, col), element(from, index[row], old),
               run * to->blas->size);
    }
}

void gi_chol_gather(const gi_run *run, const gi_chol *from, const size_t *index,
                    size_t rows, gi_chol *to)
{
    size_t tiles = gi_min_size(to->tiles, rows / to->edge + 1);

    GI_PARALLEL_TASKS(run->threads)
    for (size_t i = 0; i < tiles; i++) {
        size_t end = gi_min_size((i + 1) * to->edge, rows);

        for (size_t row = 0; row < end; row++)
            gather_row(from, index, rows, to, row, i);
    }
}
