/* program.c - an expression compiled for the columns of a table.
 *
 * The tree is walked once, each node giving the register of its value:
 *
 *   a - b         a + (-1) b
 *   normalize(k)  k(x,t) / sqrt(k(x,x) k(t,t))
 *   map(phi, k)   k on views that go through phi
 *   weight(f, k)  k times the inner product of the one column f
 *
 * Numbers of a product become factors, not tiles.  What the leaves mean by
 * columns is in views.c, the instructions are in emit.c.
 *
 * A number that has one value per column gets its place in theta when the
 * columns are counted; until the end instructions name slots of the kernel.
 */
#include "kernels/program/program.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/program/views.h"

typedef struct compiler {
    gram_program *p;
    const gram_table *t;
    size_t *count; /* per slot: its numbers */
} compiler;

static int compile(compiler *c, const gi_kernel_node *node,
                   const gi_scope *scope);

/* ------------------------------------------------------------------ leaves */

/* The view that `node` looks at. */
static gram_status use_view(compiler *c, const gi_kernel_node *node,
                            const gi_scope *scope, const gi_need *need,
                            int *view)
{
    gram_status status = GRAM_OK;
    gram_program *p = c->p;

    if (p->view_uses == p->view_uses_capacity) {
        size_t room = p->view_uses_capacity ? 2 * p->view_uses_capacity : 8;

        GI_TRY(GI_GROW(p->run, p->view_use, room));
        p->view_uses_capacity = room;
    }
    GI_TRY(gi_view_find(p, c->t, scope, need, view));
    p->view_use[p->view_uses++] = (gi_view_use){node, *view};
done:
    return status;
}

/* One number, or one per column of the leaf's view. */
static gram_status count_numbers(compiler *c, const gi_kernel_node *node,
                                 int param)
{
    const gi_slot *slot = &c->p->kernel->slot[node->slot[param]];
    size_t columns = gram_arg_columns(c->p);

    if (!slot->per_column)
        return GRAM_OK;
    if (slot->values && slot->count != columns)
        return gi_spec_fail(c->p->kernel->spec, node->at->at, GRAM_ERR_SHAPE,
                            "%s has %zu values, the columns are %zu",
                            slot->name, slot->count, columns);
    c->count[node->slot[param]] = columns;
    return GRAM_OK;
}

static gram_status enter_leaf(compiler *c, const gi_kernel_node *node,
                              const gi_scope *scope)
{
    gram_status status = GRAM_OK;
    const gram_kernel_class *class_ = node->class_;
    const gi_need need = {
        .kernel = class_->name,
        .at = node->at->at,
        .exact = (class_->flags & GRAM_KERNEL_CATEGORIES) != 0,
        .nonnegative = (class_->flags & GRAM_KERNEL_NONNEGATIVE) != 0,
    };

    c->p->node = node;
    c->p->node_view = -1;
    if (!(class_->flags & GRAM_KERNEL_NO_COLUMNS))
        GI_TRY(use_view(c, node, scope, &need, &c->p->node_view));
    for (int i = 0; class_->params && class_->params[i].name; i++)
        if (node->slot[i] >= 0)
            GI_TRY(count_numbers(c, node, i));
done:
    return status;
}

static int compile_leaf(compiler *c, const gi_kernel_node *node,
                        const gi_scope *scope)
{
    gram_program *p = c->p;
    int r;

    p->status = enter_leaf(c, node, scope);
    if (p->status != GRAM_OK)
        return -1;
    r = node->class_->compile(p);
    if (r < 0 && p->status == GRAM_OK)
        p->status = gi_spec_fail(p->kernel->spec, node->at->at, GRAM_ERR_RANGE,
                                 "%s gives no register", node->class_->name);
    return r;
}

static int compile_constant(compiler *c, const gi_kernel_node *node,
                            const gi_scope *scope)
{
    gi_op op = GI_OP(GI_OP_CONSTANT, -1, -1);

    (void)scope;
    op.slot = node->slot[0];
    return gi_program_emit(c->p, op);
}

/* ------------------------------------------------------------------- rules */

static gram_status add_term(gram_program *p, int term)
{
    gram_status status = GI_GROW(p->run, p->term, p->terms + 1);

    if (status == GRAM_OK)
        p->term[p->terms++] = term;
    return status;
}

static int compile_sum(compiler *c, const gi_kernel_node *node,
                       const gi_scope *scope)
{
    const int outermost = node == gi_kernel_sum(c->p->kernel);
    int sum = -1;

    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        int term = compile(c, kid, scope);

        if (kid->minus)
            term = gram_emit_scale(c->p, term, -1, -1, 1);
        if (outermost && c->p->status == GRAM_OK)
            c->p->status = add_term(c->p, term);
        sum = kid == node->kids ? term : gram_emit_add(c->p, sum, term);
    }
    return sum;
}

/* Numbers come last, as factors of what the others give. */
static int compile_product(compiler *c, const gi_kernel_node *node,
                           const gi_scope *scope)
{
    const gi_kernel_node *first = node->kids;
    int product;

    while (first->next && first->kind == GI_KERNEL_CONSTANT)
        first = first->next;
    product = compile(c, first, scope);
    for (const gi_kernel_node *kid = first->next; kid; kid = kid->next)
        if (kid->kind != GI_KERNEL_CONSTANT)
            product = gram_emit_multiply(c->p, product, compile(c, kid, scope));
    for (const gi_kernel_node *kid = node->kids; kid; kid = kid->next) {
        gi_op op = GI_OP(GI_OP_SCALE, product, -1);

        if (kid->kind != GI_KERNEL_CONSTANT || kid == first)
            continue;
        op.slot = kid->slot[0];
        product = product < 0 ? -1 : gi_program_emit(c->p, op);
    }
    return product;
}

static int compile_power(compiler *c, const gi_kernel_node *node,
                         const gi_scope *scope)
{
    double n = node->exponent;
    int k = compile(c, node->kids, scope);

    if (n >= 0 && n <= INT_MAX && n == floor(n))
        return gram_emit_power(c->p, k, (int)n);
    return gram_emit_power_of(c->p, k, n, -1);
}

static int compile_exp(compiler *c, const gi_kernel_node *node,
                       const gi_scope *scope)
{
    return gram_emit_exp(c->p, compile(c, node->kids, scope));
}

static int compile_normalize(compiler *c, const gi_kernel_node *node,
                             const gi_scope *scope)
{
    int k = compile(c, node->kids, scope);

    return gram_emit_divide(c->p, k, gram_emit_self(c->p, k));
}

static int compile_map(compiler *c, const gi_kernel_node *node,
                       const gi_scope *scope)
{
    const gi_scope inner = {scope->columns, node->map, scope};

    return compile(c, node->kids, &inner);
}

/* The node's own columns are the one that weighs. */
static int compile_weight(compiler *c, const gi_kernel_node *node,
                          const gi_scope *scope)
{
    const gi_scope one = {node->columns, NULL, scope};
    const gi_need need = {.kernel = "weight", .at = node->at->at, .exact = 1};
    gi_op op = GI_OP(GI_OP_DOT, -1, -1);
    const gi_source *s;
    int k = compile(c, node->kids, scope);

    if (k < 0)
        return -1;
    c->p->status = use_view(c, node, &one, &need, &op.view);
    if (c->p->status != GRAM_OK)
        return -1;
    s = &c->p->source[c->p->view[op.view].source[0]];
    if (c->p->view[op.view].width != 1 || c->p->view[op.view].count != 1 ||
        s->type == GRAM_TYPE_CATEGORY) {
        c->p->status =
            gi_spec_fail(c->p->kernel->spec, node->columns->at, GRAM_ERR_SHAPE,
                         "weight takes one column of numbers");
        return -1;
    }
    return gram_emit_multiply(c->p, k, gi_program_emit(c->p, op));
}

static int (*const rules[])(compiler *, const gi_kernel_node *,
                            const gi_scope *) = {
    [GI_KERNEL_LEAF] = compile_leaf,
    [GI_KERNEL_CONSTANT] = compile_constant,
    [GI_KERNEL_SUM] = compile_sum,
    [GI_KERNEL_PRODUCT] = compile_product,
    [GI_KERNEL_POWER] = compile_power,
    [GI_KERNEL_EXP] = compile_exp,
    [GI_KERNEL_NORMALIZE] = compile_normalize,
    [GI_KERNEL_MAP] = compile_map,
    [GI_KERNEL_WEIGHT] = compile_weight,
};

static int compile(compiler *c, const gi_kernel_node *node,
                   const gi_scope *scope)
{
    const gi_scope inner = {node->columns, NULL, scope};

    if (c->p->status != GRAM_OK)
        return -1;
    if (node->columns && node->kind != GI_KERNEL_WEIGHT)
        scope = &inner;
    return rules[node->kind](c, node, scope);
}

/* ------------------------------------------------------------------- theta */

static gram_status refuse_open(const gram_kernel *k, gi_run *run)
{
    gram_status status = GRAM_OK;
    gi_buf names = {0};
    size_t open = 0;

    for (size_t s = 0; s < k->slots; s++)
        if (k->slot[s].open)
            GI_TRY(gi_buf_printf(run, &names, "%s%.60s", open++ ? ", " : "",
                                 k->slot[s].name));
    if (open)
        status = gi_fail(GRAM_ERR_NAME,
                         "kernel \"%.300s\": %s %s open, must have a value",
                         k->spec->text, names.s, open == 1 ? "is" : "are");
done:
    gi_buf_free(&names);
    return status;
}

/* The numbers of all slots, as they are given or written. */
static gram_status fill_theta(compiler *c)
{
    gram_status status = GRAM_OK;
    gram_program *p = c->p;
    const gram_kernel *k = p->kernel;
    const gi_values *given = p->given;

    GI_TRY(GI_NEW(p->run, p->theta, p->thetas));
    for (size_t s = 0; s < k->slots; s++) {
        const gi_slot *slot = &k->slot[s];
        const size_t first = (size_t)p->first_theta[s];

        if (given && given->count[s] != c->count[s])
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "kernel \"%.300s\": %s has %zu values, the columns "
                           "are %zu",
                           k->text, slot->name, given->count[s], c->count[s]));
        for (size_t i = 0; i < c->count[s]; i++)
            p->theta[first + i] = given          ? given->theta[first + i]
                                  : slot->values ? slot->values[i]
                                                 : slot->value;
    }
done:
    return status;
}

/* The places of all slots, one after the other. */
static gram_status lay_out(compiler *c)
{
    gram_status status = GRAM_OK;
    gram_program *p = c->p;
    const gram_kernel *k = p->kernel;

    GI_TRY(GI_NEW(p->run, p->first_theta, k->slots));
    for (size_t s = 0; s < k->slots; s++) {
        p->first_theta[s] = (int)p->thetas;
        if (c->count[s] > INT_MAX - p->thetas)
            GI_TRY(gi_fail(GRAM_ERR_SHAPE,
                           "%s: one for each of %zu columns, there may be %d",
                           k->slot[s].name, c->count[s], INT_MAX));
        p->thetas += c->count[s];
    }
    GI_TRY(fill_theta(c));
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].slot >= 0)
            p->op[i].slot = p->first_theta[p->op[i].slot];
done:
    return status;
}

/* ----------------------------------------------------------------- program */

static gram_status compile_kernel(gi_run *run, const gram_kernel *k,
                                  const gi_values *given, const gram_table *t,
                                  gram_program **out)
{
    const gi_scope all = {0};
    gram_status status = GRAM_OK;
    compiler c = {.t = t};

    if (t->rows == 0)
        GI_TRY(gi_fail(GRAM_ERR_SHAPE, "a table without rows, kernels need at "
                                       "least one"));
    GI_TRY(GI_NEW(run, c.count, k->slots));
    for (size_t s = 0; s < k->slots; s++)
        c.count[s] = 1;
    GI_TRY(GI_NEW_ZERO(run, c.p, 1));
    c.p->run = run;
    c.p->kernel = k;
    c.p->given = given;
    c.p->result = compile(&c, k->root, &all);
    GI_TRY(c.p->status);
    if (c.p->terms == 0)
        GI_TRY(add_term(c.p, c.p->result));
    GI_TRY(lay_out(&c));
    c.p->run = NULL;
    c.p->node = NULL;
    c.p->given = NULL;
    *out = c.p;
    c.p = NULL;
done:
    gi_free(c.count);
    gi_program_free(c.p);
    return status;
}

gram_status gi_program_new(gi_run *run, const gram_kernel *k,
                           const gram_table *t, int open, gram_program **out)
{
    gram_status status = GRAM_OK;

    *out = NULL;
    if (!open)
        GI_TRY(refuse_open(k, run));
    GI_TRY(compile_kernel(run, k, NULL, t, out));
done:
    return status;
}

gram_status gi_program_restore(gi_run *run, const gram_kernel *k,
                               const gi_values *values, const gram_table *t,
                               gram_program **out)
{
    *out = NULL;
    if (values->slots != k->slots)
        return gi_fail(GRAM_ERR_SHAPE,
                       "kernel \"%.300s\" has %zu numbers, values are given "
                       "for %zu",
                       k->text, k->slots, values->slots);
    return compile_kernel(run, k, values, t, out);
}

gram_program gi_program_term(const gram_program *p, size_t i)
{
    gram_program term = *p;

    term.result = p->term[i];
    return term;
}

void gi_program_free(gram_program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->sources; i++) {
        gi_free(p->source[i].name);
        gi_free(p->source[i].block);
        gi_dict_free(&p->source[i].levels);
    }
    for (size_t i = 0; i < p->views; i++)
        gi_view_clear(&p->view[i]);
    for (size_t i = 0; i < p->matrices; i++) {
        gi_free(p->matrix[i]->data);
        gi_free(p->matrix[i]);
    }
    gi_free(p->source);
    gi_dict_free(&p->source_names);
    gi_free(p->view);
    gi_free(p->view_use);
    gi_free(p->matrix);
    gi_free(p->op);
    gi_free(p->op_slot);
    gi_free(p->term);
    gi_free(p->theta);
    gi_free(p->first_theta);
    gi_free(p);
}

const gi_view *gi_program_view(const gram_program *p,
                               const gi_kernel_node *node)
{
    for (size_t i = 0; i < p->view_uses; i++)
        if (p->view_use[i].node == node)
            return &p->view[p->view_use[i].view];
    return NULL;
}

static int has_op(const gram_program *p, gi_opcode code)
{
    for (size_t i = 0; i < p->ops; i++)
        if (p->op[i].code == code)
            return 1;
    return 0;
}

int gi_program_addresses_rows(const gram_program *p)
{
    return has_op(p, GI_OP_SAME_ROW) || has_op(p, GI_OP_MATRIX);
}

int gi_program_reads_matrix(const gram_program *p)
{
    return has_op(p, GI_OP_MATRIX);
}

size_t gi_program_count(const gram_program *p, size_t slot)
{
    size_t next = slot + 1 < p->kernel->slots ? (size_t)p->first_theta[slot + 1]
                                              : p->thetas;

    return next - (size_t)p->first_theta[slot];
}
