/* test_path.c - criteria over lambda against their definitions and brute-force
 * refits, with intercept, weights and several targets; the three ways to have
 * them against one another; the best lambda; the same bits on any number of
 * threads.
 */
#include "check.h"
#include "criteria.h"
#include "operators.h"
#include "ridges.h"

#include "solvers/path.h"

enum { ALL = GI_WANT_LOO | GI_WANT_GCV | GI_WANT_EVIDENCE | GI_WANT_DF };
enum { D = 3, TARGETS = 2 };

/* A problem on random rows: a Gaussian kernel, or an inner product with its
 * features. */
typedef struct world {
    size_t n;
    double *x, *K, *y, *noise;
    dense_operator op;
    gi_problem p;
} world;

/* Noise, so that the best lambda is not 0. */
static void disturb(size_t n, double *y)
{
    double *noise = grams_random(n, 0, 5);

    for (size_t i = 0; i < n; i++)
        y[i] += noise[i] / 2;
    free(noise);
}

static world *world_new(size_t n, int features, int weighted, int intercept)
{
    world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->n = n;
    w->x = grams_random(n * D, 0, 3);
    w->y = ridges_targets(n, D, w->x, TARGETS, 5);
    w->noise = grams_random(n, 1, 4);
    w->K = grams_doubles(n * n);
    disturb(n * TARGETS, w->y);
    for (size_t i = 0; i < n; i++) {
        w->noise[i] += 0.2;
        for (size_t j = 0; j < n; j++) {
            double dot = 0, square = 0;

            for (size_t k = 0; k < D; k++) {
                double a = w->x[i * D + k], b = w->x[j * D + k];

                dot += a * b;
                square += (a - b) * (a - b);
            }
            w->K[i * n + j] = features ? dot : exp(-square / 2);
        }
    }
    dense_operator_init(&w->op, n, n, w->K, NULL);
    if (features)
        dense_operator_features(&w->op, D, w->x);
    w->p = (gi_problem){.K = &w->op.op,
                        .n = n,
                        .targets = TARGETS,
                        .y = w->y,
                        .noise = weighted ? w->noise : NULL,
                        .intercept = intercept};
    return w;
}

static void world_free(world *w)
{
    free(w->x);
    free(w->K);
    free(w->y);
    free(w->noise);
    free(w);
}

static double weight(const gi_problem *p, size_t i)
{
    return p->noise ? 1 / p->noise[i] : 1;
}

static gi_path *band_path(const world *w, const gi_blas *blas, unsigned want)
{
    GI_RUN(run, NULL);
    gi_path *path = NULL;

    CHECK_OK(gi_path_band(&run, &w->p, blas, want, &path));
    assert_non_null(path);
    return path;
}

static gi_path *primal_path(const world *w)
{
    GI_RUN(run, NULL);
    gi_path *path = NULL;

    CHECK_OK(gi_path_primal(&run, &w->p, &path));
    assert_non_null(path);
    return path;
}

/* ------------------------------------------------------------- brute force */

/* The projected P = d alpha/d y, log det A and log 1'A^-1 1, by elimination. */
static void find_inverse(const world *w, double lambda, double *P,
                         double *logdet)
{
    const size_t n = w->n;
    gi_problem p = w->p;
    double *one = grams_doubles(n * n), b[1];
    long double *A;
    size_t size;

    p.lambda = lambda;
    A = ridges_matrix(&p, w->K, &size);
    /* det of the bordered matrix is -det A 1'A^-1 1 */
    *logdet = 0;
    for (size_t k = 0; k < size; k++) {
        *logdet += log((double)fabsl(A[k * size + k]));
        for (size_t i = k + 1; i < size; i++) {
            long double f = A[i * size + k] / A[k * size + k];

            for (size_t j = k; j < size; j++)
                A[i * size + j] -= f * A[k * size + j];
        }
    }
    free(A);
    p.targets = 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            one[k] = k == i;
        p.y = one;
        ridges_solve(&p, w->K, P + i * n, b);
    }
    free(one);
}

/* The definitions of path.h, with loo from refits. */
static void expected(const world *w, double lambda, gi_criteria *out)
{
    const size_t n = w->n;
    const double m = (double)n - (w->p.intercept != 0);
    double *P = grams_doubles(n * n), *left = grams_doubles(n * TARGETS),
           logdet;
    int *own = malloc(n * sizeof *own);

    for (size_t i = 0; i < n; i++)
        own[i] = (int)i;
    for (size_t i = 0; i < n; i++)
        ridges_without(&w->p, w->K, lambda, own, (int)i, left);
    find_inverse(w, lambda, P, &logdet);
    for (size_t t = 0; t < TARGETS; t++) {
        double trace = 0, square = 0, quadratic = 0, loo = 0, total = 0, s;

        for (size_t i = 0; i < n; i++) {
            double alpha = 0, r = left[i * TARGETS + t], wi = weight(&w->p, i);

            for (size_t j = 0; j < n; j++)
                alpha += P[j * n + i] * w->y[j * TARGETS + t];
            trace += P[i * n + i] / wi;
            square += alpha * alpha / wi;
            quadratic += alpha * w->y[i * TARGETS + t];
            loo += wi * r * r;
            total += wi;
        }
        s = w->p.amplitude == GI_AMPLITUDE_ONE       ? 1
            : w->p.amplitude == GI_AMPLITUDE_INVERSE ? 1 / lambda
                                                     : quadratic / m;
        out[t] = (gi_criteria){
            .lambda = lambda,
            .loo = loo / total,
            .gcv = (double)(n * n) / total * square / (trace * trace),
            .evidence = -(m * log(2 * M_PI * s) + logdet + quadratic / s) / 2,
            .df = (double)n - lambda * trace,
            .amplitude = s,
        };
    }
    free(P);
    free(left);
    free(own);
}

static void check_same(const gi_criteria *a, const gi_criteria *b,
                       double digits)
{
    CHECK(a->lambda == b->lambda);
    CHECK_NEAR(a->loo / b->loo, 1, digits);
    CHECK_NEAR(a->gcv / b->gcv, 1, digits);
    CHECK_NEAR(a->evidence, b->evidence, digits);
    CHECK_NEAR(a->df, b->df, digits);
    CHECK_NEAR(a->amplitude / b->amplitude, 1, digits);
}

/* The path at several lambdas is what brute force gives. */
static void check_path(const world *w, gi_path *path, double digits)
{
    static const double lambda[] = {1e-3, 0.1, 10};
    GI_RUN(run, NULL);
    gi_criteria got[3 * TARGETS], want[TARGETS];

    CHECK(path->n == w->n && path->targets == TARGETS);
    CHECK_OK(path->at(path, &run, lambda, 3, ALL, got));
    for (size_t i = 0; i < 3; i++) {
        expected(w, lambda[i], want);
        for (size_t t = 0; t < TARGETS; t++)
            check_same(&got[i * TARGETS + t], &want[t], digits);
    }
    gi_path_free(path);
}

TEST(the_band_has_the_criteria_of_brute_force)
{
    for (int kind = 0; kind < 4; kind++) {
        world *w = world_new(15, 0, kind & 1, kind & 2);

        check_path(w, band_path(w, &gi_blas_double, ALL), 1e-9);
        world_free(w);
    }
}

TEST(the_primal_has_the_criteria_of_brute_force)
{
    for (int kind = 0; kind < 4; kind++) {
        world *w = world_new(12, 1, kind & 1, kind & 2);

        check_path(w, primal_path(w), 1e-9);
        world_free(w);
    }
}

TEST(criteria_are_those_of_brute_force_on_more_rows)
{
    for (int kind = 0; kind < 4; kind++) {
        world *w = world_new(40, 0, kind & 1, kind & 2);

        check_path(w, band_path(w, NULL, ALL), 1e-9);
        world_free(w);
        w = world_new(40, 1, kind & 1, kind & 2);
        check_path(w, primal_path(w), 1e-9);
        world_free(w);
    }
}

TEST(amplitudes_can_be_fixed)
{
    for (int kind = GI_AMPLITUDE_ONE; kind <= GI_AMPLITUDE_INVERSE; kind++) {
        world *w = world_new(10, 1, 1, 1);

        w->p.amplitude = (gi_amplitude)kind;
        check_path(w, band_path(w, NULL, ALL), 1e-9);
        check_path(w, primal_path(w), 1e-9);
        world_free(w);
    }
}

TEST(what_was_not_asked_for_is_nan)
{
    world *w = world_new(10, 1, 0, 1);
    gi_path *paths[] = {band_path(w, NULL, GI_WANT_DF), primal_path(w)};
    GI_RUN(run, NULL);

    for (size_t i = 0; i < 2; i++) {
        gi_criteria c[TARGETS];
        double lambda = 1;

        CHECK_OK(paths[i]->at(paths[i], &run, &lambda, 1, GI_WANT_DF, c));
        CHECK(isnan(c[0].loo) && isnan(c[0].gcv) && isnan(c[0].evidence));
        CHECK(c[0].df > 1 && c[0].df < 1 + D);
        gi_path_free(paths[i]);
    }
    world_free(w);
}

/* ------------------------------------------------------------- leaving out */

static void check_residuals(const world *w, gi_path *path, double lambda,
                            double digits)
{
    const size_t n = w->n, folds = 4;
    GI_RUN(run, NULL);
    int *fold = malloc(n * sizeof *fold), *own = malloc(n * sizeof *own);
    double *got = grams_doubles(n * TARGETS),
           *want = grams_doubles(n * TARGETS);

    for (size_t i = 0; i < n; i++) {
        own[i] = (int)i;
        fold[i] = (int)(i * i % folds); /* 0 or 1: two folds are empty */
        if (i > n / 2)
            fold[i] = 3;
    }
    CHECK_OK(path->residuals(path, &run, lambda, got));
    for (size_t i = 0; i < n; i++)
        ridges_without(&w->p, w->K, lambda, own, (int)i, want);
    for (size_t i = 0; i < n * TARGETS; i++)
        CHECK_NEAR(got[i], want[i], digits);
    CHECK_OK(path->folds(path, &run, lambda, fold, folds, got));
    for (size_t k = 0; k < folds; k++)
        ridges_without(&w->p, w->K, lambda, fold, (int)k, want);
    for (size_t i = 0; i < n * TARGETS; i++)
        CHECK_NEAR(got[i], want[i], digits);
    gi_path_free(path);
    free(fold);
    free(own);
    free(got);
    free(want);
}

TEST(residuals_of_rows_and_folds_are_those_of_refits)
{
    for (int kind = 0; kind < 4; kind++) {
        world *w = world_new(14, 0, kind & 1, kind & 2);

        check_residuals(w, band_path(w, NULL, 0), 0.05, 1e-9);
        world_free(w);
        w = world_new(14, 1, kind & 1, kind & 2);
        check_residuals(w, primal_path(w), 0.05, 1e-9);
        world_free(w);
    }
}

TEST(residuals_are_those_of_refits_on_more_rows)
{
    for (int kind = 0; kind < 4; kind++) {
        world *w = world_new(40, 0, kind & 1, kind & 2);

        check_residuals(w, band_path(w, NULL, 0), 1e-3, 1e-8);
        check_residuals(w, band_path(w, &gi_blas_single, 0), 1, 1e-4);
        world_free(w);
    }
}

/* ---------------------------------------------------------- ways and sizes */

static void compare_paths(gi_path *a, gi_path *b, double least, double digits)
{
    enum { COUNT = 11 };
    GI_RUN(run, NULL);
    double lambda[COUNT];
    gi_criteria of_a[COUNT * TARGETS], of_b[COUNT * TARGETS];

    for (size_t i = 0; i < COUNT; i++)
        lambda[i] = least * pow(10, (double)i);
    CHECK_NEAR(a->scale / b->scale, 1, digits);
    CHECK_OK(a->at(a, &run, lambda, COUNT, ALL, of_a));
    CHECK_OK(b->at(b, &run, lambda, COUNT, ALL, of_b));
    for (size_t i = 0; i < COUNT * TARGETS; i++)
        check_same(&of_a[i], &of_b[i], digits);
    gi_path_free(a);
    gi_path_free(b);
}

TEST(primal_and_band_are_the_same)
{
    world *w = world_new(60, 1, 1, 1);

    compare_paths(primal_path(w), band_path(w, NULL, ALL), 1e-3, 1e-8);
    world_free(w);
}

TEST(primal_and_band_are_the_same_in_many_blocks)
{
    world *w = world_new(1100, 1, 1, 1);

    compare_paths(primal_path(w), band_path(w, NULL, ALL), 1e-2, 1e-8);
    world_free(w);
}

TEST(single_precision_is_close_to_double)
{
    world *w = world_new(300, 0, 1, 1);

    compare_paths(band_path(w, &gi_blas_single, ALL), band_path(w, NULL, ALL),
                  0.1, 2e-3);
    world_free(w);
}

TEST(one_two_and_three_rows_have_a_path)
{
    for (size_t n = 1; n < 4; n++)
        for (int intercept = 0; intercept < 2; intercept++) {
            world *w = world_new(n, 0, 1, intercept);
            gi_path *path = band_path(w, NULL, ALL);
            GI_RUN(run, NULL);
            gi_criteria c[TARGETS];
            double lambda = 0.5, left[3 * TARGETS];

            if (n > 1) {
                check_path(w, path, 1e-10);
                world_free(w);
                continue;
            }
            CHECK_OK(path->at(path, &run, &lambda, 1, ALL, c));
            CHECK_OK(path->residuals(path, &run, lambda, left));
            if (intercept) {
                CHECK(isnan(c[0].evidence) && isnan(c[0].amplitude));
                CHECK(!isfinite(left[0]) || fabs(left[0]) < 1e-6);
            } else {
                CHECK_NEAR(left[0], w->y[0], 1e-14);
                CHECK_NEAR(c[0].loo, w->y[0] * w->y[0], 1e-13);
            }
            gi_path_free(path);
            world_free(w);
        }
}

TEST(a_lambda_at_which_nothing_is_defined_gives_nan)
{
    world *w = world_new(20, 0, 0, 1);
    GI_RUN(run, NULL);
    double lambda[] = {1, 100}, left[20 * TARGETS];
    int fold[20] = {0};
    gi_criteria c[2 * TARGETS];
    gi_path *path;

    for (size_t i = 0; i < 20; i++)
        w->K[i * 20 + i] = -10;
    path = band_path(w, NULL, ALL);
    CHECK_OK(path->at(path, &run, lambda, 2, ALL, c));
    for (size_t t = 0; t < TARGETS; t++) {
        CHECK(c[t].lambda == 1 && isnan(c[t].loo) && isnan(c[t].gcv));
        CHECK(isnan(c[t].evidence) && isnan(c[t].df) && isnan(c[t].amplitude));
        CHECK(c[TARGETS + t].loo > 0 && isfinite(c[TARGETS + t].evidence));
    }
    CHECK_OK(path->residuals(path, &run, 1, left));
    CHECK(isnan(left[0]));
    CHECK_OK(path->folds(path, &run, 1, fold, 1, left));
    CHECK(isnan(left[0]));
    CHECK_FAILS(gi_path_best(&run, path, GI_WANT_LOO, lambda, 1, 0, c),
                GRAM_ERR_NUMERIC,
                "lambda: the criterion is defined at none of the 1 values "
                "tried");
    gi_path_free(path);
    world_free(w);
}

/* -------------------------------------------------------------------- best */

static double criterion(const gi_criteria *c, unsigned which)
{
    return which == GI_WANT_LOO   ? c->loo
           : which == GI_WANT_GCV ? c->gcv
                                  : -c->evidence;
}

/* Nothing near the best lambda is better, and nothing far away. */
static void check_best(gi_path *path, unsigned which)
{
    enum { COUNT = 53 };
    GI_RUN(run, NULL);
    gi_criteria best[TARGETS], near[2 * TARGETS], all[COUNT * TARGETS];
    double lambda[COUNT];

    CHECK_OK(gi_path_best(&run, path, which, NULL, 0, 1, best));
    for (size_t i = 0; i < COUNT; i++)
        lambda[i] = path->scale * pow(10, -10 + (double)i / 4);
    CHECK_OK(path->at(path, &run, lambda, COUNT, which, all));
    for (size_t t = 0; t < TARGETS; t++) {
        double sides[] = {best[t].lambda * 0.99, best[t].lambda * 1.01};

        CHECK_OK(path->at(path, &run, sides, 2, which, near));
        CHECK(criterion(&best[t], which) <= criterion(&near[t], which));
        CHECK(criterion(&best[t], which) <=
              criterion(&near[TARGETS + t], which));
        for (size_t i = 0; i < COUNT; i++)
            CHECK(criterion(&best[t], which) <=
                  criterion(&all[i * TARGETS + t], which));
    }
    CHECK(best[0].lambda != best[1].lambda);
    CHECK_OK(gi_path_best(&run, path, which, NULL, 0, 0, near));
    CHECK(near[0].lambda == near[1].lambda);
    CHECK(near[0].lambda > fmin(best[0].lambda, best[1].lambda) &&
          near[0].lambda < fmax(best[0].lambda, best[1].lambda));
}

TEST(the_best_lambda_is_the_best)
{
    world *w = world_new(40, 0, 1, 1);
    gi_path *path = band_path(w, NULL, ALL);

    check_best(path, GI_WANT_LOO);
    check_best(path, GI_WANT_GCV);
    check_best(path, GI_WANT_EVIDENCE);
    gi_path_free(path);
    world_free(w);
}

TEST(candidates_are_the_only_choice)
{
    world *w = world_new(20, 1, 0, 1);
    gi_path *path = primal_path(w);
    GI_RUN(run, NULL);
    const double lambda[] = {1e6, 2, 1e-6, 3};
    gi_criteria all[4 * TARGETS], best[TARGETS];

    CHECK_OK(path->at(path, &run, lambda, 4, GI_WANT_LOO, all));
    CHECK_OK(gi_path_best(&run, path, GI_WANT_LOO, lambda, 4, 1, best));
    for (size_t t = 0; t < TARGETS; t++)
        for (size_t i = 0; i < 4; i++) {
            CHECK(best[t].loo <= all[i * TARGETS + t].loo);
            if (best[t].lambda == lambda[i])
                CHECK(best[t].loo == all[i * TARGETS + t].loo);
        }
    gi_path_free(path);
    world_free(w);
}

/* ------------------------------------------------------------------ choice */

TEST(few_features_take_the_primal_path_and_many_the_band)
{
    world *w = world_new(200, 1, 0, 1);
    GI_RUN(run, NULL);
    gi_cost cost = gi_path_cost(&run, &w->p, w->p.n, NULL, ALL, 50);
    gi_path *path = NULL, *primal = primal_path(w);

    CHECK(cost.possible && cost.bytes < 200.0 * 200 * 8);
    CHECK_OK(gi_path_new(&run, &w->p, NULL, ALL, &path));
    CHECK(path->at == primal->at);
    gi_path_free(path);
    w->op.op.features = 200;
    CHECK_OK(gi_path_primal(&run, &w->p, &path));
    CHECK(path == NULL);
    cost = gi_path_cost(&run, &w->p, w->p.n, NULL, ALL, 50);
    CHECK(cost.possible && cost.bytes > 200.0 * 200 * 8);
    w->op.op.flags = 0;
    CHECK_OK(gi_path_new(&run, &w->p, NULL, ALL, &path));
    CHECK(path->at != primal->at);
    gi_path_free(path);
    gi_path_free(primal);
    world_free(w);
}

/* --------------------------------------------------------------- same bits */

static void check_bits(world *w, int features, size_t n)
{
    static const double lambda[] = {0.01, 1, 3};
    gi_criteria one[3 * TARGETS], many[3 * TARGETS];
    double *left = grams_doubles(n * TARGETS),
           *same = grams_doubles(n * TARGETS);
    int *fold = calloc(n, sizeof *fold);

    for (size_t i = 0; i < n; i++)
        fold[i] = (int)(i % 3);
    for (int threads = 1; threads < 5; threads++) {
        GI_RUN(run, NULL);
        gi_path *path = NULL;

        run.threads = threads;
        CHECK_OK(features
                     ? gi_path_primal(&run, &w->p, &path)
                     : gi_path_band(&run, &w->p, &gi_blas_double, ALL, &path));
        CHECK_OK(
            path->at(path, &run, lambda, 3, ALL, threads > 1 ? many : one));
        CHECK_OK(
            path->folds(path, &run, 0.1, fold, 3, threads > 1 ? same : left));
        if (threads > 1) {
            CHECK(criteria_equal(one, many, 3 * TARGETS));
            CHECK(memcmp(left, same, n * TARGETS * sizeof *left) == 0);
        }
        gi_path_free(path);
    }
    free(left);
    free(same);
    free(fold);
}

TEST(threads_do_not_change_a_bit)
{
    for (int features = 0; features < 2; features++) {
        world *w = world_new(50, features, 1, 1);

        check_bits(w, features, 50);
        world_free(w);
    }
}

TEST(threads_do_not_change_a_bit_on_more_rows)
{
    for (int features = 0; features < 2; features++) {
        world *w = world_new(600, features, 1, 1);

        check_bits(w, features, 600);
        world_free(w);
    }
}

TEST(an_allocation_that_fails_leaves_nothing)
{
    size_t before = gram_memory_used();

    for (int features = 0; features < 2; features++) {
        world *w = world_new(20, features, 0, 1);
        gram_status status = GRAM_ERR_MEMORY;
        GI_RUN(run, NULL);
        double lambda = 1, left[20 * TARGETS];
        int fold[20] = {0, 1};
        gi_criteria c[TARGETS];

        run.threads = 1;
        for (size_t k = 1; status != GRAM_OK; k++) {
            gi_path *path = NULL;

            gi_mem_fail_at(k, 1);
            status = features ? gi_path_primal(&run, &w->p, &path)
                              : gi_path_band(&run, &w->p, NULL, ALL, &path);
            if (status == GRAM_OK)
                status = path->at(path, &run, &lambda, 1, ALL, c);
            if (status == GRAM_OK)
                status = path->folds(path, &run, lambda, fold, 2, left);
            gi_mem_fail_at(0, 0);
            CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
            gi_path_free(path);
            CHECK(gram_memory_used() == before);
        }
        world_free(w);
    }
}

TESTS(SMALL(the_band_has_the_criteria_of_brute_force),
      SMALL(the_primal_has_the_criteria_of_brute_force),
      NORMAL(criteria_are_those_of_brute_force_on_more_rows),
      SMALL(amplitudes_can_be_fixed), SMALL(what_was_not_asked_for_is_nan),
      SMALL(residuals_of_rows_and_folds_are_those_of_refits),
      NORMAL(residuals_are_those_of_refits_on_more_rows),
      SMALL(primal_and_band_are_the_same),
      NORMAL(primal_and_band_are_the_same_in_many_blocks),
      NORMAL(single_precision_is_close_to_double),
      SMALL(one_two_and_three_rows_have_a_path),
      SMALL(a_lambda_at_which_nothing_is_defined_gives_nan),
      NORMAL(the_best_lambda_is_the_best),
      SMALL(candidates_are_the_only_choice),
      SMALL(few_features_take_the_primal_path_and_many_the_band),
      SMALL(threads_do_not_change_a_bit),
      NORMAL(threads_do_not_change_a_bit_on_more_rows),
      SMALL(an_allocation_that_fails_leaves_nothing))
