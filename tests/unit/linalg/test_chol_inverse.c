/* test_chol_inverse.c - the inverse in place of a factor (A A^-1 = I), reading
 * what is stored, and the condition estimate against the true number.
 */
#include "chols.h"

static gi_chol *inverted(matrix *m, size_t edge, int threads)
{
    GI_RUN(run, NULL);
    gi_chol *c = factored(m, edge, threads);

    run.threads = threads;
    CHECK_OK(gi_chol_invert(&run, c));
    return c;
}

static void check_inverse(const gi_blas *blas, size_t n, size_t edge)
{
    matrix m = random_matrix(blas, n);
    gi_chol *c = inverted(&m, edge, 2);
    double *p = contents(c);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += m.a[i * n + k] * p[k * n + j];
            CHECK_NEAR(sum, i == j, 8 * epsilon(&m));
        }
    free(p);
    gi_chol_free(c);
    free(m.a);
}

TEST(an_inverse_times_its_matrix_is_the_identity)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 16, 17, 31, 50};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        check_inverse(&gi_blas_double, sizes[s], 8);
        check_inverse(&gi_blas_single, sizes[s], 8);
    }
    check_inverse(&gi_blas_double, 150, 144); /* triangles are cut in halves */
    check_inverse(&gi_blas_single, 150, 65);
}

TEST(inverses_around_the_real_tile_edge)
{
    check_inverse(&gi_blas_double, 384, 384);
    check_inverse(&gi_blas_double, 385, 384);
    check_inverse(&gi_blas_single, 385, 384);
    check_inverse(&gi_blas_double, 800, 0);
}

TEST(bits_of_an_inverse_do_not_depend_on_threads)
{
    for (int single = 0; single < 2; single++) {
        matrix m =
            random_matrix(single ? &gi_blas_single : &gi_blas_double, 101);
        gi_chol *one = inverted(&m, 16, 1);

        for (int threads = 2; threads <= 4; threads++) {
            gi_chol *many = inverted(&m, 16, threads);

            CHECK(same_bits(one, many));
            gi_chol_free(many);
        }
        gi_chol_free(one);
        free(m.a);
    }
}

/* Any rectangle, across tiles and the diagonal, is what gi_chol_get says; the
 * places beside it stay. */
static void check_copy(const gi_chol *c, int inverse)
{
    enum { N = 30, LD = 32 };
    static const size_t box[][4] = {{0, N, 0, N},  {3, 9, 20, 10},
                                    {20, 9, 3, 9}, {7, 2, 7, 2},
                                    {5, 0, 5, 3},  {29, 1, 0, N}};
    double out[N * LD];

    for (size_t b = 0; b < sizeof box / sizeof *box; b++) {
        size_t row = box[b][0], rows = box[b][1];
        size_t col = box[b][2], cols = box[b][3];

        for (size_t i = 0; i < N * LD; i++)
            out[i] = -7;
        gi_chol_copy(c, row, rows, col, cols, out, LD);
        for (size_t r = 0; r < N; r++)
            for (size_t s = 0; s < LD; s++) {
                size_t i = row + r, j = col + s;
                double x = -7;

                if (r < rows && s < cols && (i >= j || inverse))
                    x = gi_chol_get(c, i > j ? i : j, i > j ? j : i);
                else if (r < rows && s < cols)
                    x = 0;
                CHECK(out[r * LD + s] == x);
            }
    }
}

TEST(rectangles_and_diagonals_of_what_is_stored)
{
    GI_RUN(run, NULL);
    double d[30];

    for (int single = 0; single < 2; single++) {
        matrix m =
            random_matrix(single ? &gi_blas_single : &gi_blas_double, 30);
        gi_chol *c = factored(&m, 8, 2);

        CHECK(gi_chol_size(c) == 30 && gi_chol_blas(c) == m.blas);
        check_copy(c, 0);
        CHECK_OK(gi_chol_invert(&run, c));
        check_copy(c, 1);
        gi_chol_diagonal(c, d);
        for (size_t i = 0; i < 30; i++)
            CHECK(d[i] == gi_chol_get(c, i, i));
        CHECK_OK(gi_chol_factor(&run, c, fill, &m)); /* a factor again */
        check_copy(c, 0);
        gi_chol_free(c);
        free(m.a);
    }
}

TEST(a_factor_is_written_row_by_row)
{
    GI_RUN(run, NULL);
    double row[40];

    for (int single = 0; single < 2; single++) {
        matrix m =
            random_matrix(single ? &gi_blas_single : &gi_blas_double, 40);
        gi_chol *a = factored(&m, 16, 2), *b = NULL;

        CHECK_OK(gi_chol_new(&run, m.blas, m.n, 7, &b));
        for (size_t i = 0; i < m.n; i++) {
            gi_chol_copy(a, i, 1, 0, i + 1, row, m.n);
            gi_chol_set_row(b, i, row);
        }
        CHECK(same_bits(a, b));
        gi_chol_free(a);
        gi_chol_free(b);
        free(m.a);
    }
}

static double norm1(const double *a, size_t n)
{
    double most = 0;

    for (size_t j = 0; j < n; j++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            sum += fabs(a[i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* At most the true one, and not much less. */
static void check_condition(matrix *m)
{
    GI_RUN(run, NULL);
    gi_chol *c = factored(m, 8, 2);
    double norm = norm1(m->a, m->n), estimate = 0, truth, *p;

    CHECK_OK(gi_chol_condition(&run, c, norm, &estimate));
    CHECK_OK(gi_chol_invert(&run, c));
    p = contents(c);
    truth = norm * norm1(p, m->n);
    CHECK(estimate <= truth * 1.01 && estimate >= truth / 3);
    free(p);
    gi_chol_free(c);
}

/* exp(-|i-j|/scale) + ridge: from well to badly conditioned. */
static matrix correlation(const gi_blas *blas, size_t n, double scale,
                          double ridge)
{
    matrix m = random_matrix(blas, n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double h = ((double)i - (double)j) / scale;

            m.a[i * n + j] = exp(-h * h) + ridge * (i == j);
        }
    return m;
}

TEST(the_condition_estimate_is_near_the_truth)
{
    static const size_t sizes[] = {1, 2, 3, 8, 20, 45};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < 4; kind++) {
            const gi_blas *blas = kind == 3 ? &gi_blas_single : &gi_blas_double;
            matrix m = kind == 0 ? random_matrix(blas, sizes[s])
                                 : correlation(blas, sizes[s], 4,
                                               kind == 1 ? 1e-8 : 1e-2);

            check_condition(&m);
            free(m.a);
        }
}

static int stop_at_half(void *user, double done)
{
    (void)user;
    return done >= 0.5;
}

TEST(inverting_can_be_cancelled)
{
    gram_exec exec = {.threads = 2, .progress = stop_at_half};
    GI_RUN(run, &exec);
    matrix m = random_matrix(&gi_blas_double, 40);
    gi_chol *c = factored(&m, 8, 2);

    CHECK_FAILS(gi_chol_invert(&run, c), GRAM_ERR_CANCELLED, "cancelled");
    gi_chol_free(c);
    free(m.a);
}

TESTS(SMALL(an_inverse_times_its_matrix_is_the_identity),
      NORMAL(inverses_around_the_real_tile_edge),
      SMALL(bits_of_an_inverse_do_not_depend_on_threads),
      SMALL(rectangles_and_diagonals_of_what_is_stored),
      SMALL(a_factor_is_written_row_by_row),
      SMALL(the_condition_estimate_is_near_the_truth),
      SMALL(inverting_can_be_cancelled))
