/* test_values.c - numbers and states beside an expression: with the same values
 * its structure is the same kernel for the columns of another table.
 */
#include "check.h"
#include "grams.h"

#include "base/mem.h"
#include "kernels/engine/engine.h"
#include "kernels/program/learned.h"

enum { ROWS = 12 };

/* A kernel, its program, and the values that it was given. */
typedef struct compiled {
    gram_kernel *k;
    gram_program *p;
} compiled;

/* For the columns of t, open numbers 0.5, 0.75, ... */
static compiled compile(gi_run *run, const char *text, const gram_table *t)
{
    compiled c = {.k = grams_kernel(text)};

    CHECK_OK(gi_program_new(run, c.k, t, 1, &c.p));
    for (size_t i = 0; i < c.p->thetas; i++)
        if (isnan(c.p->theta[i]))
            c.p->theta[i] = 0.5 + 0.25 * (double)i;
    return c;
}

static void release(compiled *c)
{
    gi_program_free(c->p);
    gram_kernel_free(c->k);
}

/* Its structure with its values, for the columns of t. */
static gram_status restore(gi_run *run, const compiled *from,
                           const gram_table *t, compiled *out)
{
    gi_values values = {0};
    gram_status status;

    CHECK_OK(gi_program_structure(run, from->p, &out->k));
    CHECK_OK(gi_values_of(run, from->p, &values));
    status = gi_program_restore(run, out->k, &values, t, &out->p);
    gi_values_free(&values);
    return status;
}

static void matrix(gi_run *run, const compiled *c, const gram_table *t,
                   double *K)
{
    gi_points *x = NULL;

    CHECK_OK(gi_points_new(run, c->p, t, GI_DOUBLE, &x));
    CHECK_OK(gi_engine_store(run, c->p, x, NULL, K, ROWS));
    gi_points_free(x);
}

static const char *const kernels[] = {
    "rbf",
    "?*rbf(ard) + linear",
    "map(standardize, rbf[a,b] + linear[b,c])",
    "map(log, map(minmax, poly(degree=2))) * ?",
    "weight(c, ?*min[a])",
    "map(standardize, map(poly(degree=2), rbf))",
    "rbf[0:2] + linear[2]",
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* The values of one table, restored for another, give on that table what the
 * first program gives there, to the bit; learning anew would not. */
TEST(values_mean_the_same_for_another_table)
{
    GI_RUN(run, NULL);
    gram_table *t = grams_random_table(ROWS, 3, 1, 1, "a b c");
    gram_table *other = grams_random_table(ROWS, 3, 1, 2, "a b c");

    for (size_t i = 0; i < KERNELS; i++) {
        compiled c = compile(&run, kernels[i], t), again = {0};
        double K[ROWS * ROWS], L[ROWS * ROWS];

        CHECK_OK(restore(&run, &c, other, &again));
        matrix(&run, &c, other, K);
        matrix(&run, &again, other, L);
        for (size_t k = 0; k < ROWS * ROWS; k++)
            if (K[k] != L[k])
                fail_msg("%s: entry %zu is %.17g, must be %.17g", kernels[i], k,
                         L[k], K[k]);
        release(&c);
        release(&again);
    }
    gram_table_free(t);
    gram_table_free(other);
}

/* Written as text and read again, the values are the same, too. */
TEST(values_and_text_are_the_same_kernel)
{
    GI_RUN(run, NULL);
    gram_table *t = grams_random_table(ROWS, 3, 1, 1, "a b c");

    for (size_t i = 0; i < KERNELS; i++) {
        compiled c = compile(&run, kernels[i], t), text = {0};
        double K[ROWS * ROWS], L[ROWS * ROWS];

        CHECK_OK(gi_kernel_learned(&run, c.p, c.p->theta, &text.k));
        CHECK_OK(gi_program_new(&run, text.k, t, 0, &text.p));
        matrix(&run, &c, t, K);
        matrix(&run, &text, t, L);
        for (size_t k = 0; k < ROWS * ROWS; k++)
            CHECK_NEAR(L[k], K[k], 1e-13 * fabs(K[k]));
        release(&c);
        release(&text);
    }
    gram_table_free(t);
}

static void check_structure(const char *text, const char *expected)
{
    GI_RUN(run, NULL);
    gram_table *t = grams_random_table(ROWS, 3, 1, 1, "a b c");
    compiled c = compile(&run, text, t);
    gram_kernel *k = NULL;

    CHECK_OK(gi_program_structure(&run, c.p, &k));
    CHECK_STR(gram_kernel_text(k), expected);
    gram_kernel_free(k);
    release(&c);
    gram_table_free(t);
}

TEST(a_structure_keeps_questions_and_names_columns)
{
    check_structure("?*rbf(gamma=?0.5)[0:2]", "?*rbf(gamma=?0.5)[a,b]");
    check_structure("map(standardize, rbf[a] + linear[2])",
                    "map(standardize, rbf[a] + linear[c])");
    check_structure("weight(1, linear) + rbf(gamma=2)[a*]",
                    "weight(\"b\", linear) + rbf(gamma=2)[a*]");
}

TEST(values_that_do_not_fit_are_refused)
{
    GI_RUN(run, NULL);
    gram_table *t = grams_random_table(ROWS, 3, 1, 1, "a b c");
    gram_table *two = grams_random_table(ROWS, 2, 1, 1, "a b");
    compiled ard = compile(&run, "rbf(ard)", t), wrong = {0};
    compiled mapped = compile(&run, "map(standardize, rbf)", t);
    gi_values values = {0};

    CHECK_FAILS(restore(&run, &ard, two, &wrong), GRAM_ERR_SHAPE,
                "kernel \"rbf(ard)\": rbf.gamma has 3 values, the columns are "
                "2");
    release(&wrong);
    wrong = (compiled){0};
    CHECK_FAILS(restore(&run, &mapped, two, &wrong), GRAM_ERR_SHAPE,
                "kernel \"map(standardize, rbf)\": map standardize has lists "
                "of 3 numbers, the columns are 2");
    release(&wrong);
    wrong = (compiled){.k = grams_kernel("?*rbf")};
    CHECK_OK(gi_values_of(&run, ard.p, &values));
    CHECK_FAILS(gi_program_restore(&run, wrong.k, &values, t, &wrong.p),
                GRAM_ERR_SHAPE,
                "kernel \"?*rbf\" has 2 numbers, values are given for 1");
    gi_values_free(&values);
    release(&wrong);
    wrong = (compiled){.k = grams_kernel("map(standardize, rbf)")};
    CHECK_OK(gi_values_of(&run, ard.p, &values));
    values.count[0] = 1;
    CHECK_FAILS(gi_program_restore(&run, wrong.k, &values, t, &wrong.p),
                GRAM_ERR_SHAPE,
                "kernel \"map(standardize, rbf)\": values of 0 maps, there are "
                "more");
    gi_values_free(&values);
    release(&wrong);
    release(&ard);
    release(&mapped);
    gram_table_free(t);
    gram_table_free(two);
}

TEST(whichever_allocation_fails_nothing_stays_behind)
{
    GI_RUN(run, NULL);
    gram_table *t = grams_random_table(ROWS, 3, 1, 1, "a b c");
    compiled c = compile(&run, "map(standardize, rbf(ard)[a,b] + linear)", t);
    gi_values values = {0};
    size_t used = gram_memory_used(), n = 0;
    gram_status status = GRAM_ERR_MEMORY;

    while (status != GRAM_OK) {
        gram_program *p = NULL;

        gi_mem_fail_at(++n, 0);
        status = gi_values_of(&run, c.p, &values);
        if (status == GRAM_OK)
            status = gi_program_restore(&run, c.k, &values, t, &p);
        gi_mem_fail_at(0, 0);
        CHECK((p != NULL) == (status == GRAM_OK));
        gi_program_free(p);
        gi_values_free(&values);
        CHECK(gram_memory_used() == used);
    }
    CHECK(n > 10);
    release(&c);
    gram_table_free(t);
}

TESTS(SMALL(values_mean_the_same_for_another_table),
      SMALL(values_and_text_are_the_same_kernel),
      SMALL(a_structure_keeps_questions_and_names_columns),
      SMALL(values_that_do_not_fit_are_refused),
      SMALL(whichever_allocation_fails_nothing_stays_behind))
