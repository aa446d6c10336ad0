/* solver_prox.c - losses with a kink, by smoothing that is exact: the method
 * of multipliers with Newton's method inside.
 *
 * V is replaced by its Moreau envelope around f + t m, m the slopes found
 * before,
 *
 *     minimise  sum_i w_i e_t(f_i + t m_i) + lambda |f|^2
 *     e_t(v) = min_z V(y, z) + (z - v)^2/(2 t),   slope u = (v - prox(v))/t
 *
 * then m = u, and t becomes smaller (Rockafellar, Math. Oper. Res. 1, 1976).
 * u is in the interval of the dual whatever t is, so each round has a gap.
 * With D = w (1 - prox')/t and A the rows where D > 0, a step of Newton is
 *
 *     alpha_i = -w_i u_i/(2 lambda)                              i not in A
 *     (K_AA + 2 lambda/D) alpha_A + b = f - w u/D - K alpha      in A
 *
 * with a line search that is exact (Li, Sun, Toh, SIAM J. Optim. 28, 2018, for
 * the lasso).  For piecewise linear V the rows of A are those near a kink: at
 * the end about as many as f has degrees of freedom.
 *
 * Cost: |A|^3/3 flops and about three products with K a step; |A|^2 numbers,
 * |A| at most n.  The trap: with a small t, K_AA + 2 lambda/D may be singular
 * to rounding; then t grows again, which moves no solution.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "solvers/smooth/active.h"
#include "solvers/gap.h"
#include "solvers/system.h"

/* Newton steps at most; rounds without gain, at most; so many steps in turn
 * that are shorter than SHORT mean that t is too small to come from afar. */
enum { STEPS = 500, IDLE = 6, CREEP = 8 };
static const double SHORT = 0.01;

/* t: what residuals are worth at the start, times FIRST; then it falls by FALL
 * from round to round, and rises by RISE where it was too small; RANGE is how
 * far it may go. */
static const double FIRST = 0.1, FALL = 0.25, RISE = 16, RANGE = 1e9;

/* The relative gap that is aimed at, and the one that is good enough. */
static const double AIM = 1e-9, GOOD = 1e-6;

typedef struct prox {
    gi_run *whole, run; /* and the share of it that the present step has */
    const gi_problem *p;
    gi_solution *out;
    size_t n, steps, limit;
    double t, least, most;
    double length;          /* of the last step, as a part of Newton's */
    double *all;            /* the arrays of n numbers that follow */
    double *w, *m;          /* weights; slopes of the round before */
    double *low, *high;     /* of the slopes of V */
    double *alpha, *g, b;   /* g = K alpha */
    double *to, *gto, bto;  /* where Newton's step leads */
    double *u, *d;          /* slopes and curvatures of the envelope */
    double *trial, *gtrial; /* an alpha within its intervals */
    gi_active a;
    double *z;    /* n x 2 */
    double noise; /* rounding of the gap */
} prox;

/* --------------------------------------------------------------------- cost */

/* Why the problem is none for this solver, or NULL. */
static const char *refuse(const gi_problem *p)
{
    const gi_loss *l = p->loss;

    if (!l || !l->class_->prox || !l->class_->conjugate ||
        l->class_->flags & (GRAM_LOSS_JOINT | GRAM_LOSS_NOVELTY))
        return "only for losses that have a proximal map";
    if (gi_loss_nu(l) > 0) /* something is to be found from it */
        return "nu is not for it";
    return p->lambda > 0 ? NULL : "lambda is 0";
}

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double n = (double)rows, word = sizeof(double);
    const double products = 150, factors = 2;
    gi_cost c = {.why = refuse(p)};

    if (c.why)
        return c;
    c.possible = 1;
    c.bytes = gi_active_bytes(rows, rows) +
              (double)gi_operator_bytes(run, p->K) + word * n * 18;
    c.seconds = factors * n * n * n / 3 / gi_rate_gemm(&gi_blas_double) +
                products * gi_system_product_seconds(p, rows, 1);
    if (p->loss->class_->flags & GRAM_LOSS_SMOOTH) /* no row leaves A */
        c.seconds *= 10;
    c.seconds /= run->threads;
    return c;
}

/* ----------------------------------------------------------------- envelope */

static double prox_at(const prox *x, size_t i, double v)
{
    const gi_loss *l = x->p->loss;

    return l->class_->prox(l->arg, x->p->y[i], v, x->t);
}

/* Slope of the envelope at f. */
static double slope_at(const prox *x, size_t i, double f)
{
    double v = f + x->t * x->m[i], u = (v - prox_at(x, i, v)) / x->t;

    return fmin(fmax(u, x->low[i]), x->high[i]);
}

/* Its curvature: any difference quotient of prox is a generalised derivative
 * where it is piecewise linear. */
static double curvature_at(const prox *x, size_t i, double f)
{
    double v = f + x->t * x->m[i];
    double h = fmax(1e-5 * x->t, 16 * DBL_EPSILON * fabs(v));
    double up = v + h, down = v - h;
    double q = 1 - (prox_at(x, i, up) - prox_at(x, i, down)) / (up - down);

    if (q < 1e-3 && !(x->p->loss->class_->flags & GRAM_LOSS_SMOOTH))
        return 0;
    return fmin(fmax(q, 0), 1) / x->t;
}

static void evaluate(prox *x)
{
    x->a.count = 0;
    for (size_t i = 0; i < x->n; i++) {
        double f = x->g[i] + x->b;

        x->u[i] = slope_at(x, i, f);
        x->d[i] = x->w[i] * curvature_at(x, i, f);
        if (x->d[i] > 0)
            x->a.row[x->a.count++] = i;
    }
}

/* Is alpha = -w u/(2 lambda), but for the rounding of v? */
static int solved(const prox *x)
{
    const double tolerance = 1e-9, rounding = 16 * DBL_EPSILON / x->t;
    double off = 0, size = 0, noise = 0;

    for (size_t i = 0; i < x->n; i++) {
        double wu = x->w[i] * x->u[i];
        double e = wu + 2 * x->p->lambda * x->alpha[i];

        double v = x->w[i] * (fabs(x->g[i]) + fabs(x->b));

        off += e * e;
        size += wu * wu;
        noise += v * v;
    }
    return sqrt(off) <= tolerance * sqrt(size) + rounding * sqrt(noise);
}

/* ------------------------------------------------------------ one dimension */

typedef double (*climb)(const prox *x, double s);

/* Where the nondecreasing `at` becomes 0 between a, where it is not positive,
 * and b, where it is not negative: until it is within `near` of 0 or the ends
 * meet.  False position and, since `at` may jump, halves in turn. */
static double find_zero(const prox *x, climb at, double a, double b,
                        double near)
{
    enum { MOST = 300 };
    double low = at(x, a), high = at(x, b), s = b;

    for (int k = 0; k < MOST; k++) {
        double now;

        s = k % 2 ? a + (b - a) / 2 : a - low * ((b - a) / (high - low));
        if (!(s > a && s < b))
            s = a + (b - a) / 2;
        if (!(s > a && s < b))
            break;
        now = at(x, s);
        if (fabs(now) <= near)
            break;
        if (now < 0) {
            a = s;
            low = now;
        } else {
            b = s;
            high = now;
        }
    }
    return s;
}

/* Derivative of the smooth problem on the way from alpha to `to`. */
static double along(const prox *x, double s)
{
    double sum = 0, db = x->bto - x->b;

    for (size_t i = 0; i < x->n; i++) {
        double dg = x->gto[i] - x->g[i], da = x->to[i] - x->alpha[i];
        double u = slope_at(x, i, x->g[i] + x->b + s * (dg + db));

        sum += x->w[i] * u * (dg + db) +
               2 * x->p->lambda * (x->alpha[i] + s * da) * dg;
    }
    return sum;
}

/* Derivative by the intercept: of the smooth problem, and of the true one with
 * g of the trial. */
static double smooth_by_b(const prox *x, double b)
{
    double sum = 0;

    for (size_t i = 0; i < x->n; i++)
        sum += x->w[i] * slope_at(x, i, x->g[i] + b);
    return sum;
}

static double true_by_b(const prox *x, double b)
{
    double sum = 0;

    for (size_t i = 0; i < x->n; i++)
        sum +=
            x->w[i] * gi_loss_slope(x->p->loss, x->p->y[i], x->gtrial[i] + b);
    return sum;
}

/* The zero of `at` by the intercept, from b on in steps that double. */
static double best_b(const prox *x, climb at, double b, double step)
{
    enum { MOST = 200 };
    double sign = at(x, b) > 0 ? -1 : 1, from = b;

    for (int k = 0; k < MOST && sign * at(x, b) < 0; k++) {
        from = b;
        b += sign * step;
        step *= 2;
    }
    return from == b ? b : find_zero(x, at, fmin(from, b), fmax(from, b), 0);
}

/* ------------------------------------------------------------------- newton */

/* Solve for alpha_A and the intercept; `to` has the other rows, gto K times
 * them. */
static gram_status solve_active(prox *x)
{
    const size_t m = x->a.count, columns = 1 + (x->p->intercept != 0);
    double rest = 0, sums[2] = {0, 0};
    gram_status status;

    for (size_t k = 0; k < m; k++) {
        size_t i = x->a.row[k];

        x->a.shift[k] = 2 * x->p->lambda / x->d[i];
        x->z[k * columns + columns - 1] = 1; /* stays with an intercept */
        x->z[k * columns] = x->g[i] - x->gto[i] - x->w[i] * x->u[i] / x->d[i];
    }
    GI_TRY(gi_active_solve(&x->run, x->p->K, &x->a, columns, x->z));
    for (size_t i = 0; i < x->n; i++)
        rest += x->to[i];
    for (size_t k = 0; k < m * columns; k++)
        sums[k % columns] += x->z[k];
    if (x->p->intercept)
        x->bto = x->b + (sums[0] + rest) / sums[1];
    for (size_t k = 0; k < m; k++)
        x->to[x->a.row[k]] =
            x->z[k * columns] -
            (x->p->intercept ? (x->bto - x->b) * x->z[k * columns + 1] : 0);
done:
    return status;
}

/* Newton's step into to, gto and bto. */
static gram_status newton(prox *x)
{
    const gi_operator *K = x->p->K;
    gram_status status;

    for (size_t i = 0; i < x->n; i++)
        x->to[i] = x->d[i] > 0 ? 0 : -x->w[i] * x->u[i] / (2 * x->p->lambda);
    x->bto = x->b;
    x->run = gi_run_share(x->whole, 1 - pow(0.97, (double)x->steps),
                          1 - pow(0.97, (double)x->steps + 1));
    if (x->a.count) {
        GI_TRY(gi_operator_product(K, &x->run, 0, x->to, 1, x->gto));
        GI_TRY(solve_active(x));
    }
    GI_TRY(gi_operator_product(K, &x->run, 0, x->to, 1, x->gto));
done:
    return status;
}

/* Go there, as far as is best.  Returns what that gained, about: the slope of
 * the way. */
static double move(prox *x)
{
    double begin = along(x, 0), end = along(x, 1), s = 1;

    if (begin < 0 && end > -1e-3 * begin)
        s = find_zero(x, along, 0, 1, -1e-3 * begin);
    x->length = s;
    for (size_t i = 0; i < x->n; i++) {
        x->alpha[i] =
            s == 1 ? x->to[i] : x->alpha[i] + s * (x->to[i] - x->alpha[i]);
        x->g[i] = s == 1 ? x->gto[i] : x->g[i] + s * (x->gto[i] - x->g[i]);
    }
    x->b += s * (x->bto - x->b);
    return -begin;
}

/* The smooth problem at t, from what alpha is, until a step gains less than
 * the tolerance.  t may rise. */
static gram_status minimise(prox *x, double tolerance)
{
    double gain = INFINITY;
    int creeping = 0;
    gram_status status = GRAM_OK;

    for (;;) {
        if (x->p->intercept)
            x->b = best_b(x, smooth_by_b, x->b, x->t);
        evaluate(x);
        if (solved(x) || gain <= tolerance || x->steps >= x->limit)
            break;
        if (creeping == CREEP) {
            x->t = fmin(RISE * x->t, x->most);
            creeping = 0;
            continue;
        }
        status = newton(x);
        if (status == GRAM_ERR_NUMERIC && x->t < x->most) {
            x->least = x->t = x->t / FALL;
            continue;
        }
        GI_TRY(status);
        gain = move(x);
        creeping = x->length < SHORT && x->t < x->most ? creeping + 1 : 0;
        x->steps++;
    }
done:
    return status;
}

/* -------------------------------------------------------------- certificate */

/* Make 1'alpha = 0 within the intervals of alpha, if it can be by rows of A
 * alone. */
static void balance(const prox *x, double *alpha)
{
    double sum = 0, room[2] = {0, 0};

    for (size_t i = 0; i < x->n; i++)
        sum += alpha[i];
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < x->n; i++) {
            double end = sum > 0 ? x->high[i] : x->low[i];
            double way = alpha[i] + x->w[i] * end / (2 * x->p->lambda);
            int inside = x->d[i] > 0, all = fabs(room[1]) < fabs(sum);

            if (pass == 0) {
                room[0] += way;
                room[1] += inside ? way : 0;
            } else if ((inside || all) && isfinite(way) && way != 0)
                alpha[i] -= sum * (way / room[!all]);
        }
}

/* The nearest number to alpha_i in its interval. */
static double inside(const prox *x, size_t i, double alpha)
{
    double box = x->w[i] / (2 * x->p->lambda);

    return fmin(fmax(alpha, -box * x->high[i]), -box * x->low[i]);
}

/* The slope of V that the trial stands for. */
static double slope_of(const prox *x, size_t i)
{
    double u = -2 * x->p->lambda * x->trial[i] / x->w[i];

    return fmin(fmax(u, x->low[i]), x->high[i]);
}

/* P and P - D, as in gap.h, of the alpha within the intervals that is next to
 * the present one.  It becomes the solution if it is the best so far. */
static gram_status certify(prox *x)
{
    const gi_problem *p = x->p;
    double b = x->b, primal = 0, gap = 0, noise = 0;
    gram_status status;

    for (size_t i = 0; i < x->n; i++)
        x->trial[i] = inside(x, i, x->alpha[i]);
    if (p->intercept)
        balance(x, x->trial);
    GI_TRY(gi_operator_product(p->K, &x->run, 0, x->trial, 1, x->gtrial));
    if (p->intercept)
        b = best_b(x, true_by_b, x->b, x->t);
    for (size_t i = 0; i < x->n; i++) {
        double f = x->gtrial[i] + b, u = slope_of(x, i);
        double value = gi_loss_value(p->loss, p->y[i], f);

        primal += p->lambda * x->trial[i] * x->gtrial[i] + x->w[i] * value;
        gap +=
            x->w[i] * (value + gi_loss_conjugate(p->loss, p->y[i], u) - u * f);
        noise += x->w[i] * fabs(u * f);
    }
    if (!(gap < x->out->gap))
        goto done;
    x->out->objective = primal;
    x->out->gap = gap;
    x->out->intercept[0] = b;
    x->noise = 8 * DBL_EPSILON * noise;
    memcpy(x->out->alpha, x->trial, x->n * sizeof *x->trial);
done:
    return status;
}

static int is_within(const prox *x, double relative)
{
    return x->out->gap <= relative * x->out->objective + x->noise;
}

/* -------------------------------------------------------------------- solve */

static gram_status begin(prox *x)
{
    const double far = 1e150;
    const gi_problem *p = x->p;
    const size_t n = x->n;
    double **const arrays[] = {&x->w,     &x->m, &x->low,   &x->high,
                               &x->alpha, &x->g, &x->to,    &x->gto,
                               &x->u,     &x->d, &x->trial, &x->gtrial};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    gram_status status;

    GI_TRY(GI_NEW_ZERO(&x->run, x->all, ARRAYS * n));
    for (size_t k = 0; k < ARRAYS; k++)
        *arrays[k] = x->all + k * n;
    GI_TRY(GI_NEW(&x->run, x->a.row, n));
    GI_TRY(GI_NEW(&x->run, x->a.shift, n));
    GI_TRY(GI_NEW(&x->run, x->z, 2 * n));
    GI_TRY(GI_NEW(&x->run, x->out->alpha, n));
    GI_TRY(GI_NEW_ZERO(&x->run, x->out->intercept, 1));
    for (size_t i = 0; i < n; i++) {
        x->w[i] = 1 / gi_system_noise(p, i);
        x->low[i] = gi_loss_slope(p->loss, p->y[i], -far);
        x->high[i] = gi_loss_slope(p->loss, p->y[i], far);
    }
done:
    return status;
}

static void end(prox *x)
{
    gi_free(x->all);
    gi_free(x->a.row);
    gi_free(x->a.shift);
    gi_active_free(&x->a);
    gi_free(x->z);
}

/* b of f = b alone, and t so that the residuals of that are t times the slopes
 * of the loss. */
static void begin_t(prox *x)
{
    const gi_problem *p = x->p;
    double value = 0, slope = 0;

    if (p->intercept)
        x->b = best_b(x, true_by_b, p->y[0], fabs(p->y[0]) + 1);
    for (size_t i = 0; i < x->n; i++) {
        double s = gi_loss_slope(p->loss, p->y[i], x->b);

        value += x->w[i] * gi_loss_value(p->loss, p->y[i], x->b);
        slope += x->w[i] * s * s;
    }
    x->out->objective = value;
    x->t = value > 0 && slope > 0 ? value / slope : 1;
    x->least = x->t / RANGE;
    x->most = x->t * RANGE;
    x->t *= FIRST;
}

/* From p->start: the nearer it is, the smaller is t. */
static gram_status begin_warm(prox *x)
{
    gram_status status;

    for (size_t i = 0; i < x->n; i++) {
        x->alpha[i] = x->p->start[i];
        x->d[i] = 1; /* all may be moved to balance them */
    }
    GI_TRY(certify(x));
    x->b = x->out->intercept[0];
    memcpy(x->alpha, x->trial, x->n * sizeof *x->alpha);
    memcpy(x->g, x->gtrial, x->n * sizeof *x->g);
    for (size_t i = 0; i < x->n; i++)
        x->m[i] = slope_of(x, i);
    x->t *= fmin(fmax(x->out->gap / x->out->objective, 1e-3), 1);
done:
    return status;
}

/* On to the next t, with the slopes found.  Rows at a kink are likely to stay
 * there: a step that aims all of them at it comes first. */
static gram_status advance(prox *x)
{
    const double t = fmax(x->t * FALL, x->least);
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < x->n; i++) {
        double f = x->g[i] + x->b, kink = prox_at(x, i, f + x->t * x->m[i]);

        x->m[i] = slope_of(x, i);
        if (x->d[i] > 0) {
            x->u[i] = x->m[i] + (f - kink) / t;
            x->d[i] = x->w[i] / t;
        }
    }
    x->t = t;
    if (x->p->loss->class_->flags & GRAM_LOSS_SMOOTH)
        goto done;
    GI_TRY(newton(x));
    if (along(x, 0) < 0)
        (void)move(x);
    x->steps++;
done:
    return status == GRAM_ERR_NUMERIC ? GRAM_OK : status;
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    const double aim = p->tolerance > 0 ? p->tolerance : AIM;
    prox x = {.whole = run,
              .run = gi_run_share(run, 0, 0),
              .p = p,
              .out = out,
              .n = p->n,
              .limit = p->steps ? p->steps : STEPS};
    size_t idle = 0;
    gram_status status;

    out->gap = INFINITY;
    GI_TRY(begin(&x));
    begin_t(&x);
    if (p->start)
        GI_TRY(begin_warm(&x));
    while (!is_within(&x, aim) && x.steps < x.limit && idle < IDLE) {
        double before = out->gap;

        if (before < INFINITY && x.steps)
            GI_TRY(advance(&x));
        GI_TRY(minimise(&x, 1e-3 * aim * out->objective));
        GI_TRY(certify(&x));
        idle = out->gap < before / 2 ? 0 : idle + 1;
    }
    out->steps = x.steps;
    GI_TRY(gi_gap_measure(&x.run, p, out));
    out->converged = is_within(&x, p->tolerance > 0 ? aim : GOOD);
    GI_TRY(gi_run_tick(run, 1));
done:
    end(&x);
    return status;
}

const gi_solver gi_solver_prox = {
    .name = "prox",
    .brief = "losses with a kink: smoothing, Newton on the rows at the kink",
    .flags = GI_SOLVER_EXACT,
    .cost = cost,
    .solve = solve,
};
