/* row_subset.c - the operator, targets and noise of some rows.
 */
#include "solvers/row_subset.h"

#include <string.h>

#include "base/mem.h"

void gi_row_subset_free(gi_row_subset *a)
{
    gi_operator_free(a->K);
    gi_free(a->y);
    gi_free(a->noise);
    *a = (gi_row_subset){0};
}

gram_status gi_row_subset_new(gi_run *run, const gi_problem *p,
                              const size_t *row, size_t m, gi_row_subset *out)
{
    const size_t targets = p->targets;
    gi_row_subset a = {.problem = *p};
    gram_status status = GRAM_OK;

    if (m == p->n)
        goto done;
    GI_TRY(gi_operator_restrict(p->K, run, row, m, &a.K));
    GI_TRY(GI_NEW(run, a.y, m * targets));
    for (size_t i = 0; i < m; i++)
        memcpy(a.y + i * targets, p->y + row[i] * targets,
               targets * sizeof *a.y);
    if (p->noise)
        GI_TRY(GI_NEW(run, a.noise, m));
    for (size_t i = 0; p->noise && i < m; i++)
        a.noise[i] = p->noise[row[i]];
    a.problem.n = m;
    a.problem.K = a.K;
    a.problem.y = a.y;
    a.problem.noise = a.noise;
    a.problem.start = NULL;
done:
    if (status == GRAM_OK)
        *out = a;
    else
        gi_row_subset_free(&a);
    return status;
}
