/* test_solver_smo.c - support vector machines: conditions of the optimum for
 * each kind, against interior points, symmetries, limits, little memory.
 */
#include "check.h"
#include "svms.h"

#include "solvers/svm/quadratic.h"

enum { N = 50 };

static const char *const rbf = "rbf(gamma=0.7)";

/* Objective and alpha of the interior point method, in weights and without, in
 * intercept and without. */
static void agrees(const char *loss)
{
    for (int k = 0; k < 4; k++) {
        svm_world w;
        gi_solution s;
        convex c;

        svm_begin(&w, loss, N, rbf);
        w.p.intercept = k & 1;
        w.p.noise = k & 2 ? w.noise : NULL;
        c = convex_solve(&w.p, w.K);
        s = svm_solve(&w);
        CHECK(s.converged);
        CHECK_NEAR(s.objective, c.primal, 1e-6);
        CHECK_NEAR(convex_primal(&w.p, w.K, s.alpha, s.intercept[0], NULL),
                   s.objective, 1e-9);
        CHECK_NEAR(s.objective - convex_dual(&w.p, w.K, s.alpha), s.gap, 1e-9);
        CHECK(s.gap >= -1e-9 && s.gap <= 1e-5);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(svm_value(&w, &s, i) + s.intercept[0], c.f[i], 1e-3);
        convex_free(&c);
        gi_solution_free(&s);
        svm_end(&w);
    }
}

TEST(hinge_agrees_with_interior_points)
{
    agrees("hinge");
}

TEST(the_tube_agrees_with_interior_points)
{
    agrees("epsilon_insensitive(epsilon=0.2)");
}

/* y_i a_i = 0: margin >= 1; = C: margin <= 1; between: 1.  1'a = 0. */
TEST(hinge_satisfies_the_conditions_of_the_optimum)
{
    const double tolerance = 1e-6;
    svm_world w;
    gi_solution s;
    double C, sum = 0;

    svm_begin(&w, "hinge", N, rbf);
    w.p.noise = w.noise;
    s = svm_solve(&w);
    for (size_t i = 0; i < N; i++) {
        double margin = w.y[i] * (svm_value(&w, &s, i) + s.intercept[0]);
        double a = w.y[i] * s.alpha[i];

        C = 1 / (2 * w.p.lambda * w.noise[i]);
        sum += s.alpha[i];
        CHECK(a >= 0 && a <= C);
        CHECK(a == C || margin >= 1 - tolerance);
        CHECK(a == 0 || margin <= 1 + tolerance);
    }
    CHECK_NEAR(sum, 0, 1e-12);
    gi_solution_free(&s);
    svm_end(&w);
}

/* Support vectors at least nu of the rows, margin errors at most; the same f
 * as without nu at the lambda that was found. */
TEST(nu_of_hinge_bounds_support_vectors_and_finds_lambda)
{
    svm_world w, v;
    gi_solution s, t;
    size_t support = 0, errors = 0;

    svm_begin(&w, "hinge(nu=0.4)", N, rbf);
    w.p.lambda = 0;
    s = svm_solve(&w);
    for (size_t i = 0; i < N; i++) {
        support += s.alpha[i] != 0;
        errors += w.y[i] * (svm_value(&w, &s, i) + s.intercept[0]) < 1 - 1e-4;
    }
    CHECK(s.converged);
    CHECK((double)support >= 0.4 * N && (double)errors <= 0.4 * N);
    CHECK(s.gap >= -1e-9 && s.gap <= 1e-4);
    svm_begin(&v, "hinge", N, rbf);
    v.p.lambda = s.lambda;
    t = svm_solve(&v);
    CHECK_NEAR(t.objective, s.objective, 1e-5);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(svm_value(&w, &s, i), svm_value(&v, &t, i), 1e-3);
    gi_solution_free(&s);
    gi_solution_free(&t);
    svm_end(&w);
    svm_end(&v);
}

TEST(nu_of_the_tube_finds_epsilon)
{
    svm_world w, v;
    gi_solution s, t;
    size_t support = 0, errors = 0;

    svm_begin(&w, "epsilon_insensitive(nu=0.3)", N, rbf);
    s = svm_solve(&w);
    for (size_t i = 0; i < N; i++) {
        double e = fabs(w.y[i] - svm_value(&w, &s, i) - s.intercept[0]);

        support += s.alpha[i] != 0;
        errors += e > s.epsilon + 1e-4;
    }
    CHECK(s.epsilon > 0 && s.converged);
    CHECK((double)support >= 0.3 * N && (double)errors <= 0.3 * N);
    CHECK(s.gap >= -1e-9 && s.gap <= 1e-4);
    svm_begin(&v, "epsilon_insensitive(epsilon=0)", N, rbf);
    v.loss->arg[0] = s.epsilon;
    t = svm_solve(&v);
    CHECK_NEAR(t.objective, s.objective, 1e-5);
    gi_solution_free(&s);
    gi_solution_free(&t);
    svm_end(&w);
    svm_end(&v);
}

/* 0 <= a <= 1, 1'a = nu n; f > rho: a = 0, f < rho: a = 1. */
TEST(one_class_satisfies_the_conditions_of_the_optimum)
{
    svm_world w;
    gi_solution s;
    double sum = 0;

    svm_begin(&w, "one_class(nu=0.25)", N, rbf);
    s = svm_solve(&w);
    for (size_t i = 0; i < N; i++) {
        double f = svm_value(&w, &s, i) + s.intercept[0];

        sum += s.alpha[i];
        CHECK(s.alpha[i] >= 0 && s.alpha[i] <= 1);
        CHECK(s.alpha[i] == 0 || f <= 1e-6);
        CHECK(s.alpha[i] == 1 || f >= -1e-6);
    }
    CHECK_NEAR(sum, 0.25 * N, 1e-12);
    CHECK_NEAR(s.lambda, 0.5, 0);
    CHECK(s.gap >= -1e-9 && s.gap <= 1e-5);
    gi_solution_free(&s);
    svm_end(&w);
}

TEST(two_rows_of_opposite_label_have_the_closed_form)
{
    static const double x[] = {0, 0, 1, 0}, y[] = {1, -1};
    svm_world w;

    svm_begin(&w, "hinge", 2, rbf);
    kernel_world_free(&w.k);
    kernel_world_new(&w.k, rbf, 2, 0, 2, x, NULL);
    w.p.K = w.k.K;
    w.p.y = y;
    for (int k = 0; k < 4; k++) {
        const double c = exp(-0.7), C = pow(10, k - 2);
        gi_solution s;

        w.p.lambda = 1 / (2 * C);
        s = svm_solve(&w);
        CHECK_NEAR(s.alpha[0], fmin(C, 1 / (1 - c)), 1e-6);
        CHECK_NEAR(s.alpha[1], -s.alpha[0], 1e-12);
        CHECK_NEAR(s.intercept[0], 0, 1e-6);
        gi_solution_free(&s);
    }
    svm_end(&w);
}

TEST(a_row_twice_is_a_row_of_weight_two)
{
    svm_world w;
    gi_solution once, twice;
    double *x = grams_doubles(2 * N + 2), *y = grams_doubles(N + 1), *f;

    svm_begin(&w, "hinge", N, rbf);
    for (size_t i = 0; i < N; i++)
        w.noise[i] = i == N - 1 ? 0.5 : 1;
    w.p.noise = w.noise;
    once = svm_solve(&w);
    f = grams_doubles(N);
    for (size_t i = 0; i < N; i++)
        f[i] = svm_value(&w, &once, i) + once.intercept[0];
    memcpy(x, w.x, 2 * N * sizeof *x);
    memcpy(x + 2 * N, x + 2 * N - 2, 2 * sizeof *x);
    memcpy(y, w.y, N * sizeof *y);
    y[N] = y[N - 1];
    kernel_world_free(&w.k);
    kernel_world_new(&w.k, rbf, N + 1, 0, 2, x, NULL);
    free(w.K);
    w.K = operator_matrix(w.k.K, &w.k.run);
    w.p.K = w.k.K;
    w.p.n = N + 1;
    w.p.y = y;
    w.p.noise = NULL;
    twice = svm_solve(&w);
    CHECK_NEAR(twice.objective, once.objective, 1e-6);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(svm_value(&w, &twice, i) + twice.intercept[0], f[i], 1e-3);
    free(x);
    free(y);
    free(f);
    gi_solution_free(&once);
    gi_solution_free(&twice);
    svm_end(&w);
}

TEST(other_labels_change_the_sign)
{
    svm_world w;
    gi_solution s, t;

    svm_begin(&w, "hinge", N, rbf);
    s = svm_solve(&w);
    for (size_t i = 0; i < N; i++)
        w.y[i] = -w.y[i];
    t = svm_solve(&w);
    CHECK_NEAR(t.objective, s.objective, 1e-6);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(svm_value(&w, &t, i), -svm_value(&w, &s, i), 1e-4);
    gi_solution_free(&s);
    gi_solution_free(&t);
    svm_end(&w);
}

/* C to 0: all of the smaller class at C.  C to infinity: no errors, and the
 * answer does not change any more. */
TEST(small_and_large_C_have_their_limits)
{
    svm_world w;
    gi_solution s, t;
    double few = 0, at = 0;

    svm_begin(&w, "hinge", N, "rbf(gamma=5)");
    w.p.lambda = 1e6;
    s = svm_solve(&w);
    for (size_t i = 0; i < N; i++) {
        few += w.y[i] > 0;
        at += fabs(s.alpha[i]) * 2 * w.p.lambda;
    }
    few = fmin(few, N - few);
    CHECK_NEAR(at, 2 * few, 1e-6);
    gi_solution_free(&s);
    w.p.lambda = 1e-9;
    w.p.tolerance = 1e-5;
    s = svm_solve(&w);
    w.p.lambda = 1e-11;
    t = svm_solve(&w);
    CHECK(s.converged && t.converged);
    for (size_t i = 0; i < N; i++) {
        CHECK(w.y[i] * (svm_value(&w, &s, i) + s.intercept[0]) > 1 - 1e-4);
        CHECK_NEAR(svm_value(&w, &t, i), svm_value(&w, &s, i), 1e-2);
    }
    gi_solution_free(&s);
    gi_solution_free(&t);
    svm_end(&w);
}

TEST(one_class_only_is_its_label)
{
    svm_world w;

    svm_begin(&w, "hinge", N, rbf);
    for (int k = 0; k < 4; k++) {
        gi_solution s;

        w.p.n = k & 1 ? 1 : N;
        kernel_world_free(&w.k);
        kernel_world_new(&w.k, rbf, w.p.n, 0, 2, w.x, NULL);
        w.p.K = w.k.K;
        for (size_t i = 0; i < N; i++)
            w.y[i] = k & 2 ? 1 : -1;
        s = svm_solve(&w);
        CHECK(s.converged);
        CHECK_NEAR(s.intercept[0], k & 2 ? 1 : -1, 0);
        CHECK_NEAR(s.objective, 0, 0);
        for (size_t i = 0; i < w.p.n; i++)
            CHECK_NEAR(s.alpha[i], 0, 0);
        gi_solution_free(&s);
    }
    svm_end(&w);
}

TEST(rows_that_are_all_equal_give_a_constant)
{
    svm_world w;
    gi_solution s;

    svm_begin(&w, "hinge", N, "constant(c=1)");
    s = svm_solve(&w);
    CHECK(s.converged);
    CHECK_NEAR(svm_value(&w, &s, 0), 0, 1e-9);
    CHECK(fabs(s.intercept[0]) <= 1 + 1e-9);
    gi_solution_free(&s);
    svm_end(&w);
}

/* K that is not positive semidefinite ends at bounds, and says so. */
TEST(the_sigmoid_kernel_ends)
{
    svm_world w;
    gi_solution s;

    svm_begin(&w, "hinge", N, "sigmoid(a=0.5,c=-1)");
    w.p.tolerance = 1e-3;
    s = svm_solve(&w);
    CHECK(s.converged);
    for (size_t i = 0; i < N; i++)
        CHECK(w.y[i] * s.alpha[i] >= 0 &&
              fabs(s.alpha[i]) <= 1 / (2 * w.p.lambda));
    gi_solution_free(&s);
    svm_end(&w);
}

TEST(a_warm_start_ends_where_a_cold_one_does_and_sooner)
{
    svm_world w;
    gi_solution s, t;

    svm_begin(&w, "hinge", N, rbf);
    s = svm_solve(&w);
    w.p.start = s.alpha;
    t = svm_solve(&w);
    CHECK(t.steps == 0);
    CHECK_NEAR(t.objective, s.objective, 1e-9);
    gi_solution_free(&t);
    w.p.lambda = 0.3; /* the start leaves the box, its sum is not 0 then */
    t = svm_solve(&w);
    w.p.start = NULL;
    gi_solution_free(&s);
    s = svm_solve(&w);
    CHECK_NEAR(t.objective, s.objective, 1e-6);
    gi_solution_free(&s);
    gi_solution_free(&t);
    svm_end(&w);
}

TEST(threads_change_no_bit)
{
    svm_world w;
    gi_solution one, more;

    svm_begin(&w, "epsilon_insensitive(epsilon=0.1)", 300, rbf);
    w.p.tolerance = 1e-4;
    w.k.run.threads = 1;
    one = svm_solve(&w);
    for (int threads = 2; threads <= 3; threads++) {
        w.k.run.threads = threads;
        more = svm_solve(&w);
        CHECK(memcmp(one.alpha, more.alpha, 300 * sizeof *one.alpha) == 0);
        CHECK(one.intercept[0] == more.intercept[0]);
        gi_solution_free(&more);
    }
    gi_solution_free(&one);
    svm_end(&w);
}

/* A smooth kernel and a wide box, where steps of two variables would be very
 * many: one of all free variables ends them, on any number of threads. */
static void ends_soon(const char *loss, int intercept, size_t steps)
{
    svm_world w;
    gi_solution one, more;
    const size_t n = 200;

    svm_begin(&w, loss, n, "rbf(gamma=5)");
    w.p.lambda = 1e-3;
    w.p.intercept = intercept;
    w.p.tolerance = 1e-4;
    w.k.run.threads = 1;
    one = svm_solve(&w);
    CHECK(one.converged && one.steps < steps);
    CHECK(one.gap >= -1e-9 && one.gap <= 1e-3);
    w.k.run.threads = 3;
    more = svm_solve(&w);
    CHECK(memcmp(one.alpha, more.alpha, n * sizeof *one.alpha) == 0);
    gi_solution_free(&one);
    gi_solution_free(&more);
    svm_end(&w);
}

TEST(a_wide_box_does_not_take_long)
{
    ends_soon("hinge", 1, 4000);
    ends_soon("hinge", 0, 4000);
    ends_soon("epsilon_insensitive(epsilon=0.1)", 1, 40000);
}

TEST(a_cache_of_few_rows_gives_the_same_answer)
{
    svm_world w;
    gi_smo_cache *cache = NULL;
    gi_solution s, t = {0};

    svm_begin(&w, "hinge", 200, rbf);
    w.p.tolerance = 1e-4;
    s = svm_solve(&w);
    CHECK_OK(gi_smo_cache_new(&w.k.run, w.p.K, 0, &cache));
    CHECK(gi_smo_cache_most(cache) == GI_SMO_ROWS_LEAST);
    CHECK_OK(gi_svm_solve(&w.k.run, cache, &w.p, &t, NULL));
    CHECK(gi_smo_cache_computed(cache) > GI_SMO_ROWS_LEAST);
    CHECK(t.converged);
    CHECK_NEAR(t.objective, s.objective, 1e-5);
    gi_smo_cache_free(cache);
    gi_solution_free(&s);
    gi_solution_free(&t);
    svm_end(&w);
}

TEST(what_cannot_be_solved_is_refused)
{
    const gi_solver *smo;
    svm_world w;
    gi_solution s;

    svm_begin(&w, "hinge(nu=0.9)", N, rbf);
    for (size_t i = 0; i < N; i++)
        w.y[i] = i < 5 ? 1 : -1;
    CHECK_OK(gi_solver_find("smo", &smo));
    CHECK_FAILS(gi_solver_solve(&w.k.run, smo, &w.p, &s), GRAM_ERR_RANGE,
                "hinge: nu = 0.9, must be at most 0.2 with these classes");
    w.p.intercept = 0;
    CHECK_FAILS(gi_solver_solve(&w.k.run, smo, &w.p, &s), GRAM_ERR_RANGE,
                "solver smo: nu needs an intercept");
    svm_end(&w);
    svm_begin(&w, "hinge", N, rbf);
    w.p.lambda = 0;
    CHECK_FAILS(gi_solver_solve(&w.k.run, smo, &w.p, &s), GRAM_ERR_RANGE,
                "solver smo: lambda must be positive");
    w.p.loss = NULL;
    CHECK_FAILS(
        gi_solver_solve(&w.k.run, smo, &w.p, &s), GRAM_ERR_RANGE,
        "solver smo: only for the losses hinge, epsilon_insensitive and "
        "one_class");
    svm_end(&w);
}

TESTS(SMALL(hinge_agrees_with_interior_points),
      SMALL(the_tube_agrees_with_interior_points),
      SMALL(hinge_satisfies_the_conditions_of_the_optimum),
      SMALL(nu_of_hinge_bounds_support_vectors_and_finds_lambda),
      SMALL(nu_of_the_tube_finds_epsilon),
      SMALL(one_class_satisfies_the_conditions_of_the_optimum),
      SMALL(two_rows_of_opposite_label_have_the_closed_form),
      SMALL(a_row_twice_is_a_row_of_weight_two),
      SMALL(other_labels_change_the_sign),
      SMALL(small_and_large_C_have_their_limits),
      SMALL(one_class_only_is_its_label),
      SMALL(rows_that_are_all_equal_give_a_constant),
      SMALL(the_sigmoid_kernel_ends),
      SMALL(a_warm_start_ends_where_a_cold_one_does_and_sooner),
      SMALL(threads_change_no_bit), NORMAL(a_wide_box_does_not_take_long),
      SMALL(a_cache_of_few_rows_gives_the_same_answer),
      SMALL(what_cannot_be_solved_is_refused))
