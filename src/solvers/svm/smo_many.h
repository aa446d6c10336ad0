/* smo_many.h - many small support vector machines over one stored K: pairs of
 * classes, folds, values of lambda.
 *
 * Each problem is one task of one thread, whose own lambdas are solved one
 * after the other, from the largest (the smallest C) on: the solution at one
 * lambda, or what it is scaled to the next box, starts the next, and the rows
 * of K that it gathered stay.  Results do not depend on the number of threads.
 */
#ifndef GI_SMO_MANY_H
#define GI_SMO_MANY_H

#include "solvers/many.h"

/* Memory: for each thread the rows of a part that are support vectors, at most
 * n^2 floats, within the room of the run divided by threads.
 * Errors: RANGE (a lambda), those of gi_svm_solve and of `take`. */
gram_status gi_smo_many_solve(gi_run *run, const gi_many *m);

#endif
