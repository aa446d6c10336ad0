/* test_solver_primal.c - what is particular to the primal solver: it agrees
 * with the dual one, also where lambda = 0 and features are too many or
 * repeat, and with a sparse Phi.
 */
#include "operators.h"
#include "ridges.h"

static const gram_exec one = {.threads = 1};

/* Features of old and new rows, targets and weights. */
enum { N = 40, NEW = 6, MOST = 60 };

typedef struct world {
    size_t features;
    double phi[(N + NEW) * MOST], y[N * 2], noise[N];
    double K[N * N], T[NEW * N], prior[NEW];
    dense_operator k, t;
    gi_csr csr;
    gi_problem p;
} world;

static void matrices(world *w)
{
    const double *fresh = w->phi + N * w->features;

    for (size_t i = 0; i < (N + NEW) * N; i++) {
        double sum = 0;

        for (size_t j = 0; j < w->features; j++)
            sum += w->phi[i / N * w->features + j] *
                   w->phi[i % N * w->features + j];
        *(i < N * N ? w->K + i : w->T + i - N * N) = sum;
    }
    for (size_t i = 0; i < NEW; i++) {
        w->prior[i] = 0;
        for (size_t j = 0; j < w->features; j++)
            w->prior[i] += pow(fresh[i * w->features + j], 2);
    }
}

/* Phi of old rows as rows of entries. */
static void make_sparse(world *w)
{
    size_t count = 0;

    w->csr = (gi_csr){.rows = N, .cols = w->features};
    CHECK_OK(GI_NEW(NULL, w->csr.start, N + 1));
    CHECK_OK(GI_NEW(NULL, w->csr.index, N * w->features));
    CHECK_OK(GI_NEW(NULL, w->csr.entries, N * w->features));
    for (size_t i = 0; i < N; i++) {
        w->csr.start[i] = count;
        for (size_t j = 0; j < w->features; j++) {
            w->csr.index[count] = (unsigned)j;
            w->csr.entries[count] = w->phi[i * w->features + j];
            count += w->phi[i * w->features + j] != 0;
        }
    }
    w->csr.start[N] = count;
    w->k.op.csr = &w->csr;
}

/* `repeat` features are copies of others; sparse: most cells are 0. */
static void begin(world *w, size_t features, size_t repeat, int sparse,
                  int intercept, int weights)
{
    size_t size = (N + NEW) * features;
    double *phi = grams_random(size, 0, features);
    double *y = ridges_targets(N, features, phi, 2, 3);
    double *noise = grams_random(N, 1, 3);

    *w = (world){.features = features};
    for (size_t i = 0; i < size; i++) {
        size_t j = i % features, from = features - repeat;

        if (sparse && (i * 7 + i / features) % 5)
            phi[i] = 0;
        w->phi[i] = j < from ? phi[i] + 0.5 * !sparse : w->phi[i - from];
    }
    memcpy(w->y, y, sizeof w->y);
    for (size_t i = 0; i < N; i++)
        w->noise[i] = 0.5 + noise[i];
    matrices(w);
    dense_operator_init(&w->k, N, N, w->K, NULL);
    dense_operator_init(&w->t, NEW, N, w->T, w->prior);
    dense_operator_features(&w->k, features, w->phi);
    dense_operator_features(&w->t, features, w->phi + N * features);
    if (sparse)
        make_sparse(w);
    w->p = (gi_problem){.K = &w->k.op,
                        .n = N,
                        .targets = 2,
                        .y = w->y,
                        .noise = weights ? w->noise : NULL,
                        .intercept = intercept,
                        .keep_factor = 1};
    free(phi);
    free(y);
    free(noise);
}

static void end(world *w)
{
    gi_csr_free(&w->csr);
}

/* phi.w + b of all rows. */
static void values(const world *w, const gi_solution *s, double *out)
{
    for (size_t i = 0; i < (N + NEW) * 2; i++) {
        out[i] = s->intercept[i % 2];
        for (size_t j = 0; j < w->features; j++)
            out[i] +=
                w->phi[i / 2 * w->features + j] * s->weights[j * 2 + i % 2];
    }
}

/* f + b, |f| and variances by both solvers. */
static void check_agreement(const world *w, double tolerance)
{
    GI_RUN(run, &one);
    double a[(N + NEW) * 2], b[(N + NEW) * 2], va[NEW], vb[NEW];
    gi_solution primal, dual;

    CHECK_OK(gi_solver_solve(&run, ridges_solver("primal"), &w->p, &primal));
    CHECK_OK(gi_solver_solve(&run, ridges_solver("dual"), &w->p, &dual));
    CHECK(primal.residual < 1e-10);
    values(w, &primal, a);
    ridges_values(&w->p, &dual, w->K, N, b);
    ridges_values(&w->p, &dual, w->T, NEW, b + N * 2);
    for (size_t i = 0; i < (N + NEW) * 2; i++)
        CHECK_NEAR(a[i], b[i], tolerance);
    for (size_t j = 0; j < w->features * 2; j++) {
        double sum = 0; /* w = Phi'alpha */

        for (size_t i = 0; i < N; i++)
            sum += w->phi[i * w->features + j / 2] * dual.alpha[i * 2 + j % 2];
        CHECK_NEAR(primal.weights[j], sum, tolerance);
    }
    CHECK((primal.alpha == NULL) == (w->p.lambda == 0));
    for (size_t i = 0; primal.alpha && i < N * 2; i++)
        CHECK_NEAR(primal.alpha[i], dual.alpha[i], tolerance);
    CHECK_OK(primal.solver->variance(&run, &w->p, &primal, &w->t.op, va));
    CHECK_OK(dual.solver->variance(&run, &w->p, &dual, &w->t.op, vb));
    for (size_t i = 0; i < NEW; i++)
        CHECK_NEAR(va[i], vb[i], tolerance);
    gi_solution_free(&primal);
    gi_solution_free(&dual);
}

TEST(primal_and_dual_agree)
{
    static const size_t features[] = {1, 5, N, MOST};

    for (int which = 0; which < 32; which++) {
        world w;

        begin(&w, features[which >> 3], 0, which >> 2 & 1, which & 1,
              which >> 1 & 1);
        w.p.lambda = 0.3;
        check_agreement(&w, 1e-10);
        end(&w);
    }
}

/* Fewer features than rows, repeated ones, and more than rows: least squares,
 * and the smallest weights. */
TEST(without_lambda_both_take_the_smallest_of_all_that_fit_best)
{
    static const size_t features[] = {5, 8, MOST}, repeat[] = {0, 3, 0};

    for (int which = 0; which < 24; which++) {
        size_t f = features[which >> 3];
        world w;

        begin(&w, f, repeat[which >> 3], which >> 2 & 1, which & 1,
              which >> 1 & 1);
        check_agreement(&w, 1e-8);
        end(&w);
    }
}

TEST(ranks_without_lambda_are_those_of_the_features)
{
    GI_RUN(run, &one);
    gi_solution s;
    world w;

    begin(&w, 8, 3, 0, 0, 0);
    CHECK_OK(gi_solver_solve(&run, ridges_solver("primal"), &w.p, &s));
    CHECK(s.rank == 5 && s.factor == NULL && s.jitter == 0);
    gi_solution_free(&s);
    end(&w);
    begin(&w, 8, 0, 0, 0, 0);
    CHECK_OK(gi_solver_solve(&run, ridges_solver("primal"), &w.p, &s));
    CHECK(s.rank == 8 && s.factor != NULL);
    gi_solution_free(&s);
    end(&w);
}

/* Many rows, several blocks, against another formula: w from Phi'Phi by
 * elimination. */
TEST(blocks_of_rows_add_up)
{
    enum { ROWS = 1300, F = 3 };
    GI_RUN(run, &(gram_exec){.threads = 2});
    double *phi = grams_random(ROWS * F, 0, 1);
    double *y = ridges_targets(ROWS, F, phi, 1, 0), *diagonal;
    long double A[F * F] = {0}, c[F] = {0};
    dense_operator k;
    gi_problem p = {.K = &k.op, .n = ROWS, .targets = 1, .y = y, .lambda = 2};
    gi_solution s;

    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < F; j++) {
            for (size_t l = 0; l < F; l++)
                A[j * F + l] += phi[i * F + j] * phi[i * F + l];
            c[j] += phi[i * F + j] * y[i];
        }
    for (size_t j = 0; j < F; j++)
        A[j * F + j] += p.lambda;
    ridges_eliminate(F, 1, A, c);
    diagonal = grams_doubles(ROWS); /* K itself is not needed */
    dense_operator_init(&k, ROWS, ROWS, NULL, diagonal);
    dense_operator_features(&k, F, phi);
    CHECK_OK(gi_solver_solve(&run, ridges_solver("primal"), &p, &s));
    for (size_t j = 0; j < F; j++)
        CHECK_NEAR(s.weights[j], (double)c[j], 1e-13);
    gi_solution_free(&s);
    free(diagonal);
    free(phi);
    free(y);
}

TEST(variances_need_the_factor)
{
    GI_RUN(run, &one);
    double v[NEW];
    gi_solution s;
    world w;

    begin(&w, 3, 0, 0, 1, 0);
    w.p.lambda = 1;
    w.p.keep_factor = 0;
    CHECK_OK(gi_solver_solve(&run, ridges_solver("primal"), &w.p, &s));
    CHECK_FAILS(s.solver->variance(&run, &w.p, &s, &w.t.op, v), GRAM_ERR_RANGE,
                "variances: the factor of Phi'Phi + lambda was not kept");
    gi_solution_free(&s);
    end(&w);
}

TESTS(SMALL(primal_and_dual_agree),
      SMALL(without_lambda_both_take_the_smallest_of_all_that_fit_best),
      SMALL(ranks_without_lambda_are_those_of_the_features),
      SMALL(blocks_of_rows_add_up), SMALL(variances_need_the_factor))
