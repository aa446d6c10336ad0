/* svm.h - what svm-scale, svm-train and svm-predict share: the programs of
 * LIBSVM under their own names, links to this one.
 *
 * Their options are LIBSVM's: a letter, then its value as the next word; they
 * end at the first word without a dash.  Usage goes to stdout and the exit code
 * is 1 after every failure, as scripts around LIBSVM expect.
 */
#ifndef SVM_H
#define SVM_H

#include "cli.h"

/* The programs, with main()'s arguments, and what they print for help. */
int svm_scale(int argc, char **argv);
int svm_train(int argc, char **argv);
int svm_predict(int argc, char **argv);
extern const char svm_scale_usage[], svm_train_usage[], svm_predict_usage[];

typedef struct svm_program {
    const char *name, *brief, *usage;
    int (*run)(int argc, char **argv);
} svm_program;

/* The program of that name, or NULL. */
const svm_program *svm_program_find(const char *name);

/* Its man page, in roff. */
void svm_man_print(const svm_program *program);

/* An option that was found: its letter, the rest of its word ("-w-1": "-1"),
 * its first value. */
typedef struct svm_option {
    char letter;
    const char *rest;
    char **value;
} svm_option;

/* The option at argv[*at], *at moved behind its values: *letter is 0 where the
 * options end.  `flags` has the letters without a value, `pairs` those with
 * two; of the letters in neither and not in `single`, and where a value is
 * missing, it says so, followed by the usage. */
int svm_option_next(int argc, char **argv, const char *single,
                    const char *flags, const char *pairs, const char *usage,
                    int *at, svm_option *out);

/* Print the usage; CLI_BAD. */
int svm_usage(const char *usage);

/* The option's value, which must be a number; a whole one, at least `least`. */
int svm_real(const svm_option *o, double *out);
int svm_whole(const svm_option *o, int least, int *out);

/* The rows of LIBSVM text: labels, and features in a sparse block. */
typedef struct svm_data {
    gram_table *table;
    size_t rows;
    const double *label;
    gram_column x;
    double *serial; /* a precomputed kernel: numbers of the rows, else NULL */
} svm_data;

int svm_data_read(const char *path, svm_data *out);
void svm_data_free(svm_data *d);

/* Is the file a precomputed kernel?  Read one; the rest of *out is zero. */
int svm_kernel_probe(const char *path);
int svm_kernel_read(const char *path, svm_data *out);

/* Sums of predictions p and targets t, for what is said of regressions. */
typedef struct svm_fit_sums {
    double n, error, p, t, pp, tt, pt;
} svm_fit_sums;

void svm_sums_add(svm_fit_sums *s, double p, double t);
double svm_sums_error(const svm_fit_sums *s);       /* mean squared */
double svm_sums_correlation(const svm_fit_sums *s); /* squared */

#endif
