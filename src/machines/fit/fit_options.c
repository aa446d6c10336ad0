/* fit_options.c - are the options of a fit in order, and what do they say about
 * lambda?
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/spec.h"
#include "machines/fit.h"

static gram_status check_amount(const char *name, double x)
{
    return x >= 0 && isfinite(x)
               ? GRAM_OK
               : gi_fail(GRAM_ERR_RANGE, "%s = %g, must be 0 or more", name, x);
}

gram_status gi_fit_options_check(const gram_fit_options *o)
{
    gram_status status = GRAM_OK;
    const gi_solver *solver = NULL;

    GI_TRY(gi_check_choice("task", (int)o->task, 0, GRAM_TASK_CLASSIFICATION));
    GI_TRY(
        gi_check_choice("missing", (int)o->missing, 0, GRAM_MISSING_INDICATOR));
    GI_TRY(gi_check_choice("classes", (int)o->classes, 0,
                           GRAM_CLASSES_ONE_VS_REST));
    GI_TRY(gi_check_choice("select", (int)o->select, 0, GRAM_SELECT_NONE));
    GI_TRY(
        gi_check_choice("scale", (int)o->scale, 0, GRAM_KERNEL_SCALE_MINMAX));
    GI_TRY(gi_check_choice("precision", o->precision, 0, GI_FACTOR_SINGLE));
    if (o->folds.folds == 1)
        GI_TRY(gi_fail(GRAM_ERR_RANGE, "folds = 1, must be at least 2"));
    if (o->jitter != -1)
        GI_TRY(check_amount("jitter", o->jitter));
    GI_TRY(check_amount("tolerance", o->tolerance));
    GI_TRY(check_amount("step", o->step));
    if (!(o->holdout >= 0 && o->holdout < 1))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "holdout = %g, must be 0 or more and below 1",
                       o->holdout));
    if (o->holdout > 0 && o->solver && strcmp(o->solver, "auto") != 0)
        GI_TRY(gi_solver_find(o->solver, &solver));
    if (o->holdout > 0 && !(solver && (solver->flags & GI_SOLVER_HOLDS_OUT)))
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "holdout = %g: only solver %s holds rows out",
                       o->holdout, gi_solver_with(GI_SOLVER_HOLDS_OUT)->name));
done:
    return status;
}

static gram_status read_candidates(gi_run *run, const gi_spec *spec,
                                   const gi_node *open, gi_lambda *out)
{
    gram_status status = GRAM_OK;

    for (const gi_node *kid = open->kids; kid; kid = kid->next)
        out->count++;
    if (out->count == 0)
        return status;
    GI_TRY(GI_NEW(run, out->candidate, out->count));
    out->count = 0;
    for (const gi_node *kid = open->kids; kid; kid = kid->next) {
        if (!(kid->number > 0))
            GI_TRY(gi_spec_fail(spec, kid->at, GRAM_ERR_RANGE,
                                "candidate %g, must be positive", kid->number));
        out->candidate[out->count++] = kid->number;
    }
done:
    return status;
}

/* A start, ?0.5, is allowed and changes nothing: the whole range of lambda is
 * searched anyway. */
gram_status gi_lambda_read(gi_run *run, const char *text, gi_lambda *out)
{
    gram_status status = GRAM_OK;
    gi_spec *spec = NULL;
    const gi_node *root;

    *out = (gi_lambda){.value = NAN};
    if (!text || strcmp(text, "auto") == 0)
        return status;
    GI_TRY(gi_spec_parse(run, "lambda", text, &spec));
    root = spec->root;
    if (root->kind == GI_NODE_OPEN) {
        GI_TRY(read_candidates(run, spec, root, out));
    } else if (root->kind == GI_NODE_NUMBER && root->number >= 0) {
        out->value = root->number;
    } else {
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "lambda = %s, must be a number of at least 0, "
                       "?[candidates] or auto",
                       text));
    }
done:
    gi_spec_free(spec);
    return status;
}
