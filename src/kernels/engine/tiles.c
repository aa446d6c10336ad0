/* tiles.c - what every instruction does to a tile, in double and single.
 *
 * The loops that count are operations of the CPU table; here is what joins
 * them, and the leaves that have no loop of their own.  Sparse parts are
 * walked pair by pair, except for inner products (sparse.c).
 */
#include <float.h>
#include <string.h>

#include "kernels/engine/tiles.h"

/* How the cells of all columns are combined, and those of sparse columns,
 * where only the union of two rows' entries is walked. */
typedef struct cell_rule {
    double start;
    double (*join)(double v, double x, double t);
} cell_rule;

static double join_min_sum(double v, double x, double t)
{
    return v + fmin(x, t);
}

static double join_min_product(double v, double x, double t)
{
    return v * fmin(x, t);
}

static double join_chi2(double v, double x, double t)
{
    return x + t == 0 ? v : v + (x - t) / (x + t) * (x - t);
}

/* x - t is in (-1, 1), since both were taken modulo the period. */
static double join_sin2(double v, double x, double t)
{
    double s = sin(M_PI * (x - t));

    return v + s * s;
}

static double join_cos(double v, double x, double t)
{
    double s = sin(M_PI * (x - t));

    return v * (1 - 2 * s * s);
}

static double join_anova(double v, double x, double t)
{
    return v * (1 + x * t);
}

static const cell_rule gi_cell_rules[] = {
    [GRAM_PAIR_MIN_SUM] = {0, join_min_sum},
    [GRAM_PAIR_MIN_PRODUCT] = {1, join_min_product},
    [GRAM_PAIR_CHI2] = {0, join_chi2},
    [GRAM_PAIR_SIN2] = {0, join_sin2},
    [GRAM_PAIR_COS] = {1, join_cos},
    [GRAM_PAIR_ANOVA] = {1, join_anova},
};

/* v combined with the sparse cells of rows i and j. */
static double sparse_cells(const gi_step *s, size_t i, size_t j, double v)
{
    const gi_operand *o = s->operand;
    size_t seen = 0;
    gi_merge m;
    unsigned k;
    double x, t;

    gi_merge_begin(&m, o, i, j);
    while (gi_merge_next(&m, &k, &x, &t)) {
        v = gi_cell_rules[s->op->n].join(v, x, t);
        seen += o->width + k < o->known;
    }
    /* min(0, 0) is a factor, too */
    if (s->op->n == GRAM_PAIR_MIN_PRODUCT && seen < o->known - o->width)
        v = 0;
    return v;
}

static int equal_rows(const gi_operand *o, size_t i, size_t j)
{
    const double *x = o->x.rows->dense, *t = o->t.rows->dense;
    gi_merge m;
    unsigned n;
    double u, v;

    for (size_t k = 0; k < o->width; k++)
        if (x[i * o->width + k] != t[j * o->width + k])
            return 0;
    if (!o->sparse)
        return 1;
    gi_merge_begin(&m, o, i, j);
    while (gi_merge_next(&m, &n, &u, &v))
        if (u != v)
            return 0;
    return 1;
}

/* Does anybody look at this pair? */
static int wanted(const gi_worker *w, size_t i, size_t j)
{
    return !(w->e->mode & GI_DIAGONAL) || w->tile.row + i == w->tile.col + j;
}

/* The rows of x and t at (i,j) of the tile.  Below the diagonal of a symmetric
 * run they change places: files and users' functions need not be symmetric to
 * the last bit, as all else is. */
static size_t row_of(const gi_worker *w, size_t i, size_t j)
{
    size_t row = w->tile.row + i, col = w->tile.col + j;

    return w->e->symmetric ? gi_min_size(row, col) : row;
}

static size_t col_of(const gi_worker *w, size_t i, size_t j)
{
    return w->tile.row + i + w->tile.col + j - row_of(w, i, j);
}

double gi_arccos(int order, double a)
{
    double c = fmin(fmax(a, -1), 1), angle = acos(c);
    double s = sqrt((1 - c) * (1 + c)), rest = M_PI - angle;

    if (isnan(a))
        return a;
    if (order == 0)
        return rest / M_PI;
    if (order == 1)
        return (s + rest * c) / M_PI;
    return (3 * s * c + rest * (1 + 2 * c * c)) / M_PI;
}

#define REAL double
#define OF(name) name##_d
#define UNIT (DBL_EPSILON / 2)
#define TOLERANCE 1e-12
#define EXPONENT 400
#define FARTHEST 0x1p1000
#include "kernels/engine/leaves.inc"
#include "kernels/engine/tiles.inc"
#undef REAL
#undef OF
#undef UNIT
#undef TOLERANCE
#undef EXPONENT
#undef FARTHEST

#define REAL float
#define OF(name) name##_s
#define UNIT ((double)FLT_EPSILON / 2)
#define TOLERANCE 1e-5
#define EXPONENT 50
#define FARTHEST 0x1p110
#include "kernels/engine/leaves.inc"
#include "kernels/engine/tiles.inc"
