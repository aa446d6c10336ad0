/* test_operators_all.c - what holds for every class of operators, and for
 * kernels of all kinds: an operator that was moved to other numbers is one that
 * was made there, one that was restricted has the entries of its rows.
 */
#include "operators.h"

#include <stdatomic.h>
#include <string.h>

#include "kernels/engine/tiles.h"
#include "operators/stored.h"

enum { N = 70, D = 3, FEATURES = 30, KEPT = 33, THETAS = 8 };

/* Numbers that are open, in the order of the program, before and after. */
typedef struct sample {
    const char *kernel;
    double from[THETAS], to[THETAS];
} sample;

static const sample samples[] = {
    {"rbf(gamma=?)[a,b,c]", {0.3}, {2}},
    /* distances are taken from differences, and from products again */
    {"rbf(gamma=?)[a,b,c,s]", {1e-3}, {1e9}},
    {"rbf(gamma=?)[a,b,c,s]", {1e9}, {1e-3}},
    {"?*rbf(ard)[a,b,c]", {1, 0.3, 2, 0.1}, {1, 0.3, 5, 0.1}},
    {"?*rbf(ard)[a,b,c]", {1, 0.3, 2, 0.1}, {7, 0.3, 2, 0.1}},
    {"rbf(gamma=?)[a,b,c] + ?*linear[a,b,c]", {0.3, 2}, {0.4, 3}},
    {"?*linear[s] + ?", {2, 1}, {0, 3}},
    {"?*linear[wide]", {2}, {5}},
    {"rbf(gamma=?)[wide]", {0.2}, {0.7}},
    {"laplace(gamma=?)[a,b]", {0.3}, {0.7}},
    {"periodic(period=?, length=?)[a,b]", {1, 2}, {3, 2}},
    {"normalize(linear[a,b] + ?)*rbf(gamma=?)[c]", {1, 1}, {2, 1}},
    {"?*exponential(gamma=?)[a]", {2, 3}, {4, 5}},
    {"?*exponential(gamma=?)[a]", {2, 3}, {0, 5}},
    {"?*white + rbf(gamma=?)[a,b,c]", {1, 1}, {3, 1}},
    {"poly(degree=2, offset=?)[a,b]", {1}, {2}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* a, b, c: numbers; s: a sparse block that is nearly dense, wide: one that is
 * not. */
static gram_table *table_new(void)
{
    double *cells = grams_random(N * D, 0, 1), column[N];
    static const char *const names[] = {"a", "b", "c"};
    gram_table *t = NULL;

    CHECK_OK(gram_table_new(N, &t));
    for (size_t j = 0; j < D; j++) {
        for (size_t i = 0; i < N; i++)
            column[i] = cells[i * D + j];
        CHECK_OK(gram_table_add_numbers(t, names[j], column, 1));
    }
    for (size_t wide = 0; wide < 2; wide++) {
        const size_t width = wide ? 50 * FEATURES : FEATURES;
        size_t start[N + 1];
        unsigned index[2 * N];
        double *entries = grams_random(2 * N, 0, 2 + wide);

        for (size_t i = 0; i < N; i++) {
            start[i] = 2 * i;
            index[2 * i] = (unsigned)(i * 7 % (width - 1));
            index[2 * i + 1] = index[2 * i] + 1;
        }
        start[N] = 2 * N;
        CHECK_OK(gram_table_add_sparse(t, wide ? "wide" : "s", width, start,
                                       index, entries));
        free(entries);
    }
    free(cells);
    return t;
}

typedef struct world {
    gi_run run;
    gram_table *table;
    gram_kernel *kernel;
    gram_program *program;
    gi_points *x;
} world;

static world world_new(const char *kernel)
{
    static const gram_exec two = {.threads = 2};
    world w = {.run = gi_run_begin(&two), .table = table_new()};

    w.kernel = grams_kernel(kernel);
    if (gi_program_new(&w.run, w.kernel, w.table, 1, &w.program) != GRAM_OK)
        fail_msg("%s: %s", kernel, gram_error_message());
    CHECK(w.program->thetas > 0 && w.program->thetas <= THETAS);
    CHECK_OK(gi_points_new(&w.run, w.program, w.table, GI_DOUBLE, &w.x));
    return w;
}

static void world_free(world *w)
{
    gi_points_free(w->x);
    gi_program_free(w->program);
    gram_kernel_free(w->kernel);
    gram_table_free(w->table);
    gi_run_end(&w->run);
}

static gi_operator *operator_at(world *w, const double *theta)
{
    gi_operator *K = NULL;

    CHECK_OK(gi_operator_new(&w->run, w->program, theta, w->x, NULL, &K));
    return K;
}

static void seed(void *user, const gi_tile *tile, double *G)
{
    (void)user;
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->cols; j++)
            G[i * tile->ld + j] =
                cos((double)((tile->row + i) * (tile->col + j)));
}

/* All that can be asked of an operator, of `n` rows, in one array. */
enum { ASKED = 2 * N * N + 8 * N + THETAS + 8 };

static void ask(const gi_operator *K, gi_run *run, double *out)
{
    static const size_t row[] = {3, 0};
    const size_t n = K->rows;
    float *single = malloc(n * n * sizeof *single);
    double *V = grams_random(2 * n, 0, 9);

    memset(out, 0, ASKED * sizeof *out);
    CHECK_OK(gi_operator_store(K, run, &gi_blas_double, out, n));
    CHECK_OK(gi_operator_store(K, run, &gi_blas_single, single, n));
    for (size_t i = 0; i < n * n; i++)
        out[N * N + i] = (double)single[i];
    out += 2 * N * N;
    CHECK_OK(gi_operator_product(K, run, 0, V, 2, out));
    CHECK_OK(gi_operator_rows(K, run, &gi_blas_double, row, 2, out + 2 * N, n));
    CHECK_OK(gi_operator_diagonal(K, run, out + 4 * N));
    CHECK_OK(gi_operator_columns(K, run, row, 2, V, out + 5 * N));
    out += 8 * N;
    if (K->flags & GI_OPERATOR_HAS_GRADIENT)
        CHECK_OK(gi_operator_gradient(K, run, seed, NULL, out));
    out += THETAS;
    out[0] = (double)K->features;
    out[1] = (double)K->flags;
    out[2] = K->csr ? (double)K->csr->start[n] : -1;
    out[3] = K->csr && K->csr->start[n] ? K->csr->entries[0] : 0;
    out[4] = K->markov ? K->markov->amplitude : 0;
    out[5] = K->markov ? K->markov->rate : 0;
    out[6] = K->time ? K->time[n - 1] : 0;
    free(V);
    free(single);
}

static void same(const char *kernel, const char *what, const double *a,
                 const double *b)
{
    for (size_t i = 0; i < ASKED; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0)
            fail_msg("%s, %s: number %zu is %.17g, not %.17g", kernel, what, i,
                     a[i], b[i]);
}

TEST(an_operator_that_moved_is_one_that_was_made_there)
{
    double *moved = grams_doubles(ASKED), *made = grams_doubles(ASKED);

    for (size_t k = 0; k < SAMPLES; k++) {
        const sample *s = &samples[k];
        world w = world_new(s->kernel);
        gi_operator *K = operator_at(&w, s->from), *L = operator_at(&w, s->to);

        CHECK(K->flags & GI_OPERATOR_CAN_SET);
        CHECK_OK(gi_operator_set(K, &w.run, s->to)); /* nothing is ready yet */
        ask(K, &w.run, moved);
        ask(L, &w.run, made);
        same(s->kernel, "moved", moved, made);
        CHECK_OK(gi_operator_set(L, &w.run, s->from));
        CHECK_OK(gi_operator_set(L, &w.run, s->to)); /* there and back */
        ask(L, &w.run, moved);
        same(s->kernel, "moved back", moved, made);
        CHECK_OK(gi_operator_set(L, &w.run, s->from));
        ask(L, &w.run, moved);
        gi_operator_free(K);
        K = operator_at(&w, s->from);
        ask(K, &w.run, made);
        same(s->kernel, "moved away", moved, made);
        gi_operator_free(K);
        gi_operator_free(L);
        world_free(&w);
    }
    free(moved);
    free(made);
}

TEST(theta_of_an_operator_is_its_own)
{
    world w = world_new("rbf(gamma=?)[a]");
    double theta = 1, *before, *after;
    gi_operator *K = operator_at(&w, &theta);

    before = operator_matrix(K, &w.run);
    theta = 2;
    after = operator_matrix(K, &w.run);
    assert_memory_equal(before, after, N * N * sizeof *before);
    free(before);
    free(after);
    gi_operator_free(K);
    world_free(&w);
}

/* Rows that are scaled to be packed, counted: see test_calls.c. */
static atomic_size_t scaled;
void real_transform_row(const gi_operand *o, const double *x,
                        double *out) __asm__("__real_gi_transform_row");
void wrap_transform_row(const gi_operand *o, const double *x,
                        double *out) __asm__("__wrap_gi_transform_row");
void wrap_transform_row(const gi_operand *o, const double *x, double *out)
{
    atomic_fetch_add(&scaled, 1);
    real_transform_row(o, x, out);
}

/* How many rows a step from one theta to the other scales, for the matrix and
 * its gradient. */
static size_t rows_of_a_step(const sample *s)
{
    double grad[THETAS] = {0};
    world w = world_new(s->kernel);
    gi_operator *K = operator_at(&w, s->from);

    for (size_t k = 0; k < 2; k++) {
        CHECK_OK(gi_operator_set(K, &w.run, k ? s->to : s->from));
        atomic_store(&scaled, 0);
        CHECK_OK(gi_operator_prepare(K, &w.run, &gi_blas_double));
        CHECK_OK(gi_operator_gradient(K, &w.run, seed, NULL, grad));
    }
    gi_operator_free(K);
    world_free(&w);
    return atomic_load(&scaled);
}

TEST(rows_are_packed_again_only_where_their_weights_move)
{
    CHECK(rows_of_a_step(&(sample){"rbf(gamma=?)[a,b,c]", {1}, {2}}) == 0);
    CHECK(rows_of_a_step(
              &(sample){"?*rbf(ard)[a,b,c]", {1, 1, 1, 1}, {2, 1, 1, 1}}) == 0);
    CHECK(rows_of_a_step(&(sample){
              "?*rbf(ard)[a,b,c]", {1, 1, 1, 1}, {1, 1, 2, 1}}) == 2 * N);
}

/* Rows from the end to the beginning, one of them twice. */
static void choose(size_t *row)
{
    for (size_t i = 0; i < KEPT; i++)
        row[i] = N - 1 - 2 * i;
    row[KEPT - 1] = row[0];
}

static void check_restriction(const char *kernel, const gi_operator *K,
                              gi_run *run)
{
    double *all = operator_matrix(K, run), *some;
    size_t row[KEPT], again[2] = {5, 1};
    gi_operator *part = NULL, *less = NULL;

    choose(row);
    CHECK(K->flags & K->class_->flags & GI_OPERATOR_CAN_RESTRICT);
    CHECK_OK(gi_operator_restrict(K, run, row, KEPT, &part));
    CHECK_OK(gi_operator_restrict(part, run, again, 2, &less));
    CHECK(part->symmetric && part->rows == KEPT && part->cols == KEPT);
    some = operator_matrix(part, run);
    for (size_t i = 0; i < KEPT * KEPT; i++) {
        const double want = all[row[i / KEPT] * N + row[i % KEPT]];

        if (!(fabs(some[i] - want) <= 1e-13 * (1 + fabs(want))))
            fail_msg("%s (%zu,%zu): %g, not %g", kernel, i / KEPT, i % KEPT,
                     some[i], want);
    }
    free(some);
    some = operator_matrix(less, run);
    CHECK_NEAR(some[1], all[row[5] * N + row[1]], 1e-13);
    free(some);
    gi_operator_free(less);
    gi_operator_free(part);
    free(all);
}

TEST(a_restriction_has_the_entries_of_its_rows)
{
    for (size_t k = 0; k < SAMPLES; k++) {
        world w = world_new(samples[k].kernel);
        gi_operator *K = operator_at(&w, samples[k].from), *S = NULL;

        check_restriction(samples[k].kernel, K, &w.run);
        for (size_t single = 0; single < 2; single++) {
            const gi_blas *blas = single ? &gi_blas_single : &gi_blas_double;
            void *matrix = malloc(N * N * blas->size);

            CHECK_OK(gi_operator_store(K, &w.run, blas, matrix, N));
            CHECK_OK(gi_stored_new(&w.run, blas, matrix, N, N, &S));
            check_restriction("stored", S, &w.run);
            gi_operator_free(S);
            free(matrix);
        }
        gi_operator_free(K);
        world_free(&w);
    }
}

/* To the last bit, on its points: its centre is theirs. */
TEST(a_restriction_is_the_operator_of_its_points)
{
    double *restricted = grams_doubles(ASKED), *made = grams_doubles(ASKED);
    size_t row[KEPT];

    choose(row);
    for (size_t k = 0; k < SAMPLES; k++) {
        const sample *s = &samples[k];
        world w = world_new(s->kernel);
        gi_operator *K = operator_at(&w, s->from), *part = NULL, *own = NULL;
        gi_points *x = NULL;

        CHECK_OK(gi_operator_restrict(K, &w.run, row, KEPT, &part));
        gi_operator_free(K); /* nothing of it is kept */
        CHECK_OK(gi_points_select(&w.run, w.program, w.x, row, KEPT, &x));
        CHECK_OK(gi_operator_new(&w.run, w.program, s->to, x, NULL, &own));
        CHECK_OK(gi_operator_set(part, &w.run, s->to));
        ask(part, &w.run, restricted);
        ask(own, &w.run, made);
        same(s->kernel, "restricted", restricted, made);
        gi_operator_free(part);
        gi_operator_free(own);
        gi_points_free(x);
        world_free(&w);
    }
    free(restricted);
    free(made);
}

/* A failed move leaves an operator that can be moved again, and freed. */
TEST(failing_allocations_leave_nothing_behind)
{
    double *out = grams_doubles(ASKED), *want = grams_doubles(ASKED), *row;
    size_t failures = 0;

    row = grams_doubles(N);
    for (size_t k = 0; k < SAMPLES; k++) {
        const sample *s = &samples[k];
        world w = world_new(s->kernel);
        size_t before = gram_memory_used(), first = 0;
        gi_operator *K = operator_at(&w, s->from);
        gram_status status = GRAM_ERR_MEMORY;

        w.run.threads = 1;
        ask(K, &w.run, out);
        for (size_t n = 1; status != GRAM_OK; n++, failures++) {
            CHECK_OK(gi_operator_set(K, &w.run, s->from));
            CHECK_OK(gi_operator_rows(K, &w.run, &gi_blas_double, &first, 1,
                                      row, N));
            gi_mem_fail_at(n, 1);
            status = gi_operator_set(K, &w.run, s->to);
            if (status == GRAM_OK)
                status = gi_operator_prepare(K, &w.run, &gi_blas_double);
            gi_mem_fail_at(0, 0);
            CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        }
        ask(K, &w.run, out);
        gi_operator_free(K);
        CHECK(gram_memory_used() == before);
        K = operator_at(&w, s->to);
        ask(K, &w.run, want);
        same(s->kernel, "after failures", out, want);
        gi_operator_free(K);
        world_free(&w);
    }
    CHECK(failures > SAMPLES);
    free(row);
    free(out);
    free(want);
}

TEST(every_class_says_what_it_is)
{
    const gi_operator_class *c;

    for (size_t i = 0; (c = gi_operator_class_at(i)) != NULL; i++) {
        const unsigned flags = c->flags;

        CHECK(c->name && c->help && c->tile && c->product && c->rows &&
              c->diagonal);
        CHECK(!(flags & GI_OPERATOR_CAN_SET) == !c->set);
        CHECK(!(flags & GI_OPERATOR_CAN_RESTRICT) == !c->restrict_to);
        CHECK(!(flags & GI_OPERATOR_HAS_GRADIENT) == !c->gradient);
        CHECK(!(flags & GI_OPERATOR_HAS_FEATURES) == !c->features);
    }
}

TESTS(NORMAL(an_operator_that_moved_is_one_that_was_made_there),
      SMALL(rows_are_packed_again_only_where_their_weights_move),
      SMALL(theta_of_an_operator_is_its_own),
      NORMAL(a_restriction_has_the_entries_of_its_rows),
      NORMAL(a_restriction_is_the_operator_of_its_points),
      NORMAL(failing_allocations_leave_nothing_behind),
      SMALL(every_class_says_what_it_is))
