/* columns.c - see columns.h.
 *
 * The product is the CPU table's `dot` on tiles: an element depends on its two
 * rows only and adds its terms in order, wherever it stands (cpu_tile.def).
 * All else works element by element.
 */
#include "linalg/dense/columns.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cpu/cpu.h"

/* A tile of the product, and terms added up before it goes to C. */
enum { WIDE = GI_COLUMNS_WIDE, HIGH = GI_COLUMNS_HIGH, DEEP = GI_COLUMNS_DEEP };

/* Triangles up to this size are solved row by row. */
enum { TRIANGLE = GI_COLUMNS_TRIANGLE };

size_t gi_columns_scratch(size_t m)
{
    return (gi_round_up(m, WIDE) + HIGH) * DEEP + 2 * WIDE * HIGH;
}

#define REAL double
#define OF(name) name##_d
#include "linalg/dense/columns.inc"
#undef REAL
#undef OF
#define REAL float
#define OF(name) name##_s
#include "linalg/dense/columns.inc"

void gi_columns_add(const gi_blas *blas, int ta, size_t n, size_t m, size_t k,
                    double alpha, const void *a, size_t lda, const void *b,
                    size_t ldb, void *c, size_t ldc, void *scratch)
{
    if (blas == &gi_blas_single)
        add_s(ta, n, m, k, (float)alpha, a, lda, b, ldb, c, ldc, scratch);
    else
        add_d(ta, n, m, k, alpha, a, lda, b, ldb, c, ldc, scratch);
}

/* By halves, so that nearly all of it is a product. */
void gi_columns_divide(const gi_blas *blas, int tu, size_t n, size_t m,
                       const void *u, size_t ldu, void *b, size_t ldb,
                       void *scratch)
{
    const size_t half = n / 2, rest = n - half;
    const char *right = (const char *)u + half * blas->size;
    const char *corner = right + half * ldu * blas->size;
    char *bottom = (char *)b + half * ldb * blas->size;

    if (n <= TRIANGLE && blas == &gi_blas_single) {
        triangle_s(tu, n, m, u, ldu, b, ldb);
    } else if (n <= TRIANGLE) {
        triangle_d(tu, n, m, u, ldu, b, ldb);
    } else if (tu) {
        gi_columns_divide(blas, tu, half, m, u, ldu, b, ldb, scratch);
        gi_columns_add(blas, 1, rest, m, half, -1, right, ldu, b, ldb, bottom,
                       ldb, scratch);
        gi_columns_divide(blas, tu, rest, m, corner, ldu, bottom, ldb, scratch);
    } else {
        gi_columns_divide(blas, tu, rest, m, corner, ldu, bottom, ldb, scratch);
        gi_columns_add(blas, 0, half, m, rest, -1, right, ldu, bottom, ldb, b,
                       ldb, scratch);
        gi_columns_divide(blas, tu, half, m, u, ldu, b, ldb, scratch);
    }
}

gram_status gi_columns_gemm(gi_run *run, int ta, size_t n, size_t m, size_t k,
                            double alpha, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c,
                            size_t ldc)
{
    const size_t scratch = gi_columns_scratch(m);
    double *scratches = NULL;
    gram_status status;

    GI_TRY(GI_NEW(run, scratches, (size_t)run->threads * scratch));
    GI_PARALLEL_TASKS(run->threads)
    for (size_t i = 0; i < n; i += HIGH) {
        const size_t some = gi_min_size(HIGH, n - i);
        double *own = scratches + (size_t)gi_thread_number() * scratch;

        for (size_t r = i; r < i + some; r++)
            for (size_t j = 0; j < m; j++)
                c[r * ldc + j] = beta == 0 ? 0 : beta * c[r * ldc + j];
        add_d(ta, some, m, k, alpha, ta ? a + i : a + i * lda, lda, b, ldb,
              c + i * ldc, ldc, own);
    }
done:
    gi_free(scratches);
    return status;
}
