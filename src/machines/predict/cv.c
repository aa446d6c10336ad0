/* cv.c - cross-validation of whole fits: everything that is open is chosen
 * anew on the training rows of each fold.
 *
 * All kernels are fitted on the same folds, so that their errors can be
 * compared in pairs.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/table/subset.h"
#include "machines/predict/predict.h"
#include "machines/predict/score.h"
#include "machines/select/select.h"

/* Predictions for all rows of the table, gathered fold by fold. */
typedef struct gathered {
    double *y; /* of the first target */
    gram_prediction p;
    int spread; /* every fold had standard deviations */
    size_t rows;
    double loss, accuracy, log_loss, brier; /* sums */
} gathered;

static gram_status train(gi_run *run, const gram_table *t,
                         const gram_fit_options *o, const int *fold, int which,
                         gram_machine **machine, gram_table **held)
{
    gram_status status = GRAM_OK;
    unsigned char *keep = NULL;
    gram_table *rest = NULL;

    GI_TRY(GI_NEW(run, keep, t->rows));
    for (size_t i = 0; i < t->rows; i++)
        keep[i] = fold[i] == which;
    GI_TRY(gi_table_subset(run, t, NULL, keep, held));
    for (size_t i = 0; i < t->rows; i++)
        keep[i] = fold[i] != which;
    GI_TRY(gi_table_subset(run, t, NULL, keep, &rest));
    GI_TRY(gi_machine_fit(run, rest, o, machine));
done:
    gram_table_free(rest);
    gi_free(keep);
    return status;
}

/* The share of rows that a classifier is wrong about. */
static gram_status judge_classes(gi_run *run, const gram_machine *m,
                                 const gram_table *held,
                                 const gram_prediction *p, gathered *g,
                                 double *error)
{
    gram_status status = GRAM_OK;
    size_t rows = gram_table_rows(held), j = 0;
    gram_score s;
    int *code = NULL;

    GI_TRY(gram_table_find(held, m->outputs.target[0], &j));
    GI_TRY(GI_NEW(run, code, rows));
    GI_TRY(gi_classes_find(run, &m->outputs.classes, &held->column[j], rows,
                           code));
    GI_TRY(gi_score_classes(run, m, code, p, rows, &s));
    *error = 1 - s.accuracy;
    g->rows += rows;
    g->accuracy += (double)rows * s.accuracy;
    g->log_loss += (double)rows * s.log_loss;
    g->brier += (double)rows * s.brier;
done:
    gi_free(code);
    return status;
}

/* The fold's mean squared error, or mean loss; and its predictions by the
 * first function. */
static gram_status judge_numbers(const gram_machine *m, const gram_table *held,
                                 const gram_prediction *p, gathered *g,
                                 double *error)
{
    gram_status status = GRAM_OK;
    size_t rows = gram_table_rows(held), T = m->outputs.count;
    const gi_column *y = NULL;

    *error = 0;
    for (size_t t = 0; t < T; t++) {
        GI_TRY(
            gi_target_column(m, held, m->outputs.target_count > 1 ? t : 0, &y));
        *error +=
            gi_score_loss(m, t, y->values, p->mean + t, rows, T) / (double)T;
    }
    GI_TRY(gi_target_column(m, held, 0, &y));
    g->loss += (double)rows * *error;
    g->spread &= p->std != NULL;
    for (size_t i = 0; i < rows; i++, g->rows++) {
        g->y[g->rows] = y->values[i];
        g->p.mean[g->rows] = p->mean[i * T];
        if (p->std) {
            g->p.std[g->rows] = p->std[i * T];
            g->p.lower[g->rows] = p->lower[i * T];
            g->p.upper[g->rows] = p->upper[i * T];
        }
    }
done:
    return status;
}

static gram_status judge(gi_run *run, const gram_machine *m,
                         const gram_table *held, gathered *g, double *error)
{
    gram_status status = GRAM_OK;
    gram_prediction p = {0};
    gram_table *own = NULL;

    if (!m->outputs.target_count)
        GI_TRY(gi_fail(GRAM_ERR_RANGE,
                       "cross-validation: loss %s has no target to be right "
                       "about",
                       m->outputs.loss_text));
    GI_TRY(gi_machine_complete(run, m, GRAM_MISSING_AUTO, held, &own));
    held = own ? own : held;
    GI_TRY(gi_prediction_new(run, m, gram_table_rows(held), &p));
    GI_TRY(gi_machine_predict(run, m, held, NULL, &p));
    GI_TRY(m->outputs.classes.coding != GI_CODING_NONE
               ? judge_classes(run, m, held, &p, g, error)
               : judge_numbers(m, held, &p, g, error));
done:
    gram_table_free(own);
    gi_prediction_free(&p);
    return status;
}

static gram_status gathered_new(gi_run *run, size_t rows, gathered *g)
{
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, g->y, rows));
    GI_TRY(GI_NEW(run, g->p.mean, rows));
    GI_TRY(GI_NEW(run, g->p.std, rows));
    GI_TRY(GI_NEW(run, g->p.lower, rows));
    GI_TRY(GI_NEW(run, g->p.upper, rows));
done:
    return status;
}

static void gathered_free(gathered *g)
{
    gi_free(g->y);
    gi_prediction_free(&g->p);
}

/* The score of all rows. */
static gram_score total_of(const gathered *g, const gram_machine *m)
{
    const double interval = 0.9;
    double n = (double)g->rows;
    int classes = m && m->outputs.classes.coding != GI_CODING_NONE;
    gram_prediction p = g->p;
    gram_score s;

    if (!g->spread)
        p.std = NULL;
    s = gi_score_of(g->y, &p, classes ? 0 : g->rows, 1, interval);
    s.n = g->rows;
    s.loss = g->loss / n;
    s.squared = m && gi_machine_is_squared(m);
    if (classes) {
        s.loss = s.interval = s.r2 = NAN;
        s.accuracy = g->accuracy / n;
        s.log_loss = g->log_loss / n;
        s.brier = g->brier / n;
    }
    return s;
}

/* All folds with one kernel. */
static gram_status run_folds(gi_run *run, const gram_table *t,
                             const gram_fit_options *o, const int *fold,
                             size_t folds, double *error, gram_score *total)
{
    gram_status status = GRAM_OK;
    gram_machine *m = NULL;
    gram_table *held = NULL;
    gathered g = {.spread = 1};

    GI_TRY(gathered_new(run, t->rows, &g));
    for (size_t j = 0; j < folds; j++) {
        gi_run part = gi_run_share(run, (double)j / (double)folds,
                                   (double)(j + 1) / (double)folds);
        gi_run rest = gi_run_quiet(run);

        part.stage = NULL; /* a fold has too many of them */
        gram_machine_free(m);
        m = NULL;
        GI_TRY(train(&part, t, o, fold, (int)j, &m, &held));
        GI_TRY(judge(&rest, m, held, &g, &error[j]));
        gram_table_free(held);
        held = NULL;
    }
    if (total)
        *total = total_of(&g, m);
done:
    gathered_free(&g);
    gram_machine_free(m);
    gram_table_free(held);
    return status;
}

/* What all rows say about the task holds for the rows of every fold. */
static gram_status settle_task(gi_run *run, const gram_table *t,
                               gram_fit_options *o)
{
    const char *classes = NULL;
    gram_status status = gi_fit_classes(run, t, o, &classes);

    if (o->task == GRAM_TASK_AUTO && !o->loss && !o->from)
        o->task = classes ? GRAM_TASK_CLASSIFICATION : GRAM_TASK_REGRESSION;
    return status;
}

gram_status gram_machine_cv(const gram_table *table,
                            const gram_fit_options *options, size_t count,
                            const gram_exec *exec, double *error,
                            gram_score *total)
{
    gram_status status = GRAM_OK;
    GI_RUN(run, exec);
    const char *classes = NULL;
    int *fold = NULL;
    size_t folds = 0;

    GI_TRY(GI_NEW(&run, fold, table->rows));
    GI_TRY(gi_fit_classes(&run, table, &options[0], &classes));
    GI_TRY(gi_fold_rows(&run, table, &options[0].folds, classes, fold, &folds));
    for (size_t c = 0; c < count; c++) {
        gi_run part = gi_run_share(&run, (double)c / (double)count,
                                   (double)(c + 1) / (double)count);
        gram_fit_options o = options[c];

        GI_TRY(settle_task(&run, table, &o));
        GI_TRY(run_folds(&part, table, &o, fold, folds, error + c * folds,
                         total ? total + c : NULL));
    }
done:
    gi_free(fold);
    return status;
}
