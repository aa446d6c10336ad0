/* test_progress.c - the progress that long calls report: it never goes
 * back, it ends at 1 and not long before the call does, and it moves in many
 * small steps.  Ticks are counted, not seconds: they come every few tiles, so
 * that many of them at one place are work that was not reported.
 */
#include "check.h"

#include "base/rng.h"

enum { ROWS = 700, COLS = 3, STAGES = 8, TICKS = 1 << 20 };

typedef struct story {
    double *done;
    size_t ticks;
    const char *stage[STAGES];
    size_t stages;
} story;

static int note(void *user, double done)
{
    story *s = user;

    if (s->ticks < TICKS)
        s->done[s->ticks++] = done;
    return 0;
}

static void enter(void *user, const char *name)
{
    story *s = user;

    CHECK(s->stages < STAGES);
    s->stage[s->stages++] = name;
}

/* One thread, so that ticks do not depend on how many there are. */
static gram_exec listen(story *s)
{
    *s = (story){.done = malloc(TICKS * sizeof *s->done)};
    CHECK(s->done);
    return (gram_exec){
        .threads = 1, .progress = note, .user = s, .stage = enter};
}

/* `stages` are names with blanks between them; of all ticks at most `stuck`
 * percent are at one place. */
static void check_story(story *s, const char *stages, size_t stuck)
{
    char names[128] = "";
    size_t here = 0, most = 0;

    for (size_t i = 0; i < s->stages; i++) {
        strcat(names, i ? " " : "");
        strcat(names, s->stage[i]);
    }
    CHECK_STR(names, stages);
    CHECK(s->ticks > 0 && s->ticks < TICKS);
    CHECK(s->done[0] >= 0 && s->done[s->ticks - 1] == 1);
    for (size_t i = 1; i < s->ticks; i++) {
        CHECK(s->done[i] >= s->done[i - 1] && s->done[i] <= 1);
        here = s->done[i] == s->done[i - 1] ? here + 1 : 0;
        most = here > most ? here : most;
    }
    if (100 * most > stuck * s->ticks + 1000)
        fail_msg("%zu of %zu ticks at one place", most, s->ticks);
    free(s->done);
}

/* Numbers x, y = sin(2 x_0) and noise; or a class, whether that is above 0. */
static gram_table *some_rows(int classes)
{
    gi_rng rng = gi_rng_new(3, 0);
    double *x = malloc(ROWS * (COLS + 1) * sizeof *x);
    const char **label = malloc(ROWS * sizeof *label);
    gram_table *t = NULL;

    CHECK(x && label);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j <= COLS; j++)
            x[i * (COLS + 1) + j] = gi_rng_normal(&rng);
        x[i * (COLS + 1) + COLS] =
            sin(2 * x[i * (COLS + 1)]) + 0.2 * x[i * (COLS + 1) + COLS];
        label[i] = x[i * (COLS + 1) + COLS] > 0 ? "b" : "a";
    }
    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_matrix(t, x, COLS, COLS + 1, 1));
    if (classes)
        CHECK_OK(gram_table_add_strings(t, "y", GRAM_TYPE_CATEGORY, label));
    else
        CHECK_OK(gram_table_add_numbers(t, "y", x + COLS, COLS + 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    free(x);
    free(label);
    return t;
}

TEST(of_fits_whose_numbers_are_given)
{
    static const struct {
        const char *loss, *solver;
        int classes;
    } cases[] = {{NULL, "dual", 0},     {NULL, "cg", 0},
                 {NULL, "gd", 0},       {"hinge", NULL, 1},
                 {"logistic", NULL, 1}, {"epsilon_insensitive", NULL, 0},
                 {"quantile", NULL, 0}, {"huber", NULL, 0}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gram_table *t = some_rows(cases[c].classes);
        const gram_fit_options o = {.kernel = "rbf(gamma=0.3)",
                                    .lambda = "0.5",
                                    .loss = cases[c].loss,
                                    .solver = cases[c].solver,
                                    .steps = cases[c].solver ? 200 : 0};
        gram_machine *m = NULL;
        story s;
        gram_exec exec = listen(&s);

        CHECK_OK(gram_machine_fit(t, &o, &exec, &m));
        check_story(&s, "fitting", 50);
        gram_machine_free(m);
        gram_table_free(t);
    }
}

TEST(of_fits_that_choose)
{
    static const struct {
        const char *kernel, *loss;
        gram_select select;
        int classes;
    } cases[] = {{"rbf", NULL, GRAM_SELECT_EVIDENCE, 0},
                 {"rbf(gamma=0.3)", NULL, GRAM_SELECT_LOO, 0},
                 {"rbf(gamma=0.3)", NULL, GRAM_SELECT_CV, 0},
                 {"rbf(gamma=0.3)", "hinge", GRAM_SELECT_CV, 1},
                 {"rbf(gamma=0.3)", "logistic", GRAM_SELECT_CV, 1},
                 {"rbf", "logistic", GRAM_SELECT_EVIDENCE, 1}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gram_table *t = some_rows(cases[c].classes);
        const gram_fit_options o = {.kernel = cases[c].kernel,
                                    .loss = cases[c].loss,
                                    .select = cases[c].select};
        gram_machine *m = NULL;
        story s;
        gram_exec exec = listen(&s);

        CHECK_OK(gram_machine_fit(t, &o, &exec, &m));
        check_story(&s, "choosing fitting", 40);
        gram_machine_free(m);
        gram_table_free(t);
    }
}

TEST(of_deviations_and_model_files)
{
    static const char name[] = "progress.gram";
    gram_table *t = some_rows(0);
    const gram_fit_options o = {
        .kernel = "rbf(gamma=0.3)", .lambda = "0.5", .keep_factor = 1};
    double mean[ROWS], std[ROWS];
    const gram_prediction out = {.mean = mean, .std = std};
    gram_machine *m = NULL, *again = NULL;
    story s;
    gram_exec exec = listen(&s);

    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    CHECK_OK(gram_machine_predict(m, t, NULL, &exec, &out));
    check_story(&s, "", 50);
    exec = listen(&s);
    CHECK_OK(gram_machine_save(m, name, &exec));
    CHECK(s.ticks > 10);
    check_story(&s, "writing", 10);
    exec = listen(&s);
    CHECK_OK(gram_machine_load(name, &exec, &again));
    CHECK(s.ticks > 10);
    check_story(&s, "reading", 10);
    remove(name);
    gram_machine_free(again);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(of_a_test_and_of_tables)
{
    static const char name[] = "progress.csv";
    const gram_test_options exact = {.exact = 1, .permutations = 400};
    gram_table *t = some_rows(0), *again = NULL;
    gram_test *test = NULL;
    story s;
    gram_exec exec = listen(&s);

    CHECK_OK(gram_test_samples(t, t, &exact, &exec, &test));
    check_story(&s, "", 50);
    exec = listen(&s);
    CHECK_OK(gram_table_write(t, name, NULL, &exec));
    check_story(&s, "writing", 50);
    exec = listen(&s);
    CHECK_OK(gram_table_read(name, NULL, &exec, &again));
    check_story(&s, "reading", 50);
    remove(name);
    gram_test_free(test);
    gram_table_free(again);
    gram_table_free(t);
}

TESTS(NORMAL(of_fits_whose_numbers_are_given), NORMAL(of_fits_that_choose),
      NORMAL(of_deviations_and_model_files), NORMAL(of_a_test_and_of_tables))
