/* test_spectrum.c - eigenvalues of kernel matrices against closed forms, the
 * two methods against each other, and the solvers below them.
 */
#include "grams.h"

#include <float.h>

#include "kernels/proof/spectrum.h"
#include "linalg/iterative/lanczos.h"

static gram_spectrum spectrum(const char *text, const gram_table *t,
                              size_t dense, int threads)
{
    gram_exec exec = {.threads = threads};
    GI_RUN(run, &exec);
    gram_kernel *k = grams_kernel(text);
    gram_program *p = NULL;
    gi_points *x = NULL;
    gram_spectrum s;

    CHECK_OK(gi_program_new(&run, k, t, 0, &p));
    CHECK_OK(gi_points_new(&run, p, t, GI_DOUBLE, &x));
    CHECK_OK(gi_program_spectrum(&run, p, x, dense, &s));
    gi_points_free(x);
    gi_program_free(p);
    gram_kernel_free(k);
    return s;
}

/* ------------------------------------------------------------ closed forms */

TEST(white_has_the_identity)
{
    enum { N = 50 };
    gram_table *t = grams_random_table(N, 2, 0, 1, NULL);

    for (size_t dense = 0; dense <= N; dense += N) {
        gram_spectrum s = spectrum("white", t, dense, 2);

        CHECK_NEAR(s.min_eigenvalue, 1, 1e-13);
        CHECK_NEAR(s.max_eigenvalue, 1, 1e-13);
        CHECK_NEAR(s.condition, 1, 1e-13);
        CHECK(s.psd == 1 && s.identity && !s.constant);
        CHECK(s.exact == (dense == N) && s.rank == dense);
    }
    gram_table_free(t);
}

TEST(a_constant_has_rank_one)
{
    enum { N = 50 };
    gram_table *t = grams_random_table(N, 2, 0, 1, NULL);

    for (size_t dense = 0; dense <= N; dense += N) {
        gram_spectrum s = spectrum("3", t, dense, 2);

        CHECK_NEAR(s.max_eigenvalue, 3 * N, 1e-13);
        CHECK(fabs(s.min_eigenvalue) <= s.error && s.error < 1e-11);
        CHECK(s.psd == 1 && s.constant && !s.identity);
        CHECK(s.rank == (dense ? 1 : 0));
        CHECK(dense ? isinf(s.condition) : isnan(s.condition));
    }
    gram_table_free(t);
}

TEST(linear_has_the_rank_of_its_columns)
{
    enum { N = 40, D = 7 };
    gram_table *t = grams_random_table(N, D, 0, 2, NULL);
    gram_spectrum s = spectrum("linear", t, N, 2);

    CHECK(s.rank == D && s.psd == 1 && !s.identity && !s.constant);
    s = spectrum("linear + white", t, N, 2);
    CHECK(s.rank == N);
    CHECK_NEAR(s.min_eigenvalue, 1, 1e-12);
    gram_table_free(t);
}

/* Two points at distance r: eigenvalues 1 +- exp(-gamma r^2). */
TEST(two_points_have_known_eigenvalues)
{
    static const double x[] = {0, 0.6, 0.8, 0};
    gram_table *t = grams_table(2, 2, x, NULL);
    gram_spectrum s = spectrum("rbf(gamma=2)", t, 2, 1);

    CHECK_NEAR(s.min_eigenvalue, 1 - exp(-2), 1e-15);
    CHECK_NEAR(s.max_eigenvalue, 1 + exp(-2), 1e-15);
    CHECK_NEAR(s.condition, (1 + exp(-2)) / (1 - exp(-2)), 1e-14);
    gram_table_free(t);
}

TEST(one_row_has_one_eigenvalue)
{
    static const double x[] = {3};
    gram_table *t = grams_table(1, 1, x, NULL);

    for (size_t dense = 0; dense <= 1; dense++) {
        gram_spectrum s = spectrum("linear", t, dense, 1);

        CHECK(s.min_eigenvalue == 9 && s.max_eigenvalue == 9 && s.psd == 1);
        CHECK(!s.identity && !s.constant);
    }
    gram_table_free(t);
}

/* ------------------------------------------------------------- the methods */

TEST(lanczos_agrees_with_all_eigenvalues_within_its_error)
{
    static const char *const texts[] = {
        "rbf(gamma=0.5)", "laplace(gamma=3)",   "linear",
        "sigmoid",        "rbf(gamma=1) - 0.5", "matern(length=0.1)",
    };
    enum { N = 300 };
    gram_table *t = grams_random_table(N, 3, 0, 3, NULL);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gram_spectrum all = spectrum(texts[i], t, N, 2);
        gram_spectrum two = spectrum(texts[i], t, 0, 2);

        CHECK(all.exact && !two.exact && two.rank == 0);
        CHECK(fabs(two.min_eigenvalue - all.min_eigenvalue) <=
              two.error + all.error);
        CHECK_NEAR(two.max_eigenvalue, all.max_eigenvalue, 1e-6);
        CHECK(two.psd == 0 || two.psd == all.psd);
        CHECK(all.psd == (i == 3 || i == 4 ? -1 : 1));
        CHECK(i != 3 || two.psd == -1);
        CHECK(all.identity == two.identity && all.constant == two.constant);
    }
    gram_table_free(t);
}

TEST(the_bits_do_not_depend_on_the_number_of_threads)
{
    enum { N = 300 };
    gram_table *t = grams_random_table(N, 3, 0, 4, NULL);

    for (size_t dense = 0; dense <= N; dense += N) {
        gram_spectrum one = spectrum("laplace(gamma=1)", t, dense, 1);

        for (int threads = 2; threads <= 4; threads++) {
            gram_spectrum many =
                spectrum("laplace(gamma=1)", t, dense, threads);

            CHECK(one.min_eigenvalue == many.min_eigenvalue);
            CHECK(one.max_eigenvalue == many.max_eigenvalue);
            CHECK(one.error == many.error);
        }
    }
    gram_table_free(t);
}

/* gamma so large that rows are strangers, two of them but twins; so small that
 * all are the same. */
TEST(a_badly_scaled_gamma_is_seen)
{
    enum { N = 60 };
    double *x = grams_random(N, 0, 5);
    gram_table *t;

    x[1] = x[0];
    t = grams_table(N, 1, x, NULL);
    for (size_t dense = 0; dense <= N; dense += N) {
        gram_spectrum s = spectrum("rbf(gamma=1e12)", t, dense, 2);

        CHECK(s.identity && !s.constant);
        s = spectrum("rbf(gamma=1e-9)", t, dense, 2);
        CHECK(!s.identity && s.constant);
        s = spectrum("rbf(gamma=1)", t, dense, 2);
        CHECK(!s.identity && !s.constant);
    }
    gram_table_free(t);
    free(x);
}

/* ---------------------------------------------------------------- solvers */

typedef struct diagonal {
    size_t n;
    double scale;
} diagonal;

static gram_status apply(void *user, const double *v, double *out)
{
    const diagonal *m = user;

    for (size_t i = 0; i < m->n; i++)
        out[i] = m->scale * (double)(i + 1) * v[i];
    return GRAM_OK;
}

/* After n steps the tridiagonal matrix is A itself. */
TEST(lanczos_with_as_many_steps_as_rows_is_exact)
{
    static const double scales[] = {1, 1e300, 1e-300, -1};

    for (size_t n = 1; n <= 20; n++)
        for (size_t i = 0; i < 4; i++) {
            GI_RUN(run, NULL);
            diagonal m = {n, scales[i]};
            gi_lanczos out;
            double size = fabs(scales[i]) * (double)n;

            CHECK_OK(gi_lanczos_extremes(&run, n, apply, &m, n, 0, &out));
            CHECK(out.steps == n);
            CHECK_NEAR((out.max - fmax(m.scale, m.scale * (double)n)) / size, 0,
                       1e-13);
            CHECK_NEAR((out.min - fmin(m.scale, m.scale * (double)n)) / size, 0,
                       1e-13);
        }
}

TEST(ritz_values_stay_inside_and_near)
{
    GI_RUN(run, NULL);
    diagonal m = {1000, 1};
    gi_lanczos out;

    for (size_t steps = 1; steps <= 60; steps += 10) {
        CHECK_OK(gi_lanczos_extremes(&run, m.n, apply, &m, steps, 0, &out));
        CHECK(out.steps == steps);
        CHECK(out.min >= 1 - 1e-9 && out.max <= 1000 + 1e-9);
    }
    CHECK(out.max + out.max_error >= 1000 - 1e-9);
    CHECK_NEAR(out.max, 1000, 1e-3);
}

static gram_status not_finite(void *user, const double *v, double *out)
{
    (void)user;
    out[0] = v[0];
    out[1] = NAN;
    return GRAM_OK;
}

TEST(solvers_refuse_what_is_not_finite)
{
    GI_RUN(run, NULL);
    double a[] = {1, NAN, 0, 1}, values[2];
    gi_lanczos out;

    CHECK_FAILS(gi_eigen_symmetric(&run, 2, a, 2, 0, values), GRAM_ERR_NUMERIC,
                "eigenvalues: entry (0,1) is nan, must be finite");
    CHECK_FAILS(gi_lanczos_extremes(&run, 2, not_finite, NULL, 2, 0, &out),
                GRAM_ERR_NUMERIC,
                "Lanczos: product 1 with the matrix is not finite");
    CHECK_FAILS(gi_lanczos_extremes(&run, 0, not_finite, NULL, 2, 0, &out),
                GRAM_ERR_RANGE,
                "Lanczos: 0 rows and 2 steps, must be at least 1");
}

/* A = V' D V with the vectors in the rows of V; only the upper triangle of A
 * is looked at. */
TEST(eigenvectors_rebuild_the_matrix)
{
    enum { N = 30, LD = 33 };
    GI_RUN(run, NULL);
    double *x = grams_random(N * LD, 0, 6), a[N * LD], values[N];

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < LD; j++)
            a[i * LD + j] = j >= i && j < N ? x[i * LD + j] : NAN;
    CHECK_OK(gi_eigen_symmetric(&run, N, a, LD, 1, values));
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++) {
            double entry = 0, dot = 0;

            for (size_t k = 0; k < N; k++) {
                entry += values[k] * a[k * LD + i] * a[k * LD + j];
                dot += a[i * LD + k] * a[j * LD + k];
            }
            CHECK_NEAR(entry, x[i * LD + j], 1e-12);
            CHECK_NEAR(dot, i == j, 1e-12);
        }
    for (size_t i = 1; i < N; i++)
        CHECK(values[i - 1] <= values[i]);
    free(x);
}

static int stop(void *user, double done)
{
    ++*(int *)user;
    return done > 0.3;
}

TEST(a_cancelled_spectrum_stops)
{
    int calls = 0;
    gram_exec exec = {.progress = stop, .user = &calls};
    GI_RUN(run, &exec);
    gram_table *t = grams_random_table(400, 2, 0, 7, NULL);
    gram_kernel *k = grams_kernel("laplace(gamma=9)");
    gram_program *p = NULL;
    gi_points *x = NULL;
    gram_spectrum s = {.rank = 77};

    CHECK_OK(gi_program_new(&run, k, t, 0, &p));
    CHECK_OK(gi_points_new(&run, p, t, GI_DOUBLE, &x));
    CHECK_FAILS(gi_program_spectrum(&run, p, x, 0, &s), GRAM_ERR_CANCELLED,
                "cancelled");
    CHECK(calls > 0 && s.rank == 77);
    gi_points_free(x);
    gi_program_free(p);
    gram_kernel_free(k);
    gram_table_free(t);
}

TESTS(SMALL(white_has_the_identity), SMALL(a_constant_has_rank_one),
      SMALL(linear_has_the_rank_of_its_columns),
      SMALL(two_points_have_known_eigenvalues),
      SMALL(one_row_has_one_eigenvalue),
      SMALL(lanczos_agrees_with_all_eigenvalues_within_its_error),
      SMALL(the_bits_do_not_depend_on_the_number_of_threads),
      SMALL(a_badly_scaled_gamma_is_seen),
      SMALL(lanczos_with_as_many_steps_as_rows_is_exact),
      SMALL(ritz_values_stay_inside_and_near),
      SMALL(solvers_refuse_what_is_not_finite),
      SMALL(eigenvectors_rebuild_the_matrix), SMALL(a_cancelled_spectrum_stops))
