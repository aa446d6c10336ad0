/* stored.h - a matrix in memory as an operator: the folds and pairs of classes
 * of one kernel matrix are restrictions of it.
 */
#ifndef GI_STORED_H
#define GI_STORED_H

#include "operators/operator.h"

/* The symmetric n x n matrix K in that precision, ld elements from row to row.
 * Keeps it. */
gram_status gi_stored_new(gi_run *run, const gi_blas *blas, const void *K,
                          size_t ld, size_t n, gi_operator **out);

/* Bytes of room that a product with r columns takes, of an operator on rows of
 * a matrix of n. */
double gi_stored_bytes(size_t n, size_t r);

#endif
