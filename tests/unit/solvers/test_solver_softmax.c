/* test_solver_softmax.c - what is particular to softmax: derivatives that are
 * zero, two classes as logistic, classes in another order, weights.
 */
#include "operators.h"
#include "ridges.h"

#include "losses/loss.h"

static const gram_exec one = {.threads = 1}, two = {.threads = 2};

enum { D = 2 };

typedef struct world {
    kernel_world k;
    double *x, *y, *noise;
    gi_loss *loss;
    gi_problem p;
} world;

/* Classes are sectors of the plane, with some rows in the wrong one. */
static void begin(world *w, size_t n, size_t classes, double lambda,
                  const gram_exec *exec)
{
    double *e = grams_random(n, 0, 3);
    size_t count = 0;

    w->x = grams_random(n * D, 0, n);
    w->y = calloc(n * classes, sizeof *w->y);
    w->noise = grams_random(n, 1, 4);
    for (size_t i = 0; i < n; i++) {
        double turn = atan2(w->x[i * D], w->x[i * D + 1]) / 6.3 + 0.5;
        double c = floor((double)classes * (turn + 0.1 * e[i]));

        c = fmin(fmax(c, 0), (double)classes - 1);
        w->y[i * classes + (size_t)c] = 1;
        w->noise[i] = 0.5 + w->noise[i];
    }
    free(e);
    kernel_world_new(&w->k, "rbf(gamma=0.7)", n, 0, D, w->x, exec);
    CHECK_OK(gi_losses_new(&w->k.run, "softmax", &w->loss, &count));
    w->p = (gi_problem){.K = w->k.K,
                        .n = n,
                        .targets = classes,
                        .y = w->y,
                        .intercept = 1,
                        .lambda = lambda,
                        .loss = w->loss};
}

static void end(world *w)
{
    gi_free(w->loss);
    kernel_world_free(&w->k);
    free(w->x);
    free(w->y);
    free(w->noise);
}

static gi_solution solve(world *w)
{
    gi_solution s;

    CHECK_OK(gi_solver_solve(&w->k.run, ridges_solver("softmax"), &w->p, &s));
    return s;
}

/* P by its definition. */
static double objective(const world *w, const double *K, const double *alpha,
                        const double *b)
{
    const size_t n = w->p.n, c = w->p.targets;
    const gi_solution s = {.alpha = (double *)alpha, .intercept = (double *)b};
    double *f = grams_doubles(n * c), sum = 0;

    ridges_values(&w->p, &s, K, n, f);
    for (size_t i = 0; i < n; i++) {
        double total = 0, weight = w->p.noise ? 1 / w->p.noise[i] : 1;

        for (size_t k = i * c; k < (i + 1) * c; k++) {
            total += exp(f[k]);
            sum -= weight * w->p.y[k] * f[k];
            sum += w->p.lambda * alpha[k] * (f[k] - b[k % c]);
        }
        sum += weight * log(total);
    }
    free(f);
    return sum;
}

/* No number of the solution can be changed with gain; the classes' numbers add
 * up to 0; the gap says how far the objective is from the least. */
static void check_minimum(const world *w, const gi_solution *s)
{
    const size_t n = w->p.n, c = w->p.targets;
    double *K = operator_matrix(w->k.K, (gi_run *)&w->k.run), sum = 0;
    double at = objective(w, K, s->alpha, s->intercept);

    CHECK(s->converged && s->gradient <= 1e-6);
    CHECK_NEAR(s->objective, at, 1e-12);
    CHECK(s->gap >= -1e-12 * at && s->gap <= 1e-6 * at);
    for (size_t k = 0; k < n * c + (w->p.intercept ? c : 0); k++) {
        double *number = k < n * c ? s->alpha + k : s->intercept + k - n * c;
        const double was = *number, h = 1e-4;

        *number = was + h;
        sum = objective(w, K, s->alpha, s->intercept);
        *number = was - h;
        sum -= objective(w, K, s->alpha, s->intercept);
        *number = was;
        CHECK_NEAR(sum / (2 * h) / (double)n, 0, 1e-5);
    }
    for (size_t i = 0; i <= n; i++) {
        sum = 0;
        for (size_t k = 0; k < c; k++)
            sum += i < n ? s->alpha[i * c + k] : s->intercept[k];
        CHECK_NEAR(sum, 0, 1e-9 / w->p.lambda);
    }
    free(K);
}

TEST(derivatives_are_zero)
{
    static const double lambdas[] = {1e-2, 0.5, 20};

    for (size_t k = 0; k < 3; k++)
        for (int kind = 0; kind < 2; kind++) {
            world w;
            gi_solution s;

            begin(&w, 16, 3 + k % 2, lambdas[k], &one);
            w.p.intercept = kind;
            w.p.noise = kind ? w.noise : NULL;
            s = solve(&w);
            check_minimum(&w, &s);
            CHECK(kind || s.intercept[0] == 0);
            gi_solution_free(&s);
            end(&w);
        }
}

/* f_1 = -f_2 = f/2 turns the loss to log(1 + exp(-y f)) and the penalty to
 * lambda/2 |f|^2. */
TEST(two_classes_are_logistic_with_half_the_lambda)
{
    enum { N = 40 };
    world w;
    gi_solution s, l;
    gi_loss *logistic = NULL;
    size_t count;
    double y[N];

    begin(&w, N, 2, 0.3, &one);
    w.p.tolerance = 1e-10;
    s = solve(&w);
    CHECK_OK(gi_losses_new(&w.k.run, "logistic", &logistic, &count));
    for (size_t i = 0; i < N; i++)
        y[i] = w.y[2 * i] - w.y[2 * i + 1];
    w.p.loss = logistic;
    w.p.targets = 1;
    w.p.y = y;
    w.p.lambda /= 2;
    CHECK_OK(gi_solver_solve(&w.k.run, ridges_solver("newton"), &w.p, &l));
    CHECK_NEAR(s.objective, l.objective, 1e-9);
    CHECK_NEAR(2 * s.intercept[0], l.intercept[0], 1e-6);
    for (size_t i = 0; i < N; i++) {
        CHECK_NEAR(2 * s.alpha[2 * i], l.alpha[i], 1e-6);
        CHECK_NEAR(s.alpha[2 * i] + s.alpha[2 * i + 1], 0, 1e-12);
    }
    gi_solution_free(&s);
    gi_solution_free(&l);
    gi_free(logistic);
    end(&w);
}

TEST(classes_in_another_order_give_the_same_in_that_order)
{
    enum { N = 30, C = 4 };
    world w;
    gi_solution s, t;
    double y[N * C];

    begin(&w, N, C, 0.1, &one);
    w.p.tolerance = 1e-10;
    s = solve(&w);
    for (size_t k = 0; k < N * C; k++)
        y[k] = w.y[k / C * C + (k + 1) % C];
    w.p.y = y;
    t = solve(&w);
    for (size_t k = 0; k < N * C; k++)
        CHECK_NEAR(t.alpha[k], s.alpha[k / C * C + (k + 1) % C], 1e-7);
    for (size_t k = 0; k < C; k++)
        CHECK_NEAR(t.intercept[k], s.intercept[(k + 1) % C], 1e-7);
    gi_solution_free(&s);
    gi_solution_free(&t);
    end(&w);
}

/* Rows 0 .. M-1 twice, or with weight 2. */
TEST(a_row_twice_is_a_row_of_weight_2)
{
    enum { M = 12, C = 3 };
    world w;
    gi_solution s, t;
    double *K, twice[4 * M * M], y[2 * M * C], noise[M];
    dense_operator a, b;

    begin(&w, M, C, 0.2, &one);
    K = operator_matrix(w.k.K, &w.k.run);
    for (size_t i = 0; i < 2 * M; i++) {
        for (size_t j = 0; j < 2 * M; j++)
            twice[i * 2 * M + j] = K[i % M * M + j % M];
        memcpy(y + i * C, w.y + i % M * C, C * sizeof *y);
        noise[i % M] = 0.5;
    }
    dense_operator_init(&a, M, M, K, NULL);
    dense_operator_init(&b, 2 * M, 2 * M, twice, NULL);
    w.p.K = &a.op;
    w.p.noise = noise;
    w.p.tolerance = 1e-10;
    s = solve(&w);
    w.p.K = &b.op;
    w.p.n = 2 * M;
    w.p.y = y;
    w.p.noise = NULL;
    t = solve(&w);
    CHECK_NEAR(s.objective, t.objective, 1e-9);
    for (size_t k = 0; k < M * C; k++)
        CHECK_NEAR(s.alpha[k], t.alpha[k] + t.alpha[M * C + k], 1e-6);
    gi_solution_free(&s);
    gi_solution_free(&t);
    free(K);
    end(&w);
}

TEST(a_warm_start_takes_fewer_steps)
{
    world w;
    gi_solution s, t, u;

    begin(&w, 60, 3, 0.05, &one);
    s = solve(&w);
    w.p.lambda = 0.04;
    t = solve(&w);
    w.p.start = s.alpha;
    u = solve(&w);
    CHECK(u.converged && u.steps < t.steps);
    CHECK_NEAR(u.objective, t.objective, 1e-7);
    gi_solution_free(&s);
    gi_solution_free(&t);
    gi_solution_free(&u);
    end(&w);
}

TEST(bits_do_not_depend_on_threads)
{
    world w, v;
    gi_solution s, t;

    begin(&w, 300, 5, 0.1, &one);
    begin(&v, 300, 5, 0.1, &two);
    s = solve(&w);
    t = solve(&v);
    CHECK(memcmp(s.alpha, t.alpha, 300 * 5 * sizeof *s.alpha) == 0);
    CHECK(memcmp(s.intercept, t.intercept, 5 * sizeof *s.intercept) == 0);
    CHECK(s.objective == t.objective && s.gap == t.gap);
    gi_solution_free(&s);
    gi_solution_free(&t);
    end(&w);
    end(&v);
}

TEST(other_problems_are_refused)
{
    world w;
    gi_solution s;

    begin(&w, 10, 3, 0, &one);
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("softmax"), &w.p, &s),
                GRAM_ERR_RANGE, "solver softmax: lambda is 0");
    w.p.loss = NULL;
    CHECK_FAILS(gi_solver_solve(&w.k.run, ridges_solver("softmax"), &w.p, &s),
                GRAM_ERR_RANGE, "solver softmax: only for the softmax loss");
    end(&w);
}

TESTS(SMALL(derivatives_are_zero),
      SMALL(two_classes_are_logistic_with_half_the_lambda),
      SMALL(classes_in_another_order_give_the_same_in_that_order),
      SMALL(a_row_twice_is_a_row_of_weight_2),
      SMALL(a_warm_start_takes_fewer_steps),
      NORMAL(bits_do_not_depend_on_threads), SMALL(other_problems_are_refused))
