/* test_spec_print.c - printing gives text that parses to the same tree: for
 * random trees, and for what is left of a spec after bytes are changed.
 */
#include "base/spec.h"

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "specs.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Random trees in all that the grammar allows, from a fixed pool. */
struct maker {
    gi_rng rng;
    gi_node nodes[4096];
    gi_column_item items[4096];
    size_t node_count, item_count;
};

static size_t below(struct maker *m, size_t n)
{
    return (size_t)gi_rng_below(&m->rng, n);
}

static double random_number(struct maker *m)
{
    static const double some[] = {0,    -0.0, 1,      2,      0.1,
                                  -1.5, 1e30, 5e-324, 1e-300, -1e17};

    return below(m, 2)
               ? some[below(m, COUNT(some))]
               : gi_rng_normal(&m->rng) * pow(10, (double)below(m, 40) - 20);
}

static const char *random_name(struct maker *m)
{
    static const char *const names[] = {"rbf", "k", "_x1", "\xc3\xa9t\xc3\xa9"};

    return names[below(m, COUNT(names))];
}

static gi_column_item *random_columns(struct maker *m, size_t n)
{
    static const char *const names[] = {"age",
                                        "a b",
                                        "",
                                        "\"",
                                        "x*",
                                        "3",
                                        "3:4",
                                        "a,b",
                                        "[",
                                        "x.1%",
                                        "-",
                                        "\n",
                                        "?",
                                        "3a",
                                        "\xe5\xb9\xb4",
                                        "184467440737095516160"};
    static const char *const patterns[] = {"*", "a*", "*-*b", "3*"};
    gi_column_item *item;

    if (n == 0 || m->item_count == COUNT(m->items))
        return NULL;
    item = &m->items[m->item_count++];
    *item = (gi_column_item){.kind = (gi_column_kind)below(m, 4)};
    if (item->kind == GI_COLUMN_NAME) {
        item->name = names[below(m, COUNT(names))];
    } else if (item->kind == GI_COLUMN_PATTERN) {
        item->name = patterns[below(m, COUNT(patterns))];
    } else if (item->kind == GI_COLUMN_INDEX) {
        item->name = "042";
        item->from = 42;
    } else {
        item->from = below(m, 100);
        item->to = item->from + 1 + below(m, 100);
    }
    item->next = random_columns(m, n - 1);
    return item;
}

static gi_node *random_node(struct maker *m, gi_node_kind kind)
{
    gi_node *node = &m->nodes[m->node_count++];

    *node = (gi_node){.kind = kind};
    return node;
}

static gi_node *random_numbers(struct maker *m)
{
    gi_node *first = NULL;

    for (size_t n = 1 + below(m, 3); n > 0; n--) {
        gi_node *node = random_node(m, GI_NODE_NUMBER);

        node->number = random_number(m);
        node->next = first;
        first = node;
    }
    return first;
}

static gi_node *random_tree(struct maker *m, size_t depth);

static gi_node *random_argument(struct maker *m, size_t depth)
{
    gi_node *node;

    switch (below(m, 6)) {
    case 0:
        node = random_node(m, GI_NODE_LIST);
        node->kids = random_numbers(m);
        break;
    case 1:
        node = random_node(m, GI_NODE_TEXT);
        node->name = below(m, 2) ? "a \"b\" \\ c\n" : "";
        break;
    default:
        node = random_tree(m, depth);
    }
    node->label = below(m, 2) ? random_name(m) : NULL;
    return node;
}

static void random_kids(struct maker *m, gi_node *node, size_t count,
                        size_t depth)
{
    gi_node **kid = &node->kids;

    for (size_t i = 0; i < count; i++, kid = &(*kid)->next) {
        *kid = node->kind == GI_NODE_CALL ? random_argument(m, depth)
                                          : random_tree(m, depth);
        (*kid)->minus = node->kind == GI_NODE_SUM && i > 0 && below(m, 3) == 0;
    }
}

static gi_node *random_tree(struct maker *m, size_t depth)
{
    int leaf = depth == 0 || m->node_count > COUNT(m->nodes) / 2;
    gi_node *node = random_node(m, (gi_node_kind)below(m, leaf ? 3 : 7));

    switch (node->kind) {
    case GI_NODE_NUMBER:
        node->number = random_number(m);
        break;
    case GI_NODE_OPEN:
        node->number = below(m, 2) ? random_number(m) : NAN;
        if (isnan(node->number) && below(m, 2))
            node->kids = random_numbers(m);
        break;
    case GI_NODE_CALL:
        node->name = random_name(m);
        node->columns = random_columns(m, below(m, 4));
        random_kids(m, node, leaf ? 0 : below(m, 4), depth - 1);
        break;
    case GI_NODE_GROUP:
        node->columns = random_columns(m, 1);
        if (!node->columns)
            node->kind = GI_NODE_POWER;
        random_kids(m, node, 1, depth - 1);
        break;
    case GI_NODE_POWER:
        node->number = random_number(m);
        random_kids(m, node, 1, depth - 1);
        break;
    default:
        random_kids(m, node, 2 + below(m, 3), depth - 1);
    }
    return node;
}

static void check_round_trip(const gi_node *tree)
{
    gi_buf first = {0}, second = {0};
    gi_spec *spec = NULL;

    CHECK_OK(gi_spec_print(NULL, tree, &first));
    CHECK_OK(gi_spec_parse(NULL, "kernel", first.s, &spec));
    if (!nodes_equal(tree, spec->root))
        fail_msg("%s is another tree", first.s);
    CHECK_OK(gi_spec_print(NULL, spec->root, &second));
    CHECK_STR(first.s, second.s);
    gi_spec_free(spec);
    gi_buf_free(&first);
    gi_buf_free(&second);
}

TEST(random_trees_print_to_text_that_parses_to_them)
{
    static struct maker m;
    size_t trees = check_size() == CHECK_SMALL ? 1500 : 20000;

    m.rng = gi_rng_new(1, 0);
    for (size_t i = 0; i < trees; i++) {
        m.node_count = m.item_count = 0;
        check_round_trip(random_tree(&m, 1 + i % 5));
    }
}

TEST(trees_that_differ_are_told_apart)
{
    static const char *const texts[] = {
        "a",         "b",           "a + b",   "a - b",  "a*b",    "a^2",
        "a^3",       "2",           "-0",      "0",      "?",      "?2",
        "?[2]",      "f(2)",        "f([2])",  "f(x=2)", "f(y=2)", "f(\"2\")",
        "a + b + c", "a + (b + c)", "f(2, 2)", "a[x]",   "a[y]",   "a[\"3\"]",
        "a[3]",      "(a)[x]",      "a[x,y]",  "a[3:4]", "a[3:5]", "a[x*]",
        "a[\"x*\"]",
    };
    gi_spec *spec[COUNT(texts)];

    for (size_t i = 0; i < COUNT(texts); i++)
        CHECK_OK(gi_spec_parse(NULL, "kernel", texts[i], &spec[i]));
    for (size_t i = 0; i < COUNT(texts); i++)
        for (size_t j = 0; j < COUNT(texts); j++)
            CHECK(nodes_equal(spec[i]->root, spec[j]->root) == (i == j));
    for (size_t i = 0; i < COUNT(texts); i++)
        gi_spec_free(spec[i]);
}

static const char *const long_spec =
    "2*rbf(gamma=?0.5, ard)[age,bmi,3:5,t*,\"a \"\"b\"\"\"] + "
    "?*poly(degree=2, w=[1,-2e-3])[\xe5\xb9\xb4] * delta[city]^2 - "
    "(exp(map(phi, k=(a - -1)^3)) + metric(A=\"x y.npy\"))[x]*?[0.1,1]";

/* Parses, and then prints and parses to the same; or fails with a sentence. */
static void check_survives(const char *text)
{
    gi_spec *spec = NULL;
    gram_status status = gi_spec_parse(NULL, "kernel", text, &spec);

    if (status == GRAM_OK) {
        check_round_trip(spec->root);
        gi_spec_free(spec);
    } else {
        CHECK(status == GRAM_ERR_PARSE || status == GRAM_ERR_RANGE);
        CHECK(strncmp(gram_error_message(), "kernel \"", 8) == 0);
        CHECK(strstr(gram_error_message(), "character ") != NULL);
        CHECK(spec == NULL);
    }
}

TEST(every_beginning_and_every_changed_byte_of_a_spec_is_survived)
{
    static const char bytes[] = "a1-?*^+()[],:=\"' \x01\x7f\x80\xff";
    char text[512];
    size_t n = strlen(long_spec);

    for (size_t i = 0; i <= n; i++) {
        memcpy(text, long_spec, i);
        text[i] = '\0';
        check_survives(text);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof bytes - 1; k++) {
            memcpy(text, long_spec, n + 1);
            text[i] = bytes[k];
            check_survives(text);
        }
}

TEST(an_allocation_that_fails_leaves_nothing_behind)
{
    size_t before = gram_memory_used();
    gram_status status = GRAM_ERR_MEMORY;

    for (size_t n = 1; status != GRAM_OK; n++) {
        gi_spec *spec = NULL;
        gi_buf b = {0};

        CHECK(n < 1000);
        gi_mem_fail_at(n, 0);
        status = gi_spec_parse(NULL, "kernel", long_spec, &spec);
        if (status == GRAM_OK)
            status = gi_spec_print(NULL, spec->root, &b);
        else
            CHECK(spec == NULL);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        gi_buf_free(&b);
        gi_spec_free(spec);
    }
    CHECK(gram_memory_used() == before);
    gi_spec_free(NULL);
}

TESTS(SMALL(random_trees_print_to_text_that_parses_to_them),
      SMALL(trees_that_differ_are_told_apart),
      SMALL(every_beginning_and_every_changed_byte_of_a_spec_is_survived),
      SMALL(an_allocation_that_fails_leaves_nothing_behind))
