/* number_print.c - the shortest decimal that parses back to a double.
 *
 * Schubfach (Giulietti: The Schubfach way to render doubles, 2020).  The
 * decimals that round to x = c * 2^q fill an interval as wide as the gap
 * between doubles.  With 10^k the largest power of ten below that width, the
 * interval holds a multiple of 10^k and at most one of 10^(k+1); that one is
 * the shortest answer if it is there, else the multiple of 10^k nearest to x.
 * The three numbers x and the ends of the interval, times 4 * 10^-k, are
 * wanted only as integers whose last bit is set if anything was cut off
 * ("rounded to odd"): enough to compare exactly, and one multiplication with
 * a power of ten of 128 bits gives it.
 *
 * Cost: about 50 ns.  The trap: at a power of two the gap below is half the
 * gap above.
 */
#include "base/number.h"

#include <endian.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/power5.h"

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* c * g / 2^128, the last bit set if the rest is more than the error of g. */
static uint64_t scale(gi_u128 g, uint64_t c)
{
    gi_u128 x = (gi_u128)c * (uint64_t)(g >> 64) +
                (uint64_t)((gi_u128)c * (uint64_t)g >> 64);

    return (uint64_t)(x >> 64) | ((uint64_t)x > 1);
}

/* Of the double with these bits, which is finite and positive. */
static struct decimal shortest(uint64_t bits)
{
    uint64_t fraction = bits & 0xfffffffffffff, c, odd, s, t;
    uint64_t low, mid, high;
    int field = (int)(bits >> 52), q, k, h, narrow, down, up;
    gi_u128 g;

    c = field ? fraction | (uint64_t)1 << 52 : fraction;
    q = (field ? field : 1) - 1075;
    odd = c & 1; /* an even c also owns the ends of its interval */
    narrow = fraction == 0 && field > 1;

    /* floor(log10(2^q)), or of 3/4 2^q */
    k = (q * 1262611 - (narrow ? 524031 : 0)) >> 22;
    h = q + gi_log2_power10(-k) + 1;
    g = gi_power5_table()[-k] + (-k > GI_POWER5_EXACT); /* rounded up */
    low = scale(g, (4 * c - 2 + (uint64_t)narrow) << h) + odd;
    mid = scale(g, 4 * c << h);
    high = scale(g, (4 * c + 2) << h) - odd;

    s = mid / 4;
    t = s / 10;
    down = low <= 40 * t;
    up = 40 * t + 40 <= high;
    if (s >= 10 && down != up)
        return (struct decimal){t + (uint64_t)up, k + 1};
    down = low <= 4 * s;
    up = 4 * s + 4 <= high;
    if (down == up) /* both are inside: the nearer one, or the even one */
        up = mid > 4 * s + 2 || (mid == 4 * s + 2 && (s & 1));
    return (struct decimal){s + (uint64_t)up, k};
}

/* The eight digits of v < 10^8 as text: fours, pairs and single digits are
 * split off in all parts of one word at a time. */
static void split8(uint64_t v, char out[8])
{
    uint64_t high = v / 10000, x = high | (v - 10000 * high) << 32;

    high = x * 10486 >> 20 & 0x0000007f0000007f; /* over 100 */
    x = high | (x - 100 * high) << 16;
    high = x * 103 >> 10 & 0x000f000f000f000f; /* over 10 */
    x = high | (x - 10 * high) << 8;
    x = htole64(x | 0x3030303030303030);
    memcpy(out, &x, 8);
}

static char *append(char *p, const char *s, int n)
{
    memcpy(p, s, (size_t)n);
    return p + n;
}

static char *append_zeros(char *p, int n)
{
    memset(p, '0', (size_t)n);
    return p + n;
}

/* d.dddde-123, the exponent as short as it can be. */
static char *scientific(char *p, const char *digit, int n, int e)
{
    *p++ = digit[0];
    if (n > 1) {
        *p++ = '.';
        p = append(p, digit + 1, n - 1);
    }
    *p++ = 'e';
    if (e < 0)
        *p++ = '-';
    e = e < 0 ? -e : e;
    if (e >= 100)
        *p++ = (char)('0' + e / 100);
    if (e >= 10)
        *p++ = (char)('0' + e / 10 % 10);
    *p++ = (char)('0' + e % 10);
    return p;
}

/* The n digits, the first one times 10^e, as %.17g lays them out. */
static char *layout(char *p, const char *digit, int n, int e)
{
    if (e < -4 || e >= 17)
        return scientific(p, digit, n, e);
    if (e < 0) {
        p = append_zeros(append(p, "0.", 2), -e - 1);
        return append(p, digit, n);
    }
    if (n <= e + 1)
        return append_zeros(append(p, digit, n), e + 1 - n);
    p = append(p, digit, e + 1);
    *p++ = '.';
    return append(p, digit + e + 1, n - e - 1);
}

static char *positive(char *p, uint64_t bits)
{
    const uint64_t eight = 100000000; /* 10^8 */
    struct decimal d = shortest(bits);
    char digit[24];
    int first = 0, last = 23;

    split8(d.digits / eight / eight, digit);
    split8(d.digits / eight % eight, digit + 8);
    split8(d.digits % eight, digit + 16);
    while (digit[first] == '0')
        first++;
    while (digit[last] == '0')
        last--;
    return layout(p, digit + first, last - first + 1, d.exponent + 23 - first);
}

size_t gi_number_print(double x, char out[GI_NUMBER_ROOM])
{
    char *p = out;
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    if (bits >> 63 && !isnan(x))
        *p++ = '-';
    if (!isfinite(x))
        p = append(p, isnan(x) ? "nan" : "inf", 3);
    else if (x == 0)
        *p++ = '0';
    else
        p = positive(p, bits << 1 >> 1);
    *p = '\0';
    return (size_t)(p - out);
}

size_t gram_number_print(double x, char *out)
{
    return gi_number_print(x, out);
}
