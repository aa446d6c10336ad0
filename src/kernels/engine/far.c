/* far.c - rows of x that lie beyond: so far from all of t that numbers of a
 * tile, which has the scale of t, would overflow.
 *
 * They are computed pair by pair in double, divided by a power of 2 of their
 * own.  That is slow, and rare: t is within 2^400 (single precision 2^50) of
 * its centre, or scaled to 1.  Other rows of x do not notice, as they would if
 * x were scaled as a whole.
 */
#include "kernels/engine/tiles.h"

/* Of an infinite number; then no cell times 2^-e is above 1. */
enum { INFINITE = 1024 };

/* The dense numbers of row i; NULL if there are none. */
static const double *row_of(const gi_operand *o, const gi_side *s, size_t i)
{
    return o->width ? s->rows->dense + i * o->width : NULL;
}

int gi_far_exponent(const gi_operand *o, size_t i)
{
    const gi_rows *r = o->x.wide ? o->x.wide : o->x.rows;
    const double *x = row_of(o, &o->x, i);
    double most = 0;
    int exponent;

    for (size_t k = 0; k < o->width; k++) {
        double far = fabs((x[k] - o->centre[k]) * o->weight[k]);

        most = far > most ? far : most;
    }
    for (size_t k = r->start ? r->start[i] : 0; r->start && k < r->start[i + 1];
         k++)
        most =
            fmax(most, fabs(r->entries[k] * o->weight[o->dense + r->index[k]]));
    frexp(most, &exponent);
    return isfinite(most) ? exponent : INFINITE;
}

/* A row of x on its way, its cells divided by 2^e. */
typedef struct far_row {
    const gi_operand *o;
    int opcode;
    size_t i;
    int e;
} far_row;

static double part(const far_row *f, double x, double t)
{
    return f->opcode == GI_OP_DOT      ? x * t
           : f->opcode == GI_OP_SQDIST ? (x - t) * (x - t)
                                       : fabs(x - t);
}

/* Over all columns that t has; in a product it is not divided. */
static double sum_of(const far_row *f, size_t j)
{
    const gi_operand *o = f->o;
    const int product = f->opcode == GI_OP_DOT, e = product ? 0 : f->e;
    const double *x = row_of(o, &o->x, f->i);
    const double *t = row_of(o, &o->t, j);
    double sum = 0, u, v;
    gi_merge m;
    unsigned n;

    for (size_t k = 0; k < o->width; k++) {
        double c = product ? 0 : o->centre[k];

        sum += part(f, ldexp(x[k] - c, -f->e) * o->weight[k],
                    ldexp(t[k] - c, -e) * o->weight[k]);
    }
    if (!o->sparse)
        return sum;
    gi_merge_begin(&m, o, f->i, j);
    while (gi_merge_next(&m, &n, &u, &v))
        sum += part(f, ldexp(u, -f->e), ldexp(v, -e));
    return sum;
}

/* Over those that were left out, since t has them not. */
static double rest_of(const far_row *f)
{
    const gi_operand *o = f->o;
    const gi_rows *r = o->x.wide;
    double sum = 0;

    for (size_t k = r ? r->start[f->i] : 0; r && k < r->start[f->i + 1]; k++) {
        size_t at = o->dense + r->index[k];

        if (at >= o->known)
            sum += part(f, ldexp(r->entries[k], -f->e) * o->weight[at], 0);
    }
    return sum;
}

void gi_far_values(const gi_operand *o, int opcode, size_t i, size_t col,
                   size_t n, double limit, double *out)
{
    const far_row f = {o, opcode, i, gi_far_exponent(o, i)};
    const double rest = rest_of(&f);
    int e, back;

    frexp(o->back, &back);
    back--; /* o->back = 2^back */
    e = opcode == GI_OP_DOT  ? f.e + 2 * back
        : opcode == GI_OP_L1 ? f.e + back
                             : 2 * (f.e + back);
    for (size_t j = 0; j < n; j++)
        out[j] = fmin(limit, ldexp(sum_of(&f, col + j) + rest, e));
}
