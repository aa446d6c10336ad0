/* test_engine.c - tiles against a double loop in long double.
 *
 * Every program of engine_programs.h is run on dense and sparse rows, in both
 * precisions, symmetric and not.
 */
#include "engine_world.h"
#include "kernels/engine/tiles.h"

static void check_values(const char *name, world *w, gi_points *x, gi_points *t)
{
    double *K, *S;
    float *F;

    w->matrix.cols = t->rows;
    K = store(w, x, t);
    F = store_single(w, x, t);
    for (size_t i = 0; i < x->rows; i++)
        for (size_t j = 0; j < t->rows; j++) {
            double want = (double)value(w, w->p.result, x, i, t, j);
            double size = fmax(1, fabs(want));

            if (!(fabs(K[i * t->rows + j] - want) <= 4e-14 * size) ||
                !(fabs((double)F[i * t->rows + j] - want) <= 2e-5 * size))
                fail_msg("%s (%zu,%zu): %.17g, single %.9g, not %.17g", name, i,
                         j, K[i * t->rows + j], (double)F[i * t->rows + j],
                         want);
        }
    w->matrix.cols = x->rows;
    S = store(w, x, NULL);
    for (size_t i = 0; i < x->rows; i++)
        for (size_t j = 0; j < x->rows; j++)
            CHECK_NEAR(S[i * x->rows + j],
                       (double)value(w, w->p.result, x, i, x, j), 4e-14);
    free(K);
    free(F);
    free(S);
}

TEST(every_instruction_equals_a_long_double_loop)
{
    for_all(11, 7, check_values);
}

static void check_bits(const char *name, world *w, gi_points *x, gi_points *t)
{
    size_t n = x->rows;
    gi_points same = *x;
    double *K = store(w, x, NULL), *L = store(w, x, &same), *diagonal;

    (void)t;
    diagonal = malloc(n * sizeof *diagonal);
    CHECK_OK(gi_engine_diagonal(&w->run, &w->p, NULL, x, diagonal));
    if (!same_bits(K, L, n * n))
        fail_msg("%s: one table twice differs from one table", name);
    for (size_t i = 0; i < n; i++) {
        if (K[i * n + i] != diagonal[i])
            fail_msg("%s: diagonal %zu", name, i);
        for (size_t j = 0; j < i; j++)
            if (K[i * n + j] != K[j * n + i])
                fail_msg("%s (%zu,%zu): not symmetric", name, i, j);
    }
    free(K);
    free(L);
    free(diagonal);
}

TEST(matrices_are_symmetric_to_the_bit)
{
    for_all(100, 1, check_bits);
}

static void check_equal_rows(const char *name, world *w, gi_points *x,
                             gi_points *t)
{
    size_t n = x->rows;
    double *K = store(w, x, NULL);
    float *F = store_single(w, x, NULL);

    (void)t;
    for (size_t i = 4; i < n; i += 5) /* equals row i - 1 */
        for (size_t j = 0; j < n; j++) {
            int own = j == i || j == i - 1; /* white sees a difference */
            int by_number =
                strcmp(name, "same_row") == 0 || strcmp(name, "matrix") == 0;

            if (by_number)
                continue;
            if (K[i * n + j] != K[(i - 1) * n + j] ||
                F[i * n + j] != F[(i - 1) * n + j])
                fail_msg("%s (%zu,%zu): equal rows, unequal values%s", name, i,
                         j, own ? " on the diagonal" : "");
        }
    free(K);
    free(F);
}

TEST(equal_rows_have_equal_values)
{
    for_all(100, 1, check_equal_rows);
}

static void check_rows(size_t n, size_t m, size_t d)
{
    static const char *const names[] = {"rbf", "shared", "normal", "laplace"};

    for (size_t k = 0; k < 4; k++) {
        world *w = new_world(number_of(names[k]), d, 0);
        gi_points *x = new_points(n, d, 0, 3), *t = new_points(m, d, 0, 4);
        double *K = store(w, x, t), *S = store(w, x, NULL);

        for (size_t i = 0; i < n; i += 1 + n / 9) {
            for (size_t j = 0; j < m; j += 1 + m / 9)
                CHECK_NEAR(K[i * m + j],
                           (double)value(w, w->p.result, x, i, t, j), 4e-13);
            CHECK_NEAR(K[i * m + m - 1],
                       (double)value(w, w->p.result, x, i, t, m - 1), 4e-13);
            CHECK_NEAR(S[i * n + n - 1],
                       (double)value(w, w->p.result, x, i, x, n - 1), 4e-13);
            CHECK_NEAR(S[(n - 1) * n + i],
                       (double)value(w, w->p.result, x, i, x, n - 1), 4e-13);
        }
        free(K);
        free(S);
        free_points(x);
        free_points(t);
        free_world(w);
    }
}

TEST(all_sizes_work)
{
    static const size_t sizes[] = {1, 2, 63, 64, 65, 95, 96, 97, 191, 193};

    for (size_t i = 0; i < 10; i++) {
        check_rows(sizes[i], sizes[9 - i], 5);
        check_rows(sizes[9 - i], sizes[i], 11);
    }
}

TEST(blocks_of_both_sizes_work)
{
    check_rows(385, 383, 3);
    check_rows(390, 3100, 3);
    check_rows(3100, 40, 3);
}

TEST(functions_of_two_rows_refuse_sparse_columns)
{
    world *w = new_world(number_of("pairs"), 2, FEATURES);
    gi_points *x = new_points(3, 2, FEATURES, 1);
    double K[9];

    CHECK_FAILS(gi_engine_store(&w->run, &w->p, x, NULL, K, 3), GRAM_ERR_SHAPE,
                "a function of two rows: sparse columns, it takes dense ones "
                "only");
    free_points(x);
    free_world(w);
}

TEST(no_rows_make_no_tiles)
{
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(0, 2, 0, 1), *t = new_points(3, 2, 0, 1);
    double out = 5;

    CHECK_OK(gi_engine_store(&w->run, &w->p, x, NULL, &out, 0));
    CHECK_OK(gi_engine_store(&w->run, &w->p, x, t, &out, 3));
    CHECK_OK(gi_engine_store(&w->run, &w->p, t, x, &out, 0));
    CHECK_OK(gi_engine_diagonal(&w->run, &w->p, NULL, x, &out));
    CHECK(out == 5);
    free_points(x);
    free_points(t);
    free_world(w);
}

/* Does the program see rows through inner products and distances alone, all
 * columns alike? */
static int sees_products(const world *w)
{
    for (size_t i = 0; i < w->p.ops; i++) {
        const gi_op *op = &w->p.op[i];

        if (op->view >= 0 &&
            ((op->code != GI_OP_DOT && op->code != GI_OP_SQDIST) ||
             op->slot >= 0))
            return 0;
    }
    return 1;
}

/* Columns that no row has an entry in change nothing, though rows are then no
 * longer written out. */
static void check_wide(const char *name, world *w, gi_points *x, gi_points *t)
{
    const size_t width = x->view->sparse_width;
    double *K, *L;

    if (!w->view.sparse_width || !sees_products(w))
        return;
    w->matrix.cols = t->rows;
    K = store(w, x, t);
    x->view->sparse_width = t->view->sparse_width = 1000 * width;
    L = store(w, x, t);
    x->view->sparse_width = t->view->sparse_width = width;
    for (size_t i = 0; i < x->rows * t->rows; i++)
        if (!(fabs(K[i] - L[i]) <= 1e-13 * fmax(1, fabs(L[i]))))
            fail_msg("%s: %.17g, %.17g if wide", name, K[i], L[i]);
    free(K);
    free(L);
}

TEST(sparse_rows_do_not_mind_empty_columns)
{
    for_all(10, 450, check_wide);
}

static void check_sparse(const char *name, world *w, gi_points *x, gi_points *t)
{
    gi_points *dx, *dt;
    double *K, *L;
    gi_view view = w->view;

    if (!view.sparse_width)
        return;
    w->matrix.cols = t->rows;
    K = store(w, x, t);
    dx = densified(x, &view);
    dt = densified(t, &view);
    w->view.width = view.width + view.sparse_width;
    w->view.sparse = -1;
    w->view.sparse_width = 0;
    L = store(w, dx, dt);
    for (size_t i = 0; i < x->rows * t->rows; i++)
        if (!(fabs(K[i] - L[i]) <= 1e-13 * fmax(1, fabs(L[i]))))
            fail_msg("%s: %.17g sparse, %.17g dense", name, K[i], L[i]);
    free(K);
    free(L);
    free_points(dx);
    free_points(dt);
}

TEST(sparse_rows_equal_dense_ones)
{
    for_all(10, 450, check_sparse);
}

/* ------------------------------------------------------------------ guards */

/* rbf: the largest relative error, in units of
 * u (1 + gamma (|x|^2 + |t|^2)). */
static double rbf_error(world *w, gi_points *x, double u, int single)
{
    size_t n = x->rows, d = w->view.width;
    double *K = single ? NULL : store(w, x, NULL), worst = 0, mean[12];
    float *F = single ? store_single(w, x, NULL) : NULL;

    for (size_t k = 0; k < d; k++) {
        real sum = 0;

        for (size_t i = 0; i < n; i++)
            sum += x->view->dense[i * d + k];
        mean[k] = (double)(sum / (real)n);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double got = single ? (double)F[i * n + j] : K[i * n + j];
            double norms = 0, error;
            real want = value(w, w->p.result, x, i, x, j);

            for (size_t k = 0; k < d; k++) {
                double a = x->view->dense[i * d + k] - mean[k];
                double b = x->view->dense[j * d + k] - mean[k];

                norms += a * a + b * b;
            }
            error = (double)fabsl(got - want) / (double)want /
                    (u * (1 + w->theta[0] * norms));
            worst = fmax(worst, error);
        }
    free(K);
    free(F);
    return worst;
}

TEST(rbf_keeps_its_error_bound)
{
    enum { ROWS = 100 };
    const double offsets[] = {0, 1, 1e3, 1e6}, gammas[] = {0.5, 0.1, 1, 0.3};

    for (size_t c = 0; c < 4; c++)
        for (int wide = 0; wide < 2; wide++) {
            size_t d = wide ? 12 : WIDTH;
            world *w = new_world(number_of("rbf"), d, 0);
            gi_points *x = new_points(ROWS, d, 0, 5);

            for (size_t i = 0; i < ROWS * d; i++)
                x->view->dense[i] += offsets[c];
            w->theta[0] = gammas[c];
            CHECK(rbf_error(w, x, 0x1p-53, 0) <= 4);
            CHECK(rbf_error(w, x, 0x1p-24, 1) <= 4);
            free_points(x);
            free_world(w);
        }
}

/* Far clusters of close points: what is not guarded loses all digits. */
TEST(close_points_far_from_the_mean_keep_their_distance)
{
    world *w = new_world(number_of("matern"), 12, 0);
    gi_points *x = new_points(60, 12, 0, 6);
    double *K;

    for (size_t i = 0; i < 60; i++)
        for (size_t k = 0; k < 12; k++)
            x->view->dense[i * 12 + k] =
                (i % 2 ? 10 : -10) + 1e-6 * x->view->dense[i * 12 + k];
    K = store(w, x, NULL);
    for (size_t i = 0; i < 60; i++)
        for (size_t j = 0; j < 60; j++)
            CHECK_NEAR(K[i * 60 + j], (double)value(w, w->p.result, x, i, x, j),
                       1e-14);
    free(K);
    free_points(x);
    free_world(w);
}

/* exp(-inf) is 0; on the diagonal it is 1; nothing is NaN. */
TEST(huge_and_tiny_data_are_no_danger)
{
    static const double scales[] = {1e-320, 1e-200, 1e-30, 1e18,
                                    1e30,   1e150,  1e200, 8e307};
    static const char *const names[] = {"rbf", "matern", "laplace", "rq"};

    for (size_t k = 0; k < 4 * 8 * 2; k++) {
        size_t d = k % 2 ? 12 : 2, n = 20;
        world *w = new_world(number_of(names[k / 16]), d, 0);
        gi_points *x = new_points(n, d, 0, 7);
        double *K, scale = scales[k / 2 % 8];
        float *F;

        for (size_t i = 0; i < n * d; i++)
            x->view->dense[i] = (x->view->dense[i] - 1) * scale;
        K = store(w, x, NULL);
        F = store_single(w, x, NULL);
        for (size_t i = 0; i < n * n; i++) {
            int equal_pair = i / n == i % n || (i / n / 5 == i % n / 5 &&
                                                i / n % 5 > 2 && i % n % 5 > 2);
            double want = equal_pair || scale < 1 ? 1 : 0;

            if (!(fabs(K[i] - want) < 1e-6) ||
                !(fabs((double)F[i] - want) < 1e-6))
                fail_msg("%s, scale %g, %zu columns: %g, single %g, not %g",
                         names[k / 16], scale, d, K[i], (double)F[i], want);
        }
        free(K);
        free(F);
        free_points(x);
        free_world(w);
    }
}

TEST(inner_products_of_huge_numbers_are_infinite_not_nan)
{
    world *w = new_world(number_of("dot"), 4, 0);
    gi_points *x = new_points(2, 4, 0, 8);
    const double rows[] = {1e200, 1e200, 1, 0, 1e200, 1e200, 1, 0};
    const double other[] = {1e200, -1e200, 3, 1, 1e-200, 1e-200, 0, 1};
    gi_points *t = new_points(2, 4, 0, 9);
    double *K;

    memcpy(x->view->dense, rows, sizeof rows);
    memcpy(t->view->dense, other, sizeof other);
    K = store(w, x, t);
    CHECK(!isnan(K[0]) && !isnan(K[1]) && !isnan(K[2]) && !isnan(K[3]));
    free(K);
    K = store(w, x, NULL);
    CHECK(K[0] == INFINITY && K[1] == INFINITY);
    free(K);
    free_points(x);
    free_points(t);
    free_world(w);
}

/* ------------------------------------------------------- how runs end */

static int stop_half_way(void *user, double done)
{
    *(int *)user += 1;
    return done > 0.5;
}

TEST(progress_is_told_and_can_cancel)
{
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(600, 2, 0, 1);
    double *K = malloc(600 * 600 * sizeof *K);
    int calls = 0;

    w->run.progress = stop_half_way;
    w->run.user = &calls;
    CHECK_FAILS(gi_engine_store(&w->run, &w->p, x, NULL, K, 600),
                GRAM_ERR_CANCELLED, "cancelled");
    CHECK(calls > 0);
    free(K);
    free_points(x);
    free_world(w);
}

static gram_status refuse(void *user, size_t task, const gi_tile *tile)
{
    (void)user;
    return task == 3 ? gi_fail(GRAM_ERR_NUMERIC, "row %zu: no", tile->row)
                     : GRAM_OK;
}

TEST(an_error_of_a_consumer_comes_back_with_its_sentence)
{
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(900, 2, 0, 1);
    gi_consumer consumer = {refuse, NULL};
    const size_t edge = gi_engine_edge(900), down = (900 + edge - 1) / edge;

    CHECK(gi_engine_tasks(900, 900, 1) == down * (down + 1) / 2);
    CHECK_FAILS(gi_engine_run(&w->run, &w->p, NULL, x, NULL, &consumer),
                GRAM_ERR_NUMERIC, "row 0: no");
    free_points(x);
    free_world(w);
}

/* The first row alone, and among others. */
static void check_alone(const char *name, world *w, gi_points *x, gi_points *t)
{
    double *K, *L;
    gi_points one = *x;

    one.rows = 1;
    w->matrix.cols = t->rows;
    K = store(w, x, t);
    w->matrix.rows = 1;
    L = store(w, &one, t);
    if (!same_bits(K, L, t->rows))
        fail_msg("%s: the first row depends on the others", name);
    free(K);
    free(L);
}

TEST(values_do_not_depend_on_the_other_rows_of_x)
{
    for_all(70, 100, check_alone);
}

TESTS(SMALL(every_instruction_equals_a_long_double_loop),
      SMALL(matrices_are_symmetric_to_the_bit),
      SMALL(equal_rows_have_equal_values), SMALL(all_sizes_work),
      NORMAL(blocks_of_both_sizes_work), SMALL(no_rows_make_no_tiles),
      SMALL(functions_of_two_rows_refuse_sparse_columns),
      SMALL(sparse_rows_do_not_mind_empty_columns),
      SMALL(sparse_rows_equal_dense_ones), NORMAL(rbf_keeps_its_error_bound),
      SMALL(close_points_far_from_the_mean_keep_their_distance),
      SMALL(huge_and_tiny_data_are_no_danger),
      SMALL(inner_products_of_huge_numbers_are_infinite_not_nan),
      SMALL(progress_is_told_and_can_cancel),
      SMALL(an_error_of_a_consumer_comes_back_with_its_sentence),
      SMALL(values_do_not_depend_on_the_other_rows_of_x))
