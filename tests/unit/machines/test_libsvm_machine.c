/* test_libsvm_machine.c - machines from LIBSVM's models and back: values are
 * those of LIBSVM's formula, a model written back is the text that was read,
 * and what LIBSVM does not have is refused with a reason.
 */
#include "check.h"
#include "temporary.h"

/* Three classes, five support vectors, all that a header may have. */
#define MODEL(kernel, parameters)                                              \
    "svm_type c_svc\nkernel_type " kernel "\n" parameters                      \
    "nr_class 3\ntotal_sv 5\nrho 0.5 -0.25 0.125\nlabel 7 -1 3\n"              \
    "probA -2 -1.5 -3\nprobB 0.5 0 -0.25\nnr_sv 2 1 2\nSV\n"                   \
    "1 0.5 1:0.5 2:1 \n0.25 0 3:-1.5 \n-1.25 0.75 1:-1 4:2 \n"                 \
    "-0.5 0 2:-0.75 \n0 -0.75 1:0.25 2:0.5 3:1 \n"

static const char *const models[] = {
    MODEL("linear", ""),
    MODEL("polynomial", "degree 2\ngamma 0.5\ncoef0 1\n"),
    MODEL("polynomial", "degree 3\ngamma 0.5\ncoef0 -1\n"),
    MODEL("rbf", "gamma 0.25\n"),
    MODEL("sigmoid", "gamma 0.5\ncoef0 -0.25\n"),
};

enum { MODELS = sizeof models / sizeof *models, D = 4, N = 6, SV = 5 };

static const double vectors[SV][D] = {{0.5, 1, 0, 0},
                                      {0, 0, -1.5, 0},
                                      {-1, 0, 0, 2},
                                      {0, -0.75, 0, 0},
                                      {0.25, 0.5, 1, 0}};
/* of the functions 7 -1, 7 3 and -1 3 */
static const double coef[SV][3] = {
    {1, 0.5, 0}, {0.25, 0, 0}, {-1.25, 0, 0.75}, {0, -0.5, 0}, {0, 0, -0.75}};
static const double rho[3] = {0.5, -0.25, 0.125};

static double kernel(size_t model, const double *x, const double *t)
{
    double dot = 0, distance = 0;

    for (size_t j = 0; j < D; j++) {
        dot += x[j] * t[j];
        distance += (x[j] - t[j]) * (x[j] - t[j]);
    }
    const double values[] = {dot, pow(0.5 * dot + 1, 2), pow(0.5 * dot - 1, 3),
                             exp(-0.25 * distance), tanh(0.5 * dot - 0.25)};
    return values[model];
}

static const char *write_text(const char *name, const char *text)
{
    const char *path = temporary_path(name);
    FILE *out = fopen(path, "w");

    CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0);
    return path;
}

static gram_machine *load(const char *text)
{
    gram_machine *m = NULL;

    CHECK_OK(gram_machine_load(write_text("t.model", text), NULL, &m));
    return m;
}

/* N rows of D numbers as LIBSVM's data are read. */
static gram_table *make_table(double x[N][D])
{
    static const unsigned index[N * D] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,
                                          0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    static const size_t start[N + 1] = {0, 4, 8, 12, 16, 20, 24};
    gram_table *t = NULL;

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            x[i][j] = sin(1 + 3.0 * (double)i + 1.7 * (double)j);
    CHECK_OK(gram_table_new(N, &t));
    CHECK_OK(gram_table_add_sparse(t, "features", D, start, index, &x[0][0]));
    return t;
}

TEST(values_are_those_of_libsvm_s_formula)
{
    double x[N][D], f[N][3];
    int label[N];
    gram_table *t = make_table(x);

    for (size_t k = 0; k < MODELS; k++) {
        gram_machine *m = load(models[k]);
        const gram_report *r = gram_machine_report(m);
        gram_prediction p = {.mean = &f[0][0], .label = label};

        CHECK(r->classes == 3 && r->probabilities && r->outputs == 3);
        CHECK_STR(r->class_name[0], "-1");
        CHECK(r->class_order[0] == 1 && r->class_order[2] == 0);
        CHECK_OK(gram_machine_predict(m, t, &(gram_predict_options){.votes = 1},
                                      NULL, &p));
        for (size_t i = 0; i < N; i++) {
            double g[3] = {-rho[0], -rho[1], -rho[2]};
            int votes[3] = {0, 0, 0}, best = 0; /* of 7, -1, 3 */
            static const int sorted[3] = {2, 0, 1};

            for (size_t s = 0; s < SV; s++)
                for (size_t q = 0; q < 3; q++)
                    g[q] += coef[s][q] * kernel(k, x[i], vectors[s]);
            /* sorted: -1 3, -1 7, 3 7, positive for the second */
            CHECK_NEAR(f[i][0], -g[2], 1e-12);
            CHECK_NEAR(f[i][1], g[0], 1e-12);
            CHECK_NEAR(f[i][2], g[1], 1e-12);
            votes[g[0] > 0 ? 0 : 1]++;
            votes[g[1] > 0 ? 0 : 2]++;
            votes[g[2] > 0 ? 1 : 2]++;
            for (int c = 1; c < 3; c++)
                if (votes[c] > votes[best])
                    best = c;
            CHECK(label[i] == sorted[best]);
        }
        gram_machine_free(m);
    }
    gram_table_free(t);
}

static char *save(const gram_machine *m, const gram_libsvm_options *o)
{
    static char text[4096];
    const char *path = temporary_path("again.model");
    FILE *in;
    size_t n;

    CHECK_OK(gram_machine_save_libsvm(m, path, o, NULL));
    in = fopen(path, "r");
    CHECK(in != NULL);
    n = fread(text, 1, sizeof text - 1, in);
    text[n] = '\0';
    fclose(in);
    return text;
}

TEST(a_model_written_back_is_the_text_that_was_read)
{
    for (size_t k = 0; k < MODELS; k++) {
        gram_machine *m = load(models[k]), *again = NULL;
        const char *path = temporary_path("m.gram");

        CHECK_STR(save(m, NULL), models[k]);
        CHECK_OK(gram_machine_save(m, path, NULL));
        CHECK_OK(gram_machine_load(path, NULL, &again));
        CHECK_STR(save(again, NULL), models[k]);
        gram_machine_free(m);
        gram_machine_free(again);
    }
}

TEST(regression_and_novelty_are_written_back_too)
{
    static const char *const texts[] = {
        "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 2\n"
        "rho -0.5\nprobA 0.125\nSV\n1 2:3.5 7:-1 \n-1 1:2 \n",
        "svm_type one_class\nkernel_type rbf\ngamma 0.5\nnr_class 2\n"
        "total_sv 1\nrho 0.25\nSV\n0.5 1:1 \n",
    };

    for (size_t i = 0; i < 2; i++) {
        gram_machine *m = load(texts[i]);

        CHECK_STR(save(m, NULL), texts[i]);
        gram_machine_free(m);
    }
}

/* In another order of classes functions change places and signs. */
TEST(the_order_of_classes_can_be_chosen)
{
    static const char *const order[] = {"3", "7", "-1"};
    static const char *const wrong[] = {"3", "7", "7"};
    gram_machine *m = load(models[0]);
    char *text = save(m, &(gram_libsvm_options){.order = order});

    CHECK(strstr(text, "\nrho 0.25 -0.125 0.5\nlabel 3 7 -1\n") != NULL);
    CHECK(strstr(text, "\nprobA -1.5 -3 -2\nprobB 0 0.25 0.5\n") != NULL);
    CHECK(strstr(text, "\nnr_sv 2 2 1\nSV\n0.5 0 2:-0.75 \n") != NULL);
    CHECK_FAILS(gram_machine_save_libsvm(m, temporary_path("w"),
                                         &(gram_libsvm_options){.order = wrong},
                                         NULL),
                GRAM_ERR_NAME, "class \"-1\" is not in the order of classes");
    gram_machine_free(m);
}

/* A precomputed model looks at entries of the rows of new matrices. */
TEST(precomputed_models_pick_entries_of_rows)
{
    double x[N][D], f[N];
    gram_table *t = make_table(x);
    gram_machine *m = load(
        "svm_type nu_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\n"
        "rho 1\nSV\n2 0:4 \n-1 0:1 \n");

    CHECK_OK(
        gram_machine_predict(m, t, NULL, NULL, &(gram_prediction){.mean = f}));
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(f[i], 2 * x[i][3] - x[i][0] - 1, 1e-14);
    gram_machine_free(m);
    gram_table_free(t);
}

/* Fit with a kernel and a loss, and see why LIBSVM has no such model. */
static void check_refused(const char *kernel_text, const char *loss,
                          const char *column, gram_status code,
                          const char *sentence)
{
    const double a[] = {0, 1, 2, 3, 4, 5}, y[] = {0, 0, 1, 0, 1, 1};
    const char *const words[] = {"a", "b", "a", "b", "a", "b"};
    gram_fit_options o = {.kernel = kernel_text,
                          .loss = loss,
                          .lambda = "0.5",
                          .select = GRAM_SELECT_NONE,
                          .scale = GRAM_KERNEL_SCALE_NONE};
    gram_table *t = NULL;
    gram_machine *m = NULL;

    CHECK_OK(gram_table_new(6, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", a, 1));
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, words));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, column, GRAM_ROLE_TARGET));
    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    CHECK_FAILS(gram_machine_save_libsvm(m, temporary_path("w"), NULL, NULL),
                code, sentence);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(what_libsvm_does_not_have_is_refused)
{
    check_refused("rbf(gamma=1)[x]", "logistic", "y", GRAM_ERR_RANGE,
                  "a model with loss logistic: LIBSVM has hinge (one against "
                  "one), epsilon_insensitive and one_class");
    check_refused("laplace(gamma=1)[x]", "hinge", "y", GRAM_ERR_RANGE,
                  "kernel laplace(gamma=1)[x]: LIBSVM has linear, poly, rbf, "
                  "sigmoid and precomputed, without scaling");
    check_refused("rbf(gamma=1)", "hinge", "y", GRAM_ERR_SHAPE,
                  "column \"c\" is a category column: LIBSVM's models have "
                  "numbers");
    check_refused("rbf(gamma=1)[x]", "hinge", "c", GRAM_ERR_RANGE,
                  "class \"a\": LIBSVM's classes are whole numbers");
}

TEST(models_that_gram_cannot_have_are_refused)
{
    gram_machine *m = NULL;
    const char *path =
        write_text("one.model", "svm_type c_svc\nkernel_type linear\n"
                                "nr_class 1\ntotal_sv 0\nrho\nlabel 7\n"
                                "nr_sv 0\nSV\n");
    char sentence[700];

    snprintf(sentence, sizeof sentence,
             "%s: a model of one class, there must be two at least", path);
    CHECK_FAILS(gram_machine_load(path, NULL, &m), GRAM_ERR_RANGE, sentence);
    CHECK(m == NULL);
}

TESTS(SMALL(values_are_those_of_libsvm_s_formula),
      SMALL(a_model_written_back_is_the_text_that_was_read),
      SMALL(regression_and_novelty_are_written_back_too),
      SMALL(the_order_of_classes_can_be_chosen),
      SMALL(precomputed_models_pick_entries_of_rows),
      SMALL(what_libsvm_does_not_have_is_refused),
      SMALL(models_that_gram_cannot_have_are_refused))
