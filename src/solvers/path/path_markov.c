/* path_markov.c - criteria for Markov kernels of one column: O(n) a lambda,
 * and all lambdas at the same time on the threads there are.
 *
 * With v, v1 the innovations of y and of the vector of ones and S their
 * variances (markov.h), b = <v1,v>/<v1,v1> in <v,w> = sum v w/S, and
 *
 *     y'P y = <v - b v1, v - b v1>,   P_ii = (A^-1)_ii - (A^-1 1)_i^2/<v1,v1>;
 *
 * v - b v1 run backward is alpha.  Folds are left out by not observing them.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "solvers/linear/markov.h"
#include "solvers/path/path_inside.h"
#include "solvers/system.h"

/* Shorter chains are not worth threads. */
enum { PARALLEL = GI_PATH_MARKOV_SERIAL_ROWS };

typedef struct markov_path {
    gi_path path;
    gi_chain chain;
    double *noise; /* D by place */
    double *y;     /* targets x n, by place, centred */
    double *ones;
} markov_path;

/* What one lambda needs, by place. */
typedef struct bench {
    gi_pass pass;
    double *one;     /* ones, run forward; */
    double *inverse; /* and then backward: A^-1 1 */
    double square;   /* 1'A^-1 1 */
    double *v;       /* of a target: forward, then alpha */
    double b;
    double *spread; /* diagonal of P */
    double *noise;  /* folds: D, infinite inside the fold */
} bench;

static void close_benches(bench *b, size_t count)
{
    for (size_t i = 0; b && i < count; i++) {
        gi_free(b[i].noise);
        gi_free(b[i].spread);
        gi_free(b[i].v);
        gi_free(b[i].inverse);
        gi_free(b[i].one);
        gi_pass_free(&b[i].pass);
    }
    gi_free(b);
}

static gram_status open_benches(gi_run *run, const markov_path *m, size_t count,
                                bench **out)
{
    size_t n = m->chain.n;
    bench *b = NULL;
    gram_status status;

    GI_TRY(GI_NEW_ZERO(run, b, count));
    for (size_t i = 0; i < count; i++) {
        GI_TRY(gi_pass_new(run, &m->chain, &b[i].pass));
        GI_TRY(GI_NEW(run, b[i].one, n));
        GI_TRY(GI_NEW(run, b[i].inverse, n));
        GI_TRY(GI_NEW(run, b[i].v, n));
        GI_TRY(GI_NEW(run, b[i].spread, n));
        GI_TRY(GI_NEW(run, b[i].noise, n));
    }
    *out = b;
    b = NULL;
done:
    close_benches(b, count);
    return status;
}

/* work(m, bench, user, i) for i < count, on the threads there are. */
static gram_status each(gi_run *run, const markov_path *m, size_t count,
                        void (*work)(const markov_path *m, bench *b, void *user,
                                     size_t i),
                        void *user)
{
    size_t benches = (size_t)run->threads;
    atomic_int stop = GRAM_OK;
    bench *b = NULL;
    gram_status status;

    if (m->chain.n < PARALLEL || count < 2)
        benches = 1;
    else if (benches > count)
        benches = count;
    GI_TRY(open_benches(run, m, benches, &b));
    GI_PARALLEL_TASKS(benches)
    for (size_t i = 0; i < count; i++) {
        int me = gi_thread_number();

        if (me == 0 && !atomic_load(&stop))
            atomic_store(&stop, gi_run_tick(run, (double)i / (double)count));
        if (!atomic_load(&stop))
            work(m, b + me, user, i);
    }
    status = (gram_status)atomic_load(&stop);
    if (status == GRAM_OK)
        status = gi_run_tick(run, 1);
done:
    close_benches(b, benches);
    return status;
}

/* What targets share.  spread only if it is wanted. */
static void prepare(const markov_path *m, bench *b, const double *noise,
                    double lambda, int spread)
{
    size_t n = m->chain.n;

    gi_pass_filter(&b->pass, noise, lambda, 0);
    if (spread)
        gi_pass_spread(&b->pass, b->spread);
    if (!m->path.p->intercept)
        return;
    gi_pass_forward(&b->pass, m->ones, b->one);
    b->square = gi_pass_dot(&b->pass, b->one, b->one);
    if (!spread)
        return;
    memcpy(b->inverse, b->one, n * sizeof *b->one);
    gi_pass_backward(&b->pass, b->inverse);
    for (size_t i = 0; i < n; i++)
        b->spread[i] -= b->inverse[i] * b->inverse[i] / b->square;
    if (n == 1)
        b->spread[0] = 0; /* whatever rounding says */
}

/* v and b of a target, and y'P y; v becomes alpha if that is wanted. */
static double run_target(const markov_path *m, bench *b, size_t target,
                         int alpha)
{
    size_t n = m->chain.n;
    double fit;

    gi_pass_forward(&b->pass, m->y + target * n, b->v);
    b->b = 0;
    if (m->path.p->intercept) {
        b->b = gi_pass_dot(&b->pass, b->one, b->v) / b->square;
        for (size_t i = 0; i < n; i++)
            b->v[i] -= b->b * b->one[i];
    }
    fit = gi_pass_dot(&b->pass, b->v, b->v);
    if (alpha)
        gi_pass_backward(&b->pass, b->v);
    return fit;
}

/* ---------------------------------------------------------------- criteria */

/* What the diagonal of P is needed for, alpha in v. */
static void add_up(const markov_path *m, const bench *b, gi_path_sums *s)
{
    for (size_t i = 0; i < m->chain.n; i++) {
        double D = m->noise[i], left = b->v[i] / b->spread[i];

        s->loo += left * left / D;
        s->weight += 1 / D;
        s->square += b->v[i] * b->v[i] * D;
        s->trace += b->spread[i] * D;
    }
}

typedef struct criteria_work {
    const double *lambda;
    unsigned want;
    gi_criteria *out;
} criteria_work;

static void at_lambda(const markov_path *m, bench *b, void *user, size_t i)
{
    const criteria_work *w = user;
    int spread = (w->want & ~(unsigned)GI_WANT_EVIDENCE) != 0;

    prepare(m, b, m->noise, w->lambda[i], spread);
    for (size_t t = 0; t < m->path.targets; t++) {
        gi_path_sums s = {.lambda = w->lambda[i], .logdet = b->pass.logdet};

        s.quadratic = run_target(m, b, t, spread);
        if (m->path.p->intercept)
            s.logdet += log(b->square);
        if (spread)
            add_up(m, b, &s);
        w->out[i * m->path.targets + t] =
            gi_path_criteria(m->path.p, w->want, &s);
    }
}

static gram_status at(gi_path *path, gi_run *run, const double *lambda,
                      size_t count, unsigned want, gi_criteria *out)
{
    criteria_work w = {lambda, want, out};

    return each(run, path->user, count, at_lambda, &w);
}

/* --------------------------------------------------------------- residuals */

static gram_status residuals(gi_path *path, gi_run *run, double lambda,
                             double *loo)
{
    markov_path *m = path->user;
    bench *b = NULL;
    gram_status status;

    GI_TRY(open_benches(run, m, 1, &b));
    prepare(m, b, m->noise, lambda, 1);
    for (size_t t = 0; t < path->targets; t++) {
        run_target(m, b, t, 1);
        for (size_t i = 0; i < path->n; i++)
            loo[m->chain.point[i] * path->targets + t] = b->v[i] / b->spread[i];
    }
done:
    close_benches(b, 1);
    return status;
}

typedef struct fold_work {
    double lambda;
    const int *fold;
    double *out;
} fold_work;

static void leave_out(const markov_path *m, bench *b, void *user, size_t which)
{
    const fold_work *w = user;
    const size_t n = m->path.n, targets = m->path.targets;
    const size_t *point = m->chain.point;

    for (size_t i = 0; i < n; i++)
        b->noise[i] = w->fold[point[i]] == (int)which ? INFINITY : m->noise[i];
    prepare(m, b, b->noise, w->lambda, 0);
    for (size_t t = 0; t < targets; t++) {
        run_target(m, b, t, 1);
        for (size_t i = 0; i < n; i++)
            if (w->fold[point[i]] == (int)which)
                w->out[point[i] * targets + t] =
                    m->y[t * n + i] - b->b - b->v[i];
    }
}

static gram_status folds(gi_path *path, gi_run *run, double lambda,
                         const int *fold, size_t count, double *out)
{
    fold_work w = {lambda, fold, out};

    return each(run, path->user, count, leave_out, &w);
}

/* -------------------------------------------------------------------- path */

static void release(gi_path *path)
{
    markov_path *m = path->user;

    gi_free(m->ones);
    gi_free(m->y);
    gi_free(m->noise);
    gi_chain_free(&m->chain);
    gi_free(m);
}

/* Rows of the problem by place. */
static void gather(markov_path *m)
{
    const gi_problem *p = m->path.p;
    size_t n = p->n;

    for (size_t i = 0; i < n; i++) {
        m->noise[i] = gi_system_noise(p, m->chain.point[i]);
        m->ones[i] = 1;
    }
    for (size_t t = 0; t < p->targets; t++) {
        double centre = gi_markov_centre(p, t);

        for (size_t i = 0; i < n; i++)
            m->y[t * n + i] = p->y[m->chain.point[i] * p->targets + t] - centre;
    }
}

/* Mean of the diagonal of D^-1/2 K D^-1/2. */
static double scale(const gi_problem *p)
{
    const gi_markov *k = p->K->markov;
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += (k->family == GRAM_MARKOV_MIN ? p->K->time[i] : 1) /
               gi_system_noise(p, i);
    return k->amplitude * sum / (double)p->n;
}

gram_status gi_path_markov(gi_run *run, const gi_problem *p, gi_path **out)
{
    const gi_operator *K = p->K;
    markov_path *m = NULL;
    gram_status status = GRAM_OK;

    *out = NULL;
    if (!gi_markov_applies(p))
        return GRAM_OK;
    GI_TRY(GI_NEW_ZERO(run, m, 1));
    m->path = (gi_path){.p = p,
                        .n = p->n,
                        .targets = p->targets,
                        .user = m,
                        .scale = scale(p),
                        .at = at,
                        .residuals = residuals,
                        .folds = folds,
                        .free = release};
    GI_TRY(gi_chain_new(run, K->markov, K->time, p->n, &m->chain));
    GI_TRY(GI_NEW(run, m->noise, p->n));
    GI_TRY(GI_NEW(run, m->ones, p->n));
    GI_TRY(GI_NEW(run, m->y, p->n * p->targets));
    gather(m);
    *out = &m->path;
    m = NULL;
done:
    if (m)
        release(&m->path);
    return status;
}
