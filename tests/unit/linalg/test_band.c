/* test_band.c - the band reduction by its definition (Q orthogonal, A = Q B Q',
 * B a band), and systems with shifts against Cholesky, in both precisions, for
 * sizes around the blocks; failures; the same bits on any number of threads.
 */
#include "check.h"
#include "grams.h"

#include <float.h>

#include "base/mem.h"
#include "linalg/dense/band_inside.h"
#include "linalg/dense/chol.h"

/* A matrix, its reduction, and Q. */
typedef struct reduced {
    const gi_blas *blas;
    size_t n, lda;
    double *A;
    char *a;
    gi_band *q;
} reduced;

enum { GAP = 3 }; /* elements behind each row of a */

/* A Gaussian kernel on a line. */
static double *gaussian_matrix(size_t n, double length)
{
    double *A = grams_doubles(n * n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double d = ((double)i - (double)j) / length;

            A[i * n + j] = exp(-d * d);
        }
    return A;
}

/* Positive definite, but singular in floating point if n is large. */
static double *smooth_matrix(size_t n)
{
    return gaussian_matrix(n, 7);
}

/* Eigenvalues of both signs. */
static double *random_symmetric(size_t n)
{
    double *A = grams_random(n * n, 0, n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i];
    return A;
}

/* What is below the diagonal is not read. */
static reduced reduce(const gi_blas *blas, size_t n, double *A, size_t b,
                      int count)
{
    GI_RUN(run, &(gram_exec){.threads = count});
    reduced r = {blas, n, n + GAP, A, NULL, NULL};
    const double nan = NAN;

    r.a = malloc((n * r.lda + 1) * blas->size);
    assert_non_null(r.a);
    for (size_t i = 0; i < n * r.lda; i++)
        blas->write(1,
                    i % r.lda >= i / r.lda && i % r.lda < n
                        ? A + i / r.lda * n + i % r.lda
                        : &nan,
                    r.a + i * blas->size, 1);
    CHECK_OK(gi_band_reduce(&run, blas, n, r.a, r.lda, b, &r.q));
    return r;
}

static void release(reduced *r)
{
    gi_band_free(r->q);
    free(r->a);
    free(r->A);
}

static double unit(const gi_blas *blas)
{
    return blas == &gi_blas_double ? DBL_EPSILON : FLT_EPSILON;
}

/* Q x or Q'x of the columns of an n x m matrix. */
static void apply(const reduced *r, int transposed, size_t m, double *x,
                  int count)
{
    GI_RUN(run, &(gram_exec){.threads = count});
    char *copy = malloc((r->n * (m + GAP) + 1) * r->blas->size);

    assert_non_null(copy);
    for (size_t i = 0; i < r->n; i++)
        r->blas->write(m, x + i * m, copy + i * (m + GAP) * r->blas->size, 1);
    CHECK_OK(gi_band_apply(&run, r->q, transposed, m, copy, m + GAP));
    for (size_t i = 0; i < r->n; i++)
        r->blas->read(m, copy + i * (m + GAP) * r->blas->size, 1, x + i * m);
    free(copy);
}

static double *identity(size_t n)
{
    double *x = calloc(n * n + 1, sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i * n + i] = 1;
    return x;
}

static double *product(size_t n, const double *a, int transposed,
                       const double *b)
{
    double *c = grams_doubles(n * n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum +=
                    (transposed ? a[k * n + i] : a[i * n + k]) * b[k * n + j];
            c[i * n + j] = sum;
        }
    return c;
}

static double largest(size_t n, const double *A)
{
    double most = 0;

    for (size_t i = 0; i < n * n; i++)
        most = fmax(most, fabs(A[i]));
    return most;
}

/* Q'Q = I, Q'A Q is a band, and apply and form are the same Q. */
static void check_reduction(const gi_blas *blas, size_t n, double *A, size_t b)
{
    reduced r = reduce(blas, n, A, b, 2);
    GI_RUN(run, &(gram_exec){.threads = 2});
    const double tolerance = 8 * (double)(n + 4) * unit(blas);
    const double most = largest(n, A);
    double *Q = identity(n), *I, *AQ, *B, *same;

    apply(&r, 0, n, Q, 1);
    I = product(n, Q, 1, Q);
    AQ = product(n, A, 0, Q);
    B = product(n, Q, 1, AQ);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            CHECK_NEAR(I[i * n + j], i == j, tolerance);
            if (j > i + b || i > j + b)
                CHECK_NEAR(B[i * n + j] / most, 0, tolerance);
        }
    same = identity(n);
    apply(&r, 1, n, same, 1);
    CHECK_OK(gi_band_form(&run, r.q));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            CHECK_NEAR(same[j * n + i], Q[i * n + j], tolerance);
            CHECK_NEAR(blas->get(r.a, i * r.lda + j), Q[i * n + j], tolerance);
        }
    apply(&r, 1, n, Q, 1);
    for (size_t i = 0; i < n * n; i++)
        CHECK_NEAR(Q[i], i / n == i % n, tolerance);
    free(Q);
    free(I);
    free(AQ);
    free(B);
    free(same);
    release(&r);
}

TEST(q_is_orthogonal_and_leaves_a_band)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 13, 30, 33};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t b = 1; b < 10; b += 2) {
            check_reduction(&gi_blas_double, sizes[i],
                            random_symmetric(sizes[i]), b);
            check_reduction(&gi_blas_single, sizes[i], smooth_matrix(sizes[i]),
                            b);
        }
}

TEST(q_is_orthogonal_and_leaves_a_band_in_many_tiles)
{
    check_reduction(&gi_blas_double, 300, random_symmetric(300), 12);
    check_reduction(&gi_blas_double, 290, smooth_matrix(290), 100);
    check_reduction(&gi_blas_single, 300, random_symmetric(300), 7);
}

/* ------------------------------------------------------------------ shifts */

typedef struct shifted {
    size_t n;
    const double *A;
    double shift;
} shifted;

static gram_status fill(void *user, size_t row, size_t rows, size_t col,
                        size_t cols, void *tile, size_t ld)
{
    const shifted *s = user;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            ((double *)tile)[i * ld + j] = s->A[(row + i) * s->n + col + j] +
                                           (row + i == col + j) * s->shift;
    return GRAM_OK;
}

/* The inverse of A + s I, and log det. */
static double *inverse(const reduced *r, double shift, double *logdet)
{
    GI_RUN(run, &(gram_exec){.threads = 1});
    shifted s = {r->n, r->A, shift};
    double *P = identity(r->n);
    gi_chol *c = NULL;

    CHECK_OK(gi_chol_new(&run, &gi_blas_double, r->n, 0, &c));
    CHECK_OK(gi_chol_factor(&run, c, fill, &s));
    *logdet = gi_chol_logdet(c);
    CHECK_OK(gi_chol_solve(&run, c, r->n, P, r->n));
    gi_chol_free(c);
    return P;
}

static void check_half_inverse(const reduced *r, const gi_band_factor *f,
                               const double *P, double tolerance)
{
    GI_RUN(run, &(gram_exec){.threads = 2});
    const size_t n = r->n, m = n < 60 ? (n + 1) / 2 : 30, ld = m + GAP;
    size_t *row = malloc((m + 1) * sizeof *row);
    char *wt = malloc((n * ld + 1) * r->blas->size);

    assert_non_null(row);
    assert_non_null(wt);
    for (size_t i = 0; i < m; i++)
        row[i] = n - 1 - n / m * i;
    CHECK_OK(gi_band_half_inverse(&run, r->q, f, row, m, wt, ld));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum +=
                    r->blas->get(wt, k * ld + i) * r->blas->get(wt, k * ld + j);
            CHECK_NEAR(sum / P[0], P[row[i] * n + row[j]] / P[0], tolerance);
        }
    free(row);
    free(wt);
}

/* Solution, log det, trace, diagonal and W W' are those of Cholesky to
 * `digits` relative to the size of P. */
static void check_shift(const reduced *r, double shift, double digits)
{
    GI_RUN(run, &(gram_exec){.threads = 2});
    const size_t n = r->n;
    double logdet, trace = 0, found, most;
    double *P = inverse(r, shift, &logdet), *X = identity(n);
    double *diagonal = grams_doubles(2 * n);
    gi_band_factor *f[2] = {NULL, NULL};

    most = largest(n, P);
    CHECK_OK(gi_band_factor_new(&run, r->q, shift, &f[0]));
    CHECK_OK(gi_band_factor_new(&run, r->q, 2 * shift + 1, &f[1]));
    CHECK_NEAR(gi_band_logdet(f[0]), logdet, digits);
    apply(r, 1, n, X, 1);
    gi_band_solve(f[0], n, X);
    apply(r, 0, n, X, 1);
    CHECK_OK(gi_band_trace(&run, f[0], &found));
    CHECK_OK(gi_band_inverse_diagonal(&run, r->q, f, 2, diagonal));
    for (size_t i = 0; i < n; i++) {
        trace += P[i * n + i];
        CHECK_NEAR(diagonal[i] / most, P[i * n + i] / most, digits);
        CHECK(diagonal[n + i] > 0 && diagonal[n + i] < diagonal[i]);
        for (size_t j = 0; j < n; j++)
            CHECK_NEAR(X[i * n + j] / most, P[i * n + j] / most, digits);
    }
    CHECK_NEAR(found / trace, 1, digits);
    check_half_inverse(r, f[0], P, digits);
    gi_band_factor_free(f[0]);
    gi_band_factor_free(f[1]);
    free(P);
    free(X);
    free(diagonal);
}

/* Whatever the shift, A + s I is as well known as its smallest eigenvalue. */
static void check_shifts(const gi_blas *blas, size_t n, size_t b, double least)
{
    reduced r = reduce(blas, n, smooth_matrix(n), b, 2);
    GI_RUN(run, &(gram_exec){.threads = 2});

    CHECK_OK(gi_band_form(&run, r.q));
    for (double shift = least; shift < 2e8; shift *= 100)
        check_shift(&r, shift, 50 * unit(blas) * (double)n * (1 + 10 / shift));
    release(&r);
}

TEST(shifts_from_tiny_to_huge_give_the_answers_of_cholesky)
{
    static const size_t sizes[] = {1, 2, 3, 7, 25, 40};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_shifts(&gi_blas_double, sizes[i], 0, 1e-8);
        check_shifts(&gi_blas_double, sizes[i], 5, 1e-6);
        check_shifts(&gi_blas_single, sizes[i], 3, 1e-2);
    }
}

TEST(shifts_give_the_answers_of_cholesky_in_many_tiles)
{
    check_shifts(&gi_blas_double, 260, 0, 1e-6);
    check_shifts(&gi_blas_double, 201, 48, 1e-4);
    check_shifts(&gi_blas_single, 250, 32, 1e-1);
}

/* A matrix of rank 10 or so in floating point; the shifts are far above the
 * rounding of its largest eigenvalue. */
TEST(what_is_within_rounding_is_not_reduced)
{
    for (int single = 0; single < 2; single++) {
        const gi_blas *blas = single ? &gi_blas_single : &gi_blas_double;
        reduced r = reduce(blas, 200, gaussian_matrix(200, 200), 4, 2);
        GI_RUN(run, &(gram_exec){.threads = 2});

        CHECK(r.q->panels > 0 && r.q->panels < r.q->blocks / 3);
        CHECK_OK(gi_band_form(&run, r.q));
        for (double shift = 1; shift < 200; shift *= 10)
            check_shift(&r, shift, 400 * unit(blas) * (1 + 200 / shift));
        release(&r);
        check_reduction(blas, 200, gaussian_matrix(200, 200), 4);
    }
}

/* ---------------------------------------------------------------- failures */

TEST(a_shift_that_is_too_small_names_the_pivot)
{
    reduced r = reduce(&gi_blas_double, 6, identity(6), 2, 1);
    GI_RUN(run, &(gram_exec){.threads = 1});
    gi_band_factor *f = NULL;

    CHECK_OK(gi_band_factor_new(&run, r.q, -0.5, &f));
    CHECK_NEAR(gi_band_logdet(f), 6 * log(0.5), 1e-15);
    gi_band_factor_free(f);
    CHECK_FAILS(gi_band_factor_new(&run, r.q, -2, &f), GRAM_ERR_NUMERIC,
                "band Cholesky: pivot 0 is -1, must be positive: the matrix is "
                "not positive definite");
    CHECK(f == NULL);
    release(&r);
}

TEST(a_matrix_with_a_nan_is_refused)
{
    double *A = random_symmetric(20);
    GI_RUN(run, &(gram_exec){.threads = 1});
    gi_band *q = NULL;

    A[3 * 20 + 17] = NAN;
    CHECK_FAILS(gi_band_reduce(&run, &gi_blas_double, 20, A, 20, 4, &q),
                GRAM_ERR_NUMERIC,
                "band reduction: the matrix has entries that are not numbers "
                "or too large");
    CHECK(q == NULL);
    free(A);
}

static int stop(void *user, double done)
{
    (void)user;
    return done > 0;
}

TEST(a_reduction_can_be_cancelled)
{
    gram_exec exec = {.threads = 2, .progress = stop};
    GI_RUN(run, &exec);
    double *A = random_symmetric(64);
    gi_band *q = NULL;

    CHECK_FAILS(gi_band_reduce(&run, &gi_blas_double, 64, A, 64, 8, &q),
                GRAM_ERR_CANCELLED, "cancelled");
    CHECK(q == NULL);
    free(A);
}

TEST(a_matrix_of_zeros_and_one_of_tiny_numbers_are_reduced)
{
    static const double scale[] = {0, 1e-42, 1e-36, 1e30};

    for (size_t i = 0; i < sizeof scale / sizeof *scale; i++) {
        double *A = smooth_matrix(30), sum = 0;
        gi_band_factor *f = NULL;
        GI_RUN(run, &(gram_exec){.threads = 1});
        reduced r;

        for (size_t k = 0; k < 900; k++)
            A[k] *= scale[i];
        r = reduce(&gi_blas_single, 30, A, 4, 1);
        CHECK_OK(gi_band_factor_new(&run, r.q, 1e31, &f));
        CHECK_OK(gi_band_trace(&run, f, &sum));
        CHECK(sum > 1e-31 && sum < 31e-31);
        gi_band_factor_free(f);
        release(&r);
    }
}

TEST(an_allocation_that_fails_leaves_nothing)
{
    double *A = smooth_matrix(20), out[20];
    size_t before = gram_memory_used(), tries = 0;
    gram_status status = GRAM_ERR_MEMORY;
    GI_RUN(run, &(gram_exec){.threads = 1});

    for (size_t k = 1; status != GRAM_OK; k++, tries++) {
        double *a = smooth_matrix(20);
        gi_band *q = NULL;
        gi_band_factor *f = NULL;

        gi_mem_fail_at(k, 1);
        status = gi_band_reduce(&run, &gi_blas_double, 20, a, 20, 4, &q);
        if (status == GRAM_OK)
            status = gi_band_form(&run, q);
        if (status == GRAM_OK)
            status = gi_band_factor_new(&run, q, 1, &f);
        if (status == GRAM_OK)
            status = gi_band_trace(&run, f, out);
        if (status == GRAM_OK)
            status = gi_band_inverse_diagonal(&run, q, &f, 1, out);
        gi_mem_fail_at(0, 0);
        CHECK(status == GRAM_OK || status == GRAM_ERR_MEMORY);
        gi_band_factor_free(f);
        gi_band_free(q);
        CHECK(gram_memory_used() == before);
        free(a);
    }
    CHECK(tries > 15);
    free(A);
}

/* --------------------------------------------------------------- same bits */

/* A number that changes with any bit of what a reduction gives. */
static uint64_t trace_bits(const gi_blas *blas, size_t n, size_t b, int count)
{
    reduced r = reduce(blas, n, smooth_matrix(n), b, count);
    GI_RUN(run, &(gram_exec){.threads = count});
    gi_band_factor *f = NULL;
    double *out = grams_doubles(2 * n);
    uint64_t hash = 14695981039346656037u, bits;

    for (size_t i = 0; i < n; i++)
        out[n + i] = 1;
    apply(&r, 1, 1, out + n, count);
    CHECK_OK(gi_band_form(&run, r.q));
    CHECK_OK(gi_band_factor_new(&run, r.q, 0.1, &f));
    CHECK_OK(gi_band_inverse_diagonal(&run, r.q, &f, 1, out));
    out[0] += gi_band_logdet(f);
    for (size_t i = 0; i < n * n; i++) {
        double x =
            blas->get(r.a, i / n * r.lda + i % n) + (i < 2 * n ? out[i] : 0);

        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    gi_band_factor_free(f);
    free(out);
    release(&r);
    return hash;
}

TEST(threads_do_not_change_a_bit)
{
    for (int count = 2; count < 6; count++) {
        CHECK(trace_bits(&gi_blas_double, 70, 6, count) ==
              trace_bits(&gi_blas_double, 70, 6, 1));
        CHECK(trace_bits(&gi_blas_single, 70, 6, count) ==
              trace_bits(&gi_blas_single, 70, 6, 1));
    }
}

TEST(threads_do_not_change_a_bit_in_many_tiles)
{
    for (int count = 2; count < 5; count++)
        CHECK(trace_bits(&gi_blas_double, 600, 0, count) ==
              trace_bits(&gi_blas_double, 600, 0, 1));
}

TESTS(SMALL(q_is_orthogonal_and_leaves_a_band),
      NORMAL(q_is_orthogonal_and_leaves_a_band_in_many_tiles),
      SMALL(shifts_from_tiny_to_huge_give_the_answers_of_cholesky),
      NORMAL(shifts_give_the_answers_of_cholesky_in_many_tiles),
      NORMAL(what_is_within_rounding_is_not_reduced),
      SMALL(a_shift_that_is_too_small_names_the_pivot),
      SMALL(a_matrix_with_a_nan_is_refused),
      SMALL(a_reduction_can_be_cancelled),
      SMALL(a_matrix_of_zeros_and_one_of_tiny_numbers_are_reduced),
      SMALL(an_allocation_that_fails_leaves_nothing),
      SMALL(threads_do_not_change_a_bit),
      NORMAL(threads_do_not_change_a_bit_in_many_tiles))
