/* unknowns.c - where to look for the numbers that are open.
 *
 * A number multiplies some quantity of the rows, and is best begun where the
 * product is about 1.  What it multiplies is read from the program, so this
 * holds for any class:
 *
 *     c theta^power |x-t|^2           = 1/2   so length is the median distance
 *     theta^power |x-t|, |x-t|_1, ... = 1
 *     theta x.t                       = 1     for x = t
 *
 * with the median over pairs of rows, those at distance 0 left out.  With one
 * number per column all columns have equal shares of it.  A period is sought
 * between the spacing of the numbers and their range.  Bounds are lengths from
 * 1/100 to 100 times the first one; with one number per column to 1000 times,
 * where a column has no effect.
 *
 * Cost: O(PAIRS columns) a number, and a sort for a period.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "kernels/program/unknowns.h"
#include "kernels/program/points.h"

/* Rows in the sample, and how many others each is paired with. */
enum { SAMPLE = GI_UNKNOWNS_ROWS, PARTNERS = 8 };

/* Stream of the seed. */
enum { STREAM = 0x756e6b };

static const double shortest = 0.01, longest = 100, switched_off = 1000;
static const double amplitude_reach = 1e4, default_reach = 100,
                    written_reach = 1000;

typedef struct guess {
    double start, lower, upper;
} guess;

typedef struct seeker {
    gi_run *run;
    const gram_program *p;
    const gi_points *x;
    size_t *row; /* the sample, in random order */
    size_t rows;
} seeker;

/* --------------------------------------------------------------- quantities */

static double squared_gap(double x, double t)
{
    return (x - t) * (x - t);
}

static double gap(double x, double t)
{
    return fabs(x - t);
}

static double chi2_gap(double x, double t)
{
    return x + t > 0 ? (x - t) / (x + t) * (x - t) : 0;
}

static double product(double x, double t)
{
    return x * t;
}

/* A leaf as a sum over columns; `degree` of it in lengths. */
static const struct quantity {
    gi_opcode code;
    int pair; /* COLUMNS: which */
    double (*cell)(double x, double t);
    double degree;
} quantities[] = {
    {GI_OP_SQDIST, 0, squared_gap, 2},
    {GI_OP_L1, 0, gap, 1},
    {GI_OP_DOT, 0, product, 2},
    {GI_OP_COLUMNS, GRAM_PAIR_CHI2, chi2_gap, 1},
    {GI_OP_COLUMNS, GRAM_PAIR_SIN2, NULL, 2}, /* no length, about 1 */
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* How a number enters the program. */
typedef struct use {
    const gi_op *op;              /* that has it; NULL: none */
    const gi_op *leaf;            /* whose value it scales; may be op itself */
    const struct quantity *value; /* of the leaf; NULL: none of those above */
    int rooted;                   /* what it scales is the root of the value */
    double c;                     /* beside it */
} use;

static const struct quantity *quantity_of(const gi_op *leaf)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        if (quantities[i].code == leaf->code &&
            (leaf->code != GI_OP_COLUMNS || quantities[i].pair == leaf->n))
            return &quantities[i];
    return NULL;
}

/* The first instruction that reads register r. */
static const gi_op *reader_of(const gram_program *p, int r)
{
    for (int i = r + 1; i < (int)p->ops; i++)
        if (p->op[i].a == r || p->op[i].b == r)
            return &p->op[i];
    return NULL;
}

static use find_use(const gram_program *p, int theta)
{
    use u = {.c = 1};
    const gi_op *op = p->op, *end = p->op + p->ops, *next;

    while (op < end && op->slot != theta)
        op++;
    if (op == end)
        return u;
    u.op = u.leaf = op;
    if (op->view >= 0) { /* a weight of columns */
        next = reader_of(p, (int)(op - p->op));
        u.rooted = next && next->code == GI_OP_SQRT;
        u.c = next && next->code == GI_OP_SCALE ? fabs(next->c) : 1;
    } else if (op->code == GI_OP_SCALE) {
        u.c = fabs(op->c);
        while (u.leaf->code == GI_OP_SCALE || u.leaf->code == GI_OP_SQRT) {
            u.rooted |= u.leaf->code == GI_OP_SQRT;
            u.leaf = &p->op[u.leaf->a];
        }
    }
    u.value = quantity_of(u.leaf);
    return u;
}

/* ------------------------------------------------------------------ samples */

/* Columns of a view: one number for all, or for each its own. */
typedef struct columns {
    const gi_rows *rows;
    size_t width, count; /* dense; all */
} columns;

static columns columns_of(const seeker *s, const gi_op *leaf)
{
    const gi_view *v = &s->p->view[leaf->view];

    return (columns){&s->x->view[leaf->view], v->width,
                     v->width + v->sparse_width};
}

/* sum[k * step] += cell of column k of rows i and j; step 0: all in one. */
static void add_pair(const columns *c, size_t i, size_t j,
                     double (*cell)(double, double), size_t step, double *sum)
{
    const gi_rows *r = c->rows;
    const double *x = r->dense + i * c->width, *t = r->dense + j * c->width;
    size_t a = r->start ? r->start[i] : 0,
           a_end = r->start ? r->start[i + 1] : 0;
    size_t b = r->start ? r->start[j] : 0,
           b_end = r->start ? r->start[j + 1] : 0;

    for (size_t k = 0; k < c->width; k++)
        sum[k * step] += cell(x[k], t[k]);
    while (a < a_end || b < b_end) {
        int in_a = a < a_end && (b == b_end || r->index[a] <= r->index[b]);
        int in_b = b < b_end && (a == a_end || r->index[b] <= r->index[a]);
        size_t k = c->width + (in_a ? r->index[a] : r->index[b]);

        if (k < c->count)
            sum[k * step] +=
                cell(in_a ? r->entries[a] : 0, in_b ? r->entries[b] : 0);
        a += (size_t)in_a;
        b += (size_t)in_b;
    }
}

/* Partners of every row of the sample. */
static size_t partners(const seeker *s)
{
    return s->rows - 1 < PARTNERS ? s->rows - 1 : PARTNERS;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The median of those of n numbers that are above 0; 1 if there are none. */
static double median(double *x, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (x[i] > 0 && isfinite(x[i]))
            x[count++] = x[i];
    qsort(x, count, sizeof *x, compare);
    return count ? x[count / 2] : 1;
}

static gram_status median_of(const seeker *s, const use *u, double *out)
{
    gram_status status = GRAM_OK;
    const columns c = columns_of(s, u->leaf);
    int norms = u->leaf->code == GI_OP_DOT;
    size_t each = norms ? 1 : partners(s), n = 0;
    double *value = NULL;

    GI_TRY(GI_NEW_ZERO(s->run, value, s->rows * each));
    for (size_t i = 0; i < s->rows; i++)
        for (size_t m = 0; m < each; m++)
            add_pair(&c, s->row[i],
                     norms ? s->row[i] : s->row[(i + m + 1) % s->rows],
                     u->value->cell, 0, &value[n++]);
    *out = median(value, n);
done:
    gi_free(value);
    return status;
}

/* Of every column the mean over the pairs; columns in which there is nothing
 * to see get the mean of the others. */
static void means_of(const seeker *s, const use *u, double *mean)
{
    const columns c = columns_of(s, u->leaf);
    double pairs = (double)(s->rows * partners(s)), sum = 0;
    size_t seen = 0;

    memset(mean, 0, c.count * sizeof *mean);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t m = 0; m < partners(s); m++)
            add_pair(&c, s->row[i], s->row[(i + m + 1) % s->rows],
                     u->value->cell, 1, mean);
    for (size_t k = 0; k < c.count; k++) {
        mean[k] /= pairs;
        if (mean[k] > 0 && isfinite(mean[k])) {
            sum += mean[k];
            seen++;
        }
    }
    for (size_t k = 0; k < c.count; k++)
        if (!(mean[k] > 0 && isfinite(mean[k])))
            mean[k] = seen && isfinite(sum) ? sum / (double)seen : 1;
    for (size_t k = 0; k < c.count; k++)
        mean[k] *= (double)(seen ? seen : c.count);
}

/* ------------------------------------------------------------------ guesses */

/* From start * a to start * b, or the other way round. */
static guess between(double start, double a, double b)
{
    double low = fmin(start * a, start * b), high = fmax(start * a, start * b);

    return (guess){start, fmax(low, DBL_MIN), fmin(high, DBL_MAX)};
}

/* theta^power size = target, where sizes are lengths^degree. */
static guess guess_scale(double target, double size, double power,
                         double degree, double far)
{
    double start = pow(target / size, 1 / power), q = -degree / power;

    if (!(isfinite(start) && start >= DBL_MIN))
        start = 1;
    return between(start, pow(shortest, q), pow(far, q));
}

/* What the quantity times the number should be. */
static double target_of(const use *u)
{
    return u->leaf->code == GI_OP_SQDIST && !u->rooted ? 0.5 / u->c : 1;
}

static gram_status guess_distance(const seeker *s, const use *u, guess *out)
{
    gram_status status = GRAM_OK;
    double size = 1;

    if (u->value->cell)
        GI_TRY(median_of(s, u, &size));
    *out =
        guess_scale(target_of(u), u->rooted ? sqrt(size) : size, u->op->power,
                    u->value->degree / (u->rooted ? 2 : 1), longest);
done:
    return status;
}

static gram_status guess_columns(const seeker *s, const use *u, size_t count,
                                 guess *out)
{
    gram_status status = GRAM_OK;
    double *mean = NULL;

    GI_TRY(GI_NEW(s->run, mean, count));
    means_of(s, u, mean);
    for (size_t k = 0; k < count; k++)
        out[k] = guess_scale(target_of(u), mean[k], u->op->power,
                             u->value->degree, switched_off);
done:
    gi_free(mean);
    return status;
}

/* Range, and median distance of neighbours, of the numbers of a column. */
static void measure(const seeker *s, const columns *c, size_t k, double *room,
                    double *range, double *spacing)
{
    size_t n = s->x->rows;

    for (size_t i = 0; i < n; i++)
        room[i] = c->rows->dense[i * c->width + k];
    qsort(room, n, sizeof *room, compare);
    *range = room[n - 1] - room[0];
    for (size_t i = 0; i + 1 < n; i++)
        room[i] = room[i + 1] - room[i];
    *spacing = median(room, n - 1);
}

/* Two numbers a period at least, and not much longer than all of them. */
static gram_status guess_period(const seeker *s, const use *u, guess *out)
{
    gram_status status = GRAM_OK;
    const columns c = columns_of(s, u->leaf);
    double *room = NULL, low = INFINITY, high = 0;

    GI_TRY(GI_NEW(s->run, room, s->x->rows));
    for (size_t k = 0; k < c.width; k++) {
        double range, spacing;

        measure(s, &c, k, room, &range, &spacing);
        if (range > 0 && isfinite(range)) {
            low = fmin(low, 2 * spacing);
            high = fmax(high, 2 * range);
        }
    }
    *out = high > 0 ? (guess){sqrt(low) * sqrt(high), low, high}
                    : between(1, shortest, longest);
done:
    gi_free(room);
    return status;
}

static guess guess_default(double value)
{
    if (value == 0)
        return (guess){0, 0, default_reach};
    return between(value, 1 / default_reach, default_reach);
}

static guess guess_amplitude(void)
{
    return between(1, 1 / amplitude_reach, amplitude_reach);
}

/* The numbers of a slot, `count` of them, by what they do. */
static gram_status guess_slot(const seeker *s, size_t slot, size_t count,
                              guess *out)
{
    const gram_param *param = s->p->kernel->slot[slot].param;
    use u = find_use(s->p, s->p->first_theta[slot]);

    *out = guess_amplitude();
    if (!param || !u.op)
        return GRAM_OK;
    if (u.op->code == GI_OP_COLUMNS)
        return guess_period(s, &u, out);
    if (u.op == u.leaf && u.value)
        return guess_columns(s, &u, count, out);
    if (!isnan(param->value) && u.leaf->code != GI_OP_DOT)
        *out = guess_default(param->value);
    else if (u.value)
        return guess_distance(s, &u, out);
    return GRAM_OK;
}

/* ----------------------------------------------------------------- unknowns */

/* What is written behind the question mark, if anything is. */
static void heed_text(const gi_slot *slot, gi_unknown *u)
{
    double low = slot->start, high = slot->start;

    u->candidates = slot->candidates;
    u->candidate_count = slot->candidate_count;
    for (size_t i = 0; i < slot->candidate_count; i++) {
        low = fmin(low, slot->candidates[i]); /* of NaN and x it is x */
        high = fmax(high, slot->candidates[i]);
    }
    if (isnan(low))
        return;
    u->start = slot->candidate_count
                   ? slot->candidates[slot->candidate_count / 2]
                   : slot->start;
    if (low > 0) { /* at least as far as without it: ard switches off columns */
        u->lower = fmax(fmin(u->lower, low / written_reach), DBL_MIN);
        u->upper = fmin(fmax(u->upper, high * written_reach), DBL_MAX);
    } else {
        double reach = fmax(fabs(low), fabs(high));

        u->upper = reach > 0 ? reach * written_reach : default_reach;
        u->lower = low < 0 ? -u->upper : 0;
    }
}

static gram_status add_slot(const seeker *s, size_t i, gi_unknown *out)
{
    gram_status status = GRAM_OK;
    const gi_slot *slot = &s->p->kernel->slot[i];
    size_t count = gi_program_count(s->p, i);
    guess *g = NULL;

    GI_TRY(GI_NEW(s->run, g, count + 1)); /* of no columns there may be none */
    GI_TRY(guess_slot(s, i, count, g));
    for (size_t k = 0; k < count; k++) {
        gi_unknown *u = &out[k];

        *u = (gi_unknown){.theta = (size_t)s->p->first_theta[i] + k,
                          .slot = i,
                          .start = g[k].start,
                          .lower = g[k].lower,
                          .upper = g[k].upper};
        if (slot->param && slot->param->range == GRAM_REAL)
            u->lower = -u->upper;
        heed_text(slot, u);
        u->log = u->lower > 0;
    }
done:
    gi_free(g);
    return status;
}

static gram_status draw_sample(seeker *s)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(s->run->seed, STREAM);
    size_t n = s->x->rows;

    GI_TRY(GI_NEW(s->run, s->row, n));
    for (size_t i = 0; i < n; i++)
        s->row[i] = i;
    gi_rng_shuffle(&rng, s->row, n);
    s->rows = n < SAMPLE ? n : SAMPLE;
done:
    return status;
}

gram_status gi_unknowns_new(gi_run *run, const gram_program *p,
                            const gi_points *x, gi_unknown **out, size_t *count)
{
    gram_status status = GRAM_OK;
    seeker s = {.run = run, .p = p, .x = x};
    gi_unknown *u = NULL;
    size_t n = 0;

    *out = NULL;
    *count = 0;
    if (x->rows == 0)
        return gi_fail(GRAM_ERR_SHAPE, "no rows to learn from");
    GI_TRY(draw_sample(&s));
    GI_TRY(GI_NEW(run, u, p->thetas));
    for (size_t i = 0; i < p->kernel->slots; i++)
        if (p->kernel->slot[i].open) {
            GI_TRY(add_slot(&s, i, &u[n]));
            n += gi_program_count(p, i);
        }
    *out = u;
    *count = n;
    u = NULL;
done:
    gi_free(u);
    gi_free(s.row);
    return status;
}
