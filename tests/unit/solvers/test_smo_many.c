/* test_smo_many.c - many machines over one matrix are what each is alone, on
 * any number of threads.
 */
#include "check.h"
#include "svms.h"

#include "solvers/svm/smo_many.h"
#include "operators/stored.h"

enum { N = 60, PARTS = 3, SIZE = 40, LAMBDAS = 3 };

typedef struct many_world {
    svm_world w;
    float *K;
    gi_operator *stored;
    size_t index[PARTS][SIZE];
    double y[PARTS][SIZE];
    gi_many_part part[PARTS];
    size_t size; /* of a part */
    double alpha[PARTS][LAMBDAS][N], b[PARTS][LAMBDAS];
    double f[PARTS][LAMBDAS][N];
    size_t steps[PARTS][LAMBDAS];
    double objective[PARTS][LAMBDAS];
    gi_many m;
} many_world;

static const double lambdas[LAMBDAS] = {1, 0.1, 0.01};

static gram_status take(void *user, size_t part, size_t lambda,
                        const gi_solution *s, const double *f)
{
    many_world *w = user;

    memcpy(w->alpha[part][lambda], s->alpha, w->size * sizeof *s->alpha);
    memcpy(w->f[part][lambda], f, w->size * sizeof *f);
    w->steps[part][lambda] = s->steps;
    w->b[part][lambda] = s->intercept[0];
    w->objective[part][lambda] = s->objective;
    return s->converged ? GRAM_OK : GRAM_ERR_NUMERIC;
}

static many_world *begin(const char *loss)
{
    many_world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->size = SIZE;
    svm_begin(&w->w, loss, N, "rbf(gamma=0.7)");
    w->K = malloc(N * N * sizeof *w->K);
    assert_non_null(w->K);
    CHECK_OK(
        gi_operator_store(w->w.k.K, &w->w.k.run, &gi_blas_single, w->K, N));
    CHECK_OK(
        gi_stored_new(&w->w.k.run, &gi_blas_single, w->K, N, N, &w->stored));
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < SIZE; i++) {
            w->index[p][i] = (p * 20 + i) % N;
            w->y[p][i] = w->w.y[w->index[p][i]];
        }
        w->part[p] = (gi_many_part){w->index[p], SIZE, w->y[p], NULL};
    }
    w->m = (gi_many){.K = w->stored,
                     .loss = w->w.loss,
                     .intercept = 1,
                     .tolerance = 1e-6,
                     .part = w->part,
                     .parts = PARTS,
                     .lambda = lambdas,
                     .lambdas = LAMBDAS,
                     .take = take,
                     .user = w};
    return w;
}

static void end(many_world *w)
{
    gi_operator_free(w->stored);
    svm_end(&w->w);
    free(w->K);
    free(w);
}

static void is_what_each_is_alone(const char *loss)
{
    many_world *w = begin(loss);

    CHECK_OK(gi_smo_many_solve(&w->w.k.run, &w->m));
    for (size_t p = 0; p < PARTS; p++)
        for (size_t k = 0; k < LAMBDAS; k++) {
            gi_problem alone = w->w.p;
            double *x = grams_doubles(2 * SIZE), *K;
            kernel_world part;
            convex c;

            for (size_t i = 0; i < SIZE; i++)
                memcpy(x + 2 * i, w->w.x + 2 * w->index[p][i], 2 * sizeof *x);
            kernel_world_new(&part, "rbf(gamma=0.7)", SIZE, 0, 2, x, NULL);
            K = operator_matrix(part.K, &part.run);
            alone.n = SIZE;
            alone.y = w->y[p];
            alone.lambda = lambdas[k];
            c = convex_solve(&alone, K);
            CHECK_NEAR(w->objective[p][k], c.primal, 1e-5);
            convex_free(&c);
            kernel_world_free(&part);
            free(x);
            free(K);
        }
    end(w);
}

TEST(many_machines_are_what_each_is_alone)
{
    is_what_each_is_alone("hinge");
    is_what_each_is_alone("epsilon_insensitive(epsilon=0.1)");
}

/* A part as the whole of K, rows outside without weight: the same machine, and
 * f at all rows. */
TEST(rows_without_weight_take_no_part)
{
    many_world *w = begin("hinge"), *wide = begin("hinge");
    static size_t all[N];
    static double noise[N];
    gi_many_part whole = {all, N, wide->w.y, noise};

    for (size_t i = 0; i < N; i++) {
        all[i] = i;
        noise[i] = INFINITY;
    }
    for (size_t i = 0; i < SIZE; i++)
        noise[w->index[0][i]] = 1;
    wide->size = N;
    wide->m.part = &whole;
    wide->m.parts = w->m.parts = 1;
    CHECK_OK(gi_smo_many_solve(&w->w.k.run, &w->m));
    CHECK_OK(gi_smo_many_solve(&wide->w.k.run, &wide->m));
    for (size_t k = 0; k < LAMBDAS; k++) {
        CHECK_NEAR(wide->objective[0][k], w->objective[0][k], 1e-5);
        for (size_t i = 0; i < N; i++) {
            double f = 0;

            for (size_t j = 0; j < N; j++)
                f += wide->alpha[0][k][j] * (double)wide->K[i * N + j];
            CHECK_NEAR(wide->f[0][k][i], f, 1e-9);
            CHECK(noise[i] == 1 || wide->alpha[0][k][i] == 0);
        }
    }
    end(w);
    end(wide);
}

/* At two lambdas where no variable is at a bound it is one solution, found
 * without a step. */
TEST(a_box_that_does_not_bind_leaves_the_solution)
{
    static const double wide[] = {1e-4, 1e-5, 1e-6};
    many_world *w = begin("hinge");

    w->m.lambda = wide;
    CHECK_OK(gi_smo_many_solve(&w->w.k.run, &w->m));
    for (size_t p = 0; p < PARTS; p++) {
        size_t bounded = 0;

        for (size_t i = 0; i < SIZE; i++)
            bounded += fabs(w->alpha[p][0][i]) >= 0.9999 / (2 * wide[0]);
        if (bounded == 0) {
            CHECK(w->steps[p][1] == 0 && w->steps[p][2] == 0);
            for (size_t i = 0; i < SIZE; i++)
                CHECK_NEAR(w->alpha[p][1][i], w->alpha[p][2][i], 1e-9);
        }
    }
    end(w);
}

TEST(threads_change_no_bit)
{
    many_world *one = begin("hinge"), *more = begin("hinge");

    one->w.k.run.threads = 1;
    CHECK_OK(gi_smo_many_solve(&one->w.k.run, &one->m));
    for (int threads = 2; threads <= 3; threads++) {
        more->w.k.run.threads = threads;
        CHECK_OK(gi_smo_many_solve(&more->w.k.run, &more->m));
        CHECK(memcmp(one->alpha, more->alpha, sizeof one->alpha) == 0);
        CHECK(memcmp(one->b, more->b, sizeof one->b) == 0);
    }
    end(one);
    end(more);
}

TEST(lambdas_that_do_not_descend_are_refused)
{
    static const double rising[] = {0.1, 1}, zero[] = {0};
    many_world *w = begin("hinge");

    w->m.lambda = rising;
    w->m.lambdas = 2;
    CHECK_FAILS(gi_smo_many_solve(&w->w.k.run, &w->m), GRAM_ERR_RANGE,
                "lambda = 1, must be positive and descend");
    w->m.lambda = zero;
    w->m.lambdas = 1;
    CHECK_FAILS(gi_smo_many_solve(&w->w.k.run, &w->m), GRAM_ERR_RANGE,
                "lambda = 0, must be positive and descend");
    end(w);
}

TESTS(SMALL(many_machines_are_what_each_is_alone),
      SMALL(rows_without_weight_take_no_part),
      SMALL(a_box_that_does_not_bind_leaves_the_solution),
      SMALL(threads_change_no_bit),
      SMALL(lambdas_that_do_not_descend_are_refused))
