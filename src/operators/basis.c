/* basis.c - the columns of rectangular operators, set up once: the operator of
 * no rows, which lends what it has ready to others.
 */
#include "base/mem.h"
#include "operators/computed.h"

struct gi_basis {
    gi_computed *m;
};

static gram_status hold(gi_run *run, gi_computed *m, const double *V, size_t r)
{
    gram_status status;

    if (m->op.csr) {
        GI_TRY(gi_features_csr(run, m->map, m->t, &m->right));
        GI_TRY(GI_NEW(run, m->sums, m->right.cols * r));
        GI_TRY(gi_csr_times_transposed(run, &m->right, V, r, m->sums));
    } else {
        GI_TRY(gi_computed_prepare(run, m, GI_DOUBLE));
        GI_TRY(
            gi_block_pack(run, m->source[GI_DOUBLE].block, V, r, &m->vectors));
    }
    m->V = V;
done:
    return status;
}

gram_status gi_basis_new(gi_run *run, const gram_program *p,
                         const double *theta, const gi_points *t,
                         const double *V, size_t r, gi_basis **out)
{
    gi_points *none = NULL;
    gi_basis *b = NULL;
    gram_status status;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(run, b, 1));
    GI_TRY(gi_points_select(run, p, t, NULL, 0, &none));
    GI_TRY(gi_computed_new(run, p, theta, none, t, NULL, &b->m));
    b->m->own = none;
    none = NULL;
    if (V)
        GI_TRY(hold(run, b->m, V, r));
    *out = b;
    b = NULL;
done:
    gi_points_free(none);
    gi_basis_free(b);
    return status;
}

void gi_basis_free(gi_basis *b)
{
    if (b)
        gi_operator_free(b->m ? &b->m->op : NULL);
    gi_free(b);
}

double gi_basis_cost(const gi_basis *b)
{
    return gi_computed_cost(b->m->p, b->m->t) * (double)b->m->op.cols;
}

gram_status gi_operator_on(gi_run *run, const gi_basis *b, const gi_points *x,
                           gi_operator **out)
{
    gi_computed *m = NULL;
    gram_status status;

    GI_TRY(gi_points_check(b->m->p, x, b->m->t));
    GI_TRY(gi_computed_new(run, b->m->p, b->m->theta, x, b->m->t, b->m, &m));
done:
    *out = m ? &m->op : NULL;
    return status;
}
