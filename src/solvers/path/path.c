/* path.c - which path a problem takes, and the best lambda on it.
 *
 * The best lambda is looked for on a grid in log lambda, since criteria may
 * have several minima, and then between the neighbours of the best point by
 * Brent's method (Algorithms for minimization without derivatives, 1973,
 * chapter 5): parabolas through the three best points, golden sections where
 * these do not behave.  Values that are not numbers count as infinite.
 */
#include "solvers/path.h"

#include <math.h>

#include "base/mem.h"
#include "solvers/path/criterion.h"
#include "solvers/path/path_inside.h"

/* The grid, relative to path->scale: 13 decades. */
enum { PER_DECADE = 2, FROM = -10, TO = 3 };
enum { GRID = (TO - FROM) * PER_DECADE + 1 };

/* Steps of the refinement, and the change of log lambda that ends it. */
enum { STEPS = 30 };
#define TOLERANCE 5e-4

/* An evidence (errors as n/2 times their logarithm) this much larger is
 * clearly better. */
#define CLEARLY 2.0

/* ------------------------------------------------------------------ choice */

gram_status gi_path_new(gi_run *run, const gi_problem *p, const gi_blas *blas,
                        unsigned want, gi_path **out)
{
    const gi_blas *precision = blas ? blas : &gi_blas_double;
    gi_run one = *run; /* the choice does not depend on threads */
    gi_cost primal, band;
    gram_status status;

    one.threads = 1;
    GI_TRY(gi_problem_check(p));
    primal = gi_path_primal_cost(&one, p, p->n, want, GRID);
    band = gi_path_band_cost(&one, p, p->n, precision, want, GRID);
    GI_TRY(gi_path_markov(run, p, out));
    if (!*out && primal.possible && primal.seconds < band.seconds)
        GI_TRY(gi_path_primal(run, p, out));
    if (!*out)
        GI_TRY(gi_path_band(run, p, precision, want, out));
    if (!((*out)->scale > 0)) /* a kernel that is 0 on all rows */
        (*out)->scale = 1;
done:
    return status;
}

void gi_path_free(gi_path *path)
{
    if (path)
        path->free(path);
}

gram_status gi_path_evidence(gi_run *run, const gi_problem *p,
                             gram_status (*way)(gi_run *run,
                                                const gi_problem *p,
                                                gi_path **out),
                             double *out)
{
    gi_criteria *at = NULL;
    gi_path *path = NULL;
    gram_status status = GRAM_OK;

    for (size_t t = 0; t < p->targets; t++)
        out[t] = NAN;
    if (!(p->lambda > 0))
        goto done;
    GI_TRY(way(run, p, &path));
    if (!path)
        goto done;
    GI_TRY(GI_NEW(run, at, p->targets));
    GI_TRY(path->at(path, run, &p->lambda, 1, GI_WANT_EVIDENCE, at));
    for (size_t t = 0; t < p->targets; t++)
        out[t] = at[t].evidence;
done:
    gi_path_free(path);
    gi_free(at);
    return status;
}

gi_cost gi_path_cost(const gi_run *run, const gi_problem *p, size_t rows,
                     const gi_blas *blas, unsigned want, size_t count)
{
    const double markov_bytes = 400, markov_seconds = 300e-9;
    gi_cost primal = gi_path_primal_cost(run, p, rows, want, count);
    gi_cost band = gi_path_band_cost(
        run, p, rows, blas ? blas : &gi_blas_double, want, count);

    if (p->K->markov)
        return (gi_cost){.possible = 1,
                         .bytes = markov_bytes * (double)rows,
                         .seconds = markov_seconds * (double)count *
                                    (double)rows / run->threads};
    return primal.possible && primal.seconds < band.seconds ? primal : band;
}

/* ------------------------------------------------------------------- folds */

/* The cheapest of the ways to leave folds out, and whether it is a band for
 * each fold. */
static gi_cost cheapest(const gi_run *run, const gi_problem *p, size_t rows,
                        const gi_blas *blas, size_t folds, size_t count,
                        int *refits)
{
    gi_cost each = gi_path_refits_cost(run, p, rows, blas, folds, count);
    gi_cost one = gi_path_band_folds_cost(run, p, rows, blas, folds, count);
    gi_cost primal = gi_path_primal_cost(run, p, rows, GI_WANT_LOO, count);

    *refits = 0;
    if (p->K->markov)
        return gi_path_cost(run, p, rows, blas, GI_WANT_LOO, count);
    if (primal.possible && primal.seconds < one.seconds)
        one = primal;
    *refits = each.possible && each.seconds < one.seconds;
    return *refits ? each : one;
}

gi_cost gi_path_folds_cost(const gi_run *run, const gi_problem *p, size_t rows,
                           const gi_blas *blas, size_t folds, size_t count)
{
    const double residuals = (double)count * (double)rows * (double)p->targets;
    int refits;
    gi_cost c = cheapest(run, p, rows, blas ? blas : &gi_blas_double, folds,
                         count, &refits);

    c.bytes += residuals * sizeof(double);
    return c;
}

gram_status gi_path_folds(gi_run *run, const gi_problem *p, const gi_blas *blas,
                          const int *fold, size_t folds, const double *lambda,
                          size_t count, double *out)
{
    gi_run one = *run; /* the choice does not depend on threads */
    gi_run reduce = gi_run_share(run, 0, 0.5);
    gram_status status;
    gi_path *path = NULL;
    int refits;

    one.threads = 1;
    blas = blas ? blas : &gi_blas_double;
    GI_TRY(gi_problem_check(p));
    cheapest(&one, p, p->n, blas, folds, count, &refits);
    if (refits)
        return gi_path_refits(run, p, blas, fold, folds, lambda, count, out);
    GI_TRY(gi_path_new(&reduce, p, blas, GI_WANT_LOO, &path));
    for (size_t j = 0; j < count; j++) {
        gi_run part = gi_run_share(run, 0.5 + 0.5 * (double)j / (double)count,
                                   0.5 + 0.5 * (double)(j + 1) / (double)count);

        GI_TRY(path->folds(path, &part, lambda[j], fold, folds,
                           out + j * p->n * p->targets));
    }
done:
    gi_path_free(path);
    return status;
}

/* ---------------------------------------------------------------- criteria */

static double amplitude(const gi_problem *p, const gi_path_sums *s, double m)
{
    switch (p->amplitude) {
    case GI_AMPLITUDE_ONE:
        return 1;
    case GI_AMPLITUDE_INVERSE:
        return 1 / s->lambda;
    default:
        return m > 0 ? s->quadratic / m : NAN;
    }
}

gi_criteria gi_path_nothing(double lambda)
{
    return (gi_criteria){lambda, NAN, NAN, NAN, NAN, NAN, 0};
}

gi_criteria gi_path_criteria(const gi_problem *p, unsigned want,
                             const gi_path_sums *s)
{
    const double n = (double)p->n, m = n - (p->intercept != 0);
    gi_criteria c = gi_path_nothing(s->lambda);

    c.amplitude = amplitude(p, s, m);
    if (want & GI_WANT_LOO)
        c.loo = s->loo / s->weight;
    if (want & GI_WANT_GCV)
        c.gcv = n * n / s->weight * s->square / (s->trace * s->trace);
    if (want & GI_WANT_DF)
        c.df = n - s->lambda * s->trace;
    if (want & GI_WANT_EVIDENCE)
        c.evidence = -(m * log(2 * M_PI * c.amplitude) + s->logdet +
                       s->quadratic / c.amplitude) /
                     2;
    return c;
}

/* -------------------------------------------------------------------- best */

/* A criterion as something to make small: that of one target, or of all. */
typedef struct goal {
    gi_run *run;
    gi_path *path;
    unsigned want;
    int all;
    size_t target;
    gi_criteria *at; /* of the targets, at the lambda last looked at */
} goal;

static double value(const goal *g, const gi_criteria *c)
{
    double x;

    if (g->all)
        x = gi_criteria_total(g->path->p, g->want, c);
    else if (g->want == GI_WANT_EVIDENCE)
        x = c[g->target].evidence;
    else
        x = g->want == GI_WANT_LOO ? c[g->target].loo : c[g->target].gcv;
    if (g->want == GI_WANT_EVIDENCE)
        x = -x;
    return isnan(x) ? INFINITY : x;
}

static gram_status look(const goal *g, double log_lambda, double *out)
{
    double lambda = exp(log_lambda);
    gram_status status =
        g->path->at(g->path, g->run, &lambda, 1, g->want, g->at);

    *out = value(g, g->at);
    return status;
}

/* The least value so far and the two after it, inside (a, b). */
typedef struct bracket {
    double a, b, x[3], f[3];
} bracket;

/* The step from x[0] to the vertex of the parabola through all three, or 0 if
 * there is none inside. */
static double parabola(const bracket *k)
{
    double r = (k->x[0] - k->x[1]) * (k->f[0] - k->f[2]);
    double q = (k->x[0] - k->x[2]) * (k->f[0] - k->f[1]);
    double p = (k->x[0] - k->x[1]) * r - (k->x[0] - k->x[2]) * q;
    double step = p / (2 * (q - r));

    return k->x[0] + step > k->a && k->x[0] + step < k->b ? step : 0;
}

/* A new point, as the place it takes among the three says. */
static void insert(bracket *k, double u, double f)
{
    size_t place = f <= k->f[0] ? 0 : f <= k->f[1] ? 1 : 2;
    double edge = place == 0 ? k->x[0] : u;

    *((u > k->x[0]) == (place == 0) ? &k->a : &k->b) = edge;
    for (size_t i = 2; i > place; i--) {
        k->x[i] = k->x[i - 1];
        k->f[i] = k->f[i - 1];
    }
    k->x[place] = u;
    k->f[place] = f;
}

static gram_status refine(const goal *g, bracket *k)
{
    const double golden = 0.381966011250105;
    double step = k->b - k->a, before = step, f;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < STEPS; i++) {
        double middle = (k->a + k->b) / 2, half = (k->b - k->a) / 2;
        double last = before;

        if (fabs(k->x[0] - middle) <= 2 * TOLERANCE - half)
            break;
        before = step;
        step = parabola(k);
        /* only if it is half as long as the step before the last */
        if (step == 0 || !(fabs(step) < fabs(last) / 2)) {
            before = k->x[0] < middle ? k->b - k->x[0] : k->a - k->x[0];
            step = golden * before;
        }
        if (fabs(step) < TOLERANCE)
            step = copysign(TOLERANCE, step);
        GI_TRY(look(g, k->x[0] + step, &f));
        insert(k, k->x[0] + step, f);
    }
done:
    return status;
}

/* Point i of the grid, or its last, between the neighbours it has. */
static bracket neighbours(const goal *g, const double *lambda, size_t count,
                          const gi_criteria *grid, size_t i)
{
    const size_t before = i > 0 ? i - 1 : i;
    const size_t after = i + 1 < count ? i + 1 : i;
    const size_t point[] = {i, before, after};
    bracket k = {.a = log(lambda[before]), .b = log(lambda[after])};

    for (size_t j = 0; j < 3; j++) {
        k.x[j] = log(lambda[point[j]]);
        k.f[j] = value(g, grid + point[j] * g->path->targets);
    }
    return k;
}

/* Is point i an end of the grid, and the other end clearly worse?  If not, the
 * criterion hardly knows lambda, as with a matrix that is nearly diagonal. */
static int edge_of(const goal *g, size_t count, const gi_criteria *grid,
                   size_t i)
{
    const size_t targets = g->path->targets;
    double here = value(g, grid + i * targets);
    double there = value(g, grid + (count - 1 - i) * targets);
    double gain = g->want == GI_WANT_EVIDENCE
                      ? there - here
                      : (double)g->path->n / 2 * log(there / here);

    if ((i != 0 && i != count - 1) || !(gain > CLEARLY))
        return 0;
    return i == 0 ? -1 : 1;
}

/* From the criteria on a grid to the best lambda of the goal; best gets those
 * of all targets, or of the one. */
static gram_status choose(const goal *g, const double *lambda, size_t count,
                          const gi_criteria *grid, int refined,
                          gi_criteria *best)
{
    const size_t targets = g->path->targets;
    const gi_criteria *found;
    size_t least = 0;
    gram_status status = GRAM_OK;
    bracket k;
    int edge;

    for (size_t i = 1; i < count; i++)
        if (value(g, grid + i * targets) < value(g, grid + least * targets))
            least = i;
    found = grid + least * targets;
    edge = edge_of(g, count, grid, least);
    if (!isfinite(value(g, found)))
        GI_TRY(gi_fail(GRAM_ERR_NUMERIC,
                       "lambda: the criterion is defined at none of the %zu "
                       "values tried",
                       count));
    if (refined) {
        k = neighbours(g, lambda, count, grid, least);
        GI_TRY(refine(g, &k));
        GI_TRY(look(g, k.x[0], &k.f[0]));
        found = g->at;
    }
    for (size_t t = 0; t < targets; t++)
        if (g->all || t == g->target) {
            best[t] = found[t];
            best[t].edge = refined ? edge : 0;
        }
done:
    return status;
}

gram_status gi_path_best(gi_run *run, gi_path *path, unsigned criterion,
                         const double *candidates, size_t count, int each,
                         gi_criteria *best)
{
    const size_t goals = each ? path->targets : 1;
    gi_run first = gi_run_share(run, 0, 0.7),
           second = gi_run_share(run, 0.7, 1);
    double lambda[GRID];
    gi_criteria *grid = NULL, *at = NULL;
    gram_status status;

    for (size_t i = 0; i < GRID; i++)
        lambda[i] =
            path->scale * pow(10, FROM + (double)i / (double)PER_DECADE);
    if (!candidates)
        count = GRID;
    GI_TRY(GI_NEW(run, grid, count * path->targets));
    GI_TRY(GI_NEW(run, at, path->targets));
    GI_TRY(path->at(path, &first, candidates ? candidates : lambda, count,
                    criterion, grid));
    for (size_t t = 0; t < goals; t++) {
        gi_run part = gi_run_share(&second, (double)t / (double)goals,
                                   (double)(t + 1) / (double)goals);
        goal g = {&part, path, criterion, !each, t, at};

        GI_TRY(choose(&g, candidates ? candidates : lambda, count, grid,
                      !candidates, best));
    }
done:
    gi_free(grid);
    gi_free(at);
    return status;
}
