/* test_solver_gd.c - what is particular to gradient descent: the iteration
 * itself, its step, a singular K without lambda, early stopping, the trace.
 */
#include "operators.h"
#include "ridges.h"
#include "smooth_losses.h"

static const gram_exec one = {.threads = 1};

enum { N = 30, D = 2 };

typedef struct world {
    double *x, *y, *noise, K[N * N];
    dense_operator k;
    gi_problem p;
} world;

/* A Gaussian kernel, or the inner product. */
static void begin(world *w, int gauss, double lambda)
{
    w->x = grams_random(N * D, 0, 1);
    w->y = ridges_targets(N, D, w->x, 1, 2);
    w->noise = grams_random(N, 1, 2);
    for (size_t i = 0; i < N; i++)
        w->noise[i] += 0.5;
    for (size_t i = 0; i < N * N; i++) {
        const double *a = w->x + i / N * D, *b = w->x + i % N * D;
        double dot = a[0] * b[0] + a[1] * b[1];
        double distance = pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2);

        w->K[i] = gauss ? exp(-distance) : dot;
    }
    dense_operator_init(&w->k, N, N, w->K, NULL);
    w->p = (gi_problem){
        .K = &w->k.op, .n = N, .targets = 1, .y = w->y, .lambda = lambda};
}

static void end(world *w)
{
    free(w->x);
    free(w->y);
    free(w->noise);
}

static gi_solution solve(const world *w)
{
    GI_RUN(run, &one);
    gi_solution s;

    CHECK_OK(gi_solver_solve(&run, ridges_solver("gd"), &w->p, &s));
    return s;
}

/* alpha <- alpha - 2 s (K alpha + lambda alpha - y), by hand. */
TEST(the_iteration_is_the_one_that_is_promised)
{
    enum { STEPS = 3 };
    double alpha[N] = {0}, step = 0.01;
    world w;
    gi_solution s;

    begin(&w, 1, 0.3);
    w.p.step = step;
    w.p.steps = STEPS;
    for (int k = 0; k < STEPS; k++) {
        double g[N];

        for (size_t i = 0; i < N; i++) {
            g[i] = w.p.lambda * alpha[i] - w.y[i];
            for (size_t j = 0; j < N; j++)
                g[i] += w.K[i * N + j] * alpha[j];
        }
        for (size_t i = 0; i < N; i++)
            alpha[i] -= 2 * step * g[i];
    }
    s = solve(&w);
    CHECK(!s.converged && s.steps == STEPS);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(s.alpha[i], alpha[i], 1e-14);
    gi_solution_free(&s);
    end(&w);
}

/* After one step from 0 alpha = 2 s W (y - b). */
TEST(the_step_is_half_the_inverse_of_the_largest_eigenvalue)
{
    for (int weights = 0; weights < 2; weights++) {
        double A[N * N], low, high;
        world w;
        gi_solution s;

        begin(&w, 1, 0.3);
        w.p.noise = weights ? w.noise : NULL;
        w.p.steps = 1;
        for (size_t i = 0; i < N * N; i++)
            A[i] =
                w.K[i] / (weights ? sqrt(w.noise[i / N] * w.noise[i % N]) : 1);
        grams_extremes(A, N, &low, &high);
        s = solve(&w);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(s.alpha[i],
                       w.y[i] / (weights ? w.noise[i] : 1) / (high + 0.3),
                       1e-5);
        gi_solution_free(&s);
        end(&w);
    }
}

/* f minimises |y - f| in the range of K, whatever alpha does. */
TEST(f_converges_without_lambda_though_k_is_singular)
{
    double f[N], alpha[N], b, best[N];
    world w;
    gi_solution s, limit = {.alpha = alpha, .intercept = &b};
    gi_problem p;

    begin(&w, 0, 0);
    w.p.steps = 300;
    s = solve(&w);
    CHECK(!s.converged && s.residual > 1e-3); /* y is not in the range */
    p = w.p;
    p.lambda = 1e-8;
    ridges_solve(&p, w.K, alpha, &b);
    ridges_values(&w.p, &s, w.K, N, f);
    ridges_values(&w.p, &limit, w.K, N, best);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(f[i], best[i], 1e-6);
    gi_solution_free(&s);
    end(&w);
}

/* What trace was told. */
typedef struct story {
    size_t steps, stop;
    double loss, held, least;
    int held_out;
} story;

static gram_status listen(void *user, size_t step, double loss, double held)
{
    story *s = user;

    CHECK(step == ++s->steps);
    CHECK(isnan(held) == !s->held_out);
    if (!s->held_out && step > 1)
        CHECK(loss <= s->loss * (1 + 1e-12));
    s->loss = loss;
    s->held = held;
    s->least = step == 1 ? held : fmin(s->least, held);
    return step == s->stop ? GRAM_ERR_CANCELLED : GRAM_OK;
}

TEST(the_loss_falls_to_the_objective_and_is_traced)
{
    GI_RUN(run, &one);
    double loss = 0, f[N];
    story all = {0}, part = {.stop = 4};
    world w;
    gi_solution s;

    begin(&w, 1, 0.3);
    w.p.intercept = 1;
    w.p.noise = w.noise;
    w.p.trace = listen;
    w.p.trace_user = &all;
    s = solve(&w);
    CHECK(s.converged && all.steps == s.steps);
    ridges_values(&w.p, &s, w.K, N, f);
    for (size_t i = 0; i < N; i++)
        loss += pow(w.y[i] - f[i], 2) / w.noise[i] +
                w.p.lambda * s.alpha[i] * (f[i] - s.intercept[0]);
    CHECK_NEAR(all.loss, loss, 1e-12);
    gi_solution_free(&s);
    w.p.trace_user = &part;
    CHECK(gi_solver_solve(&run, ridges_solver("gd"), &w.p, &s) ==
          GRAM_ERR_CANCELLED);
    CHECK(part.steps == 4);
    end(&w);
}

/* Targets that are noise for the most part: a good fit of the others is a bad
 * prediction. */
TEST(held_out_rows_stop_it_early)
{
    unsigned char held[N];
    double f[N], error = 0, count = 0, total = 0, *noise;
    story all = {.held_out = 1};
    world w;
    gi_solution s;

    begin(&w, 1, 0);
    noise = grams_random(N, 0, 11);
    for (size_t i = 0; i < N; i++) {
        held[i] = i % 3 == 0;
        w.y[i] += noise[i];
    }
    w.p.intercept = 1;
    w.p.held = held;
    w.p.trace = listen;
    w.p.trace_user = &all;
    s = solve(&w);
    CHECK(s.converged && s.steps < 1000 && s.residual > 1e-3);
    ridges_values(&w.p, &s, w.K, N, f);
    for (size_t i = 0; i < N; i++) {
        if (held[i]) {
            CHECK(s.alpha[i] == 0);
            error += pow(w.y[i] - f[i], 2);
            count++;
        }
        total += s.alpha[i];
    }
    CHECK_NEAR(total, 0, 1e-12);
    CHECK_NEAR(error / count, all.least, 1e-12); /* the best, not the last */
    CHECK(all.held > all.least);
    gi_solution_free(&s);
    memset(held, 0, sizeof held); /* none: as if there were no such array */
    all = (story){0};
    w.p.steps = 5;
    s = solve(&w);
    CHECK(s.steps == 5 && s.alpha[0] != 0);
    gi_solution_free(&s);
    free(noise);
    end(&w);
}

TEST(a_step_that_is_too_long_is_an_error)
{
    GI_RUN(run, &one);
    world w;
    gi_solution s;

    begin(&w, 1, 0.1);
    w.p.step = 1e6;
    CHECK(gi_solver_solve(&run, ridges_solver("gd"), &w.p, &s) ==
          GRAM_ERR_NUMERIC);
    CHECK(strstr(gram_error_message(),
                 "solver gd: step size 1e+06 is too large, f is not finite"));
    end(&w);
}

TEST(rows_that_are_all_held_out_are_an_error)
{
    GI_RUN(run, &one);
    unsigned char held[N];
    world w;
    gi_solution s;

    begin(&w, 1, 0.1);
    memset(held, 1, sizeof held);
    w.p.held = held;
    CHECK_FAILS(gi_solver_solve(&run, ridges_solver("gd"), &w.p, &s),
                GRAM_ERR_RANGE, "solver gd: all rows are held out");
    end(&w);
}

TEST(every_smooth_loss_descends_to_what_newton_finds)
{
    for (size_t k = 0; k < SMOOTH_LOSSES; k++) {
        smooth w;
        gi_solution a, b;

        smooth_begin(&w, smooth_losses[k], N, 1, 1);
        w.p.lambda = 1;
        w.p.tolerance = 1e-9;
        a = smooth_solve(&w, "newton");
        b = smooth_solve(&w, "gd");
        CHECK(b.converged);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(b.alpha[i], a.alpha[i], 1e-6);
        CHECK_NEAR(b.intercept[0], a.intercept[0], 1e-6);
        if (!loss_is(&w.loss, "squared"))
            CHECK_NEAR(b.objective, a.objective, 1e-9);
        gi_solution_free(&a);
        gi_solution_free(&b);
        smooth_end(&w);
    }
}

TEST(held_out_rows_stop_other_losses_too)
{
    unsigned char held[N] = {0};
    smooth w;
    gi_solution s;

    smooth_begin(&w, "logistic", N, 1, 0);
    for (size_t i = 0; i < N; i += 3) {
        held[i] = 1;
        w.y[i] = -w.y[i]; /* the better the fit, the worse for these */
    }
    w.p.held = held;
    s = smooth_solve(&w, "gd");
    CHECK(s.converged && s.residual > 1e-3 && isnan(s.gap));
    for (size_t i = 0; i < N; i += 3)
        CHECK(s.alpha[i] == 0);
    gi_solution_free(&s);
    smooth_end(&w);
}

TESTS(SMALL(the_iteration_is_the_one_that_is_promised),
      SMALL(the_step_is_half_the_inverse_of_the_largest_eigenvalue),
      SMALL(f_converges_without_lambda_though_k_is_singular),
      SMALL(the_loss_falls_to_the_objective_and_is_traced),
      SMALL(held_out_rows_stop_it_early),
      SMALL(a_step_that_is_too_long_is_an_error),
      SMALL(rows_that_are_all_held_out_are_an_error),
      SMALL(every_smooth_loss_descends_to_what_newton_finds),
      SMALL(held_out_rows_stop_other_losses_too))
