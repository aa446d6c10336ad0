/* power5.h - powers of five to 128 bits, for reading and writing decimals.
 */
#ifndef GI_POWER5_H
#define GI_POWER5_H

#include <stdint.h>

__extension__ typedef unsigned __int128 gi_u128;

/* Reading needs -342..308, writing -292..324. */
enum { GI_POWER5_MIN = -342, GI_POWER5_MAX = 324 };

/* 5^q for q = 0..55 has no more than 128 bits, so its entry is exact. */
enum { GI_POWER5_EXACT = 55 };

/* A table indexed by q = GI_POWER5_MIN .. GI_POWER5_MAX of the integers T with
 * 2^127 <= T < 2^128 and 5^q ~ T * power of two: rounded down for q >= 0 and
 * up for q < 0.  Computed at the first call; any thread may call. */
const gi_u128 *gi_power5_table(void);

/* floor(log2(10^q)), right for |q| <= 1233. */
static inline int gi_log2_power10(int q)
{
    return (q * 1741647) >> 19;
}

#endif
