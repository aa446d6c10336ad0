/* test_pivot.c - pivoted Cholesky: A = F F' at the rank, the diagonal and the
 * trace of what is left, pivots near the greedy ones, failures.
 */
#include "check.h"

#include <float.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/run.h"
#include "base/status.h"
#include "linalg/iterative/pivot.h"

typedef struct dense {
    size_t n;
    double *a, *diagonal;
    size_t rows; /* asked for */
} dense;

static gram_status give_rows(void *user, gi_run *run, const size_t *row,
                             size_t m, double *out, size_t ld)
{
    dense *d = user;

    (void)run;
    d->rows += m;
    for (size_t i = 0; i < m; i++)
        memcpy(out + i * ld, d->a + row[i] * d->n, d->n * sizeof *out);
    return GRAM_OK;
}

static dense empty(size_t n)
{
    dense d = {.n = n,
               .a = malloc((n * n + 1) * sizeof *d.a),
               .diagonal = malloc((n + 1) * sizeof *d.diagonal)};

    assert_non_null(d.a);
    assert_non_null(d.diagonal);
    return d;
}

static void take_diagonal(dense *d)
{
    for (size_t i = 0; i < d->n; i++)
        d->diagonal[i] = d->a[i * d->n + i];
}

static void release(dense *d)
{
    free(d->a);
    free(d->diagonal);
}

/* X X' of a random n x r matrix X. */
static dense low_rank(size_t n, size_t r)
{
    gi_rng rng = gi_rng_new(6, n);
    double *x = malloc((n * r + 1) * sizeof *x);
    dense d = empty(n);

    assert_non_null(x);
    for (size_t i = 0; i < n * r; i++)
        x[i] = gi_rng_normal(&rng);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = 0; k < r; k++)
                sum += x[i * r + k] * x[j * r + k];
            d.a[i * n + j] = d.a[j * n + i] = sum;
        }
    take_diagonal(&d);
    free(x);
    return d;
}

/* exp(-(x_i - x_j)^2) of sorted x in 0 .. length: eigenvalues fall fast. */
static dense smooth(size_t n, double length)
{
    dense d = empty(n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double h = length * ((double)i - (double)j) / (double)n;

            d.a[i * n + j] = exp(-h * h);
        }
    take_diagonal(&d);
    return d;
}

static gi_pivot *factored(dense *d, double tolerance, size_t most)
{
    GI_RUN(run, NULL);
    gi_pivot *p = NULL;

    run.threads = 2;
    d->rows = 0;
    CHECK_OK(gi_pivot_new(&run, d->n, d->diagonal, give_rows, d, tolerance,
                          most, &p));
    return p;
}

static double left(const dense *d, const gi_pivot *p, size_t i, size_t j)
{
    double sum = d->a[i * d->n + j];

    for (size_t k = 0; k < p->rank; k++)
        sum -= p->factor[i * p->ld + k] * p->factor[j * p->ld + k];
    return sum;
}

/* What holds at any rank: the rows of pivots are triangular and exact, the
 * diagonal is what is left, nothing comes twice. */
static void check_factor(const dense *d, const gi_pivot *p, double tolerance)
{
    double trace = 0;

    CHECK(p->n == d->n && p->rank <= p->ld);
    for (size_t k = 0; k < p->rank; k++) {
        const double *row = p->factor + p->pivot[k] * p->ld;

        CHECK(row[k] > 0 && p->diagonal[p->pivot[k]] == 0);
        for (size_t l = k + 1; l < p->rank; l++)
            CHECK(row[l] == 0);
        for (size_t i = 0; i < d->n; i++)
            CHECK_NEAR(left(d, p, p->pivot[k], i), 0, tolerance);
    }
    for (size_t i = 0; i < d->n; i++) {
        CHECK(p->diagonal[i] >= 0);
        CHECK_NEAR(p->diagonal[i], left(d, p, i, i), tolerance);
        trace += left(d, p, i, i);
    }
    CHECK_NEAR(p->trace, trace, tolerance * (double)d->n);
}

TEST(a_matrix_of_low_rank_is_found_in_as_many_steps)
{
    static const size_t shape[][2] = {{1, 1},   {5, 1},   {20, 3},   {20, 20},
                                      {70, 64}, {90, 65}, {140, 130}};

    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        dense d = low_rank(shape[s][0], shape[s][1]);
        gi_pivot *p = factored(&d, 0, SIZE_MAX);

        CHECK(p->rank == shape[s][1]);
        check_factor(&d, p, 1e-11);
        for (size_t i = 0; i < d.n; i += 7)
            for (size_t j = 0; j < d.n; j++)
                CHECK_NEAR(left(&d, p, i, j), 0, 1e-11);
        gi_pivot_free(p);
        release(&d);
    }
}

TEST(duplicated_rows_are_one_pivot)
{
    enum { N = 60, DISTINCT = 10 };
    dense d = smooth(N, 1), wide = smooth(DISTINCT, 20);
    gi_pivot *p;

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            d.a[i * N + j] = wide.a[i % DISTINCT * DISTINCT + j % DISTINCT];
    p = factored(&d, 0, SIZE_MAX);
    CHECK(p->rank == DISTINCT);
    check_factor(&d, p, 1e-14);
    gi_pivot_free(p);
    release(&d);
    release(&wide);
}

/* Each pivot is at least half of the largest there was. */
TEST(pivots_are_nearly_greedy_and_few_rows_are_wasted)
{
    dense d = smooth(400, 30);
    gi_pivot *p = factored(&d, 1e-10, SIZE_MAX);
    double remains[400];

    memcpy(remains, d.diagonal, sizeof remains);
    for (size_t k = 0; k < p->rank; k++) {
        double top = 0;

        for (size_t i = 0; i < d.n; i++)
            top = fmax(top, remains[i]);
        CHECK(remains[p->pivot[k]] >= 0.49 * top - 1e-14);
        for (size_t i = 0; i < d.n; i++) {
            double f = p->factor[i * p->ld + k];

            remains[i] -= f * f;
        }
    }
    check_factor(&d, p, 1e-13);
    for (size_t i = 0; i < d.n; i++)
        CHECK(p->diagonal[i] <= 1e-10);
    /* 103 eigenvalues are above 1e-10, and greedy pivots are 102 */
    CHECK(p->rank >= 97 && p->rank <= 107);
    CHECK(d.rows < 2 * p->rank);
    gi_pivot_free(p);
    release(&d);
}

TEST(cut_off_it_is_the_beginning_of_the_whole)
{
    dense d = smooth(200, 40);

    for (size_t most = 0; most <= 70; most += 35) {
        gi_pivot *p = factored(&d, 0, most);

        CHECK(p->rank == most);
        check_factor(&d, p, 1e-13);
        CHECK(most == 70 || p->trace > 0.1);
        gi_pivot_free(p);
    }
    release(&d);
}

TEST(nothing_and_zero_have_rank_zero)
{
    dense d = empty(3);
    gi_pivot *p;

    memset(d.a, 0, 9 * sizeof *d.a);
    take_diagonal(&d);
    p = factored(&d, 0, SIZE_MAX);
    CHECK(p->rank == 0 && p->trace == 0 && d.rows == 0);
    gi_pivot_free(p);
    d.n = 0;
    p = factored(&d, 0, SIZE_MAX);
    CHECK(p->rank == 0 && p->n == 0);
    gi_pivot_free(p);
    release(&d);
}

static gram_status no_rows(void *user, gi_run *run, const size_t *row, size_t m,
                           double *out, size_t ld)
{
    (void)user, (void)run, (void)row, (void)m, (void)out, (void)ld;
    return gi_fail(GRAM_ERR_RANGE, "rows: none today");
}

TEST(matrices_that_are_not_semidefinite_are_refused)
{
    GI_RUN(run, NULL);
    double indefinite[4] = {1, 2, 2, 1}, with_nan[4] = {1, NAN, NAN, 0.5};
    double good[2] = {1, 1}, bad[2] = {1, -2}, nan[2] = {NAN, 1};
    dense d = {.n = 2, .a = indefinite};
    gi_pivot *p = NULL;

    CHECK_FAILS(
        gi_pivot_new(&run, 2, bad, give_rows, &d, 0, 2, &p), GRAM_ERR_NUMERIC,
        "pivoted Cholesky: what remains of diagonal element 1 is -2, must be "
        "finite and not negative: the matrix is not positive semidefinite");
    CHECK(gi_pivot_new(&run, 2, nan, give_rows, &d, 0, 2, &p) ==
          GRAM_ERR_NUMERIC);
    CHECK_FAILS(
        gi_pivot_new(&run, 2, good, give_rows, &d, 0, 2, &p), GRAM_ERR_NUMERIC,
        "pivoted Cholesky: what remains of diagonal element 1 is -3, must be "
        "finite and not negative: the matrix is not positive semidefinite");
    d.a = with_nan;
    CHECK(gi_pivot_new(&run, 2, good, give_rows, &d, 0, 2, &p) ==
          GRAM_ERR_NUMERIC);
    CHECK_FAILS(gi_pivot_new(&run, 2, good, no_rows, NULL, 0, 2, &p),
                GRAM_ERR_RANGE, "rows: none today");
    CHECK(p == NULL);
}

TEST(bits_of_pivots_do_not_depend_on_threads)
{
    dense d = smooth(600, 30);
    gi_pivot *p[4] = {NULL};

    for (int t = 0; t < 4; t++) {
        GI_RUN(run, NULL);

        run.threads = t + 1;
        CHECK_OK(gi_pivot_new(&run, d.n, d.diagonal, give_rows, &d, 1e-2,
                              SIZE_MAX, &p[t]));
        CHECK(p[t]->rank == p[0]->rank && p[t]->trace == p[0]->trace);
        CHECK(memcmp(p[t]->pivot, p[0]->pivot,
                     p[0]->rank * sizeof *p[0]->pivot) == 0);
        for (size_t i = 0; i < d.n; i++)
            CHECK(memcmp(p[t]->factor + i * p[t]->ld,
                         p[0]->factor + i * p[0]->ld,
                         p[0]->rank * sizeof *p[0]->factor) == 0);
    }
    for (int t = 0; t < 4; t++)
        gi_pivot_free(p[t]);
    release(&d);
}

TEST(pivots_survive_failing_allocations)
{
    GI_RUN(run, NULL);
    dense d = low_rank(90, 70);
    size_t before = gram_memory_used(), n = 1;
    gram_status status = GRAM_ERR_MEMORY;
    gi_pivot *p = NULL;

    for (; status != GRAM_OK; n++) {
        gi_mem_fail_at(n, 1);
        status = gi_pivot_new(&run, d.n, d.diagonal, give_rows, &d, 0, 90, &p);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || gram_memory_used() == before);
    }
    CHECK(n > 6);
    gi_pivot_free(p);
    release(&d);
}

TESTS(SMALL(a_matrix_of_low_rank_is_found_in_as_many_steps),
      SMALL(duplicated_rows_are_one_pivot),
      SMALL(pivots_are_nearly_greedy_and_few_rows_are_wasted),
      SMALL(cut_off_it_is_the_beginning_of_the_whole),
      SMALL(nothing_and_zero_have_rank_zero),
      SMALL(matrices_that_are_not_semidefinite_are_refused),
      SMALL(bits_of_pivots_do_not_depend_on_threads),
      SMALL(pivots_survive_failing_allocations))
