/* score.h - scores of predictions, for whoever has made some.
 */
#ifndef GI_SCORE_H
#define GI_SCORE_H

#include "machines/machine.h"

/* The column of a target in another table.  Errors: NAME, SHAPE, RANGE (a
 * missing cell). */
gram_status gi_target_column(const gram_machine *m, const gram_table *t,
                             size_t target, const gi_column **out);

/* Room for means, and for std, lower and upper if the machine can have them
 * within the memory. */
gram_status gi_prediction_new(gi_run *run, const gram_machine *m, size_t rows,
                              gram_prediction *out);
void gi_prediction_free(gram_prediction *p);

/* The score of n predictions, each `stride` behind the one before; without
 * std those that need one are NaN. */
gram_score gi_score_of(const double *y, const gram_prediction *p, size_t n,
                       size_t stride, double interval);

#endif
