/* test_block.c - every part of a kernel matrix has the bits of the stored one,
 * wherever it begins and whoever asks for it.
 */
#include "engine_world.h"
#include "grams.h"

#include "base/parallel.h"
#include "kernels/engine/block.h"

/* Does a part of the n columns of K come out as it stands there?  Beyond the
 * columns asked for nothing may be written. */
static int part_is(gi_block *b, size_t size, const void *K, size_t n,
                   const size_t part[4])
{
    enum { GAP = 3 };
    size_t rows = part[1], cols = part[3], ld = cols + GAP;
    unsigned char *out = malloc(rows * ld * size + 1);
    int same = 1;

    memset(out, 0xa5, rows * ld * size + 1);
    CHECK_OK(gi_block_fill(b, part[0], rows, part[2], cols, out, ld));
    for (size_t i = 0; i < rows; i++) {
        const char *want =
            (const char *)K + ((part[0] + i) * n + part[2]) * size;

        same = same && memcmp(out + i * ld * size, want, cols * size) == 0;
        for (size_t k = cols * size; k < ld * size; k++)
            same = same && out[i * ld * size + k] == 0xa5;
    }
    free(out);
    return same;
}

/* Aligned, odd, crossing borders of tiles and blocks, single rows and columns,
 * above, on and below the diagonal, everything, nothing. */
static void check_parts(const char *name, gi_block *b, size_t size,
                        const void *K, size_t m, size_t n)
{
    const size_t parts[][4] = {{0, m, 0, n},         {0, 64, 0, 96},
                               {64, m - 64, 0, n},   {3, m - 5, 7, n - 9},
                               {m - 1, 1, 0, n},     {0, m, n - 1, 1},
                               {m / 2, 1, n / 2, 1}, {61, 6, 90, 8},
                               {m - 20, 20, 1, 30},  {5, 0, 5, 3}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!part_is(b, size, K, n, parts[i]))
            fail_msg("%s, %s: part %zu", name, size == 8 ? "double" : "single",
                     i);
}

static void check_world(const char *name, world *w, gi_points *x, gi_points *t)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        gi_points *cols = symmetric ? NULL : t;
        size_t n = symmetric ? x->rows : t->rows;
        gi_block *b = NULL;
        double *K;
        float *F;

        w->matrix.cols = n;
        K = store(w, x, cols);
        F = store_single(w, x, cols);
        CHECK_OK(gi_block_new(&w->run, &w->p, NULL, x, cols, &b));
        check_parts(name, b, sizeof *K, K, x->rows, n);
        gi_block_free(b);
        x->precision = GI_SINGLE;
        CHECK_OK(gi_block_new(&w->run, &w->p, NULL, x, cols, &b));
        check_parts(name, b, sizeof *F, F, x->rows, n);
        gi_block_free(b);
        x->precision = GI_DOUBLE;
        free(K);
        free(F);
    }
}

TEST(every_part_has_the_bits_of_the_stored_matrix)
{
    for_all(101, 98, check_world);
}

TEST(parts_of_several_blocks_do_so_too)
{
    for_some(check_world);
}

/* 3100 columns: blocks have the larger edge. */
TEST(parts_of_large_matrices_do_so_too)
{
    for (size_t features = 0; features <= FEATURES; features += FEATURES) {
        world *w = new_world(number_of("shared"), 12, features);
        gi_points *x = new_points(130, 12, features, 1);
        gi_points *t = new_points(3100, 12, features, 2);

        check_world("shared", w, x, t);
        free_points(x);
        free_points(t);
        free_world(w);
    }
}

/* A function that is not symmetric: k(i,j), i < j, is meant by both. */
static double one_sided(void *user, const double *x, const double *t, size_t d)
{
    (void)user, (void)d;
    return 3 * x[0] + t[0];
}

TEST(below_the_diagonal_stands_what_stands_above_it)
{
    world *w = new_world(number_of("pairs"), 1, 0);
    gi_points *x = new_points(130, 1, 0, 1);
    double K[6];
    gi_block *b = NULL;

    w->op[0].pair = one_sided;
    CHECK_OK(gi_block_new(&w->run, &w->p, NULL, x, NULL, &b));
    CHECK_OK(gi_block_fill(b, 101, 2, 11, 3, K, 3));
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            CHECK(K[i * 3 + j] ==
                  3 * x->view->dense[11 + j] + x->view->dense[101 + i]);
    gi_block_free(b);
    free_points(x);
    free_world(w);
}

/* Tiles as the Cholesky factorisation asks for them, by three threads. */
static void check_region(const char *name, world *w, gi_points *x, gi_points *t)
{
    enum { EDGE = 48 };
    size_t n = x->rows, tiles = (n + EDGE - 1) / EDGE;
    double *K = store(w, x, NULL);
    gi_block *b = NULL;
    atomic_int same = 1;

    (void)t;
    w->run.threads = 3;
    CHECK_OK(gi_block_new(&w->run, &w->p, NULL, x, NULL, &b));
    GI_PARALLEL_TASKS(3)
    for (size_t k = 0; k < tiles * tiles; k++) {
        size_t i = k / tiles * EDGE, j = k % tiles * EDGE;
        size_t part[] = {i, n - i < EDGE ? n - i : EDGE, j,
                         n - j < EDGE ? n - j : EDGE};

        if (!part_is(b, sizeof *K, K, n, part))
            atomic_store(&same, 0);
    }
    if (!same)
        fail_msg("%s: tiles differ", name);
    gi_block_free(b);
    free(K);
}

TEST(many_threads_may_ask_at_once)
{
    for_some(check_region);
}

TEST(kernels_on_tables_come_in_parts_too)
{
    static const char *const text[] = {
        "map(standardize, rbf(gamma=0.5))[a,b] + linear[a]*delta[city]",
        "normalize(poly(degree=2)) + 0.25*white", "white*rbf(gamma=1)"};
    static const double cells[] = {1, 2, 3, -1, 0, 4, 5, 5, 1, 2, 2, 2, -1, 0};
    static const char *const city[] = {"Ulm", "Bonn", "Ulm", "Kiel",
                                       "Ulm", "Bonn", "Kiel"};
    gram_table *t = grams_table(7, 2, cells, "a b");
    GI_RUN(run, NULL);
    double K[49];

    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    for (size_t k = 0; k < 3; k++) {
        gram_kernel *kernel = grams_kernel(text[k]);
        gram_program *p = NULL;
        gi_points *x = NULL;
        gi_block *b = NULL;

        CHECK_OK(gi_program_new(&run, kernel, t, 0, &p));
        CHECK_OK(gi_points_new(&run, p, t, GI_DOUBLE, &x));
        CHECK_OK(gram_kernel_matrix(kernel, t, NULL, NULL, K, 7));
        CHECK_OK(gi_block_new(&run, p, NULL, x, NULL, &b));
        for (size_t i = 0; i < 7; i++)
            for (size_t j = 0; j < 7; j++)
                CHECK(part_is(b, sizeof *K, K, 7,
                              (size_t[]){i, 7 - i, j, 7 - j}));
        gi_block_free(b);
        gi_points_free(x);
        gi_program_free(p);
        gram_kernel_free(kernel);
    }
    gram_table_free(t);
}

/* ---------------------------------------------------------------- products */

static void check_product(const char *name, world *w, gi_points *x,
                          gi_points *t)
{
    enum { R = 3 };
    size_t n = x->rows;
    double *V = malloc(n * R * sizeof *V), *out = malloc(n * R * sizeof *V);
    double *want = malloc(n * R * sizeof *V);
    gi_run one = w->run;

    one.threads = 1;
    for (size_t i = 0; i < n * R; i++)
        V[i] = sin((double)i);
    for (int k = 0; k < 4; k++) {
        gi_points *cols = k % 2 ? NULL : t;
        gi_block *b = NULL;

        x->precision = k < 2 ? GI_DOUBLE : GI_SINGLE;
        CHECK_OK(gi_engine_product(&w->run, &w->p, x, cols, V, R, want));
        CHECK_OK(gi_block_new(&w->run, &w->p, NULL, x, cols, &b));
        for (int again = 0; again < 2; again++) {
            CHECK_OK(gi_block_product(again ? &one : &w->run, b, V, R, out));
            if (!same_bits(out, want, n * R))
                fail_msg("%s: product %d", name, k);
            CHECK_OK(gi_block_fill(b, 1, 5, 2, 7, out, 7));
        }
        gi_block_free(b);
    }
    x->precision = GI_DOUBLE;
    free(V);
    free(out);
    free(want);
}

TEST(products_are_those_of_the_engine)
{
    for_some(check_product);
}

TEST(theta_takes_the_place_of_the_programs_values)
{
    world *w = new_world(number_of("rbf_weights"), WIDTH, FEATURES);
    gi_points *x = new_points(100, WIDTH, FEATURES, 1);
    double theta[THETAS], *K;
    gi_block *b = NULL;

    for (int i = 0; i < THETAS; i++) {
        theta[i] = w->theta[i];
        w->theta[i] *= 1.5;
    }
    CHECK_OK(gi_block_new(&w->run, &w->p, theta, x, NULL, &b));
    for (int i = 0; i < THETAS; i++)
        w->theta[i] = theta[i];
    K = store(w, x, NULL);
    check_parts("rbf_weights", b, sizeof *K, K, 100, 100);
    gi_block_free(b);
    free(K);
    free_points(x);
    free_world(w);
}

/* ------------------------------------------------------------------ memory */

TEST(the_bytes_are_estimated)
{
    static const char *const names[] = {"rbf", "normal", "chi2"};

    for (size_t k = 0; k < 6; k++) {
        world *w = new_world(number_of(names[k / 2]), 40, 0);
        gi_points *x = new_points(20000, 40, 0, 1);
        size_t before = gram_memory_used(), taken, bytes;
        gi_block *b = NULL;

        w->run.threads = 1;
        x->precision = k % 2 ? GI_SINGLE : GI_DOUBLE;
        CHECK_OK(gi_block_new(&w->run, &w->p, NULL, x, NULL, &b));
        taken = gram_memory_used() - before;
        bytes = gi_block_bytes(&w->run, &w->p, 20000, 20000, x->precision);
        if (taken > bytes || bytes > taken + taken / 5)
            fail_msg("%s: %zu bytes, not %zu", names[k / 2], taken, bytes);
        gi_block_free(b);
        free_points(x);
        free_world(w);
    }
}

TEST(failing_allocations_leave_nothing_behind)
{
    world *w = new_world(number_of("normal"), WIDTH, FEATURES);
    gi_points *x = new_points(20, WIDTH, FEATURES, 1);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gi_block *b = NULL;

    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_block_new(&w->run, &w->p, NULL, x, NULL, &b);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || (!b && gram_memory_used() == before));
    }
    CHECK(n > 20);
    gi_block_free(b);
    CHECK(gram_memory_used() == before);
    free_points(x);
    free_world(w);
}

TESTS(NORMAL(every_part_has_the_bits_of_the_stored_matrix),
      SMALL(parts_of_several_blocks_do_so_too),
      NORMAL(parts_of_large_matrices_do_so_too),
      SMALL(below_the_diagonal_stands_what_stands_above_it),
      NORMAL(many_threads_may_ask_at_once),
      SMALL(kernels_on_tables_come_in_parts_too),
      SMALL(products_are_those_of_the_engine),
      SMALL(theta_takes_the_place_of_the_programs_values),
      NORMAL(the_bytes_are_estimated),
      SMALL(failing_allocations_leave_nothing_behind))
