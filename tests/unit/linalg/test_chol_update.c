/* test_chol_update.c - rows appended to a factor and removed from it: the
 * result is the factor of the other matrix, to rounding.
 */
#include "chols.h"

#include "base/mem.h"

/* The matrix of the rows and columns with keep[i]. */
static matrix part_of(const matrix *m, const unsigned char *keep)
{
    matrix part = random_matrix(m->blas, m->n);
    size_t to = 0;

    part.n = 0;
    for (size_t i = 0; i < m->n; i++)
        part.n += keep[i];
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            if (keep[i] && keep[j])
                part.a[to++] = m->a[i * m->n + j];
    return part;
}

static matrix leading(const matrix *m, size_t n)
{
    unsigned char *keep = calloc(m->n + 1, 1);
    matrix part;

    assert_non_null(keep);
    memset(keep, 1, n);
    part = part_of(m, keep);
    free(keep);
    return part;
}

static void check_same(const matrix *m, const gi_chol *a, const gi_chol *b)
{
    CHECK(gi_chol_size(a) == gi_chol_size(b));
    for (size_t i = 0; i < gi_chol_size(a); i++)
        for (size_t j = 0; j <= i; j++)
            CHECK_NEAR(gi_chol_get(a, i, j), gi_chol_get(b, i, j),
                       4 * epsilon(m));
}

/* ---------------------------------------------------------------- append */

/* Refuses entries that are known already. */
typedef struct watched {
    matrix m;
    size_t old;
} watched;

static gram_status fill_new(void *user, size_t row, size_t rows, size_t col,
                            size_t cols, void *tile, size_t ld)
{
    watched *w = user;

    if (col < w->old)
        return gi_fail(GRAM_ERR_SHAPE, "columns from %zu are known", col);
    return fill(&w->m, row, rows, col, cols, tile, ld);
}

static void check_append(const gi_blas *blas, size_t old, size_t n, size_t edge)
{
    GI_RUN(run, NULL);
    watched w = {random_matrix(blas, n), old};
    matrix first = leading(&w.m, old);
    gi_chol *before = factored(&first, edge, 2), *after = NULL;
    gi_chol *whole = factored(&w.m, edge, 2);

    CHECK_OK(gi_chol_append(&run, before, n, fill_new, &w, &after));
    check_same(&w.m, after, whole);
    gi_chol_free(before);
    gi_chol_free(after);
    gi_chol_free(whole);
    free(first.a);
    free(w.m.a);
}

TEST(appending_is_factoring_the_larger_matrix)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 16, 30, 41};
    enum { COUNT = sizeof sizes / sizeof *sizes };

    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = i; j < COUNT; j++) {
            check_append(&gi_blas_double, sizes[i], sizes[j], 8);
            check_append(&gi_blas_single, sizes[i], sizes[j], 8);
        }
}

TEST(appending_around_the_real_tile_edge)
{
    check_append(&gi_blas_double, 380, 390, 384);
    check_append(&gi_blas_double, 384, 385, 384);
    check_append(&gi_blas_double, 500, 900, 0);
    check_append(&gi_blas_single, 500, 900, 0);
}

TEST(appending_names_the_pivot_and_the_shape)
{
    GI_RUN(run, NULL);
    matrix m = random_matrix(&gi_blas_double, 20), first;
    gi_chol *c, *more = NULL;

    m.a[13 * 20 + 13] = -4;
    first = leading(&m, 11);
    c = factored(&first, 8, 2);
    CHECK(gi_chol_append(&run, c, 20, fill, &m, &more) == GRAM_ERR_NUMERIC);
    assert_non_null(strstr(gram_error_message(), "Cholesky: pivot 13 is -4."));
    CHECK_FAILS(gi_chol_append(&run, c, 10, fill, &m, &more), GRAM_ERR_SHAPE,
                "Cholesky: 10 rows after appending to 11, must be at least as "
                "many");
    CHECK(more == NULL);
    gi_chol_free(c);
    free(first.a);
    free(m.a);
}

/* ---------------------------------------------------------------- remove */

static gi_chol *removed(const gi_chol *c, const unsigned char *keep,
                        int threads)
{
    GI_RUN(run, NULL);
    gi_chol *out = NULL;

    run.threads = threads;
    CHECK_OK(gi_chol_remove(&run, c, keep, &out));
    return out;
}

static void check_remove(matrix *m, const unsigned char *keep, size_t edge)
{
    matrix part = part_of(m, keep);
    gi_chol *before = factored(m, edge, 2);
    gi_chol *after = removed(before, keep, 2);
    gi_chol *whole = factored(&part, edge, 2);

    check_same(m, after, whole);
    gi_chol_free(before);
    gi_chol_free(after);
    gi_chol_free(whole);
    free(part.a);
}

/* Row i stays unless i is a multiple of `every` from `first` on. */
static void remove_every(const gi_blas *blas, size_t n, size_t edge,
                         size_t first, size_t every)
{
    matrix m = random_matrix(blas, n);
    unsigned char *keep = malloc(n + 1);

    assert_non_null(keep);
    for (size_t i = 0; i < n; i++)
        keep[i] = i < first || (i - first) % every != 0;
    check_remove(&m, keep, edge);
    free(keep);
    free(m.a);
}

TEST(removing_is_factoring_the_smaller_matrix)
{
    static const size_t sizes[] = {1, 2, 8, 9, 40};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t first = 0; first <= sizes[s]; first += 1 + first) {
            remove_every(&gi_blas_double, sizes[s], 8, first, 100);
            remove_every(&gi_blas_single, sizes[s], 8, first, 100);
            remove_every(&gi_blas_double, sizes[s], 8, first, 3);
            remove_every(&gi_blas_double, sizes[s], 8, first, 1);
        }
}

/* Tiles of several panels, several groups of rows that go. */
TEST(many_rows_go_in_groups)
{
    remove_every(&gi_blas_double, 200, 70, 5, 2);
    remove_every(&gi_blas_single, 200, 70, 0, 2);
}

TEST(removing_from_a_large_factor)
{
    remove_every(&gi_blas_double, 900, 0, 100, 9);
    remove_every(&gi_blas_single, 500, 0, 3, 400);
}

/* Nearly singular, with the row that makes it so: the update does not lose
 * what elimination would. */
TEST(what_is_left_of_a_bad_matrix_is_good)
{
    matrix m = random_matrix(&gi_blas_double, 30);
    unsigned char keep[30];

    for (size_t j = 0; j < 30; j++) {
        m.a[4 * 30 + j] = m.a[3 * 30 + j];
        m.a[j * 30 + 4] = m.a[j * 30 + 3];
        keep[j] = j != 4;
    }
    m.a[4 * 30 + 4] = m.a[3 * 30 + 3] * (1 + 1e-14);
    m.a[3 * 30 + 4] = m.a[4 * 30 + 3] = m.a[3 * 30 + 3];
    check_remove(&m, keep, 8);
    free(m.a);
}

TEST(bits_of_updates_do_not_depend_on_threads)
{
    enum { N = 90, OLD = 61 };
    matrix m = random_matrix(&gi_blas_double, N), first = leading(&m, OLD);
    gi_chol *c = factored(&first, 16, 1);
    unsigned char keep[N];
    gi_chol *more[4] = {NULL}, *less[4] = {NULL};

    for (size_t i = 0; i < N; i++)
        keep[i] = i % 5 != 1;
    for (int t = 0; t < 4; t++) {
        GI_RUN(run, NULL);

        run.threads = t + 1;
        CHECK_OK(gi_chol_append(&run, c, N, fill, &m, &more[t]));
        less[t] = removed(c, keep, t + 1);
        CHECK(same_bits(more[0], more[t]) && same_bits(less[0], less[t]));
    }
    for (int t = 0; t < 4; t++) {
        gi_chol_free(more[t]);
        gi_chol_free(less[t]);
    }
    gi_chol_free(c);
    free(first.a);
    free(m.a);
}

TEST(updates_survive_failing_allocations)
{
    GI_RUN(run, NULL);
    matrix m = random_matrix(&gi_blas_double, 30), first = leading(&m, 20);
    gi_chol *c = factored(&first, 8, 1);
    size_t before = gram_memory_used();
    unsigned char keep[20] = {0, 1, 1};

    for (int append = 0; append < 2; append++) {
        gram_status status = GRAM_ERR_MEMORY;
        gi_chol *out = NULL;
        size_t n = 1;

        for (; status != GRAM_OK; n++) {
            gi_mem_fail_at(n, 1);
            status = append ? gi_chol_append(&run, c, 30, fill, &m, &out)
                            : gi_chol_remove(&run, c, keep, &out);
            gi_mem_fail_at(0, 0);
            if (status != GRAM_OK)
                CHECK(out == NULL && gram_memory_used() == before);
        }
        CHECK(n > 4);
        gi_chol_free(out);
    }
    gi_chol_free(c);
    free(first.a);
    free(m.a);
}

TESTS(SMALL(appending_is_factoring_the_larger_matrix),
      NORMAL(appending_around_the_real_tile_edge),
      SMALL(appending_names_the_pivot_and_the_shape),
      SMALL(removing_is_factoring_the_smaller_matrix),
      SMALL(many_rows_go_in_groups), NORMAL(removing_from_a_large_factor),
      SMALL(what_is_left_of_a_bad_matrix_is_good),
      SMALL(bits_of_updates_do_not_depend_on_threads),
      SMALL(updates_survive_failing_allocations))
