/* permute.c - the statistic under other labellings: of bins, of rows, and with
 * wild weights.
 *
 * With z_i = 1 for rows of the first sample, r the row sums of K without its
 * diagonal and a = z'Kz, the statistic of a labelling follows from a and z'r:
 *
 *     xx = a,   xy = z'r - a,   yy = 1'r - 2 z'r + a
 *
 * so each labelling takes one quadratic form, and all of them together one
 * matrix product.  With bins, K is the small matrix of sums over bins.
 * Labelling 0 is that of the data, computed by the same instructions, and
 * counts:
 *
 *     p = (1 + those at least as large)/(1 + permutations)
 *
 * is exact at every size and never 0.
 *
 * A sequential test stops when so many are larger that it cannot reject any
 * more, with p = larger/permutations (Besag and Clifford 1991), or when those to
 * come can no longer prevent that it rejects.
 *
 * The wild bootstrap keeps the labels and gives row t of each sample a weight of
 * mean 0 from a stationary process (Chwialkowski, Sejdinovic, Gretton 2014, eq.
 * 9), which keeps the dependence between neighbouring rows.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "linalg/dense/gemm.h"
#include "samples/mmd.h"

enum { STREAM_BINS = 0x6d6d6462, STREAM_ROWS = 0x6d6d6472 };
enum { STREAM_WILD = 0x6d6d6477 };

/* Labellings of rows at a time: as many as fit in BYTES, in steps. */
enum {
    STEP = GI_TEST_BATCH,
    LARGEST = GI_TEST_BATCH_MAX,
    BYTES = GI_TEST_BATCH_BYTES
};

/* ----------------------------------------------------------------- choosing */

/* Random numbers of 32 bits, two from each of 64. */
typedef struct halves {
    gi_rng rng;
    uint64_t word;
    int left;
} halves;

static uint32_t next_half(halves *h)
{
    if (!h->left--) {
        h->word = gi_rng_u64(&h->rng);
        h->left = 1;
        return (uint32_t)h->word;
    }
    return (uint32_t)(h->word >> 32);
}

/* Uniform on 0 .. n-1, without bias (Lemire 2019). */
static uint32_t below(halves *h, uint32_t n)
{
    uint64_t product = (uint64_t)next_half(h) * n;

    if ((uint32_t)product < n) {
        uint32_t least = (0u - n) % n;

        while ((uint32_t)product < least)
            product = (uint64_t)next_half(h) * n;
    }
    return (uint32_t)(product >> 32);
}

/* Choose `take` of the numbers below n; they are then at the front of item. */
static void choose(uint64_t seed, uint64_t stream, uint64_t number, uint32_t n,
                   uint32_t take, uint32_t *item)
{
    halves h = {.rng = gi_rng_new(seed, stream + (number << 32))};

    for (uint32_t i = 0; i < n; i++)
        item[i] = i;
    for (uint32_t i = 0; i < take; i++) {
        uint32_t j = i + below(&h, n - i), kept = item[i];

        item[i] = item[j];
        item[j] = kept;
    }
}

/* -------------------------------------------------------------------- bins */

gram_status gi_labels_new(gi_run *run, const gi_bin_rows *c, size_t count,
                          gi_labels *out)
{
    gram_status status = GRAM_OK;
    const size_t s = c->bins.count;
    uint32_t *item = NULL;

    *out = (gi_labels){.count = count, .bins = s};
    GI_TRY(GI_NEW(run, item, c->moving));
    GI_TRY(GI_NEW(run, out->in, count * s));
    for (size_t b = 0; b < count; b++) {
        double *in = out->in + b * s;

        for (size_t g = 0; g < s; g++)
            in[g] = c->start[g] < c->m;
        if (b == 0)
            continue;
        choose(run->seed, STREAM_BINS, b, (uint32_t)c->moving,
               (uint32_t)c->moving_a, item);
        for (size_t k = 0; k < c->moving; k++)
            in[c->moves[item[k]]] = k < c->moving_a;
    }
done:
    gi_free(item);
    return status;
}

void gi_labels_clear(gi_labels *l)
{
    gi_free(l->in);
    *l = (gi_labels){0};
}

/* Per bin: the sum of its row of S, and of its diagonal elements. */
static void bin_totals(const gi_bin_rows *c, const double *S, double *r,
                       double *d)
{
    const size_t s = c->bins.count;

    for (size_t g = 0; g < s; g++) {
        r[g] = d[g] = 0;
        for (size_t h = 0; h < s; h++)
            r[g] += S[g * s + h];
        for (size_t i = c->start[g]; i < c->start[g + 1]; i++)
            d[g] += c->diagonal[i];
    }
}

/* The statistic of a labelling with a = z'Kz, zr = z'r and zd = z'd, d the
 * diagonal; R and D are the sums of r and d. */
static double value_of(const gi_bin_rows *c, double a, double zr, double zd,
                       double R, double D, gram_test_statistic kind)
{
    gi_mmd_sums k = {a, zr - a, R - 2 * zr + a, zd, D - zd};

    return gi_mmd_value(&k, (double)c->m, (double)c->n, kind);
}

gram_status gi_labels_values(gi_run *run, const gi_labels *l,
                             const gi_bin_rows *c, const double *S,
                             gram_test_statistic kind, double *values)
{
    gram_status status = GRAM_OK;
    const size_t s = l->bins;
    double *product = NULL, *r = NULL, *d = NULL, R = 0, D = 0;

    GI_TRY(GI_NEW(run, product, l->count * s));
    GI_TRY(GI_NEW(run, r, s));
    GI_TRY(GI_NEW(run, d, s));
    bin_totals(c, S, r, d);
    for (size_t g = 0; g < s; g++) {
        R += r[g];
        D += d[g];
    }
    GI_TRY(gi_gemm_double(run, 0, 0, l->count, s, s, 1, l->in, s, S, s, 0,
                          product, s));
    for (size_t b = 0; b < l->count; b++) {
        const double *z = l->in + b * s, *Sz = product + b * s;
        double a = 0, zr = 0, zd = 0;

        for (size_t g = 0; g < s; g++) {
            a += z[g] * Sz[g];
            zr += z[g] * r[g];
            zd += z[g] * d[g];
        }
        values[b] = value_of(c, a, zr, zd, R, D, kind);
    }
done:
    gi_free(product);
    gi_free(r);
    gi_free(d);
    return status;
}

size_t gi_count_extreme(const double *values, size_t count, double rounding,
                        double size)
{
    size_t extreme = 0;

    for (size_t b = 1; b < count; b++)
        extreme += values[b] >= values[0] - rounding * size;
    return extreme;
}

/* -------------------------------------------------------------------- rows */

/* Weights of rows in the precision of the tiles, for some labellings. */
typedef struct batch {
    gi_run *run;
    const gi_joined *p;
    const gi_bin_rows *c;
    int single;
    size_t capacity; /* labellings that fit */
    void *W;
    double *a, *zr, *zd; /* per labelling */
    uint32_t *item;      /* per thread */
} batch;

static size_t batch_capacity(const gi_bin_rows *c, int single, int small)
{
    size_t bytes = (c->m + c->n) * (single ? sizeof(float) : sizeof(double));
    size_t fit = BYTES / bytes / STEP * STEP;

    if (small || fit < STEP)
        return STEP;
    return fit < LARGEST ? fit : LARGEST;
}

static gram_status batch_begin(batch *b)
{
    gram_status status;
    const size_t rows = b->c->m + b->c->n;

    GI_TRY(gi_alloc(b->run, &b->W, b->capacity * rows,
                    b->single ? sizeof(float) : sizeof(double)));
    GI_TRY(GI_NEW(b->run, b->a, b->capacity));
    GI_TRY(GI_NEW(b->run, b->zr, b->capacity));
    GI_TRY(GI_NEW(b->run, b->zd, b->capacity));
    GI_TRY(GI_NEW(b->run, b->item, (size_t)b->run->threads * rows));
done:
    return status;
}

static void batch_end(batch *b)
{
    gi_free(b->W);
    gi_free(b->a);
    gi_free(b->zr);
    gi_free(b->zd);
    gi_free(b->item);
}

static void set_weight(const batch *b, size_t k, size_t row, double w)
{
    size_t at = k * (b->c->m + b->c->n) + row;

    if (b->single)
        ((float *)b->W)[at] = (float)w;
    else
        ((double *)b->W)[at] = w;
}

/* Labelling `number` in place k: 1 for rows of the first sample. */
static void label_rows(const batch *b, size_t k, size_t number,
                       const double *totals)
{
    const gi_bin_rows *c = b->c;
    const size_t rows = c->m + c->n;
    uint32_t *item = b->item + (size_t)gi_thread_number() * rows;

    choose(b->run->seed, STREAM_ROWS, number, (uint32_t)rows,
           number ? (uint32_t)c->m : 0, item);
    memset((char *)b->W + k * rows * (b->single ? 4 : 8), 0,
           rows * (b->single ? 4 : 8));
    b->zr[k] = b->zd[k] = 0;
    for (size_t i = 0; i < c->m; i++) {
        set_weight(b, k, item[i], 1);
        b->zr[k] += totals[item[i]];
        b->zd[k] += c->diagonal[item[i]];
    }
}

/* Labellings from .. to-1. */
static gram_status label_batch(batch *b, size_t from, size_t to,
                               const double *totals, const gi_mmd *e,
                               gram_test_statistic kind, double *values)
{
    gram_status status;
    const double R = e->sums.xx + e->sums.yy + 2 * e->sums.xy;
    const double D = e->sums.dx + e->sums.dy;

    GI_PARALLEL_FOR(b->run->threads)
    for (size_t k = 0; k < to - from; k++)
        label_rows(b, k, from + k, totals);
    GI_TRY(gi_engine_forms(b->run, b->p->program, b->c->at, b->W, to - from,
                           b->c->m + b->c->n, b->a));
    for (size_t k = 0; k < to - from; k++)
        values[from + k] =
            value_of(b->c, b->a[k], b->zr[k], b->zd[k], R, D, kind);
done:
    return status;
}

/* Rounding up to which values are ties: that of sums in tile precision. */
static double rounding_of(const batch *b)
{
    return b->single ? 1e-6 : 1e-12;
}

static double size_of(const gi_bin_rows *c, const gi_mmd *e)
{
    gi_mmd_sums k = {fabs(e->sums.xx), -fabs(e->sums.xy), fabs(e->sums.yy), 0,
                     0};

    return gi_mmd_value(&k, (double)c->m, (double)c->n, GRAM_TEST_UNBIASED);
}

/* Is the test decided after `done` permutations? */
static int is_decided(const double *values, size_t done, const gi_exact *how,
                      double slack, gi_permuted *out)
{
    const double all = 1 + (double)how->permutations;
    const double too_many = ceil(how->alpha * all);
    double larger = 0, left;

    for (size_t b = 1; b <= done; b++) {
        larger += values[b] >= values[0] - slack;
        if (larger >= too_many) {
            *out = (gi_permuted){larger / (double)b, b};
            return 1;
        }
    }
    left = (double)(how->permutations - done);
    *out = (gi_permuted){(1 + larger + left) / all, done};
    return out->p_value <= how->alpha;
}

gram_status gi_permute_rows(gi_run *run, const gi_joined *p,
                            const gi_bin_rows *c, const gi_mmd *e,
                            const double *totals, const gi_exact *how,
                            gi_permuted *out)
{
    gram_status status = GRAM_OK;
    const size_t count = how->permutations + 1;
    batch b = {.run = run, .p = p, .c = c};
    double *values = NULL, slack;
    int decided = 0;

    b.single = c->at->precision == GI_SINGLE;
    b.capacity = batch_capacity(c, b.single, how->sequential);
    slack = rounding_of(&b) * size_of(c, e);
    GI_TRY(GI_NEW(run, values, count));
    GI_TRY(batch_begin(&b));
    for (size_t from = 0; from < count && !decided; from += b.capacity) {
        size_t to = from + b.capacity < count ? from + b.capacity : count;
        gi_run part = gi_run_share(run, (double)from / (double)count,
                                   (double)to / (double)count);

        b.run = &part;
        GI_TRY(label_batch(&b, from, to, totals, e, how->kind, values));
        decided =
            how->sequential && is_decided(values, to - 1, how, slack, out);
    }
    if (!decided) {
        size_t larger = gi_count_extreme(values, count, 1, slack);

        *out = (gi_permuted){(1 + (double)larger) / (double)count,
                             how->permutations};
    }
done:
    batch_end(&b);
    gi_free(values);
    return status;
}

/* -------------------------------------------------------------------- wild */

/* W_t = q W_{t-1} + sqrt(1 - q^2) e_t with q = exp(-1/dependence), centred, in
 * units of the sample; number 0 is the weights of the statistic itself. */
static void draw_weights(const batch *b, size_t k, size_t number, int second,
                         double q)
{
    const gi_bin_rows *c = b->c;
    const size_t first = second ? c->m : 0, rows = second ? c->n : c->m;
    gi_rng rng =
        gi_rng_new(b->run->seed, STREAM_WILD + ((uint64_t)second << 32) +
                                     ((uint64_t)number << 33));
    double w = gi_rng_normal(&rng), mean = 0, sign = second ? -1 : 1;
    gi_rng again = gi_rng_new(rng.seed, rng.stream);

    for (size_t t = 0; t < rows; t++) {
        mean += w / (double)rows;
        w = q * w + sqrt(1 - q * q) * gi_rng_normal(&rng);
    }
    w = gi_rng_normal(&again);
    for (size_t t = 0; t < rows; t++) {
        double u = sign * (number ? w - mean : 1) / (double)rows;

        set_weight(b, k, first + t, u);
        b->zd[k] += u * u * c->diagonal[first + t];
        w = q * w + sqrt(1 - q * q) * gi_rng_normal(&again);
    }
}

static gram_status wild_batch(batch *b, size_t from, size_t to, double q,
                              double *values)
{
    gram_status status;

    memset(b->zd, 0, (to - from) * sizeof *b->zd);
    GI_PARALLEL_FOR(b->run->threads)
    for (size_t k = 0; k < to - from; k++)
        for (int second = 0; second < 2; second++)
            draw_weights(b, k, from + k, second, q);
    GI_TRY(gi_engine_forms(b->run, b->p->program, b->c->at, b->W, to - from,
                           b->c->m + b->c->n, b->a));
    for (size_t k = 0; k < to - from; k++)
        values[from + k] = b->a[k] + b->zd[k];
done:
    return status;
}

gram_status gi_permute_wild(gi_run *run, const gi_joined *p,
                            const gi_bin_rows *c, const gi_mmd *e, size_t draws,
                            double dependence, gi_permuted *out)
{
    gram_status status = GRAM_OK;
    const size_t count = draws + 1;
    batch b = {.run = run, .p = p, .c = c};
    double *values = NULL;
    size_t larger;

    b.single = c->at->precision == GI_SINGLE;
    b.capacity = batch_capacity(c, b.single, 0);
    GI_TRY(GI_NEW(run, values, count));
    GI_TRY(batch_begin(&b));
    for (size_t from = 0; from < count; from += b.capacity) {
        size_t to = from + b.capacity < count ? from + b.capacity : count;
        gi_run part = gi_run_share(run, (double)from / (double)count,
                                   (double)to / (double)count);

        b.run = &part;
        GI_TRY(wild_batch(&b, from, to, exp(-1 / dependence), values));
    }
    larger = gi_count_extreme(values, count, rounding_of(&b), size_of(c, e));
    *out = (gi_permuted){(1 + (double)larger) / (double)count, draws};
done:
    batch_end(&b);
    gi_free(values);
    return status;
}
