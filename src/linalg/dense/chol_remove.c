/* chol_remove.c - the factor after rows and columns of A are removed.
 *
 * Let U have the kept rows and columns of the old factor, and Z the kept
 * columns of the removed rows.  What is left of A is U'U + Z'Z, so the new
 * factor comes from a QR factorisation of Z below U: orthogonal steps only,
 * stable whichever rows are removed.  GROUP rows of Z are worked in at a time.
 * PANEL columns are reduced by reflections I - tau [e_j; v][e_j; v]', gathered
 * as I - [I; V] T' [I; V]' (Schreiber and Van Loan, 1989), and those right of
 * them follow by products:
 *
 *     W = U + V'Z,   U -= T'W,   Z -= V T'W.
 *
 * A reflection that makes Z zero makes a positive pivot negative, so all rows
 * change sign as well.  Cost: 2 n^2 flops for a row.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "linalg/dense/chol_inside.h"

enum { GROUP = GI_CHOL_REMOVE_ROWS, PANEL = GI_CHOL_REMOVE_PANEL };

/* A panel while its columns are reduced. */
typedef struct panel {
    double u[PANEL * PANEL], z[GROUP * PANEL];
    double v[GROUP * PANEL], t[PANEL * PANEL], vt[GROUP * PANEL]; /* V T' */
} panel;

/* Arrays of char are of the factor's precision. */
typedef struct job {
    gi_chol *c;
    size_t rows; /* of Z */
    char *z;     /* rows x n */
    char *w;     /* PANEL x n */
    /* for each panel of the tile row at work: V, T, V T' */
    char *v, *t, *vt;
    panel *panel;
} job;

static char *at(const job *b, char *p, size_t i)
{
    return p + i * b->c->blas->size;
}

/* ------------------------------------------------------------- one panel */

/* Reflect column j of [u; z] to (norm, 0): find v and tau, and apply them to
 * the columns after it. */
static void reflect(panel *p, size_t rows, size_t cols, size_t j)
{
    double pivot = p->u[j * PANEL + j], square = 0, norm, tau;

    for (size_t r = 0; r < rows; r++)
        square += p->z[r * PANEL + j] * p->z[r * PANEL + j];
    norm = sqrt(pivot * pivot + square);
    tau = (pivot + norm) / norm;
    for (size_t r = 0; r < rows; r++)
        p->v[r * PANEL + j] = p->z[r * PANEL + j] / (pivot + norm);
    p->t[j * PANEL + j] = tau;
    p->u[j * PANEL + j] = norm;
    for (size_t k = j + 1; k < cols; k++) {
        double w = p->u[j * PANEL + k];

        for (size_t r = 0; r < rows; r++)
            w += p->v[r * PANEL + j] * p->z[r * PANEL + k];
        p->u[j * PANEL + k] = tau * w - p->u[j * PANEL + k];
        for (size_t r = 0; r < rows; r++)
            p->z[r * PANEL + k] -= tau * w * p->v[r * PANEL + j];
    }
}

/* Column j of T: -tau T V'v above the diagonal. */
static void gather_column(panel *p, size_t rows, size_t j)
{
    double dot[PANEL] = {0}, tau = p->t[j * PANEL + j];

    for (size_t r = 0; r < rows; r++)
        for (size_t l = 0; l < j; l++)
            dot[l] += p->v[r * PANEL + l] * p->v[r * PANEL + j];
    for (size_t l = 0; l < j; l++) {
        double sum = 0;

        for (size_t k = l; k < j; k++)
            sum += p->t[l * PANEL + k] * dot[k];
        p->t[l * PANEL + j] = -tau * sum;
    }
}

static void reduce(panel *p, size_t rows, size_t cols)
{
    memset(p->t, 0, sizeof p->t);
    for (size_t j = 0; j < cols; j++) {
        reflect(p, rows, cols, j);
        gather_column(p, rows, j);
    }
    gi_blas_double.gemm(0, 1, rows, cols, cols, 1, p->v, PANEL, p->t, PANEL, 0,
                        p->vt, PANEL);
}

/* ------------------------------------------------------------- tile rows */

static size_t panel_width(const gi_chol *c, size_t i, size_t k)
{
    size_t left = height(c, i) - k * PANEL;

    return left < PANEL ? left : PANEL;
}

static size_t panels(const gi_chol *c, size_t i)
{
    return (height(c, i) + PANEL - 1) / PANEL;
}

/* Reduce panel k of the diagonal tile i. */
static void reduce_panel(const job *b, size_t i, size_t k)
{
    const gi_blas *blas = b->c->blas;
    size_t h = height(b->c, i), n = b->c->n, cols = panel_width(b->c, i, k);
    char *u = at(b, tile(b->c, i, i), k * PANEL * (h + 1));
    char *z = at(b, b->z, i * b->c->edge + k * PANEL);
    panel *p = b->panel;

    for (size_t r = 0; r < cols; r++)
        blas->read(cols - r, at(b, u, r * (h + 1)), 1, p->u + r * (PANEL + 1));
    for (size_t r = 0; r < b->rows; r++)
        blas->read(cols, at(b, z, r * n), 1, p->z + r * PANEL);
    reduce(p, b->rows, cols);
    for (size_t r = 0; r < cols; r++)
        blas->write(cols - r, p->u + r * (PANEL + 1), at(b, u, r * (h + 1)), 1);
    blas->write(GROUP * PANEL, p->v, at(b, b->v, k * GROUP * PANEL), 1);
    blas->write(PANEL * PANEL, p->t, at(b, b->t, k * PANEL * PANEL), 1);
    blas->write(GROUP * PANEL, p->vt, at(b, b->vt, k * GROUP * PANEL), 1);
}

/* Panel k of tile row i on `width` columns of U and Z from `col` on, which lie
 * in tile j. */
static void apply_panel(const job *b, size_t i, size_t k, size_t j, size_t col,
                        size_t width)
{
    const gi_blas *blas = b->c->blas;
    size_t n = b->c->n, ld = height(b->c, j), cols = panel_width(b->c, i, k);
    char *u = element(b->c, i * b->c->edge + k * PANEL, col);
    char *z = at(b, b->z, col), *w = at(b, b->w, col);

    for (size_t r = 0; r < cols; r++)
        memcpy(at(b, w, r * n), at(b, u, r * ld), width * blas->size);
    blas->gemm(1, 0, cols, width, b->rows, 1, at(b, b->v, k * GROUP * PANEL),
               PANEL, z, n, 1, w, n);
    blas->gemm(1, 0, cols, width, cols, 1, at(b, b->t, k * PANEL * PANEL),
               PANEL, w, n, -1, u, ld);
    blas->gemm(0, 0, b->rows, width, cols, -1, at(b, b->vt, k * GROUP * PANEL),
               PANEL, w, n, 1, z, n);
}

static void reduce_diagonal(const job *b, size_t i)
{
    size_t start = i * b->c->edge, h = height(b->c, i);

    for (size_t k = 0; k < panels(b->c, i); k++) {
        size_t end = k * PANEL + panel_width(b->c, i, k);

        reduce_panel(b, i, k);
        if (end < h)
            apply_panel(b, i, k, i, start + end, h - end);
    }
}

/* From tile row `first` on, before which Z is zero. */
static gram_status work_in(gi_run *run, const job *b, size_t first)
{
    const gi_chol *c = b->c;
    gram_status status = GRAM_OK;

    GI_PARALLEL(run->threads)
    for (size_t i = first; i < c->tiles; i++) {
        /* the others read status behind the next barrier only */
        if (gi_thread_number() == 0)
            status = gi_run_tick(run, (double)i / (double)c->tiles);
        GI_TEAM_ONE
        reduce_diagonal(b, i);
        if (status != GRAM_OK)
            break;
        GI_TEAM_TASKS
        for (size_t j = i + 1; j < c->tiles; j++)
            for (size_t k = 0; k < panels(c, i); k++)
                apply_panel(b, i, k, j, j * c->edge, height(c, j));
    }
    return status;
}

/* ---------------------------------------------------------------- remove */

/* Row of Z from row `gone` of the old factor; index[i] is the old number of
 * the new row i.  Returns the first column that is not zero. */
static size_t gather_gone(const job *b, const gi_chol *old, const size_t *index,
                          size_t gone, size_t row)
{
    size_t n = b->c->n, size = old->blas->size, first = 0;
    char *z = at(b, b->z, row * n);

    while (first < n && index[first] < gone)
        first++;
    memset(z, 0, first * size);
    for (size_t i = first; i < n; i++)
        memcpy(at(b, z, i), element(old, gone, index[i]), size);
    return first;
}

static gram_status allocate(gi_run *run, job *b)
{
    size_t n = b->c->n, size = b->c->blas->size;
    size_t most = (b->c->edge + PANEL - 1) / PANEL;
    gram_status status;

    GI_TRY(gi_alloc(run, &b->z, n * GROUP, size));
    GI_TRY(gi_alloc(run, &b->w, n * PANEL, size));
    GI_TRY(gi_alloc(run, &b->v, most * GROUP * PANEL, size));
    GI_TRY(gi_alloc(run, &b->t, most * PANEL * PANEL, size));
    GI_TRY(gi_alloc(run, &b->vt, most * GROUP * PANEL, size));
    GI_TRY(GI_NEW_ZERO(run, b->panel, 1));
done:
    return status;
}

static void free_job(job *b)
{
    gi_free(b->panel);
    gi_free(b->vt);
    gi_free(b->t);
    gi_free(b->v);
    gi_free(b->w);
    gi_free(b->z);
}

gram_status gi_chol_remove(gi_run *run, const gi_chol *c,
                           const unsigned char *keep, gi_chol **out)
{
    size_t *index = NULL, kept = 0, gone = 0, done = 0;
    gi_chol *shorter = NULL;
    job b = {0};
    gram_status status;

    gi_blas_start();
    GI_TRY(GI_NEW(run, index, c->n));
    for (size_t i = 0; i < c->n; i++)
        if (keep[i])
            index[kept++] = i;
    GI_TRY(gi_chol_new(run, c->blas, kept, c->asked, &shorter));
    gi_chol_gather(run, c, index, kept, shorter);
    b.c = shorter;
    GI_TRY(allocate(run, &b));
    while (done < c->n - kept) {
        gi_run part =
            gi_run_share(run, (double)done / (double)(c->n - kept), 1);
        size_t first = kept;

        for (b.rows = 0; b.rows < GROUP && gone < c->n; gone++)
            if (!keep[gone]) {
                size_t start = gather_gone(&b, c, index, gone, b.rows++);

                first = start < first ? start : first;
            }
        GI_TRY(work_in(&part, &b, first / shorter->edge));
        done += b.rows;
    }
    *out = shorter;
    shorter = NULL;
done:
    free_job(&b);
    gi_chol_free(shorter);
    gi_free(index);
    return status;
}
