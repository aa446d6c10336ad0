/* test_map.c - what the maps do to a row, and what they learn.
 */
#include "check.h"

#include "kernels/kernel.h"

enum { MOST = 32 };

static gram_kernel *kernel;

/* phi of map(phi, linear), until the next call. */
static const gi_map *map(const char *phi)
{
    char text[200];

    gram_kernel_free(kernel);
    kernel = NULL;
    if (!phi)
        return NULL;
    snprintf(text, sizeof text, "map(%s, linear)", phi);
    CHECK_OK(gram_kernel_new(text, &kernel));
    return kernel->root->map;
}

/* The first row of x maps to the `width` numbers expected, after learning from
 * n rows of d. */
static void check_maps(const char *phi, const double *x, size_t n, size_t d,
                       const double *expected, size_t width)
{
    const gi_map *m = map(phi);
    double state[MOST], out[MOST];
    const char *why = NULL;

    CHECK(gi_map_width(m, d) == width && width <= MOST);
    CHECK(gi_map_state_size(m, d) <= MOST);
    if (!m->state)
        CHECK_OK(gi_map_learn(NULL, m, x, n, d, state));
    CHECK(
        m->class_->apply(m->arg, m->state ? m->state : state, x, d, out, &why));
    for (size_t i = 0; i < width; i++)
        CHECK_NEAR(out[i], expected[i], 1e-15);
    map(NULL);
}

static void check_refuses(const char *phi, double x, const char *sentence)
{
    const gi_map *m = map(phi);
    double state[2], out[MOST];
    const char *why = NULL;

    CHECK_OK(gi_map_learn(NULL, m, (double[]){0.5}, 1, 1, state));
    CHECK(!m->class_->apply(m->arg, state, &x, 1, out, &why));
    CHECK_STR(why, sentence);
    map(NULL);
}

#define ROW(...)                                                               \
    (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / 8

TEST(functions_act_on_every_column)
{
    static const double x[] = {0.25, 4};

    check_maps("log", x, 1, 2, ROW(-log(4), log(4)));
    check_maps("log1p", x, 1, 2, ROW(log(1.25), log(5)));
    check_maps("sqrt", x, 1, 2, ROW(0.5, 2));
    check_maps("square", x, 1, 2, ROW(0.0625, 16));
    check_maps("abs", (double[]){-1, 2}, 1, 2, ROW(1, 2));
}

TEST(outside_their_domain_they_say_what_they_take)
{
    check_refuses("log", 0, "log takes numbers above 0");
    check_refuses("log1p", -1, "log1p takes numbers above -1");
    check_refuses("sqrt", -1, "sqrt takes numbers of at least 0");
    check_refuses("square", 1e200, "its square is too large");
    check_refuses("poly(degree=3)", 1e200, "a power of it is too large");
}

TEST(standardize_gives_mean_0_and_deviation_1)
{
    /* columns 1, 3 and 7, 7, 7: mean 2, deviation sqrt(2); constant */
    static const double x[] = {1, 7, 3, 7};

    check_maps("standardize", x, 2, 2, ROW(-1 / sqrt(2), 0));
    check_maps("standardize", x, 1, 2, ROW(0, 0));
    check_maps("standardize(shift=[2,0], scale=[4,0.5])", x, 2, 2,
               ROW(-0.25, 14));
    check_refuses("standardize", INFINITY, "too far from the mean");
}

TEST(poly_gives_all_monomials_once)
{
    static const double x[] = {2, 3, 5};

    check_maps("poly(degree=1)", x, 1, 3, ROW(1, 2, 3, 5));
    check_maps("poly", x, 1, 2, ROW(1, 2, 3, 4, 6, 9));
    check_maps("poly(degree=3)", x, 1, 1, ROW(1, 2, 4, 8));
    check_maps("poly(degree=3)", x, 1, 3,
               ROW(1, 2, 3, 5, 4, 6, 10, 9, 15, 25, 8, 12, 20, 18, 30, 50, 27,
                   45, 75, 125));
    CHECK(gi_map_width(map("poly(degree=1000)"), 1000) == SIZE_MAX);
    map(NULL);
}

TEST(fourier_gives_waves_of_period_1_for_small_and_large_numbers)
{
    check_maps("fourier(m=2)", (double[]){0.25}, 1, 1, ROW(0, 1, -1, 0));
    check_maps("fourier(m=1)", (double[]){1e15 + 0.25}, 1, 1, ROW(0, 1));
    check_maps("fourier(m=1)", (double[]){0.5, -0.25}, 1, 2, ROW(-1, 0, 0, -1));
}

TEST(bins_are_one_hot_between_the_least_and_the_largest_number)
{
    static const double x[] = {5, 0, 8};

    check_maps("bins(m=4)", x, 3, 1, ROW(0, 0, 1, 0));
    check_maps("bins(m=2, from=[0,0], to=[5,1])", (double[]){5, -3}, 1, 2,
               ROW(0, 1, 1, 0));
    check_maps("bins(m=2)", (double[]){7, 7}, 2, 1, ROW(1, 0));
    check_maps("bins(m=2)", (double[]){1e308, -1e308}, 2, 1, ROW(0, 1));
}

TESTS(SMALL(functions_act_on_every_column),
      SMALL(outside_their_domain_they_say_what_they_take),
      SMALL(standardize_gives_mean_0_and_deviation_1),
      SMALL(poly_gives_all_monomials_once),
      SMALL(fourier_gives_waves_of_period_1_for_small_and_large_numbers),
      SMALL(bins_are_one_hot_between_the_least_and_the_largest_number))
