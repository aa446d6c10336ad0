/* test_complete.c - missing cells before machines: a machine keeps what it
 * learned from its training rows, so that a new row gets the same whatever
 * comes with it.
 */
#include "check.h"
#include "machines.h"
#include "temporary.h"

/* Numbers a, b with holes, a category c with holes, a target y. */
enum { N = 60, HOLE = 7 };

static gram_table *holes(size_t n, size_t first)
{
    gram_table *t = NULL;
    double *x = grams_random(3 * n, 0, 5 + first);
    const char **c = calloc(n, sizeof *c);

    for (size_t i = 0; i < n; i++) {
        x[2 * n + i] = sin(x[i]) + x[n + i];
        c[i] = i % 3 ? "red" : "blue";
    }
    for (size_t i = first; i + 3 < n; i += HOLE) {
        x[i] = NAN;
        x[n + i + 2] = NAN;
        c[i + 3] = NULL;
    }
    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, "a", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "b", x + n, 1));
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, c));
    CHECK_OK(gram_table_add_numbers(t, "y", x + 2 * n, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    free(x);
    free(c);
    return t;
}

static gram_machine *fit_with(const gram_table *t, gram_missing policy)
{
    gram_fit_options o = {.kernel = "rbf(gamma=0.5)",
                          .lambda = "0.1",
                          .scale = GRAM_KERNEL_SCALE_STANDARD,
                          .missing = policy};

    return machines_fit(t, &o);
}

/* The machine through a file. */
static gram_machine *reload(gram_machine *m)
{
    void *bytes = NULL;
    size_t length = 0;
    gram_machine *out = NULL;

    CHECK_OK(gram_machine_pack(m, NULL, &bytes, &length));
    CHECK_OK(gram_machine_unpack(bytes, length, NULL, &out));
    gram_memory_free(bytes);
    gram_machine_free(m);
    return out;
}

/* One row of t, as a table of its own. */
static gram_table *row_of(const gram_table *t, size_t i)
{
    gram_table *out = NULL;

    CHECK_OK(gram_table_new(1, &out));
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);
        const char *level =
            c.codes && c.codes[i] >= 0 ? c.levels[c.codes[i]] : NULL;

        if (c.values)
            CHECK_OK(gram_table_add_numbers(out, c.name, c.values + i, 1));
        else
            CHECK_OK(gram_table_add_strings(out, c.name, c.type, &level));
    }
    return out;
}

/* Filling the training table itself is the same as fitting with the policy. */
TEST(a_fit_fills_as_its_table_would_be)
{
    static const gram_missing policies[] = {
        GRAM_MISSING_MEAN, GRAM_MISSING_INDICATOR, GRAM_MISSING_DROP};

    for (size_t k = 0; k < 3; k++) {
        gram_table *t = holes(N, 1), *filled = holes(N, 1);
        gram_machine *a = fit_with(t, policies[k]), *b;
        double *mean[2];

        CHECK_OK(gram_table_fill_missing(filled, policies[k], NULL));
        b = fit_with(filled, GRAM_MISSING_AUTO);
        CHECK_STR(gram_machine_report(a)->kernel,
                  gram_machine_report(b)->kernel);
        mean[0] = machines_mean(a, filled);
        mean[1] = machines_mean(b, filled);
        assert_memory_equal(mean[0], mean[1],
                            gram_table_rows(filled) * sizeof *mean[0]);
        free(mean[0]);
        free(mean[1]);
        gram_machine_free(a);
        gram_machine_free(b);
        gram_table_free(t);
        gram_table_free(filled);
    }
}

TEST(a_rows_fill_does_not_depend_on_its_neighbours)
{
    static const gram_missing policies[] = {GRAM_MISSING_MEAN,
                                            GRAM_MISSING_INDICATOR};
    gram_table *t = holes(N, 1), *new = holes(20, 0);

    for (size_t k = 0; k < 2; k++) {
        gram_machine *m = reload(fit_with(t, policies[k]));
        double *all = machines_mean(m, new), one;

        CHECK(gram_machine_report(m)->missing == policies[k]);
        for (size_t i = 0; i < 20; i++) {
            gram_table *row = row_of(new, i);

            CHECK_OK(gram_machine_predict(m, row, NULL, NULL,
                                          &(gram_prediction){.mean = &one}));
            CHECK(isfinite(one));
            CHECK_NEAR(one, all[i], 1e-12);
            gram_table_free(row);
        }
        free(all);
        gram_machine_free(m);
    }
    gram_table_free(t);
    gram_table_free(new);
}

/* The value that stands for a hole is the training mean. */
TEST(means_are_those_of_the_training_rows)
{
    gram_table *t = holes(N, 1), *hole = row_of(t, 1), *full = row_of(t, 1);
    gram_machine *m = fit_with(t, GRAM_MISSING_MEAN);
    const double *a = machines_values(t, "a");
    double sum = 0, count = 0, mean[2];

    for (size_t i = 0; i < N; i++)
        if (!isnan(a[i])) {
            sum += a[i];
            count++;
        }
    ((double *)machines_values(full, "a"))[0] = sum / count;
    CHECK_OK(gram_machine_predict(m, hole, NULL, NULL,
                                  &(gram_prediction){.mean = &mean[0]}));
    CHECK_OK(gram_machine_predict(m, full, NULL, NULL,
                                  &(gram_prediction){.mean = &mean[1]}));
    CHECK_NEAR(mean[0], mean[1], 1e-12);
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(hole);
    gram_table_free(full);
}

TEST(rows_left_out_of_the_fit_have_empty_predictions)
{
    gram_table *t = holes(N, 1);
    gram_machine *m = reload(fit_with(t, GRAM_MISSING_DROP));
    double mean[N], std[N], lower[N], upper[N];
    size_t empty = 0, kept = gram_machine_report(m)->n;
    gram_score s;

    CHECK_OK(gram_machine_predict(
        m, t, NULL, NULL,
        &(gram_prediction){
            .mean = mean, .std = std, .lower = lower, .upper = upper}));
    for (size_t i = 0; i < N; i++) {
        empty += isnan(mean[i]) ? 1 : 0;
        CHECK(isnan(mean[i]) == isnan(std[i]) &&
              isnan(mean[i]) == isnan(lower[i]) &&
              isnan(mean[i]) == isnan(upper[i]));
    }
    CHECK(kept < N && empty == N - kept);
    CHECK_OK(gram_machine_score(m, t, NULL, NULL, &s));
    CHECK(s.n == kept && isfinite(s.rmse));
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(a_policy_can_be_asked_for_at_predict)
{
    gram_table *t = holes(N, 1), *whole = holes(N, N);
    gram_machine *m = reload(fit_with(whole, GRAM_MISSING_AUTO));
    gram_predict_options o = {0};
    double mean[N];
    gram_prediction p = {.mean = mean};

    CHECK_FAILS(gram_machine_predict(m, t, &o, NULL, &p), GRAM_ERR_RANGE,
                "row 2, column \"a\": the cell is missing (--missing drop, "
                "mean or indicator says what to do)");
    o.missing = GRAM_MISSING_MEAN;
    CHECK_OK(gram_machine_predict(m, t, &o, NULL, &p));
    for (size_t i = 0; i < N; i++)
        CHECK(isfinite(mean[i]));
    o.missing = GRAM_MISSING_DROP;
    CHECK_OK(gram_machine_predict(m, t, &o, NULL, &p));
    CHECK(isnan(mean[1]) && isfinite(mean[0]));
    o.missing = (gram_missing)9;
    CHECK_FAILS(gram_machine_predict(m, t, &o, NULL, &p), GRAM_ERR_RANGE,
                "missing = 9, must be 0 to 5");
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(whole);
}

TEST(columns_the_kernel_does_not_look_at_may_have_holes)
{
    gram_table *t = holes(N, 1);
    double x[N], mean[N];
    gram_fit_options o = {.kernel = "rbf(gamma=1)[x]", .lambda = "0.1"};
    gram_machine *m;

    for (size_t i = 0; i < N; i++)
        x[i] = (double)i;
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    m = machines_fit(t, &o);
    CHECK_OK(gram_machine_predict(m, t, NULL, NULL,
                                  &(gram_prediction){.mean = mean}));
    gram_machine_free(m);
    o.missing = GRAM_MISSING_REFUSE;
    CHECK_FAILS(gram_machine_fit(t, &o, NULL, &m), GRAM_ERR_RANGE,
                "row 2, column \"a\": the cell is missing (--missing drop, "
                "mean or indicator says what to do)");
    gram_table_free(t);
}

/* Rows that come by an update are filled with the means of before. */
TEST(an_update_fills_as_the_fit_did)
{
    gram_table *t = holes(N, 1), *new = holes(20, 0), *filled = holes(20, 0);
    gram_machine *m = fit_with(t, GRAM_MISSING_INDICATOR), *a = NULL, *b = NULL;
    double *mean[2];

    CHECK_OK(gram_machine_fill(m, filled, GRAM_MISSING_AUTO, NULL));
    CHECK_OK(gram_machine_update(m, new, NULL, NULL, &a));
    CHECK_OK(gram_machine_update(m, filled, NULL, NULL, &b));
    a = reload(a);
    CHECK(gram_machine_report(a)->n == N + 20);
    mean[0] = machines_mean(a, new);
    mean[1] = machines_mean(b, filled);
    for (size_t i = 0; i < 20; i++)
        CHECK_NEAR(mean[0][i], mean[1][i], 1e-12);
    free(mean[0]);
    free(mean[1]);
    gram_machine_free(m);
    gram_machine_free(a);
    gram_machine_free(b);
    gram_table_free(t);
    gram_table_free(new);
    gram_table_free(filled);
}

/* ------------------------------------------------------------------- types */

TEST(a_file_is_read_with_the_types_of_the_fit)
{
    const char *train =
        temporary_text("train.csv", "code,y\n01,1.5\n02,2.5\n01,1.75\n"
                                    "02,2.25\n");
    const char *later = temporary_text("later.csv", "code,y\n2,0\n1,0\n");
    gram_read_options read = {.types = "code=category"};
    gram_fit_options o = {.kernel = "delta[code]", .lambda = "0.5"};
    gram_table *t = NULL, *new = NULL;
    gram_machine *m;

    CHECK_OK(gram_table_read(train, &read, NULL, &t));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    m = reload(machines_fit(t, &o));
    CHECK_OK(gram_table_read_for(m, later, NULL, NULL, &new));
    CHECK(gram_table_column(new, 0).type == GRAM_TYPE_CATEGORY);
    gram_table_free(new);
    read.types = "code=number"; /* what is said goes before */
    CHECK_OK(gram_table_read_for(m, later, &read, NULL, &new));
    CHECK(gram_table_column(new, 0).type == GRAM_TYPE_NUMBER);
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(new);
}

TESTS(SMALL(a_fit_fills_as_its_table_would_be),
      SMALL(a_rows_fill_does_not_depend_on_its_neighbours),
      SMALL(means_are_those_of_the_training_rows),
      SMALL(rows_left_out_of_the_fit_have_empty_predictions),
      SMALL(a_policy_can_be_asked_for_at_predict),
      SMALL(columns_the_kernel_does_not_look_at_may_have_holes),
      SMALL(an_update_fills_as_the_fit_did),
      SMALL(a_file_is_read_with_the_types_of_the_fit))
