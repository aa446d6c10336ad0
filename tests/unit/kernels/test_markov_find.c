/* test_markov_find.c - which kernels are found to be Markov, and that the
 * numbers found give the kernel's values.
 */
#include "check.h"
#include "grams.h"

#include "kernels/engine/engine.h"
#include "kernels/program/markov_find.h"
#include "kernels/program/points.h"

enum { ROWS = 12 };

/* Numbers a, b >= 0, a category of one level, one of two. */
static gram_table *table_of(void)
{
    const char *one[ROWS], *two[ROWS];
    gram_table *t = grams_random_table(ROWS, 2, 1, 5, "a b");

    for (size_t i = 0; i < ROWS; i++) {
        one[i] = "x";
        two[i] = i % 2 ? "y" : "z";
    }
    CHECK_OK(gram_table_add_strings(t, "one", GRAM_TYPE_CATEGORY, one));
    CHECK_OK(gram_table_add_strings(t, "two", GRAM_TYPE_CATEGORY, two));
    CHECK_OK(gram_table_add_sparse(t, "words", 1, (size_t[ROWS + 1]){0}, NULL,
                                   NULL));
    return t;
}

static double value_of(const gi_markov *m, double s, double t)
{
    double r = m->rate * fabs(s - t);

    switch (m->family) {
    case GRAM_MARKOV_NONE:
        return NAN;
    case GRAM_MARKOV_MIN:
        return m->amplitude * fmin(s, t);
    case GRAM_MARKOV_EXPONENTIAL:
        return m->amplitude * exp(-r);
    case GRAM_MARKOV_MATERN32:
        return m->amplitude * (1 + r) * exp(-r);
    case GRAM_MARKOV_MATERN52:
        return m->amplitude * (1 + r + r * r / 3) * exp(-r);
    }
    return NAN;
}

/* It is found, and the numbers that theta (0.7 for what is open) gives make
 * the matrix. */
static void check_found(const char *text)
{
    GI_RUN(run, NULL);
    gram_table *t = table_of();
    gram_kernel *k = grams_kernel(text);
    gram_program *p = NULL;
    gi_points *x = NULL;
    double K[ROWS * ROWS], theta[8];
    gi_markov m = {0};
    const double *s;

    CHECK_OK(gi_program_new(&run, k, t, 1, &p));
    CHECK_OK(gi_points_new(&run, p, t, GI_DOUBLE, &x));
    CHECK(gi_markov_find(p, NULL, &m));
    for (size_t i = 0; i < p->thetas; i++) {
        theta[i] = isnan(p->theta[i]) ? 0.7 : p->theta[i];
        p->theta[i] = -1;
    }
    CHECK(gi_markov_find(p, theta, &m));
    for (size_t i = 0; i < p->thetas; i++)
        p->theta[i] = theta[i];
    CHECK_OK(gi_engine_store(&run, p, x, NULL, K, ROWS));
    s = x->view[m.view].dense;
    for (size_t i = 0; i < ROWS * ROWS; i++)
        CHECK_NEAR(K[i], value_of(&m, s[i / ROWS], s[i % ROWS]), 1e-13);
    gi_points_free(x);
    gi_program_free(p);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(markov_kernels_of_one_column_are_found)
{
    check_found("min[a]");
    check_found("exponential(gamma=2)[a]");
    check_found("exponential(length=3)[a]");
    check_found("laplace(sigma=2)[b]");
    check_found("matern(nu=0.5)[a]");
    check_found("matern(nu=1.5, length=2)[a]");
    check_found("matern[a]");
    check_found("matern(ard)[a]");
    check_found("exponential(gamma=[2], ard)[a]");
}

TEST(factors_and_maps_may_stand_around_them)
{
    check_found("2*min[a]");
    check_found("?*matern(nu=1.5)[a]*3");
    check_found("2*(?*(0.5*exponential))[b]");
    check_found("constant(c=2)*min[a]");
    check_found("map(standardize, ?*matern)[a]");
    check_found("2*map(minmax, min[b])");
    check_found("map(log1p, map(standardize, laplace))[a]");
}

enum { SPEED };

static const gram_param speeds[] = {
    [SPEED] = {.name = "speed", .range = GRAM_POSITIVE, .value = GRAM_OPEN},
    {.name = NULL},
};

static int compile_own(gram_program *p)
{
    int distance = gram_emit_l1(p, -1, 0);

    return gram_emit_exp(p, gram_emit_scale(p, distance, -3, SPEED, 1));
}

static gram_markov own_process(const double *value, double *rate)
{
    *rate = 3 * value[SPEED];
    return GRAM_MARKOV_EXPONENTIAL;
}

TEST(a_registered_class_may_say_that_it_is_markov)
{
    static const gram_kernel_class own = {.name = "own_process",
                                          .formula = "exp(-3 speed |x-t|)",
                                          .proof = "as exponential",
                                          .flags = GRAM_KERNEL_MARKOV,
                                          .params = speeds,
                                          .compile = compile_own,
                                          .markov = own_process};

    CHECK_OK(gram_kernel_register(&own));
    check_found("own_process[a]");
    check_found("2*own_process(speed=0.4)[b]");
}

static void check_not(const char *text)
{
    GI_RUN(run, NULL);
    gram_table *t = table_of();
    gram_kernel *k = grams_kernel(text);
    gram_program *p = NULL;
    gi_markov m;

    CHECK_OK(gi_program_new(&run, k, t, 1, &p));
    if (gi_markov_find(p, NULL, &m))
        fail_msg("%s", text);
    gi_program_free(p);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(others_are_not)
{
    check_not("rbf[a]");
    check_not("min[a,b]");
    check_not("matern[a,b]");
    check_not("matern[one]");
    check_not("matern[a,two]");
    check_not("laplace[words]");
    check_not("laplace[a,words]");
    check_not("map(poly(2), matern)[a]");
    check_not("min[a] + min[a]");
    check_not("min[a]*min[b]");
    check_not("matern[a]^2");
    check_not("exp(min[a])");
    check_not("weight(b, min[a])");
    check_not("-2*min[a]");
    check_not("2");
    check_not("2*?");
}

TEST(open_numbers_are_not_yet_known)
{
    GI_RUN(run, NULL);
    gram_table *t = table_of();
    gram_kernel *k = grams_kernel("?*matern(nu=1.5)[b]");
    gram_program *p = NULL;
    gi_markov m;

    CHECK_OK(gi_program_new(&run, k, t, 1, &p));
    CHECK(gi_markov_find(p, NULL, &m));
    CHECK(m.family == GRAM_MARKOV_MATERN32 && m.view == 0);
    CHECK(isnan(m.amplitude) && isnan(m.rate));
    CHECK(gi_markov_find(p, (double[]){3, 2}, &m));
    CHECK(m.amplitude == 3);
    CHECK_NEAR(m.rate, sqrt(3) / 2, 1e-15);
    gi_program_free(p);
    gram_kernel_free(k);
    gram_table_free(t);
}

TESTS(SMALL(markov_kernels_of_one_column_are_found),
      SMALL(factors_and_maps_may_stand_around_them), SMALL(others_are_not),
      SMALL(open_numbers_are_not_yet_known),
      SMALL(a_registered_class_may_say_that_it_is_markov))
