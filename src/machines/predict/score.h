/* score.h - scores of predictions, for whoever has made some.
 */
#ifndef GI_SCORE_H
#define GI_SCORE_H

#include "machines/machine.h"

/* The column of a target in another table.  Errors: NAME, SHAPE, RANGE (a
 * missing cell). */
gram_status gi_target_column(const gram_machine *m, const gram_table *t,
                             size_t target, const gi_column **out);

/* Room for means; for classes and probabilities of a classifier; and for std,
 * lower and upper if the machine can have them within the memory. */
gram_status gi_prediction_new(gi_run *run, const gram_machine *m, size_t rows,
                              gram_prediction *out);
void gi_prediction_free(gram_prediction *p);

/* The mean of the loss of function t, predictions `stride` behind each
 * other. */
double gi_score_loss(const gram_machine *m, size_t t, const double *y,
                     const double *prediction, size_t n, size_t stride);

/* The score of a classifier on n rows of these classes, -1: none that it
 * knows, which it is wrong about. */
gram_status gi_score_classes(gi_run *run, const gram_machine *m,
                             const int *code, const gram_prediction *p,
                             size_t n, gram_score *out);

/* The score of n predictions, each `stride` behind the one before; without
 * std those that need one are NaN. */
gram_score gi_score_of(const double *y, const gram_prediction *p, size_t n,
                       size_t stride, double interval);

#endif
