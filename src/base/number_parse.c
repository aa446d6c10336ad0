/* number_parse.c - from decimal text to the nearest double.
 *
 * The digits are read eight at a time as one 64-bit word into an integer w,
 * so that the number is w * 10^q = (w * 5^q) * 2^q.  Multiplying w by 5^q,
 * known to 128 bits, gives the leading bits of the answer: the method of Eisel
 * and Lemire (Lemire: Number parsing at a gigabyte per second, 2021).  For w
 * below 2^64 those bits always decide the rounding (Mushtak and Lemire: Fast
 * number parsing without fallback, 2023).  Where w and 10^-q are both doubles,
 * one division does.
 *
 * Only numbers of more than 19 digits do not fit w: they lie between w and
 * w + 1, and if these round to different doubles, strtod decides.
 *
 * Cost: about 30 ns for 17 digits.  The trap: text has no NUL behind it, and
 * nothing at or after `end` may be read.
 */
#include "base/number.h"

#include <endian.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/power5.h"

enum {
    DIGITS = 19, /* decimal digits that always fit 64 bits */

    /* Halfway between two doubles lies a number of at most 767 digits; what
     * follows the first 800 counts only as being zero or not. */
    EXACT_DIGITS = 800
};

/* Exponents are not counted beyond this: it exceeds any number of digits in
 * memory, so that it outweighs those of 0.000...1 and 1000...0, and is far from
 * overflow. */
static const int64_t FAR = 100000000000000000;

static inline int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next eight bytes, the first one lowest; zeros for those past `end`. */
static inline uint64_t load8(const char *p, const char *end)
{
    uint64_t x = 0;

    if (end - p >= 8) {
        memcpy(&x, p, 8);
        return le64toh(x);
    }
    for (const char *r = end; r > p; r--)
        x = x << 8 | (unsigned char)r[-1];
    return x;
}

/* The number whose eight digits are the bytes of x, the first one lowest:
 * neighbours are joined to pairs, pairs to fours, fours to the whole. */
static inline uint64_t join8(uint64_t x)
{
    const uint64_t pairs = 0x000000ff000000ff;

    x = x * 10 + (x >> 8);
    return ((x & pairs) * (100 + (1000000ull << 32)) +
            (x >> 16 & pairs) * (1 + (10000ull << 32))) >>
           32;
}

/* Append the digits at p to *w (modulo 2^64); returns the byte behind them. */
static inline const char *digits(const char *p, const char *end, uint64_t *w)
{
    static const uint64_t ten_to[] = {1,     10,     100,     1000,
                                      10000, 100000, 1000000, 10000000};

    for (;;) {
        uint64_t x = load8(p, end) ^ 0x3030303030303030;
        /* The lowest set bit marks the first byte that is above 9. */
        uint64_t other = ((x + 0x7676767676767676) | x) & 0x8080808080808080;

        if (other) {
            int bit = __builtin_ctzll(other), n = bit / 8;

            *w = *w * ten_to[n] + join8(x << 8 << (63 - bit));
            return p + n;
        }
        *w = *w * 100000000 + join8(x);
        p += 8;
    }
}

/* Add the exponent at p to *q; returns p if there is no digit in it. */
static const char *exponent(const char *p, const char *end, int64_t *q)
{
    const char *r = p + 1, *first;
    int64_t e = 0;
    int minus = r < end && *r == '-';

    if (r < end && (*r == '-' || *r == '+'))
        r++;
    for (first = r; r < end && is_digit(*r); r++)
        if (e < FAR)
            e = 10 * e + (*r - '0');
    if (r == first)
        return p;
    *q += minus ? -e : e;
    return r;
}

/* The bits of w / 10^n for w <= 2^53 and n <= 22, which are doubles both, so
 * that the division rounds once and rightly (Clinger, 1990). */
static inline uint64_t divide(uint64_t w, int64_t n)
{
    static const double ten_to[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double x = (double)(int64_t)w / ten_to[n];
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The bits of the double nearest to w * 10^q. */
static inline uint64_t nearest(uint64_t w, int64_t q)
{
    const uint64_t infinity = 0x7ff0000000000000;
    gi_u128 power, product;
    uint64_t high, m;
    int zeros, top, shift, e;

    /* 2^53 would be right, too, but numbers of 16 and 17 digits lie on both
     * sides of it, and the branch would be mispredicted half of the time. */
    if (w <= (uint64_t)1 << 50 && q <= 0 && q >= -22)
        return divide(w, -q);
    if (w == 0 || q < GI_POWER5_MIN)
        return 0;
    if (q > 308)
        return infinity;
    zeros = __builtin_clzll(w);
    w <<= zeros;
    power = gi_power5_table()[q];
    product = (gi_u128)w * (uint64_t)(power >> 64) +
              (uint64_t)((gi_u128)w * (uint64_t)power >> 64);
    high = (uint64_t)(product >> 64);

    /* m: 53 bits and one to round by; e: the exponent field of a double. */
    top = (int)(high >> 63);
    shift = 9 + top;
    m = high >> shift;
    e = gi_log2_power10((int)q) + 63 + top - zeros + 1023;
    if (e <= 0) { /* subnormal; a tie would need 5^300 to divide w */
        m = e > -63 ? m >> (1 - e) : 0;
        return (m + (m & 1)) >> 1; /* rounding up to 2^52 is normal again */
    }
    /* A tie: all that was cut off is zero, up to the rounding of the power.
     * Then m rounds down if that is even.  Only for q in -4..23 can w * 5^q
     * be so short. */
    if ((m & 3) == 1 && (uint64_t)product <= 1 && q >= -4 && q <= 23 &&
        m << shift == high)
        m--;
    m = (m + (m & 1)) >> 1;
    /* m has its leading bit, which adds the last one to the exponent; rounding
     * up to 2^53 carries into it. */
    m += (uint64_t)(e - 1) << 52;
    return m < infinity ? m : infinity;
}

/* The bits of the number whose digits, more than fit w, are at s..end with
 * perhaps a point among them, times 10^q. */
__attribute__((noinline)) static uint64_t
long_number(const char *s, const char *end, int64_t q)
{
    char text[EXACT_DIGITS + 32];
    size_t n = 0;
    uint64_t w = 0, bits;
    int more = 0;
    double x;

    for (; s < end; s++) {
        if (*s == '.' || (n == 0 && *s == '0'))
            continue;
        if (n < EXACT_DIGITS) {
            text[n++] = *s;
            if (n <= DIGITS)
                w = 10 * w + (uint64_t)(*s - '0');
        } else {
            more |= *s != '0';
            q++;
        }
    }
    if (n <= DIGITS)
        return nearest(w, q);
    bits = nearest(w, q + (int64_t)(n - DIGITS));
    if (bits == nearest(w + 1, q + (int64_t)(n - DIGITS)))
        return bits;

    /* One more digit, 0 or 1, stands for all that were left out. */
    snprintf(text + n, sizeof text - n, "%de%lld", more, (long long)q - 1);
    /* With glibc the C locale is a constant: no failure, nothing to free. */
    x = strtod_l(text, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

const char *gi_number_parse(const char *s, const char *end, double *out)
{
    const char *p = s, *first, *last;
    uint64_t w = 0, bits, minus;
    int64_t q = 0;
    ptrdiff_t count;

    if (s == end)
        return NULL;
    minus = *p == '-';
    p += minus | (*p == '+');
    first = p;
    p = digits(p, end, &w);
    count = p - first;
    if (p < end && *p == '.') {
        const char *point = p++;

        p = digits(p, end, &w);
        q = point + 1 - p;
        count -= q;
    }
    if (count == 0)
        return NULL;
    last = p;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = exponent(p, end, &q);
    bits = count > DIGITS ? long_number(first, last, q) : nearest(w, q);
    bits |= minus << 63;
    memcpy(out, &bits, sizeof *out);
    return p;
}

int gi_number_whole(const char *s, const char *end, double *out)
{
    const char *p = gi_number_parse(s, end, out);

    return p && p == end && isfinite(*out);
}
