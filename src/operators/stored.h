/* stored.h - some rows and columns of a matrix in memory, as an operator: the
 * folds and pairs of classes of one kernel matrix share it.
 */
#ifndef GI_STORED_H
#define GI_STORED_H

#include "operators/operator.h"

/* The symmetric operator of rows and columns index[0] .. index[n-1] of K, in
 * that precision, ld elements from row to row.  Keeps K and index.  To be freed
 * by gi_stored_free. */
gram_status gi_stored_new(gi_run *run, const gi_blas *blas, const void *K,
                          size_t ld, const size_t *index, size_t n,
                          gi_operator **out);
void gi_stored_free(gi_operator *K);

/* Bytes of room that a product with r columns takes, of an operator on rows of
 * a matrix of n. */
double gi_stored_bytes(size_t n, size_t r);

/* What gi_stored_new was given, for those who read rows themselves; 0 if the
 * operator is another one. */
int gi_stored_look(const gi_operator *K, const gi_blas **blas,
                   const void **matrix, size_t *ld, const size_t **index);

#endif
