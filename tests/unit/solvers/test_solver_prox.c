/* test_solver_prox.c - losses with a kink: agreement with an interior point
 * (convex.h), the conditions of Karush, Kuhn and Tucker, quantiles.
 */
#include "convex.h"
#include "operators.h"

#include "losses/loss.h"

static const gram_exec one = {.threads = 1}, two = {.threads = 2};

static const char *const losses[] = {"absolute",
                                     "quantile(tau=0.1)",
                                     "quantile(tau=0.5)",
                                     "quantile(tau=0.85)",
                                     "epsilon_insensitive(epsilon=0.2)",
                                     "hinge"};
enum { LOSSES = sizeof losses / sizeof *losses, D = 2 };

typedef struct world {
    kernel_world k;
    double *x, *y, *noise, *K;
    gi_loss *loss;
    gi_problem p;
} world;

static void begin(world *w, size_t n, const char *loss, const char *kernel,
                  double lambda, const gram_exec *exec)
{
    double *e = grams_random(n, 0, 3);
    size_t count = 0;

    w->x = grams_random(n * D, 0, n);
    w->y = ridges_targets(n, D, w->x, 1, 1);
    w->noise = grams_random(n, 1, 4);
    kernel_world_new(&w->k, kernel, n, 0, D, w->x, exec);
    CHECK_OK(gi_losses_new(&w->k.run, loss, &w->loss, &count));
    for (size_t i = 0; i < n; i++) {
        w->y[i] += 0.4 * e[i];
        if (w->loss->class_->flags & GRAM_LOSS_CLASSES)
            w->y[i] = w->y[i] > 1 ? 1 : -1;
        w->noise[i] = 0.5 + w->noise[i];
    }
    free(e);
    w->K = operator_matrix(w->k.K, &w->k.run);
    w->p = (gi_problem){.K = w->k.K,
                        .n = n,
                        .targets = 1,
                        .y = w->y,
                        .intercept = 1,
                        .lambda = lambda,
                        .loss = w->loss};
}

static void end(world *w)
{
    gi_free(w->loss);
    kernel_world_free(&w->k);
    free(w->x);
    free(w->y);
    free(w->noise);
    free(w->K);
}

static gi_solution solve(world *w)
{
    gi_solution s;

    CHECK_OK(gi_solver_solve(&w->k.run, ridges_solver("prox"), &w->p, &s));
    return s;
}

/* What a row must satisfy: alpha in its interval, at the end of it that the
 * side of the kink asks for. */
static void check_row(const world *w, size_t i, double alpha, double f)
{
    const gi_loss *l = w->p.loss;
    double box = convex_weight(&w->p, i) / (2 * w->p.lambda), low, high;
    double near = 1e-5, y = w->y[i];
    double left = gi_loss_slope(l, y, f - near);
    double right = gi_loss_slope(l, y, f + near);

    convex_interval(l, y, &low, &high);
    CHECK(alpha >= box * (low - 1e-9) && alpha <= box * (high + 1e-9));
    CHECK(-alpha / box >= left - 1e-5 && -alpha / box <= right + 1e-5);
}

/* The values are those of K alpha + b, the gap is true and small, each row
 * satisfies its condition. */
static void check_solution(const world *w, const gi_solution *s)
{
    const gi_problem *p = &w->p;
    double *f = grams_doubles(p->n), sum = 0, most = 0, far = 0, primal;

    primal = convex_primal(p, w->K, s->alpha, s->intercept[0], f);
    CHECK(s->converged && s->gap >= -1e-12 * primal && s->gap <= 1e-6 * primal);
    CHECK_NEAR(s->objective, primal, 1e-12);
    for (size_t i = 0; i < p->n; i++) {
        far = fmax(far, fabs(p->y[i]));
        check_row(w, i, s->alpha[i], f[i]);
        sum += s->alpha[i];
        most += fabs(s->alpha[i]);
    }
    CHECK_NEAR(primal - convex_dual(p, w->K, s->alpha), s->gap,
               1e-10 + 1e-14 * far);
    CHECK(p->intercept ? fabs(sum) <= 1e-12 * most : s->intercept[0] == 0);
    free(f);
}

static void agree(const char *loss, const char *kernel, size_t n, double lambda,
                  int intercept, int weights)
{
    world w;
    gi_solution s;
    convex c;

    begin(&w, n, loss, kernel, lambda, &one);
    w.p.intercept = intercept;
    w.p.noise = weights ? w.noise : NULL;
    s = solve(&w);
    c = convex_solve(&w.p, w.K);
    if (!(fabs(s.objective - c.primal) <= 1e-6 * c.primal))
        fail_msg("%s, lambda %g: %.12g, not %.12g", loss, lambda, s.objective,
                 c.primal);
    CHECK(s.gap >= s.objective - c.primal - 1e-9 * c.primal);
    check_solution(&w, &s);
    gi_solution_free(&s);
    convex_free(&c);
    end(&w);
}

TEST(an_interior_point_says_the_same)
{
    static const double lambdas[] = {1e-3, 0.1, 100};

    for (size_t l = 0; l < LOSSES; l++)
        for (size_t k = 0; k < 3; k++)
            agree(losses[l], "rbf(gamma=0.7)", 18 + l, lambdas[k],
                  (k + l) % 2 == 0, (k + l) % 3 == 0);
}

TEST(an_interior_point_says_the_same_of_more_rows)
{
    static const char *const kernels[] = {"rbf(gamma=2)", "linear",
                                          "exponential(gamma=1)"};
    static const double lambdas[] = {1e-3, 1e-2, 0.1, 1, 10, 100};

    for (size_t l = 0; l < LOSSES; l++)
        for (size_t k = 0; k < 6; k++)
            for (int kind = 0; kind < 4; kind++)
                agree(losses[l], kernels[(k + l) % 3], l == 4 ? 40 : 60,
                      lambdas[k], kind & 1, kind & 2);
}

TEST(a_huge_lambda_leaves_the_quantile_of_y)
{
    enum { N = 41 };
    static const double taus[] = {0.1, 0.5, 0.9};

    for (size_t k = 0; k < 3; k++) {
        char text[64];
        double below = 0, up_to = 0;
        world w;
        gi_solution s;

        snprintf(text, sizeof text, "quantile(tau=%g)", taus[k]);
        begin(&w, N, text, "rbf(gamma=1)", 1e9, &one);
        s = solve(&w);
        for (size_t i = 0; i < N; i++) {
            below += w.y[i] < s.intercept[0] - 1e-6;
            up_to += w.y[i] < s.intercept[0] + 1e-6;
        }
        CHECK(below <= taus[k] * N && up_to >= taus[k] * N);
        gi_solution_free(&s);
        end(&w);
    }
}

/* 1'alpha = 0: of the rows that are not at the kink, tau of all are below, but
 * for as many as are at it. */
TEST(tau_of_the_rows_are_below)
{
    enum { N = 200 };
    static const char *const texts[] = {"quantile(tau=0.2)",
                                        "quantile(tau=0.7)"};

    for (size_t k = 0; k < 2; k++) {
        double *f = grams_doubles(N), below = 0, at = 0;
        world w;
        gi_solution s;

        begin(&w, N, texts[k], "rbf(gamma=0.5)", 0.2, &one);
        s = solve(&w);
        (void)convex_primal(&w.p, w.K, s.alpha, s.intercept[0], f);
        for (size_t i = 0; i < N; i++) {
            below += w.y[i] < f[i] - 1e-6;
            at += fabs(w.y[i] - f[i]) <= 1e-6;
        }
        CHECK(at > 0 && at < N / 2);
        CHECK(fabs(below / N - w.loss->arg[0]) <= at / N);
        gi_solution_free(&s);
        free(f);
        end(&w);
    }
}

TEST(a_row_twice_is_a_row_of_weight_2)
{
    enum { M = 15 };
    double twice[4 * M * M], y[2 * M], noise[M];
    dense_operator a;
    world w;
    gi_solution s, t;

    begin(&w, M, "quantile(tau=0.3)", "rbf(gamma=0.5)", 0.2, &one);
    for (size_t i = 0; i < 2 * M; i++) {
        for (size_t j = 0; j < 2 * M; j++)
            twice[i * 2 * M + j] = w.K[i % M * M + j % M];
        y[i] = w.y[i % M];
        noise[i % M] = 0.5;
    }
    w.p.noise = noise;
    s = solve(&w);
    dense_operator_init(&a, 2 * M, 2 * M, twice, NULL);
    w.p = (gi_problem){.K = &a.op,
                       .n = 2 * M,
                       .targets = 1,
                       .y = y,
                       .intercept = 1,
                       .lambda = 0.2,
                       .loss = w.loss};
    t = solve(&w);
    CHECK_NEAR(s.objective, t.objective, 1e-8);
    for (size_t i = 0; i < M; i++)
        CHECK_NEAR(s.alpha[i], t.alpha[i] + t.alpha[M + i], 1e-5);
    gi_solution_free(&s);
    gi_solution_free(&t);
    end(&w);
}

/* From the solution of the same problem no step is needed, from that of a
 * neighbour fewer. */
TEST(a_warm_start_takes_fewer_steps)
{
    world w;
    gi_solution s, t, u;

    begin(&w, 120, "absolute", "rbf(gamma=0.5)", 0.1, &one);
    s = solve(&w);
    w.p.start = s.alpha;
    t = solve(&w);
    CHECK(t.converged && t.steps == 0 && t.objective <= s.objective);
    w.p.lambda = 0.11;
    u = solve(&w);
    check_solution(&w, &u);
    CHECK(u.steps < s.steps);
    gi_solution_free(&s);
    gi_solution_free(&t);
    gi_solution_free(&u);
    end(&w);
}

/* y that lie far away, and that are all alike. */
TEST(odd_targets_are_fitted)
{
    world w;
    gi_solution s;

    begin(&w, 20, "quantile(tau=0.3)", "rbf(gamma=0.5)", 0.1, &one);
    for (size_t i = 0; i < 20; i++)
        w.y[i] += 1e6;
    s = solve(&w);
    check_solution(&w, &s);
    gi_solution_free(&s);
    for (size_t i = 0; i < 20; i++)
        w.y[i] = 7;
    s = solve(&w);
    CHECK(s.converged && s.intercept[0] == 7 && s.objective == 0);
    gi_solution_free(&s);
    end(&w);
}

TEST(bits_do_not_depend_on_threads)
{
    enum { N = 400 };
    world w, v;
    gi_solution s, t;

    begin(&w, N, "quantile(tau=0.2)", "rbf(gamma=1)", 0.05, &one);
    begin(&v, N, "quantile(tau=0.2)", "rbf(gamma=1)", 0.05, &two);
    s = solve(&w);
    t = solve(&v);
    CHECK(memcmp(s.alpha, t.alpha, N * sizeof *s.alpha) == 0);
    CHECK(s.intercept[0] == t.intercept[0] && s.gap == t.gap);
    gi_solution_free(&s);
    gi_solution_free(&t);
    end(&w);
    end(&v);
}

TEST(too_few_steps_are_no_error_but_reported)
{
    world w;
    gi_solution s;

    begin(&w, 60, "absolute", "rbf(gamma=2)", 1e-3, &one);
    w.p.steps = 2;
    s = solve(&w);
    CHECK(!s.converged && s.steps == 2 && s.gap > 1e-6 * s.objective);
    gi_solution_free(&s);
    end(&w);
}

TEST(other_problems_are_refused)
{
    static const struct {
        const char *loss, *sentence;
        double lambda;
    } cases[] = {
        {"absolute", "solver prox: lambda is 0", 0},
        {"softmax", "solver prox: only for losses that have a proximal map", 1},
        {"one_class", "solver prox: only for losses that have a proximal map",
         1},
        {"hinge(nu=0.2)", "solver prox: nu is not for it", 1},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        world w;
        gi_solution s;

        begin(&w, 5, cases[k].loss, "linear", cases[k].lambda, &one);
        CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("prox"), &w.p, &s),
                    GRAM_ERR_RANGE, cases[k].sentence);
        end(&w);
    }
}

TESTS(SMALL(an_interior_point_says_the_same),
      NORMAL(an_interior_point_says_the_same_of_more_rows),
      SMALL(a_huge_lambda_leaves_the_quantile_of_y),
      SMALL(tau_of_the_rows_are_below), SMALL(a_row_twice_is_a_row_of_weight_2),
      SMALL(a_warm_start_takes_fewer_steps), SMALL(odd_targets_are_fitted),
      NORMAL(bits_do_not_depend_on_threads),
      SMALL(too_few_steps_are_no_error_but_reported),
      SMALL(other_problems_are_refused))
