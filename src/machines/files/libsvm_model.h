/* libsvm_model.h - LIBSVM's model files, as LIBSVM means them.
 *
 * Of k classes every pair (a, b), a < b in the order of `label`, has a
 * decision function, numbered (0,1), (0,2), ..., (1,2), ...:
 *
 *     f_ab(x) = sum_i c_i K(x_i, x) - rho_ab          f > 0 votes for a
 *
 * Support vectors are sorted by class; one of class a has c_i = coef[i][b-1]
 * against a class b > a and coef[i][b] against b < a.  Regression and
 * one-class machines have k = 2, one function and no labels.  With probA and
 * probB, P(a | a or b) = 1/(1 + exp(probA f + probB)); regression has one
 * probA, the scale of Laplace noise.
 */
#ifndef GI_LIBSVM_MODEL_H
#define GI_LIBSVM_MODEL_H

#include "base/file.h"
#include "data/table/table.h"

/* In the order of svm-train -s and -t. */
typedef enum gi_libsvm_type {
    GI_LIBSVM_C_SVC,
    GI_LIBSVM_NU_SVC,
    GI_LIBSVM_ONE_CLASS,
    GI_LIBSVM_EPSILON_SVR,
    GI_LIBSVM_NU_SVR
} gi_libsvm_type;

typedef enum gi_libsvm_kernel {
    GI_LIBSVM_LINEAR,
    GI_LIBSVM_POLY,
    GI_LIBSVM_RBF,
    GI_LIBSVM_SIGMOID,
    GI_LIBSVM_PRECOMPUTED
} gi_libsvm_kernel;

enum { GI_LIBSVM_MARKS = 10 };

typedef struct gi_libsvm {
    gi_libsvm_type type;
    gi_libsvm_kernel kernel;
    int degree;
    double gamma, coef0;
    size_t classes; /* k */
    size_t n;       /* support vectors */
    double *rho;    /* per pair */
    int *label;     /* per class, or NULL */
    size_t *count;  /* per class: its support vectors; NULL without labels */
    double *prob_a, *prob_b; /* per pair; regression: one a; or NULL */
    double *marks;           /* one-class: GI_LIBSVM_MARKS of them, or NULL */
    double *coef;            /* n x (k - 1), row-major */
    gi_sparse x;             /* their features, index 1 of the file is 0 */
    size_t *serial; /* precomputed: numbers of rows, from 1, instead of x */
} gi_libsvm;

/* Pairs of k classes, which are functions; 0 for k <= 1. */
static inline size_t gi_libsvm_pairs(size_t k)
{
    return k > 1 ? k * (k - 1) / 2 : 0;
}

static inline int gi_libsvm_classifies(gi_libsvm_type type)
{
    return type == GI_LIBSVM_C_SVC || type == GI_LIBSVM_NU_SVC;
}

/* "c_svc", ... and "linear", ..., as in files. */
extern const char *const gi_libsvm_types[];
extern const char *const gi_libsvm_kernels[];

/* Which of degree, gamma and coef0 a kernel has. */
extern const unsigned char gi_libsvm_takes[][3];

/* Does a file that starts with these bytes look like one? */
int gi_libsvm_probe(const char *head, size_t n);

/* Read the input from its start into *out, all zero before; to be freed also
 * after a failure.  No count is believed before the numbers that it counts
 * were seen.  Errors: PARSE, RANGE, with file and line; IO, MEMORY. */
gram_status gi_libsvm_read(gi_run *run, gi_input *in, gi_libsvm *out);

/* Append the file's text; numbers keep every bit. */
gram_status gi_libsvm_print(gi_run *run, const gi_libsvm *m, gi_buf *out);

void gi_libsvm_free(gi_libsvm *m);

#endif
