/* fit_options.c - the options of a fit: the table of their fields, whether they
 * are in order, and what they say about lambda.
 */
#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "base/mem.h"
#include "base/spec.h"
#include "machines/fit.h"

#define FIELD(kind, member) GI_FIELD(#member, kind, gram_fit_options, member)

static const gram_field fields[] = {
    {FIELD(TEXT, kernel), .words = GI_WORDS("SPEC"),
     .help = "the kernel, as in 'rbf(ard)' or '?*rbf[age] + linear' (default "
             "rbf); gram kernels lists them; numbers (hyperparameters) that "
             "are given are kept, question marks and those left out are "
             "chosen"},
    {FIELD(CHOICE, task),
     .words = GI_WORDS("auto", "regression", "classification"),
     .help = "take the target for numbers or for classes (default: classes if "
             "it is a category or has two values)"},
    {FIELD(TEXT, loss), .words = GI_WORDS("LOSS"),
     .help = "the loss, as in hinge or 'quantile(tau=0.9)'; gram losses lists "
             "them (default: squared for numbers, logistic for classes)"},
    {FIELD(CHOICE, missing), .least = GRAM_MISSING_REFUSE,
     .words = GI_WORDS_MISSING},
    {FIELD(TEXT, lambda), .words = GI_WORDS("X|auto"),
     .help = "the weight of |f|^2, of smoothness; ?[0.1,1]: the better of "
             "these (default auto: chosen from the data)"},
    {FIELD(TEXT, class_weights), .words = GI_WORDS("balanced|A=X,..."),
     .help = "weights of classes: all classes alike, or by name (default 1)"},
    {FIELD(CHOICE, classes), .words = GI_WORDS("auto", "pairs", "rest"),
     .help = "several classes: a function for each pair, or one for each "
             "against the rest (default: pairs for hinge and up to 100 "
             "classes)"},
    {GI_FIELD("proba", FLAG, gram_fit_options, probability),
     .help = "make probabilities for losses that have none, by folds"},
    {FIELD(CHOICE, select), .words = gi_select_names,
     .help = "how open numbers are chosen (default: squared loss: evidence, or "
             "loo if only lambda is open; other losses: cv; one_class: none)"},
    {GI_FIELD("folds", WHOLE, gram_fit_options, folds.folds),
     .words = GI_WORDS("K"), .least = 2, .most = 1000000,
     .help = "how many parts cross-validation makes (default 5); rows of one "
             "--group stay together"},
    {GI_FIELD("fold_column", TEXT, gram_fit_options, folds.given),
     .words = GI_WORDS("COL"),
     .help = "a column that holds the parts: each value is one"},
    {FIELD(WHOLE, tries), .words = GI_WORDS("N"), .least = 1, .most = 100000,
     .help = "cross-validate N random points instead of a grid"},
    {FIELD(CHOICE, scale), .words = GI_WORDS_SCALE,
     .help = "scale columns, as a map in the kernel (default: where no number "
             "in the kernel fixes a scale)"},
    {FIELD(TEXT, solver), .words = GI_WORDS("SOLVER"),
     .help = "the method that computes f; the default auto takes the cheapest "
             "that fits in memory, gram help solvers explains each of them:"},
    {FIELD(CHOICE, precision), .kept = 1, .words = GI_WORDS_PRECISION,
     .help = "of the factorisation; single is refined in double (default: "
             "single where it pays)"},
    {FIELD(REAL, jitter), .kept = 1, .words = GI_WORDS("X"),
     .help = "add X to the diagonal of the kernel matrix (default: only where "
             "the factorisation fails, and then it is said)"},
    {FIELD(REAL, tolerance), .kept = 1, .words = GI_WORDS("X"),
     .help = "where solvers stop that go step by step: relative residual (cg, "
             "gd), gradient (newton, softmax), gap (prox), violation (smo)"},
    {FIELD(WHOLE, steps), .words = GI_WORDS("N"), .least = 1,
     .help = "of these solvers, at most so many"},
    {FIELD(REAL, step), .words = GI_WORDS("X"),
     .help = "gd: the step size (default 1/(2 (largest eigenvalue + lambda)))"},
    {FIELD(REAL, holdout), .words = GI_WORDS("SHARE"), .most = 1,
     .help = "gd: rows kept back, whose error tells when to stop (default 0)"},
    {FIELD(FLAG, no_intercept), .help = "f without a constant b"},
    {FIELD(FLAG, per_target), .help = "a lambda for every target"},
    {FIELD(FLAG, allow_indefinite),
     .help = "take kernels that are not known to be positive semidefinite"},
    {FIELD(FLAG, keep_factor), .kept = 1,
     .help = "keep the factor in the model, for fast deviations and updates"},
    {.name = NULL},
};

const gram_field *gram_fit_option_fields(void)
{
    return fields;
}

/* A jitter of -1 is one that is never added. */
gram_status gi_fit_options_check(const gram_fit_options *o)
{
    gram_status status = GRAM_OK;
    const gi_solver *solver = NULL;
    gram_fit_options plain = *o;

    if (plain.jitter == -1)
        plain.jitter = 0;
    GI_TRY(gi_fields_check(gram_fit_option_fields(), &plain));
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
