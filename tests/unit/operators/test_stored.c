/* test_stored.c - an operator over a stored matrix through an index is the
 * matrix of those rows, in each way it can be asked.
 */
#include <string.h>

#include "check.h"
#include "operators.h"

#include "solvers/solver.h"
#include "operators/stored.h"

enum { ROWS = 700, N = 600, R = 3 };

/* K(i,j), exact in single precision. */
static double entry(size_t i, size_t j)
{
    return (double)((i * 31 + j * 31 + i * j) % 64) / 8 + (i == j ? 100 : 0);
}

typedef struct stored_world {
    gi_run run;
    double *K;
    float *single;
    size_t index[N];
    gi_operator *whole, *op;
} stored_world;

/* The operator of the rows of the index. */
static void restrict_to_index(stored_world *w)
{
    gi_operator_free(w->op);
    CHECK_OK(gi_operator_restrict(w->whole, &w->run, w->index, N, &w->op));
}

static void begin(stored_world *w, int single, int whole)
{
    *w = (stored_world){.run = gi_run_begin(NULL),
                        .K = grams_doubles(ROWS * ROWS),
                        .single = malloc(ROWS * ROWS * sizeof *w->single)};
    assert_non_null(w->single);
    for (size_t i = 0; i < ROWS * ROWS; i++) {
        w->K[i] = entry(i / ROWS, i % ROWS);
        w->single[i] = (float)w->K[i];
    }
    for (size_t i = 0; i < N; i++)
        w->index[i] = whole ? 5 + i : i * 7 % ROWS;
    CHECK_OK(gi_stored_new(&w->run, single ? &gi_blas_single : &gi_blas_double,
                           single ? (void *)w->single : (void *)w->K, ROWS,
                           ROWS, &w->whole));
    restrict_to_index(w);
}

static void end(stored_world *w)
{
    gi_operator_free(w->op);
    gi_operator_free(w->whole);
    gi_run_end(&w->run);
    free(w->K);
    free(w->single);
}

static double at(const stored_world *w, size_t i, size_t j)
{
    return entry(w->index[i], w->index[j]);
}

TEST(tiles_rows_subset_and_diagonal_are_those_of_the_matrix)
{
    for (int k = 0; k < 4; k++) {
        static const size_t rows[] = {3, 599, 0};
        double *all, *some = grams_doubles(3 * N), diagonal[N];
        float room[3][N];
        void *out[3] = {room[2], room[0], room[1]};
        stored_world w;

        begin(&w, k & 1, k & 2);
        all = operator_matrix(w.op, &w.run);
        CHECK_OK(gi_operator_diagonal(w.op, &w.run, diagonal));
        CHECK_OK(
            gi_operator_rows(w.op, &w.run, &gi_blas_double, rows, 3, some, N));
        CHECK_OK(
            gi_operator_rows_at(w.op, &w.run, &gi_blas_single, rows, 3, out));
        for (size_t i = 0; i < N; i++) {
            CHECK(diagonal[i] == at(&w, i, i));
            for (size_t j = 0; j < N; j++)
                CHECK(all[i * N + j] == at(&w, i, j));
            for (size_t r = 0; r < 3; r++)
                CHECK(some[r * N + i] == at(&w, rows[r], i) &&
                      (double)((float *)out[r])[i] == at(&w, rows[r], i));
        }
        CHECK((w.op->single != NULL) == (k == 3));
        if (w.op->single)
            CHECK((double)w.op->single[2 * w.op->single_ld + 9] ==
                  at(&w, 2, 9));
        free(all);
        free(some);
        end(&w);
    }
}

TEST(products_and_columns_are_sums)
{
    for (int k = 0; k < 2; k++) {
        double *V = grams_random(N * R, 0, 1), *out = grams_doubles(N * R);
        double *one = grams_doubles(N), sum;
        size_t col[2] = {7, 300};
        stored_world w;

        begin(&w, k, 0);
        CHECK_OK(gi_operator_product(w.op, &w.run, 0, V, R, out));
        for (size_t i = 0; i < N; i += 13)
            for (size_t c = 0; c < R; c++) {
                sum = 0;
                for (size_t j = 0; j < N; j++)
                    sum += at(&w, i, j) * V[j * R + c];
                CHECK_NEAR(out[i * R + c], sum, 1e-12);
            }
        CHECK_OK(gi_operator_product(w.op, &w.run, 0, V, 1, out));
        CHECK_OK(gi_operator_columns(w.op, &w.run, col, 2, V, one));
        for (size_t i = 0; i < N; i++) {
            sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += at(&w, i, j) * V[j];
            CHECK_NEAR(out[i], sum, 1e-12);
            CHECK_NEAR(one[i], at(&w, i, 7) * V[0] + at(&w, i, 300) * V[1],
                       1e-12);
        }
        free(V);
        free(out);
        free(one);
        end(&w);
    }
}

/* An index that ascends, with gaps or without, may be read in another way. */
TEST(products_over_an_ascending_index_are_sums_on_any_number_of_threads)
{
    for (int k = 0; k < 4; k++) {
        double *V = grams_random(N * R, 0, 1), *out = grams_doubles(N * R);
        double *again = grams_doubles(N * R);
        stored_world w;

        begin(&w, k & 1, 1);
        for (size_t i = 0; k & 2 && i < N; i++)
            w.index[i] = i + i / 7;
        w.run.threads = 1;
        restrict_to_index(&w);
        CHECK_OK(gi_operator_product(w.op, &w.run, 0, V, R, out));
        w.run.threads = 2;
        CHECK_OK(gi_operator_product(w.op, &w.run, 0, V, R, again));
        CHECK(memcmp(out, again, N * R * sizeof *out) == 0);
        for (size_t i = 0; i < N * R; i++) {
            double sum = 0;

            for (size_t j = 0; j < N; j++)
                sum += at(&w, i / R, j) * V[j * R + i % R];
            CHECK_NEAR(out[i], sum, 1e-12);
        }
        free(V);
        free(out);
        free(again);
        end(&w);
    }
}

TEST(a_part_is_the_operator_of_those_rows)
{
    static const size_t rows[] = {2, 50, 51, 400};
    gi_operator *part = NULL;
    stored_world w;
    double *all;

    begin(&w, 1, 0);
    CHECK_OK(gi_operator_restrict(w.op, &w.run, rows, 4, &part));
    all = operator_matrix(part, &w.run);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            CHECK(all[i * 4 + j] == at(&w, rows[i], rows[j]));
    gi_operator_free(part);
    free(all);
    end(&w);
}

/* (K + lambda) alpha = y by a solver that knows nothing of where K is. */
TEST(any_solver_takes_it)
{
    double *y = grams_random(N, 0, 4);
    const gi_solver *dual;
    stored_world w;
    gi_solution s;
    gi_problem p;

    begin(&w, 0, 0);
    for (size_t i = 0; i < ROWS; i++)
        w.K[i * ROWS + i] += 1000;
    p = (gi_problem){.K = w.op, .n = N, .targets = 1, .y = y, .lambda = 1};
    CHECK_OK(gi_solver_find("dual", &dual));
    CHECK_OK(gi_solver_solve(&w.run, dual, &p, &s));
    CHECK(s.converged && s.residual < 1e-9);
    gi_solution_free(&s);
    free(y);
    end(&w);
}

TESTS(SMALL(tiles_rows_subset_and_diagonal_are_those_of_the_matrix),
      SMALL(products_and_columns_are_sums),
      SMALL(products_over_an_ascending_index_are_sums_on_any_number_of_threads),
      SMALL(a_part_is_the_operator_of_those_rows), SMALL(any_solver_takes_it))
