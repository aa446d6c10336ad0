/* test_spec.c - what texts of the spec grammar mean, and what is said about
 * those that mean nothing.  Trees are written down as text with every
 * parenthesis shown, so that a test reads "this means that".
 * test_spec_bind.c has arguments and columns, test_spec_print.c the round
 * trips.
 */
#include "base/spec.h"

#include "check.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* -------------------------------------------------------- trees as text */

static void show(const gi_node *node, char *out, size_t size);

static void append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *out, size_t size, const char *format, ...)
{
    size_t n = strlen(out);
    va_list args;

    va_start(args, format);
    vsnprintf(out + n, size - n, format, args);
    va_end(args);
}

static void show_columns(const gi_column_item *item, char *out, size_t size)
{
    static const char *const kinds[] = {"name", "index", "range", "pattern"};

    for (; item; item = item->next) {
        append(out, size, " %s:", kinds[item->kind]);
        if (item->kind == GI_COLUMN_RANGE)
            append(out, size, "%zu..%zu", item->from, item->to);
        else
            append(out, size, "%s", item->name);
        if (item->kind == GI_COLUMN_INDEX)
            append(out, size, "(%zu)", item->from);
        if (item->value)
            append(out, size, "=%s", item->value);
    }
}

/* (kind label= -minus name number kids... columns) */
static void show(const gi_node *node, char *out, size_t size)
{
    static const char *const kinds[] = {"number", "open", "call",
                                        "group",  "sum",  "product",
                                        "power",  "list", "text"};

    if (node->minus)
        append(out, size, "-");
    if (node->label)
        append(out, size, "%s=", node->label);
    if (node->kind == GI_NODE_NUMBER) {
        append(out, size, "%g", node->number);
        return;
    }
    if (node->kind == GI_NODE_CALL && !node->kids && !node->columns) {
        append(out, size, "%s", node->name);
        return;
    }
    append(out, size, "(%s", kinds[node->kind]);
    if (node->name)
        append(out, size, " %s", node->name);
    for (const gi_node *kid = node->kids; kid; kid = kid->next) {
        append(out, size, " ");
        show(kid, out, size);
    }
    if (node->kind == GI_NODE_POWER ||
        (node->kind == GI_NODE_OPEN && !isnan(node->number)))
        append(out, size, " %g", node->number);
    show_columns(node->columns, out, size);
    append(out, size, ")");
}

struct meaning {
    const char *text, *tree, *printed; /* printed NULL: as the text */
};

static void check_meanings(const struct meaning *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gi_spec *spec = NULL;
        gi_buf b = {0};
        char tree[512] = "";

        CHECK_OK(gi_spec_parse(NULL, "kernel", m[i].text, &spec));
        show(spec->root, tree, sizeof tree);
        CHECK_STR(tree, m[i].tree);
        CHECK_OK(gi_spec_print(NULL, spec->root, &b));
        CHECK_STR(b.s, m[i].printed ? m[i].printed : m[i].text);
        gi_buf_free(&b);
        gi_spec_free(spec);
    }
}

TEST(products_bind_tighter_than_sums_and_powers_than_products)
{
    static const struct meaning m[] = {
        {"a + b*c", "(sum a (product b c))", NULL},
        {"a*b + c", "(sum (product a b) c)", NULL},
        {"(a + b)*c", "(product (sum a b) c)", NULL},
        {"a*b^2", "(product a (power b 2))", NULL},
        {"(a*b)^2", "(power (product a b) 2)", NULL},
        {"(a + b)^2*c - d", "(sum (product (power (sum a b) 2) c) -d)", NULL},
    };

    check_meanings(m, COUNT(m));
}

TEST(chains_are_flat_and_parentheses_in_them_stay)
{
    static const struct meaning m[] = {
        {"a + b + c", "(sum a b c)", NULL},
        {"a + (b + c)", "(sum a (sum b c))", NULL},
        {"(a + b) + c", "(sum (sum a b) c)", NULL},
        {"a - b + c - d", "(sum a -b c -d)", NULL},
        {"a - (b - c)", "(sum a -(sum b -c))", NULL},
        {"a*b*c", "(product a b c)", NULL},
        {"a*(b*c)", "(product a (product b c))", NULL},
        {"(a^2)^3", "(power (power a 2) 3)", NULL},
        {"((a)) + (b*(c))", "(sum a (product b c))", "a + b*c"},
        {"(((a + b)))", "(sum a b)", "a + b"},
    };

    check_meanings(m, COUNT(m));
}

TEST(numbers_take_a_sign_where_a_value_must_stand)
{
    static const struct meaning m[] = {
        {"0.5", "0.5", NULL},
        {"-2*rbf", "(product -2 rbf)", NULL},
        {"rbf*-2", "(product rbf -2)", NULL},
        {"a - -2", "(sum a --2)", NULL},
        {"a-2", "(sum a -2)", "a - 2"},
        {"1e-3-1e+3", "(sum 0.001 -1000)", "0.001 - 1000"},
        {"rbf(gamma=-1)", "(call rbf gamma=-1)", NULL},
        {"rbf^-0.5", "(power rbf -0.5)", NULL},
        {"(-2)^2", "(power -2 2)", NULL},
        {"2^2", "(power 2 2)", NULL},
        {"-0", "-0", NULL},
    };

    check_meanings(m, COUNT(m));
}

TEST(a_question_mark_is_open_with_a_start_or_candidates)
{
    static const struct meaning m[] = {
        {"?", "(open)", NULL},
        {"?*rbf + ?*linear",
         "(sum (product (open) rbf) (product (open) linear))", NULL},
        {"rbf(gamma=?0.5)", "(call rbf gamma=(open 0.5))", NULL},
        {"rbf(gamma=? 0.5)", "(call rbf gamma=(open 0.5))", "rbf(gamma=?0.5)"},
        {"f(c=?-1)", "(call f c=(open -1))", NULL},
        {"? - 1", "(sum (open) -1)", NULL},
        {"?-a", "(sum (open) -a)", "? - a"},
        {"rbf(gamma=?[0.01,-0.1, 1])", "(call rbf gamma=(open 0.01 -0.1 1))",
         "rbf(gamma=?[0.01,-0.1,1])"},
        {"?2^2", "(power (open 2) 2)", NULL},
    };

    check_meanings(m, COUNT(m));
}

TEST(arguments_are_expressions_lists_or_texts)
{
    static const struct meaning m[] = {
        {"map(phi, k)", "(call map phi k)", NULL},
        {"exp(a + b)", "(call exp (sum a b))", NULL},
        {"f(x=a*b, rbf(ard))", "(call f x=(product a b) (call rbf ard))", NULL},
        {"f([1,-2,3e30])", "(call f (list 1 -2 3e+30))", NULL},
        {"f(w=[1])", "(call f w=(list 1))", NULL},
        {"metric(A=\"my file.npy\")", "(call metric A=(text my file.npy))",
         NULL},
        {"f(\"say \"\"hi\"\"\", \"\")", "(call f (text say \"hi\") (text ))",
         NULL},
    };

    check_meanings(m, COUNT(m));
}

TEST(columns_stand_behind_names_and_parentheses)
{
    static const struct meaning m[] = {
        {"rbf[age]", "(call rbf name:age)", NULL},
        {"rbf(1)[age,bmi]", "(call rbf 1 name:age name:bmi)", NULL},
        {"(rbf)[a]", "(group rbf name:a)", NULL},
        {"(a + b)[c]^2", "(power (group (sum a b) name:c) 2)", NULL},
        {"((a)[b])[c]", "(group (group a name:b) name:c)", NULL},
        {"f[3,007,3:5,temp*,*]",
         "(call f index:3(3) index:007(7) range:3..5 pattern:temp* "
         "pattern:*)",
         NULL},
        {"f[ 3 : 5 , x.1-b% ]", "(call f range:3..5 name:x.1-b%)",
         "f[3:5,x.1-b%]"},
        {"f[\"a b\",\"3\",\"x*\",\"c\"\"d\",\"\"]",
         "(call f name:a b name:3 name:x* name:c\"d name:)", NULL},
        {"f[\"plain\"]", "(call f name:plain)", "f[plain]"},
        {"f[99999999999999999999]", "(call f name:99999999999999999999)", NULL},
    };

    check_meanings(m, COUNT(m));
}

TEST(blanks_are_free_and_bytes_above_ascii_are_letters)
{
    static const struct meaning m[] = {
        {" \t2 *\r\n rbf ( gamma = 0.5 ) [ age ] ^ 2 ",
         "(product 2 (power (call rbf gamma=0.5 name:age) 2))",
         "2*rbf(gamma=0.5)[age]^2"},
        {"noyau_\xc3\xa9[\xe5\xb9\xb4]",
         "(call noyau_\xc3\xa9 name:\xe5\xb9\xb4)", NULL},
    };

    check_meanings(m, COUNT(m));
}

TEST(positions_are_where_the_parts_begin)
{
    const char *text = "2 * rbf( gamma =x)[ a ,b] - (c)[d]";
    gi_spec *spec = NULL;
    const gi_node *product, *call, *group;

    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    product = spec->root->kids;
    call = product->kids->next;
    group = product->next;
    CHECK(spec->root->at == 0 && product->at == 0);
    CHECK(call->at == 4 && call->kids->label_at == 9 && call->kids->at == 16);
    CHECK(call->columns->at == 20 && call->columns->next->at == 23);
    CHECK(group->at == 28 && group->kids->at == 29);
    gi_spec_free(spec);
}

/* ------------------------------------------------------------- sentences */

#define OPERAND "expected a number, \"?\", a name or \"(\""
#define QUOTES "(names with blanks or signs go in quotes)"

TEST(what_is_wrong_is_said_with_its_place)
{
    static const struct {
        gram_status status;
        const char *text, *sentence;
    } bad[] = {
        {GRAM_ERR_PARSE, "", "character 1: found the end, " OPERAND},
        {GRAM_ERR_PARSE, "  ", "character 3: found the end, " OPERAND},
        {GRAM_ERR_PARSE, "rbf(",
         "character 5: found the end, expected an argument"},
        {GRAM_ERR_PARSE, "rbf()",
         "character 5: found \")\", expected an argument"},
        {GRAM_ERR_PARSE, "rbf(a,)",
         "character 7: found \")\", expected an argument"},
        {GRAM_ERR_PARSE, "rbf(gamma=)",
         "character 11: found \")\", expected a value"},
        {GRAM_ERR_PARSE, "rbf(gamma",
         "character 10: found the end, expected \",\", \")\" or an operator"},
        {GRAM_ERR_PARSE, "rbf)",
         "character 4: found \")\", expected an operator or the end"},
        {GRAM_ERR_PARSE, "a b",
         "character 3: found \"b\", expected an operator or the end"},
        {GRAM_ERR_PARSE, "2rbf",
         "character 2: found \"rbf\", expected an operator or the end"},
        {GRAM_ERR_PARSE, "(a",
         "character 3: found the end, expected \")\" or an operator"},
        {GRAM_ERR_PARSE, "()", "character 2: found \")\", " OPERAND},
        {GRAM_ERR_PARSE, "2**3", "character 3: found \"*\", " OPERAND},
        {GRAM_ERR_PARSE, "a + ", "character 5: found the end, " OPERAND},
        {GRAM_ERR_PARSE, "+a", "character 1: found \"+\", " OPERAND},
        {GRAM_ERR_PARSE, "+1", "character 1: found \"+\", " OPERAND},
        {GRAM_ERR_PARSE, "a*\"b\"",
         "character 3: found a quoted text, " OPERAND},
        {GRAM_ERR_PARSE, "a\x01",
         "character 2: found control character 0x01, expected an operator or "
         "the end"},
        {GRAM_ERR_PARSE, "-rbf",
         "character 1: a minus sign in front belongs to a number, as in "
         "-1*rbf"},
        {GRAM_ERR_PARSE, "a*- 2",
         "character 3: a minus sign in front belongs to a number, as in "
         "-1*rbf"},
        {GRAM_ERR_PARSE, "-2^2",
         "character 1: a power of a negative number needs parentheses, as in "
         "(-2)^2"},
        {GRAM_ERR_RANGE, "1e999",
         "character 1: a number too large for a "
         "double"},
        {GRAM_ERR_PARSE, "rbf^",
         "character 5: found the end, expected a number as the exponent"},
        {GRAM_ERR_PARSE, "rbf^linear",
         "character 5: found \"linear\", expected a number as the exponent"},
        {GRAM_ERR_PARSE, "a^2^3",
         "character 4: found \"^\", expected an operator or the end"},
        {GRAM_ERR_PARSE, "[a]", "character 1: found \"[\", " OPERAND},
        {GRAM_ERR_PARSE, "rbf[]",
         "character 5: found \"]\", expected a column"},
        {GRAM_ERR_PARSE, "rbf[a",
         "character 6: found the end, expected \",\" or \"]\" " QUOTES},
        {GRAM_ERR_PARSE, "rbf[a b]",
         "character 7: found \"b\", expected \",\" or \"]\" " QUOTES},
        {GRAM_ERR_PARSE, "rbf[a][b]",
         "character 7: found \"[\", expected an operator or the end"},
        {GRAM_ERR_PARSE, "rbf[\"a]", "character 5: a quote that is not closed"},
        {GRAM_ERR_PARSE, "rbf[a:b]",
         "character 5: a range a:b takes indices; a name with \":\" goes in "
         "quotes"},
        {GRAM_ERR_RANGE, "rbf[5:5]",
         "character 5: the range 5:5 holds no column"},
        {GRAM_ERR_PARSE, "f(\"a", "character 3: a quote that is not closed"},
        {GRAM_ERR_PARSE, "f([])",
         "character 4: found \"]\", expected a number"},
        {GRAM_ERR_PARSE, "f([1;2])",
         "character 5: found \";\", expected \",\" or \"]\""},
        {GRAM_ERR_PARSE, "?[a]", "character 3: found \"a\", expected a number"},
        {GRAM_ERR_PARSE, "\xc3\xa9\xc3\xa9 )",
         "character 4: found \")\", expected an operator or the end"},
    };

    for (size_t i = 0; i < COUNT(bad); i++) {
        gi_spec *spec = NULL;
        char text[16], sentence[256];

        /* sentences are one line, so the control character is not in them */
        snprintf(text, sizeof text, "%s", bad[i].text);
        for (char *c = text; *c; c++)
            *c = *c == '\x01' ? '?' : *c;
        snprintf(sentence, sizeof sentence, "kernel \"%s\", %s", text,
                 bad[i].sentence);
        CHECK_FAILS(gi_spec_parse(NULL, "kernel", bad[i].text, &spec),
                    bad[i].status, sentence);
        CHECK(spec == NULL);
    }
}

TEST(parentheses_nest_256_deep_and_no_deeper)
{
    enum { DEEP = 10000 };
    static char text[2 * DEEP + 2];
    gi_spec *spec = NULL;

    memset(text, '(', 256);
    text[256] = 'a';
    memset(text + 257, ')', 256);
    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    gi_spec_free(spec);
    memset(text, '(', DEEP);
    text[DEEP] = 'a';
    memset(text + DEEP + 1, ')', DEEP);
    CHECK_FAILS(gi_spec_parse(NULL, "kernel", text, &spec), GRAM_ERR_PARSE,
                "kernel \"...(((((((((((((((((((((((((((((("
                "((((((((((((((((((((((((((((((...\", character 258: "
                "parentheses nested more than 256 deep");
    for (size_t i = 0; i < DEEP; i++)
        memcpy(text + 2 * i, "f(", 2);
    text[2 * DEEP] = '\0';
    CHECK(gi_spec_parse(NULL, "kernel", text, &spec) == GRAM_ERR_PARSE);
    for (size_t i = 0; i < 2 * DEEP; i += 5) /* wide is not deep */
        memcpy(text + i, "f(a)+", 5);
    text[2 * DEEP - 1] = '\0';
    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    gi_spec_free(spec);
}

TEST(long_texts_are_shown_around_the_place)
{
    gi_spec *spec = NULL;
    char text[400] = "";

    for (int i = 0; i < 30; i++)
        append(text, sizeof text, "\xc3\xa9 + ");
    append(text, sizeof text, "22222**");
    for (int i = 0; i < 30; i++)
        append(text, sizeof text, " + \xc3\xa9");
    /* both cuts fall into a character, which is left out */
    CHECK_FAILS(gi_spec_parse(NULL, "map", text, &spec), GRAM_ERR_PARSE,
                "map \"... + \xc3\xa9 + \xc3\xa9 + \xc3\xa9 + \xc3\xa9 + "
                "22222** + \xc3\xa9 + \xc3\xa9 + \xc3\xa9 + \xc3\xa9 + \xc3\xa9"
                " + ...\", character 127: found \"*\", " OPERAND);
}

TEST(a_name_of_a_megabyte_is_a_name)
{
    enum { N = 1 << 20 };
    char *text = malloc(N + 1);
    gi_spec *spec = NULL;

    memset(text, 'a', N);
    text[N] = '\0';
    CHECK_OK(gi_spec_parse(NULL, "kernel", text, &spec));
    CHECK(strlen(spec->root->name) == N);
    gi_spec_free(spec);
    text[1] = ' ';
    CHECK_FAILS(gi_spec_parse(NULL, "kernel", text, &spec), GRAM_ERR_PARSE,
                "kernel \"a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\", character 3: "
                "found a long name, expected an operator or the end");
    free(text);
}

TESTS(SMALL(products_bind_tighter_than_sums_and_powers_than_products),
      SMALL(chains_are_flat_and_parentheses_in_them_stay),
      SMALL(numbers_take_a_sign_where_a_value_must_stand),
      SMALL(a_question_mark_is_open_with_a_start_or_candidates),
      SMALL(arguments_are_expressions_lists_or_texts),
      SMALL(columns_stand_behind_names_and_parentheses),
      SMALL(blanks_are_free_and_bytes_above_ascii_are_letters),
      SMALL(positions_are_where_the_parts_begin),
      SMALL(what_is_wrong_is_said_with_its_place),
      SMALL(parentheses_nest_256_deep_and_no_deeper),
      SMALL(long_texts_are_shown_around_the_place),
      SMALL(a_name_of_a_megabyte_is_a_name))
