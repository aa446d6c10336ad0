/* machine_path.c - criteria along the whole path of lambda.
 */
#include <math.h>

#include "base/fields.h"
#include "base/mem.h"
#include "machines/select/select.h"

/* Decades of a grid below and above the mean of the kernel's diagonal. */
static const double below = 8, above = 3;

enum { WANT = GI_WANT_LOO | GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF };

#define FIELD(member) GI_FIELD(#member, REAL, gram_path_row, member)

static const gram_field fields[] = {
    {FIELD(lambda)},       {FIELD(loo)}, {FIELD(gcv)},
    {FIELD(log_evidence)}, {FIELD(df)},  {.name = NULL},
};

const gram_field *gram_path_row_fields(void)
{
    return fields;
}

static gram_status make_grid(const double *lambdas, size_t count, double scale,
                             double *out)
{
    for (size_t i = 0; i < count; i++) {
        double at = count > 1 ? (double)i / (double)(count - 1) : 0.5;

        out[i] = lambdas ? lambdas[i]
                         : scale * pow(10, (below + above) * at - below);
        if (!(out[i] > 0 && isfinite(out[i])))
            return gi_fail(GRAM_ERR_RANGE, "lambda = %g, must be positive",
                           out[i]);
    }
    return GRAM_OK;
}

/* The index of the best of a column of rows; larger is better for evidence. */
static size_t best_of(const gram_path_row *rows, size_t count, size_t targets,
                      size_t target, int which)
{
    double least = INFINITY;
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        const gram_path_row *r = &rows[i * targets + target];
        double x = which == 0 ? r->loo : which == 1 ? r->gcv : -r->log_evidence;

        if (x < least) {
            least = x;
            best = i;
        }
    }
    return best;
}

static gram_status fill(gi_fit *f, const double *lambdas, size_t count,
                        gram_path_row *rows)
{
    gram_status status = GRAM_OK;
    size_t T = f->m->outputs.count;
    gi_problem p = gi_fit_problem(f);
    gi_path *path = NULL;
    gi_criteria *at = NULL;
    double *lambda = NULL;

    GI_TRY(GI_NEW(f->run, lambda, count));
    GI_TRY(GI_NEW(f->run, at, count * T));
    GI_TRY(gi_path_new(f->run, &p, NULL, WANT, &path));
    GI_TRY(make_grid(lambdas, count, path->scale, lambda));
    GI_TRY(path->at(path, f->run, lambda, count, WANT, at));
    for (size_t i = 0; i < count * T; i++)
        rows[i] = (gram_path_row){lambda[i / T], at[i].loo, at[i].gcv,
                                  at[i].evidence, at[i].df};
done:
    gi_path_free(path);
    gi_free(lambda);
    gi_free(at);
    return status;
}

gram_status gram_machine_path(const gram_table *table,
                              const gram_fit_options *options,
                              const double *lambdas, size_t count,
                              const gram_exec *exec, gram_path_row *rows,
                              size_t *best)
{
    static const gram_fit_options defaults;
    gram_fit_options o = options ? *options : defaults;
    gram_status status = GRAM_OK;
    GI_RUN(all, exec);
    gi_run part = gi_run_quiet(&all);
    gi_fit f = {.run = &part, .o = &o, .table = table};

    o.lambda = NULL;
    GI_TRY(gi_fit_begin(&f));
    if (!gi_machine_is_squared(f.m))
        GI_TRY(gi_machine_must_be_squared(f.m, "a path"));
    GI_TRY(gi_fit_make_plan(&f, NULL));
    if (gi_select_searched(&f) > 0) {
        gi_run_stage(&all, "choosing");
        part = gi_run_share(&all, 0, 0.8);
        GI_TRY(gi_select(&f));
        part = gi_run_quiet(&all);
        GI_TRY(gi_operator_set(f.K, &part, f.theta));
    }
    gi_run_stage(&all, "computing");
    part = gi_run_share(&all, all.last, 1);
    GI_TRY(fill(&f, lambdas, count, rows));
    GI_TRY(gi_run_tick(&all, 1));
    for (size_t t = 0; t < f.m->outputs.count && count > 0; t++)
        for (int which = 0; which < 3; which++)
            best[3 * t + (size_t)which] =
                best_of(rows, count, f.m->outputs.count, t, which);
done:
    gi_fit_end(&f);
    return status;
}
