/* rng.h - seeded random numbers in independent streams.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy
 * as 1, 2, 3, SC 2011): a block cipher on a counter.  The key is the seed; the
 * counter is (position, stream), so stream s of seed k is a fixed sequence
 * that no other stream overlaps, whatever thread draws from it.
 */
#ifndef GI_RNG_H
#define GI_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct gi_rng {
    uint64_t seed, stream, position;
    uint64_t block[2]; /* the last cipher block */
    unsigned used;     /* words of it that are spent */
    double spare;      /* second normal deviate of a pair */
    int has_spare;
} gi_rng;

gi_rng gi_rng_new(uint64_t seed, uint64_t stream);

uint64_t gi_rng_u64(gi_rng *r);

/* Uniform on [0, 1), a multiple of 2^-53. */
double gi_rng_uniform(gi_rng *r);

/* Uniform on 0 .. n-1, without bias; n > 0. */
uint64_t gi_rng_below(gi_rng *r, uint64_t n);

/* Standard normal (Marsaglia's polar method). */
double gi_rng_normal(gi_rng *r);

/* A random order of the n indices in `index`, which are moved. */
void gi_rng_shuffle(gi_rng *r, size_t *index, size_t n);

#endif
