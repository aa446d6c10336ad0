/* test_kernel.c - from text to kernel and back: the tree, its numbers, every
 * sentence about a text that is wrong.  What a kernel computes is tested in
 * test_kernel_<name>.c and test_kernels_all.c; the catalogue in
 * test_registry.c.
 */
#include "check.h"
#include "specs.h"

#include "base/mem.h"
#include "base/bind.h"
#include "kernels/expression/kernel.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static gram_kernel *kernel(const char *text)
{
    gram_kernel *k = NULL;

    if (gram_kernel_new(text, &k) != GRAM_OK)
        fail_msg("%s", gram_error_message());
    return k;
}

/* ------------------------------------------------------------------ tree */

TEST(an_expression_becomes_a_tree_of_rules_and_classes)
{
    gram_kernel *k =
        kernel("2*rbf[age,bmi] - exp(poly(degree=2)[bmi])^3 + normalize(?)");
    const gi_kernel_node *product = k->root->kids, *power = product->next;
    const gi_kernel_node *rbf = product->kids->next, *poly = power->kids->kids;

    CHECK(k->root->kind == GI_KERNEL_SUM);
    CHECK(product->kind == GI_KERNEL_PRODUCT && !product->minus);
    CHECK(product->kids->kind == GI_KERNEL_CONSTANT);
    CHECK(rbf->kind == GI_KERNEL_LEAF && !rbf->next);
    CHECK_STR(rbf->class_->name, "rbf");
    CHECK_STR(rbf->columns->next->name, "bmi");
    CHECK(power->kind == GI_KERNEL_POWER && power->minus);
    CHECK(power->exponent == 3 && power->kids->kind == GI_KERNEL_EXP);
    CHECK_STR(poly->class_->name, "poly");
    CHECK(poly->arg[0] == 2 && poly->slot[0] == -1);
    CHECK(power->next->kind == GI_KERNEL_NORMALIZE && !power->next->minus);
    CHECK(power->next->kids->kind == GI_KERNEL_CONSTANT);
    CHECK(!power->next->next);
    gram_kernel_free(k);
}

TEST(every_number_has_a_slot_unless_it_is_only_chosen)
{
    gram_kernel *k = kernel("2*rbf + ?0.5*matern(nu=1.5, length=3) + sigmoid");
    static const struct {
        const char *name;
        int open;
        double value;
    } expected[] = {{"amplitude", 0, 2},   {"rbf.gamma", 1, NAN},
                    {"amplitude", 1, 0.5}, {"matern.length", 0, 3},
                    {"sigmoid.a", 0, 1},   {"sigmoid.c", 0, 0}};

    CHECK(gram_kernel_param_count(k) == COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        gram_kernel_param p = gram_kernel_param_at(k, i);

        CHECK_STR(p.name, expected[i].name);
        CHECK(p.open == expected[i].open);
        CHECK(p.value == expected[i].value ||
              (isnan(p.value) && isnan(expected[i].value)));
        CHECK(k->slot[i].node->slot[k->slot[i].param
                                        ? k->slot[i].param -
                                              k->slot[i].node->class_->params
                                        : 0] == (int)i);
    }
    gram_kernel_free(k);
}

/* The only number of the kernel. */
static double number(const char *text)
{
    gram_kernel *k = kernel(text);
    double x = gram_kernel_param_at(k, 0).value;

    CHECK(gram_kernel_param_count(k) == 1);
    gram_kernel_free(k);
    return x;
}

TEST(sigma_and_length_are_other_ways_to_write_gamma)
{
    CHECK(number("rbf(gamma=0.125)") == 0.125);
    CHECK(number("rbf(sigma=2)") == 0.125);
    CHECK(number("rbf(length=2)") == 0.125);
    CHECK(number("rbf(sigma=?2)") == 0.125);
    CHECK(number("exponential(length=4)") == 0.25);
    CHECK(number("laplace(sigma=4)") == 0.25);
    CHECK(number("laplace(length=4)") == 0.25);
}

TEST(candidates_and_lists_are_in_the_units_of_the_parameter)
{
    gram_kernel *k = kernel("rbf(sigma=?[1,2]) + laplace(sigma=[2,4,8], ard)");
    const gi_slot *rbf = &k->slot[0], *laplace = &k->slot[1];

    CHECK(rbf->open && isnan(rbf->value) && isnan(rbf->start));
    CHECK(rbf->candidate_count == 2 && !rbf->values && !rbf->per_column);
    CHECK(rbf->candidates[0] == 0.5 && rbf->candidates[1] == 0.125);
    CHECK(!laplace->open && laplace->per_column && laplace->count == 3);
    CHECK(laplace->values[0] == 0.5 && laplace->values[2] == 0.125);
    gram_kernel_free(k);
}

TEST(ard_with_one_number_means_that_number_for_every_column)
{
    gram_kernel *k = kernel("rbf(0.5, ard) + rbf(ard) + rbf(1)");

    CHECK(k->slot[0].per_column && k->slot[0].value == 0.5);
    CHECK(!k->slot[0].values && !k->slot[0].open);
    CHECK(k->slot[1].per_column && k->slot[1].open);
    CHECK(!k->slot[2].per_column);
    gram_kernel_free(k);
}

TEST(columns_hold_for_what_is_inside_and_names_none)
{
    gram_kernel *k = kernel("(rbf + white + linear[b])[a]");

    CHECK_STR(k->root->columns->name, "a");
    CHECK(!k->root->kids->columns && !k->root->kids->next->columns);
    CHECK_STR(k->root->kids->next->next->columns->name, "b");
    gram_kernel_free(k);
    k = kernel("weight(w, weight(3, rbf))[a]");
    CHECK_STR(k->root->columns->name, "w");
    CHECK(k->root->columns->kind == GI_COLUMN_NAME);
    CHECK(k->root->kids->columns->kind == GI_COLUMN_INDEX);
    CHECK(k->root->kids->columns->from == 3);
    CHECK_STR(k->root->kids->kids->columns->name, "a");
    gram_kernel_free(k);
}

TEST(a_map_knows_its_arguments_and_what_it_need_not_learn)
{
    gram_kernel *k = kernel("map(bins(m=4, from=[0,1], to=[2,3]), linear)");
    const gi_map *map = k->root->map;

    CHECK(k->root->kind == GI_KERNEL_MAP);
    CHECK(map->arg[0] == 4 && map->state_size == 4);
    CHECK(gi_map_state_size(map, 2) == 4 && gi_map_width(map, 2) == 8);
    for (int i = 0; i < 4; i++)
        CHECK(map->state[i] == i);
    gram_kernel_free(k);
    k = kernel("map(bins, linear)");
    CHECK(k->root->map->arg[0] == 10 && !k->root->map->state);
    gram_kernel_free(k);
}

/* ------------------------------------------------------------------ text */

static int same_bits(const double *a, const double *b, size_t n)
{
    return n == 0 || (a && b ? memcmp(a, b, n * sizeof *a) == 0 : a == b);
}

static int same_slots(const gi_slot *a, const gi_slot *b)
{
    return strcmp(a->name, b->name) == 0 && a->param == b->param &&
           same_bits(&a->value, &b->value, 1) && a->open == b->open &&
           same_bits(&a->start, &b->start, 1) &&
           a->candidate_count == b->candidate_count &&
           same_bits(a->candidates, b->candidates, a->candidate_count) &&
           a->per_column == b->per_column && a->count == b->count &&
           same_bits(a->values, b->values, a->count);
}

static int same_leaves(const gi_kernel_node *a, const gi_kernel_node *b)
{
    size_t count = a->class_ ? gi_param_count(a->class_->params) : 0;

    for (size_t i = 0; i < count; i++)
        if (a->slot[i] != b->slot[i] || !same_bits(&a->arg[i], &b->arg[i], 1) ||
            (a->file[i] && strcmp(a->file[i], b->file[i]) != 0))
            return 0;
    return 1;
}

static int same_maps(const gi_map *a, const gi_map *b)
{
    if (!a || !b)
        return a == b;
    return a->class_ == b->class_ && a->state_size == b->state_size &&
           same_bits(a->arg, b->arg, gi_param_count(a->class_->params)) &&
           same_bits(a->state, b->state, a->state_size);
}

static int same_nodes(const gi_kernel_node *a, const gi_kernel_node *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->kind != b->kind || a->minus != b->minus ||
            a->class_ != b->class_ || a->exponent != b->exponent ||
            !same_leaves(a, b) || !same_maps(a->map, b->map) ||
            !columns_equal(a->columns, b->columns) ||
            !same_nodes(a->kids, b->kids))
            return 0;
    return a == b;
}

/* The text makes a kernel that prints as `printed`, which makes the same. */
static void check_prints(const char *text, const char *printed)
{
    gram_kernel *k = kernel(text), *again;

    CHECK_STR(gram_kernel_text(k), printed);
    again = kernel(printed);
    CHECK_STR(gram_kernel_text(again), printed);
    CHECK(same_nodes(k->root, again->root) && k->slots == again->slots);
    for (size_t i = 0; i < k->slots; i++)
        CHECK(same_slots(&k->slot[i], &again->slot[i]));
    gram_kernel_free(k);
    gram_kernel_free(again);
}

TEST(text_that_is_in_its_normal_form_stays)
{
    static const char *const texts[] = {
        "rbf",
        "1",
        "?",
        "?0.5",
        "?[0.1,1,10]",
        "-1*rbf",
        "rbf(gamma=0.1)",
        "rbf(sigma=0.1)",
        "rbf(gamma=?)",
        "rbf(gamma=?0.5, ard)",
        "rbf(length=?[1,2])",
        "rbf(gamma=[1,2], ard)[a,b]",
        "rbf(sigma=[0.1,1e-5], ard)",
        "2*rbf(gamma=0.5)[age,bmi] + poly(degree=2)[bmi]*delta[city]",
        "?*rbf(ard) + ?*linear",
        "rbf - linear",
        "1 - -2*rbf - (linear - white)",
        "(1 + rbf)*(2 + linear)",
        "(rbf*linear)^2",
        "(rbf^2)^0.5",
        "rbf^0.5*linear^2",
        "(-2)^2",
        "(rbf + linear[b])[a,2,3:5,x*,\"a b\",\"7\"]",
        "(rbf^2)[a]",
        "(2*rbf)[a]",
        "exp(linear)[a]",
        "exp(linear + 1)^2",
        "normalize(exp(0.5*linear))",
        "map(log, linear)",
        "map(standardize, rbf)[a,b]",
        "map(standardize(shift=[1,-2.5], scale=[0.1,1e30]), rbf)",
        "map(poly(degree=3), map(sqrt, linear))",
        "map(bins(m=4), linear)*map(fourier(m=2), linear)",
        "map(bins(m=4, from=[0], to=[1]), linear)",
        "weight(age, linear)",
        "weight(\"a b\", (rbf + linear)[a])",
        "weight(3, rbf)",
        "weight(\"a!b\", rbf)",
        "metric(A=\"a \"\"b\"\".npy\")[a,b]",
        "precomputed(K=\"K.npy\")",
        "anova",
        "anova(degree=all)",
        "anova(degree=2)",
        "matern(nu=0.5, length=?)",
        "rq(alpha=?2, length=3, ard)",
        "periodic(period=12, length=?0.5)",
        "cos(period=7)",
        "min[t]",
        "intersection + chi2(gamma=?)",
        "arccos(order=2) + sigmoid(a=-1, c=?-0.5)",
        "indicator(eps=0.25)",
        "constant(c=2) + constant",
        "expdot(a=0) + taylor(degree=0)",
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        check_prints(texts[i], texts[i]);
}

TEST(other_text_is_brought_to_normal_form)
{
    check_prints(" ( ( rbf ) ) ", "rbf");
    check_prints("rbf(0.5)", "rbf(gamma=0.5)");
    check_prints("rbf(ard,sigma=2)", "rbf(sigma=2, ard)");
    check_prints("poly(offset=0,degree=2)", "poly(degree=2, offset=0)");
    check_prints("matern(1.5, 2)", "matern(nu=1.5, length=2)");
    check_prints("rbf+( linear*white )", "rbf + linear*white");
    check_prints("rbf+(linear+white)", "rbf + (linear + white)");
    check_prints("rbf-(linear)[a]", "rbf - linear[a]");
    check_prints("rbf-(linear*2)[a]", "rbf - (linear*2)[a]");
    check_prints("exp(k=linear)", "exp(linear)");
    check_prints("map(k=linear, phi=log)", "map(log, linear)");
    check_prints("map(poly(3), linear)", "map(poly(degree=3), linear)");
    check_prints("weight(w, rbf + 1)[a]", "weight(w, (rbf + 1)[a])");
    check_prints("0.10*1e2*rbf", "0.1*100*rbf");
}

/* ---------------------------------------------------------------- errors */

#define RBF_LIST                                                               \
    "a list for gamma, one number per column, needs ard, as in "               \
    "rbf(gamma=[1,2], ard)"

TEST(what_is_wrong_is_said_in_one_sentence_with_its_place)
{
    static const struct {
        const char *text;
        gram_status status;
        int at;
        const char *sentence;
    } wrong[] = {
        {"rbff", GRAM_ERR_NAME, 1,
         "no kernel \"rbff\" (did you mean \"rbf\"?)"},
        {"2*nomalize(rbf)", GRAM_ERR_NAME, 3,
         "no kernel \"nomalize\" (did you mean \"normalize\"?)"},
        {"rbf + something", GRAM_ERR_NAME, 7, "no kernel \"something\""},
        {"log", GRAM_ERR_NAME, 1,
         "log is a map, expected a kernel, as in map(log, linear)"},
        {"radial", GRAM_ERR_NAME, 1,
         "radial cannot be written: h(|x-t|), h in C: see "
         "gram_kernel_register_radial"},
        {"rbf(gama=1)", GRAM_ERR_NAME, 5,
         "rbf has no parameter \"gama\" (did you mean \"gamma\"?)"},
        {"linear(2)", GRAM_ERR_PARSE, 8,
         "linear takes no argument without a name"},
        {"rbf(gamma=-1)", GRAM_ERR_RANGE, 11,
         "rbf: gamma = -1, must be positive"},
        {"rbf(gamma=0)", GRAM_ERR_RANGE, 11,
         "rbf: gamma = 0, must be positive"},
        {"rbf(gamma=nan)", GRAM_ERR_RANGE, 11,
         "rbf: gamma = nan, must be finite"},
        {"rbf(gamma=inf)", GRAM_ERR_RANGE, 11,
         "rbf: gamma = inf, must be finite"},
        {"sigmoid(c=inf)", GRAM_ERR_RANGE, 11,
         "sigmoid: c = inf, must be finite"},
        {"rbf(gamma=1e999)", GRAM_ERR_RANGE, 11,
         "a number too large for a double"},
        {"rbf(sigma=1e-200)", GRAM_ERR_RANGE, 11,
         "rbf: sigma = 1e-200 makes gamma = inf, out of range"},
        {"rbf(sigma=1e200)", GRAM_ERR_RANGE, 11,
         "rbf: sigma = 1e200 makes gamma = 0, out of range"},
        {"rbf(gamma=1, sigma=2)", GRAM_ERR_PARSE, 14,
         "rbf: gamma and sigma are two ways to give one number"},
        {"rbf(length=1, sigma=2)", GRAM_ERR_PARSE, 5,
         "rbf: sigma and length are two ways to give one number"},
        {"rbf(gamma=1, gamma=2)", GRAM_ERR_PARSE, 14, "gamma is given twice"},
        {"poly(offset=-1)", GRAM_ERR_RANGE, 13,
         "poly: offset = -1, must be at least 0"},
        {"poly(degree=1.5)", GRAM_ERR_RANGE, 13,
         "poly: degree = 1.5, must be a whole number from 0 to 1024"},
        {"poly(degree=1025)", GRAM_ERR_RANGE, 13,
         "poly: degree = 1025, must be a whole number from 0 to 1024"},
        {"poly(degree=?)", GRAM_ERR_RANGE, 13,
         "poly: degree is chosen, not learned: give a number"},
        {"indicator(eps=?)", GRAM_ERR_RANGE, 15,
         "indicator: eps is chosen, not learned: give a number"},
        {"matern(nu=2)", GRAM_ERR_RANGE, 11,
         "matern: nu = 2, must be 0.5, 1.5 or 2.5"},
        {"arccos(order=3)", GRAM_ERR_RANGE, 14,
         "arccos: order = 3, must be 0, 1 or 2"},
        {"poly(degree=all)", GRAM_ERR_PARSE, 13,
         "poly: degree takes a number, not \"all\""},
        {"constant(-1)", GRAM_ERR_RANGE, 10,
         "constant: c = -1, must be at least 0"},
        {"rbf(gamma=linear(1))", GRAM_ERR_PARSE, 11,
         "rbf: gamma takes a number, not a kernel"},
        {"rbf(linear[a])", GRAM_ERR_PARSE, 5,
         "rbf: gamma takes a number, not a kernel"},
        {"rbf(ardd)", GRAM_ERR_PARSE, 5,
         "rbf: gamma takes a number, not \"ardd\" (did you mean \"ard\"?)"},
        {"rbf(gamma=1+1)", GRAM_ERR_PARSE, 11,
         "rbf: gamma takes a number, not a sum"},
        {"rbf(gamma=\"1\")", GRAM_ERR_PARSE, 11,
         "rbf: gamma takes a number, not a quoted text"},
        {"rbf(ard=1)", GRAM_ERR_PARSE, 5,
         "rbf: ard is written alone, as in rbf(ard)"},
        {"rbf(gamma=[1,2])", GRAM_ERR_PARSE, 12, "rbf: " RBF_LIST},
        {"rbf(gamma=[1,-2], ard)", GRAM_ERR_RANGE, 14,
         "rbf: gamma = -2, must be positive"},
        {"poly(gamma=[1])", GRAM_ERR_PARSE, 12,
         "poly: gamma takes one number, not a list"},
        {"rbf(gamma=?-1)", GRAM_ERR_RANGE, 11,
         "rbf: gamma = -1, must be positive"},
        {"rbf(gamma=?[1,0])", GRAM_ERR_RANGE, 15,
         "rbf: gamma = 0, must be positive"},
        {"?-1*rbf", GRAM_ERR_RANGE, 1, "amplitude = -1, must be at least 0"},
        {"?[1,-1]", GRAM_ERR_RANGE, 5, "amplitude = -1, must be at least 0"},
        {"metric", GRAM_ERR_PARSE, 1,
         "metric needs A, as in metric(A=\"file.npy\")"},
        {"metric(A=2)", GRAM_ERR_PARSE, 10,
         "metric: A takes the name of a file in quotes, as in "
         "metric(A=\"file.npy\")"},
        {"exp", GRAM_ERR_PARSE, 1, "exp needs a kernel, as in exp(linear)"},
        {"exp(rbf, rbf)", GRAM_ERR_PARSE, 10,
         "exp takes at most 1 argument without a name"},
        {"exp([1])", GRAM_ERR_PARSE, 5, "a list, expected a kernel"},
        {"exp(\"rbf\")", GRAM_ERR_PARSE, 5, "a quoted text, expected a kernel"},
        {"map(log)", GRAM_ERR_PARSE, 1,
         "map needs a kernel, as in map(log, linear)"},
        {"map(rbf, rbf)", GRAM_ERR_NAME, 5,
         "rbf is a kernel, expected a map, as in map(log, rbf)"},
        {"map(lgo, rbf)", GRAM_ERR_NAME, 5,
         "no map \"lgo\" (did you mean \"log\"?)"},
        {"map(1, rbf)", GRAM_ERR_PARSE, 5,
         "a number, expected a map, as in map(log, linear)"},
        {"map(log[a], rbf)", GRAM_ERR_PARSE, 9,
         "columns belong to the kernel, as in map(log, linear)[a,b]"},
        {"map(poly(degree=0), rbf)", GRAM_ERR_RANGE, 17,
         "poly: degree = 0, must be a whole number from 1 to 1024"},
        {"map(standardize(shift=[1]), rbf)", GRAM_ERR_SHAPE, 5,
         "standardize: lists of one length for all columns, or none"},
        {"map(standardize(shift=[1,2], scale=[1]), rbf)", GRAM_ERR_SHAPE, 5,
         "standardize: lists of one length for all columns, or none"},
        {"map(standardize(shift=1), rbf)", GRAM_ERR_PARSE, 23,
         "standardize: shift takes a list, one number per column"},
        {"map(standardize(shift=?), rbf)", GRAM_ERR_PARSE, 23,
         "standardize: shift takes a list, one number per column"},
        {"weight(1.5, rbf)", GRAM_ERR_PARSE, 8,
         "weight: a number, expected a column, as in weight(age, linear)"},
        {"weight(rbf(1), rbf)", GRAM_ERR_PARSE, 8,
         "weight: a kernel, expected a column, as in weight(age, linear)"},
        {"white[a]", GRAM_ERR_PARSE, 7,
         "columns that nothing in front of them takes"},
        {"(rbf[a] + 2)[b]", GRAM_ERR_PARSE, 14,
         "columns that nothing in front of them takes"},
    };
    size_t used = gram_memory_used();

    for (size_t i = 0; i < COUNT(wrong); i++) {
        gram_kernel *k = NULL;
        char sentence[400];

        snprintf(sentence, sizeof sentence, "kernel \"%s\", character %d: %s",
                 wrong[i].text, wrong[i].at, wrong[i].sentence);
        CHECK_FAILS(gram_kernel_new(wrong[i].text, &k), wrong[i].status,
                    sentence);
        CHECK(!k && gram_memory_used() == used);
    }
}

TEST(texts_without_end_are_refused_and_deep_ones_read)
{
    enum { DEEP = 10000, READ = 60 };
    char *text = malloc(20 * READ + 2 * DEEP + 10);
    gram_kernel *k = NULL;

    memset(text, '(', DEEP);
    strcpy(text + DEEP, "rbf");
    memset(text + DEEP + 3, ')', DEEP);
    text[2 * DEEP + 3] = '\0';
    CHECK(gram_kernel_new(text, &k) == GRAM_ERR_PARSE && !k);
    *text = '\0';
    for (int i = 0; i < READ; i++)
        strcat(text, "exp(normalize(1 + ");
    strcat(text, "rbf");
    for (int i = 0; i < READ; i++)
        strcat(text, "))");
    check_prints(text, text);
    free(text);
}

TEST(whichever_allocation_fails_nothing_stays_behind)
{
    static const char *const text =
        "?[1,2]*rbf(sigma=[1,2], ard)[a] + weight(w, exp(linear))^2 + "
        "map(standardize(shift=[1], scale=[2]), metric(A=\"f\"))";
    size_t used = gram_memory_used(), n = 0;
    gram_status status = GRAM_ERR_MEMORY;

    while (status != GRAM_OK) {
        gram_kernel *k = NULL;

        gi_mem_fail_at(++n, 0);
        status = gram_kernel_new(text, &k);
        gi_mem_fail_at(0, 0);
        CHECK((k != NULL) == (status == GRAM_OK));
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        gram_kernel_free(k);
        CHECK(gram_memory_used() == used);
    }
    CHECK(n > 30);
    gram_kernel_free(NULL);
}

TESTS(SMALL(an_expression_becomes_a_tree_of_rules_and_classes),
      SMALL(every_number_has_a_slot_unless_it_is_only_chosen),
      SMALL(sigma_and_length_are_other_ways_to_write_gamma),
      SMALL(candidates_and_lists_are_in_the_units_of_the_parameter),
      SMALL(ard_with_one_number_means_that_number_for_every_column),
      SMALL(columns_hold_for_what_is_inside_and_names_none),
      SMALL(a_map_knows_its_arguments_and_what_it_need_not_learn),
      SMALL(text_that_is_in_its_normal_form_stays),
      SMALL(other_text_is_brought_to_normal_form),
      SMALL(what_is_wrong_is_said_in_one_sentence_with_its_place),
      SMALL(texts_without_end_are_refused_and_deep_ones_read),
      SMALL(whichever_allocation_fails_nothing_stays_behind))
