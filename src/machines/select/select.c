/* select.c - the numbers that are open: kernel parameters and lambda.
 *
 * If lambda alone is open, its whole path costs about as much as one value
 * (solvers/path.h); kernel numbers are searched with gradients, lambda
 * beside them (solvers/path/criterion.h), or by folds on a grid (select_cv.c).
 * What is too large for memory, or beyond MOST_ROWS rows without structure, is
 * chosen on a sample of the rows: amplitude, noise and lengths mean the same
 * there.
 *
 * An overall `?` cannot be told from lambda by leave-one-out, and evidence has
 * it for nothing, so it stays 1 here (fit.c writes it).
 */
#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "machines/select/select.h"

enum { STREAM = 0x73656c65 };

static const struct {
    unsigned want;
    const char *lambda, *kernel, *both; /* what is searched */
} criteria[] = {
    [GRAM_SELECT_EVIDENCE] = {GI_WANT_EVIDENCE,
                              "lambda by evidence, on its whole path",
                              "kernel numbers by evidence, with gradients",
                              "kernel numbers and lambda by evidence, with "
                              "gradients"},
    [GRAM_SELECT_LOO] = {GI_WANT_LOO,
                         "lambda by leave-one-out error, on its whole path",
                         "kernel numbers by leave-one-out error, with "
                         "gradients",
                         "kernel numbers and lambda by leave-one-out error, "
                         "with gradients"},
    [GRAM_SELECT_GCV] = {GI_WANT_GCV,
                         "lambda by generalised cross-validation, on its "
                         "whole path",
                         "kernel numbers by generalised cross-validation",
                         "kernel numbers and lambda by generalised "
                         "cross-validation"},
    [GRAM_SELECT_CV] = {GI_WANT_LOO, "lambda by cross-validation",
                        "kernel numbers by cross-validation",
                        "kernel numbers and lambda by cross-validation"},
    [GRAM_SELECT_NONE] = {0, "nothing: open numbers keep their starts",
                          "nothing: open numbers keep their starts",
                          "nothing: open numbers keep their starts"},
};

size_t gi_select_searched(const gi_fit *f)
{
    size_t count = 0;

    for (size_t u = 0; u < f->unknowns; u++)
        count += (int)f->unknown[u].slot != f->hold;
    return count;
}

const char *gi_select_sentence(const gi_fit *f)
{
    size_t searched = gi_select_searched(f);

    if (searched == 0 && !isnan(f->lambda.value))
        return "nothing: all numbers are given";
    return searched == 0            ? criteria[f->select].lambda
           : isnan(f->lambda.value) ? criteria[f->select].both
                                    : criteria[f->select].kernel;
}

/* -------------------------------------------------------------------- rows */

void gi_selection_free(gi_selection *s)
{
    gi_row_subset_free(&s->rows);
    gi_free(s->pick);
}

/* `rows` of the n rows, ascending. */
static gram_status pick_rows(gi_run *run, size_t n, size_t rows, size_t **out)
{
    gram_status status = GRAM_OK;
    gi_rng rng = gi_rng_new(run->seed, STREAM);
    size_t *pick = NULL, to = 0;

    GI_TRY(GI_NEW(run, pick, rows));
    for (size_t i = 0; i < n; i++) /* Knuth's algorithm S */
        if (gi_rng_below(&rng, n - i) < rows - to)
            pick[to++] = i;
    *out = pick;
done:
    return status;
}

gram_status gi_selection_new(gi_fit *f, gi_selection *s)
{
    gram_status status = GRAM_OK;
    gi_problem all = gi_fit_problem(f);
    size_t rows = f->plan.rows;

    if (rows < all.n) {
        GI_TRY(pick_rows(f->run, all.n, rows, &s->pick));
        GI_TRY(gi_machine_warn(f->run, f->m,
                               "numbers were chosen on %zu of the %zu rows, "
                               "drawn at random",
                               rows, all.n));
    }
    GI_TRY(gi_row_subset_new(f->run, &all, s->pick, rows, &s->rows));
    s->K = s->rows.K ? s->rows.K : f->K;
    s->problem = s->rows.problem;
done:
    return status;
}

gram_status gi_selection_scale(gi_run *run, const gi_selection *s, double *out)
{
    gram_status status = GRAM_OK;
    const gi_problem *p = &s->problem;
    double *diagonal = NULL, sum = 0;

    GI_TRY(GI_NEW(run, diagonal, p->n));
    GI_TRY(gi_operator_diagonal(s->K, run, diagonal));
    for (size_t i = 0; i < p->n; i++)
        sum += diagonal[i] / (p->noise ? p->noise[i] : 1) / (double)p->n;
    *out = sum > 0 ? sum : 1;
done:
    gi_free(diagonal);
    return status;
}

/* -------------------------------------------------------------------- path */

static double value_of(const gi_criteria *c, unsigned want)
{
    return want == GI_WANT_EVIDENCE ? c->evidence
           : want == GI_WANT_LOO    ? c->loo
                                    : c->gcv;
}

/* The value of the criterion, and the evidence if it is that of all rows. */
static void note(gi_fit *f, const gi_selection *s, const gi_criteria *at)
{
    unsigned want = criteria[f->select].want;
    size_t T = f->m->outputs.count;

    f->value = 0;
    for (size_t t = 0; t < T; t++) {
        f->value +=
            value_of(&at[t], want) / (want == GI_WANT_EVIDENCE ? 1 : (double)T);
        if (!s->pick)
            f->m->outputs.evidence[t] = at[t].evidence;
    }
}

/* Of a classifier by least squares: the share of rows that are taken for
 * another class when they are left out, in closed form. */
static gram_status note_classes(gi_fit *f, const gi_selection *s, gi_path *path)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = f->m;
    const double *y = s->problem.y;
    size_t n = s->problem.n, wrong = 0;
    int *fold = NULL, *is = NULL, *said = NULL;
    double *left = NULL;

    if (m->outputs.classes.coding == GI_CODING_NONE ||
        f->select != GRAM_SELECT_LOO)
        return status;
    GI_TRY(GI_NEW(f->run, fold, n));
    GI_TRY(GI_NEW(f->run, is, n));
    GI_TRY(GI_NEW(f->run, said, n));
    GI_TRY(GI_NEW(f->run, left, n * m->outputs.count));
    for (size_t i = 0; i < n; i++)
        fold[i] = (int)i;
    GI_TRY(path->folds(path, f->run, m->outputs.lambda[0], fold, n, left));
    for (size_t k = 0; k < n * m->outputs.count; k++)
        left[k] = y[k] - left[k];
    GI_TRY(gi_classes_label(f->run, &m->outputs.classes, y, n, is));
    GI_TRY(gi_classes_label(f->run, &m->outputs.classes, left, n, said));
    for (size_t i = 0; i < n; i++)
        wrong += is[i] != said[i];
    f->value = (double)wrong / (double)n;
done:
    gi_free(fold);
    gi_free(is);
    gi_free(said);
    gi_free(left);
    return status;
}

/* lambda on its path, at theta; or, if it is known, the criterion there. */
static gram_status along_path(gi_fit *f, gi_selection *s)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    unsigned want = criteria[f->select].want;
    int each = m->expansion.solutions > 1;
    gi_path *path = NULL;
    gi_criteria *at = NULL, *all = NULL;

    GI_TRY(GI_NEW(f->run, at, m->outputs.count));
    GI_TRY(GI_NEW(f->run, all, m->outputs.count));
    GI_TRY(gi_operator_set(s->K, f->run, f->theta));
    GI_TRY(
        gi_path_new(f->run, &s->problem, NULL, want | GI_WANT_EVIDENCE, &path));
    if (isnan(m->outputs.lambda[0])) {
        GI_TRY(gi_path_best(f->run, path, want, f->lambda.candidate,
                            f->lambda.count, each, at));
        for (size_t t = 0; t < m->outputs.count; t++) {
            m->outputs.lambda[t] = at[each ? t : 0].lambda;
            f->lambda_edge = f->lambda_edge ? f->lambda_edge : (int)at[t].edge;
        }
    }
    for (size_t t = 0; t < m->outputs.count; t++) {
        if (t == 0 || each)
            GI_TRY(path->at(path, f->run, &m->outputs.lambda[t], 1,
                            want | GI_WANT_EVIDENCE, all));
        at[t] = all[t];
    }
    note(f, s, at);
    GI_TRY(note_classes(f, s, path));
done:
    gi_path_free(path);
    gi_free(at);
    gi_free(all);
    return status;
}

/* ------------------------------------------------------------------ search */

static gram_status search(gi_fit *f, gi_selection *s)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    gi_run part = gi_run_share(f->run, 0, m->expansion.solutions > 1 ? 0.8 : 1);
    gi_found found = {0};
    gi_search search = {.program = f->program,
                        .K = s->K,
                        .problem = s->problem,
                        .criterion = criteria[f->select].want,
                        .unknown = f->unknown,
                        .unknowns = f->unknowns,
                        .hold = f->hold,
                        .lambda = f->lambda.value,
                        .lambdas = f->lambda.candidate,
                        .lambda_count = f->lambda.count};

    GI_TRY(gi_search_run(&part, &search, f->theta, &found));
    f->evaluations = found.evaluations;
    f->value = found.value;
    f->lambda_edge = found.lambda_edge;
    f->edge = found.edge + 1;
    if (m->expansion.solutions == 1)
        for (size_t t = 0; t < m->outputs.count; t++)
            m->outputs.lambda[t] = found.lambda;
    if (!found.converged)
        GI_TRY(gi_machine_warn(f->run, m,
                               "the search for the kernel's numbers stopped "
                               "at its limit, after %zu evaluations, before "
                               "it had converged: the model is right for the "
                               "numbers it has, better ones may be near; "
                               "written as starts (?X) in the kernel they are "
                               "searched on",
                               found.evaluations));
    if (f->select == GRAM_SELECT_EVIDENCE && m->outputs.count == 1) {
        if (!s->pick)
            m->outputs.evidence[0] = found.value;
        if (!gi_machine_is_squared(m)) {
            m->outputs.lambda[0] = found.lambda;
            m->outputs.classes.link = GI_LINK_PROCESS;
        }
        goto done;
    }
    GI_TRY(along_path(f, s));
done:
    return status;
}

/* ------------------------------------------------------------------ starts */

static gram_status keep_starts(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;

    if (gi_select_searched(f) > 0)
        GI_TRY(gi_machine_warn(f->run, m,
                               "the kernel's open numbers have start values, "
                               "they were not learned"));
    if (isnan(m->outputs.lambda[0])) {
        for (size_t t = 0; t < m->outputs.count; t++)
            m->outputs.lambda[t] = 1;
        GI_TRY(gi_machine_warn(f->run, m,
                               "lambda = 1 is a start value, it was not "
                               "learned"));
    }
done:
    return status;
}

gram_status gi_select(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gi_selection s = {0};

    if (f->select == GRAM_SELECT_NONE) {
        GI_TRY(keep_starts(f));
        return gi_select_sigmoid(f);
    }
    GI_TRY(gi_selection_new(f, &s));
    if (f->select == GRAM_SELECT_CV)
        GI_TRY(gi_machine_is_squared(f->m) ? gi_select_cv(f, &s)
                                           : gi_select_loss(f, &s));
    else if (gi_select_searched(f) > 0 || !gi_machine_is_squared(f->m))
        GI_TRY(search(f, &s));
    else
        GI_TRY(along_path(f, &s));
    for (size_t t = 0; t < f->m->outputs.count; t++)
        if (!(f->m->outputs.lambda[t] >= 0))
            GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                           "lambda: the criterion (%s) is not defined at any "
                           "value for these rows",
                           gi_select_names[f->select]));
    GI_TRY(gi_select_sigmoid(f));
done:
    gi_selection_free(&s);
    return status;
}
