/* test_task.c - are targets numbers or classes?  One rule, whoever asks.
 */
#include "check.h"

enum { N = 40, MANY = 150 };

/* n rows of a column x and a target y with `values` values. */
static gram_table *table_of(size_t n, size_t values, const char *name,
                            double step)
{
    gram_table *t = NULL;
    double *x = calloc(2 * n, sizeof *x);

    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i * 7 % n);
        x[n + i] = step * (double)(i % values);
    }
    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 1));
    CHECK_OK(gram_table_add_numbers(t, name, x + n, 1));
    CHECK_OK(gram_table_set_role(t, name, GRAM_ROLE_TARGET));
    free(x);
    return t;
}

/* What a fit says, and how many notes there are. */
static void says(gram_table *t, gram_fit_options o, const char *task,
                 const char *loss, size_t notes)
{
    gram_machine *m = NULL;
    const gram_report *r;

    o.kernel = "rbf(gamma=0.01)[x]";
    if (strcmp(task, "novelty") != 0)
        o.lambda = "1";
    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    r = gram_machine_report(m);
    CHECK_STR(r->task, task);
    CHECK_STR(r->loss, loss);
    CHECK(r->note_count == notes && r->warning_count == 0);
    CHECK(r->squared == (strcmp(loss, "squared") == 0));
    gram_machine_free(m);
}

TEST(two_values_are_classes_unless_something_is_said)
{
    gram_table *t = table_of(N, 2, "y", 0.5);

    says(t, (gram_fit_options){0}, "classification", "logistic", 1);
    says(t, (gram_fit_options){.task = GRAM_TASK_REGRESSION}, "regression",
         "squared", 0);
    says(t, (gram_fit_options){.loss = " squared "}, "regression", "squared",
         0);
    says(
        t,
        (gram_fit_options){.loss = "squared", .task = GRAM_TASK_CLASSIFICATION},
        "classification", "squared", 0);
    gram_table_free(t);
}

TEST(few_whole_numbers_are_numbers_with_a_note)
{
    gram_table *t = table_of(N, 5, "y", 1), *half = table_of(N, 5, "y", 0.5);
    gram_table *few = table_of(4, 2, "y", 1);

    says(t, (gram_fit_options){0}, "regression", "squared", 1);
    says(t, (gram_fit_options){.task = GRAM_TASK_CLASSIFICATION},
         "classification", "logistic", 0);
    says(half, (gram_fit_options){0}, "regression", "squared", 0);
    says(few, (gram_fit_options){0}, "regression", "squared", 0);
    gram_table_free(t);
    gram_table_free(half);
    gram_table_free(few);
}

TEST(labels_of_libsvm_files_are_classes)
{
    gram_table *t = table_of(N, 5, "label", 1);
    size_t start[N + 1];
    unsigned index[N];
    double entries[N];

    for (unsigned i = 0; i <= N; i++)
        start[i] = i;
    for (unsigned i = 0; i < N; i++) {
        index[i] = i % 3;
        entries[i] = 1;
    }
    CHECK_OK(gram_table_add_sparse(t, "features", 3, start, index, entries));
    says(t, (gram_fit_options){0}, "classification", "logistic", 0);
    gram_table_free(t);
}

TEST(a_type_that_was_given_is_a_promise)
{
    gram_read_options read = {.types = "label=number"};
    gram_table *t = NULL;
    gram_machine *m = NULL;
    gram_fit_options o = {.kernel = "linear", .lambda = "1"};

    CHECK_OK(gram_table_read("builtin:sparse", &read, NULL, &t));
    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    CHECK_STR(gram_machine_report(m)->task, "regression");
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(hundreds_of_numbers_are_no_classes)
{
    gram_table *t = table_of(2 * MANY, MANY, "y", 1);
    gram_fit_options o = {.loss = "hinge", .kernel = "linear", .lambda = "1"};
    gram_machine *m = NULL;

    CHECK_FAILS(gram_machine_fit(t, &o, NULL, &m), GRAM_ERR_RANGE,
                "target \"y\" has more than 100 different numbers, loss hinge "
                "is for classes: take a loss for numbers, as squared, or say "
                "that they are classes (--task classification)");
    o.task = GRAM_TASK_REGRESSION;
    CHECK_FAILS(gram_machine_fit(t, &o, NULL, &m), GRAM_ERR_RANGE,
                "task regression: loss hinge is for classes");
    o.task = (gram_task)7;
    CHECK_FAILS(gram_machine_fit(t, &o, NULL, &m), GRAM_ERR_RANGE,
                "task = 7, must be 0 to 2");
    gram_table_free(t);
}

/* A fold may see fewer values than there are: the task is that of all rows. */
TEST(folds_have_the_task_of_the_whole)
{
    gram_table *t = table_of(N, 2, "y", 1);
    gram_fit_options o = {.kernel = "rbf(gamma=0.01)[x]", .lambda = "1"};
    double error[5];
    gram_score s;

    o.folds.folds = 5;
    CHECK_OK(gram_machine_cv(t, &o, 1, NULL, error, &s));
    CHECK(isfinite(s.accuracy) && isnan(s.rmse));
    o.task = GRAM_TASK_REGRESSION;
    CHECK_OK(gram_machine_cv(t, &o, 1, NULL, error, &s));
    CHECK(isnan(s.accuracy) && isfinite(s.rmse) && s.squared);
    gram_table_free(t);
}

TEST(novelty_does_not_look_at_a_target)
{
    gram_table *t = table_of(N, 2, "y", 1);

    says(t, (gram_fit_options){.loss = "one_class(nu=0.2)"}, "novelty",
         "one_class(nu=0.2)", 0);
    gram_table_free(t);
}

TESTS(SMALL(two_values_are_classes_unless_something_is_said),
      SMALL(few_whole_numbers_are_numbers_with_a_note),
      SMALL(labels_of_libsvm_files_are_classes),
      SMALL(a_type_that_was_given_is_a_promise),
      SMALL(hundreds_of_numbers_are_no_classes),
      SMALL(folds_have_the_task_of_the_whole),
      SMALL(novelty_does_not_look_at_a_target))
