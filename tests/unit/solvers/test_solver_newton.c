/* test_solver_newton.c - Newton's method for smooth losses: optimality, limits,
 * symmetries, and each way the linear systems are solved.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "smooth_losses.h"

#include "solvers/gap.h"
#include "solvers/smooth/irls.h"
#include "solvers/smooth/newton.h"

enum { N = 60 };

TEST(alpha_is_the_slope_of_every_smooth_loss)
{
    for (size_t k = 0; k < SMOOTH_LOSSES * 4; k++) {
        smooth w;
        gi_solution s;

        smooth_begin(&w, smooth_losses[k / 4], N, k & 1, (k & 2) != 0);
        w.p.tolerance = 1e-11;
        s = smooth_solve(&w, "newton");
        CHECK(s.converged);
        CHECK(s.steps <= 20);
        smooth_check(&w, &s, 1e-8);
        CHECK(s.gradient <= 1e-10);
        if (w.loss.class_->conjugate)
            CHECK(s.gap >= -1e-12 * fabs(s.objective) &&
                  s.gap <= 1e-10 * (1 + fabs(s.objective)));
        else
            CHECK(isnan(s.gap));
        gi_solution_free(&s);
        smooth_end(&w);
    }
}

TEST(the_squared_loss_takes_one_step_and_agrees_with_dual)
{
    for (int intercept = 0; intercept < 2; intercept++) {
        smooth w;
        gi_solution a, b;

        smooth_begin(&w, "squared", N, intercept, 1);
        w.p.tolerance = 1e-9;
        a = smooth_solve(&w, "newton");
        b = smooth_solve(&w, "dual");
        CHECK(a.steps == 1);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(a.alpha[i], b.alpha[i], 1e-9);
        CHECK_NEAR(a.intercept[0], b.intercept[0], 1e-9);
        CHECK_OK(gi_gap_measure(&w.k.run, &w.p, &b));
        CHECK_NEAR(b.objective, a.objective, 1e-12);
        CHECK_NEAR(b.gap, 0, 1e-12);
        gi_solution_free(&a);
        gi_solution_free(&b);
        smooth_end(&w);
    }
}

/* P of an alpha that is not the best one is above, D below the optimum. */
TEST(the_gap_bounds_the_distance_to_the_optimum)
{
    for (size_t k = 0; k < SMOOTH_LOSSES; k++) {
        smooth w;
        gi_solution s;
        double best, before;

        smooth_begin(&w, smooth_losses[k], N, 1, 1);
        s = smooth_solve(&w, "newton");
        best = s.objective;
        for (size_t i = 0; i + 1 < N; i += 2) { /* 1'alpha stays 0 */
            s.alpha[i] += 0.02 * (double)(i % 5);
            s.alpha[i + 1] -= 0.02 * (double)(i % 5);
        }
        CHECK_OK(gi_gap_measure(&w.k.run, &w.p, &s));
        CHECK(s.objective > best);
        before = s.gap;
        if (w.loss.class_->conjugate)
            CHECK(before >= s.objective - best);
        gi_solution_free(&s);
        smooth_end(&w);
    }
}

TEST(a_row_twice_is_a_row_of_weight_two)
{
    static const size_t last = N - 1;

    for (size_t k = 0; k < SMOOTH_LOSSES; k++) {
        smooth w;
        gi_solution once, twice;
        double *K, *f, sum = 0;
        dense_operator op;

        smooth_begin(&w, smooth_losses[k], N, 1, 0);
        w.p.tolerance = 1e-10;
        K = operator_matrix(w.k.K, &w.k.run);
        for (size_t i = 0; i < N; i++) /* the last row is the one before */
            K[i * N + last] = K[i * N + last - 1];
        memcpy(K + last * N, K + (last - 1) * N, N * sizeof *K);
        w.y[last] = w.y[last - 1];
        dense_operator_init(&op, N, N, K, NULL);
        w.p.K = &op.op;
        twice = smooth_solve(&w, "newton");
        f = smooth_values(&w, &twice);
        for (size_t i = 0; i < N; i++)
            w.noise[i] = i == last - 1 ? 0.5 : i == last ? 1e12 : 1;
        w.p.noise = w.noise;
        once = smooth_solve(&w, "newton");
        for (size_t i = 0; i < N; i++) {
            double at = once.intercept[0];

            for (size_t j = 0; j < N; j++)
                at += K[i * N + j] * once.alpha[j];
            CHECK_NEAR(at, f[i], 1e-7);
        }
        for (size_t i = 0; i < N; i++)
            sum += once.alpha[i];
        CHECK_NEAR(sum, 0, 1e-7);
        free(f);
        free(K);
        gi_solution_free(&once);
        gi_solution_free(&twice);
        smooth_end(&w);
    }
}

TEST(labels_turned_around_turn_f_around)
{
    static const char *const losses[] = {"logistic", "squared_hinge", "huber",
                                         "cosh_loss"};

    for (size_t k = 0; k < 4; k++) {
        smooth w;
        gi_solution a, b;

        smooth_begin(&w, losses[k], N, 1, 1);
        w.p.tolerance = 1e-10;
        a = smooth_solve(&w, "newton");
        for (size_t i = 0; i < N; i++)
            w.y[i] = -w.y[i];
        b = smooth_solve(&w, "newton");
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(a.alpha[i], -b.alpha[i], 1e-8);
        CHECK_NEAR(a.intercept[0], -b.intercept[0], 1e-8);
        gi_solution_free(&a);
        gi_solution_free(&b);
        smooth_end(&w);
    }
}

/* With a huge lambda only the intercept is left: for counts the logarithm of
 * their mean, for classes the log odds, for squared the mean. */
TEST(a_large_lambda_leaves_the_intercept)
{
    static const char *const losses[] = {"poisson", "logistic", "squared"};

    for (size_t k = 0; k < 3; k++) {
        smooth w;
        gi_solution s;
        double mean = 0, expected;

        smooth_begin(&w, losses[k], N, 1, 0);
        w.p.lambda = 1e9;
        w.p.tolerance = 1e-9;
        s = smooth_solve(&w, "newton");
        for (size_t i = 0; i < N; i++)
            mean += w.y[i] / N;
        expected = k == 0   ? log(mean)
                   : k == 1 ? log((1 + mean) / (1 - mean))
                            : mean;
        CHECK_NEAR(s.intercept[0], expected, 1e-6);
        for (size_t i = 0; i < N; i++)
            CHECK(fabs(s.alpha[i]) < 1e-7);
        gi_solution_free(&s);
        smooth_end(&w);
    }
}

TEST(data_that_can_be_separated_have_a_bounded_answer)
{
    static const char *const losses[] = {"logistic", "squared_hinge"};

    for (size_t k = 0; k < 4; k++) {
        smooth w;
        gi_solution s;

        smooth_begin(&w, losses[k / 2], N, k & 1, 0);
        for (size_t i = 0; i < N; i++)
            w.y[i] = w.x[2 * i] > 0.7 ? 1 : -1;
        w.p.lambda = 1e-7;
        w.p.tolerance = 1e-10;
        s = smooth_solve(&w, "newton");
        CHECK(s.converged && s.gap <= 1e-3 * s.objective);
        for (size_t i = 0; i < N; i++)
            CHECK(isfinite(s.alpha[i]));
        gi_solution_free(&s);
        smooth_end(&w);
    }
}

TEST(one_class_only_is_certain_of_itself)
{
    smooth w;
    gi_solution s;
    double *f;

    smooth_begin(&w, "logistic", N, 1, 0);
    for (size_t i = 0; i < N; i++)
        w.y[i] = 1;
    s = smooth_solve(&w, "newton");
    f = smooth_values(&w, &s);
    CHECK(s.converged);
    for (size_t i = 0; i < N; i++)
        CHECK(f[i] > 10 && isfinite(f[i]));
    free(f);
    gi_solution_free(&s);
    smooth_end(&w);
}

TEST(one_row_is_solved)
{
    smooth w;
    gi_solution s;

    smooth_begin(&w, "logistic", 1, 0, 0);
    s = smooth_solve(&w, "newton");
    smooth_check(&w, &s, 1e-6);
    gi_solution_free(&s);
    smooth_end(&w);
}

TEST(a_start_at_the_answer_takes_no_step)
{
    smooth w;
    gi_solution a, b;

    smooth_begin(&w, "logistic", N, 1, 1);
    w.p.tolerance = 1e-8;
    a = smooth_solve(&w, "newton");
    w.p.start = a.alpha;
    w.p.tolerance = 1e-7;
    b = smooth_solve(&w, "newton");
    CHECK(b.steps == 0);
    CHECK_NEAR(b.intercept[0], a.intercept[0], 1e-7);
    gi_solution_free(&a);
    gi_solution_free(&b);
    smooth_end(&w);
}

/* Single precision with conjugate gradients, and conjugate gradients alone
 * (as with little memory), give the answer of the factor in double. */
static void check_ways(const char *loss, size_t n, int little)
{
    smooth w;
    gi_solution full, other;

    smooth_begin(&w, loss, n, 1, 1);
    w.p.tolerance = 1e-9;
    w.p.precision = GI_FACTOR_DOUBLE;
    full = smooth_solve(&w, "newton");
    w.p.precision = GI_FACTOR_SINGLE;
    if (little)
        w.k.run.memory =
            (size_t)gi_irls_bytes(&w.k.run, &w.p, w.p.n, &gi_blas_single) - 1;
    CHECK((gi_irls_choose(&w.k.run, &w.p, w.p.n, 1) == NULL) == little);
    other = smooth_solve(&w, "newton");
    CHECK(full.converged && other.converged);
    CHECK_STR(other.precision, little ? "double" : "single + refinement");
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(other.alpha[i], full.alpha[i], 1e-6);
    gi_solution_free(&full);
    gi_solution_free(&other);
    smooth_end(&w);
}

TEST(every_way_to_solve_the_systems_gives_the_same)
{
    for (size_t k = 0; k < SMOOTH_LOSSES; k++)
        check_ways(smooth_losses[k], 200, 0);
    check_ways("logistic", 900, 1);
    check_ways("squared_hinge", 900, 1);
}

TEST(threads_do_not_change_a_bit)
{
    gi_solution s[2];

    for (int k = 0; k < 2; k++) {
        smooth w;

        smooth_begin(&w, "squared_hinge", 700, 1, 1);
        w.p.precision = GI_FACTOR_SINGLE;
        w.k.run.threads = k ? 3 : 1;
        s[k] = smooth_solve(&w, "newton");
        smooth_end(&w);
    }
    CHECK(memcmp(s[0].alpha, s[1].alpha, 700 * sizeof *s[0].alpha) == 0);
    gi_solution_free(&s[0]);
    gi_solution_free(&s[1]);
}

/* The n-th allocation fails, for every n, in both ways to solve. */
TEST(without_memory_it_says_so_and_leaves_nothing_behind)
{
    for (int single = 0; single < 2; single++) {
        const gi_solver *newton = NULL;
        gram_status status = GRAM_ERR_MEMORY;
        gi_solution s;
        smooth w;

        CHECK_OK(gi_solver_find("newton", &newton));
        smooth_begin(&w, "squared_hinge", 20, 1, 1);
        w.p.keep_factor = 1;
        w.p.precision = single ? GI_FACTOR_SINGLE : GI_FACTOR_DOUBLE;
        for (size_t k = 1; status != GRAM_OK; k++) {
            gi_mem_fail_at(k, 0);
            status = gi_solver_solve(&w.k.run, newton, &w.p, &s);
            gi_mem_fail_at(0, 0);
            CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
            CHECK(k < 1000);
        }
        gi_solution_free(&s);
        smooth_end(&w);
    }
}

TEST(losses_with_kinks_are_refused)
{
    const gi_solver *newton = NULL;
    gi_solution s;
    smooth w;

    CHECK_OK(gi_solver_find("newton", &newton));
    smooth_begin(&w, "hinge", N, 1, 0);
    CHECK_FAILS(gi_solver_solve(&w.k.run, newton, &w.p, &s), GRAM_ERR_RANGE,
                "solver newton: only for losses with derivatives");
    smooth_end(&w);
    smooth_begin(&w, "logistic", N, 1, 0);
    w.p.lambda = 0;
    CHECK_FAILS(gi_solver_solve(&w.k.run, newton, &w.p, &s), GRAM_ERR_RANGE,
                "solver newton: lambda is 0");
    w.p.lambda = 1;
    CHECK_OK(gi_solver_choose(&w.k.run, &w.p, &newton));
    CHECK_STR(newton->name, "newton");
    smooth_end(&w);
}

enum { LAMBDAS = 6 };

typedef struct path {
    const smooth *w;
    double alpha[LAMBDAS][N], intercept[LAMBDAS];
    size_t taken;
} path;

static gram_status take(void *user, size_t l, const gi_solution *s)
{
    path *to = user;

    CHECK(s->converged && l == to->taken++);
    memcpy(to->alpha[l], s->alpha, sizeof to->alpha[l]);
    to->intercept[l] = *s->intercept;
    return GRAM_OK;
}

static path take_path(smooth *w, const double *lambda, int threads)
{
    path out = {.w = w};

    w->k.run.threads = threads;
    CHECK_OK(gi_newton_path(&w->k.run, &w->p, lambda, LAMBDAS, take, &out));
    CHECK(out.taken == LAMBDAS);
    return out;
}

/* |f - f of a cold start| beside |f|, in the norm of the space. */
static void check_step(smooth *w, const path *to, size_t l, double tolerance)
{
    double d[N], Kd[N], Kalpha[N], off = 0, size = 0;
    gi_solution s;

    s = smooth_solve(w, "newton");
    for (size_t i = 0; i < N; i++)
        d[i] = to->alpha[l][i] - s.alpha[i];
    CHECK_OK(gi_operator_product(w->p.K, &w->k.run, 0, d, 1, Kd));
    CHECK_OK(gi_operator_product(w->p.K, &w->k.run, 0, s.alpha, 1, Kalpha));
    for (size_t i = 0; i < N; i++) {
        off += d[i] * Kd[i];
        size += s.alpha[i] * Kalpha[i];
    }
    CHECK(sqrt(fmax(off, 0)) <= tolerance * sqrt(size));
    CHECK_NEAR(to->intercept[l], *s.intercept, tolerance);
    gi_solution_free(&s);
}

/* Roughly without a tolerance, and to one that is given. */
TEST(a_path_of_lambdas_is_solutions_from_cold)
{
    static const double lambda[LAMBDAS] = {100, 10, 1, 0.1, 0.01, 1e-3};

    for (size_t k = 0; k < SMOOTH_LOSSES * 4; k++) {
        smooth w;
        path one, two;

        smooth_begin(&w, smooth_losses[k / 4], N, k & 1, 1);
        w.p.tolerance = k & 2 ? 1e-10 : 0;
        one = take_path(&w, lambda, 1);
        two = take_path(&w, lambda, 2);
        CHECK(memcmp(one.alpha, two.alpha, sizeof one.alpha) == 0);
        w.p.tolerance = 1e-11;
        for (size_t l = 0; l < LAMBDAS; l++) {
            w.p.lambda = lambda[l];
            check_step(&w, &one, l, k & 2 ? 1e-5 : 0.01);
        }
        smooth_end(&w);
    }
}

TESTS(SMALL(alpha_is_the_slope_of_every_smooth_loss),
      SMALL(the_squared_loss_takes_one_step_and_agrees_with_dual),
      SMALL(the_gap_bounds_the_distance_to_the_optimum),
      SMALL(a_row_twice_is_a_row_of_weight_two),
      SMALL(labels_turned_around_turn_f_around),
      SMALL(a_large_lambda_leaves_the_intercept),
      SMALL(data_that_can_be_separated_have_a_bounded_answer),
      SMALL(one_class_only_is_certain_of_itself), SMALL(one_row_is_solved),
      SMALL(a_start_at_the_answer_takes_no_step),
      NORMAL(every_way_to_solve_the_systems_gives_the_same),
      NORMAL(threads_do_not_change_a_bit),
      NORMAL(without_memory_it_says_so_and_leaves_nothing_behind),
      NORMAL(a_path_of_lambdas_is_solutions_from_cold),
      SMALL(losses_with_kinks_are_refused))
