/* pivot.c - pivoted Cholesky, a block of pivots at a time.
 *
 * A step takes the pivot p with the largest d_p, d = diag(A - F F'), and
 *
 *     f = (A_p - F F_p') / sqrt(d_p),   d -= f^2,   F = [F f].
 *
 * The cost is in A_p and F F_p', so rows are asked for in blocks: of the
 * columns whose d is at least half the largest, that one and others at even
 * distances are candidates; among them pivots are chosen as above, as long as
 * the best is still half of the largest of all.  So each is within a factor 2
 * of the greedy one.  Where candidates reduce each other's d the next block is
 * smaller; on smooth kernels a third of the rows are wasted.  (Harbrecht,
 * Peters, Schneider, Appl. Numer. Math. 62, 2012.)  Cost: n rank^2 flops.
 * The trap: near the end d is only rounding, so that of a candidate is computed
 * again from its row, which is more exact.
 */
#include "linalg/iterative/pivot.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/parallel.h"
#include "linalg/dense/gemm.h"

/* Candidates at most and at least, and the share of the largest element that
 * makes a candidate. */
enum { BLOCK = GI_PIVOT_BLOCK, BLOCK_MIN = GI_PIVOT_BLOCK_MIN };
#define SHARE 0.5

/* Columns that a thread takes at a time. */
enum { STRIPE = GI_PIVOT_STRIPE };

/* Far beyond rounding, relative to the largest element at the start: A is not
 * positive semidefinite. */
#define INDEFINITE 1e-8

typedef struct work {
    gi_run *run;
    gi_pivot *p;
    double limit, lowest; /* d up to limit is done, below lowest an error */
    size_t most;          /* largest rank */
    size_t block; /* candidates to choose: twice the last block's pivots */
    size_t candidate[BLOCK], candidates;
    size_t order[BLOCK], taken; /* candidates that became pivots */
    double *rows;               /* BLOCK x n: those of A - F F' */
    double *known;              /* BLOCK x ld: those of F */
    double *top;                /* largest of d, by stripes */
} work;

static size_t stripes(const gi_pivot *p)
{
    return p->n / STRIPE + (p->n % STRIPE > 0);
}

static size_t stripe_end(const gi_pivot *p, size_t s)
{
    return s + 1 < stripes(p) ? (s + 1) * STRIPE : p->n;
}

static size_t largest(const gi_pivot *p)
{
    size_t best = 0;

    for (size_t i = 1; i < p->n; i++)
        if (p->diagonal[i] > p->diagonal[best])
            best = i;
    return best;
}

/* ------------------------------------------------------------- candidates */

/* The largest, and others that are at least SHARE of it, evenly spread.
 * There are none if nothing remains. */
static void choose(work *w)
{
    const double *d = w->p->diagonal;
    size_t best = largest(w->p), good = 0, seen = 0;
    size_t others = gi_min_size(w->block, w->most - w->p->rank) - 1;
    double least = fmax(SHARE * d[best], w->limit);

    w->candidates = 0;
    if (!(d[best] > w->limit))
        return;
    for (size_t i = 0; i < w->p->n; i++)
        good += i != best && d[i] > least;
    others = gi_min_size(others, good);
    w->candidate[w->candidates++] = best;
    for (size_t i = 0; i < w->p->n; i++)
        if (i != best && d[i] > least) {
            if ((seen + 1) * others / good > seen * others / good)
                w->candidate[w->candidates++] = i;
            seen++;
        }
}

/* Make place for `cols` columns of F, which moves its rows apart. */
static gram_status reserve(work *w, size_t cols)
{
    gi_pivot *p = w->p;
    size_t ld = p->ld + p->ld / 2, size;
    gram_status status = GRAM_OK;

    if (cols <= p->ld)
        return GRAM_OK;
    ld = gi_min_size(ld > cols ? ld : cols, w->most);
    GI_TRY(gi_size_mul(p->n, ld, &size));
    GI_TRY(GI_GROW(w->run, p->factor, size));
    GI_TRY(GI_GROW(w->run, w->known, BLOCK * ld));
    for (size_t i = p->n; i-- > 1;)
        memmove(p->factor + i * ld, p->factor + i * p->ld,
                p->rank * sizeof *p->factor);
    p->ld = ld;
done:
    return status;
}

/* Rows of A - F F' at the candidates, and their exact places in d. */
static gram_status find_rows(work *w, gi_pivot_rows rows, void *user)
{
    gi_pivot *p = w->p;
    gi_run quiet = gi_run_share(w->run, 0, 0);
    size_t m = w->candidates;
    gram_status status;

    GI_TRY(rows(user, &quiet, w->candidate, m, w->rows, p->n));
    for (size_t c = 0; c < m && p->rank > 0; c++)
        memcpy(w->known + c * p->ld, p->factor + w->candidate[c] * p->ld,
               p->rank * sizeof *w->known);
    if (p->rank > 0)
        GI_TRY(gi_gemm_double(w->run, 0, 1, m, p->n, p->rank, -1, w->known,
                              p->ld, p->factor, p->ld, 1, w->rows, p->n));
    for (size_t c = 0; c < m; c++)
        p->diagonal[w->candidate[c]] = w->rows[c * p->n + w->candidate[c]];
done:
    return status;
}

/* ----------------------------------------------------------------- pivots */

/* Candidate `best` becomes a pivot: its row f, the rows of the others and d,
 * in one pass over the columns. */
static void take(work *w, size_t best, const char *left)
{
    gi_pivot *p = w->p;
    size_t n = p->n, place = w->candidate[best];
    double *f = w->rows + best * n, *d = p->diagonal, factor[BLOCK];
    double root = sqrt(d[place]);

    for (size_t k = 0; k < p->rank; k++)
        f[p->pivot[k]] = 0; /* rounding, where zero is known */
    for (size_t c = 0; c < w->candidates; c++)
        factor[c] = f[w->candidate[c]] / root;
    GI_PARALLEL_FOR(w->run->threads)
    for (size_t s = 0; s < stripes(p); s++) {
        w->top[s] = 0;
        for (size_t i = s * STRIPE; i < stripe_end(p, s); i++) {
            f[i] /= root;
            d[i] = i == place ? 0 : d[i] - f[i] * f[i];
            w->top[s] = fmax(w->top[s], d[i]);
        }
        for (size_t c = 0; c < w->candidates; c++)
            for (size_t i = s * STRIPE; left[c] && i < stripe_end(p, s); i++)
                w->rows[c * n + i] -= factor[c] * f[i];
    }
    p->pivot[p->rank++] = place;
    w->order[w->taken++] = best;
}

/* Pivots among the candidates, by the largest d. */
static void factor_block(work *w)
{
    const gi_pivot *p = w->p;
    char left[BLOCK];
    double top = p->diagonal[largest(p)];

    memset(left, 1, sizeof left);
    for (w->taken = 0; w->taken < w->candidates;) {
        double best = 0;
        size_t which = 0;

        for (size_t c = 0; c < w->candidates; c++)
            if (left[c] && p->diagonal[w->candidate[c]] > best) {
                best = p->diagonal[w->candidate[c]];
                which = c;
            }
        if (!(best > w->limit && best >= SHARE * top))
            break;
        left[which] = 0;
        take(w, which, left);
        top = 0;
        for (size_t s = 0; s < stripes(p); s++)
            top = fmax(top, w->top[s]);
    }
}

/* Rows of the pivots become columns of F. */
static void store(const work *w)
{
    const gi_pivot *p = w->p;
    size_t first = p->rank - w->taken;

    GI_PARALLEL_FOR(w->run->threads)
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < w->taken; k++)
            p->factor[i * p->ld + first + k] = w->rows[w->order[k] * p->n + i];
}

/* Elements that are negative by rounding become zero. */
static gram_status check_diagonal(const work *w)
{
    double *d = w->p->diagonal;
    char text[GI_NUMBER_ROOM];

    for (size_t i = 0; i < w->p->n; i++) {
        if (!(d[i] >= w->lowest && d[i] < INFINITY)) {
            gi_number_print(d[i], text);
            return gi_fail(GRAM_ERR_NUMERIC,
                           "pivoted Cholesky: what remains of diagonal element "
                           "%zu is %s, must be finite and not negative: the "
                           "matrix is not positive semidefinite",
                           i, text);
        }
        d[i] = fmax(d[i], 0);
    }
    return GRAM_OK;
}

static gram_status make_factor(work *w, gi_pivot_rows rows, void *user)
{
    gi_pivot *p = w->p;
    gram_status status = GRAM_OK;

    while (p->rank < w->most) {
        choose(w);
        if (w->candidates == 0)
            break;
        GI_TRY(reserve(w, p->rank + w->candidates));
        GI_TRY(find_rows(w, rows, user));
        factor_block(w);
        store(w);
        w->block = gi_min_size(2 * w->taken, BLOCK);
        w->block = w->block < BLOCK_MIN ? BLOCK_MIN : w->block;
        GI_TRY(check_diagonal(w));
        GI_TRY(gi_run_tick(w->run, (double)p->rank / (double)w->most));
    }
done:
    return status;
}

gram_status gi_pivot_new(gi_run *run, size_t n, const double *diagonal,
                         gi_pivot_rows rows, void *user, double tolerance,
                         size_t most, gi_pivot **out)
{
    work w = {.run = run, .most = gi_min_size(most, n), .block = BLOCK};
    gi_pivot *p = NULL;
    double top;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, p, 1));
    w.p = p;
    p->n = n;
    GI_TRY(GI_NEW(run, p->diagonal, n));
    GI_TRY(GI_NEW(run, p->pivot, w.most));
    GI_TRY(GI_NEW(run, w.rows, BLOCK * n));
    GI_TRY(GI_NEW(run, w.top, stripes(p)));
    memcpy(p->diagonal, diagonal, n * sizeof *diagonal);
    GI_TRY(check_diagonal(&w)); /* lowest = 0 as yet */
    top = n > 0 ? p->diagonal[largest(p)] : 0;
    w.limit = fmax(tolerance, (double)n * DBL_EPSILON) * top;
    w.lowest = -INDEFINITE * top;
    GI_TRY(make_factor(&w, rows, user));
    for (size_t i = 0; i < n; i++)
        p->trace += p->diagonal[i];
    *out = p;
    p = NULL;
done:
    gi_free(w.top);
    gi_free(w.known);
    gi_free(w.rows);
    gi_pivot_free(p);
    return status;
}

void gi_pivot_free(gi_pivot *p)
{
    if (p) {
        gi_free(p->factor);
        gi_free(p->pivot);
        gi_free(p->diagonal);
    }
    gi_free(p);
}
