/* test_criterion.c - evidence against densities written out, leave-one-out
 * against refits, gradients against central differences.
 */
#include "problems.h"

#include "solvers/path/criterion.h"

/* -------------------------------------------------------------- references */

static double noise_of(const gi_problem *p, size_t i)
{
    return p->noise ? p->noise[i] : 1;
}

/* log N(y; 0, s B) with s as the problem says; y is overwritten. */
static double density(const gi_problem *p, double *B, size_t m, double *y)
{
    double logdet = dense_factor(B, m), fit = 0, s;
    double *z = grams_doubles(m);

    memcpy(z, y, m * sizeof *z);
    dense_solve(B, m, z);
    for (size_t i = 0; i < m; i++)
        fit += y[i] * z[i];
    free(z);
    s = p->amplitude == GI_AMPLITUDE_ONE       ? 1
        : p->amplitude == GI_AMPLITUDE_INVERSE ? 1 / p->lambda
                                               : fit / (double)m;
    return -((double)m * log(2 * M_PI * s) + logdet + fit / s) / 2;
}

/* Row i of an orthonormal basis of the vectors that add up to 0 (Helmert). */
static double contrast(size_t i, size_t j)
{
    double k = (double)(i + 1), norm = sqrt(k * (k + 1));

    return j <= i ? 1 / norm : j == i + 1 ? -k / norm : 0;
}

/* The density of y, or with an intercept of its contrasts. */
static double evidence_of(problem *w, size_t target)
{
    const gi_problem *p = &w->p;
    size_t n = p->n, m = n - (p->intercept != 0);
    double *A = problem_matrix(w), *B = grams_doubles(n * n),
           *y = grams_doubles(n);
    double value;

    for (size_t i = 0; i < n; i++) {
        A[i * n + i] += p->lambda * noise_of(p, i);
        y[i] = p->y[i * p->targets + target];
    }
    if (p->intercept) {
        double *z = grams_doubles(n);

        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++) {
                B[i * m + j] = 0;
                for (size_t a = 0; a < n; a++)
                    for (size_t b = 0; b < n; b++)
                        B[i * m + j] +=
                            contrast(i, a) * A[a * n + b] * contrast(j, b);
            }
        for (size_t i = 0; i < m; i++) {
            z[i] = 0;
            for (size_t a = 0; a < n; a++)
                z[i] += contrast(i, a) * y[a];
        }
        /* log 1'A^-1 1 is of the vector 1, not of 1/sqrt(n) */
        value = density(p, B, m, z) - log((double)n) / 2;
        free(z);
    } else {
        value = density(p, A, n, y);
    }
    free(A);
    free(B);
    free(y);
    return value;
}

/* y_i - f(x_i) of the fit to all rows but i, from the equations of solver.h:
 * rows and columns of others, and one for the intercept. */
static double refit_residual(problem *w, const double *K, size_t i,
                             size_t target)
{
    const gi_problem *p = &w->p;
    size_t n = p->n, m = n - 1, at = 0;
    double *A = grams_doubles(m * m), *z = grams_doubles(m),
           *one = grams_doubles(m);
    double b = 0, sum = 0, f = 0;

    for (size_t a = 0; a < m; a++) {
        size_t ra = a + (a >= i);

        for (size_t c = 0; c < m; c++)
            A[a * m + c] = K[ra * n + c + (c >= i)];
        A[a * m + a] += p->lambda * noise_of(p, ra);
        z[a] = p->y[ra * p->targets + target];
        one[a] = 1;
    }
    dense_factor(A, m);
    dense_solve(A, m, z);
    dense_solve(A, m, one);
    for (size_t a = 0; p->intercept && a < m; a++) {
        b += z[a];
        sum += one[a];
    }
    b = p->intercept ? b / sum : 0;
    for (size_t a = 0; a < n; a++)
        if (a != i) {
            f += K[i * n + a] * (z[at] - b * one[at]);
            at++;
        }
    free(A);
    free(z);
    free(one);
    return p->y[i * p->targets + target] - f - b;
}

static double loo_of(problem *w)
{
    const gi_problem *p = &w->p;
    double *K = problem_matrix(w), value = 0;

    for (size_t t = 0; t < p->targets; t++) {
        double sum = 0, weight = 0;

        for (size_t i = 0; i < p->n; i++) {
            double r = refit_residual(w, K, i, t);

            sum += r * r / noise_of(p, i);
            weight += 1 / noise_of(p, i);
        }
        value += sum / weight / gi_target_variance(p, t);
    }
    free(K);
    return value;
}

/* ------------------------------------------------------------------- cases */

/* Every combination of intercept, weights, amplitude and one or two targets. */
static void for_all_settings(const char *kernel, size_t n,
                             void (*check)(problem *w))
{
    for (size_t c = 0; c < 24; c++) {
        problem w = problem_new(kernel, n, 1 + c % 2);

        w.p.intercept = c / 2 % 2;
        w.p.noise = c / 4 % 2 ? w.noise : NULL;
        w.p.amplitude = (gi_amplitude)(c / 8);
        check(&w);
        problem_free(&w);
    }
}

static double value_of(problem *w, unsigned want)
{
    double value = NAN;

    CHECK_OK(gi_criterion_value(&w->run, &w->p, want, &value, NULL, NULL));
    return value;
}

static void check_evidence(problem *w)
{
    double expected = 0;

    for (size_t t = 0; t < w->p.targets; t++)
        expected += evidence_of(w, t);
    CHECK_NEAR(value_of(w, GI_WANT_EVIDENCE), expected, 1e-10);
}

TEST(evidence_is_the_density_of_the_targets)
{
    for_all_settings("rbf + 0.5*delta[c]", 9, check_evidence);
}

static void check_loo(problem *w)
{
    CHECK_NEAR(value_of(w, GI_WANT_LOO), loo_of(w), 1e-10);
}

TEST(leave_one_out_equals_refits)
{
    for_all_settings("rbf + 0.5*delta[c]", 9, check_loo);
}

static void check_gradient(problem *w, unsigned want)
{
    const size_t thetas = w->program->thetas;
    const double step = 1e-5;
    double *grad = grams_doubles(thetas), value, slope, up, down, lambda, scale;

    CHECK_OK(gi_criterion_value(&w->run, &w->p, want, &value, &slope, grad));
    CHECK(value == value_of(w, want));
    lambda = w->p.lambda;
    w->p.lambda = lambda * exp(step);
    up = value_of(w, want);
    w->p.lambda = lambda * exp(-step);
    down = value_of(w, want);
    w->p.lambda = lambda;
    scale = fmax(1, fabs(value));
    if (!(fabs(slope - (up - down) / (2 * step)) < 1e-7 * scale))
        fail_msg("log lambda: %.10g, not %.10g", slope,
                 (up - down) / (2 * step));
    for (size_t m = 0; m < thetas; m++) {
        double old = w->theta[m];

        w->theta[m] = old + step;
        problem_set(w);
        up = value_of(w, want);
        w->theta[m] = old - step;
        problem_set(w);
        down = value_of(w, want);
        w->theta[m] = old;
        problem_set(w);
        if (!(fabs(grad[m] - (up - down) / (2 * step)) < 1e-7 * scale))
            fail_msg("%s, number %zu: %.10g, not %.10g",
                     gram_kernel_text(w->kernel), m, grad[m],
                     (up - down) / (2 * step));
    }
    free(grad);
}

static void check_both_gradients(problem *w)
{
    check_gradient(w, GI_WANT_EVIDENCE);
    check_gradient(w, GI_WANT_LOO);
}

TEST(gradients_equal_differences_in_every_setting)
{
    for_all_settings("?*rbf(ard)[x1,x2] + ?*linear[x3]", 8,
                     check_both_gradients);
}

TEST(gradients_equal_differences_for_every_kind_of_expression)
{
    static const char *const kernels[] = {
        "rbf",
        "rbf(ard)",
        "matern(nu=1.5)[x1] * rbf(ard)[x2,x3]",
        "matern(nu=2.5, ard)[x1,x2]",
        "?*periodic[x1] + rq[x2]",
        "?*exponential(ard)[x1,x2] + laplace[x3]",
        "map(standardize, rbf(ard)) + delta[c]",
        "map(log1p, ?*linear[x1] + rbf[x2])",
        "normalize(poly(degree=2, offset=?)[x1,x2])",
        "?*delta[c]*rbf[x1] + white",
    };

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        problem w = problem_new(kernels[k], 7, 1);

        w.p.intercept = 1;
        check_both_gradients(&w);
        problem_free(&w);
    }
}

/* Tiles of the engine and of the factor are cut, and the blocks differ. */
TEST(gradients_equal_differences_over_many_tiles)
{
    problem w = problem_new("rbf(ard)[x1,x2,x3]", 430, 2);

    w.p.intercept = 1;
    w.p.noise = w.noise;
    check_gradient(&w, GI_WANT_EVIDENCE);
    check_gradient(&w, GI_WANT_LOO);
    problem_free(&w);
}

/* ------------------------------------------------------------------- edges */

TEST(a_matrix_that_is_not_positive_definite_is_no_error)
{
    problem w = problem_new("rbf(?)[x1] - 3*rbf(1)[x2]", 10, 1);
    double value, slope, grad[8];

    CHECK_OK(gi_criterion_value(&w.run, &w.p, GI_WANT_EVIDENCE, &value, &slope,
                                grad));
    CHECK(value == -INFINITY && slope == 0 && grad[0] == 0);
    CHECK_OK(
        gi_criterion_value(&w.run, &w.p, GI_WANT_LOO, &value, &slope, grad));
    CHECK(value == INFINITY && slope == 0 && grad[0] == 0);
    problem_free(&w);
}

/* A second, constant target changes nothing. */
TEST(a_constant_target_says_nothing)
{
    for (size_t want = GI_WANT_LOO; want <= GI_WANT_EVIDENCE; want += 3) {
        problem one = problem_new("rbf", 20, 1),
                two = problem_new("rbf", 20, 2);
        double value[2], slope[2], grad[2];

        for (size_t i = 0; i < 20; i++) {
            two.y[2 * i] = one.y[i];
            two.y[2 * i + 1] = 0.1;
        }
        one.p.intercept = two.p.intercept = 1;
        CHECK_OK(gi_criterion_value(&one.run, &one.p, (unsigned)want, value,
                                    slope, grad));
        CHECK_OK(gi_criterion_value(&two.run, &two.p, (unsigned)want, value + 1,
                                    slope + 1, grad + 1));
        CHECK_NEAR(value[1], value[0], 1e-13);
        CHECK_NEAR(slope[1], slope[0], 1e-12);
        CHECK_NEAR(grad[1], grad[0], 1e-12);
        problem_free(&one);
        problem_free(&two);
    }
}

/* With an intercept y may be moved far away. */
TEST(an_intercept_takes_off_any_constant)
{
    problem w = problem_new("rbf", 20, 1);
    double before;

    w.p.intercept = 1;
    before = value_of(&w, GI_WANT_EVIDENCE);
    for (size_t i = 0; i < 20; i++)
        w.y[i] += 1e6;
    CHECK_NEAR(value_of(&w, GI_WANT_EVIDENCE), before, 1e-8);
    problem_free(&w);
}

TEST(one_row_has_no_leave_one_out)
{
    problem w = problem_new("rbf", 1, 1);
    double slope, grad, value;

    w.p.intercept = 1;
    CHECK_OK(
        gi_criterion_value(&w.run, &w.p, GI_WANT_LOO, &value, &slope, &grad));
    CHECK(value == INFINITY && slope == 0 && grad == 0);
    CHECK_OK(gi_criterion_value(&w.run, &w.p, GI_WANT_EVIDENCE, &value, &slope,
                                &grad));
    CHECK(value == 0 && slope == 0 && grad == 0);
    problem_free(&w);
}

TEST(values_and_gradients_do_not_depend_on_the_threads)
{
    problem w = problem_new("rbf(ard)", 430, 2);
    double value[2], slope[2], grad[2][8];

    w.p.intercept = 1;
    for (unsigned want = GI_WANT_LOO; want <= GI_WANT_EVIDENCE; want += 3)
        for (int k = 0; k < 2; k++) {
            w.run.threads = k + 1;
            CHECK_OK(gi_criterion_value(&w.run, &w.p, want, value + k,
                                        slope + k, grad[k]));
            CHECK(value[k] == value[0] && slope[k] == slope[0]);
            for (size_t m = 0; m < w.program->thetas; m++)
                CHECK(grad[k][m] == grad[0][m]);
        }
    problem_free(&w);
}

TEST(failing_allocations_leave_nothing_behind)
{
    problem w = problem_new("rbf(ard)", 20, 2);

    double value, slope, grad[8];

    w.p.intercept = 1; /* the operator is prepared */
    CHECK_OK(gi_criterion_value(&w.run, &w.p, GI_WANT_EVIDENCE, &value, &slope,
                                grad));
    for (unsigned want = GI_WANT_LOO; want <= GI_WANT_EVIDENCE; want += 3) {
        size_t before = gram_memory_used(), failures = 0;
        gram_status status = GRAM_ERR_MEMORY;

        for (size_t n = 1; status != GRAM_OK; n++, failures++) {
            gi_mem_fail_at(n, 0);
            status =
                gi_criterion_value(&w.run, &w.p, want, &value, &slope, grad);
            gi_mem_fail_at(0, 0);
            CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
            CHECK(gram_memory_used() == before);
        }
        CHECK(failures > 10);
    }
    problem_free(&w);
}

static int stop_after(void *user, double done)
{
    int *left = user;

    (void)done;
    return --*left < 0;
}

TEST(it_can_be_cancelled)
{
    problem w = problem_new("rbf", 430, 1);
    double value, slope, grad;
    int left = 1;

    w.run.progress = stop_after;
    w.run.user = &left;
    CHECK_FAILS(gi_criterion_value(&w.run, &w.p, GI_WANT_EVIDENCE, &value,
                                   &slope, &grad),
                GRAM_ERR_CANCELLED, "cancelled");
    problem_free(&w);
}

TESTS(SMALL(evidence_is_the_density_of_the_targets),
      SMALL(leave_one_out_equals_refits),
      NORMAL(gradients_equal_differences_in_every_setting),
      SMALL(gradients_equal_differences_for_every_kind_of_expression),
      NORMAL(gradients_equal_differences_over_many_tiles),
      SMALL(a_matrix_that_is_not_positive_definite_is_no_error),
      SMALL(a_constant_target_says_nothing),
      SMALL(an_intercept_takes_off_any_constant),
      SMALL(one_row_has_no_leave_one_out),
      NORMAL(values_and_gradients_do_not_depend_on_the_threads),
      SMALL(failing_allocations_leave_nothing_behind),
      SMALL(it_can_be_cancelled))
