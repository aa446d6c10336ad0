/* test_terms.c - the terms of a kernel, and the numbers in front.
 */
#include "check.h"
#include "grams.h"

#include "kernels/engine/engine.h"
#include "kernels/program/amplitude.h"
#include "kernels/program/program.h"

/* The program of a kernel on nine positive rows of columns a, b, c. */
typedef struct compiled {
    gram_table *t;
    gram_kernel *k;
    gram_program *p;
} compiled;

static compiled compile(gi_run *run, const char *text)
{
    compiled c = {.t = grams_random_table(9, 3, 1, 1, "a b c"),
                  .k = grams_kernel(text)};

    CHECK_OK(gi_program_new(run, c.k, c.t, 1, &c.p));
    return c;
}

static void release(compiled *c)
{
    gi_program_free(c->p);
    gram_kernel_free(c->k);
    gram_table_free(c->t);
}

/* The terms of a kernel, joined by " | ". */
static void check_terms(const char *text, const char *expected)
{
    GI_RUN(run, NULL);
    compiled c = compile(&run, text);
    gi_buf all = {0};

    for (size_t i = 0; i < c.p->terms; i++) {
        if (i)
            CHECK_OK(gi_buf_printf(&run, &all, " | "));
        CHECK_OK(gi_program_print_term(&run, c.p, i, &all));
    }
    CHECK_STR(all.s, expected);
    gi_buf_free(&all);
    release(&c);
}

TEST(a_sum_has_its_terms_and_all_else_is_one)
{
    check_terms("rbf(gamma=1) + 2*linear + 4", "rbf(gamma=1) | 2*linear | 4");
    check_terms("rbf(gamma=1) - 2*linear[a]",
                "rbf(gamma=1) | -1*(2*linear[a])");
    check_terms("min + (linear + white)", "min | linear + white");
    check_terms("2*(min + linear)", "2*(min + linear)");
    check_terms("map(log, 2*min)", "map(log, 2*min)");
    check_terms("min", "min");
}

TEST(columns_behind_a_sum_go_to_the_terms_that_take_them)
{
    check_terms("(min + 2*linear[b] + 2*linear + white + 3)[a]",
                "min[a] | 2*linear[b] | (2*linear)[a] | white | 3");
    check_terms("(weight(c, min) - linear^2)[a,b]",
                "weight(c, min)[a,b] | -1*(linear^2)[a,b]");
}

TEST(maps_around_a_sum_go_to_its_terms)
{
    check_terms("map(log, 2*min + linear)",
                "2*map(log, min) | map(log, linear)");
    check_terms("map(log, map(square, min)[a] + linear[b])",
                "map(log, map(square, min))[a] | map(log, linear[b])");
}

/* Each term both ways: as a program that shares all with the whole, and as the
 * kernel of its text. */
static void check_sum(const char *text)
{
    GI_RUN(run, NULL);
    compiled c = compile(&run, text);
    double *K = grams_matrix(text, c.t), *sum = calloc(81, sizeof *sum);
    gi_points *x = NULL;

    CHECK_OK(gi_points_new(&run, c.p, c.t, GI_DOUBLE, &x));
    for (size_t m = 0; m < c.p->terms; m++) {
        const gram_program term = gi_program_term(c.p, m);
        gi_buf alone = {0};
        double part[81], *other;

        CHECK_OK(gi_program_print_term(&run, c.p, m, &alone));
        CHECK_OK(gi_engine_store(&run, &term, x, NULL, part, 9));
        other = grams_matrix(alone.s, c.t);
        for (size_t i = 0; i < 81; i++) {
            CHECK_NEAR(part[i], other[i], 1e-13);
            sum[i] += part[i];
        }
        gi_buf_free(&alone);
        free(other);
    }
    for (size_t i = 0; i < 81; i++)
        CHECK_NEAR(sum[i], K[i], 1e-12);
    gi_points_free(x);
    free(K);
    free(sum);
    release(&c);
}

TEST(terms_add_up_to_the_kernel)
{
    check_sum("(0.5*rbf(gamma=1) - linear[b]*2 + weight(c, poly) + 3)[a]");
    check_sum("map(log, 2*rbf(gamma=1) + linear[a] - poly)");
    check_sum("map(standardize, rbf(gamma=1)[a,b] + 2*linear[c])");
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
      SMALL(maps_around_a_sum_go_to_its_terms),
      SMALL(terms_add_up_to_the_kernel),
      SMALL(the_open_amplitude_is_the_one_that_multiplies_everything),
      SMALL(a_number_in_front_of_a_term_is_an_amplitude))
