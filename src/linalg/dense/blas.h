/* blas.h - the only door to BLAS and LAPACK.
 *
 * BLAS is OpenBLAS, linked privately and called on one thread, many calls at
 * once from our own threads; then the bits of a result depend on the shape of
 * the call only.
 *
 * Matrices of this library are row-major: element (i,j) of A is a[i*lda + j].
 * Fortran reads the same memory as the transpose, so C = A B is asked for as
 * C' = B' A', the upper triangle is Fortran's lower one, and a side changes
 * to the other.  Symmetric matrices and triangular factors are in the upper
 * triangle here: A = U'U, which Fortran sees as A = L L'.
 *
 * A gi_blas is a precision: the routines of one element type behind untyped
 * pointers, so that an algorithm is written once.  Sizes and leading
 * dimensions are at most GI_BLAS_MAX; the callers see to it.
 */
#ifndef GI_BLAS_H
#define GI_BLAS_H

#include <limits.h>
#include <stddef.h>

#define GI_BLAS_MAX ((size_t)INT_MAX)

typedef struct gi_blas {
    const char *name; /* "double", "single" */
    size_t size;      /* bytes of an element */

    /* C = alpha op(A) op(B) + beta C, op(A) m x k, op(B) k x n; op transposes
     * if ta, tb.  With beta = 0, C may hold anything. */
    void (*gemm)(int ta, int tb, size_t m, size_t n, size_t k, double alpha,
                 const void *a, size_t lda, const void *b, size_t ldb,
                 double beta, void *c, size_t ldc);

    /* upper triangle of C = alpha op(A) op(A)' + beta C, op(A) n x k */
    void (*syrk)(int ta, size_t n, size_t k, double alpha, const void *a,
                 size_t lda, double beta, void *c, size_t ldc);

    /* B = op(U)^-1 B, B m x n, U upper; op transposes if tu */
    void (*trsm)(int tu, size_t m, size_t n, const void *u, size_t ldu, void *b,
                 size_t ldb);

    /* B = alpha B op(U)^-1, B m x n */
    void (*trsm_right)(int tu, size_t m, size_t n, double alpha, const void *u,
                       size_t ldu, void *b, size_t ldb);

    /* B = alpha op(U) B, with `right` B = alpha B op(U); B m x n */
    void (*trmm)(int right, int tu, size_t m, size_t n, double alpha,
                 const void *u, size_t ldu, void *b, size_t ldb);

    /* U = U^-1, and the upper triangle of U U' in place of U; the other one
     * untouched */
    void (*trtri)(size_t n, void *u, size_t ldu);
    void (*lauum)(size_t n, void *u, size_t ldu);

    /* A = U'U in the upper triangle, the other one untouched.  Returns n, or
     * the index of the first pivot that is not positive, whose value is then
     * on the diagonal.  A pivot that is NaN or infinite may go unnoticed. */
    size_t (*potrf)(size_t n, void *a, size_t lda);

    /* from U to the upper triangle of (U'U)^-1, the other one untouched */
    void (*potri)(size_t n, void *a, size_t lda);

    /* |x|, without overflow, and x = alpha x */
    double (*norm)(size_t n, const void *x);
    void (*scale)(size_t n, double alpha, void *x);

    /* element i of an array; every step-th of n elements, to and from double */
    double (*get)(const void *a, size_t i);
    void (*read)(size_t n, const void *a, size_t step, double *out);
    void (*write)(size_t n, const double *x, void *a, size_t step);
} gi_blas;

extern const gi_blas gi_blas_double, gi_blas_single;

/* LAPACK's dsyevd on the upper triangle of a: all eigenvalues, ascending, and
 * with `vectors` the unit eigenvector of values[j] in row j of a, which is
 * overwritten either way.  works = -1 asks for the best sizes of work and
 * iwork, which come back in work[0] and iwork[0].  Returns 0 if it converged.
 * Not in gi_blas, since eigenvalues are computed in double only. */
int gi_blas_syevd(int vectors, size_t n, double *a, size_t lda, double *values,
                  double *work, int works, int *iwork, int iworks);

/* Make BLAS single-threaded; call it before the first use of a gi_blas. */
void gi_blas_start(void);

/* "OpenBLAS 0.3.21", and the kernels it chose: "SkylakeX". */
const char *gi_blas_version(void);
const char *gi_blas_core(void);

#endif
