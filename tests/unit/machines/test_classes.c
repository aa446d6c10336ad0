/* test_classes.c - classes: names, codings, votes, probabilities, weights.
 */
#include "check.h"
#include "grams.h"

#include "machines/classes.h"

static gi_classes of(gi_coding coding, size_t count)
{
    static char *names[] = {"a", "b", "c", "d", "e", "f"};

    return (gi_classes){.coding = coding, .count = count, .name = names};
}

TEST(pairs_are_counted_in_order)
{
    gi_classes c = of(GI_CODING_PAIRS, 5);
    size_t q = 0, a, b;

    CHECK(gi_classes_functions(&c) == 10);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++, q++) {
            gi_classes_pair(&c, q, &a, &b);
            CHECK(a == i && b == j);
            for (size_t k = 0; k < 5; k++)
                CHECK(gi_classes_sign(&c, q, k) == (k == j   ? 1
                                                    : k == i ? -1
                                                             : 0));
        }
}

/* Functions that are y itself decide for the class of the row. */
TEST(perfect_functions_find_every_class)
{
    gi_coding codings[] = {GI_CODING_PAIRS, GI_CODING_REST, GI_CODING_JOINT};

    for (size_t i = 0; i < 3; i++)
        for (size_t count = 2; count <= 6; count++) {
            gi_classes c = of(codings[i], count);
            size_t functions = gi_classes_functions(&c);
            double f[15], p[6];
            int label;

            for (size_t k = 0; k < count; k++) {
                for (size_t q = 0; q < functions; q++)
                    f[q] = 5 * gi_classes_sign(&c, q, k);
                c.link = GI_LINK_NONE;
                CHECK_OK(gi_classes_label(NULL, &c, f, 1, &label));
                CHECK(label == (int)k);
                c.link = GI_LINK_LOGISTIC;
                CHECK_OK(gi_classes_label(NULL, &c, f, 1, &label));
                CHECK(label == (int)k);
                CHECK_OK(gi_classes_proba(NULL, &c, f, 1, p));
                double sum = 0;
                for (size_t j = 0; j < count; j++)
                    sum += p[j];
                CHECK_NEAR(sum, 1, 1e-12);
            }
        }
}

/* Pairwise probabilities p_b/(p_a + p_b) belong to p alone. */
TEST(coupling_finds_probabilities_that_agree_with_all_pairs)
{
    gi_classes c = of(GI_CODING_PAIRS, 4);
    const double want[] = {0.1, 0.2, 0.3, 0.4};
    double f[6], p[4];

    c.link = GI_LINK_LOGISTIC;
    for (size_t q = 0; q < 6; q++) {
        size_t a, b;

        gi_classes_pair(&c, q, &a, &b);
        f[q] = log(want[b] / want[a]);
    }
    CHECK_OK(gi_classes_proba(NULL, &c, f, 1, p));
    for (size_t k = 0; k < 4; k++)
        CHECK_NEAR(p[k], want[k], 1e-3);
}

TEST(softmax_does_not_overflow)
{
    gi_classes c = of(GI_CODING_JOINT, 3);
    double f[] = {1e4, 1e4, -1e4}, p[3];

    c.link = GI_LINK_LOGISTIC;
    CHECK_OK(gi_classes_proba(NULL, &c, f, 1, p));
    CHECK_NEAR(p[0], 0.5, 1e-15);
    CHECK(p[2] == 0);
}

TEST(there_are_no_probabilities_without_a_link)
{
    gi_classes c = of(GI_CODING_PAIRS, 2);
    double f = 0, p[2];

    CHECK_FAILS(gi_classes_proba(NULL, &c, &f, 1, p), GRAM_ERR_RANGE,
                "this loss has no probabilities: fit with probability, which "
                "calibrates them, or with loss logistic");
}

TEST(weights_are_balanced_or_by_name)
{
    gi_classes c = of(GI_CODING_PAIRS, 3);
    const int code[] = {0, 0, 0, 1, 1, 2};
    double w[3];

    CHECK_OK(gi_classes_weights(NULL, &c, "balanced", code, 6, w));
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(w[k] * (3 - k), 2, 1e-15);
    CHECK_OK(gi_classes_weights(NULL, &c, "c=5,a=0.5", code, 6, w));
    CHECK(w[0] == 0.5 && w[1] == 1 && w[2] == 5);
    CHECK_OK(gi_classes_weights(NULL, &c, NULL, code, 6, w));
    CHECK(w[0] == 1 && w[1] == 1 && w[2] == 1);
    CHECK_FAILS(gi_classes_weights(NULL, &c, "x=1", code, 6, w), GRAM_ERR_NAME,
                "class weights: there is no class \"x\"");
    CHECK_FAILS(gi_classes_weights(NULL, &c, "a=0", code, 6, w), GRAM_ERR_RANGE,
                "class weights: \"0\" for class \"a\", must be a number above "
                "0");
    CHECK_FAILS(gi_classes_weights(NULL, &c, "a", code, 6, w), GRAM_ERR_PARSE,
                "class weights: \"a\", must be CLASS=NUMBER or balanced");
}

/* The gradient of the likelihood of a and b vanishes, and a better pair is not
 * near. */
TEST(the_sigmoid_has_the_greatest_likelihood)
{
    enum { N = 400 };
    gi_rng rng = gi_rng_new(3, 1);
    double f[N], y[N], a, b, g1 = 0, g2 = 0, plus = 0;

    for (int i = 0; i < N; i++) {
        f[i] = gi_rng_normal(&rng);
        y[i] = gi_rng_uniform(&rng) < 1 / (1 + exp(-2 * f[i] + 0.5)) ? 1 : -1;
        plus += y[i] > 0;
    }
    gi_sigmoid_fit(f, y, NULL, N, 1, &a, &b);
    CHECK(fabs(a + 2) < 0.6 && fabs(b - 0.5) < 0.4);
    for (int i = 0; i < N; i++) {
        double t = y[i] > 0 ? (plus + 1) / (plus + 2) : 1 / (N - plus + 2);
        double p = 1 / (1 + exp(a * f[i] + b));

        g1 += f[i] * (t - p);
        g2 += t - p;
    }
    CHECK(fabs(g1) < 1e-4 && fabs(g2) < 1e-4);
}

TEST(names_are_sorted_as_numbers_then_as_text)
{
    const double values[] = {10, 2, -1, 2};
    gram_table *t = NULL;
    gi_classes c = {0};
    int code[4];

    CHECK_OK(gram_table_new(4, &t));
    CHECK_OK(gram_table_add_numbers(t, "y", values, 1));
    CHECK_OK(gi_classes_read(NULL, &t->column[0], 4, &c, code));
    CHECK(c.count == 3);
    CHECK_STR(c.name[0], "-1");
    CHECK_STR(c.name[2], "10");
    CHECK(code[0] == 2 && code[1] == 1 && code[2] == 0 && code[3] == 1);
    gi_classes_free(&c);
    gram_table_free(t);
}

TESTS(SMALL(pairs_are_counted_in_order),
      SMALL(perfect_functions_find_every_class),
      SMALL(coupling_finds_probabilities_that_agree_with_all_pairs),
      SMALL(softmax_does_not_overflow),
      SMALL(there_are_no_probabilities_without_a_link),
      SMALL(weights_are_balanced_or_by_name),
      SMALL(the_sigmoid_has_the_greatest_likelihood),
      SMALL(names_are_sorted_as_numbers_then_as_text))
