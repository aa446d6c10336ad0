/* test_points.c - rows of tables as a program sees them: cells, categories,
 * maps, sparse blocks, other tables, and the rows that are refused.
 */
#include "check.h"
#include "temporary.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/engine/block.h"
#include "kernels/program/points.h"

/* A kernel compiled for a table, and rows gathered for it. */
typedef struct gathered {
    gram_kernel *k;
    gram_program *p;
    gi_points *x;
} gathered;

static gram_status gather(gathered *g, const gram_table *t, int threads)
{
    const gram_exec exec = {.threads = threads};
    GI_RUN(run, &exec);

    gi_points_free(g->x);
    return gi_points_new(&run, g->p, t, GI_DOUBLE, &g->x);
}

static gathered compile(const char *text, const gram_table *t)
{
    GI_RUN(run, NULL);
    gathered g = {0};

    CHECK_OK(gram_kernel_new(text, &g.k));
    CHECK_OK(gi_program_new(&run, g.k, t, 0, &g.p));
    return g;
}

static gathered gathered_for(const char *text, const gram_table *t)
{
    gathered g = compile(text, t);

    CHECK_OK(gather(&g, t, 1));
    return g;
}

static void done(gathered *g)
{
    gi_points_free(g->x);
    gi_program_free(g->p);
    gram_kernel_free(g->k);
}

/* A table from text. */
static gram_table *table_of(const char *csv)
{
    const gram_read_options options = {.missing = GRAM_MISSING_KEEP,
                                       .types = "*y=category"};
    const gram_read_options plain = {.missing = GRAM_MISSING_KEEP};
    gram_table *t = NULL;

    CHECK_OK(gram_table_read(temporary_text("t.csv", csv),
                             strstr(csv, "city") ? &options : &plain, NULL,
                             &t));
    return t;
}

/* The rows of view v, all its numbers in order. */
static void has_rows(const gathered *g, size_t v, const double *expected)
{
    size_t n = g->x->rows * g->p->view[v].width;

    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(g->x->view[v].dense[i], expected[i], 1e-15);
}

/* Gathering the rows of `second` for a kernel compiled for `first` fails, and
 * the sentence says in which file. */
static void refuses(const char *text, const char *first, const char *second,
                    gram_status status, const char *sentence)
{
    gram_table *a = table_of(first), *b = table_of(second);
    gathered g = compile(text, a);
    char expected[512];

    snprintf(expected, sizeof expected, "%s: %s", b->file, sentence);
    CHECK_FAILS(gather(&g, b, 1), status, expected);
    CHECK(g.x == NULL);
    done(&g);
    gram_table_free(a);
    gram_table_free(b);
}

/* -------------------------------------------------------------------- cells */

TEST(numbers_come_first_then_categories_one_hot)
{
    const double h = sqrt(0.5);
    const double expected[] = {20, 1.5, 0, h, 30, 2.5, h, 0};
    gram_table *t = table_of("age,city,bmi\n20,Ulm,1.5\n30,Bonn,2.5\n");
    gathered g = gathered_for("linear", t);

    CHECK(g.p->view[0].width == 4);
    has_rows(&g, 0, expected);
    done(&g);
    gram_table_free(t);
}

TEST(categories_are_codes_for_delta)
{
    const double expected[] = {20, 1, 30, 0};
    gram_table *t = table_of("city,age\nUlm,20\nBonn,30\n");
    gathered g = gathered_for("delta", t);

    has_rows(&g, 0, expected);
    done(&g);
    gram_table_free(t);
}

TEST(dates_are_days)
{
    const double expected[] = {0, 1.5, 365};
    gram_table *t =
        table_of("when\n1970-01-01\n1970-01-02T12:00:00\n1971-01-01\n");
    gathered g = gathered_for("linear", t);

    CHECK(gram_table_column(t, 0).type == GRAM_TYPE_DATE);
    has_rows(&g, 0, expected);
    done(&g);
    gram_table_free(t);
}

TEST(columns_and_levels_are_matched_by_name)
{
    const double h = sqrt(0.5);
    /* Aue, a level only the second table could have, shifts its codes */
    gram_table *a = table_of("age,city\n1,Ulm\n2,Bonn\n3,Kiel\n");
    gram_table *b = table_of("more,city,x,age\n0,Ulm,9,5\n0,Kiel,9,6\n");
    const double expected[] = {5, 0, 0, h, 6, 0, h, 0}, codes[] = {2, 1};
    gathered g = compile("linear + delta[city]", a);

    CHECK_OK(gather(&g, b, 1));
    CHECK(gi_points_rows(g.x) == 2);
    has_rows(&g, 0, expected);
    has_rows(&g, 1, codes);
    done(&g);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(what_other_tables_lack_is_refused)
{
    refuses("linear", "age,bmi\n1,2\n3,4\n", "age,bmj\n1,2\n3,4\n",
            GRAM_ERR_NAME, "no column \"bmi\" (did you mean \"bmj\"?)");
    refuses(
        "linear", "age\n1\n2\n", "age\nold\nyoung\n", GRAM_ERR_SHAPE,
        "column \"age\" is of type category, must be number as it was before");
    refuses("delta", "city\nUlm\nBonn\n", "city\nUlm\nAue\n", GRAM_ERR_RANGE,
            "row 2, column \"city\": \"Aue\" is not a level of the first "
            "table");
}

TEST(missing_cells_are_refused)
{
    refuses("linear", "a,b\n1,2\n3,4\n", "a,b\n1,2\n3,\n", GRAM_ERR_RANGE,
            "row 2, column \"b\": the cell is missing (--missing drop, mean "
            "or indicator says what to do)");
    refuses("linear", "city\nUlm\nBonn\n", "city\n?\nUlm\n", GRAM_ERR_RANGE,
            "row 1, column \"city\": the cell is missing (--missing drop, mean "
            "or indicator says what to do)");
}

TEST(a_missing_cell_that_no_leaf_sees_does_no_harm)
{
    gram_table *t = table_of("a,b\n1,\n3,4\n");
    gathered g = gathered_for("linear[a]", t);

    has_rows(&g, 0, (double[]){1, 3});
    done(&g);
    gram_table_free(t);
}

/* ------------------------------------------------------------------ domains */

TEST(negative_numbers_are_refused_where_they_must_not_be)
{
    refuses("min", "a,b\n1,2\n3,4\n", "a,b\n1,2\n3,-0.5\n", GRAM_ERR_RANGE,
            "row 2, column \"b\": -0.5, min takes numbers of at least 0");
    refuses("map(standardize, chi2(gamma=1))", "a\n1\n3\n", "a\n5\n1\n",
            GRAM_ERR_RANGE,
            "row 2: -0.707107 behind map standardize, chi2 takes numbers "
            "of at least 0");
}

TEST(the_domain_is_that_of_the_mapped_numbers)
{
    gram_table *t = table_of("a\n-1\n-0\n3\n");
    gathered g = gathered_for("map(abs, min)", t);

    has_rows(&g, 0, (double[]){1, 0, 3});
    done(&g);
    gram_table_free(t);
}

TEST(a_view_is_checked_for_all_that_look_at_it)
{
    /* rbf alone takes the row; beside min on the same view it is refused */
    refuses("rbf(gamma=1) + intersection", "a\n1\n3\n", "a\n1\n-2\n",
            GRAM_ERR_RANGE,
            "row 2, column \"a\": -2, intersection takes numbers of at "
            "least 0");
}

/* --------------------------------------------------------------------- maps */

TEST(maps_learn_from_the_first_table)
{
    gram_table *a = table_of("x\n1\n2\n3\n"), *b = table_of("x\n2\n7\n");
    gathered g = gathered_for("map(standardize, linear)", a);

    has_rows(&g, 0, (double[]){-1, 0, 1});
    CHECK_OK(gather(&g, b, 1));
    has_rows(&g, 0, (double[]){0, 5});
    done(&g);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(the_outer_map_comes_first)
{
    gram_table *t = table_of("x\n-4\n9\n");
    gathered g = gathered_for("map(abs, map(sqrt, linear))", t);

    has_rows(&g, 0, (double[]){2, 3});
    done(&g);
    gram_table_free(t);
}

TEST(a_map_behind_a_map_learns_what_it_gets)
{
    gram_table *t = table_of("x\n1\n10\n100\n");
    gathered g = gathered_for("map(log, map(standardize, linear))", t);

    has_rows(&g, 0, (double[]){-1, 0, 1});
    done(&g);
    gram_table_free(t);
}

TEST(categories_pass_by_the_maps)
{
    gram_table *t = table_of("city,x\nUlm,4\nBonn,9\n");
    const double h = sqrt(0.5);
    gathered g = gathered_for("map(sqrt, linear)", t);

    has_rows(&g, 0, (double[]){2, 0, h, 3, h, 0});
    done(&g);
    gram_table_free(t);
}

/* A user's map that is careless at 0. */
static int invert(const double *arg, const double *state, const double *x,
                  size_t d, double *out, const char **why)
{
    (void)arg, (void)state, (void)why;
    for (size_t j = 0; j < d; j++)
        out[j] = 1 / x[j];
    return 1;
}

static const gram_map_class inverse = {.name = "inverse",
                                       .formula = "1/x",
                                       .help = "the inverse of every column",
                                       .apply = invert};

TEST(rows_outside_a_map_are_refused)
{
    CHECK_OK(gram_map_register(&inverse));
    refuses("map(inverse, linear)", "x\n1\n2\n", "x\n1\n0\n", GRAM_ERR_RANGE,
            "row 2, map inverse: the result is not a finite number");
    refuses("map(sqrt, linear)", "x\n1\n2\n", "x\n-1\n2\n", GRAM_ERR_RANGE,
            "row 1, map sqrt: sqrt takes numbers of at least 0");
}

TEST(written_values_must_fit_the_columns)
{
    gram_table *t = table_of("x,y\n1,2\n2,3\n");
    GI_RUN(run, NULL);
    gathered g =
        compile("map(standardize(shift=[1,0],scale=[2,4]), linear)", t);

    CHECK_OK(gather(&g, t, 1));
    has_rows(&g, 0, (double[]){0, 0.5, 0.5, 0.75});
    done(&g);
    g = (gathered){0};
    CHECK_OK(
        gram_kernel_new("map(standardize(shift=[1],scale=[2]), linear)", &g.k));
    CHECK_FAILS(gi_program_new(&run, g.k, t, 0, &g.p), GRAM_ERR_SHAPE,
                "kernel \"map(standardize(shift=[1],scale=[2]), linear)\": map "
                "standardize has lists of 1 numbers, the columns are 2");
    done(&g);
    gram_table_free(t);
}

/* ------------------------------------------------------------------- sparse */

static gram_table *sparse_of(size_t rows, size_t width, const size_t *start,
                             const unsigned *index, const double *entries)
{
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(rows, &t));
    CHECK_OK(
        gram_table_add_sparse(t, "features", width, start, index, entries));
    return t;
}

static const size_t start[] = {0, 2, 2, 4};
static const unsigned narrow[] = {0, 2, 1, 3}, wide[] = {0, 2, 1, 7};
static const double entries[] = {1, 2, -3, 4};

TEST(sparse_blocks_are_copied_as_they_are)
{
    gram_table *a = sparse_of(3, 4, start, narrow, entries);
    gram_table *b = sparse_of(3, 9, start, wide, entries);
    gathered g = gathered_for("linear", a);
    const gi_rows *r = g.x->view;

    CHECK(r->dense == NULL && r->sparse_width == 4);
    assert_memory_equal(r->start, start, sizeof start);
    assert_memory_equal(r->index, narrow, sizeof narrow);
    assert_memory_equal(r->entries, entries, sizeof entries);
    CHECK_OK(gather(&g, b, 1)); /* features the first table has not */
    CHECK(g.x->view->sparse_width == 8);
    CHECK_OK(gi_points_check(g.p, g.x, NULL));
    done(&g);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(features_that_are_named_are_numbers)
{
    gram_table *a = sparse_of(3, 4, start, narrow, entries);
    gram_table *b = sparse_of(3, 2, (size_t[]){0, 1, 1, 1}, wide, entries);
    gathered g = gathered_for("linear[4,2,1]", a);

    has_rows(&g, 0, (double[]){0, 0, 1, 0, 0, 0, 4, -3, 0});
    CHECK_OK(gather(&g, b, 1)); /* narrower: what it has not is zero */
    has_rows(&g, 0, (double[]){0, 0, 1, 0, 0, 0, 0, 0, 0});
    done(&g);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(every_feature_needs_its_weight)
{
    gram_table *a = sparse_of(3, 4, start, narrow, entries);
    gram_table *b = sparse_of(3, 9, start, wide, entries);
    gathered g = gathered_for("rbf(gamma=1,ard)", a);

    CHECK_OK(gi_points_check(g.p, g.x, NULL));
    CHECK_OK(gather(&g, b, 1));
    CHECK_FAILS(gi_points_check(g.p, g.x, NULL), GRAM_ERR_SHAPE,
                "column \"features\": feature 8 has no weight of its own, the "
                "first table has 4 features");
    done(&g);
    gram_table_free(a);
    gram_table_free(b);
}

TEST(domains_hold_for_sparse_entries)
{
    gram_table *t = sparse_of(3, 4, start, narrow, entries);
    gathered g = compile("intersection", t);

    CHECK_FAILS(gather(&g, t, 1), GRAM_ERR_RANGE,
                "row 3, column \"features\": a number below 0, intersection "
                "takes numbers of at least 0");
    done(&g);
    gram_table_free(t);
}

/* ------------------------------------------------- selections and other views
 */

/* Rows 2, 0 and 2 of a sparse block and numbers beside it. */
TEST(selected_rows_come_in_the_order_asked_for)
{
    static const size_t row[] = {2, 0, 2};
    static const unsigned index[] = {1, 3, 0, 2, 1, 3};
    static const double value[] = {-3, 4, 1, 2, -3, 4};
    gram_table *t = sparse_of(3, 4, start, narrow, entries);
    GI_RUN(run, NULL);
    gi_points *y = NULL, *none = NULL;
    gathered g;

    CHECK_OK(gram_table_add_numbers(t, "x", (double[]){5, 6, 7}, 1));
    g = gathered_for("linear", t);
    CHECK_OK(gi_points_select(&run, g.p, g.x, row, 3, &y));
    CHECK(gi_points_rows(y) == 3 && y->view->sparse_width == 4);
    assert_memory_equal(y->view->dense, ((double[]){7, 5, 7}), 24);
    assert_memory_equal(y->view->start, ((size_t[]){0, 2, 4, 6}), 32);
    assert_memory_equal(y->view->index, index, sizeof index);
    assert_memory_equal(y->view->entries, value, sizeof value);
    CHECK_OK(gi_points_select(&run, g.p, y, NULL, 0, &none));
    CHECK(gi_points_rows(none) == 0);
    gi_points_free(y);
    gi_points_free(none);
    done(&g);
    gram_table_free(t);
}

TEST(selected_rows_are_the_same_rows_to_white)
{
    static const size_t row[] = {2, 0};
    gram_table *t = table_of("a\n1\n2\n3\n");
    GI_RUN(run, NULL);
    gathered g = gathered_for("white", t);
    gi_points *y = NULL, *z = NULL;
    double K[6];

    CHECK_OK(gi_points_select(&run, g.p, g.x, row, 2, &y));
    CHECK_OK(gi_points_select(&run, g.p, y, (size_t[]){1, 0}, 2, &z));
    CHECK_OK(gi_engine_store(&run, g.p, y, g.x, K, 3));
    for (size_t i = 0; i < 6; i++)
        CHECK(K[i] == (i == 2 || i == 3));
    CHECK_OK(gi_engine_store(&run, g.p, y, z, K, 2));
    CHECK(K[0] == 0 && K[1] == 1 && K[2] == 1 && K[3] == 0);
    CHECK_OK(gi_engine_store(&run, g.p, y, NULL, K, 2));
    CHECK(K[0] == 1 && K[1] == 0 && K[2] == 0 && K[3] == 1);
    gi_points_free(y);
    gi_points_free(z);
    done(&g);
    gram_table_free(t);
}

TEST(the_same_rows_in_another_precision_are_borrowed)
{
    gram_table *t = table_of("a\n1\n2\n3\n");
    GI_RUN(run, NULL);
    gathered g = gathered_for("rbf(gamma=0.5) + white", t);
    gi_points *y = NULL;
    float K[9];

    CHECK_OK(gi_points_view(&run, g.x, GI_SINGLE, &y));
    CHECK(y->view == g.x->view && gi_points_rows(y) == 3);
    CHECK(g.x->precision == GI_DOUBLE);
    CHECK_OK(gi_engine_store(&run, g.p, y, NULL, K, 3));
    CHECK(K[0] == 2);
    CHECK_NEAR((double)K[1], exp(-0.5), 1e-7);
    gi_points_free(y);
    has_rows(&g, 0, (double[]){1, 2, 3});
    done(&g);
    gram_table_free(t);
}

/* -------------------------------------------------------------------- files */

TEST(a_metric_transforms_the_rows)
{
    static const double A[] = {4, 2, 2, 3};
    const char *path = temporary_path("metric.npy");
    gram_table *t = table_of("a,b\n1,2\n3,-1\n");
    char text[600];
    gathered g;
    const double *x;

    CHECK_OK(gram_matrix_write(A, 2, 2, path, NULL));
    snprintf(text, sizeof text, "metric(A=\"%s\")", path);
    g = gathered_for(text, t);
    CHECK(g.x->view[0].dense == NULL); /* nothing looks at x itself */
    x = g.x->view[1].dense;
    CHECK_NEAR(x[0] * x[0] + x[1] * x[1], 4 + 8 + 12, 1e-14);
    CHECK_NEAR(x[0] * x[2] + x[1] * x[3], 12 - 2 + 12 - 6, 1e-14);
    done(&g);
    gram_table_free(t);
}

TEST(matrices_must_have_the_rows_of_the_tables)
{
    static const double K[] = {1, 2, 3, 4, 5, 6};
    const char *path = temporary_path("K.npy");
    gram_table *two = table_of("a\n1\n2\n"), *three = table_of("a\n1\n2\n3\n");
    char text[600], sentence[700];
    gathered g;
    gi_points *x;

    CHECK_OK(gram_matrix_write(K, 2, 3, path, NULL));
    snprintf(text, sizeof text, "precomputed(K=\"%s\")", path);
    g = gathered_for(text, two);
    x = g.x;
    g.x = NULL;
    CHECK_OK(gather(&g, three, 1));
    CHECK_OK(gi_points_check(g.p, x, g.x));
    snprintf(sentence, sizeof sentence,
             "%s: a matrix of 2 x 3, the rows at hand need 2 x 2", path);
    CHECK_FAILS(gi_points_check(g.p, x, NULL), GRAM_ERR_SHAPE, sentence);
    done(&g);
    CHECK_OK(gram_matrix_write(K, 2, 2, path, NULL));
    g = gathered_for(text, two);
    snprintf(sentence, sizeof sentence,
             "%s: not a symmetric matrix, as of one table it must be", path);
    CHECK_OK(gi_points_check(g.p, g.x, x));
    CHECK_FAILS(gi_points_check(g.p, g.x, NULL), GRAM_ERR_SHAPE, sentence);
    done(&g);
    gi_points_free(x);
    gram_table_free(two);
    gram_table_free(three);
}

/* ----------------------------------------------------------- many, and few */

/* ROWS rows of two columns and a category. */
static gram_table *large(double *x, size_t rows)
{
    static const char *const names[] = {"p", "q", "r"};
    const char **city = malloc(rows * sizeof *city);
    gi_rng rng = gi_rng_new(3, 0);
    gram_table *t = NULL;

    for (size_t i = 0; i < 2 * rows; i++)
        x[i] = gi_rng_normal(&rng);
    for (size_t i = 0; i < rows; i++)
        city[i] = names[i % 3];
    CHECK_OK(gram_table_new(rows, &t));
    CHECK_OK(gram_table_add_numbers(t, "x", x, 2));
    CHECK_OK(gram_table_add_strings(t, "city", GRAM_TYPE_CATEGORY, city));
    CHECK_OK(gram_table_add_numbers(t, "y", x + 1, 2));
    free(city);
    return t;
}

TEST(threads_change_nothing)
{
    enum { ROWS = 150000, BAD = 105000 };
    double *x = malloc(2 * ROWS * sizeof *x);
    gram_table *t = large(x, ROWS), *holes;
    gathered one = compile("map(standardize, map(poly(2), linear))", t);
    gathered many = compile("map(standardize, map(poly(2), linear))", t);
    size_t bytes = ROWS * one.p->view[0].width * sizeof *x;

    CHECK_OK(gather(&one, t, 1));
    CHECK_OK(gather(&many, t, 4));
    assert_memory_equal(one.x->view[0].dense, many.x->view[0].dense, bytes);
    holes = large(x, ROWS);
    for (size_t i = BAD; i < ROWS; i += 7)
        ((double *)gram_table_column(holes, 2).values)[i] = NAN;
    for (int threads = 1; threads <= 4; threads++)
        CHECK_FAILS(
            gather(&many, holes, threads), GRAM_ERR_RANGE,
            "row 105001, column \"y\": the cell is missing (--missing drop, "
            "mean or indicator says what to do)");
    done(&one);
    done(&many);
    gram_table_free(t);
    gram_table_free(holes);
    free(x);
}

TEST(failing_allocations_leave_nothing_behind)
{
    gram_table *t = table_of("city,x\nUlm,4\nBonn,9\n");
    gathered g = compile("map(standardize, rbf(gamma=1)) + delta", t);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;

    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gather(&g, t, 1);
        gi_mem_fail_at(0, 0);
        if (status != GRAM_OK) {
            assert_int_equal(status, GRAM_ERR_MEMORY);
            CHECK(g.x == NULL && gram_memory_used() == before);
        }
    }
    CHECK(n > 8);
    done(&g);
    gram_table_free(t);
}

TESTS(SMALL(numbers_come_first_then_categories_one_hot),
      SMALL(categories_are_codes_for_delta), SMALL(dates_are_days),
      SMALL(columns_and_levels_are_matched_by_name),
      SMALL(what_other_tables_lack_is_refused),
      SMALL(missing_cells_are_refused),
      SMALL(a_missing_cell_that_no_leaf_sees_does_no_harm),
      SMALL(negative_numbers_are_refused_where_they_must_not_be),
      SMALL(the_domain_is_that_of_the_mapped_numbers),
      SMALL(a_view_is_checked_for_all_that_look_at_it),
      SMALL(maps_learn_from_the_first_table), SMALL(the_outer_map_comes_first),
      SMALL(a_map_behind_a_map_learns_what_it_gets),
      SMALL(categories_pass_by_the_maps), SMALL(rows_outside_a_map_are_refused),
      SMALL(written_values_must_fit_the_columns),
      SMALL(sparse_blocks_are_copied_as_they_are),
      SMALL(features_that_are_named_are_numbers),
      SMALL(every_feature_needs_its_weight),
      SMALL(domains_hold_for_sparse_entries),
      SMALL(selected_rows_come_in_the_order_asked_for),
      SMALL(selected_rows_are_the_same_rows_to_white),
      SMALL(the_same_rows_in_another_precision_are_borrowed),
      SMALL(a_metric_transforms_the_rows),
      SMALL(matrices_must_have_the_rows_of_the_tables),
      SMALL(threads_change_nothing),
      SMALL(failing_allocations_leave_nothing_behind))
