/* select_cv.c - open numbers by cross-validation: a grid, or points at random.
 *
 * For each kernel the matrix is reduced once, or once for each fold; all
 * lambdas share that (gi_path_folds).  From SINGLE_ROWS rows on the search runs
 * in single precision unless double was asked for.  If the lambda that wins is
 * so small that rounding is felt, its kernel is looked at again in double.  The
 * value is the mean squared residual, rows weighted, in the units of the
 * target.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "machines/select/grid.h"
#include "machines/select/select.h"

enum { SINGLE_ROWS = GI_CV_SINGLE_ROWS };

typedef struct cv {
    gi_fit *f;
    gi_selection *s;
    int *fold;
    size_t folds;
    size_t tries, lambdas;
    double *lambda;   /* of the kernel at hand */
    double scale;     /* mean of its diagonal */
    double *error;    /* lambdas x targets, mean squares */
    double *residual; /* lambdas x n x targets */
    double *spread;   /* per target: variance, or 0 */
    double *choice;   /* per target: the best lambda; then its error */
    double *theta;    /* of the best kernel so far */
    double *best;     /* and its choice */
    double most;      /* and a bound of its eigenvalues */
    double least;     /* and what it was chosen by */
} cv;

/* ------------------------------------------------------------------ errors */

static double weight(const cv *c, size_t i)
{
    return c->s->problem.noise ? 1 / c->s->problem.noise[i] : 1;
}

/* Weighted mean squares of n x targets numbers around `around`. */
static void mean_squares(const cv *c, const double *x, const double *around,
                         double *out)
{
    size_t T = c->s->problem.targets;
    double total = 0;

    memset(out, 0, T * sizeof *out);
    for (size_t i = 0; i < c->s->problem.n; i++) {
        double w = weight(c, i);

        total += w;
        for (size_t t = 0; t < T; t++) {
            double r = x[i * T + t] - (around ? around[t] : 0);

            out[t] += w * r * r;
        }
    }
    for (size_t t = 0; t < T; t++)
        out[t] /= total;
}

static void find_spread(const cv *c)
{
    size_t T = c->s->problem.targets;
    double total = 0, *mean = c->choice; /* free until a kernel is tried */

    memset(mean, 0, T * sizeof *mean);
    for (size_t i = 0; i < c->s->problem.n; i++) {
        total += weight(c, i);
        for (size_t t = 0; t < T; t++)
            mean[t] += weight(c, i) * c->s->problem.y[i * T + t];
    }
    for (size_t t = 0; t < T; t++)
        mean[t] /= total;
    mean_squares(c, c->s->problem.y, mean, c->spread);
}

/* Errors at lambda j of the targets first .. last, each relative to its
 * variance; a constant one says nothing. */
static double relative(const cv *c, size_t j, size_t first, size_t last)
{
    size_t T = c->s->problem.targets;
    double sum = 0;

    for (size_t t = first; t <= last; t++)
        if (c->spread[t] > 0)
            sum += c->error[j * T + t] / c->spread[t];
    return sum;
}

/* Keep the kernel at hand if it is better than the best so far.  Targets share
 * lambda, or have each their own. */
static void compare(cv *c)
{
    size_t T = c->s->problem.targets,
           step = c->f->m->expansion.solutions > 1 ? 1 : T;
    double *lambda = c->choice, *value = c->choice + T, total = 0;

    for (size_t t = 0; t < T; t += step) {
        double least = INFINITY;

        for (size_t j = 0; j < c->lambdas; j++) {
            double x = relative(c, j, t, t + step - 1);

            if (!(x < least))
                continue;
            least = x;
            for (size_t k = t; k < t + step; k++) {
                lambda[k] = c->lambda[j];
                value[k] = c->error[j * T + k];
            }
        }
        total += least;
    }
    if (!(total < c->least))
        return;
    c->least = total;
    c->most = (double)c->s->problem.n * c->scale;
    memcpy(c->best, c->choice, 2 * T * sizeof *c->best);
    memcpy(c->theta, c->f->theta, c->f->program->thetas * sizeof *c->theta);
}

/* The errors of all lambdas of the kernel at f->theta, by its path. */
static gram_status find_errors(cv *c, gi_run *run, const gi_blas *blas)
{
    const gi_problem *p = &c->s->problem;
    gram_status status;

    GI_TRY(gi_path_folds(run, p, blas, c->fold, c->folds, c->lambda, c->lambdas,
                         c->residual));
    for (size_t j = 0; j < c->lambdas; j++)
        mean_squares(c, c->residual + j * p->n * p->targets, NULL,
                     c->error + j * p->targets);
done:
    return status;
}

/* The kernel at f->theta, unless all of it is known. */
static gram_status try_kernel(cv *c, gi_run *run, const gi_blas *blas)
{
    gram_status status = GRAM_OK;
    gi_buf text = {0};
    int one = c->s->problem.targets == 1;

    GI_TRY(gi_grid_kernel(c->f, &text));
    GI_TRY(gi_operator_set(c->s->K, run, c->f->theta));
    GI_TRY(gi_selection_scale(run, c->s, &c->scale));
    gi_grid_lambdas(c->f, c->scale, c->lambda);
    if (!one || !gi_grid_known(c->f, text.s, c->lambda, c->lambdas, c->error)) {
        GI_TRY(find_errors(c, run, blas));
        if (one)
            gi_grid_found(c->f, text.s, c->lambda, c->lambdas, c->error);
    }
    c->f->evaluations += c->lambdas;
    compare(c);
done:
    gi_buf_free(&text);
    return status;
}

/* --------------------------------------------------------------------- all */

gram_status gi_fold_rows(gi_run *run, const gram_table *t,
                         const gram_fold_options *options, const char *classes,
                         int *fold, size_t *count)
{
    gram_fold_options o = *options;

    for (size_t j = 0; j < t->cols; j++)
        if (t->column[j].role == GRAM_ROLE_GROUP && !o.stratify && !o.given &&
            !o.group)
            o.group = t->column[j].name;
    if (!o.stratify && !o.given && !o.group)
        o.stratify = classes;
    return gi_table_folds(run, t, &o, fold, count);
}

static gram_status make_room(cv *c)
{
    gram_status status = GRAM_OK;
    gi_run *run = c->f->run;
    size_t T = c->s->problem.targets, n = c->f->m->expansion.n;

    GI_TRY(GI_NEW(run, c->fold, n));
    GI_TRY(GI_NEW(run, c->lambda, c->lambdas));
    GI_TRY(GI_NEW(run, c->error, c->lambdas * T));
    GI_TRY(GI_NEW(run, c->residual, c->lambdas * c->s->problem.n * T));
    GI_TRY(GI_NEW(run, c->spread, T));
    GI_TRY(GI_NEW(run, c->theta, c->f->program->thetas));
    GI_TRY(GI_NEW(run, c->choice, 2 * T));
    GI_TRY(GI_NEW(run, c->best, 2 * T));
    GI_TRY(gi_fold_rows(run, gi_fit_table(c->f), &c->f->o->folds, NULL, c->fold,
                        &c->folds));
    for (size_t i = 0; c->s->pick && i < c->s->problem.n; i++)
        c->fold[i] = c->fold[c->s->pick[i]];
done:
    return status;
}

const gi_blas *gi_select_cv_blas(const gi_fit *f, size_t rows)
{
    return f->m->training.options.precision == GI_FACTOR_DOUBLE ||
                   rows < SINGLE_ROWS
               ? &gi_blas_double
               : &gi_blas_single;
}

/* Rounding in single precision moves eigenvalues by FLT_EPSILON of the largest:
 * is that a hundredth of a lambda that was chosen? */
static int feels_rounding(const cv *c)
{
    for (size_t t = 0; t < c->s->problem.targets; t++)
        if (!(c->best[t] > 100 * FLT_EPSILON * c->most))
            return 1;
    return 0;
}

gram_status gi_select_cv(gi_fit *f, gi_selection *s)
{
    gram_status status = GRAM_OK;
    cv c = {.f = f, .s = s, .least = INFINITY};
    const gi_blas *blas = gi_select_cv_blas(f, s->problem.n);
    size_t T = s->problem.targets;
    gi_run part;

    c.tries = gi_grid_tries(f);
    c.lambdas = gi_grid_lambda_count(f);
    GI_TRY(gi_grid_check(f));
    GI_TRY(make_room(&c));
    find_spread(&c);
    for (size_t k = 0; k < c.tries; k++) {
        part = gi_run_share(f->run, (double)k / (double)(c.tries + 1),
                            (double)(k + 1) / (double)(c.tries + 1));
        gi_grid_theta(f, k);
        GI_TRY(try_kernel(&c, &part, blas));
    }
    if (c.least < INFINITY)
        memcpy(f->theta, c.theta, f->program->thetas * sizeof *f->theta);
    if (blas == &gi_blas_single &&
        (c.least == INFINITY || feels_rounding(&c))) {
        c.least = INFINITY;
        part = gi_run_share(f->run, (double)c.tries / (double)(c.tries + 1), 1);
        GI_TRY(try_kernel(&c, &part, &gi_blas_double));
    }
    f->value = 0;
    for (size_t t = 0; t < T && c.least < INFINITY; t++) {
        f->m->outputs.lambda[t] = c.best[t];
        f->value += c.best[T + t] / (double)T;
    }
done:
    gi_free(c.fold);
    gi_free(c.lambda);
    gi_free(c.error);
    gi_free(c.residual);
    gi_free(c.spread);
    gi_free(c.theta);
    gi_free(c.choice);
    gi_free(c.best);
    return status;
}
