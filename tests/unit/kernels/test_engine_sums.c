/* test_engine_sums.c - products and sums over tiles equal those of the stored
 * matrix, for any number of threads.
 */
#include "engine_world.h"

static void check_threads(const char *name, world *w, gi_points *x,
                          gi_points *t)
{
    size_t n = x->rows, m = t->rows;
    double *K[3], *V = malloc(n * 3 * sizeof *V), *out[3], *own[3];

    for (size_t i = 0; i < 3 * n; i++)
        V[i] = sin((double)i);
    for (int threads = 0; threads < 3; threads++) {
        w->run.threads = threads + 1;
        K[threads] = store(w, x, t);
        out[threads] = malloc(n * 3 * sizeof *V);
        own[threads] = malloc(n * 3 * sizeof *V);
        CHECK_OK(gi_engine_product(&w->run, &w->p, x, t, V, 3, out[threads]));
        CHECK_OK(
            gi_engine_product(&w->run, &w->p, x, NULL, V, 3, own[threads]));
    }
    for (int i = 1; i < 3; i++)
        if (!same_bits(K[0], K[i], n * m) ||
            !same_bits(out[0], out[i], n * 3) ||
            !same_bits(own[0], own[i], n * 3))
            fail_msg("%s: %d threads", name, i + 1);
    for (int i = 0; i < 3; i++) {
        free(K[i]);
        free(out[i]);
        free(own[i]);
    }
    free(V);
}

TEST(results_do_not_depend_on_the_threads)
{
    for_some(check_threads);
}

static void check_product(const char *name, world *w, gi_points *x,
                          gi_points *t)
{
    enum { R = 11 };
    size_t n = x->rows;

    for (int symmetric = 0; symmetric < 2; symmetric++) {
        gi_points *cols = symmetric ? NULL : t;
        size_t m = symmetric ? n : t->rows;
        double *K, *V = malloc(m * R * sizeof *V);
        double *out = malloc(n * R * sizeof *out);
        double *single = malloc(n * R * sizeof *out);

        w->matrix.cols = m;
        K = store(w, x, cols);
        for (size_t i = 0; i < m * R; i++)
            V[i] = sin((double)i);
        CHECK_OK(gi_engine_product(&w->run, &w->p, x, cols, V, R, out));
        x->precision = GI_SINGLE;
        CHECK_OK(gi_engine_product(&w->run, &w->p, x, cols, V, R, single));
        x->precision = GI_DOUBLE;
        for (size_t i = 0; i < n; i++)
            for (size_t q = 0; q < R; q++) {
                double sum = 0, size = 1;

                for (size_t j = 0; j < m; j++) {
                    sum += K[i * m + j] * V[j * R + q];
                    size += fabs(K[i * m + j] * V[j * R + q]);
                }
                if (!(fabs(out[i * R + q] - sum) <= 1e-13 * size) ||
                    !(fabs(single[i * R + q] - sum) <= 1e-5 * size))
                    fail_msg("%s: row %zu, %.17g not %.17g", name, i,
                             out[i * R + q], sum);
            }
        free(K);
        free(V);
        free(out);
        free(single);
    }
}

TEST(products_equal_those_of_the_stored_matrix)
{
    for_all(66, 20, check_product);
}

TEST(products_over_many_blocks_are_right)
{
    size_t n = 3300;
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(n, 2, 0, 1);
    double *K = store(w, x, NULL), *V = malloc(n * sizeof *V);
    double *out = malloc(n * sizeof *out);

    for (size_t i = 0; i < n; i++)
        V[i] = sin((double)i);
    CHECK_OK(gi_engine_product(&w->run, &w->p, x, NULL, V, 1, out));
    for (size_t i = 0; i < n; i += 7) {
        double sum = 0;

        for (size_t j = 0; j < n; j++)
            sum += K[i * n + j] * V[j];
        CHECK_NEAR(out[i], sum, 1e-11);
    }
    free(K);
    free(V);
    free(out);
    free_points(x);
    free_world(w);
}

/* All terms positive, so that sums grow: the error of sums of 384 terms in
 * single precision, whatever their order, and of V in it. */
TEST(single_sums_are_short)
{
    enum { N = 3300, R = 2 };
    const double bound = 386 * 0x1p-24;
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(N, 2, 0, 1);
    float *K = store_single(w, x, NULL);
    double *V = malloc(N * R * sizeof *V), *out = malloc(N * R * sizeof *V);

    for (size_t i = 0; i < N * R; i++)
        V[i] = 1.1 + sin((double)i);
    x->precision = GI_SINGLE;
    for (size_t r = 1; r <= R; r++) {
        CHECK_OK(gi_engine_product(&w->run, &w->p, x, NULL, V, r, out));
        for (size_t i = 0; i < N; i += 7)
            for (size_t q = 0; q < r; q++) {
                double sum = 0;

                for (size_t j = 0; j < N; j++)
                    sum += (double)K[i * N + j] * V[j * r + q];
                CHECK_NEAR(out[i * r + q], sum, bound);
            }
    }
    free(K);
    free(V);
    free(out);
    free_points(x);
    free_world(w);
}

/* Any number of vectors, each as if alone up to rounding; those too large or
 * small for single precision as well. */
TEST(vectors_do_not_mind_each_other)
{
    enum { N = 70, MOST = 18 };
    static const double scale[] = {1, 1e60, 1e-60, 0, 1e-300};
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(N, 2, 0, 1), *t = new_points(N + 3, 2, 0, 2);
    double V[(N + 3) * MOST], one[N + 3], out[N * MOST], want[N];

    for (size_t k = 0; k < 4; k++)
        for (size_t r = 0; r <= MOST; r += r < 10 ? 1 : 8) {
            gi_points *cols = k % 2 ? t : NULL;

            x->precision = t->precision = k / 2 ? GI_SINGLE : GI_DOUBLE;
            for (size_t i = 0; i < (N + 3) * r; i++)
                V[i] = scale[i % r % 5] * sin((double)(i + 1));
            CHECK_OK(gi_engine_product(&w->run, &w->p, x, cols, V, r, out));
            for (size_t q = 0; q < r; q++) {
                double size = 100 * scale[q % 5];

                for (size_t j = 0; j < N + 3; j++)
                    one[j] = V[j * r + q];
                CHECK_OK(
                    gi_engine_product(&w->run, &w->p, x, cols, one, 1, want));
                for (size_t i = 0; i < N; i++)
                    CHECK(fabs(out[i * r + q] - want[i]) <=
                          size * (k / 2 ? 1e-6 : 1e-15));
            }
        }
    free_points(x);
    free_points(t);
    free_world(w);
}

TEST(block_sums_add_up_groups)
{
    enum { N = 130, M = 70, GROUPS = 3 };
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(N, 2, 0, 1), *t = new_points(M, 2, 0, 2);
    double *K = store(w, x, t), *S = store(w, x, NULL);
    int gx[N], gt[M];
    double sums[GROUPS * GROUPS], want[GROUPS * GROUPS] = {0}, all = 0, one;

    for (int i = 0; i < N; i++)
        gx[i] = i * 7 % GROUPS;
    for (int j = 0; j < M; j++)
        gt[j] = j * j % GROUPS;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            want[gx[i] * GROUPS + gt[j]] += K[i * M + j];
    CHECK_OK(
        gi_engine_block_sums(&w->run, &w->p, x, gx, t, gt, GROUPS, 0, sums));
    for (int g = 0; g < GROUPS * GROUPS; g++)
        CHECK_NEAR(sums[g], want[g], 1e-13);
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        memset(want, 0, sizeof want);
        all = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double v = i == j && !diagonal ? 0 : S[i * N + j];

                want[gx[i] * GROUPS + gx[j]] += v;
                all += v;
            }
        CHECK_OK(gi_engine_block_sums(&w->run, &w->p, x, gx, NULL, NULL, GROUPS,
                                      diagonal, sums));
        for (int g = 0; g < GROUPS * GROUPS; g++)
            CHECK_NEAR(sums[g], want[g], 1e-13);
        CHECK_OK(gi_engine_block_sums(&w->run, &w->p, x, NULL, NULL, NULL, 1,
                                      diagonal, &one));
        CHECK_NEAR(one, all, 1e-13);
    }
    free(K);
    free(S);
    free_points(x);
    free_points(t);
    free_world(w);
}

TESTS(NORMAL(results_do_not_depend_on_the_threads),
      SMALL(products_equal_those_of_the_stored_matrix),
      NORMAL(products_over_many_blocks_are_right),
      NORMAL(single_sums_are_short), SMALL(vectors_do_not_mind_each_other),
      SMALL(block_sums_add_up_groups))
