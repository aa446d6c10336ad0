/* lanczos.c - the method of Lanczos (1950) with full reorthogonalisation.
 *
 * From a random unit vector q_1 it builds an orthonormal basis Q of the Krylov
 * space of A, in which A is a tridiagonal T:
 *
 *     A q_j = b_{j-1} q_{j-1} + a_j q_j + b_j q_{j+1}.
 *
 * Eigenvalues of T are Ritz values; the residual of the Ritz vector Q s is
 * b_m |s_m|, and an eigenvalue of A is that near (Parlett, The symmetric
 * eigenvalue problem, 1998, ch. 13).  Both ends come from one run: A and
 * c I - A have the same Krylov spaces, so shifting first would find the same.
 *
 * The trap: without care Q loses orthogonality as soon as a Ritz value
 * converges and copies of it appear; every new vector is therefore made
 * orthogonal to all before, twice.  That the nearest eigenvalue is the
 * extreme one rests on the random start (Kuczynski and Wozniakowski, SIAM J.
 * Matrix Anal. 13, 1992).
 */
#include "linalg/iterative/lanczos.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/rng.h"
#include "linalg/dense/eigen.h"
#include "linalg/dense/gemm.h"

/* The basis grows by so many vectors at a time. */
enum { GROWTH = GI_LANCZOS_GROWTH };

enum { STREAM = 0x1a5c };

typedef struct basis {
    gi_run *run;
    gi_run alone; /* one thread: vectors cost little beside products with A */
    size_t n, count, capacity;
    double *q;           /* capacity x n, a vector a row */
    double *diag, *side; /* of T; side[j] couples j and j+1 */
    double *ritz;        /* eigenvalues of T */
    double *t;           /* capacity^2: T, then its eigenvectors */
    double *dots;        /* of a new vector with those before */
} basis;

static gram_status reserve(basis *b, size_t count)
{
    gram_status status = GRAM_OK;
    size_t capacity = b->capacity + GROWTH, size;

    if (count <= b->capacity)
        return GRAM_OK;
    GI_TRY(gi_size_mul(capacity, b->n, &size));
    GI_TRY(GI_GROW(b->run, b->q, size));
    GI_TRY(GI_GROW(b->run, b->diag, capacity));
    GI_TRY(GI_GROW(b->run, b->side, capacity));
    GI_TRY(GI_GROW(b->run, b->ritz, capacity));
    GI_TRY(GI_GROW(b->run, b->dots, capacity));
    GI_TRY(GI_GROW(b->run, b->t, capacity * capacity));
    b->capacity = capacity;
done:
    return status;
}

static void release(basis *b)
{
    gi_free(b->dots);
    gi_free(b->t);
    gi_free(b->ritz);
    gi_free(b->side);
    gi_free(b->diag);
    gi_free(b->q);
}

/* Scaled, since squares of large entries overflow; NaN and infinity stay. */
static double norm(size_t n, const double *v)
{
    double top = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        if (!(fabs(v[i]) <= top))
            top = fabs(v[i]);
    if (top == 0 || !isfinite(top))
        return top;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] / top) * (v[i] / top);
    return top * sqrt(sum);
}

/* q[0] = a random unit vector. */
static void start(basis *b)
{
    gi_rng rng = gi_rng_new(b->run->seed, STREAM);
    double length;

    for (size_t i = 0; i < b->n; i++)
        b->q[i] = gi_rng_normal(&rng);
    length = norm(b->n, b->q);
    for (size_t i = 0; i < b->n; i++)
        b->q[i] /= length;
    b->count = 1;
}

/* v -= Q'Q v; the coefficients are left in dots. */
static gram_status project(basis *b, double *v)
{
    gram_status status = GRAM_OK;
    size_t n = b->n, m = b->count;

    GI_TRY(gi_gemm_double(&b->alone, 0, 0, m, 1, n, 1, b->q, n, v, 1, 0,
                          b->dots, 1));
    GI_TRY(gi_gemm_double(&b->alone, 0, 0, 1, n, m, -1, b->dots, m, b->q, n, 1,
                          v, n));
done:
    return status;
}

/* From A q_m in row m of q: a_m, b_m, and q_{m+1} in its place. */
static gram_status extend(basis *b)
{
    gram_status status = GRAM_OK;
    size_t n = b->n, m = b->count;
    double *v = b->q + m * n, size = norm(n, v), length;

    if (!isfinite(size)) {
        status = gi_fail(GRAM_ERR_NUMERIC,
                         "Lanczos: product %zu with the "
                         "matrix is not finite",
                         m);
        goto done;
    }
    GI_TRY(project(b, v));
    b->diag[m - 1] = b->dots[m - 1];
    GI_TRY(project(b, v));
    b->diag[m - 1] += b->dots[m - 1];
    length = norm(n, v);
    /* What is left is rounding: the Krylov space is complete. */
    if (length <= (double)n * DBL_EPSILON * size)
        length = 0;
    b->side[m - 1] = length;
    for (size_t i = 0; i < n && length > 0; i++)
        v[i] /= length;
done:
    return status;
}

static gram_status find_ritz(basis *b, gi_lanczos *out)
{
    gram_status status = GRAM_OK;
    size_t m = b->count;
    double last = b->side[m - 1];

    memset(b->t, 0, m * m * sizeof *b->t);
    for (size_t j = 0; j < m; j++) {
        b->t[j * m + j] = b->diag[j];
        if (j + 1 < m)
            b->t[j * m + j + 1] = b->side[j];
    }
    GI_TRY(gi_eigen_symmetric(b->run, m, b->t, m, 1, b->ritz));
    out->min = b->ritz[0];
    out->max = b->ritz[m - 1];
    out->min_error = last * fabs(b->t[m - 1]);
    out->max_error = last * fabs(b->t[m * m - 1]);
    out->steps = m;
done:
    return status;
}

static int is_near(double error, double theta, double floor, double tolerance)
{
    return error <= fmax(floor, tolerance * fabs(theta));
}

gram_status gi_lanczos_extremes(gi_run *run, size_t n, gi_lanczos_apply apply,
                                void *user, size_t steps, double tolerance,
                                gi_lanczos *out)
{
    gram_status status = GRAM_OK;
    basis b = {.run = run, .alone = *run, .n = n};
    int done = 0;

    if (n == 0 || steps == 0)
        return gi_fail(GRAM_ERR_RANGE,
                       "Lanczos: %zu rows and %zu steps, must be at least 1", n,
                       steps);
    b.alone.threads = 1;
    GI_TRY(reserve(&b, 2));
    start(&b);
    while (!done) {
        double floor;

        GI_TRY(reserve(&b, b.count + 1));
        GI_TRY(apply(user, b.q + (b.count - 1) * n, b.q + b.count * n));
        GI_TRY(extend(&b));
        GI_TRY(find_ritz(&b, out));
        floor = (double)n * DBL_EPSILON * fmax(fabs(out->min), fabs(out->max));
        done = b.side[b.count - 1] == 0 || b.count == steps || b.count == n ||
               (is_near(out->min_error, out->min, floor, tolerance) &&
                is_near(out->max_error, out->max, floor, tolerance));
        GI_TRY(gi_run_tick(run, done ? 1 : (double)b.count / (double)steps));
        b.count++;
    }
done:
    release(&b);
    return status;
}
