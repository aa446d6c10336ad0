/* test_map.c - what the maps do to a row, and what they learn.
 */
#include "check.h"

#include "base/rng.h"
#include "kernels/program/points.h"

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

TEST(minmax_gives_numbers_from_0_to_1)
{
    static const double x[] = {2, 7, 1, 7, 5, 7};

    check_maps("minmax", x, 3, 2, ROW(0.25, 0));
    check_maps("minmax", x, 1, 2, ROW(0, 0));
    check_maps("minmax(shift=[0], scale=[8])", x, 1, 1, ROW(0.25));
    check_refuses("minmax", INFINITY, "too far from the smallest number");
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

/* ------------------------------------------------------------ sparse blocks */

enum { ROWS = 40, WIDTH = 9 };

/* A number x and a sparse block s, whose feature 0 is never there, 1 always 3,
 * 2 always there, and the others now and then. */
static gram_table *sparse_table(void)
{
    gi_rng rng = gi_rng_new(6, 6);
    size_t start[ROWS + 1] = {0}, n = 0;
    unsigned index[ROWS * WIDTH];
    double entries[ROWS * WIDTH], x[ROWS];
    gram_table *t = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        x[i] = gi_rng_normal(&rng);
        for (unsigned j = 1; j < WIDTH; j++)
            if (j < 3 || gi_rng_below(&rng, 3) == 0) {
                index[n] = j;
                entries[n++] = j == 1 ? 3 : 100 + j * gi_rng_normal(&rng);
            }
        start[i + 1] = n;
    }
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_sparse(t, "s", WIDTH, start, index, entries));
    return t;
}

/* The rows of t as map(phi, linear), compiled for `first`, sees them. */
static gram_status gather(const char *phi, const gram_table *first,
                          const gram_table *t, gi_points **out)
{
    GI_RUN(run, NULL);
    gram_program *p = NULL;
    gram_status status;

    map(phi);
    status = gi_program_new(&run, kernel, first, 0, &p);
    if (status == GRAM_OK)
        status = gi_points_new(&run, p, t, GI_DOUBLE, out);
    gi_program_free(p);
    map(NULL);
    return status;
}

/* As scaling the table does. */
static void check_scales(const char *phi, gram_scale scale)
{
    gram_table *t = sparse_table(), *plain = sparse_table();
    gram_scaler *scaler = NULL;
    gi_points *x = NULL;
    gram_column c;

    CHECK_OK(gather(phi, plain, plain, &x));
    CHECK_OK(gram_scaler_new(t, scale, NULL, &scaler));
    CHECK_OK(gram_scaler_apply(scaler, t));
    c = gram_table_column(t, 0);
    for (size_t i = 0; i < ROWS; i++)
        CHECK_NEAR(x->view->dense[i], c.values[i], 1e-14);
    c = gram_table_column(t, 1);
    for (size_t e = 0; e < c.start[ROWS]; e++) {
        CHECK(x->view->index[e] == c.index[e]);
        CHECK_NEAR(x->view->entries[e] / c.entries[e], 1, 1e-13);
    }
    gi_points_free(x);
    gram_scaler_free(scaler);
    gram_table_free(t);
    gram_table_free(plain);
}

TEST(sparse_blocks_are_divided_as_tables_are)
{
    check_scales("standardize", GRAM_SCALE_STANDARD);
    check_scales("minmax", GRAM_SCALE_MINMAX);
}

TEST(the_next_map_learns_from_what_was_divided)
{
    gram_table *t = sparse_table();
    gram_column c = gram_table_column(t, 1);
    GI_RUN(run, NULL);
    gram_kernel *k = NULL;
    gram_program *p = NULL;
    const gi_view *v;

    CHECK_OK(gram_kernel_new("map(minmax, map(standardize, linear))[s]", &k));
    CHECK_OK(gi_program_new(&run, k, t, 0, &p));
    v = p->view;
    CHECK(v->state[0].features == WIDTH && v->state[1].features == WIDTH);
    for (size_t j = 0; j < WIDTH; j++) {
        double sum = 0, squares = 0, most = 0, mean;

        for (size_t e = 0; e < c.start[ROWS]; e++)
            if (c.index[e] == j) {
                sum += c.entries[e];
                most = fmax(most, fabs(c.entries[e]));
            }
        mean = sum / ROWS;
        squares = ROWS * mean * mean;
        for (size_t e = 0; e < c.start[ROWS]; e++)
            if (c.index[e] == j)
                squares += c.entries[e] * (c.entries[e] - 2 * mean);
        CHECK_NEAR(v->state[0].divisor[j], most > 0 ? most : 1, 1e-15);
        CHECK_NEAR(v->state[1].divisor[j],
                   j < 2 ? 1 : sqrt(squares / (ROWS - 1)) / most, 1e-10);
    }
    gi_program_free(p);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(written_divisors_stand_behind_the_columns)
{
    static const double y[] = {1, 2};
    gram_table *t = NULL;
    gi_points *x = NULL;

    CHECK_OK(gram_table_new(2, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", 4, (size_t[]){0, 2, 3},
                                   (unsigned[]){0, 1, 3},
                                   (double[]){10, 20, 30}));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gather("standardize(shift=[1,0,0], scale=[2,5,4])", t, t, &x));
    CHECK(x->view->dense[0] == 0 && x->view->dense[1] == 0.5);
    CHECK(x->view->entries[0] == 2 && x->view->entries[1] == 5);
    CHECK(x->view->entries[2] == 30); /* a feature the map does not know */
    gi_points_free(x);
    x = NULL;
    CHECK_FAILS(gather("minmax(shift=[1,2,0], scale=[2,5,4])", t, t, &x),
                GRAM_ERR_RANGE,
                "kernel \"map(minmax(shift=[1,2,0], scale=[2,5,4]), linear)\": "
                "map minmax moves feature 1 of a sparse block by 2, it may "
                "only be divided");
    CHECK_FAILS(gather("minmax(shift=[1], scale=[1e-310])", t, t, &x),
                GRAM_ERR_RANGE,
                "row 2, map minmax: too far from the smallest number");
    CHECK_FAILS(gather("minmax(shift=[1,0,0], scale=[1,1,1e-308])", t, t, &x),
                GRAM_ERR_RANGE,
                "row 1, map minmax: the result is not a finite number");
    gram_table_free(t);
}

TESTS(SMALL(functions_act_on_every_column),
      SMALL(outside_their_domain_they_say_what_they_take),
      SMALL(standardize_gives_mean_0_and_deviation_1),
      SMALL(minmax_gives_numbers_from_0_to_1),
      SMALL(poly_gives_all_monomials_once),
      SMALL(fourier_gives_waves_of_period_1_for_small_and_large_numbers),
      SMALL(bins_are_one_hot_between_the_least_and_the_largest_number),
      SMALL(sparse_blocks_are_divided_as_tables_are),
      SMALL(the_next_map_learns_from_what_was_divided),
      SMALL(written_divisors_stand_behind_the_columns))
