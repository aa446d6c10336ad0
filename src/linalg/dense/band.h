/* band.h - symmetric matrices reduced to a band, for systems with many shifts.
 *
 *     A = Q B Q',   B of half-bandwidth b,   A + s I = Q (B + s I) Q'
 *
 * The reduction costs 4/3 n^3 flops, all in matrix products, and less if A is 0
 * within rounding on most of the space; after it every shift s costs O(n b^2),
 * 8 n b^2 flops with its trace.  One algorithm, in double or single precision
 * (&gi_blas_double, &gi_blas_single); same bits for any number of threads.
 */
#ifndef GI_BAND_H
#define GI_BAND_H

#include <stddef.h>

#include "base/run.h"
#include "base/status.h"
#include "linalg/dense/blas.h"

typedef struct gi_band gi_band;

/* Reduce the n x n symmetric matrix a (upper triangle, row-major, lda >= n),
 * which is overwritten and kept: it holds the reflectors until gi_band_free(),
 * and the caller frees it after that.  b = 0: the best half-bandwidth.
 * Ticks from 0 to 1. */
gram_status gi_band_reduce(gi_run *run, const gi_blas *blas, size_t n, void *a,
                           size_t lda, size_t b, gi_band **out);
void gi_band_free(gi_band *q);

/* X = Q X, or Q'X if `transposed`; X is n x m, row-major, of the precision. */
gram_status gi_band_apply(gi_run *run, const gi_band *q, int transposed,
                          size_t m, void *x, size_t ldx);

/* Turn the kept reflectors into Q itself, in place: then a[i*lda + j] is
 * Q(i,j).  gi_band_apply goes on working.  Cost: 4/3 n^3 flops. */
gram_status gi_band_form(gi_run *run, gi_band *q);

/* The factor B + s I = L L'; factors at different shifts may be made and used
 * at the same time from different threads.  Everything about them is in
 * double, whatever the precision of the reduction. */
typedef struct gi_band_factor gi_band_factor;

/* Errors: NUMERIC (not positive definite: the pivot), MEMORY. */
gram_status gi_band_factor_new(gi_run *run, const gi_band *q, double shift,
                               gi_band_factor **out);
void gi_band_factor_free(gi_band_factor *f);

double gi_band_logdet(const gi_band_factor *f);

/* X = (B + s I)^-1 X, X n x m row-major without gaps. */
void gi_band_solve(const gi_band_factor *f, size_t m, double *x);

/* tr (B + s I)^-1, by the selected inverse.  Cost: 5 n b^2 flops. */
gram_status gi_band_trace(gi_run *run, const gi_band_factor *f, double *out);

/* After gi_band_form: rows row[0] .. row[m-1] of W = Q L'^-1, so that
 * (A + s I)^-1 = W W'.  They are stored as columns: wt[j*ldw + i] is
 * W(row[i], j), j < n, of the reduction's precision.  row NULL: 0 .. m-1.
 * Cost: 2 n m b flops. */
gram_status gi_band_half_inverse(gi_run *run, const gi_band *q,
                                 const gi_band_factor *f, const size_t *row,
                                 size_t m, void *wt, size_t ldw);

/* The same for `count` factors without W in memory:
 * out[k*n + i] = ((A + s_k I)^-1)(i,i).  Several at once read Q once. */
gram_status gi_band_inverse_diagonal(gi_run *run, const gi_band *q,
                                     gi_band_factor *const *f, size_t count,
                                     double *out);

/* Half-bandwidth that b = 0 stands for. */
size_t gi_band_width(size_t n);

#endif
