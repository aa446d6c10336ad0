/* band_inside.h - what the files of the band reduction share.
 *
 * Indices are cut into blocks of b.  Panel k is what stands right of diagonal
 * block k, in the rows of block k: b x m, m = n - (k+1) b, row-major.  Its QR
 * factorisation leaves the reflectors V' there, with their zeros and ones
 * written out, so that it is an ordinary matrix; what else was there is in
 * `diagonal` and `beside`.
 */
#ifndef GI_BAND_INSIDE_H
#define GI_BAND_INSIDE_H

#include "base/mem.h"
#include "linalg/dense/band.h"

struct gi_band {
    const gi_blas *blas;
    size_t n, b, blocks;
    size_t panels; /* that were factored; B is 0 behind the last of them */
    char *a;       /* the caller's */
    size_t lda;
    char *t;          /* T of H_k = I - V T V', b x b for each panel */
    double *diagonal; /* B(k,k), b x b each, upper triangle */
    double *beside;   /* B(k,k+1), b x b each */
    int formed;       /* a holds Q */
};

struct gi_band_factor {
    size_t n, b, blocks;
    double *diagonal; /* U_kk, upper, B + s I = U'U */
    double *beside;   /* U_k,k+1 */
};

/* Threads for so many tasks; more would only wait for one another. */
static inline int gi_band_threads(const gi_run *run, size_t tasks)
{
    return (int)gi_min_size((size_t)run->threads, tasks > 1 ? tasks : 1);
}

static inline size_t gi_band_height(const gi_band *q, size_t k)
{
    return gi_min_size(q->b, q->n - k * q->b);
}

static inline char *gi_band_at(const gi_band *q, size_t i, size_t j)
{
    return q->a + (i * q->lda + j) * q->blas->size;
}

static inline char *gi_band_t(const gi_band *q, size_t k)
{
    return q->t + k * q->b * q->b * q->blas->size;
}

#endif
