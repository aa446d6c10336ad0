/* power5.c - powers of five to 128 bits.
 *
 * The table is computed and not written down: 667 entries of 39 digits are
 * hard to check, twenty lines are not.  A large integer starts as a power of
 * two and is multiplied by 5 for the positive powers, or divided by 5 for the
 * negative ones; its first 128 bits are the entry.  Multiplying is exact.
 * Dividing loses nothing either, as floor(floor(a/5)/5) = floor(a/25), so
 * that after n steps the integer is floor(2^960 / 5^n), with 166 bits left at
 * n = 342.  A negative power of five is no binary fraction, so "rounded up" is
 * the first 128 bits plus one.
 *
 * Cost: 30 microseconds, once per process; 11 kB.
 */
#include "base/power5.h"

#include <pthread.h>

enum { LIMBS = 16 }; /* 1024 bits; 5^324 with two limbs below it has 881 */

static gi_u128 table[GI_POWER5_MAX - GI_POWER5_MIN + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void times5(uint64_t x[LIMBS])
{
    gi_u128 carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        carry += (gi_u128)x[i] * 5;
        x[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void over5(uint64_t x[LIMBS])
{
    gi_u128 rest = 0;

    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 64 | x[i];
        x[i] = (uint64_t)(rest / 5);
        rest %= 5;
    }
}

/* The first 128 bits of x, which is at least 2^128. */
static gi_u128 leading(const uint64_t x[LIMBS])
{
    int i = LIMBS - 1, zeros;

    while (x[i] == 0)
        i--;
    zeros = __builtin_clzll(x[i]);
    return ((gi_u128)x[i] << 64 | x[i - 1]) << zeros |
           x[i - 2] >> 1 >> (63 - zeros);
}

static void compute(void)
{
    uint64_t up[LIMBS] = {[2] = 1}, down[LIMBS] = {[LIMBS - 1] = 1};

    for (int q = 0; q <= GI_POWER5_MAX; q++, times5(up))
        table[q - GI_POWER5_MIN] = leading(up);
    for (int q = -1; q >= GI_POWER5_MIN; q--) {
        over5(down);
        table[q - GI_POWER5_MIN] = leading(down) + 1;
    }
}

const gi_u128 *gi_power5_table(void)
{
    pthread_once(&once, compute);
    return table - GI_POWER5_MIN;
}
