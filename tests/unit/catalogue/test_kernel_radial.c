/* test_kernel_radial.c - what is particular to radial: functions in C as
 * kernels.
 */
#include "kernels.h"

/* The origin, a unit step away, a 3-4-5 away. */
static const double plane[] = {0, 0, 1, 0, 3, 4};

static double decay(void *user, double r)
{
    return exp(-*(double *)user * r);
}

static double slope(void *user, double r)
{
    return -*(double *)user * decay(user, r);
}

static double sum_of_minima(void *user, const double *x, const double *t,
                            size_t d)
{
    double sum = 0;

    (void)user;
    for (size_t j = 0; j < d; j++)
        sum += fmin(x[j], t[j]);
    return sum;
}

TEST(a_function_of_the_distance_is_a_kernel)
{
    static double gamma = 0.5;
    gram_kernel *k = NULL;
    gram_table *t = rows_table(plane, 3, 2);
    double G[9], out[1];

    CHECK_OK(gram_kernel_register_radial("decay", decay, slope, &gamma));
    CHECK_OK(gram_kernel_register_radial("flat", decay, NULL, &gamma));
    kernels_agree("decay", "exponential(gamma=0.5)", plane, 3, 2, 1e-15);
    kernels_agree("2*decay[a] + flat", "2*decay[a] + decay", plane, 3, 2, 0);
    for (int i = 0; i < 9; i++)
        G[i] = 1;
    k = kernel_of("3*decay");
    CHECK_OK(gram_kernel_gradient(k, t, NULL, G, 3, out));
    CHECK_NEAR(out[0], 3 + 2 * (exp(-0.5) + exp(-2.5) + exp(-0.5 * sqrt(20))),
               1e-14);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(a_function_of_two_rows_is_a_kernel)
{
    CHECK_OK(gram_kernel_register_pairs("minima", sum_of_minima, NULL));
    kernels_agree("minima", "intersection", plane, 3, 2, 0);
    kernels_agree("minima[b] + rbf(1)", "intersection[b] + rbf(1)", plane, 3, 2,
                  0);
}

TESTS(SMALL(a_function_of_the_distance_is_a_kernel),
      SMALL(a_function_of_two_rows_is_a_kernel))
