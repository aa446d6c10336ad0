/* test_losses_all.c - what every registered loss must be: convex, with the
 * derivatives, the conjugate and the proximal map of its value, and text that
 * makes it again.
 */
#include "check.h"
#include "smooth_losses.h"

#include "base/mem.h"
#include "base/bind.h"

static const char *const texts[] = {
    "squared",
    "hinge",
    "hinge(nu=0.3)",
    "squared_hinge",
    "logistic",
    "softmax",
    "huber",
    "huber(delta=0.25)",
    "absolute",
    "epsilon_insensitive",
    "epsilon_insensitive(epsilon=0)",
    "epsilon_insensitive(epsilon=0.7,nu=1)",
    "quantile",
    "quantile(tau=0.9)",
    "poisson",
    "one_class",
    "one_class(nu=0.05)",
    "cosh_loss",
    "cosh_loss(scale=0.5)",
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* Targets that a loss accepts, and numbers f around them. */
enum { YS = 7, FS = 41 };
static const double ys[YS] = {-1, 1, 0, 0.3, 2, -2.5, 7};

static double f_at(size_t i)
{
    return -6.05 + 0.3 * (double)i;
}

typedef void checker(const gi_loss *l, double y);

/* Every loss that is not joint, every y it accepts. */
static void for_all(checker *check)
{
    const char *why;

    for (size_t k = 0; k < TEXTS; k++) {
        gi_loss l = loss_of(texts[k]);

        for (size_t i = 0; i < YS; i++)
            if (!(l.class_->flags & GRAM_LOSS_JOINT) &&
                gi_loss_accepts(&l, ys[i], &why))
                check(&l, ys[i]);
    }
}

TEST(every_loss_describes_itself_and_is_tried_here)
{
    const gram_loss_class *c;
    size_t count = 0;

    (void)loss_of("cosh_loss");
    for (; (c = gram_loss_at(count)); count++) {
        const char *const shown[] = {c->name, c->formula, c->help};
        int tried = 0;

        for (size_t i = 0; i < 3; i++)
            for (const char *s = shown[i]; *s; s++)
                CHECK(*s >= ' ' && *s < 127);
        CHECK_OK(gi_params_check(c->name, c->params));
        CHECK(gi_param_count(c->params) <= GI_LOSS_ARGS);
        CHECK(gi_loss_find(c->name) == c);
        for (size_t k = 0; k < TEXTS; k++)
            tried |= strcmp(texts[k], c->name) == 0;
        CHECK(tried);
    }
    CHECK(count == 12);
}

static void check_convex(const gi_loss *l, double y)
{
    for (size_t i = 0; i < FS; i++)
        for (size_t j = i + 1; j < FS; j += 5) {
            double a = f_at(i), b = f_at(j);
            double va = gi_loss_value(l, y, a), vb = gi_loss_value(l, y, b);

            CHECK(gi_loss_value(l, y, (a + b) / 2) <=
                  (va + vb) / 2 + 1e-12 * (1 + va + vb));
            /* the graph is above its tangents */
            CHECK(vb >= va + gi_loss_slope(l, y, a) * (b - a) -
                            1e-12 * (1 + fabs(va)));
            CHECK(gi_loss_curvature(l, y, a) >= 0);
        }
}

TEST(they_are_convex_and_above_their_tangents)
{
    for_all(check_convex);
}

static void check_slopes(const gi_loss *l, double y)
{
    const double h = 1e-5;

    for (size_t i = 0; i < FS; i++) {
        double f = f_at(i) + 0.01234; /* not at a kink */
        double up = gi_loss_value(l, y, f + h);
        double down = gi_loss_value(l, y, f - h);

        CHECK_NEAR(gi_loss_slope(l, y, f), (up - down) / (2 * h), 1e-7);
        CHECK_NEAR(gi_loss_curvature(l, y, f),
                   (gi_loss_slope(l, y, f + h) - gi_loss_slope(l, y, f - h)) /
                       (2 * h),
                   1e-7);
    }
}

TEST(slopes_and_curvatures_are_those_of_differences)
{
    for_all(check_slopes);
}

/* Fenchel and Young: V(f) + V*(a) >= a f, equal at a = V'(f). */
static void check_conjugate(const gi_loss *l, double y)
{
    if (!l->class_->conjugate) {
        CHECK(isnan(gi_loss_conjugate(l, y, 0)));
        return;
    }
    for (size_t i = 0; i < FS; i++) {
        double f = f_at(i), v = gi_loss_value(l, y, f);
        double slope = gi_loss_slope(l, y, f);

        CHECK_NEAR(v + gi_loss_conjugate(l, y, slope), slope * f,
                   1e-12 * (1 + fabs(v)));
        for (double a = -3; a <= 3; a += 0.25)
            CHECK(v + gi_loss_conjugate(l, y, a) >=
                  a * f - 1e-12 * (1 + fabs(v)));
    }
}

TEST(conjugates_obey_fenchel_and_young)
{
    for_all(check_conjugate);
}

/* (v - f)/t is between the slopes on both sides of f. */
static void check_prox(const gi_loss *l, double y)
{
    static const double ts[] = {1e-3, 0.2, 1, 30};

    for (size_t i = 0; l->class_->prox && i < FS; i++)
        for (size_t k = 0; k < 4; k++) {
            double v = f_at(i), t = ts[k], f = l->class_->prox(l->arg, y, v, t);
            double h = 1e-9 * (1 + fabs(f)), tolerance = 1e-6 * (1 + 1 / t);

            CHECK(gi_loss_slope(l, y, f - h) <= (v - f) / t + tolerance);
            CHECK(gi_loss_slope(l, y, f + h) >= (v - f) / t - tolerance);
        }
}

TEST(proximal_maps_are_optimal)
{
    for_all(check_prox);
}

TEST(the_logistic_loss_is_finite_everywhere)
{
    gi_loss l = loss_of("logistic");

    CHECK(gi_loss_value(&l, 1, -1e300) == 1e300);
    CHECK(gi_loss_value(&l, 1, 1e300) == 0);
    CHECK_NEAR(gi_loss_value(&l, 1, 40) / exp(-40), 1, 1e-15);
    CHECK(gi_loss_slope(&l, -1, 1e300) == 1);
    CHECK(gi_loss_slope(&l, -1, -1e300) == 0);
    CHECK(gi_loss_curvature(&l, 1, -1e300) == 0);
    CHECK_NEAR(gi_loss_curvature(&l, 1, 40) / exp(-40), 1, 1e-15);
    CHECK(gi_loss_conjugate(&l, 1, -1) == 0);
    CHECK(gi_loss_conjugate(&l, 1, 0) == 0);
}

TEST(a_huber_of_large_delta_is_squared)
{
    gi_loss h = loss_of("huber(delta=1e9)"), s = loss_of("squared");

    for (size_t i = 0; i < FS; i++)
        CHECK(gi_loss_value(&h, 0.3, f_at(i)) ==
              gi_loss_value(&s, 0.3, f_at(i)));
}

/* -------------------------------------------------------------------- text */

static void check_text(const char *from, const char *expected, size_t count)
{
    gi_loss *l = NULL;
    char *text = NULL;
    size_t n;

    CHECK_OK(gi_losses_new(NULL, from, &l, &n));
    CHECK(n == count);
    CHECK_OK(gi_losses_text(NULL, l, n, &text));
    CHECK_STR(text, expected);
    gi_free(text);
    gi_free(l);
}

TEST(text_makes_the_same_losses_again)
{
    (void)loss_of("cosh_loss");
    for (size_t k = 0; k < TEXTS; k++)
        check_text(texts[k], texts[k], 1);
    check_text(" huber( 1 ) ", "huber", 1);
    check_text("epsilon_insensitive(0.2, nu=0)",
               "epsilon_insensitive(epsilon=0.2)", 1);
    check_text("quantile(tau=[0.9,0.1,0.5])", "quantile(tau=[0.1,0.5,0.9])", 3);
    check_text("quantile(tau=[0.9])", "quantile(tau=0.9)", 1);
}

static void check_refused(const char *text, gram_status expected,
                          const char *sentence)
{
    gi_loss *l = NULL;
    size_t n;

    CHECK_FAILS(gi_losses_new(NULL, text, &l, &n), expected, sentence);
    CHECK(!l);
}

TEST(what_is_wrong_with_a_text_is_said)
{
    check_refused("hing", GRAM_ERR_NAME,
                  "loss \"hing\", character 1: no loss \"hing\" (did you mean "
                  "\"hinge\"?)");
    check_refused("huber(delta=0)", GRAM_ERR_RANGE,
                  "loss \"huber(delta=0)\", character 13: huber: delta = 0, "
                  "must be positive");
    check_refused("quantile(tau=1)", GRAM_ERR_RANGE,
                  "loss \"quantile(tau=1)\", character 14: quantile: tau = 1, "
                  "must be between 0 and 1");
    check_refused("quantile(tau=[0.5,0])", GRAM_ERR_RANGE,
                  "loss \"quantile(tau=[0.5,0])\", character 19: quantile: tau "
                  "= 0, must be between 0 and 1");
    check_refused("quantile(tau=[0.5,0.2,0.5])", GRAM_ERR_RANGE,
                  "loss \"quantile(tau=[0.5,0.2,0.5])\", character 15: "
                  "quantile: tau = 0.5 twice");
    check_refused("hinge(nu=1.5)", GRAM_ERR_RANGE,
                  "loss \"hinge(nu=1.5)\", character 10: hinge: nu = 1.5, must "
                  "be above 0 and at most 1");
    check_refused("one_class(nu=0)", GRAM_ERR_RANGE,
                  "loss \"one_class(nu=0)\", character 14: one_class: nu = 0, "
                  "must be above 0 and at most 1");
    check_refused("huber(delta=?)", GRAM_ERR_RANGE,
                  "loss \"huber(delta=?)\", character 13: huber: delta is "
                  "chosen, not learned: give a number");
    check_refused("huber(delta=[1,2])", GRAM_ERR_PARSE,
                  "loss \"huber(delta=[1,2])\", character 13: huber: delta "
                  "takes one number, not a list");
    check_refused("2*hinge", GRAM_ERR_PARSE,
                  "loss \"2*hinge\", character 1: a product, expected the name "
                  "of a loss");
    check_refused("hinge[a]", GRAM_ERR_PARSE,
                  "loss \"hinge[a]\", character 7: a loss has no columns");
}

TEST(targets_that_do_not_fit_are_refused)
{
    gi_loss logistic = loss_of("logistic"), poisson = loss_of("poisson");
    const char *why;

    CHECK(gi_loss_accepts(&logistic, -1, &why));
    CHECK(!gi_loss_accepts(&logistic, 0.5, &why));
    CHECK_STR(why, "must be -1 or 1");
    CHECK(!gi_loss_accepts(&poisson, -1, &why));
    CHECK_STR(why, "must be at least 0");
    CHECK(!gi_loss_accepts(&poisson, NAN, &why));
    CHECK_STR(why, "must be a finite number");
}

TEST(classes_that_cannot_work_are_not_registered)
{
    static const gram_param many[] = {
        {.name = "a", .value = 1}, {.name = "b", .value = 1},
        {.name = "c", .value = 1}, {.name = "d", .value = 1},
        {.name = "e", .value = 1}, {.name = NULL},
    };
    gram_loss_class c = cosh_class;

    c.name = "hinge";
    CHECK_FAILS(gram_loss_register(&c), GRAM_ERR_NAME,
                "loss \"hinge\": the name is taken");
    c.name = "half";
    c.slope = NULL;
    CHECK_FAILS(gram_loss_register(&c), GRAM_ERR_RANGE,
                "loss \"half\": a function is missing");
    c = cosh_class;
    c.flags = GRAM_LOSS_JOINT;
    CHECK_FAILS(gram_loss_register(&c), GRAM_ERR_RANGE,
                "loss \"cosh_loss\": no loss but softmax may be joint");
    c = cosh_class;
    c.params = many;
    CHECK_FAILS(gram_loss_register(&c), GRAM_ERR_RANGE,
                "loss \"cosh_loss\": 5 parameters, at most 4");
}

/* V as the flags promise it; NaN: they promise nothing. */
static double promised(const gi_loss *l, double y, double f)
{
    if (gi_loss_has(l, GRAM_LOSS_SQUARED))
        return (y - f) * (y - f);
    if (gi_loss_has(l, GRAM_LOSS_LOG_ODDS))
        return log1p(exp(-y * f));
    if (!gi_loss_has(l, GRAM_LOSS_SVM))
        return NAN;
    return gi_loss_has(l, GRAM_LOSS_CLASSES) ? fmax(0, 1 - y * f)
           : gi_loss_has(l, GRAM_LOSS_NOVELTY)
               ? fmax(0, -f)
               : fmax(0, fabs(y - f) - l->arg[0]);
}

TEST(losses_are_what_their_flags_promise)
{
    GI_RUN(run, NULL);

    CHECK_STR(gi_loss_with(GRAM_LOSS_SQUARED)->name, "squared");
    CHECK_STR(gi_loss_with(GRAM_LOSS_LOG_ODDS)->name, "logistic");
    CHECK(gi_loss_with(1u << 31) == NULL);
    for (size_t i = 0; gram_loss_at(i); i++) {
        gi_loss *l = NULL;
        size_t count;

        CHECK_OK(gi_losses_new(&run, gram_loss_at(i)->name, &l, &count));
        CHECK(!gi_loss_has(l, GRAM_LOSS_NU_LAMBDA) ||
              gi_loss_has(l, GRAM_LOSS_SVM));
        CHECK(!gi_loss_has(l, GRAM_LOSS_PAIRS) ||
              gi_loss_has(l, GRAM_LOSS_CLASSES));
        for (double y = -1; y <= 1; y += 2)
            for (double f = -2.25; f < 2.5; f += 0.5)
                if (!isnan(promised(l, y, f)))
                    CHECK_NEAR(gi_loss_value(l, y, f), promised(l, y, f),
                               1e-14);
        gi_free(l);
    }
}

TEST(nu_is_found_by_its_name)
{
    GI_RUN(run, NULL);
    const struct {
        const char *text;
        double nu;
    } some[] = {{"hinge(nu=0.25)", 0.25},
                {"one_class", 0.5},
                {"epsilon_insensitive(nu=0.75)", 0.75},
                {"hinge", 0},
                {"huber", 0}};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        gi_loss *l = NULL;
        size_t count;

        CHECK_OK(gi_losses_new(&run, some[i].text, &l, &count));
        CHECK(gi_loss_nu(l) == some[i].nu);
        gi_free(l);
    }
}

TESTS(SMALL(every_loss_describes_itself_and_is_tried_here),
      SMALL(they_are_convex_and_above_their_tangents),
      SMALL(slopes_and_curvatures_are_those_of_differences),
      SMALL(conjugates_obey_fenchel_and_young),
      SMALL(proximal_maps_are_optimal),
      SMALL(the_logistic_loss_is_finite_everywhere),
      SMALL(a_huber_of_large_delta_is_squared),
      SMALL(text_makes_the_same_losses_again),
      SMALL(what_is_wrong_with_a_text_is_said),
      SMALL(targets_that_do_not_fit_are_refused),
      SMALL(classes_that_cannot_work_are_not_registered),
      SMALL(losses_are_what_their_flags_promise),
      SMALL(nu_is_found_by_its_name))
