/* test_operator.c - the matrix of a kernel as solvers see it: every way to
 * look at it shows the same matrix.
 */
#include "operators.h"

#include "kernels/program/points.h"

enum { N = 70, M = 9, D = 3 };

static const gram_exec one = {.threads = 1};

/* white and precomputed know rows by their number, and the first has no map,
 * the others have. */
static const char *const kernels[] = {"rbf(gamma=0.3)",
                                      "white + rbf(gamma=0.3)", "linear",
                                      "poly(degree=2)", "2*linear + 3"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

TEST(stored_matrices_are_those_of_the_public_call)
{
    double *x = grams_random((N + M) * D, 0, 1);

    for (size_t k = 0; k < KERNELS; k++) {
        kernel_world w;
        double *K = grams_doubles(N * N), *stored;
        float *single = malloc(N * N * sizeof *single);

        kernel_world_new(&w, kernels[k], N, 0, D, x, &one);
        CHECK_OK(gram_kernel_matrix(w.kernel, w.all, NULL, NULL, K, N));
        stored = operator_matrix(w.K, &w.run);
        CHECK_OK(gi_operator_store(w.K, &w.run, &gi_blas_single, single, N));
        for (size_t i = 0; i < N * N; i++) {
            CHECK(stored[i] == K[i]);
            CHECK_NEAR((double)single[i], K[i], 1e-5);
        }
        CHECK(gi_operator_bytes(&w.run, w.K) > N * D * sizeof(double));
        free(single);
        free(stored);
        free(K);
        kernel_world_free(&w);
    }
    free(x);
}

/* Tiles, rows of a subset and the diagonal of K and T are parts of the
 * stored matrix. */
static void check_parts(const gi_operator *K, gi_run *run)
{
    static const size_t row[] = {7, 0, 7, 3};
    double *all = operator_matrix(K, run), *tile = grams_doubles(5 * 20);
    double *rows = grams_doubles(4 * (K->cols + 1));

    CHECK_OK(gi_operator_tile(K, &gi_blas_double, 2, 5, 1, 13, tile, 20));
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 13; j++)
            CHECK(tile[i * 20 + j] == all[(2 + i) * K->cols + 1 + j]);
    CHECK_OK(
        gi_operator_rows(K, run, &gi_blas_double, row, 4, rows, K->cols + 1));
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < K->cols; j++)
            CHECK_NEAR(rows[i * (K->cols + 1) + j], all[row[i] * K->cols + j],
                       1e-14);
    free(rows);
    free(tile);
    free(all);
}

TEST(tiles_and_subsets_are_parts_of_the_matrix)
{
    double *x = grams_random((N + M) * D, 0, 2);

    for (size_t k = 0; k < KERNELS; k++) {
        kernel_world w;
        double *K, *diagonal = grams_doubles(N);

        kernel_world_new(&w, kernels[k], N, M, D, x, &one);
        check_parts(w.K, &w.run);
        check_parts(w.T, &w.run);
        K = operator_matrix(w.K, &w.run);
        CHECK_OK(gi_operator_diagonal(w.K, &w.run, diagonal));
        for (size_t i = 0; i < N; i++)
            CHECK(diagonal[i] == K[i * N + i]);
        free(K);
        free(diagonal);
        kernel_world_free(&w);
    }
    free(x);
}

/* K V by its definition. */
static void check_product(const gi_operator *K, gi_run *run)
{
    enum { R = 2 };
    double *V = grams_random(K->cols * R, 0, 4);
    double *all = operator_matrix(K, run);
    double *out = grams_doubles(K->rows * R),
           *single = grams_doubles(K->rows * R);

    CHECK_OK(gi_operator_product(K, run, 0, V, R, out));
    CHECK_OK(gi_operator_product(K, run, 1, V, R, single));
    for (size_t i = 0; i < K->rows * R; i++) {
        double sum = 0;

        for (size_t j = 0; j < K->cols; j++)
            sum += all[i / R * K->cols + j] * V[j * R + i % R];
        CHECK_NEAR(out[i], sum, 1e-12);
        CHECK_NEAR(single[i], sum, 1e-3);
    }
    free(V);
    free(all);
    free(out);
    free(single);
}

TEST(products_follow_the_definition)
{
    double *x = grams_random((N + M) * D, 0, 3);

    for (size_t k = 0; k < KERNELS; k++) {
        kernel_world w;

        kernel_world_new(&w, kernels[k], N, M, D, x, &one);
        check_product(w.K, &w.run);
        check_product(w.T, &w.run);
        kernel_world_free(&w);
    }
    free(x);
}

TEST(features_are_a_root_of_the_matrix)
{
    double *x = grams_random((N + M) * D, 0, 5);

    for (size_t k = 0; k < KERNELS; k++) {
        kernel_world w;
        double *K, *phi;
        size_t f;

        kernel_world_new(&w, kernels[k], N, M, D, x, &one);
        f = w.K->features;
        CHECK((f > 0) == (k >= 2));
        K = operator_matrix(w.K, &w.run);
        phi = grams_doubles(N * f);
        if (f)
            CHECK_OK(gi_operator_features(w.K, &w.run, 0, N, phi, f));
        for (size_t i = 0; f && i < N * N; i++) {
            double sum = 0;

            for (size_t j = 0; j < f; j++)
                sum += phi[i / N * f + j] * phi[i % N * f + j];
            CHECK_NEAR(sum, K[i], 1e-12);
        }
        free(phi);
        free(K);
        kernel_world_free(&w);
    }
    free(x);
}

/* A table with one sparse block of n rows, features wide, entries on
 * diagonals. */
static gram_table *sparse_table(size_t n, size_t width)
{
    size_t *start = malloc((n + 1) * sizeof *start);
    unsigned *index = malloc(2 * n * sizeof *index);
    double *entries = grams_random(2 * n, 0, 6);
    gram_table *t = NULL;

    for (size_t i = 0; i < n; i++) {
        start[i] = 2 * i;
        index[2 * i] = (unsigned)(i % (width - 1));
        index[2 * i + 1] = index[2 * i] + 1;
    }
    start[n] = 2 * n;
    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", width, start, index, entries));
    free(start);
    free(index);
    free(entries);
    return t;
}

/* A wide sparse block has a sparse Phi, however wide, and products by it. */
TEST(sparse_blocks_have_sparse_features)
{
    static const size_t widths[] = {20, GI_OPERATOR_FEATURES + 5};

    for (size_t k = 0; k < 2; k++) {
        GI_RUN(run, &one);
        gram_table *t = sparse_table(N, widths[k]);
        gram_kernel *kernel = grams_kernel("2*linear");
        gram_program *p = NULL;
        gi_points *x = NULL;
        gi_operator *K = NULL, *T = NULL;

        CHECK_OK(gi_program_new(&run, kernel, t, 0, &p));
        CHECK_OK(gi_points_new(&run, p, t, GI_DOUBLE, &x));
        CHECK_OK(gi_operator_new(&run, p, NULL, x, NULL, &K));
        CHECK(K->csr && K->csr->rows == N && K->csr->cols == widths[k]);
        CHECK(K->csr->start[N] == 2 * N);
        CHECK(K->features == (k == 0 ? widths[k] : 0));
        check_product(K, &run);
        CHECK_OK(gi_operator_new(&run, p, NULL, x, x, &T));
        CHECK(!T->symmetric);
        check_product(T, &run);
        gi_operator_free(T);
        gi_operator_free(K);
        gi_points_free(x);
        gi_program_free(p);
        gram_kernel_free(kernel);
        gram_table_free(t);
    }
}

TEST(markov_structure_is_found_with_its_coordinate)
{
    double *x = grams_random(N + M, 0, 7);
    kernel_world w;

    kernel_world_new(&w, "3*exponential(gamma=2)", N, M, 1, x, &one);
    CHECK(w.K->markov && w.K->markov->family == GRAM_MARKOV_EXPONENTIAL);
    CHECK(w.K->markov->amplitude == 3 && w.K->markov->rate == 2);
    for (size_t i = 0; i < N; i++)
        CHECK(w.K->time[i] == x[i]);
    for (size_t i = 0; i < M; i++)
        CHECK(w.T->time[i] == x[N + i]);
    kernel_world_free(&w);
    kernel_world_new(&w, "rbf(gamma=2)", N, M, 1, x, &one);
    CHECK(!w.K->markov && !w.K->time);
    kernel_world_free(&w);
    free(x);
}

/* G = 1 everywhere: the gradient is the derivative of the sum of K. */
static void ones(void *user, const gi_tile *tile, double *G)
{
    (void)user;
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->cols; j++)
            G[i * tile->ld + j] = 1;
}

TEST(numbers_of_the_kernel_are_read_from_theta)
{
    double *x = grams_random(N * D, 0, 8), theta = 0.7, grad = 0, sum[2];
    gi_operator *K = NULL;
    kernel_world w;

    kernel_world_new(&w, "rbf(gamma=0.3)", N, 0, D, x, &one);
    CHECK(w.K->thetas == 1);
    for (int k = 0; k < 2; k++) {
        double *all, at = theta + 1e-6 * (2 * k - 1);

        sum[k] = 0;
        CHECK_OK(gi_operator_new(&w.run, w.program, &at, w.x, NULL, &K));
        all = operator_matrix(K, &w.run);
        for (size_t i = 0; i < N * N; i++)
            sum[k] += all[i];
        free(all);
        gi_operator_free(K);
    }
    CHECK_OK(gi_operator_new(&w.run, w.program, &theta, w.x, NULL, &K));
    CHECK_OK(gi_operator_gradient(K, &w.run, ones, NULL, &grad));
    CHECK_NEAR(grad, (sum[1] - sum[0]) / 2e-6, 1e-6);
    gi_operator_free(K);
    kernel_world_free(&w);
    free(x);
}

/* What was prepared for one thread serves several later. */
TEST(more_threads_may_come_later)
{
    double *x = grams_random(900 * D, 0, 9), *K, *later;
    kernel_world w;

    kernel_world_new(&w, "rbf(gamma=0.3)", 900, 0, D, x, &one);
    K = operator_matrix(w.K, &w.run);
    w.run.threads = 3;
    later = operator_matrix(w.K, &w.run);
    assert_memory_equal(K, later, 900 * 900 * sizeof *K);
    free(K);
    free(later);
    kernel_world_free(&w);
    free(x);
}

TEST(failing_allocations_leave_nothing_behind)
{
    double *x = grams_random(N * D, 0, 10);
    double *out = grams_doubles(2 * N);
    static const size_t row[] = {1, 2};
    gram_status status = GRAM_ERR_MEMORY;
    kernel_world w;
    size_t before;

    kernel_world_new(&w, "linear", N, 0, D, x, &one);
    before = gram_memory_used();
    for (size_t n = 1; status != GRAM_OK; n++) {
        gi_operator *K = NULL;

        gi_mem_fail_at(n, 1);
        status = gi_operator_new(&w.run, w.program, NULL, w.x, NULL, &K);
        if (status == GRAM_OK)
            status = gi_operator_prepare(K, &w.run, &gi_blas_single);
        if (status == GRAM_OK)
            status =
                gi_operator_rows(K, &w.run, &gi_blas_double, row, 2, out, N);
        gi_mem_fail_at(0, 0);
        gi_operator_free(K);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        CHECK(gram_memory_used() == before);
    }
    kernel_world_free(&w);
    free(out);
    free(x);
}

TESTS(SMALL(stored_matrices_are_those_of_the_public_call),
      SMALL(tiles_and_subsets_are_parts_of_the_matrix),
      SMALL(products_follow_the_definition),
      SMALL(features_are_a_root_of_the_matrix),
      SMALL(sparse_blocks_have_sparse_features),
      SMALL(markov_structure_is_found_with_its_coordinate),
      SMALL(numbers_of_the_kernel_are_read_from_theta),
      SMALL(more_threads_may_come_later),
      SMALL(failing_allocations_leave_nothing_behind))
