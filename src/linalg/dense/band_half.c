/* band_half.c - W = Q L'^-1 and the diagonal of W W', for B + s I = L L'.
 *
 * Row i of W solves L x = (row i of Q)'.  Blocks of BLAS would waste half of
 * their flops on the zeros outside the band, so the substitution runs on the
 * register blocks of src/cpu: r = pair_rows unknowns at a time, for
 * w = pair_cols rows of Q side by side.  With L_j the r x b part of L left of
 * its diagonal block D_j,
 *
 *     x_j = D_j^-1 (q_j - L_j x_before) = M_j [q_j; x_before],
 *     M_j = D_j^-1 [I  -L_j]
 *
 * which is one product C = A B' of panels with r + b terms: x is stored
 * unknown by unknown, w numbers each, as a panel is; x_j goes behind x_before,
 * and q_j in front of it, where the last unknowns have served.
 *
 * Rows of Q go in stripes of several panels, and columns in chunks, so that a
 * chunk of M and all of x that is needed stay in the cache.
 */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cpu/cpu.h"
#include "linalg/dense/band_inside.h"

/* Columns of Q in a chunk, panels of rows in a stripe. */
enum { CHUNK = GI_BAND_HALF_COLUMNS, PANELS = GI_BAND_HALF_PANELS };

typedef struct sweep {
    const gi_band *q;
    const gi_cpu *cpu;
    size_t r, w;       /* of the register block */
    size_t depth;      /* r + b */
    size_t rows;       /* of Q that are wanted */
    const size_t *row; /* which; NULL: the first ones */
    size_t stripes;    /* of PANELS w rows */
    size_t count;      /* factors */
    char **m;          /* the M_j of each */
    void *wt;          /* where W' goes, or NULL: */
    size_t ldw;
    double *out; /* where the diagonals go */
} sweep;

/* What a thread has of its own. */
typedef struct place {
    char *from;   /* rows of Q as they are: w x CHUNK */
    char *q;      /* PANELS panels of CHUNK columns */
    char *before; /* last b unknowns, for each factor and panel */
    char *x;      /* r + b + CHUNK unknowns of one panel */
    char *square; /* r x w */
    char *sum;    /* of squares, r x w for each factor and panel */
} place;

/* ------------------------------------------- the two precisions of the cpu */

static void panel_product(const sweep *s, const void *m, const void *x, void *c)
{
    if (s->q->blas == &gi_blas_double)
        s->cpu->dot_d(s->r, s->w, s->depth, m, x, c, s->w);
    else
        s->cpu->dot_s(s->r, s->w, s->depth, m, x, c, s->w);
}

static void transpose(const sweep *s, size_t m, size_t n, const void *src,
                      size_t lds, void *dst, size_t ldd)
{
    if (s->q->blas == &gi_blas_double)
        s->cpu->transpose_d(m, n, src, lds, dst, ldd);
    else
        s->cpu->transpose_s(m, n, src, lds, dst, ldd);
}

/* sum = sum + x^2 on r x w numbers; `square` is scratch for as many */
static void add_squares(const sweep *s, const void *x, void *square, void *sum)
{
    const size_t n = s->r * s->w;

    if (s->q->blas == &gi_blas_double) {
        s->cpu->multiply_d(square, x, x, n);
        s->cpu->add_d(sum, sum, square, n);
    } else {
        s->cpu->multiply_s(square, x, x, n);
        s->cpu->add_s(sum, sum, square, n);
    }
}

/* ----------------------------------------------------------------------- M */

/* Row i of L: columns j .. j+r-1, then j-b .. j-1; U(l,i) for l <= i. */
static void read_row(const sweep *s, const gi_band_factor *f, size_t i,
                     size_t j, double *line)
{
    const size_t b = f->b, k = i / b, start = k * b, column = i % b;
    const double *u = f->diagonal + k * b * b + column;

    memset(line, 0, s->depth * sizeof *line);
    for (size_t l = start; l <= i; l++)
        line[l < j ? s->depth + l - j : l - j] = u[(l - start) * b];
    if (k == 0)
        return;
    u = f->beside + (k - 1) * b * b + column;
    for (size_t l = i - b; l < start; l++)
        line[l < j ? s->depth + l - j : l - j] = u[(l + b - start) * b];
}

/* M_j as a panel, k-major; `scratch` is r rows of `depth` numbers. */
static void make_block(const sweep *s, const gi_band_factor *f, size_t j,
                       double *scratch, char *m)
{
    const size_t depth = s->depth;

    for (size_t i = 0; i < s->r; i++) {
        double *line = scratch + i * depth, pivot;

        if (j + i >= f->n) {
            memset(line, 0, depth * sizeof *line);
            continue;
        }
        read_row(s, f, j + i, j, line);
        pivot = line[i];
        line[i] = -1;
        for (size_t h = 0; h < i; h++) {
            const double l = line[h], *other = scratch + h * depth;

            line[h] = 0;
            for (size_t c = 0; c < depth; c++)
                line[c] += l * other[c];
        }
        for (size_t c = 0; c < depth; c++)
            line[c] = -line[c] / pivot;
    }
    for (size_t i = 0; i < s->r; i++)
        s->q->blas->write(depth, scratch + i * depth, m + i * s->q->blas->size,
                          s->r);
}

static gram_status make_all(gi_run *run, const sweep *s,
                            gi_band_factor *const *f)
{
    const size_t n = s->q->n, r = s->r, size = s->q->blas->size;
    const size_t blocks = (n + r - 1) / r, length = r * s->depth;
    gram_status status = GRAM_OK;
    double *lines = NULL;

    GI_TRY(GI_NEW(run, lines, (size_t)run->threads * length));
    for (size_t k = 0; k < s->count; k++)
        GI_TRY(gi_alloc(run, &s->m[k], blocks * length, size));
    GI_PARALLEL_FOR(gi_band_threads(run, s->stripes))
    for (size_t i = 0; i < s->count * blocks; i++) {
        const size_t k = i / blocks, j = i % blocks;

        make_block(s, f[k], j * r, lines + (size_t)gi_thread_number() * length,
                   s->m[k] + j * length * size);
    }
done:
    gi_free(lines);
    return status;
}

/* --------------------------------------------------------------- the sweep */

/* Rows of panel `panel` that are wanted, and the first. */
static size_t panel_rows(const sweep *s, size_t panel, size_t *first)
{
    *first = panel * s->w;
    return *first < s->rows ? gi_min_size(s->w, s->rows - *first) : 0;
}

/* Columns j .. j+cols-1 of the panel's rows of Q, zeros where there are none,
 * column by column. */
static void pack(const sweep *s, const place *p, size_t panel, size_t j,
                 size_t cols, char *to)
{
    const size_t size = s->q->blas->size;
    size_t first, rows = panel_rows(s, panel, &first);

    for (size_t i = 0; i < rows; i++) {
        size_t row = s->row ? s->row[first + i] : first + i;

        memcpy(p->from + i * CHUNK * size, gi_band_at(s->q, row, j),
               cols * size);
    }
    memset(p->from + rows * CHUNK * size, 0, (s->w - rows) * CHUNK * size);
    transpose(s, s->w, cols, p->from, CHUNK, to, s->w);
    memset(to + cols * s->w * size, 0, (CHUNK - cols) * s->w * size);
}

/* What is made of r unknowns, of which `real` are of the matrix: rows of W'
 * from j on, or sums of squares. */
static void consume(const sweep *s, const place *p, size_t panel, size_t j,
                    size_t real, const char *x, char *sum)
{
    const size_t size = s->q->blas->size;
    size_t first, rows = panel_rows(s, panel, &first);

    if (!s->wt)
        add_squares(s, x, p->square, sum);
    for (size_t i = 0; s->wt && i < real; i++)
        memcpy((char *)s->wt + ((j + i) * s->ldw + first) * size,
               x + i * s->w * size, rows * size);
}

/* The unknowns of a chunk of columns from j on, for factor k and a panel whose
 * rows of Q are q; before: the last ones of the chunk before. */
static void substitute(const sweep *s, const place *p, size_t k, size_t panel,
                       size_t j, const char *q, char *before, char *sum)
{
    const size_t r = s->r, b = s->q->b, line = s->w * s->q->blas->size;
    const size_t cols = gi_min_size(CHUNK, s->q->n - j);
    const char *m = s->m[k] + j * s->depth * s->q->blas->size;

    memcpy(p->x + r * line, before, b * line);
    for (size_t i = 0; i < cols; i += r) {
        char *x = p->x + i * line, *next = x + s->depth * line;

        memcpy(x, q + i * line, r * line);
        panel_product(s, m + i * s->depth * s->q->blas->size, x, next);
        consume(s, p, panel, j + i, gi_min_size(r, cols - i), next, sum);
    }
    memcpy(before, p->x + (r + cols) * line, b * line);
}

static void sweep_chunk(const sweep *s, const place *p, size_t stripe, size_t j)
{
    const size_t line = s->w * s->q->blas->size;
    const size_t cols = gi_min_size(CHUNK, s->q->n - j);

    for (size_t i = 0; i < PANELS; i++)
        pack(s, p, stripe * PANELS + i, j, cols, p->q + i * CHUNK * line);
    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < PANELS; i++) {
            const size_t own = k * PANELS + i;

            substitute(s, p, k, stripe * PANELS + i, j, p->q + i * CHUNK * line,
                       p->before + own * s->q->b * line,
                       p->sum + own * s->r * line);
        }
}

/* Lanes of the sums are rows. */
static void store_sums(const sweep *s, const place *p, size_t stripe)
{
    const gi_blas *blas = s->q->blas;

    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < PANELS; i++) {
            const char *sum =
                p->sum + (k * PANELS + i) * s->r * s->w * blas->size;
            size_t first, rows = panel_rows(s, stripe * PANELS + i, &first);

            for (size_t lane = 0; lane < rows; lane++) {
                double total = 0;

                for (size_t r = 0; r < s->r; r++)
                    total += blas->get(sum, r * s->w + lane);
                s->out[k * s->q->n + first + lane] = total;
            }
        }
}

static void sweep_stripe(const sweep *s, const place *p, size_t stripe)
{
    const size_t line = s->w * s->q->blas->size, all = s->count * PANELS;

    memset(p->before, 0, all * s->q->b * line);
    memset(p->sum, 0, all * s->r * line);
    for (size_t j = 0; j < s->q->n; j += CHUNK)
        sweep_chunk(s, p, stripe, j);
    if (s->out)
        store_sums(s, p, stripe);
}

/* --------------------------------------------------------------- the calls */

static void place_free(place *p)
{
    gi_free(p->from);
    gi_free(p->q);
    gi_free(p->before);
    gi_free(p->x);
    gi_free(p->square);
    gi_free(p->sum);
}

static gram_status place_new(gi_run *run, const sweep *s, place *p)
{
    const size_t size = s->q->blas->size * s->w, all = s->count * PANELS;
    gram_status status;

    GI_TRY(gi_alloc(run, &p->from, CHUNK, size));
    GI_TRY(gi_alloc(run, &p->q, PANELS * CHUNK, size));
    GI_TRY(gi_alloc(run, &p->before, all * s->q->b, size));
    GI_TRY(gi_alloc(run, &p->x, s->depth + CHUNK, size));
    GI_TRY(gi_alloc(run, &p->square, s->r, size));
    GI_TRY(gi_alloc(run, &p->sum, all * s->r, size));
done:
    return status;
}

static gram_status run_sweep(gi_run *run, sweep *s, gi_band_factor *const *f)
{
    place *places = NULL;
    gram_status status;
    int threads;

    s->cpu = gi_cpu_table();
    if (s->q->blas == &gi_blas_double) {
        s->r = s->cpu->pair_rows_d();
        s->w = s->cpu->pair_cols_d();
    } else {
        s->r = s->cpu->pair_rows_s();
        s->w = s->cpu->pair_cols_s();
    }
    s->depth = s->r + s->q->b;
    s->stripes = (s->rows + PANELS * s->w - 1) / (PANELS * s->w);
    threads = gi_band_threads(run, s->stripes);
    GI_TRY(GI_NEW_ZERO(run, s->m, s->count));
    GI_TRY(GI_NEW_ZERO(run, places, (size_t)threads));
    for (int i = 0; i < threads; i++)
        GI_TRY(place_new(run, s, &places[i]));
    GI_TRY(make_all(run, s, f));
    GI_PARALLEL_TASKS(threads)
    for (size_t i = 0; i < s->stripes; i++)
        sweep_stripe(s, &places[gi_thread_number()], i);
done:
    for (size_t k = 0; s->m && k < s->count; k++)
        gi_free(s->m[k]);
    for (int i = 0; places && i < threads; i++)
        place_free(&places[i]);
    gi_free(s->m);
    gi_free(places);
    return status;
}

gram_status gi_band_half_inverse(gi_run *run, const gi_band *q,
                                 const gi_band_factor *f, const size_t *row,
                                 size_t m, void *wt, size_t ldw)
{
    gi_band_factor *one = (gi_band_factor *)f;
    sweep s = {.q = q, .rows = m, .row = row, .count = 1, .wt = wt, .ldw = ldw};

    return run_sweep(run, &s, &one);
}

gram_status gi_band_inverse_diagonal(gi_run *run, const gi_band *q,
                                     gi_band_factor *const *f, size_t count,
                                     double *out)
{
    sweep s = {.q = q, .rows = q->n, .count = count, .out = out};

    return run_sweep(run, &s, f);
}
