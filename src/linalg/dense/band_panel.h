/* band_panel.h - the QR factorisation of one panel.
 */
#ifndef GI_BAND_PANEL_H
#define GI_BAND_PANEL_H

#include "linalg/dense/blas.h"

/* P' = Q [R; 0], Q = I - V T V', for the b x m matrix p, row-major: p becomes
 * V' with its zeros and ones, T is upper triangular, b x b, and
 * r[j*b + i] = R(i,j), zero below the diagonal.  scratch: 2 b^2 elements.
 * Cost: 3 m b^2 flops. */
void gi_band_panel(const gi_blas *blas, size_t b, size_t m, void *p, size_t ldp,
                   void *t, double *r, void *scratch);

#endif
