/* test_kernel_sigmoid.c - what is particular to sigmoid: it is not PSD, and
 * its points show that.
 */
#include "kernels.h"

TEST(values_match_the_formula)
{
    CHECK_NEAR(
        kernel_value("sigmoid(a=0.5, c=-1)", 1, (double[]){2}, (double[]){3}),
        tanh(2), 1e-15);
    CHECK_NEAR(kernel_value("sigmoid", 1, (double[]){0.5}, (double[]){-0.5}),
               tanh(-0.25), 1e-15);
}

static const gram_kernel_class *find(const char *name)
{
    const gram_kernel_class *c;

    for (size_t i = 0; (c = gram_kernel_class_at(i)); i++)
        if (strcmp(c->name, name) == 0)
            break;
    return c;
}

TEST(the_points_refute_it_for_all_parameters)
{
    static const double a[] = {-1e3, -1, -1e-3, 0, 1e-3, 1, 1e3};
    static const double c[] = {-1e3, -1, -1e-3, 0, 1e-3, 0.3, 1, 30, 1e3};
    const gram_kernel_class *sigmoid = find("sigmoid");

    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        for (size_t j = 0; j < sizeof c / sizeof *c; j++) {
            gram_verdict v = sigmoid->judge((double[]){a[i], c[j]});
            char spec[100];
            double K[9];

            if (a[i] == 0 && c[j] >= 0) {
                CHECK(v.psd == GRAM_PSD_CERTIFIED);
                continue;
            }
            CHECK(v.psd == GRAM_PSD_REFUTED && v.points && v.d == 1);
            snprintf(spec, sizeof spec, "sigmoid(a=%g, c=%g)", a[i], c[j]);
            kernel_matrix(spec, v.points, v.count, 1, K);
            if (v.count == 1)
                CHECK(K[0] < 0);
            else
                CHECK(v.count == 3 && det3(K) < -1e-6);
        }
}

TEST(what_is_still_open_is_refuted_without_points)
{
    gram_verdict v = find("sigmoid")->judge((double[]){NAN, 1});

    CHECK(v.psd == GRAM_PSD_REFUTED && !v.points && v.why);
}

TESTS(SMALL(values_match_the_formula),
      SMALL(the_points_refute_it_for_all_parameters),
      SMALL(what_is_still_open_is_refuted_without_points))
