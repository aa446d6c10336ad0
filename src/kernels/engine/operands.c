/* operands.c - the rows that leaves look at, as their inner loops want them.
 *
 * A row becomes (x - centre) * weight (transform.c), rounded to the precision
 * of the run and packed into panels.  Distances do not change if rows are
 * centred, but their errors do: |x|^2 + |t|^2 - 2 x.t has the error 4 u max
 * |x|^2, which large means would let grow without bounds.  Three guards keep it
 * small:
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
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "kernels/engine/tiles.h"

/* Up to here differences cost no more than an inner product and its norms. */
enum { DIRECT_WIDTH = GI_DIRECT_WIDTH };
/* Rows packed by one thread at a time. */
enum { ROWS_AT_ONCE = GI_TILE_COMMON };

/* Both sides in the panels of the inner loops, else x row by row and t in
 * panels of a tile's columns? */
static int in_panels(const gi_op *op)
{
    return op->code == GI_OP_DOT || op->code == GI_OP_SQDIST ||
           op->code == GI_OP_L1 ||
           (op->code == GI_OP_COLUMNS && op->n == GRAM_PAIR_MIN_SUM);
}

/* ------------------------------------------------------------------- rows */

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
        gi_transform_row(o, s->rows->dense + i * o->width, out);
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

    if (!e->symmetric && gi_transforms[op->code].rescaled)
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
    gram_status status = GRAM_OK;
    size_t room;

    if (*out)
        return status;
    GI_TRY(gi_size_mul(gi_round_up(p->rows, unit), o->width, &room));
    GI_TRY(gi_alloc(e->run, out, room, e->lanes->size));
done:
    return status;
}

/* Zeros behind the last row, for tiles that are not full. */
static gram_status new_norms(const gi_engine *e, const gi_points *p, void **out)
{
    if (*out)
        return GRAM_OK;
    return gi_alloc_zero(e->run, out, gi_round_up(p->rows, GI_TILE_COMMON),
                         e->lanes->size);
}

static gram_status new_entries(const gi_engine *e, const gi_operand *o,
                               const gi_points *p, gi_side *s)
{
    gram_status status = GRAM_OK;
    size_t count = s->rows->start[p->rows];

    if (!s->entries)
        GI_TRY(GI_NEW(e->run, s->entries, count));
    for (size_t i = 0; i < count; i++)
        s->entries[i] =
            gi_transform_entry(o, s->rows->entries[i], s->rows->index[i]);
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
    if (o->sparse) {
        GI_TRY(complete(e, e->x, &o->x));
        GI_TRY(complete(e, e->t, &o->t));
    }
    GI_TRY(gi_transform_new(e, op, o));
done:
    return status;
}

static gram_status fill_entries(const gi_engine *e, gi_operand *o)
{
    gram_status status;

    GI_TRY(new_entries(e, o, e->x, &o->x));
    if (e->symmetric)
        o->t.entries = o->x.entries;
    else
        GI_TRY(new_entries(e, o, e->t, &o->t));
done:
    return status;
}

static gram_status fill(const gi_engine *e, const gi_op *op, gi_operand *o)
{
    size_t rows = in_panels(op) ? e->lanes->row_unit() : 1;
    size_t cols = in_panels(op) ? e->lanes->col_unit() : GI_TILE_COLS;
    gram_status status = GRAM_OK;

    if (o->sparse)
        GI_TRY(fill_entries(e, o));
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

/* Are distances taken from differences of rows? */
static int is_direct(const gi_engine *e, const gi_op *op, const gi_operand *o)
{
    return (o->expanded || e->p->view[op->view].sparse < 0) &&
           (o->width <= DIRECT_WIDTH || !norms_are_safe(e, o));
}

static gram_status new_distances(const gi_engine *e, int i, gi_operand *o)
{
    const gi_op *op = &e->p->op[i];
    gram_status status;
    int rooted = 0;

    o->steep = steepness(e, i, &rooted);
    GI_TRY(begin(e, op, o));
    GI_TRY(fill(e, op, o));
    o->near = near_of(e, o, rooted);
    o->direct = is_direct(e, op, o);
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
        GI_TRY(fill(e, op, o));
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

            if (needed[i] && gi_transforms[op->code].forward &&
                (op->code != GI_OP_SQDIST) == others)
                GI_TRY(new_operand(e, i, needed));
        }
done:
    return status;
}

gram_status gi_operands_set(gi_engine *e, const unsigned char *moved, int *fits)
{
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < e->p->ops; i++) {
        const gi_op *op = &e->p->op[i];
        gi_operand *o = &e->operand[i];
        int rooted = 0;

        if (!o->t.rows)
            continue;
        if (gi_transform_moves(e->p, op, moved)) {
            gi_transform_set(e, op, o);
            GI_TRY(fill(e, op, o));
        }
        if (op->code != GI_OP_SQDIST)
            continue;
        o->steep = steepness(e, (int)i, &rooted);
        *fits &= is_direct(e, op, o) == o->direct;
    }
done:
    return status;
}

/* Scales, centres and t are the lender's, so values have the bits that they
 * have in its own tiles. */
static gram_status borrow(const gi_engine *e, int i, gi_operand *o)
{
    const gi_op *op = &e->p->op[i];
    size_t unit = in_panels(op) ? e->lanes->row_unit() : 1;
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
        gi_free(o->reach);
        gi_free(o->weight);
    }
    gi_free(e->operand);
    e->operand = NULL;
}
