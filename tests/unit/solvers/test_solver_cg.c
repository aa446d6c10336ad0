/* test_solver_cg.c - what is particular to conjugate gradients: the
 * preconditioner, tolerances, products in single precision, a sparse Phi.
 */
#include "operators.h"
#include "ridges.h"

static const gram_exec one = {.threads = 1};

enum { D = 2 };

typedef struct world {
    kernel_world k;
    double *x, *y;
    gi_problem p;
} world;

static void begin(world *w, size_t n, const char *kernel, double lambda)
{
    w->x = grams_random(n * D, 0, n);
    w->y = ridges_targets(n, D, w->x, 2, 1);
    kernel_world_new(&w->k, kernel, n, 0, D, w->x, &one);
    w->p = (gi_problem){.K = w->k.K,
                        .n = n,
                        .targets = 2,
                        .y = w->y,
                        .intercept = 1,
                        .lambda = lambda};
}

static void end(world *w)
{
    kernel_world_free(&w->k);
    free(w->x);
    free(w->y);
}

static gi_solution solve(world *w, const char *name)
{
    gi_solution s;

    CHECK_OK(gi_solver_solve(&w->k.run, ridges_solver(name), &w->p, &s));
    return s;
}

/* The spectrum of a smooth kernel falls fast: what F catches leaves nearly
 * the identity, where plain conjugate gradients would take hundreds of
 * steps. */
TEST(the_preconditioner_makes_steps_few)
{
    world w;
    gi_solution s;

    begin(&w, 400, "rbf(gamma=0.2)", 1e-3);
    s = solve(&w, "cg");
    CHECK(s.converged && s.residual <= 1e-10);
    CHECK(s.steps < 20);
    gi_solution_free(&s);
    end(&w);
}

TEST(coarse_tolerances_take_products_in_single_precision)
{
    world w;
    gi_solution a, b;

    begin(&w, 100, "rbf(gamma=1)", 0.1);
    w.p.tolerance = 1e-6;
    a = solve(&w, "cg");
    CHECK_STR(a.precision, "single");
    CHECK(a.converged && a.residual <= 1e-6);
    w.p.tolerance = 1e-9;
    b = solve(&w, "cg");
    CHECK_STR(b.precision, "double");
    CHECK(b.converged && b.residual <= 1e-9);
    gi_solution_free(&a);
    gi_solution_free(&b);
    end(&w);
}

/* What trace was told. */
typedef struct story {
    size_t steps;
    double last;
    size_t stop; /* fail at this step */
} story;

static gram_status listen(void *user, size_t step, double residual, double held)
{
    story *s = user;

    CHECK(step == ++s->steps && isnan(held));
    s->last = residual;
    return step == s->stop ? GRAM_ERR_CANCELLED : GRAM_OK;
}

TEST(trace_follows_the_steps_and_may_stop_them)
{
    static const double tolerances[] = {1e-10, 1e-6};
    world w;

    begin(&w, 60, "rbf(gamma=3)", 0.05);
    for (size_t k = 0; k < 2; k++) {
        story all = {0}, part = {.stop = 3};
        gi_solution s;

        w.p.tolerance = tolerances[k];
        w.p.trace = listen;
        w.p.trace_user = &all;
        s = solve(&w, "cg");
        CHECK(all.steps == s.steps && s.steps > 3);
        gi_solution_free(&s);
        w.p.trace_user = &part;
        CHECK(gi_solver_solve(&w.k.run, ridges_solver("cg"), &w.p, &s) ==
              GRAM_ERR_CANCELLED);
        CHECK(part.steps == 3);
    }
    end(&w);
}

TEST(too_few_steps_are_no_error_but_reported)
{
    static const double tolerances[] = {1e-10, 1e-6};
    world w;
    gi_solution s;

    begin(&w, 100, "rbf(gamma=3)", 1e-3);
    for (size_t k = 0; k < 2; k++) {
        w.p.tolerance = tolerances[k];
        w.p.steps = 2;
        s = solve(&w, "cg");
        CHECK(!s.converged && s.steps == 2 && s.residual > 1e-6);
        gi_solution_free(&s);
    }
    end(&w);
}

TEST(a_lambda_of_zero_is_not_for_cg)
{
    world w;
    gi_solution s;

    begin(&w, 10, "rbf(gamma=3)", 0);
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("cg"), &w.p, &s),
                GRAM_ERR_RANGE, "solver cg: lambda is 0");
    end(&w);
}

TEST(a_target_that_is_zero_has_alpha_zero)
{
    world w;
    gi_solution s;

    begin(&w, 50, "rbf(gamma=3)", 0.1);
    for (size_t i = 0; i < 50; i++)
        w.y[i * 2] = 7;
    s = solve(&w, "cg");
    for (size_t i = 0; i < 50; i++)
        CHECK(s.alpha[i * 2] == 0);
    CHECK(s.intercept[0] == 7 && s.converged);
    gi_solution_free(&s);
    end(&w);
}

/* A kernel matrix with n = 0.5 million cells that is never there: Phi has two
 * entries a row. */
TEST(sparse_features_make_products_cheap)
{
    enum { N = 20000, WIDTH = 40000 };
    GI_RUN(run, &one);
    size_t *start = malloc((N + 1) * sizeof *start);
    unsigned *index = malloc(2 * N * sizeof *index);
    double *entries = grams_random(2 * N, 0, 6), *y = grams_random(N, 0, 7);
    gram_table *t = NULL;
    gram_kernel *kernel = grams_kernel("linear");
    gram_program *program = NULL;
    gi_points *x = NULL;
    gi_operator *K = NULL;
    gi_problem p = {.n = N, .targets = 1, .y = y, .lambda = 0.5};
    gi_solution s;

    for (size_t i = 0; i <= N; i++) {
        start[i] = 2 * i;
        if (i < N) {
            index[2 * i] = (unsigned)(i * 37 % (WIDTH / 2));
            index[2 * i + 1] = (unsigned)(WIDTH / 2 + i * 91 % 500);
        }
    }
    CHECK_OK(gram_table_new(N, &t));
    CHECK_OK(gram_table_add_sparse(t, "s", WIDTH, start, index, entries));
    CHECK_OK(gi_program_new(&run, kernel, t, 0, &program));
    CHECK_OK(gi_points_new(&run, program, t, GI_DOUBLE, &x));
    CHECK_OK(gi_operator_new(&run, program, NULL, x, NULL, &K));
    p.K = K;
    CHECK_OK(gi_solver_solve(&run, NULL, &p, &s));
    CHECK_STR(s.solver->name, "cg");
    CHECK(s.converged && s.residual <= 1e-10);
    gi_solution_free(&s);
    gi_operator_free(K);
    gi_points_free(x);
    gi_program_free(program);
    gram_kernel_free(kernel);
    gram_table_free(t);
    free(start);
    free(index);
    free(entries);
    free(y);
}

TESTS(SMALL(the_preconditioner_makes_steps_few),
      SMALL(coarse_tolerances_take_products_in_single_precision),
      SMALL(trace_follows_the_steps_and_may_stop_them),
      SMALL(too_few_steps_are_no_error_but_reported),
      SMALL(a_lambda_of_zero_is_not_for_cg),
      SMALL(a_target_that_is_zero_has_alpha_zero),
      NORMAL(sparse_features_make_products_cheap))
