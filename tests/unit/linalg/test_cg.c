/* test_cg.c - conjugate gradients: the residual is the true one, convergence
 * in as many steps as there are distinct eigenvalues, columns that end at
 * different times, preconditioners, failures.
 */
#include "check.h"

#include <float.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/run.h"
#include "base/status.h"
#include "linalg/iterative/cg.h"

/* A dense matrix, and what was asked of it. */
typedef struct dense {
    size_t n;
    double *a;
    size_t calls, columns, fewest;
} dense;

static gram_status multiply(void *user, gi_run *run, const double *x, size_t m,
                            double *out)
{
    dense *d = user;

    (void)run;
    d->calls++;
    d->columns += m;
    d->fewest = d->calls == 1 || m < d->fewest ? m : d->fewest;
    for (size_t i = 0; i < d->n; i++)
        for (size_t c = 0; c < m; c++) {
            out[i * m + c] = 0;
            for (size_t k = 0; k < d->n; k++)
                out[i * m + c] += d->a[i * d->n + k] * x[k * m + c];
        }
    return GRAM_OK;
}

/* M = diag A */
static gram_status divide(void *user, gi_run *run, const double *x, size_t m,
                          double *out)
{
    const dense *d = user;

    (void)run;
    for (size_t i = 0; i < d->n * m; i++)
        out[i] = x[i] / d->a[i / m * (d->n + 1)];
    return GRAM_OK;
}

static double *numbers(size_t n, unsigned stream)
{
    gi_rng rng = gi_rng_new(5, stream);
    double *x = malloc((n + 1) * sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = gi_rng_normal(&rng);
    return x;
}

/* H D H with the eigenvalues in `value` and a random reflection H. */
static dense with_eigenvalues(size_t n, const double *value)
{
    dense d = {.n = n, .a = numbers(n * n, 1)};
    double *v = numbers(n, 2), square = 0;

    for (size_t i = 0; i < n; i++)
        square += v[i] * v[i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += ((i == k) - 2 * v[i] * v[k] / square) * value[k] *
                       ((k == j) - 2 * v[k] * v[j] / square);
            d.a[i * n + j] = sum;
        }
    free(v);
    return d;
}

/* The largest |b - A x|/|b|. */
static double true_residual(const dense *d, size_t m, const double *b,
                            const double *x)
{
    double worst = 0;

    for (size_t c = 0; c < m; c++) {
        double square = 0, length = 0;

        for (size_t i = 0; i < d->n; i++) {
            double r = b[i * m + c];

            for (size_t k = 0; k < d->n; k++)
                r -= d->a[i * d->n + k] * x[k * m + c];
            square += r * r;
            length += b[i * m + c] * b[i * m + c];
        }
        if (length > 0)
            worst = fmax(worst, sqrt(square / length));
    }
    return worst;
}

/* Up to the rounding of the residual itself, where x is as good as it gets. */
static int is_near(double a, double b)
{
    return a > b / 2 && a < 2 * b;
}

static gi_cg plain(dense *d)
{
    return (gi_cg){.multiply = multiply,
                   .multiply_user = d,
                   .tolerance = 1e-12,
                   .steps = 1000};
}

TEST(steps_are_at_most_the_distinct_eigenvalues)
{
    enum { N = 40 };
    GI_RUN(run, NULL);
    double value[N], x[N] = {0}, *b = numbers(N, 3);
    gi_cg_result result;
    dense d;
    gi_cg cg;

    for (size_t i = 0; i < N; i++)
        value[i] = 1 + (double)(i % 4);
    d = with_eigenvalues(N, value);
    cg = plain(&d);
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, b, x, &result));
    CHECK(result.converged && result.steps == 4);
    CHECK(d.calls == 5); /* with the check at the end */
    CHECK_NEAR(result.residual, true_residual(&d, 1, b, x), 1e-14);
    CHECK(result.residual <= 1e-12);
    free(b);
    free(d.a);
}

/* Column 0 is an eigenvector, done in one step, column 1 is zero, column 2
 * takes all; each answer is the one of the column alone. */
TEST(columns_leave_when_they_are_done)
{
    enum { N = 30, M = 3 };
    GI_RUN(run, NULL);
    double value[N], *b = numbers(N * M, 4), x[N * M], alone[N] = {0}, one[N];
    gi_cg_result result, single;
    dense d;
    gi_cg cg;

    for (size_t i = 0; i < N; i++)
        value[i] = 1 + (double)i;
    d = with_eigenvalues(N, value);
    for (size_t i = 0; i < N; i++) {
        double *v = numbers(N, 2), square = 0;

        for (size_t k = 0; k < N; k++)
            square += v[k] * v[k];
        b[i * M] = (i == 5) - 2 * v[i] * v[5] / square;
        b[i * M + 1] = 0;
        one[i] = b[i * M + 2];
        free(v);
    }
    for (size_t i = 0; i < N * M; i++)
        x[i] = i % M == 1;
    cg = plain(&d);
    CHECK_OK(gi_cg_solve(&run, &cg, N, M, b, x, &result));
    CHECK(result.converged && result.residual <= 1e-12);
    CHECK(d.fewest == 1);
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, one, alone, &single));
    CHECK(result.steps == single.steps);
    for (size_t i = 0; i < N; i++) {
        CHECK_NEAR(x[i * M], b[i * M] / 6, 1e-12);
        CHECK(x[i * M + 1] == 0);
        CHECK(x[i * M + 2] == alone[i]);
    }
    free(b);
    free(d.a);
}

/* A diagonal matrix over 12 decades plus a little: the diagonal as
 * preconditioner makes it easy. */
static dense badly_scaled(size_t n)
{
    dense d = {.n = n, .a = numbers(n * n, 6)};

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double si = pow(10, (double)(i % 7)), sj = pow(10, (double)(j % 7));

            d.a[i * n + j] = si * sj * ((i == j) + 0.3 / (double)n);
        }
    return d;
}

TEST(a_preconditioner_helps)
{
    enum { N = 60, M = 2 };
    GI_RUN(run, NULL);
    dense d = badly_scaled(N);
    double *b = numbers(N * M, 7), x[N * M] = {0}, y[N * M] = {0};
    gi_cg cg = plain(&d);
    gi_cg_result with, without;

    cg.tolerance = 1e-10;
    CHECK_OK(gi_cg_solve(&run, &cg, N, M, b, x, &without));
    cg.precondition = divide;
    cg.precondition_user = &d;
    CHECK_OK(gi_cg_solve(&run, &cg, N, M, b, y, &with));
    CHECK(with.converged && with.steps <= 10 && with.steps < without.steps);
    CHECK(is_near(with.residual, true_residual(&d, M, b, y)));
    free(b);
    free(d.a);
}

/* Beyond what double can do: it ends, says so, and the residual is true. */
TEST(what_cannot_be_reached_is_not_claimed)
{
    enum { N = 40 };
    GI_RUN(run, NULL);
    double value[N], x[N] = {0}, *b = numbers(N, 8);
    gi_cg_result result;
    dense d;
    gi_cg cg;

    for (size_t i = 0; i < N; i++)
        value[i] = pow(10, -8 * (double)i / (N - 1));
    d = with_eigenvalues(N, value);
    cg = plain(&d);
    cg.tolerance = 0;
    cg.steps = 100000;
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, b, x, &result));
    CHECK(!result.converged && result.steps < cg.steps);
    CHECK(result.residual < 1e-6 && result.residual > 0);
    CHECK(is_near(result.residual, true_residual(&d, 1, b, x)));
    free(b);
    free(d.a);
}

TEST(the_start_counts_and_steps_are_kept)
{
    enum { N = 25 };
    GI_RUN(run, NULL);
    double value[N], *b = numbers(N, 9), x[N], near[N];
    gi_cg_result result;
    dense d;
    gi_cg cg;

    for (size_t i = 0; i < N; i++)
        value[i] = 1 + (double)(i * i);
    d = with_eigenvalues(N, value);
    cg = plain(&d);
    memset(x, 0, sizeof x);
    cg.steps = 3;
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, b, x, &result));
    CHECK(!result.converged && result.steps == 3);
    CHECK_NEAR(result.residual, true_residual(&d, 1, b, x), 1e-14);
    cg.steps = 1000;
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, b, x, &result));
    memcpy(near, x, sizeof x);
    cg.tolerance = 1e-6;
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, b, near, &result));
    CHECK(result.converged && result.steps == 0);
    CHECK(memcmp(near, x, sizeof x) == 0);
    CHECK_OK(gi_cg_solve(&run, &cg, 0, 1, b, x, &result));
    CHECK_OK(gi_cg_solve(&run, &cg, N, 0, b, x, &result));
    CHECK(result.converged);
    free(b);
    free(d.a);
}

TEST(matrices_that_are_not_definite_are_refused)
{
    GI_RUN(run, NULL);
    double minus[4] = {1, 0, 0, -1}, nan[4] = {1, 0, 0, NAN};
    double b[2] = {1, 2}, x[2] = {0};
    dense d = {.n = 2, .a = minus};
    gi_cg cg = plain(&d);
    gi_cg_result result;

    CHECK_FAILS(gi_cg_solve(&run, &cg, 2, 1, b, x, &result), GRAM_ERR_NUMERIC,
                "conjugate gradients: p'Ap is -3 in step 1, must be positive: "
                "the matrix is not positive definite");
    cg.precondition = divide;
    cg.precondition_user = &d;
    CHECK_FAILS(gi_cg_solve(&run, &cg, 2, 1, b, x, &result), GRAM_ERR_NUMERIC,
                "conjugate gradients: r'M^-1 r is -3 in step 1, must be "
                "positive: the preconditioner is not positive definite");
    d.a = nan;
    cg.precondition = NULL;
    CHECK(gi_cg_solve(&run, &cg, 2, 1, b, x, &result) == GRAM_ERR_NUMERIC);
    x[0] = 1;
    CHECK(gi_cg_solve(&run, &cg, 2, 1, b, x, &result) == GRAM_ERR_NUMERIC);
}

typedef struct seen {
    size_t steps;
    double last;
} seen;

static gram_status watch(void *user, size_t step, double residual)
{
    seen *s = user;

    CHECK(step == s->steps + 1 && residual >= 0);
    s->steps = step;
    s->last = residual;
    return step == 6 ? gi_fail(GRAM_ERR_CANCELLED, "enough") : GRAM_OK;
}

TEST(every_step_is_watched)
{
    enum { N = 25 };
    GI_RUN(run, NULL);
    double value[N], *b = numbers(N, 9), x[N] = {0};
    seen s = {0};
    gi_cg_result result;
    dense d;
    gi_cg cg;

    for (size_t i = 0; i < N; i++)
        value[i] = 1 + (double)(i * i);
    d = with_eigenvalues(N, value);
    cg = plain(&d);
    cg.watch = watch;
    cg.watch_user = &s;
    cg.steps = 5;
    CHECK_OK(gi_cg_solve(&run, &cg, N, 1, b, x, &result));
    CHECK(s.steps == 5);
    CHECK_NEAR(s.last, result.residual, 1e-12);
    s.steps = 0;
    cg.steps = 100;
    memset(x, 0, sizeof x);
    CHECK_FAILS(gi_cg_solve(&run, &cg, N, 1, b, x, &result), GRAM_ERR_CANCELLED,
                "enough");
    free(b);
    free(d.a);
}

/* Enough rows for several stripes. */
static gram_status second_difference(void *user, gi_run *run, const double *x,
                                     size_t m, double *out)
{
    size_t n = *(size_t *)user;

    (void)run;
    for (size_t i = 0; i < n * m; i++)
        out[i] = 2.1 * x[i] - (i >= m ? x[i - m] : 0) -
                 (i + m < n * m ? x[i + m] : 0);
    return GRAM_OK;
}

TEST(bits_of_solutions_do_not_depend_on_threads)
{
    enum { M = 2 };
    size_t n = 3000;
    double *b = numbers(n * M, 1), *x[4] = {NULL};
    gi_cg cg = {.multiply = second_difference,
                .multiply_user = &n,
                .tolerance = 1e-6,
                .steps = 100};

    for (int t = 0; t < 4; t++) {
        GI_RUN(run, NULL);
        gi_cg_result result;

        run.threads = t + 1;
        x[t] = calloc(n * M, sizeof *x[t]);
        assert_non_null(x[t]);
        CHECK_OK(gi_cg_solve(&run, &cg, n, M, b, x[t], &result));
        CHECK(result.converged);
        CHECK(memcmp(x[0], x[t], n * M * sizeof *x[t]) == 0);
    }
    for (int t = 0; t < 4; t++)
        free(x[t]);
    free(b);
}

TESTS(SMALL(steps_are_at_most_the_distinct_eigenvalues),
      SMALL(columns_leave_when_they_are_done), SMALL(a_preconditioner_helps),
      SMALL(what_cannot_be_reached_is_not_claimed),
      SMALL(the_start_counts_and_steps_are_kept),
      SMALL(matrices_that_are_not_definite_are_refused),
      SMALL(every_step_is_watched),
      SMALL(bits_of_solutions_do_not_depend_on_threads))
