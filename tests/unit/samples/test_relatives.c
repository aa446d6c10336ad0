/* test_relatives.c - what shares the code of two-sample tests: independence,
 * groups, witness and columns, Wasserstein distance, herding, drift.
 */
#include "samples.h"

#include "base/mem.h"

static double hsic_of(const gram_table *t, const char *x, const char *y,
                      double *p)
{
    gram_test_options o = {.kernel = "rbf(gamma=0.5)", .permutations = 100};
    gram_test *test = NULL;

    CHECK_OK(gram_test_independence(t, x, y, &o, NULL, &test));
    double statistic = gram_test_report_get(test)->statistic;
    *p = gram_test_report_get(test)->p_value;
    CHECK(gram_test_witness(test, NULL, NULL, p) == GRAM_ERR_SHAPE);
    gram_test_free(test);
    return statistic;
}

TEST(a_product_grid_is_independent)
{
    enum { SIDE = 6 };
    double x[SIDE * SIDE * 2], p;

    for (size_t i = 0; i < SIDE * SIDE; i++) {
        x[2 * i] = (double)(i / SIDE);
        x[2 * i + 1] = (double)(i % SIDE) * 0.7;
    }
    gram_table *t = grams_table(SIDE * SIDE, 2, x, "a b");
    CHECK(fabs(hsic_of(t, "a", "b", &p)) < 1e-20);
    CHECK(p == 1);
    gram_table_free(t);
}

TEST(hsic_is_the_trace)
{
    enum { N = 40 };
    gram_table *t = grams_random_table(N, 3, 0, 31, "a b c");
    double *K = grams_matrix("rbf(gamma=0.5)[a,b]", t);
    double *L = grams_matrix("rbf(gamma=0.5)[c]", t), sum = 0, p;

    /* sum of K~ L~ with rows and columns of both centred */
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double k[2] = {K[i * N + j], L[i * N + j]};

            for (size_t q = 0; q < N; q++) {
                k[0] -= (K[i * N + q] + K[q * N + j]) / N;
                k[1] -= (L[i * N + q] + L[q * N + j]) / N;
            }
            for (size_t q = 0; q < N * N; q++) {
                k[0] += K[q] / (N * N);
                k[1] += L[q] / (N * N);
            }
            sum += k[0] * k[1] / (N * N);
        }
    CHECK_NEAR(hsic_of(t, "a,b", "c", &p), sum, 1e-7);
    free(K);
    free(L);
    gram_table_free(t);
}

TEST(dependence_without_correlation_is_seen)
{
    enum { N = 100 };
    double *x = grams_random(N, 0, 32), y[2 * N], p;

    for (size_t i = 0; i < N; i++) {
        y[2 * i] = x[i];
        y[2 * i + 1] = x[i] * x[i];
    }
    gram_table *t = grams_table(N, 2, y, "a b");
    hsic_of(t, "a", "b", &p);
    CHECK(p < 0.02);
    gram_test *test = NULL;
    CHECK(gram_test_independence(t, "a", "z", NULL, NULL, &test) ==
          GRAM_ERR_NAME);
    CHECK(test == NULL);
    free(x);
    gram_table_free(t);
}

/* ------------------------------------------------------------------ groups */

TEST(groups_are_compared_with_holms_correction)
{
    enum { N = 30 };
    double *x = grams_random(3 * N, 0, 33);
    const char *name[3 * N];

    for (size_t i = 0; i < 3 * N; i++) {
        name[i] = i < N ? "u" : i < 2 * N ? "v" : "w";
        x[i] += i < 2 * N ? 0 : 3;
    }
    gram_table *t = grams_table(3 * N, 1, x, "a"), *found = NULL;
    CHECK_OK(gram_table_add_strings(t, "g", GRAM_TYPE_CATEGORY, name));
    CHECK_OK(gram_test_groups(t, "g", NULL, NULL, &found));
    CHECK(gram_table_rows(found) == 3);
    const double *p = gram_table_column(found, 5).values;
    const double *holm = gram_table_column(found, 6).values;
    const double *reject = gram_table_column(found, 7).values;
    CHECK(reject[0] == 0 && reject[1] == 1 && reject[2] == 1);
    CHECK_NEAR(fmin(holm[1], holm[2]), 3 * fmin(p[1], p[2]), 1e-12);
    CHECK(holm[0] == fmax(p[0], fmax(holm[1], holm[2])));
    gram_table_free(found);
    CHECK(gram_test_groups(t, "a", NULL, NULL, &found) == GRAM_ERR_SHAPE);
    gram_table_free(t);
    free(x);
}

/* ----------------------------------------------------------------- witness */

TEST(the_witness_has_the_statistic_as_difference_of_its_means)
{
    enum { M = 25, N = 35 };
    gram_table *a = samples_normal(M, 2, 0, 1, 34);
    gram_table *b = samples_normal(N, 2, 1, 1, 35);
    gram_test_options o = {.kernel = "rbf(gamma=0.3)", .permutations = 10};
    gram_test *t = samples_test(a, b, &o, 1);
    double w[M + N], at[M + N], sum = 0;

    CHECK_OK(gram_test_witness(t, NULL, NULL, w));
    for (size_t i = 0; i < M + N; i++)
        sum += i < M ? w[i] / M : -w[i] / N;
    CHECK_NEAR(sum, gram_test_report_get(t)->statistic, 1e-12);
    CHECK_OK(gram_test_witness(t, a, NULL, at));
    CHECK_OK(gram_test_witness(t, b, NULL, at + M));
    for (size_t i = 0; i < M; i++) /* with the row itself */
        CHECK(at[i] > w[i]);
    for (size_t i = M; i < M + N; i++)
        CHECK(at[i] < w[i]);
    gram_test_free(t);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(the_column_that_differs_comes_first)
{
    enum { N = 150 };
    double *x = grams_random(3 * N, 0, 36), *y = grams_random(3 * N, 0, 37);

    for (size_t i = 0; i < N; i++)
        y[3 * i + 1] += 1;
    gram_table *a = grams_table(N, 3, x, "p q r"), *found = NULL;
    gram_table *b = grams_table(N, 3, y, "p q r");
    gram_test *t = samples_test(a, b, NULL, 1);
    CHECK_OK(gram_test_columns(t, NULL, &found));
    gram_column name = gram_table_column(found, 0);
    CHECK_STR(name.levels[name.codes[0]], "q");
    CHECK(gram_table_column(found, 1).values[0] > 0.5);
    CHECK(gram_table_column(found, 2).values[0] > 0.6);
    gram_table_free(found);
    gram_test_free(t);
    gram_table_free(a);
    gram_table_free(b);
    free(x);
    free(y);
}

TEST(the_wasserstein_distance_is_that_of_sorted_numbers)
{
    const double x[] = {3, 1, 2}, y[] = {5, 4, 6}, z[] = {1, 1, 2, 2, 3, 3};
    double w = 0;

    CHECK_OK(gram_wasserstein(x, 3, y, 3, &w));
    CHECK_NEAR(w, 3, 1e-15);
    CHECK_OK(gram_wasserstein(x, 3, z, 6, &w));
    CHECK_NEAR(w, 0, 1e-15);
    CHECK_OK(gram_wasserstein(x, 1, z, 6, &w)); /* mean |3 - z| */
    CHECK_NEAR(w, 1, 1e-15);
    CHECK_FAILS(gram_wasserstein(x, 0, z, 6, &w), GRAM_ERR_SHAPE,
                "samples of 0 and 6 numbers, must have 1 or more");
}

/* ----------------------------------------------------------------- herding */

TEST(herding_finds_rows_that_stand_for_all)
{
    enum { N = 120, M = 15 };
    gram_table *t = grams_random_table(N, 2, 0, 38, NULL);
    double *K = grams_matrix("rbf(gamma=0.5)", t), distance = 0, chance = 0;
    size_t row[N];
    int in[N] = {0};

    CHECK_OK(gram_herd(t, "rbf(gamma=0.5)", GRAM_KERNEL_SCALE_NONE, M, NULL,
                       row, &distance));
    for (size_t i = 0; i < M; i++) {
        CHECK(row[i] < N && !in[row[i]]);
        in[row[i]] = 1;
    }
    double all = 0, cross = 0, own = 0, first = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            all += K[i * N + j] / (N * N);
            cross += in[i] ? K[i * N + j] / (M * N) : 0;
            own += in[i] && in[j] ? K[i * N + j] / (M * M) : 0;
            first += i < M ? K[i * N + j] / (M * N) : 0;
            chance += i < M && j < M ? K[i * N + j] / (M * M) : 0;
        }
    CHECK_NEAR(distance * distance, all - 2 * cross + own, 1e-12);
    CHECK(distance * distance < (all - 2 * first + chance) / 2);
    CHECK_FAILS(gram_herd(t, NULL, 0, N + 1, NULL, row, &distance),
                GRAM_ERR_RANGE,
                "m = 121, must be from 1 to the number of rows, 120");
    free(K);
    gram_table_free(t);
}

/* ------------------------------------------------------------------- drift */

TEST(a_stream_that_changes_raises_an_alarm)
{
    gram_table *reference = samples_normal(100, 2, 0, 1, 39);
    gram_test_options o = {.permutations = 200};
    gram_drift *d = NULL;
    gram_drift_report r = {0};

    CHECK_OK(gram_drift_new(reference, &o, NULL, &d));
    for (uint64_t i = 0; i < 16; i++) {
        gram_table *batch = samples_normal(20, 2, i < 8 ? 0 : 1.5, 1, 500 + i);

        CHECK_OK(gram_drift_add(d, batch, NULL, &r));
        CHECK(r.batch == i + 1 && r.rows == 20);
        CHECK(i >= 8 || !r.alarm);
        gram_table_free(batch);
    }
    CHECK(r.alarm && r.evidence > 20);
    gram_drift_free(d);
    gram_table_free(reference);
}

/* ------------------------------------------------------------------ memory */

static gram_table *one, *two;
static const gram_exec single = {.threads = 1};

static gram_status test_with(const gram_test_options *o)
{
    gram_test *t = NULL;
    gram_table *columns = NULL;
    gram_status status = gram_test_samples(one, two, o, &single, &t);

    if (status == GRAM_OK)
        status = gram_test_columns(t, &single, &columns);
    gram_table_free(columns);
    gram_test_free(t);
    return status;
}

static gram_status do_binned(void)
{
    return test_with(&(gram_test_options){.permutations = 5});
}

static gram_status do_exact(void)
{
    return test_with(&(gram_test_options){.permutations = 5, .exact = 1});
}

static gram_status do_aggregate(void)
{
    return test_with(&(gram_test_options){.permutations = 5, .aggregate = 1});
}

static gram_status do_split(void)
{
    return test_with(&(gram_test_options){
        .permutations = 5, .split = 0.5, .method = GRAM_TEST_WILD});
}

static gram_status do_spectral(void)
{
    return test_with(
        &(gram_test_options){.permutations = 5, .method = GRAM_TEST_SPECTRAL});
}

static gram_status do_blocks(void)
{
    return test_with(&(gram_test_options){.statistic = GRAM_TEST_LINEAR});
}

static gram_status do_independence(void)
{
    gram_test_options o = {.permutations = 3};
    gram_test *t = NULL;
    gram_status status =
        gram_test_independence(one, "x1", "x2", &o, &single, &t);

    gram_test_free(t);
    return status;
}

static gram_status do_herd(void)
{
    size_t row[3];
    double distance;

    return gram_herd(one, NULL, GRAM_KERNEL_SCALE_AUTO, 3, &single, row,
                     &distance);
}

static gram_status do_drift(void)
{
    gram_test_options o = {.permutations = 3};
    gram_drift *d = NULL;
    gram_drift_report r;
    gram_status status = gram_drift_new(one, &o, &single, &d);

    if (status == GRAM_OK)
        status = gram_drift_add(d, two, &single, &r);
    gram_drift_free(d);
    return status;
}

TEST(every_allocation_may_fail)
{
    static gram_status (*const jobs[])(void) = {
        do_binned, do_exact,        do_aggregate, do_split, do_spectral,
        do_blocks, do_independence, do_herd,      do_drift};

    one = samples_normal(8, 2, 0, 1, 50);
    two = samples_normal(7, 2, 1, 1, 51);
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        size_t used = gram_memory_used(), n = 0;
        gram_status status = GRAM_ERR_MEMORY;

        while (status != GRAM_OK) {
            gi_mem_fail_at(++n, 0);
            status = jobs[k]();
            gi_mem_fail_at(0, 0);
            if (status != GRAM_OK && status != GRAM_ERR_MEMORY)
                fail_msg("job %zu, allocation %zu: %d, %s", k, n, status,
                         gram_error_message());
            CHECK(gram_memory_used() == used);
        }
        CHECK(n > 1);
    }
    gram_table_free(one);
    gram_table_free(two);
}

TESTS(SMALL(a_product_grid_is_independent), SMALL(hsic_is_the_trace),
      SMALL(dependence_without_correlation_is_seen),
      SMALL(groups_are_compared_with_holms_correction),
      SMALL(the_witness_has_the_statistic_as_difference_of_its_means),
      SMALL(the_column_that_differs_comes_first),
      SMALL(the_wasserstein_distance_is_that_of_sorted_numbers),
      SMALL(herding_finds_rows_that_stand_for_all),
      SMALL(a_stream_that_changes_raises_an_alarm),
      NORMAL(every_allocation_may_fail))
