/* test_terms.c - kernels taken apart: terms, and the numbers in front.
 */
#include "check.h"
#include "grams.h"

#include "kernels/program/kernel_terms.h"

/* The terms of a kernel, joined by " | ". */
static void check_terms(const char *text, const char *expected)
{
    GI_RUN(run, NULL);
    gram_kernel *k = grams_kernel(text), **terms = NULL;
    size_t count = 0;
    char all[300] = "";

    CHECK_OK(gi_kernel_terms(&run, k, &terms, &count));
    for (size_t i = 0; i < count; i++) {
        strcat(all, i ? " | " : "");
        strcat(all, gram_kernel_text(terms[i]));
    }
    CHECK_STR(all, expected);
    gi_kernel_terms_free(terms, count);
    gram_kernel_free(k);
}

TEST(a_sum_has_its_terms_and_all_else_is_one)
{
    check_terms("rbf + 2*linear + ?", "rbf | 2*linear | ?");
    check_terms("rbf - 2*linear[a]", "rbf | -1*(2*linear[a])");
    check_terms("rbf + (linear + white)", "rbf | linear + white");
    check_terms("2*(rbf + linear)", "2*(rbf + linear)");
    check_terms("map(log, rbf + linear)", "map(log, rbf + linear)");
    check_terms("rbf", "rbf");
}

TEST(columns_behind_a_sum_go_to_the_terms_that_take_them)
{
    check_terms("(rbf + 2*linear[b] + 2*linear + white + 3)[a]",
                "rbf[a] | 2*linear[b] | (2*linear)[a] | white | 3");
    check_terms("(weight(c, rbf) - linear^2)[a,b]",
                "weight(c, rbf[a,b]) | -1*(linear^2)[a,b]");
}

TEST(terms_add_up_to_the_kernel)
{
    const char *text =
        "(0.5*rbf(gamma=1) - linear[b]*2 + weight(c, poly) + 3)[a]";
    GI_RUN(run, NULL);
    gram_table *t = grams_random_table(9, 3, 0, 1, "a b c");
    gram_kernel *k = grams_kernel(text), **terms = NULL;
    double *K = grams_matrix(text, t), *sum = calloc(81, sizeof *sum);
    size_t count = 0;

    CHECK_OK(gi_kernel_terms(&run, k, &terms, &count));
    CHECK(count == 4);
    for (size_t m = 0; m < count; m++) {
        double *part = grams_matrix(gram_kernel_text(terms[m]), t);

        for (size_t i = 0; i < 81; i++)
            sum[i] += part[i];
        free(part);
    }
    for (size_t i = 0; i < 81; i++)
        CHECK_NEAR(sum[i], K[i], 1e-13);
    gi_kernel_terms_free(terms, count);
    free(K);
    free(sum);
    gram_kernel_free(k);
    gram_table_free(t);
}

/* The name and place of the slot, or "". */
static void check_amplitude(const char *text, int slot, int has)
{
    gram_kernel *k = grams_kernel(text);

    if (gi_kernel_amplitude(k) != slot || gi_kernel_has_amplitude(k) != has)
        fail_msg("%s: slot %d, has %d", text, gi_kernel_amplitude(k),
                 gi_kernel_has_amplitude(k));
    gram_kernel_free(k);
}

TEST(the_open_amplitude_is_the_one_that_multiplies_everything)
{
    check_amplitude("?*rbf", 0, 0);
    check_amplitude("rbf*?", 1, 0);
    check_amplitude("?*(rbf + linear)", 0, 0);
    check_amplitude("(?*rbf)[a]", 0, 0);
    check_amplitude("map(log, ?*rbf)", 0, 0);
    check_amplitude("?", 0, 0);
    check_amplitude("rbf", -1, 0);
    check_amplitude("?*rbf + linear", -1, 0);
    check_amplitude("(?*rbf)^2", -1, 0);
    check_amplitude("exp(?*rbf)", -1, 0);
}

TEST(a_number_in_front_of_a_term_is_an_amplitude)
{
    check_amplitude("2*rbf", -1, 1);
    check_amplitude("2*?*rbf", 1, 1);
    check_amplitude("rbf + linear*0.5", -1, 1);
    check_amplitude("rbf + 1", -1, 1);
    check_amplitude("map(log, 2*rbf)", -1, 1);
    check_amplitude("rbf(gamma=2)", -1, 0);
    check_amplitude("exp(2*rbf)", -1, 0);
    check_amplitude("rbf*(2*linear + rbf)", -1, 0);
}

TESTS(SMALL(a_sum_has_its_terms_and_all_else_is_one),
      SMALL(columns_behind_a_sum_go_to_the_terms_that_take_them),
      SMALL(terms_add_up_to_the_kernel),
      SMALL(the_open_amplitude_is_the_one_that_multiplies_everything),
      SMALL(a_number_in_front_of_a_term_is_an_amplitude))
