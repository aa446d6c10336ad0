/* test_choices.c - a choice that does not exist is refused in every option
 * struct and argument, by name and with those that do.
 */
#include "check.h"

static const int wrong[] = {-7, 77};
enum { WRONG = sizeof wrong / sizeof *wrong };

static gram_table *some_rows(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(6, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", x, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    return t;
}

/* The last call was refused with "NAME = X, must be LEAST to MOST". */
static void check_refused(gram_status status, const char *name, int x,
                          int least, int most)
{
    char sentence[128];

    snprintf(sentence, sizeof sentence, "%s = %d, must be %d to %d", name, x,
             least, most);
    CHECK_FAILS(status, GRAM_ERR_RANGE, sentence);
}

TEST(of_a_fit)
{
    gram_table *t = some_rows();
    gram_machine *m = NULL;

    for (int i = 0; i < WRONG; i++) {
        int x = wrong[i];
        const struct {
            const char *name;
            int most;
            gram_fit_options o;
        } cases[] = {
            {"classes", 2, {.classes = (gram_classes)x}},
            {"select", 5, {.select = (gram_select)x}},
            {"scale", 3, {.scale = (gram_kernel_scale)x}},
            {"precision", 2, {.precision = x}},
        };

        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            check_refused(gram_machine_fit(t, &cases[c].o, NULL, &m),
                          cases[c].name, x, 0, cases[c].most);
    }
    CHECK_FAILS(gram_machine_fit(t, &(gram_fit_options){.folds = {.folds = 1}},
                                 NULL, &m),
                GRAM_ERR_RANGE, "folds = 1, must be at least 2");
    gram_table_free(t);
}

TEST(of_a_test)
{
    gram_table *t = some_rows();
    gram_test *out = NULL;

    for (int i = 0; i < WRONG; i++) {
        int x = wrong[i];
        const struct {
            const char *name;
            int most;
            gram_test_options o;
        } cases[] = {
            {"scale", 3, {.scale = (gram_kernel_scale)x}},
            {"statistic", 3, {.statistic = (gram_test_statistic)x}},
            {"method", 3, {.method = (gram_test_method)x}},
            {"precision", 2, {.precision = x}},
        };

        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            check_refused(gram_test_samples(t, t, &cases[c].o, NULL, &out),
                          cases[c].name, x, 0, cases[c].most);
    }
    gram_table_free(t);
}

TEST(of_a_prediction)
{
    gram_table *t = some_rows();
    gram_machine *m = NULL;
    double mean[6];
    const gram_prediction out = {.mean = mean};

    CHECK_OK(gram_machine_fit(
        t, &(gram_fit_options){.kernel = "linear", .lambda = "1"}, NULL, &m));
    for (int i = 0; i < WRONG; i++) {
        const gram_predict_options o = {.method = (gram_interval)wrong[i]};

        check_refused(gram_machine_predict(m, t, &o, NULL, &out), "method",
                      wrong[i], 0, 1);
    }
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(of_reading)
{
    gram_table *t = NULL;

    for (int i = 0; i < WRONG; i++) {
        int x = wrong[i];
        const gram_read_options header = {.header = x};
        const gram_read_options missing = {.missing = (gram_missing)x};

        check_refused(gram_table_read("builtin:iris", &header, NULL, &t),
                      "header", x, -1, 1);
        check_refused(gram_table_read("builtin:iris", &missing, NULL, &t),
                      "missing", x, 0, GRAM_MISSING_INDICATOR);
    }
}

TEST(of_an_argument)
{
    gram_table *t = some_rows();
    gram_scaler *scaler = NULL;
    size_t row;
    double distance;

    for (int i = 0; i < WRONG; i++) {
        int x = wrong[i];

        check_refused(gram_table_set_role(t, "x", (gram_role)x), "role", x, 0,
                      4);
        check_refused(gram_table_fill_missing(t, (gram_missing)x, NULL),
                      "policy", x, 0, GRAM_MISSING_INDICATOR);
        check_refused(gram_scaler_new(t, (gram_scale)x, NULL, &scaler), "scale",
                      x, 0, 2);
        check_refused(gram_herd(t, "rbf(gamma=1)", (gram_kernel_scale)x, 1,
                                NULL, &row, &distance),
                      "scale", x, 0, 3);
    }
    gram_table_free(t);
}

TESTS(SMALL(of_a_fit), SMALL(of_a_test), SMALL(of_a_prediction),
      SMALL(of_reading), SMALL(of_an_argument))
