/* test_scaled.c - which leaves get a map that scales, and what it changes.
 */
#include "check.h"
#include "grams.h"

#include "kernels/program/scaled.h"

/* The text of the scaled kernel, until the next call. */
static const char *scaled(const char *text, gi_scaling scaling)
{
    static gram_kernel *last;
    GI_RUN(run, NULL);
    gram_kernel *k = NULL;

    gram_kernel_free(last);
    last = NULL;
    if (!text)
        return NULL;
    k = grams_kernel(text);
    CHECK_OK(gi_kernel_scaled(&run, k, scaling, &last));
    gram_kernel_free(k);
    return gram_kernel_text(last);
}

#define AUTO(text, expected) CHECK_STR(scaled(text, GI_SCALING_AUTO), expected)
#define STAYS(text) AUTO(text, text)

TEST(leaves_whose_scale_is_open_are_standardized)
{
    AUTO("rbf", "map(standardize, rbf)");
    AUTO("rbf(gamma=?)", "map(standardize, rbf(gamma=?))");
    AUTO("rbf(gamma=?0.5)", "map(standardize, rbf(gamma=?0.5))");
    AUTO("rbf(sigma=?[1,2], ard)", "map(standardize, rbf(sigma=?[1,2], ard))");
    AUTO("linear", "map(standardize, linear)");
    AUTO("anova(degree=2)", "map(standardize, anova(degree=2))");
    AUTO("arccos(order=0)", "map(standardize, arccos(order=0))");
    AUTO("poly(degree=2)", "map(standardize, poly(degree=2))");
    AUTO("poly(gamma=?)", "map(standardize, poly(gamma=?))");
    AUTO("rq(alpha=2)", "map(standardize, rq(alpha=2))");
    AUTO("matern(nu=1.5)", "map(standardize, matern(nu=1.5))");
    scaled(NULL, GI_SCALING_AUTO);
}

TEST(a_number_is_a_promise_about_the_data_as_given)
{
    STAYS("rbf(gamma=0.5)");
    STAYS("rbf(sigma=2)");
    STAYS("rbf(gamma=[1,2], ard)[a,b]");
    STAYS("rq(alpha=?, length=2)");
    STAYS("poly(gamma=1)");
    STAYS("poly(offset=0)");
    STAYS("expdot(a=2)");
    STAYS("sigmoid(c=1)");
    scaled(NULL, GI_SCALING_AUTO);
}

TEST(others_are_never_scaled)
{
    static const char *const texts[] = {"cos",
                                        "periodic",
                                        "delta",
                                        "white",
                                        "metric(A=\"A.npy\")",
                                        "precomputed(K=\"K.npy\")",
                                        "2",
                                        "?",
                                        "map(log, rbf)",
                                        "map(standardize, rbf + linear)[a]"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int s = GI_SCALING_AUTO; s <= GI_SCALING_MINMAX; s++)
            CHECK_STR(scaled(texts[i], (gi_scaling)s), texts[i]);
    scaled(NULL, GI_SCALING_AUTO);
}

TEST(minmax_brings_numbers_to_kernels_that_take_none_below_zero)
{
    static const char *const texts[] = {"min", "intersection", "chi2"};
    char mapped[64];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int s = GI_SCALING_AUTO; s < GI_SCALING_MINMAX; s++)
            CHECK_STR(scaled(texts[i], (gi_scaling)s), texts[i]);
        snprintf(mapped, sizeof mapped, "map(minmax, %s)", texts[i]);
        CHECK_STR(scaled(texts[i], GI_SCALING_MINMAX), mapped);
    }
    scaled(NULL, GI_SCALING_AUTO);
}

TEST(each_leaf_of_an_expression_is_asked)
{
    AUTO("2*rbf[a] + rbf(gamma=1)*delta[city] - linear^2",
         "2*map(standardize, rbf[a]) + rbf(gamma=1)*delta[city] - "
         "map(standardize, linear)^2");
    AUTO("(rbf + linear[b])[a]",
         "(map(standardize, rbf) + map(standardize, linear[b]))[a]");
    AUTO("weight(age, linear)", "weight(age, map(standardize, linear))");
    AUTO("normalize(exp(linear))", "normalize(exp(map(standardize, linear)))");
    AUTO("map(log, rbf)[a] + rbf", "map(log, rbf)[a] + map(standardize, rbf)");
    scaled(NULL, GI_SCALING_AUTO);
}

TEST(scaling_can_be_forced_and_forbidden)
{
    CHECK_STR(scaled("rbf(gamma=2) + min", GI_SCALING_STANDARD),
              "map(standardize, rbf(gamma=2)) + min");
    CHECK_STR(scaled("rbf + poly(gamma=1)[a]", GI_SCALING_MINMAX),
              "map(minmax, rbf) + map(minmax, poly(gamma=1)[a])");
    CHECK_STR(scaled("rbf + linear", GI_SCALING_NONE), "rbf + linear");
    scaled(NULL, GI_SCALING_AUTO);
}

TEST(units_do_not_matter_to_a_kernel_that_is_scaled)
{
    double x[3 * 20], y[3 * 20], *K, *L;
    gi_rng rng = gi_rng_new(1, 1);
    gram_table *a, *b;

    for (size_t i = 0; i < 3 * 20; i++) {
        x[i] = gi_rng_normal(&rng);
        y[i] = i % 3 == 1 ? 1024 * x[i] + 64 : x[i];
    }
    a = grams_table(20, 3, x, "a b c");
    b = grams_table(20, 3, y, "a b c");
    for (int s = GI_SCALING_STANDARD; s <= GI_SCALING_MINMAX; s++) {
        const char *text = scaled("rbf(gamma=1) + linear[a,b]", (gi_scaling)s);

        K = grams_matrix(text, a);
        L = grams_matrix(text, b);
        for (size_t i = 0; i < 20 * 20; i++)
            CHECK_NEAR(L[i], K[i], 1e-12);
        free(K);
        free(L);
    }
    scaled(NULL, GI_SCALING_AUTO);
    gram_table_free(a);
    gram_table_free(b);
}

TESTS(SMALL(leaves_whose_scale_is_open_are_standardized),
      SMALL(a_number_is_a_promise_about_the_data_as_given),
      SMALL(others_are_never_scaled),
      SMALL(minmax_brings_numbers_to_kernels_that_take_none_below_zero),
      SMALL(each_leaf_of_an_expression_is_asked),
      SMALL(scaling_can_be_forced_and_forbidden),
      SMALL(units_do_not_matter_to_a_kernel_that_is_scaled))
