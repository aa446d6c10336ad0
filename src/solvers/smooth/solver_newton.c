/* solver_newton.c - Newton's method for smooth losses, as iteratively
 * reweighted least squares.
 *
 * The step of alpha and b minimises the quadratic that agrees with P in value,
 * gradient and second derivative (irls.h); a line search (Armijo) shortens it
 * where P does not fall as it should.  Along the step P costs O(n), since K
 * alpha and K d are known.  For losses made of pieces of parabolas, Huber's and
 * the squared hinge, the last step is exact.
 *
 * Ends when the gradient |(K g, 1'w V')| is small beside that of f = 0.  On a
 * path of lambdas, for selection, it ends after a small step: the norm of the
 * space bounds f everywhere, while the gradient says little where lambda is
 * small.
 *
 * Cost: a step takes two products with K and the solution of two linear
 * systems; few of them need a new factor, n^3/3 flops.  Where no factor fits in
 * memory conjugate gradients do without.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "solvers/gap.h"
#include "solvers/smooth/irls.h"
#include "solvers/smooth/newton.h"
#include "solvers/smooth.h"
#include "solvers/system.h"
#include "solvers/linear/variance.h"

/* Steps and halvings of one, at most. */
enum { STEPS = 200, HALVINGS = 60, USUAL = 5 };

static const double TOLERANCE = 1e-6;

/* What the linear systems are solved to, beside the gradient, at worst and at
 * best; and what that is multiplied by where it was not enough. */
static const double INNER = 0.1, COARSE = 1e-3, FINE = 1e-13, TIGHTER = 1e-3;

/* Share of the decrease promised that a step must bring; rounding of P. */
static const double ARMIJO = 1e-4, ROUNDING = 1e-14;

/* On a path, a step of this size beside f ends it.  0.003 was then left in a
 * test, and more may be, not its square: residuals of COARSE weigh more in this
 * norm.
 */
static const double LAST = 0.01;

typedef struct newton {
    gi_run *run;
    const gi_problem *p;
    gi_irls s;
    double *w;     /* weights */
    double *alpha; /* as f = K alpha + b */
    double *f;
    double b;
    double *c;  /* n x 2: -g/(2 lambda), -R 1 */
    double *Kc; /* and its product with K; then right-hand sides */
    double *x;  /* n x 2: solutions */
    double *d;  /* step of alpha, of f */
    double *df;
    double db, part;         /* step of b; how much of the steps was taken */
    double objective, scale; /* P; gradient of f = 0 */
    double gradient;         /* relative */
    double last;             /* a step so small beside f is the last; or 0 */
} newton;

/* --------------------------------------------------------------------- cost */

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    const char *why = gi_smooth_refuses(p);
    const gi_blas *blas;
    gi_cost c = {.possible = 1};

    if (why)
        return (gi_cost){.why = why};
    blas = gi_irls_choose(run, p, rows, gi_system_scale(run, p));
    c.bytes = gi_irls_bytes(run, p, rows, blas);
    c.seconds = 60 * gi_system_product_seconds(p, rows, 2);
    if (blas)
        c.seconds += 5 * gi_irls_factor_seconds(rows, blas);
    else
        c.seconds += 1000 * gi_system_product_seconds(p, rows, 2);
    c.seconds /= run->threads;
    return c;
}

/* -------------------------------------------------------------------- begin */

/* f of the start, the scale of the gradient, in one product, and b. */
static gram_status begin(newton *t)
{
    const gi_problem *p = t->p;
    const size_t n = p->n;
    gram_status status;

    GI_TRY(GI_NEW(t->run, t->w, n));
    GI_TRY(GI_NEW_ZERO(t->run, t->alpha, n));
    GI_TRY(GI_NEW(t->run, t->f, n));
    GI_TRY(GI_NEW(t->run, t->c, 2 * n));
    GI_TRY(GI_NEW(t->run, t->Kc, 2 * n));
    GI_TRY(GI_NEW(t->run, t->x, 2 * n));
    GI_TRY(GI_NEW(t->run, t->d, n));
    GI_TRY(GI_NEW(t->run, t->df, n));
    if (p->start)
        memcpy(t->alpha, p->start, n * sizeof *t->alpha);
    for (size_t i = 0; i < n; i++) {
        t->w[i] = 1 / gi_system_noise(p, i);
        t->c[2 * i] = t->alpha[i];
        t->c[2 * i + 1] = t->w[i] * gi_loss_slope(p->loss, p->y[i], 0);
    }
    GI_TRY(gi_operator_product(p->K, t->run, 0, t->c, 2, t->Kc));
    for (size_t i = 0; i < n; i++)
        t->f[i] = t->Kc[2 * i];
    t->scale = gi_smooth_norm(p, t->c, t->Kc, 1, 2, 0);
    if (p->intercept)
        t->b = gi_smooth_intercept(p->loss, n, p->y, t->w, t->f, 0);
    for (size_t i = 0; i < n; i++)
        t->f[i] += t->b;
done:
    return status;
}

static void end(newton *t)
{
    gi_irls_free(&t->s);
    gi_free(t->w);
    gi_free(t->alpha);
    gi_free(t->f);
    gi_free(t->c);
    gi_free(t->Kc);
    gi_free(t->x);
    gi_free(t->d);
    gi_free(t->df);
}

/* --------------------------------------------------------------------- step */

/* c, K c, the weights of the step, and the gradient. */
static gram_status look(newton *t)
{
    const gi_problem *p = t->p;
    const double twice = 2 * p->lambda;
    double norm, sum = 0;
    gram_status status;

    for (size_t i = 0; i < p->n; i++) {
        double y = p->y[i], f = t->f[i];
        double R = t->w[i] * gi_loss_curvature(p->loss, y, f) / twice;

        t->s.root[i] = sqrt(R);
        t->c[2 * i] =
            -t->w[i] * gi_loss_slope(p->loss, y, f) / twice - t->alpha[i];
        t->c[2 * i + 1] = -R;
        sum += t->alpha[i];
    }
    GI_TRY(gi_operator_product(p->K, t->run, 0, t->c, 2, t->Kc));
    norm = twice * gi_smooth_norm(p, t->c, t->Kc, 0, 2, sum);
    t->gradient = t->scale > 0 ? norm / t->scale : norm;
done:
    return status;
}

/* The step d, db and K d + db, from r K c in the place of K c. */
static gram_status solve_step(newton *t, double tolerance)
{
    const gi_problem *p = t->p;
    const size_t n = p->n;
    double sum = 0, one = 0;
    gram_status status;

    GI_TRY(gi_irls_solve(t->run, &t->s, tolerance, 2, t->Kc, t->x));
    for (size_t i = 0; i < n; i++) {
        t->x[2 * i] = t->c[2 * i] - t->s.root[i] * t->x[2 * i];
        t->x[2 * i + 1] = t->c[2 * i + 1] - t->s.root[i] * t->x[2 * i + 1];
        sum += t->alpha[i] + t->x[2 * i];
        one += t->x[2 * i + 1];
    }
    /* without curvature anywhere b stays, and so do the rows' demands on it */
    t->db = p->intercept && one < 0 ? -sum / one : 0;
    for (size_t i = 0; i < n; i++)
        t->d[i] = t->x[2 * i] + t->db * t->x[2 * i + 1];
    GI_TRY(gi_operator_product(p->K, t->run, 0, t->d, 1, t->df));
    for (size_t i = 0; i < n; i++)
        t->df[i] += t->db;
done:
    return status;
}

/* The derivative of P along the step at its beginning. */
static double slope(const newton *t)
{
    const gi_problem *p = t->p;
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += t->w[i] * gi_loss_slope(p->loss, p->y[i], t->f[i]) * t->df[i] +
               2 * p->lambda * t->alpha[i] * (t->df[i] - t->db);
    return sum;
}

/* And its second derivative, which is the negative of the first where the
 * system was solved exactly. */
static double bend(const newton *t)
{
    double sum = 0;

    for (size_t i = 0; i < t->p->n; i++) {
        double r = t->s.root[i];

        sum += r * r * t->df[i] * t->df[i] + t->d[i] * (t->df[i] - t->db);
    }
    return 2 * t->p->lambda * sum;
}

/* The step, from a system that was solved well enough. */
static gram_status find_step(newton *t)
{
    double tolerance = fmax(FINE, fmin(COARSE, INNER * t->gradient));
    gram_status status;

    if (t->last > 0)
        tolerance = COARSE;
    for (size_t k = 0; k < 2 * t->p->n; k++)
        t->Kc[k] *= t->s.root[k / 2];
    GI_TRY(solve_step(t, tolerance));
    while (!(slope(t) <= -bend(t) / 2) && tolerance >= FINE) {
        tolerance *= TIGHTER;
        GI_TRY(solve_step(t, tolerance));
    }
done:
    return status;
}

/* P after a part of the step. */
static double objective(const newton *t, double part)
{
    const gi_problem *p = t->p;
    double loss = 0, norm = 0;

    for (size_t i = 0; i < p->n; i++) {
        double f = t->f[i] + part * t->df[i], b = t->b + part * t->db;

        loss += t->w[i] * gi_loss_value(p->loss, p->y[i], f);
        norm += (t->alpha[i] + part * t->d[i]) * (f - b);
    }
    return loss + p->lambda * norm;
}

/* Go as far as P falls as it should; 0 if it does nowhere. */
static int move(newton *t)
{
    const double promised = slope(t), before = objective(t, 0);
    const double noise = ROUNDING * (double)t->p->n * fabs(before);
    double part = 1, now = objective(t, part);

    for (int k = 0; !(now <= before + ARMIJO * part * promised + noise); k++) {
        if (k == HALVINGS)
            return 0;
        part /= 2;
        now = objective(t, part);
    }
    for (size_t i = 0; i < t->p->n; i++) {
        t->alpha[i] += part * t->d[i];
        t->f[i] += part * t->df[i];
    }
    t->b += part * t->db;
    t->objective = now;
    t->part = part;
    return 1;
}

/* Was the step a whole one, and small in the norm of the space? */
static int was_last(const newton *t)
{
    double step = 0, norm = 0;

    for (size_t i = 0; i < t->p->n; i++) {
        step += t->d[i] * (t->df[i] - t->db);
        norm += t->alpha[i] * (t->f[i] - t->b);
    }
    return t->part == 1 && step <= t->last * t->last * norm;
}

/* -------------------------------------------------------------------- solve */

static gram_status iterate(newton *t, gi_run *all, gi_solution *out)
{
    const gi_problem *p = t->p;
    const double tolerance = p->tolerance > 0 ? p->tolerance : TOLERANCE;
    const size_t limit = p->steps ? p->steps : STEPS;
    gram_status status;

    out->converged = 0;
    for (;; out->steps++) {
        *t->run = gi_run_step(all, out->steps, USUAL);
        GI_TRY(look(t));
        out->converged = t->gradient <= tolerance;
        if (out->converged || out->steps == limit)
            break;
        GI_TRY(find_step(t));
        if (!move(t))
            break;
        if (p->trace)
            GI_TRY(p->trace(p->trace_user, out->steps + 1, t->objective, NAN));
        if (t->last > 0 && was_last(t)) {
            out->converged = 1;
            break;
        }
    }
done:
    return status;
}

/* What variances need: B's factor, r, and r B^-1 r 1. */
static gram_status keep(newton *t, gi_solution *out)
{
    const size_t n = t->p->n;
    gram_status status;

    GI_TRY(gi_irls_factor(t->run, t->p, t->s.root, &out->factor));
    if (t->p->intercept) {
        GI_TRY(GI_NEW(t->run, out->inverse_one, n));
        memcpy(out->inverse_one, t->s.root, n * sizeof *t->s.root);
        GI_TRY(gi_chol_solve(t->run, out->factor, 1, out->inverse_one, 1));
        for (size_t i = 0; i < n; i++)
            out->inverse_one[i] *= t->s.root[i];
    }
    out->root = t->s.root;
    t->s.root = NULL;
done:
    return status;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    gi_run part = gi_run_share(run, 0, 0.05);
    gi_run steps = gi_run_share(run, 0.05, 0.9);
    newton t = {.run = &part, .p = p};
    const gi_blas *blas = gi_irls_choose(run, p, p->n, gi_system_scale(run, p));
    gram_status status;

    GI_TRY(gi_irls_new(run, p, blas, &t.s));
    GI_TRY(begin(&t));
    GI_TRY(iterate(&t, &steps, out));
    part = gi_run_share(run, 0.9, 1);
    if (p->keep_factor)
        GI_TRY(keep(&t, out));
    if (t.s.blas == &gi_blas_single)
        out->precision = "single + refinement";
    GI_TRY(GI_NEW(run, out->intercept, 1));
    *out->intercept = t.b;
    out->alpha = t.alpha;
    t.alpha = NULL;
    GI_TRY(gi_gap_measure(&part, p, out));
    GI_TRY(gi_run_tick(run, 1));
done:
    end(&t);
    return status;
}

/* The factor of a smaller lambda may need double precision; gi_irls_solve sees
 * to that when the time comes. */
gram_status gi_newton_path(gi_run *run, const gi_problem *p,
                           const double *lambda, size_t lambdas,
                           gi_solution_take take, void *user)
{
    gi_problem at = *p;
    gi_run part = gi_run_quiet(run);
    newton t = {.run = &part, .p = &at};
    gram_status status;

    at.lambda = lambda[0];
    GI_TRY(gi_problem_check(p));
    GI_TRY(gi_irls_new(
        run, &at, gi_irls_choose(run, &at, at.n, gi_system_scale(run, &at)),
        &t.s));
    t.s.frugal = 1;
    t.last = p->tolerance > 0 ? 0 : LAST;
    GI_TRY(begin(&t));
    for (size_t l = 0; l < lambdas; l++) {
        gi_solution s = {
            .alpha = t.alpha, .intercept = &t.b, .lambda = lambda[l]};
        gi_run steps = gi_run_share(run, (double)l / (double)lambdas,
                                    (double)(l + 1) / (double)lambdas);

        at.lambda = lambda[l];
        GI_TRY(iterate(&t, &steps, &s));
        GI_TRY(take(user, l, &s));
    }
done:
    end(&t);
    return status;
}

const gi_solver gi_solver_newton = {
    .name = "newton",
    .brief = "Newton steps for losses with derivatives",
    .flags = GI_SOLVER_EXACT | GI_SOLVER_FACTOR | GI_SOLVER_TOLERANT,
    .cost = cost,
    .solve = solve,
    .variance = gi_variance_by_factor,
    .path = gi_newton_path,
};

gram_status gi_newton_solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    return gi_solver_solve(run, &gi_solver_newton, p, out);
}
