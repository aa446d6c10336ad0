/* ridges.h - ridge problems by brute force, for tests of solvers.
 *
 * The reference is Gaussian elimination with pivots on the bordered system
 *
 *     (K + lambda D   1) (alpha)   (y)
 *     (1'             0) (b    ) = (0)
 *
 * in long double.
 */
#ifndef RIDGES_H
#define RIDGES_H

#include "check.h"
#include "grams.h"

#include "solvers/solver.h"

/* X = A^-1 B in place of B, n x n and n x m; A is destroyed. */
static inline void ridges_eliminate(size_t n, size_t m, long double *A,
                                    long double *B)
{
    for (size_t k = 0; k < n; k++) {
        size_t top = k;

        for (size_t i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[top * n + k]))
                top = i;
        for (size_t j = 0; j < n; j++) {
            long double a = A[k * n + j];

            A[k * n + j] = A[top * n + j];
            A[top * n + j] = a;
        }
        for (size_t j = 0; j < m; j++) {
            long double b = B[k * m + j];

            B[k * m + j] = B[top * m + j];
            B[top * m + j] = b;
        }
        for (size_t i = 0; i < n; i++) {
            long double f = A[i * n + k] / A[k * n + k];

            if (i == k || f == 0)
                continue;
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (size_t j = 0; j < m; j++)
                B[i * m + j] -= f * B[k * m + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            B[i * m + j] /= A[i * n + i];
}

/* The bordered matrix of a problem with matrix K, to be freed; *size its
 * edge. */
static inline long double *ridges_matrix(const gi_problem *p, const double *K,
                                         size_t *size)
{
    const size_t n = p->n, e = n + (p->intercept != 0);
    long double *A = calloc(e * e + 1, sizeof *A);

    assert_non_null(A);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * e + j] = K[i * n + j];
        A[i * e + i] += (long double)p->lambda * (p->noise ? p->noise[i] : 1);
        if (p->intercept)
            A[i * e + n] = A[n * e + i] = 1;
    }
    *size = e;
    return A;
}

/* alpha and b of all targets. */
static inline void ridges_solve(const gi_problem *p, const double *K,
                                double *alpha, double *b)
{
    const size_t n = p->n, t = p->targets;
    size_t e;
    long double *A = ridges_matrix(p, K, &e);
    long double *B = calloc(e * t + 1, sizeof *B);

    for (size_t i = 0; i < n * t; i++)
        B[i] = p->y[i];
    ridges_eliminate(e, t, A, B);
    for (size_t i = 0; i < n * t; i++)
        alpha[i] = (double)B[i];
    for (size_t j = 0; j < t; j++)
        b[j] = p->intercept ? (double)B[n * t + j] : 0;
    free(A);
    free(B);
}

/* Variance of f + b at a new point with kernel values k and k(x,x) = prior:
 * prior - (k,1)'M^-1 (k,1), M the bordered matrix. */
static inline double ridges_variance(const gi_problem *p, const double *K,
                                     const double *k, double prior)
{
    const size_t n = p->n;
    size_t e;
    long double *A = ridges_matrix(p, K, &e), sum = prior;
    long double *B = calloc(e + 1, sizeof *B);

    for (size_t i = 0; i < n; i++)
        B[i] = k[i];
    if (p->intercept)
        B[n] = 1;
    ridges_eliminate(e, 1, A, B);
    for (size_t i = 0; i < n; i++)
        sum -= k[i] * B[i];
    if (p->intercept)
        sum -= B[n];
    free(A);
    free(B);
    return (double)sum;
}

/* K alpha + b at the rows of a matrix with n columns, out m x targets. */
static inline void ridges_values(const gi_problem *p, const gi_solution *s,
                                 const double *T, size_t m, double *out)
{
    const size_t t = p->targets;

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < t; j++) {
            double sum = s->intercept[j];

            for (size_t k = 0; k < p->n; k++)
                sum += T[i * p->n + k] * s->alpha[k * t + j];
            out[i * t + j] = sum;
        }
}

/* y of the rows: smooth in the first two of d numbers, targets different, with
 * an offset and a little noise. */
static inline double *ridges_targets(size_t n, size_t d, const double *x,
                                     size_t targets, double offset)
{
    double *noise = grams_random(n * targets, 0, 99);

    for (size_t i = 0; i < n * targets; i++) {
        const double *row = x + i / targets * d;
        double which = (double)(i % targets);

        noise[i] = offset + sin(2 * row[0] + which) + 0.3 * which * row[d - 1] +
                   0.1 * noise[i];
    }
    return noise;
}

static inline const gi_solver *ridges_solver(const char *name)
{
    const gi_solver *s = NULL;

    CHECK_OK(gi_solver_find(name, &s));
    return s;
}

/* out[i*targets + t] = y_i - f(x_i) for the f fitted at lambda without the rows
 * that have left[i] = which; of those rows only. */
static inline void ridges_without(const gi_problem *whole, const double *all,
                                  double lambda, const int *left, int which,
                                  double *out)
{
    const size_t n = whole->n, T = whole->targets;
    size_t *row = malloc((n + 1) * sizeof *row), m = 0;
    double *K = grams_doubles(n * n), *y = grams_doubles(n * T);
    double *noise = grams_doubles(n), *alpha = grams_doubles(n * T);
    double *b = grams_doubles(T);
    gi_problem p = *whole;

    for (size_t i = 0; i < n; i++)
        if (left[i] != which)
            row[m++] = i;
    for (size_t i = 0; i < m; i++) {
        noise[i] = whole->noise ? whole->noise[row[i]] : 1;
        for (size_t t = 0; t < T; t++)
            y[i * T + t] = whole->y[row[i] * T + t];
        for (size_t j = 0; j < m; j++)
            K[i * m + j] = all[row[i] * n + row[j]];
    }
    p.n = m;
    p.y = y;
    p.noise = noise;
    p.lambda = lambda;
    ridges_solve(&p, K, alpha, b);
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; left[i] == which && t < T; t++) {
            double f = b[t];

            for (size_t j = 0; j < m; j++)
                f += all[i * n + row[j]] * alpha[j * T + t];
            out[i * T + t] = whole->y[i * T + t] - f;
        }
    free(row);
    free(K);
    free(y);
    free(noise);
    free(alpha);
    free(b);
}

#endif
