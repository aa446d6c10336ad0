/* test_models_kept.c - model files of before load for ever.
 *
 * tests/models has files as gram 0.1.0 wrote them, before they had anything
 * behind the warnings.  What they predict was written down then: the first
 * decision value, the mean of all, the mean of the squares.
 */
#include "check.h"

static const struct {
    const char *name, *data;
    gram_missing missing;
    double first, mean, squares;
} kept[] = {
    {"dual", "builtin:sinc", GRAM_MISSING_AUTO, 0.16401097971756098,
     0.16018399999999616, 0.14071247179155114},
    {"factor", "builtin:sinc", GRAM_MISSING_AUTO, 0.17630176965148783,
     0.16018399999999994, 0.14061916450643003},
    {"primal", "builtin:iris", GRAM_MISSING_AUTO, 0.95361934359700773,
     -0.33333333333333359, 0.63539755193962755},
    {"markov", "builtin:sinc", GRAM_MISSING_AUTO, 0.25459492523787336,
     0.16018399999999969, 0.14275228886212776},
    {"mixed", "builtin:mixed", GRAM_MISSING_DROP, 1235.4269820157272,
     1058.39483394834, 1308283.2433024375},
    {"hinge", "builtin:iris", GRAM_MISSING_AUTO, -1.1962136909455763,
     0.15332185342167476, 1.2816078331474139},
    {"logistic", "builtin:moons", GRAM_MISSING_AUTO, 4.5407287004441121,
     0.014536328015784467, 14.096504971722787},
    {"softmax", "builtin:iris", GRAM_MISSING_AUTO, 3.5380198416083948,
     -7.1350333049243395e-16, 4.6572678623940256},
    {"quantile", "builtin:sinc", GRAM_MISSING_AUTO, -0.0052281298733039411,
     0.15941533612036002, 0.1584792502031418},
    {"novelty", "builtin:sinc", GRAM_MISSING_AUTO, 0.0063165459710550209,
     0.01261340134149434, 0.0024845625561686138},
    {"sparse", "builtin:sparse", GRAM_MISSING_AUTO, -1.0292315626583475,
     0.0038159601833112921, 1.013300168616613},
};

static gram_machine *load(const char *name)
{
    const char *root = getenv("root");
    gram_machine *m = NULL;
    char path[1024];

    snprintf(path, sizeof path, "%s/tests/models/%s.gram%s", root ? root : ".",
             name, strcmp(name, "factor") ? "" : ".gz");
    CHECK_OK(gram_machine_load(path, NULL, &m));
    return m;
}

TEST(files_of_before_predict_what_they_did)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        gram_read_options read = {.missing = kept[i].missing};
        gram_machine *m = load(kept[i].name);
        const gram_report *r = gram_machine_report(m);
        gram_table *t = NULL;
        double mean = 0, squares = 0, *f;
        size_t n;

        CHECK_OK(gram_table_read(kept[i].data, &read, NULL, &t));
        n = gram_table_rows(t) * r->outputs;
        f = calloc(n, sizeof *f);
        CHECK_OK(gram_machine_predict(m, t, NULL, NULL,
                                      &(gram_prediction){.mean = f}));
        for (size_t k = 0; k < n; k++) {
            mean += f[k] / (double)n;
            squares += f[k] * f[k] / (double)n;
        }
        CHECK_NEAR(f[0], kept[i].first, 1e-9);
        CHECK_NEAR(mean, kept[i].mean, 1e-9);
        CHECK_NEAR(squares, kept[i].squares, 1e-9);
        CHECK(r->missing == GRAM_MISSING_AUTO);
        free(f);
        gram_machine_free(m);
        gram_table_free(t);
    }
}

/* Numbers that were text in version 1 are beside the structure in version 2. */
TEST(files_of_before_are_the_same_machine_when_written_anew)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        gram_machine *m = load(kept[i].name), *again = NULL;
        const gram_table *t = gram_machine_table(m);
        size_t n = gram_table_rows(t) * gram_machine_report(m)->outputs;
        double *f = calloc(n, sizeof *f), *g = calloc(n, sizeof *g);
        size_t length = 0;
        void *bytes = NULL;

        CHECK_OK(gram_machine_pack(m, NULL, &bytes, &length));
        CHECK(length > 8 && ((const unsigned char *)bytes)[8] == 2);
        CHECK_OK(gram_machine_unpack(bytes, length, NULL, &again));
        CHECK_STR(gram_machine_report(again)->kernel,
                  gram_machine_report(m)->kernel);
        CHECK_OK(gram_machine_predict(m, t, NULL, NULL,
                                      &(gram_prediction){.mean = f}));
        CHECK_OK(gram_machine_predict(again, t, NULL, NULL,
                                      &(gram_prediction){.mean = g}));
        CHECK(memcmp(f, g, n * sizeof *f) == 0);
        gram_memory_free(bytes);
        gram_machine_free(again);
        gram_machine_free(m);
        free(f);
        free(g);
    }
}

TESTS(NORMAL(files_of_before_predict_what_they_did),
      NORMAL(files_of_before_are_the_same_machine_when_written_anew))
