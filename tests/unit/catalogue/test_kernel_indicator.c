/* test_kernel_indicator.c - what is particular to indicator: it is not PSD, and
 * three points on a line show that.
 */
#include "kernels.h"

TEST(values_say_what_is_near)
{
    static const double x[] = {0, 0.5, 0.75};
    double K[9];

    kernel_matrix("indicator(eps=0.5)", x, 3, 1, K);
    CHECK(K[0] == 1 && K[1] == 1 && K[2] == 0 && K[5] == 1);
}

TEST(for_eps_0_it_is_delta)
{
    static const double x[] = {0, 0, 0, 1e-200, 0, 0};

    kernels_agree("indicator", "delta", x, 3, 2, 0);
}

TEST(it_has_no_features_even_where_delta_has)
{
    static const char *const city[] = {"a", "b", "a"};
    gram_kernel *k = kernel_of("indicator");
    gram_table *t = NULL;
    size_t count;

    CHECK_OK(gram_table_new(3, &t));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    CHECK(gram_kernel_feature_count(k, t, &count) == GRAM_ERR_RANGE);
    gram_table_free(t);
    gram_kernel_free(k);
}

TEST(the_points_refute_it_for_every_eps_above_0)
{
    static const double eps[] = {1e-30, 0.1, 1, 7, 1e30};
    const gram_kernel_class *c = NULL;

    for (size_t i = 0; !c || strcmp(c->name, "indicator") != 0; i++)
        c = gram_kernel_class_at(i);
    CHECK(c->judge((double[]){0}).psd == GRAM_PSD_CERTIFIED);
    for (size_t i = 0; i < sizeof eps / sizeof *eps; i++) {
        gram_verdict v = c->judge(&eps[i]);
        char spec[100];
        double K[9];

        CHECK(v.psd == GRAM_PSD_REFUTED && v.count == 3 && v.d == 1);
        CHECK_STR(v.instead, "delta");
        snprintf(spec, sizeof spec, "indicator(eps=%g)", eps[i]);
        kernel_matrix(spec, v.points, 3, 1, K);
        CHECK(det3(K) == -1);
    }
}

TESTS(SMALL(values_say_what_is_near), SMALL(for_eps_0_it_is_delta),
      SMALL(it_has_no_features_even_where_delta_has),
      SMALL(the_points_refute_it_for_every_eps_above_0))
