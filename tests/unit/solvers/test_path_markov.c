/* test_path_markov.c - criteria over lambda on a chain: equal to their
 * definitions on dense matrices and to refits, the same on any number of
 * threads.
 */
#include "check.h"

#include "criteria.h"
#include "markov_dense.h"
#include "runs.h"

#include "base/mem.h"
#include "solvers/path.h"

extern const gi_solver gi_solver_markov;

static gi_run run;

enum { ALL = GI_WANT_LOO | GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF };

static gi_path *path_of(const gi_problem *p)
{
    gi_path *path = NULL;

    run_again(&run, NULL);
    CHECK_OK(gi_path_markov(&run, p, &path));
    assert_non_null(path);
    return path;
}

/* The formulas of path.h. */
static gi_criteria expected(const dense *d, size_t target)
{
    const gi_problem *p = d->p;
    double rows = (double)p->n - (p->intercept != 0);
    double fit = (double)dense_fit(d, target);
    double s = p->amplitude == GI_AMPLITUDE_ONE       ? 1
               : p->amplitude == GI_AMPLITUDE_INVERSE ? 1 / p->lambda
                                                      : fit / rows;
    real loo = 0, weight = 0, square = 0, trace = 0;

    for (size_t i = 0; i < p->n; i++) {
        real alpha = dense_alpha(d, i, target), D = dense_noise(p, i);

        loo += alpha / d->P[i][i] * alpha / d->P[i][i] / D;
        weight += 1 / D;
        square += alpha * alpha * D;
        trace += d->P[i][i] * D;
    }
    return (gi_criteria){
        .lambda = p->lambda,
        .loo = (double)(loo / weight),
        .gcv = (double)(p->n * p->n / weight * square / (trace * trace)),
        .evidence = -(fit / s + (double)d->logdet + rows * log(2 * M_PI * s) +
                      (p->intercept ? log((double)d->one) : 0)) /
                    2,
        .df = (double)(p->n - p->lambda * trace),
        .amplitude = s,
    };
}

static void compare(world *w, const layout *l, gi_path *path)
{
    double lambda[] = {l->lambda, 1e-3, 10};
    gi_criteria got[6], e;

    CHECK_OK(path->at(path, &run, lambda, 3, ALL, got));
    for (size_t i = 0; i < 3; i++) {
        dense *d;

        w->p.lambda = lambda[i];
        d = dense_new(&w->p);
        for (size_t t = 0; t < 2; t++) {
            const gi_criteria *g = &got[2 * i + t];

            e = expected(d, t);
            CHECK(g->lambda == lambda[i]);
            CHECK_CLOSE(g->loo, e.loo, e.loo, 1e-9, w, l->name);
            CHECK_CLOSE(g->gcv, e.gcv, e.gcv, 1e-9, w, l->name);
            CHECK_CLOSE(g->evidence, e.evidence, fmax(1, fabs(e.evidence)),
                        1e-9, w, l->name);
            CHECK_CLOSE(g->df, e.df, e.df, 1e-9, w, l->name);
            CHECK_CLOSE(g->amplitude, e.amplitude, e.amplitude, 1e-9, w,
                        l->name);
        }
        free(d);
    }
}

TEST(criteria_are_those_of_the_dense_matrix)
{
    static world w;

    for (int family = 1; family <= FAMILIES; family++)
        for (size_t l = 0; l + 1 < LAYOUTS; l++) { /* the last has no noise */
            gi_path *path;

            world_make(&w, family, &layouts[l], 10, (int)l % 2);
            path = path_of(&w.p);
            compare(&w, &layouts[l], path);
            path->free(path);
        }
}

TEST(evidence_knows_three_kinds_of_amplitude)
{
    static world w;

    for (int kind = 0; kind < 3; kind++)
        for (int intercept = 0; intercept < 2; intercept++) {
            gi_path *path;

            world_make(&w, GRAM_MARKOV_MATERN32, &layouts[0], 12, intercept);
            w.p.amplitude = (gi_amplitude)kind;
            w.p.noise = intercept ? NULL : w.noise;
            path = path_of(&w.p);
            compare(&w, &layouts[0], path);
            path->free(path);
        }
}

TEST(only_what_is_wanted_is_there)
{
    static world w;
    const double lambda = 0.1;
    gi_criteria all[2], some[2];
    gi_path *path;

    world_make(&w, GRAM_MARKOV_MIN, &layouts[0], 20, 1);
    path = path_of(&w.p);
    CHECK_OK(path->at(path, &run, &lambda, 1, ALL, all));
    CHECK_OK(path->at(path, &run, &lambda, 1, GI_WANT_EVIDENCE, some));
    CHECK(some[1].evidence == all[1].evidence && isnan(some[1].loo) &&
          isnan(some[1].gcv) && isnan(some[1].df));
    CHECK_OK(path->at(path, &run, &lambda, 1, GI_WANT_LOO, some));
    CHECK(some[1].loo == all[1].loo && isnan(some[1].evidence));
    path->free(path);
}

TEST(the_scale_is_the_mean_diagonal)
{
    static world w;
    double sum = 0;
    gi_path *path;

    world_make(&w, GRAM_MARKOV_MIN, &layouts[0], 20, 1);
    for (size_t i = 0; i < 20; i++)
        sum += 1.7 * w.time[i] / w.noise[i];
    path = path_of(&w.p);
    CHECK_NEAR(path->scale, sum / 20, 1e-14);
    path->free(path);
}

/* Row `out` at the end, the problem without it, and what that predicts. */
TEST(leaving_one_out_is_a_refit_without_it)
{
    enum { N = 14 };
    static world w;
    double loo[2 * N], mean[2];

    for (int family = 1; family <= FAMILIES; family++) {
        gi_path *path;

        world_make(&w, family, &layouts[1], N, family % 2);
        path = path_of(&w.p);
        CHECK_OK(path->residuals(path, &run, w.p.lambda, loo));
        path->free(path);
        for (size_t out = 0; out < N; out++) {
            static world less;
            gi_operator T = dense_operator(&less.kernel, &w.time[out], 1, N);
            gi_solution s;

            less = w;
            less.K.time = less.time;
            less.p.K = &less.K;
            less.p.y = less.y;
            less.p.noise = less.noise;
            less.K.rows = less.K.cols = less.p.n = N - 1;
            less.time[out] = w.time[N - 1];
            less.noise[out] = w.noise[N - 1];
            less.y[2 * out] = w.y[2 * N - 2];
            less.y[2 * out + 1] = w.y[2 * N - 1];
            CHECK_OK(gi_solver_solve(&run, &gi_solver_markov, &less.p, &s));
            CHECK_OK(gi_markov_predict(&run, &less.p, &s, &T, mean, NULL));
            gi_solution_free(&s);
            for (size_t t = 0; t < 2; t++)
                CHECK_CLOSE(loo[2 * out + t], w.y[2 * out + t] - mean[t], 1,
                            1e-11, &w, "loo");
        }
    }
}

/* r_I = P_II^-1 alpha_I, that is sum_j P_ij r_j = alpha_i within a fold. */
TEST(leaving_folds_out_solves_their_block)
{
    enum { N = 17, FOLDS = 3 };
    static world w;
    double r[2 * N];
    int fold[N];

    for (int family = 1; family <= FAMILIES; family++)
        for (int intercept = 0; intercept < 2; intercept++) {
            gi_path *path;
            dense *d;

            world_make(&w, family, &layouts[1], N, intercept);
            for (size_t i = 0; i < N; i++)
                fold[i] = (int)(i * i % 7 % FOLDS);
            path = path_of(&w.p);
            CHECK_OK(path->folds(path, &run, w.p.lambda, fold, FOLDS, r));
            path->free(path);
            d = dense_new(&w.p);
            for (size_t i = 0; i < N; i++)
                for (size_t t = 0; t < 2; t++) {
                    real sum = 0;

                    for (size_t j = 0; j < N; j++)
                        if (fold[j] == fold[i])
                            sum += d->P[i][j] * r[2 * j + t];
                    CHECK_CLOSE(sum, dense_alpha(d, i, t), 1, 1e-10, &w,
                                "fold");
                }
            free(d);
        }
}

TEST(folds_of_one_row_are_leaving_one_out)
{
    enum { N = 20 };
    static world w;
    double loo[2 * N], r[2 * N];
    int fold[N];
    gi_path *path;

    world_make(&w, GRAM_MARKOV_MATERN52, &layouts[0], N, 1);
    for (int i = 0; i < N; i++)
        fold[i] = i;
    path = path_of(&w.p);
    CHECK_OK(path->residuals(path, &run, 0.3, loo));
    CHECK_OK(path->folds(path, &run, 0.3, fold, N, r));
    for (size_t i = 0; i < 2 * N; i++)
        CHECK_NEAR(r[i], loo[i], 1e-12);
    path->free(path);
}

/* Degrees of freedom fall from n to 1 (the intercept), as lambda grows. */
TEST(degrees_of_freedom_fall_with_lambda)
{
    enum { N = 20, COUNT = 30 };
    static world w;
    double lambda[COUNT];
    gi_criteria c[2 * COUNT];

    for (size_t i = 0; i < COUNT; i++)
        lambda[i] = pow(10, (double)i - 15);
    for (int family = 1; family <= FAMILIES; family++) {
        gi_path *path;

        world_make(&w, family, &layouts[0], N, 1);
        path = path_of(&w.p);
        CHECK_OK(path->at(path, &run, lambda, COUNT, GI_WANT_DF, c));
        CHECK_NEAR(c[0].df, N, 1e-3);
        for (size_t i = 1; i < COUNT; i++)
            CHECK(c[2 * i].df <= c[2 * i - 2].df + 1e-10);
        CHECK_NEAR(c[2 * COUNT - 2].df, 1, 1e-9);
        path->free(path);
    }
}

TEST(one_row_has_no_rest_to_learn_from)
{
    const double time[] = {2}, y[] = {3}, lambda = 0.5;
    const gi_markov k = {GRAM_MARKOV_EXPONENTIAL, 2, 1, 0};
    gi_operator K = dense_operator(&k, time, 1, 1);
    gi_problem p = {.K = &K, .n = 1, .targets = 1, .y = y};
    gi_path *path = path_of(&p);
    gi_criteria c;
    double loo;

    p.amplitude = GI_AMPLITUDE_ONE;
    CHECK_OK(path->at(path, &run, &lambda, 1, ALL, &c));
    CHECK_NEAR(c.loo, 9, 1e-14);
    CHECK_NEAR(c.evidence, -(9 / 2.5 + log(2.5) + log(2 * M_PI)) / 2, 1e-14);
    path->free(path);
    p.intercept = 1;
    p.amplitude = GI_AMPLITUDE_PROFILED;
    path = path_of(&p);
    CHECK_OK(path->at(path, &run, &lambda, 1, ALL, &c));
    CHECK_OK(path->residuals(path, &run, lambda, &loo));
    CHECK(isnan(c.loo) && isnan(c.gcv) && isnan(c.evidence) && isnan(loo));
    CHECK_NEAR(c.df, 1, 1e-14);
    path->free(path);
}

TEST(other_kernels_have_no_such_path)
{
    static world w;
    gi_path *path = NULL;

    run_again(&run, NULL);
    world_make(&w, GRAM_MARKOV_EXPONENTIAL, &layouts[0], 20, 1);
    w.K.markov = NULL;
    CHECK_OK(gi_path_markov(&run, &w.p, &path));
    CHECK(path == NULL);
}

TEST(failing_allocations_leave_nothing)
{
    static world w;
    const double lambda[] = {0.1, 1};
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gi_path *path = NULL;
    gi_criteria c[4];

    world_make(&w, GRAM_MARKOV_MATERN52, &layouts[0], 10, 1);
    run_again(&run, NULL);
    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_path_markov(&run, &w.p, &path);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK)
            CHECK(path == NULL && gram_memory_used() == before);
    }
    CHECK(n > 5);
    before = gram_memory_used();
    for (n = 1, status = GRAM_ERR_MEMORY; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = path->at(path, &run, lambda, 2, ALL, c);
        gi_mem_fail_at(0, 0);
        CHECK(gram_memory_used() == before);
    }
    CHECK(n > 5);
    path->free(path);
}

static int refuse(void *user, double done)
{
    (void)user;
    return done >= 0.5;
}

TEST(a_caller_may_stop_it)
{
    static world w;
    const double lambda[] = {0.1, 1, 2, 3};
    const gram_exec exec = {.progress = refuse};
    gi_criteria c[8];
    gi_path *path;

    world_make(&w, GRAM_MARKOV_MIN, &layouts[0], 10, 1);
    path = path_of(&w.p);
    run_again(&run, &exec);
    CHECK_FAILS(path->at(path, &run, lambda, 4, ALL, c), GRAM_ERR_CANCELLED,
                "cancelled");
    path->free(path);
}

static void same_bits(size_t n, size_t count)
{
    double *time = malloc(n * sizeof *time), *y = malloc(n * sizeof *y);
    double *lambda = malloc(count * sizeof *lambda);
    gi_criteria *one = malloc(count * sizeof *one);
    gi_criteria *many = malloc(count * sizeof *many);
    gi_rng rng = gi_rng_new(5, 5);

    CHECK(time && y && lambda && one && many);
    for (size_t i = 0; i < n; i++) {
        time[i] = 100 * gi_rng_uniform(&rng);
        y[i] = gi_rng_normal(&rng);
    }
    for (size_t i = 0; i < count; i++)
        lambda[i] = pow(10, (double)i - 3);
    for (int family = 1; family <= FAMILIES; family++) {
        gi_markov k = {(gram_markov)family, 1, 1, 0};
        gi_operator K = dense_operator(&k, time, n, n);
        gi_problem p = {.K = &K, .n = n, .targets = 1, .y = y, .intercept = 1};
        gi_path *path = path_of(&p);

        run.threads = 1;
        CHECK_OK(path->at(path, &run, lambda, count, ALL, one));
        for (int threads = 2; threads <= 3; threads++) {
            run.threads = threads;
            CHECK_OK(path->at(path, &run, lambda, count, ALL, many));
            CHECK(criteria_equal(one, many, count));
        }
        path->free(path);
    }
    free(time);
    free(y);
    free(lambda);
    free(one);
    free(many);
}

TEST(threads_change_no_bit)
{
    same_bits(1000, 5);
}

TEST(threads_change_no_bit_of_many_rows)
{
    same_bits(30000, 5);
}

TESTS(SMALL(criteria_are_those_of_the_dense_matrix),
      SMALL(evidence_knows_three_kinds_of_amplitude),
      SMALL(only_what_is_wanted_is_there),
      SMALL(the_scale_is_the_mean_diagonal),
      SMALL(leaving_one_out_is_a_refit_without_it),
      SMALL(leaving_folds_out_solves_their_block),
      SMALL(folds_of_one_row_are_leaving_one_out),
      SMALL(degrees_of_freedom_fall_with_lambda),
      SMALL(one_row_has_no_rest_to_learn_from),
      SMALL(other_kernels_have_no_such_path),
      SMALL(failing_allocations_leave_nothing), SMALL(a_caller_may_stop_it),
      SMALL(threads_change_no_bit), NORMAL(threads_change_no_bit_of_many_rows))
