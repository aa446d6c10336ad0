/* band_panel.c - QR of a tall panel by recursion on its columns (Elmroth and
 * Gustavson, Applying recursion to serial and parallel QR factorization, IBM
 * J. Res. Dev. 44, 2000): factor the left half, apply it to the right half,
 * factor that, and couple the two triangles,
 *
 *     T = [T1  -T1 V1'V2 T2]
 *         [0    T2         ]
 *
 * so that nearly all work is in matrix products.  The panel is stored by its
 * columns: row j of p is column j.
 */
#include "linalg/dense/band_panel.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct panel {
    const gi_blas *blas;
    size_t b, m;
    char *p;
    size_t ldp;
    char *t;
    double *r;
    char *scratch, *more;
} panel;

static char *column(const panel *q, size_t j, size_t i)
{
    return q->p + (j * q->ldp + i) * q->blas->size;
}

static char *triangle(const panel *q, size_t i, size_t j)
{
    return q->t + (i * q->b + j) * q->blas->size;
}

/* Entries of a column from i on. */
static size_t rest(const panel *q, size_t i)
{
    return i < q->m ? q->m - i : 0;
}

/* The reflector that takes x, n numbers, to (beta, 0, ..., 0); it becomes
 * v = (1, ...).  What is so small that its inverse overflows counts as 0. */
static double reflect(const gi_blas *blas, size_t n, char *x, double *beta)
{
    const double least = blas->size == sizeof(float) ? FLT_MIN / FLT_EPSILON
                                                     : DBL_MIN / DBL_EPSILON;
    const double one = 1;
    double alpha = blas->get(x, 0), norm = blas->norm(n - 1, x + blas->size);
    double tau = 0;

    *beta = alpha;
    if (norm > least) {
        *beta = -copysign(hypot(alpha, norm), alpha);
        tau = (*beta - alpha) / *beta;
        blas->scale(n - 1, 1 / (alpha - *beta), x + blas->size);
    } else {
        memset(x + blas->size, 0, (n - 1) * blas->size);
    }
    blas->write(1, &one, x, 1);
    return tau;
}

static void factor_column(const panel *q, size_t j)
{
    const size_t above = j < q->m ? j : q->m;
    double *r = q->r + j * q->b, tau = 0;

    q->blas->read(above, column(q, j, 0), 1, r);
    memset(column(q, j, 0), 0, above * q->blas->size);
    if (j < q->m)
        tau = reflect(q->blas, q->m - j, column(q, j, j), &r[j]);
    q->blas->write(1, &tau, triangle(q, j, j), 1);
}

/* Right half C = H'C for the H of the left half. */
static void apply(const panel *q, size_t first, size_t mid, size_t end)
{
    const gi_blas *blas = q->blas;
    const size_t left = mid - first, right = end - mid, b = q->b;

    blas->gemm(0, 1, right, left, rest(q, first), 1, column(q, mid, first),
               q->ldp, column(q, first, first), q->ldp, 0, q->scratch, b);
    blas->gemm(0, 0, right, left, left, 1, q->scratch, b,
               triangle(q, first, first), b, 0, q->more, b);
    blas->gemm(0, 0, right, rest(q, first), left, -1, q->more, b,
               column(q, first, first), q->ldp, 1, column(q, mid, first),
               q->ldp);
}

static void couple(const panel *q, size_t first, size_t mid, size_t end)
{
    const gi_blas *blas = q->blas;
    const size_t left = mid - first, right = end - mid, b = q->b;

    blas->gemm(0, 1, left, right, rest(q, mid), 1, column(q, first, mid),
               q->ldp, column(q, mid, mid), q->ldp, 0, q->scratch, b);
    blas->gemm(0, 0, left, right, left, 1, triangle(q, first, first), b,
               q->scratch, b, 0, q->more, b);
    blas->gemm(0, 0, left, right, right, -1, q->more, b, triangle(q, mid, mid),
               b, 0, triangle(q, first, mid), b);
}

static void factor(const panel *q, size_t first, size_t end)
{
    const size_t mid = first + (end - first) / 2;

    if (end - first == 1) {
        factor_column(q, first);
        return;
    }
    factor(q, first, mid);
    apply(q, first, mid, end);
    factor(q, mid, end);
    couple(q, first, mid, end);
}

void gi_band_panel(const gi_blas *blas, size_t b, size_t m, void *p, size_t ldp,
                   void *t, double *r, void *scratch)
{
    const panel q = {blas, b,       m,
                     p,    ldp,     t,
                     r,    scratch, (char *)scratch + b * b * blas->size};

    memset(t, 0, b * b * blas->size);
    memset(r, 0, b * b * sizeof *r);
    factor(&q, 0, b);
}
