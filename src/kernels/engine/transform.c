/* transform.c - what a leaf does to rows before pairs of them meet, by numbers
 * of the kernel, and what derivatives by rows say of those numbers.
 *
 * A row becomes (x - centre) * weight, with the weights theta_k^power of its
 * columns (their roots where distances are squared), or (x modulo p) / p, with
 * the period p = c theta^power.  Centres are means of t, and rows whose squares
 * would overflow or underflow are divided by a power of 2, exactly.  Both are
 * decided by t alone, and neither is seen by the derivatives: those are of
 * sums over pairs, for each column that of W_ij (x_ik - t_jk)^2, with the
 * numbers as they stand in the kernel.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/engine/tiles.h"

/* Columns summed up by one thread at a time. */
enum { COLUMNS_AT_ONCE = GI_CENTRE_COLUMNS };

/* ------------------------------------------------------------ what t decides
 */

/* Columns first .. last-1 of t. */
typedef struct span {
    const gi_points *p;
    const gi_rows *rows;
    size_t width, first, last;
} span;

/* Means relative to the first row, so that a constant column has an exact
 * mean; 0 where subtracting the mean could overflow. */
static void column_means(const span *s, double *mean)
{
    const double huge_mean = 1e290, *first = s->rows->dense;
    double share = 1 / (double)s->p->rows;

    for (size_t i = 0; i < s->p->rows; i++)
        for (size_t k = s->first; k < s->last; k++)
            mean[k] +=
                s->rows->dense[i * s->width + k] * share - first[k] * share;
    for (size_t k = s->first; k < s->last; k++) {
        mean[k] += first[k];
        mean[k] = fabs(mean[k]) < huge_mean ? mean[k] : 0;
    }
}

/* reach = max(reach, |t - centre|) */
static void column_reaches(const span *s, const double *centre, double *reach)
{
    for (size_t i = 0; i < s->p->rows; i++)
        for (size_t k = s->first; k < s->last; k++) {
            double far = fabs(s->rows->dense[i * s->width + k] - centre[k]);

            reach[k] = far > reach[k] ? far : reach[k];
        }
}

static void measure_columns(const gi_engine *e, int centred, gi_operand *o)
{
    GI_PARALLEL_FOR(o->width > COLUMNS_AT_ONCE ? e->threads : 1)
    for (size_t k = 0; k < o->width; k += COLUMNS_AT_ONCE) {
        size_t last = gi_min_size(k + COLUMNS_AT_ONCE, o->width);
        span t = {e->t, o->t.rows, o->width, k, last};

        if (centred && e->t->rows)
            column_means(&t, o->centre);
        column_reaches(&t, o->centre, o->reach);
    }
}

static double sparse_largest(const gi_points *p, const gi_rows *rows,
                             const double *weight)
{
    double most = 0;

    for (size_t i = 0; i < rows->start[p->rows]; i++)
        most = fmax(most, fabs(rows->entries[i] * weight[rows->index[i]]));
    return most;
}

/* The largest number of t, weights applied. */
static double largest(const gi_engine *e, const gi_operand *o)
{
    double most = 0;

    for (size_t k = 0; k < o->width; k++)
        most = fmax(most, o->reach[k] * o->weight[k]);
    if (o->sparse)
        most =
            fmax(most, sparse_largest(e->t, o->t.rows, o->weight + o->width));
    return most;
}

/* Divide by a power of 2 if they are very large or small. */
static void rescale(gi_operand *o, double most, int limit)
{
    const int beyond = 1000; /* 2^exponent itself must be a number */
    int exponent;

    frexp(most, &exponent);
    if (most == 0 || !isfinite(most) || abs(exponent) <= limit)
        return;
    exponent = exponent > beyond    ? beyond
               : exponent < -beyond ? -beyond
                                    : exponent;
    for (size_t k = 0; k < o->columns; k++)
        o->weight[k] = ldexp(o->weight[k], -exponent);
    o->back = ldexp(1, exponent);
}

/* -------------------------------------------------------- weights of columns
 */

static size_t count_weights(const gram_program *p, const gi_op *op)
{
    const gi_view *v = &p->view[op->view];

    return op->slot < 0 ? 0 : v->width + v->sparse_width;
}

/* The weight of a column; of a level never seen the mean of those known. */
static double weight_of(const gi_engine *e, const gi_op *op,
                        const gi_operand *o, size_t k, double root)
{
    const gi_view *v = &e->p->view[op->view];
    const gi_rows *x = o->x.rows, *t = o->t.rows;
    const double *theta = e->theta + op->slot;
    size_t first, count;
    double sum = 0;

    if (k < v->width + v->sparse_width)
        return pow(theta[k], op->power * root);
    gi_unseen_like(e->p, v, x->sparse_width > x->known_width ? x : t,
                   k - v->width, &first, &count);
    for (size_t i = first; i < first + count; i++)
        sum += pow(theta[i], op->power);
    return pow(sum / (double)count, root);
}

static void weigh(const gi_engine *e, const gi_op *op, double root,
                  gi_operand *o)
{
    for (size_t k = 0; k < o->columns; k++)
        o->weight[k] = op->slot < 0 ? 1 : weight_of(e, op, o, k, root);
}

static void weigh_rooted(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    weigh(e, op, 0.5, o);
}

static void weigh_plain(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    weigh(e, op, 1, o);
}

static void weights_back(const gi_op *op, const double *theta, size_t first,
                         size_t count, const double *sum, double *grad)
{
    for (size_t k = first; k < first + count; k++)
        grad[(size_t)op->slot + k] +=
            sum[k - first] * gi_op_slope(op, theta, k);
}

/* ------------------------------------------------------------------- a period
 */

static int has_period(const gi_op *op)
{
    return op->n == GRAM_PAIR_SIN2 || op->n == GRAM_PAIR_COS;
}

static size_t count_period(const gram_program *p, const gi_op *op)
{
    (void)p;
    return has_period(op) && op->slot >= 0;
}

static void take_period(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    for (size_t k = 0; k < o->columns; k++)
        o->weight[k] = 1;
    if (has_period(op))
        o->period = gi_op_factor(op, e->theta);
}

static void period_back(const gi_op *op, const double *theta, size_t first,
                        size_t count, const double *sum, double *grad)
{
    (void)first, (void)count;
    grad[op->slot] += *sum * op->c * gi_op_slope(op, theta, 0);
}

/* -------------------------------------------------------------------- table */

const gi_transform gi_transforms[GI_OPCODES] = {
    [GI_OP_DOT] = {0, 1, count_weights, weigh_rooted, weights_back},
    [GI_OP_SQDIST] = {1, 1, count_weights, weigh_rooted, weights_back},
    [GI_OP_L1] = {1, 1, count_weights, weigh_plain, weights_back},
    [GI_OP_COLUMNS] = {0, 0, count_period, take_period, period_back},
    [GI_OP_ELEMENTARY] = {0, 0, count_weights, weigh_plain, weights_back},
};

/* A product of each row with itself, which is what it is whatever others are
 * there.  (Distances on the diagonal are 0 in any scale.) */
static int is_alone(const gi_engine *e, const gi_op *op)
{
    return e->mode & GI_ALONE && op->code == GI_OP_DOT;
}

void gi_transform_set(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    const gi_transform *t = &gi_transforms[op->code];

    t->forward(e, op, o);
    o->back = 1;
    if (t->rescaled && !is_alone(e, op))
        rescale(o, largest(e, o), e->lanes->exponent);
}

gram_status gi_transform_new(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    const gi_transform *t = &gi_transforms[op->code];
    gram_status status;

    GI_TRY(GI_NEW_ZERO(e->run, o->centre, o->width));
    GI_TRY(GI_NEW_ZERO(e->run, o->reach, o->width));
    GI_TRY(GI_NEW(e->run, o->weight, o->columns));
    if (t->centred || t->rescaled)
        measure_columns(e, t->centred, o);
    gi_transform_set(e, op, o);
done:
    return status;
}

int gi_transform_moves(const gram_program *p, const gi_op *op,
                       const unsigned char *moved)
{
    const gi_transform *t = &gi_transforms[op->code];
    const size_t count = t->forward ? t->count(p, op) : 0;

    for (size_t k = 0; k < count; k++)
        if (moved[(size_t)op->slot + k])
            return 1;
    return 0;
}

void gi_transform_row(const gi_operand *o, const double *x, double *out)
{
    for (size_t k = 0; k < o->width; k++)
        out[k] = o->period > 0 ? remainder(x[k], o->period) / o->period
                               : (x[k] - o->centre[k]) * o->weight[k];
}

double gi_transform_entry(const gi_operand *o, double v, unsigned k)
{
    return o->period > 0 ? remainder(v, o->period) / o->period
                         : v * o->weight[o->width + k];
}
