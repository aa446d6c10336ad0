/* test_markov.c - chains, passes, and the solver on them: equal to dense
 * matrices, whatever way the points lie, and where theory says
 * what the answer is.
 */
#include "check.h"

#include "markov_dense.h"
#include "runs.h"

#include "base/mem.h"

extern const gi_solver gi_solver_markov;

static gi_run run;

/* Largest absolute value of alpha: what its errors are relative to. */
static double largest(const double *a, size_t n)
{
    double top = 0;

    for (size_t i = 0; i < n; i++)
        top = fmax(top, fabs(a[i]));
    return top;
}

static gi_solution solved(const gi_problem *p)
{
    gi_solution s;

    run_again(&run, NULL);
    CHECK_OK(gi_solver_solve(&run, &gi_solver_markov, p, &s));
    return s;
}

/* ------------------------------------------------------------------- chain */

TEST(a_product_is_that_of_the_dense_matrix)
{
    enum { N = 20 };
    static world w;
    double v[N], room[3 * N], out[N];
    gi_chain c;

    run_again(&run, NULL);
    for (int family = 1; family <= FAMILIES; family++)
        for (size_t l = 0; l < LAYOUTS; l++) {
            world_make(&w, family, &layouts[l], N, 0);
            CHECK_OK(gi_chain_new(&run, &w.kernel, w.time, N, &c));
            for (size_t i = 0; i < N; i++)
                v[i] = w.y[2 * c.point[i] + 1];
            gi_chain_product(&c, v, room, out);
            for (size_t i = 0; i < N; i++) {
                real sum = 0, size = 0;

                for (size_t j = 0; j < N; j++) {
                    real k = dense_kernel(&w.kernel, w.time[c.point[i]],
                                          w.time[c.point[j]]);
                    sum += k * v[j];
                    size += dense_abs(k * v[j]);
                }
                CHECK_CLOSE(out[i], sum, size, 1e-13, &w, layouts[l].name);
            }
            gi_chain_free(&c);
        }
}

TEST(places_are_in_order_of_time_and_number)
{
    const double time[] = {3, 1, 2, 1, 1, 0.5};
    const size_t order[] = {5, 1, 3, 4, 2, 0};
    const gi_markov k = {GRAM_MARKOV_MATERN32, 1, 1, 0};
    gi_chain c;

    run_again(&run, NULL);
    CHECK_OK(gi_chain_new(&run, &k, time, 6, &c));
    CHECK(c.n == 6 && c.states == 2);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(c.point[i], order[i]);
        assert_int_equal(gi_chain_tied(&c, i), i == 2 || i == 3);
    }
    gi_chain_free(&c);
}

TEST(coordinates_that_are_not_of_the_domain_are_refused)
{
    const double bad[] = {1, NAN}, below[] = {1, -2};
    const gi_markov min = {GRAM_MARKOV_MIN, 1, 1, 0};
    gi_chain c;

    run_again(&run, NULL);
    CHECK_FAILS(gi_chain_new(&run, &min, bad, 2, &c), GRAM_ERR_RANGE,
                "row 1: nan, must be finite");
    gi_chain_free(&c);
    CHECK_FAILS(gi_chain_new(&run, &min, below, 2, &c), GRAM_ERR_RANGE,
                "min: row 1: -2, must be at least 0");
    gi_chain_free(&c);
}

/* -------------------------------------------------------------------- pass */

/* All that a pass finds, against the inverse. */
static void compare_pass(world *w, const layout *l)
{
    size_t n = w->p.n;
    double noise[DENSE_MOST], y[DENSE_MOST], z[DENSE_MOST], u[DENSE_MOST];
    double spread[DENSE_MOST];
    dense *d = dense_new(&w->p);
    real size = 0, cross = 0;
    gi_chain c;
    gi_pass s;

    run_again(&run, NULL);
    CHECK_OK(gi_chain_new(&run, &w->kernel, w->time, n, &c));
    CHECK_OK(gi_pass_new(&run, &c, &s));
    for (size_t i = 0; i < n; i++) {
        noise[i] = w->noise[c.point[i]];
        y[i] = w->y[2 * c.point[i]];
        z[i] = w->y[2 * c.point[i] + 1];
    }
    gi_pass_filter(&s, noise, l->lambda, 0);
    gi_pass_spread(&s, spread);
    gi_pass_forward(&s, y, u);
    gi_pass_forward(&s, z, z);
    assert_int_equal(s.rank, n);
    CHECK_CLOSE(s.logdet, d->logdet, dense_max(1, dense_abs(d->logdet)), 1e-12,
                w, l->name);
    for (size_t i = 0; i < n; i++) {
        size = dense_max(size, dense_abs(dense_alpha(d, i, 0)));
        cross += w->y[2 * i + 1] * dense_alpha(d, i, 0);
    }
    CHECK_CLOSE(gi_pass_dot(&s, u, z), cross,
                sqrt((double)(dense_fit(d, 0) * dense_fit(d, 1))), 1e-11, w,
                l->name);
    gi_pass_backward(&s, u);
    for (size_t i = 0; i < n; i++) {
        real P = d->inverse[c.point[i]][c.point[i]];

        CHECK_CLOSE(u[i], dense_alpha(d, c.point[i], 0), size, 1e-11, w,
                    l->name);
        CHECK_CLOSE(spread[i], P, P, 1e-11, w, l->name);
    }
    gi_pass_free(&s);
    gi_chain_free(&c);
    free(d);
}

TEST(a_pass_gives_the_inverse_and_its_determinant)
{
    static world w;

    for (int family = 1; family <= FAMILIES; family++)
        for (size_t l = 0; l < LAYOUTS; l++) {
            world_make(&w, family, &layouts[l], 16, 0);
            compare_pass(&w, &layouts[l]);
        }
}

TEST(a_pass_gives_the_inverse_for_more_rows)
{
    static world w;

    for (int family = 1; family <= FAMILIES; family++)
        for (size_t l = 0; l < LAYOUTS; l++) {
            world_make(&w, family, &layouts[l], DENSE_MOST, 0);
            compare_pass(&w, &layouts[l]);
        }
}

/* ------------------------------------------------------------------ solver */

TEST(a_solution_is_that_of_the_dense_equations)
{
    enum { N = 12 };
    static world w;

    for (int family = 1; family <= FAMILIES; family++)
        for (size_t l = 0; l < 2 * LAYOUTS; l++) {
            const layout *at = &layouts[l / 2];
            gi_solution s;
            dense *d;

            world_make(&w, family, at, N, l % 2);
            d = dense_new(&w.p);
            s = solved(&w.p);
            /* a sum of n terms A_ij alpha_j, and |y| is a few */
            CHECK(s.residual < 1e-15 * N * largest(s.alpha, 2 * N) *
                                   (2 * (at->offset + at->span) + at->lambda));
            CHECK(s.rank == N && s.converged);
            CHECK(isnan(s.condition) && s.jitter == 0 && !s.weights);
            for (size_t t = 0; t < 2; t++) {
                double top = largest(s.alpha, 2 * N);
                real b = dense_intercept(d, t);

                /* b is known to 1/sqrt(1'A^-1 1) */
                CHECK_CLOSE(s.intercept[t], b,
                            fmax(1, sqrt(1 / (double)d->one)), 1e-9, &w,
                            at->name);
                for (size_t i = 0; i < N; i++)
                    CHECK_CLOSE(s.alpha[2 * i + t], dense_alpha(d, i, t), top,
                                1e-9, &w, at->name);
            }
            gi_solution_free(&s);
            free(d);
        }
}

TEST(predictions_are_those_of_the_dense_process)
{
    enum { N = 12, M = 8 };
    static world w;
    double time[M], mean[2 * M], variance[M];

    for (int family = 1; family <= FAMILIES; family++)
        for (size_t l = 0; l < 2 * LAYOUTS; l++) {
            const layout *at = &layouts[l / 2];
            gi_operator T = dense_operator(&w.kernel, time, M, N);
            gi_solution s;
            dense *d;

            world_make(&w, family, at, N, l % 2);
            d = dense_new(&w.p);
            s = solved(&w.p);
            for (size_t i = 0; i < M; i++) /* around, between, and on rows */
                time[i] = i % 4 == 3
                              ? w.time[i]
                              : at->offset + at->span *
                                                 ((double)(i * 7 % M) - 0.5) /
                                                 (M - 3);
            time[0] = fabs(time[0]);
            CHECK_OK(gi_markov_predict(&run, &w.p, &s, &T, mean, variance));
            for (size_t i = 0; i < M; i++) {
                real v = dense_variance(d, time[i]);
                real prior = dense_kernel(&w.kernel, time[i], time[i]);

                for (size_t t = 0; t < 2; t++)
                    CHECK_CLOSE(mean[2 * i + t], dense_mean(d, time[i], t), 1,
                                1e-8, &w, at->name);
                CHECK(variance[i] >= 0);
                CHECK_CLOSE(variance[i], v, dense_max(v, prior), 1e-9, &w,
                            at->name);
            }
            gi_solution_free(&s);
            free(d);
        }
}

TEST(variances_come_from_the_solver)
{
    static world w;
    double time[] = {3, 50, 1}, variance[3], same[3];
    gi_operator T = dense_operator(&w.kernel, time, 3, 20);
    gi_solution s;

    world_make(&w, GRAM_MARKOV_MATERN52, &layouts[0], 20, 0);
    s = solved(&w.p);
    CHECK_OK(gi_solver_markov.variance(&run, &w.p, &s, &T, variance));
    CHECK_OK(gi_markov_predict(&run, &w.p, &s, &T, NULL, same));
    assert_memory_equal(variance, same, sizeof same);
    CHECK_NEAR(variance[1], 1.7, 1e-12); /* far away: the prior */
    gi_solution_free(&s);
}

TEST(jitter_is_noise_of_the_same_size)
{
    static world w;
    gi_solution a, b;

    world_make(&w, GRAM_MARKOV_MATERN32, &layouts[0], 20, 1);
    w.p.noise = NULL;
    w.p.lambda = 0.25;
    a = solved(&w.p);
    w.p.lambda = 0.125;
    w.p.jitter = 0.125;
    b = solved(&w.p);
    assert_memory_equal(a.alpha, b.alpha, 40 * sizeof *a.alpha);
    CHECK(a.jitter == 0 && b.jitter == 0.125);
    CHECK(a.residual < 1e-13 && b.residual > 1e-3); /* of what was asked */
    gi_solution_free(&a);
    gi_solution_free(&b);
}

TEST(an_offset_of_y_goes_to_the_intercept_alone)
{
    static world w;
    gi_solution a, b;

    world_make(&w, GRAM_MARKOV_EXPONENTIAL, &layouts[0], 30, 1);
    a = solved(&w.p);
    for (size_t i = 0; i < 60; i++)
        w.y[i] += 1e8;
    b = solved(&w.p);
    for (size_t i = 0; i < 60; i++)
        CHECK_NEAR(b.alpha[i], a.alpha[i], 1e-6);
    CHECK_NEAR(b.intercept[0] - 1e8, a.intercept[0], 1e-6);
    gi_solution_free(&a);
    gi_solution_free(&b);
}

/* --------------------------------------------------------- without any noise
 */

/* min: straight lines from (0,0) through the points, then constant. */
TEST(min_without_noise_joins_the_points_by_lines)
{
    const double time[] = {4, 1, 2}, y[] = {-1, 3, 5};
    double at[] = {0, 0.5, 1, 1.5, 3, 4, 100}, mean[7], variance[7];
    const double line[] = {0, 1.5, 3, 4, 2, -1, -1};
    const double bridge[] = {0, 0.25, 0, 0.25, 0.5, 0, 96};
    const gi_markov k = {GRAM_MARKOV_MIN, 1, 1, 0};
    gi_operator K = dense_operator(&k, time, 3, 3);
    gi_operator T = dense_operator(&k, at, 7, 3);
    gi_problem p = {.K = &K, .n = 3, .targets = 1, .y = y};
    gi_solution s = solved(&p);

    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, variance));
    for (size_t i = 0; i < 7; i++) {
        CHECK_NEAR(mean[i], line[i], 1e-14);
        CHECK_NEAR(variance[i], bridge[i], 1e-14);
    }
    gi_solution_free(&s);
}

TEST(exponential_without_noise_sees_two_neighbours)
{
    const double time[] = {0, 1, 3, 7}, y[] = {9, 2, 5, -4};
    double at[] = {1.5}, mean[1];
    const gi_markov k = {GRAM_MARKOV_EXPONENTIAL, 2, 0.7, 0};
    gi_operator K = dense_operator(&k, time, 4, 4);
    gi_operator T = dense_operator(&k, at, 1, 4);
    gi_problem p = {.K = &K, .n = 4, .targets = 1, .y = y};
    gi_solution s = solved(&p);

    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, NULL));
    CHECK_NEAR(mean[0],
               (2 * sinh(0.7 * 1.5) + 5 * sinh(0.7 * 0.5)) / sinh(0.7 * 2),
               1e-14);
    gi_solution_free(&s);
}

TEST(ties_without_noise_are_fitted_by_their_weighted_mean)
{
    enum { N = 24 };
    static world w;
    double f[2 * N];

    for (int family = 1; family <= FAMILIES; family++)
        for (int intercept = 0; intercept < 2; intercept++) {
            double sum = 0;
            gi_solution s;

            world_make(&w, family, &layouts[1], N, intercept);
            w.p.lambda = 0;
            s = solved(&w.p);
            assert_int_equal(s.rank, N - N / 3);
            CHECK(s.residual > 1e-3); /* y contradicts itself */
            for (size_t i = 0; i < N; i++)
                sum += s.alpha[2 * i + 1];
            if (intercept)
                CHECK_CLOSE(sum, 0, largest(s.alpha, 2 * N), 1e-12, &w, "sum");
            CHECK_OK(gi_markov_predict(&run, &w.p, &s, &w.K, f, NULL));
            for (size_t i = 0; i < N; i += 3) {
                double a = 1 / w.noise[i], b = 1 / w.noise[i + 1];
                double mean =
                    (a * w.y[2 * i + 1] + b * w.y[2 * i + 3]) / (a + b);

                CHECK_CLOSE(f[2 * i + 1], mean, 1, 1e-12, &w, "tied");
                CHECK_CLOSE(f[2 * i + 3], mean, 1, 1e-12, &w, "tied");
                CHECK_CLOSE(f[2 * i + 5], w.y[2 * i + 5], 1, 1e-12, &w,
                            "alone");
                CHECK_CLOSE(s.alpha[2 * i] * w.noise[i],
                            s.alpha[2 * i + 2] * w.noise[i + 1],
                            largest(s.alpha, 2 * N), 1e-14, &w, "shared");
            }
            gi_solution_free(&s);
        }
}

TEST(duplicated_rows_change_nothing_without_noise)
{
    enum { N = 8 };
    static world w, twice;
    double at[] = {2.2, 9}, one[4], two[4], v1[2], v2[2];
    gi_operator T = dense_operator(&w.kernel, at, 2, N);
    gi_solution s;

    world_make(&w, GRAM_MARKOV_MATERN52, &layouts[0], N, 1);
    world_make(&twice, GRAM_MARKOV_MATERN52, &layouts[0], 2 * N, 1);
    w.p.lambda = twice.p.lambda = 0;
    for (size_t i = 0; i < 2 * N; i++) {
        twice.time[i] = w.time[i % N];
        twice.y[2 * i] = w.y[2 * (i % N)];
        twice.y[2 * i + 1] = w.y[2 * (i % N) + 1];
    }
    s = solved(&w.p);
    CHECK_OK(gi_markov_predict(&run, &w.p, &s, &T, one, v1));
    gi_solution_free(&s);
    s = solved(&twice.p);
    assert_int_equal(s.rank, N);
    CHECK(s.residual < 1e-9);
    CHECK_OK(gi_markov_predict(&run, &twice.p, &s, &T, two, v2));
    gi_solution_free(&s);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(two[i], one[i], 1e-12);
    for (size_t i = 0; i < 2; i++)
        CHECK_NEAR(v2[i], v1[i], 1e-12);
}

/* f(0) = 0 under min: noise explains it, or the intercept, or nothing can. */
TEST(time_zero_of_min_is_a_row_without_kernel)
{
    const double time[] = {2, 0, 1, 0}, y[] = {5, 3, 4, 1};
    const gi_markov k = {GRAM_MARKOV_MIN, 1, 1, 0};
    gi_operator K = dense_operator(&k, time, 4, 4);
    gi_problem p = {.K = &K, .n = 4, .targets = 1, .y = y, .lambda = 0.5};
    gi_solution s = solved(&p);

    CHECK_NEAR(s.alpha[1], 6, 1e-14); /* y/lambda */
    CHECK_NEAR(s.alpha[3], 2, 1e-14);
    gi_solution_free(&s);

    p.lambda = 0;
    s = solved(&p);
    assert_int_equal(s.rank, 2);
    CHECK(s.alpha[1] == 0 && s.alpha[3] == 0);
    CHECK_NEAR(s.alpha[0], 1, 1e-14); /* slope 4, then 1 */
    CHECK_NEAR(s.alpha[2], 3, 1e-14);
    CHECK_NEAR(s.residual, sqrt(10.0 / 51), 1e-14);
    gi_solution_free(&s);

    p.intercept = 1;
    s = solved(&p);
    CHECK_NEAR(s.intercept[0], 2, 1e-14);
    CHECK_NEAR(s.alpha[0], 1, 1e-14); /* slope 2, then 1 */
    CHECK_NEAR(s.alpha[2], 1, 1e-14);
    CHECK_NEAR(s.alpha[0] + s.alpha[1] + s.alpha[2] + s.alpha[3], 0, 1e-14);
    gi_solution_free(&s);
}

/* ---------------------------------------------------------------- few rows */

TEST(one_row_has_the_answer_of_the_formula)
{
    const double time[] = {2}, y[] = {3};
    double at[] = {2.5}, mean[1], variance[1], c = exp(-0.5);
    const gi_markov k = {GRAM_MARKOV_EXPONENTIAL, 2, 1, 0};
    gi_operator K = dense_operator(&k, time, 1, 1);
    gi_operator T = dense_operator(&k, at, 1, 1);
    gi_problem p = {.K = &K, .n = 1, .targets = 1, .y = y, .lambda = 0.5};
    gi_solution s = solved(&p);

    CHECK_NEAR(s.alpha[0], 3 / 2.5, 1e-15);
    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, variance));
    CHECK_NEAR(mean[0], 2 * c * 3 / 2.5, 1e-15);
    CHECK_NEAR(variance[0], 2 - 4 * c * c / 2.5, 1e-15);
    gi_solution_free(&s);

    p.intercept = 1;
    s = solved(&p);
    CHECK(s.alpha[0] == 0 && s.intercept[0] == 3 && s.residual == 0);
    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, variance));
    CHECK_NEAR(mean[0], 3, 1e-15);
    gi_solution_free(&s);
}

/* All at one point: f = c sum(y)/(n c + lambda); nothing to see without
 * kernel. */
TEST(rows_at_one_point_share_one_value)
{
    const double time[] = {5, 5, 5}, y[] = {1, 2, 6};
    double at[] = {5}, mean[1];
    gi_markov k = {GRAM_MARKOV_MATERN32, 2, 1, 0};
    gi_operator K = dense_operator(&k, time, 3, 3);
    gi_operator T = dense_operator(&k, at, 1, 3);
    gi_problem p = {.K = &K, .n = 3, .targets = 1, .y = y, .lambda = 0.5};
    gi_solution s = solved(&p);

    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, NULL));
    CHECK_NEAR(mean[0], 2 * 9 / 6.5, 1e-14);
    gi_solution_free(&s);
    p.lambda = 0;
    s = solved(&p);
    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, NULL));
    CHECK_NEAR(mean[0], 3, 1e-14);
    assert_int_equal(s.rank, 1);
    gi_solution_free(&s);
    k.amplitude = 0;
    p.intercept = 1;
    s = solved(&p);
    CHECK_OK(gi_markov_predict(&run, &p, &s, &T, mean, NULL));
    CHECK_NEAR(mean[0], 3, 1e-14);
    assert_int_equal(s.rank, 0);
    gi_solution_free(&s);
}

TEST(a_constant_target_is_all_intercept)
{
    static world w;
    gi_solution s;

    world_make(&w, GRAM_MARKOV_MATERN52, &layouts[1], 20, 1);
    for (size_t i = 0; i < 20; i++)
        w.y[2 * i] = 0.1;
    s = solved(&w.p);
    CHECK(s.intercept[0] == 0.1);
    for (size_t i = 0; i < 20; i++)
        CHECK(s.alpha[2 * i] == 0);
    gi_solution_free(&s);
}

/* ------------------------------------------------------------------- others */

TEST(an_answer_that_overflows_is_an_error)
{
    const double time[] = {1e-310, 2e-310}, y[] = {1, 1};
    const gi_markov k = {GRAM_MARKOV_MIN, 1, 1, 0};
    gi_operator K = dense_operator(&k, time, 2, 2);
    gi_problem p = {.K = &K, .n = 2, .targets = 1, .y = y};
    gi_solution s;

    run_again(&run, NULL);
    CHECK_FAILS(gi_solver_solve(&run, &gi_solver_markov, &p, &s),
                GRAM_ERR_NUMERIC,
                "solver markov: lambda = 0 is too small for rows this close, "
                "alpha overflows");
    CHECK(s.alpha == NULL);
}

TEST(other_kernels_are_not_for_it)
{
    static world w;
    GI_RUN(r, NULL);

    world_make(&w, GRAM_MARKOV_EXPONENTIAL, &layouts[0], 20, 1);
    CHECK(gi_solver_markov.cost(&r, &w.p, w.p.n).possible);
    CHECK(gi_solver_markov.cost(&r, &w.p, w.p.n).seconds > 0);
    w.kernel.rate = NAN; /* still open */
    CHECK(!gi_solver_markov.cost(&r, &w.p, w.p.n).possible);
    w.kernel.family = GRAM_MARKOV_MIN; /* which has none */
    CHECK(gi_solver_markov.cost(&r, &w.p, w.p.n).possible);
    w.K.markov = NULL;
    CHECK(!gi_solver_markov.cost(&r, &w.p, w.p.n).possible);
}

TEST(failing_allocations_leave_nothing)
{
    static world w;
    double time[] = {1, 2}, mean[4], variance[2];
    gi_operator T = dense_operator(&w.kernel, time, 2, 10);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gi_solution s;

    world_make(&w, GRAM_MARKOV_MATERN52, &layouts[0], 10, 1);
    run_again(&run, NULL);
    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_solver_solve(&run, &gi_solver_markov, &w.p, &s);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK)
            CHECK(status == GRAM_ERR_MEMORY && gram_memory_used() == before);
    }
    CHECK(n > 5);
    before = gram_memory_used();
    for (n = 1, status = GRAM_ERR_MEMORY; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_markov_predict(&run, &w.p, &s, &T, mean, variance);
        gi_mem_fail_at(0, 0);
        CHECK(gram_memory_used() == before);
    }
    CHECK(n > 5);
    gi_solution_free(&s);
}

/* Half a million rows on a grid and off it: a residual, and no time at all. */
TEST(many_rows_are_solved_to_rounding)
{
    enum { N = 500000 };
    double *time = malloc(N * sizeof *time), *y = malloc(N * sizeof *y);
    gi_rng rng = gi_rng_new(1, 1);
    gi_markov k = {GRAM_MARKOV_MIN, 1, 20, 0};
    gi_operator K = dense_operator(&k, time, N, N);
    gi_problem p = {
        .K = &K, .n = N, .targets = 1, .y = y, .intercept = 1, .lambda = 0.1};

    assert_non_null(time);
    assert_non_null(y);
    for (size_t i = 0; i < N; i++) {
        time[i] = i % 2 ? (double)i / N : gi_rng_uniform(&rng);
        y[i] = sin(20 * time[i]) + 0.3 * gi_rng_normal(&rng);
    }
    for (int family = 1; family <= FAMILIES; family++) {
        gi_solution s;

        k.family = (gram_markov)family;
        s = solved(&p);
        CHECK(s.residual < 1e-9);
        gi_solution_free(&s);
    }
    free(time);
    free(y);
}

TESTS(SMALL(a_product_is_that_of_the_dense_matrix),
      SMALL(places_are_in_order_of_time_and_number),
      SMALL(coordinates_that_are_not_of_the_domain_are_refused),
      SMALL(a_pass_gives_the_inverse_and_its_determinant),
      NORMAL(a_pass_gives_the_inverse_for_more_rows),
      SMALL(a_solution_is_that_of_the_dense_equations),
      SMALL(predictions_are_those_of_the_dense_process),
      SMALL(variances_come_from_the_solver),
      SMALL(jitter_is_noise_of_the_same_size),
      SMALL(an_offset_of_y_goes_to_the_intercept_alone),
      SMALL(min_without_noise_joins_the_points_by_lines),
      SMALL(exponential_without_noise_sees_two_neighbours),
      SMALL(ties_without_noise_are_fitted_by_their_weighted_mean),
      SMALL(duplicated_rows_change_nothing_without_noise),
      SMALL(time_zero_of_min_is_a_row_without_kernel),
      SMALL(one_row_has_the_answer_of_the_formula),
      SMALL(rows_at_one_point_share_one_value),
      SMALL(a_constant_target_is_all_intercept),
      SMALL(an_answer_that_overflows_is_an_error),
      SMALL(other_kernels_are_not_for_it),
      SMALL(failing_allocations_leave_nothing),
      NORMAL(many_rows_are_solved_to_rounding))
