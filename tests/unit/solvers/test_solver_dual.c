/* test_solver_dual.c - what is particular to the dual solver: precisions,
 * jitter, singular matrices with lambda = 0, the condition.  The equations
 * themselves are checked for every solver in test_solvers_all.c.
 */
#include "operators.h"
#include "ridges.h"

static const gram_exec one = {.threads = 1};

/* exp(-gamma |x - t|^2) of n and m rows of d numbers, to be freed. */
static double *gaussian(size_t n, const double *x, size_t m, const double *t,
                        size_t d, double gamma)
{
    double *K = grams_doubles(n * m);

    for (size_t i = 0; i < n * m; i++) {
        double sum = 0;

        for (size_t j = 0; j < d; j++)
            sum += pow(x[i / m * d + j] - t[i % m * d + j], 2);
        K[i] = exp(-gamma * sum);
    }
    return K;
}

/* x.t of n and m rows, to be freed. */
static double *inner(size_t n, const double *x, size_t m, const double *t,
                     size_t d)
{
    double *K = grams_doubles(n * m);

    for (size_t i = 0; i < n * m; i++) {
        K[i] = 0;
        for (size_t j = 0; j < d; j++)
            K[i] += x[i / m * d + j] * t[i % m * d + j];
    }
    return K;
}

static gi_solution solve(const gi_problem *p)
{
    GI_RUN(run, &one);
    gi_solution s;

    CHECK_OK(gi_solver_solve(&run, ridges_solver("dual"), p, &s));
    return s;
}

/* ---------------------------------------------------------------- precision */

TEST(single_precision_is_refined_to_the_residual_of_double)
{
    enum { N = 300, D = 3 };
    double *x = grams_random(N * D, 0, 1), *y = ridges_targets(N, D, x, 2, 5);
    double *K = gaussian(N, x, N, x, D, 0.3);
    dense_operator k;
    gi_problem p = {.K = &k.op,
                    .n = N,
                    .targets = 2,
                    .y = y,
                    .intercept = 1,
                    .lambda = 0.1};
    gi_solution a, b;

    dense_operator_init(&k, N, N, K, NULL);
    a = solve(&p);
    p.precision = GI_FACTOR_SINGLE;
    p.keep_factor = 1;
    b = solve(&p);
    CHECK_STR(a.precision, "double");
    CHECK_STR(b.precision, "single + refinement");
    CHECK(a.steps == 0 && b.steps > 0 && b.steps < 10);
    CHECK(b.converged && b.residual < 1e-10);
    CHECK(gi_chol_blas(b.factor) == &gi_blas_single);
    for (size_t i = 0; i < N * 2; i++)
        CHECK_NEAR(b.alpha[i], a.alpha[i], 1e-8);
    CHECK_NEAR(b.condition / a.condition, 1, 1e-2);
    gi_solution_free(&a);
    gi_solution_free(&b);
    free(K);
    free(x);
    free(y);
}

/* A Gaussian kernel so wide that single precision loses definiteness. */
TEST(single_precision_that_breaks_down_gives_way_to_double)
{
    enum { N = 200 };
    double *x = grams_random(N, 0, 2), *y = ridges_targets(N, 1, x, 1, 0);
    double *K = gaussian(N, x, N, x, 1, 0.05);
    dense_operator k;
    gi_problem p = {.K = &k.op,
                    .n = N,
                    .targets = 1,
                    .y = y,
                    .lambda = 1e-9,
                    .precision = GI_FACTOR_SINGLE};
    gi_solution s;

    dense_operator_init(&k, N, N, K, NULL);
    s = solve(&p);
    CHECK_STR(s.precision, "double (single precision broke down)");
    CHECK(s.converged && s.residual < 1e-6);
    gi_solution_free(&s);
    free(K);
    free(x);
    free(y);
}

/* The bytes of the plan tell the precision. */
static double planned_bytes(const gi_problem *p)
{
    GI_RUN(run, &one);

    return ridges_solver("dual")->cost(&run, p, p->n).bytes;
}

TEST(single_precision_is_chosen_where_it_pays)
{
    enum { N = 3000, FEW = 1900 };
    double *x = grams_random(N * 2, 0, 3), *y = ridges_targets(N, 2, x, 1, 0);
    kernel_world w;
    gi_problem p = {.n = N, .targets = 1, .y = y, .lambda = 0.1};
    double both = (double)(N * N);

    kernel_world_new(&w, "rbf(gamma=0.5)", N, 0, 2, x, &one);
    p.K = w.K;
    CHECK(planned_bytes(&p) < 3.5 * both); /* 2 n^2 and vectors */
    p.lambda = 1e-7;
    CHECK(planned_bytes(&p) > 4 * both);
    p.lambda = 0.1;
    p.keep_factor = 1;
    CHECK(planned_bytes(&p) > 4 * both);
    p.keep_factor = 0;
    p.precision = GI_FACTOR_DOUBLE;
    CHECK(planned_bytes(&p) > 4 * both);
    p.precision = GI_FACTOR_AUTO;
    kernel_world_free(&w);
    kernel_world_new(&w, "rbf(gamma=0.5)", FEW, 0, 2, x, &one);
    p.K = w.K;
    p.n = FEW;
    CHECK(planned_bytes(&p) > 4.0 * FEW * FEW);
    kernel_world_free(&w);
    free(x);
    free(y);
}

TEST(large_problems_take_single_precision_and_keep_the_residual)
{
    enum { N = 2500, D = 3 };
    double *x = grams_random(N * D, 0, 4), *y = ridges_targets(N, D, x, 1, 0);
    GI_RUN(run, NULL);
    kernel_world w;
    gi_problem p = {
        .n = N, .targets = 1, .y = y, .intercept = 1, .lambda = 0.1};
    gi_solution s;

    kernel_world_new(&w, "rbf(gamma=0.5)", N, 0, D, x, NULL);
    p.K = w.K;
    CHECK_OK(gi_solver_solve(&run, ridges_solver("dual"), &p, &s));
    CHECK_STR(s.precision, "single + refinement");
    CHECK(s.converged && s.residual < 1e-10);
    gi_solution_free(&s);
    kernel_world_free(&w);
    free(x);
    free(y);
}

/* ------------------------------------------------------------------- jitter */

/* I + c 11', but for one eigenvalue that is -`hole` before lambda comes. */
static void almost_definite(size_t n, double hole, double *K)
{
    for (size_t i = 0; i < n * n; i++)
        K[i] = (i / n == i % n) - (1 + hole) / (double)n;
}

TEST(jitter_is_added_only_where_it_must_be_and_is_reported)
{
    enum { N = 20 };
    double K[N * N], y[N];
    dense_operator k;
    gi_problem p = {.K = &k.op, .n = N, .targets = 1, .y = y, .lambda = 1e-14};
    gi_solution s;

    for (size_t i = 0; i < N; i++)
        y[i] = sin((double)i);
    almost_definite(N, 3e-9, K);
    dense_operator_init(&k, N, N, K, NULL);
    s = solve(&p);
    CHECK(s.jitter > 3e-9 && s.jitter < 1e-7);
    CHECK(s.residual > 1e-12); /* of the equations without jitter */
    gi_solution_free(&s);

    p.jitter = 1e-3;
    s = solve(&p);
    CHECK(s.jitter == 1e-3);
    gi_solution_free(&s);

    p.jitter = 0;
    almost_definite(N, 0, K);
    p.lambda = 1e-3;
    s = solve(&p);
    CHECK(s.jitter == 0 && s.residual < 1e-12);
    gi_solution_free(&s);
}

TEST(jitter_that_is_forbidden_or_useless_is_an_error)
{
    double K[] = {1, 2, 2, 1}, y[] = {1, -1};
    GI_RUN(run, &one);
    dense_operator k;
    gi_problem p = {
        .K = &k.op, .n = 2, .targets = 1, .y = y, .lambda = 0.5, .jitter = -1};
    gi_solution s;

    dense_operator_init(&k, 2, 2, K, NULL);
    CHECK(gi_solver_solve(&run, ridges_solver("dual"), &p, &s) ==
          GRAM_ERR_NUMERIC);
    CHECK(strstr(gram_error_message(),
                 "lambda = 0.5, jitter = 0: Cholesky: pivot 1 is -1.16"));
    CHECK(s.alpha == NULL && s.factor == NULL);
    p.jitter = 0;
    CHECK(gi_solver_solve(&run, ridges_solver("dual"), &p, &s) ==
          GRAM_ERR_NUMERIC);
}

/* ------------------------------------------------- lambda = 0, singular K */

/* Problems on rows x in the plane, weights w, and what f + b is at them and at
 * new rows. */
enum { OLD = 12, FRESH = 4, PLANE = 2, ALL = OLD + FRESH };

typedef struct plane {
    double x[ALL * PLANE], y[OLD * 2], noise[OLD];
    double *K, *T, *prior;
    dense_operator k, t;
    gi_problem p;
} plane;

static void plane_begin(plane *q, int gauss, int intercept, int weights)
{
    const double *fresh = q->x + OLD * PLANE;

    q->K = gauss ? gaussian(OLD, q->x, OLD, q->x, PLANE, 0.5)
                 : inner(OLD, q->x, OLD, q->x, PLANE);
    q->T = gauss ? gaussian(FRESH, fresh, OLD, q->x, PLANE, 0.5)
                 : inner(FRESH, fresh, OLD, q->x, PLANE);
    q->prior = gauss ? gaussian(FRESH, fresh, FRESH, fresh, PLANE, 0.5)
                     : inner(FRESH, fresh, FRESH, fresh, PLANE);
    for (size_t i = 0; i < FRESH; i++)
        q->prior[i] = q->prior[i * FRESH + i];
    dense_operator_init(&q->k, OLD, OLD, q->K, NULL);
    dense_operator_init(&q->t, FRESH, OLD, q->T, q->prior);
    q->p = (gi_problem){.K = &q->k.op,
                        .n = OLD,
                        .targets = 2,
                        .y = q->y,
                        .noise = weights ? q->noise : NULL,
                        .intercept = intercept};
}

static void plane_end(plane *q)
{
    free(q->K);
    free(q->T);
    free(q->prior);
}

/* Rows that repeat after `distinct`, with targets that agree or not. */
static void plane_rows(plane *q, size_t distinct, int agree)
{
    double *x = grams_random(ALL * PLANE, 0, 5);
    double *e = grams_random(OLD * 2, 0, 6), *w = grams_random(OLD, 1, 7);

    for (size_t i = 0; i < ALL * PLANE; i++)
        q->x[i] = i < OLD * PLANE ? x[i % (distinct * PLANE)] : x[i];
    for (size_t i = 0; i < OLD * 2; i++)
        q->y[i] = e[agree ? i % (distinct * 2) : i] + 3;
    for (size_t i = 0; i < OLD; i++)
        q->noise[i] = 0.5 + w[i];
    free(x);
    free(e);
    free(w);
}

/* The limit of small lambda, by elimination in long double; lambda is small
 * enough to be near the limit and large enough for alpha in double. */
static void check_limit(const plane *q, const gi_solution *s)
{
    gi_problem p = q->p;
    double alpha[OLD * 2], b[2], left[ALL * 2], right[ALL * 2];
    gi_solution limit = {.alpha = alpha, .intercept = b};

    p.lambda = 1e-8;
    ridges_solve(&p, q->K, alpha, b);
    ridges_values(&p, s, q->K, OLD, left);
    ridges_values(&p, &limit, q->K, OLD, right);
    ridges_values(&p, s, q->T, FRESH, left + OLD * 2);
    ridges_values(&p, &limit, q->T, FRESH, right + OLD * 2);
    for (size_t i = 0; i < ALL * 2; i++)
        CHECK_NEAR(left[i], right[i], 1e-5);
}

TEST(singular_matrices_give_the_limit_of_small_lambda)
{
    for (int which = 0; which < 32; which++) {
        int gauss = which & 1, intercept = which >> 1 & 1;
        int weights = which >> 2 & 1, agree = which >> 3 & 1;
        size_t distinct = which & 16 ? 5 : OLD;
        plane q;
        gi_solution s;

        plane_rows(&q, distinct, agree);
        plane_begin(&q, gauss, intercept, weights);
        s = solve(&q.p);
        CHECK(s.rank == (gauss ? distinct : PLANE));
        CHECK(s.jitter == 0 && s.converged);
        if (gauss && (agree || distinct == OLD))
            CHECK(s.residual < 1e-9);
        else
            CHECK(s.residual > 1e-3);
        check_limit(&q, &s);
        gi_solution_free(&s);
        plane_end(&q);
    }
}

TEST(variances_of_singular_matrices_are_the_limit_too)
{
    for (int which = 0; which < 16; which++) {
        int gauss = which & 1, intercept = which >> 1 & 1;
        int weights = which >> 2 & 1;
        size_t distinct = which & 8 ? 5 : OLD;
        GI_RUN(run, &one);
        double v[OLD];
        plane q;
        gi_solution s;
        gi_problem p;

        plane_rows(&q, distinct, 0);
        plane_begin(&q, gauss, intercept, weights);
        q.p.keep_factor = 1;
        s = solve(&q.p);
        CHECK((s.factor != NULL) == (s.rank == OLD));
        p = q.p;
        p.lambda = 1e-9;
        CHECK_OK(s.solver->variance(&run, &q.p, &s, &q.t.op, v));
        for (size_t i = 0; i < FRESH; i++)
            CHECK_NEAR(v[i],
                       ridges_variance(&p, q.K, q.T + i * OLD, q.prior[i]),
                       1e-6);
        /* nothing is unknown at the rows themselves */
        CHECK_OK(s.solver->variance(&run, &q.p, &s, &q.k.op, v));
        for (size_t i = 0; i < OLD; i++)
            CHECK(v[i] >= 0 && v[i] < 1e-9);
        gi_solution_free(&s);
        plane_end(&q);
    }
}

TEST(rows_that_are_all_the_same_have_rank_one_or_none)
{
    enum { N = 4 };
    const double y[] = {1, 2, 3, 6};
    double K[N * N];
    dense_operator k;
    gi_problem p = {.K = &k.op, .n = N, .targets = 1, .y = y};
    gi_solution s;

    for (int zero = 0; zero < 2; zero++)
        for (p.intercept = 0; p.intercept < 2; p.intercept++) {
            double f = 0;

            for (size_t i = 0; i < N * N; i++)
                K[i] = zero ? 0 : 2;
            dense_operator_init(&k, N, N, K, NULL);
            s = solve(&p);
            CHECK(s.rank == (zero ? 0 : 1));
            for (size_t i = 0; i < N; i++)
                f += K[i] * s.alpha[i];
            /* the mean, which the intercept has alone */
            CHECK_NEAR(f, p.intercept || zero ? 0 : 3, 1e-14);
            CHECK_NEAR(s.intercept[0], p.intercept ? 3 : 0, 1e-14);
            gi_solution_free(&s);
        }
}

/* ------------------------------------------------------------------- others */

TEST(the_condition_is_that_in_the_1_norm)
{
    enum { N = 30 };
    double *x = grams_random(N * 2, 0, 8), *y = ridges_targets(N, 2, x, 1, 0);
    double *K = inner(N, x, N, x, 2); /* entries of both signs */
    dense_operator k;
    gi_problem p = {.K = &k.op, .n = N, .targets = 1, .y = y, .lambda = 0.01};
    long double *A, *inverse = calloc(N * N, sizeof *inverse);
    long double norm = 0, norm_inverse = 0;
    size_t e;
    gi_solution s;

    dense_operator_init(&k, N, N, K, NULL);
    s = solve(&p);
    A = ridges_matrix(&p, K, &e);
    for (size_t i = 0; i < N; i++) {
        long double sum = 0;

        for (size_t j = 0; j < N; j++)
            sum += fabsl(A[i * N + j]);
        norm = fmaxl(norm, sum);
        inverse[i * N + i] = 1;
    }
    ridges_eliminate(N, N, A, inverse);
    for (size_t i = 0; i < N; i++) {
        long double sum = 0;

        for (size_t j = 0; j < N; j++)
            sum += fabsl(inverse[i * N + j]);
        norm_inverse = fmaxl(norm_inverse, sum);
    }
    /* an estimate from below, seldom far */
    CHECK(s.condition <= (double)(norm * norm_inverse) * (1 + 1e-9));
    CHECK(s.condition >= (double)(norm * norm_inverse) / 3);
    gi_solution_free(&s);
    free(inverse);
    free(A);
    free(K);
    free(x);
    free(y);
}

TEST(a_constant_target_is_all_intercept)
{
    enum { N = 25 };
    double *x = grams_random(N, 0, 9), *K = gaussian(N, x, N, x, 1, 1);
    double y[N];
    dense_operator k;
    gi_problem p = {.K = &k.op,
                    .n = N,
                    .targets = 1,
                    .y = y,
                    .intercept = 1,
                    .lambda = 0.1};
    gi_solution s;

    for (size_t i = 0; i < N; i++)
        y[i] = 0.1;
    dense_operator_init(&k, N, N, K, NULL);
    for (int single = 0; single < 2; single++) {
        p.precision = single ? GI_FACTOR_SINGLE : GI_FACTOR_DOUBLE;
        s = solve(&p);
        CHECK(s.intercept[0] == 0.1 && s.residual == 0 && s.converged);
        for (size_t i = 0; i < N; i++)
            CHECK(s.alpha[i] == 0);
        gi_solution_free(&s);
    }
    free(K);
    free(x);
}

TEST(variances_need_the_factor)
{
    double K[] = {1}, y[] = {1}, v;
    GI_RUN(run, &one);
    dense_operator k;
    gi_problem p = {.K = &k.op, .n = 1, .targets = 1, .y = y, .lambda = 1};
    gi_solution s;

    dense_operator_init(&k, 1, 1, K, NULL);
    s = solve(&p);
    CHECK_FAILS(s.solver->variance(&run, &p, &s, &k.op, &v), GRAM_ERR_RANGE,
                "variances: the factor was not kept");
    gi_solution_free(&s);
}

static int stop(void *user, double done)
{
    (void)user;
    return done > 0.1;
}

TEST(a_caller_may_stop_it)
{
    enum { N = 900 };
    const gram_exec exec = {.threads = 1, .progress = stop};
    GI_RUN(run, &exec);
    double *x = grams_random(N, 0, 10), *y = ridges_targets(N, 1, x, 1, 0);
    double *K = gaussian(N, x, N, x, 1, 1);
    size_t before;
    dense_operator k;
    gi_problem p = {.K = &k.op, .n = N, .targets = 1, .y = y, .lambda = 0.1};
    gi_solution s;

    dense_operator_init(&k, N, N, K, NULL);
    before = gram_memory_used();
    CHECK_FAILS(gi_solver_solve(&run, ridges_solver("dual"), &p, &s),
                GRAM_ERR_CANCELLED, "cancelled");
    CHECK(gram_memory_used() == before);
    free(K);
    free(x);
    free(y);
}

TESTS(SMALL(single_precision_is_refined_to_the_residual_of_double),
      SMALL(single_precision_that_breaks_down_gives_way_to_double),
      SMALL(single_precision_is_chosen_where_it_pays),
      NORMAL(large_problems_take_single_precision_and_keep_the_residual),
      SMALL(jitter_is_added_only_where_it_must_be_and_is_reported),
      SMALL(jitter_that_is_forbidden_or_useless_is_an_error),
      SMALL(singular_matrices_give_the_limit_of_small_lambda),
      SMALL(variances_of_singular_matrices_are_the_limit_too),
      SMALL(rows_that_are_all_the_same_have_rank_one_or_none),
      SMALL(the_condition_is_that_in_the_1_norm),
      SMALL(a_constant_target_is_all_intercept),
      SMALL(variances_need_the_factor), NORMAL(a_caller_may_stop_it))
