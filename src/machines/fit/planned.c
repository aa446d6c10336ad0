/* planned.c - a fit in two calls: planned, and then carried out.
 */
#include "base/mem.h"
#include "machines/fit.h"

/* Both calls enter what they hold in one ledger, that of the first. */
struct gram_fit {
    gi_fit f;
    gram_fit_options o;
    gram_plan plan;
    gi_ledger *ledger;
    uint64_t seed;
    int was_run;
};

static gram_status new_fit(gi_run *run, const gram_table *table,
                           const gram_fit_options *options, gram_fit **out)
{
    gram_status status = GRAM_OK;
    gram_fit *fit = NULL;

    *out = NULL;
    GI_TRY(GI_NEW_ZERO(NULL, fit, 1)); /* no part of what is planned */
    if (options)
        fit->o = *options;
    fit->seed = run->seed;
    fit->f = (gi_fit){.run = run, .o = &fit->o, .table = table};
    GI_TRY(gi_fit_begin(&fit->f));
    GI_TRY(gi_fit_make_plan(&fit->f, &fit->plan));
    fit->f.run = NULL;
    fit->ledger = gi_ledger_keep(run->ledger);
    *out = fit;
    fit = NULL;
done:
    gram_fit_free(fit);
    return status;
}

gram_status gram_fit_new(const gram_table *table,
                         const gram_fit_options *options, const gram_exec *exec,
                         gram_fit **out)
{
    GI_RUN(run, exec);

    return new_fit(&run, table, options, out);
}

gram_status gram_machine_plan(const gram_table *table,
                              const gram_fit_options *options,
                              const gram_exec *exec, gram_plan *out)
{
    GI_RUN(run, exec);
    gram_fit *fit = NULL;
    gram_status status = new_fit(&run, table, options, &fit);

    if (status == GRAM_OK)
        *out = fit->plan;
    gram_fit_free(fit);
    return status;
}

const gram_plan *gram_fit_plan(const gram_fit *fit)
{
    return &fit->plan;
}

gram_status gram_fit_run(gram_fit *fit, const gram_exec *exec,
                         gram_machine **out)
{
    GI_RUN(run, exec);

    *out = NULL;
    if (fit->was_run)
        return gi_fail(GRAM_ERR_RANGE, "fit: it was run before, a plan is "
                                       "carried out once");
    fit->was_run = 1;
    gi_run_continue(&run, fit->ledger);
    run.seed = fit->seed;
    return gi_fit_run(&run, &fit->f, out);
}

void gram_fit_free(gram_fit *fit)
{
    if (!fit)
        return;
    gi_fit_end(&fit->f);
    gi_ledger_release(fit->ledger);
    gi_free(fit);
}
