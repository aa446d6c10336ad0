/* complete.c - tables with missing cells, before machines.
 *
 * What stands for a missing cell is learned once, from the rows of the fit, and
 * kept in the machine: new rows get the same, whatever comes with them.  Where
 * rows with missing cells were left out of the fit, their predictions are left
 * empty.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "data/table/missing.h"
#include "data/read/reader.h"
#include "machines/fit.h"
#include "data/table/subset.h"
#include "machines/predict/predict.h"

static size_t count_missing(const gram_table *t)
{
    size_t missing = 0;

    for (size_t j = 0; j < t->cols; j++)
        missing += t->column[j].missing;
    return missing;
}

static int fills_in(gram_missing policy)
{
    return policy == GRAM_MISSING_MEAN || policy == GRAM_MISSING_INDICATOR;
}

/* --------------------------------------------------------------------- fit */

/* Rows with missing cells go; f->source says where the others came from. */
static gram_status leave_out(gi_fit *f)
{
    gram_status status = GRAM_OK;
    const gram_table *t = f->table;
    unsigned char *whole = NULL;
    size_t n = 0;

    GI_TRY(GI_NEW(f->run, whole, t->rows));
    GI_TRY(GI_NEW(f->run, f->source, t->rows));
    if (gi_table_whole_rows(t, NULL, whole) == 0)
        GI_TRY(gi_fail(GRAM_ERR_RANGE, "no rows without missing cells"));
    for (size_t i = 0; i < t->rows; i++)
        if (whole[i])
            f->source[n++] = i;
    GI_TRY(gi_table_subset(f->run, t, NULL, whole, &f->part));
done:
    gi_free(whole);
    return status;
}

/* Cells that cannot be filled in, and if that was asked for, all others. */
static gram_status refuse(const gi_fit *f, gram_missing policy)
{
    if (f->m->outputs.loss->class_->flags &
        GRAM_LOSS_NOVELTY) /* needs no target */
        return GRAM_OK;
    return gi_table_refuse_missing(f->table, policy == GRAM_MISSING_REFUSE,
                                   NULL, 0);
}

gram_status gi_fit_complete(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gi_fills *fills = &f->m->outputs.fills;
    gram_missing policy = f->fills ? f->fills->policy : f->o->missing;
    int some = count_missing(f->table) > 0;

    if (some && policy == GRAM_MISSING_DROP)
        GI_TRY(leave_out(f));
    else if (some)
        GI_TRY(refuse(f, policy));
    if (f->fills)
        GI_TRY(gi_fills_copy(f->run, f->fills, fills));
    else
        GI_TRY(gi_fills_learn(f->run, gi_fit_table(f), policy, fills));
    if (!fills_in(policy) || (!some && !f->fills))
        goto done;
    GI_TRY(gi_table_subset(f->run, f->table, NULL, NULL, &f->part));
    GI_TRY(gi_fills_apply(f->run, fills, f->part));
done:
    return status;
}

/* ------------------------------------------------------------------ fitted */

/* Columns of t that matter to the machine. */
static void mark_columns(const gram_machine *m, const gram_table *t,
                         int targets, unsigned char *mark)
{
    const char *noise = m->training.noise_column;

    for (size_t j = 0; j < t->cols; j++) {
        const char *name = t->column[j].name;

        mark[j] =
            gi_dict_find(&m->expansion.table->names, name, strlen(name)) >= 0 ||
            (noise && strcmp(name, noise) == 0);
        for (size_t k = 0; k < m->outputs.fills.count && !mark[j]; k++)
            mark[j] = strcmp(m->outputs.fills.fill[k].column, name) == 0;
        for (size_t k = 0; targets && k < m->outputs.target_count && !mark[j];
             k++)
            mark[j] = strcmp(m->outputs.target[k], name) == 0;
        mark[j] |= targets && t->column[j].role != GRAM_ROLE_FEATURE;
    }
}

static gram_status own_policy(const gram_machine *m, gram_missing asked,
                              gram_missing *out)
{
    *out = asked == GRAM_MISSING_AUTO ? m->outputs.fills.policy : asked;
    return gi_check_choice("missing", (int)asked, 0, GRAM_MISSING_INDICATOR);
}

gram_status gi_machine_fill(gi_run *run, const gram_machine *m,
                            gram_missing asked, gram_table *t)
{
    gram_status status = GRAM_OK;
    gram_missing policy;
    unsigned char *whole = NULL, *mark = NULL;

    GI_TRY(own_policy(m, asked, &policy));
    if (policy == GRAM_MISSING_DROP && count_missing(t) > 0) {
        GI_TRY(GI_NEW(run, mark, t->cols));
        GI_TRY(GI_NEW(run, whole, t->rows));
        mark_columns(m, t, 1, mark);
        gi_table_whole_rows(t, mark, whole);
        gi_table_keep_rows(t, whole);
        if (t->rows == 0)
            GI_TRY(gi_fail(GRAM_ERR_RANGE, "no rows without missing cells"));
    }
    if (fills_in(policy))
        GI_TRY(gi_fills_apply(run, &m->outputs.fills, t));
done:
    gi_free(whole);
    gi_free(mark);
    return status;
}

/* Does the table of new rows have to change before they can be predicted, or,
 * `targets`, scored? */
static int is_incomplete(const gram_machine *m, const gram_table *t,
                         int targets)
{
    for (size_t k = 0; k < m->outputs.fills.count; k++) {
        const gi_fill *f = &m->outputs.fills.fill[k];
        int j = gi_dict_find(&t->names, f->column, strlen(f->column));

        if (f->indicated || (j >= 0 && t->column[j].missing > 0))
            return 1;
    }
    for (size_t k = 0; targets && k < m->outputs.target_count; k++) {
        int j = gi_dict_find(&t->names, m->outputs.target[k],
                             strlen(m->outputs.target[k]));

        if (j >= 0 && t->column[j].missing > 0)
            return 1;
    }
    return 0;
}

gram_status gi_machine_complete(gi_run *run, const gram_machine *m,
                                gram_missing asked, const gram_table *t,
                                gram_table **out)
{
    gram_status status = GRAM_OK;
    unsigned char *mark = NULL;
    gram_table *own = NULL;

    *out = NULL;
    if (!is_incomplete(m, t, 1))
        return status;
    GI_TRY(GI_NEW(run, mark, t->cols));
    mark_columns(m, t, 1, mark);
    GI_TRY(gi_table_subset(run, t, mark, NULL, &own));
    GI_TRY(gi_machine_fill(run, m, asked, own));
    *out = own;
    own = NULL;
done:
    gram_table_free(own);
    gi_free(mark);
    return status;
}

gram_status gi_query_complete(gi_query *a)
{
    gram_status status = GRAM_OK;
    const gram_machine *m = a->m;
    const gram_table *t = a->table;
    unsigned char *mark = NULL;
    gram_missing policy;

    GI_TRY(own_policy(m, a->missing, &policy));
    if (!is_incomplete(m, t, 0) ||
        !(fills_in(policy) || policy == GRAM_MISSING_DROP))
        return status;
    GI_TRY(GI_NEW(a->run, mark, t->cols));
    mark_columns(m, t, 0, mark);
    GI_TRY(gi_table_subset(a->run, t, mark, NULL, &a->own));
    if (policy == GRAM_MISSING_DROP) {
        GI_TRY(GI_NEW(a->run, a->whole, t->rows));
        gi_table_whole_rows(a->own, NULL, a->whole);
    }
    GI_TRY(gi_fills_apply(a->run, &m->outputs.fills, a->own));
    a->table = a->own;
done:
    gi_free(mark);
    return status;
}

static void blank_reals(double *x, size_t row, size_t each)
{
    for (size_t k = 0; x && k < each; k++)
        x[row * each + k] = NAN;
}

void gi_query_blank(const gi_query *a, size_t why, const gram_prediction *out)
{
    size_t T = a->m->outputs.count, terms = a->m->expansion.terms;

    for (size_t i = 0; a->whole && i < a->rows; i++) {
        if (a->whole[i])
            continue;
        blank_reals(out->mean, i, T);
        blank_reals(out->std, i, T);
        blank_reals(out->std_f, i, T);
        blank_reals(out->lower, i, T);
        blank_reals(out->upper, i, T);
        blank_reals(out->proba, i, a->m->outputs.classes.count);
        blank_reals(out->terms, i, terms);
        blank_reals(out->terms_std, i, terms);
        blank_reals(out->why_part, i, why);
        if (out->label)
            out->label[i] = -1;
        for (size_t k = 0; out->why && k < why; k++)
            out->why[i * why + k] = SIZE_MAX;
    }
}

/* ------------------------------------------------------------------ public */

gram_status gram_machine_fill(const gram_machine *m, gram_table *table,
                              gram_missing policy, const gram_exec *exec)
{
    GI_RUN(run, exec);

    return gi_machine_fill(&run, m, policy, table);
}

/* The types of the columns that the machine looks at, and of its targets. */
static gram_status make_hints(gi_run *run, const gram_machine *m,
                              gi_type_hint **out, size_t *count)
{
    gram_status status = GRAM_OK;
    const gram_table *t = m->expansion.table;

    GI_TRY(GI_NEW(run, *out, t->cols + m->outputs.target_count));
    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].type != GRAM_TYPE_SPARSE)
            (*out)[(*count)++] =
                (gi_type_hint){t->column[j].name, t->column[j].type};
    for (size_t k = 0; m->outputs.target_type && k < m->outputs.target_count;
         k++)
        if (gi_dict_find(&t->names, m->outputs.target[k],
                         strlen(m->outputs.target[k])) < 0)
            (*out)[(*count)++] = (gi_type_hint){
                m->outputs.target[k], (gram_type)m->outputs.target_type[k]};
done:
    return status;
}

gram_status gram_table_read_for(const gram_machine *m, const char *path,
                                const gram_read_options *options,
                                const gram_exec *exec, gram_table **out)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    gram_read_options o = options ? *options : (gram_read_options){0};
    gi_type_hint *hint = NULL;
    size_t hints = 0;

    *out = NULL;
    o.missing = GRAM_MISSING_KEEP;
    GI_TRY(make_hints(&run, m, &hint, &hints));
    GI_TRY(gi_table_read(&run, path, &o, hint, hints, out));
done:
    gi_free(hint);
    return status;
}
