/* test_kernels_all.c - what holds for every kernel of the catalogue, and for
 * kernels registered at run time: symmetry, the diagonal, eigenvalues,
 * gradients, sparse rows, threads, text.
 *
 * A kernel gets parameters from its own table: one text per value that is
 * tried, all of them fixed numbers.  Nothing here knows a kernel by name,
 * except those that read a file.
 */
#include "grams.h"
#include "temporary.h"

#include <float.h>

#include "gram_plugin.h"

enum { N = 41, D = 3, LARGE = 230, PARAMS = 16, ROOM = 1024 };

/* ------------------------------------------------------- kernels of users */

static double cauchy(void *user, double r)
{
    (void)user;
    return 1 / (1 + r * r);
}

static double cauchy_slope(void *user, double r)
{
    (void)user;
    return -2 * r / ((1 + r * r) * (1 + r * r));
}

static double first_column(void *user, const double *x, const double *t,
                           size_t d)
{
    (void)user;
    return d ? x[0] * t[0] : 0;
}

/* A class as an author outside writes it: s x.t / (1 + |x-t|^2). */
static const gram_param mine_params[] = {
    {.name = "s", .range = GRAM_POSITIVE, .value = 1, .help = "factor"},
    {.name = NULL},
};

static int mine_compile(gram_program *p)
{
    int below = gram_emit_add(p, gram_emit_constant(p, 1, -1, 1),
                              gram_emit_sqdist(p, -1, 1));

    return gram_emit_divide(p, gram_emit_scale(p, gram_emit_dot(p), 1, 0, 1),
                            below);
}

static const gram_kernel_class mine = {
    .name = "mine",
    .formula = "s x.t/(1 + |x-t|^2)",
    .proof = "a product of two kernels",
    .params = mine_params,
    .compile = mine_compile,
};

static void register_kernels(void)
{
    static int done;

    if (done++)
        return;
    CHECK_OK(gram_kernel_register(&mine));
    CHECK_OK(gram_kernel_register_radial("cauchy", cauchy, cauchy_slope, NULL));
    CHECK_OK(gram_kernel_register_pairs("first", first_column, NULL));
}

/* ---------------------------------------------------------------- samples */

/* A class with values for its parameters. */
typedef struct sample {
    const gram_kernel_class *class_;
    double value[PARAMS];
    int ard;
    const char *matrix; /* file of a matrix, if it needs one */
    char text[ROOM];
} sample;

/* A random PSD matrix in a file. */
static const char *matrix_file(size_t n)
{
    double *A = grams_doubles(n * n), *x = grams_random(n * n, 0, n);
    const char *path = temporary_path(n == D ? "D.npy" : "N.npy");

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j;

            for (size_t k = 0; k < n; k++)
                sum += x[i * n + k] * x[j * n + k];
            A[i * n + j] = A[j * n + i] = sum;
        }
    CHECK_OK(gram_matrix_write(A, n, n, path, NULL));
    free(x);
    free(A);
    return path;
}

/* name(a=1, ..., ard) */
static void write_text(sample *s)
{
    const gram_param *params = s->class_->params;
    char *at = s->text, *end = s->text + ROOM;
    const char *gap = "(";

    at += snprintf(at, ROOM, "%s", s->class_->name);
    for (size_t i = 0; params && params[i].name; i++) {
        if (params[i].stands_for || (params[i].range == GRAM_FLAG && !s->ard))
            continue;
        at += snprintf(at, (size_t)(end - at), "%s%s", gap, params[i].name);
        if (params[i].range == GRAM_FILE)
            at += snprintf(at, (size_t)(end - at), "=\"%s\"", s->matrix);
        else if (params[i].range != GRAM_FLAG && isinf(s->value[i]))
            at += snprintf(at, (size_t)(end - at), "=all");
        else if (params[i].range != GRAM_FLAG)
            at += snprintf(at, (size_t)(end - at), "=%.17g", s->value[i]);
        gap = ", ";
    }
    snprintf(at, (size_t)(end - at), "%s", *gap == ',' ? ")" : "");
}

/* Values for parameter p, `count` of them at most. */
static size_t values_for(const gram_param *p, double *out)
{
    size_t count = 0;

    for (const double *c = p->choices; c && !isnan(*c); c++)
        out[count++] = *c;
    if (p->choices)
        return count;
    switch (p->range) {
    case GRAM_REAL:
        out[count++] = 0.3;
        break;
    case GRAM_POSITIVE:
        out[count++] = 0.7;
        out[count++] = 1.3;
        break;
    case GRAM_NONNEGATIVE:
        out[count++] = 0.6;
        out[count++] = 0;
        break;
    case GRAM_NATURAL:
    case GRAM_COUNT:
        out[count++] = 2;
        out[count++] = 3;
        out[count++] = p->value;
        break;
    default:
        out[count++] = 0;
    }
    return count;
}

/* Call `check` for every class with every value of every parameter, the others
 * at their first one, and once more with ard. */
static void for_all(size_t rows, void (*check)(const sample *s, size_t rows))
{
    register_kernels();
    for (size_t c = 0; gram_kernel_class_at(c); c++) {
        const gram_kernel_class *class_ = gram_kernel_class_at(c);
        const gram_param *p = class_->params;
        int takes_rows = (class_->flags & GRAM_KERNEL_NO_COLUMNS) != 0;
        sample s = {.class_ = class_};
        double values[PARAMS];

        if (!class_->compile)
            continue; /* cannot be written */
        for (size_t i = 0; p && p[i].name; i++) {
            if (p[i].range == GRAM_FILE)
                s.matrix = matrix_file(takes_rows ? rows : D);
            values_for(p + i, values);
            s.value[i] = values[0];
        }
        write_text(&s);
        check(&s, rows);
        for (size_t i = 0; p && p[i].name; i++) {
            size_t count = values_for(p + i, values);

            for (size_t v = 1; v < count && !p[i].stands_for; v++) {
                s.value[i] = values[v];
                write_text(&s);
                check(&s, rows);
            }
            s.value[i] = values[0];
            s.ard = p[i].range == GRAM_FLAG;
            write_text(&s);
            if (s.ard)
                check(&s, rows);
        }
    }
}

/* Random rows in the domain of the kernel; row 1 is row 0 again. */
static double *rows_for(const gram_kernel_class *class_, size_t rows)
{
    int nonnegative = (class_->flags & GRAM_KERNEL_NONNEGATIVE) != 0;
    double *x = grams_random(rows * D, nonnegative, 5);

    memcpy(x + D, x, D * sizeof *x);
    return x;
}

static gram_table *table_for(const sample *s, size_t rows)
{
    double *x = rows_for(s->class_, rows);
    gram_table *t = grams_table(rows, D, x, "a b c");

    free(x);
    return t;
}

/* ------------------------------------------------------------------ checks */

static void check_matrix(const sample *s, size_t n)
{
    gram_table *t = table_for(s, n);
    gram_kernel *k = grams_kernel(s->text);
    double *K = grams_matrix(s->text, t), *diagonal = grams_doubles(n);
    int stationary = s->class_->flags & GRAM_KERNEL_STATIONARY;

    CHECK_OK(gram_kernel_diagonal(k, t, NULL, diagonal));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            if (K[i * n + j] != K[j * n + i] || !isfinite(K[i * n + j]))
                fail_msg("%s: (%zu,%zu) %g and %g", s->text, i, j, K[i * n + j],
                         K[j * n + i]);
        if (K[i * n + i] != diagonal[i])
            fail_msg("%s: diagonal %zu is %.17g and %.17g", s->text, i,
                     K[i * n + i], diagonal[i]);
    }
    if (stationary && (K[0] != K[n + 1] || K[1] != K[0]))
        fail_msg("%s: of two equal rows %.17g, %.17g", s->text, K[0], K[1]);
    free(diagonal);
    free(K);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(matrices_are_symmetric_with_an_exact_diagonal)
{
    for_all(N, check_matrix);
    for_all(LARGE, check_matrix);
}

static void check_eigenvalues(const sample *s, size_t n)
{
    gram_kernel *k = grams_kernel(s->text);
    gram_proof *proof = NULL;
    gram_table *t = table_for(s, n);
    double *K = grams_matrix(s->text, t), min, max;

    CHECK_OK(gram_proof_new(k, &proof));
    grams_extremes(K, n, &min, &max);
    if (gram_proof_psd(proof) > 0 &&
        !(min >= -10 * (double)n * DBL_EPSILON * max))
        fail_msg("%s: certified, eigenvalues %g to %g", s->text, min, max);
    if (gram_proof_psd(proof) < 0 && !gram_proof_at(proof, 0).points)
        fail_msg("%s: refuted without points", s->text);
    gram_proof_free(proof);
    gram_table_free(t);
    gram_kernel_free(k);
    free(K);
}

TEST(certified_kernels_have_no_negative_eigenvalue)
{
    for_all(N, check_eigenvalues);
}

/* sum_ij G_ij k(x_i,x_j) */
static double weighted_sum(const sample *s, const gram_table *t,
                           const double *G, size_t n)
{
    double *K = grams_matrix(s->text, t), sum = 0;

    for (size_t i = 0; i < n * n; i++)
        sum += G[i] * K[i];
    free(K);
    return sum;
}

/* The derivative by class parameter i, by the five-point rule. */
static double difference(const sample *s, size_t i, const gram_table *t,
                         const double *G, size_t n)
{
    static const double weight[] = {1, -8, 8, -1}, step[] = {-2, -1, 1, 2};
    double h = 2e-4 * fmax(s->value[i], 0.1), sum = 0;

    for (size_t j = 0; j < 4; j++) {
        sample moved = *s;

        moved.value[i] += step[j] * h;
        write_text(&moved);
        sum += weight[j] * weighted_sum(&moved, t, G, n);
    }
    return sum / (12 * h);
}

/* The class's parameter that is called so behind the dot. */
static size_t param_of(const gram_kernel_class *class_, const char *name)
{
    size_t i = 0;

    while (strcmp(class_->params[i].name, strrchr(name, '.') + 1) != 0)
        i++;
    return i;
}

static void check_gradient(const sample *s, size_t n)
{
    gram_kernel *k = grams_kernel(s->text);
    gram_table *t = table_for(s, n);
    double *G = grams_random(n * n, 0, 9), gradient[PARAMS * D];
    size_t first[PARAMS + 1];

    CHECK_OK(gram_kernel_param_layout(k, t, first));
    CHECK_OK(gram_kernel_gradient(k, t, NULL, G, n, gradient));
    for (size_t p = 0; p < gram_kernel_param_count(k); p++) {
        gram_kernel_param param = gram_kernel_param_at(k, p);
        size_t i = param_of(s->class_, param.name);
        double expected, sum = 0;

        if (s->value[i] == 0)
            continue; /* on the border of its range */
        /* one text moves the numbers of all columns together */
        for (size_t m = first[p]; m < first[p + 1]; m++)
            sum += gradient[m];
        expected = difference(s, i, t, G, n);
        if (!(fabs(sum - expected) <= 1e-7 * fmax(1, fabs(expected))))
            fail_msg("%s: gradient by %s %.15g, differences %.15g", s->text,
                     param.name, sum, expected);
    }
    free(G);
    gram_table_free(t);
    gram_kernel_free(k);
}

TEST(gradients_are_limits_of_differences)
{
    for_all(N, check_gradient);
}

/* Rows x of D numbers as one sparse block. */
static gram_table *sparse_table(const double *x, size_t n)
{
    double *entries = grams_doubles(n * D);
    size_t *start = malloc((n + 1) * sizeof *start), count = 0;
    unsigned *index = malloc(n * D * sizeof *index);
    gram_table *t = NULL;

    assert_true(start && index);
    for (size_t i = 0; i < n * D; i++) {
        if (i % D == 0)
            start[i / D] = count;
        index[count] = (unsigned)(i % D);
        entries[count] = x[i];
        count += x[i] != 0;
    }
    start[n] = count;
    CHECK_OK(gram_table_new(n, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", D, start, index, entries));
    free(entries);
    free(start);
    free(index);
    return t;
}

/* The same numbers, a third of them 0, as columns and as a block, unless the
 * kernel says that it takes no sparse columns. */
static void check_sparse(const sample *s, size_t n)
{
    double *x = rows_for(s->class_, n), *K, *L = grams_doubles(n * n);
    gram_table *dense, *sparse;
    gram_kernel *k = grams_kernel(s->text);
    gram_status status;

    for (size_t i = 0; i < n * D; i++)
        if ((i / D + 2 * (i % D)) % 3 == 0)
            x[i] = 0;
    dense = grams_table(n, D, x, "1 2 3");
    sparse = sparse_table(x, n);
    K = grams_matrix(s->text, dense);
    status = gram_kernel_matrix(k, sparse, NULL, NULL, L, n);
    if (status == GRAM_ERR_SHAPE)
        CHECK(strstr(gram_error_message(), "takes dense columns"));
    else
        CHECK_OK(status);
    for (size_t i = 0; i < n * n && status == GRAM_OK; i++)
        if (!(fabs(K[i] - L[i]) <= 1e-13 * fmax(1, fabs(K[i]))))
            fail_msg("%s: entry %zu dense %.17g, sparse %.17g", s->text, i,
                     K[i], L[i]);
    free(K);
    free(L);
    free(x);
    gram_kernel_free(k);
    gram_table_free(dense);
    gram_table_free(sparse);
}

TEST(sparse_rows_give_what_dense_rows_give)
{
    for_all(N, check_sparse);
}

static void check_threads(const sample *s, size_t n)
{
    gram_kernel *k = grams_kernel(s->text);
    gram_table *t = table_for(s, n);
    double *one = grams_doubles(n * n), *many = grams_doubles(n * n);
    double *v = grams_random(2 * n, 0, 3), *y = grams_doubles(2 * n);
    double *z = grams_doubles(2 * n), g[PARAMS * D], h[PARAMS * D];
    size_t first[PARAMS + 1], params;

    CHECK_OK(gram_kernel_param_layout(k, t, first));
    params = first[gram_kernel_param_count(k)];
    for (int threads = 1; threads <= 3; threads++) {
        gram_exec exec = {.threads = threads};
        double *K = threads == 1 ? one : many, *out = threads == 1 ? y : z;
        double *gradient = threads == 1 ? g : h;

        CHECK_OK(gram_kernel_matrix(k, t, NULL, &exec, K, n));
        CHECK_OK(gram_kernel_product(k, t, NULL, &exec, 0, v, 2, out));
        CHECK_OK(gram_kernel_gradient(k, t, &exec, one, n, gradient));
        if (threads > 1 && (memcmp(one, many, n * n * sizeof *K) != 0 ||
                            memcmp(y, z, 2 * n * sizeof *y) != 0 ||
                            memcmp(g, h, params * sizeof *g) != 0))
            fail_msg("%s: other bits on %d threads", s->text, threads);
    }
    free(one);
    free(many);
    free(v);
    free(y);
    free(z);
    gram_table_free(t);
    gram_kernel_free(k);
}

TEST(the_bits_do_not_depend_on_the_number_of_threads)
{
    for_all(LARGE, check_threads);
}

/* k -> text -> k: the same text and the same matrix. */
static void check_text(const sample *s, size_t n)
{
    gram_table *t = table_for(s, n);
    gram_kernel *k = grams_kernel(s->text), *again;
    double *K = grams_matrix(s->text, t);
    double *L = grams_matrix(gram_kernel_text(k), t);

    again = grams_kernel(gram_kernel_text(k));
    CHECK_STR(gram_kernel_text(k), gram_kernel_text(again));
    if (memcmp(K, L, n * n * sizeof *K) != 0)
        fail_msg("%s: printed as %s", s->text, gram_kernel_text(k));
    free(K);
    free(L);
    gram_kernel_free(k);
    gram_kernel_free(again);
    gram_table_free(t);
}

TEST(the_text_of_a_kernel_makes_the_same_kernel)
{
    for_all(N, check_text);
}

/* Single precision is double precision, less exact. */
static void check_single(const sample *s, size_t n)
{
    gram_table *t = table_for(s, n);
    gram_kernel *k = grams_kernel(s->text);
    double *K = grams_matrix(s->text, t);
    float *L = malloc(n * n * sizeof *L);

    assert_non_null(L);
    CHECK_OK(gram_kernel_matrix_single(k, t, NULL, NULL, L, n));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double error = fabs((double)L[i * n + j] - K[i * n + j]);
            double size = fabs(K[i * n + i]) + fabs(K[j * n + j]);

            if (!(error <= 1e-5 * fmax(1, size)))
                fail_msg("%s: (%zu,%zu) is %g, in single %g", s->text, i, j,
                         K[i * n + j], (double)L[i * n + j]);
        }
    free(L);
    free(K);
    gram_kernel_free(k);
    gram_table_free(t);
}

TEST(single_precision_is_near_double)
{
    for_all(N, check_single);
}

/* ----------------------------------------------------- rules of the algebra */

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double twice_cubed(double a, double b)
{
    (void)b;
    return 2 * a * a * a;
}

static double exponential(double a, double b)
{
    (void)b;
    return exp(a);
}

/* The matrix of a construction is the construction applied to matrices. */
TEST(constructions_act_on_the_matrices_of_their_parts)
{
    static const struct {
        const char *whole, *a, *b;
        double (*rule)(double a, double b);
    } cases[] = {
        {"rbf(gamma=1)[a] + linear", "rbf(gamma=1)[a]", "linear", add},
        {"rbf(gamma=1) - poly(degree=2)", "rbf(gamma=1)", "poly(degree=2)",
         subtract},
        {"rbf(gamma=1)[a]*min[b,c]", "rbf(gamma=1)[a]", "min[b,c]", multiply},
        {"2*linear^3", "linear", "1", twice_cubed},
        {"laplace(gamma=1)^0.5", "laplace(gamma=0.5)", "0", add},
        {"exp(linear[a,b])", "linear[a,b]", "1", exponential},
        {"weight(a, linear[b])", "linear[a]", "linear[b]", multiply},
        {"linear^2 + 2*linear + 1", "poly(degree=2)", "0", add},
        {"map(square, linear[a])", "linear[a]", "linear[a]", multiply},
        {"(rbf(gamma=1) + linear)[a]", "rbf(gamma=1)[a]", "linear[a]", add},
    };
    gram_table *t = grams_random_table(N, D, 1, 8, "a b c");

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double *K = grams_matrix(cases[c].whole, t);
        double *A = grams_matrix(cases[c].a, t), *B;

        B = grams_matrix(cases[c].b, t);
        for (size_t i = 0; i < N * N; i++) {
            double expected = cases[c].rule(A[i], B[i]);

            if (!(fabs(K[i] - expected) <= 1e-13 * fmax(1, fabs(expected))))
                fail_msg("%s: entry %zu is %.17g, expected %.17g",
                         cases[c].whole, i, K[i], expected);
        }
        free(K);
        free(A);
        free(B);
    }
    gram_table_free(t);
}

TEST(normalize_divides_by_the_diagonal)
{
    gram_table *t = grams_random_table(N, D, 0, 8, "a b c");
    double *K = grams_matrix("poly(degree=2)", t);
    double *L = grams_matrix("normalize(poly(degree=2))", t);

    for (size_t i = 0; i < N; i++) {
        CHECK(L[i * N + i] == 1);
        for (size_t j = 0; j < N; j++)
            CHECK_NEAR(L[i * N + j],
                       K[i * N + j] / sqrt(K[i * N + i] * K[j * N + j]), 1e-14);
    }
    free(K);
    free(L);
    gram_table_free(t);
}

TESTS(SMALL(matrices_are_symmetric_with_an_exact_diagonal),
      SMALL(certified_kernels_have_no_negative_eigenvalue),
      SMALL(gradients_are_limits_of_differences),
      SMALL(sparse_rows_give_what_dense_rows_give),
      SMALL(the_bits_do_not_depend_on_the_number_of_threads),
      SMALL(the_text_of_a_kernel_makes_the_same_kernel),
      SMALL(single_precision_is_near_double),
      SMALL(constructions_act_on_the_matrices_of_their_parts),
      SMALL(normalize_divides_by_the_diagonal))
