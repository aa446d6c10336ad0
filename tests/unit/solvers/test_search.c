/* test_search.c - searches against dense scans of the same criterion.
 */
#include "problems.h"

#include "kernels/program/amplitude.h"
#include "kernels/program/unknowns.h"
#include "solvers/path/criterion.h"
#include "solvers/search/minimise.h"

typedef struct hunt {
    problem w;
    gi_unknown *unknown;
    gi_search s;
    double theta[16];
    gi_found found;
} hunt;

static hunt hunt_new(const char *kernel, size_t n, unsigned criterion)
{
    hunt h = {.w = problem_new(kernel, n, 1)};
    size_t count = 0;

    CHECK_OK(gi_unknowns_new(&h.w.run, h.w.program, h.w.x, &h.unknown, &count));
    h.s = (gi_search){.program = h.w.program,
                      .K = h.w.K,
                      .problem = h.w.p,
                      .criterion = criterion,
                      .unknown = h.unknown,
                      .unknowns = count,
                      .hold = gi_kernel_amplitude(h.w.kernel),
                      .lambda = NAN};
    h.s.problem.intercept = 1;
    h.s.problem.K = NULL;
    return h;
}

/* A search with an operator of its own, so that nothing of it stays. */
static gram_status hunt_alone(hunt *h)
{
    gram_status status;

    h->s.K = NULL;
    status = gi_operator_new(&h->w.run, h->w.program, h->w.theta, h->w.x, NULL,
                             &h->s.K);
    if (status == GRAM_OK)
        status = gi_search_run(&h->w.run, &h->s, h->theta, &h->found);
    gi_operator_free(h->s.K);
    return status;
}

static void hunt_run(hunt *h)
{
    CHECK_OK(gi_search_run(&h->w.run, &h->s, h->theta, &h->found));
}

static void hunt_free(hunt *h)
{
    gi_free(h->unknown);
    problem_free(&h->w);
}

/* The criterion at the numbers in h->w.theta, by a path, for the best of some
 * lambdas; larger is better. */
static double best_at(hunt *h, const double *lambda, size_t count)
{
    gi_problem p = h->s.problem;
    gi_path *path = NULL;
    gi_criteria *c = calloc(count, sizeof *c);
    double best = -INFINITY;

    problem_set(&h->w);
    p.K = h->w.K;
    CHECK_OK(gi_path_new(&h->w.run, &p, NULL, h->s.criterion, &path));
    CHECK_OK(path->at(path, &h->w.run, lambda, count, h->s.criterion, c));
    for (size_t i = 0; i < count; i++)
        best = fmax(best, h->s.criterion == GI_WANT_EVIDENCE ? c[i].evidence
                          : h->s.criterion == GI_WANT_LOO    ? -c[i].loo
                                                             : -c[i].gcv);
    gi_path_free(path);
    free(c);
    return best;
}

static double at(hunt *h, double lambda)
{
    return best_at(h, &lambda, 1);
}

static double best_lambda(hunt *h)
{
    double lambda[111];

    for (int i = 0; i < 111; i++)
        lambda[i] = pow(10, -8 + 0.1 * i);
    return best_at(h, lambda, 111);
}

/* What was found is what the criterion says there. */
static void check_value(hunt *h)
{
    double variance = gi_target_variance(&h->s.problem, 0), value;

    memcpy(h->w.theta, h->theta, h->w.program->thetas * sizeof *h->theta);
    value = at(h, h->found.lambda);
    CHECK_NEAR(h->found.value,
               h->s.criterion == GI_WANT_EVIDENCE ? value : -value / variance,
               1e-9);
}

/* ---------------------------------------------------------------- minimise */

/* Rosenbrock's valley, without a value where x > 1.2; counts calls. */
static gram_status valley(void *user, const double *x, double *value,
                          double *gradient)
{
    double a = 1 - x[0], b = x[1] - x[0] * x[0];

    ++*(size_t *)user;
    *value = x[0] > 1.2 ? INFINITY : (a * a + 100 * b * b) / 100;
    if (gradient) {
        gradient[0] = (-2 * a - 400 * b * x[0]) / 100;
        gradient[1] = 2 * b;
    }
    return GRAM_OK;
}

static const double lower[] = {-3, -3}, upper[] = {3, 3};

static gi_objective objective(gram_status (*function)(void *, const double *,
                                                      double *, double *),
                              size_t *calls, int smooth, size_t evaluations)
{
    return (gi_objective){.variables = 2,
                          .lower = lower,
                          .upper = upper,
                          .at = function,
                          .user = calls,
                          .smooth = smooth,
                          .tolerance = 1e-14,
                          .evaluations = evaluations};
}

TEST(minima_are_found_with_and_without_gradients)
{
    for (int smooth = 0; smooth < 2; smooth++) {
        double x[] = {-1.2, 1}, value;
        size_t calls = 0;
        int converged = 0;
        gi_objective f = objective(valley, &calls, smooth, 5000);

        CHECK_OK(gi_minimise(&f, x, &value, &converged));
        CHECK(converged && calls > 10 && calls < 5000);
        CHECK_NEAR(x[0], 1, 1e-4);
        CHECK_NEAR(x[1], 1, 1e-4);
    }
}

TEST(a_limit_of_evaluations_is_kept)
{
    double x[] = {-1.2, 1}, value;
    size_t calls = 0;
    int converged = 1;
    gi_objective f = objective(valley, &calls, 1, 7);

    CHECK_OK(gi_minimise(&f, x, &value, &converged));
    CHECK(!converged && calls == 7);
    CHECK(value < 0.242); /* that of the start */
}

TEST(a_start_without_a_value_stays)
{
    double x[] = {2, 1}, value;
    size_t calls = 0;
    int converged;
    gi_objective f = objective(valley, &calls, 1, 100);

    CHECK_OK(gi_minimise(&f, x, &value, &converged));
    CHECK(value == INFINITY && x[0] == 2 && x[1] == 1);
}

static gram_status broken(void *user, const double *x, double *value,
                          double *gradient)
{
    (void)x, (void)value, (void)gradient;
    ++*(size_t *)user;
    return gi_fail(GRAM_ERR_NUMERIC, "broken: on purpose");
}

TEST(errors_of_the_function_end_the_search)
{
    double x[] = {-1.2, 1}, value;
    size_t calls = 0;
    int converged;
    gi_objective f = objective(broken, &calls, 0, 100);

    for (f.smooth = 0; f.smooth < 2; f.smooth++)
        CHECK_FAILS(gi_minimise(&f, x, &value, &converged), GRAM_ERR_NUMERIC,
                    "broken: on purpose");
    CHECK(calls == 2);
}

/* ------------------------------------------------------------------ search */

/* At least as good as every point of a scan over one number and lambda. */
static void beats_a_scan(const char *kernel, unsigned criterion)
{
    hunt h = hunt_new(kernel, 40, criterion);
    double best = -INFINITY, found;

    hunt_run(&h);
    check_value(&h);
    found = at(&h, h.found.lambda);
    CHECK(h.found.converged && h.found.rows == 40);
    for (double t = log(h.unknown[0].lower); t < log(h.unknown[0].upper);
         t += 0.4) {
        h.w.theta[h.unknown[0].theta] = exp(t);
        best = fmax(best, best_lambda(&h));
    }
    if (!(found > best - 1e-4 * fabs(best)))
        fail_msg("%s: %.8g, a scan found %.8g", kernel, found, best);
    hunt_free(&h);
}

TEST(evidence_is_as_good_as_a_scan)
{
    beats_a_scan("rbf[x1,x2]", GI_WANT_EVIDENCE);
    beats_a_scan("matern(nu=1.5)[x1] + 0.5*linear[x2]", GI_WANT_EVIDENCE);
}

TEST(leave_one_out_is_as_good_as_a_scan)
{
    beats_a_scan("rbf[x1,x2]", GI_WANT_LOO);
}

TEST(gcv_is_as_good_as_a_scan)
{
    beats_a_scan("rbf[x1,x2]", GI_WANT_GCV);
}

TEST(a_markov_kernel_is_as_good_as_a_scan)
{
    beats_a_scan("exponential[x1]", GI_WANT_EVIDENCE);
    beats_a_scan("matern(nu=1.5)[x1]", GI_WANT_LOO);
}

TEST(a_kernel_with_few_features_is_as_good_as_a_scan)
{
    beats_a_scan("linear[x1] + ?*linear[x2]", GI_WANT_EVIDENCE);
}

/* No free direction is left that raises the criterion. */
TEST(the_gradient_vanishes_at_the_optimum)
{
    hunt h = hunt_new("?*rbf(ard)", 60, GI_WANT_EVIDENCE);
    double value, slope, grad[16];
    gi_problem p = h.s.problem;

    hunt_run(&h);
    check_value(&h);
    problem_set(&h.w);
    p.K = h.w.K;
    p.lambda = h.found.lambda;
    CHECK_OK(gi_criterion_value(&h.w.run, &p, GI_WANT_EVIDENCE, &value, &slope,
                                grad));
    CHECK(fabs(slope) < 0.05);
    for (size_t k = 0; k < h.s.unknowns; k++) {
        const gi_unknown *u = &h.unknown[k];
        double t = h.theta[u->theta], g = t * grad[u->theta];

        if ((int)u->slot == h.s.hold)
            CHECK(t == 1);
        else
            CHECK(fabs(g) < 0.05 || (g < 0 && t < u->lower * 1.01) ||
                  (g > 0 && t > u->upper / 1.01));
    }
    hunt_free(&h);
}

/* Candidates: the best of all, each with its best lambda. */
TEST(a_grid_takes_the_best_candidates)
{
    hunt h = hunt_new("rbf(gamma=?[0.3,1,4])[x1] + ?[0.1,1,10]*linear[x2]", 30,
                      GI_WANT_LOO);
    double best = -INFINITY, found;
    size_t which = 0;

    hunt_run(&h);
    check_value(&h);
    found = at(&h, h.found.lambda);
    CHECK(h.found.evaluations == 9);
    for (size_t c = 0; c < 9; c++) {
        double here;

        h.w.theta[h.unknown[0].theta] = h.unknown[0].candidates[c % 3];
        h.w.theta[h.unknown[1].theta] = h.unknown[1].candidates[c / 3];
        here = best_lambda(&h);
        which = here > best ? c : which;
        best = fmax(best, here);
    }
    CHECK(found > best - 1e-4);
    CHECK(h.theta[h.unknown[0].theta] == h.unknown[0].candidates[which % 3]);
    CHECK(h.theta[h.unknown[1].theta] == h.unknown[1].candidates[which / 3]);
    hunt_free(&h);
}

/* Candidates for one number, lambda among a few, the other number searched. */
TEST(candidates_go_around_a_search)
{
    static const double lambdas[] = {0.01, 0.1, 1};
    hunt h = hunt_new("rbf(gamma=?[0.05,5])[x1] + ?*linear[x2]", 30,
                      GI_WANT_EVIDENCE);
    double best = -INFINITY, found;
    size_t listed = h.unknown[0].candidates ? 0 : 1;

    h.s.lambdas = lambdas;
    h.s.lambda_count = 3;
    hunt_run(&h);
    check_value(&h);
    found = at(&h, h.found.lambda);
    for (size_t l = 0; l < 3; l++)
        for (size_t c = 0; c < 2; c++)
            for (double t = -9; t < 9; t += 0.2) {
                h.w.theta[h.unknown[listed].theta] =
                    h.unknown[listed].candidates[c];
                h.w.theta[h.unknown[1 - listed].theta] = exp(t);
                best = fmax(best, at(&h, lambdas[l]));
            }
    CHECK(found > best - 1e-4);
    CHECK(h.found.lambda == 0.01 || h.found.lambda == 0.1 ||
          h.found.lambda == 1);
    hunt_free(&h);
}

TEST(a_fixed_lambda_stays)
{
    static const unsigned criteria[] = {GI_WANT_EVIDENCE, GI_WANT_LOO,
                                        GI_WANT_GCV};

    for (size_t k = 0; k < 3; k++) {
        hunt h = hunt_new("rbf[x1]", 30, criteria[k]);
        double best = -INFINITY;

        h.s.lambda = 0.25;
        hunt_run(&h);
        CHECK(h.found.lambda == 0.25);
        check_value(&h);
        for (double t = -6; t < 6; t += 0.1) {
            h.w.theta[0] = exp(t);
            best = fmax(best, at(&h, 0.25));
        }
        h.w.theta[0] = h.theta[0];
        CHECK(at(&h, 0.25) > best - 1e-4);
        hunt_free(&h);
    }
}

TEST(with_nothing_open_only_lambda_is_found)
{
    hunt h = hunt_new("rbf(gamma=0.5)[x1]", 30, GI_WANT_LOO);

    hunt_run(&h);
    CHECK(h.found.evaluations == 1 && h.theta[0] == 0.5);
    check_value(&h);
    CHECK(at(&h, h.found.lambda) > best_lambda(&h) - 1e-6);
    hunt_free(&h);
}

/* y has a slow and a fast part in the same column, and noise. */
TEST(equal_terms_part_from_each_other)
{
    hunt h = hunt_new("rbf[x1] + ?*rbf[x1]", 120, GI_WANT_EVIDENCE);
    gram_column x1 = gram_table_column(h.w.table, 0);
    size_t rates = 0;
    double rate[2] = {0};

    for (size_t i = 0; i < 120; i++)
        h.w.y[i] = 3 * sin(x1.values[i]) + 0.3 * sin(15 * x1.values[i]) +
                   0.01 * sin(1e4 * (double)(i * i));
    hunt_run(&h);
    for (size_t k = 0; k < h.s.unknowns; k++)
        if (h.w.kernel->slot[h.unknown[k].slot].param)
            rate[rates++] = h.theta[h.unknown[k].theta];
    CHECK(rates == 2);
    CHECK(fmax(rate[0], rate[1]) > 10 * fmin(rate[0], rate[1]));
    hunt_free(&h);
}

TEST(known_noise_and_given_amplitudes_are_searched_too)
{
    for (int mode = GI_AMPLITUDE_ONE; mode <= GI_AMPLITUDE_INVERSE; mode++) {
        hunt h = hunt_new("rbf[x1,x2]", 40, GI_WANT_EVIDENCE);
        double best = -INFINITY, found;

        h.s.problem.amplitude = (gi_amplitude)mode;
        h.s.problem.noise = h.w.noise;
        hunt_run(&h);
        check_value(&h);
        found = at(&h, h.found.lambda);
        for (double t = -6; t < 4; t += 0.5) {
            h.w.theta[0] = exp(t);
            best = fmax(best, best_lambda(&h));
        }
        CHECK(found > best - 1e-3);
        hunt_free(&h);
    }
}

/* ----------------------------------------------------------------- samples */

TEST(samples_lead_to_the_optimum_of_all_rows)
{
    hunt all = hunt_new("rbf(ard)[x1,x2]", 700, GI_WANT_EVIDENCE);
    hunt part = hunt_new("rbf(ard)[x1,x2]", 700, GI_WANT_EVIDENCE);

    all.s.subset = 700;
    part.s.subset = 100;
    hunt_run(&all);
    hunt_run(&part);
    CHECK(part.found.rows == 700 && all.found.rows == 700);
    CHECK_NEAR(part.found.value, all.found.value, 1e-5);
    part.s.most = 300;
    hunt_run(&part);
    CHECK(part.found.rows == 300);
    CHECK_NEAR(log(part.theta[0]), log(all.theta[0]), 0.5);
    hunt_free(&all);
    hunt_free(&part);
}

TEST(the_same_is_found_with_any_number_of_threads)
{
    hunt h = hunt_new("rbf(ard)[x1,x2]", 300, GI_WANT_EVIDENCE);
    double theta[2], lambda, value;

    h.s.subset = 100;
    h.w.run.threads = 1;
    hunt_run(&h);
    memcpy(theta, h.theta, sizeof theta);
    lambda = h.found.lambda;
    value = h.found.value;
    h.w.run.threads = 2;
    hunt_run(&h);
    CHECK(lambda == h.found.lambda && value == h.found.value);
    CHECK(theta[0] == h.theta[0] && theta[1] == h.theta[1]);
    hunt_free(&h);
}

/* ------------------------------------------------------------------- edges */

static const char nowhere[] =
    "search: the criterion has no value wherever it was tried, there are too "
    "few rows or K + lambda D is not positive definite";

TEST(few_rows_and_constant_targets_keep_the_starts)
{
    static const unsigned criteria[] = {GI_WANT_EVIDENCE, GI_WANT_LOO,
                                        GI_WANT_GCV};

    for (size_t c = 0; c < 9; c++) {
        size_t n = 1 + c / 3;
        hunt h = hunt_new("rbf(ard)[x1,x2]", n, criteria[c % 3]);

        for (size_t i = 0; i < n; i++)
            h.w.y[i] = 0.1;
        if (n == 1 && h.s.criterion == GI_WANT_LOO) {
            CHECK_FAILS(gi_search_run(&h.w.run, &h.s, h.theta, &h.found),
                        GRAM_ERR_NUMERIC, nowhere);
            hunt_free(&h);
            continue;
        }
        hunt_run(&h);
        CHECK(h.found.lambda > 0 && h.found.value == 0);
        CHECK(h.theta[0] > 0 && isfinite(h.theta[0]));
        hunt_free(&h);
    }
}

TEST(a_kernel_that_is_nowhere_positive_definite_is_refused)
{
    hunt h = hunt_new("rbf[x1] - 1e9*rbf(1)[x2]", 10, GI_WANT_EVIDENCE);

    h.s.lambda = 0.1;
    CHECK_FAILS(gi_search_run(&h.w.run, &h.s, h.theta, &h.found),
                GRAM_ERR_NUMERIC, nowhere);
    hunt_free(&h);
}

static int stop_after(void *user, double done)
{
    int *left = user;

    (void)done;
    return --*left < 0;
}

TEST(it_can_be_cancelled_at_any_time)
{
    static const unsigned criteria[] = {GI_WANT_EVIDENCE, GI_WANT_GCV};

    for (size_t k = 0; k < 2; k++)
        for (int ticks = 0; ticks < 40; ticks += 13) {
            hunt h = hunt_new("rbf[x1]", 20, criteria[k]);
            int left = ticks;
            size_t before = gram_memory_used();

            h.w.run.progress = stop_after;
            h.w.run.user = &left;
            CHECK_FAILS(hunt_alone(&h), GRAM_ERR_CANCELLED, "cancelled");
            CHECK(gram_memory_used() == before);
            hunt_free(&h);
        }
}

TEST(failing_allocations_leave_nothing_behind)
{
    hunt h = hunt_new("rbf[x1]", 6, GI_WANT_EVIDENCE);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;

    h.s.evaluations = 2;
    for (; status != GRAM_OK && n < 60; n++) {
        gi_mem_fail_at(n, 0);
        status = hunt_alone(&h);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        CHECK(gram_memory_used() == before);
    }
    CHECK(n > 40);
    hunt_free(&h);
}

TESTS(SMALL(minima_are_found_with_and_without_gradients),
      SMALL(a_limit_of_evaluations_is_kept),
      SMALL(a_start_without_a_value_stays),
      SMALL(errors_of_the_function_end_the_search),
      NORMAL(evidence_is_as_good_as_a_scan),
      NORMAL(leave_one_out_is_as_good_as_a_scan),
      NORMAL(gcv_is_as_good_as_a_scan),
      NORMAL(a_markov_kernel_is_as_good_as_a_scan),
      NORMAL(a_kernel_with_few_features_is_as_good_as_a_scan),
      NORMAL(the_gradient_vanishes_at_the_optimum),
      NORMAL(a_grid_takes_the_best_candidates),
      NORMAL(candidates_go_around_a_search), NORMAL(a_fixed_lambda_stays),
      SMALL(with_nothing_open_only_lambda_is_found),
      NORMAL(equal_terms_part_from_each_other),
      NORMAL(known_noise_and_given_amplitudes_are_searched_too),
      NORMAL(samples_lead_to_the_optimum_of_all_rows),
      NORMAL(the_same_is_found_with_any_number_of_threads),
      SMALL(few_rows_and_constant_targets_keep_the_starts),
      SMALL(a_kernel_that_is_nowhere_positive_definite_is_refused),
      SMALL(it_can_be_cancelled_at_any_time),
      SMALL(failing_allocations_leave_nothing_behind))
