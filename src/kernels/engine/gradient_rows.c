/* gradient_rows.c - instructions that work element by element, backwards.
 *
 * Elements with adjoint 0 are passed over: 0 times an infinite slope is no
 * contribution.  The root at 0 has slope 0 here: what it is a root of, a
 * distance, has derivative 0 there.
 */
#include "kernels/engine/gradient.h"

static double back_constant(const gi_step *s, size_t n, const gi_back *r)
{
    double sum = 0;

    (void)s;
    for (size_t j = 0; j < n; j++)
        sum += r->dy[j];
    return sum;
}

static double back_scale(const gi_step *s, size_t n, const gi_back *r)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++)
        if (r->dy[j] != 0) {
            sum += r->dy[j] * r->a[j];
            if (r->da)
                r->da[j] += r->dy[j] * s->factor;
        }
    return sum;
}

static double back_power_of(const gi_step *s, size_t n, const gi_back *r)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++)
        if (r->dy[j] != 0 && r->a[j] > 0) {
            sum += r->dy[j] * r->y[j] * log(r->a[j]);
            if (r->da)
                r->da[j] += r->dy[j] * s->factor * r->y[j] / r->a[j];
        }
    return sum;
}

/* The slope of an instruction of one register that has no factor. */
typedef double slope(const gi_op *op, double y, double a);

static double slope_exp(const gi_op *op, double y, double a)
{
    (void)op, (void)a;
    return y;
}

static double slope_sqrt(const gi_op *op, double y, double a)
{
    (void)op, (void)a;
    return y > 0 ? 0.5 / y : 0;
}

static double slope_tanh(const gi_op *op, double y, double a)
{
    (void)op, (void)a;
    return (1 - y) * (1 + y);
}

static double slope_power(const gi_op *op, double y, double a)
{
    double result = op->n;

    (void)y;
    for (int k = 1; k < op->n; k++)
        result *= a;
    return result;
}

/* J_1' = J_0 and J_2' = 4 J_1 by cos theta; J_0 has the slope of arccos. */
static double slope_arccos(const gi_op *op, double y, double a)
{
    (void)y;
    if (fabs(a) > 1)
        return 0;
    if (op->n == 0)
        return fabs(a) < 1 ? 1 / (M_PI * sqrt((1 - a) * (1 + a))) : 0;
    return op->n == 1 ? gi_arccos(0, a) : 4 * gi_arccos(1, a);
}

static double slope_function(const gi_op *op, double y, double a)
{
    (void)y;
    return op->slope(op->user, a);
}

static slope *const slopes[GI_OPCODES] = {
    [GI_OP_EXP] = slope_exp,       [GI_OP_SQRT] = slope_sqrt,
    [GI_OP_TANH] = slope_tanh,     [GI_OP_POWER] = slope_power,
    [GI_OP_ARCCOS] = slope_arccos, [GI_OP_FUNCTION] = slope_function,
};

static double back_slope(const gi_step *s, size_t n, const gi_back *r)
{
    slope *f = slopes[s->op->code];

    for (size_t j = 0; r->da && j < n; j++)
        if (r->dy[j] != 0)
            r->da[j] += r->dy[j] * f(s->op, r->y[j], r->a[j]);
    return 0;
}

static double back_add(const gi_step *s, size_t n, const gi_back *r)
{
    (void)s;
    for (size_t j = 0; r->da && j < n; j++)
        r->da[j] += r->dy[j];
    for (size_t j = 0; r->db && j < n; j++)
        r->db[j] += r->dy[j];
    return 0;
}

static double back_multiply(const gi_step *s, size_t n, const gi_back *r)
{
    (void)s;
    for (size_t j = 0; j < n; j++) {
        if (r->da && r->dy[j] != 0)
            r->da[j] += r->dy[j] * r->b[j];
        if (r->db && r->dy[j] != 0)
            r->db[j] += r->dy[j] * r->a[j];
    }
    return 0;
}

static double back_divide(const gi_step *s, size_t n, const gi_back *r)
{
    (void)s;
    for (size_t j = 0; j < n; j++) {
        if (r->dy[j] == 0 || r->b[j] == 0)
            continue;
        if (r->da)
            r->da[j] += r->dy[j] / r->b[j];
        if (r->db)
            r->db[j] -= r->dy[j] * r->y[j] / r->b[j];
    }
    return 0;
}

gi_back_row *const gi_back_rows[GI_OPCODES] = {
    [GI_OP_CONSTANT] = back_constant, [GI_OP_SCALE] = back_scale,
    [GI_OP_EXP] = back_slope,         [GI_OP_SQRT] = back_slope,
    [GI_OP_TANH] = back_slope,        [GI_OP_POWER] = back_slope,
    [GI_OP_POWER_OF] = back_power_of, [GI_OP_ARCCOS] = back_slope,
    [GI_OP_FUNCTION] = back_slope,    [GI_OP_ADD] = back_add,
    [GI_OP_MULTIPLY] = back_multiply, [GI_OP_DIVIDE] = back_divide,
};
