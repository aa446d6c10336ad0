/* operands.c - the rows that leaves look at, as their inner loops want them.
 *
 * A row becomes (x - centre) * weight, rounded to the precision of the run
 * and packed into panels.  Distances do not change if rows are centred, but
 * their errors do: |x|^2 + |t|^2 - 2 x.t has the error 4 u max |x|^2, which
 * large means would let grow without bounds.  Three guards keep it small:
 *
 *   - columns are centred at their means before they are rounded;
 *   - if 4 u max |t|^2, times the scale that the kernel gives to it, is above
 *     the tolerance, distances are sums of squared differences instead, as
 *     they are for a few columns, where that costs nothing; if |x|^2 of one
 *     row is, those of that row are;
 *   - distances small beside the norms are computed again from differences
 *     (tiles.c): rows that are equal have distance 0, and roots of small
 *     distances are as good as those of large ones.
 *
 * Data whose squares would overflow or underflow are scaled by a power of 2,
 * exactly, and the result is scaled back.
 *
 * All of this is decided by t, and by a row of x for itself: what a pair is
 * does not depend on what other rows of x are asked for.  Rows of x that are
 * too large beside t are left to far.c.
 *
 * Inner products are of uncentred rows.  If a distance of the same columns is
 * wanted, too, one product of centred rows serves both: with x = c + x',
 *
 *     x.t = x'.t' + (c.x' + c.c/2) + (c.t' + c.c/2),
 *
 * unless the means c are so large beside x' that this would lose digits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/engine/tiles.h"

/* Up to here differences cost no more than an inner product and its norms. */
enum { DIRECT_WIDTH = GI_DIRECT_WIDTH };
/* Columns summed up, and rows packed, by one thread at a time. */
enum { COLUMNS_AT_ONCE = GI_CENTRE_COLUMNS, ROWS_AT_ONCE = GI_TILE_COMMON };

/* What the leaf of an opcode wants of its rows. */
typedef struct recipe {
    double root; /* exponent of the weights in a row */
    int any;     /* has an operand at all */
    int centred;
    int rescaled; /* if squares, or sums, would overflow */
    int panels;   /* both sides in the panels of the inner loops, else x row
                     by row and t in panels of a tile's columns */
} recipe;

static const recipe recipes[GI_OPCODES] = {
    [GI_OP_DOT] = {0.5, 1, 0, 1, 1},      [GI_OP_SQDIST] = {0.5, 1, 1, 1, 1},
    [GI_OP_L1] = {1, 1, 1, 1, 1},         [GI_OP_COLUMNS] = {1, 1, 0, 0, 0},
    [GI_OP_ELEMENTARY] = {1, 1, 0, 0, 0},
};

static recipe recipe_of(const gi_op *op)
{
    recipe r = recipes[op->code];

    if (op->code == GI_OP_COLUMNS)
        r.panels = op->n == GRAM_PAIR_MIN_SUM;
    return r;
}

/* ---------------------------------------------------------------- columns */

/* Columns first .. last-1 of one side. */
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

/* reach: the largest |t - centre| of each column. */
static void measure_columns(const gi_engine *e, gi_operand *o, int centred,
                            double *reach)
{
    GI_PARALLEL_FOR(o->width > COLUMNS_AT_ONCE ? e->threads : 1)
    for (size_t k = 0; k < o->width; k += COLUMNS_AT_ONCE) {
        size_t last = gi_min_size(k + COLUMNS_AT_ONCE, o->width);
        span t = {e->t, o->t.rows, o->width, k, last};

        if (centred && e->t->rows)
            column_means(&t, o->centre);
        column_reaches(&t, o->centre, reach);
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

/* A product of each row with itself, which is what it is whatever others are
 * there.  (Distances on the diagonal are 0 in any scale.) */
static int is_alone(const gi_engine *e, const gi_op *op)
{
    return e->mode & GI_ALONE && op->code == GI_OP_DOT;
}

/* The largest number of t, weights applied. */
static double largest(const gi_engine *e, const gi_operand *o,
                      const double *reach)
{
    const double *w = o->weight + o->width;
    double most = 0;

    for (size_t k = 0; k < o->width; k++)
        most = fmax(most, reach[k] * o->weight[k]);
    if (o->sparse)
        most = fmax(most, sparse_largest(e->t, o->t.rows, w));
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

static gram_status choose_scales(const gi_engine *e, const gi_op *op,
                                 gi_operand *o)
{
    recipe r = recipe_of(op);
    gram_status status;
    double *reach = NULL;

    GI_TRY(GI_NEW_ZERO(e->run, reach, o->width));
    if (r.centred || r.rescaled)
        measure_columns(e, o, r.centred, reach);
    for (size_t k = 0; k < o->columns; k++)
        o->weight[k] = op->slot < 0 || op->code == GI_OP_COLUMNS
                           ? 1
                           : weight_of(e, op, o, k, r.root);
    o->back = 1;
    if (r.rescaled && !is_alone(e, op))
        rescale(o, largest(e, o, reach), e->lanes->exponent);
done:
    gi_free(reach);
    return status;
}

/* ------------------------------------------------------------------- rows */

static void scale_row(const gi_operand *o, const double *x, double *out)
{
    for (size_t k = 0; k < o->width; k++)
        out[k] = o->period > 0 ? remainder(x[k], o->period) / o->period
                               : (x[k] - o->centre[k]) * o->weight[k];
}

static double scale_entry(const gi_operand *o, double v, unsigned k)
{
    return o->period > 0 ? remainder(v, o->period) / o->period
                         : v * o->weight[o->width + k];
}

/* Squared norm of row i: of the dense part as it was rounded, so that it fits
 * the products, and of the sparse part. */
static double norm_of(const gi_engine *e, const gi_operand *o, const gi_side *s,
                      size_t i, const double *row)
{
    double h = e->lanes->norm(o->width, row) + gi_expand_rest(o, s, i);

    if (o->sparse)
        for (size_t k = s->rows->start[i]; k < s->rows->start[i + 1]; k++)
            h += s->entries[k] * s->entries[k];
    return h;
}

/* Does the error of a distance from inner products, of a row with that squared
 * norm, stay below the tolerance? */
static int is_safe(const gi_engine *e, const gi_operand *o, double norm)
{
    return 4 * e->lanes->unit * norm * o->back * o->back * o->steep <=
           e->lanes->tolerance;
}

/* Row i of one side, scaled.  For one that is beyond, 0 stands in. */
static void fill_row(const gi_engine *e, const gi_operand *o, gi_side *s,
                     size_t i, double *out)
{
    double h;

    if (o->width)
        scale_row(o, s->rows->dense + i * o->width, out);
    if (s->far && gi_far_exponent(o, i) > e->lanes->exponent) {
        s->far[i] = GI_BEYOND;
        memset(out, 0, o->width * sizeof *out);
    } else if (s->norm) {
        h = norm_of(e, o, s, i, out);
        e->lanes->set(s->norm, i, h);
        if (s->far && !is_safe(e, o, h))
            s->far[i] = GI_FAR;
    }
}

/* Fill the panels and the norms of one side, those that have room. */
static gram_status fill_side(const gi_engine *e, const gi_operand *o,
                             const gi_points *p, gi_side *s, size_t unit)
{
    const size_t d = o->width, most = gi_min_size(ROWS_AT_ONCE, p->rows);
    gram_status status;
    double *rows = NULL;

    GI_TRY(GI_NEW(e->run, rows, e->threads * most * d));
    GI_PARALLEL_FOR(e->threads)
    for (size_t i = 0; i < p->rows; i += ROWS_AT_ONCE) {
        size_t n = gi_min_size(ROWS_AT_ONCE, p->rows - i);
        double *own = rows + (size_t)gi_thread_number() * most * d;

        for (size_t r = 0; r < n; r++)
            fill_row(e, o, s, i + r, own + r * d);
        if (s->panels)
            e->lanes->pack(unit, n, d, own,
                           (char *)s->panels + i * d * e->lanes->size);
    }
done:
    gi_free(rows);
    return status;
}

/* The rows of x, with marks of those that are far, if there are any. */
static gram_status fill_x(const gi_engine *e, const gi_op *op, gi_operand *o,
                          size_t unit)
{
    gram_status status = GRAM_OK;
    size_t i = 0;

    if (!e->symmetric && recipes[op->code].rescaled)
        GI_TRY(GI_NEW_ZERO(e->run, o->x.far, e->x->rows));
    GI_TRY(fill_side(e, o, e->x, &o->x, unit));
    while (o->x.far && i < e->x->rows && !o->x.far[i])
        i++;
    if (i == e->x->rows) {
        gi_free(o->x.far);
        o->x.far = NULL;
    }
done:
    return status;
}

static gram_status new_panels(const gi_engine *e, const gi_operand *o,
                              const gi_points *p, size_t unit, void **out)
{
    gram_status status;
    size_t room;

    GI_TRY(gi_size_mul(gi_round_up(p->rows, unit), o->width, &room));
    GI_TRY(gi_alloc(e->run, out, room, e->lanes->size));
done:
    return status;
}

/* Zeros behind the last row, for tiles that are not full. */
static gram_status new_norms(const gi_engine *e, const gi_points *p, void **out)
{
    return gi_alloc_zero(e->run, out, gi_round_up(p->rows, GI_TILE_COMMON),
                         e->lanes->size);
}

static gram_status new_entries(const gi_engine *e, const gi_operand *o,
                               const gi_points *p, gi_side *s)
{
    gram_status status;
    size_t count = s->rows->start[p->rows];

    GI_TRY(GI_NEW(e->run, s->entries, count));
    for (size_t i = 0; i < count; i++)
        s->entries[i] = scale_entry(o, s->rows->entries[i], s->rows->index[i]);
done:
    return status;
}

/* ----------------------------------------------------------------- guards */

/* How much an error of register r grows until it matters: the scale it is
 * given on its way, squared behind a root, which is marked. */
static double steepness(const gi_engine *e, int r, int *rooted)
{
    double most = 0;

    for (int i = r + 1; i < (int)e->p->ops; i++) {
        const gi_op *op = &e->p->op[i];
        double s = 1;

        if (op->a != r && op->b != r)
            continue;
        if (op->code == GI_OP_SCALE) {
            s = fabs(gi_op_factor(op, e->theta)) * steepness(e, i, rooted);
        } else if (op->code == GI_OP_SQRT) {
            *rooted = 1;
            s = steepness(e, i, rooted);
            s *= s;
        }
        most = fmax(most, s);
    }
    return most > 0 ? most : 1;
}

/* Are distances of the rows of t safe from inner products? */
static int norms_are_safe(const gi_engine *e, const gi_operand *o)
{
    double most = 0;

    for (size_t r = 0; r < e->t->rows; r++)
        most = fmax(most, e->lanes->get(o->t.norm, r));
    return is_safe(e, o, most);
}

/* Below which part of the norms a distance is computed from differences: the
 * error of the product of two equal rows; behind a root, 2^10 times more. */
static double near_of(const gi_engine *e, const gi_operand *o, int rooted)
{
    const double rooted_part = 0x1p-10;
    double part = (64 + 2 * (double)o->known) * e->lanes->unit;

    return rooted ? fmax(part, rooted_part) : part;
}

/* --------------------------------------------------------------- operands */

/* A side without entries where the other has some. */
static gram_status complete(const gi_engine *e, const gi_points *p, gi_side *s)
{
    gram_status status = GRAM_OK;

    if (s->rows->start)
        return status;
    GI_TRY(GI_NEW_ZERO(e->run, s->no_entries, p->rows + 1));
    s->completed = *s->rows;
    s->completed.start = s->no_entries;
    s->rows = &s->completed;
done:
    return status;
}

/* From here on the operand is dense. */
static gram_status expand(const gi_engine *e, gi_operand *o)
{
    gram_status status;

    o->width = o->known;
    o->sparse = 0;
    GI_TRY(gi_expand(e, o, e->x, &o->x));
    if (e->symmetric)
        o->t.rows = o->x.rows;
    else
        GI_TRY(gi_expand(e, o, e->t, &o->t));
done:
    return status;
}

static gram_status begin(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    const gi_rows *x = &e->x->view[op->view], *t = &e->t->view[op->view];
    const gi_rows *judge = &e->judge->view[op->view];
    size_t wide =
        x->sparse_width > t->sparse_width ? x->sparse_width : t->sparse_width;
    gram_status status;

    o->x.rows = x;
    o->t.rows = t;
    o->width = o->dense = e->p->view[op->view].width;
    o->sparse = x->start || t->start;
    o->columns = o->width + (o->sparse ? wide : 0);
    o->known = o->width + (judge->start ? judge->sparse_width : 0);
    o->expanded = gi_expands(e, op);
    if (o->expanded) {
        /* the rows that decide may be wider than these */
        o->columns = o->columns > o->known ? o->columns : o->known;
        GI_TRY(expand(e, o));
    }
    if (op->code == GI_OP_COLUMNS &&
        (op->n == GRAM_PAIR_SIN2 || op->n == GRAM_PAIR_COS))
        o->period = gi_op_factor(op, e->theta);
    GI_TRY(GI_NEW_ZERO(e->run, o->centre, o->width));
    GI_TRY(GI_NEW(e->run, o->weight, o->columns));
    if (o->sparse) {
        GI_TRY(complete(e, e->x, &o->x));
        GI_TRY(complete(e, e->t, &o->t));
    }
    GI_TRY(choose_scales(e, op, o));
    if (o->sparse) {
        GI_TRY(new_entries(e, o, e->x, &o->x));
        if (!e->symmetric)
            GI_TRY(new_entries(e, o, e->t, &o->t));
        else
            o->t.entries = o->x.entries;
    }
done:
    return status;
}

static gram_status fill_panels(const gi_engine *e, const gi_op *op,
                               gi_operand *o)
{
    recipe r = recipe_of(op);
    size_t rows = r.panels ? e->lanes->row_unit() : 1;
    size_t cols = r.panels ? e->lanes->col_unit() : GI_TILE_COLS;
    gram_status status;

    GI_TRY(new_panels(e, o, e->x, rows, &o->x.panels));
    GI_TRY(new_panels(e, o, e->t, cols, &o->t.panels));
    if (op->code == GI_OP_SQDIST)
        GI_TRY(new_norms(e, e->x, &o->x.norm));
    if (op->code == GI_OP_SQDIST && !e->symmetric)
        GI_TRY(new_norms(e, e->t, &o->t.norm));
    GI_TRY(fill_x(e, op, o, rows));
    GI_TRY(fill_side(e, o, e->t, &o->t, cols));
    if (e->symmetric)
        o->t.norm = o->x.norm;
done:
    return status;
}

/* Can inner product i be made from the one in distances j?  Not if `self`
 * asks for it, which may see it without the distances, in other bits, nor of a
 * row alone, for which others have chosen the centre. */
static int may_share(const gi_engine *e, int i, int j, const char *needed)
{
    const gi_op *op = e->p->op;

    if (e->mode & GI_ALONE)
        return 0;
    for (size_t k = 0; k < e->p->ops; k++)
        if (op[k].code == GI_OP_SELF)
            return 0;
    return needed[j] && op[j].code == GI_OP_SQDIST && op[j].slot < 0 &&
           op[j].view == op[i].view && !e->operand[j].direct &&
           e->operand[j].back == 1;
}

/* Are the means at most a few times the spread? */
static int nearly_centred(const gi_engine *e, const gi_operand *o)
{
    const double few = 4;
    double means = 0, squares = 0;

    for (size_t k = 0; k < o->width; k++)
        means += o->centre[k] * o->centre[k];
    for (size_t j = 0; j < e->t->rows; j++)
        squares += e->lanes->get(o->t.norm, j);
    return means * (double)e->t->rows <= few * few * squares;
}

/* c.x' + c.c/2 for the rows of one side. */
static gram_status new_shifts(const gi_engine *e, const gi_operand *o,
                              const gi_points *p, gi_side *s)
{
    const size_t d = o->width;
    const double *c = o->centre;
    gram_status status;

    GI_TRY(new_norms(e, p, &s->shift));
    for (size_t i = 0; i < p->rows; i++) {
        double sum = 0;

        for (size_t k = 0; k < d; k++)
            sum += c[k] * ((s->rows->dense[i * d + k] - c[k]) + c[k] / 2);
        e->lanes->set(s->shift, i, sum);
    }
done:
    return status;
}

/* Let the product of distances j serve for inner product i, too. */
static gram_status share(const gi_engine *e, int i, int j)
{
    gi_operand *o = &e->operand[j];
    gram_status status;

    GI_TRY(new_shifts(e, o, e->x, &o->x));
    if (e->symmetric)
        o->t.shift = o->x.shift;
    else
        GI_TRY(new_shifts(e, o, e->t, &o->t));
    o->twin = i;
    e->operand[i].twin = j;
done:
    return status;
}

static gram_status new_distances(const gi_engine *e, int i, gi_operand *o)
{
    const gi_op *op = &e->p->op[i];
    gram_status status;
    int rooted = 0;

    o->steep = steepness(e, i, &rooted);
    GI_TRY(begin(e, op, o));
    GI_TRY(fill_panels(e, op, o));
    o->near = near_of(e, o, rooted);
    o->direct = (o->expanded || e->p->view[op->view].sparse < 0) &&
                (o->width <= DIRECT_WIDTH || !norms_are_safe(e, o));
done:
    return status;
}

static gram_status new_operand(gi_engine *e, int i, const char *needed)
{
    const gi_op *op = &e->p->op[i];
    gi_operand *o = &e->operand[i];
    gram_status status = GRAM_OK;

    if (op->code == GI_OP_SQDIST)
        GI_TRY(new_distances(e, i, o));
    for (int j = 0; op->code == GI_OP_DOT && j < (int)e->p->ops; j++)
        if (may_share(e, i, j, needed) && nearly_centred(e, &e->operand[j])) {
            GI_TRY(share(e, i, j));
            goto done;
        }
    if (op->code != GI_OP_SQDIST) {
        GI_TRY(begin(e, op, o));
        GI_TRY(fill_panels(e, op, o));
    }
    if (o->sparse && !o->direct &&
        (op->code == GI_OP_DOT || op->code == GI_OP_SQDIST))
        o->block = (int)e->products++;
done:
    return status;
}

gram_status gi_operands_new(gi_engine *e, const char *needed)
{
    gram_status status;

    GI_TRY(GI_NEW_ZERO(e->run, e->operand, e->p->ops));
    for (size_t i = 0; i < e->p->ops; i++)
        e->operand[i].twin = e->operand[i].block = -1;
    /* distances first: inner products may come from them */
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < (int)e->p->ops; i++) {
            const gi_op *op = &e->p->op[i];

            if (needed[i] && recipes[op->code].any &&
                (op->code != GI_OP_SQDIST) == others)
                GI_TRY(new_operand(e, i, needed));
        }
done:
    return status;
}

/* Scales, centres and t are the lender's, so values have the bits that they
 * have in its own tiles. */
static gram_status borrow(const gi_engine *e, int i, gi_operand *o)
{
    const gi_op *op = &e->p->op[i];
    recipe r = recipe_of(op);
    size_t unit = r.panels ? e->lanes->row_unit() : 1;
    gram_status status = GRAM_OK;

    if (!o->t.rows)
        return status;
    o->x = (gi_side){.rows = &e->x->view[op->view]};
    if (o->expanded)
        GI_TRY(gi_expand(e, o, e->x, &o->x));
    if (o->sparse) {
        GI_TRY(complete(e, e->x, &o->x));
        GI_TRY(new_entries(e, o, e->x, &o->x));
    }
    GI_TRY(new_panels(e, o, e->x, unit, &o->x.panels));
    if (o->t.norm)
        GI_TRY(new_norms(e, e->x, &o->x.norm));
    GI_TRY(fill_x(e, op, o, unit));
    if (o->t.shift)
        GI_TRY(new_shifts(e, o, e->x, &o->x));
done:
    return status;
}

gram_status gi_operands_borrow(gi_engine *e)
{
    gram_status status;

    GI_TRY(GI_NEW_ZERO(e->run, e->operand, e->p->ops));
    for (size_t i = 0; i < e->p->ops; i++) {
        e->operand[i] = e->lender->operand[i];
        e->operand[i].x = (gi_side){0};
    }
    for (size_t i = 0; i < e->p->ops; i++)
        GI_TRY(borrow(e, (int)i, &e->operand[i]));
    e->products = e->lender->products;
done:
    return status;
}

static void free_side(gi_side *s)
{
    gi_free(s->panels);
    gi_free(s->norm);
    gi_free(s->shift);
    gi_free(s->entries);
    gi_free(s->no_entries);
    gi_free(s->expanded);
    gi_free(s->far);
}

void gi_operands_free(gi_engine *e)
{
    for (size_t i = 0; e->operand && i < e->p->ops; i++) {
        gi_operand *o = &e->operand[i];

        if (e->symmetric)
            o->t.norm = o->t.shift = o->t.entries = NULL;
        free_side(&o->x);
        if (e->lender)
            continue;
        free_side(&o->t);
        gi_free(o->centre);
        gi_free(o->weight);
    }
    gi_free(e->operand);
    e->operand = NULL;
}
