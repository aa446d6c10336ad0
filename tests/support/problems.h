/* problems.h - small problems with everything in them, for tests of solvers:
 * a table, a kernel compiled for it, targets, noise.
 */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include "grams.h"

#include "base/mem.h"
#include "kernels/program/points.h"
#include "operators/operator.h"
#include "solvers/solver.h"

typedef struct problem {
    gi_run run;
    gram_table *table; /* x1, x2, x3 numbers, c a category */
    gram_kernel *kernel;
    gram_program *program;
    gi_points *x;
    gi_operator *K;
    double *y, *noise, *theta;
    gi_problem p;
} problem;

/* Move the operator to theta. */
static inline void problem_set(problem *w)
{
    CHECK_OK(gi_operator_set(w->K, &w->run, w->theta));
}

static inline gram_table *problem_table(size_t n)
{
    static const char *const names[] = {"red", "green", "blue"};
    gram_table *t = grams_random_table(n, 3, 1, 1, NULL);
    const char **level = malloc((n + 1) * sizeof *level);

    for (size_t i = 0; i < n; i++)
        level[i] = names[i * i % 3];
    CHECK_OK(gram_table_add_strings(t, "c", GRAM_TYPE_CATEGORY, level));
    free(level);
    return t;
}

/* Targets that the columns say something about; open numbers at 0.7, 0.8, ...
 */
static inline problem problem_new(const char *kernel, size_t n, size_t targets)
{
    problem w = {.run = gi_run_begin(NULL)};
    double *e = grams_random(n * targets, 0, 2);
    gram_column x1, x2;

    w.run.threads = 1; /* with so few rows other threads would come too late */
    w.table = problem_table(n);
    w.kernel = grams_kernel(kernel);
    if (gi_program_new(&w.run, w.kernel, w.table, 1, &w.program) != GRAM_OK)
        fail_msg("%s: %s", kernel, gram_error_message());
    CHECK_OK(gi_points_new(&w.run, w.program, w.table, GI_DOUBLE, &w.x));
    x1 = gram_table_column(w.table, 0);
    x2 = gram_table_column(w.table, 1);
    w.y = grams_doubles(n * targets);
    w.noise = grams_doubles(n);
    for (size_t i = 0; i < n; i++) {
        w.noise[i] = 0.5 + fabs(e[i * targets]);
        for (size_t t = 0; t < targets; t++)
            w.y[i * targets + t] = 5 + sin((double)(t + 2) * x1.values[i]) +
                                   x2.values[i] + 0.2 * e[i * targets + t];
    }
    free(e);
    w.theta = grams_doubles(w.program->thetas);
    for (size_t m = 0; m < w.program->thetas; m++)
        w.theta[m] = isnan(w.program->theta[m]) ? 0.7 + 0.1 * (double)m
                                                : w.program->theta[m];
    w.p = (gi_problem){.n = n, .targets = targets, .y = w.y, .lambda = 0.3};
    CHECK_OK(gi_operator_new(&w.run, w.program, w.theta, w.x, NULL, &w.K));
    w.p.K = w.K;
    return w;
}

static inline void problem_free(problem *w)
{
    gi_operator_free(w->K);
    gi_points_free(w->x);
    gi_program_free(w->program);
    gram_kernel_free(w->kernel);
    gram_table_free(w->table);
    free(w->y);
    free(w->noise);
    free(w->theta);
    gi_run_end(&w->run);
}

/* All of K, to be freed. */
static inline double *problem_matrix(problem *w)
{
    double *K = grams_doubles(w->p.n * w->p.n);

    CHECK_OK(gi_operator_store(w->K, &w->run, &gi_blas_double, K, w->p.n));
    return K;
}

/* A = L L' in place, by the book; returns log det A, NaN if it is not positive
 * definite. */
static inline double dense_factor(double *A, size_t n)
{
    double logdet = 0;

    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = A[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
            logdet += i == j ? log(sum) : 0;
        }
    return logdet;
}

/* x = A^-1 x from that factor. */
static inline void dense_solve(const double *L, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

#endif
