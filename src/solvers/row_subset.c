/* row_subset.c - points, targets and noise of some rows.
 */
#include "solvers/row_subset.h"

#include <string.h>

#include "base/mem.h"
#include "kernels/engine/block.h"

void gi_row_subset_free(gi_row_subset *a)
{
    gi_points_free(a->own_x);
    gi_free(a->y);
    gi_free(a->noise);
    memset(a, 0, sizeof *a);
}

gram_status gi_row_subset_rows(gi_run *run, const gi_problem *p,
                               const size_t *row, size_t m, gi_row_subset *out)
{
    const size_t targets = p->targets;
    gi_row_subset a = {.problem = *p};
    gram_status status;

    a.problem.n = m;
    a.problem.K = NULL; /* that of all rows is not that of these */
    a.problem.start = NULL;
    GI_TRY(GI_NEW(run, a.y, m * targets));
    for (size_t i = 0; i < m; i++)
        memcpy(a.y + i * targets, p->y + row[i] * targets,
               targets * sizeof *a.y);
    a.problem.y = a.y;
    if (p->noise) {
        GI_TRY(GI_NEW(run, a.noise, m));
        for (size_t i = 0; i < m; i++)
            a.noise[i] = p->noise[row[i]];
        a.problem.noise = a.noise;
    }
    *out = a;
    memset(&a, 0, sizeof a);
done:
    gi_row_subset_free(&a);
    return status;
}

gram_status gi_row_subset_new(gi_run *run, const gram_program *program,
                              const gi_points *x, const gi_problem *p,
                              const size_t *row, size_t m, gi_row_subset *out)
{
    gi_row_subset a = {.problem = *p, .x = x};
    gram_status status = GRAM_OK;

    if (m < p->n) {
        GI_TRY(gi_row_subset_rows(run, p, row, m, &a));
        GI_TRY(gi_points_select(run, program, x, row, m, &a.own_x));
        a.x = a.own_x;
    }
    *out = a;
    memset(&a, 0, sizeof a);
done:
    gi_row_subset_free(&a);
    return status;
}
