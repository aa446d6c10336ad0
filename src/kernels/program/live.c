/* live.c - what is left of a program when some of its numbers are 0.
 *
 * Zeros are followed from the leaves up, through products and what maps 0 to
 * 0; what the result then reads is followed from the top down.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/program/live.h"

enum { ZERO = 1, READ = 2 };

/* Is 0 what the instruction makes of 0? */
static const unsigned char keeps_zero[GI_OPCODES] = {
    [GI_OP_SELF] = 1, [GI_OP_SCALE] = 1, [GI_OP_SQRT] = 1,
    [GI_OP_TANH] = 1, [GI_OP_POWER] = 1, [GI_OP_POWER_OF] = 1,
};

static int is_zero(const gi_op *op, const unsigned char *mark,
                   const unsigned char *off)
{
    int factor = op->code == GI_OP_CONSTANT || op->code == GI_OP_SCALE;

    if (factor && op->slot >= 0 && off[op->slot] && op->power > 0)
        return 1;
    if (op->code == GI_OP_ADD)
        return (mark[op->a] & mark[op->b] & ZERO) != 0;
    if (op->code == GI_OP_MULTIPLY)
        return ((mark[op->a] | mark[op->b]) & ZERO) != 0;
    return keeps_zero[op->code] && (mark[op->a] & ZERO);
}

gram_status gi_program_live(gi_run *run, const gram_program *p,
                            const unsigned char *off, unsigned char *live,
                            int *any)
{
    gram_status status;
    unsigned char *mark = NULL;

    memset(live, 0, p->thetas);
    GI_TRY(GI_NEW_ZERO(run, mark, p->ops));
    for (size_t i = 0; i < p->ops; i++)
        mark[i] = (unsigned char)is_zero(&p->op[i], mark, off) ? ZERO : 0;
    *any = !(mark[p->result] & ZERO);
    mark[p->result] |= READ;
    for (size_t i = p->ops; i-- > 0;) {
        const gi_op *op = &p->op[i];

        if (mark[i] != READ)
            continue;
        if (op->a >= 0)
            mark[op->a] |= READ;
        if (op->b >= 0)
            mark[op->b] |= READ;
        if (op->slot >= 0)
            live[op->slot] = 1;
    }
    for (size_t i = 0; i < p->kernel->slots; i++) {
        size_t first = (size_t)p->first_theta[i],
               count = gi_program_count(p, i);

        if (count > 1)
            memset(&live[first], live[first], count);
    }
done:
    gi_free(mark);
    return status;
}
