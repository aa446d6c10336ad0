/* test_fit_loss.c - machines with other losses than squared, and classifiers:
 * what holds at the optimum, what classes, weights and labels mean, what files
 * keep.  Solvers have tests of their own.
 */
#include "machines.h"
#include "temporary.h"

#include "machines/machine.h"

static const char *const gauss = "rbf(gamma=0.4)";

/* n rows of two columns around `classes` centres on a circle, with the class
 * as text in y. */
static gram_table *blobs(size_t n, size_t classes, double spread,
                         uint64_t stream)
{
    double *x = grams_random(2 * n, 0, stream);
    const char **y = malloc(n * sizeof *y);
    static const char *const names[] = {"ash", "birch", "cedar", "dogwood"};
    gram_table *t;

    for (size_t i = 0; i < n; i++) {
        double angle = 6.283185307 * (double)(i % classes) / (double)classes;

        y[i] = names[i % classes];
        x[2 * i] = spread * x[2 * i] + 2 * cos(angle);
        x[2 * i + 1] = spread * x[2 * i + 1] + 2 * sin(angle);
    }
    t = grams_table(n, 2, x, NULL);
    CHECK_OK(gram_table_add_strings(t, "y", GRAM_TYPE_CATEGORY, y));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    free(x);
    free(y);
    return t;
}

static double *values_of(const gram_machine *m, const gram_table *t)
{
    const gram_report *r = gram_machine_report(m);
    double *f = grams_doubles(gram_table_rows(t) * r->outputs);

    CHECK_OK(
        gram_machine_predict(m, t, NULL, NULL, &(gram_prediction){.mean = f}));
    return f;
}

static int *labels_of(const gram_machine *m, const gram_table *t)
{
    int *label = malloc((gram_table_rows(t) + 1) * sizeof *label);

    CHECK_OK(gram_machine_predict(m, t, NULL, NULL,
                                  &(gram_prediction){.label = label}));
    return label;
}

/* alpha_i = -w_i V'(y_i, f_i)/(2 lambda), for every smooth loss of numbers. */
TEST(coefficients_are_slopes_of_the_loss)
{
    const char *losses[] = {"huber(delta=0.5)", "poisson"};
    gram_table *t = machines_table(60, 2, 5);

    machines_amounts(t, "w", GRAM_ROLE_WEIGHT, 6);
    for (int k = 0; k < 2; k++) {
        gram_fit_options o = {
            .kernel = gauss, .loss = losses[k], .lambda = "0.3"};
        gram_machine *m = machines_fit(t, &o);
        const double *y = machines_values(t, "y"), *w = machines_values(t, "w");
        const double *alpha = m->expansion.solution[0].alpha;
        double *f = values_of(m, t);

        for (size_t i = 0; i < m->expansion.n; i++) {
            size_t row = (size_t)m->training.row[i];
            double at = k == 1 ? log(f[row]) : f[row];

            CHECK_NEAR(alpha[i],
                       -w[row] * gi_loss_slope(m->outputs.loss, y[row], at) /
                           0.6,
                       1e-5);
        }
        CHECK(gram_machine_report(m)->converged);
        CHECK(gram_machine_report(m)->gap <
              1e-6 * fabs(gram_machine_report(m)->objective));
        free(f);
        gram_machine_free(m);
    }
    gram_table_free(t);
}

TEST(quantiles_do_not_cross)
{
    gram_table *t = machines_table(80, 1, 9);
    gram_fit_options o = {.kernel = gauss,
                          .loss = "quantile(tau=[0.9,0.1,0.5])",
                          .lambda = "0.5"};
    gram_machine *m = machines_fit(t, &o);
    const gram_report *r = gram_machine_report(m);
    double *f = values_of(m, t);

    CHECK(r->outputs == 3 && r->targets == 1);
    CHECK_STR(r->output[0], "0.1");
    CHECK_STR(r->output[2], "0.9");
    CHECK_STR(r->loss, "quantile(tau=[0.1,0.5,0.9])");
    for (size_t i = 0; i < 80; i++)
        CHECK(f[3 * i] <= f[3 * i + 1] && f[3 * i + 1] <= f[3 * i + 2]);
    free(f);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(classes_keep_their_names_and_are_found_again)
{
    const char *losses[] = {"logistic", "hinge", "squared_hinge", "squared"};
    gram_table *t = blobs(90, 3, 0.3, 11);

    for (int k = 0; k < 4; k++) {
        gram_fit_options o = {
            .kernel = gauss, .loss = losses[k], .lambda = "0.1"};
        gram_machine *m = machines_fit(t, &o);
        const gram_report *r = gram_machine_report(m);
        int *label = labels_of(m, t);
        gram_score s;

        CHECK_STR(r->task, "classification");
        CHECK(r->classes == 3 && r->outputs == 3);
        CHECK_STR(r->class_name[1], "birch");
        for (int i = 0; i < 90; i++)
            CHECK(label[i] == i % 3);
        CHECK_OK(gram_machine_score(m, t, NULL, NULL, &s));
        CHECK(s.accuracy == 1 && s.n == 90);
        CHECK(isnan(s.log_loss) == (k != 0));
        free(label);
        gram_machine_free(m);
    }
    gram_table_free(t);
}

/* One function for each pair is the machine of these two classes alone. */
TEST(pairs_are_machines_of_two_classes)
{
    gram_table *t = blobs(60, 3, 0.8, 13);
    gram_fit_options o = {.kernel = gauss,
                          .loss = "logistic",
                          .lambda = "0.1",
                          .classes = GRAM_CLASSES_ONE_VS_ONE};
    gram_machine *all = machines_fit(t, &o), *two;
    double *f = values_of(all, t), *w = grams_doubles(60), *g;

    for (int i = 0; i < 60; i++)
        w[i] = i % 3 == 2 ? 0 : 1;
    CHECK_OK(gram_table_add_numbers(t, "w", w, 1));
    CHECK_OK(gram_table_set_role(t, "w", GRAM_ROLE_WEIGHT));
    two = machines_fit(t, &o);
    g = values_of(two, t);
    CHECK(gram_machine_report(two)->outputs == 1);
    for (int i = 0; i < 60; i++)
        CHECK_NEAR(f[3 * i], g[i], 1e-5);
    free(f);
    free(g);
    free(w);
    gram_machine_free(all);
    gram_machine_free(two);
    gram_table_free(t);
}

/* Weights of classes are weights of their rows. */
TEST(class_weights_are_row_weights)
{
    const char *losses[] = {"logistic", "hinge"};
    gram_table *t = blobs(50, 2, 1.2, 17);
    double *w = grams_doubles(50);

    for (int i = 0; i < 50; i++)
        w[i] = i % 2 ? 3 : 1;
    for (int k = 0; k < 2; k++) {
        gram_fit_options o = {.kernel = gauss,
                              .loss = losses[k],
                              .lambda = "0.2",
                              .tolerance = 1e-8,
                              .class_weights = "birch=3"};
        gram_machine *a = machines_fit(t, &o), *b;
        gram_table *u = blobs(50, 2, 1.2, 17);
        double *f = values_of(a, t), *g;

        o.class_weights = NULL;
        CHECK_OK(gram_table_add_numbers(u, "w", w, 1));
        CHECK_OK(gram_table_set_role(u, "w", GRAM_ROLE_WEIGHT));
        b = machines_fit(u, &o);
        g = values_of(b, t);
        for (int i = 0; i < 50; i++)
            CHECK_NEAR(f[i], g[i], 1e-5);
        free(f);
        free(g);
        gram_machine_free(a);
        gram_machine_free(b);
        gram_table_free(u);
    }
    free(w);
    gram_table_free(t);
}

/* Rows without an alpha are not kept, and are not missed. */
TEST(a_support_vector_machine_keeps_its_support)
{
    gram_table *t = blobs(120, 2, 0.5, 19);
    gram_fit_options o = {.kernel = gauss, .loss = "hinge", .lambda = "0.5"};
    gram_machine *m = machines_fit(t, &o);
    const gram_report *r = gram_machine_report(m);
    double *f = values_of(m, t), *K = grams_matrix(gauss, t);

    CHECK(r->n == 120 && r->support < 120 && m->expansion.n == r->support);
    for (int i = 0; i < 120; i++) {
        double sum = r->intercept[0];

        for (size_t j = 0; j < m->expansion.n; j++)
            sum += m->expansion.solution[0].alpha[j] *
                   K[i * 120 + (int)m->training.row[j]];
        CHECK_NEAR(f[i], sum, 1e-10);
    }
    free(f);
    free(K);
    gram_machine_free(m);
    gram_table_free(t);
}

/* Saved and loaded, a machine predicts the same bits. */
TEST(files_keep_every_kind_of_machine)
{
    const char *losses[] = {"logistic", "hinge", "squared"};
    gram_table *t = blobs(45, 3, 0.8, 23);
    const char *path = temporary_path("loss.gram");

    for (int k = 0; k < 3; k++) {
        gram_fit_options o = {.kernel = gauss,
                              .loss = losses[k],
                              .lambda = "0.1",
                              .probability = k == 1};
        gram_machine *m = machines_fit(t, &o), *again = NULL;
        double *f = values_of(m, t), *g;
        int *a = labels_of(m, t), *b;

        CHECK_OK(gram_machine_save(m, path, NULL));
        CHECK_OK(gram_machine_load(path, NULL, &again));
        g = values_of(again, t);
        b = labels_of(again, t);
        CHECK(memcmp(f, g, 45 * 3 * sizeof *f) == 0);
        CHECK(memcmp(a, b, 45 * sizeof *a) == 0);
        CHECK_STR(gram_machine_report(again)->loss, losses[k]);
        CHECK(gram_machine_report(again)->classes == 3);
        free(a);
        free(b);
        free(f);
        free(g);
        gram_machine_free(m);
        gram_machine_free(again);
    }
    gram_table_free(t);
}

TEST(probabilities_agree_with_the_class)
{
    const char *losses[] = {"logistic", "hinge", "squared_hinge"};
    gram_table *t = blobs(80, 3, 1.2, 29);
    double *p = grams_doubles(240);

    for (int k = 0; k < 3; k++) {
        gram_fit_options o = {.kernel = gauss,
                              .loss = losses[k],
                              .lambda = "0.2",
                              .probability = 1};
        gram_machine *m = machines_fit(t, &o);
        int *label = labels_of(m, t);

        CHECK_OK(gram_machine_predict(m, t, NULL, NULL,
                                      &(gram_prediction){.proba = p}));
        for (int i = 0; i < 80; i++) {
            double sum = 0;

            for (int c = 0; c < 3; c++) {
                CHECK(p[3 * i + c] >= 0 && p[3 * i + c] <= p[3 * i + label[i]]);
                sum += p[3 * i + c];
            }
            CHECK_NEAR(sum, 1, 1e-9);
        }
        free(label);
        gram_machine_free(m);
    }
    free(p);
    gram_table_free(t);
}

/* The names are exchanged: f changes its sign and nothing else. */
TEST(exchanged_labels_change_the_sign)
{
    gram_table *t = blobs(40, 2, 1, 31), *u = NULL;
    const char *other[40];
    gram_fit_options o = {.kernel = gauss, .loss = "logistic", .lambda = "0.2"};
    gram_machine *a, *b;
    double *f, *g;

    CHECK_OK(gram_table_new(40, &u));
    for (size_t j = 0; j < 2; j++)
        CHECK_OK(gram_table_add_numbers(u, j ? "x2" : "x1",
                                        gram_table_column(t, j).values, 1));
    for (int i = 0; i < 40; i++)
        other[i] = i % 2 ? "ash" : "birch";
    CHECK_OK(gram_table_add_strings(u, "y", GRAM_TYPE_CATEGORY, other));
    CHECK_OK(gram_table_set_role(u, "y", GRAM_ROLE_TARGET));
    a = machines_fit(t, &o);
    b = machines_fit(u, &o);
    f = values_of(a, t);
    g = values_of(b, t);
    for (int i = 0; i < 40; i++)
        CHECK_NEAR(f[i], -g[i], 1e-6);
    free(f);
    free(g);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(u);
}

/* The error that selection reports is that of fits to the other folds. */
TEST(selection_reports_the_error_of_refits)
{
    const char *losses[] = {"logistic", "hinge"};
    gram_table *t = blobs(90, 3, 1.4, 37);

    for (int k = 0; k < 2; k++) {
        gram_fit_options o = {.kernel = gauss,
                              .loss = losses[k],
                              .tolerance = 1e-6,
                              .lambda = "?[0.05]",
                              .select = GRAM_SELECT_CV};
        gram_machine *m = machines_fit(t, &o);
        double error[5], sum = 0;

        o.lambda = "0.05";
        CHECK_OK(gram_machine_cv(t, &o, 1, NULL, error, NULL));
        for (int j = 0; j < 5; j++)
            sum += error[j] / 5;
        CHECK_NEAR(gram_machine_report(m)->criterion_value, sum, 1e-12);
        CHECK_STR(gram_machine_report(m)->criterion, "cv");
        gram_machine_free(m);
    }
    gram_table_free(t);
}

/* Least squares: leaving a row out, in closed form, is a fit without it. */
TEST(the_left_out_error_of_least_squares_is_that_of_refits)
{
    enum { N = 36 };
    gram_table *t = blobs(N, 3, 1.4, 59);
    gram_fit_options o = {.kernel = gauss,
                          .loss = "squared",
                          .lambda = "?[0.3]",
                          .select = GRAM_SELECT_LOO};
    gram_machine *m = machines_fit(t, &o), *rest;
    double w[N], wrong = 0;

    o.lambda = "0.3";
    for (int k = 0; k < N; k++) {
        gram_table *u = blobs(N, 3, 1.4, 59);
        int *label;

        for (int i = 0; i < N; i++)
            w[i] = i != k;
        CHECK_OK(gram_table_add_numbers(u, "w", w, 1));
        CHECK_OK(gram_table_set_role(u, "w", GRAM_ROLE_WEIGHT));
        rest = machines_fit(u, &o);
        label = labels_of(rest, t);
        wrong += label[k] != k % 3;
        free(label);
        gram_machine_free(rest);
        gram_table_free(u);
    }
    CHECK(wrong > 0);
    CHECK_NEAR(gram_machine_report(m)->criterion_value, wrong / N, 1e-12);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(selection_does_not_depend_on_threads)
{
    gram_table *t = blobs(120, 3, 1, 41);
    gram_fit_options o = {.loss = "hinge"};
    double *f[2];

    for (int k = 0; k < 2; k++) {
        gram_machine *m = NULL;

        CHECK_OK(
            gram_machine_fit(t, &o, &(gram_exec){.threads = 1 + 2 * k}, &m));
        f[k] = values_of(m, t);
        gram_machine_free(m);
    }
    CHECK(memcmp(f[0], f[1], 360 * sizeof(double)) == 0);
    free(f[0]);
    free(f[1]);
    gram_table_free(t);
}

/* A class with one row is in no training set of its fold. */
TEST(a_class_of_one_row_is_no_obstacle)
{
    gram_table *t = blobs(41, 4, 0.4, 43);
    int keep[41];
    gram_fit_options o = {.kernel = gauss, .loss = "hinge"};
    gram_table *u = NULL;
    const char *y[31];
    double x[62];
    gram_machine *m;
    size_t n = 0;

    for (int i = 0; i < 41; i++)
        keep[i] = i % 4 != 3 || i == 3;
    gram_column c1 = gram_table_column(t, 0), c2 = gram_table_column(t, 1);
    gram_column c = gram_table_column(t, 2);
    for (int i = 0; i < 41 && n < 31; i++)
        if (keep[i]) {
            x[2 * n] = c1.values[i];
            x[2 * n + 1] = c2.values[i];
            y[n++] = c.levels[c.codes[i]];
        }
    u = grams_table(n, 2, x, NULL);
    CHECK_OK(gram_table_add_strings(u, "y", GRAM_TYPE_CATEGORY, y));
    CHECK_OK(gram_table_set_role(u, "y", GRAM_ROLE_TARGET));
    m = machines_fit(u, &o);
    CHECK(gram_machine_report(m)->classes == 4);
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(u);
}

/* The mean of 1/(1 + exp(-f)) over N(mean, variance), by the trapezoidal
 * rule. */
static double averaged(double mean, double variance)
{
    double sum = 0, all = 0;

    for (int k = -4000; k <= 4000; k++) {
        double z = (double)k / 400, w = exp(-z * z / 2);

        sum += w / (1 + exp(-mean - z * sqrt(variance)));
        all += w;
    }
    return sum / all;
}

/* A machine chosen by evidence averages over the posterior: its variance is
 * k(x,x) - k'(K + 2 lambda/W)^-1 k, over 2 lambda. */
TEST(a_process_averages_probabilities)
{
    enum { N = 30 };
    gram_table *t = blobs(N, 2, 1.5, 53);
    gram_fit_options o = {.kernel = "rbf(gamma=?)",
                          .loss = "logistic",
                          .select = GRAM_SELECT_EVIDENCE,
                          .no_intercept = 1,
                          .scale = GRAM_KERNEL_SCALE_NONE};
    gram_machine *m = machines_fit(t, &o);
    const gram_report *r = gram_machine_report(m);
    double *f = values_of(m, t), *K = grams_matrix(r->kernel, t);
    double p[2 * N], A[N * N], B[N * N], lambda = r->lambda[0];

    CHECK(isfinite(r->log_evidence[0]));
    CHECK_OK(
        gram_machine_predict(m, t, NULL, NULL, &(gram_prediction){.proba = p}));
    memcpy(A, K, sizeof A);
    memcpy(B, K, sizeof B);
    for (int i = 0; i < N; i++) {
        double q = 1 / (1 + exp(-f[i]));

        A[i * N + i] += 2 * lambda / (q * (1 - q));
    }
    machines_solve(N, A, N, B);
    for (int i = 0; i < N; i++) {
        double variance = K[i * N + i];

        for (int j = 0; j < N; j++)
            variance -= K[i * N + j] * B[j * N + i];
        CHECK_NEAR(p[2 * i + 1], averaged(f[i], variance / (2 * lambda)), 1e-4);
        CHECK((p[2 * i + 1] > 0.5) == (f[i] > 0));
    }
    free(f);
    free(K);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(what_cannot_be_is_said)
{
    gram_table *t = machines_table(20, 1, 47), *b = blobs(20, 2, 1, 49);
    gram_table *one = blobs(5, 1, 1, 51);
    gram_fit_options o = {.kernel = gauss, .lambda = "1"};
    gram_machine *m = NULL, *more = NULL;
    double x[20];

    o.loss = "poisson";
    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    CHECK_FAILS(
        gram_machine_predict(m, t, NULL, NULL, &(gram_prediction){.std = x}),
        GRAM_ERR_RANGE,
        "standard deviations: of a model of numbers with loss squared "
        "only, this one has loss poisson");
    CHECK_FAILS(gram_machine_update(m, t, NULL, NULL, &more), GRAM_ERR_RANGE,
                "an update: of a model of numbers with loss squared only, this "
                "one has loss poisson");
    gram_machine_free(m);
    o.loss = "huber";
    CHECK_FAILS(gram_machine_fit(b, &o, NULL, &m), GRAM_ERR_RANGE,
                "target \"y\" is a category column, loss huber takes numbers");
    o.loss = "logistic";
    CHECK_FAILS(gram_machine_fit(one, &o, NULL, &m), GRAM_ERR_RANGE,
                "target \"y\" has one class, \"ash\", in all rows: there must "
                "be two at least");
    o.lambda = "0";
    CHECK_FAILS(gram_machine_fit(b, &o, NULL, &m), GRAM_ERR_RANGE,
                "lambda = 0, must be positive with loss logistic");
    o.lambda = NULL;
    o.select = GRAM_SELECT_LOO;
    CHECK_FAILS(gram_machine_fit(b, &o, NULL, &m), GRAM_ERR_RANGE,
                "select loo: loss logistic is selected by cv, or by evidence "
                "with two classes");
    o.loss = "quantile(tau=1)";
    CHECK(gram_machine_fit(t, &o, NULL, &m) == GRAM_ERR_RANGE);
    gram_table_free(t);
    gram_table_free(b);
    gram_table_free(one);
}

TESTS(SMALL(coefficients_are_slopes_of_the_loss), SMALL(quantiles_do_not_cross),
      SMALL(classes_keep_their_names_and_are_found_again),
      SMALL(pairs_are_machines_of_two_classes),
      SMALL(class_weights_are_row_weights),
      SMALL(a_support_vector_machine_keeps_its_support),
      SMALL(files_keep_every_kind_of_machine),
      SMALL(probabilities_agree_with_the_class),
      SMALL(exchanged_labels_change_the_sign),
      SMALL(a_process_averages_probabilities),
      NORMAL(selection_reports_the_error_of_refits),
      SMALL(the_left_out_error_of_least_squares_is_that_of_refits),
      NORMAL(selection_does_not_depend_on_threads),
      NORMAL(a_class_of_one_row_is_no_obstacle), SMALL(what_cannot_be_is_said))
