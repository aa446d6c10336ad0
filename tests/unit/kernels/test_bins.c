/* test_bins.c - sums over bins and quadratic forms, beside the matrix itself.
 */
#include "grams.h"

#include "kernels/engine/engine.h"
#include "kernels/program/points.h"

enum { D = 3, POWERS = 4 };

/* A kernel on random rows, and its matrix. */
typedef struct world {
    gram_table *t;
    gram_kernel *k;
    gram_program *p;
    gi_points *x;
    double *K;
    size_t n;
} world;

static world world_new(size_t n, gi_precision precision)
{
    const char *text = "rbf(gamma=0.3)";
    GI_RUN(run, &(gram_exec){.threads = 1});
    world w = {.t = grams_random_table(n, D, 0, n, NULL),
               .k = grams_kernel(text),
               .n = n};

    CHECK_OK(gi_program_new(&run, w.k, w.t, 0, &w.p));
    CHECK_OK(gi_points_new(&run, w.p, w.t, precision, &w.x));
    w.K = grams_matrix(text, w.t);
    return w;
}

static void world_free(world *w)
{
    gi_points_free(w->x);
    gi_program_free(w->p);
    gram_kernel_free(w->k);
    gram_table_free(w->t);
    free(w->K);
}

static double sum_of(const world *w, const gi_bins *b, size_t q, size_t g,
                     size_t h)
{
    double sum = 0;

    for (size_t i = b->start[g]; i < b->start[g + 1]; i++)
        for (size_t j = b->start[h]; j < b->start[h + 1]; j++)
            sum += i == j ? 0 : pow(w->K[i * w->n + j], (double)(1u << q));
    return sum;
}

static void check_bins(size_t n, size_t size, gi_precision precision,
                       double tolerance)
{
    world w = world_new(n, precision);
    GI_RUN(run, &(gram_exec){.threads = 2});
    size_t count = (n + size - 1) / size,
           *start = malloc((count + 1) * sizeof *start);
    double *sums = grams_doubles(POWERS * count * count);
    double *rows = grams_doubles(2 * n);

    for (size_t g = 0; g <= count; g++)
        start[g] = g * size < n ? g * size : n;
    gi_bins b = {count, start, start[count / 2]};
    CHECK_OK(gi_engine_bins(&run, w.p, w.x, &b, POWERS, sums, rows));
    for (size_t q = 0; q < POWERS; q++)
        for (size_t g = 0; g < count; g++)
            for (size_t h = 0; h < count; h++)
                CHECK_NEAR(sums[(q * count + g) * count + h],
                           sum_of(&w, &b, q, g, h), tolerance);
    for (size_t i = 0; i < n; i++) {
        double sum[2] = {0};

        for (size_t j = 0; j < n; j++)
            sum[j >= b.split] += i == j ? 0 : w.K[i * n + j];
        CHECK_NEAR(rows[2 * i], sum[0], tolerance);
        CHECK_NEAR(rows[2 * i + 1], sum[1], tolerance);
    }
    free(start);
    free(sums);
    free(rows);
    world_free(&w);
}

TEST(sums_over_bins_are_those_of_the_matrix)
{
    check_bins(2, 1, GI_DOUBLE, 1e-12);
    check_bins(50, 1, GI_DOUBLE, 1e-12);
    check_bins(97, 10, GI_DOUBLE, 1e-12);
    check_bins(200, 200, GI_DOUBLE, 1e-12);
    check_bins(260, 13, GI_DOUBLE, 1e-12);
    check_bins(260, 13, GI_SINGLE, 1e-5);
}

TEST(large_blocks_have_the_same_sums)
{
    check_bins(3100, 100, GI_SINGLE, 1e-5);
}

static void check_forms(size_t n, size_t count)
{
    world w = world_new(n, GI_DOUBLE);
    GI_RUN(run, &(gram_exec){.threads = 2});
    double *W = grams_random(count * n, 0, 3), *out = grams_doubles(count);

    CHECK_OK(gi_engine_forms(&run, w.p, w.x, W, count, n, out));
    for (size_t c = 0; c < count; c++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                sum +=
                    i == j ? 0 : W[c * n + i] * W[c * n + j] * w.K[i * n + j];
        CHECK_NEAR(out[c], sum, 1e-11);
    }
    free(W);
    free(out);
    world_free(&w);
}

TEST(forms_are_those_of_the_matrix)
{
    check_forms(2, 1);
    check_forms(70, 3);
    check_forms(300, 5);
    check_forms(200, 300);
}

TEST(sums_do_not_depend_on_threads)
{
    enum { N = 500, BINS = 50, FORMS = 4 };
    world w = world_new(N, GI_SINGLE);
    size_t start[BINS + 1];
    double sums[2][BINS * BINS], rows[2][2 * N], forms[2][FORMS];
    float W[FORMS * N];

    for (size_t g = 0; g <= BINS; g++)
        start[g] = g * N / BINS;
    for (size_t i = 0; i < FORMS * N; i++)
        W[i] = (float)(i * 7 % 5);
    gi_bins b = {BINS, start, start[20]};
    for (int i = 0; i < 2; i++) {
        GI_RUN(run, &(gram_exec){.threads = 1 + 2 * i});

        CHECK_OK(gi_engine_bins(&run, w.p, w.x, &b, 1, sums[i], rows[i]));
        CHECK_OK(gi_engine_forms(&run, w.p, w.x, W, FORMS, N, forms[i]));
    }
    CHECK(memcmp(sums[0], sums[1], sizeof *sums) == 0);
    CHECK(memcmp(rows[0], rows[1], sizeof *rows) == 0);
    CHECK(memcmp(forms[0], forms[1], sizeof *forms) == 0);
    world_free(&w);
}

TESTS(SMALL(sums_over_bins_are_those_of_the_matrix),
      NORMAL(large_blocks_have_the_same_sums),
      SMALL(forms_are_those_of_the_matrix),
      SMALL(sums_do_not_depend_on_threads))
