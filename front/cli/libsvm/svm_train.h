/* svm_train.h - svm-train on its way: what its parts hand to each other. */
#ifndef SVM_TRAIN_H
#define SVM_TRAIN_H

#include "svm.h"

/* The values of -s and -t. */
enum { C_SVC, NU_SVC, ONE_CLASS, EPSILON_SVR, NU_SVR, SVM_TYPES };
enum { LINEAR, POLY, RBF, SIGMOID, PRECOMPUTED, KERNEL_TYPES };

typedef struct svm_weight {
    int label;
    double value;
} svm_weight;

/* Letters are those of the options. */
typedef struct svm_parameters {
    int s, t, d, h, b, v, q;
    double g, r, c, n, p, m, e;
    svm_weight *w;
    size_t weights;
} svm_parameters;

static inline int svm_classifies(const svm_parameters *o)
{
    return o->s == C_SVC || o->s == NU_SVC;
}

/* Rows to train with, and the classes among them in LIBSVM's order: as they
 * come first, but of -1 and +1 the latter. */
typedef struct svm_problem {
    const svm_parameters *o;
    const svm_data *data;
    size_t n, *row; /* of the data */
    size_t classes;
    int *label;
    size_t *count;
} svm_problem;

/* The rows with keep[i] != 0, NULL: all. */
void svm_problem_make(const svm_parameters *o, const svm_data *data,
                      const unsigned char *keep, svm_problem *out);
void svm_problem_free(svm_problem *p);

/* Train, and say how it went unless -q. */
int svm_problem_fit(const svm_problem *p, gram_machine **out);

/* Write it as LIBSVM's model; laplace as in gram_libsvm_options. */
int svm_problem_save(const svm_problem *p, const gram_machine *m,
                     const char *path, double laplace);

enum { SVM_PATH = 512 };

/* A new empty file whose name ends so. */
int svm_temporary(char path[SVM_PATH], const char *ending);

/* Are the numbers of rows in order?  The problem's matrix, as a new .npy
 * file. */
int svm_kernel_check(const svm_data *d);
int svm_kernel_write(const svm_problem *p, char path[SVM_PATH]);

/* LIBSVM's log of a machine. */
void svm_log(const svm_problem *p, const gram_machine *m);

/* What machines say that were trained without the row, out[i] for row i of
 * the data: a label, or a number.  Folds are LIBSVM's, drawn by rand(). */
int svm_cross_validate(const svm_problem *all, int folds, double *out);

#endif
