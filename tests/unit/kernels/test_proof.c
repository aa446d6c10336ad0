/* test_proof.c - verdicts against what matrices say: a certified kernel has no
 * matrix with a negative eigenvalue, a refuted one has one on the points that
 * the proof shows.
 */
#include "grams.h"

#include <float.h>

#include "base/mem.h"

/* The expression, its columns, the verdict, and the rule at the root if it is
 * certified, else at the node that breaks it. */
static const struct expectation {
    const char *text, *columns;
    int psd;
    const char *rule;
} expectations[] = {
    {"3", NULL, 1, "constant"},
    {"linear", NULL, 1, "known kernel"},
    {"2*rbf(gamma=1)", NULL, 1, "non-negative scaling"},
    {"-1*-2*rbf(gamma=1)", NULL, 1, "non-negative scaling"},
    {"rbf(gamma=1) + linear", NULL, 1, "sum"},
    {"2*rbf(gamma=1)*linear", NULL, 1, "product"},
    {"rbf(gamma=1)[a]*linear[b] + min[a]", "a b", 1, "sum"},
    {"linear^3", NULL, 1, "integer power"},
    {"linear^0", NULL, 1, "constant"},
    {"1 + 2*linear + 3*linear^2", NULL, 1, "polynomial"},
    {"linear*linear + linear", NULL, 1, "polynomial"},
    {"2*rbf(gamma=1) - rbf(gamma=1)", NULL, 1, "polynomial"},
    {"rbf(gamma=1)^2 + 1 - 0.5*rbf(gamma=1)^2", NULL, 1, "polynomial"},
    {"rbf(gamma=1)^0.5", NULL, 1, "power of an infinitely divisible kernel"},
    {"(2*rbf(gamma=1)*laplace(gamma=1)^0.5)^0.3", NULL, 1,
     "power of an infinitely divisible kernel"},
    {"min^0.5", NULL, 1, "power of an infinitely divisible kernel"},
    {"exp(linear)", NULL, 1, "exp"},
    {"exp(linear)^0.5", NULL, 1, "power of an infinitely divisible kernel"},
    {"normalize(poly(degree=2))", NULL, 1, "normalize"},
    {"normalize(rbf(gamma=1))^0.7", NULL, 1,
     "power of an infinitely divisible kernel"},
    {"map(square, linear)", NULL, 1, "map"},
    {"weight(a, rbf(gamma=1)[b])", "a b", 1, "weight"},
    {"indicator", NULL, 1, "known kernel"},
    {"-2", NULL, -1, "constant"},
    {"-1*rbf(gamma=1)", NULL, -1, "negative scale"},
    {"-3*rbf(gamma=1)[a]*linear[b]", "a b", -1, "negative scale"},
    {"linear^0.5", NULL, -1, "non-integer power"},
    {"linear^2.5", NULL, -1, "non-integer power"},
    {"weight(a, rbf(gamma=1))^0.5", "a", 0, "non-integer power"},
    {"rbf(gamma=1)^-1", NULL, -1, "negative power"},
    {"rbf(gamma=1) - linear", NULL, -1, "difference"},
    {"linear - rbf(gamma=1)", NULL, -1, "difference"},
    {"rbf(gamma=1) - 2*rbf(gamma=1)", NULL, -1, "difference"},
    {"rbf(gamma=1) - 0.5*rbf(gamma=2)", NULL, -1, "difference"},
    {"linear[a] - linear[b]", "a b", -1, "difference"},
    {"1 + 3*(linear[2:3] - rbf(gamma=1))", NULL, -1, "difference"},
    {"sigmoid", NULL, -1, "known counterexample"},
    {"sigmoid(a=2, c=1)", NULL, -1, "known counterexample"},
    {"2*sigmoid", NULL, -1, "known counterexample"},
    {"indicator(eps=0.5)", NULL, -1, "known counterexample"},
    {"indicator(eps=0.5)[a,b]", "a b", -1, "known counterexample"},
    {"normalize(indicator(eps=1))", NULL, -1, "known counterexample"},
    {"exp(-1*linear)", NULL, -1, "negative scale"},
    {"rbf(gamma=2) - 0.1*rbf(gamma=1)", NULL, 0, "difference"},
    {"rbf - rbf", NULL, 0, "difference"},
    {"precomputed(K=\"none.npy\")", NULL, 0, "not known"},
    {"linear + precomputed(K=\"none.npy\")", NULL, 0, "not known"},
};

enum { EXPECTATIONS = sizeof expectations / sizeof *expectations };

static gram_proof *prove(const char *text)
{
    gram_kernel *k = grams_kernel(text);
    gram_proof *proof = NULL;

    CHECK_OK(gram_proof_new(k, &proof));
    gram_kernel_free(k);
    return proof;
}

/* From the root down to the first part that is not certified, except a number,
 * which is a factor. */
static gram_proof_step find_break(const gram_proof *proof)
{
    gram_proof_step found = gram_proof_at(proof, 0);

    for (size_t i = 1; i < gram_proof_count(proof) && found.psd < 1; i++) {
        gram_proof_step step = gram_proof_at(proof, i);

        if (step.depth <= found.depth)
            break;
        if (step.depth == found.depth + 1 && step.psd < 1 &&
            strcmp(step.rule, "constant") != 0)
            found = step;
    }
    return found;
}

static void check_refuted(const struct expectation *e,
                          const gram_proof_step *step)
{
    gram_table *t = grams_table(step->count, step->d, step->points, e->columns);
    double *K = grams_matrix(step->text, t), min, max;

    grams_extremes(K, step->count, &min, &max);
    if (!(min < -1e-9 * fmax(max, -min)))
        fail_msg("%s: smallest eigenvalue %g of points", step->text, min);
    CHECK_NEAR(step->eigenvalue, min, 1e-12);
    free(K);
    gram_table_free(t);
}

static void check_certified(const struct expectation *e)
{
    enum { N = 30 };

    for (uint64_t stream = 0; stream < 3; stream++) {
        gram_table *t = grams_random_table(N, 2, 1, stream, e->columns);
        double *K = grams_matrix(e->text, t), min, max;

        grams_extremes(K, N, &min, &max);
        if (!(min >= -10 * N * DBL_EPSILON * max))
            fail_msg("%s: eigenvalues %g to %g", e->text, min, max);
        free(K);
        gram_table_free(t);
    }
}

TEST(verdicts_are_what_matrices_say)
{
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        const struct expectation *e = expectations + i;
        gram_proof *proof = prove(e->text);
        gram_proof_step found = find_break(proof);

        if (gram_proof_psd(proof) != e->psd)
            fail_msg("%s: verdict %d", e->text, gram_proof_psd(proof));
        if (strcmp(found.rule, e->rule) != 0)
            fail_msg("%s: rule %s at %s", e->text, found.rule, found.text);
        if (e->psd > 0)
            check_certified(e);
        for (size_t j = 0; j < gram_proof_count(proof); j++) {
            gram_proof_step step = gram_proof_at(proof, j);

            CHECK(step.rule && step.why && step.text);
            CHECK((step.points != NULL) == (step.psd < 0));
            CHECK(isnan(step.eigenvalue) == (step.points == NULL));
            if (step.points)
                check_refuted(e, &step);
        }
        gram_proof_free(proof);
    }
}

TEST(every_node_is_a_step_and_parts_follow)
{
    static const struct {
        int depth;
        const char *text, *rule;
    } steps[] = {
        {0, "2*rbf(gamma=0.5)[a] + linear^2", "sum"},
        {1, "2*rbf(gamma=0.5)[a]", "non-negative scaling"},
        {2, "2", "constant"},
        {2, "rbf(gamma=0.5)[a]", "known kernel"},
        {1, "linear^2", "integer power"},
        {2, "linear", "known kernel"},
    };
    enum { STEPS = sizeof steps / sizeof *steps };
    gram_proof *proof = prove(steps[0].text);

    CHECK(gram_proof_count(proof) == STEPS);
    for (size_t i = 0; i < STEPS; i++) {
        gram_proof_step step = gram_proof_at(proof, i);

        CHECK(step.depth == steps[i].depth && step.psd == 1);
        CHECK_STR(step.text, steps[i].text);
        CHECK_STR(step.rule, steps[i].rule);
    }
    gram_proof_free(proof);
}

/* What the proof suggests is itself certified. */
TEST(replacements_are_kernels)
{
    static const struct {
        const char *text, *instead;
    } cases[] = {
        {"rbf(gamma=1) - linear", "rbf(gamma=1) + linear"},
        {"(rbf - linear)[a]", "(rbf + linear)[a]"},
        {"-2*rbf", "2*rbf"},
        {"linear^0.5", "linear"},
        {"linear^2.5", "linear^3"},
        {"linear^-2", "linear"},
        {"-2", "2"},
        {"sigmoid", "arccos"},
        {"indicator(eps=1)", "delta"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gram_proof *proof = prove(cases[i].text), *other;

        CHECK_STR(gram_proof_at(proof, 0).instead, cases[i].instead);
        other = prove(cases[i].instead);
        CHECK(gram_proof_psd(other) == 1);
        gram_proof_free(other);
        gram_proof_free(proof);
    }
}

TEST(open_numbers_are_certified_for_all_their_values)
{
    static const char *const texts[] = {
        "?*rbf(ard) + ?*linear",
        "matern",
        "poly(gamma=?, offset=?)",
        "constant",
        "rbf^0.5",
        "?[1,2]*periodic",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gram_proof *proof = prove(texts[i]);

        CHECK(gram_proof_psd(proof) == 1);
        gram_proof_free(proof);
    }
}

TEST(a_domain_is_part_of_the_sentence)
{
    static const char *const names[] = {"min", "intersection", "chi2"};

    for (size_t i = 0; i < 3; i++) {
        gram_proof *proof = prove(names[i]);

        CHECK(strstr(gram_proof_at(proof, 0).why, "for numbers >= 0 only"));
        gram_proof_free(proof);
    }
}

/* Which values the points are for. */
TEST(points_say_what_open_numbers_are)
{
    gram_proof *proof = prove("rbf - ?2");
    gram_proof_step step = gram_proof_at(proof, 0);

    CHECK_STR(step.why, "what is subtracted may be larger than what is left, "
                        "in some direction; shown with open numbers at their "
                        "start, or 1");
    CHECK(step.count == 1);
    CHECK_NEAR(step.eigenvalue, -1, 1e-15);
    gram_proof_free(proof);
}

TEST(three_points_refute_an_indicator)
{
    gram_proof *proof = prove("indicator(eps=2)");
    gram_proof_step step = gram_proof_at(proof, 0);

    CHECK(step.psd == -1 && step.count == 3 && step.d == 1);
    CHECK_NEAR(step.eigenvalue, 1 - sqrt(2), 1e-15);
    gram_proof_free(proof);
}

TEST(deep_expressions_are_proven)
{
    char text[3000] = "", *end = text;

    for (int i = 0; i < 100; i++)
        end += sprintf(end, "exp(0*(");
    end += sprintf(end, "sigmoid");
    for (int i = 0; i < 100; i++)
        end += sprintf(end, "))");
    gram_proof_free(prove(text));
}

TEST(whichever_allocation_fails_there_is_a_sentence)
{
    gram_kernel *k = grams_kernel("2*rbf(gamma=1)[a] - linear^0.5");
    size_t before = gram_memory_used();
    gram_status status = GRAM_ERR_MEMORY;

    for (size_t n = 1; status != GRAM_OK; n++) {
        gram_proof *proof = NULL;

        gi_mem_fail_at(n, 1);
        status = gram_proof_new(k, &proof);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK)
            CHECK(status == GRAM_ERR_MEMORY && proof == NULL);
        gram_proof_free(proof);
        CHECK(gram_memory_used() == before);
        n += n / 8;
    }
    gram_kernel_free(k);
}

TESTS(SMALL(verdicts_are_what_matrices_say),
      SMALL(every_node_is_a_step_and_parts_follow),
      SMALL(replacements_are_kernels),
      SMALL(open_numbers_are_certified_for_all_their_values),
      SMALL(a_domain_is_part_of_the_sentence),
      SMALL(points_say_what_open_numbers_are),
      SMALL(three_points_refute_an_indicator),
      SMALL(deep_expressions_are_proven),
      SMALL(whichever_allocation_fails_there_is_a_sentence))
