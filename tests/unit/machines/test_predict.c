/* test_predict.c - what comes of a fitted machine, beside brute force: means,
 * deviations, intervals, terms, the rows that speak for a prediction, joint
 * covariances and samples.
 */
#include "machines.h"

#include "machines/machine.h"
#include "machines/predict/predict.h"

enum { N = 30, NEW = 8 };

/* A machine with fixed numbers, and the same by hand. */
typedef struct world {
    gram_table *t, *new;
    gram_machine *m;
    double *cross; /* NEW x N: the kernel between new and training rows */
    double *own;   /* NEW x NEW */
    double *A;     /* the bordered system */
    double lambda;
    int intercept;
} world;

static world world_new(const char *kernel, const char *lambda, int intercept,
                       int weighted, const char *solver)
{
    gram_fit_options o = {.kernel = kernel,
                          .lambda = lambda,
                          .solver = solver,
                          .scale = GRAM_KERNEL_SCALE_NONE,
                          .no_intercept = !intercept};
    world w = {.t = machines_table(N, 2, 1),
               .new = machines_table(NEW, 2, 2),
               .lambda = atof(lambda),
               .intercept = intercept};
    gram_kernel *k = grams_kernel(kernel);
    double *K = grams_matrix(kernel, w.t);

    if (weighted)
        machines_amounts(w.t, "w", GRAM_ROLE_WEIGHT, 3);
    w.m = machines_fit(w.t, &o);
    w.cross = grams_doubles(NEW * N);
    w.own = grams_doubles(NEW * NEW);
    CHECK_OK(gram_kernel_matrix(k, w.new, w.t, NULL, w.cross, N));
    CHECK_OK(gram_kernel_matrix(k, w.new, NULL, NULL, w.own, NEW));
    w.A = machines_system(
        N, K, w.lambda, weighted ? machines_values(w.t, "w") : NULL, intercept);
    free(K);
    gram_kernel_free(k);
    return w;
}

static void world_free(world *w)
{
    gram_machine_free(w->m);
    gram_table_free(w->t);
    gram_table_free(w->new);
    free(w->cross);
    free(w->own);
    free(w->A);
}

/* C[i*NEW + j] = own - [k_i, one] A^-1 [k_j, one]', with the bordered A: the
 * covariance of f + b with a flat prior on b; one 0 leaves b out. */
static void brute_covariance(const world *w, const double *own,
                             const double *cross, double one, double *C)
{
    size_t n = N + (size_t)w->intercept;
    double *A = grams_doubles(n * n), *B = grams_doubles(n * NEW);

    memcpy(A, w->A, n * n * sizeof *A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < NEW; j++)
            B[i * NEW + j] = i < N ? cross[j * N + i] : one;
    machines_solve(n, A, NEW, B);
    for (size_t i = 0; i < NEW; i++)
        for (size_t j = 0; j < NEW; j++) {
            C[i * NEW + j] = own[i * NEW + j];
            for (size_t k = 0; k < n; k++)
                C[i * NEW + j] -=
                    (k < N ? cross[i * N + k] : one) * B[k * NEW + j];
        }
    free(A);
    free(B);
}

static const char *const kernel = "2*rbf(gamma=0.3)[x1,x2]";

static void check_variance(int intercept, int weighted, const char *solver,
                           const char *text)
{
    world w = world_new(text, "0.2", intercept, weighted, solver);
    const gram_report *r = gram_machine_report(w.m);
    double C[NEW * NEW], full[NEW * NEW], std[NEW], std_f[NEW];
    gram_prediction p = {.std = std, .std_f = std_f};

    CHECK_STR(r->solver, solver);
    CHECK_OK(gram_machine_predict(w.m, w.new, NULL, NULL, &p));
    CHECK_OK(gram_machine_covariance(w.m, w.new, 0, NULL, full, NEW));
    brute_covariance(&w, w.own, w.cross, 1, C);
    for (int i = 0; i < NEW; i++) {
        double v = r->amplitude[0] * C[i * NEW + i];

        CHECK_NEAR(std_f[i] * std_f[i], v, 1e-10);
        CHECK_NEAR(std[i] * std[i], v + r->noise_variance[0], 1e-10);
        for (int j = 0; j < NEW; j++) {
            CHECK_NEAR(full[i * NEW + j], r->amplitude[0] * C[i * NEW + j],
                       1e-9);
            CHECK(full[i * NEW + j] == full[j * NEW + i]);
        }
    }
    world_free(&w);
}

TEST(variances_are_those_of_the_bordered_system)
{
    for (int intercept = 0; intercept < 2; intercept++)
        for (int weighted = 0; weighted < 2; weighted++) {
            check_variance(intercept, weighted, "dual", kernel);
            check_variance(intercept, weighted, "cg", kernel);
            check_variance(intercept, weighted, "primal",
                           "poly(degree=2)[x1,x2]");
            check_variance(intercept, weighted, "markov",
                           "matern(nu=1.5,length=0.7)[x1]");
        }
}

TEST(means_are_those_of_the_bordered_system)
{
    static const char *const solvers[][2] = {
        {"dual", "2*rbf(gamma=0.3)[x1,x2]"},
        {"cg", "2*rbf(gamma=0.3)[x1,x2]"},
        {"primal", "poly(degree=2)[x1,x2]"},
        {"markov", "exponential(gamma=0.8)[x2]"}};

    for (size_t s = 0; s < 4; s++)
        for (int weighted = 0; weighted < 2; weighted++) {
            world w =
                world_new(solvers[s][1], "0.2", 1, weighted, solvers[s][0]);
            double *mean = machines_mean(w.m, w.new);
            double b[N + 1];

            memcpy(b, machines_values(w.t, "y"), N * sizeof *b);
            b[N] = 0;
            machines_solve(N + 1, w.A, 1, b);
            for (int i = 0; i < NEW; i++) {
                double f = b[N];

                for (int j = 0; j < N; j++)
                    f += w.cross[i * N + j] * b[j];
                CHECK_NEAR(mean[i], f, 1e-9);
            }
            free(mean);
            world_free(&w);
        }
}

TEST(gaussian_intervals_are_mean_and_quantile)
{
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    double mean[NEW], std[NEW], lower[NEW], upper[NEW];
    gram_prediction p = {
        .mean = mean, .std = std, .lower = lower, .upper = upper};
    gram_predict_options o = {.interval = 0.95};

    CHECK_OK(gram_machine_predict(w.m, w.new, &o, NULL, &p));
    for (int i = 0; i < NEW; i++) {
        CHECK_NEAR(upper[i] - mean[i], 1.959963984540054 * std[i], 1e-12);
        CHECK_NEAR(mean[i] - lower[i], 1.959963984540054 * std[i], 1e-12);
    }
    o.interval = 1;
    CHECK_FAILS(gram_machine_predict(w.m, w.new, &o, NULL, &p), GRAM_ERR_RANGE,
                "interval = 1, must be between 0 and 1");
    world_free(&w);
}

/* Many rows are predicted in slices; none of them knows. */
TEST(many_rows_are_predicted_as_few_are)
{
    enum { MANY = 40000, SOME = 50 };
    world w = world_new("rbf(gamma=0.5)[x1]", "0.2", 1, 0, "dual");
    double *x = calloc(2 * MANY, sizeof *x), *mean = x + MANY, few[SOME];
    gram_table *all = NULL, *last = NULL;

    for (int i = 0; i < MANY; i++)
        x[i] = sin(i);
    CHECK_OK(gram_table_new(MANY, &all));
    CHECK_OK(gram_table_add_numbers(all, "x1", x, 1));
    CHECK_OK(gram_table_new(SOME, &last));
    CHECK_OK(gram_table_add_numbers(last, "x1", x + MANY - SOME, 1));
    CHECK_OK(gram_machine_predict(w.m, all, NULL, NULL,
                                  &(gram_prediction){.mean = mean}));
    CHECK_OK(gram_machine_predict(w.m, last, NULL, NULL,
                                  &(gram_prediction){.mean = few}));
    for (int i = 0; i < SOME; i++)
        CHECK_NEAR(mean[MANY - SOME + i], few[i], 1e-13);
    gram_table_free(all);
    x[30000] = NAN;
    CHECK_OK(gram_table_new(MANY, &all));
    CHECK_OK(gram_table_add_numbers(all, "x1", x, 1));
    CHECK(gram_machine_predict(w.m, all, NULL, NULL,
                               &(gram_prediction){.mean = mean}) ==
          GRAM_ERR_RANGE);
    CHECK(strstr(gram_error_message(), "row 30001") != NULL);
    gram_table_free(all);
    gram_table_free(last);
    free(x);
    world_free(&w);
}

TEST(too_few_rows_for_an_interval_are_refused)
{
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    double lower[NEW];
    gram_predict_options o = {.interval = 0.99,
                              .method = GRAM_INTERVAL_JACKKNIFE};
    gram_prediction p = {.lower = lower};

    CHECK_FAILS(gram_machine_predict(w.m, w.new, &o, NULL, &p), GRAM_ERR_RANGE,
                "interval 0.99 by jackknife+: 30 training rows, it takes at "
                "least 99");
    world_free(&w);
}

/* -------------------------------------------------------------- jackknife+ */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Refits without each row, by the public interface. */
static void check_jackknife(int intercept, int weighted, double interval)
{
    world w = world_new(kernel, "0.2", intercept, weighted, "dual");
    gram_fit_options o = {
        .kernel = kernel, .lambda = "0.2", .no_intercept = !intercept};
    double lower[NEW], upper[NEW], low[NEW][N], high[NEW][N];
    double a = 1 - interval;
    size_t first = (size_t)floor(a * (N + 1) + 1e-9);
    size_t last = (size_t)ceil((1 - a) * (N + 1) - 1e-9);
    gram_predict_options how = {.interval = interval,
                                .method = GRAM_INTERVAL_JACKKNIFE};
    gram_prediction p = {.lower = lower, .upper = upper};

    CHECK_OK(gram_machine_predict(w.m, w.new, &how, NULL, &p));
    for (int i = 0; i < N; i++) {
        int keep[N] = {0};
        gram_table *rest, *one;
        gram_machine *m;
        double *at, *there, r;

        keep[i] = 1;
        rest = machines_rows(w.t, keep, 0);
        one = machines_rows(w.t, keep, 1);
        m = machines_fit(rest, &o);
        at = machines_mean(m, one);
        there = machines_mean(m, w.new);
        r = fabs(machines_values(one, "y")[0] - at[0]);
        for (int j = 0; j < NEW; j++) {
            low[j][i] = there[j] - r;
            high[j][i] = there[j] + r;
        }
        free(at);
        free(there);
        gram_machine_free(m);
        gram_table_free(rest);
        gram_table_free(one);
    }
    for (int j = 0; j < NEW; j++) {
        qsort(low[j], N, sizeof low[j][0], compare);
        qsort(high[j], N, sizeof high[j][0], compare);
        CHECK_NEAR(lower[j], low[j][first - 1], 1e-9);
        CHECK_NEAR(upper[j], high[j][last - 1], 1e-9);
    }
    world_free(&w);
}

TEST(jackknife_plus_equals_refits)
{
    check_jackknife(1, 0, 0.9);
    check_jackknife(0, 1, 0.8);
    check_jackknife(1, 1, 0.75);
}

/* n rows with noise that has heavy tails. */
static gram_table *heavy(size_t n, gi_rng *rng)
{
    double *x = grams_doubles(n), *y = grams_doubles(n);
    gram_table *t = NULL;

    for (size_t i = 0; i < n; i++) {
        double e = gi_rng_normal(rng);

        x[i] = 3 * gi_rng_uniform(rng);
        y[i] = sin(3 * x[i]) + 0.1 * e * e * e;
    }
    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    free(x);
    free(y);
    return t;
}

/* Of 80 % intervals a share of 0.8 holds the truth; over 10 tables the error
 * of that share is about sqrt(0.16/1000). */
TEST(jackknife_plus_covers)
{
    enum { TABLES = 10, ROWS = 100 };
    gi_rng rng = gi_rng_new(11, 0);
    gram_fit_options o = {.kernel = "rbf"};
    gram_predict_options how = {.interval = 0.8,
                                .method = GRAM_INTERVAL_JACKKNIFE};
    double coverage = 0;

    for (int k = 0; k < TABLES; k++) {
        gram_table *t = heavy(ROWS, &rng), *new = heavy(ROWS, &rng);
        gram_machine *m = machines_fit(t, &o);
        gram_score score;

        CHECK_OK(gram_machine_score(m, new, &how, NULL, &score));
        CHECK(score.interval == 0.8 && score.n == ROWS);
        coverage += score.coverage / TABLES;
        gram_machine_free(m);
        gram_table_free(t);
        gram_table_free(new);
    }
    if (!(coverage > 0.75 && coverage < 0.87))
        fail_msg("coverage %g", coverage);
}

/* ----------------------------------------------------------- terms and why */

static void check_terms(const char *solver, const char *const *part, size_t J,
                        const char *whole, int intercept)
{
    world w = world_new(whole, "0.2", intercept, 0, solver);
    const gram_report *r = gram_machine_report(w.m);
    double terms[NEW * 4], std[NEW * 4], mean[NEW], C[NEW * NEW];
    gram_prediction p = {.mean = mean, .terms = terms, .terms_std = std};

    CHECK(gram_machine_terms(w.m) == J);
    CHECK(gram_machine_term(w.m, J) == NULL);
    CHECK_OK(gram_machine_predict(w.m, w.new, NULL, NULL, &p));
    for (size_t i = 0; i < NEW; i++) {
        double sum = r->intercept[0];

        for (size_t j = 0; j < J; j++)
            sum += terms[i * J + j];
        CHECK_NEAR(sum, mean[i], 1e-10);
    }
    for (size_t j = 0; j < J; j++) {
        gram_kernel *k = grams_kernel(part[j]);

        CHECK_OK(gram_kernel_matrix(k, w.new, w.t, NULL, w.cross, N));
        CHECK_OK(gram_kernel_matrix(k, w.new, NULL, NULL, w.own, NEW));
        brute_covariance(&w, w.own, w.cross, 0, C);
        for (size_t i = 0; i < NEW; i++)
            CHECK_NEAR(std[i * J + j] * std[i * J + j],
                       r->amplitude[0] * C[i * NEW + i], 1e-9);
        gram_kernel_free(k);
    }
    world_free(&w);
}

TEST(terms_and_intercept_add_up_to_the_mean)
{
    const char *const smooth[] = {"2*rbf(gamma=0.3)[x1]", "linear[x2]",
                                  "0.5*rbf(gamma=1)[x1,x2]"};
    const char *const few[] = {"linear[x1]", "3*poly(degree=2)[x2]"};

    for (int intercept = 0; intercept < 2; intercept++) {
        check_terms("dual", smooth, 3,
                    "2*rbf(gamma=0.3)[x1] + linear[x2] + "
                    "0.5*rbf(gamma=1)[x1,x2]",
                    intercept);
        check_terms("primal", few, 2, "linear[x1] + 3*poly(degree=2)[x2]",
                    intercept);
    }
}

TEST(why_names_the_rows_that_speak_most)
{
    enum { WHY = 3 };
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    const double *alpha = w.m->expansion.solution[0].alpha;
    size_t row[NEW * WHY];
    double part[NEW * WHY];
    gram_predict_options o = {.why = WHY};
    gram_prediction p = {.why = row, .why_part = part};

    CHECK_OK(gram_machine_predict(w.m, w.new, &o, NULL, &p));
    for (size_t i = 0; i < NEW; i++) {
        for (size_t k = 0; k < WHY; k++) {
            size_t j = row[i * WHY + k], larger = 0;
            double v = alpha[j] * w.cross[i * N + j];

            CHECK_NEAR(part[i * WHY + k], v, 1e-12);
            for (size_t other = 0; other < N; other++)
                larger += fabs(alpha[other] * w.cross[i * N + other]) > fabs(v);
            CHECK(larger == k);
        }
    }
    world_free(&w);
}

/* With fewer rows than asked for, the rest is empty. */
TEST(why_counts_rows_of_the_table_given)
{
    const double x[] = {5, 1, 2}, y[] = {9, 1, 3}, weight[] = {0, 1, 1};
    gram_table *t = NULL;
    gram_fit_options o = {.kernel = "rbf(gamma=1)[x]", .lambda = "0.1"};
    gram_predict_options how = {.why = 3};
    size_t row[9];
    gram_prediction p = {.why = row};
    gram_machine *m;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_add_numbers(t, "w", weight, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(t, "w", GRAM_ROLE_WEIGHT));
    m = machines_fit(t, &o);
    CHECK_OK(gram_machine_predict(m, t, &how, NULL, &p));
    CHECK(row[3] == 1 && row[4] == 2 && row[5] == SIZE_MAX);
    CHECK(row[6] == 2 && row[7] == 1 && row[8] == SIZE_MAX);
    gram_machine_free(m);
    gram_table_free(t);
}

/* ----------------------------------------------------------------- samples */

TEST(samples_have_the_posterior_mean_and_covariance)
{
    enum { DRAWS = 4000 };
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    double *draw = grams_doubles(NEW * DRAWS),
           *mean = machines_mean(w.m, w.new);
    double C[NEW * NEW];

    CHECK_OK(gram_machine_covariance(w.m, w.new, 0, NULL, C, NEW));
    CHECK_OK(gram_machine_sample(w.m, w.new, DRAWS, 0, NULL, draw));
    for (size_t i = 0; i < NEW; i++)
        for (size_t j = 0; j < NEW; j++) {
            double sum = 0, scale = sqrt(C[i * NEW + i] * C[j * NEW + j]);

            for (size_t c = 0; c < DRAWS; c++)
                sum += (draw[i * DRAWS + c] - mean[i]) *
                       (draw[j * DRAWS + c] - mean[j]) / DRAWS;
            CHECK(fabs(sum - C[i * NEW + j]) < 5 * scale * sqrt(2.0 / DRAWS));
        }
    free(draw);
    free(mean);
    world_free(&w);
}

/* A draw is a function of seed and number, whatever is drawn beside it. */
TEST(draws_are_seeded)
{
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    double one[NEW], five[NEW * 5], noisy[NEW * 5], other[NEW];
    gram_exec seed = {.seed = 5}, single = {.threads = 1};

    CHECK_OK(gram_machine_sample(w.m, w.new, 1, 0, NULL, one));
    CHECK_OK(gram_machine_sample(w.m, w.new, 5, 0, &single, five));
    CHECK_OK(gram_machine_sample(w.m, w.new, 5, 1, NULL, noisy));
    CHECK_OK(gram_machine_sample(w.m, w.new, 1, 0, &seed, other));
    for (int i = 0; i < NEW; i++) {
        CHECK_NEAR(one[i], five[5 * i], 1e-12);
        CHECK(noisy[5 * i] != five[5 * i] && other[i] != one[i]);
    }
    world_free(&w);
}

TEST(samples_of_the_prior_have_the_kernel_as_covariance)
{
    enum { DRAWS = 4000 };
    gram_table *t = machines_table(6, 2, 4);
    gram_kernel *k = grams_kernel("rbf(gamma=0.3)[x1,x2] + linear[x1]");
    double *K = grams_matrix("rbf(gamma=0.3)[x1,x2] + linear[x1]", t);
    double *draw = grams_doubles(6 * DRAWS);

    CHECK_OK(gram_kernel_sample(k, t, DRAWS, NULL, draw));
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            double sum = 0, scale = sqrt(K[i * 6 + i] * K[j * 6 + j]);

            for (size_t c = 0; c < DRAWS; c++)
                sum += draw[i * DRAWS + c] * draw[j * DRAWS + c] / DRAWS;
            CHECK(fabs(sum - K[i * 6 + j]) < 5 * scale * sqrt(2.0 / DRAWS));
        }
    free(draw);
    free(K);
    gram_kernel_free(k);
    gram_table_free(t);
}

/* Many rows near each other: the covariance is singular to rounding. */
TEST(smooth_kernels_need_no_jitter_to_be_sampled)
{
    enum { ROWS = 200 };
    double x[ROWS], draw[ROWS];
    gram_table *t = NULL;
    gram_kernel *k = grams_kernel("rbf(gamma=1)");

    for (int i = 0; i < ROWS; i++)
        x[i] = i * 0.001;
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_kernel_sample(k, t, 1, NULL, draw));
    for (int i = 1; i < ROWS; i++)
        CHECK(fabs(draw[i] - draw[i - 1]) < 0.02);
    gram_kernel_free(k);
    gram_table_free(t);
}

/* ---------------------------------------------------------------- new rows */

TEST(new_categories_are_the_prior_or_an_error)
{
    const char *const city[] = {"rome", "oslo", "rome", "oslo"};
    const char *const fresh[] = {"paris"};
    const double y[] = {1, 3, 1.5, 2.5};
    gram_table *t = NULL, *new = NULL;
    gram_fit_options o = {.kernel = "delta[city]", .lambda = "0.1"};
    gram_predict_options strict = {.unseen_error = 1};
    double mean[1], std_f[1];
    gram_prediction p = {.mean = mean, .std_f = std_f};
    gram_machine *m;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    m = machines_fit(t, &o);
    CHECK_OK(gram_table_new(1, &new));
    CHECK_OK(gram_table_add_strings(new, "city", GRAM_TYPE_CATEGORY, fresh));
    CHECK_OK(gram_machine_predict(m, new, NULL, NULL, &p));
    CHECK_NEAR(mean[0], gram_machine_report(m)->intercept[0], 1e-12);
    CHECK(gram_machine_predict(m, new, &strict, NULL, &p) == GRAM_ERR_RANGE);
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(new);
}

TEST(new_rows_are_checked)
{
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    const double x[] = {1, 2};
    gram_table *t = NULL, *none = NULL;
    double mean[2];
    gram_prediction p = {.mean = mean};

    CHECK_OK(gram_table_new(2, &t));
    CHECK_OK(gram_table_add_numbers(t, "x1", x, 1));
    CHECK(gram_machine_predict(w.m, t, NULL, NULL, &p) == GRAM_ERR_NAME);
    CHECK(strstr(gram_error_message(), "x2") != NULL);
    CHECK_OK(gram_table_new(0, &none)); /* no rows are no error */
    CHECK_OK(gram_table_add_numbers(none, "x1", x, 1));
    CHECK_OK(gram_table_add_numbers(none, "x2", x, 1));
    CHECK_OK(gram_machine_predict(w.m, none, NULL, NULL, &p));
    gram_table_free(t);
    gram_table_free(none);
    world_free(&w);
}

TEST(scores_are_their_formulas)
{
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    const double *y = machines_values(w.new, "y");
    double mean[NEW], std[NEW], squares = 0, total = 0, sum = 0, nlpd = 0;
    gram_prediction p = {.mean = mean, .std = std};
    gram_score s;

    CHECK_OK(gram_machine_predict(w.m, w.new, NULL, NULL, &p));
    CHECK_OK(gram_machine_score(w.m, w.new, NULL, NULL, &s));
    for (int i = 0; i < NEW; i++)
        sum += y[i] / NEW;
    for (int i = 0; i < NEW; i++) {
        double r = y[i] - mean[i];

        squares += r * r;
        total += (y[i] - sum) * (y[i] - sum);
        nlpd += 0.5 * log(2 * acos(-1) * std[i] * std[i]) +
                r * r / (2 * std[i] * std[i]);
    }
    CHECK_NEAR(s.rmse, sqrt(squares / NEW), 1e-12);
    CHECK_NEAR(s.r2, 1 - squares / total, 1e-12);
    CHECK_NEAR(s.nlpd, nlpd / NEW, 1e-12);
    CHECK(s.interval == 0.9 && s.coverage >= 0 && s.coverage <= 1);
    world_free(&w);
}

/* Two targets, with one lambda or each with its own: each target is predicted
 * as by a machine of its own. */
static void check_targets(int per_target)
{
    static const char *const names[] = {"y", "x2"};
    gram_table *t = machines_table(N, 2, 5), *new = machines_table(NEW, 2, 6);
    gram_fit_options o = {.kernel = "rbf(gamma=0.5)[x1]",
                          .lambda = per_target ? "?[0.1,10]" : "0.1",
                          .per_target = per_target};
    double both[5][2 * NEW], one[5][NEW];
    gram_predict_options how[2] = {{.interval = 0.8},
                                   {.method = GRAM_INTERVAL_JACKKNIFE}};
    gram_prediction p = {.mean = both[0],
                         .std = both[1],
                         .std_f = both[2],
                         .lower = both[3],
                         .upper = both[4]},
                    single = {.mean = one[0],
                              .std = one[1],
                              .std_f = one[2],
                              .lower = one[3],
                              .upper = one[4]};
    gram_machine *m;

    CHECK_OK(gram_table_set_role(t, "x2", GRAM_ROLE_TARGET));
    m = machines_fit(t, &o);
    CHECK_STR(gram_machine_report(m)->target[0], "x2"); /* as in the table */
    for (int k = 0; k < 4; k++) {
        size_t target = k % 2 == 0;
        gram_machine *alone;

        CHECK_OK(gram_table_set_role(t, names[!(k % 2)], GRAM_ROLE_FEATURE));
        CHECK_OK(gram_table_set_role(t, names[k % 2], GRAM_ROLE_TARGET));
        alone = machines_fit(t, &o);
        CHECK_OK(gram_machine_predict(m, new, &how[k / 2], NULL, &p));
        CHECK_OK(gram_machine_predict(alone, new, &how[k / 2], NULL, &single));
        CHECK(gram_machine_report(m)->lambda[target] ==
              gram_machine_report(alone)->lambda[0]);
        for (int what = 0; what < 5; what++)
            for (size_t i = 0; i < NEW; i++)
                CHECK_NEAR(both[what][2 * i + target], one[what][i], 1e-9);
        gram_machine_free(alone);
    }
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(new);
}

TEST(several_targets_are_predicted_as_each_alone)
{
    check_targets(0);
    check_targets(1);
}

TEST(results_do_not_depend_on_threads)
{
    world w = world_new(kernel, "0.2", 1, 0, "dual");
    double out[2][5][NEW];
    gram_predict_options o = {.method = GRAM_INTERVAL_JACKKNIFE};

    for (int k = 0; k < 2; k++) {
        gram_exec exec = {.threads = k ? 3 : 1};
        gram_prediction p = {.mean = out[k][0],
                             .std = out[k][1],
                             .std_f = out[k][2],
                             .lower = out[k][3],
                             .upper = out[k][4]};

        CHECK_OK(gram_machine_predict(w.m, w.new, &o, &exec, &p));
    }
    CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
    world_free(&w);
}

TESTS(SMALL(variances_are_those_of_the_bordered_system),
      SMALL(means_are_those_of_the_bordered_system),
      SMALL(gaussian_intervals_are_mean_and_quantile),
      SMALL(too_few_rows_for_an_interval_are_refused),
      NORMAL(many_rows_are_predicted_as_few_are),
      NORMAL(jackknife_plus_equals_refits), NORMAL(jackknife_plus_covers),
      SMALL(terms_and_intercept_add_up_to_the_mean),
      SMALL(why_names_the_rows_that_speak_most),
      SMALL(why_counts_rows_of_the_table_given),
      NORMAL(samples_have_the_posterior_mean_and_covariance),
      SMALL(draws_are_seeded),
      NORMAL(samples_of_the_prior_have_the_kernel_as_covariance),
      SMALL(smooth_kernels_need_no_jitter_to_be_sampled),
      SMALL(new_categories_are_the_prior_or_an_error),
      SMALL(new_rows_are_checked), SMALL(scores_are_their_formulas),
      SMALL(several_targets_are_predicted_as_each_alone),
      SMALL(results_do_not_depend_on_threads))
