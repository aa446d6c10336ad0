/* csr.c - products with a sparse matrix kept by rows.
 *
 * A X is one row after the other, each by one thread.  A'X adds row i of X
 * to the rows of Y that row i of A names, where threads would collide: so each
 * stripe of rows has a Y of its own, and these are added in order.  There are
 * at most STRIPES of them, and no more than the entries of A pay for.
 */
#include "linalg/sparse/csr.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"

enum { STRIPES = GI_CSR_STRIPES };

/* Rows that a thread takes at a time. */
enum { CHUNK = GI_CSR_CHUNK_ROWS };

void gi_csr_free(gi_csr *a)
{
    gi_free(a->start);
    gi_free(a->index);
    gi_free(a->entries);
    *a = (gi_csr){0};
}

/* y += factor x */
static void add_row(size_t r, double factor, const double *x, double *y)
{
    for (size_t s = 0; s < r; s++)
        y[s] += factor * x[s];
}

gram_status gi_csr_times(gi_run *run, const gi_csr *a, const double *x,
                         size_t r, double *y)
{
    GI_PARALLEL_TASKS(run->threads)
    for (size_t from = 0; from < a->rows; from += CHUNK)
        for (size_t i = from; i < a->rows && i < from + CHUNK; i++) {
            double *yi = y + i * r;

            memset(yi, 0, r * sizeof *yi);
            for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
                add_row(r, a->entries[k], x + a->index[k] * r, yi);
        }
    return GRAM_OK;
}

static void scatter(const gi_csr *a, size_t first, size_t end, const double *x,
                    size_t r, double *y)
{
    memset(y, 0, a->cols * r * sizeof *y);
    for (size_t i = first; i < end; i++)
        for (size_t k = a->start[i]; k < a->start[i + 1]; k++)
            add_row(r, a->entries[k], x + i * r, y + a->index[k] * r);
}

gram_status gi_csr_times_transposed(gi_run *run, const gi_csr *a,
                                    const double *x, size_t r, double *y)
{
    size_t entries = a->rows ? a->start[a->rows] : 0, size, all;
    size_t stripes = a->cols ? entries / a->cols : 0;
    double *more = NULL; /* Y of the stripes after the first */
    gram_status status;

    stripes = stripes < 1 ? 1 : stripes > STRIPES ? STRIPES : stripes;
    GI_TRY(gi_size_mul(a->cols, r, &size));
    GI_TRY(gi_size_mul(stripes, size, &all));
    GI_TRY(GI_NEW(run, more, all - size));
    GI_PARALLEL(run->threads)
    {
        GI_TEAM_TASKS
        for (size_t s = 0; s < stripes; s++)
            scatter(a, a->rows * s / stripes, a->rows * (s + 1) / stripes, x, r,
                    s == 0 ? y : more + (s - 1) * size);
        GI_TEAM_FOR
        for (size_t i = 0; i < size; i++)
            for (size_t s = 1; s < stripes; s++)
                y[i] += more[(s - 1) * size + i];
    }
done:
    gi_free(more);
    return status;
}
