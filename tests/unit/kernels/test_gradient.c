/* test_gradient.c - reverse mode through every instruction against central
 * differences of the long double reference, for one set of rows and for two.
 */
#include "engine_world.h"

static double weight(size_t i, size_t j)
{
    return cos((double)(i * j)) + 0.1 * (double)(i + j);
}

static void seed(void *user, const gi_tile *tile, double *G)
{
    (void)user;
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->cols; j++)
            G[i * tile->ld + j] = weight(tile->row + i, tile->col + j);
}

static real weighted_sum(const world *w, const gi_points *x, const gi_points *t)
{
    real sum = 0;

    for (size_t i = 0; i < x->rows; i++)
        for (size_t j = 0; j < t->rows; j++)
            sum += weight(i, j) * value(w, w->p.result, x, i, t, j);
    return sum;
}

/* t NULL: of x with itself. */
static void check_pairs(const char *name, world *w, gi_points *x, gi_points *t)
{
    double grad[THETAS] = {0}, scale = 1;
    const double step = 1e-5;

    CHECK_OK(gi_engine_gradient(&w->run, &w->p, NULL, x, t, seed, NULL, grad));
    for (int m = 0; m < THETAS; m++)
        scale = fmax(scale, fabs(grad[m]));
    for (int m = 0; m < THETAS; m++) {
        double old = w->theta[m], want;
        real up, down;

        w->theta[m] = old + step;
        up = weighted_sum(w, x, t ? t : x);
        w->theta[m] = old - step;
        down = weighted_sum(w, x, t ? t : x);
        w->theta[m] = old;
        want = (double)((up - down) / (2 * (real)step));
        if (!(fabs(grad[m] - want) <= 1e-7 * scale))
            fail_msg("%s, theta %d%s: %.12g, not %.12g", name, m,
                     t ? ", x and t" : "", grad[m], want);
    }
}

static void check_gradient(const char *name, world *w, gi_points *x,
                           gi_points *t)
{
    if (strcmp(name, "matrix") != 0) { /* which is as large as x */
        check_pairs(name, w, x, t);
        check_pairs(name, w, t, x);
    }
    check_pairs(name, w, x, NULL);
}

TEST(gradients_equal_central_differences)
{
    for_all(6, 4, check_gradient);
}

static void check_gradient_threads(const char *name, world *w, gi_points *x,
                                   gi_points *t)
{
    double grad[3][THETAS] = {{0}};

    for (int threads = 0; threads < 3; threads++) {
        w->run.threads = threads + 1;
        CHECK_OK(gi_engine_gradient(&w->run, &w->p, NULL, x, NULL, seed, NULL,
                                    grad[threads]));
        CHECK_OK(gi_engine_gradient(&w->run, &w->p, NULL, x, t, seed, NULL,
                                    grad[threads]));
    }
    if (!same_bits(grad[0], grad[1], THETAS) ||
        !same_bits(grad[0], grad[2], THETAS))
        fail_msg("%s: gradient depends on the threads", name);
}

TEST(gradients_do_not_depend_on_the_threads)
{
    for_some(check_gradient_threads);
}

TEST(theta_replaces_the_values_of_the_program)
{
    world *w = new_world(number_of("rbf"), 2, 0);
    gi_points *x = new_points(3, 2, 0, 1);
    double theta[THETAS] = {0}, grad[THETAS] = {0}, same[THETAS] = {0};

    CHECK_OK(gi_engine_gradient(&w->run, &w->p, w->theta, x, NULL, seed, NULL,
                                same));
    CHECK_OK(
        gi_engine_gradient(&w->run, &w->p, theta, x, NULL, seed, NULL, grad));
    CHECK(grad[0] != same[0]);
    w->theta[0] = 0;
    memset(same, 0, sizeof same);
    CHECK_OK(
        gi_engine_gradient(&w->run, &w->p, NULL, x, NULL, seed, NULL, same));
    CHECK(grad[0] == same[0]);
    free_points(x);
    free_world(w);
}

TEST(a_function_without_slope_has_no_gradient)
{
    world *w = new_world(number_of("function"), 2, 0);
    gi_points *x = new_points(3, 2, 0, 1);
    double grad[THETAS] = {0};

    w->op[w->p.result].slope = NULL;
    CHECK_FAILS(
        gi_engine_gradient(&w->run, &w->p, NULL, x, NULL, seed, NULL, grad),
        GRAM_ERR_RANGE,
        "gradient: a function in the kernel was given without its "
        "derivative");
    free_points(x);
    free_world(w);
}

TEST(failing_allocations_leave_nothing_behind)
{
    world *w = new_world(number_of("normal"), 2, FEATURES);
    gi_points *x = new_points(20, 2, FEATURES, 1);
    size_t before = gram_memory_used(), failures = 0;
    gram_status status = GRAM_ERR_MEMORY;
    double grad[THETAS], out[20 * 2], V[20 * 2] = {0};

    for (size_t n = 1; status == GRAM_ERR_MEMORY; n++, failures++) {
        gi_mem_fail_at(n, 0);
        status =
            gi_engine_gradient(&w->run, &w->p, NULL, x, NULL, seed, NULL, grad);
        if (status == GRAM_OK)
            status = gi_engine_product(&w->run, &w->p, x, NULL, V, 2, out);
        gi_mem_fail_at(0, 0);
        CHECK(gram_memory_used() == before);
    }
    CHECK(status == GRAM_OK && failures > 50);
    free_points(x);
    free_world(w);
}

TESTS(SMALL(gradients_equal_central_differences),
      NORMAL(gradients_do_not_depend_on_the_threads),
      SMALL(theta_replaces_the_values_of_the_program),
      SMALL(a_function_without_slope_has_no_gradient),
      SMALL(failing_allocations_leave_nothing_behind))
