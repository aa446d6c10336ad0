/* test_fit.c - fitting: the equations that a machine fulfils, and what rows,
 * weights, noise, columns and targets mean.  How numbers are chosen is in
 * test_select.c, what comes of a machine in test_predict.c, memory and bad
 * input in test_machine.c.
 */
#include "machines.h"
#include "temporary.h"

#include "machines/machine.h"

static const char *const gauss = "rbf(gamma=0.4)";

static gram_fit_options fixed(const char *kernel, const char *lambda)
{
    return (gram_fit_options){.kernel = kernel, .lambda = lambda};
}

/* (K + lambda D) alpha + b 1 = y and 1'alpha = 0. */
static void check_equations(const gram_table *t, const gram_fit_options *o,
                            const double *w)
{
    gram_machine *m = machines_fit(t, o);
    const gram_report *r = gram_machine_report(m);
    const double *alpha = m->expansion.solution[0].alpha,
                 *y = machines_values(t, "y");
    double *K = grams_matrix(r->kernel, t), sum = 0;
    size_t n = r->n;

    for (size_t i = 0; i < n; i++) {
        double left =
            r->intercept[0] + r->lambda[0] * alpha[i] / (w ? w[i] : 1);

        for (size_t j = 0; j < n; j++)
            left += K[i * n + j] * alpha[j];
        CHECK_NEAR(left, y[i], 1e-10);
        sum += alpha[i];
    }
    if (o->no_intercept)
        CHECK(r->intercept[0] == 0);
    else
        CHECK_NEAR(sum, 0, 1e-10);
    CHECK(r->residual < 1e-10 && r->converged && r->jitter == 0);
    CHECK(r->rank == n && r->n == n && r->targets == 1);
    free(K);
    gram_machine_free(m);
}

TEST(normal_equations_hold)
{
    gram_table *t = machines_table(60, 3, 1);
    gram_fit_options o = fixed("rbf(gamma=0.4)[x1,x2,x3]", "0.1");

    check_equations(t, &o, NULL);
    o.no_intercept = 1;
    check_equations(t, &o, NULL);
    gram_table_free(t);
}

TEST(normal_equations_hold_with_weights)
{
    gram_table *t = machines_table(50, 2, 2);
    gram_fit_options o = fixed("rbf(gamma=0.4)[x1,x2]", "0.3");

    machines_amounts(t, "w", GRAM_ROLE_WEIGHT, 3);
    check_equations(t, &o, machines_values(t, "w"));
    gram_table_free(t);
}

/* Means and deviations at the rows of `at`. */
static void check_same(const gram_machine *a, const gram_machine *b,
                       const gram_table *at, double tolerance)
{
    size_t n = gram_table_rows(at) * gram_machine_report(a)->targets;
    double *mean[2], *std[2], *std_f[2];

    for (int k = 0; k < 2; k++) {
        mean[k] = grams_doubles(n);
        std[k] = grams_doubles(n);
        std_f[k] = grams_doubles(n);
        gram_prediction p = {.mean = mean[k], .std = std[k], .std_f = std_f[k]};

        CHECK_OK(gram_machine_predict(k ? b : a, at, NULL, NULL, &p));
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(mean[0][i], mean[1][i], tolerance);
        CHECK_NEAR(std[0][i], std[1][i], tolerance);
        CHECK_NEAR(std_f[0][i], std_f[1][i], tolerance);
    }
    for (int k = 0; k < 2; k++) {
        free(mean[k]);
        free(std[k]);
        free(std_f[k]);
    }
}

TEST(only_the_ratio_of_amplitude_and_lambda_matters)
{
    gram_table *t = machines_table(40, 2, 4), *new = machines_table(9, 2, 5);
    gram_fit_options a = fixed(gauss, "0.2"),
                     b = fixed("1*rbf(gamma=0.4)", "0.2"),
                     c = fixed("7*rbf(gamma=0.4)", "1.4");
    gram_machine *A = machines_fit(t, &a), *B = machines_fit(t, &b);
    gram_machine *C = machines_fit(t, &c);
    double *mean[2] = {machines_mean(A, new), machines_mean(C, new)};

    for (size_t i = 0; i < 9; i++)
        CHECK_NEAR(mean[0][i], mean[1][i], 1e-12);
    /* a number before the kernel is a promise: amplitude 1; else profiled */
    CHECK(gram_machine_report(B)->amplitude[0] == 1);
    CHECK(gram_machine_report(C)->amplitude[0] == 1);
    CHECK(gram_machine_report(C)->noise_variance[0] == 1.4);
    CHECK(gram_machine_report(A)->amplitude[0] != 1);
    free(mean[0]);
    free(mean[1]);
    gram_machine_free(A);
    gram_machine_free(B);
    gram_machine_free(C);
    gram_table_free(t);
    gram_table_free(new);
}

/* The rows of t, those with twice[i] two times. */
static gram_table *repeat(const gram_table *t, const int *times)
{
    size_t n = gram_table_rows(t), rows = 0;
    gram_table *out = NULL;

    for (size_t i = 0; i < n; i++)
        rows += (size_t)times[i];
    CHECK_OK(gram_table_new(rows, &out));
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);
        double *v = grams_doubles(rows);

        for (size_t i = 0, to = 0; i < n; i++)
            for (int k = 0; k < times[i]; k++)
                v[to++] = c.values[i];
        CHECK_OK(gram_table_add_numbers(out, c.name, v, 1));
        CHECK_OK(gram_table_set_role(out, c.name, c.role));
        free(v);
    }
    return out;
}

TEST(weights_are_repeated_rows)
{
    enum { N = 30 };
    gram_table *t = machines_table(N, 2, 6), *new = machines_table(7, 2, 7);
    gram_fit_options o = fixed("1*rbf(gamma=0.4)[x1,x2]", "0.3");
    double weight[N];
    int times[N];
    gram_table *many;
    gram_machine *a, *b;

    for (int i = 0; i < N; i++) {
        times[i] = i % 3;
        weight[i] = times[i];
    }
    many = repeat(t, times);
    CHECK_OK(gram_table_add_numbers(t, "w", weight, 1));
    CHECK_OK(gram_table_set_role(t, "w", GRAM_ROLE_WEIGHT));
    a = machines_fit(t, &o);
    b = machines_fit(many, &o);
    CHECK(gram_machine_report(a)->n == 20); /* rows of weight 0 do not count */
    CHECK(gram_machine_report(b)->n == 30);
    check_same(a, b, new, 1e-10);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(many);
    gram_table_free(new);
}

/* n rows of one column x and target y. */
static gram_table *small(size_t n, const double *x, const double *y)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    return t;
}

TEST(conflicting_duplicates_are_averaged)
{
    const double x[] = {0, 0, 1}, y[] = {1, 3, 5}, merged[] = {2, 5};
    const double at[] = {0, 1}, weight[] = {2, 1};
    gram_table *t = small(3, x, y), *u = small(2, at, merged);
    gram_fit_options o = fixed("rbf(gamma=1)[x]", "0.5");
    gram_machine *a, *b;
    double *mean[2];

    CHECK_OK(gram_table_add_numbers(u, "w", weight, 1));
    CHECK_OK(gram_table_set_role(u, "w", GRAM_ROLE_WEIGHT));
    a = machines_fit(t, &o);
    b = machines_fit(u, &o);
    mean[0] = machines_mean(a, u);
    mean[1] = machines_mean(b, u);
    CHECK_NEAR(mean[0][0], mean[1][0], 1e-12);
    CHECK_NEAR(mean[0][1], mean[1][1], 1e-12);
    free(mean[0]);
    free(mean[1]);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(u);
}

TEST(identical_rows_give_the_shrunken_mean)
{
    const double x[] = {3, 3, 3, 3}, y[] = {1, 2, 3, 6};
    gram_table *t = small(4, x, y);
    gram_fit_options o = {.kernel = "rbf(gamma=1)[x]", .lambda = "2"};
    double *mean;
    gram_machine *m;

    o.no_intercept = 1;
    m = machines_fit(t, &o);
    mean = machines_mean(m, t);
    CHECK_NEAR(mean[0], 12.0 / (4 + 2), 1e-14);
    free(mean);
    gram_machine_free(m);
    o.no_intercept = 0; /* with one, the mean itself */
    m = machines_fit(t, &o);
    mean = machines_mean(m, t);
    CHECK_NEAR(mean[0], 3, 1e-14);
    free(mean);
    gram_machine_free(m);
    o = (gram_fit_options){.kernel = "rbf"}; /* and with everything open */
    m = machines_fit(t, &o);
    mean = machines_mean(m, t);
    CHECK_NEAR(mean[0], 3, 1e-10);
    free(mean);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(one_and_two_rows_work)
{
    const double x[] = {0, 1}, y[] = {3, 5};
    gram_table *one = small(1, x, y), *two = small(2, x, y);
    gram_fit_options o = {.kernel = "rbf(gamma=1)[x]", .lambda = "0.5"};
    gram_machine *m;
    double *mean, c = exp(-1), l = 0.5;

    o.no_intercept = 1;
    m = machines_fit(one, &o);
    mean = machines_mean(m, one);
    CHECK_NEAR(mean[0], 3 / 1.5, 1e-14);
    free(mean);
    gram_machine_free(m);
    m = machines_fit(two, &o);
    CHECK_NEAR(m->expansion.solution[0].alpha[0],
               ((1 + l) * 3 - c * 5) / ((1 + l) * (1 + l) - c * c), 1e-14);
    gram_machine_free(m);
    o = (gram_fit_options){.kernel = "rbf"};
    for (int rows = 1; rows <= 2; rows++) {
        m = machines_fit(rows == 1 ? one : two, &o);
        mean = machines_mean(m, one);
        CHECK(isfinite(mean[0]));
        CHECK(gram_machine_report(m)->warning_count > 0);
        CHECK(gram_machine_report(m)->lambda[0] == 1);
        free(mean);
        gram_machine_free(m);
    }
    gram_table_free(one);
    gram_table_free(two);
}

TEST(a_constant_target_is_predicted)
{
    enum { N = 20 };
    gram_table *t = machines_table(N, 2, 8);
    double y[N], *mean;
    gram_fit_options o = {.kernel = "rbf"};
    gram_machine *m;

    for (int i = 0; i < N; i++)
        y[i] = 7;
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_GROUP));
    CHECK_OK(gram_table_add_numbers(t, "c", y, 1));
    CHECK_OK(gram_table_set_role(t, "c", GRAM_ROLE_TARGET));
    m = machines_fit(t, &o);
    mean = machines_mean(m, t);
    for (int i = 0; i < N; i++)
        CHECK(mean[i] == 7);
    CHECK_STR(gram_machine_report(m)->warnings[0],
              "nothing can be learned from a constant target");
    free(mean);
    gram_machine_free(m);
    o.no_intercept = 1; /* nothing special about it without one */
    m = machines_fit(t, &o);
    mean = machines_mean(m, t);
    CHECK(isfinite(mean[0]));
    free(mean);
    gram_machine_free(m);
    gram_table_free(t);
}

/* Columns times `factor`: the fit with scaling is the same. */
TEST(huge_and_tiny_columns_are_scaled)
{
    enum { N = 40 };
    const double factors[] = {1, 1e30, 1e-30};
    double *x = grams_random(N, 0, 9), *e = grams_random(N, 0, 10), y[N];
    double *mean[3], scaled[N];
    gram_fit_options o = {.kernel = "rbf", .lambda = "0.1"};

    o.select = GRAM_SELECT_NONE;
    for (int i = 0; i < N; i++)
        y[i] = sin(2 * x[i]) + 0.1 * e[i];
    for (int k = 0; k < 3; k++) {
        double target[N];
        gram_table *t;
        gram_machine *m;

        for (int i = 0; i < N; i++) {
            scaled[i] = factors[k] * x[i];
            target[i] = factors[k] * y[i];
        }
        t = small(N, scaled, target);
        m = machines_fit(t, &o);
        mean[k] = machines_mean(m, t);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(mean[k][i] / factors[k], mean[0][i], 1e-9);
        gram_machine_free(m);
        gram_table_free(t);
    }
    for (int k = 0; k < 3; k++)
        free(mean[k]);
    free(x);
    free(e);
}

TEST(a_large_offset_of_the_target_costs_no_digits)
{
    gram_table *t = machines_table(40, 2, 11);
    gram_fit_options o = fixed("rbf(gamma=0.4)[x1,x2]", "0.1");
    const double *y = machines_values(t, "y");
    double far[40], *mean[2];
    gram_machine *a, *b;

    a = machines_fit(t, &o);
    mean[0] = machines_mean(a, t);
    for (int i = 0; i < 40; i++)
        far[i] = y[i] + 0x1p40;
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_FEATURE));
    CHECK_OK(gram_table_add_numbers(t, "far", far, 1));
    CHECK_OK(gram_table_set_role(t, "far", GRAM_ROLE_TARGET));
    b = machines_fit(t, &o);
    mean[1] = machines_mean(b, t);
    for (int i = 0; i < 40; i++) /* 2^40 leaves 2^-12 for a digit of y */
        CHECK(fabs(mean[1][i] - 0x1p40 - mean[0][i]) < 0x1p-11);
    free(mean[0]);
    free(mean[1]);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
}

/* Known noise variances are exactly that: covariance k/lambda, noise v. */
TEST(a_noise_column_is_the_noise)
{
    enum { N = 25 };
    gram_table *t = machines_table(N, 2, 12), *w = machines_table(N, 2, 12);
    gram_fit_options o = fixed("rbf(gamma=0.4)[x1,x2]", "0.5"),
                     same = fixed("1*rbf(gamma=0.4)[x1,x2]", "0.5");
    gram_machine *a, *b;
    double inverse[N], *std[2] = {grams_doubles(N), grams_doubles(N)};
    gram_prediction p[2] = {{.std_f = std[0]}, {.std_f = std[1]}};

    machines_amounts(t, "v", GRAM_ROLE_NOISE, 13);
    for (int i = 0; i < N; i++)
        inverse[i] = 1 / machines_values(t, "v")[i];
    CHECK_OK(gram_table_add_numbers(w, "w", inverse, 1));
    CHECK_OK(gram_table_set_role(w, "w", GRAM_ROLE_WEIGHT));
    a = machines_fit(t, &o);
    b = machines_fit(w, &same);
    CHECK(gram_machine_report(a)->amplitude[0] == 2);
    CHECK(gram_machine_report(a)->noise_variance[0] == 1);
    CHECK_OK(gram_machine_predict(a, t, NULL, NULL, &p[0]));
    CHECK_OK(gram_machine_predict(b, t, NULL, NULL, &p[1]));
    for (int i = 0; i < N; i++)
        CHECK_NEAR(std[0][i], sqrt(2) * std[1][i], 1e-10);
    p[0] = (gram_prediction){.std = std[0]};
    p[1] = (gram_prediction){.std_f = std[1]};
    CHECK_OK(gram_machine_predict(a, t, NULL, NULL, &p[0]));
    CHECK_OK(gram_machine_predict(a, t, NULL, NULL, &p[1]));
    for (int i = 0; i < N; i++)
        CHECK_NEAR(std[0][i] * std[0][i],
                   std[1][i] * std[1][i] + machines_values(t, "v")[i], 1e-12);
    free(std[0]);
    free(std[1]);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(w);
}

TEST(columns_may_be_given_by_place)
{
    static const char *const pairs[][2] = {
        {"rbf(gamma=0.1)[2:3]", "rbf(gamma=0.1)[b]"},
        {"(rbf(gamma=0.1) + linear)[2]", "(rbf(gamma=0.1) + linear)[b]"},
        {"weight(2, rbf(gamma=0.1)[b])", "weight(b, rbf(gamma=0.1)[b])"},
        {"weight(b, rbf(gamma=0.1)[2])", "weight(b, rbf(gamma=0.1)[b])"}};
    const double y[] = {1, 2, 4, 3}, a[] = {1, 5, 2, 8}, b[] = {3, 1, 4, 1};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_add_numbers(t, "a", a, 1));
    CHECK_OK(gram_table_add_numbers(t, "b", b, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    for (size_t i = 0; i < 4; i++) {
        gram_fit_options place = fixed(pairs[i][0], "0.1"),
                         name = fixed(pairs[i][1], "0.1");
        gram_machine *m, *n;

        m = machines_fit(t, &place);
        n = machines_fit(t, &name);
        check_same(m, n, t, 1e-14);
        CHECK(gram_machine_report(m)->d == 1);
        CHECK_STR(gram_machine_column(m, 0), "b");
        CHECK(gram_machine_column(m, 1) == NULL);
        gram_machine_free(m);
        gram_machine_free(n);
    }
    gram_table_free(t);
}

/* A column that is named may have any role; what is not named sees features
 * only, in the machine and its file as in the table. */
TEST(roles_are_kept)
{
    const double y[] = {1, 2, 4, 3}, a[] = {1, 5, 2, 8}, g[] = {3, 1, 4, 1};
    gram_table *t = NULL;
    gram_fit_options named = fixed("rbf(gamma=0.1)[a] + linear[g]", "0.1"),
                     rest = fixed("rbf(gamma=0.1) + linear[g]", "0.1");
    gram_machine *m, *n;

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_add_numbers(t, "a", a, 1));
    CHECK_OK(gram_table_add_numbers(t, "g", g, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(t, "g", GRAM_ROLE_GROUP));
    m = machines_fit(t, &named);
    n = machines_fit(t, &rest);
    check_same(m, n, t, 0);
    CHECK_OK(gram_machine_save(n, temporary_path("roles.gram"), NULL));
    gram_machine_free(n);
    CHECK_OK(gram_machine_load(temporary_path("roles.gram"), NULL, &n));
    check_same(m, n, t, 1e-14);
    gram_machine_free(m);
    gram_machine_free(n);
    gram_table_free(t);
}

TEST(several_targets_are_several_fits)
{
    enum { N = 40 };
    gram_table *t = machines_table(N, 2, 14);
    gram_fit_options o = fixed("rbf(gamma=0.4)[x1,x2]", "0.1");
    double z[N], *both, *one;
    gram_machine *a, *b;

    for (int i = 0; i < N; i++)
        z[i] = cos(machines_values(t, "x1")[i]);
    a = machines_fit(t, &o);
    one = machines_mean(a, t);
    CHECK_OK(gram_table_add_numbers(t, "z", z, 1));
    CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    b = machines_fit(t, &o);
    both = machines_mean(b, t);
    CHECK(gram_machine_report(b)->targets == 2);
    CHECK_STR(gram_machine_report(b)->target[1], "z");
    for (int i = 0; i < N; i++)
        CHECK_NEAR(both[2 * i], one[i], 1e-12);
    CHECK_NEAR(gram_machine_report(b)->amplitude[0],
               gram_machine_report(a)->amplitude[0], 1e-10);
    CHECK_NEAR(gram_machine_report(b)->log_evidence[0],
               gram_machine_report(a)->log_evidence[0], 1e-10);
    free(one);
    free(both);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
}

TEST(from_takes_kernel_and_lambda)
{
    gram_table *t = machines_table(40, 2, 15), *u = machines_table(30, 2, 16);
    gram_fit_options o = {.kernel = "rbf[x1,x2]"}, from = {.kernel = "linear"};
    gram_machine *a = machines_fit(t, &o), *b;

    from.from = a;
    b = machines_fit(u, &from);
    CHECK_STR(gram_machine_report(b)->kernel, gram_machine_report(a)->kernel);
    CHECK(gram_machine_report(b)->lambda[0] ==
          gram_machine_report(a)->lambda[0]);
    CHECK_STR(gram_machine_report(b)->criterion, "none");
    CHECK(gram_machine_report(b)->n == 30);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(u);
}

/* An overall ? is s, written into kernel and lambda; all else is as without. */
static void check_amplitude(const char *with, const char *without,
                            const char *solver)
{
    gram_table *t = machines_table(50, 1, 17), *new = machines_table(9, 1, 18);
    gram_fit_options a = {.kernel = with,
                          .solver = solver,
                          .select = GRAM_SELECT_EVIDENCE,
                          .keep_factor = 1},
                     b = a;
    gram_machine *A, *B;
    const gram_report *r, *q;

    b.kernel = without;
    A = machines_fit(t, &a);
    B = machines_fit(t, &b);
    r = gram_machine_report(A);
    q = gram_machine_report(B);
    CHECK(r->amplitude[0] == 1);
    CHECK_NEAR(r->lambda[0], q->lambda[0] * q->amplitude[0], 1e-6);
    CHECK_NEAR(r->noise_variance[0], q->noise_variance[0], 1e-6);
    CHECK_NEAR(r->log_evidence[0], q->log_evidence[0], 1e-9);
    check_same(A, B, new, 1e-7);
    gram_machine_free(A);
    gram_machine_free(B);
    gram_table_free(t);
    gram_table_free(new);
}

TEST(an_overall_amplitude_is_written_into_the_kernel)
{
    check_amplitude("?*rbf(gamma=0.4)[x1]", "rbf(gamma=0.4)[x1]", "dual");
    check_amplitude("?*poly(degree=2)[x1]", "poly(degree=2)[x1]", "primal");
    check_amplitude("?*matern(nu=1.5,length=1)[x1]",
                    "matern(nu=1.5,length=1)[x1]", "markov");
}

TESTS(SMALL(normal_equations_hold), SMALL(normal_equations_hold_with_weights),
      SMALL(only_the_ratio_of_amplitude_and_lambda_matters),
      SMALL(weights_are_repeated_rows),
      SMALL(conflicting_duplicates_are_averaged),
      SMALL(identical_rows_give_the_shrunken_mean),
      SMALL(one_and_two_rows_work), SMALL(a_constant_target_is_predicted),
      SMALL(huge_and_tiny_columns_are_scaled),
      SMALL(a_large_offset_of_the_target_costs_no_digits),
      SMALL(a_noise_column_is_the_noise), SMALL(columns_may_be_given_by_place),
      SMALL(roles_are_kept), SMALL(several_targets_are_several_fits),
      SMALL(from_takes_kernel_and_lambda),
      SMALL(an_overall_amplitude_is_written_into_the_kernel))
