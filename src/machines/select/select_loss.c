/* select_loss.c - open numbers of machines with another loss than squared, by
 * cross-validation; and probabilities from the same decision values.
 *
 * For each kernel of the grid the matrix is computed once.  Every fold and
 * every function f is a problem on some of its rows (gi_operator_restrict),
 * solved for one lambda after the other, from the largest on, each from the
 * solution before.  These problems are independent and run on all threads.  A
 * solver of many problems at once gets those of most rows on the whole matrix,
 * where rows that are left out have no weight: nothing is gathered, and their f
 * is at hand when all others are.  What counts is the share of rows that are
 * classified wrongly, or the mean loss, of rows that were left out, weighted.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "machines/select/grid.h"
#include "machines/select/select.h"
#include "solvers/many.h"
#include "operators/stored.h"

typedef struct trial {
    gi_fit *f;
    const gi_selection *s;
    gi_watch watch; /* of threads that solve a fold each */
    const gi_solver *solver;
    const gi_blas *blas;
    size_t n, T, jobs;   /* rows, functions, problems of a fold */
    void *K;             /* n x n */
    gi_operator *stored; /* the same as an operator */
    int *fold;
    size_t folds;
    int *code; /* the classes of the rows, or NULL */
    size_t lambdas;
    double *lambda; /* descending */
    double *error;  /* of each */
    double *value;  /* lambdas x n x T: f of rows left out */
    double *best;   /* n x T: at the best kernel and lambda so far */
    double *theta;
    double least, best_lambda;
    int recall; /* some errors were known, without decision values */
} trial;

/* ------------------------------------------------------------------ a fold */

/* One function on the rows of the other folds. */
typedef struct part {
    gi_problem p;
    int fold;
    size_t q;
    gi_operator *K;
    size_t *row;       /* that take part, */
    size_t *out, outs; /* that are left out */
    double *y, *noise;
    int wide; /* row are all of them, those left out without weight */
} part;

static void part_free(part *a)
{
    gi_operator_free(a->K);
    gi_free(a->row);
    gi_free(a->out);
    gi_free(a->y);
    gi_free(a->noise);
}

/* Does row i take part in job q? */
static int takes_part(const trial *c, size_t i, size_t q)
{
    return c->jobs == 1 || c->s->problem.y[i * c->T + q] != 0 || !c->code;
}

static gram_status part_new(const trial *c, gi_run *run, size_t job, part *a)
{
    const gi_problem *all = &c->s->problem;
    size_t T = c->jobs == 1 ? c->T : 1, m = 0;
    gram_status status = GRAM_OK;

    a->fold = (int)(job / c->jobs);
    a->q = job % c->jobs;
    GI_TRY(GI_NEW(run, a->row, c->n));
    GI_TRY(GI_NEW(run, a->out, c->n));
    GI_TRY(GI_NEW(run, a->y, c->n * T));
    GI_TRY(GI_NEW(run, a->noise, c->n));
    for (size_t i = 0; i < c->n; i++) {
        if (c->fold[i] == a->fold)
            a->out[a->outs++] = i;
        if (c->fold[i] == a->fold || !takes_part(c, i, a->q))
            continue;
        a->row[m] = i;
        memcpy(a->y + m * T, all->y + i * c->T + a->q, T * sizeof *a->y);
        a->noise[m++] = all->noise ? all->noise[i] : 1;
    }
    a->p = *all;
    a->p.n = m;
    a->p.K = NULL; /* that of all rows is not that of these */
    a->p.targets = T;
    a->p.y = a->y;
    a->p.noise = all->noise ? a->noise : NULL;
    a->p.loss = &c->f->m->outputs.loss[c->f->m->outputs.losses > 1 ? a->q : 0];
done:
    return status;
}

/* Is there nothing to learn, since all rows are on one side? */
static int is_one_sided(const trial *c, const part *a)
{
    if (!c->code)
        return a->p.n == 0;
    for (size_t i = 1; i < a->p.n * a->p.targets; i++)
        if (a->y[i] != a->y[0])
            return 0;
    return 1;
}

/* f += alpha K(j, .) on the rows that were left out; f has T numbers a row. */
static void add_row(const trial *c, const part *a, size_t j, double alpha,
                    double *f)
{
    const float *single = (const float *)c->K + j * c->n;
    const double *full = (const double *)c->K + j * c->n;

    if (c->blas == &gi_blas_single)
        for (size_t i = 0; i < a->outs; i++)
            f[a->out[i] * c->T] += alpha * (double)single[a->out[i]];
    else
        for (size_t i = 0; i < a->outs; i++)
            f[a->out[i] * c->T] += alpha * full[a->out[i]];
}

/* The problem as one on all rows, some of which have no weight. */
static void widen(const trial *c, part *a)
{
    const gi_problem *all = &c->s->problem;

    for (size_t i = c->n, at = a->p.n; i-- > 0;) {
        const int in = at > 0 && a->row[at - 1] == i;

        at -= (size_t)in;
        a->noise[i] = !in ? INFINITY : all->noise ? all->noise[i] : 1;
        a->y[i] = all->y[i * c->T + a->q];
    }
    for (size_t i = 0; i < c->n; i++)
        a->row[i] = i;
    a->p.n = c->n;
    a->p.noise = a->noise;
    a->wide = 1;
}

/* f on the rows that were left out, at lambda number l; without a solution it
 * is a constant.  Row by row of K, which is symmetric, for all of them. */
static void look(const trial *c, const part *a, const gi_solution *s, size_t l)
{
    size_t T = a->p.targets;

    for (size_t t = 0; t < T; t++) {
        double *f = c->value + l * c->n * c->T + a->q + t;

        for (size_t i = 0; i < a->outs; i++)
            f[a->out[i] * c->T] = s ? s->intercept[t] : a->p.n ? a->y[0] : 0;
        for (size_t j = 0; s && j < a->p.n; j++)
            if (s->alpha[j * T + t] != 0)
                add_row(c, a, a->row[j], s->alpha[j * T + t], f);
    }
}

static void look_at_constant(const trial *c, const part *a)
{
    for (size_t l = 0; l < c->lambdas; l++)
        look(c, a, NULL, l);
}

typedef struct watcher {
    trial *c;
    const part *a;
} watcher;

static gram_status watch(void *user, size_t l, const gi_solution *s)
{
    const watcher *w = user;

    look(w->c, w->a, s, l);
    gi_watch_count(&w->c->watch);
    return GRAM_OK;
}

/* One problem, all lambdas. */
static gram_status solve_fold(void *user, size_t job)
{
    trial *c = user;
    gi_run run = gi_watch_run(&c->watch);
    part a = {0};
    watcher w = {.c = c};
    gram_status status = GRAM_OK;

    GI_TRY(part_new(c, &run, job, &a));
    if (is_one_sided(c, &a)) {
        look_at_constant(c, &a);
        goto done;
    }
    GI_TRY(gi_operator_restrict(c->stored, &run, a.row, a.p.n, &a.K));
    a.p.K = a.K;
    w.a = &a;
    GI_TRY(gi_solver_path(&run, c->solver, &a.p, c->lambda, c->lambdas, watch,
                          &w));
done:
    part_free(&a);
    return status;
}

/* All of them at once, by a solver that keeps what it gathered from lambda to
 * lambda. */
typedef struct machines {
    const trial *c;
    part *a;     /* of every job */
    size_t *job; /* of every problem that is solved */
} machines;

static gram_status take(void *user, size_t i, size_t l, const gi_solution *s,
                        const double *f)
{
    const machines *m = user;
    const trial *c = m->c;
    const part *a = &m->a[m->job[i]];

    if (!a->wide)
        look(c, a, s, l);
    for (size_t k = 0; a->wide && k < a->outs; k++)
        c->value[(l * c->n + a->out[k]) * c->T + a->q] =
            s->intercept[0] + f[a->out[k]];
    return GRAM_OK;
}

static gram_status solve_machines(trial *c, gi_run *run)
{
    size_t jobs = c->folds * c->jobs;
    machines m = {.c = c};
    gi_many_part *list = NULL;
    gi_many many = {.K = c->stored,
                    .loss = c->f->m->outputs.loss,
                    .intercept = c->f->m->training.intercept,
                    .tolerance = c->f->m->training.options.tolerance,
                    .lambda = c->lambda,
                    .lambdas = c->lambdas,
                    .take = take,
                    .user = &m};
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW_ZERO(run, m.a, jobs));
    GI_TRY(GI_NEW(run, m.job, jobs));
    GI_TRY(GI_NEW(run, list, jobs));
    for (size_t i = 0; i < jobs; i++) {
        part *a = &m.a[i];

        GI_TRY(part_new(c, run, i, a));
        if (is_one_sided(c, a)) {
            look_at_constant(c, a);
            continue;
        }
        if (2 * a->p.n > c->n)
            widen(c, a);
        m.job[many.parts] = i;
        list[many.parts++] = (gi_many_part){a->row, a->p.n, a->y, a->p.noise};
    }
    many.part = list;
    GI_TRY(c->solver->many(run, &many));
done:
    for (size_t i = 0; m.a && i < jobs; i++)
        part_free(&m.a[i]);
    gi_free(m.a);
    gi_free(m.job);
    gi_free(list);
    return status;
}

/* ------------------------------------------------------------------ errors */

static double weight(const trial *c, size_t i)
{
    return c->s->problem.noise ? 1 / c->s->problem.noise[i] : 1;
}

/* The mean loss, or the share of wrong classes, at lambda number l. */
static gram_status find_error(const trial *c, size_t l, double *out)
{
    const gram_machine *m = c->f->m;
    const double *f = c->value + l * c->n * c->T;
    double sum = 0, total = 0;
    int *label = NULL;
    gram_status status = GRAM_OK;

    if (c->code) {
        GI_TRY(GI_NEW(c->f->run, label, c->n));
        GI_TRY(
            gi_classes_label(c->f->run, &m->outputs.classes, f, c->n, label));
    }
    for (size_t i = 0; i < c->n; i++) {
        total += weight(c, i);
        if (label)
            sum += label[i] != c->code[i] ? weight(c, i) : 0;
        for (size_t t = 0; !label && t < c->T; t++)
            sum +=
                weight(c, i) / (double)c->T *
                gi_loss_value(&m->outputs.loss[m->outputs.losses > 1 ? t : 0],
                              c->s->problem.y[i * c->T + t], f[i * c->T + t]);
    }
    *out = sum / total;
done:
    gi_free(label);
    return status;
}

/* The errors of the lambdas of a kernel, and the decision values behind them
 * (NULL: they were known); keep what is best. */
static void keep_best(trial *c, const double *error, const double *value)
{
    for (size_t l = 0; l < c->lambdas; l++) {
        c->f->evaluations++;
        if (!(error[l] < c->least))
            continue;
        c->least = error[l];
        c->best_lambda = c->lambda[l];
        if (value)
            memcpy(c->best, value + l * c->n * c->T,
                   c->n * c->T * sizeof *c->best);
        memcpy(c->theta, c->f->theta, c->f->program->thetas * sizeof *c->theta);
    }
}

/* All folds and lambdas of the matrix at hand. */
static gram_status try_lambdas(trial *c, gi_run *run)
{
    gram_status status = GRAM_OK;

    gi_operator_free(c->stored);
    c->stored = NULL;
    GI_TRY(gi_stored_new(run, c->blas, c->K, c->n, c->n, &c->stored));
    gi_watch_begin(run, c->folds * c->jobs * c->lambdas, &c->watch);
    if (c->solver->many)
        GI_TRY(solve_machines(c, run));
    else
        GI_TRY(gi_parallel_for(run, c->folds * c->jobs, solve_fold, c));
    for (size_t l = 0; l < c->lambdas; l++)
        GI_TRY(find_error(c, l, &c->error[l]));
    keep_best(c, c->error, c->value);
done:
    return status;
}

/* Some solvers read the matrix in single precision, some where what K loses,
 * about FLT_EPSILON/2 sqrt(n) of its diagonal, is little beside the least
 * lambda (NAN: not known yet). */
static const gi_blas *matrix_blas(const gi_fit *f, size_t n, double scale,
                                  double lambda)
{
    const double LITTLE = 0.1, loss = FLT_EPSILON / 2 * sqrt((double)n) * scale;
    const unsigned flags = f->plan.solver->flags;

    return (flags & GI_SOLVER_SINGLE) ||
                   ((flags & GI_SOLVER_TOLERANT) && loss < LITTLE * lambda)
               ? &gi_blas_single
               : &gi_blas_double;
}

/* The kernel at f->theta, unless all of it is known. */
static gram_status try_kernel(trial *c, gi_run *run, gi_selection *s)
{
    gram_status status = GRAM_OK;
    gi_run first = gi_run_share(run, 0, 0.05),
           rest = gi_run_share(run, 0.05, 1);
    gi_run quiet = gi_run_quiet(run);
    gi_buf text = {0};
    double scale;

    GI_TRY(gi_grid_kernel(c->f, &text));
    GI_TRY(gi_operator_set(s->K, &quiet, c->f->theta));
    GI_TRY(gi_selection_scale(&quiet, s, &scale));
    gi_grid_lambdas(c->f, scale, c->lambda);
    if (gi_grid_known(c->f, text.s, c->lambda, c->lambdas, c->error)) {
        c->recall = 1;
        keep_best(c, c->error, NULL);
        goto done;
    }
    c->blas = matrix_blas(c->f, c->n, scale, c->lambda[c->lambdas - 1]);
    GI_TRY(gi_operator_store(s->K, &first, c->blas, c->K, c->n));
    GI_TRY(try_lambdas(c, &rest));
    gi_grid_found(c->f, text.s, c->lambda, c->lambdas, c->error);
done:
    gi_buf_free(&text);
    return status;
}

/* ----------------------------------------------------------- probabilities */

static gram_status calibrate(const trial *c)
{
    gram_machine *m = c->f->m;
    const gi_problem *p = &c->s->problem;
    double *w = NULL;
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(c->f->run, w, c->n));
    GI_TRY(GI_NEW(c->f->run, m->outputs.classes.sigmoid, 2 * c->T));
    for (size_t i = 0; i < c->n; i++)
        w[i] = weight(c, i);
    for (size_t q = 0; q < c->T; q++)
        gi_sigmoid_fit(c->best + q, p->y + q, w, c->n, c->T,
                       &m->outputs.classes.sigmoid[2 * q],
                       &m->outputs.classes.sigmoid[2 * q + 1]);
    m->outputs.classes.link = GI_LINK_SIGMOID;
done:
    gi_free(w);
    return status;
}

/* --------------------------------------------------------------------- all */

static gram_status begin(trial *c, gi_selection *s)
{
    gi_run *run = c->f->run;
    const gram_machine *m = c->f->m;
    gram_status status = GRAM_OK;

    GI_TRY(GI_NEW(run, c->fold, m->expansion.n));
    GI_TRY(gi_fold_rows(run, gi_fit_table(c->f), &c->f->o->folds,
                        m->outputs.classes.coding != GI_CODING_NONE
                            ? m->outputs.target[0]
                            : NULL,
                        c->fold, &c->folds));
    for (size_t i = 0; s->pick && i < c->n; i++)
        c->fold[i] = c->fold[s->pick[i]];
    if (m->outputs.classes.coding != GI_CODING_NONE) {
        gi_classes plain = m->outputs.classes;

        plain.link = GI_LINK_NONE;
        GI_TRY(GI_NEW(run, c->code, c->n));
        GI_TRY(gi_classes_label(run, &plain, s->problem.y, c->n, c->code));
    }
    GI_TRY(GI_NEW(run, c->lambda, c->lambdas));
    GI_TRY(GI_NEW(run, c->error, c->lambdas));
    GI_TRY(GI_NEW(run, c->value, c->lambdas * c->n * c->T));
    GI_TRY(GI_NEW(run, c->best, c->n * c->T));
    GI_TRY(GI_NEW(run, c->theta, c->f->program->thetas));
    GI_TRY(gi_alloc(run, &c->K, c->n * c->n, c->blas->size));
done:
    return status;
}

static void end(trial *c)
{
    gi_free(c->fold);
    gi_free(c->code);
    gi_free(c->lambda);
    gi_free(c->error);
    gi_free(c->value);
    gi_free(c->best);
    gi_free(c->theta);
    gi_operator_free(c->stored);
    gi_free(c->K);
}

gi_cost gi_select_loss_cost(const gi_fit *f, size_t rows)
{
    gi_problem p = gi_fit_problem(f);
    double n = (double)rows, T = (double)f->m->outputs.count;
    double lambdas = (double)gi_grid_lambda_count(f);
    double jobs = (double)f->m->expansion.solutions, folds = 5;
    double threads = (double)f->run->threads;
    size_t columns;
    gi_run one = *f->run;
    gi_cost cost;

    one.threads = 1;
    if (f->m->expansion.solutions > 1)
        p.targets = 1;
    columns = p.targets > 2 ? p.targets : 2;
    cost = f->plan.solver->cost(&one, &p, rows);
    cost.bytes = n * n * (double)matrix_blas(f, rows, 1, NAN)->size +
                 8 * (lambdas + 1) * n * T + threads * cost.bytes +
                 threads * gi_stored_bytes(rows, columns) +
                 (double)gi_operator_bytes(f->run, f->K);
    cost.seconds *= (double)gi_grid_tries(f) * lambdas * folds * jobs / threads;
    return cost;
}

static trial trial_of(gi_fit *f, const gi_selection *s, size_t lambdas)
{
    trial c = {.f = f,
               .s = s,
               .solver = f->plan.solver,
               .blas = matrix_blas(f, s->problem.n, 1, NAN),
               .n = s->problem.n,
               .T = f->m->outputs.count,
               .jobs = f->m->expansion.solutions,
               .lambdas = lambdas,
               .least = INFINITY,
               .best_lambda = NAN};

    return c;
}

/* Probabilities are asked for, and the loss has none. */
static int wants_sigmoid(const gi_fit *f)
{
    return f->o->probability &&
           f->m->outputs.classes.coding != GI_CODING_NONE &&
           f->m->outputs.classes.link == GI_LINK_NONE;
}

gram_status gi_select_loss(gi_fit *f, gi_selection *s)
{
    gram_status status = GRAM_OK;
    gram_machine *m = f->m;
    size_t tries = gi_grid_tries(f);
    trial c = trial_of(f, s, gi_grid_lambda_count(f));

    GI_TRY(gi_grid_check(f));
    GI_TRY(begin(&c, s));
    for (size_t k = 0; k < tries; k++) {
        gi_run share = gi_run_share(f->run, (double)k / (double)tries,
                                    (double)(k + 1) / (double)tries);

        gi_grid_theta(f, k);
        GI_TRY(try_kernel(&c, &share, s));
        GI_TRY(gi_run_tick(f->run, (double)(k + 1) / (double)tries));
    }
    memcpy(f->theta, c.theta, f->program->thetas * sizeof *f->theta);
    for (size_t t = 0; t < m->outputs.count; t++)
        m->outputs.lambda[t] = c.best_lambda;
    f->value = c.least;
    if (wants_sigmoid(f) && !c.recall)
        GI_TRY(calibrate(&c));
done:
    end(&c);
    return status;
}

gram_status gi_select_sigmoid(gi_fit *f)
{
    gram_status status = GRAM_OK;
    gi_selection s = {0};
    trial c = {0};

    if (!wants_sigmoid(f))
        return status;
    GI_TRY(gi_selection_new(f, &s));
    c = trial_of(f, &s, 1);
    GI_TRY(begin(&c, &s));
    GI_TRY(gi_operator_set(s.K, f->run, f->theta));
    GI_TRY(gi_operator_store(s.K, f->run, c.blas, c.K, c.n));
    c.lambda[0] = f->m->outputs.lambda[0];
    GI_TRY(try_lambdas(&c, f->run));
    GI_TRY(calibrate(&c));
done:
    end(&c);
    gi_selection_free(&s);
    return status;
}
