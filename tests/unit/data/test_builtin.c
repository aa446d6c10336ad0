/* test_builtin.c - the data sets inside the library: what they hold, and that
 * it is the same everywhere.
 */
#include "check.h"

#include "data/builtin/builtin.h"
#include "data/table/table.h"

static gram_table *read_set(const char *name)
{
    const gram_read_options options = {.missing = GRAM_MISSING_KEEP};
    char path[64];
    gram_table *t = NULL;

    snprintf(path, sizeof path, "builtin:%s", name);
    CHECK_OK(gram_table_read(path, &options, NULL, &t));
    return t;
}

static gram_column column_of(const gram_table *t, const char *name)
{
    size_t j = 0;

    CHECK_OK(gram_table_find(t, name, &j));
    return gram_table_column(t, j);
}

static const char *level_of(const gram_column *c, size_t i)
{
    return c->levels[c->codes[i]];
}

static uint64_t fingerprint(const char *name)
{
    const gi_builtin *b = NULL;
    gi_buf text = {0};
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

    CHECK_OK(gi_builtin_find(name, &b));
    CHECK_OK(b->text(NULL, &text));
    for (size_t i = 0; i < text.n; i++)
        h = (h ^ (unsigned char)text.s[i]) * 0x100000001b3u;
    gi_buf_free(&text);
    return h;
}

/* n number, d date, c category, t text, s sparse; the target in capitals. */
static const struct {
    const char *name, *columns;
    size_t rows;
    uint64_t fingerprint;
} sets[] = {
    {"moons", "nnC", 400, 0xd7a94a8e2b0f4058u},
    {"circles", "nnC", 400, 0x02b134d6a659d4e3u},
    {"sinc", "nN", 200, 0x49425bc8e647fa7eu},
    {"co2", "dN", 521, 0xa81730d6cc2b2786u},
    {"iris", "nnnnC", 150, 0xf743bbb242040baeu},
    {"mixed", "nnnndcctN", 300, 0x81d61cc5d703412cu},
    {"before", "nnn", 500, 0xdf36b9043ff3a316u},
    {"after", "nnn", 500, 0x824c422363e57955u},
    {"sparse", "Ns", 400, 0xb9451a15a0f5e77cu},
};

enum { SETS = sizeof sets / sizeof *sets };

TEST(all_sets_are_listed_once_and_described)
{
    size_t i;

    for (i = 0; gram_builtin_at(i); i++) {
        const gram_builtin *b = gram_builtin_at(i);

        CHECK(i < SETS);
        CHECK_STR(b->name, sets[i].name);
        CHECK(strlen(b->brief) > 0 && strlen(b->origin) > 0);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(b->name, gram_builtin_at(j)->name) != 0);
    }
    CHECK(i == SETS);
    CHECK(gram_builtin_at(i + 1) == NULL);
}

TEST(all_sets_have_the_rows_types_and_target_they_say)
{
    for (size_t k = 0; k < SETS; k++) {
        const char *target = gram_builtin_at(k)->target;
        gram_table *t = read_set(sets[k].name);

        CHECK(gram_table_rows(t) == sets[k].rows);
        CHECK(gram_table_cols(t) == strlen(sets[k].columns));
        for (size_t j = 0; j < gram_table_cols(t); j++) {
            gram_column c = gram_table_column(t, j);
            int is_target = target && strcmp(c.name, target) == 0;
            char letter = "nctds"[c.type];

            if (is_target)
                letter = (char)(letter - 'a' + 'A');
            CHECK(letter == sets[k].columns[j]);
            CHECK(c.role == (is_target ? GRAM_ROLE_TARGET : GRAM_ROLE_FEATURE));
        }
        gram_table_free(t);
    }
}

/* The promise is the same bytes on every machine: these are they. */
TEST(the_text_is_the_same_everywhere)
{
    for (size_t k = 0; k < SETS; k++)
        if (fingerprint(sets[k].name) != sets[k].fingerprint)
            fail_msg("%s: fingerprint 0x%016llx, expected 0x%016llx",
                     sets[k].name,
                     (unsigned long long)fingerprint(sets[k].name),
                     (unsigned long long)sets[k].fingerprint);
}

TEST(an_unknown_set_is_refused)
{
    gram_table *t = NULL;

    CHECK_FAILS(gram_table_read("builtin:irys", NULL, NULL, &t), GRAM_ERR_NAME,
                "no data set \"irys\" is built in (did you mean \"iris\"?)");
    CHECK(t == NULL);
}

TEST(numbers_are_rounded_and_printed_plainly)
{
    static const struct {
        double x;
        int decimals;
        const char *text;
    } cases[] = {{0, 2, "0.00;"},        {-0.001, 2, "0.00;"},
                 {-1.25, 1, "-1.3;"},    {1.005e3, 0, "1005;"},
                 {-0.4, 0, "0;"},        {-2.5, 0, "-3;"},
                 {0.0625, 4, "0.0625;"}, {19.999, 2, "20.00;"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gi_buf out = {0};

        CHECK_OK(
            gi_builtin_number(NULL, &out, cases[k].x, cases[k].decimals, ';'));
        CHECK_STR(out.s, cases[k].text);
        gi_buf_free(&out);
    }
}

/* The flowers that tell Fisher's table from the copy with errors, and the
 * means of the three species, which Fisher prints in his table 2. */
TEST(iris_is_fishers)
{
    static const double means[3][4] = {{5.006, 3.428, 1.462, 0.246},
                                       {5.936, 2.770, 4.260, 1.326},
                                       {6.588, 2.974, 5.552, 2.026}};
    static const char *const species[] = {"setosa", "versicolor", "virginica"};
    gram_table *t = read_set("iris");
    gram_column kind = column_of(t, "species");
    double sum[3][4] = {{0}};

    for (size_t i = 0; i < 150; i++) {
        CHECK_STR(level_of(&kind, i), species[i / 50]);
        for (size_t j = 0; j < 4; j++)
            sum[i / 50][j] += gram_table_column(t, j).values[i];
    }
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < 4; j++)
            CHECK_NEAR(sum[k][j] / 50, means[k][j], 1e-12);
    CHECK(gram_table_column(t, 3).values[34] == 0.2);
    CHECK(gram_table_column(t, 1).values[37] == 3.6);
    CHECK(gram_table_column(t, 2).values[37] == 1.4);
    gram_table_free(t);
}

/* Months ascend from March 1958 to December 2001, and ten years' rise
 * is more than the yearly wave. */
TEST(co2_is_a_series_of_months)
{
    gram_table *t = read_set("co2");
    const double *when = gram_table_column(t, 0).values;
    const double *co2 = gram_table_column(t, 1).values;

    CHECK(when[0] == -4310 && when[520] == 11671);
    for (size_t i = 0; i < 521; i++) {
        CHECK(co2[i] > 312 && co2[i] < 375);
        if (i)
            CHECK(when[i] - when[i - 1] >= 28 && when[i] - when[i - 1] < 130);
        if (i >= 120)
            CHECK(co2[i] > co2[i - 120]);
    }
    gram_table_free(t);
}

/* Noise has deviation 0.1 by definition: the residual must, too. */
TEST(sinc_is_sinc_with_noise)
{
    gram_table *t = read_set("sinc");
    const double *x = gram_table_column(t, 0).values;
    const double *y = gram_table_column(t, 1).values;
    double squares = 0;

    for (size_t i = 0; i < 200; i++) {
        double r = y[i] - sin(x[i]) / x[i];

        CHECK(fabs(x[i]) <= 10);
        squares += r * r / 200;
    }
    CHECK(sqrt(squares) > 0.08 && sqrt(squares) < 0.12);
    gram_table_free(t);
}

TEST(circles_differ_in_radius_and_moons_in_place)
{
    gram_table *circles = read_set("circles"), *moons = read_set("moons");
    gram_column ring = column_of(circles, "class");
    gram_column half = column_of(moons, "class");
    double radius[2] = {0}, height[2] = {0};

    for (size_t i = 0; i < 400; i++) {
        double x = gram_table_column(circles, 0).values[i];
        double y = gram_table_column(circles, 1).values[i];

        radius[ring.codes[i]] += hypot(x, y) / 200;
        height[half.codes[i]] += gram_table_column(moons, 1).values[i] / 200;
    }
    CHECK_STR(ring.levels[0], "inner");
    CHECK_NEAR(radius[0], 0.5, 0.05);
    CHECK_NEAR(radius[1], 1, 0.05);
    CHECK_STR(half.levels[0], "lower");
    CHECK_NEAR(height[0], 0.5 - 2 / 3.14159265, 0.08);
    CHECK_NEAR(height[1], 2 / 3.14159265, 0.08);
    gram_table_free(circles);
    gram_table_free(moons);
}

struct pair {
    double mean[3], std[3], correlation, flatness;
};

static struct pair describe(const char *name)
{
    gram_table *t = read_set(name);
    const double *a = gram_table_column(t, 0).values;
    const double *b = gram_table_column(t, 1).values;
    const double *c = gram_table_column(t, 2).values;
    struct pair p = {.correlation = 0};

    for (size_t j = 0; j < 3; j++) {
        gram_summary s;

        CHECK_OK(gram_table_summary(t, j, &s));
        p.mean[j] = s.mean;
        p.std[j] = s.std;
    }
    for (size_t i = 0; i < 500; i++) {
        double z = (c[i] - p.mean[2]) / p.std[2];

        p.correlation +=
            (a[i] - p.mean[0]) / p.std[0] * (b[i] - p.mean[1]) / p.std[1] / 500;
        p.flatness += z * z * z * z / 500;
    }
    gram_table_free(t);
    return p;
}

/* Equal means (|t| < 2) and deviations; correlation and kurtosis differ. */
TEST(before_and_after_differ_in_shape_only)
{
    struct pair before = describe("before"), after = describe("after");

    for (size_t j = 0; j < 3; j++) {
        double error =
            sqrt((before.std[j] * before.std[j] + after.std[j] * after.std[j]) /
                 500);

        CHECK(fabs(before.mean[j] - after.mean[j]) < 2 * error);
        CHECK_NEAR(before.std[j] / after.std[j], 1, 0.1);
    }
    CHECK_NEAR(before.correlation, 0.7, 0.1);
    CHECK_NEAR(after.correlation, 0.3, 0.1);
    CHECK_NEAR(before.flatness, 3, 0.2); /* normal */
    CHECK(after.flatness < 2);           /* two humps: 1.7 */
}

TEST(mixed_has_holes_and_texts)
{
    gram_table *t = read_set("mixed");
    gram_column note = column_of(t, "note");
    gram_table *refused = NULL;

    CHECK(column_of(t, "built").missing > 5);
    CHECK(column_of(t, "heating").missing > 5);
    CHECK(column_of(t, "rent").missing == 0);
    CHECK(column_of(t, "district").level_count == 6);
    CHECK(column_of(t, "heating").level_count == 4);
    CHECK(note.level_count > 200);
    for (size_t i = 0; i < 300; i++)
        CHECK(strstr(level_of(&note, i), " with ") &&
              strchr(level_of(&note, i), ','));
    CHECK(gram_table_read("builtin:mixed", NULL, NULL, &refused) ==
          GRAM_ERR_RANGE);
    gram_table_free(t);
}

TEST(sparse_is_sparse)
{
    gram_table *t = read_set("sparse");
    gram_column label = column_of(t, "label");
    gram_column words = gram_table_column(t, 1);
    size_t positive = 0;

    CHECK(words.width == 2000);
    CHECK(words.start[400] > 400 * 25 && words.start[400] < 400 * 35);
    for (size_t i = 0; i < 400; i++)
        positive += label.values[i] == 1;
    CHECK(positive == 200);
    gram_table_free(t);
}

TEST(pieces_hold_the_rows_of_the_whole)
{
    gram_reader *r = NULL;
    gram_table *whole = read_set("iris"), *part = NULL;
    size_t seen = 0;

    CHECK_OK(gram_reader_open("builtin:iris", NULL, NULL, &r));
    for (;;) {
        CHECK_OK(gram_reader_next(r, 40, &part));
        if (!part)
            break;
        for (size_t i = 0; i < gram_table_rows(part); i++)
            CHECK(gram_table_column(part, 2).values[i] ==
                  gram_table_column(whole, 2).values[seen + i]);
        seen += gram_table_rows(part);
        gram_table_free(part);
    }
    CHECK(seen == 150);
    gram_reader_free(r);
    gram_table_free(whole);
}

TESTS(SMALL(all_sets_are_listed_once_and_described),
      SMALL(all_sets_have_the_rows_types_and_target_they_say),
      SMALL(the_text_is_the_same_everywhere), SMALL(an_unknown_set_is_refused),
      SMALL(numbers_are_rounded_and_printed_plainly), SMALL(iris_is_fishers),
      SMALL(co2_is_a_series_of_months), SMALL(sinc_is_sinc_with_noise),
      SMALL(circles_differ_in_radius_and_moons_in_place),
      SMALL(before_and_after_differ_in_shape_only),
      SMALL(mixed_has_holes_and_texts), SMALL(sparse_is_sparse),
      SMALL(pieces_hold_the_rows_of_the_whole))
