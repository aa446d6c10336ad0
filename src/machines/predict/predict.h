/* predict.h - a prediction on its way: what its parts hand to each other.
 */
#ifndef GI_PREDICT_H
#define GI_PREDICT_H

#include <pthread.h>

#include "base/scratch.h"
#include "machines/machine.h"

struct gram_predictor {
    const gram_machine *m;
    gram_predict_options o;
    gi_basis *basis;   /* rows and coefficients of the machine */
    double cost;       /* flops of a row, of a sum over the basis */
    double *alpha;     /* of several solutions, side by side, if all are sums
                          over the rows; else NULL */
    double *weights;   /* of dense features: per solution, each by target */
    gi_scratches pool; /* memory of calls */
    pthread_mutex_t lock;
    gi_solution *solved; /* per solution, with a factor, if the machine has kept
                            none; made when first asked for, under the lock */
};

gram_status gi_predictor_new(gi_run *run, const gram_machine *m,
                             const gram_predict_options *o,
                             gram_predictor **out);

/* New rows before a machine. */
typedef struct gi_query {
    gi_run *run;
    const gram_predictor *p;
    const gram_machine *m;
    const gram_table *table;
    int unseen_error;
    gram_missing missing; /* AUTO: as the machine was fitted */
    gram_table *own;      /* the table with missing cells filled in, if there
                             are any */
    unsigned char *whole; /* rows that had none, if others are left empty */
    size_t rows;
    gi_points *x;
    gi_operator *T; /* new rows x training rows */
} gi_query;

/* All but run, p, m, table, unseen_error and missing is zero. */
gram_status gi_query_begin(gi_query *a);
void gi_query_end(gi_query *a);

/* complete.c: missing cells of the table by the machine's policy; and after
 * the prediction, rows that are left empty become so: NaN, class -1. */
gram_status gi_query_complete(gi_query *a);
void gi_query_blank(const gi_query *a, size_t why, const gram_prediction *out);

/* Of rows of the table to `out`, which has room for all that is asked for
 * (predict.c); a slice of it. */
gram_status gi_predictor_run(gi_run *run, const gram_predictor *p,
                             const gram_table *table,
                             const gram_prediction *out);

/* f[i*targets + t], intercepts included; and what that predicts: of several
 * quantiles none crosses another, counts come from their logarithms. */
gram_status gi_query_f(const gi_query *a, double *f);
gram_status gi_query_mean(const gi_query *a, double *mean);

/* variance[i*solutions + q] of f, in units of the amplitude. */
gram_status gi_query_variance(const gi_query *a, double *variance);

/* Probabilities of two classes, f averaged over its posterior. */
gram_status gi_query_process(const gi_query *a, const double *mean,
                             double *proba);

/* D of a new measurement at each row: 1, or with a noise column that of the
 * table, or where it has none the mean of the training rows. */
gram_status gi_query_noise(const gi_query *a, double *D);

/* What variances of solution q need: a problem, a solution with a factor. */
typedef struct gi_posterior {
    gi_problem p;
    const gi_solver *solver;
    const gi_solution *s;
    gi_solution own; /* made anew, if the machine kept none */
    gi_operator *K;
    double *room;
} gi_posterior;

/* By the machine's solver if it has variances, else by dual; `dual`: by dual
 * in double.  Errors: MEMORY, NUMERIC (dual of a singular matrix). */
gram_status gi_posterior_new(gi_run *run, const gram_machine *m, size_t q,
                             int dual, gi_posterior *out);

/* The same, not dual; a solution that has to be made stays in the predictor. */
gram_status gi_posterior_kept(gi_run *run, const gram_predictor *p, size_t q,
                              gi_posterior *out);
void gi_posterior_free(gi_posterior *p);

/* Can it be had within the memory, by whatever solver? */
int gi_posterior_fits(gi_run *run, const gram_machine *m);

/* For rows row .. row+m-1 of T, and a factor in double: out[i*m + j] = the
 * weight of y_i in the mean there, and with an intercept left[j] = u of it
 * (posterior.c).  room is n x m like out. */
gram_status gi_posterior_columns(gi_run *run, const gi_posterior *p,
                                 const gi_operator *T, size_t row, size_t m,
                                 double *room, double *out, double *left);

/* alpha of a machine with one target; *own is to be freed. */
/* gram_machine_predict() within a run. */
gram_status gi_machine_predict(gi_run *run, const gram_machine *m,
                               const gram_table *table,
                               const gram_predict_options *options,
                               const gram_prediction *out);

gram_status gi_machine_alpha(gi_run *run, const gram_machine *m,
                             const double **alpha, double **own);

/* The parts of a prediction. */
gram_status gi_predict_jackknife(const gi_query *a, double interval,
                                 const double *mean, double *lower,
                                 double *upper);
gram_status gi_predict_terms(const gi_query *a, double *terms, double *std);
gram_status gi_predict_why(const gi_query *a, size_t count, size_t *row,
                           double *part);

/* Covariance of f at the rows for a target, C[i*ld + j]. */
gram_status gi_query_covariance(const gi_query *a, size_t target, double *C,
                                size_t ld);

/* The nominal width of an interval: 0 means 0.9. */
double gi_interval_width(const gram_predict_options *o);

#endif
