/* test_select.c - how open numbers are chosen: criteria beside brute-force
 * refits, evidence beside its formula, optima that are optima, and the path of
 * lambda.
 */
#include "machines.h"

#include "machines/machine.h"

enum { N = 36 };

/* The error of row i, or of fold i, left out: sum of w r^2 over the rows. */
static double left_out(const gram_table *t, const gram_fit_options *o,
                       const int *fold, int which, const double *w)
{
    gram_table *rest = NULL, *out = machines_rows(t, fold, which);
    size_t n = gram_table_rows(t), to = 0;
    int *others = malloc(n * sizeof *others);
    gram_machine *m;
    double *mean, sum = 0;

    for (size_t i = 0; i < n; i++)
        others[i] = fold[i] != which;
    rest = machines_rows(t, others, 1);
    m = machines_fit(rest, o);
    mean = machines_mean(m, out);
    for (size_t i = 0; i < n; i++) {
        double r;

        if (fold[i] != which)
            continue;
        r = machines_values(t, "y")[i] - mean[to++];
        sum += (w ? w[i] : 1) * r * r;
    }
    free(others);
    free(mean);
    gram_machine_free(m);
    gram_table_free(rest);
    gram_table_free(out);
    return sum;
}

/* The mean over all folds, by refits with fixed numbers. */
static double brute_error(const gram_table *t, const gram_fit_options *o,
                          const int *fold, size_t folds, const double *w)
{
    double sum = 0, total = 0;

    for (size_t j = 0; j < folds; j++)
        sum += left_out(t, o, fold, (int)j, w);
    for (size_t i = 0; i < gram_table_rows(t); i++)
        total += w ? w[i] : 1;
    return sum / total;
}

static const char *const candidates[] = {"0.01", "0.1", "1"};

static void check_loo(int intercept, int weighted)
{
    gram_table *t = machines_table(N, 2, 1);
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)[x1,x2]",
                          .lambda = "?[0.01,0.1,1]",
                          .no_intercept = !intercept};
    gram_machine *m;
    const gram_report *r;
    double least = INFINITY, best = 0;
    const double *w = NULL;
    int fold[N];

    if (weighted) {
        machines_amounts(t, "w", GRAM_ROLE_WEIGHT, 2);
        w = machines_values(t, "w");
    }
    m = machines_fit(t, &o);
    r = gram_machine_report(m);
    CHECK_STR(r->criterion, "loo");
    for (int i = 0; i < N; i++)
        fold[i] = i;
    for (size_t k = 0; k < 3; k++) {
        double error;

        o.lambda = candidates[k];
        error = brute_error(t, &o, fold, N, w);
        if (error < least) {
            least = error;
            best = atof(candidates[k]);
        }
    }
    CHECK_NEAR(r->lambda[0], best, 1e-15);
    CHECK_NEAR(r->criterion_value, least, 1e-9);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(leave_one_out_equals_refits)
{
    check_loo(1, 0);
    check_loo(0, 0);
    check_loo(1, 1);
}

/* Grid of 3 x 3, with the table's own folds. */
static void check_cv(int intercept, int weighted, int precision,
                     const gram_fold_options *folds)
{
    static const char *const kernels[] = {"rbf(gamma=0.1)[x1,x2]",
                                          "rbf(gamma=0.5)[x1,x2]",
                                          "rbf(gamma=2)[x1,x2]"};
    gram_table *t = machines_table(N, 2, 3);
    gram_fit_options o = {.kernel = "rbf(gamma=?[0.1,0.5,2])[x1,x2]",
                          .lambda = "?[0.01,0.1,1]",
                          .select = GRAM_SELECT_CV,
                          .scale = GRAM_KERNEL_SCALE_NONE,
                          .precision = precision,
                          .folds = *folds,
                          .no_intercept = !intercept};
    gram_machine *m;
    const gram_report *r;
    double least = INFINITY, lambda = 0, groups[N];
    const double *w = NULL;
    const char *kernel = NULL;
    size_t count;
    int fold[N];

    for (int i = 0; i < N; i++)
        groups[i] = i / 5;
    CHECK_OK(gram_table_add_numbers(t, "g", groups, 1));
    if (weighted) {
        machines_amounts(t, "w", GRAM_ROLE_WEIGHT, 4);
        w = machines_values(t, "w");
    }
    m = machines_fit(t, &o);
    r = gram_machine_report(m);
    CHECK_STR(r->criterion, "cv");
    CHECK_OK(gram_table_folds(t, folds, NULL, fold, &count));
    o.select = GRAM_SELECT_AUTO;
    for (size_t k = 0; k < 9; k++) {
        double error;

        o.kernel = kernels[k / 3];
        o.lambda = candidates[k % 3];
        error = brute_error(t, &o, fold, count, w);
        if (error < least) {
            least = error;
            lambda = atof(candidates[k % 3]);
            kernel = kernels[k / 3];
        }
    }
    CHECK_NEAR(r->lambda[0], lambda, 1e-15);
    CHECK_STR(r->kernel, kernel);
    CHECK_NEAR(r->criterion_value, least, 1e-8);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(cross_validation_equals_refits)
{
    static const gram_fold_options five, groups = {.folds = 4, .group = "g"},
                                         given = {.given = "g"};

    check_cv(1, 0, 0, &five);
    check_cv(1, 1, 1, &five);
    check_cv(0, 0, 2, &groups);
    check_cv(1, 0, 1, &given);
}

TEST(groups_stay_together_without_asking)
{
    gram_table *t = machines_table(N, 2, 3), *u = machines_table(N, 2, 3);
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)[x1,x2]",
                          .select = GRAM_SELECT_CV},
                     p = o;
    double groups[N];
    gram_machine *a, *b;

    for (int i = 0; i < N; i++)
        groups[i] = i / 5;
    CHECK_OK(gram_table_add_numbers(t, "g", groups, 1));
    CHECK_OK(gram_table_add_numbers(u, "g", groups, 1));
    CHECK_OK(gram_table_set_role(t, "g", GRAM_ROLE_GROUP));
    p.folds.group = "g";
    a = machines_fit(t, &o);
    b = machines_fit(u, &p);
    CHECK(gram_machine_report(a)->criterion_value ==
          gram_machine_report(b)->criterion_value);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(u);
}

TEST(random_tries_are_seeded_and_stand_in_for_a_large_grid)
{
    gram_table *t = machines_table(N, 6, 5);
    gram_fit_options o = {
        .kernel = "rbf(ard)", .select = GRAM_SELECT_CV, .tries = 7};
    gram_machine *a = machines_fit(t, &o), *b = machines_fit(t, &o), *c = NULL;

    CHECK_STR(gram_machine_report(a)->kernel, gram_machine_report(b)->kernel);
    o.tries = 0;
    c = machines_fit(t, &o);
    gram_machine_free(b);
    o.tries = 50;
    b = machines_fit(t, &o);
    CHECK_STR(gram_machine_report(b)->kernel, gram_machine_report(c)->kernel);
    gram_machine_free(c);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
}

/* Many rows are searched in single precision. */
TEST(single_precision_finds_the_same_winner)
{
    gram_table *t = machines_table(1200, 2, 15);
    gram_fit_options o = {.kernel = "rbf(gamma=?[0.2,1,5])[x1,x2]",
                          .lambda = "?[1e-7,0.01,0.1]",
                          .select = GRAM_SELECT_CV};
    gram_machine *a = machines_fit(t, &o), *b;
    const gram_report *r, *q;

    o.precision = 1;
    b = machines_fit(t, &o);
    r = gram_machine_report(a);
    q = gram_machine_report(b);
    CHECK_STR(r->kernel, q->kernel);
    CHECK(r->lambda[0] == q->lambda[0]);
    CHECK_NEAR(r->criterion_value / q->criterion_value, 1, 1e-3);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
}

/* ---------------------------------------------------------------- evidence */

/* log det of a positive definite matrix, by elimination without exchanges. */
static double logdet(size_t n, double *A)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++) {
        sum += log(A[k * n + k]);
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = n; j-- > k;)
                A[i * n + j] -= A[i * n + k] / A[k * n + k] * A[k * n + j];
    }
    return sum;
}

/* From an orthonormal basis H of the vectors whose sum is 0: the restricted
 * likelihood is that of H'y, less log(n)/2 for the length of the vector of
 * ones. */
static double brute_evidence(size_t n, const double *K, double lambda,
                             const double *w, int intercept, const double *y,
                             double amplitude)
{
    size_t m = n - (size_t)intercept;
    double *A = machines_system(n, K, lambda, w, 0), *H = grams_doubles(n * m);
    double *B = grams_doubles(m * m), *z = grams_doubles(m),
           *x = grams_doubles(m);
    double *C, value = 0;

    memset(H, 0, n * m * sizeof *H);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < n; i++) /* Helmert's contrasts */
            H[i * m + j] = !intercept   ? (double)(i == j)
                           : i <= j     ? 1 / sqrt((double)((j + 1) * (j + 2)))
                           : i == j + 1 ? -(double)(j + 1) /
                                              sqrt((double)((j + 1) * (j + 2)))
                                        : 0;
    for (size_t a = 0; a < m; a++) {
        z[a] = 0;
        for (size_t i = 0; i < n; i++)
            z[a] += H[i * m + a] * y[i];
        for (size_t b = 0; b < m; b++) {
            B[a * m + b] = 0;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    B[a * m + b] +=
                        amplitude * H[i * m + a] * A[i * n + j] * H[j * m + b];
        }
        x[a] = z[a];
    }
    C = grams_doubles(m * m);
    memcpy(C, B, m * m * sizeof *C);
    machines_solve(m, C, 1, x);
    for (size_t a = 0; a < m; a++)
        value -= z[a] * x[a] / 2;
    value -= logdet(m, B) / 2 + (double)m / 2 * log(2 * acos(-1));
    value -= intercept ? log((double)n) / 2 : 0;
    free(A);
    free(B);
    free(C);
    free(H);
    free(x);
    free(z);
    return value;
}

static void check_evidence(int intercept, int weighted, const char *kernel,
                           const char *solver)
{
    enum { n = 20 };
    gram_table *t = machines_table(n, 2, 6);
    gram_fit_options o = {.kernel = kernel,
                          .lambda = "0.3",
                          .solver = solver,
                          .scale = GRAM_KERNEL_SCALE_NONE,
                          .no_intercept = !intercept};
    double *K = grams_matrix(kernel, t);
    const double *w = NULL;
    double amplitude, rows = 0;
    const gram_report *r;
    gram_machine *m;

    if (weighted) {
        machines_amounts(t, "w", GRAM_ROLE_WEIGHT, 7);
        w = machines_values(t, "w");
    }
    m = machines_fit(t, &o);
    r = gram_machine_report(m);
    /* the amplitude of deviations counts weights, that of evidence rows */
    for (size_t i = 0; i < n; i++)
        rows += w ? w[i] : 1;
    amplitude = r->amplitude[0];
    if (amplitude != 1) /* else it was written */
        amplitude *= (rows - intercept) / (n - intercept);
    CHECK_NEAR(r->log_evidence[0],
               brute_evidence(n, K, 0.3, w, intercept, machines_values(t, "y"),
                              amplitude),
               1e-9);
    free(K);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(evidence_is_the_likelihood_of_contrasts)
{
    for (int intercept = 0; intercept < 2; intercept++)
        for (int weighted = 0; weighted < 2; weighted++) {
            check_evidence(intercept, weighted, "rbf(gamma=0.4)[x1,x2]",
                           "dual");
            check_evidence(intercept, weighted, "2*rbf(gamma=0.4)[x1,x2]",
                           "dual");
            check_evidence(intercept, weighted, "poly(degree=2)[x1,x2]",
                           "primal");
            check_evidence(intercept, weighted, "exponential(gamma=1)[x1]",
                           "markov");
        }
}

TEST(evidence_of_one_row_is_a_normal_density)
{
    const double x[] = {1}, y[] = {2};
    gram_table *t = NULL;
    gram_fit_options o = {
        .kernel = "3*rbf(gamma=1)[x]", .lambda = "0.5", .no_intercept = 1};
    gram_machine *m;

    CHECK_OK(gram_table_new(1, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    m = machines_fit(t, &o);
    CHECK_NEAR(gram_machine_report(m)->log_evidence[0],
               -0.5 * (4 / 3.5 + log(2 * acos(-1) * 3.5)), 1e-14);
    gram_machine_free(m);
    gram_table_free(t);
}

/* Nothing near what evidence chose is better. */
TEST(evidence_finds_an_optimum)
{
    gram_table *t = machines_table(60, 2, 8);
    gram_fit_options o = {.kernel = "rbf[x1,x2]",
                          .scale = GRAM_KERNEL_SCALE_NONE},
                     p = o;
    gram_machine *m = machines_fit(t, &o);
    const gram_report *r = gram_machine_report(m);
    double gamma = m->expansion.program->theta[0];

    CHECK_STR(r->criterion, "evidence");
    CHECK(r->criterion_value == r->log_evidence[0]);
    for (int k = 0; k < 4; k++) {
        char kernel[64], lambda[64];
        gram_machine *near;

        snprintf(kernel, sizeof kernel, "rbf(gamma=%.17g)[x1,x2]",
                 gamma * (k == 0   ? 1.05
                          : k == 1 ? 0.95
                                   : 1));
        snprintf(lambda, sizeof lambda, "%.17g",
                 r->lambda[0] * (k == 2   ? 1.05
                                 : k == 3 ? 0.95
                                          : 1));
        p.kernel = kernel;
        p.lambda = lambda;
        near = machines_fit(t, &p);
        CHECK(gram_machine_report(near)->log_evidence[0] <
              r->log_evidence[0] + 1e-6);
        gram_machine_free(near);
    }
    gram_machine_free(m);
    gram_table_free(t);
}

/* ----------------------------------------------------------------- targets */

TEST(each_target_can_have_its_lambda)
{
    gram_table *t = machines_table(N, 2, 9);
    double *z = grams_random(N, 0, 10);
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)[x1,x2]"}, each = o;
    gram_machine *one, *other, *both;
    double *mean[2], *pair;

    for (int i = 0; i < N; i++)
        z[i] += machines_values(t, "x1")[i];
    CHECK_OK(gram_table_add_numbers(t, "z", z, 1));
    one = machines_fit(t, &o);
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_FEATURE));
    CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    other = machines_fit(t, &o);
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    each.per_target = 1;
    both = machines_fit(t, &each);
    mean[0] = machines_mean(one, t);
    mean[1] = machines_mean(other, t);
    pair = machines_mean(both, t);
    for (size_t k = 0; k < 2; k++) {
        const gram_report *r = gram_machine_report(k ? other : one);

        CHECK_NEAR(gram_machine_report(both)->lambda[k], r->lambda[0], 2e-3);
        CHECK_NEAR(gram_machine_report(both)->log_evidence[k],
                   r->log_evidence[0], 1e-3);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(pair[2 * i + k], mean[k][i], 1e-2);
    }
    CHECK(gram_machine_report(both)->lambda[0] !=
          gram_machine_report(both)->lambda[1]);
    free(z);
    free(mean[0]);
    free(mean[1]);
    free(pair);
    gram_machine_free(one);
    gram_machine_free(other);
    gram_machine_free(both);
    gram_table_free(t);
}

TEST(without_selection_start_values_are_taken_and_said)
{
    gram_table *t = machines_table(N, 2, 11);
    gram_fit_options o = {.kernel = "rbf", .select = GRAM_SELECT_NONE};
    gram_machine *m = machines_fit(t, &o);
    const gram_report *r = gram_machine_report(m);

    CHECK(r->lambda[0] == 1);
    CHECK_STR(r->criterion, "none");
    CHECK(isnan(r->criterion_value) && r->warning_count == 2);
    CHECK_STR(r->warnings[0], "the kernel's open numbers have start values, "
                              "they were not learned");
    CHECK_STR(r->warnings[1], "lambda = 1 is a start value, it was not "
                              "learned");
    gram_machine_free(m);
    gram_table_free(t);
}

/* -------------------------------------------------------------------- path */

TEST(the_path_agrees_with_fits)
{
    enum { COUNT = 5 };
    gram_table *t = machines_table(N, 2, 12);
    gram_fit_options o = {.kernel = "rbf(gamma=0.4)[x1,x2]"};
    const double lambda[COUNT] = {1e-3, 1e-2, 0.1, 1, 10};
    gram_path_row row[COUNT];
    size_t best[3];
    double least = INFINITY, most = -INFINITY;

    CHECK_OK(gram_machine_path(t, &o, lambda, COUNT, NULL, row, best));
    for (size_t k = 0; k < COUNT; k++) {
        char text[64];
        gram_machine *m;

        snprintf(text, sizeof text, "%.17g", lambda[k]);
        o.lambda = text;
        m = machines_fit(t, &o);
        CHECK(row[k].lambda == lambda[k]);
        CHECK_NEAR(row[k].log_evidence, gram_machine_report(m)->log_evidence[0],
                   1e-9);
        CHECK(k == 0 || row[k].df < row[k - 1].df);
        CHECK(row[k].loo > 0 && row[k].gcv > 0);
        least = fmin(least, row[k].loo);
        most = fmax(most, row[k].log_evidence);
        gram_machine_free(m);
    }
    CHECK(row[best[0]].loo == least && row[best[2]].log_evidence == most);
    gram_table_free(t);
}

TEST(a_path_has_a_grid_of_its_own)
{
    enum { COUNT = 12 };
    gram_table *t = machines_table(N, 2, 13);
    gram_path_row row[COUNT];
    size_t best[3];

    CHECK_OK(gram_machine_path(t, NULL, NULL, COUNT, NULL, row, best));
    for (size_t k = 1; k < COUNT; k++)
        CHECK(row[k].lambda > row[k - 1].lambda);
    CHECK(best[0] > 0 && best[0] < COUNT - 1);
    gram_table_free(t);
}

/* ---------------------------------------------------------------------- cv */

TEST(cv_is_fits_on_the_other_folds)
{
    gram_table *t = machines_table(N, 2, 14);
    gram_fit_options o[2] = {
        {.kernel = "rbf(gamma=0.4)[x1,x2]", .folds = {.folds = 4}},
        {.kernel = "linear"}};
    double error[8], squares = 0;
    gram_score total[2];
    size_t folds, rows[4] = {0};
    int fold[N];

    CHECK_OK(gram_machine_cv(t, o, 2, NULL, error, total));
    CHECK_OK(gram_table_folds(t, &o[0].folds, NULL, fold, &folds));
    for (int i = 0; i < N; i++)
        rows[fold[i]]++;
    for (int c = 0; c < 2; c++) {
        squares = 0;
        for (int j = 0; j < 4; j++) {
            double sum = left_out(t, &o[c], fold, j, NULL);

            CHECK_NEAR(error[4 * c + j], sum / (double)rows[j], 1e-10);
            squares += sum;
        }
        CHECK_NEAR(total[c].rmse, sqrt(squares / N), 1e-10);
        CHECK(total[c].n == N && isfinite(total[c].nlpd));
    }
    gram_table_free(t);
}

TESTS(NORMAL(leave_one_out_equals_refits),
      NORMAL(cross_validation_equals_refits),
      SMALL(groups_stay_together_without_asking),
      SMALL(random_tries_are_seeded_and_stand_in_for_a_large_grid),
      NORMAL(single_precision_finds_the_same_winner),
      SMALL(evidence_is_the_likelihood_of_contrasts),
      SMALL(evidence_of_one_row_is_a_normal_density),
      SMALL(evidence_finds_an_optimum), SMALL(each_target_can_have_its_lambda),
      SMALL(without_selection_start_values_are_taken_and_said),
      SMALL(the_path_agrees_with_fits), SMALL(a_path_has_a_grid_of_its_own),
      NORMAL(cv_is_fits_on_the_other_folds))
