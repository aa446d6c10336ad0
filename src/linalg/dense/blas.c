/* blas.c - the routines of BLAS and LAPACK in use, for row-major matrices.
 *
 * The prototypes are our own: the symbols come from OpenBLAS's archive, with
 * 32-bit integers.  gfortran passes the lengths of character arguments after
 * the others.  Routines of OpenBLAS that are C never read them, so they are
 * left out; dsyevd is Fortran and may write to where they are passed.
 */
#include "linalg/dense/blas.h"

#include <pthread.h>
#include <string.h>

#include "linalg/dense/start.h"

void dsyevd_(const char *job, const char *uplo, const int *n, double *a,
             const int *lda, double *values, double *work, const int *works,
             int *iwork, const int *iworks, int *info, size_t job_length,
             size_t uplo_length);
void openblas_set_num_threads(int threads);
char *openblas_get_config(void);
char *openblas_get_corename(void);

static const char *op(int transposed)
{
    return transposed ? "T" : "N";
}

/* BLAS refuses a leading dimension of 0, which an empty matrix may have. */
static int leading(size_t ld)
{
    return ld ? (int)ld : 1;
}

#define REAL double
#define NAME "double"
#define OF(name) name##_double
#define ROUTINE(name) d##name##_
#include "linalg/dense/blas.inc"
#undef REAL
#undef NAME
#undef OF
#undef ROUTINE
#define REAL float
#define NAME "single"
#define OF(name) name##_single
#define ROUTINE(name) s##name##_
#include "linalg/dense/blas.inc"

int gi_blas_syevd(int vectors, size_t n, double *a, size_t lda, double *values,
                  double *work, int works, int *iwork, int iworks)
{
    int fn = (int)n, fa = leading(lda), info = 0;

    dsyevd_(vectors ? "V" : "N", "L", &fn, a, &fa, values, work, &works, iwork,
            &iworks, &info, 1, 1);
    return info;
}

/* ----------------------------------------------------------------- start */

static char version[64];

static void start(void)
{
    const char *config = openblas_get_config(); /* "OpenBLAS 0.3.21 NO_..." */
    size_t n = strcspn(config, " ");

    gi_start_link();
    openblas_set_num_threads(1);
    n += strspn(config + n, " ");
    n += strcspn(config + n, " ");
    if (n >= sizeof version)
        n = sizeof version - 1;
    memcpy(version, config, n);
}

void gi_blas_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
}

const char *gi_blas_version(void)
{
    gi_blas_start();
    return version;
}

const char *gi_blas_core(void)
{
    gi_blas_start();
    return openblas_get_corename();
}
