/* select.h - selection inside: the rows it looks at, what it costs.
 */
#ifndef GI_SELECT_H
#define GI_SELECT_H

#include "machines/fit.h"
#include "solvers/row_subset.h"

/* The rows that selection looks at: all, or some of them. */
typedef struct gi_selection {
    size_t *pick; /* rows of the fit, ascending; NULL: all */
    gi_row_subset rows;
    gi_operator *K;     /* of these rows: that of the fit if they are all */
    gi_problem problem; /* and so is this */
} gi_selection;

gram_status gi_selection_new(gi_fit *f, gi_selection *s);
void gi_selection_free(gi_selection *s); /* what is inside */

/* The mean of w_i k(x_i, x_i), by which lambdas are measured; 1 if that is
 * 0. */
gram_status gi_selection_scale(gi_run *run, const gi_selection *s, double *out);

/* Open numbers of the kernel, an overall `?` that is held not counted. */
size_t gi_select_searched(const gi_fit *f);

/* What is searched, and how. */
const char *gi_select_sentence(const gi_fit *f);

/* Cost of selection on that many of the rows. */
gi_cost gi_select_cost(const gi_fit *f, size_t rows);

/* select_cv.c: find theta and lambda by folds, and in which precision. */
gram_status gi_select_cv(gi_fit *f, gi_selection *s);
const gi_blas *gi_select_cv_blas(const gi_fit *f, size_t rows);

/* select_loss.c: the same for losses other than squared; and the cost. */
gram_status gi_select_loss(gi_fit *f, gi_selection *s);
gi_cost gi_select_loss_cost(const gi_fit *f, size_t rows);

/* Probabilities, if they are asked for and not there yet, from folds at theta
 * and lambda. */
gram_status gi_select_sigmoid(gi_fit *f);

/* gram_table_folds, with the table's group column unless options say
 * otherwise; without one, folds keep the shares of the column `classes` (NULL:
 * none). */
gram_status gi_fold_rows(gi_run *run, const gram_table *t,
                         const gram_fold_options *options, const char *classes,
                         int *fold, size_t *count);

#endif
