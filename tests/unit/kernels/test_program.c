/* test_program.c - expressions compiled for a table: what is shared, which
 * columns are seen, where numbers are, what is refused and how it is said.
 */
#include "check.h"
#include "temporary.h"

#include "base/mem.h"
#include "kernels/program/program.h"

enum { ROWS = 4 };

/* age bmi city note y, the last a target. */
static gram_table *people(void)
{
    static const double age[] = {20, 30, 40, 50}, bmi[] = {21, 22, 23, 24},
                        y[] = {1, 2, 3, 4};
    static const char *const city[] = {"Ulm", "Bonn", "Ulm", "Kiel"};
    static const char *const note[] = {"a", "b", "c", "d"};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "age", age, 1));
    CHECK_OK(gram_table_add_numbers(t, "bmi", bmi, 1));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    CHECK_OK(gram_table_add_strings(t, "note", GRAM_TYPE_TEXT, note));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    return t;
}

/* c0 c1 c2, numbers. */
static gram_table *numbers(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "c0", x, 3));
    CHECK_OK(gram_table_add_numbers(t, "c1", x + 1, 3));
    CHECK_OK(gram_table_add_numbers(t, "c2", x + 2, 3));
    return t;
}

/* A sparse block "features" of 5 features without names, and a number. */
static gram_table *sparse(void)
{
    static const size_t start[] = {0, 2, 2, 3, 5};
    static const unsigned index[] = {0, 3, 4, 1, 3};
    static const double entries[] = {1, 2, 3, 4, 5}, z[] = {6, 7, 8, 9};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_sparse(t, "features", 5, start, index, entries));
    CHECK_OK(gram_table_add_numbers(t, "z", z, 1));
    return t;
}

/* A program and the kernel it is of; both are freed by done(). */
typedef struct compiled {
    gram_kernel *k;
    gram_program *p;
} compiled;

static gram_status try_compile(const char *text, const gram_table *t, int open,
                               compiled *c)
{
    GI_RUN(run, NULL);

    *c = (compiled){0};
    CHECK_OK(gram_kernel_new(text, &c->k));
    return gi_program_new(&run, c->k, t, open, &c->p);
}

static compiled compile(const char *text, const gram_table *t)
{
    compiled c;

    CHECK_OK(try_compile(text, t, 0, &c));
    return c;
}

static void done(compiled *c)
{
    gi_program_free(c->p);
    gram_kernel_free(c->k);
}

static size_t count(const gram_program *p, gi_opcode code)
{
    size_t n = 0;

    for (size_t i = 0; i < p->ops; i++)
        n += p->op[i].code == code;
    return n;
}

/* "age,bmi|city": the columns of all views. */
static const char *columns_of(const gram_program *p)
{
    static char text[256];
    size_t n = 0;

    text[0] = '\0';
    for (size_t v = 0; v < p->views; v++)
        for (size_t i = 0; i < p->view[v].count; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                                  i   ? ","
                                  : v ? "|"
                                      : "",
                                  p->source[p->view[v].source[i]].name);
    return text;
}

static void sees(const char *text, const gram_table *t, const char *columns)
{
    compiled c = compile(text, t);

    CHECK_STR(columns_of(c.p), columns);
    done(&c);
}

static void fails(const char *text, const gram_table *t, gram_status status,
                  const char *sentence)
{
    compiled c;

    CHECK_FAILS(try_compile(text, t, 0, &c), status, sentence);
    CHECK(c.p == NULL);
    done(&c);
}

/* ------------------------------------------------------------------ sharing */

TEST(terms_share_inner_products)
{
    gram_table *t = numbers();
    compiled c = compile("rbf(gamma=1) + 0.5*poly(degree=2)*linear", t);

    CHECK(c.p->views == 1);
    CHECK(count(c.p, GI_OP_DOT) == 1 && count(c.p, GI_OP_SQDIST) == 1);
    CHECK(count(c.p, GI_OP_EXP) == 1 && count(c.p, GI_OP_POWER) == 1);
    done(&c);
    c = compile("rbf(gamma=1) + rbf(gamma=1)", t);
    CHECK(count(c.p, GI_OP_SQDIST) == 1); /* of the data */
    CHECK(count(c.p, GI_OP_EXP) == 2);    /* each of a number of its own */
    CHECK(c.p->thetas == 2);
    done(&c);
    gram_table_free(t);
}

TEST(equal_terms_are_one_instruction)
{
    gram_table *t = numbers();
    compiled c = compile("(linear + delta)*(delta + linear) + linear", t);

    /* dot, equal, their sum, its square, and that plus dot */
    CHECK(c.p->ops == 5);
    CHECK(count(c.p, GI_OP_ADD) == 2 && count(c.p, GI_OP_MULTIPLY) == 1);
    CHECK(c.p->result == 4);
    done(&c);
    gram_table_free(t);
}

TEST(operands_come_before_what_is_made_of_them)
{
    gram_table *t = numbers();
    compiled c = compile("normalize(exp(linear[c0]*rbf(gamma=2)))^3 + "
                         "weight(c1, matern(length=1)) - 2*linear^0.5",
                         t);

    for (size_t i = 0; i < c.p->ops; i++)
        CHECK(c.p->op[i].a < (int)i && c.p->op[i].b < (int)i);
    CHECK(count(c.p, GI_OP_POWER_OF) == 1 && count(c.p, GI_OP_SELF) == 1);
    CHECK(c.p->result == (int)c.p->ops - 1);
    done(&c);
    gram_table_free(t);
}

TEST(many_terms_are_compiled_in_little_time)
{
    enum { TERMS = 20000 };
    gram_table *t = numbers();
    char *text = malloc(TERMS * 16), *end = text;
    compiled c;

    for (int i = 0; i < TERMS; i++)
        end += sprintf(end, "%s%d*delta", i ? "+" : "", i + 1);
    c = compile(text, t);
    CHECK(c.p->ops == 2 * TERMS && c.p->thetas == TERMS);
    done(&c);
    free(text);
    gram_table_free(t);
}

/* ------------------------------------------------------------------ columns */

TEST(columns_are_found_by_every_form)
{
    gram_table *t = people();

    sees("linear[age]", t, "age");
    sees("linear[bmi,age]", t, "bmi,age");
    sees("linear[\"age\"]", t, "age");
    sees("linear[1]", t, "bmi");
    sees("linear[4]", t, "y"); /* the target counts, and may be named */
    sees("linear[0:2]", t, "age,bmi");
    sees("linear[*m*]", t, "bmi");
    sees("linear[age,0:2,a*,age]", t, "age,bmi"); /* each once */
    gram_table_free(t);
}

TEST(a_name_goes_before_an_index)
{
    static const double x[] = {1, 2, 3, 4};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(ROWS, &t));
    CHECK_OK(gram_table_add_numbers(t, "1", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "0", x, 1));
    sees("linear[0]", t, "0");
    sees("linear[1]", t, "1");
    sees("linear[0:1]", t, "1"); /* a range is of indices */
    gram_table_free(t);
}

TEST(columns_are_inherited_and_replaced)
{
    gram_table *t = people();

    sees("(linear + delta[city])[age,bmi]", t, "age,bmi|city");
    sees("exp(linear)[age]", t, "age");
    sees("(linear + rbf(gamma=1))[age] * linear[age]", t, "age");
    sees("weight(bmi, linear[age])", t, "age|bmi");
    sees("white", t, "");
    gram_table_free(t);
}

TEST(without_a_list_all_features_but_text_are_seen)
{
    gram_table *t = people(), *n = numbers();

    sees("linear", n, "c0,c1,c2");
    fails("2*linear", t, GRAM_ERR_SHAPE,
          "column \"note\" is text, linear reads numbers and categories: leave "
          "it out (--drop note), or name the columns to read, as in "
          "linear[age,bmi,city]");
    CHECK_OK(gram_table_set_role(n, "c1", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(n, "c2", GRAM_ROLE_WEIGHT));
    sees("linear", n, "c0");
    sees("linear[0:3]", n, "c0"); /* ranges and patterns take features */
    sees("linear[c*]", n, "c0");
    gram_table_free(t);
    gram_table_free(n);
}

TEST(columns_that_are_not_there_are_refused)
{
    gram_table *t = people(), *n = numbers();

    fails("rbf(gamma=1)[agee]", t, GRAM_ERR_NAME,
          "kernel \"rbf(gamma=1)[agee]\", character 14: no column \"agee\" "
          "(did you mean \"age\"?)");
    fails("linear[age] + linear[7]", t, GRAM_ERR_NAME,
          "kernel \"linear[age] + linear[7]\", character 22: no column \"7\"");
    fails("linear[2:9]", t, GRAM_ERR_NAME,
          "kernel \"linear[2:9]\", character 8: columns 2:9, there are 5");
    fails("linear[4:5]", t, GRAM_ERR_NAME,
          "kernel \"linear[4:5]\", character 8: columns 4:5 are no features");
    fails("linear[x*]", t, GRAM_ERR_NAME,
          "kernel \"linear[x*]\", character 8: no feature fits \"x*\"");
    fails("linear[\"1\"]", t, GRAM_ERR_NAME,
          "kernel \"linear[\"1\"]\", character 8: no column \"1\"");
    fails("linear[note]", t, GRAM_ERR_SHAPE,
          "kernel \"linear[note]\", character 8: column \"note\" is text, "
          "linear reads numbers and categories: name other columns");
    fails("weight(city, linear[age])", t, GRAM_ERR_SHAPE,
          "kernel \"weight(city, linear[age])\", character 8: weight takes "
          "one column of numbers");
    for (int j = 0; j < 3; j++)
        CHECK_OK(gram_table_set_role(n, (const char *[]){"c0", "c1", "c2"}[j],
                                     GRAM_ROLE_TARGET));
    fails("1 + linear", n, GRAM_ERR_SHAPE,
          "linear looks at all features, the table has none");
    gram_table_free(t);
    gram_table_free(n);
    CHECK_OK(gram_table_new(0, &t));
    fails("linear", t, GRAM_ERR_SHAPE,
          "a table without rows, kernels need at least one");
    gram_table_free(t);
}

TEST(categories_are_one_hot_unless_they_are_compared)
{
    gram_table *t = people();
    compiled c = compile("linear[age,city] + delta[age,city]", t);

    CHECK(c.p->views == 2);
    CHECK(c.p->view[0].width == 1 + 3 && !c.p->view[0].exact);
    CHECK(c.p->view[1].width == 1 + 1 && c.p->view[1].exact);
    CHECK_STR(gi_dict_at(&c.p->source[1].levels, 0), "Bonn");
    done(&c);
    /* without categories there is nothing to compare as it is */
    c = compile("linear[age] + delta[age]", t);
    CHECK(c.p->views == 1);
    done(&c);
    gram_table_free(t);
}

TEST(sparse_blocks_stand_beside_dense_columns)
{
    gram_table *t = sparse();
    compiled c = compile("linear + linear[features] + linear[2,z]", t);

    CHECK_STR(columns_of(c.p), "features,z|features|2,z");
    CHECK(c.p->view[0].width == 1 && c.p->view[0].sparse_width == 5);
    CHECK(c.p->view[1].width == 0 && c.p->view[1].sparse >= 0);
    CHECK(c.p->view[2].width == 2 && c.p->view[2].sparse < 0);
    done(&c);
    fails("linear[6]", t, GRAM_ERR_NAME,
          "kernel \"linear[6]\", character 8: no column \"6\"");
    fails("map(square, linear)", t, GRAM_ERR_SHAPE,
          "kernel \"map(square, linear)\", character 13: column \"features\" "
          "is sparse, map square takes numbers");
    CHECK_OK(gram_table_add_sparse(t, "more", 3, (size_t[5]){0}, NULL, NULL));
    fails("linear", t, GRAM_ERR_SHAPE,
          "kernel \"linear\", character 1: columns \"features\" and \"more\" "
          "are both sparse, linear takes one: add or multiply a kernel of "
          "each");
    sees("linear[features] + linear[more]", t, "features|more");
    gram_table_free(t);
}

TEST(maps_make_views_of_their_own)
{
    gram_table *t = numbers();
    compiled c = compile("map(log, linear + rbf(gamma=1)) + linear + "
                         "map(log, linear) + map(sqrt, map(log, linear))",
                         t);

    CHECK(c.p->views == 3); /* log; none; sqrt, then log */
    CHECK(c.p->view[0].maps == 1 && c.p->view[1].maps == 0);
    CHECK(c.p->view[2].maps == 2);
    CHECK_STR(c.p->view[2].map[0]->class_->name, "sqrt");
    CHECK_STR(c.p->view[2].map[1]->class_->name, "log");
    CHECK(count(c.p, GI_OP_DOT) == 3);
    done(&c);
    gram_table_free(t);
}

/* -------------------------------------------------------------------- theta */

TEST(every_number_has_its_place)
{
    gram_table *t = numbers();
    compiled c =
        compile("2*rbf(gamma=[3,4,5],ard) + 6*poly(gamma=7,offset=8)", t);
    const gi_op *square = NULL;

    for (size_t i = 0; i < c.p->ops; i++)
        if (c.p->op[i].code == GI_OP_SQDIST)
            square = &c.p->op[i];
    CHECK(square && square->power == 1);
    CHECK(c.p->thetas == 7);
    for (int i = 0; i < 3; i++)
        CHECK(c.p->theta[square->slot + i] == 3 + i);
    for (size_t s = 0; s < c.k->slots; s++) {
        double value = c.p->theta[c.p->first_theta[s]];

        CHECK(c.k->slot[s].per_column ? value == 3
                                      : value == c.k->slot[s].value);
    }
    done(&c);
    gram_table_free(t);
}

TEST(one_number_holds_for_all_columns_of_ard)
{
    gram_table *t = people();
    compiled c = compile("rbf(gamma=0.5,ard)[age,city]", t);

    CHECK(c.p->thetas == 4); /* age, and three cities */
    for (size_t m = 0; m < 4; m++)
        CHECK(c.p->theta[m] == 0.5);
    done(&c);
    fails("1 + rbf(gamma=[1,2],ard)[age]", t, GRAM_ERR_SHAPE,
          "kernel \"1 + rbf(gamma=[1,2],ard)[age]\", character 5: rbf.gamma "
          "has 2 values, the columns are 1");
    gram_table_free(t);
}

TEST(weights_are_in_the_leaf_or_in_the_factor)
{
    gram_table *t = numbers();
    compiled c = compile("rbf(gamma=2)", t);

    CHECK(count(c.p, GI_OP_SCALE) == 1 && c.p->op[0].slot < 0);
    CHECK(c.p->op[1].slot == 0 && c.p->op[1].c == -1);
    done(&c);
    c = compile("rbf(gamma=2,ard)", t);
    CHECK(c.p->op[0].slot == 0);
    CHECK(c.p->op[1].code == GI_OP_SCALE && c.p->op[1].slot < 0);
    CHECK(c.p->op[1].c == -1);
    done(&c);
    gram_table_free(t);
}

TEST(open_numbers_are_named_or_left_open)
{
    gram_table *t = numbers();
    compiled c;

    fails("?*rbf + matern(length=?2)", t, GRAM_ERR_NAME,
          "kernel \"?*rbf + matern(length=?2)\": amplitude, rbf.gamma, "
          "matern.length are open, must have a value");
    fails("rbf", t, GRAM_ERR_NAME,
          "kernel \"rbf\": rbf.gamma is open, must have a value");
    CHECK_OK(try_compile("2*rbf(ard)", t, 1, &c));
    CHECK(c.p->thetas == 4 && c.p->theta[c.p->first_theta[0]] == 2);
    for (int m = 0; m < 3; m++)
        CHECK(isnan(c.p->theta[c.p->first_theta[1] + m]));
    done(&c);
    gram_table_free(t);
}

/* ------------------------------------------------------------ other classes */

static int scale_by_nothing(gram_program *p)
{
    return gram_emit_exp(p, gram_emit_scale(p, gram_emit_dot(p), 1, 9, 1));
}

static int nothing(gram_program *p)
{
    (void)p;
    return -1;
}

TEST(mistakes_of_a_class_are_told)
{
    static const gram_kernel_class classes[] = {
        {.name = "careless", .formula = "?", .compile = scale_by_nothing},
        {.name = "empty", .formula = "?", .compile = nothing},
    };
    gram_table *t = numbers();

    CHECK_OK(gram_kernel_register(&classes[0]));
    CHECK_OK(gram_kernel_register(&classes[1]));
    fails("linear + careless", t, GRAM_ERR_RANGE,
          "kernel careless: parameter 9, there are 0");
    fails("linear + empty", t, GRAM_ERR_RANGE,
          "kernel \"linear + empty\", character 10: empty gives no register");
    gram_table_free(t);
}

/* -------------------------------------------------------------------- files */

/* A square matrix in a file; its name stays in use for a while. */
static const char *matrix_file(const char *name, const double *a, size_t d)
{
    const char *path = temporary_path(name);

    CHECK_OK(gram_matrix_write(a, d, d, path, NULL));
    return path;
}

static const char *with_file(const char *format, const char *path)
{
    static char text[700];

    snprintf(text, sizeof text, format, path);
    return text;
}

TEST(a_metric_is_an_inner_product_of_other_columns)
{
    static const double A[] = {2, 1, 0, 1, 2, 0, 0, 0, 0};
    gram_table *t = numbers();
    const char *path = matrix_file("a.npy", A, 3);
    compiled c = compile(with_file("metric(A=\"%s\") + linear", path), t);
    const gi_matrix *F = c.p->view[1].metric;

    CHECK(F && F->rows == 2 && F->cols == 3 && c.p->view[1].width == 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(F->data[i] * F->data[j] +
                           F->data[3 + i] * F->data[3 + j],
                       A[3 * i + j], 1e-14);
    CHECK(count(c.p, GI_OP_DOT) == 2);
    done(&c);
    gram_table_free(t);
}

/* The sentence ends like this. */
static void fails_with(const char *text, const gram_table *t,
                       gram_status status, const char *end)
{
    compiled c;
    const char *message;

    assert_int_equal(try_compile(text, t, 0, &c), status);
    message = gram_error_message();
    CHECK(strlen(message) >= strlen(end));
    CHECK_STR(message + strlen(message) - strlen(end), end);
    done(&c);
}

TEST(a_file_is_read_once)
{
    gram_table *t = numbers();
    const char *path = matrix_file("once.npy", (double[]){1, 0, 0, 1}, 2);
    char text[700];
    compiled c;

    snprintf(text, sizeof text,
             "metric(A=\"%s\")[c0,c1]*metric(A=\"%s\")[c1,c0]", path, path);
    c = compile(text, t);
    CHECK(c.p->matrices == 1 && count(c.p, GI_OP_DOT) == 2);
    done(&c);
    gram_table_free(t);
}

TEST(matrices_that_do_not_fit_are_refused)
{
    static const double indefinite[] = {1, 2, 2, 1}, skew[] = {1, 2, 3, 1};
    gram_table *t = numbers(), *s = sparse();
    const char *path = matrix_file("bad.npy", indefinite, 2);

    fails_with(with_file("metric(A=\"%s\")[c0,c1]", path), t, GRAM_ERR_SHAPE,
               "bad.npy: A has the eigenvalue -1, must be positive "
               "semidefinite");
    path = matrix_file("skew.npy", skew, 2);
    fails_with(with_file("metric(A=\"%s\")[c0,c1]", path), t, GRAM_ERR_SHAPE,
               "skew.npy: a matrix of 2 x 2 that is not symmetric, A must be");
    path = matrix_file("good.npy", (double[]){1, 0, 0, 1}, 2);
    fails_with(with_file("metric(A=\"%s\")", path), t, GRAM_ERR_SHAPE,
               "good.npy: a matrix of 2 x 2, the columns are 3");
    fails_with(with_file("metric(A=\"%s\")", path), s, GRAM_ERR_SHAPE,
               "column \"features\" is sparse, metric takes dense columns");
    fails("1 + metric(A=\"none.npy\")", t, GRAM_ERR_IO,
          "kernel \"1 + metric(A=\"none.npy\")\", character 5: none.npy: "
          "cannot be opened: No such file or directory");
    gram_table_free(t);
    gram_table_free(s);
}

/* ------------------------------------------------------------------- memory */

TEST(failing_allocations_leave_nothing_behind)
{
    static const double A[] = {2, 1, 1, 2};
    gram_table *t = people();
    const char *path = matrix_file("memory.npy", A, 2);
    const char *text =
        with_file("metric(A=\"%s\")[age,bmi] + map(standardize, linear[age]) * "
                  "delta[city] + rbf(gamma=2,ard)[age,city]",
                  path);
    GI_RUN(run, NULL);
    gram_kernel *k = NULL;
    gram_program *p = NULL;
    size_t before, n = 1;
    gram_status status = GRAM_ERR_MEMORY;

    CHECK_OK(gram_kernel_new(text, &k));
    before = gram_memory_used();
    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_program_new(&run, k, t, 0, &p);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK) {
            assert_int_equal(status, GRAM_ERR_MEMORY);
            CHECK(p == NULL && gram_memory_used() == before);
        }
    }
    CHECK(n > 30);
    gi_program_free(p);
    CHECK(gram_memory_used() == before);
    gram_kernel_free(k);
    gram_table_free(t);
}

TESTS(SMALL(terms_share_inner_products), SMALL(equal_terms_are_one_instruction),
      SMALL(operands_come_before_what_is_made_of_them),
      NORMAL(many_terms_are_compiled_in_little_time),
      SMALL(columns_are_found_by_every_form),
      SMALL(a_name_goes_before_an_index),
      SMALL(columns_are_inherited_and_replaced),
      SMALL(without_a_list_all_features_but_text_are_seen),
      SMALL(columns_that_are_not_there_are_refused),
      SMALL(categories_are_one_hot_unless_they_are_compared),
      SMALL(sparse_blocks_stand_beside_dense_columns),
      SMALL(maps_make_views_of_their_own), SMALL(every_number_has_its_place),
      SMALL(one_number_holds_for_all_columns_of_ard),
      SMALL(weights_are_in_the_leaf_or_in_the_factor),
      SMALL(open_numbers_are_named_or_left_open),
      SMALL(mistakes_of_a_class_are_told),
      SMALL(a_metric_is_an_inner_product_of_other_columns),
      SMALL(a_file_is_read_once), SMALL(matrices_that_do_not_fit_are_refused),
      SMALL(failing_allocations_leave_nothing_behind))
