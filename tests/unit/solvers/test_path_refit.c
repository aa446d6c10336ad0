/* test_path_refit.c - folds left out at many lambdas, by a band for each fold:
 * against refits from scratch and against the one path of all rows, with
 * intercept, weights and several targets; which of the two is taken; what is
 * left of a fold that has all rows.
 */
#include "check.h"
#include "grams.h"
#include "ridges.h"

#include "base/mem.h"
#include "solvers/path/path_inside.h"
#include "operators/stored.h"

enum { D = 3, TARGETS = 2, FOLDS = 4 };

static const double lambdas[] = {3,    1,    0.5,  0.2,   0.1,
                                 0.05, 0.03, 0.02, 0.015, 0.01};
enum { LAMBDAS = sizeof lambdas / sizeof *lambdas };

/* Random rows under a Gaussian kernel, its matrix stored; one fold is empty,
 * the others differ in size. */
typedef struct world {
    size_t n;
    double *K, *y, *noise;
    int *fold;
    gi_operator *op;
    gi_problem p;
} world;

static world world_new(size_t n, int weighted, int intercept)
{
    GI_RUN(run, NULL);
    double *x = grams_random(n * D, 0, 3);
    gram_table *t = grams_table(n, D, x, NULL);
    world w = {.n = n,
               .K = grams_matrix("rbf(gamma=0.5)", t),
               .y = ridges_targets(n, D, x, TARGETS, 5),
               .noise = grams_random(n, 1, 4),
               .fold = malloc(n * sizeof *w.fold)};

    for (size_t i = 0; i < n; i++) {
        w.noise[i] += 0.2;
        w.fold[i] = i % 7 == 0 ? 3 : i % 3 == 0 ? 1 : 0;
    }
    CHECK_OK(gi_stored_new(&run, &gi_blas_double, w.K, n, n, &w.op));
    w.p = (gi_problem){.K = w.op,
                       .n = n,
                       .targets = TARGETS,
                       .y = w.y,
                       .noise = weighted ? w.noise : NULL,
                       .intercept = intercept};
    gram_table_free(t);
    free(x);
    return w;
}

static void world_free(world *w)
{
    gi_operator_free(w->op);
    free(w->K);
    free(w->y);
    free(w->noise);
    free(w->fold);
}

static double *refits(const world *w, const gi_blas *blas, int threads)
{
    double *out = grams_doubles(LAMBDAS * w->n * TARGETS);
    GI_RUN(run, NULL);

    run.threads = threads;
    CHECK_OK(gi_path_refits(&run, &w->p, blas, w->fold, FOLDS, lambdas, LAMBDAS,
                            out));
    return out;
}

static void check_refits(const world *w, const gi_blas *blas, double digits)
{
    const size_t all = w->n * TARGETS;
    double *got = refits(w, blas, 2), *want = grams_doubles(all);

    for (size_t j = 0; j < LAMBDAS; j += 3) {
        for (int k = 0; k < FOLDS; k++)
            ridges_without(&w->p, w->K, lambdas[j], w->fold, k, want);
        for (size_t i = 0; i < all; i++)
            CHECK_NEAR(got[j * all + i], want[i], digits);
    }
    free(got);
    free(want);
}

TEST(residuals_are_those_of_refits)
{
    for (int kind = 0; kind < 4; kind++) {
        world w = world_new(60, kind & 1, kind & 2);

        check_refits(&w, &gi_blas_double, 1e-9);
        check_refits(&w, &gi_blas_single, 2e-3);
        world_free(&w);
    }
}

/* Rows enough for several blocks of the fold and of the band. */
TEST(residuals_are_those_of_the_one_path)
{
    world w = world_new(700, 1, 1);
    const size_t all = w.n * TARGETS;
    double *got = refits(&w, &gi_blas_double, 2), *want = grams_doubles(all);
    GI_RUN(run, NULL);
    gi_path *path = NULL;

    CHECK_OK(gi_path_band(&run, &w.p, NULL, GI_WANT_LOO, &path));
    for (size_t j = 0; j < LAMBDAS; j++) {
        CHECK_OK(path->folds(path, &run, lambdas[j], w.fold, FOLDS, want));
        for (size_t i = 0; i < all; i++)
            CHECK_NEAR(got[j * all + i], want[i], 1e-9);
    }
    gi_path_free(path);
    free(got);
    free(want);
    world_free(&w);
}

TEST(few_folds_are_refitted_and_many_are_not)
{
    world w = world_new(300, 1, 1);
    const size_t all = LAMBDAS * w.n * TARGETS;
    GI_RUN(run, NULL);
    double *got = grams_doubles(all), *want = refits(&w, &gi_blas_double, 1);

    CHECK_OK(
        gi_path_folds(&run, &w.p, NULL, w.fold, FOLDS, lambdas, LAMBDAS, got));
    CHECK(memcmp(got, want, all * sizeof *got) == 0);
    for (size_t i = 0; i < w.n; i++)
        w.fold[i] = (int)i;
    free(want);
    want = grams_doubles(w.n * TARGETS);
    CHECK_OK(
        gi_path_folds(&run, &w.p, NULL, w.fold, w.n, lambdas, LAMBDAS, got));
    for (size_t i = 0; i < w.n; i += 50)
        ridges_without(&w.p, w.K, lambdas[2], w.fold, (int)i, want);
    for (size_t i = 0; i < w.n; i += 50)
        CHECK_NEAR(got[(2 * w.n + i) * TARGETS], want[i * TARGETS], 1e-9);
    CHECK(
        gi_path_folds_cost(&run, &w.p, w.n, NULL, w.n, LAMBDAS).seconds <
        20 * gi_path_folds_cost(&run, &w.p, w.n, NULL, FOLDS, LAMBDAS).seconds);
    free(got);
    free(want);
    world_free(&w);
}

TEST(a_fold_of_all_rows_leaves_nothing_to_fit)
{
    for (int intercept = 0; intercept < 2; intercept++) {
        world w = world_new(20, 0, intercept);
        double *got;

        for (size_t i = 0; i < w.n; i++)
            w.fold[i] = 2;
        got = refits(&w, &gi_blas_double, 1);
        for (size_t i = 0; i < w.n * TARGETS; i++)
            CHECK(intercept ? isnan(got[i]) : got[i] == w.y[i]);
        free(got);
        world_free(&w);
    }
}

/* Fold 3 has one row; without it the matrix is not positive definite unless
 * lambda is large. */
TEST(a_lambda_at_which_nothing_is_defined_gives_nan)
{
    world w = world_new(20, 0, 1);
    double *got;

    for (size_t i = 0; i < w.n; i++) {
        w.K[i * w.n + i] = -1.5;
        w.fold[i] = i == 0 ? 3 : 0;
        for (size_t j = 0; j < w.n; j++)
            w.K[i * w.n + j] *= i == j ? 1 : 1e-3;
    }
    got = refits(&w, &gi_blas_double, 1);
    for (size_t j = 0; j < LAMBDAS; j++)
        CHECK(isnan(got[j * w.n * TARGETS]) == (lambdas[j] < 1.5));
    free(got);
    world_free(&w);
}

TEST(threads_do_not_change_a_bit)
{
    world w = world_new(300, 1, 1);
    double *one = refits(&w, &gi_blas_single, 1);

    for (int threads = 2; threads < 5; threads++) {
        double *many = refits(&w, &gi_blas_single, threads);

        CHECK(memcmp(one, many, LAMBDAS * w.n * TARGETS * sizeof *one) == 0);
        free(many);
    }
    free(one);
    world_free(&w);
}

/* Fold 3 has one row, so that nearly all are fitted without it. */
TEST(memory_is_within_what_the_cost_says)
{
    world w = world_new(700, 1, 1);
    GI_RUN(run, NULL);
    const size_t small_things = 1 << 20;

    for (size_t i = 0; i < w.n; i++)
        w.fold[i] = i == 0 ? 3 : (int)(i % 2);
    for (int single = 0; single < 2; single++) {
        const gi_blas *blas = single ? &gi_blas_single : &gi_blas_double;
        gi_cost cost =
            gi_path_refits_cost(&run, &w.p, w.n, blas, FOLDS, LAMBDAS);
        size_t before = gram_memory_used();

        gram_memory_reset_peak();
        free(refits(&w, blas, 2));
        CHECK(cost.possible && (double)(gram_memory_peak() - before) <
                                   cost.bytes + (double)small_things);
    }
    world_free(&w);
}

TEST(an_allocation_that_fails_leaves_nothing)
{
    world w = world_new(20, 1, 1);
    size_t before = gram_memory_used();
    double *out = grams_doubles(LAMBDAS * w.n * TARGETS);
    gram_status status = GRAM_ERR_MEMORY;
    GI_RUN(run, NULL);

    run.threads = 1;
    for (size_t k = 1; status != GRAM_OK; k++) {
        gi_mem_fail_at(k, 1);
        status = gi_path_refits(&run, &w.p, &gi_blas_double, w.fold, FOLDS,
                                lambdas, LAMBDAS, out);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        CHECK(gram_memory_used() == before);
    }
    free(out);
    world_free(&w);
}

TESTS(SMALL(residuals_are_those_of_refits),
      NORMAL(residuals_are_those_of_the_one_path),
      NORMAL(few_folds_are_refitted_and_many_are_not),
      SMALL(a_fold_of_all_rows_leaves_nothing_to_fit),
      SMALL(a_lambda_at_which_nothing_is_defined_gives_nan),
      NORMAL(threads_do_not_change_a_bit),
      NORMAL(memory_is_within_what_the_cost_says),
      SMALL(an_allocation_that_fails_leaves_nothing))
