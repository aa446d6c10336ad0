/* test_chol.c - the Cholesky factor by its definition (L L' = A, A x = b, log
 * det A against elimination), for sizes around the tile edge, in both
 * precisions; failures; and the same bits on any number of threads.
 */
#include "chols.h"
#include "runs.h"

#include <sched.h>

#include "base/parallel.h"
#include "base/queue.h"

static void check_product(const matrix *m, const gi_chol *c)
{
    size_t n = m->n;
    double *l = malloc((n * n + 1) * sizeof *l);

    assert_non_null(l);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            l[i * n + j] = gi_chol_get(c, i, j);
            for (size_t k = 0; k <= j; k++)
                sum += l[i * n + k] * l[j * n + k];
            CHECK_NEAR(sum, m->a[i * n + j], epsilon(m));
        }
    free(l);
}

/* Gaussian elimination: the determinant is the product of the pivots. */
static void check_logdet(const matrix *m, const gi_chol *c)
{
    size_t n = m->n;
    double *a = malloc((n * n + 1) * sizeof *a), sum = 0;

    assert_non_null(a);
    memcpy(a, m->a, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++) {
        sum += log(a[k * n + k]);
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];

            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    CHECK_NEAR(gi_chol_logdet(c), sum, 4 * epsilon(m));
    free(a);
}

/* A x = b for `cols` right-hand sides, with padding behind each row. */
static void check_solve(const matrix *m, const gi_chol *c, size_t cols,
                        int threads)
{
    GI_RUN(run, NULL);
    size_t n = m->n, ld = cols + 2;
    char *x = malloc((n * ld + 1) * m->blas->size);

    assert_non_null(x);
    run.threads = threads;
    for (size_t i = 0; i < n * ld; i++)
        if (m->blas == &gi_blas_double)
            ((double *)x)[i] = (double)(i % 7) - 3;
        else
            ((float *)x)[i] = (float)(i % 7) - 3;
    CHECK_OK(gi_chol_solve(&run, c, cols, x, ld));
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < ld; s++) {
            double b = (double)((i * ld + s) % 7) - 3, sum = 0;

            for (size_t k = 0; k < n && s < cols; k++)
                sum += m->a[i * n + k] * m->blas->get(x, k * ld + s);
            if (s >= cols)
                sum = m->blas->get(x, i * ld + s);
            CHECK_NEAR(sum, b, 8 * epsilon(m));
        }
    free(x);
}

static void check_all(const gi_blas *blas, size_t n, size_t edge, size_t cols)
{
    matrix m = random_matrix(blas, n);
    gi_chol *c = factored(&m, edge, 2);

    check_product(&m, c);
    check_logdet(&m, c);
    check_solve(&m, c, cols, 2);
    gi_chol_free(c);
    free(m.a);
}

TEST(factors_of_all_sizes_around_the_tile_edge)
{
    enum { EDGE = 8 };
    static const size_t sizes[] = {
        0, 1, EDGE - 1, EDGE, EDGE + 1, 2 * EDGE, 3 * EDGE + 7, 9 * EDGE + 3};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        check_all(&gi_blas_double, sizes[s], EDGE, s);
        check_all(&gi_blas_single, sizes[s], EDGE, s);
    }
}

TEST(factors_around_the_real_tile_edge)
{
    check_all(&gi_blas_double, 383, 384, 3);
    check_all(&gi_blas_double, 384, 384, 1);
    check_all(&gi_blas_double, 385, 384, 300);
    check_all(&gi_blas_double, 3 * 384 + 7, 0, 2);
    check_all(&gi_blas_single, 383, 384, 1);
    check_all(&gi_blas_single, 385, 384, 2);
}

TEST(many_right_hand_sides_are_solved_in_stripes)
{
    check_all(&gi_blas_double, 20, 8, 600);
}

/* L and L' separately: b' A^-1 b = |L^-1 b|^2 and L' (L'^-1 b) = b. */
TEST(forward_and_backward_are_the_two_halves)
{
    enum { N = 30 };
    GI_RUN(run, NULL);
    matrix m = random_matrix(&gi_blas_double, N);
    gi_chol *c = factored(&m, 8, 2);
    double whole[N], half[N], back[N], quadratic = 0, square = 0;

    for (size_t i = 0; i < N; i++)
        whole[i] = half[i] = back[i] = 1;
    CHECK_OK(gi_chol_solve(&run, c, 1, whole, 1));
    CHECK_OK(gi_chol_forward(&run, c, 1, half, 1));
    CHECK_OK(gi_chol_backward(&run, c, 1, back, 1));
    for (size_t i = 0; i < N; i++) {
        double sum = 0;

        quadratic += whole[i];
        square += half[i] * half[i];
        for (size_t k = i; k < N; k++)
            sum += gi_chol_get(c, k, i) * back[k];
        CHECK_NEAR(sum, 1, 1e-14);
    }
    CHECK_NEAR(quadratic, square, 1e-14);
    gi_chol_free(c);
    free(m.a);
}

static void check_bits(const gi_blas *blas)
{
    enum { N = 101, COLS = 5 };
    matrix m = random_matrix(blas, N);
    gi_chol *one = factored(&m, 16, 1);
    double x[N * COLS], y[N * COLS]; /* large enough for both precisions */

    for (int threads = 2; threads <= 4; threads++) {
        gi_chol *many = factored(&m, 16, threads);
        GI_RUN(run, NULL);

        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j <= i; j++)
                CHECK(gi_chol_get(one, i, j) == gi_chol_get(many, i, j));
        memset(x, 0x3f, sizeof x);
        memset(y, 0x3f, sizeof y);
        run.threads = 1;
        CHECK_OK(gi_chol_solve(&run, one, COLS, x, COLS));
        run.threads = threads;
        CHECK_OK(gi_chol_solve(&run, many, COLS, y, COLS));
        CHECK(memcmp(x, y, sizeof x) == 0);
        gi_chol_free(many);
    }
    gi_chol_free(one);
    free(m.a);
}

TEST(the_bits_do_not_depend_on_the_number_of_threads)
{
    check_bits(&gi_blas_double);
    check_bits(&gi_blas_single);
}

static gram_status factor_status(matrix *m, size_t edge)
{
    GI_RUN(run, NULL);
    gi_chol *c = NULL;
    gram_status status;

    CHECK_OK(gi_chol_new(&run, m->blas, m->n, edge, &c));
    status = gi_chol_factor(&run, c, fill, m);
    gi_chol_free(c);
    return status;
}

TEST(a_pivot_that_is_not_positive_is_named)
{
    enum { N = 40 };
    matrix m = random_matrix(&gi_blas_double, N);

    memset(m.a, 0, N * N * sizeof *m.a);
    for (size_t i = 0; i < N; i++)
        m.a[i * N + i] = 1;
    m.a[17 * N + 17] = -0.25;
    for (size_t edge = 5; edge <= 40; edge += 7)
        CHECK_FAILS(factor_status(&m, edge), GRAM_ERR_NUMERIC,
                    "Cholesky: pivot 17 is -0.25, must be positive: the "
                    "matrix is not positive definite");
    m.a[17 * N + 17] = 1;
    /* rank one short: row 30 is row 3 */
    m.a[30 * N + 3] = m.a[3 * N + 30] = 1;
    CHECK_FAILS(factor_status(&m, 8), GRAM_ERR_NUMERIC,
                "Cholesky: pivot 30 is 0, must be positive: the matrix is "
                "not positive definite");
    m.blas = &gi_blas_single;
    CHECK_FAILS(factor_status(&m, 16), GRAM_ERR_NUMERIC,
                "Cholesky: pivot 30 is 0, must be positive: the matrix is "
                "not positive definite");
    free(m.a);
}

TEST(nan_and_infinity_never_pass)
{
    enum { N = 40 };
    static const double bad[] = {NAN, INFINITY};
    matrix m = random_matrix(&gi_blas_double, N);

    for (size_t b = 0; b < 2; b++) {
        double old = m.a[22 * N + 22];

        m.a[22 * N + 22] = bad[b];
        CHECK(factor_status(&m, 8) == GRAM_ERR_NUMERIC);
        CHECK(strncmp(gram_error_message(), "Cholesky: pivot 22 is ", 22) == 0);
        m.a[22 * N + 22] = old;
    }
    m.a[5 * N + 33] = m.a[33 * N + 5] = NAN;
    CHECK_FAILS(factor_status(&m, 8), GRAM_ERR_NUMERIC,
                "Cholesky: pivot 33 is nan, must be finite: the matrix has "
                "entries that are not numbers or too large");
    free(m.a);
}

TEST(a_factor_can_be_used_again_after_a_failure)
{
    GI_RUN(run, NULL);
    matrix m = random_matrix(&gi_blas_double, 20);
    gi_chol *c = NULL;

    CHECK_OK(gi_chol_new(&run, m.blas, m.n, 8, &c));
    m.a[0] = -1;
    CHECK(gi_chol_factor(&run, c, fill, &m) == GRAM_ERR_NUMERIC);
    m.a[0] = 2;
    CHECK_OK(gi_chol_factor(&run, c, fill, &m));
    check_product(&m, c);
    gi_chol_free(c);
    free(m.a);
}

static gram_status failing_fill(void *user, size_t row, size_t rows, size_t col,
                                size_t cols, void *tile, size_t ld)
{
    if (row == 8 && col == 16)
        return gi_fail(GRAM_ERR_RANGE, "tile: a bad one");
    return fill(user, row, rows, col, cols, tile, ld);
}

TEST(the_sentence_of_a_failing_tile_arrives_from_any_thread)
{
    matrix m = random_matrix(&gi_blas_double, 50);

    for (int threads = 1; threads <= 3; threads++) {
        GI_RUN(run, NULL);
        gi_chol *c = NULL;

        run.threads = threads;
        CHECK_OK(gi_chol_new(&run, m.blas, m.n, 8, &c));
        CHECK_FAILS(gi_chol_factor(&run, c, failing_fill, &m), GRAM_ERR_RANGE,
                    "tile: a bad one");
        gi_chol_free(c);
    }
    free(m.a);
}

static int stop_at_half(void *user, double done)
{
    *(double *)user = done;
    return done >= 0.5;
}

TEST(a_cancelled_run_stops)
{
    double done = 0;
    gram_exec exec = {.threads = 1, .progress = stop_at_half, .user = &done};
    GI_RUN(run, &exec);
    matrix m = random_matrix(&gi_blas_double, 80);
    gi_chol *c = factored(&m, 8, 2);
    double x[80] = {0};

    CHECK_FAILS(gi_chol_factor(&run, c, fill, &m), GRAM_ERR_CANCELLED,
                "cancelled");
    CHECK(done >= 0.5 && done < 1);
    run_again(&run, &exec);
    run.threads = 3;
    CHECK_FAILS(gi_chol_solve(&run, c, 1, x, 1), GRAM_ERR_CANCELLED,
                "cancelled");
    gi_chol_free(c);
    free(m.a);
}

TEST(bytes_are_half_the_matrix_and_a_little)
{
    GI_RUN(run, NULL);
    gi_chol *c = NULL;
    size_t before = gram_memory_used(), bytes;

    CHECK(gi_chol_bytes(0, &gi_blas_double) == 0);
    CHECK(gi_chol_bytes(1, &gi_blas_double) == 8);
    CHECK(gi_chol_bytes((size_t)1 << 40, &gi_blas_double) == SIZE_MAX);
    bytes = gi_chol_bytes(1000, &gi_blas_double);
    CHECK(bytes >= 1000 * 1000 / 2 * 8 && bytes <= 1384 * 1000 / 2 * 8);
    CHECK_OK(gi_chol_new(&run, &gi_blas_double, 1000, 0, &c));
    CHECK(gram_memory_used() - before >= bytes);
    gi_chol_free(c);
    c = NULL;
    run.memory = 1 << 20;
    CHECK(gi_chol_new(&run, &gi_blas_double, 1000, 0, &c) == GRAM_ERR_MEMORY);
    CHECK(gi_chol_new(&run, &gi_blas_double, SIZE_MAX, 0, &c) ==
          GRAM_ERR_MEMORY);
    CHECK(c == NULL);
}

/* A binary tree of tasks, task k makes 2k+1 and 2k+2 ready: every task comes
 * once, and what the parent wrote is seen. */
TEST(a_queue_hands_out_every_task_once)
{
    enum { TASKS = 2000 };
    GI_RUN(run, NULL);
    gi_queue *q = NULL;
    int depth[TASKS] = {0};
    atomic_int wrong = 0;

    CHECK_OK(gi_queue_new(&run, TASKS, &q));
    gi_queue_push(q, 0);
    GI_PARALLEL(3)
    {
        size_t k;

        while (gi_queue_pop(q, &k)) {
            wrong += depth[k]++ != 0;
            wrong += k > 0 && depth[(k - 1) / 2] != 1;
            for (size_t child = 2 * k + 1; child <= 2 * k + 2; child++)
                if (child < TASKS)
                    gi_queue_push(q, child);
            sched_yield(); /* so that the others get their share */
        }
    }
    CHECK_OK(gi_queue_status(q));
    CHECK(wrong == 0);
    for (size_t k = 0; k < TASKS; k++)
        CHECK(depth[k] == 1);
    gi_queue_free(q);
}

TESTS(SMALL(factors_of_all_sizes_around_the_tile_edge),
      NORMAL(factors_around_the_real_tile_edge),
      SMALL(many_right_hand_sides_are_solved_in_stripes),
      SMALL(forward_and_backward_are_the_two_halves),
      SMALL(the_bits_do_not_depend_on_the_number_of_threads),
      SMALL(a_pivot_that_is_not_positive_is_named),
      SMALL(nan_and_infinity_never_pass),
      SMALL(a_factor_can_be_used_again_after_a_failure),
      SMALL(the_sentence_of_a_failing_tile_arrives_from_any_thread),
      SMALL(a_cancelled_run_stops),
      SMALL(bytes_are_half_the_matrix_and_a_little),
      SMALL(a_queue_hands_out_every_task_once))
