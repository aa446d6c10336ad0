/* blas.c - the Fortran routines in use, in row-major clothes.
 *
 * The prototypes are our own: the symbols come from OpenBLAS's archive, with
 * 32-bit integers.  gfortran passes the length of every character argument
 * behind the others; where OpenBLAS is C it never looks, so it is left out,
 * but dsyevd is Fortran and may use the room that the lengths stand in.
 */
#include "linalg/dense/blas.h"

#include <pthread.h>
#include <string.h>

#include "linalg/dense/start.h"

void dgemm_(const char *ta, const char *tb, const int *m, const int *n,
            const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void sgemm_(const char *ta, const char *tb, const int *m, const int *n,
            const int *k, const float *alpha, const float *a, const int *lda,
            const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda,
            const double *beta, double *c, const int *ldc);
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda,
            const float *beta, float *c, const int *ldc);
void dtrsm_(const char *side, const char *uplo, const char *trans,
            const char *diag, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, double *b, const int *ldb);
void strsm_(const char *side, const char *uplo, const char *trans,
            const char *diag, const int *m, const int *n, const float *alpha,
            const float *a, const int *lda, float *b, const int *ldb);
void dtrmm_(const char *side, const char *uplo, const char *trans,
            const char *diag, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, double *b, const int *ldb);
void strmm_(const char *side, const char *uplo, const char *trans,
            const char *diag, const int *m, const int *n, const float *alpha,
            const float *a, const int *lda, float *b, const int *ldb);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void spotrf_(const char *uplo, const int *n, float *a, const int *lda,
             int *info);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a,
             const int *lda, int *info);
void strtri_(const char *uplo, const char *diag, const int *n, float *a,
             const int *lda, int *info);
void dlauum_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void slauum_(const char *uplo, const int *n, float *a, const int *lda,
             int *info);
void dpotri_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void spotri_(const char *uplo, const int *n, float *a, const int *lda,
             int *info);
double dnrm2_(const int *n, const double *x, const int *step);
float snrm2_(const int *n, const float *x, const int *step);
void dscal_(const int *n, const double *alpha, double *x, const int *step);
void sscal_(const int *n, const float *alpha, float *x, const int *step);
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

/* ---------------------------------------------------------------- double */

static void gemm_double(int ta, int tb, size_t m, size_t n, size_t k,
                        double alpha, const void *a, size_t lda, const void *b,
                        size_t ldb, double beta, void *c, size_t ldc)
{
    int fm = (int)m, fn = (int)n, fk = (int)k;
    int fa = leading(lda), fb = leading(ldb), fc = leading(ldc);

    dgemm_(op(tb), op(ta), &fn, &fm, &fk, &alpha, b, &fb, a, &fa, &beta, c,
           &fc);
}

static void syrk_double(int ta, size_t n, size_t k, double alpha, const void *a,
                        size_t lda, double beta, void *c, size_t ldc)
{
    int fn = (int)n, fk = (int)k, fa = leading(lda), fc = leading(ldc);

    dsyrk_("L", op(!ta), &fn, &fk, &alpha, a, &fa, &beta, c, &fc);
}

static void trsm_double(int tu, size_t m, size_t n, const void *u, size_t ldu,
                        void *b, size_t ldb)
{
    int fm = (int)m, fn = (int)n, fu = leading(ldu), fb = leading(ldb);
    double one = 1;

    dtrsm_("R", "L", op(tu), "N", &fn, &fm, &one, u, &fu, b, &fb);
}

static void trsm_right_double(int tu, size_t m, size_t n, double alpha,
                              const void *u, size_t ldu, void *b, size_t ldb)
{
    int fm = (int)m, fn = (int)n, fu = leading(ldu), fb = leading(ldb);

    dtrsm_("L", "L", op(tu), "N", &fn, &fm, &alpha, u, &fu, b, &fb);
}

static void trmm_double(int right, int tu, size_t m, size_t n, double alpha,
                        const void *u, size_t ldu, void *b, size_t ldb)
{
    int fm = (int)m, fn = (int)n, fu = leading(ldu), fb = leading(ldb);

    dtrmm_(right ? "L" : "R", "L", op(tu), "N", &fn, &fm, &alpha, u, &fu, b,
           &fb);
}

static void trtri_double(size_t n, void *u, size_t ldu)
{
    int fn = (int)n, fu = leading(ldu), info = 0;

    dtrtri_("L", "N", &fn, u, &fu, &info);
}

static void lauum_double(size_t n, void *u, size_t ldu)
{
    int fn = (int)n, fu = leading(ldu), info = 0;

    dlauum_("L", &fn, u, &fu, &info);
}

static size_t potrf_double(size_t n, void *a, size_t lda)
{
    int fn = (int)n, fa = leading(lda), info = 0;

    dpotrf_("L", &fn, a, &fa, &info);
    return info ? (size_t)info - 1 : n;
}

static void potri_double(size_t n, void *a, size_t lda)
{
    int fn = (int)n, fa = leading(lda), info = 0;

    dpotri_("L", &fn, a, &fa, &info);
}

static double norm_double(size_t n, const void *x)
{
    int fn = (int)n, one = 1;

    return dnrm2_(&fn, x, &one);
}

static void scale_double(size_t n, double alpha, void *x)
{
    int fn = (int)n, one = 1;

    dscal_(&fn, &alpha, x, &one);
}

static double get_double(const void *a, size_t i)
{
    return ((const double *)a)[i];
}

static void read_double(size_t n, const void *a, size_t step, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = ((const double *)a)[i * step];
}

static void write_double(size_t n, const double *x, void *a, size_t step)
{
    for (size_t i = 0; i < n; i++)
        ((double *)a)[i * step] = x[i];
}

const gi_blas gi_blas_double = {
    .name = "double",
    .size = sizeof(double),
    .gemm = gemm_double,
    .syrk = syrk_double,
    .trsm = trsm_double,
    .trsm_right = trsm_right_double,
    .trmm = trmm_double,
    .trtri = trtri_double,
    .lauum = lauum_double,
    .potrf = potrf_double,
    .potri = potri_double,
    .norm = norm_double,
    .scale = scale_double,
    .get = get_double,
    .read = read_double,
    .write = write_double,
};

int gi_blas_syevd(int vectors, size_t n, double *a, size_t lda, double *values,
                  double *work, int works, int *iwork, int iworks)
{
    int fn = (int)n, fa = leading(lda), info = 0;

    dsyevd_(vectors ? "V" : "N", "L", &fn, a, &fa, values, work, &works, iwork,
            &iworks, &info, 1, 1);
    return info;
}

/* ---------------------------------------------------------------- single */

static void gemm_single(int ta, int tb, size_t m, size_t n, size_t k,
                        double alpha, const void *a, size_t lda, const void *b,
                        size_t ldb, double beta, void *c, size_t ldc)
{
    int fm = (int)m, fn = (int)n, fk = (int)k;
    int fa = leading(lda), fb = leading(ldb), fc = leading(ldc);
    float alpha4 = (float)alpha, beta4 = (float)beta;

    sgemm_(op(tb), op(ta), &fn, &fm, &fk, &alpha4, b, &fb, a, &fa, &beta4, c,
           &fc);
}

static void syrk_single(int ta, size_t n, size_t k, double alpha, const void *a,
                        size_t lda, double beta, void *c, size_t ldc)
{
    int fn = (int)n, fk = (int)k, fa = leading(lda), fc = leading(ldc);
    float alpha4 = (float)alpha, beta4 = (float)beta;

    ssyrk_("L", op(!ta), &fn, &fk, &alpha4, a, &fa, &beta4, c, &fc);
}

static void trsm_single(int tu, size_t m, size_t n, const void *u, size_t ldu,
                        void *b, size_t ldb)
{
    int fm = (int)m, fn = (int)n, fu = leading(ldu), fb = leading(ldb);
    float one = 1;

    strsm_("R", "L", op(tu), "N", &fn, &fm, &one, u, &fu, b, &fb);
}

static void trsm_right_single(int tu, size_t m, size_t n, double alpha,
                              const void *u, size_t ldu, void *b, size_t ldb)
{
    int fm = (int)m, fn = (int)n, fu = leading(ldu), fb = leading(ldb);
    float alpha4 = (float)alpha;

    strsm_("L", "L", op(tu), "N", &fn, &fm, &alpha4, u, &fu, b, &fb);
}

static void trmm_single(int right, int tu, size_t m, size_t n, double alpha,
                        const void *u, size_t ldu, void *b, size_t ldb)
{
    int fm = (int)m, fn = (int)n, fu = leading(ldu), fb = leading(ldb);
    float alpha4 = (float)alpha;

    strmm_(right ? "L" : "R", "L", op(tu), "N", &fn, &fm, &alpha4, u, &fu, b,
           &fb);
}

static void trtri_single(size_t n, void *u, size_t ldu)
{
    int fn = (int)n, fu = leading(ldu), info = 0;

    strtri_("L", "N", &fn, u, &fu, &info);
}

static void lauum_single(size_t n, void *u, size_t ldu)
{
    int fn = (int)n, fu = leading(ldu), info = 0;

    slauum_("L", &fn, u, &fu, &info);
}

static size_t potrf_single(size_t n, void *a, size_t lda)
{
    int fn = (int)n, fa = leading(lda), info = 0;

    spotrf_("L", &fn, a, &fa, &info);
    return info ? (size_t)info - 1 : n;
}

static void potri_single(size_t n, void *a, size_t lda)
{
    int fn = (int)n, fa = leading(lda), info = 0;

    spotri_("L", &fn, a, &fa, &info);
}

static double norm_single(size_t n, const void *x)
{
    int fn = (int)n, one = 1;

    return snrm2_(&fn, x, &one);
}

static void scale_single(size_t n, double alpha, void *x)
{
    int fn = (int)n, one = 1;
    float alpha4 = (float)alpha;

    sscal_(&fn, &alpha4, x, &one);
}

static double get_single(const void *a, size_t i)
{
    return ((const float *)a)[i];
}

static void read_single(size_t n, const void *a, size_t step, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = ((const float *)a)[i * step];
}

static void write_single(size_t n, const double *x, void *a, size_t step)
{
    for (size_t i = 0; i < n; i++)
        ((float *)a)[i * step] = (float)x[i];
}

const gi_blas gi_blas_single = {
    .name = "single",
    .size = sizeof(float),
    .gemm = gemm_single,
    .syrk = syrk_single,
    .trsm = trsm_single,
    .trsm_right = trsm_right_single,
    .trmm = trmm_single,
    .trtri = trtri_single,
    .lauum = lauum_single,
    .potrf = potrf_single,
    .potri = potri_single,
    .norm = norm_single,
    .scale = scale_single,
    .get = get_single,
    .read = read_single,
    .write = write_single,
};

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
