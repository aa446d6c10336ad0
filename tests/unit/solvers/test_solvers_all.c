/* test_solvers_all.c - what every registered solver must do, on every problem
 * that it says is possible: satisfy the equations of solver.h, agree with
 * elimination in long double, give variances, and the same bits for any number
 * of threads.
 */
#include "check.h"
#include "operators.h"
#include "ridges.h"
#include "solvers/path/criterion.h"
#include "solvers/path.h"

typedef struct problem {
    const char *kernel;
    size_t n, d, targets;
    int weights, intercept;
    double lambda, offset;
} problem;

static const problem problems[] = {
    {"rbf(gamma=0.5)", 40, 3, 1, 0, 1, 0.1, 0},
    {"rbf(gamma=0.5)", 40, 3, 3, 1, 1, 0.1, 0},
    {"rbf(gamma=0.5)", 41, 2, 2, 1, 0, 0.3, 0},
    {"rbf(gamma=2)", 30, 2, 1, 0, 1, 1e3, 0},
    {"linear", 50, 4, 2, 0, 1, 0.5, 0},
    {"linear", 50, 4, 2, 1, 0, 0.5, 0},
    {"linear", 6, 9, 1, 1, 1, 0.5, 0},
    {"poly(degree=2,gamma=0.5)", 45, 2, 2, 1, 1, 0.2, 0},
    {"2*linear + 0.5*rbf(gamma=1)", 40, 3, 1, 1, 1, 0.5, 0},
    {"exponential(gamma=1.5)", 60, 1, 2, 1, 1, 0.05, 0},
    {"matern(nu=1.5,length=0.7)", 60, 1, 1, 0, 0, 0.2, 0},
    {"matern(nu=2.5,length=1)", 50, 1, 1, 1, 1, 0.2, 0},
    {"rbf(gamma=0.5)", 40, 3, 1, 0, 1, 0.1, 1e8},
    {"rbf(gamma=1)", 1, 1, 1, 0, 0, 0.1, 0},
    {"rbf(gamma=1)", 2, 1, 1, 0, 1, 0.1, 0},
    {"constant(c=2)", 10, 1, 1, 0, 0, 0.1, 0},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, NEW = 5 };

/* A problem with all it needs. */
typedef struct world {
    kernel_world k;
    double *x, *y, *noise, *K, *T;
    double *alpha, *b; /* of the reference */
    gi_problem p;
} world;

static void begin(world *w, const problem *q, int threads)
{
    const gram_exec exec = {.threads = threads};
    double *noise;

    w->x = grams_random((q->n + NEW) * q->d, 0, q->n);
    w->y = ridges_targets(q->n, q->d, w->x, q->targets, q->offset);
    noise = grams_random(q->n, 1, 5);
    for (size_t i = 0; i < q->n; i++)
        noise[i] = 0.5 + noise[i];
    w->noise = noise;
    kernel_world_new(&w->k, q->kernel, q->n, NEW, q->d, w->x, &exec);
    w->K = operator_matrix(w->k.K, &w->k.run);
    w->T = operator_matrix(w->k.T, &w->k.run);
    w->p = (gi_problem){.K = w->k.K,
                        .n = q->n,
                        .targets = q->targets,
                        .y = w->y,
                        .noise = q->weights ? noise : NULL,
                        .intercept = q->intercept,
                        .lambda = q->lambda};
    w->alpha = grams_doubles(q->n * q->targets);
    w->b = grams_doubles(q->targets);
}

static void end(world *w)
{
    kernel_world_free(&w->k);
    free(w->x);
    free(w->y);
    free(w->noise);
    free(w->K);
    free(w->T);
    free(w->alpha);
    free(w->b);
}

/* Values of f + b on old and new rows are those of the reference. */
static void check_values(const world *w, const gi_solution *s, double tolerance)
{
    const gi_problem *p = &w->p;
    const gi_solution reference = {.alpha = w->alpha, .intercept = w->b};
    size_t t = p->targets;
    double *a = grams_doubles((p->n + NEW) * t),
           *b = grams_doubles((p->n + NEW) * t);
    double size = 0;

    for (size_t i = 0; i < p->n * t; i++)
        size = fmax(size, fabs(p->y[i]));
    ridges_values(p, s, w->K, p->n, a);
    ridges_values(p, &reference, w->K, p->n, b);
    ridges_values(p, s, w->T, NEW, a + p->n * t);
    ridges_values(p, &reference, w->T, NEW, b + p->n * t);
    for (size_t i = 0; i < (p->n + NEW) * t; i++)
        CHECK_NEAR((a[i] - b[i]) / size, 0, tolerance);
    free(a);
    free(b);
}

/* (K + lambda D) alpha + b = y and 1'alpha = 0. */
static void check_equations(const world *w, const gi_solution *s,
                            double tolerance)
{
    const gi_problem *p = &w->p;
    const size_t n = p->n, t = p->targets;

    for (size_t j = 0; j < t; j++) {
        double total = 0, off = 0, size = 0, most = 0;

        for (size_t i = 0; i < n; i++) {
            double sum = s->intercept[j] - p->y[i * t + j];
            double a = s->alpha[i * t + j];

            size += sum * sum;
            for (size_t k = 0; k < n; k++)
                sum += w->K[i * n + k] * s->alpha[k * t + j];
            sum += p->lambda * (p->noise ? p->noise[i] : 1) * a;
            off += sum * sum;
            total += a;
            most = fmax(most, fabs(a));
        }
        CHECK(sqrt(off) <= tolerance * sqrt(size) + 1e-300);
        if (p->intercept && !(fabs(total) <= tolerance * most * (double)n))
            fail_msg("%s: 1'alpha = %g", s->solver->name, total);
        CHECK(p->intercept || s->intercept[j] == 0);
    }
}

/* A solver, on a problem it says is possible. */
static void check_solver(world *w, const gi_solver *solver, double tolerance)
{
    gi_solution s;

    CHECK_OK(gi_solver_solve(&w->k.run, solver, &w->p, &s));
    CHECK(s.solver == solver && s.converged && s.jitter == 0);
    if (!(s.residual <= tolerance))
        fail_msg("%s: residual %g", solver->name, s.residual);
    check_equations(w, &s, 10 * tolerance);
    check_values(w, &s, 100 * tolerance);
    gi_solution_free(&s);
}

TEST(every_solver_solves_every_problem_it_can)
{
    for (size_t q = 0; q < PROBLEMS; q++) {
        /* y - b has lost that much, whoever computes it */
        double rounding = 1e-15 * problems[q].offset;
        world w;
        size_t solved = 0;

        begin(&w, &problems[q], 1);
        ridges_solve(&w.p, w.K, w.alpha, w.b);
        for (size_t i = 0; gi_solver_at(i); i++)
            if (gi_solver_at(i)->cost(&w.k.run, &w.p, w.p.n).possible &&
                strcmp(gi_solver_at(i)->name, "gd") != 0) {
                check_solver(&w, gi_solver_at(i), 1e-10 + rounding);
                solved++;
            }
        CHECK(solved >= 2);
        end(&w);
    }
}

TEST(gradient_descent_comes_near)
{
    for (size_t q = 0; q < PROBLEMS; q++) {
        world w;

        if (problems[q].lambda < 0.2) /* too many steps */
            continue;
        begin(&w, &problems[q], 1);
        ridges_solve(&w.p, w.K, w.alpha, w.b);
        w.p.tolerance = 1e-6;
        check_solver(&w, ridges_solver("gd"), 1e-6);
        end(&w);
    }
}

TEST(variances_are_those_of_the_bordered_system)
{
    for (size_t q = 0; q < PROBLEMS; q++) {
        world w;
        double prior[NEW];

        begin(&w, &problems[q], 1);
        w.p.keep_factor = 1;
        CHECK_OK(gi_operator_diagonal(w.k.T, &w.k.run, prior));
        for (size_t i = 0; gi_solver_at(i); i++) {
            const gi_solver *solver = gi_solver_at(i);
            double v[NEW];
            gi_solution s;

            if (!solver->variance ||
                !solver->cost(&w.k.run, &w.p, w.p.n).possible)
                continue;
            CHECK_OK(gi_solver_solve(&w.k.run, solver, &w.p, &s));
            CHECK_OK(solver->variance(&w.k.run, &w.p, &s, w.k.T, v));
            for (size_t j = 0; j < NEW; j++)
                CHECK_NEAR(
                    v[j], ridges_variance(&w.p, w.K, w.T + j * w.p.n, prior[j]),
                    1e-9);
            gi_solution_free(&s);
        }
        end(&w);
    }
}

/* alpha, weights and intercepts of both solutions, bit by bit. */
static void check_same(const gi_problem *p, const gi_solution *a,
                       const gi_solution *b)
{
    const size_t size = p->targets * sizeof(double);

    CHECK(!a->alpha == !b->alpha && !a->weights == !b->weights);
    assert_memory_equal(a->intercept, b->intercept, size);
    if (a->alpha)
        assert_memory_equal(a->alpha, b->alpha, p->n * size);
    if (a->weights)
        assert_memory_equal(a->weights, b->weights, p->K->features * size);
    CHECK(a->residual == b->residual);
    CHECK(a->condition == b->condition ||
          (isnan(a->condition) && isnan(b->condition)));
}

TEST(bits_do_not_depend_on_threads)
{
    static const problem some[] = {
        {"rbf(gamma=0.5)", 400, 3, 2, 1, 1, 0.1, 0},
        {"linear", 600, 3, 2, 1, 1, 0.5, 0},
        {"exponential(gamma=1.5)", 400, 1, 2, 1, 1, 0.05, 0},
    };

    for (size_t q = 0; q < sizeof some / sizeof *some; q++)
        for (size_t i = 0; gi_solver_at(i); i++) {
            world one, three;
            gi_solution a, b;

            begin(&one, &some[q], 1);
            begin(&three, &some[q], 3);
            one.p.steps = three.p.steps = 4;
            if (gi_solver_at(i)->cost(&one.k.run, &one.p, one.p.n).possible) {
                CHECK_OK(
                    gi_solver_solve(&one.k.run, gi_solver_at(i), &one.p, &a));
                CHECK_OK(gi_solver_solve(&three.k.run, gi_solver_at(i),
                                         &three.p, &b));
                check_same(&one.p, &a, &b);
                gi_solution_free(&a);
                gi_solution_free(&b);
            }
            end(&one);
            end(&three);
        }
}

TEST(solvers_have_names_and_are_found)
{
    const gi_solver *s = NULL;

    for (size_t i = 0; gi_solver_at(i); i++) {
        CHECK(gi_solver_at(i)->brief && gi_solver_at(i)->cost &&
              gi_solver_at(i)->solve);
        CHECK_OK(gi_solver_find(gi_solver_at(i)->name, &s));
        CHECK(s == gi_solver_at(i));
    }
    CHECK_FAILS(gi_solver_find("dula", &s), GRAM_ERR_NAME,
                "solver \"dula\": no such solver (did you mean \"dual\"?)");
}

/* What others ask for is there, and what implies something has it. */
TEST(capabilities_go_together)
{
    const gi_solver *s;

    CHECK(gi_solver_with(GI_SOLVER_SYSTEM | GI_SOLVER_EXACT)->variance);
    CHECK(gi_solver_with(GI_SOLVER_HOLDS_OUT) != NULL);
    CHECK(gi_solver_with(1u << 31) == NULL);
    for (size_t i = 0; (s = gi_solver_at(i)) != NULL; i++) {
        CHECK(!(s->flags & GI_SOLVER_FACTOR) || s->variance);
        CHECK(!(s->flags & GI_SOLVER_SYSTEM) || (s->flags & GI_SOLVER_FACTOR));
        CHECK(!s->many || (s->flags & GI_SOLVER_SINGLE));
    }
}

/* A solver that cannot says why. */
TEST(refusals_have_a_reason)
{
    world w;

    begin(&w, &problems[0], 1);
    for (size_t i = 0; gi_solver_at(i); i++) {
        gi_cost cost = gi_solver_at(i)->cost(&w.k.run, &w.p, w.p.n);

        CHECK(cost.possible || cost.why);
    }
    end(&w);
}

TEST(lambda_must_not_be_negative)
{
    world w;
    gi_solution s;

    begin(&w, &problems[0], 1);
    w.p.lambda = -1;
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("dual"), &w.p, &s),
                GRAM_ERR_RANGE, "lambda = -1, must be at least 0");
    w.p.lambda = NAN;
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("cg"), &w.p, &s),
                GRAM_ERR_RANGE, "lambda = nan, must be at least 0");
    w.p.lambda = 1;
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("primal"), &w.p, &s),
                GRAM_ERR_RANGE,
                "solver primal: needs a kernel with explicit features");
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("markov"), &w.p, &s),
                GRAM_ERR_RANGE,
                "solver markov: needs a Markov kernel of one number column");
    end(&w);
}

/* The name of the solver that is chosen. */
static const char *chosen(const problem *q, size_t memory, int keep)
{
    world w;
    const gi_solver *s = NULL;

    begin(&w, q, 1);
    w.k.run.memory = memory ? memory : w.k.run.memory;
    w.p.keep_factor = keep;
    CHECK_OK(gi_solver_choose(&w.k.run, &w.p, &s));
    end(&w);
    return s->name;
}

TEST(the_cheapest_is_chosen)
{
    static const problem smooth = {"rbf(gamma=0.5)", 50, 2, 1, 0, 1, 0.1, 0};
    static const problem flat = {"linear", 50, 2, 1, 0, 1, 0.1, 0};
    static const problem sorted = {
        "exponential(gamma=1)", 400, 1, 1, 0, 1, 0.1, 0};

    CHECK_STR(chosen(&smooth, 0, 1), "dual");
    CHECK_STR(chosen(&flat, 0, 0), "primal");
    CHECK_STR(chosen(&sorted, 0, 0), "markov");
}

TEST(too_little_memory_says_who_needs_what)
{
    static const problem large = {"rbf(gamma=0.5)", 2000, 2, 1, 0, 1, 0.1, 0};
    const gi_solver *s = NULL;
    world w = {.x = NULL};
    double *x = grams_random(2000 * 2, 0, 3);

    w.x = x;
    w.y = ridges_targets(large.n, 2, x, 1, 0);
    kernel_world_new(&w.k, large.kernel, large.n, 0, 2, x, NULL);
    w.p = (gi_problem){
        .K = w.k.K, .n = large.n, .targets = 1, .y = w.y, .lambda = 0.1};
    w.k.run.memory = (size_t)8 << 20;
    CHECK_OK(gi_solver_choose(&w.k.run, &w.p, &s));
    CHECK_STR(s->name, "cg"); /* the factor alone takes 15 MiB */
    w.p.keep_factor = 1;
    CHECK(gi_solver_choose(&w.k.run, &w.p, &s) == GRAM_ERR_MEMORY);
    CHECK(strstr(gram_error_message(), "2000 rows: dual needs 1"));
    CHECK(strstr(gram_error_message(), "may be used; "));
    CHECK(s == NULL);
    kernel_world_free(&w.k);
    free(w.x);
    free(w.y);
}

TEST(amplitudes_are_as_asked)
{
    world w;
    gi_solution s;
    double a[2], sum = 0;

    begin(&w, &problems[2], 1);
    CHECK_OK(gi_solver_solve(&w.k.run, ridges_solver("dual"), &w.p, &s));
    for (size_t i = 0; i < w.p.n; i++)
        sum += w.p.y[i * 2 + 1] * s.alpha[i * 2 + 1];
    gi_problem_amplitudes(&w.p, &s, a);
    CHECK_NEAR(a[1], sum / (double)w.p.n, 1e-12);
    w.p.amplitude = GI_AMPLITUDE_ONE;
    gi_problem_amplitudes(&w.p, &s, a);
    CHECK(a[0] == 1 && a[1] == 1);
    w.p.amplitude = GI_AMPLITUDE_INVERSE;
    gi_problem_amplitudes(&w.p, &s, a);
    CHECK(a[0] == 1 / w.p.lambda);
    gi_solution_free(&s);
    end(&w);
    begin(&w, &problems[13], 1); /* one row, and with an intercept none left */
    w.p.intercept = 1;
    CHECK_OK(gi_solver_solve(&w.k.run, ridges_solver("dual"), &w.p, &s));
    gi_problem_amplitudes(&w.p, &s, a);
    CHECK(isnan(a[0]) && s.intercept[0] == w.p.y[0]);
    gi_solution_free(&s);
    end(&w);
}

/* Whatever allocation fails, it is said and nothing is lost. */
TEST(failing_allocations_leave_nothing_behind)
{
    for (size_t i = 0; gi_solver_at(i); i++) {
        gram_status status = GRAM_ERR_MEMORY;
        size_t before;
        gi_solution s;
        world w;

        begin(&w, &problems[5], 1);
        CHECK_OK(gi_operator_prepare(w.k.K, &w.k.run, &gi_blas_double));
        w.p.keep_factor = gi_solver_at(i)->variance != NULL;
        w.p.steps = 2;
        before = gram_memory_used();
        if (!gi_solver_at(i)->cost(&w.k.run, &w.p, w.p.n).possible)
            status = GRAM_OK;
        for (size_t n = 1; status != GRAM_OK; n++) {
            gi_mem_fail_at(n, 1);
            status = gi_solver_solve(&w.k.run, gi_solver_at(i), &w.p, &s);
            gi_mem_fail_at(0, 0);
            if (status != GRAM_OK) {
                assert_int_equal(status, GRAM_ERR_MEMORY);
                CHECK(gram_memory_used() == before);
            } else {
                gi_solution_free(&s);
            }
        }
        CHECK(gram_memory_used() == before);
        end(&w);
    }
}

TEST(every_solver_is_listed_with_what_it_does)
{
    size_t i = 0;

    for (; gi_solver_at(i); i++) {
        CHECK_STR(gram_solver_at(i).name, gi_solver_at(i)->name);
        CHECK(strlen(gram_solver_at(i).brief) > 10);
    }
    CHECK(i > 0 && !gram_solver_at(i).name && !gram_solver_at(i + 1).name);
}

/* And nothing is left behind. */
TEST(bytes_of_a_subset_grow_with_its_rows)
{
    for (size_t q = 0; q < PROBLEMS; q++) {
        size_t before;
        world w;

        begin(&w, &problems[q], 1);
        before = gram_memory_used();
        for (size_t i = 0; gi_solver_at(i); i++) {
            gi_cost last = {0};

            for (size_t rows = 1; rows <= w.p.n; rows++) {
                gi_cost c = gi_solver_at(i)->cost(&w.k.run, &w.p, rows);

                if (!(c.bytes >= last.bytes))
                    fail_msg("%s, %zu rows: %g bytes after %g",
                             gi_solver_at(i)->name, rows, c.bytes, last.bytes);
                last = c;
            }
        }
        CHECK(gram_memory_used() == before);
        end(&w);
    }
}

TEST(a_problem_has_the_rows_of_its_matrix)
{
    static const size_t wrong[] = {39, 41};
    const char *sentence[] = {"a problem of 39 rows: its matrix is 40 x 40",
                              "a problem of 41 rows: its matrix is 40 x 40"};
    const gi_solver *solver;
    gi_path *path = NULL;
    gi_solution s;
    double value;
    world w;

    begin(&w, &problems[0], 1);
    for (size_t i = 0; i < 2; i++) {
        gi_run *run = &w.k.run;

        w.p.n = wrong[i];
        CHECK_FAILS(gi_solver_solve(run, NULL, &w.p, &s), GRAM_ERR_SHAPE,
                    sentence[i]);
        CHECK_FAILS(gi_solver_choose(run, &w.p, &solver), GRAM_ERR_SHAPE,
                    sentence[i]);
        CHECK_FAILS(gi_path_new(run, &w.p, NULL, GI_WANT_LOO, &path),
                    GRAM_ERR_SHAPE, sentence[i]);
        CHECK_FAILS(
            gi_criterion_value(run, &w.p, GI_WANT_EVIDENCE, &value, NULL, NULL),
            GRAM_ERR_SHAPE, sentence[i]);
    }
    w.p.K = NULL;
    CHECK_FAILS(gi_solver_solve(&w.k.run, NULL, &w.p, &s), GRAM_ERR_SHAPE,
                "a problem of 41 rows: its matrix is 0 x 0");
    w.p.n = problems[0].n;
    end(&w);
}

TESTS(SMALL(every_solver_is_listed_with_what_it_does),
      SMALL(every_solver_solves_every_problem_it_can),
      NORMAL(gradient_descent_comes_near),
      SMALL(variances_are_those_of_the_bordered_system),
      NORMAL(bits_do_not_depend_on_threads),
      SMALL(solvers_have_names_and_are_found), SMALL(capabilities_go_together),
      SMALL(refusals_have_a_reason), SMALL(lambda_must_not_be_negative),
      SMALL(the_cheapest_is_chosen),
      NORMAL(too_little_memory_says_who_needs_what),
      SMALL(amplitudes_are_as_asked),
      SMALL(failing_allocations_leave_nothing_behind),
      SMALL(bytes_of_a_subset_grow_with_its_rows),
      SMALL(a_problem_has_the_rows_of_its_matrix))
