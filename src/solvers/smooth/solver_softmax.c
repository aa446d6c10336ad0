/* solver_softmax.c - several classes at once: multinomial logistic regression
 * by Newton's method with conjugate gradients.
 *
 *     minimise  sum_i w_i (log sum_c exp f_ic - sum_c y_ic f_ic)
 *               + lambda sum_c |f_c|^2,       f = K alpha + 1 b'
 *
 * with sum_c alpha_ic = 0, which holds at the minimum, and sum_c b_c = 0, since
 * b is free up to a constant.  With the probabilities pi, q = sqrt(pi) and
 * P = I - q q' of a row, the curvature is H = R R', R = sqrt(w) diag(q) P.  b
 * is kept at its best, so H becomes R Pi R', where Pi takes R'1 out, and with
 * G = 2 lambda alpha + w (pi - y) a step of Newton is
 *
 *     (2 lambda I + Pi R'K R Pi) x = Pi R'K G,   (G - R x)/(2 lambda) less
 *
 * (Rasmussen and Williams 2006, algorithm 3.3, has C + 1 factors of order n in
 * its place).  Preconditioner (softmax.c): per class 2 lambda I + D F F'D,
 * D = sqrt(w) q, by Woodbury, with one F from pivoted Cholesky of K; on the
 * range of P and Pi that is the matrix itself but for K - F F'.
 *
 * Cost: a product of K with C columns for each step of conjugate gradients,
 * C n r^2 flops for each of Newton, r the rank of F; n (15 C + 2 r) + C r^2
 * numbers.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "linalg/iterative/cg.h"
#include "solvers/smooth/softmax.h"
#include "solvers/system.h"

/* Steps at most: of Newton, of conjugate gradients in one, of the intercepts,
 * of a line search. */
enum { STEPS = 100, INNER = 300, SHIFTS = 60, HALVES = 40 };

/* The relative gradient that is aimed at. */
static const double AIM = 1e-6;

/* --------------------------------------------------------------------- cost */

/* The cores may cost as much as 100 products, and a quarter of the memory. */
static size_t rank_of(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double n = (double)rows, room = (double)run->memory / 4 / 8;
    double rank = fmin(n, sqrt(200 * n));

    rank = fmin(rank, room / (2 * n));
    return (size_t)fmax(fmin(rank, sqrt(room / (double)p->targets)), 1);
}

static gi_cost cost(const gi_run *run, const gi_problem *p, size_t rows)
{
    const double n = (double)rows, c = (double)p->targets;
    const double newton = 8, inner = 12; /* steps, about */
    double rank = (double)rank_of(run, p, rows);
    gi_cost out = {.why = "only for the softmax loss"};

    if (!p->loss || !gi_loss_has(p->loss, GRAM_LOSS_JOINT))
        return out;
    out.possible = p->lambda > 0 && p->targets > 1;
    out.why = p->targets > 1 ? "lambda is 0" : "one class only";
    out.bytes = 8 * (n * (15 * c + 2 * rank) + c * rank * rank) +
                (double)gi_operator_bytes(run, p->K);
    out.seconds =
        newton * (inner * gi_system_product_seconds(p, rows, p->targets) +
                  c * n * rank * rank / gi_rate_gemm(&gi_blas_double));
    out.seconds /= run->threads;
    return out;
}

/* ------------------------------------------------------------ probabilities */

/* f of row i into f, `s` of the step on, less its largest number; returns log
 * of the sum of exp. */
static double row_at(const gi_softmax *x, size_t i, double s, double *f)
{
    const size_t c = x->classes;
    double top = -INFINITY, sum = 0;

    for (size_t k = 0; k < c; k++) {
        f[k] = x->g[i * c + k] + x->b[k];
        if (s > 0)
            f[k] += s * (x->along[i * c + k] + x->turn[k]);
        top = fmax(top, f[k]);
    }
    for (size_t k = 0; k < c; k++) {
        f[k] -= top;
        sum += exp(f[k]);
    }
    return log(sum);
}

/* The loss `s` of the step on; pi into `pi`, if it is not NULL. */
static double loss_at(const gi_softmax *x, double s, double *pi)
{
    const size_t c = x->classes;
    double sum = 0, *f = x->one;

    for (size_t i = 0; i < x->n; i++) {
        const double *y = x->p->y + i * c, w = x->root[i] * x->root[i];
        double log_sum = row_at(x, i, s, f);

        for (size_t k = 0; k < c; k++) {
            sum += w * y[k] * (log_sum - f[k]);
            if (pi)
                pi[i * c + k] = exp(f[k] - log_sum);
        }
    }
    return sum;
}

/* q at the present f, and the loss. */
static double evaluate(gi_softmax *x)
{
    double loss = loss_at(x, 0, x->q);

    for (size_t k = 0; k < x->n * x->classes; k++)
        x->q[k] = sqrt(x->q[k]);
    return loss;
}

/* ------------------------------------------------------------------- newton */

static gram_status multiply(void *user, gi_run *run, const double *v, size_t m,
                            double *out)
{
    gi_softmax *x = user;
    const gi_operator *K = x->p->K;
    gram_status status;

    (void)m; /* one */
    gi_softmax_root(x, v, x->left);
    GI_TRY(gi_operator_product(K, run, 0, x->left, x->classes, out));
    gi_softmax_root_back(x, out, out);
    gi_softmax_project(x, out);
    for (size_t k = 0; k < x->n * x->classes; k++)
        out[k] += 2 * x->p->lambda * v[k];
done:
    return status;
}

/* sum_i w_i (pi_i - y_i). */
static void slope_by_b(const gi_softmax *x, double *out)
{
    const size_t c = x->classes;

    memset(out, 0, c * sizeof *out);
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < c; k++) {
            double q = x->q[i * c + k];

            out[k] += x->root[i] * x->root[i] * (q * q - x->p->y[i * c + k]);
        }
}

/* The best b for this alpha, by Newton; q and the value come out.  b of a class
 * without rows goes to -infinity, and stops where that is felt no more. */
static gram_status shift(gi_softmax *x)
{
    const size_t c = x->classes, all = x->n * c;
    double loss = evaluate(x);
    gram_status status = GRAM_OK;

    if (x->p->intercept)
        memset(x->along, 0, all * sizeof *x->along);
    for (int step = 0; x->p->intercept && step < SHIFTS; step++) {
        double s = 1, now, slope = 0;

        GI_TRY(gi_softmax_sum_curvature(x));
        slope_by_b(x, x->turn);
        for (size_t k = 0; k < c; k++)
            slope = fmax(slope, fabs(x->turn[k]));
        if (slope <= 1e-13 * x->weight)
            break;
        gi_softmax_divide_curvature(x, x->turn);
        for (size_t k = 0; k < c; k++)
            x->turn[k] = -x->turn[k];
        now = loss_at(x, s, NULL);
        for (int k = 0; !(now < loss) && k < HALVES; k++)
            now = loss_at(x, s /= 2, NULL);
        if (!(now < loss))
            break;
        for (size_t k = 0; k < c; k++)
            x->b[k] += s * x->turn[k];
        loss = evaluate(x);
    }
    x->value = loss + x->p->lambda * gi_softmax_dot(all, x->alpha, x->g);
done:
    return status;
}

/* G and K G; *size is the norm of the latter, that of P's derivatives. */
static gram_status find_residual(gi_softmax *x, double *size)
{
    const size_t c = x->classes, all = x->n * c;
    const gi_operator *K = x->p->K;
    gram_status status;

    for (size_t k = 0; k < all; k++) {
        double r = x->root[k / c];

        x->residual[k] = 2 * x->p->lambda * x->alpha[k] +
                         r * r * (x->q[k] * x->q[k] - x->p->y[k]);
    }
    GI_TRY(gi_operator_product(K, &x->run, 0, x->residual, c, x->product));
    *size = sqrt(gi_softmax_dot(all, x->product, x->product));
done:
    return status;
}

/* x of the head, so well that the quadratic model falls by nine tenths of
 * what it can at least: with a residual r of the system it misses at most
 * |r|^2/(8 lambda^2) of (G'K G - rhs'x)/(4 lambda). */
static gram_status solve_model(gi_softmax *x)
{
    enum { ROUNDS = 6 };
    const size_t all = x->n * x->classes;
    const double size = sqrt(gi_softmax_dot(all, x->rhs, x->rhs));
    gi_cg cg = {.multiply = multiply,
                .multiply_user = x,
                .precondition = x->low ? gi_softmax_precondition : NULL,
                .precondition_user = x,
                .tolerance = 1e-2,
                .steps = INNER};
    gi_cg_result result = {0};
    gram_status status = GRAM_OK;

    memset(x->x, 0, all * sizeof *x->x);
    for (int k = 0; k < ROUNDS && size > 0; k++) {
        double gain, need;

        GI_TRY(gi_cg_solve(&x->run, &cg, all, 1, x->rhs, x->x, &result));
        gain = gi_softmax_dot(all, x->residual, x->product) -
               gi_softmax_dot(all, x->rhs, x->x);
        need = 0.4 * sqrt(fmax(gain, 0) * x->p->lambda / 2) / size;
        if (result.residual <= need || !result.converged)
            break;
        cg.tolerance = fmax(fmin(cg.tolerance / 10, need / 2), 1e-12);
    }
done:
    return status;
}

/* The step to way, K times it to along, that of b to turn. */
static gram_status find_way(gi_softmax *x)
{
    const size_t c = x->classes, all = x->n * c;
    gram_status status;

    GI_TRY(gi_softmax_make_cores(x));
    gi_softmax_root_back(x, x->product, x->rhs);
    gi_softmax_project(x, x->rhs);
    GI_TRY(solve_model(x));
    gi_softmax_root(x, x->x, x->left);
    for (size_t k = 0; k < all; k++)
        x->way[k] = (x->left[k] - x->residual[k]) / (2 * x->p->lambda);
    GI_TRY(gi_operator_product(x->p->K, &x->run, 0, x->way, c, x->along));
    memset(x->turn, 0, c * sizeof *x->turn);
    if (!x->p->intercept)
        goto done;
    gi_softmax_root_back(x, x->along, x->left);
    gi_softmax_root(x, x->left, x->left);
    gi_softmax_add_rows(x, x->left, x->turn);
    gi_softmax_divide_curvature(x, x->turn);
    for (size_t k = 0; k < c; k++)
        x->turn[k] = -x->turn[k];
done:
    return status;
}

/* Go it, as far as Armijo's rule allows; 0 if that is nowhere. */
static int move(gi_softmax *x)
{
    const size_t c = x->classes, all = x->n * c;
    const double lambda = x->p->lambda;
    double first = 2 * lambda * gi_softmax_dot(all, x->alpha, x->along);
    double second = lambda * gi_softmax_dot(all, x->way, x->along), s = 2, now,
           slope;

    slope = gi_softmax_dot(all, x->residual, x->along);
    do {
        s /= 2;
        now = loss_at(x, s, NULL) +
              lambda * gi_softmax_dot(all, x->alpha, x->g) + s * first +
              s * s * second;
    } while (!(now <= x->value + 1e-4 * s * slope) && s > 1e-12);
    if (!(now < x->value))
        return 0;
    for (size_t k = 0; k < all; k++) {
        x->alpha[k] += s * x->way[k];
        x->g[k] += s * x->along[k];
    }
    for (size_t k = 0; k < c; k++)
        x->b[k] += s * x->turn[k];
    return 1;
}

/* ---------------------------------------------------------------------- end */

/* The point of the dual next to alpha: y - 2 lambda alpha/w in the simplex,
 * with an intercept 1'alpha = 0.  Those numbers to left. */
static gram_status to_dual(gi_softmax *x)
{
    const size_t c = x->classes, all = x->n * c;
    const double two = 2 * x->p->lambda;
    double *pi = x->left;
    gram_status status = GRAM_OK;

    for (size_t i = 0; i < x->n; i++) {
        double w = x->root[i] * x->root[i], sum = 0;

        for (size_t k = i * c; k < (i + 1) * c; k++) {
            pi[k] = fmax(x->p->y[k] - two * x->alpha[k] / w, 0);
            sum += pi[k];
        }
        for (size_t k = i * c; k < (i + 1) * c; k++)
            x->q[k] = sqrt(pi[k] /= sum);
    }
    if (x->p->intercept) {
        GI_TRY(gi_softmax_sum_curvature(x));
        slope_by_b(x, x->turn);
        gi_softmax_divide_curvature(x, x->turn);
    }
    for (size_t i = 0; x->p->intercept && i < x->n; i++) {
        double mean = gi_softmax_dot(c, pi + i * c, x->turn);

        for (size_t k = 0; k < c; k++)
            pi[i * c + k] *= fmax(1 - x->turn[k] + mean, 0);
    }
    for (size_t k = 0; k < all; k++) {
        double r = x->root[k / c];

        x->alpha[k] = r * r * (x->p->y[k] - pi[k]) / two;
    }
done:
    return status;
}

/* alpha of the dual, its objective, gap and gradient.  The gap is the sum of
 * w_i times the divergence (Kullback and Leibler) of pi(f_i) from the
 * probabilities that alpha stands for. */
static gram_status finish(gi_softmax *x, double scale)
{
    const size_t c = x->classes, all = x->n * c;
    const gi_operator *K = x->p->K;
    double *f = x->one, size;
    gram_status status;

    GI_TRY(to_dual(x));
    GI_TRY(gi_operator_product(K, &x->run, 0, x->alpha, c, x->g));
    memcpy(x->x, x->left, all * sizeof *x->x);
    GI_TRY(shift(x));
    x->out->gap = 0;
    for (size_t i = 0; i < x->n; i++) {
        double log_sum = row_at(x, i, 0, f);

        for (size_t k = 0; k < c; k++) {
            double pi = x->x[i * c + k], log_pi = f[k] - log_sum;

            if (pi > 0)
                x->out->gap +=
                    x->root[i] * x->root[i] * pi * (log(pi) - log_pi);
        }
    }
    GI_TRY(find_residual(x, &size));
    x->out->objective = x->value;
    x->out->gradient = scale > 0 ? size / scale : size;
    memcpy(x->out->alpha, x->alpha, all * sizeof *x->alpha);
    memcpy(x->out->intercept, x->b, c * sizeof *x->b);
done:
    return status;
}

static gram_status begin(gi_softmax *x)
{
    const size_t c = x->classes, all = x->n * c;
    double **const arrays[] = {&x->alpha,   &x->g,    &x->q,     &x->residual,
                               &x->product, &x->way,  &x->along, &x->rhs,
                               &x->x,       &x->left, &x->right};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    const size_t rank = rank_of(x->whole, x->p, x->n);
    gram_status status;

    GI_TRY(GI_NEW_ZERO(&x->run, x->all, ARRAYS * all));
    for (size_t k = 0; k < ARRAYS; k++)
        *arrays[k] = x->all + k * all;
    GI_TRY(GI_NEW_ZERO(&x->run, x->b, c));
    GI_TRY(GI_NEW_ZERO(&x->run, x->turn, c));
    GI_TRY(GI_NEW(&x->run, x->curvature, c * c));
    GI_TRY(GI_NEW(&x->run, x->root, x->n));
    GI_TRY(GI_NEW(&x->run, x->one, rank > c ? rank : c));
    GI_TRY(GI_NEW_ZERO(&x->run, x->core, c));
    GI_TRY(GI_NEW(&x->run, x->out->alpha, all));
    GI_TRY(GI_NEW(&x->run, x->out->intercept, c));
    for (size_t i = 0; i < x->n; i++) {
        double w = 1 / gi_system_noise(x->p, i);

        x->root[i] = sqrt(w);
        x->weight += w;
    }
    GI_TRY(gi_softmax_begin_low(x, rank));
done:
    return status;
}

static void end(gi_softmax *x)
{
    for (size_t k = 0; x->core && k < x->classes; k++)
        gi_chol_free(x->core[k]);
    gi_pivot_free(x->low);
    gi_free(x->all);
    gi_free(x->b);
    gi_free(x->turn);
    gi_free(x->curvature);
    gi_free(x->root);
    gi_free(x->scaled);
    gi_free(x->core);
    gi_free(x->small);
    gi_free(x->one);
}

/* alpha from p->start, less what all classes have in common. */
static gram_status warm(gi_softmax *x)
{
    const size_t c = x->classes;
    const gi_operator *K = x->p->K;

    for (size_t i = 0; i < x->n; i++) {
        double mean = 0;

        for (size_t k = i * c; k < (i + 1) * c; k++)
            mean += x->p->start[k] / (double)c;
        for (size_t k = i * c; k < (i + 1) * c; k++)
            x->alpha[k] = x->p->start[k] - mean;
    }
    return gi_operator_product(K, &x->run, 0, x->alpha, c, x->g);
}

static gram_status solve(gi_run *run, const gi_problem *p, gi_solution *out)
{
    const double aim = p->tolerance > 0 ? p->tolerance : AIM;
    const size_t limit = p->steps ? p->steps : STEPS;
    gi_softmax x = {.whole = run,
                    .run = gi_run_share(run, 0, 0.1),
                    .p = p,
                    .out = out,
                    .n = p->n,
                    .classes = p->targets};
    double scale = 0, size = 0;
    gram_status status;

    out->converged = 0;
    GI_TRY(begin(&x));
    (void)evaluate(&x); /* f = 0 is the measure of gradients */
    GI_TRY(find_residual(&x, &scale));
    if (p->start)
        GI_TRY(warm(&x));
    for (;;) {
        double done = pow(0.8, (double)out->steps);

        x.run = gi_run_share(run, 1 - 0.9 * done, 1 - 0.72 * done);
        GI_TRY(shift(&x));
        GI_TRY(find_residual(&x, &size));
        out->converged = size <= aim * scale;
        if (out->converged || out->steps == limit)
            break;
        GI_TRY(find_way(&x));
        if (!move(&x))
            break;
        out->steps++;
    }
    GI_TRY(finish(&x, scale));
    GI_TRY(gi_run_tick(run, 1));
done:
    end(&x);
    return status;
}

const gi_solver gi_solver_softmax = {
    .name = "softmax",
    .brief = "several classes at once: Newton with conjugate gradients",
    .flags = GI_SOLVER_EXACT,
    .cost = cost,
    .solve = solve,
};
