/* aggregate.c - many kernels in one test, so that none has to be chosen.
 *
 * The family of a kernel k with values in [0, 1] is k, k^2, k^4, ...: of rbf
 * and exponential these are the same kernels with other widths, from wide to
 * narrow, and each costs a multiplication once k is at hand (bins.c).
 *
 * As in MMDAgg (Schrab et al., JMLR 2023) each member is ranked among its own
 * permutations, and the test statistic is the smallest weighted rank: with M_kb
 * the statistic of member k under permutation b, b = 0 being the data,
 *
 *     p_kb = share of b' with M_kb' >= M_kb,   T_b = min_k p_kb / w_k,
 *     p = share of b with T_b <= T_0
 *
 * T treats all b alike, so that p has exact level, however many kernels there
 * are and however they depend on each other.
 *
 * Cost: a pass over the kernel per family; permutations are those of bins.
 */
#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cpu/cpu.h"
#include "samples/mmd.h"

/* With few rows many bins cost next to nothing. */
enum {
    BINS = GI_AGGREGATE_BINS,
    EXACT_ROWS = GI_AGGREGATE_EXACT_ROWS,
    FEW_ROWS = GI_AGGREGATE_SMALL_ROWS,
    FEW_BINS = GI_AGGREGATE_SMALL_BINS
};

/* The first member is wider by this than the median distance suggests. */
static const double widen = 32;

static const char *const families[] = {GI_KERNEL_DEFAULT, "exponential"};

/* The median distance is a good guess: members weigh less, the farther their
 * width is from it. */
static double weight_of(size_t q)
{
    return 1 / (1 + fabs((double)q - log2(widen)));
}

typedef struct ranking {
    double value;
    size_t b;
} ranking;

static int compare(const void *a, const void *b)
{
    const ranking *x = a, *y = b;

    return (x->value < y->value) - (x->value > y->value);
}

/* Replace values[b] by its rank, from the largest down, over the member's
 * weight; values that are equal up to rounding share the larger rank. */
static void take_ranks(double *values, size_t count, double slack,
                       double weight, ranking *scratch)
{
    for (size_t b = 0; b < count; b++)
        scratch[b] = (ranking){values[b], b};
    qsort(scratch, count, sizeof *scratch, compare);
    for (size_t i = count, rank = count; i-- > 0;) {
        if (i + 1 < count && scratch[i].value > scratch[i + 1].value + slack)
            rank = i + 1;
        values[scratch[i].b] = (double)rank / weight;
    }
}

/* Powers are narrower kernels only if the values are in [0, 1]. */
static gram_status check_values(gi_run *run, gi_joined *p, const gi_bin_rows *c)
{
    const double slack = 1e-6;

    for (size_t i = 0; i < c->m + c->n; i++)
        if (c->diagonal[i] > 1 + slack)
            return gi_joined_print(run, p) == GRAM_OK
                       ? gi_fail(GRAM_ERR_RANGE,
                                 "aggregate: kernel \"%s\" has the value %g at "
                                 "a row, powers take at most 1: normalize(...) "
                                 "makes it so",
                                 p->text.s, c->diagonal[i])
                       : GRAM_ERR_MEMORY;
    return GRAM_OK;
}

/* ------------------------------------------------------------------ family */

typedef struct family {
    gi_run *run;
    const gram_test_options *o;
    gi_joined joined; /* its table is borrowed */
    size_t bins;
    gi_labels labels;
    double *smallest; /* per labelling: the best rank so far */
    const char *text; /* of the member that has it, if widths are tried, */
    size_t power;     /* and which it is */
    const gi_bin_rows *bin_rows;
    double *values, *sums; /* of each member */
    ranking *scratch;
    gi_aggregate *out;
} family;

/* The kernel becomes the best member k^(2^q): of the families in the table that
 * is another width, of a kernel that was given a power. */
static gram_status make_best(family *f)
{
    const size_t q = f->power;
    gram_status status = GRAM_OK;
    gi_joined *p = &f->joined;
    gi_buf power = {0};

    if (!f->o->kernel) {
        GI_TRY(gi_joined_kernel(f->run, f->text, f->o->scale,
                                ldexp(widen, -(int)q), p));
    } else if (q > 0) {
        GI_TRY(gi_joined_print(f->run, p));
        GI_TRY(gi_buf_printf(f->run, &power, "(%s)^%d", p->text.s, 1 << q));
        GI_TRY(gi_joined_kernel(f->run, power.s, GRAM_KERNEL_SCALE_NONE, 1, p));
    }
done:
    gi_buf_free(&power);
    return status;
}

static gram_status start_labels(family *f, const gi_bin_rows *c)
{
    gram_status status = GRAM_OK;
    const size_t count = f->o->permutations + 1, s = c->bins.count;

    if (f->labels.in)
        return status;
    GI_TRY(gi_labels_new(f->run, c, count, &f->labels));
    GI_TRY(GI_NEW(f->run, f->smallest, count));
    GI_TRY(GI_NEW(f->run, f->values, GI_POWERS * count));
    GI_TRY(GI_NEW(f->run, f->scratch, GI_POWERS * count));
    GI_TRY(GI_NEW(f->run, f->sums, GI_POWERS * s * s));
    for (size_t b = 0; b < count; b++)
        f->smallest[b] = INFINITY;
    f->out->bins = c->moving;
done:
    return status;
}

/* The size of the sums that values are made of, for ties up to rounding. */
static double size_of(const double *sums, size_t bins, double pairs)
{
    double sum = 0;

    for (size_t i = 0; i < bins * bins; i++)
        sum += fabs(sums[i]);
    return sum / pairs;
}

/* gi_parallel_for: the ranks of member q. */
static gram_status rank_member(void *user, size_t q)
{
    family *f = user;
    gi_run one = *f->run;
    const size_t s = f->bin_rows->bins.count, count = f->labels.count;
    const double rows = (double)(f->joined.m + f->joined.n);
    const double *sums = f->sums + q * s * s;
    double *values = f->values + q * count;
    gram_status status;

    one.threads = 1; /* members are the tasks */
    GI_TRY(gi_labels_values(&one, &f->labels, f->bin_rows, sums,
                            GRAM_TEST_UNBIASED, values));
    take_ranks(values, count, 1e-12 * size_of(sums, s, rows * rows),
               weight_of(q), f->scratch + q * count);
done:
    return status;
}

/* Take member q into account. */
static void add_member(family *f, const char *text, size_t q)
{
    const size_t count = f->labels.count;
    const double *ranks = f->values + q * count;

    if (ranks[0] < f->smallest[0]) {
        f->text = text;
        f->power = q;
    }
    for (size_t b = 0; b < count; b++)
        f->smallest[b] = fmin(f->smallest[b], ranks[b]);
    f->out->kernels++;
}

static gram_status add_family(family *f, const char *text)
{
    gram_status status = GRAM_OK;
    gi_joined *p = &f->joined;
    gi_bin_rows c = {0};

    GI_TRY(gi_joined_kernel(f->run, text, f->o->scale, widen, p));
    GI_TRY(gi_bin_rows_new(f->run, p, f->bins, f->o->precision, &c));
    GI_TRY(check_values(f->run, p, &c));
    GI_TRY(start_labels(f, &c));
    GI_TRY(gi_engine_bins(f->run, p->program, c.at, &c.bins, GI_POWERS, f->sums,
                          NULL));
    f->bin_rows = &c;
    GI_TRY(gi_parallel_for(f->run, GI_POWERS, rank_member, f));
    for (size_t q = 0; q < GI_POWERS; q++)
        add_member(f, text, q);
done:
    f->bin_rows = NULL;
    gi_bin_rows_clear(&c);
    return status;
}

gram_status gi_mmd_aggregate(gi_run *run, gi_joined *p,
                             const gram_test_options *o, gi_aggregate *out)
{
    gram_status status = GRAM_OK;
    const size_t count = o->permutations + 1, rows = p->m + p->n;
    const size_t all = sizeof families / sizeof *families;
    size_t as_small = 0;
    family f = {.run = run, .o = o, .out = out};

    *out = (gi_aggregate){.p_value = 1};
    if (o->exact && rows > EXACT_ROWS)
        return gi_fail(GRAM_ERR_RANGE,
                       "aggregate: permutes bins of rows, single rows (exact) "
                       "up to %d, there are %zu",
                       EXACT_ROWS, rows);
    f.bins = o->exact          ? rows
             : o->bins         ? o->bins
             : rows > FEW_ROWS ? BINS
             : rows < FEW_BINS ? rows
                               : FEW_BINS;
    f.joined = (gi_joined){.table = p->table, .m = p->m, .n = p->n};
    if (o->kernel)
        GI_TRY(add_family(&f, o->kernel));
    for (size_t i = 0; !o->kernel && i < all; i++)
        GI_TRY(add_family(&f, families[i]));
    GI_TRY(make_best(&f));
    for (size_t b = 0; b < count; b++)
        as_small += f.smallest[b] <= f.smallest[0];
    out->p_value = (double)as_small / (double)count;
    gi_joined_take_kernel(p, &f.joined);
done:
    f.joined.table = NULL;
    gi_joined_clear(&f.joined);
    gi_labels_clear(&f.labels);
    gi_free(f.smallest);
    gi_free(f.values);
    gi_free(f.sums);
    gi_free(f.scratch);
    return status;
}
