/* test_gemm.c - products against the three loops of the definition, for all
 * transposes and odd shapes, and the same bits on any number of threads.  Also
 * what the library says of BLAS and of the machine.
 */
#include "check.h"

#include <float.h>

#include "base/run.h"
#include "base/rng.h"
#include "cpu/cpu.h"
#include "linalg/dense/blas.h"
#include "linalg/dense/gemm.h"

/* Padding behind each row, which must survive. */
enum { PAD = 3 };

static const double padding = 99;

/* Random matrix of rows x cols with PAD elements behind each row. */
static double *random_matrix(size_t rows, size_t cols, uint64_t stream)
{
    gi_rng rng = gi_rng_new(7, stream);
    double *a = malloc((rows * (cols + PAD) + 1) * sizeof *a);

    assert_non_null(a);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols + PAD; j++)
            a[i * (cols + PAD) + j] =
                j < cols ? gi_rng_uniform(&rng) - 0.5 : padding;
    return a;
}

static float *as_float(const double *a, size_t n)
{
    float *f = malloc((n + 1) * sizeof *f);

    assert_non_null(f);
    for (size_t i = 0; i < n; i++)
        f[i] = (float)a[i];
    return f;
}

static double naive(const double *a, size_t lda, int ta, const double *b,
                    size_t ldb, int tb, size_t i, size_t j, size_t k)
{
    double sum = 0;

    for (size_t p = 0; p < k; p++)
        sum += (ta ? a[p * lda + i] : a[i * lda + p]) *
               (tb ? b[j * ldb + p] : b[p * ldb + j]);
    return sum;
}

static void check_product(int threads, int ta, int tb, size_t m, size_t n,
                          size_t k, double alpha, double beta)
{
    GI_RUN(run, NULL);
    size_t lda = (ta ? m : k) + PAD, ldb = (tb ? k : n) + PAD, ldc = n + PAD;
    double *a = random_matrix(ta ? k : m, ta ? m : k, 1);
    double *b = random_matrix(tb ? n : k, tb ? k : n, 2);
    double *c = random_matrix(m, n, 3), *old = random_matrix(m, n, 3);
    float *fa = as_float(a, (ta ? k : m) * lda);
    float *fb = as_float(b, (tb ? n : k) * ldb);
    float *fc = as_float(c, m * ldc);

    run.threads = threads;
    CHECK_OK(gi_gemm_double(&run, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta,
                            c, ldc));
    CHECK_OK(gi_gemm_single(&run, ta, tb, m, n, k, (float)alpha, fa, lda, fb,
                            ldb, (float)beta, fc, ldc));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < ldc; j++) {
            size_t at = i * ldc + j;
            double expected = padding;

            if (j < n)
                expected = alpha * naive(a, lda, ta, b, ldb, tb, i, j, k) +
                           beta * old[at];
            CHECK_NEAR(c[at], expected, (double)(k + 2) * DBL_EPSILON);
            CHECK_NEAR(fc[at], expected, (double)(k + 4) * FLT_EPSILON);
        }
    free(a), free(b), free(c), free(old), free(fa), free(fb), free(fc);
}

TEST(products_match_the_definition)
{
    static const size_t sizes[][3] = {{1, 1, 1},  {3, 5, 2},   {17, 1, 9},
                                      {1, 33, 4}, {40, 31, 0}, {0, 3, 2},
                                      {3, 0, 2},  {0, 0, 0},   {130, 129, 20}};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < 4; t++)
            check_product(1 + (int)(s % 3), t & 1, t >> 1, sizes[s][0],
                          sizes[s][1], sizes[s][2], -1.5, s % 2 ? 0.5 : 1);
}

TEST(larger_products_match_the_definition)
{
    for (int t = 0; t < 4; t++) {
        check_product(2, t & 1, t >> 1, 300, 257, 64, 1, 0);
        check_product(3, t & 1, t >> 1, 129, 500, 33, 2, -1);
    }
}

TEST(zero_alpha_leaves_beta_c)
{
    check_product(2, 0, 0, 20, 30, 10, 0, 2);
}

TEST(zero_beta_forgets_what_c_held)
{
    GI_RUN(run, NULL);
    double a[] = {1, 2, 3, 4}, b[] = {1, 0, 0, 1}, c[] = {NAN, NAN, NAN, NAN};

    CHECK_OK(gi_gemm_double(&run, 0, 0, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2));
    CHECK(memcmp(a, c, sizeof a) == 0);
}

TEST(the_bits_do_not_depend_on_the_number_of_threads)
{
    enum { N = 260, K = 40, LD = N + PAD, LDB = K + PAD };
    double *a = random_matrix(K, N, 1), *b = random_matrix(N, K, 2);
    double *c = random_matrix(N, N, 3), *d = random_matrix(N, N, 3);

    for (int threads = 1; threads <= 4; threads++) {
        GI_RUN(run, NULL);

        run.threads = threads;
        CHECK_OK(gi_gemm_double(&run, 1, 1, N, N, K, 1, a, LD, b, LDB, 0,
                                threads == 1 ? c : d, LD));
        CHECK(threads == 1 || memcmp(c, d, N * LD * sizeof *c) == 0);
    }
    free(a), free(b), free(c), free(d);
}

TEST(rows_beyond_the_reach_of_blas_are_refused)
{
    GI_RUN(run, NULL);
    double x = 1;

    CHECK_FAILS(gi_gemm_double(&run, 0, 0, 1, 1, 1, 1, &x, GI_BLAS_MAX + 1, &x,
                               1, 0, &x, 1),
                GRAM_ERR_SHAPE,
                "matrix product: a row of 2147483648 elements, must be at "
                "most 2147483647");
}

TEST(blas_has_the_kernels_of_this_processor)
{
    CHECK(strncmp(gi_blas_version(), "OpenBLAS ", 9) == 0);
    if (gi_cpu_has("avx512f avx512dq avx512bw avx512vl"))
        CHECK_STR(getenv("OPENBLAS_CORETYPE"), gi_blas_core());
}

TEST(the_system_describes_itself)
{
    gram_system s;

    gram_system_get(&s);
    CHECK_STR(s.cpu_table, gi_cpu_table()->name);
    CHECK_STR(s.blas_core, gi_blas_core());
    CHECK(s.cores >= 1);
    CHECK(s.memory_total >= s.memory_available && s.memory_available > 0);
}

static int count_ticks(void *user, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)user < 0;
}

static int stop(void *user, double done)
{
    (void)user;
    return done >= 0;
}

TEST(measured_rates_are_positive_and_can_be_cancelled)
{
    int ticks = 0;
    gram_exec exec = {.progress = count_ticks, .user = &ticks};
    gram_rates r = {0};

    CHECK_OK(gram_system_measure(&exec, &r));
    CHECK(r.gemm_double > 0 && r.gemm_single > 0 && r.bandwidth > 0);
    CHECK(ticks >= 3);
    exec = (gram_exec){.progress = stop};
    CHECK(gram_system_measure(&exec, &r) == GRAM_ERR_CANCELLED);
    exec = (gram_exec){.memory = 1 << 20};
    CHECK(gram_system_measure(&exec, &r) == GRAM_ERR_MEMORY);
}

TESTS(SMALL(products_match_the_definition),
      NORMAL(larger_products_match_the_definition),
      SMALL(zero_alpha_leaves_beta_c), SMALL(zero_beta_forgets_what_c_held),
      SMALL(the_bits_do_not_depend_on_the_number_of_threads),
      SMALL(rows_beyond_the_reach_of_blas_are_refused),
      SMALL(blas_has_the_kernels_of_this_processor),
      SMALL(the_system_describes_itself),
      NORMAL(measured_rates_are_positive_and_can_be_cancelled))
