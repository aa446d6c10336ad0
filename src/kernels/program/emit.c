/* emit.c - instructions appended to a program, equal ones once.
 *
 * Operands come before what is made of them, so two expressions are equal if
 * their last instructions are: a hash table of instructions is all that
 * sharing takes (Ershov 1958).  a + b and b + a have the same bits and are one
 * instruction, too.
 *
 * While a kernel is compiled, `slot` of an instruction is a slot of the
 * kernel; program.c turns it into an index of theta when all are counted.
 */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/bind.h"
#include "kernels/program/program.h"

/* ------------------------------------------------------------ instructions */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t bits(double x)
{
    uint64_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static uint64_t hash(const gi_op *op)
{
    uint64_t h = mix((uint64_t)op->code, (uint64_t)op->n);

    h = mix(mix(h, (uint64_t)op->a), (uint64_t)op->b);
    h = mix(mix(h, (uint64_t)op->view), (uint64_t)op->slot);
    return mix(mix(h, bits(op->c)), bits(op->power));
}

static int same(const gi_op *x, const gi_op *y)
{
    return x->code == y->code && x->n == y->n && x->a == y->a && x->b == y->b &&
           x->view == y->view && x->slot == y->slot &&
           bits(x->c) == bits(y->c) && bits(x->power) == bits(y->power) &&
           x->matrix == y->matrix && x->pair == y->pair && x->h == y->h &&
           x->slope == y->slope && x->user == y->user;
}

/* Where the table has an equal instruction, or the free place for it. */
static size_t place_of(const gram_program *p, const gi_op *op)
{
    size_t at = (size_t)hash(op) & (p->op_slots - 1);

    while (p->op_slot[at] && !same(&p->op[p->op_slot[at] - 1], op))
        at = (at + 1) & (p->op_slots - 1);
    return at;
}

/* Room for one more instruction, the table at most half full. */
static gram_status make_room(gram_program *p)
{
    enum { FIRST = 32 };
    gram_status status = GRAM_OK;
    size_t room = p->ops_capacity ? 2 * p->ops_capacity : FIRST;
    unsigned *fresh = NULL;

    if (p->ops < p->ops_capacity)
        return status;
    GI_TRY(GI_GROW(p->run, p->op, room));
    p->ops_capacity = room;
    GI_TRY(GI_NEW_ZERO(p->run, fresh, 2 * room));
    gi_free(p->op_slot);
    p->op_slot = fresh;
    p->op_slots = 2 * room;
    for (size_t i = 0; i < p->ops; i++)
        p->op_slot[place_of(p, &p->op[i])] = (unsigned)i + 1;
done:
    return status;
}

int gi_program_emit(gram_program *p, gi_op op)
{
    size_t at;

    if (p->status == GRAM_OK)
        p->status = make_room(p);
    if (p->status != GRAM_OK)
        return -1;
    if ((op.code == GI_OP_ADD || op.code == GI_OP_MULTIPLY) && op.a > op.b) {
        int a = op.a;

        op.a = op.b;
        op.b = a;
    }
    at = place_of(p, &op);
    if (!p->op_slot[at]) {
        p->op[p->ops++] = op;
        p->op_slot[at] = (unsigned)p->ops;
    }
    return (int)p->op_slot[at] - 1;
}

/* -------------------------------------------------------------- parameters */

/* Is it one of the class's?  Anything else is a mistake of the class. */
static int has_param(gram_program *p, int param)
{
    int count = (int)gi_param_count(p->node->class_->params);

    if (param >= 0 && param < count)
        return 1;
    if (p->status == GRAM_OK)
        p->status =
            gi_fail(GRAM_ERR_RANGE, "kernel %s: parameter %d, there are %d",
                    p->node->class_->name, param, count);
    return 0;
}

static int is_per_column(const gram_program *p, int param)
{
    int slot = p->node->slot[param];

    return slot >= 0 && p->kernel->slot[slot].per_column;
}

/* op with the factor c * param^power. */
static gi_op with_factor(gram_program *p, gi_op op, double c, int param,
                         double power)
{
    op.c = c;
    if (param < 0 || !has_param(p, param))
        return op;
    op.slot = p->node->slot[param];
    op.power = op.slot < 0 ? 1 : power;
    if (op.slot < 0)
        op.c *= pow(p->node->arg[param], power);
    return op;
}

double gram_arg(const gram_program *p, int param)
{
    return p->node->arg[param];
}

size_t gram_arg_columns(const gram_program *p)
{
    const gi_view *v;

    if (p->node_view < 0)
        return 0;
    v = &p->view[p->node_view];
    return v->width + v->sparse_width;
}

/* ------------------------------------------------------------------ leaves */

static gi_op leaf(const gram_program *p, gi_opcode code)
{
    gi_op op = GI_OP(code, -1, -1);

    op.view = p->node_view;
    return op;
}

/* A leaf whose columns may have weights. */
static int weighted(gram_program *p, gi_opcode code, int param, double power)
{
    gi_op op = leaf(p, code);

    if (param >= 0 && has_param(p, param) && is_per_column(p, param)) {
        op.slot = p->node->slot[param];
        op.power = power;
    }
    return gi_program_emit(p, op);
}

int gram_emit_dot(gram_program *p)
{
    return gi_program_emit(p, leaf(p, GI_OP_DOT));
}

int gram_emit_sqdist(gram_program *p, int param, double power)
{
    return weighted(p, GI_OP_SQDIST, param, power);
}

int gram_emit_l1(gram_program *p, int param, double power)
{
    return weighted(p, GI_OP_L1, param, power);
}

int gram_emit_columns(gram_program *p, gram_pair pair, int param)
{
    gi_op op = leaf(p, GI_OP_COLUMNS);

    op.n = (int)pair;
    return gi_program_emit(p, with_factor(p, op, 1, param, 1));
}

int gram_emit_elementary(gram_program *p, int degree)
{
    gi_op op = leaf(p, GI_OP_ELEMENTARY);

    op.n = degree;
    return gi_program_emit(p, op);
}

int gram_emit_same_row(gram_program *p)
{
    return gi_program_emit(p, GI_OP(GI_OP_SAME_ROW, -1, -1));
}

int gram_emit_pairs(gram_program *p,
                    double (*pair)(void *user, const double *x, const double *t,
                                   size_t d),
                    void *user)
{
    gi_op op = leaf(p, GI_OP_PAIRS);
    const gi_view *v = op.view < 0 ? NULL : &p->view[op.view];

    if (v && v->sparse >= 0 && p->status == GRAM_OK)
        p->status =
            gi_spec_fail(p->kernel->spec, p->node->at->at, GRAM_ERR_SHAPE,
                         "column \"%s\" is sparse, %s takes dense columns",
                         p->source[v->sparse].name, p->node->class_->name);
    op.pair = pair;
    op.user = user;
    return gi_program_emit(p, op);
}

int gram_emit_constant(gram_program *p, double c, int param, double power)
{
    gi_op op = GI_OP(GI_OP_CONSTANT, -1, -1);

    return gi_program_emit(p, with_factor(p, op, c, param, power));
}

/* -------------------------------------------------------------- operations */

static int unary(gram_program *p, gi_opcode code, int a)
{
    return a < 0 ? -1 : gi_program_emit(p, GI_OP(code, a, -1));
}

static int binary(gram_program *p, gi_opcode code, int a, int b)
{
    return a < 0 || b < 0 ? -1 : gi_program_emit(p, GI_OP(code, a, b));
}

int gram_emit_scale(gram_program *p, int a, double c, int param, double power)
{
    gi_op op = GI_OP(GI_OP_SCALE, a, -1);

    if (a < 0)
        return -1;
    if (param >= 0 && has_param(p, param) && is_per_column(p, param))
        param = -1;
    op = with_factor(p, op, c, param, power);
    return op.slot < 0 && op.c == 1 ? a : gi_program_emit(p, op);
}

int gram_emit_add(gram_program *p, int a, int b)
{
    return binary(p, GI_OP_ADD, a, b);
}

int gram_emit_multiply(gram_program *p, int a, int b)
{
    return binary(p, GI_OP_MULTIPLY, a, b);
}

int gram_emit_divide(gram_program *p, int a, int b)
{
    return binary(p, GI_OP_DIVIDE, a, b);
}

int gram_emit_exp(gram_program *p, int a)
{
    return unary(p, GI_OP_EXP, a);
}

int gram_emit_sqrt(gram_program *p, int a)
{
    return unary(p, GI_OP_SQRT, a);
}

int gram_emit_tanh(gram_program *p, int a)
{
    return unary(p, GI_OP_TANH, a);
}

int gram_emit_power(gram_program *p, int a, int n)
{
    gi_op op = GI_OP(GI_OP_POWER, a, -1);

    op.n = n;
    if (n < 0 && p->status == GRAM_OK)
        p->status =
            gi_fail(GRAM_ERR_RANGE, "kernel %s: power %d, must be at least 0",
                    p->node->class_->name, n);
    if (a < 0 || n == 1)
        return a;
    return n == 0 ? gram_emit_constant(p, 1, -1, 1) : gi_program_emit(p, op);
}

int gram_emit_power_of(gram_program *p, int a, double c, int param)
{
    gi_op op = GI_OP(GI_OP_POWER_OF, a, -1);

    return a < 0 ? -1 : gi_program_emit(p, with_factor(p, op, c, param, 1));
}

int gram_emit_arccos(gram_program *p, int a, int order)
{
    gi_op op = GI_OP(GI_OP_ARCCOS, a, -1);

    op.n = order;
    return a < 0 ? -1 : gi_program_emit(p, op);
}

int gram_emit_self(gram_program *p, int a)
{
    return unary(p, GI_OP_SELF, a);
}

int gram_emit_at_most(gram_program *p, int a, double c)
{
    gi_op op = GI_OP(GI_OP_AT_MOST, a, -1);

    op.c = c;
    return a < 0 ? -1 : gi_program_emit(p, op);
}

int gram_emit_function(gram_program *p, int a,
                       double (*h)(void *user, double a),
                       double (*slope)(void *user, double a), void *user)
{
    gi_op op = GI_OP(GI_OP_FUNCTION, a, -1);

    op.h = h;
    op.slope = slope;
    op.user = user;
    return a < 0 ? -1 : gi_program_emit(p, op);
}
