/* test_laplace.c - evidence of the logistic loss: its value by brute force, its
 * gradient by differences, the search for its optimum, variances, averaged
 * probabilities.
 */
#include "check.h"
#include "problems.h"

#include "solvers/path/criterion.h"
#include "solvers/smooth/laplace.h"

static gi_loss logistic;

static problem begin(const char *kernel, size_t n, int intercept, int weights)
{
    problem w = problem_new(kernel, n, 1);

    logistic = (gi_loss){.class_ = gi_loss_find("logistic")};
    for (size_t i = 0; i < n; i++)
        w.y[i] = (w.y[i] > 5.3) == (i % 6 > 0) ? 1 : -1; /* some are wrong */
    w.p.loss = &logistic;
    w.p.intercept = intercept;
    w.p.noise = weights ? w.noise : NULL;
    return w;
}

static double value_of(problem *w)
{
    double value;

    problem_set(w);
    CHECK_OK(gi_laplace_value(&w->run, &w->p, &value, NULL, NULL));
    return value;
}

/* C + W^-1 at the mode of the problem, factored; its log det. */
static double *dense_system(problem *w, const gi_solution *s, double *logdet,
                            double *half)
{
    const size_t n = w->p.n;
    double *K = problem_matrix(w);

    *half = 0; /* log det W */
    for (size_t i = 0; i < n; i++) {
        double f = s->intercept[0], weight = w->p.noise ? 1 / w->p.noise[i] : 1;

        for (size_t j = 0; j < n; j++)
            f += K[i * n + j] * s->alpha[j];
        weight *= gi_loss_curvature(&logistic, w->y[i], f);
        w->noise[i] = weight; /* W from here on */
        *half += log(weight);
    }
    for (size_t i = 0; i < n * n; i++)
        K[i] = K[i] / (2 * w->p.lambda) +
               (i / n == i % n ? 1 / w->noise[i / n] : 0);
    *logdet = dense_factor(K, n);
    return K;
}

static gi_solution fit(problem *w)
{
    const gi_solver *newton = NULL;
    gi_solution s;

    CHECK_OK(gi_solver_find("newton", &newton));
    CHECK_OK(gi_solver_solve(&w->run, newton, &w->p, &s));
    return s;
}

/* log det B = log det(C + W^-1) + log det W. */
TEST(the_value_is_that_of_the_formula)
{
    for (int k = 0; k < 4; k++) {
        problem w = begin("rbf(gamma=0.5)[x1,x2]", 40, k & 1, k & 2);
        double value = value_of(&w), logdet, half, q = 0, *L, *one;
        gi_solution s;

        w.p.tolerance = 1e-10;
        s = fit(&w);
        L = dense_system(&w, &s, &logdet, &half);
        one = grams_doubles(w.p.n);
        for (size_t i = 0; i < w.p.n; i++)
            one[i] = 1;
        dense_solve(L, w.p.n, one);
        for (size_t i = 0; i < w.p.n; i++)
            q += one[i];
        CHECK_NEAR(value,
                   -s.objective - (logdet + half) / 2 -
                       (w.p.intercept ? log(q / (2 * M_PI)) / 2 : 0),
                   1e-9);
        free(one);
        free(L);
        gi_solution_free(&s);
        problem_free(&w);
    }
}

TEST(gradients_are_those_of_differences)
{
    static const char *const kernels[] = {
        "rbf(gamma=?)[x1,x2] + ?*linear[x3]",
        "matern(length=?,nu=2.5,ard)[x1,x2]",
        "rbf(gamma=?)[x1] * rq(length=?,alpha=?)[x2]",
    };

    for (int k = 0; k < 12; k++) {
        problem w = begin(kernels[k / 4], 30, k & 1, k & 2);
        const size_t thetas = w.program->thetas;
        double *grad = grams_doubles(thetas), value, dlog_lambda;
        const double h = 1e-4, lambda = w.p.lambda;

        CHECK_OK(gi_laplace_value(&w.run, &w.p, &value, &dlog_lambda, grad));
        CHECK_NEAR(value, value_of(&w), 1e-12);
        for (size_t m = 0; m < thetas; m++) {
            double at = w.theta[m], up, down;

            w.theta[m] = at + h;
            up = value_of(&w);
            w.theta[m] = at - h;
            down = value_of(&w);
            w.theta[m] = at;
            if (isnan(w.program->theta[m]))
                CHECK_NEAR(grad[m], (up - down) / (2 * h), 1e-6);
        }
        w.p.lambda = lambda * exp(h);
        value = value_of(&w);
        w.p.lambda = lambda * exp(-h);
        CHECK_NEAR(dlog_lambda, (value - value_of(&w)) / (2 * h), 1e-6);
        free(grad);
        problem_free(&w);
    }
}

TEST(the_search_ends_where_the_gradient_does)
{
    problem w = begin("rbf(gamma=?)[x1,x2]", 80, 1, 0);
    gi_search s = {.program = w.program,
                   .K = w.K,
                   .problem = w.p,
                   .criterion = GI_WANT_EVIDENCE,
                   .hold = -1,
                   .lambda = NAN};
    gi_found found;
    double before = value_of(&w), value, dlog_lambda, *grad;

    CHECK_OK(gi_unknowns_new(&w.run, w.program, w.x, &s.unknown, &s.unknowns));
    CHECK_OK(gi_search_run(&w.run, &s, w.theta, &found));
    CHECK(found.value > before && found.converged);
    w.p.lambda = found.lambda;
    problem_set(&w);
    grad = grams_doubles(w.program->thetas);
    CHECK_OK(gi_laplace_value(&w.run, &w.p, &value, &dlog_lambda, grad));
    CHECK_NEAR(value, found.value, 1e-9);
    CHECK_NEAR(dlog_lambda, 0, 0.02);
    CHECK_NEAR(grad[0] * w.theta[0], 0, 0.02);
    s.criterion = GI_WANT_LOO;
    CHECK_FAILS(gi_search_run(&w.run, &s, w.theta, &found), GRAM_ERR_RANGE,
                "search: with the loss logistic the criterion must be "
                "evidence");
    free(grad);
    gi_free(s.unknown);
    problem_free(&w);
}

/* s (k - k'(K + R^-1)^-1 k) and what is not known of b, by brute force. */
TEST(variances_are_those_of_the_posterior)
{
    for (int intercept = 0; intercept < 2; intercept++) {
        problem w = begin("rbf(gamma=0.5)[x1,x2]", 30, intercept, 1);
        const size_t n = w.p.n;
        gi_solution s;
        double logdet, half, amplitude, *L, *K = problem_matrix(&w);
        double *out = grams_doubles(n), *column = grams_doubles(n);
        double *one = grams_doubles(n), total = 0;

        w.p.tolerance = 1e-10;
        w.p.keep_factor = 1;
        s = fit(&w);
        CHECK_OK(s.solver->variance(&w.run, &w.p, &s, w.K, out));
        gi_problem_amplitudes(&w.p, &s, &amplitude);
        CHECK_NEAR(amplitude, 1 / (2 * w.p.lambda), 1e-15);
        L = dense_system(&w, &s, &logdet, &half);
        for (size_t i = 0; i < n; i++)
            one[i] = 1;
        dense_solve(L, n, one);
        for (size_t i = 0; i < n; i++)
            total += one[i];
        for (size_t i = 0; i < n; i++) {
            double expected = amplitude * K[i * n + i], rest = 1;

            for (size_t j = 0; j < n; j++)
                column[j] = amplitude * K[i * n + j];
            for (size_t j = 0; j < n; j++)
                rest -= column[j] * one[j];
            dense_solve(L, n, column);
            for (size_t j = 0; j < n; j++)
                expected -= column[j] * amplitude * K[i * n + j];
            if (intercept)
                expected += rest * rest / total;
            CHECK_NEAR(amplitude * out[i], expected, 1e-8);
        }
        free(one);
        free(column);
        free(out);
        free(L);
        free(K);
        gi_solution_free(&s);
        problem_free(&w);
    }
}

TEST(what_has_no_evidence_is_said)
{
    problem w = begin("rbf(gamma=1)[x1]", 10, 1, 0);
    gi_loss huber = {.class_ = gi_loss_find("huber"), .arg = {1}};
    double value;

    for (size_t i = 0; i < w.p.n; i++)
        w.y[i] = -1;
    CHECK(value_of(&w) == -INFINITY);
    w.p.loss = &huber;
    CHECK_FAILS(gi_laplace_value(&w.run, &w.p, &value, NULL, NULL),
                GRAM_ERR_RANGE,
                "evidence: loss huber, must be squared or logistic");
    problem_free(&w);
}

TEST(without_memory_it_says_so_and_leaves_nothing_behind)
{
    problem w = begin("rbf(gamma=?)[x1]", 12, 1, 0);
    gram_status status = GRAM_ERR_MEMORY;
    double value, dlog_lambda, *grad = grams_doubles(w.program->thetas);

    for (size_t k = 1; status != GRAM_OK; k++) {
        gi_mem_fail_at(k, 0);
        status = gi_laplace_value(&w.run, &w.p, &value, &dlog_lambda, grad);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        CHECK(k < 1000);
    }
    CHECK(isfinite(value));
    free(grad);
    problem_free(&w);
}

/* Simpson's rule with many points. */
static double average(double mean, double s)
{
    enum { POINTS = 40000 };
    double sum = 0, h = 20.0 / POINTS;

    for (int k = 0; k <= POINTS; k++) {
        double z = -10 + h * k, weight = k == 0 || k == POINTS ? 1
                                         : k % 2               ? 4
                                                               : 2;

        sum += weight * exp(-z * z / 2) / (1 + exp(-mean - s * z));
    }
    return sum * h / 3 / sqrt(2 * M_PI);
}

TEST(probabilities_are_averages)
{
    static const double means[] = {-30, -2, -1e-6, 0, 0.3, 5, 400};
    static const double sizes[] = {0, 1e-4, 0.5, 2, 10, 50};

    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 6; j++) {
            double p = gi_laplace_probability(means[i], sizes[j] * sizes[j]);

            CHECK_NEAR(p, average(means[i], sizes[j]), 1e-9);
            CHECK_NEAR(
                p + gi_laplace_probability(-means[i], sizes[j] * sizes[j]), 1,
                1e-14);
            CHECK(p >= 0 && p <= 1);
            CHECK(means[i] >= 0 ? p >= 0.5 - 1e-15 : p < 0.5);
        }
}

TESTS(SMALL(the_value_is_that_of_the_formula),
      SMALL(gradients_are_those_of_differences),
      NORMAL(the_search_ends_where_the_gradient_does),
      SMALL(variances_are_those_of_the_posterior),
      SMALL(what_has_no_evidence_is_said),
      NORMAL(without_memory_it_says_so_and_leaves_nothing_behind),
      SMALL(probabilities_are_averages))
