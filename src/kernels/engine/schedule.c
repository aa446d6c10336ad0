/* schedule.c - instructions become steps on a few registers.
 *
 * Only what the result needs is done.  exp(c a) is one step, whatever made
 * c a.  A register is free again after its last reader, and a step that works
 * element by element writes where it reads, so that few tiles are live and
 * stay in the cache.  Constants are filled in once and keep their registers,
 * and the result has one of its own, which holds a whole tile.
 * Going backwards needs every value, so with GI_KEEP nothing is fused or
 * used twice.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "kernels/engine/tiles.h"

/* Registers that an instruction reads. */
static const unsigned char arity[GI_OPCODES] = {
    [GI_OP_SELF] = 1,     [GI_OP_SCALE] = 1,  [GI_OP_EXP] = 1,
    [GI_OP_SQRT] = 1,     [GI_OP_TANH] = 1,   [GI_OP_POWER] = 1,
    [GI_OP_POWER_OF] = 1, [GI_OP_ARCCOS] = 1, [GI_OP_AT_MOST] = 1,
    [GI_OP_FUNCTION] = 1, [GI_OP_ADD] = 2,    [GI_OP_MULTIPLY] = 2,
    [GI_OP_DIVIDE] = 2,
};

typedef struct inputs {
    int a, b;
    double factor;
} inputs;

/* What instruction i reads, and its factor. */
static inputs inputs_of(const gi_engine *e, int i)
{
    const gi_op *op = &e->p->op[i], *from;
    inputs in = {-1, -1, gi_op_factor(op, e->theta)};
    int count = arity[op->code];

    /* SELF reads vectors that were found on the diagonal */
    if (op->code == GI_OP_SELF && !(e->mode & GI_DIAGONAL))
        count = 0;
    if (count > 0)
        in.a = op->a;
    if (count > 1)
        in.b = op->b;
    if (op->code == GI_OP_EXP) {
        in.factor = 1;
        from = &e->p->op[in.a];
        if (from->code == GI_OP_SCALE && !(e->mode & GI_KEEP)) {
            in.factor = gi_op_factor(from, e->theta);
            in.a = from->a;
        }
    }
    return in;
}

/* Everything that marked instructions read is marked, too. */
static void close(const gi_engine *e, char *needed)
{
    for (int i = (int)e->p->ops; i-- > 0;) {
        inputs in = inputs_of(e, i);

        if (needed[i] && in.a >= 0)
            needed[in.a] = 1;
        if (needed[i] && in.b >= 0)
            needed[in.b] = 1;
    }
}

void gi_schedule_need(const gi_engine *e, char *needed)
{
    for (size_t i = 0; i < e->p->ops; i++)
        needed[i] = (int)i == e->p->result;
    close(e, needed);
    if (!(e->mode & GI_SELVES))
        return;
    for (size_t i = 0; i < e->p->ops; i++)
        needed[i] = needed[i] && e->p->op[i].code == GI_OP_SELF;
    close(e, needed);
}

typedef struct plan {
    gi_engine *e;
    size_t *last; /* per instruction: the last step that reads it */
    char *free;   /* per register */
} plan;

/* Distances that share their product with an inner product write both. */
static void add_step(gi_engine *e, int i, char *needed)
{
    const gi_op *op = &e->p->op[i];
    const gi_operand *o = &e->operand[i];
    inputs in = inputs_of(e, i);

    if (op->code == GI_OP_DOT && o->twin >= 0) {
        add_step(e, o->twin, needed);
        return;
    }
    if (op->code == GI_OP_SQDIST && o->twin >= 0) {
        needed[o->twin] = 0;
        in.b = o->twin;
    }
    needed[i] = 0;
    e->step[e->steps++] = (gi_step){op, i, -1, in.a, in.b, in.factor, o};
}

/* A register for instruction i. */
static int take_register(plan *q, int i)
{
    size_t r = i == q->e->p->result ? q->e->registers : 0;

    while (r < q->e->registers && !q->free[r])
        r++;
    if (r == q->e->registers)
        q->e->registers++;
    q->free[r] = 0;
    return (int)r;
}

static int is_twin(const gi_step *s)
{
    return s->op->code == GI_OP_SQDIST && s->operand->twin >= 0;
}

/* Does step s read number i for the last time? */
static int ends_at(const plan *q, int i, size_t s)
{
    return i >= 0 && q->last[i] == s && q->e->p->op[i].code != GI_OP_CONSTANT &&
           !(q->e->mode & GI_KEEP);
}

static void place(plan *q, size_t s)
{
    gi_step *step = &q->e->step[s];
    int *where = q->e->where, a = step->a, b = step->b;

    /* free first: what is read last may be written over */
    if (ends_at(q, a, s))
        q->free[where[a]] = 1;
    if (!is_twin(step) && ends_at(q, b, s))
        q->free[where[b]] = 1;
    where[step->number] = take_register(q, step->number);
    if (is_twin(step))
        where[b] = take_register(q, b);
    step->y = where[step->number];
    step->a = a < 0 ? -1 : where[a];
    step->b = b < 0 ? -1 : where[b];
}

/* With many columns strips would read them too often; all of a tile's values
 * are kept for going backwards. */
static size_t strip_rows(const gi_engine *e)
{
    const size_t few_rows = GI_TILE_STRIP_ROWS,
                 few_columns = GI_TILE_STRIP_WIDTH;
    size_t most = 0;

    for (size_t s = 0; s < e->steps; s++)
        if (e->step[s].operand->width > most)
            most = e->step[s].operand->width;
    return most > few_columns || e->mode & GI_KEEP ? GI_TILE_ROWS : few_rows;
}

void gi_schedule_set(gi_engine *e)
{
    for (size_t s = 0; s < e->steps; s++)
        e->step[s].factor = inputs_of(e, e->step[s].number).factor;
}

gram_status gi_schedule_new(gi_engine *e, const char *needed)
{
    size_t ops = e->p->ops;
    gram_status status;
    plan q = {.e = e};
    char *wanted = NULL;

    GI_TRY(GI_NEW(e->run, wanted, ops));
    GI_TRY(GI_NEW(e->run, e->step, ops));
    GI_TRY(GI_NEW(e->run, e->where, ops));
    GI_TRY(GI_NEW_ZERO(e->run, q.last, ops));
    GI_TRY(GI_NEW_ZERO(e->run, q.free, ops));
    for (size_t i = 0; i < ops; i++) {
        wanted[i] = needed[i];
        e->where[i] = -1;
    }
    for (size_t i = 0; i < ops; i++)
        if (wanted[i] && e->p->op[i].code == GI_OP_CONSTANT)
            add_step(e, (int)i, wanted);
    e->constants = e->steps;
    for (size_t i = 0; i < ops; i++)
        if (wanted[i])
            add_step(e, (int)i, wanted);
    for (size_t s = 0; s < e->steps; s++) {
        if (e->step[s].a >= 0)
            q.last[e->step[s].a] = s;
        if (e->step[s].b >= 0)
            q.last[e->step[s].b] = s;
    }
    for (size_t s = 0; s < e->steps; s++)
        place(&q, s);
    e->result = e->where[e->p->result];
    e->strip = strip_rows(e);
done:
    gi_free(wanted);
    gi_free(q.last);
    gi_free(q.free);
    return status;
}
