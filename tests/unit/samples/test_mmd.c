/* test_mmd.c - the two-sample statistic and its p-values, beside brute force
 * and theory.
 */
#include "samples.h"

#include "samples/mmd.h"

static const char rbf[] = "rbf(gamma=0.3)";

/* A test of a against b with that kernel and options. */
static gram_test_report report_of(const gram_table *a, const gram_table *b,
                                  gram_test_options o)
{
    gram_test *t = samples_test(a, b, &o, 1);
    gram_test_report r = *gram_test_report_get(t);

    gram_test_free(t);
    return r;
}

/* --------------------------------------------------------------- statistic */

static void check_statistic(size_t m, size_t n, int biased, int exact)
{
    gram_table *a = samples_normal(m, 3, 0, 1, 1);
    gram_table *b = samples_normal(n, 3, 0.5, 1, 2);
    gram_table *all = samples_joined(a, b);
    double *K = grams_matrix(rbf, all);
    int *in = calloc(m + n, sizeof *in);
    gram_test_options o = {.kernel = rbf,
                           .statistic = (gram_test_statistic)biased,
                           .exact = exact,
                           .permutations = 20,
                           .precision = 1};

    for (size_t i = 0; i < m; i++)
        in[i] = 1;
    CHECK_NEAR(report_of(a, b, o).statistic, samples_mmd(K, m + n, in, biased),
               1e-13);
    free(in);
    free(K);
    gram_table_free(all);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(the_statistic_is_the_double_sum)
{
    for (int biased = 0; biased < 2; biased++)
        for (int exact = 0; exact < 2; exact++) {
            check_statistic(2, 2, biased, exact);
            check_statistic(40, 40, biased, exact);
            check_statistic(2, 150, biased, exact);
            check_statistic(101, 33, biased, exact);
        }
}

TEST(a_linear_kernel_compares_means)
{
    gram_table *a = samples_normal(30, 2, 0, 1, 3);
    gram_table *b = samples_normal(20, 2, 1, 2, 4);
    double wanted = 0;

    /* |mean x - mean y|^2 less the variances of the two means */
    for (size_t j = 0; j < 2; j++) {
        const double *x = gram_table_column(a, j).values;
        const double *y = gram_table_column(b, j).values;
        double mx = 0, my = 0, vx = 0, vy = 0;

        for (size_t i = 0; i < 30; i++)
            mx += x[i] / 30;
        for (size_t i = 0; i < 20; i++)
            my += y[i] / 20;
        for (size_t i = 0; i < 30; i++)
            vx += (x[i] - mx) * (x[i] - mx) / 29;
        for (size_t i = 0; i < 20; i++)
            vy += (y[i] - my) * (y[i] - my) / 19;
        wanted += (mx - my) * (mx - my) - vx / 30 - vy / 20;
    }
    gram_test_options o = {.kernel = "linear", .scale = GRAM_KERNEL_SCALE_NONE};
    gram_test *t = samples_test(a, b, &o, 1);
    const gram_test_report *r = gram_test_report_get(t);
    CHECK_NEAR(r->statistic, wanted, 1e-12);
    CHECK(r->warning_count == 1);
    CHECK_STR(r->warnings[0],
              "the linear kernel compares means only: samples with equal means "
              "look the same to it");
    gram_test_free(t);
    gram_table_free(a);
    gram_table_free(b);
}

/* E k for x ~ N(mu, s^2 I), y ~ N(nu, t^2 I), k of length l. */
static double gauss_mean(double l, double s, double t, double gap, size_t d)
{
    double v = l * l + s * s + t * t;

    return pow(l * l / v, (double)d / 2) *
           exp(-(double)d * gap * gap / (2 * v));
}

TEST(the_statistic_and_its_error_agree_with_gaussian_theory)
{
    enum { D = 2, REPEAT = 60 };
    double l = 1.5, shift = 0.4, stretch = 1.3, sum = 0, squares = 0, error = 0;
    double truth = gauss_mean(l, 1, 1, 0, D) +
                   gauss_mean(l, stretch, stretch, 0, D) -
                   2 * gauss_mean(l, 1, stretch, shift, D);
    gram_test_options o = {.kernel = "rbf(length=1.5)", .permutations = 10};

    for (uint64_t i = 0; i < REPEAT; i++) {
        gram_table *a = samples_normal(80, D, 0, 1, 100 + i);
        gram_table *b = samples_normal(50, D, shift, stretch, 200 + i);
        gram_test_report r = report_of(a, b, o);

        sum += r.statistic;
        squares += r.statistic * r.statistic;
        error += r.std_error * r.std_error;
        gram_table_free(a);
        gram_table_free(b);
    }
    double mean = sum / REPEAT;
    double variance = (squares / REPEAT - mean * mean) * REPEAT / (REPEAT - 1);
    CHECK(fabs(mean - truth) < 4 * sqrt(variance / REPEAT));
    /* chi squared with 59 degrees of freedom */
    CHECK(variance / (error / REPEAT) > 0.45);
    CHECK(variance / (error / REPEAT) < 1.9);
}

/* ------------------------------------------------------------ permutations */

/* p over all 70 ways to split 8 rows. */
static double enumerate(const double *K, int biased)
{
    int in[8], truth[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    double observed = samples_mmd(K, 8, truth, biased);
    size_t count = 0, larger = 0;

    for (unsigned mask = 0; mask < 256; mask++) {
        int ones = 0;

        for (int i = 0; i < 8; i++)
            ones += in[i] = mask >> i & 1;
        if (ones != 4)
            continue;
        count++;
        larger += samples_mmd(K, 8, in, biased) >= observed - 1e-12;
    }
    CHECK(count == 70);
    return (double)larger / (double)count;
}

TEST(permutations_sample_all_seventy_splits)
{
    enum { B = 4000 };
    gram_table *a = samples_normal(4, 2, 0, 1, 5);
    gram_table *b = samples_normal(4, 2, 1, 1, 6), *all = samples_joined(a, b);
    double *K = grams_matrix(rbf, all);

    for (int exact = 0; exact < 2; exact++)
        for (int biased = 0; biased < 2; biased++) {
            gram_test_options o = {.kernel = rbf,
                                   .permutations = B,
                                   .exact = exact,
                                   .statistic = (gram_test_statistic)biased};
            double p = enumerate(K, biased);

            CHECK(fabs(report_of(a, b, o).p_value - p) <
                  4 * sqrt(p * (1 - p) / B) + 1.0 / B);
        }
    free(K);
    gram_table_free(all);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(a_bin_for_every_row_is_the_classical_test)
{
    enum { M = 30, N = 40, B = 50 };
    gram_table *a = samples_normal(M, 2, 0, 1, 7);
    gram_table *b = samples_normal(N, 2, 0.3, 1, 8),
               *all = samples_joined(a, b);
    GI_RUN(run, NULL);
    gi_joined p = {0};
    gi_dict warnings = {0};
    gi_mmd_pass l = {0};
    gi_labels labels = {0};
    double values[B];
    double *K = grams_matrix(rbf, all);

    CHECK_OK(gi_joined_join(&run, a, b, GRAM_MISSING_AUTO, &warnings, &p));
    CHECK_OK(gi_joined_kernel(&run, rbf, GRAM_KERNEL_SCALE_NONE, 1, &p));
    CHECK_OK(gi_mmd_pass_new(&run, &p, M + N, 1, &l));
    CHECK(l.c.bins.count == M + N && l.c.moving == M + N);
    CHECK_OK(gi_labels_new(&run, &l.c, B, &labels));
    CHECK_OK(gi_labels_values(&run, &labels, &l.c, l.sums, GRAM_TEST_UNBIASED,
                              values));
    for (size_t k = 0; k < B; k++) {
        int in[M + N], ones = 0;

        for (size_t i = 0; i < M + N; i++)
            ones += in[l.c.row[i]] = (int)labels.in[k * (M + N) + i];
        CHECK(ones == M);
        CHECK_NEAR(values[k], samples_mmd(K, M + N, in, 0), 1e-13);
    }
    gi_labels_clear(&labels);
    gi_mmd_pass_clear(&l);
    gi_joined_clear(&p);
    gi_dict_free(&warnings);
    free(K);
    gram_table_free(all);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(samples_may_change_places)
{
    gram_table *a = samples_normal(60, 2, 0, 1, 9);
    gram_table *b = samples_normal(45, 2, 0.4, 1, 10);
    gram_test_options o = {.kernel = rbf, .permutations = 200};
    gram_test_report r = report_of(a, b, o), s = report_of(b, a, o);

    CHECK_NEAR(r.statistic, s.statistic, 1e-12);
    CHECK_NEAR(r.std_error, s.std_error, 1e-12);
    CHECK(r.reject == s.reject);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(threads_change_nothing)
{
    gram_table *a = samples_normal(700, 3, 0, 1, 11);
    gram_table *b = samples_normal(600, 3, 0.05, 1, 12);
    gram_test_options all[] = {{.permutations = 100},
                               {.permutations = 70, .exact = 1},
                               {.permutations = 30, .aggregate = 1},
                               {.method = GRAM_TEST_WILD, .permutations = 30},
                               {.statistic = GRAM_TEST_BLOCK}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gram_test *t[2];

        for (int k = 0; k < 2; k++)
            CHECK_OK(gram_test_samples(
                a, b, &all[i], &(gram_exec){.threads = 1 + 2 * k}, &t[k]));
        const gram_test_report *r = gram_test_report_get(t[0]);
        const gram_test_report *s = gram_test_report_get(t[1]);
        CHECK(r->statistic == s->statistic && r->p_value == s->p_value);
        CHECK(r->std_error == s->std_error);
        gram_test_free(t[0]);
        gram_test_free(t[1]);
    }
    gram_table_free(a);
    gram_table_free(b);
}

TEST(sequential_permutations_decide_alike)
{
    for (uint64_t i = 0; i < 6; i++) {
        gram_table *a = samples_normal(40, 2, 0, 1, 300 + i);
        gram_table *b = samples_normal(40, 2, 0.2 * (double)i, 1, 400 + i);
        gram_test_options o = {.exact = 1, .permutations = 400};
        gram_test_report full = report_of(a, b, o);

        o.sequential = 1;
        gram_test_report early = report_of(a, b, o);
        CHECK(full.reject == early.reject);
        CHECK(early.permutations <= full.permutations);
        CHECK(i > 0 || early.permutations < 200); /* no difference */
        gram_table_free(a);
        gram_table_free(b);
    }
}

/* --------------------------------------------------------------- other ways */

TEST(a_linear_estimate_is_the_mean_of_small_blocks)
{
    gram_table *a = samples_normal(300, 2, 0, 1, 13);
    gram_table *b = samples_normal(310, 2, 1.5, 1, 14);
    gram_test_options o = {.kernel = rbf, .statistic = GRAM_TEST_LINEAR};
    gram_test_report linear = report_of(a, b, o);

    o.statistic = GRAM_TEST_BLOCK;
    gram_test_report block = report_of(a, b, o);
    o.statistic = GRAM_TEST_UNBIASED;
    gram_test_report full = report_of(a, b, o);
    CHECK(fabs(linear.statistic - full.statistic) < 4 * linear.std_error);
    CHECK(fabs(block.statistic - full.statistic) < 4 * block.std_error);
    CHECK(block.std_error < linear.std_error);
    CHECK(linear.reject && block.reject && full.reject);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(every_method_tells_far_samples_apart)
{
    gram_table *a = samples_normal(120, 2, 0, 1, 15);
    gram_table *b = samples_normal(110, 2, 1, 1, 16);
    gram_table *c = samples_normal(110, 2, 0, 1, 17);
    gram_test_options all[] = {{.method = GRAM_TEST_GAMMA},
                               {.method = GRAM_TEST_SPECTRAL},
                               {.method = GRAM_TEST_WILD, .dependence = 2},
                               {.aggregate = 1},
                               {.aggregate = 1, .kernel = "matern(nu=1.5)"},
                               {.split = 0.5}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i].permutations = 200;
        CHECK(samples_p(a, b, &all[i], 1) < 0.02);
        CHECK(samples_p(a, c, &all[i], 1) > 0.01);
    }
    gram_table_free(a);
    gram_table_free(b);
    gram_table_free(c);
}

TEST(more_rows_are_needed_for_smaller_differences)
{
    gram_table *a = samples_normal(400, 2, 0, 1, 18);
    gram_table *b = samples_normal(400, 2, 0.4, 1, 19);
    gram_table *c = samples_normal(400, 2, 1.5, 1, 20);
    gram_test_options o = {.permutations = 100};
    double near = report_of(a, b, o).rows_needed;
    double far = report_of(a, c, o).rows_needed;

    CHECK(far >= 2 && far < near && near < 400);
    gram_table_free(a);
    gram_table_free(b);
    gram_table_free(c);
}

/* --------------------------------------------------------------- bad input */

TEST(bad_input_is_refused_in_one_sentence)
{
    gram_table *a = samples_normal(10, 2, 0, 1, 21);
    gram_table *one = samples_normal(1, 2, 0, 1, 22);
    gram_table *other = grams_random_table(10, 2, 0, 23, "u v");
    gram_test *t = NULL;
    gram_test_options o = {.alpha = 2};

    CHECK_FAILS(gram_test_samples(a, one, NULL, NULL, &t), GRAM_ERR_SHAPE,
                "second sample: 1 row, must be 2 or more");
    CHECK_FAILS(gram_test_samples(one, a, NULL, NULL, &t), GRAM_ERR_SHAPE,
                "first sample: 1 row, must be 2 or more");
    CHECK(gram_test_samples(a, other, NULL, NULL, &t) == GRAM_ERR_NAME);
    CHECK_FAILS(gram_test_samples(a, a, &o, NULL, &t), GRAM_ERR_RANGE,
                "alpha = 2, must be between 0 and 1");
    o = (gram_test_options){.sequential = 1};
    CHECK_FAILS(gram_test_samples(a, a, &o, NULL, &t), GRAM_ERR_RANGE,
                "sequential: needs exact, since permutations of bins cost next "
                "to nothing");
    o = (gram_test_options){.split = 0.99};
    CHECK_FAILS(gram_test_samples(a, a, &o, NULL, &t), GRAM_ERR_SHAPE,
                "split: 0.99 of 10 rows leaves 9 and 1, both must be 2 or "
                "more");
    o = (gram_test_options){.statistic = GRAM_TEST_BLOCK, .block = 8};
    CHECK_FAILS(gram_test_samples(a, a, &o, NULL, &t), GRAM_ERR_SHAPE,
                "blocks of 8 rows: samples of 10 and 10 rows have 1 of them, "
                "must have 2 or more");
    o = (gram_test_options){.aggregate = 1, .kernel = "2*rbf"};
    CHECK(gram_test_samples(a, a, &o, NULL, &t) == GRAM_ERR_RANGE);
    CHECK(t == NULL);
    gram_table_free(a);
    gram_table_free(one);
    gram_table_free(other);
}

TEST(constant_and_identical_data_have_an_answer)
{
    double x[12] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    gram_table *same = grams_table(12, 1, x, NULL);
    gram_table *a = samples_normal(50, 2, 0, 1, 24);

    for (int exact = 0; exact < 2; exact++) {
        gram_test_options o = {.permutations = 50, .exact = exact};
        gram_test *t = samples_test(same, same, &o, 1);
        const gram_test_report *r = gram_test_report_get(t);

        CHECK(r->statistic == 0 && r->p_value == 1 && !r->reject);
        CHECK(r->warning_count == 1);
        gram_test_free(t);
        CHECK(samples_p(a, a, &o, 1) > 0.9);
    }
    gram_table_free(same);
    gram_table_free(a);
}

TESTS(SMALL(the_statistic_is_the_double_sum),
      SMALL(a_linear_kernel_compares_means),
      NORMAL(the_statistic_and_its_error_agree_with_gaussian_theory),
      SMALL(permutations_sample_all_seventy_splits),
      SMALL(a_bin_for_every_row_is_the_classical_test),
      SMALL(samples_may_change_places), NORMAL(threads_change_nothing),
      SMALL(sequential_permutations_decide_alike),
      SMALL(a_linear_estimate_is_the_mean_of_small_blocks),
      NORMAL(every_method_tells_far_samples_apart),
      SMALL(more_rows_are_needed_for_smaller_differences),
      SMALL(bad_input_is_refused_in_one_sentence),
      SMALL(constant_and_identical_data_have_an_answer))
