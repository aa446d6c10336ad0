/* test_smo_many.c - many machines over one matrix are what each is alone, on
 * any number of threads.
 */
#include "check.h"
#include "svms.h"

#include "solvers/smo_many.h"
#include "solvers/stored.h"

enum { N = 60, PARTS = 3, SIZE = 40, LAMBDAS = 3 };

typedef struct many_world {
    svm_world w;
    float *K;
    size_t index[PARTS][SIZE];
    double y[PARTS][SIZE];
    gi_smo_part part[PARTS];
    double alpha[PARTS][LAMBDAS][SIZE], b[PARTS][LAMBDAS];
    double objective[PARTS][LAMBDAS];
    gi_smo_many m;
} many_world;

static const double lambdas[LAMBDAS] = {1, 0.1, 0.01};

static gram_status take(void *user, size_t part, size_t lambda,
                        const gi_solution *s)
{
    many_world *w = user;

    memcpy(w->alpha[part][lambda], s->alpha, SIZE * sizeof *s->alpha);
    w->b[part][lambda] = s->intercept[0];
    w->objective[part][lambda] = s->objective;
    return s->converged ? GRAM_OK : GRAM_ERR_NUMERIC;
}

static many_world *begin(const char *loss)
{
    many_world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    svm_begin(&w->w, loss, N, "rbf(gamma=0.7)");
    w->K = malloc(N * N * sizeof *w->K);
    assert_non_null(w->K);
    CHECK_OK(
        gi_operator_store(w->w.k.K, &w->w.k.run, &gi_blas_single, w->K, N));
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < SIZE; i++) {
            w->index[p][i] = (p * 20 + i) % N;
            w->y[p][i] = w->w.y[w->index[p][i]];
        }
        w->part[p] = (gi_smo_part){w->index[p], SIZE, w->y[p], NULL};
    }
    w->m = (gi_smo_many){.K = w->K,
                         .ld = N,
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
            double *x = grams_room(2 * SIZE), *K;
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

TESTS(SMALL(many_machines_are_what_each_is_alone), SMALL(threads_change_no_bit),
      SMALL(lambdas_that_do_not_descend_are_refused))
