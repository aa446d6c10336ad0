/* features_rules.c - what each instruction does to vectors of features.
 *
 * A power n of a kernel has the monomials of degree n,
 *
 *     (z.w)^n = sum over |e| = n of (n! / prod e_j!) prod z_j^e_j w_j^e_j,
 *
 * each with the square root of its coefficient; anova the products of columns;
 * equality of categories the levels.  Whatever has no rule has no finite map.
 */
#include <math.h>
#include <string.h>

#include "kernels/features/features_inside.h"
#include "kernels/program/points.h"

#define NONE GI_FEATURES_NONE

static double factor(const gi_features *f, const gi_op *op)
{
    if (op->slot < 0)
        return op->c;
    return op->c * pow(f->theta[op->slot], op->power);
}

/* The count, or limit + 1 if it is larger; since operands are capped, too,
 * nothing overflows. */
static size_t capped(const gi_features *f, size_t count)
{
    return count <= f->limit ? count : f->limit + 1;
}

/* n over k; every partial product is a binomial coefficient. */
static size_t choose(const gi_features *f, size_t n, size_t k)
{
    size_t c = 1;

    if (k > n)
        return 0;
    k = k < n - k ? k : n - k;
    for (size_t i = 1; i <= k && c <= f->limit; i++)
        c = c * (n - k + i) / i;
    return capped(f, c);
}

/* ---------------------------------------------------------------- vectors */

static int is_sparse(const gi_features *f, const gi_op *op)
{
    return f->sparse[op - f->program->op];
}

void gi_vector_spread(gi_vector v, size_t width, double *out)
{
    if (!v.index) {
        memcpy(out, v.value, width * sizeof *out);
        return;
    }
    memset(out, 0, width * sizeof *out);
    for (size_t i = 0; i < v.count; i++)
        out[v.index[i]] = v.value[i];
}

size_t gi_vector_pack(gi_vector v, size_t offset, double *value,
                      unsigned *index)
{
    size_t n = 0;

    for (size_t i = 0; i < v.count; i++)
        if (v.value[i] != 0) {
            value[n] = v.value[i];
            index[n++] = (unsigned)(offset + (v.index ? v.index[i] : i));
        }
    return n;
}

/* a and b, whose first `width` features are those of a, end to end. */
static gi_vector join(const gi_place *at, int sparse, gi_vector a, size_t width,
                      gi_vector b)
{
    size_t n;

    if (!sparse) {
        memcpy(at->value, a.value, a.count * sizeof *at->value);
        memcpy(at->value + a.count, b.value, b.count * sizeof *at->value);
        return (gi_vector){a.count + b.count, at->value, NULL};
    }
    n = gi_vector_pack(a, 0, at->value, at->index);
    n += gi_vector_pack(b, width, at->value + n, at->index + n);
    return (gi_vector){n, at->value, at->index};
}

/* times a / over */
static gi_vector multiple(const gi_place *at, gi_vector a, double times,
                          double over)
{
    for (size_t i = 0; i < a.count; i++)
        at->value[i] = times * a.value[i] / over;
    return (gi_vector){a.count, at->value, a.index};
}

/* ----------------------------------------------------------------- leaves */

static size_t columns_of(const gi_features *f, const gi_op *op)
{
    const gi_view *v = f->program->view + op->view;

    return capped(f, v->width + v->sparse_width);
}

/* The dense columns of a view, and beside them the entries of a sparse block;
 * features that were not there when the program was made have no place. */
static gi_vector dense_part(const gi_features *f, const gi_op *op,
                            const gi_place *at)
{
    const size_t d = f->program->view[op->view].width;
    const gi_rows *r = at->x->view + op->view;

    return (gi_vector){d, d ? r->dense + at->row * d : NULL, NULL};
}

static gi_vector sparse_part(const gi_features *f, const gi_op *op,
                             const gi_place *at)
{
    const size_t width = f->program->view[op->view].sparse_width;
    const gi_rows *r = at->x->view + op->view;
    size_t first, end;

    if (!r->start)
        return (gi_vector){0};
    first = r->start[at->row];
    end = r->start[at->row + 1];
    while (end > first && r->index[end - 1] >= width)
        end--;
    return (gi_vector){end - first, r->entries + first, r->index + first};
}

/* All columns of a view as numbers. */
static const double *cells_of(const gi_features *f, const gi_op *op,
                              const gi_place *at)
{
    const gi_view *v = f->program->view + op->view;

    if (v->width)
        gi_vector_spread(dense_part(f, op, at), v->width, at->cell);
    if (v->sparse >= 0)
        gi_vector_spread(sparse_part(f, op, at), v->sparse_width,
                         at->cell + v->width);
    return at->cell;
}

static gi_vector fill_dot(const gi_features *f, const gi_op *op,
                          const gi_place *at)
{
    const gi_view *v = f->program->view + op->view;

    if (v->sparse < 0)
        return dense_part(f, op, at);
    if (v->width == 0)
        return sparse_part(f, op, at);
    return join(at, 1, dense_part(f, op, at), v->width, sparse_part(f, op, at));
}

static size_t count_constant(const gi_features *f, const gi_op *op)
{
    double c = factor(f, op);

    return c >= 0 ? c > 0 : NONE;
}

static gi_vector fill_constant(const gi_features *f, const gi_op *op,
                               const gi_place *at)
{
    double c = factor(f, op);

    if (c > 0)
        *at->value = sqrt(c);
    return (gi_vector){c > 0, at->value, NULL};
}

/* The largest number of different columns in one product. */
static size_t degree_of(const gi_features *f, const gi_op *op)
{
    size_t d = columns_of(f, op);

    return op->code == GI_OP_ELEMENTARY && (size_t)op->n < d ? (size_t)op->n
                                                             : d;
}

static size_t count_elementary(const gi_features *f, const gi_op *op)
{
    size_t d = columns_of(f, op), sum = 0;

    for (size_t k = 0; k <= degree_of(f, op) && sum <= f->limit; k++)
        sum = capped(f, sum + choose(f, d, k));
    return sum;
}

/* value times every product of at most `degree` columns from `from` on. */
static double *write_products(const double *x, size_t d, size_t from,
                              size_t degree, double value, double *out)
{
    *out++ = value;
    for (size_t j = from; j < d && degree > 0; j++)
        out = write_products(x, d, j + 1, degree - 1, value * x[j], out);
    return out;
}

static gi_vector fill_elementary(const gi_features *f, const gi_op *op,
                                 const gi_place *at)
{
    const double *end = write_products(cells_of(f, op, at), columns_of(f, op),
                                       0, degree_of(f, op), 1, at->value);

    return (gi_vector){(size_t)(end - at->value), at->value, NULL};
}

/* Categories are finitely many: one feature per combination of levels.  0 for
 * a column that is none. */
static size_t levels_of(const gi_features *f, const gi_view *v, size_t i)
{
    const gi_source *source = f->program->source + v->source[i];

    return source->type == GRAM_TYPE_CATEGORY ? source->levels.count : 0;
}

static size_t count_equal(const gi_features *f, const gi_op *op)
{
    const gi_view *v = f->program->view + op->view;
    size_t count = v->exact ? 1 : 0; /* one-hot numbers are no codes */

    for (size_t i = 0; i < v->count; i++)
        count = capped(f, count * levels_of(f, v, i));
    return count ? count : NONE;
}

/* A level that was not there when the program was made equals none that
 * was. */
static gi_vector fill_equal(const gi_features *f, const gi_op *op,
                            const gi_place *at)
{
    const gi_view *v = f->program->view + op->view;
    const double *code = dense_part(f, op, at).value;
    size_t which = 0, count = count_equal(f, op);
    int known = 1;

    for (size_t i = 0; i < v->count; i++) {
        size_t levels = levels_of(f, v, i);

        known = known && code && code[i] >= 0 && code[i] < (double)levels;
        which = which * levels + (known ? (size_t)code[i] : 0);
    }
    memset(at->value, 0, count * sizeof *at->value);
    at->value[which] = known;
    return (gi_vector){count, at->value, NULL};
}

static size_t count_columns(const gi_features *f, const gi_op *op)
{
    switch (op->n) {
    case GRAM_PAIR_ANOVA:
        return count_elementary(f, op);
    case GRAM_PAIR_EQUAL:
        return count_equal(f, op);
    default:
        return NONE;
    }
}

static gi_vector fill_columns(const gi_features *f, const gi_op *op,
                              const gi_place *at)
{
    return op->n == GRAM_PAIR_ANOVA ? fill_elementary(f, op, at)
                                    : fill_equal(f, op, at);
}

/* ------------------------------------------------------------- operations */

static size_t count_scale(const gi_features *f, const gi_op *op)
{
    double c = factor(f, op);

    if (c > 0)
        return f->width[op->a];
    return c == 0 ? 0 : NONE;
}

static gi_vector fill_scale(const gi_features *f, const gi_op *op,
                            const gi_place *at)
{
    double c = factor(f, op);

    return c > 0 ? multiple(at, at->in[op->a], sqrt(c), 1)
                 : (gi_vector){0, at->value, at->index};
}

static size_t count_power(const gi_features *f, const gi_op *op)
{
    size_t m = f->width[op->a], n = (size_t)op->n;

    if (op->n < 0)
        return NONE;
    if (n == 0 || m == 0)
        return n == 0;
    return choose(f, m + n - 1, n);
}

/* All monomials of degree n in z[0..m-1], each times value and the square root
 * of its coefficient, written backwards from `end`, so that the first variable
 * leads.  A multinomial coefficient is a product of binomial ones, and
 * C(n,e+1) = C(n,e) (n-e)/(e+1); more digits on the way let x^2 be exact.
 * Returns where the first of them is. */
static double *write_monomials(const double *z, size_t m, size_t n,
                               long double value, double *end)
{
    if (m == 1 || n == 0) {
        *--end = (double)(value * pow(*z, (double)n));
        return end;
    }
    for (size_t e = 0; e <= n; e++) {
        end = write_monomials(z + 1, m - 1, n - e, value, end);
        value *= *z * sqrtl((long double)(n - e) / (long double)(e + 1));
    }
    return end;
}

static gi_vector fill_power(const gi_features *f, const gi_op *op,
                            const gi_place *at)
{
    const gi_vector a = at->in[op->a];
    size_t m = f->width[op->a], count = count_power(f, op);

    if (op->n == 0) {
        *at->value = 1;
    } else if (op->n == 1) { /* without a recursion as deep as a is wide */
        gi_vector_spread(a, m, at->value);
    } else if (m > 0) {
        gi_vector_spread(a, m, at->cell);
        write_monomials(at->cell, m, (size_t)op->n, 1, at->value + count);
    }
    return (gi_vector){count, at->value, NULL};
}

static size_t count_add(const gi_features *f, const gi_op *op)
{
    return capped(f, f->width[op->a] + f->width[op->b]);
}

static gi_vector fill_add(const gi_features *f, const gi_op *op,
                          const gi_place *at)
{
    return join(at, is_sparse(f, op), at->in[op->a], f->width[op->a],
                at->in[op->b]);
}

static size_t count_multiply(const gi_features *f, const gi_op *op)
{
    return capped(f, f->width[op->a] * f->width[op->b]);
}

static gi_vector fill_multiply(const gi_features *f, const gi_op *op,
                               const gi_place *at)
{
    const gi_vector a = at->in[op->a], b = at->in[op->b];
    const int sparse = is_sparse(f, op);
    gi_vector out = {0, at->value, sparse ? at->index : NULL};

    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0; j < b.count; j++) {
            size_t row = a.index ? a.index[i] : i;
            size_t col = b.index ? b.index[j] : j;

            at->value[out.count] = a.value[i] * b.value[j];
            if (sparse)
                at->index[out.count] = (unsigned)(row * f->width[op->b] + col);
            out.count++;
        }
    return out;
}

/* sqrt(a(x,x) a(t,t)): the length of the features of a. */
static size_t count_self(const gi_features *f __attribute__((unused)),
                         const gi_op *op __attribute__((unused)))
{
    return 1;
}

static gi_vector fill_self(const gi_features *f __attribute__((unused)),
                           const gi_op *op, const gi_place *at)
{
    const gi_vector a = at->in[op->a];
    double sum = 0;

    for (size_t i = 0; i < a.count; i++)
        sum += a.value[i] * a.value[i];
    *at->value = sqrt(sum);
    return (gi_vector){1, at->value, NULL};
}

/* Division has a map only by a function of x times the same function of t. */
static size_t count_divide(const gi_features *f, const gi_op *op)
{
    int self = f->program->op[op->b].code == GI_OP_SELF;

    return self ? f->width[op->a] : NONE;
}

static gi_vector fill_divide(const gi_features *f __attribute__((unused)),
                             const gi_op *op, const gi_place *at)
{
    double length = *at->in[op->b].value;

    return multiple(at, at->in[op->a], length > 0, length > 0 ? length : 1);
}

/* ------------------------------------------------------------------- table */

const gi_feature_rule gi_feature_rules[GI_OPCODES] = {
    [GI_OP_CONSTANT] = {count_constant, fill_constant, 0},
    [GI_OP_DOT] = {columns_of, fill_dot, 0},
    [GI_OP_COLUMNS] = {count_columns, fill_columns, 0},
    [GI_OP_ELEMENTARY] = {count_elementary, fill_elementary, 0},
    [GI_OP_SELF] = {count_self, fill_self, 0},
    [GI_OP_SCALE] = {count_scale, fill_scale, 1},
    [GI_OP_POWER] = {count_power, fill_power, 0},
    [GI_OP_ADD] = {count_add, fill_add, 1},
    [GI_OP_MULTIPLY] = {count_multiply, fill_multiply, 1},
    [GI_OP_DIVIDE] = {count_divide, fill_divide, 1},
};
