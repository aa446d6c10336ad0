/* test_model.c - machines as files, updated, and as elements of a space.
 */
#include "check.h"
#include "temporary.h"

enum { N = 40, M = 12 };

/* A table with numbers, a category, a sparse block and two targets. */
static gram_table *mixed_table(size_t n, unsigned seed)
{
    gram_table *t = NULL;
    double *x = calloc(4 * n, sizeof *x);
    const char **c = calloc(n, sizeof *c);
    size_t *start = calloc(n + 1, sizeof *start);
    unsigned *index = calloc(n, sizeof *index);

    srand(seed);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < 2; j++)
            x[j * n + i] = rand() / (RAND_MAX + 1.0) * 4 - 2;
        c[i] = rand() % 2 ? "red" : "blue";
        index[i] = (unsigned)(rand() % 5);
        start[i + 1] = i + 1;
        x[2 * n + i] = sin(x[i]) + x[n + i] + (*c[i] == 'r');
        x[3 * n + i] = cos(x[i]);
    }
    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_numbers(t, "a", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "b", x + n, 1));
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, c));
    CHECK_OK(gram_table_add_sparse(t, "s", 5, start, index, x));
    CHECK_OK(gram_table_add_numbers(t, "y", x + 2 * n, 1));
    CHECK_OK(gram_table_add_numbers(t, "z", x + 3 * n, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    CHECK_OK(gram_table_set_role(t, "z", GRAM_ROLE_TARGET));
    free(x);
    free(c);
    free(start);
    free(index);
    return t;
}

static const char *const kernels[] = {
    "rbf(gamma=0.5)[a,b] + delta[c]", "linear",
    "rbf[a]*delta[c] + linear[s]",    "map(standardize, matern(length=1))[a,b]",
    "exponential(gamma=1)[a]",
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static gram_machine *fit(const gram_table *t, const char *kernel, int keep)
{
    gram_fit_options o = {
        .kernel = kernel, .lambda = "0.1", .keep_factor = keep};
    gram_machine *m = NULL;

    CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
    return m;
}

static void predict(const gram_machine *m, const gram_table *t, double *mean,
                    double *std)
{
    gram_prediction p = {.mean = mean, .std = std};

    CHECK_OK(gram_machine_predict(m, t, NULL, NULL, &p));
}

TEST(a_model_that_is_read_predicts_the_same_bits)
{
    gram_table *t = mixed_table(N, 1), *new = mixed_table(M, 2);

    for (size_t k = 0; k < KERNELS; k++)
        for (int keep = 0; keep < 2; keep++) {
            gram_machine *m = fit(t, kernels[k], keep), *again = NULL;
            const char *path = temporary_path("m.gram");
            double a[2 * M], b[2 * M], c[2 * M], d[2 * M];

            CHECK_OK(gram_machine_save(m, path, NULL));
            CHECK_OK(gram_machine_load(path, NULL, &again));
            CHECK_STR(gram_machine_report(m)->kernel,
                      gram_machine_report(again)->kernel);
            CHECK_STR(gram_machine_report(m)->solver,
                      gram_machine_report(again)->solver);
            predict(m, new, a, b);
            predict(again, new, c, d);
            CHECK(memcmp(a, c, sizeof a) == 0);
            CHECK(memcmp(b, d, sizeof b) == 0);
            gram_machine_free(m);
            gram_machine_free(again);
        }
    gram_table_free(t);
    gram_table_free(new);
}

static char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes;

    CHECK(f != NULL);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*n);
    CHECK(fread(bytes, 1, *n, f) == *n);
    fclose(f);
    return bytes;
}

TEST(bytes_in_memory_are_those_of_a_file)
{
    gram_table *t = mixed_table(N, 1);

    for (size_t k = 0; k < KERNELS; k++) {
        gram_machine *m = fit(t, kernels[k], 1), *again = NULL;
        const char *path = temporary_path("m.gram");
        void *bytes = NULL;
        size_t n = 0, size = 0;
        char *file;

        CHECK_OK(gram_machine_pack(m, NULL, &bytes, &n));
        CHECK_OK(gram_machine_save(m, path, NULL));
        file = read_file(path, &size);
        CHECK(n == size && memcmp(bytes, file, n) == 0);
        CHECK_OK(gram_machine_unpack(bytes, n, NULL, &again));
        CHECK_STR(gram_machine_report(m)->kernel,
                  gram_machine_report(again)->kernel);
        gram_machine_free(again);
        CHECK(gram_machine_unpack(bytes, n - 1, NULL, &again) ==
              GRAM_ERR_PARSE);
        CHECK(again == NULL);
        gram_memory_free(bytes);
        gram_machine_free(m);
        free(file);
    }
    gram_table_free(t);
}

/* f at the training rows is K alpha + b, whichever solver found f. */
TEST(coefficients_of_rows_make_the_predictions)
{
    gram_table *t = mixed_table(N, 4);

    for (size_t q = 0; q < 2 * KERNELS; q++) {
        const gram_fit_options o = {.kernel = kernels[q / 2],
                                    .lambda = q % 2 ? "auto" : "0.1",
                                    .per_target = q % 2};
        gram_machine *m = NULL;
        gram_kernel *k = NULL;
        double alpha[2 * N], product[2 * N], mean[2 * N];
        size_t row[N];

        CHECK_OK(gram_machine_fit(t, &o, NULL, &m));
        CHECK_OK(gram_machine_alpha(m, NULL, row, alpha));
        CHECK_OK(gram_kernel_new(gram_machine_report(m)->kernel, &k));
        CHECK_OK(gram_kernel_product(k, gram_machine_table(m), NULL, NULL, 0,
                                     alpha, 2, product));
        predict(m, t, mean, NULL);
        for (size_t i = 0; i < N; i++) {
            CHECK(row[i] == i);
            for (size_t j = 0; j < 2; j++)
                CHECK_NEAR(product[2 * i + j] +
                               gram_machine_report(m)->intercept[j],
                           mean[2 * i + j], 1e-6);
        }
        gram_kernel_free(k);
        gram_machine_free(m);
    }
    gram_table_free(t);
}

TEST(every_cut_and_every_changed_byte_is_refused)
{
    gram_table *t = mixed_table(6, 3);
    gram_machine *m = fit(t, kernels[0], 1), *none = NULL;
    const char *path = temporary_path("m.gram");
    char *bytes;
    size_t n;

    CHECK_OK(gram_machine_save(m, path, NULL));
    bytes = read_file(path, &n);
    for (size_t i = 0; i < n; i += 7) {
        path = temporary_file("cut.gram", bytes, i);
        CHECK(gram_machine_load(path, NULL, &none) == GRAM_ERR_PARSE);
        CHECK(none == NULL);
        bytes[i] ^= 0x10;
        path = temporary_file("changed.gram", bytes, n);
        CHECK(gram_machine_load(path, NULL, &none) == GRAM_ERR_PARSE);
        CHECK(none == NULL);
        bytes[i] ^= 0x10;
    }
    free(bytes);
    gram_machine_free(m);
    gram_table_free(t);
}

/* ------------------------------------------------------------------ updates */

/* The rows of t with keep[i]. */
static gram_table *rows_of(const gram_table *t, size_t first, size_t count)
{
    gram_table *out = NULL;

    CHECK_OK(gram_table_new(count, &out));
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);
        const char *text[N];

        if (c.values) {
            CHECK_OK(gram_table_add_numbers(out, c.name, c.values + first, 1));
        } else if (c.codes) {
            for (size_t i = 0; i < count; i++)
                text[i] = c.levels[c.codes[first + i]];
            CHECK_OK(gram_table_add_strings(out, c.name, c.type, text));
        } else {
            CHECK_OK(gram_table_add_sparse(
                out, c.name, c.width, c.start + first, c.index, c.entries));
        }
        CHECK_OK(gram_table_set_role(out, c.name, c.role));
    }
    return out;
}

static void check_same(const gram_machine *a, const gram_machine *b,
                       const gram_table *t)
{
    double m[2 * M], n[2 * M], s[2 * M], r[2 * M];

    predict(a, t, m, s);
    predict(b, t, n, r);
    for (size_t i = 0; i < 2 * M; i++) {
        CHECK_NEAR(m[i], n[i], 1e-9);
        CHECK_NEAR(s[i], r[i], 1e-9);
    }
}

TEST(rows_added_and_removed_are_a_fit_to_what_is_there)
{
    gram_table *t = mixed_table(N, 1), *new = mixed_table(M, 2);
    gram_table *head = rows_of(t, 0, N - 10), *tail = rows_of(t, N - 10, 10);
    unsigned char gone[N] = {0};

    for (size_t i = N - 10; i < N; i++)
        gone[i] = 1;
    /* a kernel whose maps learn would learn other numbers from other rows */
    for (size_t k = 0; k < KERNELS; k++)
        for (int keep = 0; keep < 2; keep++) {
            gram_machine *all = fit(t, kernels[k], keep), *more = NULL;
            gram_machine *less = NULL, *part = NULL;
            gram_fit_options o = {.from = all, .keep_factor = keep};

            CHECK_OK(gram_machine_fit(head, &o, NULL, &part));
            CHECK_OK(gram_machine_update(part, tail, NULL, NULL, &more));
            check_same(all, more, new);
            CHECK_OK(gram_machine_update(all, NULL, gone, NULL, &less));
            check_same(part, less, new);
            CHECK(gram_machine_report(less)->n == N - 10);
            gram_machine_free(all);
            gram_machine_free(part);
            gram_machine_free(more);
            gram_machine_free(less);
        }
    gram_table_free(t);
    gram_table_free(new);
    gram_table_free(head);
    gram_table_free(tail);
}

TEST(updates_that_do_not_fit_are_refused)
{
    gram_table *t = mixed_table(N, 1), *other = mixed_table(M, 2);
    gram_machine *m = fit(t, kernels[0], 1), *none = NULL;
    unsigned char all[N];

    memset(all, 1, sizeof all);
    CHECK_FAILS(gram_machine_update(m, NULL, all, NULL, &none), GRAM_ERR_SHAPE,
                "no rows are left");
    CHECK_OK(gram_table_set_role(other, "z", GRAM_ROLE_FEATURE));
    CHECK_FAILS(gram_machine_update(m, other, NULL, NULL, &none),
                GRAM_ERR_SHAPE, "new rows: 1 targets, the model has 2");
    CHECK(none == NULL);
    gram_machine_free(m);
    gram_table_free(t);
    gram_table_free(other);
}

/* ------------------------------------------------------------------- norms */

/* |f|^2 = sum_i alpha_i f(x_i), and alpha = (y - f - b)/lambda. */
TEST(the_norm_is_what_the_equations_say)
{
    gram_table *t = mixed_table(N, 1);
    gram_machine *m = fit(t, "rbf(gamma=0.5)[a,b]", 0);
    const gram_report *r = gram_machine_report(m);
    gram_column y = gram_table_column(t, 4);
    double f[2 * N], norm = NAN, sum = 0;

    predict(m, t, f, NULL);
    CHECK_OK(gram_machine_inner(m, NULL, NULL, &norm));
    for (size_t i = 0; i < N; i++)
        sum += (y.values[i] - f[2 * i]) / 0.1 * (f[2 * i] - r->intercept[0]);
    CHECK_NEAR(norm, sum, 1e-9);
    gram_machine_free(m);
    gram_table_free(t);
}

TEST(inner_products_obey_cauchy_and_schwarz)
{
    gram_table *t = mixed_table(N, 1), *u = mixed_table(M, 2);
    gram_machine *f = fit(t, "rbf(gamma=0.5)[a,b]*delta[c]", 0);
    gram_machine *g = fit(u, "rbf(gamma=0.5)[a,b]*delta[c]", 0);
    gram_machine *h = fit(u, "rbf(gamma=0.7)[a,b]", 0);
    double ff, gg, fg, gf;

    CHECK_OK(gram_machine_inner(f, f, NULL, &ff));
    CHECK_OK(gram_machine_inner(g, NULL, NULL, &gg));
    CHECK_OK(gram_machine_inner(f, g, NULL, &fg));
    CHECK_OK(gram_machine_inner(g, f, NULL, &gf));
    CHECK_NEAR(fg, gf, 1e-12);
    CHECK(fg * fg < ff * gg);
    CHECK(gram_machine_inner(f, h, NULL, &fg) == GRAM_ERR_SHAPE);
    gram_machine_free(f);
    gram_machine_free(g);
    gram_machine_free(h);
    gram_table_free(t);
    gram_table_free(u);
}

/* A column that the function does not depend on does not matter. */
TEST(columns_that_matter_are_found)
{
    gram_table *t = NULL;
    double x[2 * N], y[N], term[2], column[2];

    srand(4);
    for (size_t i = 0; i < N; i++) {
        x[i] = rand() / (RAND_MAX + 1.0);
        x[N + i] = rand() / (RAND_MAX + 1.0);
        y[i] = 3 * x[i];
    }
    CHECK_OK(gram_table_new(N, &t));
    CHECK_OK(gram_table_add_numbers(t, "a", x, 1));
    CHECK_OK(gram_table_add_numbers(t, "b", x + N, 1));
    CHECK_OK(gram_table_add_numbers(t, "y", y, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    gram_machine *m = fit(t, "linear[a] + linear[b]", 0);
    CHECK_OK(gram_machine_importance(m, NULL, term, column));
    CHECK(term[0] > 100 * term[1]);
    CHECK(column[0] > 100 * column[1]);
    gram_machine_free(m);
    gram_table_free(t);
}

TESTS(SMALL(a_model_that_is_read_predicts_the_same_bits),
      SMALL(bytes_in_memory_are_those_of_a_file),
      SMALL(coefficients_of_rows_make_the_predictions),
      SMALL(every_cut_and_every_changed_byte_is_refused),
      SMALL(rows_added_and_removed_are_a_fit_to_what_is_there),
      SMALL(updates_that_do_not_fit_are_refused),
      SMALL(the_norm_is_what_the_equations_say),
      SMALL(inner_products_obey_cauchy_and_schwarz),
      SMALL(columns_that_matter_are_found))
