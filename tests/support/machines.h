/* machines.h - tables to fit, and the same fits by brute force: for tests.
 *
 * Brute force is Gaussian elimination on the system of solver.h as it stands
 * there, intercept and all, which no part of the library does.
 */
#ifndef MACHINES_H
#define MACHINES_H

#include "check.h"
#include "grams.h"

/* n rows of d normal columns x1, x2, ... and a target y that is smooth in them
 * with some noise. */
static inline gram_table *machines_table(size_t n, size_t d, uint64_t stream)
{
    double *x = grams_random(n * d, 0, stream);
    double *e = grams_random(n, 0, stream + 1000);
    gram_table *t = grams_table(n, d, x, NULL);

    for (size_t i = 0; i < n; i++) {
        e[i] *= 0.1;
        for (size_t j = 0; j < d; j++)
            e[i] += sin((1 + (double)j) * x[i * d + j]) / (1 + (double)j);
        e[i] += 2;
    }
    CHECK_OK(gram_table_add_numbers(t, "y", e, 1));
    CHECK_OK(gram_table_set_role(t, "y", GRAM_ROLE_TARGET));
    free(x);
    free(e);
    return t;
}

/* Add a column of that role: positive numbers around 1. */
static inline void machines_amounts(gram_table *t, const char *name,
                                    gram_role role, uint64_t stream)
{
    size_t n = gram_table_rows(t);
    double *w = grams_random(n, 1, stream);

    for (size_t i = 0; i < n; i++)
        w[i] = 0.2 + w[i];
    CHECK_OK(gram_table_add_numbers(t, name, w, 1));
    CHECK_OK(gram_table_set_role(t, name, role));
    free(w);
}

static inline const double *machines_values(const gram_table *t,
                                            const char *name)
{
    size_t j;

    CHECK_OK(gram_table_find(t, name, &j));
    return gram_table_column(t, j).values;
}

/* The rows i with keep[i] == which, as a table with the same roles. */
static inline gram_table *machines_rows(const gram_table *t, const int *keep,
                                        int which)
{
    size_t n = gram_table_rows(t), rows = 0;
    gram_table *out = NULL;

    for (size_t i = 0; i < n; i++)
        rows += keep[i] == which;
    CHECK_OK(gram_table_new(rows, &out));
    for (size_t j = 0; j < gram_table_cols(t); j++) {
        gram_column c = gram_table_column(t, j);
        double *v = grams_doubles(rows);

        for (size_t i = 0, to = 0; i < n; i++)
            if (keep[i] == which)
                v[to++] = c.values[i];
        CHECK_OK(gram_table_add_numbers(out, c.name, v, 1));
        CHECK_OK(gram_table_set_role(out, c.name, c.role));
        free(v);
    }
    return out;
}

static inline gram_machine *machines_fit(const gram_table *t,
                                         const gram_fit_options *o)
{
    gram_machine *m = NULL;

    CHECK_OK(gram_machine_fit(t, o, NULL, &m));
    return m;
}

static inline double *machines_mean(const gram_machine *m, const gram_table *t)
{
    double *mean =
        grams_doubles(gram_table_rows(t) * gram_machine_report(m)->targets);
    gram_prediction p = {.mean = mean};

    CHECK_OK(gram_machine_predict(m, t, NULL, NULL, &p));
    return mean;
}

/* X = A^-1 B by elimination with row exchanges; A n x n, B n x m, both are
 * overwritten, and B is X. */
static inline void machines_solve(size_t n, double *A, size_t m, double *B)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = k;

        for (size_t i = k; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        for (size_t j = 0; j < n; j++) {
            double a = A[k * n + j];

            A[k * n + j] = A[p * n + j];
            A[p * n + j] = a;
        }
        for (size_t j = 0; j < m; j++) {
            double b = B[k * m + j];

            B[k * m + j] = B[p * m + j];
            B[p * m + j] = b;
        }
        for (size_t i = 0; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];

            for (size_t j = 0; i != k && j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (size_t j = 0; i != k && j < m; j++)
                B[i * m + j] -= f * B[k * m + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            B[i * m + j] /= A[i * n + i];
}

/* The matrix of (K + lambda D) alpha + b 1 = y, 1'alpha = 0: n x n, or with an
 * intercept (n+1) x (n+1); w NULL: ones. */
static inline double *machines_system(size_t n, const double *K, double lambda,
                                      const double *w, int intercept)
{
    size_t N = n + (size_t)intercept;
    double *A = grams_doubles(N * N);

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            A[i * N + j] =
                i < n && j < n
                    ? K[i * n + j] + (i == j ? lambda / (w ? w[i] : 1) : 0)
                    : (double)(i < n || j < n);
    return A;
}

/* alpha, and with an intercept b behind it, to be freed. */
static inline double *machines_brute(size_t n, const double *K, double lambda,
                                     const double *w, int intercept,
                                     const double *y)
{
    size_t N = n + (size_t)intercept;
    double *A = machines_system(n, K, lambda, w, intercept);
    double *b = grams_doubles(N);

    for (size_t i = 0; i < N; i++)
        b[i] = i < n ? y[i] : 0;
    machines_solve(N, A, 1, b);
    free(A);
    return b;
}

#endif
