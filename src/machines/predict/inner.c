/* inner.c - fitted functions as elements of the kernel's space.
 *
 *     <f, g> = sum_ij alpha_i beta_j k(x_i, t_j)
 *
 * Both machines must have the same kernel: the same text, in which everything
 * that was learned is written.  Intercepts are no part of the space.
 */
#include <string.h>

#include "base/mem.h"
#include "kernels/engine/engine.h"
#include "machines/machine.h"

/* The coefficients of target 0. */
static gram_status first_alpha(gi_run *run, const gram_machine *m, double **out)
{
    gram_status status = GRAM_OK;
    const gi_solution *s = gi_machine_solution(m, 0);
    size_t stride = m->expansion.solutions > 1 ? 1 : m->outputs.count;

    if (!s->alpha)
        return gi_fail(GRAM_ERR_RANGE,
                       "inner product: a model without coefficients of its "
                       "rows, as lambda = 0 in primal form gives");
    GI_TRY(GI_NEW(run, *out, m->expansion.n));
    for (size_t i = 0; i < m->expansion.n; i++)
        (*out)[i] = s->alpha[i * stride];
done:
    return status;
}

gram_status gram_machine_inner(const gram_machine *f, const gram_machine *g,
                               const gram_exec *exec, double *out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    double *alpha = NULL, *beta = NULL, *values = NULL, sum = 0;
    gi_points *t = NULL;

    if (g && g != f && strcmp(f->expansion.text, g->expansion.text) != 0)
        return gi_fail(GRAM_ERR_SHAPE,
                       "inner product: models of \"%s\" and of \"%s\", must be "
                       "of the same kernel (fit --from takes it over)",
                       f->expansion.text, g->expansion.text);
    GI_TRY(first_alpha(&run, f, &alpha));
    GI_TRY(first_alpha(&run, g ? g : f, &beta));
    GI_TRY(GI_NEW(&run, values, f->expansion.n));
    /* f's own rows, too, as those of another: then equal models are at distance
     * 0 to the bit */
    GI_TRY(gi_points_new_unseen(&run, f->expansion.program,
                                (g ? g : f)->expansion.table, GI_DOUBLE, &t));
    GI_TRY(gi_engine_product(&run, f->expansion.program, f->expansion.x, t,
                             beta, 1, values));
    for (size_t i = 0; i < f->expansion.n; i++)
        sum += alpha[i] * values[i];
    *out = sum;
done:
    gi_points_free(t);
    gi_free(alpha);
    gi_free(beta);
    gi_free(values);
    return status;
}
