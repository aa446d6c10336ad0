/* rng.c - Philox4x32-10, see rng.h.
 *
 * The counter is (position low, position high, stream low, stream high) and
 * the key (seed low, seed high).  Output word 0 of a block is its first 64
 * bits, low half first.  The test compares with the vectors that Salmon et
 * al. publish in Random123.
 */
#include "base/rng.h"

#include <math.h>

enum { ROUNDS = 10 };

static void cipher(uint32_t c[4], uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c[0];
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t c1 = c[1], c3 = c[3];

        c[0] = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c[3] = (uint32_t)p0;
        k0 += 0x9E3779B9u; /* Weyl sequences: golden ratio, sqrt(3) - 1 */
        k1 += 0xBB67AE85u;
    }
}

gi_rng gi_rng_new(uint64_t seed, uint64_t stream)
{
    gi_rng r = {.seed = seed, .stream = stream, .used = 2};

    return r;
}

uint64_t gi_rng_u64(gi_rng *r)
{
    if (r->used == 2) {
        uint32_t c[4] = {(uint32_t)r->position, (uint32_t)(r->position >> 32),
                         (uint32_t)r->stream, (uint32_t)(r->stream >> 32)};

        cipher(c, (uint32_t)r->seed, (uint32_t)(r->seed >> 32));
        r->block[0] = c[0] | (uint64_t)c[1] << 32;
        r->block[1] = c[2] | (uint64_t)c[3] << 32;
        r->position++;
        r->used = 0;
    }
    return r->block[r->used++];
}

double gi_rng_uniform(gi_rng *r)
{
    return (double)(gi_rng_u64(r) >> 11) * 0x1p-53;
}

/* Lemire, Fast random integer generation in an interval (2019). */
uint64_t gi_rng_below(gi_rng *r, uint64_t n)
{
    uint64_t least = (0 - n) % n; /* 2^64 mod n */
    unsigned __int128 product;

    do
        product = (unsigned __int128)gi_rng_u64(r) * n;
    while ((uint64_t)product < least);
    return (uint64_t)(product >> 64);
}

double gi_rng_normal(gi_rng *r)
{
    double u, v, s;

    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    do {
        u = 2 * gi_rng_uniform(r) - 1;
        v = 2 * gi_rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    s = sqrt(-2 * log(s) / s);
    r->spare = v * s;
    r->has_spare = 1;
    return u * s;
}

void gi_rng_shuffle(gi_rng *r, size_t *index, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)gi_rng_below(r, i), t = index[i - 1];

        index[i - 1] = index[j];
        index[j] = t;
    }
}
