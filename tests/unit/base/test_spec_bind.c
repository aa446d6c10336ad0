/* test_spec_bind.c - arguments bound to parameters, and lists of columns.
 */
#include "base/spec.h"

#include "check.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define QUOTES "(names with blanks or signs go in quotes)"

/* --------------------------------------------------------------- binding */

static const char *const params[] = {"gamma", "degree", "ard"};

/* The values of gamma, degree and the flag ard, "-" if not given. */
static void check_binds(const char *text, const char *values)
{
    gi_spec *spec = NULL;
    const gi_node *out[COUNT(params)];
    gi_buf b = {0};

    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    CHECK_OK(gi_spec_bind(spec, spec->root, params, COUNT(params), 1, out));
    for (size_t i = 0; i < COUNT(params); i++) {
        CHECK_OK(gi_buf_add(NULL, &b, " ", i > 0));
        if (out[i])
            CHECK_OK(gi_spec_print(NULL, out[i], &b));
        else
            CHECK_OK(gi_buf_add(NULL, &b, "-", 1));
    }
    CHECK_STR(b.s, values);
    gi_buf_free(&b);
    gi_spec_free(spec);
}

static void check_refuses(const char *text, gram_status status,
                          const char *sentence)
{
    gi_spec *spec = NULL;
    const gi_node *out[COUNT(params)];

    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    CHECK_FAILS(gi_spec_bind(spec, spec->root, params, COUNT(params), 1, out),
                status, sentence);
    gi_spec_free(spec);
}

TEST(arguments_bind_by_order_by_name_and_flags_by_themselves)
{
    check_binds("f", "- - -");
    check_binds("f(1)", "1 - -");
    check_binds("f(1, 2)", "1 2 -");
    check_binds("f(degree=2)", "- 2 -");
    check_binds("f(1, degree=2)", "1 2 -");
    check_binds("f(ard)", "- - ard");
    check_binds("f(ard, 1)", "1 - ard");
    check_binds("f(degree=2, ard)", "- 2 ard");
    check_binds("f(ard=0)", "- - 0");
    check_binds("f(gamma, ard(1))", "gamma ard(1) -");
}

TEST(arguments_that_do_not_bind_are_pointed_at)
{
    check_refuses("rbf(gama=1)", GRAM_ERR_NAME,
                  "kernel \"rbf(gama=1)\", character 5: rbf has no parameter "
                  "\"gama\" (did you mean \"gamma\"?)");
    check_refuses("rbf( zzzzzz=1)", GRAM_ERR_NAME,
                  "kernel \"rbf( zzzzzz=1)\", character 6: rbf has no "
                  "parameter \"zzzzzz\"");
    check_refuses("rbf(gamma=1,gamma=2)", GRAM_ERR_PARSE,
                  "kernel \"rbf(gamma=1,gamma=2)\", character 13: gamma is "
                  "given twice");
    check_refuses("rbf(1,gamma=2)", GRAM_ERR_PARSE,
                  "kernel \"rbf(1,gamma=2)\", character 7: gamma is given "
                  "twice");
    check_refuses("rbf(ard,ard)", GRAM_ERR_PARSE,
                  "kernel \"rbf(ard,ard)\", character 9: ard is given twice");
    check_refuses("rbf(1,2,3)", GRAM_ERR_PARSE,
                  "kernel \"rbf(1,2,3)\", character 9: rbf takes at most 2 "
                  "arguments without a name");
    check_refuses("rbf(gamma=1,2)", GRAM_ERR_PARSE,
                  "kernel \"rbf(gamma=1,2)\", character 13: an argument "
                  "without a name behind gamma=, must come before it");
}

TEST(a_call_without_parameters_refuses_arguments)
{
    gi_spec *spec = NULL;

    CHECK_OK(gi_spec_parse(NULL, "kernel", "linear(2)", &spec));
    CHECK_FAILS(gi_spec_bind(spec, spec->root, NULL, 0, 0, NULL),
                GRAM_ERR_PARSE,
                "kernel \"linear(2)\", character 8: linear takes no argument "
                "without a name");
    gi_spec_free(spec);
}

TEST(a_long_name_does_not_flood_the_sentence)
{
    enum { N = 1 << 20 };
    char *text = malloc(N + 1);
    const gi_node *out[COUNT(params)];
    gi_spec *spec = NULL;

    for (size_t i = 0; i < N; i++)
        text[i] = "\xc3\xa9"[i % 2];
    memcpy(text, "f(", 2);
    memcpy(text + N - 4, "=1)", 4);
    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    CHECK(gi_spec_bind(spec, spec->root, params, COUNT(params), 1, out) ==
          GRAM_ERR_NAME);
    CHECK(strlen(gram_error_message()) < 600);
    CHECK(strstr(gram_error_message(), "\xc3\xa9...") != NULL);
    CHECK(strstr(gram_error_message(), "\xc3...") == NULL);
    gi_spec_free(spec);
    free(text);
}

/* --------------------------------------------------------------- columns */

TEST(a_list_of_columns_is_a_text_of_its_own)
{
    gi_spec *spec = NULL;
    const gi_column_item *item;
    gi_buf b = {0};

    CHECK_OK(gi_spec_parse_columns(NULL, "drop",
                                   " age,\"a b\", 3 : 5 ,temp*,007", &spec));
    item = spec->columns;
    CHECK(item->kind == GI_COLUMN_NAME && item->at == 1 && !item->value);
    CHECK_STR(item->name, "age");
    item = item->next;
    CHECK(item->kind == GI_COLUMN_NAME && item->at == 5);
    CHECK_STR(item->name, "a b");
    item = item->next;
    CHECK(item->kind == GI_COLUMN_RANGE && item->at == 12);
    CHECK(item->from == 3 && item->to == 5 && !item->name);
    item = item->next;
    CHECK(item->kind == GI_COLUMN_PATTERN && item->at == 19);
    CHECK_STR(item->name, "temp*");
    item = item->next;
    CHECK(item->kind == GI_COLUMN_INDEX && item->from == 7 && !item->next);
    CHECK_STR(item->name, "007");
    CHECK_OK(gi_spec_print_columns(NULL, spec->columns, &b));
    CHECK_STR(b.s, "age,\"a b\",3:5,temp*,007");
    gi_buf_free(&b);
    gi_spec_free(spec);
}

TEST(pairs_give_columns_a_value)
{
    gi_spec *spec = NULL;
    gi_buf b = {0};

    CHECK_OK(gi_spec_parse_pairs(NULL, "types",
                                 "age = number,\"a=b\"=date,3:5=text", &spec));
    CHECK_STR(spec->columns->value, "number");
    CHECK(spec->columns->next->value_at == 19);
    CHECK_STR(spec->columns->next->name, "a=b");
    CHECK_STR(spec->columns->next->value, "date");
    CHECK_OK(gi_spec_print_columns(NULL, spec->columns, &b));
    CHECK_STR(b.s, "age=number,\"a=b\"=date,3:5=text");
    gi_buf_free(&b);
    gi_spec_free(spec);
}

TEST(bad_lists_of_columns_are_refused)
{
    gi_spec *spec = NULL;

    CHECK_FAILS(gi_spec_parse_columns(NULL, "drop", "", &spec), GRAM_ERR_PARSE,
                "drop \"\", character 1: found the end, expected a column");
    CHECK_FAILS(gi_spec_parse_columns(NULL, "drop", "a,,b", &spec),
                GRAM_ERR_PARSE,
                "drop \"a,,b\", character 3: found \",\", expected a column");
    CHECK_FAILS(gi_spec_parse_columns(NULL, "drop", "a b", &spec),
                GRAM_ERR_PARSE,
                "drop \"a b\", character 3: found \"b\", expected \",\" or the "
                "end " QUOTES);
    CHECK_FAILS(gi_spec_parse_columns(NULL, "drop", "3:", &spec),
                GRAM_ERR_PARSE,
                "drop \"3:\", character 3: found the end, expected the index "
                "that ends the range");
    CHECK_FAILS(
        gi_spec_parse_pairs(NULL, "types", "age", &spec), GRAM_ERR_PARSE,
        "types \"age\", character 4: found the end, expected \"=\" " QUOTES);
    CHECK_FAILS(gi_spec_parse_pairs(NULL, "types", "age=", &spec),
                GRAM_ERR_PARSE,
                "types \"age=\", character 5: found the end, expected a name");
    CHECK_FAILS(gi_spec_parse_pairs(NULL, "types", "a=b c", &spec),
                GRAM_ERR_PARSE,
                "types \"a=b c\", character 5: found \"c\", expected \",\" or "
                "the end");
}

TEST(items_match_names_and_patterns_match_by_stars)
{
    static const struct {
        const char *item, *name;
        int matches;
    } m[] = {
        {"age", "age", 1},     {"age", "Age", 0},        {"age", "ages", 0},
        {"3", "3", 1},         {"3", "03", 0},           {"3:5", "3:5", 0},
        {"\"x*\"", "x*", 1},   {"\"x*\"", "xy", 0},      {"x*", "x*", 1},
        {"*", "", 1},          {"*", "anything", 1},     {"x*", "x", 1},
        {"x*", "yx", 0},       {"*x", "axbx", 1},        {"*x", "axb", 0},
        {"a*b*c", "abc", 1},   {"a*b*c", "a12b1b2c", 1}, {"a*b*c", "acb", 0},
        {"**a**", "xxaxx", 1}, {"*ab*ab", "ababab", 1},  {"*ab*ab", "aab", 0},
    };

    for (size_t i = 0; i < COUNT(m); i++) {
        gi_spec *spec = NULL;

        CHECK_OK(gi_spec_parse_columns(NULL, "drop", m[i].item, &spec));
        CHECK(gi_column_matches(spec->columns, m[i].name) == m[i].matches);
        gi_spec_free(spec);
    }
}

TESTS(SMALL(arguments_bind_by_order_by_name_and_flags_by_themselves),
      SMALL(arguments_that_do_not_bind_are_pointed_at),
      SMALL(a_call_without_parameters_refuses_arguments),
      SMALL(a_long_name_does_not_flood_the_sentence),
      SMALL(a_list_of_columns_is_a_text_of_its_own),
      SMALL(pairs_give_columns_a_value),
      SMALL(bad_lists_of_columns_are_refused),
      SMALL(items_match_names_and_patterns_match_by_stars))
